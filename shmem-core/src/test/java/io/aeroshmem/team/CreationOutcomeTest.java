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

import io.aeroshmem.ContextOption;
import io.aeroshmem.Ordering;
import io.aeroshmem.Synchronization;
import io.aeroshmem.TeamConfig;
import org.junit.jupiter.api.Test;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

class CreationOutcomeTest
{
    private final long[][] records = {record(7), record(3), record(5)};

    @Test
    void shouldKeepTheOrderOfTheParticipants()
    {
        final CreationOutcome outcome = CreationOutcome.ofTeam(records);
        assertNull(outcome.reason());
        assertNull(outcome.endpoints());
        assertArrayEquals(new int[]{ 0, 1, 2 }, outcome.members());
    }

    @Test
    void shouldTakeEndpointsAsLabels()
    {
        give(CreationRecord.HAS_ENDPOINT, -1, 0, Long.MIN_VALUE);
        final CreationOutcome outcome = CreationOutcome.ofTeam(records);
        assertArrayEquals(new int[]{ 0, 1, 2 }, outcome.members());
        assertArrayEquals(new long[]{ -1, 0, Long.MIN_VALUE }, outcome.endpoints());
    }

    @Test
    void shouldTakeContiguousEndpointsAsRanks()
    {
        give(CreationRecord.HAS_ENDPOINT | CreationRecord.IS_CONTIGUOUS, 2, 0, 1);
        final CreationOutcome outcome = CreationOutcome.ofTeam(records);
        assertArrayEquals(new int[]{ 1, 2, 0 }, outcome.members());
        assertNull(outcome.endpoints());
    }

    @Test
    void shouldRejectEndpoints()
    {
        give(CreationRecord.HAS_ENDPOINT | CreationRecord.IS_CONTIGUOUS, 2, 0, 3);
        assertFails("contiguous endpoints must be 0 to 2: PE 5 gave 3");
        give(CreationRecord.HAS_ENDPOINT | CreationRecord.IS_CONTIGUOUS, -1, 0, 1);
        assertFails("contiguous endpoints must be 0 to 2: PE 7 gave 18446744073709551615");
        give(CreationRecord.HAS_ENDPOINT, 9, 8, 9);
        assertFails("endpoint must be different on all: PE 5 and PE 7 gave 9");
        records[1][CreationRecord.FLAGS] = 0;
        assertFails("endpoint must be given by all or by none: PE 5 gave one, PE 3 gave none");
        records[1][CreationRecord.FLAGS] = CreationRecord.HAS_ENDPOINT | CreationRecord.IS_CONTIGUOUS;
        assertFails("contiguousEndpoints must be the same on all: PE 3 gave true, PE 5 false");
    }

    @Test
    void shouldNameBothWhereParametersDiffer()
    {
        records[2][CreationRecord.CONTEXTS] = 2;
        assertFails("the number of contexts must be the same on all: PE 3 gave 0, PE 5 gave 2");
        Arrays.stream(records).forEach((record) -> record[CreationRecord.CONTEXTS] = 2);
        records[0][CreationRecord.CONTEXT_OPTIONS] =
            1L << CreationRecord.OPTION_BITS + ContextOption.PRIVATE.ordinal();
        assertFails("the options of contexts must be the same on all: PE 3 gave (), (), PE 7 gave (), (PRIVATE)");
        records[0][CreationRecord.CONTEXT_OPTIONS] = 0;
        records[0][CreationRecord.CONFIG] = CreationRecord.config(
            Ordering.INIT_UNORDERED.ordinal(), Synchronization.NON_SYNCHRONIZED.ordinal());
        assertFails("PE 7 gave INIT_UNORDERED and NON_SYNCHRONIZED");
        records[0][CreationRecord.CONFIG] = 0;
        records[1][CreationRecord.MEMORY_COUNT] = 2;
        records[1][CreationRecord.MEMORY_ADDRESS] = 128;
        records[1][CreationRecord.MEMORY_LENGTH] = 64;
        assertFails("PE 3 gave 2 buffers, the first of 64 bytes at 128, PE 5 gave none");
        records[1][CreationRecord.MEMORY_COUNT] = 0;
        records[1][CreationRecord.MAP_SIZE] = 3;
        assertFails("PE 3 gave one of 3 PEs, PE 5 gave none");
        records[1][CreationRecord.MAP_SIZE] = 0;
        records[1][CreationRecord.FLAGS] = CreationRecord.HAS_ID;
        assertFails("id must be the same on all or given by none: PE 3 gave 0, PE 5 gave none");
    }

    @Test
    void shouldFindTheSameReasonInAnyOrder()
    {
        give(CreationRecord.HAS_ENDPOINT, 9, 9, 9);
        final String reason = CreationReason.describe(CreationOutcome.ofTeam(records).reason());
        final long[][] reversed = {records[2], records[1], records[0]};
        assertEquals(reason, CreationReason.describe(CreationOutcome.ofTeam(reversed).reason()));
        assertEquals("endpoint must be different on all: PE 3 and PE 5 gave 9", reason);
    }

    @Test
    void shouldReportAMemberWithoutASlot()
    {
        records[0][CreationRecord.STATUS] = CreationRecord.TOO_MANY;
        records[0][CreationRecord.STATUS_DETAIL] = 6;
        assertFails("PE 7 cannot have more than 6 teams open at once");
        assertTrue(CreationReason.describe(CreationOutcome.ofSplit(records, 1).reason()).contains("PE 7 cannot"));
        records[0][CreationRecord.STATUS] = CreationRecord.ID_IN_USE;
        assertFails("PE 7 has an open team of id 6");
    }

