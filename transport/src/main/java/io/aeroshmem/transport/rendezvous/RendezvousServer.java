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

import io.aeroshmem.codecs.rendezvous.BeatDecoder;
import io.aeroshmem.codecs.rendezvous.DirectoryDecoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.LeftDecoder;
import io.aeroshmem.codecs.rendezvous.PeActivityDecoder;
import io.aeroshmem.codecs.rendezvous.PeStateDecoder;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.ProcessIdentity;
import org.agrona.ErrorHandler;

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
 * Where the processes of one job meet: listens on TCP, and serves everybody with one daemon thread. What it decides is
 * in {@link ServerJob}; here are the sockets.
 * <p>
 * A connection is a stranger's until its Hello has proved that it knows the secret:
 * <pre>
 *   accept -- Challenge --&gt; STRANGER -- Hello with the right code --&gt; MEMBER (Welcome) or told why not
 *                              | anything else, 5 s gone, or more than 256 strangers
 *                              v
 *                           REFUSED: counted, told to the error handler once per address; the job goes on
 * </pre>
 * The thread ends by itself, and releases the port, when all leaders have left, or when a failure was passed on to all
 * that came; and with {@link #close()}. An exception or error of the thread itself is such a failure.
 * <p>
 * <b>It never waits for a client.</b> What goes out to a client waits in its {@link Connection}, bounded; one that does
 * not read has lost its connection. Strangers have bounded buffers, number and time, so they delay a job at most.
 * <p>
 * <b>Ordering.</b> Everything but three words is confined to the thread. Other threads put in a failure by
 * compare-and-set (the first stays), say that it should end by a volatile store, both before waking the selector, and
 * the thread looks at both in every round; they read the job's failure and the end, volatile, each written once by the
 * thread, the end last, after the port was released.
 */
public final class RendezvousServer implements AutoCloseable
{
    static final int MAX_STRANGERS = 256;
    static final long HANDSHAKE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);

    private static final int BACKLOG = 1024;
    private static final long ROUND_MS = 50;
    private static final long CROWDED_AGE_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long CLOSE_FLUSH_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CLOSE_JOIN_MS = 3_000;
    private static final int MAX_TOLD_ADDRESSES = 100;

    private final RendezvousId id;
    private final ErrorHandler errorHandler;
    private final Authenticator authenticator;
    private final ServerSocketChannel serverChannel;
    private final Selector selector;
    private final SelectionKey acceptKey;
    private final Welcome welcome;
    private final ServerJob job;
    private final Thread thread;
    private final AtomicLong refusedCount = new AtomicLong();
    private final AtomicReference<JobFailure> ownFailure = new AtomicReference<>();
    private final Set<Session> strangers = new LinkedHashSet<>();
    private final Set<Session> members = new HashSet<>();
    private final Deque<Session> unflushed = new ArrayDeque<>();
    private final Set<InetAddress> toldAddresses = new HashSet<>();
    private volatile boolean isClosing;
    private volatile boolean isOver;
    private volatile JobFailure failure;

    private RendezvousServer(
        final RendezvousId id,
        final ServerSocketChannel serverChannel,
        final Selector selector,
        final ErrorHandler errorHandler) throws IOException
    {
        this.id = id;
        this.serverChannel = serverChannel;
        this.selector = selector;
        this.errorHandler = errorHandler;
        authenticator = new Authenticator(id);
        acceptKey = serverChannel.register(selector, SelectionKey.OP_ACCEPT);
        final ProcessIdentity self = ProcessIdentity.current();
        welcome = new Welcome(self.pid(), self.startTime(), HostName.local());
        job = new ServerJob(randomToken(), welcome, System.nanoTime());
        thread = new Thread(this::run, "aeroshmem-rendezvous");
        thread.setDaemon(true);
    }

    /**
     * Listens for the processes of a new job, with a random job id and secret.
     *
     * @param address      to listen at, which the other processes can connect to: not the wildcard.
     * @param port         to listen at; 0 takes any that is free.
     * @param errorHandler takes what goes wrong, and who was refused; called on the server's thread.
     * @return the server; its {@link #id()} is for the other processes.
     * @throws TransportException if it cannot listen there.
     */
    public static RendezvousServer start(final InetAddress address, final int port, final ErrorHandler errorHandler)
    {
        if (address.isAnyLocalAddress())
        {
            throw new IllegalArgumentException("a rendezvous at " + address.getHostAddress() + ": it needs an " +
                "address that others can connect to (property aeroshmem.rendezvous.interface)");
        }

        return listen(null, new InetSocketAddress(address, port), errorHandler);
    }

    /**
     * Listens for the processes of a job whose id is known to all of them.
     *
     * @param id           of the job; the server listens at its address.
     * @param errorHandler takes what goes wrong, and who was refused; called on the server's thread.
     * @return the server.
     * @throws TransportException if it cannot listen there.
     */
    public static RendezvousServer start(final RendezvousId id, final ErrorHandler errorHandler)
    {
        return listen(id, id.resolved(), errorHandler);
    }

    /**
     * What the processes of the job need to join.
     *
     * @return where this server listens, the job id and the secret.
     */
    public RendezvousId id()
    {
        return id;
    }

    /**
     * How many connections did not come from a process that knows the secret.
     *
     * @return count since the start.
     */
    public long refusedCount()
    {
        return refusedCount.get();
    }

    /**
     * Whether the server has ended and released its port: all leaders have left, a failure was passed on to all, or it
     * was closed.
     *
     * @return true once it has.
     */
    public boolean isOver()
    {
        return isOver;
    }

    /**
     * Fails the job on all nodes, unless it has failed before or all have left.
     *
     * @param what happened.
     */
    public void fail(final JobFailure what)
    {
        if (ownFailure.compareAndSet(null, Objects.requireNonNull(what, "what")))
        {
            selector.wakeup();
        }
    }

    /**
     * Why the job failed.
     *
     * @return null while it is healthy, and for a job that ended well.
     */
    public JobFailure failure()
    {
        return failure;
    }

    /**
     * Ends the server and releases its port. A job that still needs it fails, with a message that says so. Returns
     * within a few seconds; may be called again.
     */
    @Override
    public void close()
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
        return "RendezvousServer{" + id + ", isOver=" + isOver + ", refused=" + refusedCount + ", failure=" + failure +
            '}';
    }

    private static RendezvousServer listen(
        final RendezvousId id, final InetSocketAddress address, final ErrorHandler errorHandler)
    {
        Objects.requireNonNull(errorHandler, "errorHandler");
        ServerSocketChannel channel = null;
        Selector selector = null;
        try
        {
            channel = ServerSocketChannel.open();
            channel.bind(address, BACKLOG);
            channel.configureBlocking(false);
            selector = Selector.open();
            final RendezvousId serverId =
                null == id ? RendezvousId.random((InetSocketAddress)channel.getLocalAddress()) : id;
            final RendezvousServer server = new RendezvousServer(serverId, channel, selector, errorHandler);
            server.thread.start();

            return server;
        }
        catch (final IOException | IllegalArgumentException ex)
        {
            final TransportException failed = new TransportException("the rendezvous cannot listen at " + address +
                ": " + ex.getMessage() + " (properties aeroshmem.rendezvous, aeroshmem.rendezvous.interface)", ex);
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
            isOver = true;
        }
    }

    /**
     * Fails the job because of an exception or error of this thread, and serves on until those that came and those that
     * still come have the failure. What prevents that as well ends the server and all its connections.
     */
    private void failAfter(final Throwable cause)
    {
        final JobFailure what =
            new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, "the rendezvous " + id + " failed: " + cause);
        fail(what);
        failure = null == failure ? what : failure;
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
            // They may be amid a message that was not sent to its end, and come again.
            List.copyOf(strangers).forEach(Session::close);
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
            // An interrupt says nothing to this thread, and would let it spin.
            Thread.interrupted();
            final long nowNs = System.nanoTime();
            handleEvents(nowNs);
            if (null != ownFailure.get())
            {
                job.fail(ownFailure.get(), nowNs);
            }
            if (isClosing && !isAbandoned)
            {
                isAbandoned = true;
                closeDeadlineNs = nowNs + CLOSE_FLUSH_NS;
                job.abandon(nowNs);
            }
            job.tick(nowNs);
            dropSlowStrangers(nowNs);
            flush(nowNs);
            failure = job.failure();

            if (!isDone && (job.isFinished(nowNs) || isAbandoned && job.isIntact()))
            {
                isDone = true;
                closeDeadlineNs = isAbandoned ? closeDeadlineNs : nowNs + CLOSE_FLUSH_NS;
            }
            if (isDone && !isTellingStrangers() || (isDone || isAbandoned) && nowNs - closeDeadlineNs >= 0)
            {
                return;
            }
        }
    }

    private boolean isTellingStrangers()
    {
        return strangers.stream().anyMatch((session) -> session.isEnding);
    }

    private void handleEvents(final long nowNs)
    {
        final List<SelectionKey> keys = new ArrayList<>(selector.selectedKeys());
        selector.selectedKeys().clear();
        for (final SelectionKey key : keys)
        {
            if (acceptKey == key)
            {
                accept(nowNs);
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

        // Those that were left in the backlog while there were too many strangers.
        if (!acceptKey.isValid() || 0 == acceptKey.interestOps())
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
                if (strangers.size() >= MAX_STRANGERS && !dropOldStranger(nowNs))
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

                new Session(channel, nowNs).challenge();
            }
        }
        catch (final IOException ex)
        {
            // Too many open files, or a client that went away at once: no reason to spin, the next round tries again.
            acceptKey.interestOps(0);
            reportOnce(InetAddress.getLoopbackAddress(), "cannot take a connection: " + ex);
        }
    }

    private boolean dropOldStranger(final long nowNs)
    {
        final Session oldest = strangers.iterator().next();
        if (nowNs - oldest.openedNs < CROWDED_AGE_NS)
        {
            return false;
        }

        oldest.refuse("it did not say hello while more than " + MAX_STRANGERS + " others waited");
        oldest.close();

        return true;
    }

    private void dropSlowStrangers(final long nowNs)
    {
        while (!strangers.isEmpty())
        {
            final Session oldest = strangers.iterator().next();
            if (nowNs - oldest.openedNs < HANDSHAKE_TIMEOUT_NS)
            {
                return;
            }

            oldest.refuse("it did not say hello within " + TimeUnit.NANOSECONDS.toSeconds(HANDSHAKE_TIMEOUT_NS) +
                " s");
            oldest.close();
        }
    }

    /**
     * Flushing may find a connection broken, which may fail the job, which queues more to be flushed.
     */
    private void flush(final long nowNs)
    {
        for (Session session = unflushed.poll(); null != session; session = unflushed.poll())
        {
            session.flush(nowNs);
        }
    }

    private void reportOnce(final InetAddress address, final String what)
    {
        if (toldAddresses.size() < MAX_TOLD_ADDRESSES && toldAddresses.add(address))
        {
            report(new TransportException("the rendezvous " + id + ' ' + what));
        }
    }

    /**
     * An exception of the error handler must not end the job.
     */
    private void report(final Throwable ex)
    {
        try
        {
            errorHandler.onError(ex);
        }
        catch (final RuntimeException thrown)
        {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }

    private void release()
    {
        final List<Session> sessions = new ArrayList<>(strangers);
        sessions.addAll(members);
        sessions.forEach(Session::close);
        final TransportException ignored = new TransportException("the rendezvous " + id + " could not close");
        Threads.closeAll(ignored, serverChannel, selector);
        if (ignored.getSuppressed().length > 0)
        {
            report(ignored);
        }
    }

    /**
     * One connection, and its process when that is known.
     */
    private final class Session implements ServerJob.Outlet
    {
        private final Connection connection;
        private final InetAddress address;
        private final byte[] nonce = authenticator.nonce();
        private final long openedNs;
        private ServerJob.Member member;
        private boolean isRefused;
        private boolean isEnding;
        private boolean isOutputEnded;
        private boolean isFull;

        private Session(final SocketChannel channel, final long nowNs) throws IOException
        {
            connection = new Connection(channel, selector, this);
            address = channel.socket().getInetAddress();
            openedNs = nowNs;
            strangers.add(this);
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
                    ended("ended", nowNs);
                }
            }
            catch (final IOException ex)
            {
                ended("broke (" + ex.getMessage() + ')', nowNs);
            }
            catch (final ProtocolViolation ex)
            {
                if (null != member)
                {
                    job.lied(member, ex, nowNs);
                }
                else if (!isEnding)
                {
                    refuse("it sent " + ex.getMessage());
                    connection.send(RendezvousMessages.refused(false, "you sent " + ex.getMessage()));
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
            if (null == member)
            {
                if (!isEnding)
                {
                    onHello(message, nowNs);
                }
                return;
            }

            job.heard(member, nowNs);
            if (job.isIntact())
            {
                onMemberMessage(message, nowNs);
            }
        }

        private void onHello(final byte[] message, final long nowNs) throws ProtocolViolation
        {
            final byte[] clientNonce = RendezvousMessages.authenticateHello(message, authenticator, nonce);
            if (null == clientNonce)
            {
                refuse("it does not know the secret of this job");
                send(RendezvousMessages.refused(
                    false, "it is the rendezvous of another job, or the secret is not that of the job " +
                    "(property aeroshmem.rendezvous.secret, where the id is not handed on as a whole)"));
                end();
                return;
            }

            if (RendezvousMessages.PROTOCOL_VERSION != RendezvousMessages.versionOf(message))
            {
                job.otherVersion(RendezvousMessages.versionOf(message), connection.toString(), this, nowNs);
                return;
            }

            final Hello hello = RendezvousMessages.decodeHello(message);
            final String givesUp = RendezvousMessages.decodeGivesUp(message);
            send(RendezvousMessages.welcome(welcome, authenticator, clientNonce, nonce));
            if (RendezvousMessages.isProbe(message))
            {
                job.probed(hello, nowNs);
                end();
                return;
            }

            if (!givesUp.isEmpty())
            {
                job.givesUp(hello, givesUp, nowNs);
                end();
                return;
            }

            member = job.hello(hello, this, nowNs);
            if (null != member)
            {
                strangers.remove(this);
                members.add(this);
            }
        }

        private void onMemberMessage(final byte[] message, final long nowNs) throws ProtocolViolation
        {
            final int nPes = member.nPes();
            final int templateId = RendezvousMessages.templateOf(message);
            switch (templateId)
            {
                case PeStateDecoder.TEMPLATE_ID:
                    job.peState(member, RendezvousMessages.decodePeState(message, nPes));
                    break;

                case PeActivityDecoder.TEMPLATE_ID:
                    job.peActivity(member, RendezvousMessages.peOfActivity(message, nPes), message);
                    break;

                case BeatDecoder.TEMPLATE_ID:
                    job.beat(member);
                    break;

                case DirectoryDecoder.TEMPLATE_ID:
                    job.directory(member, RendezvousMessages.decodeDirectory(message));
                    break;

                case FailureDecoder.TEMPLATE_ID:
                    job.fail(RendezvousMessages.decodeFailure(message, nPes), nowNs);
                    break;

                case LeftDecoder.TEMPLATE_ID:
                    job.left(member, nowNs);
                    break;

                default:
                    throw new ProtocolViolation("a message with template id " + templateId + ", which only the " +
                        "server sends");
            }
        }

        /**
         * Of who only looked whether there is somebody nothing is told: a leader does that to whom the server was
         * silent, and hears from it meanwhile.
         */
        private void ended(final String how, final long nowNs)
        {
            if (null != member)
            {
                job.ended(member, how, nowNs);
            }
            else if (!isEnding)
            {
                refuse("it " + how + " before it said hello", connection.hasRead());
            }
            close();
        }

        private void refuse(final String why)
        {
            refuse(why, true);
        }

        private void refuse(final String why, final boolean isTold)
        {
            if (!isRefused && !isEnding)
            {
                isRefused = true;
                refusedCount.incrementAndGet();
                if (isTold)
                {
                    reportOnce(address, "refused a connection from " + address.getHostAddress() + ": " + why +
                        " (told once per address)");
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
                    throw new IOException("it does not read, " + Connection.MAX_OUTGOING + " bytes wait for it");
                }

                if (connection.flush() && isEnding && !isOutputEnded)
                {
                    isOutputEnded = true;
                    connection.endOutput();
                }
            }
            catch (final IOException ex)
            {
                ended("broke (" + ex.getMessage() + ')', nowNs);
            }
        }

        private void close()
        {
            strangers.remove(this);
            members.remove(this);
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
