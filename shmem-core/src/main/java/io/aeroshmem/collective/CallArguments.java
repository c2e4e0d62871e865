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
package io.aeroshmem.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.collective.reduction.Reduction;

/**
 * The validated arguments of one collective call. A team has one instance, which is refilled for each call.
 * <p>
 * An address is a region and an offset, equal on all members, together with the address in this process. Blocks of
 * internal calls, which no peer accesses, have only the latter.
 */
public final class CallArguments
{
    private static final int NO_REGION = -1;

    private Routine routine;
    private ElementType type;
    private Reduction reduction;
    private long nelems;
    private int elementBytes;
    private int root;
    private long destStride = 1;
    private long sourceStride = 1;
    private int destRegion;
    private long destOffset;
    private long destAddress;
    private int sourceRegion;
    private long sourceOffset;
    private long sourceAddress;
    private long[] byteCounts;
    private long[] byteDisplacements;
    private long signature;

    /** Construct a call without arguments. */
    CallArguments of(final Routine routine, final ElementType type, final long nelems)
    {
        this.routine = routine;
        this.type = type;
        this.nelems = nelems;
        elementBytes = type.bytes();
        reduction = null;
        root = 0;
        destStride = 1;
        sourceStride = 1;
        byteCounts = null;
        byteDisplacements = null;
        return this;
    }

    CallArguments reduction(final Reduction reduction)
    {
        this.reduction = reduction;
        return this;
    }

    CallArguments root(final int root)
    {
        this.root = root;
        return this;
    }

    CallArguments strides(final long destStride, final long sourceStride)
    {
        this.destStride = destStride;
        this.sourceStride = sourceStride;
        return this;
    }

    CallArguments counts(final long[] byteCounts, final long[] byteDisplacements)
    {
        this.byteCounts = byteCounts;
        this.byteDisplacements = byteDisplacements;
        return this;
    }

    CallArguments dest(final int region, final long offset, final long address)
    {
        destRegion = region;
        destOffset = offset;
        destAddress = address;
        return this;
    }

    CallArguments source(final int region, final long offset, final long address)
    {
        sourceRegion = region;
        sourceOffset = offset;
        sourceAddress = address;
        return this;
    }

    /** Signs the call with its arguments. */
    CallArguments sign()
    {
        signature = Routine.SYNC == routine ? CallSignature.of(routine.ordinal()) : CallSignature.of(
            routine, !isSymmetric(), type, null == reduction ? null : reduction.op(), root, nelems);
        return this;
    }

    /** Signs the call with its arguments and a number that members must agree on, its tag for example. */
    CallArguments signWith(final long number)
    {
        signature = CallSignature.with(sign().signature, number);
        return this;
    }

    /** Signs the call as part of another call. */
    CallArguments sign(final long signature)
    {
        this.signature = signature;
        return this;
    }

    CallArguments local(final long destAddress, final long sourceAddress)
    {
        return dest(NO_REGION, 0, destAddress).source(NO_REGION, 0, sourceAddress);
    }

    public Routine routine()
    {
        return routine;
    }

    /** Returns the signature that members compare, see {@link CallSignature}. */
    public long signature()
    {
        return signature;
    }

    public ElementType type()
    {
        return type;
    }

    /** Returns how elements are combined, or null. */
    public Reduction reduction()
    {
        return reduction;
    }

    /**
     * Returns the number of elements of a block. Each member has one block or, in {@code alltoall} and {@code
     * reduceScatter}, one for each member; in {@code collect} it is this PE's own block, 0 or more.
     */
    public long nelems()
    {
        return nelems;
    }

    public int elementBytes()
    {
        return elementBytes;
    }

    /** Returns the length of a block in bytes: that of {@link #nelems} elements without gaps. */
    public long blockBytes()
    {
        return nelems * elementBytes;
    }

    public int root()
    {
        return root;
    }

    /** Returns the distance of the elements of dest in {@code alltoalls}, in elements; 1 elsewhere. */
    public long destStride()
    {
        return destStride;
    }

    /** Returns the distance of the elements of source in {@code alltoalls}, in elements; 1 elsewhere. */
    public long sourceStride()
    {
        return sourceStride;
    }

    public int destRegion()
    {
        return destRegion;
    }

    /** Returns the offset of dest in its region. */
    public long destOffset()
    {
        return destOffset;
    }

    /** Returns the address of this PE's dest in this process. */
    public long destAddress()
    {
        return destAddress;
    }

    public int sourceRegion()
    {
        return sourceRegion;
    }

    /** Returns the offset of source in its region. */
    public long sourceOffset()
    {
        return sourceOffset;
    }

    /** Returns the address of this PE's source in this process. */
    public long sourceAddress()
    {
        return sourceAddress;
    }

    /** Returns whether dest and source begin at the same address. */
    public boolean isInPlace()
    {
        return destAddress == sourceAddress;
    }

    /**
     * Returns whether peers may access source and dest, because they are symmetric. Otherwise only algorithms that use
     * slots alone serve the call.
     */
    public boolean isSymmetric()
    {
        return NO_REGION != destRegion;
    }

    /** Returns the length in bytes of the block that a member contributes to a collect. */
    public long byteCount(final int rank)
    {
        return null == byteCounts ? blockBytes() : byteCounts[rank];
    }

    /** Returns the position of a member's block in the dest of a collect, in bytes. */
    public long byteDisplacement(final int rank)
    {
        return null == byteDisplacements ? rank * blockBytes() : byteDisplacements[rank];
    }
}
