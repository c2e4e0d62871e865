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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.launcher.RecoveredPe;
import io.aeroshmem.tools.AeroShmemCommand;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Recoverable jobs of {@code aeroshmem run --hosts} that lose a host: PE 0 is on the host of the launcher, PEs 1 and 2
 * are on the other, which a script reaches instead of ssh.
 */
@Tag("ci")
@Tag("waits")
class LostHostTest extends OnTwoHosts
{
    private static final String LIVENESS = "5s";

    @TempDir
    private Path folder;

    private Path near;
    private Path far;
    private Process job;

    @BeforeEach
    void makeRoots() throws IOException
    {
        hosts.mend();
        near = Files.createTempDirectory(Path.of("/dev/shm"), "aeroshmem-test-");
        far = Files.createTempDirectory(Path.of("/dev/shm"), "aeroshmem-test-");
    }

    @AfterEach
    void endJob() throws IOException, InterruptedException
    {
        if (null != job)
        {
            job.destroyForcibly().waitFor();
        }

        Files.deleteIfExists(near);
        Files.deleteIfExists(far);
    }

    /**
     * The launcher's side goes on, with zeros as the memory that was retained there. The other side ends by itself,
     * leaves nothing, and says why.
     */
    @Test
    void shouldGoOnWithoutAHostThatIsCutOff() throws Exception
    {
        goOnAfterCut("replace");
        assertTrue(output().contains("starting PEs 1-2 on localhost, with zeros as retained memory"), this::output);
        requireRetained();
    }

    /** Without the PEs there, and with the memory of the others. */
    @Test
    void shouldShrinkToTheSideOfTheLauncher() throws Exception
    {
        goOnAfterCut("shrink");
        assertTrue(output().contains("lost PEs 1-2 on "), this::output);
        assertTrue(output().contains("; going on without them"), this::output);
        for (final String line : List.of("aeroshmem: generation 1 has 1 PE, without PE 1 and PE 2 and the retained" +
            " memory there", "state of 0: RETAINED", "found 0 7"))
        {
            assertTrue(lines().anyMatch(line::equals), () -> line + " in\n" + output());
        }
    }

    private void goOnAfterCut(final String policy) throws Exception
    {
        start(policy);
        awaitLines("found 2 0");
        final List<ProcessHandle> others = others();
        assertTrue(others.size() >= 3, others::toString);
        hosts.cut(1);

        assertTrue(job.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS), this::output);
        assertEquals(0, job.exitValue(), this::output);
        HostProcess.await(() -> others.stream().noneMatch(ProcessHandle::isAlive) && isEmpty(far), "the end elsewhere");
        assertTrue(isEmpty(near), this::output);
        for (final String log : List.of("pe-1.err", "pe-2.err"))
        {
            assertTrue(Files.readAllLines(folder.resolve(log)).stream().anyMatch((line) ->
                line.matches("aeroshmem: lost the launcher of the job: .*; ending PEs 1-2 here, as a job goes on only" +
                " where its launcher is")), this::output);
        }
    }

    /** Its processes, and what they hold, are there until it is continued. */
    @Test
    void shouldGoOnWithoutANodeLauncherThatIsStopped() throws Exception
    {
        start("restart");
        awaitLines("found 2 0");
        final List<ProcessHandle> others = others();
        final ProcessHandle launcher = others.stream().filter((process) ->
            process.info().commandLine().orElse("").endsWith(" node")).findFirst().orElseThrow();
        assertTrue(HostProcess.signal("STOP", launcher));

        assertTrue(job.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS), this::output);
        assertEquals(0, job.exitValue(), this::output);
        requireRetained();
        assertTrue(isEmpty(near), this::output);
        assertTrue(HostProcess.signal("CONT", launcher));
        HostProcess.await(() -> others.stream().noneMatch(ProcessHandle::isAlive) && isEmpty(far), "the end elsewhere");
    }

    private void requireRetained() throws IOException
    {
        for (final String line : List.of("state of 0: RETAINED", "state of 1: ZEROED", "state of 2: ZEROED",
            "found 0 7", "found 1 0", "found 2 0", "ready 2 1 "))
        {
            assertTrue(lines().anyMatch((text) -> text.startsWith(line)), () -> line + " in\n" + output());
        }
    }

    private void start(final String policy) throws IOException
    {
        final String java = ChildJvm.briefCommand().stream().map((word) -> "'" + word + "'")
            .collect(Collectors.joining(" "));
        final Path remote = script("aeroshmem", "exec " + java + " " + AeroShmemCommand.class.getName() + " \"$@\"");
        // dies at once by a signal, as ssh does; what runs there stays
        final Path shell = script("shell", "shift", "nsenter --target " + hosts.host(1).pid() + " --net -- env " +
            "AEROSHMEM_NODE_NAME=far AEROSHMEM_SHM_DIR=" + far + " sh -c \"$*\"", "exit $?");
        final List<String> command = new ArrayList<>(List.of(
            "nsenter", "--target", Long.toString(hosts.host(0).pid()), "--net", "--"));
        command.addAll(ChildJvm.briefCommand());
        command.addAll(List.of(AeroShmemCommand.class.getName(), "run", "--hosts",
            "localhost," + hosts.address(1) + ":2", "--ssh", shell.toString(), "--remote", remote.toString(),
            "--recover=" + policy, "--log-dir", folder.toString()));
        ChildJvm.briefOptions().forEach((option) -> command.addAll(List.of("-J", option)));
        command.addAll(List.of("-J", "-Daeroshmem.heap.size=1m", RecoveredPe.class.getName(), "moved", "1"));
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true)
            .redirectOutput(folder.resolve("output").toFile());
        builder.environment().put("AEROSHMEM_SHM_DIR", near.toString());
        builder.environment().put("AEROSHMEM_NODE_NAME", "near");
        builder.environment().put("AEROSHMEM_LIVENESS_TIMEOUT", LIVENESS);
        job = builder.start();
    }

    private Path script(final String name, final String... lines) throws IOException
    {
        final Path script = folder.resolve(name);
        Files.write(script, Stream.concat(Stream.of("#!/bin/sh"), Stream.of(lines)).toList());
        return Files.setPosixFilePermissions(script, PosixFilePermissions.fromString("rwx------"));
    }

    /** Returns the node launcher and the PEs of the other host. */
    private List<ProcessHandle> others() throws IOException
    {
        final String network = Files.readSymbolicLink(
            Path.of("/proc", Long.toString(hosts.host(1).pid()), "ns", "net")).toString();
        return job.descendants().filter((process) ->
        {
            try
            {
                return network.equals(Files.readSymbolicLink(
                    Path.of("/proc", Long.toString(process.pid()), "ns", "net")).toString()) &&
                    process.info().command().orElse("").endsWith("java");
            }
            catch (final IOException ex)
            {
                return false;
            }
        }).toList();
    }

    private void awaitLines(final String line)
    {
        HostProcess.await(() -> lines().anyMatch(line::equals) || !job.isAlive(), line);
    }

    private Stream<String> lines()
    {
        return Stream.of("output", "pe-0.out", "pe-1.out", "pe-2.out", "pe-1.err", "pe-2.err").map(folder::resolve)
            .filter(Files::exists).flatMap((file) ->
            {
                try
                {
                    return Files.readAllLines(file).stream();
                }
                catch (final IOException ex)
                {
                    throw new AssertionError(ex);
                }
            });
    }

    private String output()
    {
        return lines().collect(Collectors.joining("\n"));
    }

    private static boolean isEmpty(final Path root)
    {
        try (Stream<Path> entries = Files.list(root))
        {
            return entries.findAny().isEmpty();
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }
    }
}
