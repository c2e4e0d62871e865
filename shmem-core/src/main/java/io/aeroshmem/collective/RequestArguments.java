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

import io.aeroshmem.ActiveSet;
import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.memory.HeapAccess;

import java.util.Arrays;

/**
 * The checks of the arguments of requests. A check fills in the {@link CallArguments} of a valid request, or throws the
 * exception that {@link io.aeroshmem.Team#request} documents. Arguments that have no meaning on this member, such as
 * the dest of a gather on a member that is not the root, are not read. Immutable.
 */
final class RequestArguments
{
    private static final long MAX_COPY = Integer.MAX_VALUE - 4096;
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final ArgumentChecks checks;
    private final int size;
    private final int myRank;

    RequestArguments(final ArgumentChecks checks, final int size, final int myRank)
    {
        this.checks = checks;
        this.size = size;
        this.myRank = myRank;
    }

    /**
     * Fills in the call of a request.
     *
     * @param args kept by the request; buffers that do not matter on this member are removed from it.
     */
    void fill(final CallArguments call, final CollectiveArgs args)
    {
        final Collective collective = Arguments.notNull(args.collective(), "collective");
        removeUnread(collective, args);
        checkForms(collective, args);
        switch (collective)
        {
            case BARRIER:
                call.of(Routine.SYNC, ElementType.BYTE, 0);
                break;

            case FAN_IN:
                fan(call, Routine.FAN_IN, args.root());
                break;

            case FAN_OUT:
                fan(call, Routine.FAN_OUT, args.root());
                break;

            case BROADCAST:
                broadcast(call, args);
                break;

            case ALLREDUCE:
                allreduce(call, args);
                break;

            case REDUCE:
                rootedReduce(call, args);
                break;

            case REDUCE_SCATTER:
                reduceScatter(call, args);
                break;

            case REDUCE_SCATTERV:
                reduceScatterv(call, args);
                break;

            case ALLGATHER:
                allgather(call, args);
                break;

            case ALLGATHERV:
                allgatherv(call, args);
                break;

            case GATHER:
                gather(call, args);
                break;

            case GATHERV:
                gatherv(call, args);
                break;

            case SCATTER:
                scatter(call, args);
                break;

            case SCATTERV:
                scatterv(call, args);
                break;

            case ALLTOALL:
                alltoall(call, args);
                break;

            case ALLTOALLV:
                alltoallv(call, args);
                break;

            case INCLUSIVE_SCAN:
                scan(call, Routine.INCLUSIVE_SCAN, args);
                break;

            case EXCLUSIVE_SCAN:
                scan(call, Routine.EXCLUSIVE_SCAN, args);
                break;

            default:
                throw new IllegalArgumentException("collective is unknown: collective=" + collective);
        }
    }

    private void removeUnread(final Collective collective, final CollectiveArgs args)
    {
        final boolean isRoot = myRank == args.root();
        boolean isSourceRead = true;
        boolean isDestRead = true;
        switch (collective)
        {
            case BARRIER:
            case FAN_IN:
            case FAN_OUT:
                isSourceRead = false;
                isDestRead = false;
                break;

            case REDUCE:
            case GATHER:
            case GATHERV:
                isDestRead = isRoot;
                break;

            case SCATTER:
            case SCATTERV:
                isSourceRead = isRoot;
                break;

            default:
                break;
        }

        if (!isSourceRead)
        {
            args.source(null, 0, ElementType.BYTE);
        }
        if (!isDestRead)
        {
            args.dest(null, 0, ElementType.BYTE);
        }
    }

    /** Checks that source and dest, where they are read, have counts of their own for each block or not. */
    private void checkForms(final Collective collective, final CollectiveArgs args)
    {
        final boolean isRoot = myRank == args.root();
        checkForm(
            collective, "sourceV", args.sourceCounts(),
            Collective.ALLTOALLV == collective || Collective.SCATTERV == collective && isRoot);
        checkForm(
            collective, "destV", args.destCounts(),
            Collective.ALLTOALLV == collective || Collective.GATHERV == collective && isRoot ||
            Collective.ALLGATHERV == collective || Collective.REDUCE_SCATTERV == collective);
    }

    private static void checkForm(
        final Collective collective, final String name, final long[] counts, final boolean isRequired)
    {
        if (isRequired == (null == counts))
        {
            throw new IllegalArgumentException(
                name + " must " + (isRequired ? "" : "not ") + "be set: collective=" + collective);
        }
    }

