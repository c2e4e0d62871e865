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
package io.aeroshmem.tests.recovery;

import io.aeroshmem.MemoryState;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Retained;
import io.aeroshmem.Shmem;
import io.aeroshmem.SnapshotException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.World;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * Snapshots and restores of recoverable jobs in simulated worlds. A PE of each generation dies at some pause, and some
 * lose their memory; the next one checks that the memory is that of before a restore, or the snapshot, or zero.
 */
class SnapshotWorldTest
{
    private static final int STEPS = 16;
    private static final int MAX_GENERATIONS = 12;
    private static final long LAST_PAUSE = 4_000;
    private static final int WORDS = 300;
    private static final int DYING_PES = 3;
    private static final int MAX_DEATHS = Seeds.repetitions(50);
    /** Of the steps: a snapshot of the state after the step, or a return to the newest one. */
    private static final int PERIOD = 4;

    private Path heaps;
    private Path snapshots;
    /** The newest step of which a PE has seen the snapshot committed. */
    private long committed;
    private long attempted;
    /** PEs that have stored what a restore replaces. */
    private int filled;

    @BeforeEach
    void before() throws IOException
    {
        heaps = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-recovery-");
        snapshots = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-snapshots-");
    }

    @AfterEach
    void after() throws IOException
    {
        for (final Path directory : List.of(heaps, snapshots))
        {
            try (Stream<Path> files = Files.walk(directory))
            {
                for (final Path file : files.sorted(Comparator.reverseOrder()).toList())
                {
                    Files.delete(file);
                }
            }
        }
    }

    static long[] seeds()
    {
        return Seeds.of(40);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    @Tag("ci")
    @Tag("jdk")
    void shouldNeverLeaveAHalfRestoredMemoryWhereverAPeDies(final long seed) throws IOException
    {
        final SplittableRandom random = new SplittableRandom(seed);
        final int nPes = 1 + random.nextInt(4);
        final boolean isDirectoryShared = random.nextBoolean();
        boolean hasEnded = false;
        for (int generation = 0; !hasEnded; generation++)
        {
            final boolean isLast = MAX_GENERATIONS == generation;
            final int victim = isLast ? -1 : random.nextInt(nPes);
            final World world = new World(seed + generation, nPes).retaining(new RetainedHeaps(heaps), generation);
            if (!isLast)
            {
                world.kill(victim, random.nextLong(LAST_PAUSE));
            }

            switch (random.nextInt(4))
            {
                case 0 -> world.messages();
                case 1 -> world.severalHosts();
                default ->
                {
                    // all are mapped
                }
            }

            hasEnded = hasEnded(world, nPes, victim, isDirectoryShared);
            if (!hasEnded && 0 == random.nextInt(4))
            {
                Files.deleteIfExists(heaps.resolve("pe-" + random.nextInt(nPes) + ".heap"));
            }
        }
    }

    /** Which contents a generation finds after a death at some pause of a restore. */
    private enum Outcome
    {
        BEFORE, RESTORED, LOST, AFTER
    }

    /** A PE dies at each pause of a restore in turn. */
    @ParameterizedTest
    @ValueSource(booleans = { false, true })
    @Tag("ci")
    void shouldFindTheSameContentsOnAllPesWhereverOneDiesInARestore(final boolean isMessaging) throws IOException
    {
        final long seed = Seeds.of(1)[0];
        final long[] range = { Long.MAX_VALUE, 0 };
        restoreIn(world(seed, isMessaging, 0), range, false);
        final Set<Outcome> outcomes = new TreeSet<>();
        final long stride = 1 + (range[1] - range[0]) / MAX_DEATHS;
        // some outcomes have few pauses: if they are none of the first ones, the pauses between these have their turn
        for (int round = 0; round < DYING_PES * stride && (0 == round || !areEnough(outcomes)); round++)
        {
            for (long pause = range[0] + 1 + round % stride; pause <= range[1] + stride; pause += stride)
            {
                after();
                before();
                final int victim = (int)((pause / stride + round % stride + round / stride) % DYING_PES);
                final long at = pause;
                filled = 0;
                final AssertionError ex = assertThrows(AssertionError.class, () ->
                    restoreIn(world(seed, isMessaging, 0).kill(victim, at), new long[2], true));
                assertTrue(ex.getCause() instanceof PeFailureException failure && failure.pe() == victim, ex::toString);
                assertEquals(DYING_PES, filled, "each world goes the same way up to the death");
                world(seed + 1, isMessaging, 1).run(context(), (shmem) -> outcomes.add(outcome(shmem)));
            }
        }

        assertTrue(areEnough(outcomes), () -> "seed " + seed + ": " + outcomes);
    }

    private static boolean areEnough(final Set<Outcome> outcomes)
    {
        return outcomes.containsAll(Set.of(Outcome.BEFORE, Outcome.LOST)) && outcomes.size() > 2;
    }

    private World world(final long seed, final boolean isMessaging, final int generation)
    {
        final World world = new World(seed, DYING_PES).retaining(new RetainedHeaps(heaps), generation);
        return isMessaging ? world.messages() : world;
    }

    private static Shmem.Context context()
    {
        return new Shmem.Context().heapSize(1 << 16).heapSparse(true);
    }

    private void restoreIn(final World world, final long[] range, final boolean isEndless)
    {
        world.run(context(), (shmem) ->
        {
            final SymmetricBuffer one = shmem.retain("one", 8);
            final SymmetricBuffer other = shmem.retain("other", 8L * WORDS);
            fill(one, other, 1);
            shmem.snapshot(snapshots);
            fill(one, other, 2);
            filled++;
            shmem.barrierAll();
            range[0] = Math.min(range[0], world.pauses());
            shmem.restore(snapshots);
            range[1] = Math.max(range[1], world.pauses());
            do
            {
                shmem.barrierAll();
            }
            while (isEndless);
        });
    }

    private static Outcome outcome(final Shmem shmem)
    {
        final List<Retained> retained = shmem.retained();
        final MemoryState state = retained.get(0).state(0);
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            assertEquals(state, retained.get(0).state(pe));
            assertEquals(state, retained.get(1).state(pe));
        }

        final long value = value(shmem.retain("one", 8), shmem.retain("other", 8L * WORDS));
        assertEquals(value, shmem.world().reduceLong(ReduceOp.MAX, value));
        assertEquals(value, shmem.world().reduceLong(ReduceOp.MIN, value));
        return switch (state)
        {
            case ZEROED ->
            {
                assertEquals(0, value);
                yield Outcome.LOST;
            }
            case RESTORED ->
            {
                assertEquals(1, value);
                yield Outcome.RESTORED;
            }
            default -> 2 == value ? Outcome.BEFORE : 1 == value ? Outcome.AFTER : fail("found " + value);
        };
    }

