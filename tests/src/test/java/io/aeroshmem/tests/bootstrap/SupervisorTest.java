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
package io.aeroshmem.tests.bootstrap;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tests.fixture.InjectedFaults;
import io.aeroshmem.tests.fixture.StartedProcess;
import io.aeroshmem.tests.launcher.RecoveredPe;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Recoverable jobs without a launcher, whose processes a supervisor starts again.
 */
@Tag("ci")
@Tag("waits")
class SupervisorTest
{
    private static final String SECRET = "not so secret, as only a test uses it";
    private static final int KILLS = 2 * Integer.getInteger("aeroshmem.test.volume", 1);
    private static final int MAX_DELAY_MS = InjectedFaults.IS_NIGHTLY ? 1_500 : 500;

    @TempDir
    private Path root;

    @TempDir
    private Path ids;

    private int port;

    @BeforeEach
    void choosePort() throws IOException
    {
        port = FreePort.next();
    }

    /** Of PE 0, where they meet, as of others; also while they start, join and end. */
    @Test
    void shouldGoOnAfterKillsAtAnyMoment() throws Exception
    {
        killAtAnyMoment("restart", 3, "auto", false);
    }

    @ParameterizedTest
    @CsvSource({ "restart, 2, udp, true", "replace, 3, auto, false", "replace, 2, udp, true" })
    @Tag("nightly")
    void shouldGoOnAfterKillsInMoreJobs(
        final String policy, final int nPes, final String transport, final boolean areNodes) throws Exception
    {
        killAtAnyMoment(policy, nPes, transport, areNodes);
    }