    /** Checks the active set of a request whose other arguments are valid. */
    void activeSet(final CollectiveArgs args)
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

    private void fan(final CallArguments call, final Routine routine, final int root)
    {
        checks.root(root);
        call.of(routine, ElementType.BYTE, 0).root(root);
    }

    private void broadcast(final CallArguments call, final CollectiveArgs args)
    {
        if (null == args.dest())
        {
            broadcast(call, args, args.sourceType(), args.source(), args.source(), args.sourceCount());
        }
        else if (null == args.source())
        {
            broadcast(call, args, args.destType(), args.dest(), args.dest(), args.destCount());
        }
        else
        {
            broadcast(call, args, type(args), args.dest(), args.source(), sameCount(args, 1, 1));
        }
    }

    private void broadcast(
        final CallArguments call,
        final CollectiveArgs args,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        checks.blocks(call, Routine.BROADCAST, null, type, dest, source, nelems, args.root());
    }

    private void allreduce(final CallArguments call, final CollectiveArgs args)
    {
        final long bytes = reduction(call, Routine.REDUCE, args, type(args), sameCount(args, 1, 1));
        checks.aim(call, args.dest(), bytes, args.source(), bytes, true);
    }

    private void rootedReduce(final CallArguments call, final CollectiveArgs args)
    {
        checks.root(args.root());
        final boolean isRoot = myRank == args.root();
        final ElementType type = isRoot ? type(args) : args.sourceType();
        final long nelems = isRoot ? sameCount(args, 1, 1) : args.sourceCount();
        final long bytes = reduction(call, Routine.ROOTED_REDUCE, args, type, nelems);
        call.root(args.root());
        checks.aim(call, isRoot ? args.dest() : null, isRoot ? bytes : 0, args.source(), bytes, true);
    }

