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
package io.aeroshmem;

import com.sun.management.ThreadMXBean;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjIntConsumer;

/**
 * Jobs whose PEs are threads of the test's JVM, small and with a time limit on every collective call.
 */
final class LocalJobs
{
    static final long HEAP_SIZE = 1 << 20;
    private static final ThreadMXBean THREADS = (ThreadMXBean)ManagementFactory.getThreadMXBean();
    /** The JVM links and compiles now and then, and allocates for that; a task would do so in every attempt. */
    private static final int ATTEMPTS = 10;

    private LocalJobs()
    {
    }

    static Shmem.Context config()
    {
        return new Shmem.Context()
            .heapSize(HEAP_SIZE)
            .transport(TransportKind.MAPPED)
            .checkCollectives(false)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
    }

    static void run(final int npes, final PeTask task) throws Exception
    {
        Shmem.runLocal(npes, config(), task);
    }

    static void run(final int npes, final TransportKind transport, final PeTask task) throws Exception
    {
        Shmem.runLocal(npes, config().transport(transport), task);
    }

    /**
     * Returns the most bytes that the thread of a PE allocates while all PEs run a task, which has run before. They
     * repeat it together until that is less than the limit, some times.
     */
    static long allocatedBytes(final Shmem shmem, final long limit, final Runnable task)
    {
        final long thread = Thread.currentThread().getId();
        THREADS.getThreadAllocatedBytes(thread);
        long bytes = Long.MAX_VALUE;
        for (int attempt = 0; attempt < ATTEMPTS && bytes >= limit; attempt++)
        {
            final long before = THREADS.getThreadAllocatedBytes(thread);
            task.run();
            bytes = shmem.world().reduceLong(ReduceOp.MAX, THREADS.getThreadAllocatedBytes(thread) - before);
        }

        return bytes;
    }

    /**
     * Runs PEs whose contexts differ.
     */
    static void runEach(final int npes, final ObjIntConsumer<Shmem.Context> setter, final PeTask task) throws Exception
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(npes);
        final List<Future<?>> futures = new ArrayList<>();
        final ExecutorService executor = Executors.newFixedThreadPool(npes);
        try
        {
            for (int pe = 0; pe < npes; pe++)
            {
                final Shmem.Context config = config().transport(TransportKind.AUTO).bootstrap(bootstraps[pe]);
                setter.accept(config, pe);
                futures.add(executor.submit(() ->
                {
                    Shmem.run(config, task);
                    return null;
                }));
            }

            for (final Future<?> future : futures)
            {
                future.get();
            }
        }
        finally
        {
            executor.shutdown();
        }
    }
}
