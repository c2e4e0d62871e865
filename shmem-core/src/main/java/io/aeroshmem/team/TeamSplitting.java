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
import io.aeroshmem.collective.call.TeamCollectives;
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import org.agrona.UnsafeApi;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;

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
        final TeamDescriptor[] teams = create(
            CallRecord.SPLIT_STRIDED, first, size, config, config, parts, violation,
            (rank) -> part.contains(rank) ? start : rank);

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
        final int width = Math.min(xRange, parent.size());
        return create(
            CallRecord.SPLIT_2D, xRange, 0, xConfig, yConfig,
            xRange < 1 ? NO_PARTS : new ActiveSet[]{ row(parent.myRank(), width), column(parent.myRank(), width) },
            xRange < 1 ? "xRange must be >= 1" : null,
            (rank) -> row(rank, width).start(), (rank) -> column(rank, width).start());
    }

    /** Creates a team of the same members. */
    public TeamDescriptor duplicate(final TeamConfig config)
    {
        final ActiveSet[] parts = { new ActiveSet(0, 1, parent.size()) };
        return create(CallRecord.DUPLICATE, 0, 0, config, config, parts, null, (rank) -> 0)[0];
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

    /** Creates teams; {@code firsts} return the rank of the first member of the new team of a rank, along each axis. */
    private TeamDescriptor[] create(
        final int kind,
        final long first,
        final long second,
        final TeamConfig firstConfig,
        final TeamConfig secondConfig,
        final ActiveSet[] parts,
        final String violation,
        final IntUnaryOperator... firsts)
    {
        collectives.engine().checkInStep();
        final long[] taken = new long[parts.length];
        Arrays.fill(taken, TeamSlots.TOO_MANY);
        boolean isMade = false;
        boolean isUnknown = false;
        try
        {
            final int status = take(parts, taken);
            final long record = collectives.records().own();
            UnsafeApi.putLong(null, record, CallRecord.head(kind, status, null, null, 0));
            UnsafeApi.putLong(null, record + CallRecord.FIRST, first);
            UnsafeApi.putLong(null, record + CallRecord.SECOND, second);
            UnsafeApi.putLong(null, record + CallRecord.THIRD, CreationRecord.config(firstConfig));
            UnsafeApi.putLong(null, record + CallRecord.FOURTH, CreationRecord.config(secondConfig));
            UnsafeApi.putLong(null, record + CallRecord.FIFTH, taken.length > 0 ? taken[0] : 0);
            UnsafeApi.putLong(null, record + CallRecord.SECOND_AREA, taken.length > 1 ? taken[1] : 0);
            UnsafeApi.putLong(null, record + CallRecord.DETAIL, detail(parts, status));
            isUnknown = true;
            collectives.records().exchange();
            isUnknown = false;
            checkCalls(violation);
            final TeamDescriptor[] teams = teams(parts, firsts);
            isMade = true;
            return teams;
        }
        finally
        {
            for (int i = 0; i < taken.length && !isMade; i++)
            {
                slots.release(taken[i], isUnknown);
            }
        }
    }

    private int take(final ActiveSet[] parts, final long[] taken)
    {
        int status = CreationRecord.OK;
        for (int i = 0; i < parts.length && CreationRecord.OK == status; i++)
        {
            taken[i] = slots.take(parts[i].size());
            status = CreationRecord.status(taken[i]);
        }

        return status;
    }

    /** Returns the number of the new teams that this PE may be the first member of, or the detail of the status. */
    private long detail(final ActiveSet[] parts, final int status)
    {
        return CreationRecord.OK == status ? slots.nextNumber() :
            CreationRecord.TOO_MANY == status ? slots.maxTeams() :
            Arrays.stream(parts).mapToLong((part) -> new TeamAreaDescriptor(part.size()).length()).sum();
    }

    private void checkCalls(final String violation)
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
    }

    private RuntimeException differing(final long records)
    {
        for (int rank = 0; rank < parent.size(); rank++)
        {
            if (!CallRecord.isCreation(collectives.records().of(rank)))
            {
                return CallRecord.mismatch(parentName, records, parent.worldPes(), null);
            }
        }

        return failed(
            CallRecord.describeAll(records, parent.worldPes()) +
            "; the arguments must be the same on all of them");
    }

    /** Returns the teams, or throws: the same on all members. */
    private TeamDescriptor[] teams(final ActiveSet[] parts, final IntUnaryOperator[] firsts)
    {
        final long[][][] records = new long[firsts.length][][];
        for (int i = 0; i < firsts.length; i++)
        {
            records[i] = records(i);
            final long[] reason =
                CreationOutcome.problemOfParts(records[i], firsts[i], 1 == firsts.length ? 0 : 1 + i);
            if (null != reason)
            {
                throw failed(
                    "all PEs called " + CallRecord.describe(collectives.records().of(0)) + ", and " +
                    CreationReason.describe(reason));
            }
        }

        final TeamDescriptor[] teams = new TeamDescriptor[parts.length];
        for (int i = 0; i < parts.length; i++)
        {
            final int[] members = new int[parts[i].size()];
            Arrays.setAll(members, parts[i]::rank);
            teams[i] = TeamDescriptor.of(records[i], members, 1 == parts.length ? 0 : 1 + i, null, nPes, myPe);
        }

        return teams;
    }

    /** Returns the records of the members, by rank, for their new teams along an axis. */
    private long[][] records(final int axis)
    {
        final long[][] records = new long[parent.size()][CreationRecord.HEAD_WORDS];
        for (int rank = 0; rank < records.length; rank++)
        {
            final long call = collectives.records().of(rank);
            final long[] record = records[rank];
            record[CreationRecord.PE] = parent.worldPe(rank);
            record[CreationRecord.STATUS] = CallRecord.status(call);
            record[CreationRecord.STATUS_DETAIL] = UnsafeApi.getLong(null, call + CallRecord.DETAIL);
            record[CreationRecord.NUMBER] = record[CreationRecord.STATUS_DETAIL];
            record[CreationRecord.AREA] =
                UnsafeApi.getLong(null, call + (0 == axis ? CallRecord.FIFTH : CallRecord.SECOND_AREA));
            record[CreationRecord.CONFIG] =
                UnsafeApi.getLong(null, call + (0 == axis ? CallRecord.THIRD : CallRecord.FOURTH));
        }

        return records;
    }

    private TeamCreationException failed(final String reason)
    {
        return new TeamCreationException(
            "cannot create teams from team " + parentName + " of " + parent.size() + " PEs: " + reason);
    }
}
