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
package io.aeroshmem.thread;

import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.AllocationConsensus;
import io.aeroshmem.memory.CollectiveHeap;
import io.aeroshmem.memory.MemoryUse;
import io.aeroshmem.memory.HeapRange;
import io.aeroshmem.memory.SymmetricHeap;
import io.aeroshmem.memory.WorldSync;

/** The heap calls of a PE, checked by the {@link ThreadGuard}. */
public final class GuardedHeap extends CollectiveHeap
{
    private final ThreadGuard guard;

    public GuardedHeap(
        final ThreadGuard guard,
        final Object owner,
        final SymmetricHeap heap,
        final AllocationConsensus agreement,
        final WorldSync world,
        final MemoryUse use,
        final boolean isChecked)
    {
        super(owner, heap, agreement, world, use, isChecked);
        this.guard = guard;
    }

    @Override
    public Allocation malloc(final long bytes)
    {
        return guard.call("Shmem.malloc", () -> super.malloc(bytes));
    }

    @Override
    public Allocation mallocWithHints(final long bytes, final long hints)
    {
        return guard.call("Shmem.mallocWithHints", () -> super.mallocWithHints(bytes, hints));
    }

    @Override
    public Allocation calloc(final long count, final long elementBytes)
    {
        return guard.call("Shmem.calloc", () -> super.calloc(count, elementBytes));
    }

    @Override
    public Allocation align(final long alignment, final long bytes)
    {
        return guard.call("Shmem.align", () -> super.align(alignment, bytes));
    }

    @Override
    public Allocation realloc(final HeapRange range, final long bytes)
    {
        return guard.call("Shmem.realloc", () -> super.realloc(range, bytes));
    }

    @Override
    public void free(final HeapRange range)
    {
        guard.run("Shmem.free", () -> super.free(range));
    }
}
