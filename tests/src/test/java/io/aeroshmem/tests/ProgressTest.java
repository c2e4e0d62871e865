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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import org.agrona.concurrent.AtomicBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Progress of operations on a PE that computes and never calls the library.
 */
@Tag("waits")
class ProgressTest
{
    private static final int BLOCK = 100_003;
    private static final int STOP = 128;
    private static final long EXCHANGED = 1 << 20;

    @ParameterizedTest
    @CsvSource({"IPC, THREADS", "IPC, PROCESSES", "UDP, THREADS", "UDP, PROCESSES", "MAPPED, THREADS"})
    @Tag("ci")
    void shouldServeAPeThatOnlyComputes(final TransportKind transport, final JobForm form)
    {
        Job.of(2).transport(transport).form(form).run(new Routines());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldServeAPeThatInvokesProgressItself(final TransportKind transport)
    {
        Job.of(2).transport(transport).setup((config) -> config.progressMode(ProgressMode.INVOKER))
            .run("invoked progress", (pe) -> serve(pe, true));
    }

    /** The agent of the process, which drives both ends of the request, must not wait for itself. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldPerformRequestsOfPesThatOnlyCompute(final TransportKind transport)
    {
        Job.of(2).transport(transport).run("requests of computing PEs", ProgressTest::exchange);
    }

    private static void exchange(final Pe pe) throws InterruptedException
    {
        final SymmetricBuffer source = pe.shmem().malloc(2 * EXCHANGED);
        final SymmetricBuffer dest = pe.shmem().malloc(2 * EXCHANGED);
        for (int other = 0; other < 2; other++)
        {
            Pattern.fill(source, other * EXCHANGED, EXCHANGED, Pattern.seed(pe.me(), other));
        }

        final CountDownLatch completed = new CountDownLatch(1);
        final CollectiveArgs args = new CollectiveArgs()
            .collective(Collective.ALLTOALL)
            .source(source, 2 * EXCHANGED, ElementType.BYTE)
            .dest(dest, 2 * EXCHANGED, ElementType.BYTE)
            .onComplete((request, error) -> completed.countDown());
        try (CollectiveRequest request = pe.shmem().world().request(args))
        {
            pe.shmem().barrierAll();
            request.post();
            assertTrue(completed.await(Deadlines.WAIT_S, TimeUnit.SECONDS), "nothing drives the request");
            request.await();
        }

        for (int other = 0; other < 2; other++)
        {
            Pattern.check("block", dest, other * EXCHANGED, EXCHANGED, Pattern.seed(other, pe.me()));
        }

        pe.shmem().barrierAll();
    }

    /**
     * The routines of the jobs.
     */
    static final class Routines extends RoutineSet
    {
        Routines()
        {
            add("computing target", (pe) -> serve(pe, false));
        }
    }

    private static void serve(final Pe pe, final boolean invoke)
    {
        final SymmetricBuffer block = pe.shmem().malloc(BLOCK);
        final SymmetricBuffer scratch = pe.shmem().malloc(BLOCK);
        final SymmetricBuffer words = pe.shmem().calloc(32, 8);
        Pattern.fill(block, 0, BLOCK, pe.me());
        pe.shmem().barrierAll();
        if (1 == pe.me())
        {
            compute(pe, words.local(), invoke);
            Pattern.check("what was put", block, 0, BLOCK, 77);
            assertEquals(1000, words.getLong(0));
            assertEquals(100, words.getLong(8));
            assertEquals(41, words.getLong(16));
        }
        else
        {
            use(pe.ctx(), block, scratch, words);
        }

        pe.shmem().barrierAll();
    }

    /**
     * Works on its own memory only, until a peer sets the stop flag.
     */
    private static void compute(final Pe pe, final AtomicBuffer words, final boolean invoke)
    {
        final long deadline = System.nanoTime() + Deadlines.WAIT_NS;
        long value = 1;
        while (0 == words.getLongVolatile(STOP))
        {
            value = value * 6364136223846793005L + 1442695040888963407L;
            if (0 == value >>> 48 && System.nanoTime() - deadline > 0)
            {
                throw new AssertionError("no peer set the stop flag; computed " + value);
            }

            if (invoke)
            {
                pe.shmem().progress();
            }
        }
    }

    private static void use(
        final CommunicationContext ctx,
        final SymmetricBuffer block,
        final SymmetricBuffer scratch,
        final SymmetricBuffer words)
    {
        ctx.get(scratch, 0, block, 0, BLOCK, 1);
        Pattern.check("get from a PE that computes", scratch, 0, BLOCK, 1);
        for (int i = 0; i < 1000; i++)
        {
            ctx.atomicIncLong(words, 0, 1);
        }

        for (int i = 0; i < 100; i++)
        {
            assertEquals(i, ctx.atomicFetchIncLong(words, 8, 1));
        }

        ctx.putLong(words, 16, 41, 1);
        Pattern.fill(scratch, 0, BLOCK, 77);
        ctx.put(block, 0, scratch, 0, BLOCK, 1);
        ctx.quiet();
        assertEquals(1000, ctx.atomicFetchLong(words, 0, 1));
        ctx.signal(words, STOP, 1, SignalOp.SET, 1);
        ctx.quiet();
    }
}
