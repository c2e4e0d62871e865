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

import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;

import java.io.IOException;
import java.net.ConnectException;
import java.net.InetSocketAddress;
import java.nio.channels.ClosedByInterruptException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.TimeUnit;

/**
 * A client's connection with a selector of its own, and the waiting of the thread that joins: for one message at a
 * time, up to a deadline, ended by an interrupt, which keeps the thread's flag and leaves the connection usable.
 * <p>
 * Used by one thread at a time: the one that joins, then the bridge's.
 */
final class MessagePipe implements AutoCloseable
{
    private static final long MAX_SELECT_MS = 100;

    private final Selector selector;
    private final Connection connection;
    private final String localAddress;
    private final Deque<byte[]> messages = new ArrayDeque<>();

    private MessagePipe(final Selector selector, final SocketChannel channel) throws IOException
    {
        this.selector = selector;
        localAddress = channel.socket().getLocalAddress().getHostAddress();
        connection = new Connection(channel, selector, null);
    }

    /**
     * Connects once.
     *
     * @throws IOException        if nobody answers there until the deadline.
     * @throws TransportException if the thread is interrupted.
     */
    static MessagePipe connect(final InetSocketAddress address, final long deadlineNs) throws IOException
    {
        Selector selector = null;
        SocketChannel channel = null;
        try
        {
            selector = Selector.open();
            channel = SocketChannel.open();
            channel.configureBlocking(false);
            if (!channel.connect(address))
            {
                channel.register(selector, SelectionKey.OP_CONNECT);
                while (!channel.finishConnect())
                {
                    select(selector, deadlineNs, "nothing answers");
                }
            }

            // A free port of this host may be given to the very connection that tries to reach it.
            if (channel.getLocalAddress().equals(channel.getRemoteAddress()))
            {
                throw new ConnectException("nobody listens there");
            }

            return new MessagePipe(selector, channel);
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

    /**
     * A message that has come, without waiting.
     *
     * @return null if there is none.
     */
    byte[] poll()
    {
        return messages.poll();
    }

    /**
     * The next message.
     *
     * @param deadlineNs on the clock of {@link System#nanoTime()}.
     * @return the message.
     * @throws IOException        if none comes until the deadline, or the connection ends.
     * @throws ProtocolViolation  if what comes is no message.
     * @throws TransportException if the thread is interrupted.
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
            select(selector, deadlineNs, "no answer came");
            connection.read(messages::add);
        }

        return messages.poll();
    }

    /**
     * Sends a frame and waits until the kernel has it all.
     *
     * @throws IOException        if that takes longer than the deadline, or the connection broke.
     * @throws TransportException if the thread is interrupted.
     */
    void send(final byte[] frame, final long deadlineNs) throws IOException, ProtocolViolation
    {
        connection.send(frame);
        while (!connection.flush())
        {
            select(selector, deadlineNs, "it takes nothing");
            connection.read(messages::add);
        }
    }

    @Override
    public void close() throws IOException
    {
        connection.close();
        selector.close();
    }

    /**
     * What the joining of an interrupted thread ends with.
     */
    static TransportException interrupted()
    {
        return new TransportException(
            "the thread was interrupted while it waited for the rendezvous", new ClosedByInterruptException());
    }

    private static void select(final Selector selector, final long deadlineNs, final String otherwise)
        throws IOException
    {
        final long remainingNs = deadlineNs - System.nanoTime();
        if (remainingNs <= 0)
        {
            throw new IOException(otherwise);
        }

        selector.select(Math.min(MAX_SELECT_MS, 1 + TimeUnit.NANOSECONDS.toMillis(remainingNs)));
        selector.selectedKeys().clear();
        if (Thread.currentThread().isInterrupted())
        {
            throw interrupted();
        }
    }
}
