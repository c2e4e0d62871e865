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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.TransportException;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.function.BooleanSupplier;

/**
 * Makes the address at which PE 0 listens, and the others connect, of what the environment says about it.
 * <p>
 * Many a host has its own name in its hosts file with an address of the loopback interface, which is of no use to
 * others: they resolve the name to another address. There the host's first address that others can reach is taken, by
 * PE 0 and by every PE on the same host, as they see the same file.
 */
final class MeetingPoint
{
    /**
     * Ports that follow from a job's key: below those that the kernel gives to whoever asks for any.
     */
    static final int FIRST_PORT = 20_000;

    /**
     * How many of them there are.
     */
    static final int PORTS = 12_000;

    private static final int MAX_PORT = 65_535;

    private MeetingPoint()
    {
    }

    /**
     * The port of a job of which the user has not named one.
     *
     * @param jobKey of the job, with its place in the sequence of a process's jobs.
     * @return from {@value #FIRST_PORT} on.
     */
    static int port(final String jobKey)
    {
        try
        {
            final byte[] digest = MessageDigest.getInstance("SHA-256")
                .digest(("port of " + jobKey).getBytes(StandardCharsets.UTF_8));
            return FIRST_PORT + (ByteBuffer.wrap(digest).getInt() >>> 1) % PORTS;
        }
        catch (final NoSuchAlgorithmException ex)
        {
            throw new IllegalStateException("every Java platform has SHA-256", ex);
        }
    }

    /**
     * The port of one of the jobs that a process joins one after the other. Each has its own, so that who comes early
     * to the next does not meet the last one's server.
     *
     * @param given    the user's, or 0.
     * @param jobKey   see {@link #port(String)}.
     * @param sequence of the job, from 1.
     * @return the port.
     */
    static int port(final int given, final String jobKey, final int sequence)
    {
        return 0 == given ? port(jobKey) : 1 + (given + sequence - 2) % MAX_PORT;
    }

    /**
     * Where a PE other than 0 finds PE 0.
     *
     * @param host name or address.
     * @param port of the job.
     * @return the address, not resolved if the name is not known (yet).
     */
    static InetSocketAddress toConnect(final String host, final int port)
    {
        try
        {
            return new InetSocketAddress(reachable(host), port);
        }
        catch (final UnknownHostException ex)
        {
            return InetSocketAddress.createUnresolved(host, port);
        }
    }

    /**
     * Where PE 0 listens.
     *
     * @param scheduler   that started it.
     * @param host        name or address.
     * @param keepsTrying asked before the name is looked up once more.
     * @return an address of this host.
     * @throws TransportException if it is none.
     */
    static InetAddress toListen(final Scheduler scheduler, final String host, final BooleanSupplier keepsTrying)
    {
        while (true)
        {
            try
            {
                final InetAddress address = reachable(host);
                if (!HostAddress.isOwn(address))
                {
                    throw new TransportException(LauncherTexts.noPlace(scheduler, "PE 0 should listen at " + host +
                        (host.equals(address.getHostAddress()) ? "" : " (" + address.getHostAddress() + ")") +
                        ", which is not an address of its host " + HostAddress.reachable().getHostAddress()));
                }
                return address;
            }
            catch (final UnknownHostException ex)
            {
                if (!scheduler.isNameLate() || !keepsTrying.getAsBoolean())
                {
                    throw new TransportException(
                        LauncherTexts.noPlace(scheduler, "the host of PE 0, " + host + ", has no address here"), ex);
                }
            }
        }
    }

    private static InetAddress reachable(final String host) throws UnknownHostException
    {
        final InetAddress address = InetAddress.getByName(host);
        final boolean isMeant = host.equals(address.getHostAddress()) || "localhost".equals(host) ||
            host.indexOf(':') >= 0;
        return address.isLoopbackAddress() && !isMeant ? HostAddress.reachable() : address;
    }
}
