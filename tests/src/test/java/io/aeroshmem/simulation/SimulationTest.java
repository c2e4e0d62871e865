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
package io.aeroshmem.simulation;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.PeTask;
import io.aeroshmem.Recovery;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricLongs;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(120)
class SimulationTest
{
    private static final String[] MODES = {"weak", "mapped", "messages"};
    private static final String DEATH = "a death";
    private static final String RECOVERIES = "recoveries";
    private static final String DEADLOCK = "all PEs wait for each other";
    private static final String STALE = "stale";

    /** Worlds of each mode, with each fault, and with generations that follow a death. */
    private static Map<String, Simulation.Context> worlds()
    {
        final Map<String, Simulation.Context> worlds = new LinkedHashMap<>();
        for (final String mode : MODES)
        {
            final Simulation.Context world = of(mode).pes(3);
            worlds.put(mode, world);
            worlds.put(mode + ", a pause and a slow PE", world.clone()
                .pause(1, Duration.ofNanos(20_000), Duration.ofMillis(3)).slow(2, 10));
            worlds.put(mode + ", " + DEATH, world.clone().kill(1, Duration.ofNanos(100_000)));
            worlds.put(mode + ", " + RECOVERIES, world.clone()
                .kill(1, Duration.ofNanos(200_000)).kill(2, Duration.ofNanos(500_000)));
        }

        final Simulation.Context messages = of("messages").pes(3);
        worlds.put("messages, a slow link", messages.clone()
            .latency(Duration.ofNanos(12_000), Duration.ofNanos(30_000)).bandwidth(1 << 24));
        worlds.put("messages, cuts and refused frames", messages.clone().backPressure(60)
            .cut(Duration.ofNanos(50_000), Duration.ofMillis(1)).cut(Duration.ofMillis(2), Duration.ofMillis(1)));
        return worlds;
    }

    static Set<String> namesOfWorlds()
    {
        return worlds().keySet();
    }

    @ParameterizedTest
    @MethodSource("namesOfWorlds")
    @Tag("jdk")
    void shouldDoTheSameWithTheSameSeed(final String name)
    {
        final Trace first = traceOf(name, 5);
        for (int i = 1; i < Seeds.repetitions(2); i++)
        {
            final Trace trace = traceOf(name, 5);
            assertEquals(first.toString(), trace.toString());
            assertEquals(first.hash(), trace.hash());
            assertEquals(first.length(), trace.length());
        }

        assertNotEquals(first.hash(), traceOf(name, 6).hash());
        KnownTraces.check("simulation-" + name.replace(' ', '-'), first);
    }

