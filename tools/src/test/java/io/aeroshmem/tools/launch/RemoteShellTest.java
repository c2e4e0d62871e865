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
import io.aeroshmem.transport.job.HostName;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RemoteShellTest
{
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(10);

    @Test
    void shouldRunSshInBatchModeAndDetectASilentConnection()
    {
        assertEquals(
            List.of(
                "ssh", "-F", "conf", "-T", "-o", "BatchMode=yes", "-o", "ConnectTimeout=20",
                "-o", "ServerAliveInterval=3", "-o", "ServerAliveCountMax=3", "a", "'/opt/aero/aeroshmem' node"),
            new RemoteShell(" ssh  -F conf ", "/opt/aero/aeroshmem", LIVENESS_NS).command("a", "node"));
    }

    @Test
    void shouldPassNoOptionsToOtherCommandsThanSsh()
    {
        assertEquals(
            List.of("docker", "exec", "-i", "a", "'/x' node"),
            new RemoteShell("docker exec -i", "/x", LIVENESS_NS).command("a", "node"));
    }

    @Test
    void shouldRejectAnUnknownPathOfTheScript()
    {
        final RemoteShell shell = new RemoteShell("ssh", null, LIVENESS_NS);

        assertTrue(assertThrows(CommandException.class, () -> shell.command("a", "node"))
            .getMessage().contains("--remote"));
        assertThrows(CommandException.class, () -> new RemoteShell(" ", "/x", LIVENESS_NS));
    }

    @ParameterizedTest
    @ValueSource(strings = { "/opt/it's $HOME/\"a\" b", "line\nline", "\\n`id`!*", "" })
    void shouldQuoteWordsForAShell(final String word) throws Exception
    {
        final Process shell =
            new ProcessBuilder("sh", "-c", "printf %s " + RemoteShell.quote(word)).redirectErrorStream(true).start();

        assertEquals(word, new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8));
    }

    @Test
    void shouldRecogniseThisHost()
    {
        assertTrue(RemoteShell.isThisHost("localhost"));
        assertTrue(RemoteShell.isThisHost("::1"));
        assertTrue(RemoteShell.isThisHost(HostName.local()));
        assertFalse(RemoteShell.isThisHost("me@localhost"));
        assertFalse(RemoteShell.isThisHost("me@::1"));
        assertFalse(RemoteShell.isThisHost("elsewhere"));
    }

    @Test
    void shouldRecogniseTheAddressesOfThisHost() throws SocketException
    {
        NetworkInterface.networkInterfaces().flatMap(NetworkInterface::inetAddresses).map(InetAddress::getHostAddress)
            .forEach((address) -> assertTrue(RemoteShell.isThisHost(address), address));
        assertFalse(RemoteShell.isThisHost("192.0.2.1"));
        assertFalse(RemoteShell.isThisHost("2001:db8::1"));
        assertFalse(RemoteShell.isThisHost("1.2.3"));
    }

    @Test
    void shouldConnectToTheNameWithoutTheUser()
    {
        assertEquals("a", new RemoteShell("other", "/x", LIVENESS_NS).addressOf("me@a"));
    }

    @Test
    void shouldConnectToTheNameThatSshResolves(@TempDir final Path folder) throws IOException
    {
        assertEquals("b.example", ssh(folder, "echo user me; echo hostname b.example").addressOf("me@a"));
    }

    @Test
    @Timeout(30)
    @Tag("ci")
    void shouldEndAnSshThatHangs(@TempDir final Path folder) throws IOException
    {
        final Path pid = folder.resolve("pid");

        assertEquals("a", ssh(folder, "echo $$ > " + pid + "; exec sleep 60").addressOf("me@a"));
        ProcessHandle.of(Long.parseLong(Files.readString(pid).strip()))
            .ifPresent((process) -> process.onExit().join());
    }

    private static RemoteShell ssh(final Path folder, final String commands) throws IOException
    {
        final Path ssh = Files.writeString(folder.resolve("ssh"), "#!/bin/sh\n" + commands + '\n');
        assertTrue(ssh.toFile().setExecutable(true));
        return new RemoteShell(ssh.toString(), "/x", LIVENESS_NS);
    }
}
