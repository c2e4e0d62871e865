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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.retained.RetainedBlock;
import io.aeroshmem.transport.retained.RetainedTable;
import org.agrona.IoUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * What a recoverable job retains on this host, for viewers. Only reads.
 *
 * @param directory   of the recoverable job.
 * @param leaseEndMs  until when the directory is kept if its owner is killed now, in milliseconds since the epoch; 0 if
 *                    it has no lease: all PEs are in one JVM, or the lease has expired.
 * @param spares      processes that wait for a PE.
 * @param allocations by name.
 */
public record RetainedView(
    Path directory, long leaseEndMs, List<SpareFile.Spare> spares, List<Allocation> allocations)
{
    /** State of the memory of a PE that is not on this host, or has no such memory yet. */
    public static final String UNKNOWN = "-";

    /**
     * An allocation.
     *
     * @param bytes  of its memory on each PE.
     * @param states by PE: ZEROED if the program has not used it since it was lost, RETAINED, the state of a call that
     *               is under way, or {@link #UNKNOWN}.
     */
    public record Allocation(String name, long bytes, int layoutVersion, List<String> states)
    {
    }

    /** Returns the view of a job, or null if it is not recoverable. */
    static RetainedView of(final Path jobDirectory, final ControlFile control, final long uid) throws IOException
    {
        final int nPes = control.nPes();
        Path recovery = null;
        final Map<String, RetainedBlock> blocks = new TreeMap<>();
        final Map<String, String[]> states = new TreeMap<>();
        for (int pe = 0; pe < nPes; pe++)
        {
            final Path heap = jobDirectory.resolve(JobDirectory.heapName(pe));
            recovery = null == recovery && Files.exists(heap) ? recoveryDirectory(heap, control.memory(pe)) : recovery;
            final RetainedTable.State table = null == recovery ? null : table(heap, uid);
            for (final RetainedBlock block : null == table ? List.<RetainedBlock>of() : table.blocks())
            {
                blocks.put(block.name(), block);
                states.computeIfAbsent(block.name(), (name) -> unknown(nPes))[pe] =
                    RetainedBlock.State.COMMITTED != block.state() ? block.state().name() :
                    block.isZeroed() ? "ZEROED" : "RETAINED";
            }
        }

        if (null == recovery)
        {
            return null;
        }

        final FileTime lease = RecoveryLease.of(recovery);
        return new RetainedView(
            recovery,
            null == lease ? 0 : lease.toMillis(),
            SpareFile.list(recovery, uid),
            blocks.values().stream().map((block) -> new Allocation(
                block.name(), block.length(), block.layoutVersion(), List.of(states.get(block.name())))).toList());
    }

    private static String[] unknown(final int nPes)
    {
        return Stream.generate(() -> UNKNOWN).limit(nPes).toArray(String[]::new);
    }

    /** Returns the directory in which a heap has its other name, or null. */
    private static Path recoveryDirectory(final Path heap, final int memory) throws IOException
    {
        try (Stream<Path> beside = Files.list(heap.getParent().getParent()))
        {
            for (final Path directory :
                beside.filter((path) -> RecoveryDirectory.isName(path.getFileName())).toList())
            {
                if (isSame(heap, directory.resolve(JobDirectory.heapName(memory))))
                {
                    return directory;
                }
            }

            return null;
        }
    }

    private static boolean isSame(final Path heap, final Path other) throws IOException
    {
        try
        {
            return Files.isSameFile(heap, other);
        }
        catch (final NoSuchFileException ex)
        {
            return false;
        }
    }

    private static RetainedTable.State table(final Path heap, final long uid) throws IOException
    {
        if (!Files.exists(heap))
        {
            return null;
        }

        try (FileChannel channel = PrivateFiles.openLinked(heap, uid))
        {
            if (channel.size() < RetainedTable.LENGTH)
            {
                return null;
            }

            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_ONLY, 0, RetainedTable.LENGTH);
            try
            {
                return RetainedTable.view(new UnsafeBuffer(mapped));
            }
            finally
            {
                IoUtil.unmap(mapped);
            }
        }
        catch (final NoSuchFileException ex)
        {
            // the PE has left
            return null;
        }
    }
}
