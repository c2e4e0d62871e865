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
import io.aeroshmem.collective.task.CanonicalTree;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.Topology;

import java.util.function.Function;

/**
 * A row of the {@link AlgorithmTable}: an algorithm of a routine, the requirements that make it eligible, and the calls
 * that it is preferred for.
 *
 * @param routine     the routine that the algorithm performs.
 * @param algorithm   the name of the algorithm.
 * @param task        creates the task of a team.
 * @param isSlotsOnly whether all data goes through the slots of the {@link PeerMailboxes}. If so, the row also serves
 *                    calls on private memory (scalars and internal exchanges), which peers cannot access.
 * @param eligibility what the row can serve.
 * @param preference  what it is preferred for.
 */
public record AlgorithmRow(
    Routine routine,
    Algorithm algorithm,
    Function<TeamResources, CollectiveTask> task,
    boolean isSlotsOnly,
    Eligibility eligibility,
    Preference preference)
{
    /**
     * What a row can serve.
     *
     * @param need     the teams that it serves.
     * @param exact    the teams in which the algorithm evaluates the {@link CanonicalTree}. In other teams the row
     *                 serves only reductions whose result is the same in any order.
     * @param capacity maximum length in bytes of a block.
     */
    record Eligibility(TopologyPredicate need, TopologyPredicate exact, long capacity)
    {
        static final Eligibility ALL =
            new Eligibility(TopologyPredicate.ANY, TopologyPredicate.ANY, Long.MAX_VALUE);
    }

    /**
     * What a row is preferred for.
     *
     * @param teams         satisfy this predicate,
     * @param maxMembers    and have up to this many members,
     * @param maxBytes      blocks are of up to this many bytes,
     * @param isForRequests and calls are requests, not blocking calls, if this is true.
     */
    record Preference(TopologyPredicate teams, int maxMembers, long maxBytes, boolean isForRequests)
    {
        static final Preference ALL =
            new Preference(TopologyPredicate.ANY, Integer.MAX_VALUE, Long.MAX_VALUE, false);
    }

    /** Returns a row without needs or preferences, except that peers may access the symmetric memory of the call. */
    static AlgorithmRow row(
        final Routine routine, final Algorithm algorithm, final Function<TeamResources, CollectiveTask> task)
    {
        return new AlgorithmRow(routine, algorithm, task, false, Eligibility.ALL, Preference.ALL);
    }

    /** Makes the row eligible for internal calls too: all data goes through slots. */
    AlgorithmRow slotsOnly()
    {
        return new AlgorithmRow(routine, algorithm, task, true, eligibility, preference);
    }

    private AlgorithmRow eligible(final TopologyPredicate need, final TopologyPredicate exact, final long capacity)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, new Eligibility(need, exact, capacity), preference);
    }

    /** Makes the row eligible only in teams that satisfy the predicate. */
    AlgorithmRow needs(final TopologyPredicate teams)
    {
        return eligible(teams, eligibility.exact, eligibility.capacity);
    }

    /**
     * Makes the row eligible only for reductions whose result does not depend on the order of operands, except in teams
     * that satisfy the predicate, where it serves all reductions.
     */
    AlgorithmRow reorderingUnless(final TopologyPredicate teams)
    {
        return eligible(eligibility.need, teams, eligibility.capacity);
    }

    /** Makes the row eligible only for blocks of up to that many bytes. */
    AlgorithmRow capacity(final long bytes)
    {
        return eligible(eligibility.need, eligibility.exact, bytes);
    }

    private AlgorithmRow preferred(final Preference calls)
    {
        return new AlgorithmRow(routine, algorithm, task, isSlotsOnly, eligibility, calls);
    }

    /** Prefers teams that satisfy the predicate. */
    AlgorithmRow in(final TopologyPredicate teams)
    {
        return preferred(
            new Preference(teams, preference.maxMembers, preference.maxBytes, preference.isForRequests));
    }

    /** Prefers teams whose members all reach each other by loads and stores. */
    AlgorithmRow mapped()
    {
        return in(TopologyPredicate.MAPPED);
    }

    /** Prefers teams of up to that many members. */
    AlgorithmRow members(final int max)
    {
        return preferred(new Preference(preference.teams, max, preference.maxBytes, preference.isForRequests));
    }

    /** Prefers blocks of up to that many bytes. */
    AlgorithmRow bytes(final long max)
    {
        return preferred(new Preference(preference.teams, preference.maxMembers, max, preference.isForRequests));
    }

    /** Prefers requests to blocking calls. */
    AlgorithmRow requests()
    {
        return preferred(new Preference(preference.teams, preference.maxMembers, preference.maxBytes, true));
    }

    /** Returns the same algorithm, preferred wherever it is eligible. */
    AlgorithmRow everywhere()
    {
        return preferred(Preference.ALL);
    }

    /** Returns whether the row can serve any call of the team. */
    boolean isEligibleIn(final Topology topology)
    {
        return eligibility.need.fits(topology);
    }

    /** Returns whether the row is preferred for any request, or any blocking call, of the team. */
    boolean isPreferredIn(final Topology topology, final boolean isRequest)
    {
        return topology.size() <= preference.maxMembers && preference.teams.fits(topology) &&
            (isRequest || !preference.isForRequests);
    }

    /** Returns whether the row is eligible and preferred for every call. */
    boolean isUnconditional()
    {
        return isSlotsOnly && Eligibility.ALL.equals(eligibility) && Preference.ALL.equals(preference);
    }
}
