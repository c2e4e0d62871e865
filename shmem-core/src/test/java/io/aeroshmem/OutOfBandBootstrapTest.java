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
package io.aeroshmem;

import io.aeroshmem.lifecycle.OutOfBandBootstrap;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class OutOfBandBootstrapTest
{
    private static final long JOIN_S = 3_600;

    /** An hour of the virtual clock, on which each pause takes a second. */
    @Test
    void shouldWaitForTheAllgatherUntilTheJoinTimeout()
    {
        final SecondsPause pause = new SecondsPause();
        final Shmem.Context config = new Shmem.Context().joinTimeoutNs(TimeUnit.SECONDS.toNanos(JOIN_S));
        final EndpointContext context = new EndpointContext(config.endpointSettings()).pause(pause);
        final OutOfBandBootstrap bootstrap =
            new OutOfBandBootstrap(1, 2, (source, dest, length) -> () -> false);
        final String message =
            assertThrows(TransportException.class, () -> bootstrap.enter(context)).getMessage();
        assertTrue(message.contains("PE 1 waited 3600 s (aeroshmem.join.timeout)"), message);
        assertEquals(JOIN_S, pause.seconds);
    }

    @Test
    void shouldOpenTheRendezvousWhereTheContextSays()
    {
        final byte[] contribution = new byte[128];
        final OutOfBandBootstrap bootstrap = new OutOfBandBootstrap(0, 2, (source, dest, length) ->
        {
            source.getBytes(0, contribution, 0, length);
            throw new IllegalStateException("seen");
        });
        final Shmem.Context config = new Shmem.Context().rendezvousInterface("127.0.0.3");
        final EndpointContext context = new EndpointContext(config.endpointSettings()).errorHandler((ex) -> {});
        assertThrows(IllegalStateException.class, () -> bootstrap.enter(context));
        final String bytes = new String(contribution, StandardCharsets.ISO_8859_1);
        assertTrue(bytes.contains(new String(new byte[]{127, 0, 0, 3}, StandardCharsets.ISO_8859_1)));
    }

    private static final class SecondsPause extends Pause
    {
        private long seconds;

        @Override
        public long nanoTime()
        {
            return TimeUnit.SECONDS.toNanos(seconds);
        }

        @Override
        public void yieldThread()
        {
            seconds++;
        }
    }
}
