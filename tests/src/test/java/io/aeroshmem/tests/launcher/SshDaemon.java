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

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tools.AeroShmemCommand;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ConditionEvaluationResult;
import org.junit.jupiter.api.extension.ExecutionCondition;
import org.junit.jupiter.api.extension.ExtensionContext;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A real {@code sshd} on the loopback interface with keys and a configuration of its own, and what a client needs to
 * reach it under several names. Each name is a node with a root of job directories of its own. Tests that use it are
 * skipped where there is no sshd, or where it cannot run.
 */
final class SshDaemon implements BeforeAllCallback, AfterAllCallback, ExecutionCondition
{
    static final List<String> NODES = List.of("nodea", "nodeb");

    /** Two names of one node. */
    static final List<String> TWINS = List.of("twina", "twinb");

    private static final Path SSHD = Path.of("/usr/sbin/sshd");
    private static final Path PRIVILEGE_SEPARATION = Path.of("/run/sshd");

    private Path directory;
    private Path roots;
    private Process process;

    @Override
    public ConditionEvaluationResult evaluateExecutionCondition(final ExtensionContext context)
    {
        final String reason =
            !Files.isExecutable(SSHD) ? "there is no " + SSHD :
            !isRoot() || Files.isDirectory(PRIVILEGE_SEPARATION) || Files.isWritable(PRIVILEGE_SEPARATION.getParent()) ?
            null : SSHD + " needs the directory " + PRIVILEGE_SEPARATION + ", which cannot be made";
        if (null != reason)
        {
            System.out.println("skipping " + context.getDisplayName() + ": " + reason);
            return ConditionEvaluationResult.disabled(reason);
        }

        return ConditionEvaluationResult.enabled(SSHD + " is there");
    }

    @Override
    public void beforeAll(final ExtensionContext context) throws Exception
    {
        directory = Files.createTempDirectory("aeroshmem-ssh-");
        final Path shm = Path.of("/dev/shm");
        roots = Files.createTempDirectory(Files.isDirectory(shm) ? shm : directory, "aeroshmem-test-");
        if (isRoot())
        {
            // It stays, as on a machine that starts sshd: the daemon of another class may use it.
            Files.createDirectories(PRIVILEGE_SEPARATION, PosixFilePermissions.asFileAttribute(
                PosixFilePermissions.fromString("rwxr-xr-x")));
        }

        makeKey("host_key");
        makeKey("client_key");
        final int port = FreePort.next();
        writeDaemonConfiguration(port);
        writeClientConfiguration(port);
        writeScript();
        process = new ProcessBuilder(SSHD.toString(), "-D", "-e", "-f", directory.resolve("sshd_config").toString())
            .redirectErrorStream(true).redirectOutput(directory.resolve("log").toFile()).start();
        awaitListening(port);
    }

    @Override
    public void afterAll(final ExtensionContext context) throws Exception
    {
        if (null != process)
        {
            process.destroy();
            assertTrue(process.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS));
        }

        for (final Path tree : List.of(directory, roots))
        {
            try (Stream<Path> found = Files.exists(tree) ? Files.walk(tree) : Stream.empty())
            {
                for (final Path path : found.sorted(Comparator.reverseOrder()).collect(Collectors.toList()))
                {
                    Files.deleteIfExists(path);
                }
            }
        }
    }

    /**
     * Returns the options of {@code aeroshmem run} for the nodes.
     */
    List<String> options()
    {
        return List.of(
            "--ssh", "ssh -F " + directory.resolve("ssh_config"), "--remote", script().toString());
    }

    /**
     * Root of job directories of a node.
     */
    Path root(final String node)
    {
        return roots.resolve(node);
    }

    /**
     * Waits until no client is connected, and all processes that clients started have ended.
     */
    void awaitSessions()
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (process.descendants().findAny().isPresent())
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, () -> "still there: " +
                process.descendants().map((handle) -> handle.info().commandLine().orElse("?")).toList());
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    /** Returns the processes of a main class on all nodes. */
    List<ProcessHandle> javaProcesses(final Class<?> main)
    {
        return process.descendants().filter((descendant) ->
            descendant.info().commandLine().orElse("").matches("\\S*java .* " + main.getName() + "( .*)?")).toList();
    }

    /**
     * What jobs have left on the nodes.
     */
    void assertEmpty() throws IOException
    {
        for (final String node : NODES)
        {
            try (Stream<Path> found = Files.walk(root(node)))
            {
                assertEquals(List.of(root(node)), found.collect(Collectors.toList()));
            }
        }
    }

    /**
     * A name that a shell splits unless it is quoted.
     */
    private Path script()
    {
        return directory.resolve("aero shmem's $HOME");
    }

    private void makeKey(final String name) throws IOException, InterruptedException
    {
        final Process keygen = new ProcessBuilder(
            "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", "test", "-f", directory.resolve(name).toString())
            .inheritIO().start();
        assertEquals(0, keygen.waitFor());
    }

    private void writeDaemonConfiguration(final int port) throws IOException
    {
        Files.copy(directory.resolve("client_key.pub"), directory.resolve("authorized_keys"));
        Files.write(directory.resolve("sshd_config"), List.of(
            "ListenAddress 127.0.0.1",
            "Port " + port,
            "HostKey " + directory.resolve("host_key"),
            "AuthorizedKeysFile " + directory.resolve("authorized_keys"),
            "PidFile none",
            "StrictModes no",
            "UsePAM no",
            "PasswordAuthentication no",
            "AcceptEnv AEROSHMEM_*"));
    }

    private void writeClientConfiguration(final int port) throws IOException
    {
        final String hostKey = Files.readString(directory.resolve("host_key.pub"));
        Files.writeString(directory.resolve("known_hosts"), "[127.0.0.1]:" + port + " " + hostKey);
        final List<String> lines = new ArrayList<>();
        for (final String node : NODES)
        {
            Files.createDirectory(root(node));
            lines.add("Host " + node);
            lines.add("SetEnv AEROSHMEM_SHM_DIR=" + root(node) + " AEROSHMEM_NODE_NAME=" + node);
        }

        lines.add("Host " + String.join(" ", TWINS));
        lines.add("SetEnv AEROSHMEM_SHM_DIR=" + root(NODES.get(0)));
        lines.addAll(List.of(
            "Host node? twin?",
            "HostName 127.0.0.1",
            "Port " + port,
            "Host *",
            "User " + System.getProperty("user.name"),
            "IdentityFile " + directory.resolve("client_key"),
            "IdentitiesOnly yes",
            "UserKnownHostsFile " + directory.resolve("known_hosts"),
            "GlobalKnownHostsFile none",
            "StrictHostKeyChecking yes"));
        Files.write(directory.resolve("ssh_config"), lines);
    }

    private void writeScript() throws IOException
    {
        Files.write(script(), List.of(
            "#!/bin/sh",
            "exec '" + String.join("' '", ChildJvm.briefCommand()) + "' " + AeroShmemCommand.class.getName() +
            " \"$@\""));
        Files.setPosixFilePermissions(script(), PosixFilePermissions.fromString("rwx------"));
    }

    private void awaitListening(final int port) throws IOException
    {
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (!isListening(port))
        {
            assertTrue(process.isAlive() && System.nanoTime() - deadlineNs < 0,
                "sshd: " + Files.readString(directory.resolve("log")));
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
        }
    }

    private static boolean isListening(final int port)
    {
        try (Socket socket = new Socket())
        {
            socket.connect(new InetSocketAddress("127.0.0.1", port), 1_000);
            return true;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static boolean isRoot()
    {
        return "root".equals(System.getProperty("user.name"));
    }
}
