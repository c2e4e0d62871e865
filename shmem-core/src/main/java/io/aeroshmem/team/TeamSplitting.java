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

import io.aeroshmem.ActiveSet;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.TeamCreationException;
import io.aeroshmem.collective.CallRecord;
import io.aeroshmem.collective.PeList;
import io.aeroshmem.collective.TeamAreaDescriptor;
import io.aeroshmem.collective.TeamCollectives;
import org.agrona.UnsafeApi;

import java.util.Arrays;

/**
 * The creation of teams from a parent team, in which all members of the parent take part. Either all of them create the
 * teams, or all of them throw the same exception.
 * <p>
 * <b>One exchange.</b> Everything that can fail on a member precedes the exchange. The member checks its arguments,
 * takes a slot for each new team that it will belong to, and has the slot backed with memory ({@link TeamSlots}). The
 * slot is the member's area of the new team: the memory through which other members signal it. Then the members
 * exchange records ({@link CallRecord}) of their arguments, their areas and their status. Every member now has the same
 * records, derives the same outcome from them, and has nothing left to do that could fail. So no second exchange is
 * needed to agree on the outcome.
 * <p>
 * A member that knows the outcome may use the new team at once, because each member's area was ready before that member
 * sent its record. A member that dies meanwhile fails the job, which ends the waits for its record.
 * <p>
 * <b>Counters begin at 0.</b> A slot is reused only when no traffic to its memory is under way, and its memory is zero
 * at that time. So no signal of an earlier team is mistaken for one of the new team, and the members need not exchange
 * first values of counters.
 * <p>
 * One thread at a time makes collective calls on the parent. Threads that split different parents share only the slots.
 */
public final class TeamSplitting
{
    private static final ActiveSet[] NO_PARTS = {};

    private final TeamSlots slots;
    private final Membership parent;
    private final String parentName;
    private final TeamCollectives collectives;
    private final int nPes;
    private final int myPe;

    public TeamSplitting(
        final TeamSlots slots,
        final int nPes,
        final Membership parent,
        final String parentName,
        final TeamCollectives collectives)
    {
        this.slots = slots;
        this.nPes = nPes;
        this.parent = parent;
        this.parentName = parentName;
        this.collectives = collectives;
        myPe = parent.worldPe(parent.myRank());
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
        final ActiveSet part = new ActiveSet(start, stride, size);
        final boolean isValid = part.isWithin(parent.size());
        final ActiveSet[] parts = isValid && part.contains(parent.myRank()) ? new ActiveSet[]{part} : NO_PARTS;
        final int comparedStride = 1 == size ? 0 : stride;
        final long first = (long)start << Integer.SIZE | comparedStride & 0xFFFF_FFFFL;
        final String violation = isValid ? null : "size must be >= 1, start + stride * i must be 0 to " +
            (parent.size() - 1) + " for every i from 0 to size - 1, and stride must be 0 only for a size of 1";
        final TeamDescriptor[] teams = create(CallRecord.SPLIT_STRIDED, first, size, config, config, parts, violation);

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
        ActiveSet[] parts = NO_PARTS;
        if (xRange > 0)
        {
            final int width = Math.min(xRange, parent.size());
            parts = new ActiveSet[]{ row(parent.myRank(), width), column(parent.myRank(), width) };
        }

        return create(
            CallRecord.SPLIT_2D, xRange, 0, xConfig, yConfig, parts,
            xRange > 0 ? null : "xRange must be >= 1");
    }

    /** Creates a team of the same members. */
    public TeamDescriptor duplicate(final TeamConfig config)
    {
        final ActiveSet[] parts = { new ActiveSet(0, 1, parent.size()) };
        return create(CallRecord.DUPLICATE, 0, 0, config, config, parts, null)[0];
    }

    private ActiveSet row(final int rank, final int width)
    {
        final int start = rank - rank % width;
        return new ActiveSet(start, 1, Math.min(width, parent.size() - start));
    }

    private ActiveSet column(final int rank, final int width)
    {
        final int start = rank % width;
        return new ActiveSet(start, width, (parent.size() - start + width - 1) / width);
    }

