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
package io.aeroshmem.collective.call;

import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.memory.HeapAccess;
import org.agrona.UnsafeApi;

/**
 * The agreement of a team's members on each blocking call before they perform it (property
 * {@code aeroshmem.check.collectives}). The members exchange {@link CallRecord}s. If their calls differ, all members
 * throw {@link io.aeroshmem.CollectiveMismatchException}. In this case no member has begun its call, and the team can
 * serve the next call.
 * <p>
 * A member that rejects the arguments of its call still takes part in the exchange, so that the other members do not
 * wait for it. If only some members reject their arguments, all members throw {@code CollectiveMismatchException}. If
 * all members make the same call and all reject it, each throws its own exception, as it would without checks.
 * <p>
 * The creation of teams uses the same exchange, with other kinds of records. So the members also detect if one of them
 * creates a team while others make another call.
 */
final class CallAgreement
{
    private final CollectiveEngine engine;
    private final CallRecords records;
    private final int[] worldPes;
    private int omitted;

    CallAgreement(final CollectiveEngine engine, final CallRecords records)
    {
        this.engine = engine;
        this.records = records;
        worldPes = engine.resources().mailboxes().worldPes();
    }

    /**
     * Agrees on a call.
     *
     * @param mistakeOrNull for which this member has rejected its arguments; thrown if all members make the same call
     *                      and reject it.
     */
    void agree(final RawArguments raw, final RuntimeException mistakeOrNull)
    {
        if (mistakeOrNull instanceof ShmemException || null != mistakeOrNull && engine.isOutOfStep())
        {
            throw mistakeOrNull;
        }

        // Members of a collect that contribute nothing need no source, so counts and sources are not compared.
        final boolean isCollect = Routine.COLLECT == raw.routine();
        final long count = isCollect ? CallRecord.ANY_COUNT : raw.nelems();
        final SymmetricBuffer dest = 0 == count ? null : raw.dest();
        final SymmetricBuffer source = 0 == count || isCollect ? null : raw.source();
        final int status = null == mistakeOrNull ? CallRecord.OK : CallRecord.REJECTED;
        engine.checkInStep();
        CallRecord.put(
            records.own(),
            CallRecord.head(raw.routine().ordinal(), status, raw.type(), raw.op(), raw.root()),
            count,
            address(dest),
            address(source),
            raw.destStride(),
            raw.sourceStride());
        if (null == mistakeOrNull)
        {
            exchange();
            return;
        }

        try
        {
            exchange();
        }
        catch (final ShmemException ex)
        {
            ex.addSuppressed(mistakeOrNull);
            throw ex;
        }

        throw mistakeOrNull;
    }

    /**
     * Agrees that all members make a call on the heap.
     *
     * @param kind of call, see {@link io.aeroshmem.memory.AllocationConsensus}.
     */
    void agreeOnHeapCall(final int kind, final long first, final long second)
    {
        engine.checkInStep();
        CallRecord.put(
            records.own(),
            CallRecord.head(CallRecord.HEAP, CallRecord.OK, null, null, 0),
            kind,
            first,
            second,
            0,
            0);
        exchange();
    }

    /** Notes a call on the heap that has no effect: the next record names it. */
    void omitHeapCall(final int kind)
    {
        omitted = kind;
    }

    /** Returns the address that is compared: none within the memory of the team, whose bounds its members agreed on. */
    private long address(final SymmetricBuffer buffer)
    {
        return null == buffer || engine.attributes().memory().contains(buffer) ? CallRecord.NO_ADDRESS :
            CallRecord.address(HeapAccess.region(buffer), HeapAccess.start(buffer));
    }

    private void exchange()
    {
        UnsafeApi.putLong(null, records.own() + CallRecord.OMITTED, omitted);
        omitted = 0;
        records.exchange();
        CallRecord.checkSameCall(engine.teamName(), records.of(0), worldPes);
    }
}
