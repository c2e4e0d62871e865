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

import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.Topology;

/**
 * A row of the {@link AlgorithmTable} as it applies to one team, and the task by which the team performs the algorithm
 * of that row. The conditions of the row that depend only on the team are already evaluated. The
 * {@link AlgorithmSelection} of a team holds the choices of that team.
 */
final class AlgorithmChoice
{
    private final AlgorithmRow row;
    private final long maxBytes;
    private final boolean isSlotsOnly;
    private final boolean isExact;
    private CollectiveTask task;

    AlgorithmChoice(final AlgorithmRow row, final Topology topology)
    {
        this.row = row;
        maxBytes = Math.min(row.preference().maxBytes(), row.eligibility().capacity());
        isSlotsOnly = row.isSlotsOnly();
        isExact = row.eligibility().exact().fits(topology);
    }

    Algorithm algorithm()
    {
        return row.algorithm();
    }

    /** Returns whether peers access no symmetric memory. */
    boolean isSlotsOnly()
    {
        return isSlotsOnly;
    }

    /** Returns whether the row is eligible for the call and preferred for its size. */
    boolean serves(final CallArguments call, final long bytes)
    {
        return bytes <= maxBytes &&
            (isSlotsOnly || call.isSymmetric()) &&
            (isExact || call.reduction().isReorderable());
    }

    /** Returns the task, or null if there is none yet. */
    CollectiveTask task()
    {
        return task;
    }

    CollectiveTask task(final CollectiveTask task)
    {
        this.task = task;
        return task;
    }

    CollectiveTask newTask(final TeamResources resources)
    {
        return task(row.task().apply(resources));
    }
}
