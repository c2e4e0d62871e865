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
import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.FragmentHandler;
import io.aeroshmem.transport.aeron.FrameSink;
import io.aeroshmem.transport.aeron.FrameSource;
import io.aeroshmem.transport.aeron.FrameStreams;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.DirectBuffer;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;

/**
 * Network of a simulated job, in place of the media driver: every stream that processes open by their
 * {@link FrameStreams}. Nothing moves in it but by {@link #step()}, where the seed decides which stream does.
 * <p>
 * A stream over IPC is one log that all processes of the job share, as they share Aeron's. A stream over UDP is a log
 * for each sending process.
 */
public final class SimulatedNetwork implements InFlight
{
    private static final int FRAMES = 8;
    /** Of that many streams, one is tried. */
    private static final int TRIED = 4;
    /** The process of a stream that all share, see {@link SimulatedLog#process}. */
    private static final int ALL = -1;
    private static final int NONE = -2;

    private final SplittableRandom random;
    private final int logLength;
    private final int mtu;
    private final int refusalPercent;
    private SimulatedLink link;
    /** In the order in which they were opened. */
    private final List<SimulatedLog> logs = new ArrayList<>();
    private final Map<String, SimulatedLog> logByKey = new HashMap<>();
    private final Map<Integer, Source> sourceByStream = new HashMap<>();
    private final Set<Integer> silent = new HashSet<>();
    /** Processes whose last offers were refused for no reason that they can see. */
    private final Set<Integer> refused = new HashSet<>();
    private SimulatedLog cut;
    private int moved = ALL;

    /**
     * @param logLength      of each stream, in bytes, a power of two; half of it is in flight at most.
     * @param mtu            the length of the largest frame, with Aeron's header.
     * @param refusalPercent share of the offers that are refused for no reason that the sender can see.
     */
    public SimulatedNetwork(
        final SplittableRandom random, final int logLength, final int mtu, final int refusalPercent)
    {
        this.random = random;
        this.logLength = logLength;
        this.mtu = mtu;
        this.refusalPercent = refusalPercent;
    }

    /** Has frames on the streams that are opened from now on take a time. */
    void link(final SimulatedLink link)
    {
        this.link = link;
    }

    /** Returns when the next frame arrives, or the latest time if none does by itself. */
    long nextArrivalNs()
    {
        long next = Long.MAX_VALUE;
        for (final SimulatedLog log : logs)
        {
            next = Math.min(next, log.nextArrivalNs());
        }

        return next;
    }

    /** Returns the streams of a process. */
    public FrameStreams process(final int process)
    {
        return new Streams(process);
    }

    /** Has one stream, of the seed's choice, move on; returns true if something moved. */
    public boolean step()
    {
        if (logs.isEmpty())
        {
            return false;
        }

        final SimulatedLog log = logs.get(random.nextInt(logs.size()));
        if (!log.isConnected())
        {
            moved = ALL;
            return log.connect();
        }

        if (random.nextInt(4) > 0)
        {
            moved = log.receiver;
            return log.deliver(1 + random.nextInt(FRAMES)) > 0;
        }

        moved = log.isFull() ? log.process : NONE;
        return log.report();
    }

    /** Returns whether the last step, if something moved, may concern a process: frames for it, or room for its. */
    @Override
    public boolean hasMoved(final int process)
    {
        return ALL == moved || process == moved;
    }

    /** Returns whether a process has offered a frame in vain since this was last called, though there was room. */
    @Override
    public boolean hasRefused(final int process)
    {
        return refused.remove(process);
    }

    /**
     * Has one of some streams move on; returns true if something moved. Many PEs have many streams, most of which have
     * nothing to move, so that a step by step of any of them would take longer than all that the PEs do.
     */
    @Override
    public boolean stepOfSome()
    {
        for (int tries = logs.size() / TRIED + 1; tries > 0; tries--)
        {
            if (step())
            {
                return true;
            }
        }

        return false;
    }

    /** Returns whether a step may move something, now or when the stream that is cut is mended. */
    @Override
    public boolean canMove()
    {
        for (final SimulatedLog log : logs)
        {
            if (log.canMove())
            {
                return true;
            }
        }

        return false;
    }

    /** Cuts a stream of the seed's choice until {@link #mend}: what is sent waits. */
    public void cut()
    {
        mend();
        if (!logs.isEmpty())
        {
            cut = logs.get(random.nextInt(logs.size()));
            cut.cut(true);
        }
    }

    /** Mends the stream that is cut; returns false if there is none. */
    public boolean mend()
    {
        final boolean isCut = null != cut;
        if (isCut)
        {
            cut.cut(false);
            cut = null;
        }

        return isCut;
    }

    /** Ends a stream of the seed's choice, with what is on its way; returns null if none is in use. */
    public LostStream lose()
    {
        final List<SimulatedLog> used = logs.stream().filter((log) -> log.isUsed() && !log.isLost()).toList();
        if (used.isEmpty())
        {
            return null;
        }

        final SimulatedLog log = used.get(random.nextInt(used.size()));
        log.lose();
        return lost(log);
    }

    /**
     * Silences a process and ends the streams on which only it sends, which are returned: what is on its way is lost in
     * part.
     */
    public List<LostStream> kill(final int process)
    {
        silence(process);
        final List<LostStream> lost = new ArrayList<>();
        for (final SimulatedLog log : logs)
        {
            if (log.process == process)
            {
                log.deliver(random.nextInt(FRAMES));
                log.endAfterArrived();
                lost.add(lost(log));
            }
        }

        return lost;
    }

