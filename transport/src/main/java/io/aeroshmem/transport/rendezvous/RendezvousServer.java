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
import io.aeroshmem.codecs.rendezvous.HeartbeatDecoder;
import io.aeroshmem.codecs.rendezvous.LeaveDecoder;
import io.aeroshmem.codecs.rendezvous.PeActivityDecoder;
import io.aeroshmem.codecs.rendezvous.PeStateDecoder;
import io.aeroshmem.transport.RateLimitedErrorHandler;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.job.ProcessIdentity;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemNanoClock;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.security.SecureRandom;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;

/**
 * The server of a rendezvous. It listens on TCP, and serves all processes of one job on one daemon thread.
 * {@link RendezvousStateMachine} makes its decisions; this class owns the sockets.
 * <p>
 * A connection is unauthenticated until its JoinRequest has proved that the peer knows the secret:
 * <pre>
 *   accept -- Challenge --&gt; UNAUTHENTICATED -- JoinRequest with a valid MAC --&gt; AUTHENTICATED (JoinAccepted) or
 *                              |                                             JoinRejected with the reason
 *                              | any other input; 5 s elapsed; or 1 s elapsed while 256 are unauthenticated
 *                              v
 *                           REJECTED: counted; also reported to the error handler (for one address, at most every
 *                           30 s), unless the peer has sent nothing and disconnects; the job continues
 * </pre>
 * The thread ends and releases the port when all processes have left, unless the job is recoverable; when a failure has
 * been sent to all of them; or on {@link #close()}. An exception or error of the thread itself fails the job.
 */
public final class RendezvousServer implements AutoCloseable
{
    static final int MAX_UNAUTHENTICATED = 256;
    static final long HANDSHAKE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private static final int BACKLOG = 1024;
    private static final long ROUND_MS = 50;
    private static final long CROWDED_AGE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_FLUSH_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CLOSE_JOIN_MS = 3_000;

    /*
     * In a recoverable job a server serves one generation. After a failure it keeps its port, and accepts no
     * connection: processes that join the next generation wait in the backlog of the port, until next starts the server
     * of that generation. The id stays the same. When such a job has ended in order, the server rejects processes that
     * are started again until it is closed: nobody else knows that they have nothing to join.
     *
     * The server never waits for a client. Output to a client is queued in its Connection, up to a bound. A client that
     * does not read is disconnected. Unauthenticated connections are bounded in buffers, number and time, so at worst
     * they delay a job.
     *
     * Ordering. All state is confined to the thread, except for the words that it shares with callers of this class. A
     * caller sets a failure by compare-and-set (the first is kept), or requests the end by a volatile store, and then
     * wakes the selector. The thread reads both words in every round. It publishes the failure of the job and its own
     * end by volatile stores. The end is stored last, after the port has been released.
     */
    private final RendezvousId id;
    private final boolean isRecoverable;
    private final RateLimitedErrorHandler errorHandler;
    private final NanoClock clock;
    private final Authenticator authenticator;
    private final ServerSocketChannel serverChannel;
    private final Selector selector;
    private final SelectionKey acceptKey;
    private final JoinAccepted identity;
    private final RendezvousStateMachine stateMachine;
    private final int[] members;
    private final Thread thread;
    private final AtomicLong rejectedCount = new AtomicLong();
    private final AtomicReference<JobFailure> ownFailure = new AtomicReference<>();
    private final Set<Session> unauthenticated = new LinkedHashSet<>();
    private final Set<Session> authenticated = new HashSet<>();
    private final Deque<Session> unflushed = new ArrayDeque<>();
    private volatile boolean isClosing;
    private volatile boolean isEnded;
    private boolean isFollowed;
    private volatile JobFailure failure;

