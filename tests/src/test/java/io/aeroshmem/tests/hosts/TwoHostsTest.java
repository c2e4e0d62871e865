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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The two hosts themselves.
 */
@Tag("ci")
class TwoHostsTest
{
    @Test
    void shouldBeTwoHosts() throws IOException
    {
        final Path[] processes = new Path[2];
        try (TwoHosts hosts = TwoHosts.start())
        {
            for (int i = 0; i < 2; i++)
            {
                final Host host = hosts.host(i);
                processes[i] = Path.of("/proc", Long.toString(host.pid()));
                assertEquals(host.name(), host.run("hostname").trim());
                assertTrue(host.run("ls", "/sys/class/net").contains("eth0"));
                Files.writeString(host.path("/dev/shm/name"), host.name());
                assertEquals(host.name(), host.run("cat", "/dev/shm/name"));
            }

            assertNotEquals(
                hosts.host(0).run("stat", "-c", "%d", "/dev/shm"), hosts.host(1).run("stat", "-c", "%d", "/dev/shm"));

            final Process sleeper = new ProcessBuilder(hosts.host(1).command(List.of("sleep", "1000"))).start();
            awaitReached(hosts, 0, 1);
            hosts.cut(0);
            assertFalse(isReached(hosts, 0, 1));
            assertFalse(isReached(hosts, 1, 0));
            hosts.mend();
            awaitReached(hosts, 1, 0);

            hosts.host(1).kill();
            sleeper.onExit().join();
        }

        assertFalse(Files.exists(processes[0]));
        assertFalse(Files.exists(processes[1]));
    }

    /** On a busy machine a reply may take longer than one attempt waits. */
    private static void awaitReached(final TwoHosts hosts, final int from, final int to)
    {
        HostProcess.await(() -> isReached(hosts, from, to), "a reply");
    }

    /**
     * Returns whether the other host replies, by refusing a connection.
     */
    private static boolean isReached(final TwoHosts hosts, final int from, final int to)
    {
        final ProcessBuilder builder = new ProcessBuilder(hosts.host(from).command(List.of(
            "bash", "-c", "timeout 1 bash -c 'echo > /dev/tcp/" + hosts.address(to) + "/9' 2>&1")))
            .redirectErrorStream(true);
        try (BufferedReader output = builder.start().inputReader())
        {
            return output.lines().anyMatch((line) -> line.contains("refused"));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }
}
