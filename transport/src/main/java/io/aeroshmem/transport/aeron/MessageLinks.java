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

import io.aeron.Image;
import io.aeron.Subscription;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;

import java.util.ArrayList;
import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * Opens and closes the streams of one PE: an inbox per channel kind, and a link to each peer that it exchanges messages
 * with. All of them exist when the PE has joined; none is added later, since Aeron refuses it inside a handler.
 */
public final class MessageLinks implements AutoCloseable
{
    private final Engine engine;
    private final AeronConnection connection;
    private final Channels channels;
    private final long jobToken;
    private final long imageGraceNs;
    private final IntUnaryOperator idle;
    private final List<Subscription> inboxes = new ArrayList<>();
    private Subscription udpInbox;
    private volatile boolean isLeaving;

    /**
     * Construct for an engine.
     *
     * @param engine       of the PE.
     * @param connection   of the process.
     * @param channels     of the job.
     * @param jobToken     of the job.
     * @param imageGraceNs how long the death of a peer may take to be noticed when its stream has ended.
     * @param idle         what to do while the driver has not answered: takes a round, from 0, and returns the next.
     */
    public MessageLinks(
        final Engine engine,
        final AeronConnection connection,
        final Channels channels,
        final long jobToken,
        final long imageGraceNs,
        final IntUnaryOperator idle)
    {
        this.engine = engine;
        this.connection = connection;
        this.channels = channels;
        this.jobToken = jobToken;
        this.imageGraceNs = imageGraceNs;
        this.idle = idle;
    }

    /**
     * Listen for peers that send over IPC.
     */
    public void openIpcInbox()
    {
        open(channels.ipcInbox());
    }

    /**
     * Listen for peers that send over UDP.
     */
    public void openUdpInbox()
    {
        udpInbox = open(channels.udpInbox());
    }

    private Subscription open(final String channel)
    {
        final Subscription inbox =
            connection.subscription(channel, channels.streamId(engine.pe()), this::onImageLost, idle);
        inboxes.add(inbox);
        engine.addSubscription(inbox);
        return inbox;
    }

    /**
     * Where peers reach the UDP inbox.
     *
     * @return address and port, empty while the system has not chosen the port, or without such an inbox.
     */
    public String udpEndpoint()
    {
        final String resolved = null == udpInbox ? null : udpInbox.resolvedEndpoint();
        return null == resolved ? "" : resolved;
    }

    /**
     * Reach a peer over IPC.
     *
     * @param peer a PE that listens already.
     */
    public void linkIpc(final int peer)
    {
        link(peer, channels.ipc());
    }

    /**
     * Reach a peer over UDP.
     *
     * @param peer     a PE that listens already.
     * @param endpoint that it listens on.
     */
    public void linkUdp(final int peer, final String endpoint)
    {
        link(peer, channels.udp(endpoint));
    }

    private void link(final int peer, final String channel)
    {
        final Outbox outbox = new Outbox(
            connection.publication(channel, channels.streamId(peer), idle),
            engine.sentCounters(),
            jobToken,
            engine.pe(),
            engine.epoch());
        engine.addLink(new Link(peer, outbox));
    }

    /**
     * Do all peers listen to this PE?
     *
     * @return true if they do.
     */
    public boolean isConnected()
    {
        return engine.isConnected();
    }

    /**
     * From now on peers may end their streams.
     */
    public void leaving()
    {
        isLeaving = true;
        engine.leaving();
    }

    /**
     * A driver ends the streams of a client that it gives up, be it dead or paused, and those of a driver that it does
     * not hear any more. The liveness of processes and nodes tells which, and whose, in the time that is left to it.
     */
    private void onImageLost(final Image image)
    {
        final Control control = engine.control();
        if (engine.isPeerImage(image.correlationId()) &&
            !isLeaving && !connection.aeron().isClosed() && !control.isFailed())
        {
            engine.suspect(new JobFailure(
                JobFailure.Kind.DRIVER_DIED, engine.pe(), 0,
                "PE " + engine.pe() + " lost the stream " + image.subscription().channel() + " from " +
                image.sourceIdentity() + " while the job was running"), imageGraceNs);
        }
    }

    @Override
    public void close()
    {
        connection.close(inboxes);
    }
}