    private void reduceScatter(final CallArguments call, final CollectiveArgs args)
    {
        final boolean isInPlace = isInPlace(args);
        final ElementType type = type(args);
        final long nelems = isInPlace ? blockCount(args.sourceCount(), "source") : sameCount(args, 1, size);
        final long bytes = reduction(call, Routine.REDUCE_SCATTER, args, type, nelems);
        final long sourceBytes = ArgumentChecks.bytes(type, nelems, size, "count");
        if (isInPlace)
        {
            checks.aim(call, args.source(), sourceBytes, args.source(), sourceBytes, true);
            call.destAtOwnBlock(myRank * bytes);
        }
        else
        {
            checks.aim(call, args.dest(), bytes, args.source(), sourceBytes, false);
        }
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
            checks.aim(call, args.source(), blocks.byteExtent(), args.source(), blocks.byteExtent(), true);
            call.destAtOwnBlock(blocks.byteDisplacement(myRank));
        }
        else
        {
            checks.aim(call, args.dest(), blocks.byteCount(myRank), args.source(), blocks.byteExtent(), false);
        }
    }

    private void allgather(final CallArguments call, final CollectiveArgs args)
    {
        if (isInPlace(args))
        {
            final ElementType type = type(args);
            final long nelems = blockCount(args.destCount(), "dest");
            call.of(Routine.FCOLLECT, type, nelems);
            ownBlockOfDest(call, args, nelems * type.bytes());
        }
        else
        {
            checks.blocks(
                call, Routine.FCOLLECT, null, type(args), args.dest(), args.source(), sameCount(args, size, 1), 0);
        }
    }

    private void allgatherv(final CallArguments call, final CollectiveArgs args)
    {
        final ElementType type = type(args);
        call.of(Routine.ALLGATHERV, type, 0);
        gatherBlocks(call, args, type);
    }

    private void gather(final CallArguments call, final CollectiveArgs args)
    {
        checks.root(args.root());
        if (myRank != args.root())
        {
            call.of(Routine.GATHER, Arguments.notNull(args.sourceType(), "type"), args.sourceCount());
            sendOneBlock(call, args);
            return;
        }

        final ElementType type = type(args);
        final boolean isInPlace = isInPlace(args);
        final long nelems = isInPlace ? blockCount(args.destCount(), "dest") : sameCount(args, size, 1);
        final long bytes = ArgumentChecks.bytes(type, nelems, 1, "count");
        final long destBytes = ArgumentChecks.bytes(type, nelems, size, "count");
        call.of(Routine.GATHER, type, nelems).root(myRank);
        one(call, bytes, true);
        if (isInPlace)
        {
            ownBlockOfDest(call, args, bytes);
        }
        else
        {
            checks.aim(call, args.dest(), destBytes, args.source(), bytes, false);
        }
    }

    private void gatherv(final CallArguments call, final CollectiveArgs args)
    {
        checks.root(args.root());
        if (myRank != args.root())
        {
            call.of(Routine.GATHERV, Arguments.notNull(args.sourceType(), "type"), 0);
            sendOneBlock(call, args);
            return;
        }

        final ElementType type = type(args);
        call.of(Routine.GATHERV, type, 0).root(myRank);
        gatherBlocks(call, args, type);
    }

    private void sendOneBlock(final CallArguments call, final CollectiveArgs args)
    {
        final long bytes = ArgumentChecks.bytes(call.type(), args.sourceCount(), 1, "count");
        call.root(args.root());
        one(call, bytes, true);
        checks.aim(call, null, 0, args.source(), bytes, false);
    }

    /** Fills in the blocks of dest, and source, which is this member's block. */
    private void gatherBlocks(final CallArguments call, final CollectiveArgs args, final ElementType type)
    {
        final BlockLayout blocks = new BlockLayout(type, size, args.destCounts(), args.destDisplacements(), "destV");
        final long bytes = blocks.byteCount(myRank);
        call.counts(blocks.byteCounts(), blocks.byteDisplacements());
        one(call, bytes, true);
        if (isInPlace(args))
        {
            checks.aim(call, args.dest(), blocks.byteExtent(), args.dest(), blocks.byteExtent(), true);
            BlockLayout.checkDisjoint(blocks, null, 0);
            call.sourceAtOwnBlock(blocks.byteDisplacement(myRank));
        }
        else
        {
            requireCount("source", args.sourceCount(), args.destCounts()[myRank], "that of this PE's block of destV");
            checks.aimDest(call, args.dest(), blocks.byteExtent());
            checks.aimSource(call, args.source(), bytes);
            BlockLayout.checkDisjoint(blocks, BlockLayout.ofOne(bytes, 1), distance(args.dest(), args.source(), call));
        }
    }

    private void scatter(final CallArguments call, final CollectiveArgs args)
    {
        checks.root(args.root());
        if (myRank != args.root())
        {
            call.of(Routine.SCATTER, Arguments.notNull(args.destType(), "type"), args.destCount());
            receiveOneBlock(call, args);
            return;
        }

        final ElementType type = type(args);
        final boolean isInPlace = isInPlace(args);
        final long nelems = isInPlace ? blockCount(args.sourceCount(), "source") : sameCount(args, 1, size);
        final long bytes = ArgumentChecks.bytes(type, nelems, 1, "count");
        final long sourceBytes = ArgumentChecks.bytes(type, nelems, size, "count");
        call.of(Routine.SCATTER, type, nelems).root(myRank);
        one(call, bytes, false);
        if (isInPlace)
        {
            checks.aim(call, args.source(), sourceBytes, args.source(), sourceBytes, true);
            call.destAtOwnBlock(myRank * bytes);
        }
        else
        {
            checks.aim(call, args.dest(), bytes, args.source(), sourceBytes, false);
        }
    }

    private void scatterv(final CallArguments call, final CollectiveArgs args)
    {
        checks.root(args.root());
        if (myRank != args.root())
        {
            call.of(Routine.SCATTERV, Arguments.notNull(args.destType(), "type"), 0);
            receiveOneBlock(call, args);
            return;
        }

        final ElementType type = type(args);
        final BlockLayout blocks =
            new BlockLayout(type, size, args.sourceCounts(), args.sourceDisplacements(), "sourceV");
        final long bytes = blocks.byteCount(myRank);
        call.of(Routine.SCATTERV, type, 0).root(myRank)
            .sourceCounts(blocks.byteCounts(), blocks.byteDisplacements());
        one(call, bytes, false);
        if (isInPlace(args))
        {
            checks.aim(call, args.source(), blocks.byteExtent(), args.source(), blocks.byteExtent(), true);
            call.destAtOwnBlock(blocks.byteDisplacement(myRank));
        }
        else
        {
            requireCount("dest", args.destCount(), args.sourceCounts()[myRank], "that of this PE's block of sourceV");
            checks.aimDest(call, args.dest(), bytes);
            checks.aimSource(call, args.source(), blocks.byteExtent());
            BlockLayout.checkDisjoint(BlockLayout.ofOne(bytes, 1), blocks, distance(args.dest(), args.source(), call));
        }
    }

    private void receiveOneBlock(final CallArguments call, final CollectiveArgs args)
    {
        final long bytes = ArgumentChecks.bytes(call.type(), args.destCount(), 1, "count");
        call.root(args.root());
        one(call, bytes, false);
        checks.aim(call, args.dest(), bytes, null, 0, false);
    }

    private void alltoall(final CallArguments call, final CollectiveArgs args)
    {
        final ElementType type = type(args);
        final long nelems = sameCount(args, size, size);
        final long bytes = ArgumentChecks.bytes(type, nelems, size, "count");
        if (isInPlace(args))
        {
            requireCopy(bytes);
        }

        call.of(Routine.ALLTOALL, type, nelems);
        checks.aim(call, args.dest(), bytes, args.source(), bytes, true);
    }

    private void alltoallv(final CallArguments call, final CollectiveArgs args)
    {
        final ElementType type = type(args);
        final BlockLayout dest = new BlockLayout(type, size, args.destCounts(), args.destDisplacements(), "destV");
        final BlockLayout source =
            new BlockLayout(type, size, args.sourceCounts(), args.sourceDisplacements(), "sourceV");
        final boolean isInPlace = isInPlace(args);
        if (isInPlace)
        {
            requireSameBlocks(dest, source);
            requireCopy(dest.byteExtent());
        }

        requireCount(
            "block " + myRank + " of sourceV", args.sourceCounts()[myRank], args.destCounts()[myRank],
            "that of this PE's block of destV");
        call.of(Routine.ALLTOALLV, type, 0)
            .counts(dest.byteCounts(), dest.byteDisplacements())
            .sourceCounts(source.byteCounts(), source.byteDisplacements());
        checks.aimDest(call, args.dest(), dest.byteExtent());
        checks.aimSource(call, args.source(), source.byteExtent());
        BlockLayout.checkDisjoint(dest, isInPlace ? null : source, distance(args.dest(), args.source(), call));
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

    private void scan(final CallArguments call, final Routine routine, final CollectiveArgs args)
    {
        checks.blocks(
            call, routine, args.op(), type(args), args.dest(), args.source(), sameCount(args, 1, 1), 0);
    }

    /** Fills in a reduction, and returns the length of a block in bytes. */
    private long reduction(
        final CallArguments call,
        final Routine routine,
        final CollectiveArgs args,
        final ElementType type,
        final long nelems)
    {
        final Reduction reduction = Reduction.ofRequest(args.op(), type);
        final long bytes = ArgumentChecks.bytes(type, nelems, 1, "count");
        checkPairs(reduction, nelems);
        call.of(routine, reduction, type, nelems).finishNeeded(reduction.needsFinish(size));
        return bytes;
    }

    private static void checkPairs(final Reduction reduction, final long nelems)
    {
        if (reduction.isOfPairs() && 0 != (nelems & 1))
        {
            throw new IllegalArgumentException("the count of a block must be even for " + ReduceOp.MAXLOC + " and " +
                ReduceOp.MINLOC + ", whose elements are pairs: count=" + nelems);
        }
    }

    /** Fills in that dest or source is one block. */
    private void one(final CallArguments call, final long bytes, final boolean isSource)
    {
        final BlockLayout blocks = BlockLayout.ofOne(bytes, size);
        if (isSource)
        {
            call.sourceCounts(blocks.byteCounts(), blocks.byteDisplacements());
        }
        else
        {
            call.counts(blocks.byteCounts(), blocks.byteDisplacements());
        }
    }

    private void ownBlockOfDest(final CallArguments call, final CollectiveArgs args, final long blockBytes)
    {
        final long bytes = ArgumentChecks.bytes(call.type(), call.nelems(), size, "count");
        checks.aim(call, args.dest(), bytes, args.dest(), bytes, true);
        call.sourceAtOwnBlock(myRank * blockBytes);
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

    private long blockCount(final long count, final String name)
    {
        if (0 != count % size)
        {
            throw new IllegalArgumentException(
                "the count of " + name + " must be a multiple of " + size + " members: " + count);
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
