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

import io.aeroshmem.MemoryKind;
import io.aeroshmem.SnapshotException;
import io.aeroshmem.SymmetricHeapExhaustedException;
import io.aeroshmem.transport.job.SnapshotDirectory;
import io.aeroshmem.transport.job.SnapshotDirectory.Manifest;
import io.aeroshmem.transport.retained.RetainedBlock;
import io.aeroshmem.transport.retained.RetainedTable;
import io.aeroshmem.transport.retained.RetainedTable.Identity;
import io.aeroshmem.transport.retained.RetainedTableException;
import io.aeroshmem.transport.retained.SnapshotPart;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;

/**
 * The calls that write the retained memory of all PEs to files, and read it again. Each call is a sequence of steps. A
 * PE that fails in a step takes part in its end like the others ({@link #conclude}), so that all PEs go on, or none.
 * <p>
 * <b>Snapshot.</b> Each PE writes its part of the next {@link SnapshotDirectory}, and then PE 0 commits it.
 * <p>
 * <b>Restore.</b> Each PE verifies its part, before anything changes. Then its table notes that the contents change,
 * all PEs wait for each other, and change them; when all have done so, the table notes that. So wherever PEs die, the
 * tables decide whether the memory has the contents from before, those of the snapshot, or is lost
 * ({@link io.aeroshmem.transport.retained.RetainedMerge}).
 */
public final class Snapshots
{
    private final RetainedAllocations allocations;
    private final CollectiveHeap calls;
    private final AllocationConsensus consensus;
    private final WorldSync world;
    private final SymmetricHeap heap;
    private final ErrorHandler errorHandler;
    private final int pe;
    private final int nPes;
    private final int keep;

    /** A step of a PE. */
    @FunctionalInterface
    private interface Step
    {
        void run() throws IOException;
    }

    /**
     * Constructs for a PE.
     *
     * @param errorHandler receives what prevents the removal of older snapshots.
     * @param keep         number of committed snapshots that stay, 1 or more.
     */
    public Snapshots(
        final RetainedAllocations allocations,
        final CollectiveHeap calls,
        final AllocationConsensus consensus,
        final WorldSync world,
        final SymmetricHeap heap,
        final ErrorHandler errorHandler,
        final int pe,
        final int nPes,
        final int keep)
    {
        this.allocations = allocations;
        this.calls = calls;
        this.consensus = consensus;
        this.world = world;
        this.heap = heap;
        this.errorHandler = errorHandler;
        this.pe = pe;
        this.nPes = nPes;
        this.keep = keep;
    }

    /** Writes and commits a snapshot. */
    public void write(final Path path)
    {
        begin(AllocationConsensus.SNAPSHOT, path);
        new Writing(path).run();
    }

    /** Replaces the contents of all retained memory by those of the newest snapshot. */
    public void restore(final Path path)
    {
        begin(AllocationConsensus.RESTORE, path);
        try (Restoring restoring = new Restoring(path))
        {
            restoring.run();
        }
    }

    /** Completes what this PE has issued, and waits until all PEs have done so; throws if the path is null. */
    private void begin(final int kind, final Path path)
    {
        if (null == path)
        {
            throw calls.rejected(kind, 0, 0, new IllegalArgumentException("directory is null"));
        }

        world.complete(AllocationConsensus.methodName(kind));
        calls.agree(kind, 0, 0, AllocationConsensus.OK, 0, null);
    }

    /** Returns what a step has thrown, or null. */
    private static Throwable attempt(final Step step)
    {
        try
        {
            step.run();
            return null;
        }
        catch (final IOException | RuntimeException | OutOfMemoryError ex)
        {
            return ex;
        }
    }

    /**
     * Ends a step of all PEs.
     *
     * @param failure of this PE, or null.
     * @return null if no PE has failed; otherwise the exception for this PE.
     */
    private SnapshotException conclude(final int kind, final String outcome, final Throwable failure)
    {
        final long failed = consensus.greatest(kind, null == failure ? 0 : pe + 1);
        if (0 == failed)
        {
            return null;
        }

        return null == failure ?
            new SnapshotException(
                outcome + ": PE " + (failed - 1) + " has failed, and its exception states the reason") :
            new SnapshotException(outcome + ": " + reason(failure), failure);
    }

    /** The message of an exception of the file system is often but the name of a file. */
    private static String reason(final Throwable failure)
    {
        return failure instanceof IOException ? failure.toString() : failure.getMessage();
    }

    private static void throwIfAny(final SnapshotException failure)
    {
        if (null != failure)
        {
            throw failure;
        }
    }

    /** A call that writes. */
    private final class Writing
    {
        private final Path path;
        private SnapshotDirectory directory;
        private Manifest manifest;

        Writing(final Path path)
        {
            this.path = path;
        }

        void run()
        {
            final String outcome = "no snapshot was written to " + path;
            manifest = new Manifest(0, 0, nPes, heap.capacity());
            throwIfAny(conclude(AllocationConsensus.SNAPSHOT, outcome, attempt(this::open)));
            manifest = new Manifest(
                (int)consensus.greatest(AllocationConsensus.SNAPSHOT, manifest.number()),
                consensus.greatest(AllocationConsensus.SNAPSHOT, manifest.id()),
                nPes,
                heap.capacity());

            final SnapshotException failure =
                conclude(AllocationConsensus.SNAPSHOT, outcome, attempt(this::writePart));
            if (null != failure)
            {
                attempt(() -> directory.remove(manifest.number(), pe));
                throw failure;
            }

            throwIfAny(conclude(
                AllocationConsensus.SNAPSHOT, "the snapshot in " + path + " may not be committed",
                attempt(this::commit)));
            removeOlder();
        }

