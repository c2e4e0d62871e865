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
package io.aeroshmem.memory;

import io.aeroshmem.MemoryState;
import io.aeroshmem.ShmemException;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.retained.RetainedBlock;
import io.aeroshmem.transport.retained.RetainedMerge;
import io.aeroshmem.transport.retained.RetainedMerge.Contents;
import io.aeroshmem.transport.retained.RetainedMerge.Merged;
import io.aeroshmem.transport.retained.RetainedTable;
import org.agrona.ErrorHandler;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;

/**
 * The beginning of a generation: all PEs exchange the tables that the generation before has left, and take over the
 * allocations that exist. The images of the tables are in the arena, before anything else is.
 * <p>
 * Each PE then writes its table. A call that changes it further returns on no PE before all have written theirs, so a
 * generation that ends meanwhile leaves tables of two generations which agree.
 */
public final class RetainedExchange
{
    private static final long ARRAY_BASE = UnsafeApi.arrayBaseOffset(byte[].class);

    private final Endpoint endpoint;
    private final Runnable barrier;
    private final ErrorHandler errorHandler;

    /** Constructs for a PE; {@code barrier} is that of the world, {@code errorHandler} receives losses. */
    public RetainedExchange(final Endpoint endpoint, final Runnable barrier, final ErrorHandler errorHandler)
    {
        this.errorHandler = errorHandler;
        this.endpoint = endpoint;
        this.barrier = barrier;
    }

    /**
     * Begins this generation of a recoverable job. Collective.
     *
     * @param allocations of this PE, none so far.
     */
    public void begin(final RetainedAllocations allocations)
    {
        final RetainedTable table = endpoint.retainedTable();
        if (null == table)
        {
            return;
        }

        if (endpoint.generation() > 0)
        {
            final List<RetainedTable.State> states = exchange(table);
            final List<List<RetainedBlock>> tables =
                states.stream().filter(Objects::nonNull).map(RetainedTable.State::blocks).toList();
            final List<Merged> merged = RetainedMerge.merge(tables);
            final String defect = endpoint.retainedDefect();
            final boolean isAbsent = RetainedHeaps.ABSENT.equals(defect);
            // where no PE has a table, what there was is unknown; without a file there was nothing, nor of a new PE
            if (null != defect && (merged.isEmpty() ?
                tables.isEmpty() && !isAbsent : !isAbsent || endpoint.previousPe(endpoint.pe()) >= 0))
            {
                errorHandler.onError(new ShmemException("the retained memory of PE " + endpoint.pe() +
                    " is lost, because of its file from the generation before: " + defect));
            }

            for (final Merged allocation : merged)
            {
                allocations.adopt(
                    allocation.block(),
                    states.stream().map((state) -> state(state, allocation)).toArray(MemoryState[]::new),
                    Contents.LOST == allocation.contents());
            }
        }

        allocations.write();
    }

    /** Returns the contents of the tables by PE; null for a PE whose table is new. */
    private List<RetainedTable.State> exchange(final RetainedTable table)
    {
        final long offset = endpoint.arenaOffset();
        endpoint.reserve(offset, RetainedTable.IMAGE_LENGTH);
        table.copyTo(endpoint.view(endpoint.pe(), Region.SYSTEM, offset, RetainedTable.IMAGE_LENGTH));
        barrier.run();

        final byte[] image = new byte[RetainedTable.IMAGE_LENGTH];
        final List<RetainedTable.State> states = new ArrayList<>();
        for (int peer = 0; peer < endpoint.nPes(); peer++)
        {
            endpoint.transport(peer).get(peer, Region.SYSTEM, offset, image, ARRAY_BASE, image.length);
            final RetainedTable.State state =
                RetainedTable.read(new UnsafeBuffer(image), endpoint.regionLength(Region.USER));
            states.add(RetainedTable.NEW == state.generation() ? null : state);
        }

        barrier.run();
        return states;
    }

    private static MemoryState state(final RetainedTable.State state, final Merged allocation)
    {
        if (null == state || Contents.LOST == allocation.contents())
        {
            return MemoryState.ZEROED;
        }

        return Contents.RESTORED == allocation.contents() ? MemoryState.RESTORED :
            state.blocks().stream().anyMatch(
                (known) -> known.name().equals(allocation.block().name()) && known.isZeroed()) ?
            MemoryState.ZEROED : MemoryState.RETAINED;
    }
}
