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
package io.aeroshmem.tests;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.RmaRequest;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CountDownLatch;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotSame;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Requests of puts and gets: what they are while the peer answers nothing, and their reuse. */
@Tag("waits")
class RmaRequestTest
{
    private static final long TIMEOUT_NS = 1_000_000_000;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldStayOpenUntilThePeerHasAnswered(final TransportKind transport)
    {
        final CountDownLatch isSilent = new CountDownLatch(1);
        final CountDownLatch isAnswering = new CountDownLatch(1);
        Job.of(2).transport(transport)
            .setup((config) -> config.progressMode(ProgressMode.INVOKER).operationTimeoutNs(TIMEOUT_NS))
            .run("requests to a PE that polls nothing", (pe) ->
            {
                final SymmetricBuffer words = pe.shmem().calloc(4, Long.BYTES);
                words.putLong(8, 70 + pe.me());
                words.putLong(16, 50 + pe.me());
                pe.shmem().barrierAll();
                if (0 == pe.me())
                {
                    isSilent.await();
                    try
                    {
                        awaitAnswer(pe.ctx(), words, isAnswering);
                    }
                    finally
                    {
                        isAnswering.countDown();
                    }
                }
                else
                {
                    isSilent.countDown();
                    isAnswering.await();
                }

                pe.shmem().barrierAll();
                assertEquals(0 == pe.me() ? 0 : 50, words.getLong(0));
            });
    }

    private static void awaitAnswer(
        final CommunicationContext ctx, final SymmetricBuffer words, final CountDownLatch isAnswering)
    {
        final RmaRequest put = ctx.putRequest(words, 0, words, 16, Long.BYTES, 1);
        final RmaRequest get = ctx.getRequest(words, 24, words, 8, Long.BYTES, 1);
        for (final RmaRequest request : new RmaRequest[]{put, get})
        {
            assertFalse(request.test());
            assertThrows(IllegalStateException.class, request::close);
            assertThrows(ShmemTimeoutException.class, request::await);
            assertFalse(request.test());
        }

        isAnswering.countDown();
        get.await();
        put.await();
        assertEquals(71, words.getLong(24));
        get.close();
        put.close();
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC"})
    void shouldBeUsedAgain(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("reuse of requests", RmaRequestTest::reuse);
    }

    private static void reuse(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(4, Long.BYTES);
        final CommunicationContext ctx = pe.shmem().createContext();
        final RmaRequest first = ctx.putRequest(words, 0, words, 8, Long.BYTES, pe.right());
        final RmaRequest other = ctx.getRequest(new long[1], 0, words, 8, 1, pe.right());
        assertNotSame(first, other);
        first.await();
        first.close();
        first.close();
        assertThrows(IllegalStateException.class, first::test);
        assertThrows(IllegalStateException.class, first::await);

        // a get that is rejected takes no request
        final long[] value = {1};
        assertThrows(IndexOutOfBoundsException.class, () -> ctx.getRequest(value, 0, words, 0, 2, pe.right()));
        assertThrows(IndexOutOfBoundsException.class, () -> ctx.getRequest(words, 0, words, 32, 8, pe.right()));
        assertThrows(IndexOutOfBoundsException.class, () ->
            ctx.getRequest(new UnsafeBuffer(new byte[8]), 1, words, 0, 8, pe.right()));

        final RmaRequest second = ctx.getRequest(value, 0, words, 8, 1, pe.right());
        assertSame(first, second);
        second.await();
        assertTrue(second.test());
        assertEquals(0, value[0]);

        // neither rejected arguments nor the close of the context leave anything behind
        assertThrows(
            IndexOutOfBoundsException.class, () -> ctx.putRequest(words, 0, words, 32, Long.BYTES, pe.right()));
        ctx.close();
        assertThrows(IllegalStateException.class, other::test);
        other.close();
        second.close();
        pe.shmem().barrierAll();
    }
}