    private RendezvousServer(
        final RendezvousId id,
        final ServerSocketChannel serverChannel,
        final Selector selector,
        final boolean isRecoverable,
        final PreviousGeneration previous,
        final int[] members,
        final RateLimitedErrorHandler errorHandler,
        final NanoClock clock) throws IOException
    {
        this.id = id;
        this.isRecoverable = isRecoverable;
        this.serverChannel = serverChannel;
        this.selector = selector;
        this.errorHandler = errorHandler;
        this.clock = clock;
        authenticator = new Authenticator(id);
        acceptKey = serverChannel.register(selector, SelectionKey.OP_ACCEPT);
        final ProcessIdentity self = ProcessIdentity.current();
        identity = new JoinAccepted(self.pid(), self.startTime(), HostName.local());
        stateMachine = new RendezvousStateMachine(
            randomToken(), identity, isRecoverable, previous, members, clock.nanoTime());
        this.members = members.clone();
        thread = Threads.daemon(new Thread(this::run, "aeroshmem-rendezvous"));
    }

    /**
     * Starts the server of a new job with a random job id and secret, on an address that the other processes can
     * connect to (not the wildcard); port 0 selects any free one. The error handler receives errors and rejected
     * connections, on the server's thread. Throws a {@link TransportException} if it cannot listen.
     */
    public static RendezvousServer start(final InetAddress address, final int port, final ErrorHandler errorHandler)
    {
        return start(address, port, false, errorHandler, SystemNanoClock.INSTANCE);
    }

    /** Starts the server of the first generation of a recoverable job, otherwise as {@link #start}. */
    public static RendezvousServer startRecoverable(
        final InetAddress address, final int port, final ErrorHandler errorHandler)
    {
        return start(address, port, true, errorHandler, SystemNanoClock.INSTANCE);
    }

    static RendezvousServer start(
        final InetAddress address,
        final int port,
        final boolean isRecoverable,
        final ErrorHandler errorHandler,
        final NanoClock clock)
    {
        if (address.isAnyLocalAddress())
        {
            throw new IllegalArgumentException("rendezvous address must not be the wildcard: " +
                address.getHostAddress() + " (aeroshmem.rendezvous.interface)");
        }

        return listen(null, new InetSocketAddress(address, port), isRecoverable, errorHandler, clock);
    }

    /**
     * Starts the server of a job whose id all processes know, on the address of the id. The error handler receives
     * errors and rejected connections, on the server's thread. Throws a {@link TransportException} if it cannot listen.
     */
    public static RendezvousServer start(final RendezvousId id, final ErrorHandler errorHandler)
    {
        return listen(id, id.resolved(), false, errorHandler, SystemNanoClock.INSTANCE);
    }

    /** Starts the server of a generation of a recoverable job, otherwise as {@link #start}. */
    public static RendezvousServer startRecoverable(final RendezvousId id, final ErrorHandler errorHandler)
    {
        return listen(id, id.resolved(), true, errorHandler, SystemNanoClock.INSTANCE);
    }

    /**
     * Ends this server of a recoverable job that has failed, and starts the server of the next generation on its port.
     * Throws a {@link TransportException} if the port has been released. Of a job that shrinks {@code members} are the
     * PEs of the next generation, by their numbers in generation 0, ascending: processes join with these, and receive
     * their numbers in the next one. Without members it has all PEs.
     */
    public RendezvousServer next(final PreviousGeneration previous, final int... members)
    {
        end();
        if (!isEnded || !serverChannel.isOpen())
        {
            throw new TransportException("the rendezvous " + id + " cannot serve another generation of its job");
        }

        isFollowed = true;
        return serve(id, serverChannel, isRecoverable, previous, members, errorHandler, clock);
    }

    /** Returns the id with which the processes of the job join. */
    public RendezvousId id()
    {
        return id;
    }

    /** Returns the number of connections rejected because the peer did not know the secret. */
    public long rejectedCount()
    {
        return rejectedCount.get();
    }

    /** Returns whether the server has ended and released its port. */
    public boolean isEnded()
    {
        return isEnded;
    }

