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
package io.aeroshmem.tools.scale;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The operations of {@link LargeJob}, which checks their results itself. */
@Timeout(60)
class LargeJobTest
{
    private static final Path PAGE = Path.of("../docs/scale.md");
    /** The operations of the page, in the order of the command. */
    private static final List<Operation> DOCUMENTED = List.of(
        Operation.BARRIER,
        Operation.SYNC,
        Operation.BROADCAST,
        Operation.REDUCE,
        Operation.COLLECT,
        Operation.SPLIT,
        Operation.CREATE);
    /** Operations whose messages have one block or none. */
    private static final Set<Operation> OF_ONE_BLOCK =
        EnumSet.of(Operation.BARRIER, Operation.SYNC, Operation.BROADCAST, Operation.REDUCE);
    private static final long LIMIT_NS = TimeUnit.MINUTES.toNanos(1);
    private static final long LIMIT_BYTES = 8L << 30;

    @ParameterizedTest
    @CsvSource({ "1, 1", "3, 1", "37, 1", "1, 16", "4, 4" })
    @Tag("ci")
    void shouldPerformEachOperation(final int hosts, final int pesOfHost)
    {
        for (final long blockBytes : new long[]{ 8, 240, 1024 })
        {
            try (LargeJob job = job(hosts, pesOfHost, blockBytes))
            {
                for (final Operation operation : Operation.values())
                {
                    final Figures figures = job.run(operation);
                    assertEquals(hosts * pesOfHost, figures.pes());
                    assertEquals(figures.pes() > 1, figures.messages() > 0, figures::csv);
                    assertEquals(figures.pes() > 1, figures.timeNs() > 0, figures::csv);
                    // a call may use a slot for each part of a block, and acknowledge it: more, and never less
                    assertTrue(figures.messages() >= figures.bound().messages(), figures::csv);
                    assertTrue(figures.bytes() >= figures.bound().bytes(), figures::csv);
                    assertTrue(
                        blockBytes > 8 || !OF_ONE_BLOCK.contains(operation) ||
                            figures.rounds() <= figures.bound().rounds(),
                        figures::csv);
                }
            }
        }
    }

    /** The messages of algorithms whose blocks fit a slot are those of the textbook. */
    @Test
    void shouldCountWhatTheAlgorithmsOfSmallBlocksNeed()
    {
        try (LargeJob job = job(64, 1, 8))
        {
            assertBound("dissemination", job.run(Operation.SYNC));
            assertBound("binomial", job.run(Operation.BROADCAST));
            assertBound("recursive_doubling", job.run(Operation.REDUCE));
        }

        try (LargeJob job = job(8, 8, 8))
        {
            assertBound("two_level", job.run(Operation.SYNC));
        }
    }

    private static void assertBound(final String algorithm, final Figures figures)
    {
        assertEquals(algorithm, figures.algorithms());
        assertEquals(
            figures.bound(), new Bound(figures.rounds(), figures.messages(), figures.bytes()), figures::csv);
    }

    @Test
    void shouldTakeLongerOverSlowerLinks()
    {
        final Link slow = new Link(15_000, 300, 200, 0.08);
        try (LargeJob fast = job(16, 1, 8); LargeJob far = new LargeJob(16, 1, 8, slow, Link.HOST))
        {
            final long fastNs = fast.run(Operation.SYNC).timeNs();
            // four rounds, in each of which a message takes the latency and two overheads
            assertEquals(4 * (1_500 + 2 * 300 + 8 * 8 / 100), fastNs);
            assertEquals(fastNs + 4 * 13_500, far.run(Operation.SYNC).timeNs());
        }
    }

    @Test
    void shouldYieldTheSameFiguresAgain()
    {
        final List<List<Figures>> runs = new ArrayList<>();
        for (int run = 0; run < 3; run++)
        {
            try (LargeJob job = job(6, 5, 8))
            {
                final List<Figures> figures = new ArrayList<>();
                for (final Operation operation : Operation.values())
                {
                    figures.add(job.run(operation).withoutPrivateBytes());
                }

                runs.add(figures);
            }
        }

        assertEquals(runs.get(0), runs.get(1));
        assertEquals(runs.get(0), runs.get(2));
    }

