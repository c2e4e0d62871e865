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

import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/**
 * The outcome of a team creation for one participant: the members of its team, or the reason why no team was created.
 * It is a pure function of the {@link CreationRecord}s of all participants, so all of them derive the same success or
 * the same failure. Participants may have the records in different orders; the reason of a failure does not depend on
 * the order.
 *
 * @param reason    the encoded {@link CreationReason} of a failure; null on success.
 * @param members   indices of the members among the participants, by rank; empty if the participant is in no team; null
 *                  on failure.
 * @param endpoints numbers that the program has given the members ({@link io.aeroshmem.TeamParams#endpoint}), by rank;
 *                  null if they are the ranks.
 */
record CreationOutcome(long[] reason, int[] members, long[] endpoints)
{
    private static final Parameter ID = new Parameter(
        CreationReason.DIFFERENT_IDS, new int[]{CreationRecord.ID}, CreationRecord.FLAGS, CreationRecord.ID);
    private static final Parameter[] PARAMETERS = {
        new Parameter(
            CreationReason.DIFFERENT_MAPS,
            new int[]{CreationRecord.MAP_SIZE, CreationRecord.MAP_HASH},
            CreationRecord.MAP_SIZE),
        new Parameter(
            CreationReason.DIFFERENT_CONTEXT_COUNTS, new int[]{CreationRecord.CONTEXTS}, CreationRecord.CONTEXTS),
        new Parameter(
            CreationReason.DIFFERENT_CONTEXT_OPTIONS,
            new int[]{CreationRecord.CONTEXT_OPTIONS, CreationRecord.CONTEXT_HASH},
            CreationRecord.CONTEXT_OPTIONS, CreationRecord.CONTEXTS),
        new Parameter(CreationReason.DIFFERENT_CONFIGS, new int[]{CreationRecord.CONFIG}, CreationRecord.CONFIG),
        new Parameter(
            CreationReason.DIFFERENT_MEMORY,
            new int[]{CreationRecord.MEMORY_COUNT, CreationRecord.MEMORY_HASH},
            CreationRecord.MEMORY_COUNT, CreationRecord.MEMORY_ADDRESS, CreationRecord.MEMORY_LENGTH),
        ID
    };

    /** What must be equal on all participants: the words that are compared, and those that the reason shows. */
    private record Parameter(CreationReason reason, int[] compared, int... shown)
    {
        boolean differs(final long[] one, final long[] other)
        {
            return Arrays.stream(compared).anyMatch((word) -> one[word] != other[word]);
        }

        long[] reason(final long[] one, final long[] other)
        {
            final long[] details = new long[2 * (1 + shown.length)];
            int count = 0;
            for (final long[] record : new long[][]{one, other})
            {
                details[count++] = record[CreationRecord.PE];
                for (final int word : shown)
                {
                    details[count++] = record[word];
                }
            }

            return reason.of(details);
        }
    }

    /**
     * Returns the outcome of {@link io.aeroshmem.Shmem#createTeam}, in which all participants are members.
     *
     * @param records of the participants, in the order of the exchange, the map or the world.
     */
    static CreationOutcome ofTeam(final long[][] records)
    {
        final long[][] byPe = records.clone();
        Arrays.sort(byPe, Comparator.comparingLong((record) -> record[CreationRecord.PE]));
        long[] reason = differences(byPe);
        reason = null == reason ? endpoints(byPe) : reason;
        reason = null == reason ? statuses(byPe) : reason;
        if (null != reason)
        {
            return new CreationOutcome(reason, null, null);
        }

        final int size = records.length;
        final int[] members = new int[size];
        if (!CreationRecord.has(records[0], CreationRecord.HAS_ENDPOINT))
        {
            Arrays.setAll(members, (i) -> i);
            return new CreationOutcome(null, members, null);
        }

        final long[] endpoints = new long[size];
        boolean areRanks = true;
        for (int i = 0; i < size; i++)
        {
            final long endpoint = records[i][CreationRecord.ENDPOINT];
            final int rank = CreationRecord.has(records[0], CreationRecord.IS_CONTIGUOUS) ? (int)endpoint : i;
            members[rank] = i;
            endpoints[rank] = endpoint;
            areRanks &= rank == endpoint;
        }

        return new CreationOutcome(null, members, areRanks ? null : endpoints);
    }

