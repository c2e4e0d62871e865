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
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Four PEs, two of which are forced to messages, update the same words: atomic whichever path an update takes.
 */
@Tag("ci")
class MixedPathsTest
{
    private static final String INCREMENTS = "aeroshmem.test.increments";
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int SWAPS = 2_000;
    private static final int OWNER = 1;

    @ParameterizedTest
    @CsvSource({"IPC, THREADS", "UDP, THREADS", "IPC, PROCESSES", "UDP, PROCESSES"})
    void shouldStayAtomic(final TransportKind messages, final JobForm form)
    {
        Job.of(4).form(form).inUsedProcesses().transport(2, messages).transport(3, messages)
            .property(INCREMENTS, Integer.toString(200_000 * VOLUME)).run(new Routines());
    }

    /**
     * The routines of the jobs.
     */
    static final class Routines extends RoutineSet
    {
        Routines()
        {
            add("increments of a long", MixedPathsTest::incrementLong);
            add("increments of an int", MixedPathsTest::incrementInt);
            add("compare-swap loops", MixedPathsTest::compareSwap);
        }
    }

    private static void incrementLong(final Pe pe)
    {
        final SymmetricBuffer counter = pe.shmem().calloc(3, 8);
        final CommunicationContext ctx = pe.ctx();
        final int increments = Integer.getInteger(INCREMENTS);
        final int mine = increments / pe.n();
        long previous = -1;
        for (int i = 0; i < mine; i++)
        {
            if (0 == i % 100)
            {
                final long fetched = ctx.atomicFetchIncLong(counter, 8, OWNER);
                if (fetched <= previous)
                {
                    throw new AssertionError("fetched " + fetched + " after " + previous);
                }

                previous = fetched;
            }
            else
            {
                ctx.atomicIncLong(counter, 8, OWNER);
            }
        }

        pe.shmem().barrierAll();
        if (OWNER == pe.me())
        {
            assertEquals(increments, counter.getLong(8));
            assertEquals(0, counter.getLong(0));
            assertEquals(0, counter.getLong(16));
        }

        pe.shmem().free(counter);
    }

    private static void incrementInt(final Pe pe)
    {
        final SymmetricBuffer counters = pe.shmem().calloc(4, 4);
        final CommunicationContext ctx = pe.ctx();
        final int mine = Integer.getInteger(INCREMENTS) / 4 / pe.n();
        for (int i = 0; i < mine; i++)
        {
            ctx.atomicAddInt(counters, 4, 1, OWNER);
            ctx.atomicAddInt(counters, 8, -1, OWNER);
            if (0 == i % 1000)
            {
                ctx.atomicFetchAddInt(counters, 12, 5, OWNER);
            }
        }

        pe.shmem().barrierAll();
        if (OWNER == pe.me())
        {
            assertEquals(0, counters.getInt(0));
            assertEquals(mine * pe.n(), counters.getInt(4));
            assertEquals(-mine * pe.n(), counters.getInt(8));
            assertEquals(5 * ((mine + 999) / 1000) * pe.n(), counters.getInt(12));
        }

        pe.shmem().free(counters);
    }

    private static void compareSwap(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(2, 8);
        final CommunicationContext ctx = pe.ctx();
        long seen = ctx.atomicFetchLong(words, 0, OWNER);
        for (int swaps = 0; swaps < SWAPS;)
        {
            final long before = ctx.atomicCompareSwapLong(words, 0, seen, seen + 1, OWNER);
            swaps += before == seen ? 1 : 0;
            seen = before == seen ? seen + 1 : before;
        }

        int seenInt = ctx.atomicFetchInt(words, 12, OWNER);
        for (int swaps = 0; swaps < SWAPS;)
        {
            final int before = ctx.atomicCompareSwapInt(words, 12, seenInt, seenInt + 3, OWNER);
            swaps += before == seenInt ? 1 : 0;
            seenInt = before == seenInt ? seenInt + 3 : before;
        }

        pe.shmem().barrierAll();
        if (OWNER == pe.me())
        {
            assertEquals((long)SWAPS * pe.n(), words.getLong(0));
            assertEquals(0, words.getInt(8));
            assertEquals(3 * SWAPS * pe.n(), words.getInt(12));
        }

        pe.shmem().free(words);
    }
}
