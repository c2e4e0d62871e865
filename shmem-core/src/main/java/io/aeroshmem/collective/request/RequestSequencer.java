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

import io.aeroshmem.collective.task.PeList;
import org.agrona.UnsafeApi;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayDeque;
import java.util.BitSet;

/**
 * The agreement of a team's members on the order of requests that they may post in different orders. Each request
 * has a key: its tag, or its number in the order in which requests are made. Members announce the keys of their posts
 * to rank 0, the coordinator. When all members have announced a key, the coordinator appends it to the common order,
 * and sends that order to all members. So a request is performed when all members have posted it, and waits for no
 * other request to be posted.
 */
final class RequestSequencer
{
    private static final int COORDINATOR = 0;

    /*
     * Repeated keys. The k-th post of a key matches the k-th post of that key on every member. A request that exceeds
     * its time limit is complete for the program, but the members still perform it later. The program may therefore
     * post its key again before the request is performed. A member announces the second post only after it has
     * performed the first. So the coordinator counts each member at most once for a key. After it has appended the key
     * to the order, it starts to count anew for the next post.
     *
     * Back pressure. The coordinator performs a request itself only after it has sent the key of the request to all
     * members. So it has nothing left to send when its own requests are complete. A member that does not poll delays
     * the coordinator only when the mailbox to that member is full.
     *
     * Confined to the thread that holds the lock of the RequestQueue. Objects are reused, so memory is allocated only
     * when the number of requests in flight exceeds its previous maximum.
     */
    private final RequestChannel channel;
    private final int size;
    private final int myRank;

    /** The requests that are posted and not performed, by key; those of one key are linked, oldest first. */
    private final Long2ObjectHashMap<QueuedRequest> posted = new Long2ObjectHashMap<>();
    private QueuedRequest firstToAnnounce;
    private QueuedRequest lastToAnnounce;
    private final ArrayDeque<QueuedRequest> agreed = new ArrayDeque<>();

    /** State of the coordinator: keys that some members have announced, and those to be sent as agreed upon. */
    private final Long2ObjectHashMap<Announcement> announcements = new Long2ObjectHashMap<>();
    private Announcement firstComplete;
    private Announcement lastComplete;
    private final ArrayDeque<Announcement> unused = new ArrayDeque<>();
    /** Number of keys that are being sent, and the member that they are to be sent to next. */
    private int sending;
    private int nextRank;

    RequestSequencer(final RequestChannel channel)
    {
        this.channel = channel;
        size = channel.mailboxes().size();
        myRank = channel.mailboxes().myRank();
    }

    /** Adds a posted request. */
    void add(final QueuedRequest request)
    {
        final QueuedRequest oldest = posted.get(request.key());
        if (null == oldest)
        {
            posted.put(request.key(), request);
            addToAnnounce(request);
        }
        else
        {
            QueuedRequest newest = oldest;
            while (null != newest.nextInTurn)
            {
                newest = newest.nextInTurn;
            }

            newest.nextInTurn = request;
        }
    }

    /** Removes a request that has been performed, which is the oldest of its key. */
    void remove(final QueuedRequest request)
    {
        final QueuedRequest next = request.nextInTurn;
        request.nextInTurn = null;
        if (null == next)
        {
            posted.remove(request.key());
        }
        else
        {
            posted.put(request.key(), next);
            addToAnnounce(next);
        }
    }

    private void addToAnnounce(final QueuedRequest request)
    {
        if (null == firstToAnnounce)
        {
            firstToAnnounce = request;
        }
        else
        {
            lastToAnnounce.nextToAnnounce = request;
        }

        lastToAnnounce = request;
    }

    private long removeToAnnounce()
    {
        final QueuedRequest request = firstToAnnounce;
        firstToAnnounce = request.nextToAnnounce;
        request.nextToAnnounce = null;
        return request.key();
    }

    /** Returns the request that is performed next, which all members have posted; or null. */
    QueuedRequest next()
    {
        return agreed.poll();
    }

    /** Announces, agrees and sends as far as possible; returns the work count. */
    int poll(final RequestChannel.Receiver receiver)
    {
        return COORDINATOR == myRank ? coordinate(receiver) : channel.receive(COORDINATOR, receiver) + announce();
    }

