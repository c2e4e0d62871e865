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

import io.aeroshmem.codecs.rendezvous.AppointmentDecoder;
import io.aeroshmem.codecs.rendezvous.ChallengeDecoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.RefusedDecoder;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobFailure;

import java.io.IOException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * How a process comes into the job, on the thread that joins:
 * <pre>
 *   connect (again and again) -- Challenge --&gt; Hello -- Welcome --&gt; wait -- Appointment --&gt; joined
 * </pre>
 * Until the Welcome, whatever goes wrong may be a server that is not there yet, or one of an ended job that still has
 * the port, so it is tried again until the join timeout; but a Refused that is not late is final. From the Welcome on
 * the server decides: it tells why the job cannot be, and the end of the connection is the end of the job.
 */
final class Handshake
{
    private static final long CONNECT_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** The server's own deadline, with its list of those that are missing, comes first. */
    private static final long GRACE_NS = TimeUnit.SECONDS.toNanos(2);
    /** For which nobody may listen where a server should be. */
    private static final long REFUSED_NS = TimeUnit.SECONDS.toNanos(1);
    private static final String REFUSED = "Connection refused";
    private static final long FIRST_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(10);
    private static final long MAX_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(250);

    private final RendezvousId id;
    private final Hello hello;
    private final String givesUp;
    private final boolean isServed;
    private final Authenticator authenticator;
    private MessagePipe pipe;
    private Welcome welcome;
    private Appointment appointment;

    /**
     * A handshake of one process.
     *
     * @param id      where to.
     * @param hello   who comes.
     * @param givesUp why it will not come, for {@link #tellGivingUp}; empty for {@link #run}.
     */
    Handshake(final RendezvousId id, final Hello hello, final String givesUp)
    {
        this(id, hello, givesUp, false);
    }

    /**
     * A handshake of one process.
     *
     * @param id       where to.
     * @param hello    who comes.
     * @param givesUp  why it will not come, for {@link #tellGivingUp}; empty for {@link #run}.
     * @param isServed whether the server was there before anybody knew the id, so that it need not be waited for.
     */
    Handshake(final RendezvousId id, final Hello hello, final String givesUp, final boolean isServed)
    {
        this.id = id;
        this.hello = hello;
        this.givesUp = givesUp;
        this.isServed = isServed;
        this.authenticator = new Authenticator(id);
    }

    MessagePipe pipe()
    {
        return pipe;
    }

    Welcome welcome()
    {
        return welcome;
    }

    Appointment appointment()
    {
        return appointment;
    }

    /**
     * Joins.
     *
     * @throws TransportException if the job cannot be joined; then nothing is left open.
     */
    void run()
    {
        final long startNs = System.nanoTime();
        final long deadlineNs = startNs + hello.joinTimeoutNs();
        long pauseNs = FIRST_PAUSE_NS;
        while (true)
        {
            final String problem = attempt(deadlineNs);
            if (null == problem)
            {
                return;
            }

            if (isServed && REFUSED.equals(problem) && System.nanoTime() - startNs >= REFUSED_NS)
            {
                throw new TransportException(hello.who() + " found no server at the rendezvous " + id + ": " + problem +
                    ". The job of this id has ended, or the process that made it has: an id serves one job");
            }

            if (System.nanoTime() + pauseNs - deadlineNs >= 0)
            {
                throw new NoRendezvousException(
                    hello.who() + " could not join at the rendezvous " + id + " within " +
                    TimeUnit.NANOSECONDS.toMillis(hello.joinTimeoutNs()) + " ms: " + problem +
                    " (properties aeroshmem.rendezvous, aeroshmem.join.timeout)",
                    problem);
            }

            LockSupport.parkNanos(this, pauseNs);
            if (Thread.currentThread().isInterrupted())
            {
                throw MessagePipe.interrupted();
            }
            pauseNs = Math.min(2 * pauseNs, MAX_PAUSE_NS);
        }
    }

    /**
     * Tells that this process will not come, if the rendezvous answers in time. That it could not be told is no news
     * to a process that is about to say why it does not come.
     *
     * @return whether it was told.
     */
    boolean tellGivingUp(final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (!Thread.currentThread().isInterrupted() && System.nanoTime() - deadlineNs < 0)
        {
            try
            {
                pipe = MessagePipe.connect(id.resolved(), deadlineNs);
                return null == introduce(deadlineNs, deadlineNs);
            }
            catch (final IOException | ProtocolViolation | TransportException ex)
            {
                LockSupport.parkNanos(this, FIRST_PAUSE_NS);
            }
            finally
            {
                close();
            }
        }

        return false;
    }