        private void open() throws IOException
        {
            directory = SnapshotDirectory.make(path);
            if (0 == pe)
            {
                manifest = Manifest.of(directory.newest() + 1, nPes, heap.capacity());
            }
        }

        private void writePart() throws IOException
        {
            final List<RetainedBlock> blocks = allocations.blocks();
            try (FileChannel channel = directory.createPart(manifest.number(), pe))
            {
                SnapshotPart.write(
                    channel, identity(manifest), new RetainedTable.State(0, blocks), heap.memory()::byteBuffer);
            }

            directory.force(manifest.number());
        }

        private void commit() throws IOException
        {
            if (0 == pe)
            {
                directory.commit(manifest);
            }
        }

        /** An obstacle to the removal is reported only, as the snapshot is committed. */
        private void removeOlder()
        {
            final int[] oldest = new int[1];
            report(attempt(() -> oldest[0] = 0 == pe ? directory.revokeOlder(keep) : 0));
            final int kept = (int)consensus.greatest(AllocationConsensus.SNAPSHOT, oldest[0]);
            report(attempt(() -> directory.removeOlder(kept, pe)));
        }

        private void report(final Throwable failure)
        {
            if (null != failure)
            {
                errorHandler.onError(new SnapshotException(
                    "older snapshots in " + path + " cannot be removed: " + reason(failure), failure));
            }
        }
    }

    private Identity identity(final Manifest manifest)
    {
        return new Identity(manifest.id(), pe, nPes, manifest.heapLength());
    }

    /** A call that restores. */
    private final class Restoring implements AutoCloseable
    {
        private final Path path;
        private SnapshotDirectory directory;
        private Manifest manifest = new Manifest(0, 0, 0, 0);
        private FileChannel channel;
        private RetainedTable.State state;

        Restoring(final Path path)
        {
            this.path = path;
        }

        void run()
        {
            final String outcome = "nothing was restored from " + path;
            throwIfAny(conclude(AllocationConsensus.RESTORE, outcome, attempt(this::open)));
            manifest = new Manifest(
                (int)consensus.greatest(AllocationConsensus.RESTORE, manifest.number()),
                consensus.greatest(AllocationConsensus.RESTORE, manifest.id()),
                nPes,
                consensus.greatest(AllocationConsensus.RESTORE, manifest.heapLength()));
            throwIfAny(conclude(AllocationConsensus.RESTORE, outcome, attempt(this::verify)));
            checkEqual(outcome);

            final Map<String, Allocation> taken = allocations.takeMissing(state.blocks());
            if (0 != consensus.greatest(AllocationConsensus.RESTORE, null == taken ? 1 : 0))
            {
                throw exhausted(taken);
            }

            allocations.beginRestore(state.blocks(), taken);
            world.barrier();
            final SnapshotException failure = conclude(
                AllocationConsensus.RESTORE,
                "all retained memory is zeroed, as its restore from " + path + " has failed",
                attempt(this::read));
            if (null != failure)
            {
                allocations.abandonRestore(taken);
                throw failure;
            }

            allocations.completeRestore();
        }

        private void open() throws IOException
        {
            directory = SnapshotDirectory.open(path);
            if (0 == pe)
            {
                final int newest = directory.newest();
                if (0 == newest)
                {
                    throw new SnapshotException("it contains no snapshot that was committed");
                }

                manifest = directory.manifest(newest);
                if (nPes != manifest.nPes())
                {
                    throw new SnapshotException("snapshot " + newest + " is one of " + manifest.nPes() + " PEs, not " +
                        nPes);
                }
            }
        }

        private void verify() throws IOException
        {
            channel = directory.openPart(manifest.number(), pe);
            try
            {
                state = SnapshotPart.verify(channel, identity(manifest));
            }
            catch (final RetainedTableException ex)
            {
                throw new SnapshotException(
                    "the file " + directory.part(manifest.number(), pe) + " cannot be used: " + ex.getMessage(), ex);
            }

            allocations.checkRestorable(state.blocks());
        }

        /** Parts of one snapshot have the same blocks; only who can compute checksums can make others. */
        private void checkEqual(final String outcome)
        {
            final long hash = RetainedAllocations.hash(state.blocks().stream()
                .map((block) -> block.length() + " " + block.name()).toList().toString(), 0) >>> 1;
            final long greatest = consensus.greatest(AllocationConsensus.RESTORE, hash);
            final long least = Long.MAX_VALUE - consensus.greatest(AllocationConsensus.RESTORE, Long.MAX_VALUE - hash);
            if (greatest != least)
            {
                throw new SnapshotException(outcome + ": the parts of snapshot " + manifest.number() +
                    " differ in what they contain");
            }
        }

        private RuntimeException exhausted(final Map<String, Allocation> taken)
        {
            if (null != taken)
            {
                allocations.free(taken);
            }

            return new SymmetricHeapExhaustedException(
                MemoryKind.HOST,
                allocations.missingBytes(state.blocks()),
                HeapAllocator.MIN_ALIGNMENT,
                heap.freeBytes(),
                heap.largestFreeBlock(),
                heap.capacity());
        }

        private void read() throws IOException
        {
            SnapshotPart.read(
                channel, state, (block) -> allocations.offset(block.name()), heap.memory()::byteBuffer);
        }

        @Override
        public void close()
        {
            CloseHelper.close(errorHandler, channel);
        }
    }
}