    /** Fails the job on all nodes, unless it has failed or ended already. */
    public void fail(final JobFailure jobFailure)
    {
        if (ownFailure.compareAndSet(null, Objects.requireNonNull(jobFailure, "jobFailure")))
        {
            selector.wakeup();
        }
    }

    /** Returns why the job failed, or null. */
    public JobFailure failure()
    {
        return failure;
    }

    /** Ends the server and releases its port, within a few seconds. A job that still needs it fails. Idempotent. */
    @Override
    public void close()
    {
        end();
        if (isEnded && !isFollowed)
        {
            Threads.closeAll(new TransportException("closing"), serverChannel);
        }
    }

    private void end()
    {
        isClosing = true;
        selector.wakeup();
        if (Thread.currentThread() != thread)
        {
            Threads.join(thread, CLOSE_JOIN_MS);
        }
    }

    @Override
    public String toString()
    {
        return "RendezvousServer{" + id + ", isEnded=" + isEnded + ", rejected=" + rejectedCount + ", failure=" +
            failure + '}';
    }

    private static RendezvousServer listen(
        final RendezvousId id,
        final InetSocketAddress address,
        final boolean isRecoverable,
        final ErrorHandler errorHandler,
        final NanoClock clock)
    {
        Objects.requireNonNull(errorHandler, "errorHandler");
        ServerSocketChannel channel = null;
        try
        {
            channel = ServerSocketChannel.open();
            channel.bind(address, BACKLOG);
            channel.configureBlocking(false);
            final RendezvousId serverId =
                null == id ? RendezvousId.random((InetSocketAddress)channel.getLocalAddress()) : id;
            return serve(serverId, channel, isRecoverable, PreviousGeneration.NONE, new int[0],
                new RateLimitedErrorHandler(errorHandler, clock), clock);
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            final TransportException failed = new TransportException("the rendezvous cannot listen at " + address +
                ": " + ex.getMessage() + " (properties aeroshmem.rendezvous, aeroshmem.rendezvous.interface)", ex);
            Threads.closeAll(failed, channel);
            throw failed;
        }
    }

    /** Starts the server of one generation; closes the channel if it cannot. */
    private static RendezvousServer serve(
        final RendezvousId id,
        final ServerSocketChannel channel,
        final boolean isRecoverable,
        final PreviousGeneration previous,
        final int[] members,
        final RateLimitedErrorHandler errorHandler,
        final NanoClock clock)
    {
        Selector selector = null;
        try
        {
            selector = Selector.open();
            final RendezvousServer server =
                new RendezvousServer(id, channel, selector, isRecoverable, previous, members, errorHandler, clock);
            server.thread.start();
            return server;
        }
        catch (final IOException ex)
        {
            final TransportException failed =
                new TransportException("the rendezvous " + id + " cannot serve: " + ex.getMessage(), ex);
            Threads.closeAll(failed, channel, selector);
            throw failed;
        }
    }

    private static long randomToken()
    {
        final SecureRandom random = new SecureRandom();
        long token;
        do
        {
            token = random.nextLong();
        }
        while (0 == token);

        return token;
    }

    private void run()
    {
        try
        {
            serve();
        }
        catch (final Throwable ex)
        {
            failAfter(ex);
        }
        finally
        {
            release();
            isEnded = true;
        }
    }