    /**
     * Returns the outcome of {@link io.aeroshmem.Team#split}: all members of the parent take part, and those of one
     * colour become a team.
     *
     * @param records of the members of the parent, by rank.
     * @param me      rank of the participant whose team it is.
     */
    static CreationOutcome ofSplit(final long[][] records, final int me)
    {
        final long[] reason = statuses(records);
        if (null != reason)
        {
            return new CreationOutcome(reason, null, null);
        }

        final long color = records[me][CreationRecord.COLOR];
        if (color < 0)
        {
            return new CreationOutcome(null, new int[0], null);
        }

        final Integer[] members = new Integer[records.length];
        int size = 0;
        for (int rank = 0; rank < records.length; rank++)
        {
            if (color == records[rank][CreationRecord.COLOR])
            {
                members[size++] = rank;
            }
        }

        Arrays.sort(members, 0, size, Comparator.<Integer>comparingLong((rank) -> records[rank][CreationRecord.KEY])
            .thenComparing(Comparator.naturalOrder()));
        return new CreationOutcome(
            null, Arrays.stream(members, 0, size).mapToInt(Integer::intValue).toArray(), null);
    }

    /**
     * Returns the outcome of {@link io.aeroshmem.Shmem#teamInit}, or null while participants are missing.
     *
     * @param records of the participants that have arrived, in the order of their PEs.
     * @param nPes    number of PEs of the world.
     */
    static CreationOutcome ofUniqueId(final long[][] records, final int nPes)
    {
        final int[] members = new int[nPes];
        Arrays.fill(members, -1);
        for (int i = 0; i < records.length; i++)
        {
            final long[] reason = violation(records, i, members);
            if (null != reason)
            {
                return new CreationOutcome(reason, null, null);
            }
        }

        return 0 == records.length || records.length < CreationRecord.ranks(records[0][CreationRecord.PLACE]) ? null :
            new CreationOutcome(null, Arrays.copyOf(members, records.length), null);
    }

    private static long[] violation(final long[][] records, final int index, final int[] members)
    {
        final long[] first = records[0];
        final long[] record = records[index];
        final long pe = record[CreationRecord.PE];
        final int size = CreationRecord.ranks(record[CreationRecord.PLACE]);
        final int rank = CreationRecord.rank(record[CreationRecord.PLACE]);
        final int firstSize = CreationRecord.ranks(first[CreationRecord.PLACE]);
        if (size != firstSize)
        {
            return CreationReason.DIFFERENT_SIZES.of(first[CreationRecord.PE], firstSize, pe, size);
        }

        if (size < 1 || size > members.length)
        {
            return CreationReason.BAD_SIZE.of(pe, size, members.length);
        }

        if (rank < 0 || rank >= size)
        {
            return CreationReason.BAD_RANK.of(pe, rank, size);
        }

        if (members[rank] >= 0)
        {
            return CreationReason.SAME_RANK.of(records[members[rank]][CreationRecord.PE], pe, rank);
        }

        members[rank] = index;
        final long[] reason = configDifference(first, record, 0);
        return null == reason ? status(record) : reason;
    }