    private TeamDescriptor[] create(
        final int kind,
        final long first,
        final long second,
        final TeamConfig firstConfig,
        final TeamConfig secondConfig,
        final ActiveSet[] parts,
        final String violation)
    {
        collectives.engine().checkInStep();
        final long[] taken = new long[parts.length];
        Arrays.fill(taken, TeamSlots.TOO_MANY);
        boolean isMade = false;
        boolean isUnused = true;
        try
        {
            final int status = take(parts, taken);
            final long record = collectives.records().own();
            UnsafeApi.putLong(null, record, CallRecord.head(kind, status, null, null, 0));
            UnsafeApi.putLong(null, record + CallRecord.FIRST, first);
            UnsafeApi.putLong(null, record + CallRecord.SECOND, second);
            UnsafeApi.putLong(null, record + CallRecord.THIRD, pack(firstConfig));
            UnsafeApi.putLong(null, record + CallRecord.FOURTH, pack(secondConfig));
            UnsafeApi.putLong(null, record + CallRecord.FIFTH, taken.length > 0 ? taken[0] : 0);
            UnsafeApi.putLong(null, record + CallRecord.SECOND_AREA, taken.length > 1 ? taken[1] : 0);
            UnsafeApi.putLong(null, record + CallRecord.DETAIL, detail(parts, status));
            isUnused = false;
            collectives.records().exchange();
            isUnused = true;
            check(kind, violation);
            isUnused = false;
            final TeamDescriptor[] teams = teams(parts);
            isMade = true;
            return teams;
        }
        finally
        {
            if (!isMade)
            {
                release(taken, isUnused);
            }
        }
    }

    private int take(final ActiveSet[] parts, final long[] taken)
    {
        for (int i = 0; i < parts.length; i++)
        {
            taken[i] = slots.take(parts[i].size());
            if (taken[i] < 0)
            {
                return TeamSlots.TOO_MANY == taken[i] ? CallRecord.TOO_MANY :
                    TeamSlots.NO_ROOM == taken[i] ? CallRecord.NO_ROOM : CallRecord.NO_MEMORY;
            }
        }

        return CallRecord.OK;
    }

    /** Returns the number of the new teams that this PE may be the first member of, or the detail of the status. */
    private long detail(final ActiveSet[] parts, final int status)
    {
        switch (status)
        {
            case CallRecord.OK:
                return slots.nextNumber();

            case CallRecord.TOO_MANY:
                return slots.maxTeams();

            default:
                long bytes = 0;
                for (final ActiveSet part : parts)
                {
                    bytes += new TeamAreaDescriptor(part.size()).length();
                }
                return bytes;
        }
    }

    /**
     * Releases the slots. When the exchange itself has failed, others may have found the teams made, and use the slots.
     */
    private void release(final long[] taken, final boolean isUnused)
    {
        for (final long area : taken)
        {
            if (isUnused)
            {
                slots.giveBack(area);
            }
            else if (area >= 0)
            {
                slots.abandon();
            }
        }
    }

    private void check(final int kind, final String violation)
    {
        final long records = collectives.records().of(0);
        if (!CallRecord.isSameCallOnAll(records, parent.size()))
        {
            throw differing(records);
        }

        if (null != violation)
        {
            throw failed("all PEs called " + CallRecord.describe(records) + "; " + violation);
        }

        checkStatuses(records);
        checkUniqueIds(records);
        checkConfigs(kind, records);
    }

    private RuntimeException differing(final long records)
    {
        for (int rank = 0; rank < parent.size(); rank++)
        {
            if (!CallRecord.isCreation(record(rank)))
            {
                return CallRecord.mismatch(parentName, records, parent.worldPes(), false);
            }
        }

        return failed(
            CallRecord.describeAll(records, parent.worldPes(), false) +
            "; the arguments must be the same on all of them");
    }

    private void checkStatuses(final long records)
    {
        for (int rank = 0; rank < parent.size(); rank++)
        {
            final int status = CallRecord.status(record(rank));
            if (CallRecord.OK != status)
            {
                final String explanation =
                    explain(status, UnsafeApi.getLong(null, record(rank) + CallRecord.DETAIL));
                throw failed(
                    "all PEs called " + CallRecord.describe(records) + ", and " + those(status) + " of the world " +
                    explanation);
            }
        }
    }

    private PeList those(final int status)
    {
        final PeList pes = new PeList();
        for (int rank = 0; rank < parent.size(); rank++)
        {
            if (status == CallRecord.status(record(rank)))
            {
                pes.add(parent.worldPe(rank));
            }
        }

        return pes;
    }

    /**
     * Returns why a PE cannot have another team, as the end of a sentence about the PE.
     *
     * @param status of the PE, not {@link CallRecord#OK}.
     * @param detail of the status.
     */
    static String explain(final int status, final long detail)
    {
        switch (status)
        {
            case CallRecord.TOO_MANY:
                return "cannot have more than " + detail + " teams open at once, besides the predefined ones" +
                    " (aeroshmem.teams.max)";

            case CallRecord.NO_ROOM:
                return "cannot have more teams: their areas take " + detail + " bytes of 1 GiB of address space;" +
                    " close teams";

            default:
                return "cannot have more teams: their areas take " + detail + " bytes, which the file system of" +
                    " aeroshmem.shm.dir does not have; close teams, make room there, or set a smaller" +
                    " aeroshmem.heap.size";
        }
    }

