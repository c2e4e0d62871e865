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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
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

    private final ArgumentChecks checks;
    private final CollectiveEngine engine;
    private final TeamLatency latency;
    private final TeamWorkspace workspace;
    private final int size;
    private final int myRank;
    private final CallArguments call = new CallArguments();
    private final CallArguments exchangeCall = new CallArguments();
    private long[] byteCounts;
    private long[] byteDisplacements;

    public TeamCollectives(final PeIdentity owner, final CollectiveEngine engine, final TeamLatency latency)
    {
        this.engine = engine;
        this.latency = latency;
        workspace = engine.resources().workspace();
        size = engine.resources().mailboxes().size();
        checks = new ArgumentChecks(owner, size);
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
        checks.broadcast(call, type, dest, source, nelems, root);
        run(nelems);
    }

    /** {@link io.aeroshmem.Team#collect}. */
    public void collect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        final long bytes = checks.collect(call, type, dest, source, nelems);
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
        checks.aim(call, dest, total, source, bytes, false);
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
        checks.fcollect(call, type, dest, source, nelems);
        run(nelems);
    }

    /** {@link io.aeroshmem.Team#alltoall}. */
    public void alltoall(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        checks.alltoall(call, type, dest, source, nelems);
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
        checks.alltoalls(call, type, dest, source, destStride, sourceStride, nelems);
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
        checks.reduce(call, op, type, dest, source, nreduce);
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
        checks.reduceScatter(call, op, type, dest, source, nreduce);
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
        checks.scan(call, routine, op, type, dest, source, n);
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
        checks.root(root);
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
        if (0 != nelems || engine.isSynchronized())
        {
            engine.run(call);
        }
    }
}
