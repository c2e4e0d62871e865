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

import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.memory.WorldSync;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.sync.Stamp;
import io.aeroshmem.thread.CallerGuard;
import io.aeroshmem.transport.BlockedCall;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Waiting;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.UnsafeApi;

import java.util.function.IntPredicate;

/**
 * Performs the collective calls of one team: chooses the machine by the {@link AlgorithmTable}, and runs it to its end.
 * Machines are made when first needed and kept.
 * <p>
 * <b>Calls that cannot end.</b> Every member numbers the calls of the team alike, and stamps what it sends with the
 * signature of the call. A call that has waited for a while polls once more and notes whom it waits for. It fails the
 * job if that member has made another call, by its stamp or by the call with this number that it has published; or if
 * that member has closed its PE or the team, or is in a later call, and what it waits for is not there in the poll
 * after this was seen: whatever the member sent before is there by then.
 * <p>
 * A call that ends by an exception after it has begun leaves this PE out of step with the other members, so the team
 * serves no further call.
 */
public final class CollectiveEngine implements BlockedCall
{
    /**
     * Polls before the first round of waiting, where nobody has to drive messages for something to change.
     */
    private static final int SPINS = 100;

    private static final Routine[] ROUTINES = Routine.values();
    private static final long BARRIER_SIGNATURE = CallSignature.of(Routine.BARRIER.ordinal());
    private static final long SYNC_SIGNATURE = CallSignature.of(Routine.SYNC.ordinal());
    private static final long HEAP_SIGNATURE = CallSignature.of(CallSignature.HEAP);
    private static final long HASH_FACTOR = 0x9E3779B97F4A7C15L;

    private final PeIdentity owner;
    private final String teamName;
    private final String place;
    private final long teamKey;
    private final TeamResources resources;
    private final Lanes lanes;
    private final Endpoint endpoint;
    private final Waiting waiting;
    private final Barrier barrier;
    private final CallerGuard guard;
    private final boolean isMessaging;
    private final IntPredicate goneRanks = this::isGone;
    private final AlgorithmChoice[][] choices = new AlgorithmChoice[ROUTINES.length][];
    private long calls;
    private int missingPe = Lanes.NOBODY;
    private boolean isOutOfStep;

    /**
     * Construct the engine of a team.
     *
     * @param owner     the PE, which is told when a team of it gets out of step.
     * @param teamName  for messages; no two teams of a job have the same.
     * @param resources of the team.
     */
    public CollectiveEngine(final PeIdentity owner, final String teamName, final TeamResources resources)
    {
        this.owner = owner;
        this.teamName = teamName;
        this.resources = resources;
        place = " on team " + teamName;
        teamKey = key(teamName);
        guard = new CallerGuard(teamName);
        lanes = resources.lanes();
        endpoint = resources.endpoint();
        waiting = endpoint.waiting();
        barrier = resources.barrier();
        isMessaging = endpoint.isMessaging();
        for (final Routine routine : ROUTINES)
        {
            choices[routine.ordinal()] = AlgorithmTable.choices(
                routine, resources.topology(), resources.algorithms().forced(routine));
        }
    }

    private static long key(final String teamName)
    {
        long key = 1;
        for (int i = 0; i < teamName.length(); i++)
        {
            key = (key ^ teamName.charAt(i)) * HASH_FACTOR;
            key ^= key >>> Integer.SIZE;
        }

        return key & Long.MAX_VALUE | 1;
    }

    /**
     * Name of the team.
     *
     * @return the same on all members.
     */
    public String teamName()
    {
        return teamName;
    }

    /**
     * What the team's machines are made from.
     *
     * @return never null.
     */
    public TeamResources resources()
    {
        return resources;
    }

    /**
     * Lets one thread at a time into the calls of the team.
     *
     * @return never null.
     */
    public CallerGuard guard()
    {
        return guard;
    }

    /**
     * Has a call ended amid its steps? Then nobody knows what is under way to this PE's area.
     *
     * @return true if so.
     */
    public boolean isOutOfStep()
    {
        return isOutOfStep;
    }

    /**
     * Throw if the team cannot serve calls any more: because its job has failed, or because it is out of step.
     */
    public void checkInStep()
    {
        if (isOutOfStep)
        {
            waiting.checkFailure();
            throw new IllegalStateException(
                "team " + teamName + " is out of step with its other members, as an earlier call on it ended by an" +
                " exception; allowed is only to close it");
        }
    }

