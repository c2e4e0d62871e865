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

import io.aeroshmem.sync.Barrier;
import io.aeroshmem.sync.BarrierSchedule;
import io.aeroshmem.transport.endpoint.Endpoint;

/**
 * The resources that the tasks of a team share.
 *
 * @param endpoint   the endpoint of this PE.
 * @param algorithms the algorithms that the properties specify.
 * @param mailboxes  the mailboxes to the other members.
 * @param everyone   the whole team.
 * @param topology   placement of the members.
 * @param barrier    the barrier of the team, for tasks that begin or end with a barrier.
 * @param workspace  private memory of this PE.
 * @param areas      offset of each member's area ({@link TeamAreaDescriptor}) in the system region of that member, by
 *                   rank.
 */
public record TeamResources(
    Endpoint endpoint,
    AlgorithmSettings algorithms,
    PeerMailboxes mailboxes,
    Group everyone,
    Topology topology,
    Barrier barrier,
    TeamWorkspace workspace,
    long[] areas)
{
    /**
     * Returns the resources of a team whose members' areas are known.
     *
     * @param algorithms that the settings specify, the same on all PEs of the job.
     * @param areas      offset of the area of each member in its system region, by rank.
     */
    public static TeamResources of(
        final Endpoint endpoint,
        final AlgorithmSettings algorithms,
        final StagingPool staging,
        final int[] worldPes,
        final int myRank,
        final long[] areas)
    {
        final TeamAreaDescriptor descriptor = new TeamAreaDescriptor(worldPes.length);
        final Topology topology = new Topology(endpoint, worldPes);
        return new TeamResources(
            endpoint,
            algorithms,
            new PeerMailboxes(endpoint, worldPes, myRank, areas, descriptor),
            Group.all(worldPes.length, myRank),
            topology,
            barrier(endpoint, schedule(topology, algorithms, myRank), worldPes, myRank, areas),
            new TeamWorkspace(worldPes.length, staging),
            areas);
    }

    /** Begins a call, and its first step. */
    void beginCall(final long signature)
    {
        barrier.sign(signature);
        mailboxes.beginCall(barrier.signature());
        mailboxes.beginStep();
    }

    /** Returns resources for the requests of the same team, which use the second part of each area. */
    TeamResources forRequests()
    {
        return of(
            endpoint,
            algorithms,
            workspace.staging(),
            worldPes(),
            mailboxes.myRank(),
            areasAt(new TeamAreaDescriptor(areas.length).requestsOffset()));
    }

    /** Returns the mailboxes by which requests of the same team are matched, in the third part of each area. */
    PeerMailboxes matchingMailboxes()
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

    /** Returns the barrier schedule that the table selects for a team. */
    private static BarrierSchedule schedule(
        final Topology topology, final AlgorithmSettings algorithms, final int myRank)
    {
        final int size = topology.size();
        switch (AlgorithmTable.choices(Routine.SYNC, topology, algorithms.forced(Routine.SYNC), false)[0]
            .algorithm())
        {
            case FLAT:
                return BarrierSchedule.flat(size, myRank);

            case TWO_LEVEL:
                return BarrierSchedule.twoLevel(
                    topology.leaders(), topology.membersOf(topology.hostOf(myRank)), myRank);

            default:
                return BarrierSchedule.dissemination(size, myRank);
        }
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
