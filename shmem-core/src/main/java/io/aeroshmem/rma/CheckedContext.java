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
package io.aeroshmem.rma;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.HeapRange;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Transport;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.nio.ByteBuffer;

/**
 * Whom a context reaches and how, and the checks that every operation makes before anything is sent. The checks are a
 * few comparisons that inline into each operation; the message is worked out when one has failed.
 */
abstract class CheckedContext implements CommunicationContext
{
    private static final Transport[] NONE = new Transport[0];

    final PeIdentity owner;
    final Endpoint endpoint;
    final int[] worldPes;
    final Completion completion;

    /**
     * By rank. Empty when the context is closed, so that the check of the rank finds that as well. Plain: a thread
     * that races with the close may get through, which harms nobody, since memory stays mapped while it is reachable.
     */
    private Transport[] transports;

    CheckedContext(final PeIdentity owner, final Endpoint endpoint, final int[] worldPes)
    {
        this.owner = owner;
        this.endpoint = endpoint;
        this.worldPes = worldPes;

        transports = new Transport[worldPes.length];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            transports[rank] = endpoint.transport(worldPes[rank]);
        }

        completion = new Completion(endpoint, transports, worldPes);
    }

    /**
     * The transport to a rank, after the check that there is one.
     */
    final Transport transport(final int pe)
    {
        final Transport[] transports = this.transports;
        if (pe < 0 || pe >= transports.length)
        {
            throw refusal(pe);
        }

        return transports[pe];
    }

    /**
     * Can it not be used any more?
     *
     * @return true if it or its PE is closed.
     */
    public final boolean isClosed()
    {
        return NONE == transports || owner.isClosed();
    }

    final void checkOpen()
    {
        if (isClosed())
        {
            throw closed();
        }
    }

    final void markClosed()
    {
        transports = NONE;
    }

    /**
     * Address in this process of a range of this PE's own symmetric memory.
     */
    final long localAddress(
        final SymmetricBuffer buffer, final long offset, final long length, final Operand operand)
    {
        HeapAccess.address(buffer, owner, offset, length, operand);
        return HeapAccess.localAddress(buffer, offset, length);
    }

    final long localAlignedAddress(
        final SymmetricBuffer buffer, final long offset, final int elementBytes, final Operand operand)
    {
        HeapAccess.alignedAddress(buffer, owner, offset, elementBytes, operand);
        return HeapAccess.localAddress(buffer, offset, elementBytes);
    }

    static void checkBounds(
        final DirectBuffer buffer, final int offset, final int length, final Operand operand)
    {
        if (null == buffer)
        {
            throw operand.isNull();
        }

        final int capacity = buffer.capacity();
        if ((offset | length) < 0 || offset > capacity - length)
        {
            throw operand.outOfBounds("local buffer of " + capacity + " bytes", capacity, offset, length);
        }
    }

    /**
     * Raw memory access would write into a read-only {@link ByteBuffer}, or kill the JVM where it maps a file.
     */
    static void checkWritable(final MutableDirectBuffer buffer)
    {
        final ByteBuffer wrapped = buffer.byteBuffer();
        if (null != wrapped && wrapped.isReadOnly())
        {
            throw new IllegalArgumentException(
                "given a local buffer over a read-only " + wrapped + ", allowed is one that can be written");
        }
    }

    /**
     * Check a strided range of blocks, of which the elements are aligned to their size.
     *
     * @return the address in the heap.
     */
    final long stridedAddress(
        final HeapRange range,
        final long offset,
        final long stride,
        final long blockSize,
        final long nblocks,
        final int elementBytes,
        final Operand operand)
    {
        final long length = Strided.extent(stride, blockSize, nblocks, elementBytes);
        final long address = HeapAccess.address(range, owner, offset, length, operand);
        if (0 != (address & (elementBytes - 1)))
        {
            throw HeapAccess.misaligned(range, offset, elementBytes, operand);
        }

        return address;
    }

    private RuntimeException refusal(final int pe)
    {
        if (isClosed())
        {
            return closed();
        }

        return new IllegalArgumentException(
            "pe: given " + pe + ", allowed is 0 to " + (worldPes.length - 1) + " in a team of " + worldPes.length +
            " PEs, on " + owner);
    }

    private IllegalStateException closed()
    {
        return new IllegalStateException(
            "this context of " + owner + " is closed" +
            (null != endpoint.failure() ? ", and its job has failed: " + endpoint.failure().message() : ""));
    }
}