    private int announce()
    {
        int count = 0;
        for (QueuedRequest request = firstToAnnounce;
            null != request && count < RequestChannel.MAX_KEYS;
            request = request.nextToAnnounce)
        {
            channel.key(count++, request.key());
        }

        if (0 == count || !channel.trySendKeys(COORDINATOR, RequestChannel.ANNOUNCED, count))
        {
            return 0;
        }

        for (int i = 0; i < count; i++)
        {
            removeToAnnounce();
        }

        return count;
    }

    private int coordinate(final RequestChannel.Receiver receiver)
    {
        int work = 0;
        while (null != firstToAnnounce)
        {
            onAnnounced(COORDINATOR, removeToAnnounce());
            work++;
        }

        for (int rank = 1; rank < size; rank++)
        {
            work += channel.receive(rank, receiver);
        }

        return work + send();
    }

    /** Receives keys: those of a member's posts, or those that the coordinator has agreed upon. */
    void onKeys(final int rank, final int kind, final int count, final long address)
    {
        for (int i = 0; i < count; i++)
        {
            final long key = UnsafeApi.getLong(address + (1L + i) * Long.BYTES);
            if (RequestChannel.ANNOUNCED == kind)
            {
                onAnnounced(rank, key);
            }
            else
            {
                agreed.add(posted.get(key));
            }
        }
    }

    private void onAnnounced(final int rank, final long key)
    {
        Announcement announcement = announcements.get(key);
        if (null == announcement)
        {
            announcement = unused.isEmpty() ? new Announcement(size) : unused.remove();
            announcement.key = key;
            announcements.put(key, announcement);
        }

        announcement.ranks.set(rank);
        if (size == announcement.ranks.cardinality())
        {
            announcements.remove(key);
            addComplete(announcement);
        }
    }

    private void addComplete(final Announcement announcement)
    {
        if (null == firstComplete)
        {
            firstComplete = announcement;
        }
        else
        {
            lastComplete.next = announcement;
        }

        lastComplete = announcement;
    }

    private int send()
    {
        int work = 0;
        while (null != firstComplete)
        {
            if (0 == sending)
            {
                nextRank = 1;
            }

            int count = 0;
            final int limit = 0 == sending ? RequestChannel.MAX_KEYS : sending;
            for (Announcement next = firstComplete; null != next && count < limit; next = next.next)
            {
                channel.key(count++, next.key);
            }

            sending = count;
            while (nextRank < size && channel.trySendKeys(nextRank, RequestChannel.AGREED, sending))
            {
                nextRank++;
                work++;
            }

            if (nextRank < size)
            {
                break;
            }

            for (; sending > 0; sending--)
            {
                final Announcement sent = firstComplete;
                firstComplete = sent.next;
                sent.next = null;
                sent.ranks.clear();
                unused.add(sent);
                agreed.add(posted.get(sent.key));
                work++;
            }
        }

        return work;
    }

    /** Returns whether a member has not announced a key that others have. */
    private boolean isMissingAt(final int rank, final long key)
    {
        final Announcement announcement = announcements.get(key);
        return null != announcement && !announcement.ranks.get(rank);
    }

    /**
     * Returns a request that cannot be performed because a gone member has not announced it, as far as this member
     * knows; or null. What the gone member sent has been received.
     */
    QueuedRequest missingAt(final int rank)
    {
        if (COORDINATOR == myRank)
        {
            for (final QueuedRequest request : posted.values())
            {
                if (isMissingAt(rank, request.key()))
                {
                    return request;
                }
            }

            return null;
        }

        if (COORDINATOR == rank)
        {
            for (final QueuedRequest request : posted.values())
            {
                if (!agreed.contains(request))
                {
                    return request;
                }
            }
        }

        return null;
    }

    /** Returns which members have not posted a request, as far as this one knows; or an empty text. */
    String describeMissing(final long key)
    {
        if (COORDINATOR != myRank || null == announcements.get(key))
        {
            return "";
        }

        final PeList pes = new PeList();
        for (int rank = 0; rank < size; rank++)
        {
            if (isMissingAt(rank, key))
            {
                pes.add(channel.mailboxes().worldPe(rank));
            }
        }

        return ": waiting for a post by " + pes;
    }

    /** A key, and the members that have announced it. */
    private static final class Announcement
    {
        private final BitSet ranks;
        private long key;
        private Announcement next;

        Announcement(final int size)
        {
            ranks = new BitSet(size);
        }
    }
}
