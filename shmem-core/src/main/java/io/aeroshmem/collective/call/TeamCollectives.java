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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.ArgumentChecks;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.AllocationConsensus;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.thread.CallerGuard;
import io.aeroshmem.thread.ThreadGuard;
import io.aeroshmem.transport.flight.CollectiveSpan;
import io.aeroshmem.transport.flight.FlightRecording;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.NanoClock;

/**
 * The blocking collective calls of one PE on a team. A call passes these steps:
 * <ol>
 * <li>the guard of the team, which admits one thread at a time;</li>
 * <li>the guard of the thread level;</li>
 * <li>the validation of the arguments, before anything is sent;</li>
 * <li>the agreement of the members, if calls are checked;</li>
 * <li>the {@link CollectiveEngine}, which selects an algorithm and polls it;</li>
 * <li>the record of the call's latency, and its flight-recorder event.</li>
 * </ol>
 * If a call needs only the guard of the team, the validation and the engine, one branch skips all other steps. The
 * members of a collect exchange their counts before the collect is performed. A call in which no member has elements is
 * not performed, unless the team is {@linkplain io.aeroshmem.Synchronization#SYNCHRONIZED synchronised}.
 */
public final class TeamCollectives
{
    private static final long SCALAR_DISTANCE = 64;

    private final CollectiveEngine engine;
    private final TeamLatency latency;
    private final NanoClock clock;
    private final CallerGuard callers;
    private final ArgumentChecks checks;
    private final TeamWorkspace workspace;
    private final CallRecords records;
    private final CollectCounts counts;

    /** Guard of the thread level; null if the level allows all calls. */
    private final ThreadGuard threads;

    private final RawArguments raw = new RawArguments();
    private final CallArguments call = new CallArguments();

    public TeamCollectives(final PeIdentity owner, final CollectiveEngine engine)
    {
        this.engine = engine;
        latency = engine.latency();
        clock = engine.resources().endpoint().pause();
        callers = engine.guard();
        threads = owner.guard();
        workspace = engine.resources().workspace();
        records = new CallRecords(engine);
        counts = new CollectCounts(engine.resources());
        checks = new ArgumentChecks(owner, engine.resources().mailboxes().size());
    }

    public CollectiveEngine engine()
    {
        return engine;
    }

    public TeamLatency latency()
    {
        return latency;
    }

    /** Returns the exchange of records, for calls inside the guard of the team. */
    public CallRecords records()
    {
        return records;
    }

    /**
     * Prepares a call on the heap, which uses the barrier of the world too: checks that the team is in step and, where
     * collectives are checked, that all members make such a call.
     *
     * @param kind of call, see {@link io.aeroshmem.memory.AllocationConsensus}.
     */
    public void beginHeapCall(final int kind, final long first, final long second)
    {
        enterThread("a call on the heap");
        try
        {
            engine.checkInStep();
            if (engine.isChecked())
            {
                engine.complete(AllocationConsensus.methodName(kind));
                CallRecord.put(
                    records.own(),
                    CallRecord.head(CallRecord.HEAP, CallRecord.OK, null, null, 0),
                    kind,
                    first,
                    second,
                    0,
                    0);
                records.agree();
            }
        }
        finally
        {
            leaveThread();
        }
    }

    /**
     * Notes a call on the heap that has no effect, such as malloc of 0 bytes, and sends nothing to the other members.
     *
     * @param kind of call, see {@link io.aeroshmem.memory.AllocationConsensus}.
     */
    public void omitHeapCall(final int kind)
    {
        records.omitHeapCall(kind);
    }

