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
package io.aeroshmem.rma;

import io.aeroshmem.transport.Batch;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerArray;

/**
 * The record of the operations that one context has issued and not yet completed, with the fence that orders them and
 * the quiet that completes them.
 * <p>
 * Operations on mapped peers need no record: they are loads and stores, which a fence instruction orders or completes.
 * Other peers are reached by messages. After an operation has been submitted to such a peer, the peer is marked as
 * dirty. Quiet visits the dirty peers only, so a context does not wait for the traffic of other contexts to peers that
 * it never addressed. {@link Replies} counts the outstanding replies.
 */
class Completion
{
    private static final int CLEAN = 0;
    private static final int DIRTY = 1;
    private static final String QUIET = "quiet";

    /*
     * Why quiet is complete. A quiet completes every operation that any thread has issued on the context before the
     * quiet. After a thread has submitted an operation, it sets the mark of the peer with release. Quiet clears each
     * mark by an atomic exchange. Then the transport reads the position of the last submission to the peer, and waits
     * until that position is acknowledged. If the exchange finds the mark set, it has also acquired the submission, so
     * the position includes the operation. A mark set after the exchange stays for the next quiet.
     *
     * Concurrent quiets. The quiet of another thread may have cleared a mark already, and may still wait for the
     * operations. So a quiet is counted from before it clears any mark until it ends. After a quiet has visited the
     * dirty peers, it reads the count. If another quiet is in progress, this one visits all peers. Otherwise all quiets
     * that cleared marks earlier have ended, and have completed the operations of those marks.
     *
     * Failure of the job. On mapped memory nothing here waits, and over messages only what is outstanding does. So
     * every call checks whether the job has failed: a program that puts and completes in a loop ends with the job. A
     * quiet checks after its fence, which would otherwise wait for the load.
     *
     * Failed quiets. A quiet that fails, by a timeout for example, restores the mark of the peer at which it failed,
     * and stays counted. From then on every quiet visits all peers. The reason is that another thread may have found
     * the mark cleared before it was restored.
     */
    private final BlockingWait wait;
    private final Endpoint endpoint;
    private final Transport[] transports;
    private final int[] worldPes;
    private final AtomicIntegerArray marks;
    private final Replies replies;
    private final AtomicInteger quiets;
    /** Batch of the open session, if that gathers what messages carry; else null. */
    private volatile Batch batch;
    private boolean isBatchOfSameAtomic;

    /** Constructs for a context that has issued nothing; both arrays are indexed by rank. */
    Completion(final Endpoint endpoint, final Transport[] transports, final int[] worldPes)
    {
        this.endpoint = endpoint;
        this.wait = endpoint.blockingWait();
        this.transports = transports;
        this.worldPes = worldPes;

        final boolean isMessaging = isAnyMessaging(transports);
        marks = isMessaging ? new AtomicIntegerArray(transports.length) : null;
        replies = new Replies();
        quiets = new AtomicInteger();
    }

    /** Marks the peer of a submitted operation, so that quiet completes the operation. */
    void issued(final int rank)
    {
        final AtomicIntegerArray marks = this.marks;
        if (null != marks)
        {
            marks.setRelease(rank, DIRTY);
        }
    }

    /** Returns the count for a nonblocking get or fetch that is issued now. */
    Pending pending()
    {
        return replies.current();
    }

    void fence()
    {
        wait.checkFailure();
        if (null != marks)
        {
            for (int rank = 0; rank < transports.length; rank++)
            {
                if (transports[rank].isMessaging())
                {
                    transports[rank].fence(worldPes[rank]);
                }
            }
        }

        UnsafeApi.storeFence();
    }

    void fence(final int rank)
    {
        wait.checkFailure();
        transports[rank].fence(worldPes[rank]);
    }

    void quiet()
    {
        if (null != marks)
        {
            quietMessages();
        }

        UnsafeApi.fullFence();
        wait.checkFailure();
    }

    void quiet(final int rank)
    {
        if (transports[rank].isMessaging())
        {
            transports[rank].quiet(worldPes[rank]);
            replies.await(wait, wait.operationDeadline(), QUIET);
        }

        UnsafeApi.fullFence();
        wait.checkFailure();
    }

