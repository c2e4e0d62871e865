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
package io.aeroshmem.simulation;

import io.aeron.Publication;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import org.agrona.BitUtil;
import org.agrona.BufferUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;

/**
 * Stream of frames from the processes that offer to it to one inbox, as Aeron has it: a log of fixed length with a
 * flow-control window, which returns the negative results of {@link Publication#offer}. The sender's position, the
 * position up to which frames have arrived, and that of the receiver move at different times. What was consumed is
 * overwritten, so that nobody reads it any more. Also the image of the stream at its receiver.
 */
final class SimulatedLog
{
    /** Where frames start in the log: the header of a frame has the length of Aeron's. */
    private static final int HEADER_LENGTH = 32;
    private static final int PADDING = -1;
    private static final byte CONSUMED = (byte)0xDB;

    final String name;
    /** Number of the sending process; -1 if all processes share the stream. */
    final int process;
    /** Number of the receiving process. */
    final int receiver;
    /** Receives this image when it has ended, and its name. */
    final BiConsumer<Object, String> onImageLost;
    private final SplittableRandom random;
    private final int mask;
    private final int maxFrameLength;
    private final int window;
    private final UnsafeBuffer buffer;
    private final Header header = new Header(0, 0, this);
    private final int refusalPercent;
    /** Null if frames take no time. */
    private final SimulatedLink link;
    /** When the frames on their way arrive. */
    private final Deque<Long> arrivals = new ArrayDeque<>();
    private long busyUntilNs;
    private long lastArrivalNs;
    private long tail;
    private long arrived;
    private long head;
    /** Position up to which the sender may go, as far as it knows. */
    private long limit;
    private boolean isConnected;
    private boolean isDisconnected;
    private boolean isClosed;
    private boolean isLost;
    private boolean isCut;
    private boolean isFull;

    SimulatedLog(
        final String name,
        final int process,
        final int receiver,
        final int length,
        final int mtu,
        final int refusalPercent,
        final SimulatedLink link,
        final BiConsumer<Object, String> onImageLost,
        final SplittableRandom random)
    {
        this.name = name;
        this.process = process;
        this.receiver = receiver;
        this.onImageLost = onImageLost;
        this.random = random;
        this.refusalPercent = refusalPercent;
        this.link = link;
        mask = length - 1;
        maxFrameLength = mtu - HEADER_LENGTH;
        window = length / 2;
        limit = window;
        buffer = new UnsafeBuffer(BufferUtil.allocateDirectAligned(length, HEADER_LENGTH));
    }

    // -- the sender

    int maxFrameLength()
    {
        return maxFrameLength;
    }

    boolean isConnected()
    {
        return isConnected;
    }

    long offer(final DirectBuffer head, final int headLength, final DirectBuffer payload, final int payloadLength)
    {
        final int length = headLength + payloadLength;
        if (length > maxFrameLength)
        {
            throw new IllegalArgumentException("frame of " + length + " bytes, of at most " + maxFrameLength);
        }

        if (isClosed)
        {
            return Publication.CLOSED;
        }

        if (!isConnected)
        {
            return Publication.NOT_CONNECTED;
        }

        if (refusalPercent > random.nextInt(100))
        {
            return random.nextBoolean() ? Publication.ADMIN_ACTION : Publication.BACK_PRESSURED;
        }

        final int aligned = BitUtil.align(HEADER_LENGTH + length, HEADER_LENGTH);
        isFull = tail + aligned > limit;
        if (isFull)
        {
            return Publication.BACK_PRESSURED;
        }

        final int offset = (int)tail & mask;
        if (offset + aligned > mask + 1)
        {
            buffer.putInt(offset, PADDING);
            tail += mask + 1 - offset;
            onSent(0);
            return Publication.ADMIN_ACTION;
        }

        buffer.putInt(offset, length);
        buffer.putBytes(offset + HEADER_LENGTH, head, 0, headLength);
        if (payloadLength > 0)
        {
            buffer.putBytes(offset + HEADER_LENGTH + headLength, payload, 0, payloadLength);
        }

        tail += aligned;
        onSent(aligned);
        return tail;
    }

