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

import io.aeron.Aeron;
import io.aeroshmem.BootstrapException;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.SessionOption;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.ThreadLevel;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.conformance.OrderRoutines;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.NetworkFaults;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Puts to all PEs by one message to a multicast group, in any mix with operations that go to one PE: they come on
 * another stream.
 */
@Tag("ci")
class MulticastTest
{
    /** Of random tests: 1, and more in the nightly run. */
    private static final int VOLUME = Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int STEPS = 150;
    private static final int SLOTS = 6;
    /** One of a few frames, whatever the datagrams are. */
    private static final int BLOCK = 20_000;
    private static final int ROUNDS = 20;
    private static final int PUTS = 100;
    private static final int ADDS = 10_000;
    private static final int END = SLOTS * Long.BYTES;

    @ParameterizedTest
    @EnumSource(JobForm.class)
    void shouldKeepTheOrderOfOnePeByOnePe(final JobForm form)
    {
        job(4).form(form).inUsedProcesses().run(JobForm.THREADS == form ? new Routines() : new Overwriting());
    }

    /** Frames to the group, and those to one PE, are lost, late and repeated. */
    @Test
    void shouldKeepItOverANetworkThatLoses()
    {
        job(4).network(new NetworkFaults(0.02, 0.05, 0.02), 1).run(new Overwriting());
    }

    /** Others of the node are reached by loads and stores. */
    @Test
    void shouldReachThoseOfOtherNodes()
    {
        job(5).transport(TransportKind.AUTO).nodes("a", "b", "a", "b", "b").run(new Routines());
    }

    /** Frames that name few members only. */
    @Test
    @Tag("nightly")
    void shouldReachMoreThanAFrameNames()
    {
        job(72).property("aeroshmem.udp.mtu", "1k").property("aeroshmem.term.length", "64k").heapSize(1 << 20)
            .run("frames", (pe) -> countFrames(pe, 2));
    }

    @Test
    void shouldSendOneFrame()
    {
        job(4).run("frames", (pe) -> countFrames(pe, 1));
    }

