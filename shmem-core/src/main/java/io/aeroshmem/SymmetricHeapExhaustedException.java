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
 * The symmetric heap has no free block for an allocation. Nothing was allocated or lost, on any PE.
 */
public final class SymmetricHeapExhaustedException extends ShmemException
{
    private static final long serialVersionUID = 1L;

    /** Bytes asked for. */
    private final long requested;
    /** Bytes free in all. */
    private final long free;
    /** Bytes in the largest free block. */
    private final long largestFreeBlock;
    /** Bytes of the heap. */
    private final long heapSize;

    /**
     * Makes the exception and its message, which says how to raise the limit.
     *
     * @param requested        bytes asked for.
     * @param alignment        in bytes, asked for.
     * @param free             bytes free in all.
     * @param largestFreeBlock bytes in the largest free block.
     * @param heapSize         bytes of the heap.
     */
    public SymmetricHeapExhaustedException(
        final long requested, final long alignment, final long free, final long largestFreeBlock, final long heapSize)
    {
        super("symmetric heap exhausted: asked for " + requested + " bytes aligned to " + alignment + ", free are " +
            free + " of " + heapSize + " bytes, largest free block " + largestFreeBlock +
            " bytes; raise it with the property aeroshmem.heap.size (environment AEROSHMEM_HEAP_SIZE, aeroshmem run" +
            " --heap, Shmem.Context.heapSize)");
        this.requested = requested;
        this.free = free;
        this.largestFreeBlock = largestFreeBlock;
        this.heapSize = heapSize;
    }

    /**
     * What was asked for.
     *
     * @return in bytes.
     */
    public long requested()
    {
        return requested;
    }

    /**
     * What is free in all.
     *
     * @return in bytes.
     */
    public long free()
    {
        return free;
    }

    /**
     * The largest free block.
     *
     * @return in bytes.
     */
    public long largestFreeBlock()
    {
        return largestFreeBlock;
    }

    /**
     * The size of the heap.
     *
     * @return in bytes.
     */
    public long heapSize()
    {
        return heapSize;
    }
}