    /** Nothing that this process sends from now on gets into a stream. */
    private void silence(final int process)
    {
        silent.add(process);
    }

    private static LostStream lost(final SimulatedLog log)
    {
        return new LostStream(
            log.receiver,
            () ->
            {
                log.lose();
                log.onImageLost.accept(log, log.name);
            },
            log::disconnect);
    }

    /**
     * A stream that has ended.
     *
     * @param receiver      process whose conductor is to run the notification.
     * @param notification  of the receiver.
     * @param disconnection has the senders see it.
     */
    public record LostStream(int receiver, Runnable notification, Runnable disconnection)
    {
    }

    /** Returns the streams and their positions. */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        logs.forEach((log) -> text.append("\nstream ").append(log));
        return text.toString();
    }

    /** Returns true if nothing is on its way. */
    public boolean isEmpty()
    {
        for (final SimulatedLog log : logs)
        {
            if (!log.isEmpty())
            {
                return false;
            }
        }

        return true;
    }

    private SimulatedLog log(final int process, final String channel, final int streamId)
    {
        final String receiver = "to stream " + sourceByStream.get(streamId).index + " over " +
            channel.substring(0, channel.indexOf('?'));
        final boolean isShared = channel.startsWith("aeron:ipc");
        final String name = isShared ? receiver : receiver + " from process " + process;
        return logByKey.computeIfAbsent(name, (key) ->
        {
            final Source source = sourceByStream.get(streamId);
            final SimulatedLog log = new SimulatedLog(
                name,
                isShared ? -1 : process,
                source.process,
                logLength,
                mtu,
                refusalPercent,
                link,
                source.onImageLost,
                random);
            source.images.add(log);
            logs.add(log);
            return log;
        });
    }

    /** Streams of one process. */
    private final class Streams extends FrameStreams
    {
        private final int process;

        Streams(final int process)
        {
            this.process = process;
        }

        @Override
        public FrameSink sink(final String channel, final int streamId, final IntUnaryOperator idle)
        {
            return new Sink(process, log(process, channel, streamId));
        }

        @Override
        public FrameSource source(
            final String channel,
            final int streamId,
            final BiConsumer<Object, String> onImageLost,
            final IntUnaryOperator idle)
        {
            final Source source = new Source(process, sourceByStream.size(), onImageLost);
            sourceByStream.put(streamId, source);
            return source;
        }

        @Override
        public boolean isClosed()
        {
            return false;
        }

        @Override
        public void close(final List<FrameSource> sources)
        {
            sources.forEach(FrameSource::close);
        }

        @Override
        public String driverKey()
        {
            return "driver " + process;
        }

        @Override
        public String driverDirectory()
        {
            return null;
        }

        @Override
        public void onFailure(final JobFailure failure)
        {
        }

        @Override
        public void close()
        {
        }
    }

    /** A process's end of a stream. */
    private final class Sink extends FrameSink
    {
        private final int process;
        private final SimulatedLog log;

        Sink(final int process, final SimulatedLog log)
        {
            this.process = process;
            this.log = log;
        }

        @Override
        public int maxFrameLength()
        {
            return log.maxFrameLength();
        }

        @Override
        public long offer(final DirectBuffer frame, final int length)
        {
            return offer(frame, length, frame, 0);
        }

        @Override
        public long offer(
            final DirectBuffer head, final int headLength, final DirectBuffer payload, final int payloadLength)
        {
            if (silent.contains(process))
            {
                return Publication.BACK_PRESSURED;
            }

            final long result = log.offer(head, headLength, payload, payloadLength);
            if (result < 0 && log.isConnected() && !log.isFull())
            {
                refused.add(process);
            }

            return result;
        }

        @Override
        public boolean isConnected()
        {
            return log.isConnected();
        }

        @Override
        public String describe()
        {
            return "stream " + log.name;
        }
    }

    /** Where the streams to one PE end. */
    private static final class Source extends FrameSource
    {
        private final int process;
        private final int index;
        private final BiConsumer<Object, String> onImageLost;
        private final List<SimulatedLog> images = new ArrayList<>();
        private int first;
        private boolean isClosed;

        Source(final int process, final int index, final BiConsumer<Object, String> onImageLost)
        {
            this.process = process;
            this.index = index;
            this.onImageLost = onImageLost;
        }

        /** As Aeron's subscription, which begins with another image in each poll. */
        @Override
        public int poll(final FragmentHandler handler, final int limit)
        {
            final int size = images.size();
            int polled = 0;
            if (size > 0)
            {
                first = (first + 1) % size;
                for (int i = 0; i < size && polled < limit; i++)
                {
                    polled += images.get((first + i) % size).poll(handler, limit - polled);
                }
            }

            return polled;
        }

        /** Jobs of the simulation have no multicast group. */
        @Override
        public int controlledPoll(final ControlledFragmentHandler handler, final int limit)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isClosed()
        {
            return isClosed;
        }

        @Override
        public String resolvedEndpoint()
        {
            return "127.0.0.1:" + (1 + index);
        }

        @Override
        public void close()
        {
            isClosed = true;
        }
    }
}