    private void onSent(final int bytes)
    {
        if (null != link)
        {
            busyUntilNs = Math.max(busyUntilNs, link.nowNs()) + link.busyNs(bytes);
            final long latencyNs = link.leastNs() + random.nextLong(link.mostNs() - link.leastNs() + 1);
            lastArrivalNs = Math.max(lastArrivalNs, busyUntilNs + latencyNs);
            arrivals.add(lastArrivalNs);
        }
    }

    /** Returns whether the last frame that was not refused for another reason had no room. */
    boolean isFull()
    {
        return isFull;
    }

    // -- the network

    /** Lets the sender offer, when the image exists at the receiver; returns true if that is news. */
    boolean connect()
    {
        final boolean isNews = !isConnected && !isDisconnected;
        isConnected |= isNews;
        return isNews;
    }

    /** Returns whether there is something to connect, to deliver or to report, if maybe after a cut. */
    boolean canMove()
    {
        return !isConnected ? !isDisconnected : !isLost && (arrived != tail || limit != head + window);
    }

    /** Nothing arrives any more, neither frames nor their acknowledgement by the receiver, until it is mended. */
    void cut(final boolean cut)
    {
        isCut = cut;
    }

    /** Lets up to so many frames arrive; returns their number. */
    int deliver(final int frames)
    {
        int delivered = 0;
        while (!isCut && !isLost && delivered < frames && arrived != tail && nextArrivalNs() <= nowNs())
        {
            arrivals.poll();
            arrived += lengthAt(arrived);
            delivered++;
        }

        return delivered;
    }

    private long nowNs()
    {
        return null == link ? 0 : link.nowNs();
    }

    /** Returns when the next frame arrives: 0 if that takes no time, and the latest time if none does by itself. */
    long nextArrivalNs()
    {
        return isCut || isLost || arrived == tail ? Long.MAX_VALUE : null == link ? 0 : arrivals.peek();
    }

    /** Reports the receiver's position to the sender; returns true if that is news. */
    boolean report()
    {
        final long newLimit = head + window;
        final boolean isNews = !isCut && !isLost && limit != newLimit;
        limit = isNews ? newLimit : limit;
        return isNews;
    }

    /** Ends the image: what has not been polled is lost. The sender goes on offering until {@link #disconnect}. */
    void lose()
    {
        isLost = true;
    }

    /** Nothing arrives any more, but what has arrived can be polled. */
    void endAfterArrived()
    {
        tail = arrived;
        isClosed = true;
    }

    boolean isLost()
    {
        return isLost;
    }

    /** Returns true if the receiver has polled a frame. */
    boolean isUsed()
    {
        return head > 0;
    }

    /** Has the sender see that nobody receives. */
    void disconnect()
    {
        isConnected = false;
        isDisconnected = true;
    }

    void close()
    {
        isClosed = true;
    }

    /** Returns true if nothing is on its way. */
    boolean isEmpty()
    {
        return isLost || head == tail && limit == head + window;
    }

    // -- the receiver

    /** As Aeron's image, whose position moves when the poll ends. */
    int poll(final FragmentHandler handler, final int frames)
    {
        long position = head;
        int polled = 0;
        while (!isLost && polled < frames && position != arrived)
        {
            final int offset = (int)position & mask;
            final int length = buffer.getInt(offset);
            position += lengthAt(position);
            if (PADDING != length)
            {
                handler.onFragment(buffer, offset + HEADER_LENGTH, length, header);
                polled++;
            }
        }

        while (head != position)
        {
            final int length = lengthAt(head);
            buffer.setMemory((int)head & mask, length, CONSUMED);
            head += length;
        }

        return polled;
    }

    private int lengthAt(final long position)
    {
        final int offset = (int)position & mask;
        final int length = buffer.getInt(offset);
        return PADDING == length ? mask + 1 - offset : BitUtil.align(HEADER_LENGTH + length, HEADER_LENGTH);
    }

    @Override
    public String toString()
    {
        return name + ": sent " + tail + ", arrived " + arrived + ", polled " + head + ", limit " + limit +
            (isConnected ? "" : ", not connected") + (isLost ? ", lost" : "") + (isCut ? ", cut" : "");
    }
}
