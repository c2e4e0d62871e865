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
package io.aeroshmem.tests.deploy;

import io.aeroshmem.tests.fixture.Deadlines;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/**
 * Namespaces of users, processes, mounts, names, messages and a network, held by a process that ends when its standard
 * input does. User 0 in them is a user without any right outside.
 */
final class Namespaces implements AutoCloseable
{
    /** The first of the users, outside, that the users of all pods are. */
    private static final int FIRST_USER = 100_000;
    private static final int USERS = 65_536;
    private static final String UNSHARE =
        "unshare --net --mount --uts --ipc --pid --fork --kill-child --mount-proc sh -c \"$0\" \"$@\"";

    private final Process keeper;
    private final long pid;

    private Namespaces(final Process keeper, final long pid)
    {
        this.keeper = keeper;
        this.pid = pid;
    }

    /**
     * @param script what their user 0 does first, with these arguments.
     * @throws IOException with the reason, if this machine does not permit it.
     */
    static Namespaces start(final String script, final String... arguments) throws IOException
    {
        final List<String> command = new ArrayList<>(List.of(
            "setpriv", "--reuid", Integer.toString(FIRST_USER), "--regid", Integer.toString(FIRST_USER),
            "--clear-groups", "unshare", "--user",
            "sh", "-c", "echo made && read answer && exec " + UNSHARE,
            script + " && echo ready && exec cat > /dev/null", "sh"));
        command.addAll(List.of(arguments));
        final Process keeper = new ProcessBuilder(command).redirectErrorStream(true).start();
        final BufferedReader output =
            new BufferedReader(new InputStreamReader(keeper.getInputStream(), StandardCharsets.UTF_8));
        try
        {
            requireLine("made", keeper, output);
            final String map = "0 " + FIRST_USER + " " + USERS;
            Files.writeString(Path.of("/proc/" + keeper.pid() + "/uid_map"), map);
            Files.writeString(Path.of("/proc/" + keeper.pid() + "/gid_map"), map);
            keeper.getOutputStream().write('\n');
            keeper.getOutputStream().flush();
            requireLine("ready", keeper, output);
            return new Namespaces(keeper, keeper.children().findFirst().orElseThrow().pid());
        }
        catch (final IOException ex)
        {
            keeper.destroyForcibly();
            throw ex;
        }
    }

    private static void requireLine(final String expected, final Process keeper, final BufferedReader output)
        throws IOException
    {
        final String line = Deadlines.readLine(keeper, output);
        if (!expected.equals(line))
        {
            throw new IOException("instead of '" + expected + "': " + line);
        }
    }

    /**
     * Returns the id of their first process, in the namespace of this JVM.
     */
    long pid()
    {
        return pid;
    }

    /**
     * Returns the command line that runs a command in them, as one of their users.
     */
    List<String> command(final int user, final int group, final boolean isProcessShared, final List<String> command)
    {
        final List<String> inside = new ArrayList<>(List.of("nsenter", "--target", Long.toString(pid),
            "--user", "--net", "--mount", "--uts", "--ipc", "--setuid", "0", "--setgid", "0", "--wd=/"));
        if (isProcessShared)
        {
            inside.add("--pid");
        }

        inside.add("--");
        if (!isProcessShared)
        {
            // so that nothing is left even if the test is killed
            inside.addAll(List.of("setpriv", "--pdeathsig", "KILL",
                "unshare", "--pid", "--mount", "--fork", "--mount-proc"));
        }

        // the change of the user clears the signal at the death of the parent that a command before has set
        inside.addAll(List.of("setpriv", "--reuid", Integer.toString(user), "--regid", Integer.toString(group),
            "--clear-groups", "--no-new-privs", "--pdeathsig", "KILL"));
        inside.addAll(command);
        return inside;
    }

    /**
     * Runs the command ip on their network, with the rights of this JVM.
     *
     * @throws IOException with its output, if it fails.
     */
    void ip(final String arguments) throws IOException
    {
        final List<String> command = new ArrayList<>(
            List.of("nsenter", "--target", Long.toString(pid), "--net", "--", "ip"));
        command.addAll(List.of(arguments.split(" ")));
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        process.getOutputStream().close();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        try
        {
            if (!process.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS) || 0 != process.exitValue())
            {
                process.destroyForcibly();
                throw new IOException("ip " + arguments + ": " + output);
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
            throw new AssertionError(ex);
        }
    }

    /**
     * Returns a file as they see it.
     */
    Path path(final String absolute)
    {
        return Path.of("/proc", Long.toString(pid), "root", absolute);
    }

    @Override
    public void close()
    {
        // the descendants of one that has ended are those of another process with its pid
        if (keeper.isAlive())
        {
            keeper.descendants().forEach(ProcessHandle::destroyForcibly);
            keeper.destroyForcibly();
            keeper.onExit().join();
        }
    }
}