    /**
     * Returns why the blocking splits make no teams, or null. Unlike the other ways, they have the members from their
     * arguments.
     *
     * @param records of the members of the parent, by rank.
     * @param first   rank of the first member of the new team of a rank.
     * @param axis    of the teams: 1 for rows of a grid, 2 for columns, else 0.
     */
    static long[] problemOfParts(final long[][] records, final IntUnaryOperator first, final int axis)
    {
        long[] reason = statuses(records);
        for (int rank = 0; rank < records.length && null == reason; rank++)
        {
            reason = !CreationRecord.hasUniqueId(records[rank][CreationRecord.CONFIG]) ? null :
                CreationReason.UNIQUE_ID_IN_SPLIT.of(records[rank][CreationRecord.PE]);
        }

        for (int rank = 0; rank < records.length && null == reason; rank++)
        {
            reason = configDifference(records[first.applyAsInt(rank)], records[rank], axis);
        }

        return reason;
    }

    private static long[] configDifference(final long[] first, final long[] record, final int axis)
    {
        return first[CreationRecord.CONFIG] == record[CreationRecord.CONFIG] ? null :
            CreationReason.DIFFERENT_TEAM_CONFIGS.of(
            first[CreationRecord.PE], first[CreationRecord.CONFIG],
            record[CreationRecord.PE], record[CreationRecord.CONFIG],
            axis);
    }

    private static long[] differences(final long[][] records)
    {
        final long[] first = records[0];
        for (int i = 1; i < records.length; i++)
        {
            final long[] reason = difference(first, records[i]);
            if (null != reason)
            {
                return reason;
            }
        }

        return null;
    }

    private static long[] difference(final long[] one, final long[] other)
    {
        for (final Parameter parameter : PARAMETERS)
        {
            if (parameter.differs(one, other))
            {
                return parameter.reason(one, other);
            }
        }

        if (0 != ((one[CreationRecord.FLAGS] ^ other[CreationRecord.FLAGS]) & CreationRecord.HAS_ID))
        {
            return ID.reason(one, other);
        }

        final long[] reason =
            flagDifference(one, other, CreationRecord.HAS_ENDPOINT, CreationReason.SOME_ENDPOINTS);
        return null != reason ? reason :
            flagDifference(one, other, CreationRecord.IS_CONTIGUOUS, CreationReason.DIFFERENT_RANGES);
    }

    private static long[] flagDifference(
        final long[] one, final long[] other, final long flag, final CreationReason reason)
    {
        final boolean isOne = CreationRecord.has(one, flag);
        return isOne == CreationRecord.has(other, flag) ? null :
            reason.of((isOne ? one : other)[CreationRecord.PE], (isOne ? other : one)[CreationRecord.PE]);
    }

    /** Returns what is wrong with the given endpoints, or null. */
    private static long[] endpoints(final long[][] records)
    {
        if (!CreationRecord.has(records[0], CreationRecord.HAS_ENDPOINT))
        {
            return null;
        }

        final boolean isContiguous = CreationRecord.has(records[0], CreationRecord.IS_CONTIGUOUS);
        final Map<Long, Long> pes = new HashMap<>();
        for (final long[] record : records)
        {
            final long pe = record[CreationRecord.PE];
            final long endpoint = record[CreationRecord.ENDPOINT];
            final Long previous = pes.put(endpoint, pe);
            if (null != previous)
            {
                return CreationReason.SAME_ENDPOINT.of(previous, pe, endpoint);
            }

            if (isContiguous && Long.compareUnsigned(endpoint, records.length) >= 0)
            {
                return CreationReason.NOT_CONTIGUOUS.of(pe, endpoint, records.length);
            }
        }

        return null;
    }

    private static long[] statuses(final long[][] records)
    {
        for (final long[] record : records)
        {
            final long[] reason = status(record);
            if (null != reason)
            {
                return reason;
            }
        }

        return null;
    }

    private static long[] status(final long[] record)
    {
        return CreationRecord.OK == record[CreationRecord.STATUS] ? null : CreationReason.BAD_STATUS.of(
            record[CreationRecord.PE], record[CreationRecord.STATUS], record[CreationRecord.STATUS_DETAIL]);
    }
}
