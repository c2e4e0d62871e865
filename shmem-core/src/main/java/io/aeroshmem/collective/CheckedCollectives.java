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
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import org.agrona.UnsafeApi;

import java.util.Arrays;

/**
 * Collectives of a team whose members exchange a description of each call before they perform it, to detect mistakes
 * (property {@code aeroshmem.check.collectives}). When the calls differ, all members throw {@link
 * io.aeroshmem.CollectiveMismatchException}, nothing has been done, and the team serves the next call.
 * <p>
 * A member that rejects the arguments of its call still takes part in the exchange, so that the others do not wait for
 * it in vain: all of them throw that exception. When all members made the same mistake, each throws its own exception,
 * as it would without checks.
 * <p>
 * The exchange also serves the creation of teams, whose records have kinds of their own; so a member that creates a
 * team while others make another call is detected too.
 */
public final class CheckedCollectives extends TeamCollectives
{
    private static final int REGION_SHIFT = 60;

    private final long[] words = new long[CallRecord.LENGTH / Long.BYTES];
    private final int[] worldPes;
    private int agreementsDue;
    private int omitted;

    public CheckedCollectives(final PeIdentity owner, final CollectiveEngine engine, final TeamLatency latency)
    {
        super(owner, engine, latency);
        final PeerMailboxes mailboxes = engine.resources().mailboxes();
        worldPes = new int[mailboxes.size()];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            worldPes[rank] = mailboxes.worldPe(rank);
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
        exchangeCall(CallRecord.OK);
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
            throw rejected(ex);
        }
    }

    @Override
    public void collect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long nelems)
    {
        // Members that contribute nothing need no source, so sources are not compared.
        begin(Routine.COLLECT, type, null, 0, CallRecord.ANY_COUNT, dest, null);
        agreementsDue = 2;
        try
        {
            super.collect(type, dest, source, nelems);
        }
        catch (final RuntimeException ex)
        {
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
            throw rejected(ex);
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
        exchangeCall(CallRecord.OK);
    }

    private void exchangeCall(final int status)
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

        final int rejections = CallRecord.rejections(records, worldPes.length);
        if (0 != rejections && worldPes.length != rejections)
        {
            throw CallRecord.mismatch(engine().teamName(), records, worldPes, true);
        }
    }

    /**
     * Returns the exception to throw for an exception of a call. If it was thrown before the exchange, the other
     * members are waiting for this one, which has rejected its arguments.
     */
    private RuntimeException rejected(final RuntimeException mistake)
    {
        if (0 == agreementsDue || mistake instanceof ShmemException || engine().isOutOfStep())
        {
            return mistake;
        }

        try
        {
            exchangeCall(CallRecord.REJECTED);
            return mistake;
        }
        catch (final ShmemException ex)
        {
            ex.addSuppressed(mistake);
            return ex;
        }
    }
}
