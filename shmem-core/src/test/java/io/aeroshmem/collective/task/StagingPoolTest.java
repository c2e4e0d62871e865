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

import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class StagingPoolTest
{
    @Test
    void shouldHandOnTheShortestBufferThatIsLongEnough()
    {
        final StagingPool pool = new StagingPool();
        final ByteBuffer shorter = pool.take(5000);
        final ByteBuffer longer = pool.take(100_000);
        assertTrue(shorter.capacity() >= 5000);
        pool.giveBack(longer);
        pool.giveBack(shorter);
        assertSame(shorter, pool.take(1000));
        assertSame(longer, pool.take(1000));
    }

    @Test
    void shouldHandOnWhatAClosedTeamHad()
    {
        final StagingPool pool = new StagingPool();
        final TeamWorkspace first = new TeamWorkspace(2, pool);
        final TeamWorkspace second = new TeamWorkspace(2, pool);
        final long address = first.partials(10_000);
        assertEquals(address, first.partials(5000));
        assertNotEquals(address, second.partials(10_000));
        first.close();
        first.close();
        assertEquals(address, new TeamWorkspace(2, pool).partials(10_000));
    }
}
