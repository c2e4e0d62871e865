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
import io.aeroshmem.Ordering;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveAttributes;
import org.agrona.collections.ObjectHashSet;

/**
 * The matching of one team's requests among its members, as the team's {@link Ordering} specifies. Where members may
 * post in different orders, requests with the same key match. The signatures of matching requests must be equal;
 * otherwise the job fails, unless calls are checked and {@link CheckedTask} detects the difference first.
 */
final class RequestMatching
{
    /** Sets tags further apart than any number of requests. */
    private static final long TAG_FACTOR = 0x6A09_E667_F3BC_C909L;

    /*
     * This class gives each request its key and signature, and records the tags (CollectiveArgs.tag(long)) that are in
     * use:
     * - On Ordering.POST_ORDERED and Ordering.INIT_AND_POST_ORDERED teams, requests need no key, because they are
     *   matched by the order of their posts.
     * - On these teams and on Ordering.INIT_ORDERED teams, the signature covers the tag, if the request has a tag.
     * - On Ordering.INIT_AND_POST_ORDERED teams, the signature also covers the number of the request in the order in
     *   which requests are made. So members detect if the order of posts differs.
     * - On Ordering.INIT_ORDERED teams, the key is the number of the request in the order in which requests are made.
     * - On teams of the three unordered orderings, such as Ordering.POST_UNORDERED, the key is the tag.
     * - On every team, broadcasts among an active set are matched by tag and set.
     * Thread-safe, because several threads may make, post, complete and close requests.
     */
    private final String teamName;
    private final Ordering ordering;
    private final boolean isByTag;
    private final boolean isSynchronized;
    private final RequestChannel channel;
    private final ObjectHashSet<Object> idsInFlight = new ObjectHashSet<>();
    private final ObjectHashSet<Object> idsOpen = new ObjectHashSet<>();
    private long inits;

    RequestMatching(
        final String teamName,
        final CollectiveAttributes attributes,
        final RequestChannel channel)
    {
        this.teamName = teamName;
        ordering = attributes.ordering();
        isByTag = attributes.isByTag();
        isSynchronized = attributes.isSynchronized();
        this.channel = channel;
    }

    /** Returns whether requests are matched by the order of their posts. */
    boolean isByPosts()
    {
        return Ordering.POST_ORDERED == ordering || Ordering.INIT_AND_POST_ORDERED == ordering;
    }

    private boolean isTagUniqueFromInit()
    {
        return Ordering.INIT_UNORDERED == ordering || Ordering.INIT_AND_POST_UNORDERED == ordering;
    }

    /**
     * Signs the call of a request of the whole team, and returns the key of the request.
     *
     * @param isTagged whether the request has a tag.
     */
    long sign(final CallArguments call, final boolean isTagged, final long tag)
    {
        if (isByTag)
        {
            claimTag(isTagged, tag);
            call.sign();
            return tag;
        }

        final long number = nextInit();
        if (Ordering.INIT_AND_POST_ORDERED == ordering)
        {
            call.signWith(tag * TAG_FACTOR + number);
        }
        else if (isTagged)
        {
            call.signWith(tag);
        }
        else
        {
            call.sign();
        }

        return number;
    }

    private void claimTag(final boolean isTagged, final long tag)
    {
        if (!isTagged)
        {
            throw new IllegalArgumentException(
                "tag must be set, as requests on team " + teamName + " are matched by tag (" + ordering + ")");
        }

        if (isTagUniqueFromInit())
        {
            claim(idsOpen, tag, "must be unique from the making of a request to its close");
        }
    }

    /** Signs the call of a request among an active set, and returns its broadcast. */
    ActiveSetBroadcast signBroadcast(final CallArguments call, final long tag, final ActiveSet set)
    {
        return new ActiveSetBroadcast(channel, call.sign(), tag, set, isSynchronized);
    }

    /** Returns the identity of which only one request of the team may be in flight, or null. */
    Object uniqueId(final long tag, final ActiveSet setOrNull)
    {
        return null != setOrNull ? new TaggedSet(tag, setOrNull) : isByTag ? (Object)tag : null;
    }

    /** Returns the number among those made that members compare, or 0 if they do not. */
    long comparedInit(final QueuedRequest request)
    {
        return Ordering.INIT_AND_POST_ORDERED == ordering ? request.key() : 0;
    }

    private synchronized long nextInit()
    {
        return ++inits;
    }

    /**
     * Notes a post.
     *
     * @throws IllegalStateException if another request with the tag is in flight.
     */
    void onPost(final QueuedRequest request)
    {
        if (null != request.uniqueId())
        {
            claim(idsInFlight, request.uniqueId(), "must be unique from post to completion");
        }
    }

    /** Notes that a request is complete. */
    void onComplete(final QueuedRequest request)
    {
        if (null != request.uniqueId())
        {
            release(idsInFlight, request.uniqueId());
        }
    }

    /** Notes that a request is closed. */
    void onClosed(final QueuedRequest request)
    {
        if (null == request.activeSet() && isTagUniqueFromInit())
        {
            release(idsOpen, request.uniqueId());
        }
    }

    private void claim(final ObjectHashSet<Object> ids, final Object id, final String rule)
    {
        final boolean isClaimed;
        synchronized (ids)
        {
            isClaimed = ids.add(id);
        }

        if (!isClaimed)
        {
            throw new IllegalStateException(
                (id instanceof Long ? "tag " + id : id) + " " + rule + " on team " + teamName + " (" + ordering + ")");
        }
    }

    private static void release(final ObjectHashSet<Object> ids, final Object id)
    {
        synchronized (ids)
        {
            ids.remove(id);
        }
    }

    /** Returns what the members have to do for their requests to match, as part of a sentence. */
    String rule()
    {
        return switch (ordering)
        {
            case POST_ORDERED -> "all members must post the same requests in the same order";
            case INIT_ORDERED -> "all members must make the same requests in the same order";
            case INIT_AND_POST_ORDERED -> "all members must make and post the same requests in the same order";
            default -> "all members must post the same requests with the same tags";
        };
    }

    /** The identity of a broadcast among an active set. */
    private record TaggedSet(long tag, ActiveSet set)
    {
        @Override
        public String toString()
        {
            return "tag " + tag + " with " + set;
        }
    }
}