    private static Trace traceOf(final String name, final long seed)
    {
        final Simulation.Context world = worlds().get(name).seed(seed);
        if (name.endsWith(RECOVERIES))
        {
            return Simulation.run(world, recovering(), (shmem) -> count(shmem, 2));
        }

        if (name.endsWith(DEATH))
        {
            return assertThrows(
                SimulationFailure.class, () -> Simulation.run(world, context(), SimulationTest::goOn)).trace();
        }

        return Simulation.run(world, context(), SimulationTest::exchange);
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldPassACorrectProgram(final String mode)
    {
        Simulation.explore(of(mode).pes(4).seeds(1, 15), context(), SimulationTest::exchange);
    }

    /** They have nothing in common: the same seed fails in the same way beside others. */
    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldRunJobsOfAnExplorationSideBySide(final String mode)
    {
        final AtomicInteger programs = new AtomicInteger();
        final Simulation.Context simulation = of(mode).seeds(1, 20);
        Simulation.explore(simulation.clone().parallelism(3), context(), (shmem) ->
        {
            exchange(shmem);
            programs.incrementAndGet();
        });
        assertEquals(2 * 20, programs.get());

        final PeTask task = SimulationTest::countWithoutAnAtomic;
        final SimulationFailure alone = failure(simulation.clone().seeds(1, 200), task);
        for (int i = 0; i < 3; i++)
        {
            final SimulationFailure beside = failure(simulation.clone().seeds(1, 200).parallelism(3), task);
            assertEquals(alone.seed(), beside.seed());
            assertEquals(alone.trace().hash(), beside.trace().hash());
        }
    }

    private static void countWithoutAnAtomic(final Shmem shmem)
    {
        final SymmetricBuffer count = shmem.calloc(1, Long.BYTES);
        final long found = shmem.defaultContext().getLong(count, 0, 0);
        shmem.defaultContext().putLong(count, 0, found + 1, 0);
        shmem.barrierAll();
        if (2 != shmem.defaultContext().getLong(count, 0, 0))
        {
            throw new IllegalStateException("lost");
        }
    }

    @Test
    void shouldNameTheFirstSeedThatFails()
    {
        final PeTask task = (shmem) -> handOver(shmem, false, false);
        final SimulationFailure failure = failure(new Simulation.Context().seeds(1, 200), task);
        assertTrue(failure.getMessage().contains("seed " + failure.seed() + ", 2 PEs: "), failure::getMessage);
        assertTrue(failure.getMessage().contains(STALE), failure::getMessage);
        assertMatches("\\d+ \\d+ ns PE 0 put PE 1 region \\d+ offset \\d+ length 8 [0-9a-f]+", failure);
        assertMatches("\\d+ \\d+ ns PE 0 put takes effect PE 1 region \\d+ offset .*", failure);
        if (failure.seed() > 1)
        {
            Simulation.explore(new Simulation.Context().seeds(1, failure.seed() - 1), context(), task);
        }

        final Simulation.Context same = new Simulation.Context().seed(failure.seed());
        final SimulationFailure again =
            assertThrows(SimulationFailure.class, () -> Simulation.run(same, context(), task));
        assertEquals(failure.getMessage(), again.getMessage());
        assertEquals(failure.script(), again.script());
        assertThrows(
            SimulationFailure.class, () -> Simulation.run(same.clone().script(failure.script()), context(), task));
    }

    @Test
    void shouldOrderByAFence()
    {
        explore((shmem) -> handOver(shmem, true, false));
    }

    @Test
    void shouldNotOrderTheSignalOfABlockBehindEarlierPuts()
    {
        assertStale((shmem) -> handOver(shmem, false, true));
        explore((shmem) -> handOver(shmem, true, true));
    }

    @Test
    void shouldOrderASignalBehindItsBlock()
    {
        explore((shmem) ->
        {
            final SymmetricLongs block = shmem.malloc(8 * Long.BYTES).longs();
            final SymmetricBuffer signal = shmem.calloc(1, Long.BYTES);
            if (0 == shmem.myPe())
            {
                block.fill(7);
                shmem.defaultContext().putSignal(
                    block.buffer(), 0, block.buffer(), 0, 8 * Long.BYTES, signal, 0, 1, SignalOp.SET, 1);
            }
            else
            {
                shmem.signalWaitUntil(signal, 0, Comparison.EQ, 1);
                for (int i = 0; i < 8; i++)
                {
                    check(7, block.get(i));
                }
            }
        });
    }

    @Test
    void shouldLetPartsOfABlockTakeEffectApart()
    {
        assertStale((shmem) ->
        {
            final SymmetricLongs block = shmem.calloc(8, Long.BYTES).longs();
            if (0 == shmem.myPe())
            {
                block.fill(7);
                shmem.defaultContext().put(block.buffer(), 0, block.buffer(), 0, 8 * Long.BYTES, 1);
            }
            else
            {
                shmem.waitUntilLong(block.buffer(), block.offset(7), Comparison.EQ, 7);
                check(7, block.get(0));
            }
        });
    }

    @Test
    void shouldReadTheSourceOfANonblockingPutLate()
    {
        assertStale((shmem) -> reuse(shmem, false));
        explore((shmem) -> reuse(shmem, true));
    }

    private static void reuse(final Shmem shmem, final boolean isQuiet)
    {
        final SymmetricBuffer source = shmem.calloc(1, Long.BYTES);
        final SymmetricBuffer dest = shmem.calloc(1, Long.BYTES);
        if (0 == shmem.myPe())
        {
            source.putLong(0, 7);
            shmem.defaultContext().putNbi(dest, 0, source, 0, Long.BYTES, 1);
            if (isQuiet)
            {
                shmem.defaultContext().quiet();
            }

            source.putLong(0, 8);
        }

        shmem.barrierAll();
        check(1 == shmem.myPe() ? 7 : 0, dest.getLong(0));
    }

    @Test
    void shouldCompleteANonblockingGetByQuiet()
    {
        assertStale((shmem) -> fetch(shmem, false));
        explore((shmem) -> fetch(shmem, true));
    }

    private static void fetch(final Shmem shmem, final boolean isQuiet)
    {
        final SymmetricBuffer source = shmem.calloc(1, Long.BYTES);
        final SymmetricBuffer dest = shmem.calloc(1, Long.BYTES);
        source.putLong(0, 7);
        shmem.syncAll();
        shmem.defaultContext().getNbi(dest, 0, source, 0, Long.BYTES, 1 - shmem.myPe());
        if (isQuiet)
        {
            shmem.defaultContext().quiet();
        }

        check(7, dest.getLong(0));
        shmem.barrierAll();
    }

    /** A sync completes nothing, a barrier everything. */
    @Test
    void shouldCompleteByABarrierButNotBySync()
    {
        assertStale((shmem) -> meet(shmem, false));
        explore((shmem) -> meet(shmem, true));
    }

    private static void meet(final Shmem shmem, final boolean isBarrier)
    {
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        shmem.defaultContext().putLong(word, 0, 7, 1 - shmem.myPe());
        if (isBarrier)
        {
            shmem.barrierAll();
        }
        else
        {
            shmem.syncAll();
        }

        check(7, word.getLong(0));
    }

    @Test
    void shouldUpdateAtomically()
    {
        explore((shmem) -> count(shmem, true));
        assertStale((shmem) -> count(shmem, false));
    }

    private static void count(final Shmem shmem, final boolean isAtomic)
    {
        final CommunicationContext context = shmem.defaultContext();
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        for (int i = 0; i < 4; i++)
        {
            if (isAtomic)
            {
                context.atomicAddLong(word, 0, 1, 0);
            }
            else
            {
                context.putLong(word, 0, 1 + context.getLong(word, 0, 0), 0);
                context.quiet();
            }
        }

        shmem.barrierAll();
        check(0 == shmem.myPe() ? 8 : 0, word.getLong(0));
    }

    /** Accesses of symmetric memory are steps, so that a loop of them ends. */
    @Test
    void shouldGoOnInALoopOfPlainReads()
    {
        for (final String mode : MODES)
        {
            Simulation.explore(of(mode).seeds(1, 9), context(), (shmem) ->
            {
                final SymmetricLongs flag = shmem.calloc(1, Long.BYTES).longs();
                if (0 == shmem.myPe())
                {
                    shmem.defaultContext().putLong(flag.buffer(), 0, 1, 1);
                }
                else
                {
                    while (0 == flag.get(0))
                    {
                        // each read is a step
                    }
                }
            });
        }
    }

    @Test
    void shouldReportALoopOfPlainReadsWithoutEnd()
    {
        final SimulationFailure failure = failure(new Simulation.Context(), (shmem) ->
        {
            final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
            while (1 == shmem.myPe() && 0 == flag.getLong(0))
            {
                // nobody sets it
            }
        });
        assertTrue(failure.getMessage().contains(DEADLOCK), failure::getMessage);
    }

    @Test
    void shouldReportALoopOfPollsWithoutEnd()
    {
        for (final String mode : MODES)
        {
            final SimulationFailure failure = failure(of(mode), (shmem) ->
            {
                final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
                while (1 == shmem.myPe() && !shmem.testLong(flag, 0, Comparison.EQ, 1))
                {
                    // nobody sets it
                }
            });
            assertTrue(failure.getMessage().contains(DEADLOCK), failure::getMessage);
        }
    }

    @Test
    void shouldNameTheCallsOfADeadlock()
    {
        final SimulationFailure failure = failure(new Simulation.Context(), (shmem) ->
        {
            final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
            if (0 == shmem.myPe())
            {
                shmem.barrierAll();
            }
            else
            {
                shmem.waitUntilLong(flag, 0, Comparison.EQ, 1);
            }
        });
        assertTrue(failure.getMessage().contains(DEADLOCK), failure::getMessage);
        assertTrue(failure.getMessage().startsWith("seed 1, 2 PEs: "), failure::getMessage);
        assertMatches("PE 0 .*: RUNNING, blocked in barrier on team WORLD, .*since .*", failure);
        assertMatches("PE 1 .*: RUNNING, blocked in a wait on memory, .*since .*", failure);
    }

    /** A PE waits by means of Java for another, which waits in the library: no step follows. */
    @Test
    void shouldReportAPeThatNeverComesToAStep()
    {
        final CountDownLatch end = new CountDownLatch(1);
        final World world = new World(7, 2).stuckAfter(TimeUnit.MILLISECONDS.toNanos(300));
        final SimulationFailure failure = assertThrows(SimulationFailure.class, () -> world.run(context(), (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                shmem.barrierAll();
            }
            else
            {
                // meanwhile the other, which alone can go on, waits for thousands of steps
                world.sleep(TimeUnit.MILLISECONDS.toNanos(1));
                end.await();
                shmem.barrierAll();
            }
        }));
        end.countDown();
        assertEquals(7, failure.seed());
        assertEquals(world.script(), failure.script());
        assertSame(world.trace(), failure.trace());
        assertTrue(failure.getMessage().startsWith("seed 7, 2 PEs: simulated-pe-1-"), failure::getMessage);
        assertTrue(failure.getMessage().contains("CountDownLatch.await"), failure::getMessage);
        assertMatches("PE 0 .*: RUNNING, blocked in barrier on team WORLD, .*since .*", failure);
    }

