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

import io.aeroshmem.codecs.rendezvous.DirectoryDecoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.PreviousGeneration;
import org.agrona.ErrorHandler;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * The client of a rendezvous, one per process. One process of each node leads the node:
 * <pre>
 *   client = join(id, request)
 *   leader:  create the job's directory, directory(path), replicate(control, ...), ..., close() after its PEs have left
 *   others:  awaitDirectory(), open it, register their PEs, close()
 * </pre>
 * A process that does not lead its node closes the client only after its PEs have registered. If the process dies
 * before its PEs have registered, the server detects this by the end of the connection. If it dies later, other
 * processes of its node detect this by its lock ({@link io.aeroshmem.transport.job.ProcessLock}).
 * <p>
 * An interrupt ends joining and waiting with a {@link TransportException} whose cause is a
 * {@link java.nio.channels.ClosedByInterruptException}. The interrupt flag stays set.
 */
public final class RendezvousClient implements AutoCloseable
{
    private static final long WITHDRAW_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SEND_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    /*
     * Methods may be called by any thread, one at a time. Three may be called by any thread at any time: flushFailure,
     * flushEnding, and close() of a leader that replicates. Before replicate the connection belongs to the caller that
     * holds this object's monitor, afterwards to the replicator's thread.
     */
    private final RendezvousId id;
    private final JoinRequest request;
    private final Pause pause;
    private final BlockingMessageChannel channel;
    private final JoinAccepted server;
    private final NodeAssignment assignment;
    private volatile ControlFileReplicator replicator;
    private boolean hasDirectory;
    private boolean isFailed;
    private boolean isClosed;

    private RendezvousClient(
        final RendezvousId id, final JoinRequest request, final Pause pause, final Handshake handshake)
    {
        this.id = id;
        this.pause = pause;
        this.channel = handshake.channel();
        this.server = handshake.accepted();
        this.assignment = handshake.assignment();
        this.request = request.in(assignment.members());
    }

    /** Joins a job whose server may start later: connecting is retried up to the join timeout. */
    public static RendezvousClient join(final RendezvousId id, final JoinRequest request)
    {
        return join(id, request, false, Pause.SYSTEM);
    }

    /**
     * Joins a job, and waits until all processes have joined. If {@code isServed}, the server was listening before the
     * id was published: a closed port means that it has ended, and connecting is retried only for a second instead of
     * up to the join timeout. All waits of the client go through the pause. Throws a {@link TransportException} if the
     * server cannot be reached, rejects this process or reports the failure of the job, such as missing PEs, or if the
     * thread is interrupted.
     */
    public static RendezvousClient join(
        final RendezvousId id, final JoinRequest request, final boolean isServed, final Pause pause)
    {
        final Handshake handshake = new Handshake(id, request, "", isServed, pause);
        handshake.run();

        return new RendezvousClient(id, request, pause, handshake);
    }

    /**
     * Notifies the rendezvous that a process will not join, because its set-up failed; the job fails for all other
     * processes at once. Returns whether the server responded within a second; otherwise the others wait until their
     * join timeout.
     */
    public static boolean withdraw(final RendezvousId id, final JoinRequest request, final String why)
    {
        return withdraw(id, request, why, Pause.SYSTEM);
    }

    static boolean withdraw(final RendezvousId id, final JoinRequest request, final String why, final Pause pause)
    {
        return new Handshake(id, request, why.isEmpty() ? "unknown reason" : why, false, pause)
            .withdraw(WITHDRAW_TIMEOUT_NS);
    }

    /**
     * Returns whether this process leads its node and creates the job's directory: the launcher if there is one, else
     * the process with the lowest rank.
     */
    public boolean isLeader()
    {
        return assignment.isLeader();
    }

    /** Returns the token of the job: equal on all nodes, random, not 0. */
    public long token()
    {
        return assignment.token();
    }

    /** Returns the generation of the job before this one. */
    public PreviousGeneration previous()
    {
        return assignment.previous();
    }

    /**
     * Returns the PEs of this generation of a job that shrinks, by their numbers in generation 0, in order; empty if
     * the job has all its PEs.
     */
    public int[] members()
    {
        return assignment.members().clone();
    }

    /** Returns the PEs of this process, by their numbers in this generation. */
    public int[] pes()
    {
        return request.pes();
    }

    /** Returns the PEs of this node, ascending. */
    public int[] nodePes()
    {
        return assignment.nodePes().clone();
    }

    /** Returns the lowest PE of the process that leads this node; -1 for a launcher. */
    public int leaderPe()
    {
        return assignment.leaderPe();
    }

    /** Returns whether all PEs of the job are on this node. */
    public boolean isSingleNode()
    {
        return assignment.isSingleNode();
    }

    /**
     * Returns the IP address of this host on the route to the rendezvous, which the other hosts can most probably
     * reach.
     */
    public String localAddress()
    {
        return channel.localAddress();
    }

    /** Sends the directory of the node to its other processes. Called once, by the leader. */
    public synchronized void directory(final Path directory)
    {
        if (!isLeader() || null != replicator)
        {
            throw new IllegalStateException(request.processName() + " must lead its node and not replicate yet");
        }

        try
        {
            channel.send(
                RendezvousMessages.directory(directory.toAbsolutePath().toString()),
                pause.nanoTime() + SEND_TIMEOUT_NS);
            hasDirectory = true;
        }
        catch (final IOException | ProtocolViolation ex)
        {
            throw connectionLost(ex);
        }
    }

