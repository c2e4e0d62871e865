/*
 * Copyright 2026 The AeroSHMEM authors.
 *
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 * https://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
package io.aeroshmem.collective.request;

import io.aeroshmem.ActiveSet;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.PeerMailboxes;
import org.agrona.UnsafeApi;

import java.util.Arrays;

/**
 * A broadcast among an {@link ActiveSet}: some members of a team perform the call, and the other members take no part.
 * A broadcast is matched by its tag and its active set, independently of all other calls of the team. Its messages go
 * through the {@link RequestChannel}. They cannot be part of the steps of a collective, because {@link PeerMailboxes}
 * require that all members of the team take the same steps.
 */
final class ActiveSetBroadcast
{
    private static final byte ABSENT = 0;
    private static final byte IS_READY = 1;
    private static final byte IS_SERVED = 2;
    private static final byte HAS_RECEIVED = 3;
    private static final byte HAS_ENDED = 4;

    /*
     * Protocol. Each member of the set, except the root, sends READY to the root, with the place of its dest (a Region
     * and an offset). The root puts the data there in pieces, then sends DELIVERED, which ends the member's call.
     *
     * On a synchronised team (Synchronization), the messages also have the effect of a barrier of the active set at the
     * start and at the end of the call. The root puts nothing before it has received READY from all members. A member
     * answers DELIVERED with RECEIVED. When the root has received RECEIVED from all members, it sends them ENDED, and a
     * member's call ends when it receives ENDED.
     *
     * Ordering. Pieces and messages from the root to a member arrive in order, so DELIVERED shows that all pieces are
     * complete. Nothing is put into a member's dest before the member's READY, or after DELIVERED.
     *
     * Confined to the thread that holds the lock of the RequestQueue.
     */
    private final RequestChannel channel;
    private final PeerMailboxes mailboxes;
    private final CallArguments call;
    private final long tag;
    private final ActiveSet set;
    private final int root;
    private final int myRank;
    private final boolean isSynchronized;

    /** State at the root; arrays are indexed by place in the set. */
    private final byte[] states;
    private final int[] destRegions;
    private final long[] destOffsets;
    private int present;
    private int received;
    private int index;
    private long bytesPut;

    /** State at another member: the last message sent and received. */
    private int sent;
    private int seen;

    ActiveSetBroadcast(
        final RequestChannel channel,
        final CallArguments call,
        final long tag,
        final ActiveSet set,
        final boolean isSynchronized)
    {
        this.channel = channel;
        this.call = call;
        this.tag = tag;
        this.set = set;
        this.isSynchronized = isSynchronized;
        mailboxes = channel.mailboxes();
        root = call.root();
        myRank = mailboxes.myRank();
        final int states = isRoot() ? set.size() : 0;
        this.states = new byte[states];
        destRegions = new int[states];
        destOffsets = new long[states];
    }

    /** Returns another broadcast with the same arguments. */
    ActiveSetBroadcast again()
    {
        return new ActiveSetBroadcast(channel, call, tag, set, isSynchronized);
    }

    boolean isRoot()
    {
        return root == myRank;
    }

    int root()
    {
        return root;
    }

    CallArguments call()
    {
        return call;
    }

    void encode(final long message)
    {
        UnsafeApi.putLong(message + RequestChannel.TAG, tag);
        UnsafeApi.putInt(message + RequestChannel.START_AND_STRIDE, set.start());
        UnsafeApi.putInt(message + RequestChannel.START_AND_STRIDE + Integer.BYTES, set.stride());
        UnsafeApi.putInt(message + RequestChannel.SIZE_AND_REGION, set.size());
        UnsafeApi.putInt(message + RequestChannel.SIZE_AND_REGION + Integer.BYTES, call.destRegion());
        UnsafeApi.putLong(message + RequestChannel.OFFSET, call.destOffset());
        UnsafeApi.putLong(message + RequestChannel.SIGNATURE, call.signature());
    }

    /** Returns whether a message is about this call. */
    boolean matches(final Object base, final long message)
    {
        return tag == UnsafeApi.getLong(base, message + RequestChannel.TAG) &&
            set.start() == UnsafeApi.getInt(base, message + RequestChannel.START_AND_STRIDE) &&
            set.stride() == UnsafeApi.getInt(base, message + RequestChannel.START_AND_STRIDE + Integer.BYTES) &&
            set.size() == UnsafeApi.getInt(base, message + RequestChannel.SIZE_AND_REGION);
    }

    /** Returns whether READY of a member agrees with this call: the root is this member, type and count are equal. */
    boolean accepts(final Object base, final long message)
    {
        return isRoot() && call.signature() == UnsafeApi.getLong(base, message + RequestChannel.SIGNATURE);
    }

    void start()
    {
        Arrays.fill(states, ABSENT);
        present = 0;
        received = 0;
        index = 0;
        bytesPut = 0;
        sent = 0;
        seen = 0;
        if (isRoot())
        {
            copyToOwnDest();
        }
    }

