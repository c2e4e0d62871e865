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

import io.aeroshmem.codecs.rendezvous.ChallengeDecoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.JoinRejectedDecoder;
import io.aeroshmem.codecs.rendezvous.NodeAssignmentDecoder;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;

import java.io.IOException;
import java.net.ConnectException;
import java.util.concurrent.TimeUnit;

/**
 * The handshake of a process with the rendezvous server, on the thread that joins:
 * <pre>
 *   connect (with retries) -- Challenge --&gt; JoinRequest -- JoinAccepted --&gt; wait -- NodeAssignment --&gt; joined
 * </pre>
 * If an attempt fails before the JoinAccepted, it is repeated until the join timeout, because the server may not have
 * started yet, or the server of an ended job may still hold the port. If the server was started before this process, a
 * refused connection is retried for one second only.
 * <p>
 * A JoinRejected is final, unless it is marked as late. A late one is from the server of a job that has ended or
 * failed. In that case the attempt is repeated, since the server of this process's job may yet take over the port.
 */
final class Handshake
{
    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** The server's own deadline, with its list of missing PEs, expires first. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);
    /** How long connections to a server that was started earlier may be refused. */
    private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(250);

    /*
     * After the JoinAccepted, the server reports the reason if the job fails. If the connection ends without a report,
     * or the server violates the protocol, joining fails without another attempt: the server counts on this process,
     * and would reject a second JoinRequest for its PEs.
     */
    private final RendezvousId id;
    private final JoinRequest request;
    private final String withdrawal;
    private final boolean isServed;
    private final Pause pause;
    private final Authenticator authenticator;
    private BlockingMessageChannel channel;
    private JoinAccepted accepted;
    private NodeAssignment assignment;
    private boolean isRefused;

    Handshake(
        final RendezvousId id,
        final JoinRequest request,
        final String withdrawal,
        final boolean isServed,
        final Pause pause)
    {
        this.id = id;
        this.request = request;
        this.withdrawal = withdrawal;
        this.isServed = isServed;
        this.pause = pause;
        this.authenticator = new Authenticator(id);
    }

    BlockingMessageChannel channel()
    {
        return channel;
    }

    JoinAccepted accepted()
    {
        return accepted;
    }

    NodeAssignment assignment()
    {
        return assignment;
    }

    /** Joins. On a {@link TransportException} no resource is left open. */
    void run()
    {
        final long startNs = pause.nanoTime();
        final long deadlineNs = startNs + request.joinTimeoutNs();
        long pauseNs = FIRST_PAUSE_NS;
        String previous = null;
        while (true)
        {
            final String latest = attempt(deadlineNs);
            if (null == latest)
            {
                return;
            }

            // an attempt that the time limit cuts short may say less than the one before
            final String problem = null == previous || previous.equals(latest) || pause.nanoTime() - deadlineNs < 0 ?
                latest : latest + "; before: " + previous;
            previous = latest;

            if (isServed && isRefused && pause.nanoTime() - startNs >= REFUSED_NS)
            {
                throw new TransportException(request.processName() + " found no server at the rendezvous " +
                    id + ": " + problem +
                    "; the job of this id, or the process that created the id, has ended (an id serves one job)");
            }

            if (pause.nanoTime() + pauseNs - deadlineNs >= 0)
            {
                throw new NoRendezvousException(
                    request.processName() + " could not join at the rendezvous " + id + " within " +
                    TimeUnit.NANOSECONDS.toMillis(request.joinTimeoutNs()) + " ms: " + problem +
                    " (aeroshmem.rendezvous, aeroshmem.join.timeout)",
                    problem);
            }

            pause.park(this, pauseNs);
            if (Thread.currentThread().isInterrupted())
            {
                throw BlockingMessageChannel.interrupted();
            }

            pauseNs = Math.min(2 * pauseNs, MAX_PAUSE_NS);
        }
    }

    /**
     * Notifies the server that this process will not join. Errors are ignored: the process is about to report why it
     * does not join. Returns whether the server was notified in time.
     */
    boolean withdraw(final long timeoutNs)
    {
        final long deadlineNs = pause.nanoTime() + timeoutNs;
        while (!Thread.currentThread().isInterrupted() && pause.nanoTime() - deadlineNs < 0)
        {
            try
            {
                channel = BlockingMessageChannel.connect(id.resolved(), deadlineNs, pause);
                return null == requestJoin(deadlineNs, deadlineNs);
            }
            catch (final IOException | ProtocolViolation | TransportException ex)
            {
                pause.park(this, FIRST_PAUSE_NS);
            }
            finally
            {
                close();
            }
        }

        return false;
    }

