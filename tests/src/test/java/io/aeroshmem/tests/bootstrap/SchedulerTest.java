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

import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tests.fixture.StartedProcess;
import io.aeroshmem.tests.launcher.AgainPe;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.abort;

/**
 * Jobs started by the installed schedulers, or with the variables that the other schedulers set; and the failure of
 * jobs whose environment is wrong.
 */
@Tag("ci")
@Tag("waits")
class SchedulerTest
{
    /** Jobs in a row; {@code AgainTest} has more of them. */
    private static final int AGAIN = 3;
    private static final String SECRET = "not so secret, as only a test uses it";

    @TempDir
    private Path root;

    private final List<StartedProcess> processes = new ArrayList<>();

    @AfterEach
    void endProcesses()
    {
        StartedProcess.closeAll(processes);
    }

    @Test
    void shouldRunUnderMpirunOfOpenMpi() throws Exception
    {
        final String mpirun = installed("Open MPI", "mpirun.openmpi", "mpirun");
        final StartedProcess job = start(
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"),
            List.of(mpirun, "--oversubscribe", "-n", "2"), "auto", "udp");
        requireWell(job, 2, "auto", "udp");
    }

    /** It ends a failed job itself. */
    @Test
    void shouldRefuseRecoveryUnderMpirunOfOpenMpi() throws Exception
    {
        final String mpirun = installed("Open MPI", "mpirun.openmpi", "mpirun");
        final StartedProcess job = start(
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1",
            "AEROSHMEM_RECOVERY", "restart"), List.of(mpirun, "--oversubscribe", "-n", "2", "env"), "auto");

