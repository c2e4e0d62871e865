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
 * One end of a TCP connection that never blocks: cuts what comes in into messages, and keeps what goes out until the
 * peer takes it, up to a bound.
 * <p>
 * A message is preceded by its length, an int32 in little-endian order. A length that cannot be is known after four
 * bytes, and buffers grow with the bytes that are really there, so a peer takes no more memory than it sends, up to
 * {@link RendezvousMessages#MAX_LENGTH}.
 * <p>
 * Used by one thread at a time.
 */
final class Connection implements AutoCloseable
{
    /**
     * The most bytes that wait for a peer: all the states of the largest job, several times.
     */
    static final int MAX_OUTGOING = 1 << 24;

    private static final int INITIAL_LENGTH = 2048;
    private static final int MAX_INCOMING = RendezvousMessages.PREFIX_LENGTH + RendezvousMessages.MAX_LENGTH;
    /** One peer that sends without end does not keep the others from being served. */
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
    /** After a violation nothing of what comes can be trusted to begin where a message does. */
    private boolean isDiscarding;
    private boolean hasRead;

    /**
     * Takes whole messages as they come in.
     */
    @FunctionalInterface
    interface MessageHandler
    {
        /**
         * One message.
         *
         * @param message without its length.
         * @throws ProtocolViolation if it cannot be; nothing more is read then.
         */
        void onMessage(byte[] message) throws ProtocolViolation;
    }

    /**
     * Takes over a connected channel, and closes it when this fails.
     *
     * @param channel    connected.
     * @param selector   to be registered with.
     * @param attachment of the selection key.
     * @throws IOException if the channel is closed already.
     */
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
     * Reads what is there and hands on every whole message.
     *
     * @return how many messages came.
     * @throws IOException       if the connection broke.
     * @throws ProtocolViolation if a length cannot be, or the handler says so; what comes then is read and forgotten.
     */
    int read(final MessageHandler handler) throws IOException, ProtocolViolation
    {
        int messages = 0;
        int total = 0;
        while (!isEnded && channel.isOpen() && total < MAX_READ_AT_ONCE)
        {
            final int length = channel.read(incoming);
            if (length <= 0)
            {
                isEnded = length < 0;
                break;
            }

            total += length;
            hasRead = true;
            messages += isDiscarding ? discard() : handOn(handler);
        }

        return messages;
    }

    /**
     * Whether the peer has sent anything at all.
     */
    boolean hasRead()
    {
        return hasRead;
    }

    /**
     * Whether the peer will send no more.
     */
    boolean isEnded()
    {
        return isEnded;
    }

    boolean isOpen()
    {
        return channel.isOpen();
    }

    /**
     * Queues a frame.
     *
     * @param frame with its length.
     * @return false if more waits for the peer than may; then nothing of the frame is queued.
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
     * Writes what the peer takes now, and asks to be told when it takes more.
     *
     * @return whether nothing waits any more.
     * @throws IOException if the connection broke.
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
     * Tells the peer that no more comes, but reads on: closing while something is unread would take from the peer what
     * it has not read yet.
     *
     * @throws IOException if the connection broke.
     */
    void endOutput() throws IOException
    {
        channel.shutdownOutput();
    }

    /**
     * Address and port of the peer, for messages.
     */
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

    private int discard()
    {
        incoming.clear();

        return 0;
    }

    private int handOn(final MessageHandler handler) throws ProtocolViolation
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
                throw new ProtocolViolation("a message of " + length + " bytes, where 1 to " +
                    RendezvousMessages.MAX_LENGTH + " are possible");
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
