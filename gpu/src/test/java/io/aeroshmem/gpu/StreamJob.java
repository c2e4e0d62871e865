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

import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;

/** A job in this JVM whose PEs have a stream each, with the device's stream memory operations or without them. */
final class StreamJob
{
    private StreamJob()
    {
    }

    interface Task
    {
        void run(Shmem shmem, Gpu gpu, GpuStream stream) throws Exception;
    }

    static void run(final int nPes, final boolean hasOperations, final boolean isPinned, final Task task)
        throws Exception
    {
        TestDevice.setStreamMemoryOperations(hasOperations);
        final Shmem.Context template = new Shmem.Context().heapSize(4 << 20).transport(TransportKind.MAPPED);
        Shmem.runLocal(nPes, template, (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context().device(0).heapSize(1 << 20).pinHostHeap(isPinned);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                task.run(shmem, gpu, gpu.newStream());
            }
        });
    }
}
