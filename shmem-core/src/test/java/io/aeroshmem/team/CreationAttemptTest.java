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

import io.aeroshmem.Synchronization;
import io.aeroshmem.TeamParams;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.memory.MemoryBounds;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Attempts that cannot begin. The caller then releases what it holds for the team, and ends the attempt of the domain
 * after that; if both ended it, the second would end the attempt of another thread.
 */
class CreationAttemptTest
{
    private static final int SIZE = 2;

    private final RuntimeException thrown = new IllegalStateException("cannot send");
    private final CreationDomain domain = new CreationDomain(new BrokenChannel());
    private final TeamSlots slots =
        new TeamSlots(new TeamSlotsTest.TestArena(4096, 4 * new TeamAreaDescriptor(SIZE).length()), 4);

    @BeforeEach
    void begin()
    {
        assertTrue(domain.tryBegin());
    }

    @Test
    void shouldLeaveTheDomainToTheCallerWhenTheExchangeThrows()
    {
        assertFails(new TeamParams().outOfBand(0, SIZE, (source, dest, length) ->
        {
            throw thrown;
        }));
    }

    @Test
    void shouldLeaveTheDomainToTheCallerWhenARecordIsNotSent()
    {
        assertFails(new TeamParams());
    }

    private void assertFails(final TeamParams params)
    {
        assertSame(thrown, assertThrows(IllegalStateException.class, () -> CreationAttempt.ofTeam(
            domain, slots, System::nanoTime, SIZE, 0, params, new int[]{0, 1}, new int[1], MemoryBounds.NONE,
            Synchronization.NON_SYNCHRONIZED, false)));
        assertHeldByTheCaller();
    }

    @Test
    void shouldLeaveTheDomainToTheCallerWhenTheRecordOfASplitIsNotSent()
    {
        assertSame(thrown, assertThrows(IllegalStateException.class, () -> CreationAttempt.ofSplit(
            domain, slots, System::nanoTime, SIZE, 0, 0, 0)));
        assertHeldByTheCaller();
    }

    private void assertHeldByTheCaller()
    {
        assertFalse(domain.tryBegin());
        assertEquals(0, slots.open());
    }

    private final class BrokenChannel implements CreationChannel
    {
        @Override
        public int size()
        {
            return SIZE;
        }

        @Override
        public int myMember()
        {
            return 0;
        }

        @Override
        public int worldPe(final int member)
        {
            return member;
        }

        @Override
        public boolean isArea(final long offset, final int size)
        {
            return true;
        }

        @Override
        public void send(final int member, final int block, final long stamp, final long[] words, final int count)
        {
            throw thrown;
        }

        @Override
        public long stamp(final int member, final int block)
        {
            return 0;
        }

        @Override
        public boolean read(
            final int member, final int block, final long stamp, final long[] words, final int from, final int count)
        {
            return false;
        }

        @Override
        public CreationReason departureReason(final int member)
        {
            return null;
        }

        @Override
        public void flush()
        {
        }
    }
}
