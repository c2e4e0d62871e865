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

import io.aeroshmem.ShmemException;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.ErrorHandler;
import org.agrona.collections.ArrayUtil;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Arrays;

/**
 * The progress of one PE's nonblocking collectives: it polls the request queues of the PE's teams, then runs the
 * handlers of completed requests. It also polls the services of an attached device. These perform other PEs' operations
 * on the device heap, and the operations that this PE's kernels request. Blocked calls,
 * {@link io.aeroshmem.Shmem#progress()} and the background agent drive the progress. Any number of threads may do so at
 * once.
 */
public final class RequestProgress implements Progress
{
    private static final VarHandle COMPLETED = Fields.handle(MethodHandles.lookup(), "completed", QueuedRequest.class);

    /*
     * Ordering. The queues are in an array that is replaced, never changed. A thread that completes a request with a
     * handler pushes the request on a stack. A thread that is not inside the poll of a queue takes the whole stack, and
     * runs the handlers. So no handler runs inside the poll of a queue. QueuedRequest ensures that a handler runs once
     * for each post. What a handler throws, even an Error, goes to the error handler, and the handlers after it still
     * run.
     */
    private final ErrorHandler errorHandler;
    private volatile RequestQueue[] queues = new RequestQueue[0];
    private volatile Progress device = Progress.NONE;
    private QueuedRequest completed;

    /**
     * @param errorHandler receives what completion handlers throw.
     */
    public RequestProgress(final ErrorHandler errorHandler)
    {
        this.errorHandler = errorHandler;
    }

    public synchronized void add(final RequestQueue queue)
    {
        queues = ArrayUtil.add(queues, queue);
    }

    /** Sets the poll of the services of this PE's device, {@link Progress#NONE} without a device. */
    public void device(final Progress progress)
    {
        device = progress;
    }

    /** Ends all polls: no thread is inside one when this returns, and requests that are queued have failed. */
    public synchronized void retire(final ShmemException reason)
    {
        for (final RequestQueue queue : queues)
        {
            queue.retire(reason);
        }

        queues = new RequestQueue[0];
    }

    public synchronized void remove(final RequestQueue queue)
    {
        queues = ArrayUtil.remove(queues, queue);
    }

    /**
     * Checks that no posted request uses an allocation.
     *
     * @throws IllegalStateException if one does.
     */
    public void checkFree(final Allocation allocation)
    {
        for (final RequestQueue queue : queues)
        {
            queue.checkFree(allocation);
        }
    }

    @Override
    public boolean isIdle()
    {
        for (final RequestQueue queue : queues)
        {
            if (!queue.isIdle())
            {
                return false;
            }
        }

        return !isServing();
    }

    @Override
    public boolean isServing()
    {
        return Progress.NONE != device;
    }

    /** Returns whether a request is posted and not complete. */
    public boolean isInFlight()
    {
        return Arrays.stream(queues).anyMatch((queue) -> queue.inFlight() > 0);
    }

    @Override
    public int poll()
    {
        int work = device.poll();
        for (final RequestQueue queue : queues)
        {
            work += queue.poll();
        }

        return work + pollHandlers();
    }

    /** Polls for a thread that has other work to do, as {@link #poll()} but with less work for large blocks. */
    public int pollLimited()
    {
        int work = device.poll();
        for (final RequestQueue queue : queues)
        {
            work += queue.pollLimited();
        }

        return work + pollHandlers();
    }

    @Override
    public int pollAsAgent()
    {
        return pollNested() + pollHandlers();
    }

    @Override
    public int pollNested()
    {
        int work = device.poll();
        for (final RequestQueue queue : queues)
        {
            work += queue.pollAsAgent();
        }

        return work;
    }

    private int pollHandlers()
    {
        return null == (QueuedRequest)COMPLETED.getOpaque(this) || isInPoll() ? 0 : runHandlers();
    }

    /** Returns whether this thread is inside a poll of a queue. */
    @Override
    public boolean isInPoll()
    {
        for (final RequestQueue queue : queues)
        {
            if (queue.isInPoll())
            {
                return true;
            }
        }

        return false;
    }

    private int runHandlers()
    {
        QueuedRequest request = (QueuedRequest)COMPLETED.getAndSet(this, null);
        QueuedRequest first = null;
        while (null != request)
        {
            final QueuedRequest earlier = request.nextHandler;
            request.nextHandler = first;
            first = request;
            request = earlier;
        }

        int count = 0;
        while (null != first)
        {
            final QueuedRequest later = first.nextHandler;
            first.nextHandler = null;
            first.releaseHandlerLink();
            runHandler(first);
            first = later;
            count++;
        }

        return count;
    }

    void runHandler(final QueuedRequest request)
    {
        try
        {
            request.runHandler();
        }
        catch (final Throwable ex)
        {
            Threads.report(errorHandler, ex);
        }
    }

    /** Adds a complete request to those whose handlers are to run. */
    void onCompleted(final QueuedRequest request)
    {
        if (request.claimHandlerLink())
        {
            QueuedRequest top;
            do
            {
                top = (QueuedRequest)COMPLETED.getAcquire(this);
                request.nextHandler = top;
            }
            while (!COMPLETED.compareAndSet(this, top, request));
        }
    }
}
