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
package io.aeroshmem.collective.request;

import io.aeroshmem.ActiveSet;
import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.ArgumentChecks;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;

import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Makes a team's requests of checked arguments. A check fills in the {@link CallArguments} of a valid request, or
 * throws the exception that {@link io.aeroshmem.Team#request} documents. Arguments that have no meaning on this member,
 * such as the dest of a gather on a member that is not the root, are not read. Immutable.
 */
public final class RequestArguments
{
    private static final long MAX_COPY = Integer.MAX_VALUE - 4096;
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final ArgumentChecks checks;
    private final int size;
    private final int myRank;
    private final RequestMatching matching;

    /**
     * @param owner of the buffers.
     * @param queue of the team, in which the requests are posted.
     */
    public RequestArguments(final PeIdentity owner, final int size, final int myRank, final RequestQueue queue)
    {
        checks = new ArgumentChecks(owner, size);
        this.size = size;
        this.myRank = myRank;
        matching = queue.matching();
    }

    /**
     * Returns a request that can be posted.
     *
     * @param args    not kept; buffers that do not matter on this member are removed from it.
     * @param handler receives null or the error, once for each post; or null.
     */
    public QueuedRequest request(final CollectiveArgs args, final Consumer<ShmemException> handler)
    {
        final CallArguments call = new CallArguments();
        fill(call, args);
        final ActiveSet set = args.activeSet();
        final long tag = args.tag();
        long key = 0;
        ActiveSetBroadcast broadcast = null;
        if (null == set)
        {
            key = matching.sign(call, args.isTagged(), tag);
        }
        else
        {
            checkActiveSet(args);
            broadcast = matching.signBroadcast(call, tag, set);
        }

        return new QueuedRequest(
            call, args.source(), args.dest(), tag, args.timeoutNs(), handler, key, broadcast,
            matching.uniqueId(tag, set));
    }

    private void fill(final CallArguments call, final CollectiveArgs args)
    {
        final Routine routine = Routine.of(Arguments.notNull(args.collective(), "collective"));
        replaceUnread(routine, args);
        checkForm(args, "sourceV", args.sourceCounts(), routine.hasSourceCounts() && isRead(routine.source(), args));
        checkForm(args, "destV", args.destCounts(), routine.hasDestCounts() && isRead(routine.dest(), args));
        if (routine.isRooted())
        {
            checks.root(args.root());
        }

        if (routine.isSynchronising())
        {
            call.of(routine, ElementType.BYTE, 0);
        }
        else if (null == args.destCounts() && null == args.sourceCounts())
        {
            equalBlocks(call, routine, args);
        }
        else if (routine.isOfPairedCounts())
        {
            pairedBlocks(call, routine, args);
        }
        else
        {
            reduceScatterv(call, args);
        }

        call.root(routine.isRooted() ? args.root() : 0);
    }

    /** Returns whether a buffer has a meaning on this member. */
    private boolean isRead(final Routine.Blocks blocks, final CollectiveArgs args)
    {
        return Routine.Blocks.NONE != blocks && (!blocks.isAtRoot() || myRank == args.root());
    }

    /** Removes a buffer that has no meaning on this member. A broadcast with one buffer has it as the other, too. */
    private void replaceUnread(final Routine routine, final CollectiveArgs args)
    {
        final boolean isBroadcast = Routine.BROADCAST == routine;
        if (routine.isSynchronising())
        {
            args.source(null, 0, ElementType.BYTE).dest(null, 0, ElementType.BYTE);
        }
        else if (!isRead(routine.source(), args))
        {
            args.source(null, 0, args.destType());
        }
        else if (!isRead(routine.dest(), args))
        {
            args.dest(null, 0, args.sourceType());
        }
        else if (isBroadcast && null == args.dest() && null == args.destCounts())
        {
            args.dest(args.source(), args.sourceCount(), args.sourceType());
        }
        else if (isBroadcast && null == args.source() && null == args.sourceCounts())
        {
            args.source(args.dest(), args.destCount(), args.destType());
        }
    }

    /** Checks that a buffer has counts of its own for each block, or not. */
    private static void checkForm(
        final CollectiveArgs args, final String name, final long[] counts, final boolean isRequired)
    {
        if (isRequired == (null == counts))
        {
            throw new IllegalArgumentException(
                name + " must " + (isRequired ? "" : "not ") + "be set: collective=" + args.collective());
        }
    }

    /** Checks the active set of a request whose other arguments are valid. */
    private void checkActiveSet(final CollectiveArgs args)
    {
        final ActiveSet set = args.activeSet();
        if (Collective.BROADCAST != args.collective())
        {
            throw new IllegalArgumentException(
                "activeSet must be that of a BROADCAST: collective=" + args.collective());
        }

        if (!args.isTagged())
        {
            throw new IllegalArgumentException("tag must be set, as requests with an active set are matched by it");
        }

        if (!set.isWithin(size))
        {
            throw new IllegalArgumentException("activeSet must have size >= 1, start + stride * i must be 0 to " +
                (size - 1) + " for every i from 0 to size - 1, and stride must be 0 only for a size of 1: " + set);
        }

        if (!set.contains(myRank) || !set.contains(args.root()))
        {
            throw new IllegalArgumentException("activeSet must contain the caller and the root: " + set +
                ", caller=" + myRank + ", root=" + args.root());
        }
    }

    /** Fills in a call on blocks of one length. Also the part of a member that has only a block of its own. */
    private void equalBlocks(final CallArguments call, final Routine routine, final CollectiveArgs args)
    {
        final boolean hasSource = isRead(routine.source(), args);
        final boolean hasDest = isRead(routine.dest(), args);
        final int sourceBlocks = routine.source().isOfMembers() ? size : 1;
        final int destBlocks = routine.dest().isOfMembers() ? size : 1;
        final boolean isOneSided = routine.source().isOfMembers() != routine.dest().isOfMembers();
        final boolean isOwnBlock = isOneSided && isInPlace(args);
        final ElementType type = type(args);
        final long nelems = isOwnBlock ? blockCount(args, routine.dest().isOfMembers()) :
            !hasDest ? args.sourceCount() : hasSource ? sameCount(args, destBlocks, sourceBlocks) : args.destCount();
        final long bytes = ArgumentChecks.bytes(type, nelems, 1, "count");
        final long sourceBytes = hasSource ? ArgumentChecks.bytes(type, nelems, sourceBlocks, "count") : 0;
        final long destBytes = hasDest ? ArgumentChecks.bytes(type, nelems, destBlocks, "count") : 0;
        if (routine.isReduction())
        {
            reduction(call, routine, args, type, nelems);
        }
        else
        {
            call.of(routine, type, routine.isOfOwnCounts() ? 0 : nelems);
        }

        if (routine.source().isAtRoot() || routine.dest().isAtRoot() && !routine.isReduction())
        {
            final BlockLayout own = BlockLayout.ofOne(bytes, size);
            counts(call, routine.source().isAtRoot() ? own : null, routine.source().isAtRoot() ? null : own);
        }

        if (isOwnBlock)
        {
            resolveOwnBlock(call, args.dest(), Math.max(sourceBytes, destBytes), myRank * bytes);
            return;
        }

        if (Routine.ALLTOALL == routine && isInPlace(args))
        {
            requireCopy(sourceBytes);
        }

        checks.resolve(
            call, hasDest ? args.dest() : null, destBytes, hasSource ? args.source() : null, sourceBytes, !isOneSided);
    }

    private void reduceScatterv(final CallArguments call, final CollectiveArgs args)
    {
        final ElementType type = type(args);
        Arguments.notNull(type, "type");
        final BlockLayout blocks = new BlockLayout(type, size, args.destCounts(), null, "destV");
        reduction(call, Routine.REDUCE_SCATTERV, args, type, Arrays.stream(args.destCounts()).max().orElse(0));
        long hash = 0;
        for (final long count : args.destCounts())
        {
            checkPairs(call.reduction(), count);
            hash = (hash ^ count) * HASH_FACTOR;
            hash ^= hash >>> Integer.SIZE;
        }

        requireCount("source", args.sourceCount(), blocks.elements(), "the sum of the counts of destV");
        call.sourceCounts(blocks.byteCounts(), blocks.byteDisplacements()).countHash(hash & Long.MAX_VALUE);
        if (isInPlace(args))
        {
            resolveOwnBlock(call, args.source(), blocks.byteExtent(), blocks.byteDisplacement(myRank));
        }
        else
        {
            checks.resolve(call, args.dest(), blocks.byteCount(myRank), args.source(), blocks.byteExtent(), false);
        }
    }

    /** Fills in blocks with counts of their own. A buffer without counts is this PE's block of the other buffer. */
    private void pairedBlocks(final CallArguments call, final Routine routine, final CollectiveArgs args)
    {
        final ElementType type = type(args);
        final BlockLayout dest = null == args.destCounts() ? null :
            new BlockLayout(type, size, args.destCounts(), args.destDisplacements(), "destV");
        final BlockLayout source = null == args.sourceCounts() ? null :
            new BlockLayout(type, size, args.sourceCounts(), args.sourceDisplacements(), "sourceV");
        final BlockLayout blocks = null == dest ? source : dest;
        final long bytes = blocks.byteCount(myRank);
        final BlockLayout own = BlockLayout.ofOne(bytes, size);
        call.of(routine, type, 0);
        counts(call, null == dest ? own : dest, null == source ? own : source);
        final boolean isInPlace = isInPlace(args);
        if (isInPlace && null != dest && null != source)
        {
            requireSameBlocks(dest, source);
            requireCopy(dest.byteExtent());
        }
        else if (isInPlace)
        {
            resolveOwnBlock(call, args.dest(), blocks.byteExtent(), blocks.byteDisplacement(myRank));
            if (null != dest)
            {
                BlockLayout.checkDisjoint(dest, null, 0);
            }

            return;
        }

        if (null == dest)
        {
            requireCount("dest", args.destCount(), args.sourceCounts()[myRank], "that of this PE's block of sourceV");
        }
        else
        {
            requireCount(
                null == source ? "source" : "block " + myRank + " of sourceV",
                null == source ? args.sourceCount() : args.sourceCounts()[myRank],
                args.destCounts()[myRank],
                "that of this PE's block of destV");
        }

        checks.resolveDest(call, args.dest(), null == dest ? bytes : dest.byteExtent());
        checks.resolveSource(call, args.source(), null == source ? bytes : source.byteExtent());
        BlockLayout.checkDisjoint(
            null == dest ? BlockLayout.ofOne(bytes, 1) : dest,
            isInPlace ? null : null == source ? own : source,
            distance(args.dest(), args.source(), call));
    }

    /** In place, an exchange copies its source. */
    private static void requireCopy(final long bytes)
    {
        if (bytes > MAX_COPY)
        {
            throw new IllegalArgumentException(
                "source must have <= " + MAX_COPY + " bytes in place, as it is copied: " + bytes);
        }
    }

    private static void requireSameBlocks(final BlockLayout dest, final BlockLayout source)
    {
        if (!Arrays.equals(dest.byteCounts(), source.byteCounts()) ||
            !Arrays.equals(dest.byteDisplacements(), source.byteDisplacements()))
        {
            throw new IllegalArgumentException(
                "the counts and displacements of destV and sourceV must be the same in place");
        }
    }

    private void reduction(
        final CallArguments call,
        final Routine routine,
        final CollectiveArgs args,
        final ElementType type,
        final long nelems)
    {
        final Reduction reduction =
            routine.isScan() ? Reduction.of(args.op(), type) : Reduction.ofRequest(args.op(), type);
        checkPairs(reduction, nelems);
        call.of(routine, reduction, type, nelems).finishNeeded(reduction.needsFinish(size));
    }

    private static void checkPairs(final Reduction reduction, final long nelems)
    {
        if (reduction.isOfPairs() && 0 != (nelems & 1))
        {
            throw new IllegalArgumentException("the count of a block must be even for " + ReduceOp.MAXLOC + " and " +
                ReduceOp.MINLOC + ", whose elements are pairs: count=" + nelems);
        }
    }

    private static void counts(
        final CallArguments call, final BlockLayout destOrNull, final BlockLayout sourceOrNull)
    {
        if (null != destOrNull)
        {
            call.counts(destOrNull.byteCounts(), destOrNull.byteDisplacements());
        }

        if (null != sourceOrNull)
        {
            call.sourceCounts(sourceOrNull.byteCounts(), sourceOrNull.byteDisplacements());
        }
    }

    /** Fills in the blocks of all members, and that of this PE in them as the other buffer. */
    private void resolveOwnBlock(
        final CallArguments call, final SymmetricBuffer blocks, final long bytes, final long displacement)
    {
        checks.resolve(call, blocks, bytes, blocks, bytes, true);
        if (call.routine().dest().isOfMembers())
        {
            call.sourceAtOwnBlock(displacement);
        }
        else
        {
            call.destAtOwnBlock(displacement);
        }
    }

    /** Returns whether source and dest begin at the same address. */
    private static boolean isInPlace(final CollectiveArgs args)
    {
        final SymmetricBuffer source = args.source();
        final SymmetricBuffer dest = args.dest();
        return null != source && null != dest && HeapAccess.region(source) == HeapAccess.region(dest) &&
            HeapAccess.start(source) == HeapAccess.start(dest);
    }

    /** Returns the distance from dest to source in bytes; a distance beyond all blocks if they cannot overlap. */
    private static long distance(final SymmetricBuffer dest, final SymmetricBuffer source, final CallArguments call)
    {
        return null != dest && null != source && HeapAccess.region(source) == HeapAccess.region(dest) ?
            call.sourceOffset() - call.destOffset() : Long.MAX_VALUE / 2;
    }

    private static ElementType type(final CollectiveArgs args)
    {
        if (null != args.sourceType() && null != args.destType() && args.sourceType() != args.destType())
        {
            throw new IllegalArgumentException("source and dest must have one type: source has " + args.sourceType() +
                ", dest " + args.destType());
        }

        return Arguments.notNull(args.sourceType(), "type");
    }

    /** Returns the count of a block, of which dest and source have these numbers. */
    private static long sameCount(final CollectiveArgs args, final int destBlocks, final int sourceBlocks)
    {
        final long nelems = args.sourceCount() / sourceBlocks;
        if (0 != args.sourceCount() % sourceBlocks || 0 != args.destCount() % destBlocks ||
            nelems != args.destCount() / destBlocks)
        {
            throw new IllegalArgumentException("the counts of dest and source must be " + destBlocks + " and " +
                sourceBlocks + " times the same number: dest has " + args.destCount() + ", source " +
                args.sourceCount());
        }

        return nelems;
    }

    /** Returns the count of a block of dest, or of source, which has one for each member. */
    private long blockCount(final CollectiveArgs args, final boolean isDest)
    {
        final long count = isDest ? args.destCount() : args.sourceCount();
        if (0 != count % size)
        {
            throw new IllegalArgumentException(
                "the count of " + (isDest ? "dest" : "source") + " must be a multiple of " + size + " members: " +
                count);
        }

        return count / size;
    }

    private static void requireCount(final String name, final long count, final long required, final String rule)
    {
        if (count != required)
        {
            throw new IllegalArgumentException(
                "the count of " + name + " must be " + rule + ", " + required + ": " + count);
        }
    }
}