    /** A loop that reads the same word often, and ends by itself, is no deadlock. */
    @Test
    void shouldNotTakeALongLoopForADeadlock()
    {
        Simulation.run(new Simulation.Context(), context(), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            long sum = 0;
            for (int i = 0; 0 == shmem.myPe() && i < 5_000; i++)
            {
                sum += 1 + word.getLong(0);
            }

            shmem.barrierAll();
            check(0 == shmem.myPe() ? 5_000 : 0, sum);
        });
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldKillAPe(final String mode)
    {
        for (long seed = 1; seed <= 9; seed++)
        {
            final Simulation.Context simulation = of(mode).pes(3).seed(seed).kill(1, Duration.ofNanos(300_000));
            final SimulationFailure failure = assertThrows(
                SimulationFailure.class, () -> Simulation.run(simulation, context(), SimulationTest::goOn));
            assertInstanceOf(PeFailureException.class, failure.getCause(), failure::getMessage);
            assertEquals(1, ((PeFailureException)failure.getCause()).pe());
        }
    }

    /** It may not have begun to join when the job begins. */
    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldKillAPeAtTheStart(final String mode)
    {
        for (long seed = 1; seed <= 9; seed++)
        {
            final Simulation.Context simulation = of(mode).pes(3).seed(seed).kill(1, Duration.ZERO);
            assertThrows(
                SimulationFailure.class, () -> Simulation.run(simulation, context(), Shmem::barrierAll));
        }
    }