    /** Returns true if quiet would return at once. */
    boolean test()
    {
        wait.checkFailure();
        if (null != marks)
        {
            endpoint.progress();
            final Batch batch = this.batch;
            if (null != batch && !batch.isSubmitted() ||
                !replies.isIdle() || !isQuiet(false) || quiets.get() > 0 && !isQuiet(true))
            {
                return false;
            }
        }

        UnsafeApi.fullFence();
        return true;
    }

    /**
     * Begins a session of the calling thread, in which operations gather until {@link #endBatch()}.
     *
     * @param isSameAtomic true if the program performs no atomic updates but those of the library.
     */
    void beginBatch(final boolean isSameAtomic)
    {
        replies.batch(true);
        if (null != marks)
        {
            isBatchOfSameAtomic = isSameAtomic;
            useBatch(endpoint.batch(isSameAtomic));
        }
    }

    /** Ends a session, and sends what it has gathered, without waiting for its completion. */
    void endBatch()
    {
        replies.batch(false);
        if (null != batch)
        {
            useBatch(null);
            endpoint.flush();
        }
    }

    /** Has operations use the endpoint's present transports. None is under way. */
    void onTransportsChanged()
    {
        useBatch(null == batch ? null : endpoint.batch(isBatchOfSameAtomic));
    }

    /** Ends the present batch before any operation passes it: a fence of another thread orders what it has gathered. */
    private void useBatch(final Batch next)
    {
        if (null != batch)
        {
            batch.end();
        }

        for (int rank = 0; rank < transports.length; rank++)
        {
            use(rank, null == next ? endpoint.contextTransport(worldPes[rank]) : next);
        }

        batch = next;
    }

    private void use(final int rank, final Transport transport)
    {
        if (transports[rank] instanceof final RecordedTransport recorded)
        {
            recorded.performer(transport);
        }
        else
        {
            transports[rank] = transport;
        }
    }

    /** Waits for replies that are counted apart from those of the context. */
    void await(final Pending pending, final String callName)
    {
        wait.checkFailure();
        if (!pending.isIdle())
        {
            endpoint.flush();
            Replies.await(pending, wait, wait.operationDeadline(), callName);
        }
    }

    static boolean isAnyMessaging(final Transport[] transports)
    {
        for (final Transport transport : transports)
        {
            if (transport.isMessaging())
            {
                return true;
            }
        }

        return false;
    }

    private void quietMessages()
    {
        final Batch batch = this.batch;
        if (null != batch)
        {
            // fetches are counted, and updates have their sequence number, once they are submitted
            batch.submit();
        }

        quiets.getAndIncrement();
        for (int rank = 0; rank < transports.length; rank++)
        {
            if (DIRTY == marks.get(rank))
            {
                quietDirty(rank);
            }
        }

        if (quiets.get() > 1)
        {
            quietAllPeers();
        }

        replies.await(wait, wait.operationDeadline(), QUIET);
        quiets.getAndDecrement();
    }

    private void quietDirty(final int rank)
    {
        if (DIRTY == marks.getAndSet(rank, CLEAN) && transports[rank].isMessaging())
        {
            boolean isQuiet = false;
            try
            {
                transports[rank].quiet(worldPes[rank]);
                isQuiet = true;
            }
            finally
            {
                if (!isQuiet)
                {
                    marks.set(rank, DIRTY);
                }
            }
        }
    }

    private void quietAllPeers()
    {
        for (int rank = 0; rank < transports.length; rank++)
        {
            if (transports[rank].isMessaging())
            {
                transports[rank].quiet(worldPes[rank]);
            }
        }
    }

    private boolean isQuiet(final boolean isMarkIgnored)
    {
        for (int rank = 0; rank < transports.length; rank++)
        {
            if ((isMarkIgnored || DIRTY == marks.get(rank)) && transports[rank].isMessaging() &&
                !transports[rank].isQuiet(worldPes[rank]))
            {
                return false;
            }
        }

        return true;
    }
}
