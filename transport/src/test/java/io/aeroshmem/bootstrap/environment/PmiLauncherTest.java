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

import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

@Timeout(30)
class PmiLauncherTest
{
    private static final byte[] ID = {1, 2, 3, -4, 0};
    private static final long LONG_NS = TimeUnit.SECONDS.toNanos(20);
    private static final Path DESCRIPTORS = Path.of("/proc/self/fd");

    @Test
    void shouldHandTheIdOfPe0ToTheOthers() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(3, (line) -> line))
        {
            final List<Object> results = run(fake, 3, () -> ID);
            for (final Object result : results)
            {
                assertArrayEquals(ID, (byte[])result);
            }

            assertEquals(3, fake.ended());
        }
    }

    @Test
    void shouldKeepTheIdForLaterJobs() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(1, (line) -> line))
        {
            final PmiLauncher launcher = launcher(fake, 0);
            assertArrayEquals(ID, launcher.id(() -> ID, System.nanoTime() + LONG_NS));
            assertArrayEquals(ID, launcher.id(() -> new byte[0], System.nanoTime() + LONG_NS));
        }
    }

    @Test
    void shouldTellAllWhyThereIsNoId() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(2, (line) -> line))
        {
            final String message = "cannot listen: " + "ä".repeat(600);
            final List<Object> results = run(fake, 2, () ->
            {
                throw new TransportException(message);
            });
            assertEquals(message, ((Exception)results.get(0)).getMessage());
            final String received = ((Exception)results.get(1)).getMessage();
            assertTrue(received.startsWith("cannot listen: ääää"), received);
            assertEquals(2, fake.ended());
        }
    }

    @Test
    void shouldNotWaitForEverForThoseWhoDoNotCome() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(2, (line) -> line))
        {
            final PmiLauncher launcher = launcher(fake, 1);
            // the launcher replies to what comes before within this time
            final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(1);
            final String message =
                assertThrows(TransportException.class, () -> launcher.id(() -> ID, deadlineNs)).getMessage();
            assertTrue(message.contains("not all processes that it started have called init"), message);
            assertTrue(message.contains("aeroshmem.join.timeout"), message);
            assertThrows(TransportException.class, () -> launcher.id(() -> ID, deadlineNs));
        }
    }

    @Test
    void shouldEndWhenInterrupted() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(2, (line) -> line))
        {
            final PmiLauncher launcher = launcher(fake, 1);
            Thread.currentThread().interrupt();
            final Exception exception =
                assertThrows(TransportException.class, () -> launcher.id(() -> ID, System.nanoTime() + LONG_NS));
            assertTrue(Thread.interrupted());
            assertInstanceOf(ClosedByInterruptException.class, exception.getCause());
        }
    }

    @Test
    void shouldNoticeAtOnceThatTheLauncherIsGone() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(2, (line) -> line))
        {
            final PmiLauncher launcher = launcher(fake, 1);
            fake.hangUp();
            final String message = assertThrows(
                TransportException.class, () -> launcher.id(() -> ID, System.nanoTime() + LONG_NS)).getMessage();
            assertTrue(message.contains("is lost"), message);
        }
    }

    @Test
    void shouldRefuseStrangeAnswers() throws Exception
    {
        for (final String strange : new String[]{
            "cmd=response_to_init rc=-1\n", "cmd=barrier_out\n", "HTTP/1.1 400 Bad Request\n", "\n", "x".repeat(5000)})
        {
            try (FakeLauncher fake =
                new FakeLauncher(1, (line) -> line.startsWith("cmd=response_to_init") ? strange : line))
            {
                final PmiLauncher launcher = launcher(fake, 0);
                final String message = assertThrows(
                    TransportException.class, () -> launcher.id(() -> ID, System.nanoTime() + LONG_NS)).getMessage();
                assertTrue(message.contains("PMI_PORT=" + fake.hostAndPort()), message);
            }
        }
    }

    @Test
    void shouldRefuseAValueThatIsNoId() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(
            2, (line) -> line.startsWith("cmd=get_result") ? "cmd=get_result rc=0 value=xyz\n" : line))
        {
            final List<Object> results = run(fake, 2, () -> ID);
            final String message = ((Exception)results.get(1)).getMessage();
            assertTrue(message.contains("id: 'xyz'"), message);
        }
    }

    @Test
    void shouldRefuseRanksThatCannotBe() throws Exception
    {
        try (FakeLauncher fake = new FakeLauncher(2, (line) -> line))
        {
            for (final String id : new String[]{"2", "-1", "first"})
            {
                final String message = assertThrows(TransportException.class, () -> PmiConnection.connect(
                    fake.hostAndPort(), id, System.nanoTime() + LONG_NS)).getMessage();
                assertTrue(message.contains("rank"), message);
            }
        }
    }

    @Test
    void shouldCloseTheConnectionToALauncherThatGivesNoRank() throws Exception
    {
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final String place = "127.0.0.1:" + server.getLocalPort();
            assertThrows(TransportException.class,
                () -> PmiConnection.connect(place, "0", System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200)));
            try (Socket launcher = server.accept())
            {
                launcher.setSoTimeout(20_000);
                final byte[] received = launcher.getInputStream().readAllBytes();
                assertEquals("cmd=initack pmiid=0\n", new String(received, StandardCharsets.US_ASCII));
            }
        }
    }

    @Test
    void shouldNameTheLauncherThatCannotBeReached() throws Exception
    {
        final int port;
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            port = socket.getLocalPort();
        }

        for (final String place : new String[]{"127.0.0.1:" + port, "127.0.0.1", "127.0.0.1:x", "127.0.0.1:99999"})
        {
            final String message = assertThrows(TransportException.class,
                () -> PmiConnection.connect(place, "0", System.nanoTime() + LONG_NS)).getMessage();
            assertTrue(message.startsWith("no launcher responds at PMI_PORT=" + place), message);
        }
    }

    @Test
    void shouldUseASocketThatIsKnownByItsNumber() throws Exception
    {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "no " + DESCRIPTORS + " on this system");
        try (ServerSocket server = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final SocketChannel channel = SocketChannel.open(
                new InetSocketAddress(InetAddress.getLoopbackAddress(), server.getLocalPort()));
            try (Socket other = server.accept())
            {
                final FileDescriptor descriptor = InheritedSocket.open("PMI_FD", descriptorNumber(channel));
                final FileOutputStream output = new FileOutputStream(descriptor);
                output.write(42);
                output.flush();
                final InputStream input = other.getInputStream();
                assertEquals(42, input.read());
            }

            channel.close();
        }
    }

    @Test
    void shouldNotTouchWhatIsNoSocket(@TempDir final Path folder) throws Exception
    {
        assumeTrue(Files.isDirectory(DESCRIPTORS), "no " + DESCRIPTORS + " on this system");
        final Path file = folder.resolve("file");
        try (FileOutputStream output = new FileOutputStream(file.toFile()))
        {
            for (final String descriptor : descriptors())
            {
                final Path link = DESCRIPTORS.resolve(descriptor);
                if (Files.exists(link) && Files.isSameFile(link, file))
                {
                    final String message = assertThrows(
                        TransportException.class, () -> InheritedSocket.open("PMI_FD", descriptor)).getMessage();
                    assertTrue(message.startsWith("PMI_FD=" + descriptor + ":"), message);
                }
            }

            output.write(1);
        }

        assertEquals(1, Files.size(file));
        for (final String wrong : new String[]{"-1", "six", "99999", "99999999999"})
        {
            final String message = assertThrows(
                TransportException.class, () -> InheritedSocket.open("PMI_FD", wrong)).getMessage();
            assertTrue(message.contains("PMI_FD=" + wrong), message);
        }
    }

    /**
     * All ranks at once.
     *
     * @return of each its id or its exception.
     */
    private static List<Object> run(final FakeLauncher fake, final int size, final Supplier<byte[]> maker)
        throws Exception
    {
        final ExecutorService executor = Executors.newFixedThreadPool(size);
        try
        {
            final List<Future<byte[]>> futures = new ArrayList<>();
            for (int pe = 0; pe < size; pe++)
            {
                final int rank = pe;
                futures.add(executor.submit(
                    () -> launcher(fake, rank).id(maker, System.nanoTime() + LONG_NS)));
            }

            final List<Object> results = new ArrayList<>();
            for (final Future<byte[]> future : futures)
            {
                results.add(resultOf(future));
            }

            return results;
        }
        finally
        {
            executor.shutdownNow();
        }
    }

    private static Object resultOf(final Future<byte[]> future) throws InterruptedException
    {
        try
        {
            return future.get();
        }
        catch (final ExecutionException ex)
        {
            return ex.getCause();
        }
    }

    private static PmiLauncher launcher(final FakeLauncher fake, final int rank)
    {
        final PmiConnection connection = PmiConnection.connect(
            fake.hostAndPort(), Integer.toString(rank), System.nanoTime() + LONG_NS);
        return new PmiLauncher(connection, connection.rank(), connection.size());
    }

    private static String descriptorNumber(final SocketChannel channel) throws ReflectiveOperationException
    {
        final Method number = channel.getClass().getMethod("getFDVal");
        number.setAccessible(true);
        return number.invoke(channel).toString();
    }

    private static List<String> descriptors() throws IOException
    {
        try (Stream<Path> links = Files.list(DESCRIPTORS))
        {
            return links.map((link) -> link.getFileName().toString()).toList();
        }
    }
}