    /**
     * Checks once, on a separate connection, whether the server is alive, for a leader that has joined. Returns whether
     * it is, and knows the secret.
     */
    boolean probe(final long timeoutNs)
    {
        final long deadlineNs = pause.nanoTime() + timeoutNs;
        try
        {
            channel = BlockingMessageChannel.connect(id.resolved(), deadlineNs, pause);
            final byte[] serverNonce = RendezvousMessages.decodeChallenge(channel.next(deadlineNs));
            final byte[] clientNonce = authenticator.nonce();
            channel.send(RendezvousMessages.probe(request, authenticator, serverNonce, clientNonce), deadlineNs);
            accepted = RendezvousMessages.decodeJoinAccepted(
                channel.next(deadlineNs), authenticator, clientNonce, serverNonce);

            return true;
        }
        catch (final IOException | ProtocolViolation | TransportException ex)
        {
            // No response: the silence continues.
            return false;
        }
        finally
        {
            close();
        }
    }

    /** Attempts to join once. Returns null when joined, otherwise the problem that is worth a retry. */
    private String attempt(final long deadlineNs)
    {
        final long handshakeDeadlineNs = Math.min(
            deadlineNs - pause.nanoTime(), CONNECT_TIMEOUT_NS) + pause.nanoTime();
        boolean isJoined = false;
        isRefused = false;
        try
        {
            channel = BlockingMessageChannel.connect(id.resolved(), handshakeDeadlineNs, pause);
            final String problem = requestJoin(handshakeDeadlineNs, deadlineNs);
            final String late = null == problem ? awaitAssignment() : problem;
            isJoined = null == late;

            return late;
        }
        catch (final IOException ex)
        {
            // the text depends on the language; the timeout of the system is longer than that of this class
            isRefused = ex instanceof ConnectException;
            return String.valueOf(ex.getMessage());
        }
        catch (final ProtocolViolation ex)
        {
            return "the server sent " + ex.getMessage();
        }
        finally
        {
            if (!isJoined)
            {
                close();
            }
        }
    }

    /**
     * A server that has received the JoinRequest counts on this process: it is awaited longer than one that has sent
     * nothing.
     */
    private String requestJoin(final long deadlineNs, final long joinDeadlineNs) throws IOException, ProtocolViolation
    {
        final byte[] challenge = channel.next(deadlineNs);
        if (ChallengeDecoder.TEMPLATE_ID != RendezvousMessages.templateOf(challenge))
        {
            throw new ProtocolViolation("a message other than Challenge");
        }

        final byte[] serverNonce = RendezvousMessages.decodeChallenge(challenge);
        final byte[] clientNonce = authenticator.nonce();
        channel.send(
            RendezvousMessages.joinRequest(request, withdrawal, authenticator, serverNonce, clientNonce), deadlineNs);
        final byte[] answer = channel.next(joinDeadlineNs);
        if (JoinRejectedDecoder.TEMPLATE_ID == RendezvousMessages.templateOf(answer))
        {
            return rejected(answer);
        }

        accepted = RendezvousMessages.decodeJoinAccepted(answer, authenticator, clientNonce, serverNonce);

        return null;
    }

    private String awaitAssignment()
    {
        try
        {
            final byte[] message = channel.next(pause.nanoTime() + request.joinTimeoutNs() + GRACE_NS);
            switch (RendezvousMessages.templateOf(message))
            {
                case NodeAssignmentDecoder.TEMPLATE_ID:
                    assignment = RendezvousMessages.decodeNodeAssignment(message, request.nPes());
                    return null;

                case JoinRejectedDecoder.TEMPLATE_ID:
                    return rejected(message);

                case FailureDecoder.TEMPLATE_ID:
                    throw new JobFailureException(RendezvousMessages.decodeFailure(message, JoinRequest.MAX_PES));

                default:
                    throw new ProtocolViolation("a message other than NodeAssignment, JoinRejected and Failure");
            }
        }
        catch (final IOException ex)
        {
            throw new LostRendezvousException(request.processName() +
                " lost the rendezvous while waiting for the other PEs: " + id +
                " (pid " + accepted.pid() + ", host " + accepted.host() + "): " + ex.getMessage(), ex);
        }
        catch (final ProtocolViolation ex)
        {
            throw new TransportException(request.processName() + " could not join at the rendezvous " + id +
                " (pid " + accepted.pid() + ", host " + accepted.host() + "), which sent " + ex.getMessage(), ex);
        }
        catch (final TransportException ex)
        {
            if (Thread.currentThread().isInterrupted())
            {
                reportWithdrawal("its thread was interrupted while joining");
            }

            throw ex;
        }
    }

    /** Notifies the others why this process does not join, without waiting. */
    private void reportWithdrawal(final String why)
    {
        try
        {
            channel.connection().send(RendezvousMessages.failure(new JobFailure(
                JobFailure.Kind.PE_FAILED, request.failedPe(), -1, request.processName() + " withdrew: " + why)));
            channel.connection().flush();
        }
        catch (final IOException ex)
        {
            // The server detects the end of the connection.
            close();
        }
    }

    private String rejected(final byte[] message) throws ProtocolViolation
    {
        final String reason = RendezvousMessages.decodeJoinRejected(message);
        if (RendezvousMessages.isLate(message))
        {
            return reason;
        }

        throw new TransportException("the rendezvous " + id + " rejected " + request.processName() + ": " + reason);
    }

    private void close()
    {
        if (null != channel)
        {
            Threads.closeAll(new TransportException("closing"), channel);
            channel = null;
        }
    }
}
