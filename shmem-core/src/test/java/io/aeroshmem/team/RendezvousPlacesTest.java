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
import io.aeroshmem.team.RendezvousPlaces.Place;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

class RendezvousPlacesTest
{
    private static final int PES = 3;
    private static final int PLACE = (int)RendezvousDescriptor.length(PES);

    private final ByteBuffer memory =
        BufferUtil.allocateDirectAligned(4096 + (RendezvousPlaces.MOST_PLACES + 1) * PLACE, 128);
    private final long region = BufferUtil.address(memory);
    private final RendezvousPlaces places = places(RendezvousPlaces.MOST_PLACES + 1);

    private RendezvousPlaces places(final int room)
    {
        return new RendezvousPlaces(
            new TeamSlots(new TeamSlotsTest.TestArena(4096, (long)room * PLACE), 1), region, PES);
    }

    @Test
    void shouldKeepAllPartsOfTheGateApart()
    {
        final long gate = RendezvousDescriptor.gate(
            RendezvousDescriptor.MAX_SERIAL, RendezvousDescriptor.FAILED, 262_143, 262_142);
        assertEquals(RendezvousDescriptor.MAX_SERIAL, RendezvousDescriptor.serial(gate));
        assertEquals(RendezvousDescriptor.FAILED, RendezvousDescriptor.state(gate));
        assertEquals(262_143, RendezvousDescriptor.arrivals(gate));
        assertEquals(262_142, RendezvousDescriptor.pe(gate));
    }

    @Test
    void shouldOpenTheGateWithoutRemainsOfFormerUse()
    {
        final Place place = places.open();
        assertGate(place, RendezvousDescriptor.OPEN, 0);
        UnsafeApi.setMemory(null, region + place.offset() + 8, PLACE - 8, (byte)-1);
        decide(place, RendezvousDescriptor.MADE, 2, 2);

        final Place next = places.open();
        assertEquals(place.offset(), next.offset());
        assertEquals(place.serial() + 1, next.serial());
        assertGate(next, RendezvousDescriptor.OPEN, 0);
        for (int i = 8; i < PLACE; i += 8)
        {
            assertEquals(0, UnsafeApi.getLong(null, region + place.offset() + i));
        }
    }

    @Test
    void shouldKeepAPlaceUntilAllThatArrivedHaveLeft()
    {
        final Place place = places.open();
        decide(place, RendezvousDescriptor.MADE, 3, 2);
        assertNotEquals(place.offset(), places.open().offset());
        decide(place, RendezvousDescriptor.MADE, 3, 3);
        assertEquals(place.offset(), places.open().offset());
    }

    @Test
    void shouldKeepFailedOnesForAWhile()
    {
        final Place first = places.open();
        decide(first, RendezvousDescriptor.FAILED, 1, 1);
        for (int i = 0; i < RendezvousPlaces.MOST_FAILED; i++)
        {
            final Place place = places.open();
            assertNotEquals(first.offset(), place.offset());
            decide(place, RendezvousDescriptor.FAILED, 1, 1);
        }

        assertEquals(first.offset(), places.open().offset());
    }

    @Test
    void shouldWithdrawTheOldestUnusedIdWhenThereAreTooMany()
    {
        final Place first = places.open();
        decide(first, RendezvousDescriptor.OPEN, 1, 0);
        final Place second = places.open();
        for (int i = 2; i < RendezvousPlaces.MOST_PLACES; i++)
        {
            places.open();
        }

        final Place next = places.open();
        assertEquals(second.offset(), next.offset());
        assertEquals(second.serial() + 1, next.serial());
        assertGate(next, RendezvousDescriptor.OPEN, 0);
    }

    @Test
    void shouldRefuseWhenAllPlacesAreInUse()
    {
        final RendezvousPlaces few = places(2);
        decide(few.open(), RendezvousDescriptor.OPEN, 1, 0);
        decide(few.open(), RendezvousDescriptor.OPEN, 2, 0);
        assertThrows(TeamCreationException.class, few::open);
    }

    private void decide(final Place place, final long state, final int arrivals, final int left)
    {
        final long address = region + place.offset();
        UnsafeApi.putLong(null, address, RendezvousDescriptor.gate(place.serial(), state, arrivals, 1));
        UnsafeApi.putLong(null, address + RendezvousDescriptor.LEFT, left);
    }

    private void assertGate(final Place place, final long state, final int arrivals)
    {
        assertEquals(
            RendezvousDescriptor.gate(place.serial(), state, arrivals, 0),
            UnsafeApi.getLong(null, region + place.offset()));
    }
}
