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
import org.agrona.CloseHelper;

import java.util.HashMap;
import java.util.Map;

/**
 * The memory files of PEs that a process has created or mapped, each once for all PEs of the process.
 */
final class ProcessHeaps implements AutoCloseable
{
    private final JobDirectory directory;
    private final Map<Integer, MappedHeap> heapByPe = new HashMap<>();
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

    /** Creates the segment of a PE of this process. */
    synchronized Segment create(
        final int pe, final long arenaOffset, final long arenaLength, final long heapLength, final boolean isSparse)
    {
        return add(
            pe,
            Segment.create(directory.heapFile(pe), arenaOffset, arenaLength, heapLength, isSparse),
            heapLength);
    }

    /** Returns the segment of a PE. The heap is its last part. */
    synchronized Segment segment(final int pe, final long length, final long heapLength)
    {
        final MappedHeap known = heapByPe.get(pe);
        return null != known ? known.segment : add(pe, Segment.map(directory.heapFile(pe), length), heapLength);
    }

    private Segment add(final int pe, final Segment segment, final long heapLength)
    {
        final MappedHeap heap = new MappedHeap(pe, segment, heapLength, listener);
        heapByPe.put(pe, heap);
        listener.onMapped(pe, heap.address(), heapLength);
        return segment;
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
            heapByPe.clear();
        }
    }

    /** Heap of a PE in its segment. */
    private record MappedHeap(int pe, Segment segment, long length, HeapListener listener) implements AutoCloseable
    {
        long address()
        {
            return segment.address() + segment.length() - length;
        }

        @Override
        public void close()
        {
            try
            {
                listener.onUnmapping(pe, address(), length);
            }
            finally
            {
                segment.close();
            }
        }
    }
}
