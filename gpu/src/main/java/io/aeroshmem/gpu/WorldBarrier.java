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
package io.aeroshmem.gpu;

import org.agrona.BitUtil;
import org.agrona.BufferUtil;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * A barrier of all PEs by kernels, where each PE reaches the device heaps of all by address. Behind its device heap a
 * PE has a flag for each PE, which only that PE stores to, and two tables of addresses, for its own kernels.
 * <p>
 * <b>Ordering.</b> The kernel of round n stores n to this PE's flag at every PE, with release at system scope, and then
 * waits, with acquire, until all its own flags are at least n. What the stream did before is complete when the kernel
 * starts. Flags only grow, so a PE that is ahead by a round harms nobody. Rounds are numbered when they are enqueued:
 * all PEs enqueue the same rounds in the same order.
 */
final class WorldBarrier
{
    static final int ALIGNMENT = 256;

    private final CudaDevice device;
    private final int count;
    private final long peerTable;
    private final long ownTable;
    private long round;

    /**
     * @param addresses of the device heaps in this process, by PE.
     * @param offset    from the start of a heap to the memory of the barrier.
     */
    WorldBarrier(final CudaDevice device, final long[] addresses, final long offset, final int pe)
    {
        this.device = device;
        count = addresses.length;
        peerTable = addresses[pe] + offset + tableOffset(count);
        ownTable = peerTable + (long)count * Long.BYTES;
        final ByteBuffer tables = ByteBuffer.allocateDirect(2 * count * Long.BYTES).order(ByteOrder.nativeOrder());
        for (final long address : addresses)
        {
            tables.putLong(address + offset + (long)pe * Long.BYTES);
        }
        for (int peer = 0; peer < count; peer++)
        {
            tables.putLong(addresses[pe] + offset + (long)peer * Long.BYTES);
        }

        device.enter();
        try
        {
            device.driver().memcpyAsync(peerTable, BufferUtil.address(tables), tables.capacity(), device.stream());
            device.driver().streamSynchronize(device.stream());
        }
        finally
        {
            device.leave();
        }
    }

    private static long tableOffset(final int nPes)
    {
        return BitUtil.align((long)nPes * Long.BYTES, ALIGNMENT);
    }

    /** Returns the length of its memory in bytes. */
    static long length(final int nPes)
    {
        return tableOffset(nPes) + 2L * nPes * Long.BYTES;
    }

    /** Enqueues a round. */
    synchronized void enqueue(final long stream, final long abort)
    {
        device.enter();
        try
        {
            device.kernels().barrier(peerTable, ownTable, count, ++round, abort, stream);
        }
        finally
        {
            device.leave();
        }
    }
}
