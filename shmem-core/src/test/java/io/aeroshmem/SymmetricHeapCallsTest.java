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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class SymmetricHeapCallsTest
{
    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldGiveAllPesTheSameAddresses(final TransportKind transport) throws Exception
    {
        final long[][] addresses = new long[3][];
        LocalJobs.run(3, transport, (shmem) ->
        {
            final SymmetricBuffer first = shmem.malloc(1000);
            final SymmetricBuffer second = shmem.align(4096, 10);
            final SymmetricBuffer third = shmem.mallocWithHints(8, SymmetricBuffer.ATOMICS_REMOTE);
            shmem.free(first);
            final SymmetricBuffer fourth = shmem.calloc(100, 8);
            addresses[shmem.myPe()] = new long[]{second.address(), third.address(), fourth.address()};
            assertEquals(0, second.address() % 4096);
            for (int i = 0; i < 100; i++)
            {
                assertEquals(0, fourth.getLong(8L * i));
            }
        });
        assertTrue(Arrays.equals(addresses[0], addresses[1]) && Arrays.equals(addresses[0], addresses[2]));
    }

    @Test
    void shouldDoNothingForNoBytes() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                assertNull(shmem.malloc(0));
                assertNull(shmem.calloc(0, 8));
                assertNull(shmem.align(64, 0));
                assertNull(shmem.realloc(null, 0));
                shmem.free(null);
            }
        });
    }

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC"})
    void shouldThrowTheSameOnAllPesWhenSizesDiffer(final TransportKind transport) throws Exception
    {
        final String[] messages = new String[5];
        LocalJobs.run(5, transport, (shmem) ->
        {
            final SymmetricBuffer before = shmem.malloc(64);
            final long bytes = 3 == shmem.myPe() ? 128 : 64;
            messages[shmem.myPe()] =
                assertThrows(CollectiveMismatchException.class, () -> shmem.malloc(bytes)).getMessage();
            assertThrows(CollectiveMismatchException.class, () -> shmem.realloc(before, 100 + bytes));
            before.putLong(56, 42);
            assertEquals(before.address() + 64, shmem.malloc(64).address());
        });

        for (final String message : messages)
        {
            assertEquals(messages[0], message);
            assertTrue(message.contains("PE 0 called malloc(64 bytes)"), message);
            assertTrue(message.contains("PE 3 called malloc(128 bytes)"), message);
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldNameTheAllocationOfNothingBeforeACallThatDiffers(final boolean isChecked) throws Exception
    {
        final String[] messages = new String[3];
        Shmem.runLocal(3, LocalJobs.config().checkCollectives(isChecked), (shmem) ->
        {
            final int me = shmem.myPe();
            assertNull(shmem.malloc(0));
            shmem.free(shmem.malloc(64));
            messages[me] = assertThrows(
                CollectiveMismatchException.class,
                () ->
                {
                    if (1 == me)
                    {
                        shmem.malloc(0);
                    }

                    shmem.malloc(1 == me ? 16 : 8);
                }).getMessage();
            assertEquals(128, shmem.malloc(128).length());
        });

        for (final String message : messages)
        {
            assertEquals(messages[0], message);
            assertTrue(message.contains("PE 0 called malloc(8 bytes)"), message);
            assertTrue(
                message.contains("PE 1 called malloc(0 bytes), which does nothing, and then malloc(16 bytes)"),
                message);
        }
    }

    @Test
    void shouldNameTheAllocationOfNothingBeforeAnotherRoutine() throws Exception
    {
        final String[] messages = new String[2];
        Shmem.runLocal(2, LocalJobs.config().checkCollectives(true), (shmem) ->
        {
            messages[shmem.myPe()] = assertThrows(
                CollectiveMismatchException.class,
                () ->
                {
                    shmem.calloc(4L * shmem.myPe(), 2);
                    shmem.barrierAll();
                }).getMessage();
            shmem.barrierAll();
        });

        assertEquals(messages[0], messages[1]);
        assertTrue(
            messages[0].contains("PE 0 called calloc(0 bytes), which does nothing, and then barrier()"), messages[0]);
        assertTrue(messages[0].contains("PE 1 called calloc(4 elements of 2 bytes)"), messages[0]);
    }

    @Test
    void shouldNoticeDifferentCalls() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer a = shmem.malloc(64);
            final SymmetricBuffer b = shmem.malloc(64);
            assertThrows(CollectiveMismatchException.class, () -> shmem.free(0 == shmem.myPe() ? a : b));
            assertThrows(
                CollectiveMismatchException.class,
                () ->
                {
                    if (0 == shmem.myPe())
                    {
                        shmem.free(a);
                    }
                    else
                    {
                        shmem.calloc(8, 8);
                    }
                });
            shmem.free(b);
            shmem.free(a);
        });
    }

    @Test
    void shouldKeepContentsWhenReallocating() throws Exception
    {
        LocalJobs.run(3, (shmem) ->
        {
            final SymmetricBuffer small = shmem.malloc(256);
            final SymmetricBuffer fence = shmem.malloc(64);
            for (int i = 0; i < 32; i++)
            {
                small.putLong(8L * i, shmem.myPe() * 1000 + i);
            }

            final SymmetricBuffer large = shmem.realloc(small, 100_000);
            assertThrows(IllegalStateException.class, small::local);
            for (int i = 0; i < 32; i++)
            {
                assertEquals(shmem.myPe() * 1000 + i, large.getLong(8L * i));
            }

            assertThrows(SymmetricHeapExhaustedException.class, () -> shmem.realloc(large, 2 * LocalJobs.HEAP_SIZE));
            assertEquals(shmem.myPe() * 1000, large.getLong(0));
            final SymmetricBuffer tiny = shmem.realloc(large, 8);
            assertEquals(shmem.myPe() * 1000, tiny.getLong(0));
            assertNull(shmem.realloc(tiny, 0));
            shmem.free(fence);
        });
    }

    @Test
    void shouldReportFreeBytesWhenTheHeapIsExhausted() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer half = shmem.malloc(LocalJobs.HEAP_SIZE / 2);
            final SymmetricHeapExhaustedException ex = assertThrows(
                SymmetricHeapExhaustedException.class, () -> shmem.malloc(LocalJobs.HEAP_SIZE / 2 + 1));
            assertEquals(LocalJobs.HEAP_SIZE / 2, ex.free());
            final SymmetricBuffer rest = shmem.malloc(LocalJobs.HEAP_SIZE / 2);
            shmem.free(half);
            shmem.free(rest);
            shmem.free(shmem.malloc(LocalJobs.HEAP_SIZE));
        });
    }

    @Test
    void shouldRefuseMisuseLocallyAndGoOn() throws Exception
    {
        LocalJobs.run(2, (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            assertThrows(IllegalArgumentException.class, () -> shmem.malloc(-1));
            assertThrows(IllegalArgumentException.class, () -> shmem.align(24, 8));
            assertThrows(IllegalArgumentException.class, () -> shmem.align(4, 8));
            assertThrows(IllegalArgumentException.class, () -> shmem.calloc(Long.MAX_VALUE, 2));
            assertThrows(IllegalArgumentException.class, () -> shmem.mallocWithHints(8, 4));
            assertThrows(IllegalArgumentException.class, () -> shmem.free(buffer.slice(0, 8)));
            if (0 == shmem.myPe())
            {
                assertThrows(IllegalArgumentException.class, () -> shmem.malloc(-1));
            }

            shmem.free(buffer);
            assertThrows(IllegalStateException.class, () -> shmem.free(buffer));
            shmem.free(shmem.malloc(64));
        });
    }

    @Test
    void shouldReportMisuseToAllPesWhenCollectivesAreChecked() throws Exception
    {
        Shmem.runLocal(3, LocalJobs.config().checkCollectives(true), (shmem) ->
        {
            final SymmetricBuffer buffer = shmem.malloc(64);
            assertThrows(
                CollectiveMismatchException.class, () -> shmem.malloc(1 == shmem.myPe() ? -1 : 64));
            final SymmetricBuffer freed = 1 == shmem.myPe() ? buffer.slice(0, 64) : buffer;
            assertThrows(CollectiveMismatchException.class, () -> shmem.free(freed));
            assertThrows(IllegalArgumentException.class, () -> shmem.malloc(-1));
            shmem.free(buffer);
        });
    }
}
