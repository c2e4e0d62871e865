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
import io.aeroshmem.collective.task.CallRecord;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamWorkspace;
import org.agrona.UnsafeApi;

import java.util.Arrays;
import java.util.function.IntUnaryOperator;
import java.util.function.LongSupplier;

/**
 * One member's part in the creation of teams from a parent team ({@link TeamSplitting}): what precedes the exchange of
 * records among the members, and what follows it.
 */
public final class TeamSplit
{
    private static final ActiveSet[] NO_PARTS = {};

    private final Parent parent;
    private final Membership membership;
    private final long records;
    private final int kind;
    private final long first;
    private final long second;
    private final TeamConfig firstConfig;
    private final TeamConfig secondConfig;
    private final ActiveSet[] parts;
    private final String violation;
    private final IntUnaryOperator[] firsts;
    private final long[] taken;

    /**
     * The team whose members create others.
     *
     * @param slots   that the areas are taken from.
     * @param records returns the address of room for a {@link CallRecord} of each member, by rank.
     */
    public record Parent(TeamSlots slots, int nPes, Membership membership, String name, LongSupplier records)
    {
    }

    /**
     * @param kind       of call, see {@link CallRecord}.
     * @param parts      the new teams of this PE, one along each axis.
     * @param violation  rule that the arguments violate, or null.
     * @param firsts     return the rank of the first member of the new team of a rank, along each axis.
     */
    private TeamSplit(
        final Parent parent,
        final int kind,
        final long first,
        final long second,
        final TeamConfig firstConfig,
        final TeamConfig secondConfig,
        final ActiveSet[] parts,
        final String violation,
        final IntUnaryOperator... firsts)
    {
        this.parent = parent;
        membership = parent.membership;
        records = parent.records.getAsLong();
        this.kind = kind;
        this.first = first;
        this.second = second;
        this.firstConfig = firstConfig;
        this.secondConfig = secondConfig;
        this.parts = parts;
        this.violation = violation;
        this.firsts = firsts;
        taken = new long[parts.length];
        Arrays.fill(taken, TeamSlots.TOO_MANY);
    }

    /** Returns the creation of the team of every stride-th member, see {@link TeamSplitting#splitStrided}. */
    public static TeamSplit strided(
        final Parent parent, final int start, final int stride, final int size, final TeamConfig config)
    {
        final ActiveSet part = new ActiveSet(start, stride, size);
        final Membership membership = parent.membership;
        final boolean isValid = part.isWithin(membership.size());
        final ActiveSet[] parts = isValid && part.contains(membership.myRank()) ? new ActiveSet[]{part} : NO_PARTS;
        final int comparedStride = 1 == size ? 0 : stride;
        final long first = (long)start << Integer.SIZE | comparedStride & 0xFFFF_FFFFL;
        final String violation = isValid ? null : "size must be >= 1, start + stride * i must be 0 to " +
            (membership.size() - 1) + " for every i from 0 to size - 1, and stride must be 0 only for a size of 1";
        return new TeamSplit(
            parent, CallRecord.SPLIT_STRIDED, first, size, config, config, parts, violation,
            (rank) -> part.contains(rank) ? start : rank);
    }

    /** Returns the creation of the teams of a grid's rows and columns, see {@link TeamSplitting#split2d}. */
    static TeamSplit grid(
        final Parent parent, final int xRange, final TeamConfig xConfig, final TeamConfig yConfig)
    {
        final int myRank = parent.membership.myRank();
        final int width = Math.min(xRange, parent.membership.size());
        return new TeamSplit(
            parent, CallRecord.SPLIT_2D, xRange, 0, xConfig, yConfig,
            xRange < 1 ? NO_PARTS : new ActiveSet[]{row(parent, myRank, width), column(parent, myRank, width)},
            xRange < 1 ? "xRange must be >= 1" : null,
            (rank) -> row(parent, rank, width).start(), (rank) -> column(parent, rank, width).start());
    }

    /** Returns the creation of a team of the same members, see {@link TeamSplitting#duplicate}. */
    static TeamSplit duplicate(final Parent parent, final TeamConfig config)
    {
        return new TeamSplit(
            parent, CallRecord.DUPLICATE, 0, 0, config, config,
            new ActiveSet[]{ new ActiveSet(0, 1, parent.membership.size()) }, null, (rank) -> 0);
    }

    private static ActiveSet row(final Parent parent, final int rank, final int width)
    {
        final int start = rank - rank % width;
        return new ActiveSet(start, 1, Math.min(width, parent.membership.size() - start));
    }

    private static ActiveSet column(final Parent parent, final int rank, final int width)
    {
        final int start = rank % width;
        return new ActiveSet(start, width, (parent.membership.size() - start + width - 1) / width);
    }

