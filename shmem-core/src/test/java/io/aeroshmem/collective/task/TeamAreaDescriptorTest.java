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
package io.aeroshmem.collective.task;

import io.aeroshmem.PredefinedTeam;
import io.aeroshmem.sync.SystemAreaDescriptor;
import io.aeroshmem.transport.endpoint.Placement;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class TeamAreaDescriptorTest
{
    @Test
    void shouldReserveNoMoreThanTheLargestPredefinedTeamsNeed()
    {
        final SystemAreaDescriptor descriptor = TeamAreaDescriptor.systemArea(new Placement(4096, 64, 32));
        assertEquals(area(4096), length(descriptor, PredefinedTeam.WORLD, PredefinedTeam.SHARED));
        assertEquals(area(64), length(descriptor, PredefinedTeam.SHARED, PredefinedTeam.NODE));
        assertEquals(area(64), length(descriptor, PredefinedTeam.NODE, PredefinedTeam.SAME_MYPE_NODE));
        assertEquals(area(32), descriptor.length() - descriptor.teamAreaOffset(PredefinedTeam.SAME_MYPE_NODE));
    }

    @Test
    void shouldReserveEnoughWhereverThePesAre()
    {
        final long widest = TeamAreaDescriptor.systemArea(Placement.unknown(6)).length();
        for (final int[] hostOf : new int[][]{ {0, 0, 0, 0, 0, 0}, {0, 1, 2, 3, 4, 5}, {0, 1, 0, 1, 1, 2} })
        {
            final Placement placement = Placement.of(hostOf);
            final long length = TeamAreaDescriptor.systemArea(placement).length();
            assertEquals(
                widest - 2 * area(6) + 2 * area(placement.maxPesOfHost()) - area(6) + area(placement.hosts()), length);
        }

        assertEquals(new Placement(6, 3, 3), Placement.of(new int[]{ 0, 1, 0, 1, 1, 2 }));
        assertEquals(new Placement(1, 1, 1), Placement.of(new int[]{ 0 }));
    }

    private static long area(final int size)
    {
        return new TeamAreaDescriptor(size).length();
    }

    private static long length(
        final SystemAreaDescriptor descriptor, final PredefinedTeam which, final PredefinedTeam next)
    {
        return descriptor.teamAreaOffset(next) - descriptor.teamAreaOffset(which);
    }
}
