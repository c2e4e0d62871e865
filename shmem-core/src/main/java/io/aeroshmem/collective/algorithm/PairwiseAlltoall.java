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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.transport.Transport;
import org.agrona.UnsafeApi;

/**
 * An alltoall in which every member puts each of its blocks into the dest of the member that the block is for.
 * {@link PairwiseExchange} describes the order of accesses.
 * <p>
 * If the call is in place, the source is copied to private memory before this PE enters the barrier at the start.
 * <p>
 * Elements with a stride are copied one by one into the dest of each member whose memory this PE maps. For the other
 * members, elements that are adjacent in dest are gathered and put as a block. Elements that are not adjacent in dest
 * are put one by one, and many of them share a message.
 */
public final class PairwiseAlltoall extends PairwiseExchange
{
    /** Elements of a piece with gaps. */
    private static final int STRIDED_PIECE = 4096;

    private static final int MAX_ELEMENT = 16;

    private final TeamWorkspace workspace;

    private long blockBytes;
    private int elementBytes;
    private boolean isStrided;
    private long staging;
    /** Address of the source, in place that of its copy. */
    private long source;
    private long copiedBytes;

    public PairwiseAlltoall(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
    }

    @Override
    void begin()
    {
        blockBytes = call().blockBytes();
        elementBytes = call().elementBytes();
        isStrided = 1 != call().destStride() || 1 != call().sourceStride();
        staging = isStrided ? workspace.partials(STRIDED_PIECE * MAX_ELEMENT) : 0;
        source = call().sourceAddress();
        copiedBytes = 0;
        if (call().isInPlace())
        {
            source = workspace.partials(blockBytes * mailboxes().size());
        }
    }

    /** Copies the source of a call in place, which has no strides. */
    @Override
    boolean prepare()
    {
        final long bytes = call().isInPlace() ? blockBytes * mailboxes().size() : 0;
        if (copiedBytes < bytes)
        {
            final long length = Math.min(PIECE, bytes - copiedBytes);
            LocalCopy.copy(call().sourceAddress() + copiedBytes, source + copiedBytes, length);
            copiedBytes += length;
        }

        return copiedBytes == bytes;
    }

    @Override
    long pieces(final int from, final int to)
    {
        return isStrided ? (call().nelems() + STRIDED_PIECE - 1) / STRIDED_PIECE : piecesOf(blockBytes);
    }

    @Override
    void putPiece(final int rank, final long piece)
    {
        if (isStrided)
        {
            putStrided(rank, piece * STRIDED_PIECE);
        }
        else
        {
            put(rank, myRank() * blockBytes, source + rank * blockBytes, blockBytes, piece);
        }
    }

    @Override
    void copyPiece(final long piece)
    {
        if (isStrided)
        {
            final long first = piece * STRIDED_PIECE;
            copy(myRank(), first, call().destAddress() + destination(first));
        }
        else
        {
            putPiece(myRank(), piece);
        }
    }

    private void putStrided(final int rank, final long first)
    {
        final long offset = call().destOffset() + destination(first);
        if (mailboxes().isMapped(rank))
        {
            copy(rank, first, mailboxes().address(rank, call().destRegion(), offset));
            mailboxes().putPiece(rank, call().destRegion(), offset, staging, 0);
        }
        else if (1 == call().destStride())
        {
            copy(rank, first, staging);
            mailboxes().putPiece(rank, call().destRegion(), offset, staging, count(first) * elementBytes);
        }
        else
        {
            putElements(rank, first, offset);
            mailboxes().putPiece(rank, call().destRegion(), offset, staging, 0);
        }
    }

    /** Copies a piece of the block for a member, to dest or, with a stride of 1, to the memory where it is gathered. */
    private void copy(final int rank, final long first, final long address)
    {
        LocalCopy.copyStrided(
            source(rank, first),
            call().sourceStride() * elementBytes,
            address,
            call().destStride() * elementBytes,
            count(first),
            elementBytes);
    }

    private void putElements(final int rank, final long first, final long offset)
    {
        final Transport transport = mailboxes().transport(rank);
        final int pe = mailboxes().worldPe(rank);
        final int region = call().destRegion();
        final long sourceStep = call().sourceStride() * elementBytes;
        final long destStep = call().destStride() * elementBytes;
        long from = source(rank, first);
        long to = offset;
        for (long i = 0, count = count(first); i < count; i++, from += sourceStep, to += destStep)
        {
            switch (elementBytes)
            {
                case Byte.BYTES -> transport.putByte(pe, region, to, UnsafeApi.getByte(from));
                case Short.BYTES -> transport.putShort(pe, region, to, UnsafeApi.getShort(from));
                case Integer.BYTES -> transport.putInt(pe, region, to, UnsafeApi.getInt(from));
                case Long.BYTES -> transport.putLong(pe, region, to, UnsafeApi.getLong(from));
                default -> transport.put(pe, region, to, null, from, elementBytes);
            }
        }
    }

    private long count(final long first)
    {
        return Math.min(STRIDED_PIECE, call().nelems() - first);
    }

    private long source(final int rank, final long first)
    {
        return call().sourceAddress() + (rank * call().nelems() + first) * call().sourceStride() * elementBytes;
    }

    private long destination(final long first)
    {
        return (myRank() * call().nelems() + first) * call().destStride() * elementBytes;
    }
}