    /**
     * Asks once whether the server lives, over a connection of its own, for a leader that has joined.
     *
     * @return whether it does, and knows the secret.
     */
    boolean probe(final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        try
        {
            pipe = MessagePipe.connect(id.resolved(), deadlineNs);
            final byte[] serverNonce = RendezvousMessages.decodeChallenge(pipe.next(deadlineNs));
            final byte[] clientNonce = authenticator.nonce();
            pipe.send(RendezvousMessages.probe(hello, authenticator, serverNonce, clientNonce), deadlineNs);
            welcome = RendezvousMessages.decodeWelcome(pipe.next(deadlineNs), authenticator, clientNonce, serverNonce);

            return true;
        }
        catch (final IOException | ProtocolViolation | TransportException ex)
        {
            // No sign of life; the silence that was the reason to ask goes on.
            return false;
        }
        finally
        {
            close();
        }
    }

    /**
     * Tries once.
     *
     * @return null when joined, otherwise why it is worth to try again.
     */
    private String attempt(final long deadlineNs)
    {
        final long handshakeDeadlineNs = Math.min(
            deadlineNs - System.nanoTime(), CONNECT_TIMEOUT_NS) + System.nanoTime();
        boolean isJoined = false;
        try
        {
            pipe = MessagePipe.connect(id.resolved(), handshakeDeadlineNs);
            final String problem = introduce(handshakeDeadlineNs, deadlineNs);
            final String late = null == problem ? awaitAppointment() : problem;
            isJoined = null == late;

            return late;
        }
        catch (final IOException ex)
        {
            return String.valueOf(ex.getMessage());
        }
        catch (final ProtocolViolation ex)
        {
            return "what answers there sent " + ex.getMessage();
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
     * A server that has the Hello counts on this process: it is waited for longer than one that sent nothing yet.
     */
    private String introduce(final long deadlineNs, final long joinDeadlineNs) throws IOException, ProtocolViolation
    {
        final byte[] challenge = pipe.next(deadlineNs);
        if (ChallengeDecoder.TEMPLATE_ID != RendezvousMessages.templateOf(challenge))
        {
            throw new ProtocolViolation("no Challenge");
        }

        final byte[] serverNonce = RendezvousMessages.decodeChallenge(challenge);
        final byte[] clientNonce = authenticator.nonce();
        pipe.send(RendezvousMessages.hello(hello, givesUp, authenticator, serverNonce, clientNonce), deadlineNs);
        final byte[] answer = pipe.next(joinDeadlineNs);
        if (RefusedDecoder.TEMPLATE_ID == RendezvousMessages.templateOf(answer))
        {
            return refused(answer);
        }

        welcome = RendezvousMessages.decodeWelcome(answer, authenticator, clientNonce, serverNonce);

        return null;
    }

    private String awaitAppointment() throws ProtocolViolation
    {
        try
        {
            final byte[] message = pipe.next(System.nanoTime() + hello.joinTimeoutNs() + GRACE_NS);
            switch (RendezvousMessages.templateOf(message))
            {
                case AppointmentDecoder.TEMPLATE_ID:
                    appointment = RendezvousMessages.decodeAppointment(message, hello.nPes());
                    return null;

                case RefusedDecoder.TEMPLATE_ID:
                    return refused(message);

                case FailureDecoder.TEMPLATE_ID:
                    throw new TransportException(RendezvousMessages.decodeFailure(message, Hello.MAX_PES).message());

                default:
                    throw new ProtocolViolation("neither an Appointment nor a reason why there is none");
            }
        }
        catch (final IOException ex)
        {
            throw new TransportException(hello.who() + " waited for the other PEs of the job at the rendezvous " + id +
                " (pid " + welcome.pid() + ", host " + welcome.host() + "): " + ex.getMessage(), ex);
        }
        catch (final TransportException ex)
        {
            if (Thread.currentThread().isInterrupted())
            {
                giveUp("its thread was interrupted while it joined");
            }
            throw ex;
        }
    }

    /**
     * Tells the others why this process does not come, as far as that is possible at once.
     */
    private void giveUp(final String why)
    {
        try
        {
            pipe.connection().send(RendezvousMessages.failure(new JobFailure(
                JobFailure.Kind.PE_FAILED, hello.firstPe(), -1, hello.who() + " gave up: " + why)));
            pipe.connection().flush();
        }
        catch (final IOException ex)
        {
            // Then they see the end of the connection.
            close();
        }
    }

    private String refused(final byte[] message) throws ProtocolViolation
    {
        final String reason = RendezvousMessages.decodeRefused(message);
        if (RendezvousMessages.isLate(message))
        {
            return reason;
        }

        throw new TransportException("the rendezvous " + id + " refused " + hello.who() + ": " + reason);
    }

    private void close()
    {
        if (null != pipe)
        {
            Threads.closeAll(new TransportException("closing"), pipe);
            pipe = null;
        }
    }
}