    /** Nobody is left to detect it. */
    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldFailIfAllPesDie(final String mode)
    {
        final Simulation.Context simulation =
            of(mode).kill(0, Duration.ofNanos(100_000)).kill(1, Duration.ofNanos(100_000));
        final SimulationFailure failure = assertThrows(
            SimulationFailure.class, () -> Simulation.run(simulation, context(), SimulationTest::goOn));
        assertInstanceOf(PeFailureException.class, failure.getCause(), failure::getMessage);
    }

    private static void goOn(final Shmem shmem)
    {
        while (true)
        {
            shmem.barrierAll();
        }
    }

    /** A failure is one of the program, in any generation, and names it; its script has all of them. */
    @Test
    void shouldFailInALaterGeneration()
    {
        final Simulation.Context simulation =
            new Simulation.Context().pes(3).kill(1, Duration.ofNanos(200_000));
        final PeTask task = (shmem) ->
        {
            count(shmem, 1);
            check(0, shmem.generation().number());
        };
        final SimulationFailure failure =
            assertThrows(SimulationFailure.class, () -> Simulation.run(simulation, recovering(), task));
        assertTrue(failure.getMessage().contains("seed 1, 3 PEs: generation 1: "), failure::getMessage);
        assertTrue(failure.getMessage().contains(STALE), failure::getMessage);
        final SimulationFailure again = assertThrows(SimulationFailure.class, () ->
            Simulation.run(simulation.clone().script(failure.script()), recovering(), task));
        assertEquals(failure.script(), again.script());
    }

