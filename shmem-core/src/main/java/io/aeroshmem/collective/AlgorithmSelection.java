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

import io.aeroshmem.collective.algorithm.FinishedReduction;

/**
 * The algorithms of one team: the rows of the {@link AlgorithmTable}, evaluated for its members, and the tasks of these
 * algorithms. A task serves one call at a time.
 */
final class AlgorithmSelection
{
    private static final Routine[] ROUTINES = Routine.values();

    private final TeamResources resources;
    private final AlgorithmChoice[][] choices = new AlgorithmChoice[ROUTINES.length][];

    private FinishedReduction finishedReduction;

    AlgorithmSelection(final TeamResources resources)
    {
        this.resources = resources;
        for (final Routine routine : ROUTINES)
        {
            choices[routine.ordinal()] = AlgorithmTable.choices(
                routine, resources.topology(), resources.algorithms().forced(routine));
        }
    }

    /** Returns the task that performs a call, made when its algorithm is first selected. */
    CollectiveTask task(final CallArguments call)
    {
        final AlgorithmChoice[] choices = this.choices[call.routine().ordinal()];
        final long bytes = call.blockBytes();
        int chosen = 0;
        while (chosen < choices.length - 1 && !choices[chosen].serves(call, bytes))
        {
            chosen++;
        }

        final CollectiveTask known = choices[chosen].task();
        final CollectiveTask task = null == known ? newTask(choices, choices[chosen]) : known;
        return call.isFinishNeeded() ? finished(task) : task;
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
