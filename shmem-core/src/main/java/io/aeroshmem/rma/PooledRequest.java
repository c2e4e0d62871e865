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

import io.aeroshmem.RmaRequest;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

import java.util.Queue;
import java.util.function.BooleanSupplier;

/**
 * The implementation of {@link RmaRequest}. For a get it is the count of its own reply, and part of the count of its
 * context, so that a quiet waits for it. For a put it knows the place of the put among the records to its peer.
 */
final class PooledRequest extends Pending implements RmaRequest
{
    private static final String WHAT = "await of a request";
    private static final long NOT_SENT = -1;

    /*
     * Get. The transport counts the operation here, and this object counts it with the context. It ends here first, so
     * a thread that finds no reply outstanding in the context finds the request complete. A thread that does may
     * use it for the next operation: end() reads the field before.
     *
     * Put. The record is before a position of the submission ring that is read after the put was submitted. When the
     * ring has been drained up to there, the sequence that a quiet would wait for covers the record. The request keeps
     * the first such sequence, so later traffic does not delay it.
     *
     * Ownership. The program's thread owns the fields; end() reads what begin() had before the submission. The queue of
     * the context passes them on.
     */
    private final PeIdentity owner;
    private final Endpoint endpoint;
    private final Queue<PooledRequest> pool;
    private final BooleanSupplier isContextClosed;
    /** Count of the context that the get is part of. */
    private Pending ofContext;
    /** PE of the world that a put went to; -1 for a get. */
    private int putPe;
    private long submitted;
    private long sequence;
    private boolean isOpen;

    /**
     * @param pool that the request is given back to.
     */
    PooledRequest(
        final PeIdentity owner,
        final Endpoint endpoint,
        final Queue<PooledRequest> pool,
        final BooleanSupplier isContextClosed)
    {
        this.owner = owner;
        this.endpoint = endpoint;
        this.pool = pool;
        this.isContextClosed = isContextClosed;
    }

    /** Opens the request for a get that is issued next. */
    PooledRequest ofGet(final Pending pending)
    {
        ofContext = pending;
        putPe = -1;
        isOpen = true;
        return this;
    }

    /** Opens the request for the put that the calling thread has just issued. */
    PooledRequest ofPut(final int worldPe)
    {
        putPe = worldPe;
        submitted = endpoint.submitted(worldPe);
        sequence = NOT_SENT;
        isOpen = true;
        return this;
    }

    @Override
    public void begin()
    {
        ofContext.begin();
        super.begin();
    }

    @Override
    public void end()
    {
        final Pending ofContext = this.ofContext;
        super.end();
        ofContext.end();
    }

    private boolean isComplete()
    {
        if (putPe < 0)
        {
            return isIdle();
        }

        if (NOT_SENT == sequence)
        {
            sequence = endpoint.sequence(putPe, submitted);
        }

        return NOT_SENT != sequence && endpoint.isAcknowledged(putPe, sequence);
    }

    @Override
    public boolean test()
    {
        owner.enterCall("RmaRequest.test");
        try
        {
            checkOpen();
            if (!isComplete())
            {
                endpoint.progress();
                if (!isComplete())
                {
                    return false;
                }
            }

            UnsafeApi.fullFence();
            return true;
        }
        finally
        {
            owner.leaveCall();
        }
    }

    @Override
    public void await()
    {
        owner.enterCall("RmaRequest.await");
        try
        {
            checkOpen();
            if (!isComplete())
            {
                awaitCompletion();
            }

            UnsafeApi.fullFence();
        }
        finally
        {
            owner.leaveCall();
        }
    }

    private void awaitCompletion()
    {
        final BlockingWait wait = endpoint.blockingWait();
        final long deadlineNs = wait.operationDeadline();
        if (putPe < 0)
        {
            endpoint.flush();
        }
        else
        {
            endpoint.requestAcknowledgement(putPe);
        }

        int round = 0;
        while (!isComplete())
        {
            round = wait.idle(round, deadlineNs, WHAT);
        }

        wait.reset(round);
    }

    private void checkOpen()
    {
        if (!isOpen)
        {
            throw new IllegalStateException("a request must be open: this one was closed, and belongs to its context");
        }

        if (isContextClosed.getAsBoolean())
        {
            throw new IllegalStateException("the context of " + this + " is closed");
        }

        endpoint.blockingWait().checkFailure();
    }

    @Override
    public void close()
    {
        owner.checkCaller();
        if (!isOpen)
        {
            return;
        }

        final boolean isComplete = isComplete();
        if (!isComplete && !isContextClosed.getAsBoolean() && !endpoint.isFailed())
        {
            throw new IllegalStateException("a request must be complete to be closed: " + this);
        }

        isOpen = false;
        if (isComplete)
        {
            pool.offer(this);
        }
    }

    @Override
    public String toString()
    {
        return "RmaRequest{" + (putPe < 0 ? "get" : "put to PE " + putPe + " of the world") + ", isOpen=" + isOpen +
            ", owner=" + owner + "}";
    }
}
