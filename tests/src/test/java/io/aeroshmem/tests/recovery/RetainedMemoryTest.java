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
import io.aeroshmem.RetainedCell;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.simulation.Seeds;
import io.aeroshmem.simulation.World;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeSet;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Generations of recoverable jobs in simulated worlds. A PE of each dies at some pause of its set-up, of a call that
 * retains or releases, or of the recovery; the next one checks what it finds.
 */
@Tag("jdk")
class RetainedMemoryTest
{
    private static final int STEPS = 24;
    private static final int NAMES = 5;
    private static final int MAX_GENERATIONS = 12;
    private static final long LAST_PAUSE = 3_000;
    private static final String COUNT = "count";
    private static final int RECORD = 2 * Long.BYTES;
    private static final int FILE_HEADER = 4_096 + 2 * (1 << 17);

    private final List<Path> directories = new ArrayList<>();

    /** What a job of any number of generations does: steps that follow from its seed. */
    private static final class Plan
    {
        private final int[] names;
        private final int nPes;

        Plan(final long seed)
        {
            final SplittableRandom random = new SplittableRandom(seed);
            names = random.ints(STEPS, 0, NAMES).toArray();
            nPes = 1 + random.nextInt(5);
        }

        static String name(final int number)
        {
            return "block " + number;
        }

        static long length(final int number)
        {
            return 8 + 100L * number;
        }

        /** Returns the step that has made each block that exists after a number of steps; -1 where there is none. */
        int[] after(final int steps)
        {
            final int[] made = new int[NAMES];
            Arrays.fill(made, -1);
            for (int i = 0; i < steps; i++)
            {
                made[names[i]] = made[names[i]] < 0 ? i : -1;
            }

            return made;
        }

        Set<String> namesAfter(final int steps)
        {
            final int[] made = after(steps);
            final Set<String> found = new TreeSet<>();
            for (int i = 0; i < NAMES; i++)
            {
                if (made[i] >= 0)
                {
                    found.add(name(i));
                }
            }

            return found;
        }

        static long stamp(final int step, final int pe)
        {
            return 1_000L * (step + 1) + pe;
        }
    }

    private Path directory() throws IOException
    {
        final Path directory = Files.createTempDirectory(JobDirectory.defaultRoot(), "aeroshmem-recovery-");
        directories.add(directory);
        return directory;
    }

    @BeforeEach
    void before()
    {
        directories.clear();
    }

    @AfterEach
    void after() throws IOException
    {
        for (final Path directory : directories)
        {
            try (Stream<Path> files = Files.list(directory))
            {
                for (final Path file : files.toList())
                {
                    Files.delete(file);
                }
            }

            Files.delete(directory);
        }
    }

    private static World world(final long seed, final int nPes, final Path directory, final int generation)
    {
        return new World(seed, nPes).retaining(new RetainedHeaps(directory), generation);
    }

    private static Shmem.Context context()
    {
        return new Shmem.Context().heapSize(1 << 16).heapSparse(true);
    }

    static long[] seeds()
    {
        return Seeds.of(40);
    }

    @ParameterizedTest(name = "seed {0}")
    @MethodSource("seeds")
    void shouldLoseNothingWhereverAPeDies(final long seed) throws IOException
    {
        final Plan plan = new Plan(seed);
        final SplittableRandom random = new SplittableRandom(~seed);
        final Path directory = directory();
        int generation = 0;
        boolean isEnded = false;
        for (; !isEnded && generation < MAX_GENERATIONS - 1; generation++)
        {
            final int victim = random.nextInt(plan.nPes);
            final World world = world(seed + generation, plan.nPes, directory, generation)
                .kill(victim, random.nextLong(LAST_PAUSE));
            switch (random.nextInt(4))
            {
                case 0 -> world.messages();
                case 1 -> world.severalHosts();
                default ->
                {
                    // all are mapped
                }
            }

            isEnded = ends(world, plan, victim);
        }

        // no generation follows one that a PE has left for good, having removed its file, before another one died
        if (!isEnded || count(directory) == plan.nPes)
        {
            assertTrue(ends(world(seed, plan.nPes, directory, generation), plan, -1), "the last generation");
            assertEquals(0, count(directory), "a job that has ended leaves nothing");
        }
    }