    @Test
    void shouldRecoverOnRequest()
    {
        Simulation.explore(new Simulation.Context().pes(3).seeds(1, 5), recovering(), (shmem) ->
        {
            if (1 == shmem.myPe() && shmem.generation().number() < 2)
            {
                shmem.requestRecovery("once more");
            }

            count(shmem, 2);
        });
    }

    @Test
    void shouldLimitTheRecoveries()
    {
        final SimulationFailure failure =
            assertThrows(SimulationFailure.class, () -> Simulation.run(
                new Simulation.Context(), recovering().maxRecoveries(2), (shmem) -> shmem.requestRecovery("for ever")));
        assertTrue(failure.getMessage().contains("aeroshmem.recovery.max"), failure::getMessage);
        assertThrows(IllegalArgumentException.class, () -> Simulation.run(
            new Simulation.Context(), context().recovery(Recovery.REPLACE), SimulationTest::exchange));
    }

    private static Shmem.Context recovering()
    {
        return context().recovery(Recovery.RESTART);
    }

    /** Counts steps, which go on in the next generation, up to the last of them. */
    private static void count(final Shmem shmem, final int generations)
    {
        final SymmetricBuffer steps = shmem.retain("steps", Long.BYTES);
        final long done = shmem.world().reduceLong(ReduceOp.MAX, steps.getLong(0));
        check(1, Math.max(1, done - steps.getLong(0)));
        steps.putLong(0, done);
        for (long step = done + 1; step % 8 != 0 || shmem.generation().number() < generations; step++)
        {
            shmem.barrierAll();
            steps.putLong(0, step);
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldPauseAPe(final String mode)
    {
        final Simulation.Context simulation = of(mode).seeds(1, 5);
        final long lengthNs = Duration.ofMillis(9).toNanos();
        Simulation.explore(simulation, context(), (shmem) -> assertTrue(longestGapNs(shmem) < lengthNs));
        Simulation.explore(
            simulation.pause(1, Duration.ofNanos(200_000), Duration.ofNanos(lengthNs)),
            context(),
            (shmem) -> assertEquals(1 == shmem.myPe(), longestGapNs(shmem) >= lengthNs));
    }

    /** Returns the longest time between two steps. */
    private static long longestGapNs(final Shmem shmem)
    {
        final long endNs = shmem.nanoTime() + 500_000;
        long lastNs = shmem.nanoTime();
        long longestNs = 0;
        while (lastNs < endNs)
        {
            final long nowNs = shmem.nanoTime();
            longestNs = Math.max(longestNs, nowNs - lastNs);
            lastNs = nowNs;
        }

        return longestNs;
    }

    @ParameterizedTest
    @ValueSource(strings = {"weak", "mapped", "messages"})
    void shouldSlowAPe(final String mode)
    {
        final Simulation.Context simulation = of(mode).pes(2).seed(2);
        final long timeNs = stepsNs(simulation);
        final long slowNs = stepsNs(simulation.slow(1, 20));
        assertTrue(slowNs > 5 * timeNs, () -> slowNs + " ns, and " + timeNs + " ns of one that is not slow");
    }

    private static long stepsNs(final Simulation.Context simulation)
    {
        final long[] timeNs = new long[2];
        Simulation.run(simulation, context(), (shmem) -> timeNs[shmem.myPe()] = stepsNs(shmem));
        return timeNs[1];
    }

    /** Returns how long PE 1 takes for 100 steps while PE 0 goes on. */
    private static long stepsNs(final Shmem shmem)
    {
        shmem.barrierAll();
        final long beginNs = shmem.nanoTime();
        final int steps = 0 == shmem.myPe() ? 4_000 : 100;
        long nowNs = beginNs;
        for (int i = 0; i < steps; i++)
        {
            nowNs = shmem.nanoTime();
        }

        return nowNs - beginNs;
    }

    @Test
    void shouldCutStreams()
    {
        final long lengthNs = 4_000_000;
        final Simulation.Context simulation = of("messages").seeds(1, 3).backPressure(0);
        Simulation.explore(
            simulation, context(), (shmem) -> assertTrue(longestRoundTripNs(shmem) < lengthNs / 2));
        Simulation.explore(
            simulation.cut(Duration.ofNanos(400_000), Duration.ofNanos(lengthNs)),
            context(),
            (shmem) -> assertTrue(longestRoundTripNs(shmem) > lengthNs / 2));
    }

    /** Returns the longest time that a put of PE 0 takes, while PE 1 goes on. */
    private static long longestRoundTripNs(final Shmem shmem)
    {
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        final long endNs = shmem.nanoTime() + 5_000_000;
        long longestNs = 0;
        long lastNs = shmem.nanoTime();
        while (lastNs < endNs)
        {
            if (0 == shmem.myPe())
            {
                shmem.defaultContext().putLong(word, 0, lastNs, 1);
                shmem.defaultContext().quiet();
            }

            final long nowNs = shmem.nanoTime();
            longestNs = Math.max(longestNs, 0 == shmem.myPe() ? nowNs - lastNs : 0);
            lastNs = nowNs;
        }

        return shmem.world().reduceLong(ReduceOp.MAX, longestNs);
    }

    @Test
    void shouldRefuseFrames()
    {
        final PeTask task = (shmem) -> putBlocks(shmem, 100, 64);
        final long freeSteps = Simulation.run(of("messages").backPressure(0), context(), task).length();
        final long steps = Simulation.run(of("messages").backPressure(90), context(), task).length();
        assertTrue(2 * steps > 3 * freeSteps, () -> steps + " entries, and " + freeSteps + " without back pressure");
    }

    /** Returns the time that PE 0 takes to put blocks, one after another. */
    private static long putBlocks(final Shmem shmem, final int blocks, final int length)
    {
        final SymmetricBuffer block = shmem.calloc(1, length);
        final long beginNs = shmem.nanoTime();
        for (int i = 0; 0 == shmem.myPe() && i < blocks; i++)
        {
            shmem.defaultContext().put(block, 0, block, 0, length, 1);
            shmem.defaultContext().quiet();
        }

        return shmem.nanoTime() - beginNs;
    }

    @Test
    void shouldLimitTheBandwidth()
    {
        final long blockNs = Duration.ofMillis(1_000 >> 4).toNanos();
        final Simulation.Context simulation = of("messages").seeds(1, 3);
        Simulation.explore(simulation, context(), (shmem) -> assertTrue(putBlocks(shmem, 1, 1 << 16) < blockNs));
        Simulation.explore(
            simulation.bandwidth(1 << 20),
            context(),
            (shmem) -> assertEquals(0 == shmem.myPe(), putBlocks(shmem, 1, 1 << 16) >= blockNs));
    }

    /** A time limit passes on the clock of the messages. */
    @Test
    void shouldHaveMessagesTakeATime()
    {
        final Simulation.Context simulation = new Simulation.Context().seeds(1, 1).messages()
            .latency(Duration.ofMillis(20), Duration.ofMillis(21)).bandwidth(1 << 24);
        Simulation.explore(simulation, context(), SimulationTest::exchange);
        Simulation.explore(simulation, context(), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                shmem.defaultContext().putLong(word, 0, 1, 1);
                shmem.defaultContext().quiet();
            }
            else
            {
                final long limitNs = Duration.ofMillis(5).toNanos();
                assertFalse(shmem.tryWaitUntilLong(word, 0, Comparison.EQ, 1, limitNs));
                assertTrue(shmem.tryWaitUntilLong(word, 0, Comparison.EQ, 1, 20 * limitNs));
            }
        });
    }

