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

import org.agrona.ErrorHandler;
import org.junit.jupiter.api.Test;

import java.net.SocketException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DampedErrorHandlerTest
{
    private final List<Throwable> told = new ArrayList<>();
    private long nowNs;
    private final ErrorHandler handler = new DampedErrorHandler(told::add, () -> nowNs);

    @Test
    void shouldTellEachErrorOnceAndThenNowAndThen()
    {
        final Exception first = new SocketException("Network is unreachable");
        handler.onError(first);
        for (int i = 0; i < 1_000; i++)
        {
            nowNs += TimeUnit.MILLISECONDS.toNanos(10);
            handler.onError(new SocketException("Network is unreachable"));
        }
        assertEquals(1, told.size());
        assertSame(first, told.get(0));
        handler.onError(new SocketException("No route to host"));
        assertEquals(2, told.size());
        assertEquals("No route to host", told.get(1).getMessage());

        nowNs += TimeUnit.SECONDS.toNanos(30);
        handler.onError(new SocketException("Network is unreachable"));
        assertEquals(3, told.size());
        assertTrue(told.get(2).getMessage().startsWith("Network is unreachable (came 1001 times more"),
            told.get(2).getMessage());
        handler.onError(new SocketException("Network is unreachable"));
        assertEquals(3, told.size());
    }

    @Test
    void shouldNotGrowWithDifferentErrors()
    {
        for (int i = 0; i < 10_000; i++)
        {
            handler.onError(new SocketException("number " + i));
        }
        assertEquals(DampedErrorHandler.MAX_KNOWN + 1, told.size());
    }
}
