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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.algorithm.DeviceExchange;
import io.aeroshmem.collective.algorithm.FinishedReduction;
import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.device.DeviceMemory;

/**
 * Selects the algorithms of a team's calls. This class evaluates the rows of a routine in the {@link AlgorithmTable}
 * for the team when the team first calls it. For each call, it returns the task that performs the call. A task is
 * created when its algorithm is first selected, and serves one call at a time.
 */
public final class AlgorithmSelection
{
    private static final int ROUTINES = Routine.values().length;

    private final TeamResources resources;
    private final boolean isForRequests;
    /** Of the routines that have been called. */
    private final AlgorithmChoice[][] choices = new AlgorithmChoice[ROUTINES][];

    private FinishedReduction finishedReduction;
    private StagedTask stagedTask;
    private DeviceExchange deviceExchange;

    /**
     * @param isForRequests whether the calls are requests.
     */
    public AlgorithmSelection(final TeamResources resources, final boolean isForRequests)
    {
        this.resources = resources;
        this.isForRequests = isForRequests;
    }

    private AlgorithmChoice[] choices(final Routine routine)
    {
        final AlgorithmChoice[] known = choices[routine.ordinal()];
        return null == known ? evaluate(routine) : known;
    }

    private AlgorithmChoice[] evaluate(final Routine routine)
    {
        final AlgorithmChoice[] evaluated = AlgorithmTable.choices(
            routine, resources.topology(), resources.forced().apply(routine), isForRequests);
        choices[routine.ordinal()] = evaluated;
        return evaluated;
    }

    /** Returns the task that performs a call, made when its algorithm is first selected. */
    public CollectiveTask task(final CallArguments call)
    {
        final AlgorithmChoice[] choices = choices(call.routine());
        final AlgorithmChoice chosen = choose(choices, call);
        final CollectiveTask known = chosen.task();
        final CollectiveTask task = null == known ? newTask(choices, chosen) : known;
        return call.isFinishNeeded() ? finished(task) : task;
    }

    /** Returns the algorithm that performs a call on host memory. */
    public Algorithm algorithm(final CallArguments call)
    {
        return choose(choices(call.routine()), call).algorithm();
    }

    private static AlgorithmChoice choose(final AlgorithmChoice[] choices, final CallArguments call)
    {
        final long bytes = call.blockBytes();
        int chosen = 0;
        while (chosen < choices.length - 1 && !choices[chosen].serves(call, bytes))
        {
            chosen++;
        }

        return choices[chosen];
    }

    /** Returns whether peers access no symmetric memory in a call. */
    boolean isSlotsOnly(final CallArguments call)
    {
        return choose(choices(call.routine()), call).isSlotsOnly();
    }

    /**
     * Returns the task that performs a call while a device is attached: any member's blocks may be in its memory.
     *
     * @param memory the device's.
     */
    public CollectiveTask task(final CallArguments call, final DeviceMemory memory)
    {
        final Routine routine = call.routine();
        if (!call.isSymmetric() || routine.isSynchronising())
        {
            return task(call);
        }

        if (routine.isOfPairedCounts() || Routine.GATHER == routine || Routine.SCATTER == routine)
        {
            return exchange(memory, routine);
        }

        stagedTask = null == stagedTask ? new StagedTask(resources, this) : stagedTask;
        return stagedTask.of(memory);
    }

    /**
     * Returns the task that exchanges blocks in memory of any kind.
     *
     * @param routine that the caller has called.
     */
    DeviceExchange exchange(final DeviceMemory memory, final Routine routine)
    {
        deviceExchange = null == deviceExchange ? new DeviceExchange(resources) : deviceExchange;
        return deviceExchange.of(memory, routine);
    }

    private CollectiveTask finished(final CollectiveTask task)
    {
        if (null == finishedReduction)
        {
            finishedReduction = new FinishedReduction(resources);
        }

        return finishedReduction.of(task);
    }

    /** Returns the task of another row with the same algorithm, or a new one. */
    private CollectiveTask newTask(final AlgorithmChoice[] choices, final AlgorithmChoice chosen)
    {
        for (final AlgorithmChoice choice : choices)
        {
            if (choice.algorithm() == chosen.algorithm() && null != choice.task())
            {
                return chosen.task(choice.task());
            }
        }

        return chosen.newTask(resources);
    }
}
