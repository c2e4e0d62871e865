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

import io.aeroshmem.TeamConfig;
import io.aeroshmem.collective.call.TeamCollectives;

/**
 * The creation of teams from a parent team, in which all members of the parent take part. Either all of them create the
 * teams, or all of them throw the same exception.
 * <p>
 * One thread at a time makes collective calls on the parent. Threads that split different parents share only the slots.
 */
public final class TeamSplitting
{
    /*
     * One exchange. Everything that can fail on a member precedes the exchange. The member checks its arguments, takes
     * a slot for each new team that it will belong to, and has the slot backed with memory (TeamSlots). The slot is the
     * member's area of the new team: the memory through which other members signal it. Then the members exchange
     * records (CallRecord) of their arguments, their areas and their status. Every member now has the same records,
     * derives the same outcome from them, and has nothing left to do that could fail. So no second exchange is needed
     * to agree on the outcome.
     *
     * A member that knows the outcome may use the new team at once, because each member's area was ready before that
     * member sent its record. A member that dies meanwhile fails the job, which ends the waits for its record.
     *
     * Counters begin at 0. A slot is reused only when no traffic to its memory is under way, and its memory is zero at
     * that time. So no signal of an earlier team is mistaken for one of the new team, and the members need not exchange
     * first values of counters.
     */
    private final TeamSplit.Parent parent;
    private final TeamCollectives collectives;

    public TeamSplitting(final TeamSplit.Parent parent, final TeamCollectives collectives)
    {
        this.parent = parent;
        this.collectives = collectives;
    }

    /**
     * Creates the team of every stride-th member.
     *
     * @param start  rank of the first.
     * @param stride between neighbours.
     * @param size   number of members.
     * @return the team, or null if this PE is not in it.
     */
    public TeamDescriptor splitStrided(final int start, final int stride, final int size, final TeamConfig config)
    {
        final TeamDescriptor[] teams = create(TeamSplit.strided(parent, start, stride, size, config));
        return 0 == teams.length ? null : teams[0];
    }

    /**
     * Creates the teams of the rows and columns of a grid.
     *
     * @param xRange  length of a row.
     * @param xConfig of the team of this PE's row.
     * @param yConfig of the team of this PE's column.
     */
    public TeamDescriptor[] split2d(final int xRange, final TeamConfig xConfig, final TeamConfig yConfig)
    {
        return create(TeamSplit.grid(parent, xRange, xConfig, yConfig));
    }

    /** Creates a team of the same members. */
    public TeamDescriptor duplicate(final TeamConfig config)
    {
        return create(TeamSplit.duplicate(parent, config))[0];
    }

    private TeamDescriptor[] create(final TeamSplit split)
    {
        collectives.engine().checkInStep();
        boolean isUnknown = false;
        try
        {
            split.begin();
            isUnknown = true;
            collectives.records().exchange();
            isUnknown = false;
            return split.end();
        }
        catch (final Throwable ex)
        {
            split.release(isUnknown);
            throw ex;
        }
    }
}