    /**
     * Waits for the directory that the leader of this node creates. Called once, by the other processes. Throws a
     * {@link TransportException} if the job fails, on the join timeout, or on interrupt.
     */
    public synchronized Path awaitDirectory()
    {
        if (isLeader())
        {
            throw new IllegalStateException(request.processName() + " must not lead its node");
        }

        try
        {
            final byte[] message = channel.next(pause.nanoTime() + request.joinTimeoutNs());
            switch (RendezvousMessages.templateOf(message))
            {
                case DirectoryDecoder.TEMPLATE_ID:
                    final Path directory = RendezvousMessages.decodeDirectory(message);
                    hasDirectory = true;
                    return directory;

                case FailureDecoder.TEMPLATE_ID:
                    isFailed = true;
                    throw new JobFailureException(RendezvousMessages.decodeFailure(message, request.nPes()));

                default:
                    throw new ProtocolViolation("a message other than Directory and Failure");
            }
        }
        catch (final IOException | ProtocolViolation ex)
        {
            throw connectionLost(ex);
        }
    }

    /**
     * Waits for the failure of the job, in a process without a replicator that cannot continue. Returns null if none is
     * received in time.
     */
    public synchronized JobFailure awaitFailure(final long timeoutNs)
    {
        if (null != replicator || isFailed || isClosed)
        {
            return null;
        }

        final long deadlineNs = pause.nanoTime() + timeoutNs;
        try
        {
            byte[] message = channel.next(deadlineNs);
            while (FailureDecoder.TEMPLATE_ID != RendezvousMessages.templateOf(message))
            {
                message = channel.next(deadlineNs);
            }

            final JobFailure failure = RendezvousMessages.decodeFailure(message, request.nPes());
            isFailed = true;
            return failure;
        }
        catch (final IOException | ProtocolViolation | TransportException ex)
        {
            // The failure remains unknown.
            return null;
        }
    }

    /**
     * Starts the thread that replicates the control files between this node and the others. Called once, by the leader;
     * from then on a failure on any node fails the job on all. {@code duty} runs in every round of the thread, every 1
     * to 20 ms; its exceptions go to the error handler.
     */
    public synchronized void replicate(
        final ControlFile control,
        final Runnable duty,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        if (!isLeader() || null != replicator || isClosed)
        {
            throw new IllegalStateException(request.processName() +
                " must lead its node, and not replicate or have left");
        }

        if (control.nPes() != request.nPes())
        {
            throw new IllegalArgumentException("nPes of the control file must be " + request.nPes() + ": nPes=" +
                control.nPes());
        }

        final ControlFileReplicator started = new ControlFileReplicator(
            id,
            channel,
            request,
            server,
            assignment,
            control,
            Objects.requireNonNull(duty, "duty"),
            threadFactory,
            Objects.requireNonNull(errorHandler, "errorHandler"),
            pause);
        started.start();
        replicator = started;
    }

    /**
     * Waits until the rendezvous has received the failure of this node, so that this process may end. Returns at once
     * if the job has not failed, or in a process without a replicator: the failure is in the control file, and the
     * leader sends it.
     */
    public void flushFailure(final long timeoutNs)
    {
        final ControlFileReplicator current = replicator;
        if (null != current)
        {
            current.flushFailure(timeoutNs);
        }
    }

    /** Waits until all nodes have received that PEs of this process are ending, if this process replicates. */
    public void flushEnding(final long timeoutNs)
    {
        final ControlFileReplicator current = replicator;
        if (null != current)
        {
            current.flushEnding(timeoutNs);
        }
    }

    /**
     * Fails the job because this process cannot continue, for a reason that no control file holds yet; {@link #close()}
     * must still be called.
     */
    public synchronized void withdraw(final String why)
    {
        if (null == replicator && !isFailed && !isClosed)
        {
            isFailed = true;
            sendAtOnce(RendezvousMessages.failure(new JobFailure(
                JobFailure.Kind.PE_FAILED,
                request.failedPe(),
                -1,
                request.processName() + " withdrew: " + why)));
        }
    }

    /**
     * Leaves the rendezvous. A process that replicates sends Leave, and waits up to 5 s until the leaders of all nodes
     * have left; its PEs must be closing, or the job fails. If the job has failed, it waits up to 0.5 s until the
     * rendezvous has received the failure. Other processes only send Leave; one that has neither sent nor received the
     * directory of its node fails the job, unless it has all PEs. Idempotent.
     */
    @Override
    public void close()
    {
        final ControlFileReplicator current = replicator;
        if (null != current)
        {
            current.close();
            return;
        }

        synchronized (this)
        {
            if (isClosed)
            {
                return;
            }

            final boolean isAlone = request.pes().length == assignment.nodePes().length;
            final boolean mayLeave = hasDirectory || isAlone && isSingleNode();
            if (mayLeave && !isFailed)
            {
                sendAtOnce(RendezvousMessages.leave());
            }
            else
            {
                withdraw("it left before it received the directory of its node");
            }

            isClosed = true;
            Threads.closeAll(new TransportException("closing"), channel);
        }
    }

    @Override
    public String toString()
    {
        return "RendezvousClient{" + id + ", " + request + ", " + assignment + '}';
    }

    BlockingMessageChannel channel()
    {
        return channel;
    }

    private void sendAtOnce(final byte[] frame)
    {
        try
        {
            channel.connection().send(frame);
            channel.connection().flush();
        }
        catch (final IOException ex)
        {
            // The server has ended, or detects the end of the connection.
            isFailed = true;
        }
    }

    private TransportException connectionLost(final Exception ex)
    {
        isFailed = true;

        return new LostRendezvousException(request.processName() + " lost the rendezvous " + id +
            " (pid " + server.pid() + ", host " + server.host() + ") while joining: " + ex.getMessage(), ex);
    }
}
