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

import org.agrona.CloseHelper;
import org.opentest4j.TestAbortedException;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * Two hosts and a cable between them.
 * <p>
 * They are namespaces of this machine's kernel, and the cable is a pair of virtual Ethernet devices, one in each:
 * neither is visible outside, so any number of tests can use the same addresses at the same time. It needs
 * Linux, root privileges, and the commands ip (Debian's iproute2), unshare and nsenter (util-linux).
 */
final class TwoHosts implements AutoCloseable
{
    private static final PrintStream OUT = System.out;
    private static final List<String> COMMANDS = List.of("ip", "unshare", "nsenter", "mount", "hostname");
    /** A hardware address that no device has. */
    private static final String UNUSED_MAC = "02:00:00:00:00:99";
    private static final String DEVICE = "eth0";
    private static final String[] ADDRESSES = {"10.99.0.1", "10.99.0.2"};
    private static final String[] ADDRESSES_OF_SIX = {"fd99::1", "fd99::2"};

    private final Host[] hosts = new Host[2];

    private TwoHosts()
    {
    }

    /**
     * Two hosts with different names.
     *
     * @throws TestAbortedException if this machine does not permit it; the reason is printed.
     */
    static TwoHosts start()
    {
        return start("aero-a", "aero-b");
    }

    static TwoHosts start(final String nameOfFirst, final String nameOfSecond)
    {
        for (final String command : COMMANDS)
        {
            if (!isThere(command))
            {
                throw notHere("no command '" + command + "' (Debian: iproute2, util-linux, hostname)");
            }
        }

        final TwoHosts hosts = new TwoHosts();
        try
        {
            hosts.hosts[0] = Host.start(nameOfFirst);
            hosts.hosts[1] = Host.start(nameOfSecond);
            hosts.connect();
            return hosts;
        }
        catch (final IOException | AssertionError ex)
        {
            hosts.close();
            throw notHere(ex.getMessage());
        }
    }

    private static boolean isThere(final String command)
    {
        return Stream.of(System.getenv().getOrDefault("PATH", "").split(":"))
            .anyMatch((folder) -> Files.isExecutable(Path.of(folder, command)));
    }

    private static TestAbortedException notHere(final String reason)
    {
        final String text = "skipped: two hosts cannot be made here: " + reason;
        OUT.println(text);
        return new TestAbortedException(text);
    }

    private void connect()
    {
        hosts[0].ip("link", "add", DEVICE, "type", "veth",
            "peer", "name", DEVICE, "netns", Long.toString(hosts[1].pid()));
        for (int host = 0; host < hosts.length; host++)
        {
            hosts[host].ip("address", "add", ADDRESSES[host] + "/24", "dev", DEVICE);
            hosts[host].ip("link", "set", DEVICE, "up");
        }
    }

    Host host(final int index)
    {
        return hosts[index];
    }

    String address(final int host)
    {
        return ADDRESSES[host];
    }

    /**
     * Adds an IPv6 address to both.
     *
     * @return those of the first and the second.
     * @throws TestAbortedException where the kernel has no IPv6.
     */
    String[] addressesOfSix()
    {
        try
        {
            for (int host = 0; host < hosts.length; host++)
            {
                hosts[host].ip("address", "replace", ADDRESSES_OF_SIX[host] + "/64", "dev", DEVICE, "nodad");
            }

            return ADDRESSES_OF_SIX.clone();
        }
        catch (final AssertionError ex)
        {
            final String text = "skipped: no IPv6 here: " + ex.getMessage();
            OUT.println(text);
            throw new TestAbortedException(text);
        }
    }

    /**
     * Cuts the link: at one end the network is unreachable, at the other nothing arrives and no reply comes.
     */
    void cut(final int end)
    {
        hosts[end].ip("link", "set", DEVICE, "down");
    }

    /**
     * Cuts the link for a time; returns when it is up again.
     */
    void cut(final int end, final Duration time)
    {
        hosts[end].run("sh", "-c", "ip link set " + DEVICE + " down && sleep " + time.toMillis() / 1e3 +
            " && ip link set " + DEVICE + " up");
    }

    /**
     * Cuts one direction of the link: frames from one end are lost, those to it still arrive.
     */
    void cutOneWay(final int end)
    {
        hosts[end].ip(
            "neighbour", "replace", ADDRESSES[1 - end], "lladdr", UNUSED_MAC, "nud", "permanent", "dev", DEVICE);
    }

    void mend()
    {
        for (final Host host : hosts)
        {
            host.ip("link", "set", DEVICE, "up");
            host.ip("neighbour", "flush", "dev", DEVICE, "nud", "all");
        }
    }

    @Override
    public void close()
    {
        CloseHelper.closeAll(hosts);
    }
}
