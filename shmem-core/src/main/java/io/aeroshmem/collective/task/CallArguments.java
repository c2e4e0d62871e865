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
import io.aeroshmem.collective.reduction.Reduction;

import java.util.Arrays;

/**
 * The validated arguments of one collective call. A team has one instance for its blocking calls, and each call fills
 * it anew. Each request has an instance of its own, which is filled once. Filling resets what a call may leave out;
 * each call sets its blocks and its signature.
 * <p>
 * A block has an address in this process, and a place by which peers access it: a region and an offset. Blocks in
 * private memory (scalars, and the blocks of internal exchanges) have no place, because no peer accesses them.
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
    private long[] destByteCounts;
    private long[] destByteDisplacements;
    private long[] sourceByteCounts;
    private long[] sourceByteDisplacements;
    private long countHash;
    private boolean isOwnBlockInPlace;
    private boolean isFinishNeeded;
    private long signature;

    /** Fills in a call without a reduction. */
    public CallArguments of(final Routine routine, final ElementType type, final long nelems)
    {
        return of(routine, null, type, nelems);
    }

    /** Fills in a call. References are compared first, as G1 executes a fence for a store of one in an old object. */
    public CallArguments of(final Routine routine, final Reduction reduction, final ElementType type, final long nelems)
    {
        if (this.routine != routine)
        {
            this.routine = routine;
        }

        if (this.reduction != reduction)
        {
            this.reduction = reduction;
        }

        if (this.type != type)
        {
            this.type = type;
        }

        this.nelems = nelems;
        elementBytes = type.bytes();
        root = 0;
        destStride = 1;
        sourceStride = 1;
        destByteCounts = null;
        destByteDisplacements = null;
        sourceByteCounts = null;
        sourceByteDisplacements = null;
        countHash = nelems;
        isOwnBlockInPlace = false;
        isFinishNeeded = false;
        return this;
    }

    public CallArguments root(final int root)
    {
        this.root = root;
        return this;
    }

    public CallArguments strides(final long destStride, final long sourceStride)
    {
        this.destStride = destStride;
        this.sourceStride = sourceStride;
        return this;
    }

    /** Sets the lengths and positions of the blocks of dest, by rank. */
    public CallArguments counts(final long[] byteCounts, final long[] byteDisplacements)
    {
        destByteCounts = byteCounts;
        destByteDisplacements = byteDisplacements;
        return this;
    }

    /** Sets the lengths and positions of the blocks of source, by rank. */
    public CallArguments sourceCounts(final long[] byteCounts, final long[] byteDisplacements)
    {
        sourceByteCounts = byteCounts;
        sourceByteDisplacements = byteDisplacements;
        return this;
    }

    /** Sets what is signed instead of the number of elements of a block. */
    public CallArguments countHash(final long hash)
    {
        countHash = hash;
        return this;
    }

    /** Moves dest, which begins where source does, to a block of source that no other member accesses. */
    public CallArguments destAtOwnBlock(final long displacement)
    {
        isOwnBlockInPlace = true;
        return dest(destRegion, destOffset + displacement, destAddress + displacement);
    }

    /** Moves source, which begins where dest does, to a block of dest that no other member accesses. */
    public CallArguments sourceAtOwnBlock(final long displacement)
    {
        isOwnBlockInPlace = true;
        return source(sourceRegion, sourceOffset + displacement, sourceAddress + displacement);
    }

    /** Sets that the combination of the blocks of all members has to be finished, see {@link Reduction#finish}. */
    public CallArguments finishNeeded(final boolean isNeeded)
    {
        isFinishNeeded = isNeeded;
        return this;
    }

    public CallArguments dest(final int region, final long offset, final long address)
    {
        destRegion = region;
        destOffset = offset;
        destAddress = address;
        return this;
    }

    public CallArguments source(final int region, final long offset, final long address)
    {
        sourceRegion = region;
        sourceOffset = offset;
        sourceAddress = address;
        return this;
    }

    /** Signs the call with its arguments. */
    public CallArguments sign()
    {
        signature = routine.isSynchronising() ? CallSignature.of(routine, root) : CallSignature.of(
            routine, !isSymmetric(), type, null == reduction ? null : reduction.op(), root, countHash);
        return this;
    }

    /** Signs the call with its arguments and a number that members must agree on, its tag for example. */
    public CallArguments signWith(final long number)
    {
        signature = CallSignature.with(sign().signature, number);
        return this;
    }

    /** Signs the call as part of another call. */
    public CallArguments sign(final long signature)
    {
        this.signature = signature;
        return this;
    }

    public CallArguments local(final long destAddress, final long sourceAddress)
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
     * Returns the number of elements of a block. Each member has one block or, in {@code alltoall},
     * {@code reduceScatter} and the like, one for each member; in {@code collect} it is this PE's own block, 0 or more.
     * Where the counts of blocks differ, it is the count of the longest block, or 0 if members know only their own
     * counts.
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

    /** Returns the length in bytes of the longest block of those whose lengths this member knows. */
    public long longestBlockBytes()
    {
        return Math.max(blockBytes(), Math.max(longest(destByteCounts), longest(sourceByteCounts)));
    }

    private static long longest(final long[] byteCountsOrNull)
    {
        return null == byteCountsOrNull ? 0 : Arrays.stream(byteCountsOrNull).max().orElse(0);
    }

    public int root()
    {
        return root;
    }

    /** Returns the number of elements of a block, or a hash of the counts of blocks where all members know them. */
    public long countHash()
    {
        return countHash;
    }

    /** Returns whether the address of dest is to be the same on all members: peers may access it. */
    boolean isDestAlike()
    {
        return routine.isOfSameBlocks() && (!isOwnBlockInPlace || routine.dest().isOfMembers());
    }

    /** Returns whether the address of source is to be the same on all members: peers may access it. */
    boolean isSourceAlike()
    {
        return routine.isReduction() ||
            routine.isOfSameBlocks() && (!isOwnBlockInPlace || routine.source().isOfMembers());
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

    /**
     * Returns whether dest and source begin at the same address; false if one of them was moved to this PE's own block
     * of the other, which no other member accesses.
     */
    public boolean isInPlace()
    {
        return destAddress == sourceAddress && !isOwnBlockInPlace;
    }

    /**
     * Returns whether the call has nothing to do on any member: it neither synchronises nor has elements. Not all
     * members know the counts of blocks that differ in length, so calls with such blocks always have something to do.
     */
    public boolean isEmpty()
    {
        return 0 == nelems && !routine.isSynchronising() && !routine.isOfOwnCounts();
    }

    /** Returns whether the call may move data, other than to synchronise. */
    public boolean hasData()
    {
        return 0 != nelems || routine.isOfOwnCounts();
    }

    /** Returns whether {@link Reduction#finish} turns the combination of the blocks of all members into the result. */
    public boolean isFinishNeeded()
    {
        return isFinishNeeded;
    }

    /** Returns the length in bytes of the result of a reduction in the dest of a member. */
    public long resultBytes(final int rank)
    {
        return routine.dest().isAtRoot() && rank != root ? 0 :
            Routine.REDUCE_SCATTERV == routine ? sourceByteCount(rank) : blockBytes();
    }

    /**
     * Returns whether peers may access source and dest, because they are symmetric. Otherwise only algorithms that use
     * slots alone serve the call.
     */
    public boolean isSymmetric()
    {
        return NO_REGION != destRegion;
    }

    /** Returns whether a member has a block for another one: all have, unless the routine gathers or scatters. */
    public boolean isSentTo(final int receiver, final int sender)
    {
        return (!routine.dest().isAtRoot() || receiver == root) && (!routine.source().isAtRoot() || sender == root);
    }

    /** Returns the length in bytes of the block of dest that a member sends. */
    public long destByteCount(final int rank)
    {
        return null == destByteCounts ? blockBytes() : destByteCounts[rank];
    }

    /** Returns the position in dest of the block that a member sends, in bytes. */
    public long destByteDisplacement(final int rank)
    {
        return null == destByteDisplacements ? rank * blockBytes() : destByteDisplacements[rank];
    }

    /** Returns the length in bytes of the block of source for a member. */
    public long sourceByteCount(final int rank)
    {
        return null == sourceByteCounts ? blockBytes() : sourceByteCounts[rank];
    }

    /** Returns the position in source of the block for a member, in bytes. */
    public long sourceByteDisplacement(final int rank)
    {
        return null == sourceByteDisplacements ? rank * blockBytes() : sourceByteDisplacements[rank];
    }
}
