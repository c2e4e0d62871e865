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
package io.aeroshmem.tools.launch;

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.job.HostName;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * Remote shell that starts processes on other hosts: {@code ssh}, or another command that the user specifies. The last
 * two arguments of the command are a host, and a command line for the shell on that host.
 * <p>
 * The command line consists of the path of the script {@code aeroshmem} and the name of a subcommand. Everything else
 * is sent on the standard input of the started process ({@link NodeLaunchSpec}), because it may be long or secret, or
 * may need quotes.
 */
public final class RemoteShell
{
    private static final String SSH = "ssh";
    /** An address, for which no name server is asked. */
    private static final Pattern ADDRESS = Pattern.compile("\\d{1,3}(?:\\.\\d{1,3}){3}|[^@]*:[^@]*");
    private static final int KEEPALIVES = 3;
    private static final long CONNECT_TIMEOUT_S = 20;
    private static final long RESOLVE_TIMEOUT_S = 5;
    private static final String HOST_NAME = "hostname ";

    private static final String AGENT_PROPERTY = "aeroshmem.ssh";
    private static final String AGENT_VARIABLE = "AEROSHMEM_SSH";

    /** Set by the script aeroshmem to its own path. */
    private static final String SCRIPT_PROPERTY = "aeroshmem.script";

    private final List<String> agent;
    private final String script;
    private final long livenessTimeoutNs;

    /**
     * Creates a shell. {@code script} is the path of the script {@code aeroshmem} on the other hosts, null if unknown;
     * ssh closes a connection that is silent for about {@code livenessTimeoutNs}.
     */
    RemoteShell(final String agent, final String script, final long livenessTimeoutNs)
    {
        this.agent = List.of(agent.strip().split("\\s+"));
        this.script = script;
        this.livenessTimeoutNs = livenessTimeoutNs;
        if (agent.isBlank())
        {
            throw CommandException.usage("--ssh must be a command such as 'ssh -p 2222': it is empty");
        }
    }

    /** Returns the shell specified by the command line, whose values may be null, else by the environment. */
    public static RemoteShell of(final String agent, final String script, final LaunchContext ctx)
    {
        final String variable = System.getenv(AGENT_VARIABLE);
        final String usual = System.getProperty(AGENT_PROPERTY, null == variable ? SSH : variable);
        return new RemoteShell(
            null == agent ? usual : agent,
            null == script ? System.getProperty(SCRIPT_PROPERTY) : script,
            ctx.livenessTimeoutNs());
    }

    /**
     * Returns whether a host is this one, where processes are started directly: {@code localhost}, its name, or an
     * address of one of its interfaces. A name or an address with a user is never this host.
     */
    public static boolean isThisHost(final String host)
    {
        return "localhost".equals(host) || host.equals(HostName.local()) ||
            ADDRESS.matcher(host).matches() && isOwnAddress(host);
    }

    private static boolean isOwnAddress(final String address)
    {
        try
        {
            return HostAddress.isOwn(InetAddress.getByName(address));
        }
        catch (final UnknownHostException ex)
        {
            // not an address after all
            return false;
        }
    }

    /** Returns the command that runs a subcommand of {@code aeroshmem}, without arguments, on a host. */
    List<String> command(final String host, final String subcommand)
    {
        if (null == script)
        {
            throw CommandException.usage("path of the script aeroshmem on " + host + " is unknown: specify --remote");
        }

        final List<String> command = new ArrayList<>(agent);
        if (isSsh())
        {
            final long interval = Math.max(1, TimeUnit.NANOSECONDS.toSeconds(livenessTimeoutNs) / KEEPALIVES);
            command.addAll(List.of(
                "-T",
                "-o", "BatchMode=yes",
                "-o", "ConnectTimeout=" + CONNECT_TIMEOUT_S,
                "-o", "ServerAliveInterval=" + interval,
                "-o", "ServerAliveCountMax=" + KEEPALIVES));
        }

        command.add(host);
        command.add(quote(script) + " " + subcommand);
        return command;
    }

    /** Returns the first word of the command, for messages. */
    String name()
    {
        return agent.get(0);
    }

    /**
     * Returns the name or address that a host is connected to, without a user: ssh resolves the aliases of its
     * configuration.
     */
    String addressOf(final String host)
    {
        final String bare = host.substring(host.indexOf('@') + 1);
        if (!isSsh())
        {
            return bare;
        }

        final List<String> command = new ArrayList<>(agent);
        command.addAll(List.of("-G", host));
        try
        {
            final Process process = new ProcessBuilder(command)
                .redirectInput(ProcessBuilder.Redirect.from(new File("/dev/null")))
                .redirectError(ProcessBuilder.Redirect.DISCARD)
                .start();
            try (BufferedReader reader =
                new BufferedReader(new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8)))
            {
                // First the end, as a read has no time limit: a pipe holds the whole output.
                return !process.waitFor(RESOLVE_TIMEOUT_S, TimeUnit.SECONDS) ? bare :
                    reader.lines().filter((line) -> line.startsWith(HOST_NAME)).findFirst()
                    .map((line) -> line.substring(HOST_NAME.length()).strip()).orElse(bare);
            }
            catch (final InterruptedException ex)
            {
                Thread.currentThread().interrupt();
                return bare;
            }
            finally
            {
                process.destroyForcibly();
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.usage("cannot run " + name() + " (--ssh): " + ex.getMessage());
        }
    }

    /** Quotes a word for a POSIX shell, which then takes it literally. */
    static String quote(final String word)
    {
        return "'" + word.replace("'", "'\\''") + "'";
    }

    private boolean isSsh()
    {
        return new File(agent.get(0)).getName().equals(SSH);
    }
}
