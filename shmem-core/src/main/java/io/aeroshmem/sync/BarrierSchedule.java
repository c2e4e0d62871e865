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
package io.aeroshmem.sync;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The schedule of one member in a {@link Barrier}. In each round the member signals some members, then waits for the
 * signals of some members. In one barrier it signals no member more than once, and waits only for members that signal
 * it.
 */
public final class BarrierSchedule
{
    private final List<int[]> targets = new ArrayList<>();
    private final List<int[]> sources = new ArrayList<>();

    private BarrierSchedule()
    {
    }

    /**
     * In round {@code r} a member signals the one {@code 2^r} ranks after it, and waits for the one {@code 2^r} ranks
     * before it. After {@code ceil(log2(n))} rounds it depends on all, directly or not. All these distances differ and
     * are less than {@code n}, so they belong to different members.
     */
    public static BarrierSchedule dissemination(final int size, final int myRank)
    {
        final BarrierSchedule schedule = new BarrierSchedule();
        schedule.disseminate(size, myRank, IntUnaryOperator.identity());
        return schedule;
    }

    /** A member signals all others, and waits for all others: one round. */
    public static BarrierSchedule flat(final int size, final int myRank)
    {
        final BarrierSchedule schedule = new BarrierSchedule();
        if (size > 1)
        {
            // each begins with its successor, so that not all write to the same member at once
            final int[] others = new int[size - 1];
            for (int i = 0; i < others.length; i++)
            {
                others[i] = (myRank + 1 + i) % size;
            }

            schedule.round(others, others);
        }

        return schedule;
    }

    /**
     * The members of a host signal their leader, the leaders disseminate, and each signals the members of its host.
     *
     * @param leaders of the hosts, by host; ascending ranks.
     * @param locals  the members on this member's host; the first one is the leader.
     */
    public static BarrierSchedule twoLevel(final int[] leaders, final int[] locals, final int myRank)
    {
        final BarrierSchedule schedule = new BarrierSchedule();
        final int leader = locals[0];
        if (leader != myRank)
        {
            schedule.round(new int[]{leader}, new int[]{leader});
            return schedule;
        }

        final int[] others = new int[locals.length - 1];
        System.arraycopy(locals, 1, others, 0, others.length);
        schedule.round(new int[0], others);
        int myHost = 0;
        while (leaders[myHost] != myRank)
        {
            myHost++;
        }

        schedule.disseminate(leaders.length, myHost, (host) -> leaders[host]);
        schedule.round(others, new int[0]);
        return schedule;
    }

    private void disseminate(final int size, final int myIndex, final IntUnaryOperator rank)
    {
        for (int round = 0; round < SystemAreaDescriptor.rounds(size); round++)
        {
            final long distance = 1L << round;
            round(
                new int[]{rank.applyAsInt((int)((myIndex + distance) % size))},
                new int[]{rank.applyAsInt((int)((myIndex - distance + size) % size))});
        }
    }

    private void round(final int[] targets, final int[] sources)
    {
        if (targets.length + sources.length > 0)
        {
            this.targets.add(targets);
            this.sources.add(sources);
        }
    }

    /** Returns the number of rounds, 0 in a team of one. */
    int rounds()
    {
        return targets.size();
    }

    /** Returns the ranks that the member signals in a round. */
    int[] targets(final int round)
    {
        return targets.get(round);
    }

    /** Returns the ranks that the member waits for in a round. */
    int[] sources(final int round)
    {
        return sources.get(round);
    }
}