    private boolean hasEnded(
        final World world, final int nPes, final int victim, final boolean isDirectoryShared)
    {
        final int[] ended = new int[1];
        try
        {
            world.run(context(), (shmem) ->
            {
                final Path own = snapshots.resolve("host-" + shmem.myPe() % 2);
                program(shmem, world, isDirectoryShared ? snapshots : own);
                ended[0]++;
            });
        }
        catch (final AssertionError ex)
        {
            final boolean isKill = ex.getCause() instanceof PeFailureException failure && failure.pe() == victim;
            if (!isKill && !ex.getMessage().contains("is lost, because of its file"))
            {
                throw ex;
            }
        }

        return nPes == ended[0];
    }

    private void program(final Shmem shmem, final World world, final Path directory)
    {
        final boolean isNew = shmem.retained().isEmpty();
        final Set<MemoryState> states = new TreeSet<>();
        for (final Retained retained : shmem.retained())
        {
            for (int pe = 0; pe < shmem.nPes(); pe++)
            {
                states.add(retained.state(pe));
            }
        }

        long step = 0;
        if (isNew || states.contains(MemoryState.ZEROED))
        {
            step = restoreIfThereIsOne(shmem, directory);
        }

        final SymmetricBuffer one = shmem.retain("one", 8);
        final SymmetricBuffer other = shmem.retain("other", 8L * WORDS);
        if (!isNew && !states.contains(MemoryState.ZEROED))
        {
            step = check(shmem, one, other, states.contains(MemoryState.RESTORED));
        }

        for (step++; step <= STEPS; step++)
        {
            fill(one, other, step);
            world.point();
            shmem.barrierAll();
            if (0 == step % PERIOD)
            {
                attempted = Math.max(attempted, step);
                shmem.snapshot(directory);
                committed = Math.max(committed, step);
            }
            else if (2 == step % PERIOD && committed > 0)
            {
                shmem.restore(directory);
                final long restored = one.getLong(0);
                assertTrue(restored >= committed && restored <= attempted, () -> "restored " + restored);
                assertEquals(restored, value(one, other));
                shmem.retained().forEach((each) -> assertEquals(MemoryState.RESTORED, each.state(shmem.myPe())));
                assertEquals(restored, shmem.world().reduceLong(ReduceOp.MAX, restored));
                assertEquals(restored, shmem.world().reduceLong(ReduceOp.MIN, restored));
            }
        }

        shmem.barrierAll();
    }

    private long restoreIfThereIsOne(final Shmem shmem, final Path directory)
    {
        try
        {
            shmem.restore(directory);
        }
        catch (final SnapshotException ex)
        {
            assertEquals(0, committed, ex::toString);
            for (final Retained retained : shmem.retained())
            {
                shmem.release(retained.name());
            }

            return 0;
        }

        final long step = value(shmem.retain("one", 8), shmem.retain("other", 8L * WORDS));
        assertTrue(step >= committed && step <= attempted, () -> "restored " + step);
        return step;
    }

    /** All PEs have the snapshot, or each the state after its step, which are at most one apart. */
    private long check(
        final Shmem shmem, final SymmetricBuffer one, final SymmetricBuffer other, final boolean isRestored)
    {
        final long own = value(one, other);
        final long most = shmem.world().reduceLong(ReduceOp.MAX, own);
        final long least = shmem.world().reduceLong(ReduceOp.MIN, own);
        if (isRestored)
        {
            assertEquals(most, least, "restored on all PEs");
            assertTrue(most >= committed && most <= attempted, () -> "restored " + most);
        }

        // what was restored in a step is two steps old, or periods more if newer snapshots were not committed, and the
        // next step is three ahead of it
        final long apart = most - least;
        assertTrue(apart <= 1 || 3 == apart % PERIOD && 0 == least % PERIOD, () -> least + " and " + most);
        // a PE that is behind must not be left there by those that take the next step
        fill(one, other, most);
        shmem.barrierAll();
        return most;
    }

    private static void fill(final SymmetricBuffer one, final SymmetricBuffer other, final long value)
    {
        one.putLong(0, value);
        for (int i = 0; i < WORDS; i++)
        {
            other.putLong(8L * i, value);
        }
    }

    private static long value(final SymmetricBuffer one, final SymmetricBuffer other)
    {
        final long value = one.getLong(0);
        for (int i = 0; i < WORDS; i++)
        {
            assertEquals(value, other.getLong(8L * i), "a word of another state");
        }

        return value;
    }
}
