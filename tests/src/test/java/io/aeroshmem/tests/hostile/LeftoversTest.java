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
package io.aeroshmem.tests.hostile;

import io.aeron.Aeron;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.tools.AeroShmemCommand;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Remains of creators that were killed at any step of the creation or removal of a job: they stop no other job, and
 * cleaners remove them and nothing else.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class LeftoversTest
{
    private static final PrintStream OUT = System.out;
    private static final long MAX_LIFE_NS = 250_000_000L;

    private final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
    private final Random random = new Random(seed);
    private final List<Process> makers = new ArrayList<>();
    private Path root;

    @BeforeEach
    void makeRoot() throws IOException
    {
        root = Files.createTempDirectory(TestMemory.root(), "leftovers-");
    }

    @AfterEach
    void removeRoot() throws IOException
    {
        for (final Process maker : makers)
        {
            maker.destroyForcibly().onExit().join();
        }

        for (final Path path : entries())
        {
            Files.delete(path);
        }

        Files.delete(root);
    }

    private List<Path> entries() throws IOException
    {
        try (Stream<Path> paths = Files.walk(root))
        {
            return paths.filter((path) -> !path.equals(root)).sorted(Comparator.reverseOrder())
                .collect(Collectors.toList());
        }
    }

    @Test
    @Tag("ci")
    void shouldCleanUpAfterCreatorsThatWereKilledAnywhere() throws Exception
    {
        killAndClean(5);
    }

    @Test
    @Tag("exhaustive")
    void shouldCleanUpAfterManyCreatorsThatWereKilledAnywhere() throws Exception
    {
        killAndClean(Integer.getInteger("aeroshmem.test.rounds", 1_000));
    }

    /**
     * The next creator starts and works among the leftovers, while two cleaners scan them.
     */
    private void killAndClean(final int rounds) throws Exception
    {
        final ExecutorService executor = Executors.newFixedThreadPool(2);
        int dead = 0;
        int rests = 0;
        try
        {
            for (int round = 0; round < rounds; round++)
            {
                final Process maker = start(0 == round % 2);
                final boolean isCleanedMeanwhile = random.nextBoolean();
                final AtomicBoolean isOver = new AtomicBoolean();
                final Future<Integer> meanwhile = executor.submit(cleanUntil(isOver));
                LockSupport.parkNanos((long)(random.nextDouble() * MAX_LIFE_NS));
                isOver.set(!isCleanedMeanwhile);
                maker.destroyForcibly().onExit().join();
                isOver.set(true);
                dead += meanwhile.get(Deadlines.WAIT_S, TimeUnit.SECONDS);

                final List<JobCleaner.JobSummary> left = JobCleaner.list(root);
                assertTrue(left.stream().noneMatch(JobCleaner.JobSummary::live), () -> left + at());
                rests += left.size();
                try (JobDirectory next = JobDirectory.create(root, 2))
                {
                    final Callable<Integer> clean = this::clean;
                    for (final Future<Integer> removed : executor.invokeAll(List.of(clean, clean)))
                    {
                        dead += removed.get();
                    }

                    assertEquals(1, JobCleaner.list(root).size(), this::at);
                    assertTrue(next.isCreatorAlive(), this::at);
                    JobDirectory.open(next.path()).close();
                    next.delete();
                }

                assertEquals(List.of(), entries(), this::at);
            }
        }
        finally
        {
            executor.shutdownNow();
        }

        OUT.println(rounds + " creators were killed and left " + rests + " directories; " + dead +
            " dead jobs were cleaned, " + at());
        assertTrue(dead > 0 && dead <= rounds, () -> "each creator leaves one job at the most: " + at());
    }

    private Callable<Integer> cleanUntil(final AtomicBoolean isOver)
    {
        return () ->
        {
            int removed = 0;
            while (!isOver.get())
            {
                removed += clean();
            }

            return removed;
        };
    }

    /**
     * @return the number of complete jobs that were removed; an incomplete one may be removed, since its creator then
     * starts over.
     */
    private int clean()
    {
        return (int)JobCleaner.clean(root).stream().filter((job) -> job.nPes() > 0).count();
    }

    private Process start(final boolean isDriven) throws IOException
    {
        final List<String> command = ChildJvm.briefCommand();
        command.addAll(List.of(JobMaker.class.getName(), root.toString(), Boolean.toString(isDriven)));
        final Process maker = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        makers.add(maker);
        assertEquals('r', maker.getInputStream().read());
        return maker;
    }

    private String at()
    {
        return "-Daeroshmem.test.seed=" + seed;
    }

    @Test
    void shouldListTheLivingAndTheDeadAndRemoveTheDead() throws Exception
    {
        final String before = System.setProperty(JobDirectory.SHM_DIR_PROP_NAME, root.toString());
        try (JobDirectory living = JobDirectory.create(root, 3))
        {
            final Process maker = start(false);
            Pe.await(() -> JobCleaner.list(root).size() > 1, "a job to kill");
            maker.destroyForcibly().onExit().join();
            final JobDirectory left = JobDirectory.create(root, 5);
            Files.createDirectories(left.aeronDirectory().resolve("publications"));
            try (RandomAccessFile sparse = new RandomAccessFile(left.heapFile(0).toFile(), "rw"))
            {
                sparse.setLength(1 << 30);
            }

            left.close();

            final List<String> listed = execute("clean", "--list");
            assertTrue(listed.contains(living.path() + ": alive, 3 PEs, launcher " + ProcessHandle.current().pid()),
                listed::toString);
            assertTrue(listed.contains(left.path() + ": dead, 5 PEs, launcher " + ProcessHandle.current().pid()),
                listed::toString);
            final List<String> lines = print("clean");
            final List<String> removed = withoutTimes(lines);
            final int ofLeft = removed.indexOf("removed " + left.path() + ": dead, 5 PEs, launcher " +
                ProcessHandle.current().pid());
            assertTrue(ofLeft >= 0, removed::toString);
            assertTrue(lines.get(ofLeft).matches(".*Z, [0-9]{1,4}k in use, .*"), lines::toString);
            assertTrue(removed.size() < listed.size(), removed::toString);
            assertEquals(1, execute("clean", "--list").size());
            assertFalse(Files.exists(left.path()));
            assertTrue(living.isCreatorAlive());
            living.delete();
            assertEquals(List.of("no jobs in " + root), execute("clean", "--list"));
            assertEquals(List.of("no dead jobs in " + root), execute("clean"));
        }
        finally
        {
            System.setProperty(JobDirectory.SHM_DIR_PROP_NAME, before);
        }
    }

    /**
     * Returns the output of a command, without the creation times of jobs and what follows them.
     */
    private static List<String> execute(final String... arguments)
    {
        return withoutTimes(print(arguments));
    }

    private static List<String> withoutTimes(final List<String> lines)
    {
        return lines.stream().map((line) -> line.replaceAll(", created .*", "")).toList();
    }

    private static List<String> print(final String... arguments)
    {
        final StringWriter output = new StringWriter();
        final CommandLine commandLine = AeroShmemCommand.commandLine();
        commandLine.getSubcommands().get("clean").setOut(new PrintWriter(output));
        assertEquals(0, commandLine.setOut(new PrintWriter(output)).execute(arguments));
        return output.toString().lines().toList();
    }

    /**
     * Drivers that belong to no job are not touched, wherever their directories are.
     */
    @Test
    void shouldTouchNoDriverThatIsNoneOfAJob() throws Exception
    {
        TestMemory.root();
        try (TestDriver driver = TestDriver.launch();
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.directory())))
        {
            final Path parent;
            try (JobDirectory left = JobDirectory.create(TestMemory.root(), 1))
            {
                parent = left.path().getParent();
                Files.createSymbolicLink(left.aeronDirectory(), Path.of(driver.directory()));
            }

            final Path beside = Files.createDirectory(parent.resolve("aeron-of-somebody"));
            assertEquals(1, JobCleaner.clean(TestMemory.root()).size());
            assertTrue(Files.exists(Path.of(driver.directory(), "cnc.dat")));
            aeron.addSubscription("aeron:ipc", 1).close();
            assertTrue(Files.exists(beside));
            Files.delete(beside);
            Files.delete(parent);
        }
    }
}
