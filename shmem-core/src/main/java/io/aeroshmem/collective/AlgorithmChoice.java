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

/**
 * A row of the {@link AlgorithmTable} as far as it matters in one team, with the machine it has there.
 */
final class AlgorithmChoice
{
    private final AlgorithmRow row;
    private final long maxBytes;
    private final boolean isCellsOnly;
    private final boolean isExact;
    private CollectiveMachine machine;

    AlgorithmChoice(final AlgorithmRow row, final Topology topology)
    {
        this.row = row;
        maxBytes = Math.min(row.maxBytes(), row.capacity());
        isCellsOnly = row.isCellsOnly();
        isExact = row.exact().fits(topology);
    }

    Algorithm algorithm()
    {
        return row.algorithm();
    }

    /**
     * Is it eligible for the call, and preferred for its size?
     */
    boolean serves(final CollectiveCall call, final long bytes)
    {
        return bytes <= maxBytes &&
            (isCellsOnly || call.isSymmetric()) &&
            (isExact || call.reduction().isReorderable());
    }

    /**
     * The machine, or null if there is none yet.
     */
    CollectiveMachine machine()
    {
        return machine;
    }

    CollectiveMachine machine(final CollectiveMachine machine)
    {
        this.machine = machine;
        return machine;
    }

    CollectiveMachine newMachine(final TeamResources resources)
    {
        return machine(row.machine().apply(resources));
    }
}
