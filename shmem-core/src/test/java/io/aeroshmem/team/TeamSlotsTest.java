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

import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class TeamSlotsTest
{
    private static final long AREA = new TeamAreaDescriptor(4).length();

    private final TestArena arena = new TestArena(4096, 10 * AREA);
    private final TeamSlots slots = new TeamSlots(arena, 5);

    @Test
    void shouldReserveSlotsThatDoNotOverlap()
    {
        final Set<Long> areas = new HashSet<>();
        for (int i = 0; i < 5; i++)
        {
            final long area = slots.take(4);
            assertEquals(area, arena.lastOffset);
            assertEquals(AREA, arena.lastLength);
            assertEquals(0, area % 128);
            assertTrue(area >= 4096 && area + AREA <= 4096 + 10 * AREA);
            assertTrue(areas.stream().allMatch((other) -> Math.abs(other - area) >= AREA));
            areas.add(area);
        }

        assertEquals(5, slots.open());
        assertEquals(TeamSlots.TOO_MANY, slots.take(4));
        assertEquals(5, slots.open());
    }

    @Test
    void shouldUseASlotAgainAtOnceThatIsGivenBack()
    {
        final long area = slots.take(4);
        slots.giveBack(area);
        assertEquals(0, slots.open());
        final int reservations = arena.reservations;
        assertEquals(area, slots.take(4));
        assertEquals(reservations + 1, arena.reservations);
    }

    @Test
    void shouldGiveNothingBackWhereNothingWasTaken()
    {
        slots.giveBack(TeamSlots.TOO_MANY);
        slots.giveBack(TeamSlots.NO_ROOM);
        slots.giveBack(TeamSlots.NO_MEMORY);
        assertEquals(0, slots.open());
    }

    @Test
    void shouldKeepAClosedSlotUntilItIsQuiet()
    {
        final AtomicBoolean isQuiet = new AtomicBoolean();
        final long area = slots.take(4);
        slots.close(area, isQuiet::get);
        assertEquals(0, slots.open());
        final long other = slots.take(4);
        assertNotEquals(area, other);
        slots.giveBack(other);

        isQuiet.set(true);
        assertEquals(area, slots.take(4));
    }

    @Test
    void shouldNotCountClosedTeamsAndNeverReuseAbandonedSlots()
    {
        final long area = slots.take(4);
        slots.abandon();
        assertEquals(0, slots.open());
        for (int i = 0; i < 5; i++)
        {
            assertNotEquals(area, slots.take(4));
        }
    }

    @Test
    void shouldTellWhyThereIsNoSlot()
    {
        final TeamSlots many = new TeamSlots(arena, 1000);
        for (int i = 0; i < 10; i++)
        {
            assertTrue(many.take(4) > 0);
        }

        assertEquals(TeamSlots.NO_ROOM, many.take(4));
        assertEquals(10, many.open());
        assertEquals(TeamSlots.NO_ROOM, new TeamSlots(new TestArena(4096, 0), 1000).take(1));

        arena.isFull = true;
        assertEquals(TeamSlots.NO_MEMORY, slots.take(4));
        assertEquals(0, slots.open());
        arena.isFull = false;
        assertEquals(4096, slots.take(4));
    }

    @Test
    void shouldReuseMemoryForever()
    {
        for (int i = 0; i < 100_000; i++)
        {
            final long area = slots.take(1 + i % 4);
            assertTrue(area > 0);
            slots.close(area, () -> true);
        }

        assertTrue(arena.highest <= 4096 + 2 * AREA, () -> "highest " + arena.highest);
    }

    @Test
    void shouldGiveEachNumberOnce()
    {
        assertEquals(1, slots.nextNumber());
        assertEquals(2, slots.nextNumber());
    }

    static final class TestArena implements Arena
    {
        private final long offset;
        private final long length;
        private boolean isFull;
        private int reservations;
        private long lastOffset;
        private long lastLength;
        private long highest;

        TestArena(final long offset, final long length)
        {
            this.offset = offset;
            this.length = length;
        }

        @Override
        public long offset()
        {
            return offset;
        }

        @Override
        public long length()
        {
            return length;
        }

        @Override
        public void reserve(final long offset, final long length)
        {
            if (isFull)
            {
                throw new TransportException("full");
            }

            reservations++;
            lastOffset = offset;
            lastLength = length;
            highest = Math.max(highest, offset + length);
        }
    }
}
