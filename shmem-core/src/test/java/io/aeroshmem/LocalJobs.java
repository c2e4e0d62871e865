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

import java.util.concurrent.TimeUnit;

/**
 * Jobs whose PEs are threads of the test's JVM, small and with a time limit on every collective call.
 */
final class LocalJobs
{
    static final long HEAP_SIZE = 1 << 20;

    private LocalJobs()
    {
    }

    static Shmem.Context config()
    {
        return new Shmem.Context()
            .heapSize(HEAP_SIZE)
            .transport(TransportKind.MAPPED)
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
}
