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
import io.aeroshmem.MemoryKind;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import org.agrona.UnsafeApi;

/**
 * One PE's side of a team's collectives: it validates the arguments of a call before anything is sent, then has the
 * {@link CollectiveEngine} perform it. A call without elements on any member returns at once.
 */
public class TeamCollectives
{
    private static final long SCALAR_DISTANCE = 64;

    /**
     * Offset of the room in dest in the record of a collect, which follows the number of bytes that the member
     * contributes.
     */
    private static final long DEST_LENGTH = 8;
    private static final long DEST_LIMIT = 16;
    private static final long NO_DEST = -1;
    private static final long EXCHANGE_SIGNATURE = CallSignature.of(CallSignature.EXCHANGE);

    private final PeIdentity owner;
    private final CollectiveEngine engine;
    private final TeamLatency latency;
    private final TeamWorkspace workspace;
    private final int size;
    private final int myRank;
    private final CollectiveRequest call = new CollectiveRequest();
    private final CollectiveRequest exchangeCall = new CollectiveRequest();
    private long[] byteCounts;
    private long[] byteDisplacements;

    public TeamCollectives(final PeIdentity owner, final CollectiveEngine engine, final TeamLatency latency)
    {
        this.owner = owner;
        this.engine = engine;
        this.latency = latency;
        workspace = engine.resources().workspace();
        size = engine.resources().mailboxes().size();
        myRank = engine.resources().mailboxes().myRank();
    }

    public CollectiveEngine engine()
    {
        return engine;
    }

    public TeamLatency latency()
    {
        return latency;
    }

    /**
     * Prepares a call on the heap, which uses the barrier of the world too: checks that the team is in step and, where
     * collectives are checked, that all members make such a call.
     *
     * @param kind of call, see {@link io.aeroshmem.memory.AllocationConsensus}.
     */
    public void beginHeapCall(final int kind, final long first, final long second)
    {
        engine.checkInStep();
    }

    /**
     * Notes a call on the heap that has no effect, such as malloc of 0 bytes, and sends nothing to the other members.
     *
     * @param kind of call, see {@link io.aeroshmem.memory.AllocationConsensus}.
     */
    public void omitHeapCall(final int kind)
    {
    }

    /** {@link io.aeroshmem.Team#barrier()}. */
    public void barrier()
    {
        engine.checkInStep();
        if (!latency.isOn())
        {
            engine.barrier();
            return;
        }

        final long startNs = System.nanoTime();
        engine.barrier();
        latency.record(Routine.BARRIER, 0, startNs, System.nanoTime());
    }

    /** {@link io.aeroshmem.Team#sync()}. */
    public void sync()
    {
        engine.checkInStep();
        if (!latency.isOn())
        {
            engine.sync();
            return;
        }

        final long startNs = System.nanoTime();
        engine.sync();
        latency.record(Routine.SYNC, 0, startNs, System.nanoTime());
    }

    /** {@link io.aeroshmem.Team#broadcast}. */
    public void broadcast(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        checkRoot(root);
        final long bytes = bytes(type, nelems, 1, "nelems");
        call.of(Routine.BROADCAST, type, nelems).root(root);
        aim(dest, bytes, source, bytes, true);
        run(nelems);
    }

    /** {@link io.aeroshmem.Team#collect}. */
    public void collect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        final long bytes = bytes(type, nelems, 1, "nelems");
        call.of(Routine.COLLECT, type, nelems);
        aim(dest, bytes, source, bytes, false);
        if (!latency.isOn())
        {
            performCollect(type, dest, source, bytes);
            return;
        }

