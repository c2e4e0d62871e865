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
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.ErrorHandler;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * One process's side of the rendezvous.
 * <pre>
 *   client = join(id, hello)
 *   leader:  make the job's directory, directory(path), bridge(control, ...), ..., close() when its PEs have left
 *   others:  awaitDirectory(), open it, register their PEs, close()
 * </pre>
 * A process that is not the leader should close after its PEs have registered, and not before: until then its
 * connection is what tells of its death, from then on its lock is.
 * <p>
 * Joining and waiting are ended by an interrupt, with a {@link TransportException} whose cause is a
 * {@link java.nio.channels.ClosedByInterruptException}, and the thread's flag set. Methods may be called by any thread,
 * one at a time; {@link #flushFailure} and {@link #close()} of a leader that mirrors by any at any time. Before
 * {@link #bridge} the connection belongs to the caller under this object's monitor, afterwards to the bridge's thread.
 */
public final class RendezvousClient implements AutoCloseable
{
    private static final long GIVE_UP_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long SEND_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private final RendezvousId id;
    private final Hello hello;
    private final MessagePipe pipe;
    private final Welcome server;
    private final Appointment appointment;
    private volatile NodeBridge bridge;
    private boolean hasDirectory;
    private boolean isFailed;
    private boolean isClosed;

    private RendezvousClient(final RendezvousId id, final Hello hello, final Handshake handshake)
    {
        this.id = id;
        this.hello = hello;
        this.pipe = handshake.pipe();
        this.server = handshake.welcome();
        this.appointment = handshake.appointment();
    }

    /**
     * Comes to the rendezvous and waits for all others to come.
     *
     * @param id    where it is; connecting is tried again as long as nobody answers there, up to the join timeout.
     * @param hello who comes.
     * @return this process's side, when all PEs have said hello.
     * @throws TransportException if the rendezvous cannot be reached, refuses this process or tells why the job cannot
     *                            be, such as PEs that did not come; or if the thread is interrupted.
     */
    public static RendezvousClient join(final RendezvousId id, final Hello hello)
    {
        return join(id, hello, false);
    }

    /**
     * Comes to the rendezvous and waits for all others to come.
     *
     * @param id       where it is.
     * @param hello    who comes.
     * @param isServed whether the rendezvous was there before anybody knew the id: then one whose port is closed has
     *                 ended, and is tried again for a second only, and not up to the join timeout.
     * @return this process's side, when all PEs have said hello.
     * @throws TransportException if the rendezvous cannot be reached, refuses this process or tells why the job cannot
     *                            be, such as PEs that did not come; or if the thread is interrupted.
     */
    public static RendezvousClient join(final RendezvousId id, final Hello hello, final boolean isServed)
    {
        final Handshake handshake = new Handshake(id, hello, "", isServed);
        handshake.run();

        return new RendezvousClient(id, hello, handshake);
    }

    /**
     * Tells the rendezvous that a process will not come, so that the others need not wait for it: the job fails for all
     * that have come and that come. For a process whose set-up failed before it could join.
     *
     * @param id    where the rendezvous is.
     * @param hello who does not come.
     * @param why   for people; not empty.
     * @return whether the rendezvous answered, within a second; if not, the others wait until their join timeout.
     */
    public static boolean giveUp(final RendezvousId id, final Hello hello, final String why)
    {
        return new Handshake(id, hello, why.isEmpty() ? "for reasons it does not tell" : why)
            .tellGivingUp(GIVE_UP_TIMEOUT_NS);
    }

    /**
     * Whether this process is the one of its node that makes the job's directory: the launcher where there is one,
     * otherwise the process with the lowest rank.
     *
     * @return true for exactly one process of each node.
     */
    public boolean isLeader()
    {
        return appointment.isLeader();
    }

    /**
     * The token of the job.
     *
     * @return the same on all nodes; random, not 0.
     */
    public long token()
    {
        return appointment.token();
    }

    /**
     * The PEs of this node.
     *
     * @return world PEs, ascending.
     */
    public int[] nodePes()
    {
        return appointment.nodePes().clone();
    }

    /**
     * The PE whose process is the leader of this node.
     *
     * @return the lowest world PE of that process; -1 where the leader is a launcher.
     */
    public int leaderPe()
    {
        return appointment.leaderPe();
    }

    /**
     * Whether all PEs of the job are on this node.
     *
     * @return false if the job has more nodes.
     */
    public boolean isSingleNode()
    {
        return appointment.isSingleNode();
    }

    /**
     * The address of this host on the way to the rendezvous: one that the other hosts of the job can most probably
     * reach.
     *
     * @return an IP address as text.
     */
    public String localAddress()
    {
        return pipe.localAddress();
    }

    /**
     * Tells the other processes of the node where its directory is. Called once, by the leader.
     *
     * @param directory of the job on this node.
     * @throws TransportException if the rendezvous has gone.
     */
    public synchronized void directory(final Path directory)
    {
        if (!isLeader() || null != bridge)
        {
            throw new IllegalStateException(hello.who() + " is not the leader of its node, or runs already: only a " +
                "leader tells the directory, before it mirrors");
        }

        try
        {
            pipe.send(
                RendezvousMessages.directory(directory.toAbsolutePath().toString()),
                System.nanoTime() + SEND_TIMEOUT_NS);
            hasDirectory = true;
        }
        catch (final IOException | ProtocolViolation ex)
        {
            throw broken(ex);
        }
    }

    /**
     * Waits for the directory that the leader of this node makes. Called once, by the other processes.
     *
     * @return the job's directory on this node.
     * @throws TransportException if the job fails before, the leader does not make it within the join timeout, or the
     *                            thread is interrupted.
     */
    public synchronized Path awaitDirectory()
    {
        if (isLeader())
        {
            throw new IllegalStateException(hello.who() + " is the leader of its node, and makes the directory");
        }

        try
        {
            final byte[] message = pipe.next(System.nanoTime() + hello.joinTimeoutNs());
            switch (RendezvousMessages.templateOf(message))
            {
                case DirectoryDecoder.TEMPLATE_ID:
                    final Path directory = RendezvousMessages.decodeDirectory(message);
                    hasDirectory = true;
                    return directory;

                case FailureDecoder.TEMPLATE_ID:
                    isFailed = true;
                    throw new TransportException(RendezvousMessages.decodeFailure(message, hello.nPes()).message());

                default:
                    throw new ProtocolViolation("neither a Directory nor a reason why there is none");
            }
        }
        catch (final IOException | ProtocolViolation ex)
        {
            throw broken(ex);
        }
    }

    /**
     * The failure of the job, as the rendezvous tells it to a process without a bridge: for one that cannot go on and
     * asks why.
     *
     * @param timeoutNs the longest to wait.
     * @return null if none is told.
     */
    public synchronized JobFailure awaitFailure(final long timeoutNs)
    {
        if (null != bridge || isFailed || isClosed)
        {
            return null;
        }

        final long deadlineNs = System.nanoTime() + timeoutNs;
        try
        {
            byte[] message = pipe.next(deadlineNs);
            while (FailureDecoder.TEMPLATE_ID != RendezvousMessages.templateOf(message))
            {
                message = pipe.next(deadlineNs);
            }
            final JobFailure failure = RendezvousMessages.decodeFailure(message, hello.nPes());
            isFailed = true;
            return failure;
        }
        catch (final IOException | ProtocolViolation | TransportException ex)
        {
            // then nobody knows more
            return null;
        }
    }

    /**
     * Starts the thread that keeps this node's control file and those of the other nodes alike. Called once, by the
     * leader; from then on a failure of the job on any node is one on all.
     *
     * @param control       of this node.
     * @param duty          runs in every round of the thread, every 1 to 20 ms; what it throws goes to the error
     *                      handler.
     * @param threadFactory makes the thread.
     * @param errorHandler  takes what goes wrong.
     */
    public synchronized void bridge(
        final Control control, final Runnable duty, final ThreadFactory threadFactory, final ErrorHandler errorHandler)
    {
        if (!isLeader() || null != bridge || isClosed)
        {
            throw new IllegalStateException(hello.who() + " is not the leader of its node, mirrors already, or has " +
                "left: one leader of each node mirrors it");
        }

        if (control.nPes() != hello.nPes())
        {
            throw new IllegalArgumentException("a control file of " + control.nPes() + " PEs in a job of " +
                hello.nPes());
        }

        final NodeBridge started = new NodeBridge(
            id,
            pipe,
            hello,
            server,
            appointment,
            control,
            Objects.requireNonNull(duty, "duty"),
            threadFactory,
            Objects.requireNonNull(errorHandler, "errorHandler"));
        started.start();
        bridge = started;
    }

    /**
     * Waits until the rendezvous has the failure of this node, so that this process may end without anybody missing
     * why. Returns at once if the job has not failed, and in a process that mirrors no node: the failure is in the
     * control file then, and the leader passes it on.
     *
     * @param timeoutNs the longest to wait.
     */
    public void flushFailure(final long timeoutNs)
    {
        final NodeBridge current = bridge;
        if (null != current)
        {
            current.flushFailure(timeoutNs);
        }
    }

    /**
     * Tells the others that this process cannot go on, for reasons that no control file knows of yet. The job fails
     * for all that have come; {@link #close()} is still to be called.
     *
     * @param why for people.
     */
    public synchronized void giveUp(final String why)
    {
        if (null == bridge && !isFailed && !isClosed)
        {
            isFailed = true;
            sendAtOnce(RendezvousMessages.failure(new JobFailure(
                JobFailure.Kind.PE_FAILED,
                hello.isLauncher() ? -1 : hello.firstPe(),
                -1,
                hello.who() + " gave up: " + why)));
        }
    }

    /**
     * Leaves the rendezvous. The leader of an intact job tells that it leaves, and waits, 5 s at most, until the
     * leaders of all nodes do; its PEs must be closing then, or the job fails. After a failure it waits, 0.5 s at most,
     * until the rendezvous has it. Other processes only tell that they need the connection no more; one that has not
     * learnt the directory of its node fails the job. May be called again.
     */
    @Override
    public void close()
    {
        final NodeBridge current = bridge;
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

            final boolean isAlone = hello.pes().length == appointment.nodePes().length;
            final boolean mayLeave = hasDirectory || isAlone && isSingleNode();
            if (mayLeave && !isFailed)
            {
                sendAtOnce(RendezvousMessages.left());
            }
            else
            {
                giveUp("it left before it had the directory of its node");
            }
            isClosed = true;
            Threads.closeAll(new TransportException("closing"), pipe);
        }
    }

    @Override
    public String toString()
    {
        return "RendezvousClient{" + id + ", " + hello + ", " + appointment + '}';
    }

    MessagePipe pipe()
    {
        return pipe;
    }

    private void sendAtOnce(final byte[] frame)
    {
        try
        {
            pipe.connection().send(frame);
            pipe.connection().flush();
        }
        catch (final IOException ex)
        {
            // Then the rendezvous has gone, or sees the end of the connection.
            isFailed = true;
        }
    }

    private TransportException broken(final Exception ex)
    {
        isFailed = true;

        return new TransportException(hello.who() + " has lost the rendezvous " + id + " (pid " + server.pid() +
            ", host " + server.host() + ") while it joined: " + ex.getMessage(), ex);
    }
}
