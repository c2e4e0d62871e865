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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Claims of room for the records that callers send through the {@link Outbox}. If the lock of the
 * {@link ProgressEngine} is free, and the outbox's open frame has room or can be sent ({@link PeerLink#makeRoom}), the
 * claim is in the open frame. Otherwise it is in the outbox's submission ring. Any thread may claim. A claim belongs to
 * the thread that made it, and lasts until that thread commits or aborts it. While a claim in the frame lasts, its
 * thread holds the engine's lock.
 */
final class RecordClaims
{
    private final ProgressEngine engine;
    private final BlockingWait blockingWait;

    RecordClaims(final ProgressEngine engine, final BlockingWait blockingWait)
    {
        this.engine = engine;
        this.blockingWait = blockingWait;
    }

    /**
     * Claims room for a record: in the open frame, with the engine's lock held until {@link #commit} or {@link #abort},
     * if the lock is free and there is room, otherwise in the ring.
     *
     * @return the index of the record in the frame, or the complement of its index in the ring.
     */
    int claim(final PeerLink link, final int recordLength, final String callName)
    {
        if (engine.tryLock())
        {
            boolean hasRoom = false;
            try
            {
                hasRoom = link.makeRoom(recordLength);
            }
            finally
            {
                if (!hasRoom)
                {
                    engine.unlock();
                }
            }

            if (hasRoom)
            {
                return link.outbox.appendIndex();
            }
        }

        return ~claimRing(link.outbox, recordLength, callName);
    }

    /** Claims room for the record of a request, whose slot is freed if the claim fails. */
    int claim(
        final PeerLink link, final int recordLength, final int slot, final Pending pending, final String callName)
    {
        try
        {
            return claim(link, recordLength, callName);
        }
        catch (final RuntimeException | Error ex)
        {
            link.requests.release(slot);
            if (null != pending)
            {
                pending.end();
            }

            throw ex;
        }
    }

    /** Returns the buffer of a claim. */
    static UnsafeBuffer buffer(final PeerLink link, final int claim)
    {
        return claim < 0 ? link.outbox.ringBuffer() : link.outbox.frame();
    }

    /** Returns the index of a claim in its buffer. */
    static int index(final int claim)
    {
        return claim < 0 ? ~claim : claim;
    }

    /** Submits a claimed record; if it is in the open frame and urgent, the frame is sent at once. */
    void commit(
        final PeerLink link, final int claim, final int recordLength, final boolean isAwaited, final boolean isUrgent)
    {
        if (claim < 0)
        {
            link.outbox.commitRing(~claim);
            return;
        }

        try
        {
            link.outbox.append(recordLength, isAwaited);
            if (isUrgent)
            {
                link.sendFrame();
            }
        }
        finally
        {
            engine.unlock();
        }
    }

    /** Gives a claim back. */
    void abort(final PeerLink link, final int claim)
    {
        if (claim < 0)
        {
            link.outbox.abortRing(~claim);
        }
        else
        {
            engine.unlock();
        }
    }

    /** Claims room in the ring, waiting for it; returns the index. */
    int claimRing(final Outbox outbox, final int recordLength, final String callName)
    {
        int index = outbox.tryClaimRing(recordLength);
        if (index < 0)
        {
            engine.messageCounters().onRingFull();
            final long deadlineNs = blockingWait.operationDeadline();
            int round = 0;
            do
            {
                round = blockingWait.idle(round, deadlineNs, callName);
                index = outbox.tryClaimRing(recordLength);
            }
            while (index < 0);
            blockingWait.reset(round);
        }

        return index;
    }
}