        final long startNs = System.nanoTime();
        performCollect(type, dest, source, bytes);
        latency.record(Routine.COLLECT, bytes, startNs, System.nanoTime());
    }

    private void performCollect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long bytes)
    {
        agree();
        final long record = ownRecord();
        UnsafeApi.putLong(record, bytes);
        UnsafeApi.putLong(record + DEST_LENGTH, null == dest ? NO_DEST : HeapAccess.length(dest));
        UnsafeApi.putLong(record + DEST_LIMIT, destLimit(dest, source, bytes));
        final long signature = CallSignature.of(Routine.COLLECT, false, type, null, 0, 0);
        exchange(signature);

        if (null == byteCounts)
        {
            byteCounts = new long[size];
            byteDisplacements = new long[size];
        }

        long total = 0;
        for (int rank = 0; rank < size; rank++)
        {
            byteDisplacements[rank] = total;
            byteCounts[rank] = UnsafeApi.getLong(record(rank));
            total += byteCounts[rank];
            if (total < 0)
            {
                throw new IllegalArgumentException(
                    "the nelems of all members together must be <= " + Long.MAX_VALUE + " bytes");
            }
        }

        checkDests(total);
        call.of(Routine.FCOLLECT, type, longest(type)).counts(byteCounts, byteDisplacements);
        call.sign(signature);
        aim(dest, total, source, bytes, false);
        perform(total);
    }

    /** Returns the length of the part of dest that precedes source. */
    private static long destLimit(final SymmetricBuffer dest, final SymmetricBuffer source, final long bytes)
    {
        if (0 == bytes || null == dest || HeapAccess.region(dest) != HeapAccess.region(source))
        {
            return Long.MAX_VALUE;
        }

        final long distance = HeapAccess.start(source) - HeapAccess.start(dest);
        return distance >= 0 ? distance : distance + bytes > 0 ? 0 : Long.MAX_VALUE;
    }

    /**
     * Checks the room in dest of all members. The length of a collect is known only now, so a lack of room on one
     * member fails the call on all of them.
     */
    private void checkDests(final long total)
    {
        for (int rank = 0; rank < size; rank++)
        {
            final long length = UnsafeApi.getLong(record(rank) + DEST_LENGTH);
            if (total > Math.max(length, 0))
            {
                final String text = "dest must have >= " + total + " bytes, the sources of all members: dest of PE " +
                    engine.resources().mailboxes().worldPe(rank) + " ";
                throw NO_DEST == length ?
                    new IllegalArgumentException(text + "is null") :
                    new IndexOutOfBoundsException(text + "has " + length + " bytes");
            }

            final long limit = UnsafeApi.getLong(record(rank) + DEST_LIMIT);
            if (total > limit)
            {
                throw new IllegalArgumentException(
                    "dest and source must be disjoint: source of PE " + engine.resources().mailboxes().worldPe(rank) +
                    " begins at byte " + limit + " of the " + total + " bytes of dest");
            }
        }
    }

    private long longest(final ElementType type)
    {
        long longest = 0;
        for (final long count : byteCounts)
        {
            longest = Math.max(longest, count);
        }

        return longest / type.bytes();
    }

    /** {@link io.aeroshmem.Team#fcollect}. */
    public void fcollect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        final long bytes = bytes(type, nelems, 1, "nelems");
        call.of(Routine.FCOLLECT, type, nelems);
        aim(dest, bytes(type, nelems, size, "nelems"), source, bytes, false);
        run(nelems);
    }

    /** {@link io.aeroshmem.Team#alltoall}. */
    public void alltoall(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        final long bytes = bytes(type, nelems, size, "nelems");
        call.of(Routine.ALLTOALL, type, nelems);
        aim(dest, bytes, source, bytes, false);
        run(nelems);
    }

    /** {@link io.aeroshmem.Team#alltoalls}. */
    public void alltoalls(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long destStride,
        final long sourceStride,
        final long nelems)
    {
        bytes(type, nelems, size, "nelems");
        call.of(Routine.ALLTOALLS, type, nelems).strides(destStride, sourceStride);
        aim(
            dest,
            extent(type, nelems, destStride, "destStride"),
            source,
            extent(type, nelems, sourceStride, "sourceStride"),
            false);
        run(nelems);
    }

    /** {@link io.aeroshmem.Team#reduce}. */
    public void reduce(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        final Reduction reduction = Reduction.of(op, type);
        final long bytes = bytes(type, nreduce, 1, "nreduce");
        call.of(Routine.REDUCE, type, nreduce).reduction(reduction);
        aim(dest, bytes, source, bytes, true);
        run(nreduce);
    }

    /** {@link io.aeroshmem.Team#reduceScatter}. */
    public void reduceScatter(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        final Reduction reduction = Reduction.of(op, type);
        final long bytes = bytes(type, nreduce, 1, "nreduce");
        call.of(Routine.REDUCE_SCATTER, type, nreduce).reduction(reduction);
        aim(dest, bytes, source, bytes(type, nreduce, size, "nreduce"), true);
        run(nreduce);
    }

    /** {@link io.aeroshmem.Team#inclusiveScan} and {@link io.aeroshmem.Team#exclusiveScan}. */
    public void scan(
        final Routine routine,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        final Reduction reduction = Reduction.of(op, type);
        final long bytes = bytes(type, n, 1, "n");
        call.of(routine, type, n).reduction(reduction);
        aim(dest, bytes, source, bytes, true);
        run(n);
    }

    /** {@link io.aeroshmem.Team#reduceLong}. */
    public long reduceLong(final ReduceOp op, final long value)
    {
        return reduceScalar(op, ElementType.LONG, value);
    }

    /** {@link io.aeroshmem.Team#reduceDouble}. */
    public double reduceDouble(final ReduceOp op, final double value)
    {
        return Double.longBitsToDouble(
            reduceScalar(op, ElementType.DOUBLE, Double.doubleToRawLongBits(value)));
    }

    private long reduceScalar(final ReduceOp op, final ElementType type, final long bits)
    {
        final Reduction reduction = Reduction.of(op, type);
        final long scalars = workspace.scalars();
        UnsafeApi.putLong(scalars, bits);
        call.of(Routine.REDUCE, type, 1).reduction(reduction).local(scalars + SCALAR_DISTANCE, scalars);
        run(1);
        return UnsafeApi.getLong(scalars + SCALAR_DISTANCE);
    }

    /** {@link io.aeroshmem.Team#broadcastLong}. */
    public long broadcastLong(final long value, final int root)
    {
        checkRoot(root);
        final long scalars = workspace.scalars();
        UnsafeApi.putLong(scalars, value);
        call.of(Routine.BROADCAST, ElementType.LONG, 1).root(root).local(scalars + SCALAR_DISTANCE, scalars);
        run(1);
        return UnsafeApi.getLong(scalars + SCALAR_DISTANCE);
    }

    /** Returns the address of the record that this member contributes to the next {@link #exchange()}. */
    public long ownRecord()
    {
        return record(myRank);
    }

    /** Returns the address of the record that a member contributed to the last {@link #exchange()}. */
    public long record(final int rank)
    {
        return workspace.records() + (long)rank * TeamWorkspace.RECORD_LENGTH;
    }

    /** Exchanges the members' records. Collective; not visible to the program. */
    public void exchange()
    {
        exchange(EXCHANGE_SIGNATURE);
    }

    private void exchange(final long signature)
    {
        engine.checkInStep();
        exchangeCall.of(Routine.FCOLLECT, ElementType.BYTE, TeamWorkspace.RECORD_LENGTH)
            .local(record(0), ownRecord())
            .sign(signature);
        engine.run(exchangeCall);
    }

    /**
     * Checks, where collectives are checked, that all members make this call. Called after the arguments are validated
     * and before anything is sent.
     */
    void agree()
    {
    }

    private void run(final long nelems)
    {
        call.sign();
        if (!latency.isOn())
        {
            perform(nelems);
            return;
        }

        final long startNs = System.nanoTime();
        perform(nelems);
        latency.record(call.routine(), call.blockBytes(), startNs, System.nanoTime());
    }

    private void perform(final long nelems)
    {
        engine.checkInStep();
        agree();
        if (0 != nelems)
        {
            engine.run(call);
        }
    }

    private void checkRoot(final int root)
    {
        if (root < 0 || root >= size)
        {
            throw new IllegalArgumentException(
                "root must be a rank of the team, 0 to " + (size - 1) + ": root=" + root);
        }
    }

    /** Returns the length of a number of blocks after range checks. A division would delay the stores behind it. */
    private static long bytes(final ElementType type, final long nelems, final int blocks, final String name)
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

    private void aim(
        final SymmetricBuffer dest,
        final long destBytes,
        final SymmetricBuffer source,
        final long sourceBytes,
        final boolean isInPlaceAllowed)
    {
        final long destOffset = offset(Operand.DEST_WHOLE, dest, destBytes);
        final long sourceOffset = offset(Operand.SOURCE_WHOLE, source, sourceBytes);
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
            call.dest(HeapAccess.region(dest), destOffset, HeapAccess.localAddress(dest, 0, destBytes));
        }

        if (null != source)
        {
            call.source(HeapAccess.region(source), sourceOffset, HeapAccess.localAddress(source, 0, sourceBytes));
        }
    }

    private long offset(final Operand operand, final SymmetricBuffer buffer, final long bytes)
    {
        if (null == buffer && 0 == bytes)
        {
            return 0;
        }

        final long offset = HeapAccess.address(buffer, owner, 0, bytes, operand);
        if (MemoryKind.HOST != buffer.kind())
        {
            throw new IllegalArgumentException(operand.given(HeapAccess.describe(buffer)) + " must be host memory");
        }

        final int alignment = call.type().alignment();
        if (0 != (offset & (alignment - 1)))
        {
            throw HeapAccess.misaligned(buffer, 0, alignment, operand);
        }

        return offset;
    }
}
