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
 * A row of the {@link AlgorithmTable}: an algorithm of a routine, what it needs to be right, without which it is not
 * eligible, and what it is preferred for.
 *
 * @param routine      that it performs.
 * @param algorithm    its name.
 * @param machine      makes the machine for a team.
 * @param isCellsOnly  peers touch no symmetric memory, so that it serves internal calls too.
 * @param need         teams that it needs; others it does not serve.
 * @param exact        teams in which it evaluates the canonical tree; in others it serves only reductions whose result
 *                     is the same in any order.
 * @param capacity     most bytes of a block that it serves.
 * @param preference   teams that it is preferred in.
 * @param maxMembers   preferred in teams of up to so many.
 * @param maxBytes     preferred for blocks of up to so many bytes.
 */
public record AlgorithmRow(
    Routine routine,
    Algorithm algorithm,
    Function<TeamResources, CollectiveMachine> machine,
    boolean isCellsOnly,
    TeamShape need,
    TeamShape exact,
    long capacity,
    TeamShape preference,
    int maxMembers,
    long maxBytes)
{
    /**
     * A row that needs and prefers nothing special, but that peers may touch the memory that the call is about.
     */
    static AlgorithmRow row(
        final Routine routine, final Algorithm algorithm, final Function<TeamResources, CollectiveMachine> machine)
    {
        return new AlgorithmRow(
            routine,
            algorithm,
            machine,
            false,
            TeamShape.ANY,
            TeamShape.ANY,
            Long.MAX_VALUE,
            TeamShape.ANY,
            Integer.MAX_VALUE,
            Long.MAX_VALUE);
    }

    /**
     * Eligible for internal calls too: everything goes through cells.
     */
    AlgorithmRow cellsOnly()
    {
        return new AlgorithmRow(
            routine, algorithm, machine, true, need, exact, capacity, preference, maxMembers, maxBytes);
    }

    /**
     * Eligible only in such teams.
     */
    AlgorithmRow needs(final TeamShape shape)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, isCellsOnly, shape, exact, capacity, preference, maxMembers, maxBytes);
    }

    /**
     * Eligible only for reductions whose result is the same in any order.
     */
    AlgorithmRow reordering()
    {
        return reorderingUnless(TeamShape.NONE);
    }

    /**
     * Eligible only for reductions whose result is the same in any order, but for all of them in such teams.
     */
    AlgorithmRow reorderingUnless(final TeamShape shape)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, isCellsOnly, need, shape, capacity, preference, maxMembers, maxBytes);
    }

    /**
     * Eligible only for blocks of up to so many bytes.
     */
    AlgorithmRow capacity(final long bytes)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, isCellsOnly, need, exact, bytes, preference, maxMembers, maxBytes);
    }

    /**
     * Preferred in such teams.
     */
    AlgorithmRow in(final TeamShape shape)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, isCellsOnly, need, exact, capacity, shape, maxMembers, maxBytes);
    }

    /**
     * Preferred where all members reach each other by loads and stores.
     */
    AlgorithmRow mapped()
    {
        return in(TeamShape.MAPPED);
    }

    /**
     * Preferred in teams of up to so many members.
     */
    AlgorithmRow members(final int max)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, isCellsOnly, need, exact, capacity, preference, max, maxBytes);
    }

    /**
     * Preferred for blocks of up to so many bytes.
     */
    AlgorithmRow bytes(final long max)
    {
        return new AlgorithmRow(
            routine, algorithm, machine, isCellsOnly, need, exact, capacity, preference, maxMembers, max);
    }

    /**
     * The same algorithm, preferred wherever it is eligible.
     */
    AlgorithmRow everywhere()
    {
        return new AlgorithmRow(
            routine,
            algorithm,
            machine,
            isCellsOnly,
            need,
            exact,
            capacity,
            TeamShape.ANY,
            Integer.MAX_VALUE,
            Long.MAX_VALUE);
    }

    /**
     * Can it serve any call of such a team?
     */
    boolean isEligibleIn(final Topology topology)
    {
        return need.fits(topology);
    }

    /**
     * Is it preferred for any call of such a team?
     */
    boolean isPreferredIn(final Topology topology)
    {
        return topology.size() <= maxMembers && preference.fits(topology);
    }

    /**
     * Is it eligible for, and preferred for, whatever comes?
     */
    boolean isUnconditional()
    {
        return isCellsOnly && equals(everywhere().cellsOnly()) && TeamShape.ANY == need && TeamShape.ANY == exact &&
            Long.MAX_VALUE == capacity;
    }
}
