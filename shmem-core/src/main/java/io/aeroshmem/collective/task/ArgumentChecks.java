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
package io.aeroshmem.collective.task;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;

/**
 * The checks of the arguments of a team's blocking collectives, also used by {@code RequestArguments}. A check fills in
 * the {@link CallArguments} of a valid call, or throws the exception that the method of {@link io.aeroshmem.Team}
 * documents.
 */
public final class ArgumentChecks
{
    private final PeIdentity owner;
    private final int size;

    /**
     * @param size number of members of the team.
     */
    public ArgumentChecks(final PeIdentity owner, final int size)
    {
        this.owner = owner;
        this.size = size;
    }

    public void alltoalls(
        final CallArguments call,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long destStride,
        final long sourceStride,
        final long nelems)
    {
        bytes(type, nelems, size, "nelems");
        call.of(Routine.ALLTOALLS, type, nelems).strides(destStride, sourceStride);
        resolve(
            call,
            dest,
            extent(type, nelems, destStride, "destStride"),
            source,
            extent(type, nelems, sourceStride, "sourceStride"),
            false);
    }

    /**
     * Fills in a call on blocks without gaps. The dest of a collect is checked for this member's own block; its length
     * is known after the exchange of counts.
     */
    public void blocks(
        final CallArguments call,
        final Routine routine,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        root(root);
        final boolean isReduction = routine.isReduction();
        final Reduction reduction = isReduction ? Reduction.of(op, type) : null;
        final String name = routine.isScan() ? "n" : isReduction ? "nreduce" : "nelems";
        final long bytes = bytes(type, nelems, Routine.ALLTOALL == routine ? size : 1, name);
        final long destBytes = Routine.FCOLLECT == routine ? bytes(type, nelems, size, name) : bytes;
        final long sourceBytes = Routine.REDUCE_SCATTER == routine ? bytes(type, nelems, size, name) : bytes;
        call.of(routine, reduction, type, nelems).root(root);
        resolve(call, dest, destBytes, source, sourceBytes, isReduction || Routine.BROADCAST == routine);
    }

    public void root(final int root)
    {
        if (root < 0 || root >= size)
        {
            throw new IllegalArgumentException(
                "root must be a rank of the team, 0 to " + (size - 1) + ": root=" + root);
        }
    }

    /** Returns the length of a number of blocks after range checks. A division would delay the stores behind it. */
    public static long bytes(final ElementType type, final long nelems, final int blocks, final String name)
    {
        final long unit = (long)Arguments.notNull(type, "type").bytes() * blocks;
        final long bytes = nelems * unit;
        if (nelems < 0 || bytes < 0 || 0 != Math.multiplyHigh(nelems, unit))
        {
            throw new IllegalArgumentException(
                name + " must be 0 to " + Long.MAX_VALUE / unit + ": " + name + "=" + nelems);
        }

        return bytes;
    }

    /** Returns the distance from the first to the last of this team's elements with a stride. */
    private long extent(final ElementType type, final long nelems, final long stride, final String name)
    {
        if (stride < 1)
        {
            throw new IllegalArgumentException(name + " must be >= 1 element: " + name + "=" + stride);
        }

        final long elements = nelems * size;
        if (0 == elements)
        {
            return 0;
        }

        if (stride > (Long.MAX_VALUE / type.bytes() - 1) / elements)
        {
            throw new IllegalArgumentException(
                name + " must keep " + elements + " elements within " + Long.MAX_VALUE + " bytes: " + name + "=" +
                stride);
        }

        return ((elements - 1) * stride + 1) * type.bytes();
    }

    public void resolve(
        final CallArguments call,
        final SymmetricBuffer dest,
        final long destBytes,
        final SymmetricBuffer source,
        final long sourceBytes,
        final boolean isInPlaceAllowed)
    {
        final long destOffset = offset(call, Operand.COLLECTIVE_DEST, dest, destBytes);
        final long sourceOffset = offset(call, Operand.COLLECTIVE_SOURCE, source, sourceBytes);
        if (0 == destBytes && 0 == sourceBytes)
        {
            return;
        }

        // The source of a member of a collect may be empty, anywhere: the others, which cannot check that, proceed.
        final boolean isOverlapping = 0 != sourceBytes && destOffset < sourceOffset + sourceBytes &&
            sourceOffset < destOffset + destBytes;
        if (isOverlapping && !(isInPlaceAllowed && destOffset == sourceOffset) &&
            HeapAccess.region(dest) == HeapAccess.region(source))
        {
            throw new IllegalArgumentException(
                "dest and source must " + (isInPlaceAllowed ? "begin at the same address or " : "") +
                "be disjoint: dest has " + destBytes + " bytes at " + destOffset + ", source " + sourceBytes +
                " bytes at " + sourceOffset);
        }

        if (null != dest)
        {
            call.dest(HeapAccess.region(dest), destOffset, HeapAccess.operandAddress(dest, destOffset));
        }

        if (null != source)
        {
            call.source(HeapAccess.region(source), sourceOffset, HeapAccess.operandAddress(source, sourceOffset));
        }
    }

    /** Checks a dest of blocks that differ in length, which the caller has to check for overlaps. */
    public void resolveDest(final CallArguments call, final SymmetricBuffer dest, final long bytes)
    {
        final long offset = offset(call, Operand.COLLECTIVE_DEST, dest, bytes);
        if (null != dest)
        {
            call.dest(HeapAccess.region(dest), offset, HeapAccess.operandAddress(dest, offset));
        }
    }

    /** As {@link #resolveDest}, for a source. */
    public void resolveSource(final CallArguments call, final SymmetricBuffer source, final long bytes)
    {
        final long offset = offset(call, Operand.COLLECTIVE_SOURCE, source, bytes);
        if (null != source)
        {
            call.source(HeapAccess.region(source), offset, HeapAccess.operandAddress(source, offset));
        }
    }

    private long offset(
        final CallArguments call, final Operand operand, final SymmetricBuffer buffer, final long bytes)
    {
        if (null == buffer && 0 == bytes)
        {
            return 0;
        }

        final long offset = HeapAccess.address(buffer, owner, 0, bytes, operand);
        final int alignment = call.type().alignment();
        if (0 != (offset & (alignment - 1)))
        {
            throw HeapAccess.misaligned(buffer, 0, alignment, operand);
        }

        return offset;
    }
}
