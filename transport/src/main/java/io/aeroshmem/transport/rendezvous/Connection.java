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

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.SocketChannel;
import java.util.Arrays;

/**
 * One end of a non-blocking TCP connection. It splits the input into messages, and queues output, up to a bound, until
 * the peer accepts the output.
 * <p>
 * A message is preceded by its length, an int32 in little-endian order. An invalid length is detected after these four
 * bytes. The input buffer grows, up to the longest message ({@link RendezvousMessages#MAX_LENGTH}), only when received
 * bytes have filled it. So a peer cannot occupy memory by announcing a length alone.
 * <p>
 * Used by one thread at a time.
 */
final class Connection implements AutoCloseable
{
    /** Maximum number of bytes queued for a peer: all states of the largest job, several times. */
    static final int MAX_OUTGOING = 1 << 24;

    private static final int INITIAL_LENGTH = 2048;
    private static final int MAX_INCOMING = RendezvousMessages.PREFIX_LENGTH + RendezvousMessages.MAX_LENGTH;
    /** A peer that sends continuously must not starve the others. */
    private static final int MAX_READ_AT_ONCE = 1 << 18;
    /** The JDK keeps a direct buffer as large as the largest write of a thread. */
    private static final int MAX_WRITE_AT_ONCE = 1 << 16;

    private final SocketChannel channel;
    private final SelectionKey key;
    private final String peer;
    private ByteBuffer incoming = ByteBuffer.allocate(INITIAL_LENGTH).order(ByteOrder.LITTLE_ENDIAN);
    private byte[] outgoing = new byte[INITIAL_LENGTH];
    private int outgoingStart;
    private int outgoingEnd;
    private boolean isEnded;
    /** After a violation the message boundaries of the input are unknown. */
    private boolean isDiscarding;
    private boolean hasRead;

    /** Handler of complete messages. */
    @FunctionalInterface
    interface MessageHandler
    {
        /** Handles one message, without its length. Nothing more is read after a {@link ProtocolViolation}. */
        void onMessage(byte[] message) throws ProtocolViolation;
    }

    /** Takes ownership of a connected channel, and closes it if this fails. */
    Connection(final SocketChannel channel, final Selector selector, final Object attachment) throws IOException
    {
        this.channel = channel;
        try
        {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            peer = String.valueOf(channel.getRemoteAddress());
            final SelectionKey known = channel.keyFor(selector);
            key = null == known ? channel.register(selector, SelectionKey.OP_READ) : known;
            key.interestOps(SelectionKey.OP_READ);
            key.attach(attachment);
        }
        catch (final IOException ex)
        {
            channel.close();
            throw ex;
        }
    }

    /**
     * Reads the available input and passes on every complete message. Returns the number of messages. After a
     * {@link ProtocolViolation}, by a length or by the handler, all further input is discarded.
     */
    int read(final MessageHandler handler) throws IOException, ProtocolViolation
    {
        int messages = 0;
        int total = 0;
        while (!isEnded && channel.isOpen() && total < MAX_READ_AT_ONCE)
        {
            if (isDiscarding)
            {
                // The violation may have left it full, without room to read into.
                incoming.clear();
            }

            final int length = channel.read(incoming);
            if (length <= 0)
            {
                isEnded = length < 0;
                break;
            }

            total += length;
            hasRead = true;
            messages += isDiscarding ? 0 : dispatch(handler);
        }

        return messages;
    }

    /** Returns whether the peer has sent anything. */
    boolean hasRead()
    {
        return hasRead;
    }

    /** Returns whether the peer has closed its output. */
    boolean isEnded()
    {
        return isEnded;
    }

    boolean isOpen()
    {
        return channel.isOpen();
    }

    /**
     * Queues a frame, length included. Returns false, and queues nothing, if that would exceed {@link #MAX_OUTGOING}.
     */
    boolean send(final byte[] frame)
    {
        final int queued = outgoingEnd - outgoingStart;
        if (queued + frame.length > MAX_OUTGOING)
        {
            return false;
        }

        if (outgoingEnd + frame.length > outgoing.length)
        {
            final byte[] target =
                queued + frame.length > outgoing.length / 2 ?
                new byte[Math.max(2 * outgoing.length, queued + frame.length)] : outgoing;
            System.arraycopy(outgoing, outgoingStart, target, 0, queued);
            outgoing = target;
            outgoingStart = 0;
            outgoingEnd = queued;
        }

        System.arraycopy(frame, 0, outgoing, outgoingEnd, frame.length);
        outgoingEnd += frame.length;

        return true;
    }

    /**
     * Writes what the peer accepts now, and selects for writing if anything remains. Returns whether the queue is
     * empty.
     */
    boolean flush() throws IOException
    {
        while (outgoingStart < outgoingEnd)
        {
            final int length = Math.min(MAX_WRITE_AT_ONCE, outgoingEnd - outgoingStart);
            final int written = channel.write(ByteBuffer.wrap(outgoing, outgoingStart, length));
            if (0 == written)
            {
                break;
            }

            outgoingStart += written;
        }

        final boolean isFlushed = outgoingStart == outgoingEnd;
        if (key.isValid())
        {
            final int readInterest = isEnded ? 0 : SelectionKey.OP_READ;
            final int interest = isFlushed ? readInterest : readInterest | SelectionKey.OP_WRITE;
            if (interest != key.interestOps())
            {
                key.interestOps(interest);
            }
        }

        if (isFlushed)
        {
            outgoingStart = 0;
            outgoingEnd = 0;
            outgoing = outgoing.length > MAX_INCOMING ? new byte[INITIAL_LENGTH] : outgoing;
        }

        return isFlushed;
    }

    /**
     * Closes the output but keeps reading: closing the connection with unread input would discard output that the peer
     * has not read yet.
     */
    void endOutput() throws IOException
    {
        channel.shutdownOutput();
    }

    /** Returns address and port of the peer. */
    @Override
    public String toString()
    {
        return peer;
    }

    @Override
    public void close() throws IOException
    {
        isEnded = true;
        key.cancel();
        channel.close();
    }

    private int dispatch(final MessageHandler handler) throws ProtocolViolation
    {
        isDiscarding = true;
        int messages = 0;
        final byte[] bytes = incoming.array();
        int start = 0;
        final int end = incoming.position();
        int needed = 0;
        while (end - start >= RendezvousMessages.PREFIX_LENGTH)
        {
            final int length = incoming.getInt(start);
            if (length <= 0 || length > RendezvousMessages.MAX_LENGTH)
            {
                throw new ProtocolViolation("message length must be 1 to " + RendezvousMessages.MAX_LENGTH +
                    ": length=" + length);
            }

            final int next = start + RendezvousMessages.PREFIX_LENGTH + length;
            if (next > end)
            {
                needed = next - start;
                break;
            }

            final byte[] message = Arrays.copyOfRange(bytes, start + RendezvousMessages.PREFIX_LENGTH, next);
            start = next;
            messages++;
            handler.onMessage(message);
        }

        incoming.limit(end).position(start);
        incoming.compact();
        if (needed > incoming.capacity() && !incoming.hasRemaining())
        {
            incoming.flip();
            incoming = ByteBuffer.allocate(Math.min(2 * incoming.capacity(), MAX_INCOMING))
                .order(ByteOrder.LITTLE_ENDIAN).put(incoming);
        }

        isDiscarding = false;

        return messages;
    }
}
