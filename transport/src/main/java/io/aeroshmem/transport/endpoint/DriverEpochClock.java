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
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.status.CountersReader;

/**
 * Epoch clock of a media driver, which its conductor reads every millisecond, before it looks for silent clients. When
 * the driver itself was paused, or the clock of the system was moved forward, all heartbeats appear to be old. Then
 * this clock renews them first, so that each client again has the whole time to prove that it lives.
 */
final class DriverEpochClock implements EpochClock
{
    private static final long PAUSE_MS = 1_000;

    private final MediaDriver.Context context;
    private final EpochClock clock;
    private long lastMs;

    /**
     * @param context of the driver, which need not be concluded yet.
     * @param clock   of the system.
     */
    DriverEpochClock(final MediaDriver.Context context, final EpochClock clock)
    {
        this.context = context;
        this.clock = clock;
        lastMs = clock.time();
    }

    /** Synchronised, so that no thread of the driver sees the time after a pause before the heartbeats are renewed. */
    @Override
    public synchronized long time()
    {
        final long nowMs = clock.time();
        if (nowMs - lastMs > PAUSE_MS && null != context.countersValuesBuffer())
        {
            renewHeartbeats(nowMs);
        }

        lastMs = nowMs;
        return nowMs;
    }

    private void renewHeartbeats(final long nowMs)
    {
        final AtomicBuffer values = context.countersValuesBuffer();
        new CountersReader(context.countersMetaDataBuffer(), values).forEach((counterId, typeId, keyBuffer, label) ->
        {
            if (AeronCounters.DRIVER_HEARTBEAT_TYPE_ID == typeId)
            {
                final int offset = CountersReader.counterOffset(counterId);
                final long heartbeatMs = values.getLongVolatile(offset);
                // Compare: the client may write its own. It is 0 when the client has been closed.
                if (heartbeatMs > 0 && heartbeatMs < nowMs)
                {
                    values.compareAndSetLong(offset, heartbeatMs, nowMs);
                }
            }
        });
    }
}
