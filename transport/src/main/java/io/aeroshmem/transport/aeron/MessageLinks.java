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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.job.JobFailure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Streams of one PE: an inbox for each kind of channel (IPC, UDP) that its peers use, and a link to each peer with
 * which the PE exchanges messages. All of them exist when the PE has joined. None is added later, since Aeron permits
 * no new publication or subscription while one of its handlers runs.
 */
public final class MessageLinks implements AutoCloseable
{
    private final ProgressEngine engine;
    private final FrameStreams streams;
    private final Channels channels;
    private final long jobToken;
    private final long imageGraceNs;
    private final IntUnaryOperator idle;
    private final List<FrameSource> inboxes = new ArrayList<>();
    private FrameSource udpInbox;
    private volatile boolean isLeaving;

    /**
     * @param imageGraceNs time in which the death of a peer is detected after its stream has ended.
     * @param idle         run while the driver has not responded: takes a round, from 0, and returns the next.
     */
    public MessageLinks(
        final ProgressEngine engine,
        final FrameStreams streams,
        final Channels channels,
        final long jobToken,
        final long imageGraceNs,
        final IntUnaryOperator idle)
    {
        this.engine = engine;
        this.streams = streams;
        this.channels = channels;
        this.jobToken = jobToken;
        this.imageGraceNs = imageGraceNs;
        this.idle = idle;
    }

    public void openIpcInbox()
    {
        open(channels.ipcInbox());
    }

    public void openUdpInbox()
    {
        udpInbox = open(channels.udpInbox());
    }

    /** Joins the multicast group of the job, if it has one. */
    public void openGroup()
    {
        if (null != channels.group())
        {
            engine.expectGroup();
            open(channels.groupInbox(), channels.groupStreamId());
        }
    }

    private FrameSource open(final String channel)
    {
        return open(channel, channels.streamId(engine.pe()));
    }

    private FrameSource open(final String channel, final int streamId)
    {
        final FrameSource inbox = streams.source(channel, streamId, this::onImageLost, idle);
        inboxes.add(inbox);
        engine.addSource(inbox);
        return inbox;
    }

    /**
     * Returns the address and port of the UDP inbox, empty while the system has not chosen the port, or without such an
     * inbox.
     */
    public String udpEndpoint()
    {
        final String resolved = null == udpInbox ? null : udpInbox.resolvedEndpoint();
        return null == resolved ? "" : resolved;
    }

    /** Links to a peer over IPC whose inbox is open. */
    public void linkIpc(final int peer)
    {
        link(peer, channels.ipc());
    }

    /**
     * Links to a peer over UDP whose inbox is open at the endpoint; {@code sender} is the number of this PE's driver
     * among those of the job.
     */
    public void linkUdp(final int peer, final String endpoint, final int sender)
    {
        link(peer, channels.udp(endpoint, sender)).isInGroup = null != channels.group();
    }

    /**
     * Links to the multicast group, if the job has one, which has been joined on a number of drivers; {@code sender} as
     * in {@link #linkUdp}.
     */
    public void linkGroup(final int sender, final int drivers, final long receiverTimeoutNs)
    {
        if (null != channels.group())
        {
            engine.group(new GroupOutbox(
                streams.sink(channels.group(sender, drivers, receiverTimeoutNs), channels.groupStreamId(), idle),
                engine.messageCounters(),
                jobToken,
                engine.pe(),
                engine.epoch()));
        }
    }

    private PeerLink link(final int peer, final String channel)
    {
        final Outbox outbox = new Outbox(
            streams.sink(channel, channels.streamId(peer), idle),
            engine.messageCounters(),
            jobToken,
            engine.pe(),
            engine.epoch(),
            Outbox.ringCapacity(engine.nPes()));
        final PeerLink link = new PeerLink(peer, outbox);
        engine.addLink(link);
        return link;
    }

    /** Returns true if all peers are connected to this PE. */
    public boolean isConnected()
    {
        return engine.isConnected();
    }

    /** Returns what is not connected to this PE, for the message of an exception. */
    public String unconnected()
    {
        final String peers = engine.unconnectedPeers();
        return !peers.isEmpty() ? "PEs " + peers : "the multicast group " + channels.group() +
            ", which all hosts must reach (aeroshmem.udp.multicast, aeroshmem.udp.interface)";
    }

    /** Permits peers to end their streams from now on. */
    public void leaving()
    {
        isLeaving = true;
        engine.leaving();
    }

    /**
     * A driver ends the streams of a client that it expires, dead or paused, and those of a driver that it has lost.
     * The liveness of processes and nodes identifies the cause within the grace time.
     */
    private void onImageLost(final Object image, final String name)
    {
        if (engine.removePeerImage(image) && !isLeaving && !streams.isClosed() && !engine.control().isFailed())
        {
            engine.suspect(new JobFailure(
                JobFailure.Kind.DRIVER_DIED, engine.pe(), -1,
                "PE " + engine.pe() + " lost the stream " + name + " while the job was running"), imageGraceNs);
        }
    }

    @Override
    public void close()
    {
        streams.close(inboxes);
    }
}
