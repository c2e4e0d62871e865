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
     * The address of PE 0's host.
     *
     * @param job         of this process.
     * @param keepsTrying asked before a name that may become known late is looked up once more.
     * @return an address of this host, if this is PE 0.
     * @throws TransportException if there is none.
     */
    static InetAddress address(final JobEnvironment job, final BooleanSupplier keepsTrying)
    {
        while (true)
        {
            try
            {
                final InetAddress address = reachable(job.host());
                if (0 == job.pe() && !HostAddress.isOwn(address))
                {
                    throw notHere(job, address);
                }
                return address;
            }
            catch (final UnknownHostException ex)
            {
                if (!job.scheduler().isNameLate() || !keepsTrying.getAsBoolean())
                {
                    throw new TransportException(LauncherTexts.noPlace(
                        job.scheduler(), "the host of PE 0, " + job.host() + ", has no address here"), ex);
                }
            }
        }
    }

    private static TransportException notHere(final JobEnvironment job, final InetAddress address)
    {
        final String numbers = address.getHostAddress();
        return new TransportException(LauncherTexts.noPlace(job.scheduler(), "PE 0 should listen at " + job.host() +
            (job.host().equals(numbers) ? "" : " (" + numbers + ")") + ", which is not an address of its host " +
            HostAddress.reachable().getHostAddress()));
    }

    private static InetAddress reachable(final String host) throws UnknownHostException
    {
        final InetAddress address = InetAddress.getByName(host);
        final boolean isMeant = host.equals(address.getHostAddress()) || "localhost".equals(host) ||
            host.indexOf(':') >= 0;
        return address.isLoopbackAddress() && !isMeant ? HostAddress.reachable() : address;
    }
}
