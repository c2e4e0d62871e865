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
 * The arguments of one collective call, checked. A team has one object for its calls, filled anew for each.
 * <p>
 * An address is a region and an offset in it, the same on all members, and also the place of that address in this
 * process. Blocks of the internal calls, which no peer touches by itself, have the latter only.
 */
public final class CollectiveCall
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

    /**
     * Construct a call without arguments.
     */
    public CollectiveCall()
    {
    }

    CollectiveCall of(final Routine routine, final ElementType type, final long nelems)
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

    CollectiveCall reduction(final Reduction reduction)
    {
        this.reduction = reduction;
        return this;
    }

    CollectiveCall root(final int root)
    {
        this.root = root;
        return this;
    }

    CollectiveCall strides(final long destStride, final long sourceStride)
    {
        this.destStride = destStride;
        this.sourceStride = sourceStride;
        return this;
    }

    CollectiveCall counts(final long[] byteCounts, final long[] byteDisplacements)
    {
        this.byteCounts = byteCounts;
        this.byteDisplacements = byteDisplacements;
        return this;
    }

    CollectiveCall dest(final int region, final long offset, final long address)
    {
        destRegion = region;
        destOffset = offset;
        destAddress = address;
        return this;
    }

    CollectiveCall source(final int region, final long offset, final long address)
    {
        sourceRegion = region;
        sourceOffset = offset;
        sourceAddress = address;
        return this;
    }

    /**
     * Sign the call by what was given.
     */
    CollectiveCall sign()
    {
        signature = CallSignature.of(
            routine, !isSymmetric(), type, null == reduction ? null : reduction.op(), root, nelems);
        return this;
    }

    /**
     * Sign the call as a part of another one.
     */
    CollectiveCall sign(final long signature)
    {
        this.signature = signature;
        return this;
    }

    CollectiveCall local(final long destAddress, final long sourceAddress)
    {
        return dest(NO_REGION, 0, destAddress).source(NO_REGION, 0, sourceAddress);
    }

    /**
     * The routine.
     *
     * @return never null.
     */
    public Routine routine()
    {
        return routine;
    }

    /**
     * What members compare of the call.
     *
     * @return see {@link CallSignature}.
     */
    public long signature()
    {
        return signature;
    }

    /**
     * The type of the elements.
     *
     * @return never null.
     */
    public ElementType type()
    {
        return type;
    }

    /**
     * How elements are combined.
     *
     * @return null where they are not.
     */
    public Reduction reduction()
    {
        return reduction;
    }

    /**
     * Number of elements: those of a block, of which each member has one or, in {@code alltoall} and {@code
     * reduceScatter}, one for each member.
     *
     * @return 1 or more; in {@code collect}, this PE's own, 0 or more.
     */
    public long nelems()
    {
        return nelems;
    }

    /**
     * Size of an element.
     *
     * @return in bytes.
     */
    public int elementBytes()
    {
        return elementBytes;
    }

    /**
     * Size of a block: that of {@link #nelems} elements without gaps.
     *
     * @return in bytes.
     */
    public long blockBytes()
    {
        return nelems * elementBytes;
    }

    /**
     * Rank of the root of a broadcast.
     *
     * @return the rank.
     */
    public int root()
    {
        return root;
    }

    /**
     * Distance of the elements of dest in {@code alltoalls}.
     *
     * @return in elements, 1 or more; 1 elsewhere.
     */
    public long destStride()
    {
        return destStride;
    }

    /**
     * Distance of the elements of source in {@code alltoalls}.
     *
     * @return in elements, 1 or more; 1 elsewhere.
     */
    public long sourceStride()
    {
        return sourceStride;
    }

    /**
     * Region of dest.
     *
     * @return see {@link io.aeroshmem.transport.Region}.
     */
    public int destRegion()
    {
        return destRegion;
    }

    /**
     * Where dest begins.
     *
     * @return offset in its region, in bytes.
     */
    public long destOffset()
    {
        return destOffset;
    }

    /**
     * Where this PE's dest begins in this process.
     *
     * @return address.
     */
    public long destAddress()
    {
        return destAddress;
    }

    /**
     * Region of source.
     *
     * @return see {@link io.aeroshmem.transport.Region}.
     */
    public int sourceRegion()
    {
        return sourceRegion;
    }

    /**
     * Where source begins.
     *
     * @return offset in its region, in bytes.
     */
    public long sourceOffset()
    {
        return sourceOffset;
    }

    /**
     * Where this PE's source begins in this process.
     *
     * @return address.
     */
    public long sourceAddress()
    {
        return sourceAddress;
    }

    /**
     * Is dest the same memory as source?
     *
     * @return true if both begin at the same address.
     */
    public boolean isInPlace()
    {
        return destAddress == sourceAddress;
    }

    /**
     * May peers touch source and dest, because they are symmetric? Otherwise only algorithms that use cells alone
     * serve the call.
     *
     * @return false for the blocks of internal calls.
     */
    public boolean isSymmetric()
    {
        return NO_REGION != destRegion;
    }

    /**
     * Length of the block that a member contributes to a collect.
     *
     * @param rank of the member.
     * @return in bytes, 0 or more.
     */
    public long byteCount(final int rank)
    {
        return null == byteCounts ? blockBytes() : byteCounts[rank];
    }

    /**
     * Where the block of a member goes in the dest of a collect.
     *
     * @param rank of the member.
     * @return in bytes from the start of dest.
     */
    public long byteDisplacement(final int rank)
    {
        return null == byteDisplacements ? rank * blockBytes() : byteDisplacements[rank];
    }
}
