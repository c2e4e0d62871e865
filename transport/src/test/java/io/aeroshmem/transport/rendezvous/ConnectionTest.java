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
package io.aeroshmem.transport.rendezvous;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(30)
class ConnectionTest
{
    private Selector selector;
    private SocketChannel peer;
    private Connection connection;

    @BeforeEach
    void connect() throws IOException
    {
        selector = Selector.open();
        try (ServerSocketChannel listener = ServerSocketChannel.open())
        {
            listener.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            peer = SocketChannel.open(listener.getLocalAddress());
            connection = new Connection(listener.accept(), selector, null);
        }
    }

    @AfterEach
    void close() throws IOException
    {
        connection.close();
        peer.close();
        selector.close();
    }

    @Test
    void shouldCutMessagesWhereverTheyAreSplit() throws Exception
    {
        final Random random = new Random(11);
        final List<byte[]> sent = new ArrayList<>();
        final List<byte[]> received = new ArrayList<>();
        final ByteBuffer stream = ByteBuffer.allocate(1 << 22);
        for (int i = 0; i < 200; i++)
        {
            final byte[] message = new byte[
                0 == i % 50 ? RendezvousMessages.MAX_LENGTH : 1 + random.nextInt(0 == i % 7 ? 20_000 : 200)];
            random.nextBytes(message);
            sent.add(message);
            stream.put(frame(message));
        }

        stream.flip();

        while (stream.hasRemaining())
        {
            final int end = Math.min(stream.limit(), stream.position() + 1 + random.nextInt(9_000));
            final ByteBuffer piece = stream.duplicate().limit(end);
            while (piece.hasRemaining())
            {
                peer.write(piece);
                connection.read(received::add);
            }

            stream.position(end);
        }
        while (received.size() < sent.size())
        {
            selector.select(100);
            connection.read(received::add);
        }

        for (int i = 0; i < sent.size(); i++)
        {
            assertArrayEquals(sent.get(i), received.get(i));
        }

        peer.close();
        while (!connection.isEnded())
        {
            selector.select(100);
            assertEquals(0, connection.read(received::add));
        }
    }

    @Test
    void shouldRefuseLengthsThatCannotBeAndForgetTheRest() throws Exception
    {
        peer.write(ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(RendezvousMessages.MAX_LENGTH + 1).putInt(0).flip());
        final List<byte[]> received = new ArrayList<>();
        assertThrows(ProtocolViolation.class, () ->
        {
            while (true)
            {
                selector.select(100);
                connection.read(received::add);
            }
        });
        peer.write(ByteBuffer.wrap(frame(new byte[10_000])));
        peer.close();
        while (!connection.isEnded())
        {
            selector.select(100);
            assertEquals(0, connection.read(received::add));
        }

        assertTrue(received.isEmpty());
    }

    @Test
    void shouldForgetTheRestAfterAViolationThatFilledTheBuffer() throws Exception
    {
        final byte[] invalid = new byte[4096];
        Arrays.fill(invalid, (byte)0xFF);
        peer.write(ByteBuffer.wrap(invalid));
        final List<byte[]> received = new ArrayList<>();
        assertThrows(ProtocolViolation.class, () ->
        {
            while (true)
            {
                selector.select(100);
                connection.read(received::add);
            }
        });

        final ByteBuffer rest = ByteBuffer.allocate(1 << 20);
        peer.configureBlocking(false);
        while (rest.hasRemaining())
        {
            assertFalse(Thread.interrupted(), "the rest is not read");
            peer.write(rest);
            assertEquals(0, connection.read(received::add));
        }

        peer.close();
        while (!connection.isEnded())
        {
            assertFalse(Thread.interrupted(), "the end is not read");
            selector.select(100);
            assertEquals(0, connection.read(received::add));
        }

        assertTrue(received.isEmpty());
    }

    @Test
    void shouldKeepNoMoreForPeerThanTheBound() throws Exception
    {
        final byte[] frame = frame(new byte[60_000]);
        int queued = 0;
        while (connection.send(frame))
        {
            queued++;
            connection.flush();
        }

        final long most = (long)queued * frame.length;
        assertTrue(most >= Connection.MAX_OUTGOING - frame.length, () -> most + " bytes");
        assertFalse(connection.flush());

        final ByteBuffer taken = ByteBuffer.allocate(1 << 16);
        long total = 0;
        while (total < (long)queued * frame.length)
        {
            connection.flush();
            total += peer.read(taken.clear());
        }

        assertTrue(connection.flush());
        assertTrue(connection.send(frame));
    }

    private static byte[] frame(final byte[] message)
    {
        return ByteBuffer.allocate(4 + message.length).order(ByteOrder.LITTLE_ENDIAN)
            .putInt(message.length).put(message).array();
    }
}