    /**
     * Fails the job because of an exception or error of this thread, and continues to serve until all processes have
     * received the failure. A second one ends the server and all its connections.
     */
    private void failAfter(final Throwable cause)
    {
        final JobFailure jobFailure =
            new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, "the rendezvous " + id + " failed: " + cause);
        fail(jobFailure);
        failure = null == failure ? jobFailure : failure;
        try
        {
            report(cause);
        }
        catch (final Error ex)
        {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, ex);
        }

        try
        {
            // A message to them may have been sent in part; they reconnect.
            List.copyOf(unauthenticated).forEach(Session::close);
            serve();
        }
        catch (final Throwable ex)
        {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, ex);
        }
    }

    private void serve() throws IOException
    {
        boolean isAbandoned = false;
        boolean isDone = false;
        long closeDeadlineNs = 0;
        while (true)
        {
            selector.select(ROUND_MS);
            // An interrupt has no meaning for this thread, and would make it spin.
            Thread.interrupted();
            final long nowNs = clock.nanoTime();
            handleEvents(nowNs);
            if (null != ownFailure.get())
            {
                stateMachine.fail(ownFailure.get(), nowNs);
            }

            if (isClosing && !isAbandoned)
            {
                isAbandoned = true;
                closeDeadlineNs = nowNs + CLOSE_FLUSH_NS;
                stateMachine.abandon(nowNs);
            }

            stateMachine.tick(nowNs);
            dropExpiredHandshakes(nowNs);
            flush(nowNs);
            failure = stateMachine.failure();

            final boolean isKept = isRecoverable && stateMachine.hasEnded() && !isAbandoned;
            if (!isDone && !isKept && (stateMachine.isFinished(nowNs) || isAbandoned && stateMachine.isIntact()))
            {
                isDone = true;
                closeDeadlineNs = isAbandoned ? closeDeadlineNs : nowNs + CLOSE_FLUSH_NS;
            }

            if (isDone && !isEndingUnauthenticated() || (isDone || isAbandoned) && nowNs - closeDeadlineNs >= 0)
            {
                return;
            }
        }
    }

    private boolean isEndingUnauthenticated()
    {
        return unauthenticated.stream().anyMatch((session) -> session.isEnding);
    }

    private void handleEvents(final long nowNs)
    {
        final List<SelectionKey> keys = new ArrayList<>(selector.selectedKeys());
        selector.selectedKeys().clear();
        for (final SelectionKey key : keys)
        {
            if (acceptKey == key)
            {
                if (stateMachine.isAccepting())
                {
                    accept(nowNs);
                }
                else
                {
                    acceptKey.interestOps(0);
                }
            }
            else if (key.isValid())
            {
                final Session session = (Session)key.attachment();
                if (key.isReadable())
                {
                    session.read(nowNs);
                }

                unflushed.add(session);
            }
        }

        // Connections left in the backlog while there were too many unauthenticated ones.
        if (stateMachine.isAccepting() && (!acceptKey.isValid() || 0 == acceptKey.interestOps()))
        {
            accept(nowNs);
        }
    }

    private void accept(final long nowNs)
    {
        try
        {
            while (true)
            {
                final Session replaced = unauthenticated.size() < MAX_UNAUTHENTICATED ?
                    null : unauthenticated.iterator().next();
                if (null != replaced && nowNs - replaced.openedNs < CROWDED_AGE_NS)
                {
                    acceptKey.interestOps(0);
                    return;
                }

                final SocketChannel channel = serverChannel.accept();
                if (null == channel)
                {
                    acceptKey.interestOps(SelectionKey.OP_ACCEPT);
                    return;
                }

                if (null != replaced)
                {
                    replaced.reject("no JoinRequest while " + MAX_UNAUTHENTICATED + " others waited");
                    replaced.close();
                }

                new Session(channel, nowNs).challenge();
            }
        }
        catch (final IOException ex)
        {
            // Too many open files, or a client that disconnected at once: the next round retries.
            acceptKey.interestOps(0);
            report(new TransportException("the rendezvous " + id + " cannot accept a connection: " + ex));
        }
    }

    private void dropExpiredHandshakes(final long nowNs)
    {
        while (!unauthenticated.isEmpty())
        {
            final Session oldest = unauthenticated.iterator().next();
            if (nowNs - oldest.openedNs < HANDSHAKE_TIMEOUT_NS)
            {
                return;
            }

            oldest.reject("no JoinRequest within " + TimeUnit.NANOSECONDS.toSeconds(HANDSHAKE_TIMEOUT_NS) + " s");
            oldest.close();
        }
    }

    /**
     * Flushing may detect a broken connection, which may fail the job, which queues more output.
     */
    private void flush(final long nowNs)
    {
        for (Session session = unflushed.poll(); null != session; session = unflushed.poll())
        {
            session.flush(nowNs);
        }
    }

    /** An exception of the error handler must not end the job. */
    private void report(final Throwable ex)
    {
        report(ex.toString(), ex);
    }

    private void report(final Object key, final Throwable ex)
    {
        try
        {
            errorHandler.onError(key, ex);
        }
        catch (final RuntimeException thrown)
        {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }

    private void release()
    {
        final List<Session> sessions = new ArrayList<>(unauthenticated);
        sessions.addAll(authenticated);
        sessions.forEach(Session::close);
        final TransportException ignored = new TransportException("the rendezvous " + id + " could not be closed");
        Threads.closeAll(ignored, isRecoverable && null != failure ? null : serverChannel, selector);
        if (ignored.getSuppressed().length > 0)
        {
            report(ignored);
        }
    }

    /**
     * A connection of a client, and the client's process once authenticated.
     */
    private final class Session implements RendezvousStateMachine.MessageSink
    {
        private final Connection connection;
        private final InetAddress address;
        private final byte[] nonce = authenticator.nonce();
        private final long openedNs;
        private RendezvousStateMachine.ProcessEntry process;
        private boolean isRejected;
        private boolean isEnding;
        private boolean isOutputEnded;
        private boolean isFull;

        private Session(final SocketChannel channel, final long nowNs) throws IOException
        {
            connection = new Connection(channel, selector, this);
            address = channel.socket().getInetAddress();
            openedNs = nowNs;
            unauthenticated.add(this);
        }

        private void challenge()
        {
            send(RendezvousMessages.challenge(nonce));
        }

        @Override
        public void send(final byte[] frame)
        {
            isFull |= !connection.send(frame);
            unflushed.add(this);
        }

        @Override
        public void end()
        {
            isEnding = true;
            unflushed.add(this);
        }

        private void read(final long nowNs)
        {
            try
            {
                connection.read((message) -> onMessage(message, nowNs));
                if (connection.isEnded())
                {
                    onDisconnect("ended", nowNs);
                }
            }
            catch (final IOException ex)
            {
                onDisconnect("broke (" + ex.getMessage() + ')', nowNs);
            }
            catch (final ProtocolViolation ex)
            {
                if (null != process)
                {
                    stateMachine.onProtocolViolation(process, ex, nowNs);
                }
                else if (!isEnding)
                {
                    reject("the peer sent " + ex.getMessage());
                    connection.send(RendezvousMessages.joinRejected(false, "you sent " + ex.getMessage()));
                    end();
                }
                else
                {
                    close();
                }
            }
        }

        private void onMessage(final byte[] message, final long nowNs) throws ProtocolViolation
        {
            if (null == process)
            {
                if (!isEnding)
                {
                    onJoinRequest(message, nowNs);
                }

                return;
            }

            stateMachine.onActivity(process, nowNs);
            if (stateMachine.isIntact())
            {
                onProcessMessage(message, nowNs);
            }
        }

        private void onJoinRequest(final byte[] message, final long nowNs) throws ProtocolViolation
        {
            final byte[] clientNonce = RendezvousMessages.authenticate(message, authenticator, nonce);
            if (null == clientNonce)
            {
                reject("the peer does not know the secret of this job");
                send(RendezvousMessages.joinRejected(
                    false, "the rendezvous belongs to another job, or the secret differs " +
                    "(aeroshmem.rendezvous.secret, unless the whole id is passed on)"));
                end();
                return;
            }

            if (RendezvousMessages.PROTOCOL_VERSION != RendezvousMessages.versionOf(message))
            {
                stateMachine.onVersionMismatch(
                    RendezvousMessages.versionOf(message), connection.toString(), this, nowNs);
                return;
            }

            final boolean isProbe = RendezvousMessages.isProbe(message);
            final JoinRequest received = RendezvousMessages.decodeJoinRequest(message);
            // a process that probes knows its numbers in this generation
            final JoinRequest request = isProbe ? received : received.in(members);
            final String withdrawal = RendezvousMessages.decodeWithdrawal(message);
            send(RendezvousMessages.joinAccepted(identity, authenticator, clientNonce, nonce));
            if (isProbe)
            {
                stateMachine.onProbe(request, nowNs);
                end();
                return;
            }

            if (!withdrawal.isEmpty())
            {
                stateMachine.onWithdraw(request, withdrawal, nowNs);
                end();
                return;
            }

            process = stateMachine.onJoinRequest(request, this, nowNs);
            if (null != process)
            {
                unauthenticated.remove(this);
                authenticated.add(this);
            }
        }

        private void onProcessMessage(final byte[] message, final long nowNs) throws ProtocolViolation
        {
            final int nPes = process.nPes();
            final int templateId = RendezvousMessages.templateOf(message);
            switch (templateId)
            {
                case PeStateDecoder.TEMPLATE_ID ->
                    stateMachine.onPeState(process, RendezvousMessages.decodePeState(message, nPes));
                case PeActivityDecoder.TEMPLATE_ID ->
                    stateMachine.onPeActivity(process, RendezvousMessages.peOfActivity(message, nPes), message);
                case HeartbeatDecoder.TEMPLATE_ID -> stateMachine.onHeartbeat(process);
                case DirectoryDecoder.TEMPLATE_ID ->
                    stateMachine.onDirectory(process, RendezvousMessages.decodeDirectory(message));
                case FailureDecoder.TEMPLATE_ID ->
                    stateMachine.fail(RendezvousMessages.decodeFailure(message, nPes), nowNs);
                case LeaveDecoder.TEMPLATE_ID -> stateMachine.onLeave(process, nowNs);
                default ->
                    throw new ProtocolViolation("a message that only the server may send: templateId=" + templateId);
            }
        }

        /**
         * Handles the end of the connection. A peer that sent nothing is not reported: it may be the probe of a leader
         * that gets messages of the server meanwhile.
         */
        private void onDisconnect(final String how, final long nowNs)
        {
            if (null != process)
            {
                stateMachine.onDisconnect(process, how, nowNs);
            }
            else if (!isEnding)
            {
                reject("the connection " + how + " before a JoinRequest", connection.hasRead());
            }

            close();
        }

        private void reject(final String why)
        {
            reject(why, true);
        }

        private void reject(final String why, final boolean isReported)
        {
            if (!isRejected && !isEnding)
            {
                isRejected = true;
                rejectedCount.incrementAndGet();
                if (isReported)
                {
                    report(address, new TransportException("the rendezvous " + id + " rejected a connection from " +
                        address.getHostAddress() + ": " + why));
                }
            }
        }

        private void flush(final long nowNs)
        {
            if (!connection.isOpen())
            {
                return;
            }

            try
            {
                if (isFull)
                {
                    throw new IOException("it does not read: " + Connection.MAX_OUTGOING + " bytes queued");
                }

                if (connection.flush() && isEnding && !isOutputEnded)
                {
                    isOutputEnded = true;
                    connection.endOutput();
                }
            }
            catch (final IOException ex)
            {
                onDisconnect("broke (" + ex.getMessage() + ')', nowNs);
            }
        }

        private void close()
        {
            unauthenticated.remove(this);
            authenticated.remove(this);
            try
            {
                connection.close();
            }
            catch (final IOException ex)
            {
                report(ex);
            }
        }
    }
}
