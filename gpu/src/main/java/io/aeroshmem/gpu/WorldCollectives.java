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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;

import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The barrier and the reduction of the world on streams, performed by kernels without the host. Every PE must reach all
 * device heaps and all pinned host heaps by address. Each PE has the following memory after its device heap:
 * <pre>
 *   flags     for each PE, the word to which only that PE stores
 *   peers     for each PE, the address of the flag in that PE's memory to which this PE stores
 *   own       the addresses of this PE's own flags, one for each PE
 *   rounds    for each PE, the number of the last round, counted by this PE's kernels
 *   operands  for each PE, the address at which this PE reaches that PE's operand; stored by that PE
 *   scratch   for the results of reductions in place
 * </pre>
 */
final class WorldCollectives
{
    /** Larger worlds exchange no addresses, and leave their collectives to the host. */
    static final int MAX_PES = 256;

    static final int ALIGNMENT = 256;
    private static final int SCRATCH_LENGTH = 1 << 20;

    /*
     * Ordering. A barrier is one round, which one kernel performs; a reduction has several rounds. The kernel of round
     * n stores n, with release at system scope, to the flag that each PE keeps for this PE. Then it waits, with
     * acquire, until all flags in this PE's own memory are at least n. The earlier operations of the stream are
     * complete when the kernel starts, so they are visible to every PE after the round. Flags only grow, so it does no
     * harm if a PE is ahead by a round. A kernel gets the number of its round when it runs, so each launch of a graph
     * performs new rounds. The numbers agree, because the streams of all PEs perform the same rounds in the same order.
     *
     * Reduction.
     * - A PE stores the address of its operand in the table operands of each PE, and performs a round. After it, all
     *   operands are complete, and their addresses are known.
     * - The PE combines the operands, and performs another round. After it, no PE reads the operands any more.
     * So no PE changes an operand that another PE still reads. If the reduction is in place, the result stays in the
     * scratch until the second round. If that result is longer than the scratch, the operands are combined piece by
     * piece, with a round after each piece.
     */
    private final CudaDevice device;
    private final Kernels kernels;
    private final int count;
    private final long[] operandWords;
    private final long[] deviceBases;
    private final long[] hostBases;
    private final long peerTable;
    private final long ownTable;
    private final long roundTable;
    private final long operandTable;
    private final long scratch;

    /**
     * @param addresses   of the device heaps in this process, by PE.
     * @param offset      from the start of a heap to the memory of these collectives.
     * @param deviceBases address of this PE's device heap in the process of each PE.
     * @param hostBases   address of this PE's host heap for the device of each PE.
     */
    WorldCollectives(
        final CudaDevice device,
        final long[] addresses,
        final long offset,
        final int pe,
        final long[] deviceBases,
        final long[] hostBases)
    {
        this.device = device;
        this.deviceBases = deviceBases;
        this.hostBases = hostBases;
        kernels = device.kernels();
        count = addresses.length;
        peerTable = addresses[pe] + offset + tableLength(count);
        ownTable = peerTable + tableLength(count);
        roundTable = ownTable + tableLength(count);
        operandTable = roundTable + tableLength(count);
        scratch = operandTable + tableLength(count);
        operandWords = new long[count];
        for (int peer = 0; peer < count; peer++)
        {
            operandWords[peer] = addresses[peer] + offset + 4 * tableLength(count) + (long)pe * Long.BYTES;
        }

        store(addresses, offset, pe);
    }

    private void store(final long[] addresses, final long offset, final int pe)
    {
        final int length = (int)tableLength(count);
        final ByteBuffer tables = ByteBuffer.allocateDirect(2 * length).order(ByteOrder.nativeOrder());
        for (int peer = 0; peer < count; peer++)
        {
            tables.putLong(peer * Long.BYTES, addresses[peer] + offset + (long)pe * Long.BYTES);
            tables.putLong(length + peer * Long.BYTES, addresses[pe] + offset + (long)peer * Long.BYTES);
        }

        final CudaDevice.Scope scope = device.enter();
        try (scope)
        {
            device.driver().memcpyAsync(peerTable, BufferUtil.address(tables), tables.capacity(), device.stream());
            device.driver().streamSynchronize(device.stream());
        }
        finally
        {
            Reference.reachabilityFence(tables);
        }
    }

    private static long tableLength(final int nPes)
    {
        return BitUtil.align((long)nPes * Long.BYTES, ALIGNMENT);
    }

    /** Returns the length of the memory of these collectives in bytes. */
    static long length(final int nPes)
    {
        return 5 * tableLength(nPes) + SCRATCH_LENGTH;
    }

    /** Enqueues a barrier. */
    void barrier(final String name, final long stream, final long abort)
    {
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            performRound(stream, abort);
        }
    }

    /**
     * Enqueues a reduction of validated arguments.
     *
     * @param dest         address of this PE's dest.
     * @param source       address of this PE's source: equal to dest, or disjoint from it.
     * @param isDevice     whether the source is in the device heap.
     * @param sourceOffset of the source in its heap.
     */
    void reduce(
        final String name,
        final ReduceOp op,
        final ElementType type,
        final long dest,
        final long source,
        final boolean isDevice,
        final long sourceOffset,
        final long nreduce,
        final long stream,
        final long abort)
    {
        final boolean isInPlace = dest == source;
        final long most = isInPlace ? SCRATCH_LENGTH / type.bytes() : nreduce;
        final CudaDevice.Scope scope = device.begin(name);
        try (scope)
        {
            for (int peer = 0; peer < count; peer++)
            {
                final long address = (isDevice ? deviceBases : hostBases)[peer] + sourceOffset;
                kernels.atomic(DeviceAtomic.SET, Long.BYTES, operandWords[peer], address, 0, 0, stream);
            }

            performRound(stream, abort);
            for (long done = 0; done < nreduce; done += most)
            {
                final long elements = Math.min(most, nreduce - done);
                final long offset = done * type.bytes();
                final long result = isInPlace ? scratch : dest + offset;
                kernels.reduce(op, type, result, operandTable, offset, elements, count, stream);
                performRound(stream, abort);
                if (isInPlace)
                {
                    device.driver().memcpyAsync(dest + offset, scratch, elements * type.bytes(), stream);
                }
            }
        }
    }

    private void performRound(final long stream, final long abort)
    {
        kernels.barrier(peerTable, ownTable, roundTable, count, abort, stream);
    }
}
