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

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * PE whose JVM waits for a debugger before it runs the program.
 *
 * @param pe   number of the PE.
 * @param port at which the JVM of the PE listens, on the loopback interface of its host.
 */
public record DebuggedPe(int pe, int port)
{
    /** Port of the first PE in the list unless one is specified; each further PE has the next port. */
    static final int DEFAULT_PORT = 5005;

    private static final String LOOPBACK = "127.0.0.1:";
    private static final int MAX_PORT = 65_535;
    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,7})(?::(\\d{1,5}))?");

    /** Parses the values of {@code --debug-pe} for a job of a number of PEs. */
    public static List<DebuggedPe> parse(final List<String> texts, final int nPes)
    {
        final List<DebuggedPe> list = new ArrayList<>();
        for (final String text : texts)
        {
            final Matcher matcher = SYNTAX.matcher(text);
            if (!matcher.matches())
            {
                throw CommandException.usage("--debug-pe must be a PE such as 1 or 1:5005: --debug-pe=" + text);
            }

            final int pe = Integer.parseInt(matcher.group(1));
            final int port = null == matcher.group(2) ? DEFAULT_PORT + list.size() : Integer.parseInt(matcher.group(2));
            if (pe >= nPes)
            {
                throw CommandException.usage(
                    "--debug-pe must name a PE from 0 to " + (nPes - 1) + ": --debug-pe=" + text);
            }

            if (port < 1 || port > MAX_PORT)
            {
                throw CommandException.usage("port of --debug-pe must be 1 to " + MAX_PORT + ": --debug-pe=" + text);
            }

            if (list.stream().anyMatch((other) -> other.pe == pe || other.port == port))
            {
                throw CommandException.usage("--debug-pe must name each PE, and each port, once: --debug-pe=" + text);
            }

            list.add(new DebuggedPe(pe, port));
        }

        return List.copyOf(list);
    }

    /** Returns the option with which the JVM of the PE listens, and runs nothing before a debugger resumes it. */
    String jvmOption()
    {
        return "-agentlib:jdwp=transport=dt_socket,server=y,suspend=y,quiet=y,address=" + address();
    }

    /** Returns the address for the debugger. */
    String address()
    {
        return LOOPBACK + port;
    }

    /** Checks that the port is free on this host, as the JVM would end with a message of several lines otherwise. */
    void requireFreePort()
    {
        try (ServerSocket socket = new ServerSocket())
        {
            socket.setReuseAddress(true);
            socket.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
        }
        catch (final IOException ex)
        {
            throw CommandException.usage(
                "port of --debug-pe must be free: --debug-pe=" + pe + ':' + port + " (" + ex.getMessage() + ")");
        }
    }
}