    @Test
    void shouldHaveAVirtualClock()
    {
        Simulation.run(new Simulation.Context(), context(), (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
            assertFalse(shmem.tryWaitUntilLong(word, 0, Comparison.EQ, 1, Duration.ofMinutes(10).toNanos()));
        });
    }

    /** Nothing but the time limit can end the wait for the lock, which ends the other wait. */
    @Test
    void shouldLetTheTimeOfATimedLockPass()
    {
        explore((shmem) ->
        {
            final SymmetricBuffer lock = shmem.calloc(1, Long.BYTES);
            final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
            if (0 == shmem.myPe())
            {
                shmem.lock(lock, 0);
                shmem.syncAll();
                shmem.waitUntilLong(flag, 0, Comparison.EQ, 1);
                shmem.unlock(lock, 0);
            }
            else
            {
                shmem.syncAll();
                assertFalse(shmem.tryLock(lock, 0, Duration.ofSeconds(1).toNanos()));
                shmem.defaultContext().putLong(flag, 0, 1, 0);
            }
        });
    }

    @Test
    void shouldNotBeginAnotherJobWhenInterrupted()
    {
        final Thread caller = Thread.currentThread();
        assertThrows(ShmemInterruptedException.class, () ->
            Simulation.explore(new Simulation.Context(), context(), (shmem) -> caller.interrupt()));
        assertTrue(Thread.interrupted());
    }

