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
import io.aeroshmem.tools.exit.ExitCode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HostListTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldFillHostsInOrder()
    {
        final HostList hosts = parse("a,b:4,me@c:2");

        assertEquals(7, hosts.slots());
        assertEquals(
            List.of(new HostList.Node("a", 0, 1), new HostList.Node("b", 1, 4), new HostList.Node("me@c", 5, 2)),
            hosts.place(7));
        assertEquals(List.of(new HostList.Node("a", 0, 1), new HostList.Node("b", 1, 2)), hosts.place(3));
    }

    @Test
    void shouldAddTheSlotsOfARepeatedHost()
    {
        assertEquals(
            List.of(new HostList.Node("a", 0, 5), new HostList.Node("b", 5, 1)), parse("a:2,b,a:3").place(6));
    }

    @Test
    void shouldAcceptAddresses()
    {
        assertEquals(
            List.of(
                new HostList.Node("10.0.0.1", 0, 2), new HostList.Node("fe80::1%eth0", 2, 3),
                new HostList.Node("::1", 5, 1), new HostList.Node("me@::1", 6, 1)),
            parse("10.0.0.1:2,[fe80::1%eth0]:3,[::1],me@[::1]").place(7));
    }

    @ParameterizedTest
    @ValueSource(strings = { "", "-oProxyCommand=x", "a b", "a:0", "a:x", "a:", ":2", "::1", "a;b", "$(x)" })
    void shouldRejectMalformedHosts(final String item)
    {
        final CommandException exception =
            assertThrows(CommandException.class, () -> HostList.parse(List.of("a", item)));

        assertEquals(ExitCode.USAGE, exception.exitCode());
        assertTrue(exception.getMessage().contains("'" + item + "'"), exception.getMessage());
    }

    @ParameterizedTest
    @ValueSource(ints = { 0, -1, 6 })
    void shouldRejectMorePesThanSlots(final int nPes)
    {
        final HostList hosts = parse("a,b:4");

        final CommandException exception = assertThrows(CommandException.class, () -> hosts.place(nPes));
        assertTrue(
            exception.getMessage().contains("-n must be 1 to 5, the sum of the hosts' slots: -n=" + nPes),
            exception.getMessage());
    }

    @Test
    void shouldReadAHostFile() throws IOException
    {
        final Path file = directory.resolve("hosts");
        Files.writeString(file, "# two of them\na slots=4\n\n  b   slots = 2  # old\nc:3\nd\na\n");

        assertEquals(
            List.of(
                new HostList.Node("a", 0, 5), new HostList.Node("b", 5, 2), new HostList.Node("c", 7, 3),
                new HostList.Node("d", 10, 1)),
            HostList.read(file).place(11));
    }

    @ParameterizedTest
    @CsvSource({
        "a slots=0, hosts:1", "a slots, hosts:1", "a:2 slots=2, hosts:1", "a max_slots=2, hosts:1",
        "'# none', host file must contain a host"
    })
    void shouldRejectMalformedHostFiles(final String text, final String expected) throws IOException
    {
        final Path file = directory.resolve("hosts");
        Files.writeString(file, text);

        final CommandException exception = assertThrows(CommandException.class, () -> HostList.read(file));
        assertTrue(exception.getMessage().contains(expected), exception.getMessage());
    }

    @Test
    @Timeout(30)
    void shouldReadNoDevice()
    {
        final String message =
            assertThrows(CommandException.class, () -> HostList.read(Path.of("/dev/zero"))).getMessage();
        assertEquals("cannot read the host file /dev/zero: not a regular file", message);
    }

    @Test
    void shouldFormatPesForMessages()
    {
        assertEquals("PE 3", new HostList.Node("a", 3, 1).peText());
        assertEquals("PEs 4-7", new HostList.Node("a", 4, 4).peText());
    }

    private static HostList parse(final String hosts)
    {
        return HostList.parse(List.of(hosts.split(",")));
    }
}
