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
import io.aeroshmem.Retained;
import io.aeroshmem.SnapshotException;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.transport.retained.RetainedBlock;
import io.aeroshmem.transport.retained.RetainedTable;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * The retained allocations of this PE's host heap. In a recoverable job they are in a {@link RetainedTable} too, and
 * the next generation begins with them.
 * <p>
 * <b>Steps.</b> All PEs agree on each call, as on all calls on the heap. Then each PE notes in its table what it is
 * about to do: that it has taken and zeroed a block, or that it will free one. A barrier follows, after which it notes
 * that this is done. So a PE notes the second only when all have noted the first, and wherever PEs die, the tables
 * decide whether the allocation exists ({@link io.aeroshmem.transport.retained.RetainedMerge}).
 * <p>
 * Calls are collective, so one at a time; {@link #list} may be called by any thread.
 */
public final class RetainedAllocations
{
    private final CollectiveHeap calls;
    private final SymmetricHeap heap;
    private final WorldSync world;
    private final MemoryUse use;
    private final RetainedTable table;
    private final int generation;
    private final int pe;
    private final int nPes;
    private final Map<String, Entry> entryByName = new LinkedHashMap<>();

    /**
     * Constructs without allocations.
     *
     * @param calls      on the heap.
     * @param use        of allocations that are to be freed.
     * @param table      null if the job is not recoverable.
     * @param generation of the job.
     */
    public RetainedAllocations(
        final CollectiveHeap calls,
        final SymmetricHeap heap,
        final WorldSync world,
        final MemoryUse use,
        final RetainedTable table,
        final int generation,
        final int pe,
        final int nPes)
    {
        this.calls = calls;
        this.heap = heap;
        this.world = world;
        this.use = use;
        this.table = table;
        this.generation = generation;
        this.pe = pe;
        this.nPes = nPes;
    }

    /**
     * Takes over an allocation of the generation before; all PEs do so in the same order.
     *
     * @param states of all PEs.
     * @param isLost whether the contents are undefined.
     */
    synchronized void adopt(final RetainedBlock block, final MemoryState[] states, final boolean isLost)
    {
        final Allocation allocation = heap.takeAt(block.offset(), block.length());
        if (null == allocation)
        {
            throw new IllegalStateException("the retained memory " + block + " does not fit " + heap);
        }

        if (isLost)
        {
            heap.memory().zero(block.offset(), block.length());
        }

        entryByName.put(
            block.name(), new Entry(block.zeroed(MemoryState.ZEROED == states[pe]), allocation, states));
    }

    /** Returns the allocation of a name, or makes one, zeroed; {@code hash} is that of {@link #hash}. */
    public Allocation retain(final String name, final long bytes, final int layoutVersion, final long hash)
    {
        final Entry known;
        try
        {
            RetainedTable.encode(Arguments.notNull(name, "name"));
            known = find(name);
            checkRetain(known, bytes, layoutVersion);
        }
        catch (final IllegalArgumentException | IllegalStateException ex)
        {
            throw calls.rejected(AllocationConsensus.RETAIN, bytes, hash, ex);
        }

        final Allocation allocation = null == known ? heap.allocateLast(bytes) : known.allocation;
        calls.agree(
            AllocationConsensus.RETAIN,
            bytes,
            hash,
            null == allocation ? AllocationConsensus.EXHAUSTED : AllocationConsensus.OK,
            null == allocation ? 0 : allocation.address,
            null == known ? allocation : null);

        if (null == known)
        {
            allocation.zero();
            final RetainedBlock block = new RetainedBlock(
                name, allocation.address, bytes, layoutVersion, false, 0, RetainedBlock.State.PREPARED);
            put(new Entry(block, allocation, all(MemoryState.ZEROED)));
            world.barrier();
            put(find(name).in(RetainedBlock.State.COMMITTED));
        }
        else if (known.block.isZeroed())
        {
            put(new Entry(known.block.zeroed(false), allocation, known.states));
        }

        return allocation;
    }

    /** Ends the allocation of a name and returns it; {@code hash} is that of {@link #hash} for version 0. */
    public Allocation release(final String name, final long hash)
    {
        final Entry known;
        try
        {
            RetainedTable.encode(Arguments.notNull(name, "name"));
            known = find(name);
            if (null == known)
            {
                throw new IllegalArgumentException("name must be that of retained memory: name=" + name);
            }

            use.checkFree(known.allocation);
        }
        catch (final IllegalArgumentException | IllegalStateException ex)
        {
            throw calls.rejected(AllocationConsensus.RELEASE, hash, 0, ex);
        }

        world.complete(AllocationConsensus.methodName(AllocationConsensus.RELEASE));
        calls.agree(
            AllocationConsensus.RELEASE, hash, 0, AllocationConsensus.OK, known.allocation.address, null);
        put(known.in(RetainedBlock.State.RELEASING));
        world.barrier();
        remove(name);
        heap.free(known.allocation);
        return known.allocation;
    }

    /** Throws if an allocation is retained: it must be released by its name. */
    public synchronized void checkFree(final Allocation allocation)
    {
        for (final Entry entry : entryByName.values())
        {
            if (entry.allocation == allocation)
            {
                throw new IllegalStateException(
                    "the buffer is retained memory: it must be released by its name: name=" + entry.name());
            }
        }
    }

    /** Returns the retained allocations, in the same order on all PEs. */
    public synchronized List<Retained> list()
    {
        return List.copyOf(entryByName.values());
    }

    /** Returns the bytes that are retained; any thread. */
    public synchronized long bytes()
    {
        return entryByName.values().stream().mapToLong(Entry::bytes).sum();
    }

    /** Returns the blocks in the order of {@link #list}. */
    synchronized List<RetainedBlock> blocks()
    {
        return entryByName.values().stream().map((entry) -> entry.block).toList();
    }

    /**
     * Checks that the contents of a snapshot can replace those of all allocations.
     *
     * @throws SnapshotException if an allocation is not in the snapshot, or with another length or layout version.
     */
    synchronized void checkRestorable(final List<RetainedBlock> snapshot)
    {
        for (final Entry known : entryByName.values())
        {
            final RetainedBlock saved =
                snapshot.stream().filter((block) -> block.name().equals(known.name())).findFirst().orElse(null);
            if (null == saved || saved.length() != known.bytes() || saved.layoutVersion() != known.layoutVersion())
            {
                throw new SnapshotException("the retained memory " + known.block +
                    " must be in the snapshot with this length and version, or be released before: it has " +
                    (null == saved ? "none of that name" : saved));
            }
        }
    }

    /**
     * Takes blocks for what is in a snapshot and not allocated, in the order of the snapshot, which is that of all PEs.
     * They are no allocations until {@link #beginRestore}.
     *
     * @return the allocations by name; null if the heap is exhausted, and then nothing has changed.
     */
    synchronized Map<String, Allocation> takeMissing(final List<RetainedBlock> snapshot)
    {
        final Map<String, Allocation> taken = new LinkedHashMap<>();
        for (final RetainedBlock block : snapshot)
        {
            if (!entryByName.containsKey(block.name()))
            {
                final Allocation allocation = heap.allocateLast(block.length());
                if (null == allocation)
                {
                    free(taken);
                    return null;
                }

                taken.put(block.name(), allocation);
            }
        }

        return taken;
    }

    /** Returns the length of what is in a snapshot and not allocated. */
    synchronized long missingBytes(final List<RetainedBlock> snapshot)
    {
        return snapshot.stream().filter((block) -> !entryByName.containsKey(block.name()))
            .mapToLong(RetainedBlock::length).sum();
    }

    /** Frees what {@link #takeMissing} has taken. */
    void free(final Map<String, Allocation> taken)
    {
        taken.values().forEach(heap::free);
    }

    /** Notes that the contents of all allocations are about to change, and those that are new. */
    synchronized void beginRestore(final List<RetainedBlock> snapshot, final Map<String, Allocation> taken)
    {
        entryByName.replaceAll((name, known) ->
            new Entry(known.block.restoring(), known.allocation, known.states));
        for (final RetainedBlock saved : snapshot)
        {
            final Allocation allocation = taken.get(saved.name());
            if (null != allocation)
            {
                final RetainedBlock block = new RetainedBlock(
                    saved.name(), allocation.address, saved.length(), saved.layoutVersion(), false, 0,
                    RetainedBlock.State.PREPARED);
                entryByName.put(saved.name(), new Entry(block, allocation, all(MemoryState.RESTORED)));
            }
        }

        write();
    }

    /** Returns the offset of the memory of a name. */
    synchronized long offset(final String name)
    {
        return entryByName.get(name).block.offset();
    }

    /** Notes that all PEs have stored the contents of the snapshot. */
    synchronized void completeRestore()
    {
        entryByName.replaceAll((name, known) -> new Entry(
            known.block.zeroed(false).in(RetainedBlock.State.COMMITTED), known.allocation, all(MemoryState.RESTORED)));
        write();
    }

    /** Zeroes all allocations, whose contents are lost, and ends those that are new. */
    synchronized void abandonRestore(final Map<String, Allocation> taken)
    {
        entryByName.keySet().removeAll(taken.keySet());
        for (final Entry known : entryByName.values())
        {
            heap.memory().zero(known.block.offset(), known.block.length());
        }

        entryByName.replaceAll((name, known) ->
            new Entry(known.block.lost(), known.allocation, all(MemoryState.ZEROED)));
        write();
        free(taken);
    }

    private MemoryState[] all(final MemoryState state)
    {
        final MemoryState[] states = new MemoryState[nPes];
        Arrays.fill(states, state);
        return states;
    }

    private synchronized Entry find(final String name)
    {
        return entryByName.get(name);
    }

    private synchronized void put(final Entry entry)
    {
        entryByName.put(entry.name(), entry);
        write();
    }

    private synchronized void remove(final String name)
    {
        entryByName.remove(name);
        write();
    }

    /** Stores the allocations in the table, in which they are as of this generation. */
    synchronized void write()
    {
        if (null != table)
        {
            table.write(new RetainedTable.State(generation, blocks()));
        }
    }

    private void checkRetain(final Entry known, final long bytes, final int layoutVersion)
    {
        if (bytes < 1)
        {
            throw Arguments.mustBe("bytes", ">= 1", bytes);
        }

        if (null != known && bytes != known.bytes())
        {
            throw Arguments.mustBe("bytes", known.bytes() + ", the length of the memory " + known.name(), bytes);
        }

        if (null != known && layoutVersion != known.layoutVersion())
        {
            throw Arguments.mustBe(
                "layoutVersion", known.layoutVersion() + ", that of the memory " + known.name(), layoutVersion);
        }

        if (null == known && entryByName.size() == RetainedTable.MAX_BLOCKS)
        {
            throw new IllegalStateException(
                "a PE has at most " + RetainedTable.MAX_BLOCKS + " retained allocations: release some");
        }
    }

    /** Returns the hash by which the PEs compare the arguments of a call. */
    public static long hash(final String name, final int layoutVersion)
    {
        return UUID.nameUUIDFromBytes(
            (layoutVersion + " " + name).getBytes(StandardCharsets.UTF_8)).getMostSignificantBits();
    }

    private record Entry(RetainedBlock block, Allocation allocation, MemoryState[] states) implements Retained
    {
        Entry in(final RetainedBlock.State state)
        {
            return new Entry(block.in(state), allocation, states);
        }

        @Override
        public String name()
        {
            return block.name();
        }

        @Override
        public long bytes()
        {
            return block.length();
        }

        @Override
        public int layoutVersion()
        {
            return block.layoutVersion();
        }

        @Override
        public MemoryState state(final int pe)
        {
            return states[pe];
        }

        @Override
        public String toString()
        {
            return block.name() + " (" + block.length() + " bytes, version " + block.layoutVersion() + ", " +
                Arrays.toString(states) + ")";
        }
    }
}
