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
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.memory.HeapAccess;
import org.agrona.UnsafeApi;

import java.util.Arrays;

/**
 * Collectives of a team whose members tell each other before each call what they call, for finding mistakes (property
 * {@code aeroshmem.check.collectives}). When they differ, all of them get {@link
 * io.aeroshmem.CollectiveMismatchException}, nothing has been done, and the team serves the next call.
 * <p>
 * A member that refuses the arguments of its call takes part in telling all the same, so that the others do not wait
 * for it in vain: they and it get that exception. When all members made the same mistake, each gets its own exception,
 * as it would without checks.
 * <p>
 * Members tell by the exchange that also serves the creation of teams, whose records are of kinds of their own; so
 * creating a team while others call something else is found too.
 */
public final class CheckedCollectives extends TeamCollectives
{
    private static final int REGION_SHIFT = 60;

    private final long[] words = new long[CallRecord.LENGTH / Long.BYTES];
    private final int[] worldPes;
    private int agreementsDue;
    private int omitted;

    /**
     * Construct for a member.
     *
     * @param owner   identity of the PE, which its buffers carry too.
     * @param engine  of the team.
     * @param latency of the team, which is told how long calls take while it is on.
     */
    public CheckedCollectives(final PeIdentity owner, final CollectiveEngine engine, final TeamLatency latency)
    {
        super(owner, engine, latency);
        final Lanes lanes = engine.resources().lanes();
        worldPes = new int[lanes.size()];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            worldPes[rank] = lanes.worldPe(rank);
        }
    }

    @Override
    public void beginHeapCall(final int kind, final long first, final long second)
    {
        Arrays.fill(words, 0);
        words[0] = CallRecord.head(CallRecord.HEAP, CallRecord.OK, null, null, 0);
        words[CallRecord.FIRST / Long.BYTES] = kind;
        words[CallRecord.SECOND / Long.BYTES] = first;
        words[CallRecord.THIRD / Long.BYTES] = second;
        tell(CallRecord.OK);
        super.beginHeapCall(kind, first, second);
    }

    @Override
    public void omitHeapCall(final int kind)
    {
        omitted = kind;
    }

    @Override
    public void barrier()
    {
        begin(Routine.BARRIER, null, null, 0, 0, null, null);
        agree();
        super.barrier();
    }

    @Override
    public void sync()
    {
        begin(Routine.SYNC, null, null, 0, 0, null, null);
        agree();
        super.sync();
    }

    @Override
    public void broadcast(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        begin(Routine.BROADCAST, type, null, root, nelems, dest, source);
        try
        {
            super.broadcast(type, dest, source, nelems, root);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void collect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        // Members that give nothing need no source, so sources are not compared.
        begin(Routine.COLLECT, type, null, 0, CallRecord.ANY_COUNT, dest, null);
        agreementsDue = 2;
        try
        {
            super.collect(type, dest, source, nelems);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void fcollect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        begin(Routine.FCOLLECT, type, null, 0, nelems, dest, source);
        try
        {
            super.fcollect(type, dest, source, nelems);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void alltoall(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        begin(Routine.ALLTOALL, type, null, 0, nelems, dest, source);
        try
        {
            super.alltoall(type, dest, source, nelems);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void alltoalls(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long destStride,
        final long sourceStride,
        final long nelems)
    {
        begin(Routine.ALLTOALLS, type, null, 0, nelems, dest, source);
        words[CallRecord.FOURTH / Long.BYTES] = destStride;
        words[CallRecord.FIFTH / Long.BYTES] = sourceStride;
        try
        {
            super.alltoalls(type, dest, source, destStride, sourceStride, nelems);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void reduce(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        begin(Routine.REDUCE, type, op, 0, nreduce, dest, source);
        try
        {
            super.reduce(op, type, dest, source, nreduce);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void reduceScatter(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nreduce)
    {
        begin(Routine.REDUCE_SCATTER, type, op, 0, nreduce, dest, source);
        try
        {
            super.reduceScatter(op, type, dest, source, nreduce);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public void scan(
        final Routine routine,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long n)
    {
        begin(routine, type, op, 0, n, dest, source);
        try
        {
            super.scan(routine, op, type, dest, source, n);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public long reduceLong(final ReduceOp op, final long value)
    {
        begin(Routine.REDUCE, ElementType.LONG, op, 0, 1, null, null);
        try
        {
            return super.reduceLong(op, value);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public double reduceDouble(final ReduceOp op, final double value)
    {
        begin(Routine.REDUCE, ElementType.DOUBLE, op, 0, 1, null, null);
        try
        {
            return super.reduceDouble(op, value);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    @Override
    public long broadcastLong(final long value, final int root)
    {
        begin(Routine.BROADCAST, ElementType.LONG, null, root, 1, null, null);
        try
        {
            return super.broadcastLong(value, root);
        }
        catch (final RuntimeException ex)
        {
            throw refused(ex);
        }
    }

    private void begin(
        final Routine routine,
        final ElementType type,
        final ReduceOp op,
        final int root,
        final long count,
        final SymmetricBuffer dest,
        final SymmetricBuffer source)
    {
        agreementsDue = 1;
        words[0] = CallRecord.head(routine.ordinal(), CallRecord.OK, type, op, root);
        words[CallRecord.FIRST / Long.BYTES] = count;
        words[CallRecord.SECOND / Long.BYTES] = 0 == count ? CallRecord.NO_ADDRESS : address(dest);
        words[CallRecord.THIRD / Long.BYTES] = 0 == count ? CallRecord.NO_ADDRESS : address(source);
        words[CallRecord.FOURTH / Long.BYTES] = 0;
        words[CallRecord.FIFTH / Long.BYTES] = 0;
    }

    private static long address(final SymmetricBuffer buffer)
    {
        return null == buffer ? CallRecord.NO_ADDRESS :
            (long)HeapAccess.region(buffer) << REGION_SHIFT | HeapAccess.start(buffer);
    }

    @Override
    void agree()
    {
        tell(CallRecord.OK);
    }

    private void tell(final int status)
    {
        engine().checkInStep();
        agreementsDue--;
        words[CallRecord.OMITTED / Long.BYTES] = omitted;
        omitted = 0;
        final long own = ownRecord();
        for (int i = 0; i < words.length; i++)
        {
            UnsafeApi.putLong(null, own + (long)i * Long.BYTES, words[i]);
        }

        UnsafeApi.putLong(null, own, CallRecord.withStatus(words[0], status));
        exchange();

        final long records = record(0);
        if (!CallRecord.isSameCallOnAll(records, worldPes.length))
        {
            throw CallRecord.mismatch(engine().teamName(), records, worldPes, false);
        }

        final int refused = CallRecord.refusals(records, worldPes.length);
        if (0 != refused && worldPes.length != refused)
        {
            throw CallRecord.mismatch(engine().teamName(), records, worldPes, true);
        }
    }

    /**
     * What to throw for an exception of a call. If it was thrown before the members have told each other, they are
     * waiting for this one, which has refused its arguments.
     */
    private RuntimeException refused(final RuntimeException mistake)
    {
        if (0 == agreementsDue || mistake instanceof ShmemException || engine().isOutOfStep())
        {
            return mistake;
        }

        try
        {
            tell(CallRecord.REFUSED);
            return mistake;
        }
        catch (final ShmemException ex)
        {
            ex.addSuppressed(mistake);
            return ex;
        }
    }
}