        assertNotEquals(0, job.awaitExit(), job::toString);
        final List<String> refused = job.lines().stream().filter((line) -> line.startsWith("refused: ")).toList();
        assertTrue(!refused.isEmpty() && refused.stream().allMatch((line) ->
            line.contains("recovery=RESTART (aeroshmem.recovery) requires aeroshmem run --recover")), job::toString);
        requireNothingLeft();
    }

    @Test
    void shouldRunUnderMpiexecOfHydra() throws Exception
    {
        final String mpiexec = installed("HYDRA", "mpiexec.hydra", "mpiexec");
        requireWell(start(Map.of(), List.of(mpiexec, "-n", "3"), "auto", "udp"), 3, "auto", "udp");
    }

    @Test
    void shouldRunUnderMpiexecOfHydraThatListensOnAPort() throws Exception
    {
        final String mpiexec = installed("HYDRA", "mpiexec.hydra", "mpiexec");
        requireWell(start(Map.of(), List.of(mpiexec, "-pmi-port", "-n", "2"), "auto"), 2, "auto");
    }

    @Test
    void shouldNotWaitForEverForAProcessOfMpiexecThatNeverJoins() throws Exception
    {
        final String mpiexec = installed("HYDRA", "mpiexec.hydra", "mpiexec");
        final List<String> command = new ArrayList<>(List.of(mpiexec, "-n", "1"));
        command.addAll(pe("auto"));
        command.addAll(List.of(":", "-n", "1"));
        command.addAll(pe());
        final StartedProcess job = start(Map.of("AEROSHMEM_JOIN_TIMEOUT", "1s"), command);

        // the exit code depends on which of the processes ends first
        assertNotEquals(0, job.awaitExit(), job::toString);
        assertTrue(job.line("refused: ").contains("not all processes that it started have called init"), job::toString);
    }

    @Test
    void shouldNotWaitForAProcessOfMpirunWithoutTheJvmOptions() throws Exception
    {
        final String mpirun = installed("Open MPI", "mpirun.openmpi", "mpirun");
        requireEndWithoutOptions(
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"), mpirun, "--oversubscribe");
    }

    @Test
    void shouldNotWaitForAProcessOfMpiexecWithoutTheJvmOptions() throws Exception
    {
        final String mpiexec = installed("HYDRA", "mpiexec.hydra", "mpiexec");
        requireEndWithoutOptions(Map.of(), mpiexec);
        requireEndWithoutOptions(Map.of(), mpiexec, "-pmi-port");
    }

    @Test
    void shouldRunWithTheVariablesOfAKubernetesJob() throws Exception
    {
        final int port = FreePort.next();
        for (int pe = 1; pe >= 0; pe--)
        {
            start(Map.of(
                "HOSTNAME", "shmem-" + pe,
                "JOB_COMPLETION_INDEX", Integer.toString(pe),
                "AEROSHMEM_NPES", "2",
                "AEROSHMEM_RENDEZVOUS", "localhost:" + port,
                "AEROSHMEM_RENDEZVOUS_SECRET", SECRET), List.of(), "udp");
        }

        requireWell(2, "udp");
    }

    @Test
    void shouldRunAtTheRendezvousThatTheProgramSets() throws Exception
    {
        final int port = FreePort.next();
        for (int pe = 0; pe < 2; pe++)
        {
            start(Map.of(
                "AEROSHMEM_PE", Integer.toString(pe),
                "AEROSHMEM_NPES", "2",
                ScheduledPe.RENDEZVOUS, "127.0.0.1:" + port,
                ScheduledPe.SECRET, SECRET), List.of(), "auto");
        }

        requireWell(2, "auto");
    }

    @Test
    void shouldRunOneJobAfterTheOtherWithVariablesOfOurOwn() throws Exception
    {
        final int port = FreePort.next();
        for (int pe = 0; pe < 3; pe++)
        {
            start(any(pe, 3, port), List.of(), "auto", "auto");
        }

        requireWell(3, "auto", "auto");
    }

    @Test
    void shouldInitialiseAfterCloseAgainAndAgainUnderMpirunOfOpenMpi() throws Exception
    {
        final String mpirun = installed("Open MPI", "mpirun.openmpi", "mpirun");
        // Open MPI changes the class path of a command java, which then maps no archive
        final List<String> command = new ArrayList<>(List.of(mpirun, "--oversubscribe", "-n", "2", "env"));
        command.addAll(again(AGAIN));
        requireAgain(start(
            Map.of("OMPI_ALLOW_RUN_AS_ROOT", "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM", "1"), command), AGAIN, 2);
    }

    @Test
    void shouldInitialiseAfterCloseAgainAndAgainUnderMpiexecOfHydra() throws Exception
    {
        final List<String> command =
            new ArrayList<>(List.of(installed("HYDRA", "mpiexec.hydra", "mpiexec"), "-n", "2"));
        command.addAll(again(AGAIN));
        requireAgain(start(Map.of(), command), AGAIN, 2);
    }

    @Test
    void shouldInitialiseAfterCloseAgainAndAgainWithoutALauncher() throws Exception
    {
        requireAgain(start(Map.of(), again(6)), 6, 1);
    }

    @Test
    void shouldEndTheProcessOnAGlobalExitAfterClose() throws Exception
    {
        final List<String> command = again(2);
        command.addAll(List.of("globalExit", "0"));
        assertEquals(9, start(Map.of(), command).awaitExit());
        requireNothingLeft();
    }

    private static List<String> again(final int jobs)
    {
        final List<String> command = ChildJvm.briefCommand();
        command.addAll(List.of(AgainPe.class.getName(), Integer.toString(jobs)));
        return command;
    }

    private void requireAgain(final StartedProcess started, final int jobs, final int nPes) throws Exception
    {
        assertEquals(0, started.awaitExit(), started::toString);
        final List<String> expected = new ArrayList<>();
        for (int job = 0; job < jobs; job++)
        {
            for (int pe = 0; pe < nPes; pe++)
            {
                expected.add("job " + job + ' ' + pe + ' ' + nPes);
            }
        }

        assertEquals(expected, started.lines().stream().sorted().toList());
        requireNothingLeft();
    }

    @Test
    void shouldNamePe0IfItDoesNotCome() throws Exception
    {
        final int port = FreePort.next();
        for (int pe = 1; pe < 3; pe++)
        {
            final Map<String, String> environment = any(pe, 3, port);
            environment.put("AEROSHMEM_JOIN_TIMEOUT", "500ms");
            start(environment, List.of(), "auto");
        }

        final String message = requireRefused(processes);
        assertTrue(message.contains("PE 0 did not listen at /127.0.0.1:" + port), message);
    }

    @Test
    void shouldRunWithAnIdThatIsInTheEnvironment() throws Exception
    {
        final String id = HexFormat.of().formatHex(UniqueId.create().toBytes());
        for (int pe = 0; pe < 2; pe++)
        {
            start(Map.of(
                "AEROSHMEM_PE", Integer.toString(pe), "AEROSHMEM_NPES", "2", "AEROSHMEM_UNIQUE_ID", id),
                List.of(),
                "auto");
        }

        requireWell(2, "auto");
    }

    @Test
    void shouldReportWhereToSetThePlaceIfPe0IsNotThere() throws Exception
    {
        final Map<String, String> environment = any(0, 2, 1);
        environment.put("AEROSHMEM_RENDEZVOUS", "203.0.113.5");
        start(environment, List.of(), "auto");
        final String message = requireRefused(processes);
        assertTrue(message.contains("not an address of its host"), message);
        assertTrue(message.contains("aeroshmem.rendezvous"), message);
    }

    /**
     * All processes that joined end with the same message, and leave no files.
     */
    private String requireRefused(final List<StartedProcess> refused) throws Exception
    {
        for (final StartedProcess process : refused)
        {
            assertEquals(ScheduledPe.REFUSED, process.awaitExit(), process::toString);
            assertEquals(refused.get(0).line("refused: "), process.line("refused: "), process::toString);
        }

        requireNothingLeft();
        return refused.get(0).line("refused: ");
    }

    /**
     * The processes are PE 0, 1 ... of a job, and all succeed.
     */
    private void requireWell(final int nPes, final String... transports) throws Exception
    {
        assertEquals(nPes, processes.size());
        final List<String> lines = new ArrayList<>();
        for (final StartedProcess process : processes)
        {
            assertEquals(0, process.awaitExit(), process::toString);
            lines.addAll(process.lines());
        }

        requireWell(lines, nPes, transports);
    }

    private void requireWell(final StartedProcess job, final int nPes, final String... transports) throws Exception
    {
        assertEquals(0, job.awaitExit(), job::toString);
        requireWell(job.lines(), nPes, transports);
    }

    private void requireWell(final List<String> lines, final int nPes, final String... transports) throws IOException
    {
        final List<String> expected = new ArrayList<>();
        for (final String transport : transports)
        {
            for (int pe = 0; pe < nPes; pe++)
            {
                expected.add("well " + transport + ' ' + pe + ' ' + nPes);
            }
        }

        assertEquals(expected.stream().sorted().toList(), lines.stream().sorted().toList());
        requireNothingLeft();
    }

    /**
     * If one process, the first or the last, cannot start its PE, the launcher ends the others long before their
     * timeouts.
     */
    private void requireEndWithoutOptions(final Map<String, String> variables, final String... launcher)
        throws Exception
    {
        final Map<String, String> environment = new HashMap<>(variables);
        environment.put("AEROSHMEM_JOIN_TIMEOUT", "10m");
        final List<String> closed = ChildJvm.commandWithoutOptions();
        closed.addAll(List.of(ScheduledPe.class.getName(), "auto"));
        for (final List<List<String>> pes : List.of(List.of(closed, pe("auto")), List.of(pe("auto"), closed)))
        {
            final List<String> command = new ArrayList<>(List.of(launcher));
            command.addAll(List.of("-n", "1"));
            command.addAll(pes.get(0));
            command.addAll(List.of(":", "-n", "1"));
            command.addAll(pes.get(1));
            final StartedProcess job = start(environment, command);

            assertNotEquals(0, job.awaitExit(), job::toString);
            assertTrue(job.line("refused: ").contains("--add-opens java.base/jdk.internal.misc"), job::toString);
            requireNothingLeft();
        }
    }

    private void requireNothingLeft() throws IOException
    {
        try (Stream<Path> left = Files.walk(root))
        {
            assertEquals(List.of(root), left.toList());
        }
    }

    private StartedProcess start(
        final Map<String, String> environment, final List<String> launcher, final String... transports)
        throws IOException
    {
        final List<String> command = new ArrayList<>(launcher);
        command.addAll(pe(transports));
        return start(environment, command);
    }

    private StartedProcess start(final Map<String, String> environment, final List<String> command) throws IOException
    {
        final Map<String, String> complete = new HashMap<>(environment);
        complete.put("AEROSHMEM_SHM_DIR", root.toString());
        complete.put("AEROSHMEM_HEAP_SIZE", "64k");
        complete.put("AEROSHMEM_TERM_LENGTH", "64k");
        final StartedProcess process = StartedProcess.start(complete, command);
        processes.add(process);
        return process;
    }

    private static List<String> pe(final String... transports)
    {
        final List<String> command = ChildJvm.briefCommand();
        command.add(ScheduledPe.class.getName());
        command.addAll(List.of(transports));
        return command;
    }

    private static Map<String, String> any(final int pe, final int nPes, final int port)
    {
        return new HashMap<>(Map.of(
            "AEROSHMEM_PE", Integer.toString(pe),
            "AEROSHMEM_NPES", Integer.toString(nPes),
            "AEROSHMEM_RENDEZVOUS", "127.0.0.1:" + port,
            "AEROSHMEM_RENDEZVOUS_SECRET", SECRET));
    }

    /**
     * Returns the first of the commands that is installed and of the required kind.
     */
    private static String installed(final String kind, final String... commands) throws Exception
    {
        for (final String command : commands)
        {
            if (onPath(command))
            {
                try (StartedProcess version = StartedProcess.start(Map.of(), List.of(command, "--version")))
                {
                    version.awaitExit();
                    if (version.lines().stream().anyMatch((line) -> line.contains(kind)))
                    {
                        return command;
                    }
                }
            }
        }

        final String reason = "skipped: no " + kind + " here (" + String.join(", ", commands) + ")";
        System.out.println(reason);
        return abort(reason);
    }

    private static boolean onPath(final String command)
    {
        return Stream.of(System.getenv("PATH").split(":")).anyMatch(
            (folder) -> Files.isExecutable(Path.of(folder).resolve(command)));
    }
}
