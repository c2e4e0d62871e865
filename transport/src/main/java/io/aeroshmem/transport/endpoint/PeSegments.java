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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.heap.Segment;
import org.agrona.CloseHelper;

/**
 * Memory files of a PE.
 *
 * @param heap     memory of {@link Region#USER}.
 * @param system   memory of {@link Region#SYSTEM}.
 * @param retained the heap of a PE of this process in a recoverable job; else null.
 */
record PeSegments(Segment heap, Segment system, RetainedHeap retained) implements AutoCloseable
{
    Segment of(final int region)
    {
        return switch (region)
        {
            case Region.USER -> heap;
            case Region.SYSTEM -> system;
            default -> throw MemorySpace.unknown(region);
        };
    }

    /** Removes the names of the files. */
    void unlink()
    {
        CloseHelper.closeAll(heap::unlink, system::unlink);
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(heap, system);
    }
}
