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
package io.aeroshmem.collective.task;

import io.aeroshmem.sync.Barrier;
import io.aeroshmem.sync.BarrierSchedule;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.function.Function;

/**
 * The resources that the tasks of a team share.
 *
 * @param endpoint   the endpoint of this PE.
 * @param forced     the algorithm that a property specifies for a routine, or null.
 * @param mailboxes  the mailboxes to the other members.
 * @param everyone   the whole team.
 * @param topology   placement of the members.
 * @param schedule   of the barrier.
 * @param barrier    the barrier of the team, for tasks that begin or end with a barrier.
 * @param workspace  private memory of this PE.
 * @param areas      offset of each member's area ({@link TeamAreaDescriptor}) in the system region of that member, by
 *                   rank.
 */
public record TeamResources(
    Endpoint endpoint,
    Function<Routine, Algorithm> forced,
    PeerMailboxes mailboxes,
    Group everyone,
    Topology topology,
    BarrierSchedule schedule,
    Barrier barrier,
    TeamWorkspace workspace,
    long[] areas)
{
    /**
     * Returns the resources of a team whose members' areas are known.
     *
     * @param schedule of the team's barrier.
     * @param areas    offset of the area of each member in its system region, by rank.
     */
    public static TeamResources of(
        final Endpoint endpoint,
        final Function<Routine, Algorithm> forced,
        final StagingPool staging,
        final Topology topology,
        final BarrierSchedule schedule,
        final int[] worldPes,
        final int myRank,
        final long[] areas)
    {
        return new TeamResources(
            endpoint,
            forced,
            new PeerMailboxes(endpoint, worldPes, myRank, areas, new TeamAreaDescriptor(worldPes.length)),
            Group.all(worldPes.length, myRank),
            topology,
            schedule,
            barrier(endpoint, schedule, worldPes, myRank, areas),
            new TeamWorkspace(worldPes.length, staging),
            areas);
    }

    /** Begins a call, and its first step. */
    public void beginCall(final long signature)
    {
        barrier.sign(signature);
        mailboxes.beginCall(barrier.signature());
        mailboxes.beginStep();
    }

    /** Returns resources for the requests of the same team, which use the second part of each area. */
    public TeamResources forRequests()
    {
        return of(
            endpoint,
            forced,
            workspace.staging(),
            topology,
            schedule,
            worldPes(),
            mailboxes.myRank(),
            areasAt(new TeamAreaDescriptor(areas.length).requestsOffset()));
    }

    /** Returns the mailboxes by which requests of the same team are matched, in the third part of each area. */
    public PeerMailboxes matchingMailboxes()
    {
        final TeamAreaDescriptor descriptor = new TeamAreaDescriptor(areas.length);
        return new PeerMailboxes(
            endpoint, worldPes(), mailboxes.myRank(), areasAt(descriptor.matchingOffset()), descriptor);
    }

    private int[] worldPes()
    {
        final int[] worldPes = new int[areas.length];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            worldPes[rank] = mailboxes.worldPe(rank);
        }

        return worldPes;
    }

    private long[] areasAt(final long offset)
    {
        final long[] shifted = areas.clone();
        for (int rank = 0; rank < shifted.length; rank++)
        {
            shifted[rank] += offset;
        }

        return shifted;
    }

    private static Barrier barrier(
        final Endpoint endpoint,
        final BarrierSchedule schedule,
        final int[] worldPes,
        final int myRank,
        final long[] areas)
    {
        final TeamAreaDescriptor descriptor = new TeamAreaDescriptor(worldPes.length);
        final long[] ownFlagOffsets = new long[worldPes.length];
        final long[] peerFlagOffsets = new long[worldPes.length];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            ownFlagOffsets[rank] = areas[myRank] + descriptor.mailboxOffset(rank) + TeamAreaDescriptor.SYNCED;
            peerFlagOffsets[rank] = areas[rank] + descriptor.mailboxOffset(myRank) + TeamAreaDescriptor.SYNCED;
        }

        return new Barrier(endpoint, worldPes, schedule, ownFlagOffsets, peerFlagOffsets);
    }
}
