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

class RendezvousVerdictTest
{
    private static final long SERIAL = 7;

    private final long[] rows = new long[4 * RendezvousDescriptor.ROW_WORDS];

    @Test
    void shouldWaitForAllRows()
    {
        assertEquals(RendezvousVerdict.INCOMPLETE, verdict()[0]);
        row(3, 2, 0);
        assertEquals(RendezvousVerdict.INCOMPLETE, verdict()[0]);
        row(1, 2, 1);
        assertEquals(RendezvousVerdict.COMPLETE, verdict()[0]);
    }

    @Test
    void shouldNotCountRowsOfAFormerUse()
    {
        row(0, 2, 0);
        row(1, 2, 1);
        rows[RendezvousDescriptor.STAMP] = SERIAL - 1;
        assertEquals(RendezvousVerdict.INCOMPLETE, verdict()[0]);
    }

    @Test
    void shouldNameTheDifferentSizesAtOnce()
    {
        row(1, 3, 0);
        row(2, 4, 1);
        assertReason("PE 1 gave npes 3, PE 2 npes 4; allowed is the same on all PEs of the team");
    }

    @Test
    void shouldNameASizeThatIsNotAllowed()
    {
        row(2, -1, 0);
        assertReason("PE 2 gave npes -1; allowed is 1 to 4");
        row(2, 5, 0);
        assertReason("PE 2 gave npes 5; allowed is 1 to 4");
    }

    @Test
    void shouldNameAnIndexOutOfRange()
    {
        row(2, 3, 3);
        assertReason("PE 2 gave peIndexInTeam 3; allowed is 0 to 2, less than npes");
        row(2, 3, -1);
        assertReason("PE 2 gave peIndexInTeam -1; allowed is 0 to 2, less than npes");
    }

    @Test
    void shouldNameAnIndexThatIsGivenTwice()
    {
        row(0, 3, 1);
        row(3, 3, 1);
        assertReason("PE 0 and PE 3 both gave peIndexInTeam 1; allowed is another one on each PE of the team");
    }

    @Test
    void shouldNameDifferentConfigurations()
    {
        row(0, 3, 1);
        row(3, 3, 2);
        rows[3 * RendezvousDescriptor.ROW_WORDS + RendezvousDescriptor.CONFIG] = 1L << 32 | 9;
        assertReason("PE 0 gave the configuration (numContexts 0), PE 3 (numContexts 9); " +
            "allowed is the same on all PEs of the team");
    }

    @Test
    void shouldNameThePeThatHasNoSlot()
    {
        row(0, 3, 1);
        rows[RendezvousDescriptor.STATUS] = CallRecord.TOO_MANY;
        rows[RendezvousDescriptor.DETAIL] = 12;
        final String text = RendezvousVerdict.describe(verdict());
        assertTrue(text.startsWith("PE 0 cannot have more teams: allowed are 12 "), text);
        assertTrue(text.contains("aeroshmem.teams.max"), text);
    }

    private long[] verdict()
    {
        return RendezvousVerdict.of(rows, SERIAL);
    }

    private void assertReason(final String expected)
    {
        assertEquals(expected, RendezvousVerdict.describe(verdict()));
    }

    private void row(final int pe, final int size, final int index)
    {
        final int at = pe * RendezvousDescriptor.ROW_WORDS;
        rows[at + RendezvousDescriptor.STAMP] = SERIAL;
        rows[at + RendezvousDescriptor.SIZE_AND_INDEX] = (long)size << 32 | index & 0xFFFF_FFFFL;
    }
}
