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

import io.aeroshmem.TeamCreationException;
import io.aeroshmem.team.TeamRecordSlots.Table;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class TeamRecordSlotsTest
{
    private static final int PES = 3;
    private static final int TABLE = (int)TeamRecordDescriptor.length(PES);

    private final ByteBuffer memory =
        BufferUtil.allocateDirectAligned(4096 + (TeamRecordSlots.MAX_TABLES + 1) * TABLE, 128);
    private final long region = BufferUtil.address(memory);
    private final TeamRecordSlots tables = tables(TeamRecordSlots.MAX_TABLES + 1);

    private TeamRecordSlots tables(final int room)
    {
        return new TeamRecordSlots(
            new TeamSlots(new TeamSlotsTest.TestArena(4096, (long)room * TABLE), 1), region, PES);
    }

    @Test
    void shouldKeepAllPartsOfTheStateWordApart()
    {
        final long word = TeamRecordDescriptor.stateWord(
            TeamRecordDescriptor.MAX_SERIAL, TeamRecordDescriptor.FAILED, 262_143, 262_142);
        assertEquals(TeamRecordDescriptor.MAX_SERIAL, TeamRecordDescriptor.serial(word));
        assertEquals(TeamRecordDescriptor.FAILED, TeamRecordDescriptor.state(word));
        assertEquals(262_143, TeamRecordDescriptor.arrivals(word));
        assertEquals(262_142, TeamRecordDescriptor.pe(word));
    }

    @Test
    void shouldOpenATableWithoutRemainsOfFormerUse()
    {
        final Table table = tables.open();
        assertStateWord(table, TeamRecordDescriptor.OPEN, 0);
        UnsafeApi.setMemory(null, region + table.offset() + 8, TABLE - 8, (byte)-1);
        decide(table, TeamRecordDescriptor.MADE, 2, 2);

        final Table next = tables.open();
        assertEquals(table.offset(), next.offset());
        assertEquals(table.serial() + 1, next.serial());
        assertStateWord(next, TeamRecordDescriptor.OPEN, 0);
        for (int i = 8; i < TABLE; i += 8)
        {
            assertEquals(0, UnsafeApi.getLong(null, region + table.offset() + i));
        }
    }

    @Test
    void shouldNotCountRecordsOfAFormerUse()
    {
        final long[] words = new long[PES * TeamRecordDescriptor.SLOT_WORDS];
        final long[] serials = {5, 4, 5};
        for (int pe = 0; pe < PES; pe++)
        {
            final int slot = pe * TeamRecordDescriptor.SLOT_WORDS;
            words[slot + TeamRecordDescriptor.STAMP] = serials[pe];
            words[slot + TeamRecordDescriptor.RECORD + CreationRecord.PE] = 7 + pe;
        }

        assertArrayEquals(new long[]{7, 9}, Arrays.stream(TeamRecordExchange.records(words, 5))
            .mapToLong((record) -> record[CreationRecord.PE]).toArray());
    }

    @Test
    void shouldKeepATableUntilAllThatArrivedHaveLeft()
    {
        final Table table = tables.open();
        decide(table, TeamRecordDescriptor.MADE, 3, 2);
        assertNotEquals(table.offset(), tables.open().offset());
        decide(table, TeamRecordDescriptor.MADE, 3, 3);
        assertEquals(table.offset(), tables.open().offset());
    }

    @Test
    void shouldKeepFailedOnesForAWhile()
    {
        final Table first = tables.open();
        decide(first, TeamRecordDescriptor.FAILED, 1, 1);
        for (int i = 0; i < TeamRecordSlots.MAX_FAILED; i++)
        {
            final Table table = tables.open();
            assertNotEquals(first.offset(), table.offset());
            decide(table, TeamRecordDescriptor.FAILED, 1, 1);
        }

        assertEquals(first.offset(), tables.open().offset());
    }

    @Test
    void shouldWithdrawTheOldestUnusedIdWhenThereAreTooMany()
    {
        final Table first = tables.open();
        decide(first, TeamRecordDescriptor.OPEN, 1, 0);
        final Table second = tables.open();
        for (int i = 2; i < TeamRecordSlots.MAX_TABLES; i++)
        {
            tables.open();
        }

        final Table next = tables.open();
        assertEquals(second.offset(), next.offset());
        assertEquals(second.serial() + 1, next.serial());
        assertStateWord(next, TeamRecordDescriptor.OPEN, 0);
    }

    @Test
    void shouldRejectWhenAllTablesAreInUse()
    {
        final TeamRecordSlots few = tables(2);
        decide(few.open(), TeamRecordDescriptor.OPEN, 1, 0);
        decide(few.open(), TeamRecordDescriptor.OPEN, 2, 0);
        assertThrows(TeamCreationException.class, few::open);
    }

    private void decide(final Table table, final long state, final int arrivals, final int left)
    {
        final long address = region + table.offset();
        UnsafeApi.putLong(null, address, TeamRecordDescriptor.stateWord(table.serial(), state, arrivals, 1));
        UnsafeApi.putLong(null, address + TeamRecordDescriptor.DEPARTURES, left);
    }

    private void assertStateWord(final Table table, final long state, final int arrivals)
    {
        assertEquals(
            TeamRecordDescriptor.stateWord(table.serial(), state, arrivals, 0),
            UnsafeApi.getLong(null, region + table.offset()));
    }
}
