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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * A client's {@link Connection} to the rendezvous server, with blocking operations and a selector of its own. An
 * operation sends or receives one message before a deadline. An interrupt ends the operation; the interrupt flag stays
 * set, and the connection stays usable.
 * <p>
 * Used by one thread at a time: first by the thread that joins the job, then by that of the
 * {@link ControlFileReplicator}.
 */
final class BlockingMessageChannel implements AutoCloseable
{
    private static final long MAX_SELECT_MS = 100;

    private final Selector selector;
    private final Connection connection;
    private final Pause pause;
    private final String localAddress;
    private final Deque<byte[]> messages = new ArrayDeque<>();

    private BlockingMessageChannel(final Selector selector, final SocketChannel channel, final Pause pause)
        throws IOException
    {
        this.selector = selector;
        this.pause = pause;
        localAddress = channel.socket().getLocalAddress().getHostAddress();
        connection = new Connection(channel, selector, null);
    }

    /** Connects once. Throws an {@link IOException} on timeout, a {@link TransportException} on interrupt. */
    static BlockingMessageChannel connect(
        final InetSocketAddress address, final long deadlineNs, final Pause pause) throws IOException
    {
        Selector selector = null;
        SocketChannel channel = null;
        try
        {
            selector = Selector.open();
            channel = SocketChannel.open();
            // else no server could listen at the port of this connection for a minute after its end
            channel.setOption(StandardSocketOptions.SO_REUSEADDR, true);
            channel.configureBlocking(false);
            if (!channel.connect(address))
            {
                channel.register(selector, SelectionKey.OP_CONNECT);
                while (!channel.finishConnect())
                {
                    select(selector, pause, deadlineNs, "no connection was accepted");
                }
            }

            // The kernel may assign a free port of this host to the connection that tries to reach it.
            if (channel.getLocalAddress().equals(channel.getRemoteAddress()))
            {
                throw new ConnectException("Connection refused: no server listens");
            }

            return new BlockingMessageChannel(selector, channel, pause);
        }
        catch (final IOException | RuntimeException ex)
        {
            Threads.closeAll(ex, channel, selector);
            throw ex;
        }
    }

    Connection connection()
    {
        return connection;
    }

    Selector selector()
    {
        return selector;
    }

    String localAddress()
    {
        return localAddress;
    }

    /** Returns a message already received, or null; does not wait. */
    byte[] poll()
    {
        return messages.poll();
    }

    /**
     * Waits for the next message. Throws an {@link IOException} on timeout or when the connection ends, a
     * {@link TransportException} on interrupt.
     */
    byte[] next(final long deadlineNs) throws IOException, ProtocolViolation
    {
        while (messages.isEmpty())
        {
            if (connection.isEnded())
            {
                throw new IOException("the connection ended");
            }

            connection.flush();
            select(selector, pause, deadlineNs, "no reply was received");
            connection.read(messages::add);
        }

        return messages.poll();
    }

    /** Sends a frame and waits until the kernel has accepted it. */
    void send(final byte[] frame, final long deadlineNs) throws IOException, ProtocolViolation
    {
        connection.send(frame);
        while (!connection.flush())
        {
            select(selector, pause, deadlineNs, "the peer does not read");
            connection.read(messages::add);
        }
    }

    @Override
    public void close() throws IOException
    {
        connection.close();
        selector.close();
    }

    /** Returns the exception of a joining thread that is interrupted. */
    static TransportException interrupted()
    {
        return new TransportException(
            "the thread was interrupted while it waited for the rendezvous", new ClosedByInterruptException());
    }

    private static void select(
        final Selector selector, final Pause pause, final long deadlineNs, final String problem) throws IOException
    {
        final long remainingNs = deadlineNs - pause.nanoTime();
        if (remainingNs <= 0)
        {
            throw new IOException(problem);
        }

        pause.select(selector, Math.min(MAX_SELECT_MS, 1 + TimeUnit.NANOSECONDS.toMillis(remainingNs)));
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted())
        {
            throw interrupted();
        }
    }
}
