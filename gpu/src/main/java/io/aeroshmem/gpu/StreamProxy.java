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
package io.aeroshmem.gpu;

import io.aeroshmem.nvtx.NvtxRanges;
import io.aeroshmem.rma.RmaContext;
import io.aeroshmem.transport.Threads;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;

/**
 * Performs those operations of one stream that the device cannot perform itself. A thread of the proxy performs an
 * operation when the stream has reached it. The stream continues when the operation is complete.
 */
final class StreamProxy implements AutoCloseable
{
    private static final int SPINS = 1000;
    private static final int YIELDS = 100;
    private static final long MIN_PARK_NS = 1_000;
    private static final long MAX_PARK_NS = 50_000;
    private static final ProxyOperation.Routine NOTHING = (context, operation) -> {};

    /*
     * Protocol. To enqueue operation n, the proxy enqueues a store and a wait on the stream, and then puts the
     * operation into a queue. The stream stores n to the word reached, and then waits until the word done is at least n
     * (StreamLaunches.handOver: without a kernel, if the device can). When operation n is the first in the queue, the
     * thread waits until reached is at least n, performs the operation, stores n to done, and removes the operation
     * from the queue. Both words are in pinned host memory, at least 128 bytes apart, and have one writer each.
     *
     * Ordering. The stream stores reached with release at system scope, after its earlier operations, and the thread
     * loads it with acquire. The thread stores done with release, after the operation, and the stream loads it with
     * acquire. The queue has the order of the stream, because both are filled under the lock of the proxy.
     *
     * Why it does not deadlock.
     * - The thread waits only for its stream to reach the next operation. When the thread starts to wait, it has
     *   performed all earlier operations. So the stream needs nothing more from the thread to reach the next operation.
     * - While the thread performs an operation, it may wait for other PEs, but never for a stream of a program. The
     *   thread's own copies run on a stream of the library, which waits for nothing.
     * - Each stream has its own thread. So operations of different streams that wait for other PEs, such as
     *   collectives, do not wait for each other.
     * - The stream executes no host function, so no thread of CUDA waits for the library.
     *
     * Failures. If the store or the wait cannot be enqueued, the caller receives the exception, and the operation is
     * not performed. It stays in the queue without effect, because the stream may reach its number. If an operation
     * fails, the failure is reported, and the stream continues. If the job fails, the stream continues as well: the
     * thread stores the numbers of the remaining operations to done without performing them.
     */
    private final ProxyOperations operations = new ProxyOperations();
    private final StreamLaunches launches;
    private final RmaContext context;
    private final PinnedWord reached;
    private final PinnedWord done;
    private final BooleanSupplier isAborted;
    private final StreamErrors errors;
    private Thread thread;
    private long enqueued;
    private long performed;
    private volatile boolean isClosed;

    /**
     * @param context   by which operations are performed.
     * @param isAborted whether the job has failed, or the device is closed.
     */
    StreamProxy(
        final CudaDevice device,
        final StreamLaunches launches,
        final RmaContext context,
        final BooleanSupplier isAborted,
        final StreamErrors errors)
    {
        this.launches = launches;
        this.context = context;
        this.isAborted = isAborted;
        this.errors = errors;
        reached = new PinnedWord(device);
        done = new PinnedWord(device);
    }

    void start(final Thread thread)
    {
        this.thread = thread;
        thread.start();
    }

    Thread thread()
    {
        return thread;
    }

    /** Returns an operation, to be enqueued when it has its arguments. */
    ProxyOperation newOperation(final String name, final ProxyOperation.Routine routine)
    {
        final ProxyOperation operation = operations.take();
        operation.name = name;
        operation.routine = routine;
        return operation;
    }

    /** Enqueues an operation, and returns at once. */
    synchronized void enqueue(final ProxyOperation operation)
    {
        final long number = ++enqueued;
        boolean isLaunched = false;
        try
        {
            launches.handOver(operation.name, reached.deviceAddress(), done.deviceAddress(), number);
            isLaunched = true;
        }
        finally
        {
            if (!isLaunched)
            {
                operation.routine = NOTHING;
            }

            operations.add(operation);
            LockSupport.unpark(thread);
        }
    }

    /** Performs operations until closed. */
    void run()
    {
        final IdleStrategy idleStrategy = new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, MAX_PARK_NS);
        while (!isClosed)
        {
            final ProxyOperation operation = operations.first();
            if (null == operation)
            {
                LockSupport.park(this);
            }
            else if (reached.get() > performed || isAborted.getAsBoolean())
            {
                perform(operation);
                operations.removeFirst();
                idleStrategy.reset();
            }
            else
            {
                idleStrategy.idle();
            }
        }
    }

    private void perform(final ProxyOperation operation)
    {
        NvtxRanges.begin(operation.name);
        try
        {
            if (!isAborted.getAsBoolean())
            {
                operation.routine.perform(context, operation);
                context.quiet();
            }
        }
        catch (final RuntimeException ex)
        {
            errors.onError(ex);
        }
        catch (final Error ex)
        {
            errors.onError(new GpuException("an operation on a stream failed: " + ex, ex));
        }
        finally
        {
            done.set(++performed);
            NvtxRanges.end();
        }
    }

    /** Ends the thread; the stream has been synchronised. */
    @Override
    public void close()
    {
        isClosed = true;
        if (null != thread)
        {
            LockSupport.unpark(thread);
            Threads.join(thread, 1000);
        }

        reached.close();
        done.close();
    }
}
