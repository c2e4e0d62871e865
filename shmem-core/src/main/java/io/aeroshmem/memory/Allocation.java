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
 * One block of a {@link SymmetricHeap}, from its allocation until it is freed or reallocated, or the heap is closed.
 * All buffers over the block, slices included, check here whether they are still valid.
 * <p>
 * <b>Ordering.</b> The fields that the check reads are plain. A correct program orders its last use of an allocation
 * before the free. The check detects incorrect programs, but a thread that races with the free may still pass it. Such
 * a race does not endanger the JVM: the memory stays mapped as long as a buffer over it is reachable.
 */
public final class Allocation
{
    /** The PE that owns it; null once it has ended, so that one comparison detects ended and foreign allocations. */
    Object owner;
    /** Address of offset 0 of the heap for loads and stores; 0 if they do not reach the heap, or once it has ended. */
    long base;
    /** Address of offset 0 of the heap for operations of the library; 0 once it has ended. */
    long operandBase;
    /** Why it has ended, for messages. */
    String ending;

    final SymmetricHeap heap;
    /** {@link io.aeroshmem.transport.Region} of the heap. */
    final int region;
    final long address;
    final long length;
    /** The part that was {@linkplain UntouchedRange untouched} when this was made. */
    private final long untouchedBegin;
    private final long untouchedEnd;

    Allocation(final SymmetricHeap heap, final long address, final long length, final UntouchedRange untouched)
    {
        untouchedBegin = Math.max(address, Math.min(address + length, untouched.begin()));
        untouchedEnd = Math.max(untouchedBegin, Math.min(address + length, untouched.end()));
        this.heap = heap;
        this.region = heap.region();
        this.owner = heap.owner();
        this.base = heap.memory().address();
        this.operandBase = heap.memory().operandAddress();
        this.address = address;
        this.length = length;
    }

    /** Returns its offset in the heap, the same on all PEs. */
    public long address()
    {
        return address;
    }

    /** Returns the requested size in bytes. */
    public long length()
    {
        return length;
    }

    public SymmetricHeap heap()
    {
        return heap;
    }

    /** Zeroes a block that has just been taken, except for what is zero. */
    void zero()
    {
        heap.memory().zero(address, untouchedBegin - address);
        heap.memory().zero(untouchedEnd, address + length - untouchedEnd);
    }

    void end(final String why)
    {
        ending = why;
        base = 0;
        operandBase = 0;
        owner = null;
    }

    @Override
    public String toString()
    {
        return "allocation of " + length + " bytes at " + address + " of " + heap;
    }
}
