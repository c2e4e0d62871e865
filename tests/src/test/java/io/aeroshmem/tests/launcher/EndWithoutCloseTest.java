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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tests.fixture.JobRoot;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * PEs whose program ends without closing them: their JVMs end with the exit code of the program, the others detect it
 * soon and end too, and no files are left.
 */
@Tag("ci")
@Tag("waits")
class EndWithoutCloseTest
{
    private static final String PROGRAM = EndingPe.class.getName();
    private static final String EXCEPTION = "Exception in thread \"main\" ";
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(5);
    private static final List<String> WAYS = List.of("return", "throw", "exit");
    private static final List<String> CALLS = List.of("barrier", "get", "wait", "close");

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    /**
     * @param isLaunched by {@code aeroshmem run}, or by nothing but the environment.
     * @param nodes      on which the PEs are in turn.
     * @param pe         that ends.
     * @param call       in which the others are.
     */
    private record Job(
        TransportKind transport, boolean isLaunched, int nodes, int nPes, String way, int pe, String call)
    {
    }

    static Stream<Job> jobs()
    {
        return Stream.of(
            new Job(TransportKind.MAPPED, true, 1, 2, "return", 0, "barrier"),
            new Job(TransportKind.IPC, false, 1, 3, "throw", 1, "get"),
            new Job(TransportKind.UDP, false, 1, 2, "exit", 0, "close"),
            // PE 0 has the rendezvous and leads its node, PE 1 leads the other one
            new Job(TransportKind.AUTO, false, 2, 4, "return", 1, "wait"));
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void shouldFailTheOthers(final Job job) throws Exception
    {
        endOne(job);
    }

    /** Every way on every transport, by each of the first two PEs, with a launcher and without. */
    static Stream<Job> allJobs()
    {
        final List<Job> jobs = new ArrayList<>();
        for (final TransportKind transport : List.of(TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP))
        {
            for (final String way : WAYS)
            {
                for (final boolean isLaunched : new boolean[]{ false, true })
                {
                    final int i = jobs.size();
                    jobs.add(new Job(
                        transport, isLaunched, 1, 2 + i % 2, way, i / 2 % 2, CALLS.get((i + i / 4) % CALLS.size())));
                }
            }
        }

        for (int i = 0; i < 8; i++)
        {
            jobs.add(new Job(
                TransportKind.AUTO, false, 2, 4, WAYS.get(i % WAYS.size()), i % 3, CALLS.get(i % (CALLS.size() - 1))));
        }

        return jobs.stream();
    }

    @ParameterizedTest
    @MethodSource("allJobs")
    @Tag("nightly")
    void shouldFailTheOthersInEachWay(final Job job) throws Exception
    {
        endOne(job);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    @Tag("exhaustive")
    @Timeout(1800)
    void shouldFailTheOthersAgainAndAgain(final TransportKind transport) throws Exception
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
        final Random random = new Random(seed);
        final int rounds = Integer.getInteger("aeroshmem.test.rounds", 50);
        long slowestMs = 0;
        for (int i = 0; i < rounds; i++)
        {
            final int nPes = 2 + random.nextInt(3);
            slowestMs = Math.max(slowestMs, endOne(new Job(
                transport,
                random.nextBoolean(),
                1,
                nPes,
                WAYS.get(random.nextInt(WAYS.size())),
                random.nextInt(nPes),
                CALLS.get(random.nextInt(CALLS.size())))));
        }

        System.out.println("end without close, " + transport + ": " + rounds + " jobs, the last exception after " +
            slowestMs + " ms at most, -Daeroshmem.test.seed=" + seed);
    }

    @Test
    void shouldLeaveNothingWhereAllEndAtOnce() throws Exception
    {
        endAll(TransportKind.UDP, 3, "return");
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    @Tag("exhaustive")
    @Timeout(1800)
    void shouldLeaveNothingWhereAllEndAtOnceAgainAndAgain(final TransportKind transport) throws Exception
    {
        final int rounds = Integer.getInteger("aeroshmem.test.rounds", 50);
        for (int i = 0; i < rounds; i++)
        {
            endAll(transport, 2 + i % 3, WAYS.get(i % WAYS.size()));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "return", "throw", "exit" })
    @Tag("nightly")
    void shouldLeaveNothingOfAJobOfOne(final String way) throws Exception
    {
        try (CommandProcess pe = CommandProcess.startJava(root.path(), Map.of(), PROGRAM, way, EndingPe.ALL))
        {
            assertEquals(exitCode(way), pe.awaitExit(), pe::toString);
            assertEquals(1, pe.output().size(), pe::toString);
        }

        root.assertEmpty();
    }

    @Test
    void shouldLeaveNothingOfPesThatAreThreads() throws Exception
    {
        endThreads(TransportKind.UDP);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    @Tag("nightly")
    void shouldLeaveNothingOfPesThatAreThreadsOnEachTransport(final TransportKind transport) throws Exception
    {
        endThreads(transport);
    }

    private void endThreads(final TransportKind transport) throws Exception
    {
        try (CommandProcess pes = CommandProcess.startJava(root.path(), settings(transport), PROGRAM, "threads"))
        {
            assertEquals(0, pes.awaitExit(), pes::toString);
            assertEquals(1, pes.output().size(), pes::toString);
            assertEquals(List.of(), pes.error());
        }

        root.assertEmpty();
    }

    @Test
    void shouldLetAShutdownHookClose() throws Exception
    {
        closeInShutdownHook(TransportKind.IPC);
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = { "MAPPED", "IPC", "UDP" })
    @Tag("nightly")
    void shouldLetAShutdownHookCloseOnEachTransport(final TransportKind transport) throws Exception
    {
        closeInShutdownHook(transport);
    }

    private void closeInShutdownHook(final TransportKind transport) throws Exception
    {
        final List<CommandProcess> pes = startPes(transport, 1, 2, "hook", EndingPe.ALL);
        try
        {
            for (final CommandProcess pe : pes)
            {
                assertEquals(0, pe.awaitExit(), pe::toString);
                pe.awaitLine("closed ");
                assertEquals(List.of(), pe.error());
            }
        }
        finally
        {
            pes.forEach(CommandProcess::close);
        }

        root.assertEmpty();
    }

    /**
     * @return how long it took from the end of the program's code to the last exception, in ms.
     */
    private long endOne(final Job job) throws Exception
    {
        final long slowestMs = job.isLaunched ? endOneOfLaunched(job) : endOneOfScheduled(job);
        root.assertEmpty();
        return slowestMs;
    }

    private long endOneOfLaunched(final Job job) throws Exception
    {
        try (CommandProcess run = CommandProcess.start(
            root.path(), "run", "-n", Integer.toString(job.nPes), "--transport", name(job.transport), PROGRAM,
            job.way, Integer.toString(job.pe), job.call))
        {
            final int code = run.awaitExit();
            assertEquals("return".equals(job.way) ? 1 : exitCode(job.way), code, () -> job + ": " + run);
            return awaitFailures(job, run, run, job.nPes - 1);
        }
    }

    private long endOneOfScheduled(final Job job) throws Exception
    {
        final List<CommandProcess> pes =
            startPes(job.transport, job.nodes, job.nPes, job.way, Integer.toString(job.pe), job.call);
        try
        {
            long slowestMs = 0;
            for (final CommandProcess pe : pes)
            {
                final boolean isEnding = pe == pes.get(job.pe);
                final int expected = isEnding ? exitCode(job.way) : "close".equals(job.call) ? 0 : 1;
                assertEquals(expected, pe.awaitExit(), () -> job + ": " + pe);
            }

            for (final CommandProcess pe : pes)
            {
                if (pe != pes.get(job.pe))
                {
                    slowestMs = Math.max(slowestMs, awaitFailures(job, pes.get(job.pe), pe, 1));
                }
            }

            return slowestMs;
        }
        finally
        {
            pes.forEach(CommandProcess::close);
        }
    }

    /**
     * A close after the failure, reported or not, throws nothing.
     */
    private static long awaitFailures(
        final Job job, final CommandProcess ending, final CommandProcess others, final int count)
    {
        final long endMs = Long.parseLong(line(ending, "ends ").get(0).split(" ")[1]);
        if ("throw".equals(job.way))
        {
            final String tag = job.isLaunched ? "[pe " + job.pe + "] " : "";
            assertTrue(
                ending.error().contains(tag + EXCEPTION + "java.lang.IllegalStateException: nothing left to trade"),
                () -> job + ": " + ending);
        }

        if ("close".equals(job.call))
        {
            return 0;
        }

        final List<String> failures = line(others, "failed ");
        assertEquals(count, failures.size(), () -> job + ": " + others);
        long slowestMs = 0;
        for (final String failure : failures)
        {
            final String[] words = failure.split(" ", 4);
            final long ms = Long.parseLong(words[1]) - endMs;
            assertEquals(Integer.toString(job.pe), words[2], () -> job + ": " + others);
            assertTrue(words[3].startsWith("PE " + job.pe + " (pid ") && words[3].contains(") ended without closing: "),
                () -> job + ": " + others);
            Deadlines.requireWithin(BOUND_NS, TimeUnit.MILLISECONDS.toNanos(ms), () -> job + ": " + others);
            slowestMs = Math.max(slowestMs, ms);
        }

        return slowestMs;
    }

    private void endAll(final TransportKind transport, final int nPes, final String way) throws Exception
    {
        final List<CommandProcess> pes = startPes(transport, 1, nPes, way, EndingPe.ALL);
        try
        {
            for (final CommandProcess pe : pes)
            {
                assertEquals(exitCode(way), pe.awaitExit(), pe::toString);
            }
        }
        finally
        {
            pes.forEach(CommandProcess::close);
        }

        root.assertEmpty();
    }

    private List<CommandProcess> startPes(
        final TransportKind transport, final int nodes, final int nPes, final String... arguments) throws IOException
    {
        final Map<String, String> environment = settings(transport);
        environment.put("AEROSHMEM_NPES", Integer.toString(nPes));
        environment.put("AEROSHMEM_RENDEZVOUS", "127.0.0.1:" + FreePort.next());
        environment.put("AEROSHMEM_RENDEZVOUS_SECRET", "not so secret, as only a test uses it");
        final List<CommandProcess> pes = new ArrayList<>();
        for (int pe = 0; pe < nPes; pe++)
        {
            environment.put("AEROSHMEM_PE", Integer.toString(pe));
            if (nodes > 1)
            {
                environment.put("AEROSHMEM_NODE_NAME", "node-" + pe % nodes);
            }

            pes.add(CommandProcess.startJava(root.path(), environment, PROGRAM, arguments));
        }

        return pes;
    }

    private static Map<String, String> settings(final TransportKind transport)
    {
        return new HashMap<>(Map.of(
            "AEROSHMEM_TRANSPORT", name(transport), "AEROSHMEM_HEAP_SIZE", "64k", "AEROSHMEM_TERM_LENGTH", "64k"));
    }

    private static List<String> line(final CommandProcess process, final String prefix)
    {
        return process.output().stream().filter((line) -> line.startsWith(prefix)).toList();
    }

    private static int exitCode(final String way)
    {
        return switch (way)
        {
            case "throw" -> 1;
            case "exit" -> EndingPe.STATUS;
            default -> 0;
        };
    }

    private static String name(final TransportKind transport)
    {
        return transport.name().toLowerCase(Locale.ROOT);
    }
}
