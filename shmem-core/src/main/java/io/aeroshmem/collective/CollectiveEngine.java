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
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Waiting;

/**
 * Performs the collective calls of one team: chooses the machine by the {@link AlgorithmTable}, and runs it to its end.
 * Machines are made when first needed and kept.
 * <p>
 * A call that ends by an exception after it has begun leaves this PE out of step with the other members, so the team
 * serves no further call.
 */
public final class CollectiveEngine
{
    /**
     * Polls before the first round of waiting, where nobody has to drive messages for something to change.
     */
    private static final int SPINS = 100;

    private static final Routine[] ROUTINES = Routine.values();

    private final PeIdentity owner;
    private final String teamName;
    private final TeamResources resources;
    private final Lanes lanes;
    private final Endpoint endpoint;
    private final Waiting waiting;
    private final Barrier barrier;
    private final boolean isMessaging;
    private final AlgorithmChoice[][] choices = new AlgorithmChoice[ROUTINES.length][];
    private boolean isOutOfStep;

    /**
     * Construct the engine of a team.
     *
     * @param owner     the PE, which is told when a team of it gets out of step.
     * @param teamName  for messages.
     * @param resources of the team.
     */
    public CollectiveEngine(final PeIdentity owner, final String teamName, final TeamResources resources)
    {
        this.owner = owner;
        this.teamName = teamName;
        this.resources = resources;
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
        barrier.complete();
        sync();
    }

    /**
     * Wait for all members.
     */
    public void sync()
    {
        boolean isDone = false;
        try
        {
            barrier.sync();
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
            lanes.beginStep();
            machine.start(call);
            int spins = isMessaging ? 0 : SPINS;
            int result = machine.poll();
            while (CollectiveMachine.DONE != result)
            {
                if (CollectiveMachine.WAITING == result && --spins < 0)
                {
                    await(machine, call.routine());
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

    private void outOfStep()
    {
        isOutOfStep = true;
        owner.outOfStep(teamName);
    }

    private void await(final CollectiveMachine machine, final Routine routine)
    {
        final long deadlineNs = waiting.operationDeadline();
        final String what = routine.methodName();
        int idleRound = 0;
        int result = CollectiveMachine.WAITING;
        do
        {
            if (CollectiveMachine.WAITING == result)
            {
                idleRound = waiting.idle(idleRound, deadlineNs, what);
            }
            else
            {
                idleRound = 0;
                endpoint.flush();
                waiting.checkFailure();
            }

            result = machine.poll();
        }
        while (CollectiveMachine.DONE != result);
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