    /** {@link io.aeroshmem.Team#barrier()}. */
    public void barrier()
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                engine.barrier();
            }
            else
            {
                validateAndPerform(raw.of(Routine.BARRIER));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /** {@link io.aeroshmem.Team#sync()}. */
    public void sync()
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                engine.sync();
            }
            else
            {
                validateAndPerform(raw.of(Routine.SYNC));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /** {@link io.aeroshmem.Team#broadcast}. */
    public void broadcast(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                checks.blocks(call, Routine.BROADCAST, null, type, dest, source, nelems, root);
                runUnlessEmpty(nelems);
            }
            else
            {
                validateAndPerform(raw.of(Routine.BROADCAST, null, type, dest, source, nelems, root));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /** {@link io.aeroshmem.Team#fcollect}. */
    public void fcollect(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                checks.blocks(call, Routine.FCOLLECT, null, type, dest, source, nelems, 0);
                runUnlessEmpty(nelems);
            }
            else
            {
                validateAndPerform(raw.of(Routine.FCOLLECT, null, type, dest, source, nelems, 0));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /** {@link io.aeroshmem.Team#alltoall}. */
    public void alltoall(
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                checks.blocks(call, Routine.ALLTOALL, null, type, dest, source, nelems, 0);
                runUnlessEmpty(nelems);
            }
            else
            {
                validateAndPerform(raw.of(Routine.ALLTOALL, null, type, dest, source, nelems, 0));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /** {@link io.aeroshmem.Team#reduce}. */
    public void reduce(
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems)
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                checks.blocks(call, Routine.REDUCE, op, type, dest, source, nelems, 0);
                runUnlessEmpty(nelems);
            }
            else
            {
                validateAndPerform(raw.of(Routine.REDUCE, op, type, dest, source, nelems, 0));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /**
     * Performs another call on blocks without gaps. The frequent ones have methods of their own, which are compiled for
     * their routine: programs that mix collectives would run the shared code some nanoseconds slower.
     *
     * @param op   of the reduction, or null for other routines.
     * @param root of the broadcast, or 0.
     */
    public void call(
        final Routine routine,
        final ReduceOp op,
        final ElementType type,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long nelems,
        final int root)
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                checks.blocks(call, routine, op, type, dest, source, nelems, root);
                if (Routine.COLLECT == routine)
                {
                    if (prepareCollect(type, dest, source, call.blockBytes()))
                    {
                        engine.run(call);
                    }
                }
                else
                {
                    runUnlessEmpty(nelems);
                }
            }
            else
            {
                validateAndPerform(raw.of(routine, op, type, dest, source, nelems, root));
            }
        }
        finally
        {
            callers.leave();
        }
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
        callers.enter();
        try
        {
            if (isPlain())
            {
                checks.alltoalls(call, type, dest, source, destStride, sourceStride, nelems);
                runUnlessEmpty(nelems);
            }
            else
            {
                validateAndPerform(raw.of(Routine.ALLTOALLS, null, type, dest, source, nelems, 0)
                    .strides(destStride, sourceStride));
            }
        }
        finally
        {
            callers.leave();
        }
    }

    /**
     * Performs a call on one element that is not in symmetric memory, given as bits; returns those of the result.
     *
     * @param op   of the reduction, or null for a broadcast.
     * @param root of the broadcast, or 0.
     */
    public long scalar(
        final Routine routine, final ReduceOp op, final ElementType type, final long bits, final int root)
    {
        callers.enter();
        try
        {
            if (isPlain())
            {
                validateScalar(routine, op, type, bits, root);
                engine.run(call.sign());
            }
            else
            {
                validateAndPerform(raw.scalar(routine, op, type, bits, root));
            }

            return UnsafeApi.getLong(workspace.scalars() + SCALAR_DISTANCE);
        }
        finally
        {
            callers.leave();
        }
    }

    private void runUnlessEmpty(final long nelems)
    {
        if (0 != nelems || engine.isSynchronized())
        {
            engine.run(call.sign());
        }
    }

    private boolean isPlain()
    {
        return engine.isPlain() && !latency.isOn();
    }

    private void validateAndPerform(final RawArguments raw)
    {
        enterThread(raw.method());
        try
        {
            final RuntimeException mistakeOrNull = validate(raw);
            final boolean isRecorded = latency.isRecording();
            final CollectiveSpan spanOrNull = FlightRecording.beginCollective();
            final long startNs = isRecorded ? clock.nanoTime() : 0;
            if (Routine.BARRIER == raw.routine)
            {
                // an exception here is before the exchange with the other members, which would count as a call
                engine.complete(raw.routine.methodName());
            }

            if (engine.isChecked())
            {
                agree(raw, mistakeOrNull);
            }

            if (null != mistakeOrNull)
            {
                throw mistakeOrNull;
            }

            run(raw);
            if (isRecorded)
            {
                latency.record(raw.routine, raw.blockBytes(), startNs, clock.nanoTime());
            }

            if (null != spanOrNull)
            {
                latency.end(spanOrNull, raw.routine, raw.blockBytes());
            }
        }
        finally
        {
            leaveThread();
        }
    }

    /**
     * Agrees on a call with the other members. If this member has rejected its arguments, it still takes part, so that
     * the others do not wait for it; if all members make the same call and reject it, each throws its own exception.
     */
    private void agree(final RawArguments raw, final RuntimeException mistakeOrNull)
    {
        if (mistakeOrNull instanceof ShmemException || null != mistakeOrNull && engine.isOutOfStep())
        {
            return;
        }

        engine.checkInStep();
        raw.put(records.own(), null != mistakeOrNull, engine.attributes().memory());
        try
        {
            records.agree();
        }
        catch (final ShmemException ex)
        {
            if (null != mistakeOrNull)
            {
                ex.addSuppressed(mistakeOrNull);
            }

            throw ex;
        }
    }

    private void enterThread(final String method)
    {
        if (null != threads)
        {
            threads.enter(method);
        }
    }

    private void leaveThread()
    {
        if (null != threads)
        {
            threads.leave();
        }
    }

    /** Validates the arguments, and fills in the call; returns the exception for which they are rejected, or null. */
    private RuntimeException validate(final RawArguments raw)
    {
        try
        {
            if (raw.isScalar)
            {
                validateScalar(raw.routine, raw.op, raw.type, raw.scalar, raw.root);
            }
            else if (Routine.ALLTOALLS == raw.routine)
            {
                checks.alltoalls(
                    call, raw.type, raw.dest, raw.source, raw.destStride, raw.sourceStride, raw.nelems);
            }
            else if (!raw.routine.isSynchronising())
            {
                checks.blocks(
                    call, raw.routine, raw.op, raw.type, raw.dest, raw.source, raw.nelems, raw.root);
            }

            return null;
        }
        catch (final RuntimeException ex)
        {
            return ex;
        }
    }

    private void validateScalar(
        final Routine routine, final ReduceOp op, final ElementType type, final long bits, final int root)
    {
        checks.root(root);
        final Reduction reduction = Routine.REDUCE == routine ? Reduction.of(op, type) : null;
        final long scalars = workspace.scalars();
        UnsafeApi.putLong(scalars, bits);
        call.of(routine, reduction, type, 1).root(root).local(scalars + SCALAR_DISTANCE, scalars);
    }

    private void run(final RawArguments raw)
    {
        engine.checkInStep();
        switch (raw.routine)
        {
            case BARRIER:
                engine.awaitAll();
                break;

            case SYNC:
                engine.sync();
                break;

            case COLLECT:
                if (prepareCollect(raw.type, raw.dest, raw.source, raw.blockBytes()))
                {
                    engine.runOnAnyMemory(call);
                }

                break;

            default:
                if (0 != raw.nelems || engine.isSynchronized())
                {
                    engine.runOnAnyMemory(call.sign());
                }
        }
    }

    /**
     * Exchanges the counts, checks the room in all dests, and fills in an fcollect of blocks of these lengths; returns
     * whether it has anything to do.
     */
    private boolean prepareCollect(
        final ElementType type, final SymmetricBuffer dest, final SymmetricBuffer source, final long bytes)
    {
        final long destLength = null == dest ? CollectCounts.NO_DEST : HeapAccess.length(dest);
        counts.put(bytes, destLength, destLimit(dest, source, bytes));
        records.exchange(CollectCounts.signature(type));
        final long total = counts.fill(call, type);
        checks.resolve(call, dest, total, source, bytes, false);
        return 0 != total || engine.isSynchronized();
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
}
