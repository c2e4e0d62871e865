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
package io.aeroshmem.transport.aeron;

import org.agrona.BitUtil;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OutboxTest
{
    private static final long RINGS = 8 << 20;
    private static final int MIN_RING = 8 << 10;
    private static final int LONGEST_RECORD =
        BitUtil.align(RecordDescriptor.PUT_DATA + MessageTransport.SMALL_BLOCK, RecordDescriptor.ALIGNMENT);

    @Test
    void shouldBoundTheRingsOfAllPeersAndHaveRoomForEachRecord()
    {
        for (int nPes = 1; nPes <= Channels.MAX_PES; nPes++)
        {
            final int capacity = Outbox.ringCapacity(nPes);
            assertEquals(1, Integer.bitCount(capacity));
            // the longest message of Agrona's ring
            assertTrue(LONGEST_RECORD <= capacity >> 3, "nPes=" + nPes);
            assertTrue((long)nPes * capacity <= Math.max(RINGS, (long)nPes * MIN_RING), "nPes=" + nPes);
        }

        assertEquals(128 << 10, Outbox.ringCapacity(64));
        assertEquals(MIN_RING, Outbox.ringCapacity(Channels.MAX_PES));
    }
}
