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

import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The channel by which the members of a team match calls that need not be posted in the same order on all members:
 * requests ({@link RequestSequencer}), and broadcasts in active sets ({@link ActiveSetBroadcast}). It carries small
 * messages in mailboxes of its own; messages between two members arrive in order. If there is no room for a message,
 * its sender sends it in a later poll. So a member that does not poll delays the members that send to it, and no
 * message is lost. The layout of a message, in which the numbers in parentheses are lengths in bytes:
 * <pre>
 *   0   kind (4)  number of keys (4)
 *   8   {@link #ANNOUNCED}, {@link #AGREED}: the keys
 *   8   other kinds: tag of the broadcast
 *   16          start (4) and stride (4) of the active set
 *   24          size of the active set (4), region of the sender's dest (4)
 *   32          offset of dest in the region
 *   40          signature
 * </pre>
 * Confined to the thread that holds the lock of the {@link RequestQueue}. {@link PeerMailboxes} describes the ordering
 * between members.
 */
final class RequestChannel
{
    /** Kind: a member has posted the requests of these keys. */
    static final int ANNOUNCED = 1;
    /** Kind: all members have posted the requests of these keys, which are performed in this order. */
    static final int AGREED = 2;
    /** Kind: a member of an active set has posted its request, and grants access to its dest. */
    static final int READY = 3;
    /** Kind: the dest of a member of an active set is complete. */
    static final int DELIVERED = 4;
    /** Kind: a member of an active set has seen that its dest is complete. */
    static final int RECEIVED = 5;
    /** Kind: all members of an active set have seen that their dests are complete. */
    static final int ENDED = 6;

    static final int MAX_KEYS = TeamAreaDescriptor.SLOT_PAYLOAD / Long.BYTES - 1;

    static final int TAG = 8;
    static final int START_AND_STRIDE = 16;
    static final int SIZE_AND_REGION = 24;
    static final int OFFSET = 32;
    static final int SIGNATURE = 40;
    static final int LENGTH = 48;

    private final PeerMailboxes mailboxes;
    private final ByteBuffer buffer =
        BufferUtil.allocateDirectAligned(TeamAreaDescriptor.SLOT_PAYLOAD, Long.BYTES).order(ByteOrder.nativeOrder());
    private final long message = BufferUtil.address(buffer);

    /** The receiver of messages. */
    interface Receiver
    {
        /**
         * Receives a message.
         *
         * @param rank    of the sender.
         * @param kind    of the message.
         * @param keys    number of keys.
         * @param address of the message, valid during the call.
         */
        void onMessage(int rank, int kind, int keys, long address);
    }

    /**
     * @param mailboxes that nothing else uses.
     */
    RequestChannel(final PeerMailboxes mailboxes)
    {
        this.mailboxes = mailboxes;
    }

    PeerMailboxes mailboxes()
    {
        return mailboxes;
    }

    /** Puts a key into the message that is sent next. */
    void key(final int index, final long key)
    {
        UnsafeApi.putLong(message + (1L + index) * Long.BYTES, key);
    }

    /** Sends the keys that have been put; returns false if there is no room. */
    boolean trySendKeys(final int rank, final int kind, final int count)
    {
        head(kind, count);
        return mailboxes.trySend(rank, null, message, (1 + count) * Long.BYTES, true);
    }

    /** Sends a message about a call of an active set; returns false if there is no room. */
    boolean trySend(final int rank, final int kind, final ActiveSetBroadcast call)
    {
        head(kind, 0);
        call.encode(message);
        return mailboxes.trySend(rank, null, message, LENGTH, true);
    }

    private void head(final int kind, final int keys)
    {
        UnsafeApi.putInt(message, kind);
        UnsafeApi.putInt(message + Integer.BYTES, keys);
    }

    /** Receives what a member has sent; returns the number of messages. */
    int receive(final int rank, final Receiver receiver)
    {
        int count = 0;
        long address = mailboxes.tryReceive(rank);
        while (0 != address)
        {
            receiver.onMessage(
                rank, UnsafeApi.getInt(address), UnsafeApi.getInt(address + Integer.BYTES), address);
            mailboxes.consume(rank, true);
            count++;
            address = count < TeamAreaDescriptor.SLOTS ? mailboxes.tryReceive(rank) : 0;
        }

        return count;
    }
}
