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
import org.agrona.UnsafeApi;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;

/**
 * The broadcasts among an {@link io.aeroshmem.ActiveSet} that this PE has posted on one team and that have not ended.
 * This object is a part of the team's {@link RequestQueue}. If this PE is the root of a broadcast, a member's READY
 * message ({@link ActiveSetBroadcast}) may arrive before this PE has posted the broadcast. The message is then kept
 * until this PE posts the broadcast.
 * <p>
 * Confined to the thread that holds the lock of the queue. Kept messages are stored in objects that are reused, so
 * memory is allocated only when more messages are kept than ever before.
 */
final class ActiveSets
{
    private static final int WORDS = RequestChannel.LENGTH / Long.BYTES;
    private static final long BASE = UnsafeApi.arrayBaseOffset(long[].class);

    private final RequestChannel channel;
    private final List<QueuedRequest> posted = new ArrayList<>();
    private final List<KeptReady> kept = new ArrayList<>();
    private final ArrayDeque<KeptReady> unused = new ArrayDeque<>();

    ActiveSets(final RequestChannel channel)
    {
        this.channel = channel;
    }

    /** Returns the posted broadcasts that have not ended, oldest first. */
    List<QueuedRequest> posted()
    {
        return posted;
    }

    /** Adds a posted broadcast; returns {@link PeerMailboxes#NO_RANK}, or a member that has named another root. */
    int add(final QueuedRequest request)
    {
        final ActiveSetBroadcast broadcast = request.activeSet();
        broadcast.start();
        posted.add(request);
        for (int i = 0; i < kept.size(); i++)
        {
            final KeptReady ready = kept.get(i);
            if (broadcast.matches(ready.words, BASE))
            {
                if (!broadcast.accepts(ready.words, BASE))
                {
                    return ready.rank;
                }

                if (broadcast.onReady(ready.rank, ready.words, BASE))
                {
                    kept.remove(i--);
                    unused.add(ready);
                }
            }
        }

        return PeerMailboxes.NO_RANK;
    }

    void remove(final QueuedRequest request)
    {
        posted.remove(request);
    }

    /** Receives from the members that the posted broadcasts wait for; returns the number of messages. */
    int receive(final RequestChannel.Receiver receiver)
    {
        int count = 0;
        for (int rank = 0; rank < channel.mailboxes().size(); rank++)
        {
            if (null != waitingFor(rank))
            {
                count += channel.receive(rank, receiver);
            }
        }

        return count;
    }

    /** Returns a posted broadcast that waits for a message from a member, or null. */
    QueuedRequest waitingFor(final int rank)
    {
        for (int i = 0; i < posted.size(); i++)
        {
            if (posted.get(i).activeSet().isWaitingFor(rank))
            {
                return posted.get(i);
            }
        }

        return null;
    }

    /** Returns which member a posted broadcast waits for, as the end of a message; empty if none. */
    String describeMissing(final QueuedRequest request)
    {
        final PeerMailboxes mailboxes = channel.mailboxes();
        for (int rank = 0; rank < mailboxes.size(); rank++)
        {
            if (request.activeSet().isWaitingFor(rank))
            {
                return ": waiting for PE " + mailboxes.worldPe(rank);
            }
        }

        return "";
    }

    /** Receives a message; returns null, or the broadcast that contradicts it. */
    QueuedRequest onMessage(final int rank, final int kind, final long message)
    {
        for (int i = 0; i < posted.size(); i++)
        {
            final ActiveSetBroadcast broadcast = posted.get(i).activeSet();
            if (broadcast.matches(null, message))
            {
                if (RequestChannel.READY != kind)
                {
                    if (broadcast.onMessage(kind, rank))
                    {
                        return null;
                    }
                }
                else if (!broadcast.accepts(null, message))
                {
                    return posted.get(i);
                }
                else if (broadcast.onReady(rank, null, message))
                {
                    return null;
                }
            }
        }

        if (RequestChannel.READY == kind)
        {
            keep(rank, message);
        }

        return null;
    }

    private void keep(final int rank, final long message)
    {
        final KeptReady ready = unused.isEmpty() ? new KeptReady() : unused.remove();
        ready.rank = rank;
        UnsafeApi.copyMemory(null, message, ready.words, BASE, RequestChannel.LENGTH);
        kept.add(ready);
    }

    /** A READY message that arrived before its broadcast was posted here. */
    private static final class KeptReady
    {
        private final long[] words = new long[WORDS];
        private int rank;
    }
}