    /** Takes an area for each new team, and writes the record of this member, which is to be exchanged. */
    public void begin()
    {
        final int status = take();
        final long record = record(membership.myRank());
        UnsafeApi.putLong(null, record, CallRecord.head(kind, status, null, null, 0));
        UnsafeApi.putLong(null, record + CallRecord.FIRST, first);
        UnsafeApi.putLong(null, record + CallRecord.SECOND, second);
        UnsafeApi.putLong(null, record + CallRecord.THIRD, CreationRecord.config(firstConfig));
        UnsafeApi.putLong(null, record + CallRecord.FOURTH, CreationRecord.config(secondConfig));
        UnsafeApi.putLong(null, record + CallRecord.FIFTH, taken.length > 0 ? taken[0] : 0);
        UnsafeApi.putLong(null, record + CallRecord.SECOND_AREA, taken.length > 1 ? taken[1] : 0);
        UnsafeApi.putLong(null, record + CallRecord.DETAIL, detail(status));
    }

    /** Returns the teams of this PE that the exchanged records describe, or throws: the same on all members. */
    public TeamDescriptor[] end()
    {
        checkCalls();
        return teams();
    }

    /**
     * Gives the areas back, as no team was made here.
     *
     * @param isUnknown whether other members may have made one.
     */
    void release(final boolean isUnknown)
    {
        for (final long area : taken)
        {
            parent.slots.release(area, isUnknown);
        }
    }

    private long record(final int rank)
    {
        return records + (long)rank * TeamWorkspace.RECORD_LENGTH;
    }

    private int take()
    {
        int status = CreationRecord.OK;
        for (int i = 0; i < parts.length && CreationRecord.OK == status; i++)
        {
            taken[i] = parent.slots.take(parts[i].size());
            status = CreationRecord.status(taken[i]);
        }

        return status;
    }

    /** Returns the number of the new teams that this PE may be the first member of, or the detail of the status. */
    private long detail(final int status)
    {
        return CreationRecord.OK == status ? parent.slots.nextNumber() :
            CreationRecord.TOO_MANY == status ? parent.slots.maxTeams() :
            Arrays.stream(parts).mapToLong((part) -> new TeamAreaDescriptor(part.size()).length()).sum();
    }

    private void checkCalls()
    {
        if (!CallRecord.isSameCallOnAll(records, membership.size()))
        {
            throw differing();
        }

        if (null != violation)
        {
            throw failed("all PEs called " + CallRecord.describe(records) + "; " + violation);
        }
    }

    private RuntimeException differing()
    {
        for (int rank = 0; rank < membership.size(); rank++)
        {
            if (!CallRecord.isCreation(record(rank)))
            {
                return CallRecord.mismatch(parent.name, records, membership.worldPes(), null);
            }
        }

        return failed(
            CallRecord.describeAll(records, membership.worldPes()) +
            "; the arguments must be the same on all of them");
    }

    private TeamDescriptor[] teams()
    {
        final long[][][] memberRecords = new long[firsts.length][][];
        for (int i = 0; i < firsts.length; i++)
        {
            memberRecords[i] = records(i);
            final long[] reason =
                CreationOutcome.problemOfParts(memberRecords[i], firsts[i], 1 == firsts.length ? 0 : 1 + i);
            if (null != reason)
            {
                throw failed(
                    "all PEs called " + CallRecord.describe(records) + ", and " +
                    CreationReason.describe(reason));
            }
        }

        final TeamDescriptor[] teams = new TeamDescriptor[parts.length];
        for (int i = 0; i < parts.length; i++)
        {
            final int[] members = new int[parts[i].size()];
            Arrays.setAll(members, parts[i]::rank);
            teams[i] = TeamDescriptor.of(
                memberRecords[i],
                members,
                1 == parts.length ? 0 : 1 + i,
                null,
                parent.nPes,
                membership.worldPe(membership.myRank()));
        }

        return teams;
    }

    /** Returns the records of the members, by rank, for their new teams along an axis. */
    private long[][] records(final int axis)
    {
        final long[][] memberRecords = new long[membership.size()][CreationRecord.HEAD_WORDS];
        for (int rank = 0; rank < memberRecords.length; rank++)
        {
            final long call = record(rank);
            final long[] record = memberRecords[rank];
            record[CreationRecord.PE] = membership.worldPe(rank);
            record[CreationRecord.STATUS] = CallRecord.status(call);
            record[CreationRecord.STATUS_DETAIL] = UnsafeApi.getLong(null, call + CallRecord.DETAIL);
            record[CreationRecord.NUMBER] = record[CreationRecord.STATUS_DETAIL];
            record[CreationRecord.AREA] =
                UnsafeApi.getLong(null, call + (0 == axis ? CallRecord.FIFTH : CallRecord.SECOND_AREA));
            record[CreationRecord.CONFIG] =
                UnsafeApi.getLong(null, call + (0 == axis ? CallRecord.THIRD : CallRecord.FOURTH));
        }

        return memberRecords;
    }

    private TeamCreationException failed(final String reason)
    {
        return new TeamCreationException(
            "cannot create teams from team " + parent.name + " of " + membership.size() + " PEs: " + reason);
    }
}
