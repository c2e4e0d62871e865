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
 * The address at which PE 0 listens and to which the other PEs connect, computed from the environment.
 * <p>
 * Many hosts map their own name to a loopback address in their hosts file, while other hosts resolve the name to a
 * different address. If the host of PE 0 maps its name to a loopback address, all PEs on that host use
 * {@link HostAddress#reachable()} instead of the loopback address. They agree, because they read the same hosts file.
 */
final class RendezvousPoint
{
    /** Lowest port derived from a job key; the range is below the ephemeral ports of the kernel. */
    static final int FIRST_PORT = 20_000;

    /** Number of ports derived from job keys. */
    static final int PORTS = 12_000;

    private static final int MAX_PORT = 65_535;

    private RendezvousPoint()
    {
    }

    /** Returns the port derived from a job key, which includes the sequence number of the job. */
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
     * Returns the port of the n-th job of a process: derived from the job key, or from the port given by the user. Each
     * job has its own, so that a PE that joins the next one early does not connect to the server of the last.
     */
    static int port(final int given, final String jobKey, final int sequence)
    {
        return 0 == given ? port(jobKey) : 1 + (given + sequence - 2) % MAX_PORT;
    }

    /**
     * Returns the address of PE 0's host; on PE 0 it must be one of this host. {@code keepsTrying} is polled before a
     * name that may become resolvable late is looked up again.
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