    /** A driver keeps the subscriptions of a killed process for a while, with the senders of an earlier job. */
    @Test
    void shouldUseAGroupThatTheDriverHasOfAnotherJob()
    {
        TestMemory.root();
        try (TestDriver driver = TestDriver.launch();
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.directory())))
        {
            final String group = group();
            subscribe(aeron, group, "|aeroshmem-stream=1");
            job(3, group).property(TestDriver.PROPERTY, driver.directory()).property("aeroshmem.join.timeout", "5s")
                .run("words", MulticastTest::overwriteWords);
        }
    }

    /** The socket drops what its first subscription does not expect. */
    @Test
    void shouldNameTheGroupThatDoesNotReachAll()
    {
        TestMemory.root();
        try (TestDriver driver = TestDriver.launch();
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.directory())))
        {
            final String group = group();
            subscribe(aeron, group, "");
            final BootstrapException ex = assertThrows(BootstrapException.class, () -> Shmem.runLocal(
                2,
                new Shmem.Context()
                    .transport(TransportKind.UDP)
                    .aeronDirectoryName(driver.directory())
                    .udpMulticast(group)
                    .joinTimeoutNs(TimeUnit.SECONDS.toNanos(1))
                    .heapSize(1 << 20),
                (shmem) -> {}));
            assertTrue(ex.getMessage().contains("could not connect within 1 s to the multicast group " + group),
                ex::getMessage);
        }
    }

    /** As a process of another job has done, whose senders the socket of the group then expects. */
    private static void subscribe(final Aeron aeron, final String group, final String parameters)
    {
        aeron.addSubscription(
            "aeron:udp?endpoint=" + group + "|interface=127.0.0.1|aeroshmem-senders=1:4:131072" + parameters, 1);
    }

    /** In a session the same call sends to each PE. */
    @Test
    void shouldServeEachPeOnceWhileAnotherThreadBeginsAndEndsSessions()
    {
        job(4).setup((config) -> config.threadLevel(ThreadLevel.MULTIPLE)).run("sessions", (pe) ->
        {
            final SymmetricBuffer words = pe.shmem().calloc(1, Long.BYTES);
            if (0 == pe.me())
            {
                addInSessionsOfAnotherThread(pe, words);
            }

            pe.shmem().barrierAll();
            assertEquals(0 == pe.me() ? 0 : ADDS, pe.shmem().signalFetch(words, 0));
            pe.shmem().free(words);
        });
    }

    private static void addInSessionsOfAnotherThread(final Pe pe, final SymmetricBuffer words)
    {
        final AtomicBoolean isOver = new AtomicBoolean();
        final CompletableFuture<Void> sessions = CompletableFuture.runAsync(() ->
        {
            while (!isOver.get())
            {
                pe.ctx().sessionStart(SessionOption.BATCH);
                pe.ctx().sessionStop();
            }
        });

        final UnsafeBuffer nothing = new UnsafeBuffer(new byte[0]);
        for (int i = 0; i < ADDS; i++)
        {
            pe.ctx().putSignalAll(words, 0, nothing, 0, 0, words, 0, 1, SignalOp.ADD);
        }

        isOver.set(true);
        sessions.join();
        pe.ctx().quiet();
    }

    private static Job job(final int nPes)
    {
        return job(nPes, group());
    }

    private static Job job(final int nPes, final String group)
    {
        return Job.of(nPes).transport(TransportKind.UDP).property("aeroshmem.udp.multicast", group);
    }

    private static String group()
    {
        try
        {
            return "239.7.1.5:" + FreePort.next();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /** Routines that overwrite what they have stored. */
    static class Overwriting extends RoutineSet
    {
        Overwriting()
        {
            add("words", MulticastTest::overwriteWords);
            add("blocks", MulticastTest::overwriteBlocks);
        }
    }

    /** All routines of the jobs. */
    static final class Routines extends Overwriting
    {
        Routines()
        {
            new OrderRoutines().routines().forEach(this::add);
        }
    }

    /** PE 0 stores greater and greater values into words, one after the other by fences; the others see that. */
    private static void overwriteWords(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(SLOTS + 1, Long.BYTES);
        final long steps = (long)STEPS * VOLUME;
        if (0 == pe.me())
        {
            for (long step = 1; step <= steps; step++)
            {
                for (int slot = 0; slot < SLOTS; slot++)
                {
                    store(pe, words, slot * Long.BYTES, step);
                    pe.ctx().fence();
                }

                if (0 == step % 50)
                {
                    pe.ctx().quiet();
                    final int reader = (int)(1 + step % (pe.n() - 1));
                    assertEquals(step, pe.ctx().getLong(words, END - Long.BYTES, reader));
                }
            }

            pe.ctx().signalAll(words, END, 1, SignalOp.SET);
        }
        else
        {
            long least = 0;
            for (boolean isEnded = false; !isEnded;)
            {
                isEnded = 0 != pe.shmem().signalFetch(words, END);
                // the later a word is stored, the earlier it is read
                for (int slot = SLOTS - 1; slot >= 0; slot--)
                {
                    final long value = pe.ctx().getLong(words, slot * Long.BYTES, pe.me());
                    assertTrue(value >= least, "word " + slot + " has " + value + " after " + least);
                    least = value;
                }

                least--;
                pe.pause();
            }

            assertEquals(steps, least + 1);
        }

        pe.shmem().barrierAll();
        pe.shmem().free(words);
    }

    /** Stores a word of all other PEs, in one of the ways that there are. */
    private static void store(final Pe pe, final SymmetricBuffer words, final int offset, final long value)
    {
        final CommunicationContext ctx = pe.ctx();
        final int way = pe.ownRandom().nextInt(4);
        if (way < 2)
        {
            ctx.putAll(words, offset, new long[]{ value }, 0, 1);
        }
        else if (2 == way)
        {
            // nothing, and a signal
            ctx.putSignalAll(words, 0, new UnsafeBuffer(new byte[0]), 0, 0, words, offset, value, SignalOp.SET);
        }
        else
        {
            for (int other = 1; other < pe.n(); other++)
            {
                if (pe.ownRandom().nextBoolean())
                {
                    ctx.putLong(words, offset, value, other);
                }
                else
                {
                    ctx.atomicSetLong(words, offset, value, other);
                }
            }
        }
    }

    /** All PEs at once store blocks into a part of all others, over each other. */
    private static void overwriteBlocks(final Pe pe)
    {
        final SymmetricBuffer blocks = pe.malloc((long)BLOCK * pe.n());
        final UnsafeBuffer source = new UnsafeBuffer(new byte[BLOCK]);
        final long own = (long)BLOCK * pe.me();
        for (int round = 0; round < ROUNDS * VOLUME; round++)
        {
            final int last = round % 5;
            for (int step = 0; step <= last; step++)
            {
                source.setMemory(0, BLOCK, content(pe.me(), round, step));
                if (pe.ownRandom().nextBoolean())
                {
                    pe.ctx().putAll(blocks, own, source, 0, BLOCK);
                }
                else
                {
                    for (int other = 0; other < pe.n(); other++)
                    {
                        pe.ctx().put(blocks, own, source, 0, BLOCK, other);
                    }
                }

                pe.ctx().fence();
            }

            pe.shmem().barrierAll();
            for (int other = 0; other < pe.n(); other++)
            {
                for (int i = 0; i < BLOCK && other != pe.me(); i++)
                {
                    assertEquals(content(other, round, last), blocks.getByte((long)BLOCK * other + i));
                }
            }

            pe.shmem().barrierAll();
        }

        pe.shmem().free(blocks);
    }

    private static byte content(final int pe, final int round, final int step)
    {
        return (byte)(31 * pe + 7 * round + step);
    }

    private static void countFrames(final Pe pe, final int most)
    {
        final SymmetricBuffer words = pe.shmem().calloc(2, Long.BYTES);
        try (JobDirectory directory = JobDirectory.open(TestMemory.jobs().get(0)))
        {
            final AtomicCounter sent = directory.control().counter(0, PeCounter.FRAMES_SENT);
            pe.shmem().barrierAll();
            if (0 == pe.me())
            {
                final long before = sent.get();
                for (int put = 1; put <= PUTS; put++)
                {
                    pe.ctx().putSignalAll(
                        words, 0, new UnsafeBuffer(new byte[Long.BYTES]), 0, Long.BYTES, words, 8, 1, SignalOp.ADD);
                }

                final long frames = sent.get() - before;
                assertTrue(frames >= PUTS * most && frames < PUTS * most + PUTS / 2, () -> "frames: " + frames);
            }
            else
            {
                assertEquals(PUTS, pe.shmem().signalWaitUntil(words, 8, Comparison.GE, PUTS));
            }

            pe.shmem().barrierAll();
        }

        pe.shmem().free(words);
    }
}
