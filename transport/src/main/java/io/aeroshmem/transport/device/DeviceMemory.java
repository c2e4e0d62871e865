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
package io.aeroshmem.transport.device;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.SignalOperation;

/**
 * Access to the memory of a device, which loads and stores of this process do not reach. A module for the device
 * implements this interface. The counterpart for host memory is {@link io.aeroshmem.transport.mapped.MemoryOps}.
 * <p>
 * Host and device memory share one address space, so an address alone identifies the kind of memory. A call is
 * complete on return, and its effect is visible to device and host. Any thread may call; arguments are not validated.
 * If the device fails, a call throws an unchecked exception.
 */
public interface DeviceMemory
{
    /** Returns whether an address lies in this PE's own device memory; false for the mapped memory of a peer. */
    boolean isDevice(long address);

    /** Copies bytes; each side is host or device memory. The ranges may overlap. */
    void copy(long from, long to, long length);

    /**
     * Copies blocks whose starts are strides apart, in bytes; a stride is at least the length of a block. Each side is
     * host or device memory. The ranges do not overlap.
     */
    void copyStrided(long from, long fromStride, long to, long toStride, long blockBytes, long count);

    /**
     * Combines blocks of device memory, element by element, in the canonical order of reductions, and finishes the
     * result for {@code size} members: an average is divided by it.
     *
     * @param op     number of the operation, on which the caller and the device agree.
     * @param type   number of the type of the elements, likewise.
     * @param dest   address of the result: in device memory, where it may be one of the blocks, or the start of a piece
     *               of {@link #acquireStaging()}.
     * @param blocks addresses of the blocks in device memory, in the order of ranks.
     * @param size   number of blocks, 1 or more.
     * @param count  number of elements in a block.
     * @return false if the device cannot perform the reduction; then nothing was done.
     */
    boolean reduce(int op, int type, long dest, long[] blocks, int size, long count);

    /** Sets bytes to zero. */
    void zero(long address, long length);

    /** Loads an element of 1, 2, 4 or 8 bytes, with acquire; an aligned one never tears. */
    long getElement(long address, int width);

    /** Stores an element of 1, 2, 4 or 8 bytes; an aligned one never tears. */
    void putElement(long address, int width, long value);

    /** Updates a signal word, after all that was copied before; see {@link SignalOperation}. */
    void signal(long address, long value, int signalOperation);

    /**
     * Updates an aligned word of 4 or 8 bytes atomically, also against the device, and returns its previous value, see
     * {@link AtomicOp}.
     */
    long fetchAtomic(long address, int width, int op, long value, long cond);

    /** Returns the address of a piece of host memory of {@link #stagingLength()} bytes, for copies until released. */
    long acquireStaging();

    /** Releases a piece that {@link #acquireStaging()} has returned. */
    void releaseStaging(long address);

    /** Returns the length in bytes of the pieces of {@link #acquireStaging()}. */
    int stagingLength();
}
