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
package io.aeroshmem.team;

import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The PEs among which this PE creates teams: the world, or the members of a parent team. The domain also numbers the
 * attempts to create teams. One attempt is made at a time: {@link #tryBegin} returns false until {@link #end} has been
 * called for the attempt in progress. The two methods also order the accesses of successive threads.
 */
public final class CreationDomain
{
    private final CreationChannel channel;
    private final AtomicBoolean isBusy = new AtomicBoolean();
    private final long[] ended;
    private final long[] common;
    private long attempt;

    CreationDomain(final CreationChannel channel)
    {
        this.channel = channel;
        ended = new long[channel.size()];
        common = new long[channel.size()];
    }

    /** Returns the domain of the world, in which {@link io.aeroshmem.Shmem#createTeam} creates teams. */
    public static CreationDomain ofWorld(final Endpoint endpoint, final long cellsOffset)
    {
        final int[] worldPes = new int[endpoint.nPes()];
        final long[] cells = new long[worldPes.length];
        Arrays.setAll(worldPes, (pe) -> pe);
        Arrays.fill(cells, cellsOffset);
        return new CreationDomain(new CreationCells(endpoint, worldPes, endpoint.pe(), cells, (member) -> false));
    }

    /** Returns the domain of the members of a team, in which {@link io.aeroshmem.Team#split} creates teams. */
    public static CreationDomain ofMembers(final Endpoint endpoint, final TeamResources resources)
    {
        final PeerMailboxes mailboxes = resources.mailboxes();
        final int size = mailboxes.size();
        final int[] worldPes = new int[size];
        final long[] cells = new long[size];
        final long offset = new TeamAreaDescriptor(size).creationCellsOffset();
        for (int rank = 0; rank < size; rank++)
        {
            worldPes[rank] = mailboxes.worldPe(rank);
            cells[rank] = resources.areas()[rank] + offset;
        }

        return new CreationDomain(
            new CreationCells(endpoint, worldPes, mailboxes.myRank(), cells, mailboxes::hasClosed));
    }

    /** Begins an attempt; returns false if another one has not ended. */
    public boolean tryBegin()
    {
        return isBusy.compareAndSet(false, true);
    }

    /** Ends the attempt. */
    public void end()
    {
        isBusy.set(false);
    }

    CreationChannel channel()
    {
        return channel;
    }

    long nextAttempt()
    {
        return ++attempt;
    }

    /** Returns the number of the next creation with a member, not counting those by the program's exchange. */
    long nextCommon(final int member)
    {
        return ++common[member];
    }

    /** Sets the number of the last common creation, after the member was found ahead. */
    void common(final int member, final long number)
    {
        common[member] = number;
    }

    /** Returns the last attempt of a member that this PE took part in or has found ended. */
    long ended(final int member)
    {
        return ended[member];
    }

    void end(final int member, final long attempt)
    {
        ended[member] = Math.max(ended[member], attempt);
    }
}
