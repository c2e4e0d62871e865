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
import io.aeroshmem.collective.CallRecord;
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
        records[0][CreationRecord.STATUS] = CallRecord.TOO_MANY;
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
