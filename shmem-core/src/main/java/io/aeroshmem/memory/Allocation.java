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

/**
 * One block that a {@link SymmetricHeap} has given out, from its allocation to its end. All buffers over it, slices
 * too, look here whether they are still valid.
 * <p>
 * <b>Ordering.</b> The fields that say so are plain. A program may free an allocation only when all its use of it is
 * over, which orders the two in every correct program; the check is there to catch an incorrect one, and a thread that
 * races with the free may get through just before it. That does no harm to the JVM: the memory stays mapped as long as
 * a buffer over it is reachable.
 */
public final class Allocation
{
    /** The PE it belongs to; null when it has ended, so that one comparison finds ended and foreign ones. */
    Object owner;
    /** Where offset 0 of the heap lies for loads and stores; 0 when there is no such place, or it has ended. */
    long base;
    /** Why it ended. */
    String ending;

    final SymmetricHeap heap;
    final long address;
    final long length;

    Allocation(final SymmetricHeap heap, final long address, final long length)
    {
        this.heap = heap;
        this.owner = heap.owner();
        this.base = heap.memory().address();
        this.address = address;
        this.length = length;
    }

    /**
     * Where it starts in its heap; the same on all PEs.
     *
     * @return in bytes.
     */
    public long address()
    {
        return address;
    }

    /**
     * What was asked for.
     *
     * @return in bytes.
     */
    public long length()
    {
        return length;
    }

    /**
     * The heap it lies in.
     *
     * @return the heap.
     */
    public SymmetricHeap heap()
    {
        return heap;
    }

    void end(final String why)
    {
        ending = why;
        base = 0;
        owner = null;
    }

    @Override
    public String toString()
    {
        return "allocation of " + length + " bytes at " + address + " of " + heap;
    }
}