    @Test
    void shouldRejectArguments()
    {
        final Simulation.Context simulation = new Simulation.Context();
        assertThrows(IllegalArgumentException.class, () -> simulation.pes(0));
        assertThrows(IllegalArgumentException.class, () -> simulation.seeds(1, 0));
        assertThrows(IllegalArgumentException.class, () -> simulation.parallelism(0));
        assertThrows(IllegalArgumentException.class, () -> simulation.slow(0, 1));
        assertThrows(IllegalArgumentException.class, () -> simulation.backPressure(91));
        assertThrows(IllegalArgumentException.class, () -> simulation.kill(0, Duration.ofNanos(-1)));
        final PeTask task = (shmem) -> {};
        for (final String script : new String[]{"", "0", "0*1 1*-1", "0*9999999999"})
        {
            assertThrows(IllegalArgumentException.class,
                () -> Simulation.run(simulation.clone().script(script), context(), task), script);
        }

        assertThrows(IllegalArgumentException.class,
            () -> Simulation.run(simulation.clone().kill(2, Duration.ZERO), context(), task));
        assertThrows(IllegalArgumentException.class,
            () -> Simulation.run(simulation.clone().cut(Duration.ZERO, Duration.ZERO), context(), task));
        assertThrows(IllegalArgumentException.class,
            () -> Simulation.run(simulation.clone().backPressure(10), context(), task));
        assertThrows(IllegalArgumentException.class,
            () -> Simulation.run(simulation.clone().bandwidth(10), context(), task));
        Simulation.run(simulation, context(), task);
    }

