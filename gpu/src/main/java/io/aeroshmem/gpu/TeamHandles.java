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
package io.aeroshmem.gpu;

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.Team;

import java.util.IdentityHashMap;
import java.util.Iterator;
import java.util.Map;

/**
 * The handles by which kernels name teams. A handle is the number of a slot in the table of teams. The first slots
 * belong to the teams of {@link PredefinedTeam}.
 * <p>
 * The members of a team agree on a slot that is free on each of them, and on a generation higher than every generation
 * that a member has used in this slot. Each slot also has an area in the symmetric memory of each PE
 * ({@link TeamAreas}). The flags in the area hold stamps: numbers that grow from collective to collective, with the
 * generation in their high bits. So the stamps of a team are higher than those that earlier teams have left in the
 * area.
 */
final class TeamHandles
{
    static final int INVALID = -1;

    /*
     * A slot counts as free again once this PE has closed the team. At that time, no store of another member into this
     * PE's area is still under way. The reason: a collective ends on a PE only when the PE has received everything that
     * the other members send to it.
     */
    private final Shmem shmem;
    private final DeviceState state;
    private final Map<Team, Integer> handles = new IdentityHashMap<>();
    private final long[] generations = new long[DeviceStateDescriptor.MAX_TEAMS];
    private long free = (1L << DeviceStateDescriptor.MAX_TEAMS) - 1;

    TeamHandles(final Shmem shmem, final DeviceState state)
    {
        this.shmem = shmem;
        this.state = state;
        for (final PredefinedTeam which : PredefinedTeam.values())
        {
            enter(shmem.team(which), which.ordinal(), 1);
        }
    }

    /** Returns the handle of a team. Collective over the team at the first call. */
    synchronized int handle(final Team team)
    {
        if (Team.INVALID == team)
        {
            return INVALID;
        }

        // throws if the team is closed, or of another PE
        team.translatePe(team.myPe(), shmem.world());
        final Integer known = handles.get(team);
        return null == known ? agree(team) : known;
    }

    private int agree(final Team team)
    {
        releaseClosed();
        final long common = team.reduceLong(ReduceOp.AND, free);
        if (0 == common)
        {
            throw new ShmemException("no handle is free on all members of " + team + ": a PE has " +
                DeviceStateDescriptor.MAX_TEAMS + " handles, " + PredefinedTeam.values().length +
                " of them of predefined teams; close teams whose handles are not needed");
        }

        final int slot = Long.numberOfTrailingZeros(common);
        enter(team, slot, team.reduceLong(ReduceOp.MAX, generations[slot]) + 1);
        return slot;
    }

    private void enter(final Team team, final int slot, final long generation)
    {
        final int[] worldPes = new int[team.nPes()];
        for (int rank = 0; rank < worldPes.length; rank++)
        {
            worldPes[rank] = team.translatePe(rank, shmem.world());
        }

        state.team(slot, team.myPe(), worldPes, generation);
        generations[slot] = generation;
        handles.put(team, slot);
        free &= ~(1L << slot);
    }

    private void releaseClosed()
    {
        final Iterator<Map.Entry<Team, Integer>> entries = handles.entrySet().iterator();
        while (entries.hasNext())
        {
            final Map.Entry<Team, Integer> entry = entries.next();
            if (isClosed(entry.getKey()))
            {
                final int slot = entry.getValue();
                entries.remove();
                state.removeTeam(slot);
                free |= 1L << slot;
            }
        }
    }

    private static boolean isClosed(final Team team)
    {
        try
        {
            team.myPe();
            return false;
        }
        catch (final IllegalStateException ex)
        {
            return true;
        }
    }
}
