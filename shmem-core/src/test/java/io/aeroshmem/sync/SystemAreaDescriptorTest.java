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
package io.aeroshmem.sync;

import io.aeroshmem.PredefinedTeam;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.TreeSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SystemAreaDescriptorTest
{
    private static final long CELL_LENGTH = 384;
    private static final long[] AREA_LENGTHS = { 4096, 2048, 1024, 128 };

    @Test
    void shouldCountTheRoundsOfADissemination()
    {
        assertEquals(0, SystemAreaDescriptor.rounds(1));
        assertEquals(1, SystemAreaDescriptor.rounds(2));
        assertEquals(2, SystemAreaDescriptor.rounds(3));
        assertEquals(2, SystemAreaDescriptor.rounds(4));
        assertEquals(3, SystemAreaDescriptor.rounds(5));
        assertEquals(10, SystemAreaDescriptor.rounds(1024));
        assertEquals(31, SystemAreaDescriptor.rounds(Integer.MAX_VALUE));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3, 7, 16, 1000})
    void shouldKeepWordsOfDifferentWritersApart(final int nPes)
    {
        final SystemAreaDescriptor descriptor = new SystemAreaDescriptor(nPes, CELL_LENGTH, AREA_LENGTHS);
        final TreeSet<Long> offsets = new TreeSet<>();
        int count = 0;
        for (int round = 0; round < SystemAreaDescriptor.rounds(nPes); round++)
        {
            for (long call = 7; call < 9; call++)
            {
                offsets.add(descriptor.agreementFlagOffset(call, round));
                offsets.add(descriptor.agreementPayloadOffset(call, round));
                assertEquals(
                    descriptor.agreementFlagOffset(call, round), descriptor.agreementFlagOffset(call + 2, round));
                count += 2;
            }
        }

        for (int pe = 0; pe < nPes; pe++)
        {
            offsets.add(descriptor.creationCellsOffset() + pe * CELL_LENGTH);
            count++;
        }

        long end = descriptor.teamAreaOffset(PredefinedTeam.WORLD);
        for (final PredefinedTeam team : PredefinedTeam.values())
        {
            assertEquals(end, descriptor.teamAreaOffset(team));
            offsets.add(descriptor.teamAreaOffset(team));
            count++;
            end += AREA_LENGTHS[team.ordinal()];
        }

        assertEquals(descriptor.length(), end);
        assertEquals(count, offsets.size());
        long previous = -SystemAreaDescriptor.CELL_LENGTH;
        for (final long offset : offsets)
        {
            assertTrue(offset - previous >= SystemAreaDescriptor.CELL_LENGTH);
            previous = offset;
        }

        assertTrue(previous + SystemAreaDescriptor.CELL_LENGTH <= descriptor.length());
    }
}