    /**
     * Complete what this PE has issued, and then wait for all members.
     */
    public void barrier()
    {
        begin(BARRIER_SIGNATURE);
        barrier.complete();
        performSync();
    }

    /**
     * Wait for all members.
     */
    public void sync()
    {
        begin(SYNC_SIGNATURE);
        performSync();
    }

    /**
     * How a call on the heap waits for the members. It counts as a call from {@link WorldSync#begin()} on, as one whose
     * arguments its PE rejects is none.
     *
     * @return for all calls on the heap.
     */
    public WorldSync heapSync()
    {
        return new WorldSync()
        {
            @Override
            public void begin()
            {
                CollectiveEngine.this.begin(HEAP_SIGNATURE);
            }

            @Override
            public void complete()
            {
                barrier.complete();
            }

            @Override
            public void barrier()
            {
                barrier.complete();
                performSync();
            }

            @Override
            public void await(final long address, final long value, final int writer)
            {
                awaitWord(address, value, writer);
            }
        };
    }

    private void awaitWord(final long address, final long value, final int writer)
    {
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        while (UnsafeApi.getLongAcquire(null, address) < value)
        {
            if (Waiting.isCheckDue(round))
            {
                final int rank = lanes.rank(writer);
                if (isGone(rank) && UnsafeApi.getLongAcquire(null, address) < value)
                {
                    throw gone(rank);
                }

                checkPublishedCalls();
            }

            missingPe = writer;
            round = waiting.idle(round, deadlineNs, this);
        }

        waiting.end(round, this);
    }

    private void begin(final long signature)
    {
        calls++;
        barrier.sign(signature);
    }

    private void performSync()
    {
        boolean isDone = false;
        try
        {
            if (!barrier.trySync())
            {
                awaitBarrier();
            }
            isDone = true;
        }
        finally
        {
            if (!isDone)
            {
                outOfStep();
            }
        }
    }

    private void awaitBarrier()
    {
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        while (!barrier.poll())
        {
            if (Waiting.isCheckDue(round))
            {
                checkBarrier();
            }

            missingPe = barrier.awaitedPe();
            round = waiting.idle(round, deadlineNs, this);
        }

        waiting.end(round, this);
    }

    private void checkBarrier()
    {
        final int pe = barrier.awaitedPe();
        final long other = barrier.mismatch();
        if (Stamp.NONE != other)
        {
            throw mismatch(pe, other);
        }

        final int rank = lanes.rank(pe);
        if (isGone(rank) && !barrier.poll() && pe == barrier.awaitedPe())
        {
            throw gone(rank);
        }

        checkPublishedCalls();
    }

    /**
     * Perform a call to its end.
     *
     * @param call checked arguments, of which all members have the same.
     */
    public void run(final CollectiveCall call)
    {
        final CollectiveMachine machine = machine(call);
        boolean isDone = false;
        try
        {
            begin(call.signature());
            lanes.beginCall(call.signature());
            lanes.beginStep();
            machine.start(call);
            int spins = isMessaging ? 0 : SPINS;
            int result = machine.poll();
            while (CollectiveMachine.DONE != result)
            {
                if (CollectiveMachine.WAITING == result && --spins < 0)
                {
                    await(machine);
                    break;
                }

                result = machine.poll();
            }
            isDone = true;
        }
        finally
        {
            if (!isDone)
            {
                outOfStep();
                endpoint.retain(resources.workspace());
            }
        }
    }

    /**
     * Announce to the other members that this PE makes no more calls on the team, unless the job has failed.
     */
    public void announceClose()
    {
        if (null == endpoint.failure())
        {
            lanes.close();
        }
    }

    private void outOfStep()
    {
        isOutOfStep = true;
        owner.outOfStep(teamName);
    }

    private void await(final CollectiveMachine machine)
    {
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        int result = CollectiveMachine.WAITING;
        do
        {
            if (CollectiveMachine.WAITING == result)
            {
                round = waiting.idle(round, deadlineNs, this);
            }
            else
            {
                waiting.end(round, this);
                round = 0;
                endpoint.flush();
                waiting.checkFailure();
            }

            result = Waiting.isCheckDue(round) ? pollAndCheck(machine) : machine.poll();
        }
        while (CollectiveMachine.DONE != result);
        waiting.end(round, this);
    }

