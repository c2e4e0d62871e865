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

/**
 * Thrown when a symmetric heap, on the host or on a device, has no free block that is long enough for an allocation.
 * The heap is unchanged on all PEs.
 */
public final class SymmetricHeapExhaustedException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /** Bytes requested. */
    private final long requested;
    /** Bytes free. */
    private final long free;
    /** Bytes in the largest free block. */
    private final long largestFreeBlock;
    /** Bytes of the heap. */
    private final long heapSize;

    /**
     * Constructs the exception and its message, which names the property to raise.
     *
     * @param kind             of memory of the heap.
     * @param requested        bytes requested.
     * @param alignment        in bytes.
     * @param free             bytes free.
     * @param largestFreeBlock bytes in the largest free block.
     * @param heapSize         bytes of the heap.
     */
    public SymmetricHeapExhaustedException(
        final MemoryKind kind,
        final long requested,
        final long alignment,
        final long free,
        final long largestFreeBlock,
        final long heapSize)
    {
        super((MemoryKind.DEVICE == kind ? "device" : "symmetric") + " heap exhausted: requested " + requested +
            " bytes aligned to " + alignment + ", free " + free + " of " + heapSize + " bytes, largest free block " +
            largestFreeBlock + " bytes; raise it with the property " + (MemoryKind.DEVICE == kind ?
            "aeroshmem.gpu.heap.size (environment AEROSHMEM_GPU_HEAP_SIZE, Gpu.Context.heapSize)" :
            "aeroshmem.heap.size (environment AEROSHMEM_HEAP_SIZE, aeroshmem run --heap, Shmem.Context.heapSize)"));
        this.requested = requested;
        this.free = free;
        this.largestFreeBlock = largestFreeBlock;
        this.heapSize = heapSize;
    }

    /**
     * Returns the size requested.
     *
     * @return in bytes.
     */
    public long requested()
    {
        return requested;
    }

    /**
     * Returns the free bytes.
     *
     * @return in bytes.
     */
    public long free()
    {
        return free;
    }

    /**
     * Returns the size of the largest free block.
     *
     * @return in bytes.
     */
    public long largestFreeBlock()
    {
        return largestFreeBlock;
    }

    /**
     * Returns the size of the heap.
     *
     * @return in bytes.
     */
    public long heapSize()
    {
        return heapSize;
    }
}