    private void killAtAnyMoment(
        final String policy, final int nPes, final String transport, final boolean areNodes) throws Exception
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime());
        final Random random = new Random(seed);
        for (int pe = 0; areNodes && pe < nPes; pe++)
        {
            Files.createDirectory(root.resolve("node-" + pe));
        }

        // processes that are started after the last kill end their PEs: after a close nobody is started again
        final List<String> command = pe("until", Integer.toString(Integer.MAX_VALUE));
        try (Supervisor supervisor =
            new Supervisor(nPes, (pe) -> with(environment(pe, nPes, transport, areNodes),
                "AEROSHMEM_RECOVERY", policy), command))
        {
            supervisor.awaitGeneration();
            for (int kill = 0; kill < KILLS; kill++)
            {
                supervisor.pollFor(random.nextInt(MAX_DELAY_MS));
                supervisor.kill(random.nextInt(nPes));
            }

            supervisor.awaitGeneration();
            command.set(command.size() - 1, "0");
            final int last = random.nextInt(nPes);
            for (int pe = 0; pe < nPes; pe++)
            {
                // those that survive have the command of before
                if (pe == last || "replace".equals(policy))
                {
                    supervisor.kill(pe);
                }
            }

            supervisor.awaitEnd();

            for (int pe = 0; pe < nPes; pe++)
            {
                RecoveredPe.requireNothingLost(supervisor.lines(pe));
            }
        }
        catch (final AssertionError ex)
        {
            throw new AssertionError("seed " + seed + ": " + ex.getMessage(), ex);
        }

        requireNothingLeft(areNodes);
    }

    /** Also that of PE 0, where the others meet. */
    @Test
    void shouldStartOnlyTheProcessOfThePeThatIsLost() throws Exception
    {
        startOnlyWhatIsLost("auto", false);
    }

    @Test
    @Tag("nightly")
    void shouldStartOnlyTheProcessOfThePeThatIsLostOnItsNode() throws Exception
    {
        startOnlyWhatIsLost("udp", true);
    }

    private void startOnlyWhatIsLost(final String transport, final boolean areNodes) throws Exception
    {
        for (int pe = 0; areNodes && pe < 3; pe++)
        {
            Files.createDirectory(root.resolve("node-" + pe));
        }

        try (Supervisor supervisor = new Supervisor(3, (pe) -> with(environment(pe, 3, transport, areNodes),
            "AEROSHMEM_RECOVERY", "replace"), pe("until", "3")))
        {
            for (int generation = 0; generation < 3; generation++)
            {
                supervisor.awaitReady(generation);
                supervisor.kill(generation);
            }

            supervisor.awaitEnd();

            for (int pe = 0; pe < 3; pe++)
            {
                assertEquals(2, supervisor.processes(pe), supervisor::toString);
                assertTrue(supervisor.lines(pe).stream().anyMatch((line) -> line.startsWith("ready")));
                RecoveredPe.requireNothingLost(supervisor.lines(pe));
            }
        }

        requireNothingLeft(areNodes);
    }

    /** The processes have the id from a file; that of PE 0 has made it, or takes over its port. */
    @Test
    void shouldMeetAgainByAUniqueId() throws Exception
    {
        meetAgainByAUniqueId("replace", true);
    }

    @ParameterizedTest
    @ValueSource(strings = { "replace", "restart" })
    @Tag("nightly")
    void shouldMeetAgainOnOneNodeByAUniqueId(final String policy) throws Exception
    {
        meetAgainByAUniqueId(policy, false);
    }

    private void meetAgainByAUniqueId(final String policy, final boolean areNodes) throws Exception
    {
        for (int pe = 0; areNodes && pe < 3; pe++)
        {
            Files.createDirectory(root.resolve("node-" + pe));
        }

        // with the other processes the one that is killed starts anew under restart: one kill is as three
        final int kills = "restart".equals(policy) ? 1 : 3;
        try (Supervisor supervisor = new Supervisor(
            3, (pe) -> byUniqueId(pe, policy, areNodes), pe("until", Integer.toString(kills))))
        {
            for (int generation = 0; generation < kills; generation++)
            {
                supervisor.awaitReady(generation);
                supervisor.kill(generation);
            }

            supervisor.awaitEnd();

            for (int pe = 0; pe < 3; pe++)
            {
                assertTrue("restart".equals(policy) || 2 == supervisor.processes(pe), supervisor::toString);
                RecoveredPe.requireNothingLost(supervisor.lines(pe));
            }
        }

        requireNothingLeft(areNodes);
    }

    private Map<String, String> byUniqueId(final int pe, final String policy, final boolean isNode)
    {
        final Map<String, String> environment = with(environment(pe, 3, isNode ? "udp" : "auto", isNode),
            "AEROSHMEM_RECOVERY", policy, "TEST_ID_FILE", ids.resolve("id").toString(), "TEST_RANK",
            Integer.toString(pe), "TEST_NRANKS", "3", "AEROSHMEM_RENDEZVOUS_INTERFACE", "127.0.0.1");
        environment.keySet().removeAll(List.of(
            "JOB_COMPLETION_INDEX", "AEROSHMEM_NPES", "AEROSHMEM_RENDEZVOUS", "AEROSHMEM_RENDEZVOUS_SECRET"));
        return environment;
    }

    @Test
    void shouldEndASurvivorThatDoesNotLeaveItsGeneration() throws Exception
    {
        try (Supervisor supervisor = new Supervisor(3, (pe) -> with(environment(pe, 3, "auto", false),
            "AEROSHMEM_RECOVERY", "replace", "AEROSHMEM_RECOVERY_JOIN_TIMEOUT", "5s"), pe("ways")))
        {
            supervisor.awaitReady(1);

            assertEquals(2, supervisor.processes(1), supervisor::toString);
            assertTrue(supervisor.lines(1).stream().anyMatch((line) ->
                line.contains("has not left its job within 5000 ms")), supervisor::toString);
            assertEquals(1, supervisor.processes(2), supervisor::toString);
        }
    }

    /**
     * The process of PE 0 knows that the job has ended, as long as it lives. Afterwards it may have ended, as after a
     * failure of a PE when others had closed: nobody starts them again.
     */
    @Test
    void shouldReportThatTheJobHasEndedOrMayHaveEnded() throws Exception
    {
        final List<String> command = pe("until", "0");
        try (Supervisor supervisor = new Supervisor(
            2, (pe) -> with(environment(pe, 2, "auto", false), "TEST_LINGER", 0 == pe ? "true" : "false"), command))
        {
            while (supervisor.last(1).isAlive())
            {
                supervisor.poll();
            }

            assertEquals(0, supervisor.last(1).exitCode(), supervisor::toString);
            assertTrue(supervisor.last(0).isAlive(), supervisor::toString);
            // longer than the test may take
            requireRefused(with(environment(1, 2, "auto", false), "AEROSHMEM_JOIN_TIMEOUT", "10m"),
                "rejected PE 1 (pid ", "): the job has ended");

            supervisor.kill(0);
            requireRefused(with(environment(1, 2, "auto", false), "AEROSHMEM_JOIN_TIMEOUT", "1s"),
                "PE 0 did not listen at", "if it has ended with exit code 0, the job has ended");
        }
    }

    @Test
    void shouldRefuseASecondProcessOfAPe() throws Exception
    {
        try (Supervisor supervisor =
            new Supervisor(2, (pe) -> environment(pe, 2, "auto", false), pe("until", "1")))
        {
            supervisor.awaitReady(0);
            requireRefused(with(environment(1, 2, "auto", false), "AEROSHMEM_JOIN_TIMEOUT", "1s"),
                "another process of PE 1 of this recoverable job is alive");
            supervisor.kill(1);
            supervisor.awaitEnd();
            RecoveredPe.requireNothingLost(supervisor.lines(0));
        }

        requireNothingLeft(false);
    }

    /** While the others wait for the process that they have lost. */
    @Test
    void shouldRefuseAReplacementWithoutTheSecret(@TempDir final Path elsewhere) throws Exception
    {
        try (Supervisor supervisor = new Supervisor(2, (pe) -> with(environment(pe, 2, "auto", false),
            "AEROSHMEM_RECOVERY", "replace"), pe("until", "1")))
        {
            supervisor.awaitReady(0);
            supervisor.kill(1);
            requireRefused(with(environment(1, 2, "auto", false), "AEROSHMEM_RECOVERY", "replace",
                "AEROSHMEM_SHM_DIR", elsewhere.toString(),
                "AEROSHMEM_RENDEZVOUS_SECRET", "another secret of some length", "AEROSHMEM_JOIN_TIMEOUT", "5s"),
                "rejected PE 1", "the secret differs");
            supervisor.awaitEnd();
            assertEquals(1, supervisor.processes(0), supervisor::toString);
            RecoveredPe.requireNothingLost(supervisor.lines(0));
        }

        requireNothingLeft(false);
    }

    /** From another host, that is, with another directory. */
    @Test
    void shouldRefuseAProcessOfAPeThatRunsElsewhere() throws Exception
    {
        final Path elsewhere = Files.createDirectory(root.resolve("elsewhere"));
        try (Supervisor supervisor =
            new Supervisor(2, (pe) -> environment(pe, 2, "auto", false), pe("until", "1")))
        {
            supervisor.awaitReady(0);
            final Map<String, String> stray = with(environment(1, 2, "auto", false),
                "AEROSHMEM_SHM_DIR", elsewhere.toString(), "AEROSHMEM_JOIN_TIMEOUT", "3s");
            try (StartedProcess other = StartedProcess.start(stray, pe("until", "0")))
            {
                requireRefused(with(stray, "AEROSHMEM_RENDEZVOUS_SECRET", "another secret of some length"),
                    "rejected PE 1", "the secret differs");
                requireRefused(other, "all 2 PEs of the job had joined before PE 1");
            }

            assertEquals(0, supervisor.generationOf(0), supervisor::toString);
            supervisor.kill(0);
            assertTrue(supervisor.last(0).lines().toString().contains("does not know the secret of this job"),
                supervisor::toString);
            supervisor.awaitEnd();
            RecoveredPe.requireNothingLost(supervisor.lines(0));
        }
    }

    /** All PEs receive the reason, and nothing is lost. */
    @Test
    void shouldRefuseReplacementsThatDiffer(@TempDir final Path other) throws Exception
    {
        // which a JVM finds before that of the library
        Files.writeString(
            Files.createDirectories(other.resolve("io/aeroshmem")).resolve("build.properties"), "version=0.9.9\n");
        final Map<String, String> change = new HashMap<>();
        try (Supervisor supervisor =
            new Supervisor(2, (pe) -> with(environment(pe, 2, "auto", false), 1 == pe ? change : Map.of()),
            pe("until", "1")))
        {
            supervisor.awaitReady(0);
            supervisor.kill(1);
            requireRefused(supervisor, change, "AEROSHMEM_HEAP_SIZE", "128k", "aeroshmem.heap.size");
            requireRefused(supervisor, change, "AEROSHMEM_RECOVERY", "none", "aeroshmem.recovery");
            requireRefused(supervisor, change, "JAVA_TOOL_OPTIONS", "-Xbootclasspath/a:" + other,
                "version of the library must be equal on all PEs");
            supervisor.awaitEnd();
            RecoveredPe.requireNothingLost(supervisor.lines(0));
        }

        requireNothingLeft(false);
    }

    /** Has the next process of PE 1 differ, and waits for its end. */
    private static void requireRefused(
        final Supervisor supervisor,
        final Map<String, String> change,
        final String name,
        final String value,
        final String message)
    {
        change.put(name, value);
        supervisor.poll();
        final StartedProcess replacement = supervisor.last(1);
        change.clear();
        while (replacement.isAlive())
        {
            // PE 0 may receive the reason too, and is started again
            supervisor.pollOf(0);
        }

        assertTrue(replacement.lines().toString().contains(message), replacement::toString);
    }

    private void requireRefused(final Map<String, String> environment, final String... parts) throws Exception
    {
        try (StartedProcess process = StartedProcess.start(environment, pe("until", "0")))
        {
            requireRefused(process, parts);
        }
    }

    private static void requireRefused(final StartedProcess process, final String... parts) throws Exception
    {
        assertNotEquals(0, process.awaitExit(), process::toString);
        for (final String part : parts)
        {
            assertTrue(process.lines().toString().contains(part), process::toString);
        }
    }

    private Map<String, String> environment(
        final int pe, final int nPes, final String transport, final boolean isNode)
    {
        return new HashMap<>(Map.of(
            "JOB_COMPLETION_INDEX", Integer.toString(pe),
            "AEROSHMEM_NPES", Integer.toString(nPes),
            "AEROSHMEM_RENDEZVOUS", "127.0.0.1:" + port,
            "AEROSHMEM_RENDEZVOUS_SECRET", SECRET,
            "AEROSHMEM_RECOVERY", "restart",
            "AEROSHMEM_TRANSPORT", transport,
            "AEROSHMEM_SHM_DIR", (isNode ? root.resolve("node-" + pe) : root).toString(),
            "AEROSHMEM_HEAP_SIZE", "64k",
            "AEROSHMEM_TERM_LENGTH", "64k"));
    }

    private static Map<String, String> with(final Map<String, String> environment, final String... change)
    {
        final Map<String, String> changed = new HashMap<>(environment);
        for (int i = 0; i < change.length; i += 2)
        {
            changed.put(change[i], change[i + 1]);
        }

        return changed;
    }

    private static Map<String, String> with(final Map<String, String> environment, final Map<String, String> change)
    {
        final Map<String, String> changed = new HashMap<>(environment);
        changed.putAll(change);
        return changed;
    }

    private static List<String> pe(final String... arguments)
    {
        final List<String> command = ChildJvm.briefCommand();
        command.add(RecoveredPe.class.getName());
        command.addAll(List.of(arguments));
        return command;
    }

    private void requireNothingLeft(final boolean areNodes) throws IOException
    {
        final List<Path> roots = new ArrayList<>();
        try (Stream<Path> entries = Files.list(root))
        {
            roots.addAll(areNodes ? entries.toList() : List.of(root));
        }

        for (final Path directory : roots)
        {
            try (Stream<Path> left = Files.walk(directory))
            {
                assertEquals(List.of(directory), left.toList());
            }
        }
    }
}
