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

import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A collect that one member has no room for, which it cannot see from its own arguments, fails on all, and the team
 * stays usable.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class CollectDestTest
{
    private static final int N_PES = 3;
    private static final int TOTAL = (1 + 2 + 3) * 8;

    private final String[] messages = new String[N_PES];

    @ParameterizedTest
    @CsvSource({"MAPPED, false", "MAPPED, true", "IPC, false"})
    void shouldFailOnAllWhenOneDestDoesNotDo(final TransportKind transport, final boolean isChecked) throws Exception
    {
        final Shmem.Context config = LocalJobs.config().transport(transport).checkCollectives(isChecked);
        Shmem.runLocal(N_PES, config, (shmem) ->
        {
            final SymmetricBuffer memory = shmem.malloc(256);
            final SymmetricBuffer dest = memory.slice(0, TOTAL);
            final SymmetricBuffer source = memory.slice(128, 24);
            final boolean isLast = N_PES - 1 == shmem.myPe();

            assertFails(shmem, IndexOutOfBoundsException.class, () -> collect(
                shmem, isLast ? memory.slice(0, TOTAL - 1) : dest, source));
            assertTrue(messages[0].contains("dest of PE 2 has 47 bytes"), messages[0]);
            assertFails(shmem, IndexOutOfBoundsException.class, () -> collect(
                shmem, memory.slice(0, isLast ? TOTAL : 24), source));
            assertTrue(messages[0].contains("dest of PE 0 has 24 bytes"), messages[0]);
            assertWorks(shmem, dest, source);
        });
    }

    /**
     * With checks, the difference in dest is detected first.
     */
    @ParameterizedTest
    @CsvSource({"MAPPED", "IPC"})
    void shouldFailOnAllWhenOneDestIsMissingOrOverlaps(final TransportKind transport) throws Exception
    {
        LocalJobs.run(N_PES, transport, (shmem) ->
        {
            final SymmetricBuffer memory = shmem.malloc(256);
            final SymmetricBuffer dest = memory.slice(0, TOTAL);
            final SymmetricBuffer source = memory.slice(128, 24);
            final boolean isLast = N_PES - 1 == shmem.myPe();

            assertFails(shmem, IllegalArgumentException.class, () -> shmem.world().collect(
                ElementType.LONG, isLast ? null : dest, source, isLast ? 0 : 1));
            assertTrue(messages[0].contains("dest of PE 2 is null"), messages[0]);
            assertFails(shmem, IllegalArgumentException.class, () -> collect(
                shmem, isLast ? memory.slice(128 - 40, TOTAL) : dest, source));
            assertTrue(messages[0].contains("PE 2"), messages[0]);
            assertWorks(shmem, dest, source);
        });
    }

    /**
     * PE i contributes i + 1 elements.
     */
    private static void collect(final Shmem shmem, final SymmetricBuffer dest, final SymmetricBuffer source)
    {
        shmem.world().collect(ElementType.LONG, dest, source, shmem.myPe() + 1);
    }

    private static void assertWorks(final Shmem shmem, final SymmetricBuffer dest, final SymmetricBuffer source)
    {
        for (int i = 0; i <= shmem.myPe(); i++)
        {
            source.putLong(8L * i, 10 * shmem.myPe() + i);
        }

        collect(shmem, dest, source);
        final long[] expected = {0, 10, 11, 20, 21, 22};
        for (int i = 0; i < expected.length; i++)
        {
            assertEquals(expected[i], dest.getLong(8L * i));
        }
    }

    private <T extends Exception> void assertFails(final Shmem shmem, final Class<T> type, final Executable call)
    {
        messages[shmem.myPe()] = assertThrows(type, call).getMessage();
        shmem.barrierAll();
        assertEquals(messages[0], messages[shmem.myPe()]);
        shmem.barrierAll();
    }
}
