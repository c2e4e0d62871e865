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
package io.aeroshmem.transport.endpoint;

import io.aeron.AeronCounters;
import io.aeron.driver.MediaDriver;
import org.agrona.concurrent.CachedEpochClock;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.agrona.concurrent.status.CountersManager;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

class DriverEpochClockTest
{
    private static final long START_MS = 1_000_000;

    private final CachedEpochClock source = new CachedEpochClock();
    private final UnsafeBuffer metaData = new UnsafeBuffer(ByteBuffer.allocateDirect(64 * 1024));
    private final UnsafeBuffer values = new UnsafeBuffer(ByteBuffer.allocateDirect(16 * 1024));
    private final MediaDriver.Context context =
        new MediaDriver.Context().countersMetaDataBuffer(metaData).countersValuesBuffer(values);
    private final CountersManager counters = new CountersManager(metaData, values);
    private final AtomicCounter client =
        counters.newCounter("client", AeronCounters.DRIVER_HEARTBEAT_TYPE_ID);
    private final AtomicCounter closed =
        counters.newCounter("closed client", AeronCounters.DRIVER_HEARTBEAT_TYPE_ID);
    private final AtomicCounter other = counters.newCounter("other", AeronCounters.DRIVER_SYSTEM_COUNTER_TYPE_ID);

    private DriverEpochClock start()
    {
        source.update(START_MS);
        client.set(START_MS);
        closed.set(0);
        other.set(1);
        return new DriverEpochClock(context, source);
    }

    @Test
    void shouldRenewHeartbeatsAfterAPause()
    {
        final DriverEpochClock clock = start();
        source.advance(16_000);
        assertEquals(START_MS + 16_000, clock.time());
        assertEquals(START_MS + 16_000, client.get());
        assertEquals(0, closed.get());
        assertEquals(1, other.get());
    }

    @Test
    void shouldLeaveTheHeartbeatsOfClientsThatAreSilentWhileTheDriverRuns()
    {
        final DriverEpochClock clock = start();
        for (int i = 0; i < 16; i++)
        {
            source.advance(1_000);
            clock.time();
        }

        assertEquals(START_MS, client.get());
    }
}
