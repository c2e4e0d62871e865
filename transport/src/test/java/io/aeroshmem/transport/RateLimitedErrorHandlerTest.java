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
package io.aeroshmem.transport;

import org.junit.jupiter.api.Test;

import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RateLimitedErrorHandlerTest
{
    private final List<Throwable> reported = new ArrayList<>();
    private long nowNs;
    private final RateLimitedErrorHandler handler = new RateLimitedErrorHandler(reported::add, () -> nowNs);

    @Test
    void shouldReportEachErrorOnceAndThenOccasionally()
    {
        final Exception first = new SocketException("Network is unreachable");
        handler.onError(first);
        for (int i = 0; i < 1_000; i++)
        {
            nowNs += TimeUnit.MILLISECONDS.toNanos(10);
            handler.onError(new SocketException("Network is unreachable"));
        }

        assertEquals(1, reported.size());
        assertSame(first, reported.get(0));
        handler.onError(new SocketException("No route to host"));
        assertEquals(2, reported.size());
        assertEquals("No route to host", reported.get(1).getMessage());

        nowNs += TimeUnit.SECONDS.toNanos(30);
        handler.onError(new SocketException("Network is unreachable"));
        assertEquals(3, reported.size());
        assertTrue(reported.get(2).getMessage().startsWith("Network is unreachable (1001 more occurrences"),
            reported.get(2).getMessage());
        handler.onError(new SocketException("Network is unreachable"));
        assertEquals(3, reported.size());
    }

    @Test
    void shouldCountErrorsOfOneKeyTogether()
    {
        for (int i = 0; i < 10; i++)
        {
            handler.onError("127.0.0.1", new SocketException("number " + i));
        }

        assertEquals(1, reported.size());

        handler.onError("127.0.0.2", new SocketException("number 0"));
        assertEquals(2, reported.size());
        nowNs += TimeUnit.SECONDS.toNanos(30);
        handler.onError("127.0.0.1", new SocketException("number 10"));
        assertTrue(reported.get(2).getMessage().startsWith("number 10 (10 more occurrences"),
            reported.get(2).getMessage());
    }

    @Test
    void shouldNameAnErrorWithoutAMessage()
    {
        handler.onError(new SocketException());
        nowNs += TimeUnit.SECONDS.toNanos(30);
        handler.onError(new SocketException());
        assertTrue(reported.get(1).getMessage().startsWith("java.net.SocketException (1 more"),
            reported.get(1).getMessage());
    }

    @Test
    void shouldNotGrowWithDifferentErrors()
    {
        for (int i = 0; i < 10_000; i++)
        {
            handler.onError(new SocketException("number " + i));
        }

        assertEquals(RateLimitedErrorHandler.MAX_KNOWN + 1, reported.size());
    }
}