    private void copyToOwnDest()
    {
        if (!call.isInPlace())
        {
            mailboxes.copy(call.sourceAddress(), call.destAddress(), call.blockBytes());
        }
    }

    /** Receives READY of a member, if the root awaits it; returns whether it does. */
    boolean onReady(final int rank, final Object base, final long message)
    {
        final int member = indexOf(rank);
        if (ABSENT != states[member])
        {
            return false;
        }

        states[member] = IS_READY;
        destRegions[member] = UnsafeApi.getInt(base, message + RequestChannel.SIZE_AND_REGION + Integer.BYTES);
        destOffsets[member] = UnsafeApi.getLong(base, message + RequestChannel.OFFSET);
        present++;
        return true;
    }

    /** Receives another message, if the call awaits it; returns whether it does. */
    boolean onMessage(final int kind, final int rank)
    {
        if (RequestChannel.RECEIVED == kind)
        {
            final int member = isRoot() ? indexOf(rank) : -1;
            if (member < 0 || IS_SERVED != states[member])
            {
                return false;
            }

            states[member] = HAS_RECEIVED;
            received++;
            return true;
        }

        final int due = 0 == seen ? RequestChannel.DELIVERED : RequestChannel.ENDED;
        if (isRoot() || 0 == sent || due != kind || seen == kind)
        {
            return false;
        }

        seen = kind;
        return true;
    }

    private int indexOf(final int rank)
    {
        return 0 == set.stride() ? 0 : (rank - set.start()) / set.stride();
    }

    /** Proceeds as far as possible, as a {@link CollectiveTask} does. */
    int poll()
    {
        return isRoot() ? pollRoot() : pollMember();
    }

    private int pollMember()
    {
        if (0 == sent)
        {
            sent = channel.trySend(root, RequestChannel.READY, this) ? RequestChannel.READY : 0;
        }

        if (!isSynchronized)
        {
            return RequestChannel.DELIVERED == seen ? CollectiveTask.DONE : CollectiveTask.WAITING;
        }

        if (RequestChannel.DELIVERED == seen && RequestChannel.READY == sent)
        {
            sent = channel.trySend(root, RequestChannel.RECEIVED, this) ? RequestChannel.RECEIVED : sent;
        }

        return RequestChannel.ENDED == seen ? CollectiveTask.DONE : CollectiveTask.WAITING;
    }

    private int pollRoot()
    {
        final int others = set.size() - 1;
        if (isSynchronized && present < others)
        {
            return CollectiveTask.WAITING;
        }

        int result = CollectiveTask.WAITING;
        int served = 0;
        for (int member = 0; member < states.length; member++)
        {
            if (IS_READY == states[member] && (0 == bytesPut || member == index))
            {
                index = member;
                result = serve(set.rank(member)) ? CollectiveTask.MOVED : result;
            }

            served += states[member] >= IS_SERVED ? 1 : 0;
        }

        if (served < others)
        {
            return result;
        }

        return !isSynchronized || received == others && endAll() ? CollectiveTask.DONE : CollectiveTask.WAITING;
    }

    /** Puts the next piece to a member; returns whether anything was done. */
    private boolean serve(final int rank)
    {
        final long bytes = call.blockBytes();
        boolean hasMoved = false;
        if (bytesPut < bytes)
        {
            final long length = Math.min(CollectiveTask.PIECE, bytes - bytesPut);
            mailboxes.put(
                rank, destRegions[index], destOffsets[index] + bytesPut, call.sourceAddress() + bytesPut, length);
            bytesPut += length;
            hasMoved = true;
        }

        if (bytesPut == bytes && channel.trySend(rank, RequestChannel.DELIVERED, this))
        {
            states[index] = IS_SERVED;
            bytesPut = 0;
            hasMoved = true;
        }

        return hasMoved;
    }

    private boolean endAll()
    {
        boolean isEnded = true;
        for (int member = 0; member < states.length; member++)
        {
            if (HAS_RECEIVED == states[member])
            {
                if (channel.trySend(set.rank(member), RequestChannel.ENDED, this))
                {
                    states[member] = HAS_ENDED;
                }
                else
                {
                    isEnded = false;
                }
            }
        }

        return isEnded;
    }

    /** Returns whether the call waits for a message from a member. */
    boolean isWaitingFor(final int rank)
    {
        if (!set.contains(rank) || rank == myRank)
        {
            return false;
        }

        if (!isRoot())
        {
            return rank == root;
        }

        final byte state = states[indexOf(rank)];
        return ABSENT == state || isSynchronized && IS_SERVED == state;
    }

    @Override
    public String toString()
    {
        return "broadcast of tag " + tag + " among ranks " + set.start() + " + " + set.stride() + " * i, i < " +
            set.size();
    }
}
