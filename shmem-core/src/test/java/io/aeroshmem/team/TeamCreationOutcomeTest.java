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

import io.aeroshmem.collective.CallRecord;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TeamCreationOutcomeTest
{
    private static final long SERIAL = 7;

    private final long[] records = new long[4 * TeamRecordDescriptor.SLOT_WORDS];

    @Test
    void shouldWaitForAllRecords()
    {
        assertEquals(TeamCreationOutcome.INCOMPLETE, outcome()[0]);
        record(3, 2, 0);
        assertEquals(TeamCreationOutcome.INCOMPLETE, outcome()[0]);
        record(1, 2, 1);
        assertEquals(TeamCreationOutcome.COMPLETE, outcome()[0]);
    }

    @Test
    void shouldNotCountRecordsOfAFormerUse()
    {
        record(0, 2, 0);
        record(1, 2, 1);
        records[TeamRecordDescriptor.STAMP] = SERIAL - 1;
        assertEquals(TeamCreationOutcome.INCOMPLETE, outcome()[0]);
    }

    @Test
    void shouldNameTheDifferentSizesAtOnce()
    {
        record(1, 3, 0);
        record(2, 4, 1);
        assertReason("npes must be the same on all PEs of the team: PE 1 specified npes=3, PE 2 npes=4");
    }

    @Test
    void shouldNameASizeThatIsNotAllowed()
    {
        record(2, -1, 0);
        assertReason("npes must be 1 to 4: PE 2 specified npes=-1");
        record(2, 5, 0);
        assertReason("npes must be 1 to 4: PE 2 specified npes=5");
    }

    @Test
    void shouldNameAnIndexOutOfRange()
    {
        record(2, 3, 3);
        assertReason("peIndexInTeam must be 0 to 2, less than npes: PE 2 specified peIndexInTeam=3");
        record(2, 3, -1);
        assertReason("peIndexInTeam must be 0 to 2, less than npes: PE 2 specified peIndexInTeam=-1");
    }

    @Test
    void shouldNameAnIndexThatIsGivenTwice()
    {
        record(0, 3, 1);
        record(3, 3, 1);
        assertReason("peIndexInTeam must differ between the PEs of the team: " +
            "PE 0 and PE 3 specified peIndexInTeam=1");
    }

    @Test
    void shouldNameDifferentConfigurations()
    {
        record(0, 3, 1);
        record(3, 3, 2);
        records[3 * TeamRecordDescriptor.SLOT_WORDS + TeamRecordDescriptor.CONFIG] = 1L << 32 | 9;
        assertReason("the configuration must be the same on all PEs of the team: " +
            "PE 0 specified (numContexts 0), PE 3 (numContexts 9)");
    }

    @Test
    void shouldNameThePeThatHasNoSlot()
    {
        record(0, 3, 1);
        records[TeamRecordDescriptor.STATUS] = CallRecord.TOO_MANY;
        records[TeamRecordDescriptor.DETAIL] = 12;
        final String text = TeamCreationOutcome.describe(outcome());
        assertTrue(text.startsWith("PE 0 cannot have more than 12 teams "), text);
        assertTrue(text.contains("aeroshmem.teams.max"), text);
    }

    private long[] outcome()
    {
        return TeamCreationOutcome.of(records, SERIAL);
    }

    private void assertReason(final String expected)
    {
        assertEquals(expected, TeamCreationOutcome.describe(outcome()));
    }

    private void record(final int pe, final int size, final int index)
    {
        final int at = pe * TeamRecordDescriptor.SLOT_WORDS;
        records[at + TeamRecordDescriptor.STAMP] = SERIAL;
        records[at + TeamRecordDescriptor.SIZE_AND_INDEX] = (long)size << 32 | index & 0xFFFF_FFFFL;
    }
}