    /** Operations of each kind, and collectives, with what must be found afterwards. */
    private static void exchange(final Shmem shmem)
    {
        final CommunicationContext context = shmem.defaultContext();
        final int me = shmem.myPe();
        final int n = shmem.nPes();
        final int right = (me + 1) % n;
        final int left = (me + n - 1) % n;
        final SymmetricLongs inbox = shmem.calloc(4, Long.BYTES).longs();
        final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
        final SymmetricBuffer count = shmem.calloc(1, Long.BYTES);
        for (int round = 1; round <= 3; round++)
        {
            context.putLong(inbox.buffer(), 0, round * 10L + me, right);
            context.fence();
            context.putLong(flag, 0, round, right);
            shmem.waitUntilLong(flag, 0, Comparison.GE, round);
            check(round * 10L + left, inbox.get(0));
            context.atomicAddLong(count, 0, 1, 0);
            shmem.barrierAll();
            check(0 == me ? (long)round * n : 0, count.getLong(0));
            check((long)round * n, context.atomicFetchLong(count, 0, 0));
            shmem.syncAll();
        }
    }

    private static void handOver(final Shmem shmem, final boolean isFenced, final boolean isSignal)
    {
        final CommunicationContext context = shmem.defaultContext();
        final SymmetricBuffer record = shmem.calloc(2, Long.BYTES);
        final SymmetricBuffer flag = shmem.calloc(1, Long.BYTES);
        if (0 == shmem.myPe())
        {
            context.putLong(record, 0, 42, 1);
            if (isFenced)
            {
                context.fence();
            }

            if (isSignal)
            {
                context.putSignal(record, Long.BYTES, record, Long.BYTES, Long.BYTES, flag, 0, 1, SignalOp.SET, 1);
            }
            else
            {
                context.putLong(flag, 0, 1, 1);
            }
        }
        else
        {
            shmem.waitUntilLong(flag, 0, Comparison.EQ, 1);
            check(42, record.getLong(0));
        }
    }

    private static Simulation.Context of(final String mode)
    {
        final Simulation.Context simulation = new Simulation.Context();
        return switch (mode)
        {
            case "weak" -> simulation.weak();
            case "mapped" -> simulation.mapped();
            default -> simulation.messages();
        };
    }

    private static Shmem.Context context()
    {
        return new Shmem.Context().heapSize(1 << 20);
    }

    private static void explore(final PeTask task)
    {
        Simulation.explore(new Simulation.Context().seeds(1, 40), context(), task);
    }

    private static SimulationFailure failure(final Simulation.Context simulation, final PeTask task)
    {
        return assertThrows(SimulationFailure.class, () -> Simulation.explore(simulation, context(), task));
    }

    private static void assertMatches(final String line, final SimulationFailure failure)
    {
        assertTrue(
            Pattern.compile("^ *" + line + "$", Pattern.MULTILINE).matcher(failure.getMessage()).find(),
            failure::getMessage);
    }

    private static void assertStale(final PeTask task)
    {
        final SimulationFailure failure = failure(new Simulation.Context().seeds(1, 200), task);
        assertTrue(failure.getMessage().contains(STALE), failure::getMessage);
    }

    private static void check(final long expected, final long actual)
    {
        if (expected != actual)
        {
            throw new AssertionError(STALE + ": " + actual + " in place of " + expected);
        }
    }
}