    /** Rejects unique ids in the configurations: the id of a team specifies its members, which a split does itself. */
    private void checkUniqueIds(final long records)
    {
        for (int rank = 0; rank < parent.size(); rank++)
        {
            final long configs = UnsafeApi.getLong(null, record(rank) + CallRecord.THIRD) |
                UnsafeApi.getLong(null, record(rank) + CallRecord.FOURTH);
            if (0 != (configs >>> Integer.SIZE & TeamConfig.UNIQUE_ID))
            {
                throw failed(
                    "all PEs called " + CallRecord.describe(records) + ", and PE " + parent.worldPe(rank) +
                    " specified a configuration with a unique id, which only teamInit accepts (TeamConfig.mask)");
            }
        }
    }

    /** Checks that the members of each new team have specified the same configuration. */
    private void checkConfigs(final int kind, final long records)
    {
        final int size = parent.size();
        if (CallRecord.SPLIT_2D == kind)
        {
            final int width = (int)Math.min(UnsafeApi.getLong(null, records + CallRecord.FIRST), size);
            for (int rank = 0; rank < size; rank++)
            {
                checkConfig(rank, row(rank, width).start(), CallRecord.THIRD, "x axis");
                checkConfig(rank, column(rank, width).start(), CallRecord.FOURTH, "y axis");
            }
        }
        else
        {
            final long triplet = UnsafeApi.getLong(null, records + CallRecord.FIRST);
            final ActiveSet part = CallRecord.DUPLICATE == kind ? new ActiveSet(0, 1, size) : new ActiveSet(
                (int)(triplet >> Integer.SIZE),
                (int)triplet,
                (int)UnsafeApi.getLong(null, records + CallRecord.SECOND));
            for (int i = 1; i < part.size(); i++)
            {
                checkConfig(part.rank(i), part.start(), CallRecord.THIRD, "team");
            }
        }
    }

    private void checkConfig(final int rank, final int firstRank, final int word, final String axis)
    {
        final long config = UnsafeApi.getLong(null, record(rank) + word);
        final long firstConfig = UnsafeApi.getLong(null, record(firstRank) + word);
        if (config != firstConfig)
        {
            throw failed(
                "all PEs called " + CallRecord.describe(record(0)) + ", and the configuration of the " + axis +
                " must be the same on all PEs of a new team: PE " + parent.worldPe(firstRank) + " " +
                describeConfig(firstConfig) + ", PE " + parent.worldPe(rank) + " " + describeConfig(config));
        }
    }

    /**
     * Packs a configuration into a word of a record: its effective values, whatever its mask, and whether it has a
     * unique id.
     */
    static long pack(final TeamConfig config)
    {
        return (config.mask() & TeamConfig.UNIQUE_ID) << Integer.SIZE | config.numContexts();
    }

    /** Returns a packed configuration as text in one line. */
    static String describeConfig(final long packed)
    {
        return "(numContexts " + (int)packed + ")";
    }

    private TeamDescriptor[] teams(final ActiveSet[] parts)
    {
        final TeamDescriptor[] teams = new TeamDescriptor[parts.length];
        for (int i = 0; i < parts.length; i++)
        {
            final ActiveSet part = parts[i];
            final int[] worldPes = new int[part.size()];
            final long[] areas = new long[part.size()];
            final int word = 0 == i ? CallRecord.FIFTH : CallRecord.SECOND_AREA;
            for (int rank = 0; rank < part.size(); rank++)
            {
                final int parentRank = part.rank(rank);
                worldPes[rank] = parent.worldPe(parentRank);
                areas[rank] = UnsafeApi.getLong(null, record(parentRank) + word);
            }

            final long number = UnsafeApi.getLong(null, record(part.start()) + CallRecord.DETAIL);
            teams[i] = TeamDescriptor.of(
                number, 1 == parts.length ? 0 : 1 + i, Membership.inOrder(worldPes, nPes, myPe), areas, null);
        }

        return teams;
    }

    private long record(final int rank)
    {
        return collectives.records().of(rank);
    }

    private TeamCreationException failed(final String reason)
    {
        return new TeamCreationException(
            "cannot create teams from team " + parentName + " of " + parent.size() + " PEs: " + reason);
    }
}
