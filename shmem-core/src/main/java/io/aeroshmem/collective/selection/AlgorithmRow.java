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
 * @param routine       the routine that the algorithm performs.
 * @param algorithm     the name of the algorithm.
 * @param task          creates the task of a team.
 * @param isSlotsOnly   whether all data goes through the slots of the {@link PeerMailboxes}. If so, the row also serves
 *                      calls on private memory (scalars and internal exchanges), which peers cannot access.
 * @param need          the teams that the row serves.
 * @param exact         the teams in which the algorithm evaluates the {@link CanonicalTree}. In other teams the row
 *                      serves only reductions whose result is the same in any order.
 * @param capacity      maximum length in bytes of a block that the row serves.
 * @param preference    the teams in which the row is preferred.
 * @param maxMembers    the row is preferred in teams of up to this many members.
 * @param maxBytes      the row is preferred for blocks of up to this many bytes.
 * @param isForRequests whether the row is preferred only for requests, not for blocking calls.
 */
public record AlgorithmRow(
    Routine routine,
    Algorithm algorithm,
    Function<TeamResources, CollectiveTask> task,
    boolean isSlotsOnly,
    TopologyPredicate need,
    TopologyPredicate exact,
    long capacity,
    TopologyPredicate preference,
    int maxMembers,
    long maxBytes,
    boolean isForRequests)
{
    /** Returns a row without needs or preferences, except that peers may access the symmetric memory of the call. */
    static AlgorithmRow row(
        final Routine routine, final Algorithm algorithm, final Function<TeamResources, CollectiveTask> task)
    {
        return new AlgorithmRow(
            routine,
            algorithm,
            task,
            false,
            TopologyPredicate.ANY,
            TopologyPredicate.ANY,
            Long.MAX_VALUE,
            TopologyPredicate.ANY,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            false);
    }

    /** Makes the row eligible for internal calls too: all data goes through slots. */
    AlgorithmRow slotsOnly()
    {
        return new AlgorithmRow(
            routine, algorithm, task, true, need, exact, capacity, preference, maxMembers, maxBytes, isForRequests);
    }

    /** Makes the row eligible only in teams that satisfy the predicate. */
    AlgorithmRow needs(final TopologyPredicate teams)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, teams, exact, capacity, preference, maxMembers, maxBytes,
            isForRequests);
    }

    /**
     * Makes the row eligible only for reductions whose result does not depend on the order of operands, except in teams
     * that satisfy the predicate, where it serves all reductions.
     */
    AlgorithmRow reorderingUnless(final TopologyPredicate teams)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, need, teams, capacity, preference, maxMembers, maxBytes,
            isForRequests);
    }

    /** Makes the row eligible only for blocks of up to that many bytes. */
    AlgorithmRow capacity(final long bytes)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, need, exact, bytes, preference, maxMembers, maxBytes, isForRequests);
    }

    /** Prefers teams that satisfy the predicate. */
    AlgorithmRow in(final TopologyPredicate teams)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, need, exact, capacity, teams, maxMembers, maxBytes, isForRequests);
    }

    /** Prefers teams whose members all reach each other by loads and stores. */
    AlgorithmRow mapped()
    {
        return in(TopologyPredicate.MAPPED);
    }

    /** Prefers teams of up to that many members. */
    AlgorithmRow members(final int max)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, need, exact, capacity, preference, max, maxBytes, isForRequests);
    }

    /** Prefers blocks of up to that many bytes. */
    AlgorithmRow bytes(final long max)
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, need, exact, capacity, preference, maxMembers, max, isForRequests);
    }

    /** Prefers requests to blocking calls. */
    AlgorithmRow requests()
    {
        return new AlgorithmRow(
            routine, algorithm, task, isSlotsOnly, need, exact, capacity, preference, maxMembers, maxBytes, true);
    }

    /** Returns the same algorithm, preferred wherever it is eligible. */
    AlgorithmRow everywhere()
    {
        return new AlgorithmRow(
            routine,
            algorithm,
            task,
            isSlotsOnly,
            need,
            exact,
            capacity,
            TopologyPredicate.ANY,
            Integer.MAX_VALUE,
            Long.MAX_VALUE,
            false);
    }

    /** Returns whether the row can serve any call of the team. */
    boolean isEligibleIn(final Topology topology)
    {
        return need.fits(topology);
    }

    /** Returns whether the row is preferred for any request, or any blocking call, of the team. */
    boolean isPreferredIn(final Topology topology, final boolean isRequest)
    {
        return topology.size() <= maxMembers && preference.fits(topology) && (isRequest || !isForRequests);
    }

    /** Returns whether the row is eligible and preferred for every call. */
    boolean isUnconditional()
    {
        return isSlotsOnly && equals(everywhere().slotsOnly()) && TopologyPredicate.ANY == need &&
            TopologyPredicate.ANY == exact &&
            Long.MAX_VALUE == capacity;
    }
}