    /**
     * Poll, and find out whether what the machine waits for can still come.
     */
    private int pollAndCheck(final CollectiveMachine machine)
    {
        lanes.watch(goneRanks);
        try
        {
            int result = machine.poll();
            if (CollectiveMachine.WAITING == result)
            {
                final int goneRank = checkMissing();
                if (Lanes.NOBODY != goneRank)
                {
                    lanes.watch(goneRanks);
                    result = machine.poll();
                    if (CollectiveMachine.WAITING == result && goneRank == checkMissing())
                    {
                        throw gone(goneRank);
                    }
                }
            }

            return result;
        }
        finally
        {
            lanes.stopWatching();
        }
    }

    /**
     * Throw if a member that the machine waits for has made another call.
     *
     * @return the rank of a member that the machine waits for and that is gone, or {@link Lanes#NOBODY}.
     */
    private int checkMissing()
    {
        if (Lanes.NOBODY != lanes.mismatchRank())
        {
            throw mismatch(lanes.worldPe(lanes.mismatchRank()), lanes.mismatch());
        }

        checkPublishedCalls();
        if (Lanes.NOBODY != lanes.missingRank())
        {
            missingPe = lanes.worldPe(lanes.missingRank());
            return lanes.goneRank();
        }

        missingPe = barrier.awaitedPe();
        if (Lanes.NOBODY == missingPe)
        {
            return Lanes.NOBODY;
        }

        final long other = barrier.mismatch();
        if (Stamp.NONE != other)
        {
            throw mismatch(missingPe, other);
        }

        final int rank = lanes.rank(missingPe);
        return isGone(rank) ? rank : Lanes.NOBODY;
    }

    /**
     * Does nothing come any more from a member, in this call? What it sent in it before is here.
     */
    private boolean isGone(final int rank)
    {
        final int pe = lanes.worldPe(rank);
        return endpoint.isFinalizing(pe) || lanes.hasClosed(rank) || endpoint.activities().isPast(pe, teamKey, calls);
    }

    private void checkPublishedCalls()
    {
        for (int rank = 0; rank < lanes.size(); rank++)
        {
            final int pe = lanes.worldPe(rank);
            final long other = endpoint.activities().mismatch(pe, teamKey, calls, signature());
            if (other >= 0)
            {
                throw mismatch(pe, other);
            }
        }
    }

    private RuntimeException mismatch(final int pe, final long other)
    {
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + " called " + CallSignature.describe(other, signature()) +
            " and PE " + endpoint.pe() + " called " + CallSignature.describe(signature(), 0) + " as call " + calls +
            place + ": all members must make the same calls in the same order" +
            " (aeroshmem.check.collectives names all arguments)"));
    }

    private RuntimeException gone(final int rank)
    {
        final int pe = lanes.worldPe(rank);
        final String own = "PE " + endpoint.pe() + " waits for it in " + name() + place + ", call " + calls;
        if (endpoint.isFinalizing(pe))
        {
            return endpoint.failed(new JobFailure(
                JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " called close, and " + own));
        }

        final String other = lanes.hasClosed(rank) ? " closed team " + teamName :
            " called something else before " + endpoint.activities().get(pe).text();
        return endpoint.failed(new JobFailure(
            JobFailure.Kind.MISMATCH, pe, -1, "PE " + pe + other + ", and " + own +
            ": all members must make the same calls in the same order"));
    }

    @Override
    public String name()
    {
        return CallSignature.methodName(signature());
    }

    @Override
    public String place()
    {
        return place;
    }

    @Override
    public long team()
    {
        return teamKey;
    }

    @Override
    public long number()
    {
        return calls;
    }

    @Override
    public long signature()
    {
        return barrier.signature();
    }

    @Override
    public String missing()
    {
        return Lanes.NOBODY == missingPe ? "" : "PE " + missingPe;
    }

    private CollectiveMachine machine(final CollectiveCall call)
    {
        final AlgorithmChoice[] choices = this.choices[call.routine().ordinal()];
        final long bytes = call.blockBytes();
        int chosen = 0;
        while (chosen < choices.length - 1 && !choices[chosen].serves(call, bytes))
        {
            chosen++;
        }

        final CollectiveMachine machine = choices[chosen].machine();
        return null == machine ? newMachine(choices, choices[chosen]) : machine;
    }

    /**
     * Several rows may have the same algorithm, which needs one machine.
     */
    private CollectiveMachine newMachine(final AlgorithmChoice[] choices, final AlgorithmChoice chosen)
    {
        for (final AlgorithmChoice choice : choices)
        {
            if (choice.algorithm() == chosen.algorithm() && null != choice.machine())
            {
                return chosen.machine(choice.machine());
            }
        }

        return chosen.newMachine(resources);
    }
}