    private static long count(final Path directory) throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.count();
        }
    }

    /** Runs a generation and returns whether it ended the job. */
    private static boolean ends(final World world, final Plan plan, final int victim)
    {
        final int[] ended = new int[1];
        try
        {
            world.run(context(), (shmem) ->
            {
                program(shmem, world, plan);
                ended[0]++;
            });
        }
        catch (final AssertionError ex)
        {
            if (!(ex.getCause() instanceof PeFailureException failure) || failure.pe() != victim)
            {
                throw ex;
            }
        }

        return plan.nPes == ended[0];
    }

    private static void program(final Shmem shmem, final World world, final Plan plan)
    {
        final int me = shmem.myPe();
        final boolean isNew = shmem.retained().isEmpty();
        final Set<String> found = shmem.retained().stream()
            .map(Retained::name).filter((name) -> !COUNT.equals(name)).collect(Collectors.toCollection(TreeSet::new));
        final SymmetricBuffer count = shmem.retain(COUNT, Long.BYTES + RetainedCell.requiredBytes(RECORD));
        final int own = (int)count.getLong(0);
        final RetainedCell cell = new RetainedCell(count, Long.BYTES, RECORD);
        checkRecord(cell, own, me);
        final int most = (int)shmem.world().reduceLong(ReduceOp.MAX, own);
        final int least = (int)shmem.world().reduceLong(ReduceOp.MIN, own);
        assertTrue(most - least <= 1, "PEs are at most one step apart: " + least + " and " + most);

        final boolean isDone = found.equals(plan.namesAfter(most));
        assertTrue(isDone || most < STEPS && found.equals(plan.namesAfter(most + 1)),
            () -> "after " + most + " steps: " + found + " instead of " + plan.namesAfter(most));
        assertTrue(!isNew || 0 == most, "nothing is lost");
        final int begin = isDone ? most : most + 1;
        final int[] made = plan.after(begin);
        for (int i = 0; i < NAMES; i++)
        {
            if (made[i] >= 0)
            {
                final SymmetricBuffer block = shmem.retain(Plan.name(i), Plan.length(i));
                final long stamp = block.getLong(0);
                assertTrue(Plan.stamp(made[i], me) == stamp || 0 == stamp && made[i] >= own,
                    () -> "found " + stamp + " of step " + own);
                block.putLong(0, Plan.stamp(made[i], me));
            }
        }

        shmem.retained().forEach((retained) ->
            assertTrue(isNew || MemoryState.RETAINED == retained.state(me) || COUNT.equals(retained.name())));
        write(cell, begin, me);
        count.putLong(0, begin);
        shmem.barrierAll();

        for (int step = begin; step < STEPS; step++)
        {
            final int which = plan.names[step];
            if (plan.after(step)[which] < 0)
            {
                final SymmetricBuffer block = shmem.retain(Plan.name(which), Plan.length(which));
                assertEquals(0, block.getLong(0), "zeroed");
                block.putLong(0, Plan.stamp(step, me));
                // what is not retained gets other memory
                final SymmetricBuffer scratch = shmem.malloc(1_000);
                scratch.fill((byte)-1);
                world.point();
                shmem.free(scratch);
            }
            else
            {
                shmem.release(Plan.name(which));
            }

            write(cell, step + 1, me);
            world.point();
            count.putLong(0, step + 1);
            world.point();
        }

        shmem.barrierAll();
    }

    private static void write(final RetainedCell cell, final int step, final int pe)
    {
        final UnsafeBuffer record = new UnsafeBuffer(new byte[RECORD]);
        record.putLong(0, step);
        record.putLong(Long.BYTES, Plan.stamp(step, pe));
        cell.write(record, 0);
    }

    /** The record is written before the count, which grows by 2 where the others were a step further, and began one. */
    private static void checkRecord(final RetainedCell cell, final int count, final int pe)
    {
        final UnsafeBuffer record = new UnsafeBuffer(new byte[RECORD]);
        final boolean isWritten = cell.read(record, 0) > 0;
        final int step = (int)record.getLong(0);
        assertTrue(step >= count && step <= count + 2, () -> "the record of step " + step + " after " + count);
        assertTrue(!isWritten || Plan.stamp(step, pe) == record.getLong(Long.BYTES), "a torn record");
    }

    /** The memory of a PE whose file is lost is zero, and so reported until the program retains it. */
    @Test
    void shouldReportTheMemoryOfAPeWhoseFileIsLost() throws IOException
    {
        final Path directory = directory();
        failing(world(1, 3, directory, 0), (shmem) ->
        {
            shmem.retain("book", 64).putLong(0, shmem.myPe() + 1);
            shmem.retain("log", 64).putLong(0, shmem.myPe() + 1);
        });
        Files.delete(directory.resolve("pe-1.heap"));

        final AssertionError lost = failing(world(2, 3, directory, 1), (shmem) ->
        {
            checkStates(shmem, "book", MemoryState.ZEROED);
            checkStates(shmem, "log", MemoryState.ZEROED);
            assertEquals(1 == shmem.myPe() ? 0 : shmem.myPe() + 1, shmem.retain("book", 64).getLong(0));
            checkStates(shmem, "book", MemoryState.ZEROED);
        });
        assertTrue(lost.getMessage().contains("retained memory of PE 1 is lost"), lost.getMessage());

        failing(world(3, 3, directory, 2), (shmem) ->
        {
            checkStates(shmem, "book", MemoryState.RETAINED);
            checkStates(shmem, "log", MemoryState.ZEROED);
        });
    }

    /** That it was lost is reported even if no PE has a table that says what it was. */
    @Test
    void shouldReportThatTheMemoryOfAllPesIsLost() throws IOException
    {
        final Path directory = directory();
        failing(world(1, 2, directory, 0), (shmem) -> shmem.retain("book", 64));
        for (int pe = 0; pe < 2; pe++)
        {
            final Path file = directory.resolve("pe-" + pe + ".heap");
            Files.delete(file);
            Files.write(file, new byte[1]);
        }

        final AssertionError lost = failing(world(2, 2, directory, 1), (shmem) ->
            assertEquals(0, shmem.retained().size()));
        assertTrue(lost.getMessage().contains("is lost, because of its file"), lost.getMessage());
    }

    /** The heaps of all PEs are of another size than in the generation before. */
    @Test
    void shouldRejectAnotherHeapSizeAndLoseNothing() throws IOException
    {
        final Path directory = directory();
        failing(world(1, 2, directory, 0), (shmem) -> shmem.retain("book", 64).putLong(0, 42));
        final AssertionError error = assertThrows(AssertionError.class, () ->
            world(2, 2, directory, 1).run(context().heapSize(1 << 17), (shmem) -> {}));
        assertTrue(error.getMessage().contains("heapSize must be that of the generation before"), error.getMessage());
        world(3, 2, directory, 2).run(context(), (shmem) -> assertEquals(42, shmem.retain("book", 64).getLong(0)));
        assertEquals(0, count(directory));
    }

    private static void checkStates(final Shmem shmem, final String name, final MemoryState ofPe1)
    {
        final Retained retained =
            shmem.retained().stream().filter((known) -> name.equals(known.name())).findFirst().orElseThrow();
        assertEquals(MemoryState.RETAINED, retained.state(0));
        assertEquals(ofPe1, retained.state(1));
        assertEquals(MemoryState.RETAINED, retained.state(2));
    }

    /** Runs a generation that a PE ends after the task of all. */
    private static AssertionError failing(final World world, final Consumer<Shmem> task)
    {
        final AssertionError error = assertThrows(AssertionError.class, () ->
            world.run(context(), (shmem) ->
            {
                task.accept(shmem);
                shmem.barrierAll();
                throw new IllegalStateException("the end of the generation");
            }));
        return error;
    }

    @Test
    void shouldRejectALayoutThatDiffersAndLoseNothing() throws IOException
    {
        final Path directory = directory();
        failing(world(1, 2, directory, 0), (shmem) -> shmem.retain("book", 64, 1).putLong(0, 42));
        failing(world(2, 2, directory, 1), (shmem) ->
        {
            assertThrows(IllegalArgumentException.class, () -> shmem.retain("book", 64, 2));
            assertThrows(IllegalArgumentException.class, () -> shmem.retain("book", 72, 1));
        });
        world(3, 2, directory, 2).run(context(), (shmem) ->
        {
            final SymmetricBuffer next = shmem.retain("book of version 2", 72, 2);
            next.putLong(8, shmem.retain("book", 64, 1).getLong(0));
            shmem.release("book");
            assertEquals(42, next.getLong(8));
        });
        assertEquals(0, count(directory));
    }

    /** A table that differs from those of the other PEs, though its checksum is right, ends every PE's set-up. */
    @ParameterizedTest
    @ValueSource(longs = {48, 80})
    void shouldRejectTablesThatDiffer(final long length) throws IOException
    {
        final Path directory = directory();
        failing(world(1, 2, directory, 0), (shmem) -> shmem.retain("book", 64));
        final Path kept = Files.move(directory.resolve("pe-1.heap"), directory.resolve("kept"));
        Files.delete(directory.resolve("pe-0.heap"));
        failing(world(1, 2, directory, 0), (shmem) -> shmem.retain("book", length));
        Files.move(kept, directory.resolve("pe-1.heap"), StandardCopyOption.REPLACE_EXISTING);

        final AssertionError error = failing(world(2, 2, directory, 1), (shmem) -> {});
        assertTrue(error.getMessage().contains("PEs differ in retained memory"), error.getMessage());
        assertFalse(error.getMessage().contains("the end of the generation"), error.getMessage());
        assertEquals(FILE_HEADER + (1 << 16), Files.size(directory.resolve("pe-1.heap")), "nothing is lost");
    }
}
