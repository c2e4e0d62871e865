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

import java.util.function.Function;

/**
 * A row of the {@link AlgorithmTable}: an algorithm of a routine, what it needs to be right (otherwise it is not
 * eligible), and up to which size it is preferred.
 *
 * @param routine           that it performs.
 * @param algorithm         its name.
 * @param machine           makes the machine for a team.
 * @param maxMembers        preferred in teams of up to so many.
 * @param maxBytes          preferred for blocks of up to so many bytes.
 * @param isMappedPreferred preferred only where all members reach each other by loads and stores.
 * @param isCellsOnly       peers touch no symmetric memory, so that it serves internal calls too.
 * @param isReordering      evaluates another tree than the canonical one.
 */
public record AlgorithmRow(
    Routine routine,
    Algorithm algorithm,
    Function<TeamResources, CollectiveMachine> machine,
    int maxMembers,
    long maxBytes,
    boolean isMappedPreferred,
    boolean isCellsOnly,
    boolean isReordering)
{
    static AlgorithmRow row(
        final Routine routine, final Algorithm algorithm, final Function<TeamResources, CollectiveMachine> machine)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, Integer.MAX_VALUE, Long.MAX_VALUE, false, false, false);
    }

    AlgorithmRow members(final int max)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, max, maxBytes, isMappedPreferred, isCellsOnly, isReordering);
    }

    AlgorithmRow bytes(final long max)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, maxMembers, max, isMappedPreferred, isCellsOnly, isReordering);
    }

    AlgorithmRow mapped()
    {
        return new AlgorithmRow(
            routine, algorithm, machine, maxMembers, maxBytes, true, isCellsOnly, isReordering);
    }

    AlgorithmRow cellsOnly()
    {
        return new AlgorithmRow(
            routine, algorithm, machine, maxMembers, maxBytes, isMappedPreferred, true, isReordering);
    }

    AlgorithmRow reordering()
    {
        return new AlgorithmRow(
            routine, algorithm, machine, maxMembers, maxBytes, isMappedPreferred, isCellsOnly, true);
    }

    /**
     * Can it serve the call?
     */
    boolean isEligible(final CollectiveCall call)
    {
        return (isCellsOnly || call.isSymmetric()) && (!isReordering || call.reduction().isReorderable());
    }

    boolean isPreferred(final Topology topology)
    {
        return topology.size() <= maxMembers && (!isMappedPreferred || topology.isAllMapped());
    }
}
