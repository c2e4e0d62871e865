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

import io.aeroshmem.PredefinedTeam;

import java.util.HashSet;
import java.util.Set;

/**
 * The ids of the open teams of one PE, which are unsigned 64-bit integers. The ids of predefined teams are the greatest
 * ones.
 * <p>
 * A generated id has bit 63 set and bit 62 clear. It consists of the first member's PE number in the world, a number
 * that the first member has assigned to the team, and the axis if the team is a row or a column of a grid. So it is
 * normally equal on all members and unique in the job. However, if the program has given that id to another open team
 * of a PE, this PE uses the next free id.
 * <p>
 * Thread-safe.
 */
public final class TeamIds
{
    private static final int AXIS_BITS = 2;
    private static final int NUMBER_BITS = 42;

    private final Set<Long> open = new HashSet<>();

    /** Constructs the ids of a PE that has the predefined teams only. */
    public TeamIds()
    {
        for (final PredefinedTeam which : PredefinedTeam.values())
        {
            open.add(of(which));
        }
    }

    /** Returns the id of a predefined team. */
    public static long of(final PredefinedTeam which)
    {
        return -1L - which.ordinal();
    }

    /** Returns the id that is generated for a team. */
    static long generated(final int firstPe, final long number, final int axis)
    {
        return Long.MIN_VALUE | ((long)firstPe << NUMBER_BITS | number) << AXIS_BITS | axis;
    }

    /** Takes an id that a program has given; returns false if an open team has it. */
    public synchronized boolean take(final long id)
    {
        return open.add(id);
    }

    /** Takes a generated id, or the next free one, and returns it. */
    public synchronized long takeGenerated(final long generated)
    {
        long id = generated;
        while (!open.add(id))
        {
            id++;
        }

        return id;
    }

    /** Releases an id that was taken. */
    public synchronized void release(final long id)
    {
        open.remove(id);
    }
}
