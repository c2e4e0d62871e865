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

import io.aeroshmem.transport.heap.HeapListener;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;
import org.agrona.CloseHelper;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * The memory files of PEs that a process has created or mapped, each once for all PEs of the process.
 */
final class ProcessHeaps implements AutoCloseable
{
    private final JobDirectory directory;
    private final Map<Integer, MappedHeap> heapByPe = new HashMap<>();
    /** System areas that are closed and still mapped. */
    private final List<Segment> closedSystems = new ArrayList<>();
    private HeapListener listener;

    ProcessHeaps(final JobDirectory directory)
    {
        this.directory = directory;
    }

    /** Sets the listener before the first file is created or mapped. */
    synchronized void open(final HeapListener heapListener)
    {
        listener = heapListener;
    }

    /** Creates the memory of a PE of this process. */
    synchronized PeSegments create(final int pe, final MemorySizes sizes, final EndpointContext context)
    {
        final Segment system = Segment.createArea(directory.systemFile(pe), sizes.arenaOffset(), sizes.system());
        try
        {
            final Path file = directory.heapFile(pe);
            final RetainedHeaps retained = context.retainedHeaps();
            if (null == retained)
            {
                return add(
                    pe, new PeSegments(Segment.create(file, sizes.heap(), context.settings().sparse()), system, null));
            }

            final RetainedHeap heap = RetainedHeap.open(
                retained,
                directory.control().generation(),
                directory.control().memory(pe),
                directory.control().firstNPes(),
                file,
                sizes.heap(),
                context.settings().sparse());
            return add(pe, new PeSegments(heap.segment(), system, heap));
        }
        catch (final RuntimeException ex)
        {
            if (!heapByPe.containsKey(pe))
            {
                CloseHelper.quietCloseAll(system::unlink, system);
            }

            throw ex;
        }
    }

    /** Returns the memory of a PE, mapped once for all PEs of this process. */
    synchronized PeSegments map(final int pe, final MemorySizes sizes, final boolean isRetained)
    {
        final MappedHeap known = heapByPe.get(pe);
        return null != known ? known.segments : add(pe, mapFiles(pe, sizes, isRetained));
    }

    private PeSegments mapFiles(final int pe, final MemorySizes sizes, final boolean isRetained)
    {
        final Segment system = Segment.map(directory.systemFile(pe), sizes.system());
        try
        {
            final int headerLength = isRetained ? RetainedHeap.HEADER_LENGTH : 0;
            return new PeSegments(Segment.map(directory.heapFile(pe), headerLength, sizes.heap()), system, null);
        }
        catch (final RuntimeException ex)
        {
            CloseHelper.quietClose(system);
            throw ex;
        }
    }

    private PeSegments add(final int pe, final PeSegments segments)
    {
        final MappedHeap mapped = new MappedHeap(pe, segments, listener);
        heapByPe.put(pe, mapped);
        listener.onMapped(pe, segments.heap().address(), segments.heap().length());
        return segments;
    }

    @Override
    public synchronized void close()
    {
        try
        {
            CloseHelper.closeAll(heapByPe.values());
        }
        finally
        {
            heapByPe.values().forEach((mapped) -> closedSystems.add(mapped.segments.system()));
            heapByPe.clear();
        }
    }

    /** Unmaps the system areas, of which the program has no views; after the close, when no thread can be in a call. */
    synchronized void unmapSystems()
    {
        closedSystems.forEach(Segment::unmap);
        closedSystems.clear();
    }

    /** Memory of a PE, whose heap the listener knows. */
    private record MappedHeap(int pe, PeSegments segments, HeapListener listener) implements AutoCloseable
    {
        @Override
        public void close()
        {
            try
            {
                listener.onUnmapping(pe, segments.heap().address(), segments.heap().length());
            }
            finally
            {
                segments.close();
            }
        }
    }
}
