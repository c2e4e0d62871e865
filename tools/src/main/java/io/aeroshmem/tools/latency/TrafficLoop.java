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
package io.aeroshmem.tools.latency;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import org.agrona.CloseHelper;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BrokenBarrierException;
import java.util.concurrent.CyclicBarrier;

/**
 * The calls of one PE in a {@link Traffic}: in windows, of which each goes to the next target and is completed by a
 * quiet, by one thread or several at once.
 */
final class TrafficLoop implements MeasuringLoop
{
    private final Traffic traffic;
    private final MeasuringLoop loop;
    private final List<CommunicationContext> contexts = new ArrayList<>();
    /** The targets of each thread. */
    private final MeasurementTarget[][] targets;

    /**
     * Creates the loop, with its contexts.
     *
     * @param loop   rate of an operation.
     * @param target whose blocks are cut into those of the callers.
     */
    TrafficLoop(final Traffic traffic, final MeasuringLoop loop, final MeasurementTarget target)
    {
        this.traffic = traffic;
        this.loop = loop;
        final Shmem shmem = target.shmem;
        final List<Integer> pes = traffic.targets(shmem.myPe(), shmem.nPes());
        targets = new MeasurementTarget[traffic.threads()][];
        for (int thread = 0; thread < targets.length; thread++)
        {
            final CommunicationContext context = context(shmem);
            final int block = shmem.myPe() * targets.length + thread;
            targets[thread] =
                pes.stream().map((pe) -> target.to(pe, context, block)).toArray(MeasurementTarget[]::new);
        }
    }

    private CommunicationContext context(final Shmem shmem)
    {
        if (1 == targets.length || traffic.isContextShared())
        {
            return shmem.defaultContext();
        }

        final CommunicationContext context = shmem.createContext();
        contexts.add(context);
        return context;
    }

    /** Returns whether this PE makes calls. */
    boolean isCalling()
    {
        return targets[0].length > 0;
    }

    /** Makes so many calls on each thread; the time is that from the first call to the last of all threads. */
    @Override
    public long measure(final MeasurementTarget target, final long[] samples, final int count)
    {
        if (1 == targets.length)
        {
            return measure(targets[0], samples, count);
        }

        final CyclicBarrier start = new CyclicBarrier(targets.length);
        final Throwable[] failures = new Throwable[targets.length];
        final Thread[] threads = new Thread[targets.length];
        final long[] beginNs = new long[targets.length];
        final long[] endNs = new long[targets.length];
        for (int i = 0; i < threads.length; i++)
        {
            final int number = i;
            threads[i] = new Thread(() ->
            {
                try
                {
                    start.await();
                    beginNs[number] = System.nanoTime();
                    measure(targets[number], samples, count);
                    endNs[number] = System.nanoTime();
                }
                catch (final RuntimeException | InterruptedException | BrokenBarrierException ex)
                {
                    failures[number] = ex;
                }
            });
            threads[i].start();
        }

        join(threads, failures);
        long begin = beginNs[0];
        long end = endNs[0];
        for (int i = 1; i < threads.length; i++)
        {
            begin = Math.min(begin - beginNs[i], 0) + beginNs[i];
            end = Math.max(end - endNs[i], 0) + endNs[i];
        }

        return end - begin;
    }

    private static void join(final Thread[] threads, final Throwable[] failures)
    {
        try
        {
            for (final Thread thread : threads)
            {
                thread.join();
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted", ex);
        }

        for (final Throwable failure : failures)
        {
            if (null != failure)
            {
                throw new IllegalStateException("a thread of the measurement has failed: " + failure, failure);
            }
        }
    }

    private long measure(final MeasurementTarget[] pes, final long[] samples, final int count)
    {
        final int window = traffic.window(pes.length, count);
        final long start = System.nanoTime();
        for (int done = 0, next = 0; done < count; done += window, next = next + 1 == pes.length ? 0 : next + 1)
        {
            loop.measure(pes[next], samples, Math.min(window, count - done));
        }

        return System.nanoTime() - start;
    }

    /** Closes the contexts. After an exception the close of the PE does it. */
    void close()
    {
        CloseHelper.closeAll(contexts);
    }
}