    @Test
    void shouldOrderMembersOfAColourByKeyAndThenByRank()
    {
        final long[][] six = {colored(1, 5), colored(-1, 0), colored(1, Integer.MIN_VALUE), colored(0, 0),
            colored(1, 5), colored(1, Integer.MAX_VALUE)};
        assertArrayEquals(new int[]{ 2, 0, 4, 5 }, CreationOutcome.ofSplit(six, 4).members());
        assertArrayEquals(new int[]{ 3 }, CreationOutcome.ofSplit(six, 3).members());
        assertEquals(0, CreationOutcome.ofSplit(six, 1).members().length);
    }

    @Test
    void shouldWaitForAllThatTheSizeOfAUniqueIdsTeamRequires()
    {
        assertNull(CreationOutcome.ofUniqueId(new long[0][], 4));
        assertNull(CreationOutcome.ofUniqueId(new long[][]{placed(3, 2, 0)}, 4));
        final CreationOutcome outcome =
            CreationOutcome.ofUniqueId(new long[][]{placed(1, 2, 1), placed(3, 2, 0)}, 4);
        assertNull(outcome.reason());
        assertArrayEquals(new int[]{ 1, 0 }, outcome.members());
    }

    @Test
    void shouldNameWhatIsWrongWithThePlacesOfAUniqueIdsTeam()
    {
        assertFails("npes must be the same on all PEs of the team: PE 1 specified npes=3, PE 2 npes=4",
            placed(1, 3, 0), placed(2, 4, 1));
        assertFails("npes must be 1 to 4: PE 2 specified npes=-1", placed(2, -1, 0));
        assertFails("npes must be 1 to 4: PE 2 specified npes=5", placed(2, 5, 0));
        assertFails("peIndexInTeam must be 0 to 2, less than npes: PE 2 specified peIndexInTeam=3", placed(2, 3, 3));
        assertFails("peIndexInTeam must be 0 to 2, less than npes: PE 2 specified peIndexInTeam=-1", placed(2, 3, -1));
        assertFails("peIndexInTeam must differ between the PEs of the team: PE 0 and PE 3 specified peIndexInTeam=1",
            placed(0, 3, 1), placed(3, 3, 1));
    }

    @Test
    void shouldNameOtherReasonsOfAUniqueIdsTeam()
    {
        final long[] differing = placed(3, 3, 2);
        differing[CreationRecord.CONFIG] = CreationRecord.config(new TeamConfig().numContexts(9));
        assertFails("the configuration must be the same on all PEs of the team: " +
            "PE 0 specified (numContexts 0), PE 3 (numContexts 9)", placed(0, 3, 1), differing);
        final long[] without = placed(0, 3, 1);
        without[CreationRecord.STATUS] = CreationRecord.TOO_MANY;
        without[CreationRecord.STATUS_DETAIL] = 12;
        final String text =
            CreationReason.describe(CreationOutcome.ofUniqueId(new long[][]{without}, 4).reason());
        assertTrue(text.startsWith("PE 0 cannot have more than 12 teams "), text);
        assertTrue(text.contains("aeroshmem.teams.max"), text);
    }

    @Test
    void shouldCompareTheConfigurationsOfEachPart()
    {
        records[0][CreationRecord.CONFIG] = CreationRecord.config(new TeamConfig().numContexts(1));
        assertNull(CreationOutcome.problemOfParts(records, (rank) -> 0 == rank ? 0 : 2, 0));
        assertEquals("the configuration must be the same on all PEs of the team along the y axis: " +
            "PE 5 specified (numContexts 0), PE 7 (numContexts 1)",
            CreationReason.describe(CreationOutcome.problemOfParts(records, (rank) -> 2, 2)));
        records[2][CreationRecord.STATUS] = CreationRecord.NO_ROOM;
        records[2][CreationRecord.STATUS_DETAIL] = 64;
        assertTrue(CreationReason.describe(CreationOutcome.problemOfParts(records, (rank) -> rank, 0))
            .startsWith("PE 5 cannot have more teams: their areas take 64 bytes"));
    }

    private static void assertFails(final String expected, final long[]... records)
    {
        assertEquals(expected, CreationReason.describe(CreationOutcome.ofUniqueId(records, 4).reason()));
    }

    private static long[] placed(final int pe, final int size, final int rank)
    {
        final long[] record = record(pe);
        record[CreationRecord.PLACE] = CreationRecord.place(rank, size);
        return record;
    }

    private void assertFails(final String text)
    {
        final String reason = CreationReason.describe(CreationOutcome.ofTeam(records).reason());
        assertTrue(reason.contains(text), reason);
    }

    private void give(final long flags, final long... endpoints)
    {
        for (int i = 0; i < endpoints.length; i++)
        {
            records[i][CreationRecord.FLAGS] = flags;
            records[i][CreationRecord.ENDPOINT] = endpoints[i];
        }
    }

    private static long[] record(final int pe)
    {
        final long[] record = new long[CreationRecord.WORDS];
        record[CreationRecord.PE] = pe;
        return record;
    }

    private static long[] colored(final int color, final int key)
    {
        final long[] record = record(0);
        record[CreationRecord.COLOR] = color;
        record[CreationRecord.KEY] = key;
        return record;
    }
}