    @Test
    void shouldPerformAnOperationAgain()
    {
        try (LargeJob job = job(9, 2, 8))
        {
            for (final Operation operation : Operation.values())
            {
                final Figures first = job.run(operation);
                for (int i = 0; i < 5; i++)
                {
                    final Figures again = job.run(operation);
                    // of slots that are acknowledged in some calls only
                    assertTrue(again.messages() >= again.bound().messages(), again::csv);
                    assertTrue(again.messages() <= 2 * first.messages(), again::csv);
                }
            }
        }
    }

    @Test
    void shouldRejectWhatItCannotHold()
    {
        assertThrows(IllegalArgumentException.class, () -> job(0, 1, 8));
        assertThrows(IllegalArgumentException.class, () -> job(64, 65, 8));
        assertThrows(IllegalArgumentException.class, () -> job(4, 1, 12));
        assertThrows(IllegalArgumentException.class, () -> job(4, 1, 0));
        try (LargeJob job = job(513, 1, 8))
        {
            assertThrows(IllegalArgumentException.class, () -> job.run(Operation.ALLTOALL));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = { "1500,300,200", "a,0,0,0", "-1,0,0,0", "0,0,0,-1", "0,0,0,NaN", "" })
    void shouldRejectLinks(final String text)
    {
        assertThrows(IllegalArgumentException.class, () -> Link.parse(text));
    }

    @Test
    void shouldParseLinks()
    {
        assertEquals(Link.NETWORK, Link.parse(Link.NETWORK.toString()));
    }

    @ParameterizedTest
    @ValueSource(ints = { 16, 256 })
    void shouldCostWhatThePageStates(final int pes) throws IOException
    {
        try (LargeJob job = job(pes, 1, 8))
        {
            for (final Operation operation : DOCUMENTED)
            {
                assertDocumented(job.run(operation).csv());
            }
        }
    }

    private static void assertDocumented(final String csv) throws IOException
    {
        final String row = row(csv.split(","));
        assertTrue(Files.readString(PAGE).contains("\n" + row + "\n"), () -> PAGE + " lacks\n" + row);
    }

    /** Returns the row of the page, which lacks the memory of the JVM, as that differs from run to run. */
    private static String row(final String[] csv)
    {
        return String.format(
            Locale.ROOT,
            "| %s | %s | %s | `%s` | %s (%s) | %s (%s) | %s (%s) | %s, %s, %s | %.1f | %d KiB |",
            csv[0], csv[1], csv[2], csv[3], csv[4], csv[5], csv[6], csv[7], csv[8], csv[9], csv[10], csv[11], csv[12],
            Long.parseLong(csv[13]) / 1e3, Long.parseLong(csv[14]) >> 10);
    }

    /** Each operation within a minute, the first one with the construction of the job, and all within 8 GiB. */
    @ParameterizedTest
    @ValueSource(ints = { 1, 128 })
    @Tag("ci")
    @Timeout(900)
    @EnabledIfSystemProperty(named = "aeroshmem.test.volume", matches = "\\d\\d+")
    void shouldServe4096PesWithinAMinuteEach(final int pesOfHost) throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>(List.of(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED",
            "-Xmx4g", "-cp", System.getProperty("java.class.path"), "io.aeroshmem.tools.AeroShmemCommand", "simulate",
            "--shape", 4096 / pesOfHost + "x" + pesOfHost, "--op",
            // with one more, during which the process is alive
            DOCUMENTED.stream().map(Operation::toString).collect(Collectors.joining(",")) + "," + Operation.SYNC));
        final Process process = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
        try (BufferedReader output = process.inputReader())
        {
            assertEquals(Figures.csvHeader(), output.readLine());
            long sinceNs = System.nanoTime();
            for (final Operation operation : DOCUMENTED)
            {
                final String csv = output.readLine();
                final long durationNs = System.nanoTime() - sinceNs;
                sinceNs += durationNs;
                final long bytes = mostResidentBytes(process.pid());
                System.out.println(operation + ": " + durationNs / 1_000_000 + " ms, " + (bytes >> 20) + " MiB");
                assertTrue(durationNs < LIMIT_NS, () -> durationNs + " ns: " + csv);
                assertTrue(bytes < LIMIT_BYTES, () -> bytes + " bytes: " + csv);
                assertDocumented(csv);
            }

            assertNotNull(output.readLine());
            assertEquals(0, process.waitFor());
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    /** Returns the peak of the memory of a process, that which is shared too. */
    private static long mostResidentBytes(final long pid) throws IOException
    {
        return Files.readAllLines(Path.of("/proc/" + pid + "/status")).stream()
            .filter((line) -> line.startsWith("VmHWM:"))
            .mapToLong((line) -> Long.parseLong(line.replaceAll("\\D", "")) << 10).findFirst().orElse(0);
    }

    /** The table prefers what is not much slower than the other algorithms. */
    @ParameterizedTest
    @CsvSource({
        "FCOLLECT, collect, 16, 4, bruck pairwise, 8 240",
        "BROADCAST, broadcast, 64, 1, binomial pipelined, 240 8192",
        "REDUCE, reduce, 16, 4, two_level direct_read, 2048 8192" })
    @Tag("ci")
    void shouldPreferTheFasterAlgorithmOfLargeTeams(
        final Operation operation, final String property, final int hosts, final int pesOfHost, final String others,
        final String blocks)
    {
        requireFaster(operation, property, hosts, pesOfHost, others, blocks);
    }

    @ParameterizedTest
    @CsvSource({
        "FCOLLECT, collect, 64, 1, bruck pairwise, 8 128 240",
        "FCOLLECT, collect, 16, 4, bruck pairwise, 128",
        "BROADCAST, broadcast, 64, 1, binomial pipelined, 1024",
        "BROADCAST, broadcast, 16, 4, two_level pipelined, 512 1024 8192",
        "REDUCE, reduce, 64, 1, binomial direct_read, 2048 8192",
        "REDUCE, reduce, 130, 1, direct_read, 8192" })
    @Tag("nightly")
    void shouldPreferTheFasterAlgorithmOfMoreLargeTeams(
        final Operation operation, final String property, final int hosts, final int pesOfHost, final String others,
        final String blocks)
    {
        requireFaster(operation, property, hosts, pesOfHost, others, blocks);
    }

    private static void requireFaster(
        final Operation operation, final String property, final int hosts, final int pesOfHost, final String others,
        final String blocks)
    {
        for (final String block : blocks.split(" "))
        {
            final long blockBytes = Long.parseLong(block);
            final long preferred = timeNs(operation, property, hosts, pesOfHost, blockBytes, "auto");
            for (final String other : others.split(" "))
            {
                final long otherNs = timeNs(operation, property, hosts, pesOfHost, blockBytes, other);
                assertTrue(preferred <= otherNs * 11 / 10, () ->
                    blockBytes + " bytes: " + preferred + " ns, by " + other + " " + otherNs + " ns");
            }
        }
    }

    private static long timeNs(
        final Operation operation, final String property, final int hosts, final int pesOfHost, final long blockBytes,
        final String algorithm)
    {
        final String name = "aeroshmem.algorithm." + property;
        System.setProperty(name, algorithm);
        try (LargeJob job = job(hosts, pesOfHost, blockBytes))
        {
            return job.run(operation).timeNs();
        }
        finally
        {
            System.clearProperty(name);
        }
    }

    private static LargeJob job(final int hosts, final int pesOfHost, final long blockBytes)
    {
        return new LargeJob(hosts, pesOfHost, blockBytes, Link.NETWORK, Link.HOST);
    }
}
