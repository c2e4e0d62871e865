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
package io.aeroshmem.transport;

import io.aeron.Aeron;
import io.aeroshmem.bootstrap.PeBootstrap;
import io.aeroshmem.transport.aeron.Engine;
import io.aeroshmem.transport.aeron.LocalMemory;
import io.aeroshmem.transport.aeron.MessageTransport;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AtomicBuffer;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.IdleStrategy;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.Supplier;

/**
 * One PE's door to the job: its own memory, a {@link Transport} to every PE, and what a blocked caller does meanwhile.
 * {@link Joining} tells how it comes to be. Leaving an intact job is collective: nobody takes anything down before its
 * own messages are acknowledged and all PEs are CLOSING.
 */
public final class Endpoint implements AutoCloseable
{
    private static final String CLOSE = "close";

    private final Joining joining;
    private final int pe;
    private final int nPes;
    private final Control control;
    private final long arenaOffset;
    private final long heapSize;
    private final long systemAreaSize;
    private final LocalMemory memory;
    private final long[] userBases;
    private final long[] systemBases;
    private final Segment[] segments;
    private final PathKind[] paths;
    private final Transport[] transports;
    private final JoinRecord[] records;
    private final Engine engine;
    private final MessageTransport messages;
    private final Waiting waiting;
    private final List<Object> retained = Collections.synchronizedList(new ArrayList<>());
    private boolean isClosed;

    Endpoint(final Joining joining)
    {
        this.joining = joining;
        pe = joining.pe;
        nPes = joining.nPes;
        control = joining.control;
        arenaOffset = joining.arenaOffset;
        heapSize = joining.heapSize;
        systemAreaSize = joining.systemAreaSize;
        memory = joining.memory;
        userBases = joining.userBases;
        systemBases = joining.systemBases;
        segments = joining.segments;
        paths = joining.paths;
        transports = joining.transports;
        records = joining.records;
        engine = joining.engine;
        messages = joining.messages;
        waiting = joining.waiting;
    }

    /**
     * Join the job in one go, {@link Meeting#of} and {@link Meeting#connect()}. Collective: returns when all PEs are
     * connected.
     *
     * @param context of this PE.
     * @return its endpoint.
     * @throws TransportException if this PE or another cannot join; the message says why, and all others get it too.
     */
    public static Endpoint join(final Context context)
    {
        return Meeting.of(context).connect();
    }

    /**
     * Number of this PE.
     *
     * @return 0 to {@link #nPes()} - 1.
     */
    public int pe()
    {
        return pe;
    }

    /**
     * What only PEs of this job know.
     *
     * @return the token that their messages carry.
     */
    public long jobToken()
    {
        return joining.process.directory().token();
    }

    /**
     * Number of PEs.
     *
     * @return at least 1.
     */
    public int nPes()
    {
        return nPes;
    }

    /**
     * How operations reach a PE's user heap and system area.
     *
     * @param peer any PE, this one too.
     * @return the transport.
     */
    public Transport transport(final int peer)
    {
        return transports[peer];
    }

    /**
     * The kind of path that operations take.
     *
     * @param peer any PE, this one too.
     * @return its kind.
     */
    public PathKind path(final int peer)
    {
        return paths[peer];
    }

    /**
     * Is a PE on this host, by the names that PEs give their nodes?
     *
     * @param peer any PE.
     * @return true if it is.
     */
    public boolean isSameHost(final int peer)
    {
        return isSameHost(peer, pe);
    }

    /**
     * Are two PEs on one host, by the names that they give their nodes?
     *
     * @param first  any PE.
     * @param second any PE.
     * @return true if they are.
     */
    public boolean isSameHost(final int first, final int second)
    {
        return records[first].isSameHost(records[second]);
    }

    /**
     * Do this PE and that one reach each other by loads and stores?
     *
     * @param peer any PE.
     * @return true if both do.
     */
    public boolean isMutuallyMapped(final int peer)
    {
        return isMutuallyMapped(peer, pe);
    }

    /**
     * Do two PEs reach each other by loads and stores?
     *
     * @param first  any PE.
     * @param second any PE.
     * @return true if both do.
     */
    public boolean isMutuallyMapped(final int first, final int second)
    {
        return records[first].isMapping(records[second]) && records[second].isMapping(records[first]);
    }

    /**
     * Does any path of this PE, in either direction, use messages?
     *
     * @return true if one does.
     */
    public boolean isMessaging()
    {
        return null != engine;
    }

    /**
     * Address of this PE's own memory.
     *
     * @param region USER or SYSTEM.
     * @return where the region starts in this process.
     */
    public long localAddress(final int region)
    {
        return mappedAddress(region, pe);
    }

    /**
     * Address of a PE's memory in this process.
     *
     * @param region USER or SYSTEM.
     * @param peer   any PE.
     * @return where its region starts, or 0 if it is not reached by loads and stores.
     */
    public long mappedAddress(final int region, final int peer)
    {
        return Region.USER == region ? userBases[peer] : systemBases[peer];
    }

    /**
     * Length of a region, equal on all PEs. The end of the system area is the arena.
     *
     * @param region USER or SYSTEM.
     * @return in bytes.
     */
    public long regionLength(final int region)
    {
        return Region.USER == region ? heapSize : systemAreaSize;
    }

    /**
     * Where the arena begins, equal on all PEs: the end of the system area, address space that nobody may touch before
     * its owner has reserved it.
     *
     * @return offset in the system area, in bytes, a multiple of the page size; its end if there is no arena.
     */
    public long arenaOffset()
    {
        return arenaOffset;
    }

    /**
     * Reserve a piece of this PE's arena: its memory is there from now on, and zero. A peer may touch it when it has
     * learnt of it; messages that aim at what is not reserved fail their sender. The file system gives what lies
     * before the piece too, and is given nothing back before the PE leaves: callers reuse what they have reserved, from
     * the beginning of the arena. Any thread.
     *
     * @param offset in the system area, in bytes, not before {@link #arenaOffset()}.
     * @param length in bytes.
     * @throws TransportException       if the file system has not that much; then nothing has changed.
     * @throws IllegalArgumentException if the piece does not lie within the arena.
     */
    public void reserve(final long offset, final long length)
    {
        if (offset < arenaOffset)
        {
            throw new IllegalArgumentException(
                "offset: given " + offset + ", allowed is " + arenaOffset + ", where the arena begins, or more");
        }

        segments[pe].reserve(offset, length);
        if (null != memory)
        {
            memory.growSystem(segments[pe].reserved());
        }
    }

    private long regionStart(final int region)
    {
        return Region.USER == region ? systemAreaSize : 0;
    }

    /**
     * A view of a PE's memory for loads and stores. It stays readable after the job is closed.
     *
     * @param peer   any PE.
     * @param region USER or SYSTEM.
     * @param offset in the region, in bytes.
     * @param length in bytes.
     * @return the view, or null if the PE is not reached by loads and stores.
     */
    public AtomicBuffer view(final int peer, final int region, final long offset, final int length)
    {
        return null == segments[peer] ? null : segments[peer].view(regionStart(region) + offset, length);
    }

    /**
     * This PE's own memory as a ByteBuffer in native order. It stays readable after the job is closed.
     *
     * @param region USER or SYSTEM.
     * @param offset in the region, in bytes.
     * @param length in bytes.
     * @return the buffer.
     */
    public ByteBuffer byteBuffer(final int region, final long offset, final int length)
    {
        return segments[pe].byteBuffer(regionStart(region) + offset, length);
    }

    /**
     * What blocked callers do.
     *
     * @return never null.
     */
    public Waiting waiting()
    {
        return waiting;
    }

    /**
     * Run one duty cycle unless another thread runs one.
     *
     * @return how much was done.
     */
    public int progress()
    {
        return null == engine ? 0 : engine.poll();
    }

    /**
     * Hand on what small operations left to be sent. Never blocks.
     */
    public void flush()
    {
        if (null != engine)
        {
            engine.poll();
        }
    }

    /**
     * Complete everything that any thread of this PE issued before the call, nonblocking operations too.
     */
    public void quietAll()
    {
        if (null != messages)
        {
            messages.quietAll();
        }
    }

    /**
     * Keep an object reachable for as long as this endpoint: the owner of private memory that replies to nonblocking
     * requests may still be stored in, because the call that made them ended by an exception.
     *
     * @param owner of the memory.
     */
    public void retain(final Object owner)
    {
        retained.add(owner);
    }

    /**
     * Has a PE called close? Acquire: what it sent before is here.
     *
     * @param peer any PE.
     * @return true if it sends nothing more.
     */
    public boolean isFinalizing(final int peer)
    {
        return control.phase(peer) >= PePhase.FINALIZING;
    }

    /**
     * The calls that PEs are blocked in.
     *
     * @return never null.
     */
    public PeActivities activities()
    {
        return control.activities();
    }

    /**
     * Fail the job because of what a call has found.
     *
     * @param failure what happened; the first failure of the job counts.
     * @return the exception that the call is to throw.
     */
    public RuntimeException failed(final JobFailure failure)
    {
        control.fail(pe, failure);
        return waiting.failure();
    }

    /**
     * Throw if the job has failed.
     */
    public void checkFailure()
    {
        waiting.checkFailure();
    }

    /**
     * Fail the job. The first failure counts.
     *
     * @param failure what happened.
     * @return true if it was the first.
     */
    public boolean fail(final JobFailure failure)
    {
        return control.fail(pe, failure);
    }

    /**
     * Why the job failed.
     *
     * @return null if it has not.
     */
    public JobFailure failure()
    {
        return control.failure();
    }

    /**
     * Leave an intact job, or a failed one.
     */
    @Override
    public void close()
    {
        close(control.isFailed());
    }

    /**
     * Announce that this PE sends nothing more, and wait until all others have announced the same, while this one
     * serves them. This is a barrier of its own: it matches no other call, and whoever waits for something that this PE
     * has not sent can know that it never will.
     */
    public void finish()
    {
        awaitDrained();
        joining.phases.announceAndAwaitUnhurried(PePhase.FINALIZING, waiting, CLOSE);
    }

    /**
     * Leave the job. In an intact job this is collective: every PE serves the others until all want to leave.
     *
     * @param afterFailure leave without waiting for anybody.
     */
    public synchronized void close(final boolean afterFailure)
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        RuntimeException problem = null;
        try
        {
            if (!afterFailure)
            {
                awaitLeaving();
            }
        }
        catch (final RuntimeException ex)
        {
            problem = ex;
        }

        release(problem);
    }

    /**
     * @param problem that kept this PE from leaving an intact job, to be thrown when it is released; or null.
     */
    private void release(final RuntimeException problem)
    {
        try
        {
            joining.release();
        }
        catch (final RuntimeException ex)
        {
            if (null == problem)
            {
                throw ex;
            }
            problem.addSuppressed(ex);
        }

        if (null != problem)
        {
            throw problem;
        }
    }

    private void awaitLeaving()
    {
        awaitDrained();
        joining.leaving();
        joining.phases.announceAndAwait(PePhase.CLOSING, waiting, CLOSE);
    }

    private void awaitDrained()
    {
        int round = 0;
        while (null != engine && !engine.isDrained())
        {
            round = waiting.idle(round, Waiting.NO_DEADLINE, CLOSE);
        }
        waiting.end(round);
    }

    /**
     * What a PE joins with. Fluent; every setter has a getter of the same name.
     */
    public static final class Context
    {
        private static final long MIN_PARK_NS = 10_000;
        private static final long MAX_PARK_NS = 50_000;
        private static final ErrorHandler DEFAULT_ERROR_HANDLER = (throwable) ->
            Thread.currentThread().getThreadGroup().uncaughtException(Thread.currentThread(), throwable);

        private PeBootstrap bootstrap;
        private long heapSize = 64L << 20;
        private long systemAreaSize = 1L << 20;
        private long systemArenaSize;
        private boolean sparse;
        private TransportMode transport = TransportMode.AUTO;
        private boolean agentMode = true;
        private Supplier<IdleStrategy> idleStrategySupplier =
            () -> new BackoffIdleStrategy(10, 0, MIN_PARK_NS, MAX_PARK_NS);
        private Supplier<IdleStrategy> waitIdleStrategySupplier;
        private ThreadFactory threadFactory = Threads::newDaemon;
        private Aeron aeron;
        private boolean ownsAeronClient;
        private String aeronDirectoryName;
        private AgentInvoker mediaDriverAgentInvoker;
        private ErrorHandler errorHandler = DEFAULT_ERROR_HANDLER;
        private long operationTimeoutNs;
        private long livenessTimeoutNs = TimeUnit.SECONDS.toNanos(10);
        private long joinTimeoutNs = TimeUnit.SECONDS.toNanos(60);
        private int termLength = 1 << 20;
        private int ipcMtu = 8192;
        private int udpMtu;
        private String udpInterface;
        private String nodeName;
        private ExceptionFactory exceptions;
        private Consumer<JobFailure> failureListener;
        private Map<String, String> attributes = Map.of();
        private boolean delayed;

        /**
         * A context with the defaults.
         */
        public Context()
        {
        }

        /**
         * How this PE learns of its job.
         *
         * @param value to set.
         * @return this.
         */
        public Context bootstrap(final PeBootstrap value)
        {
            bootstrap = value;
            return this;
        }

        /**
         * {@return how this PE learns of its job}
         */
        public PeBootstrap bootstrap()
        {
            return bootstrap;
        }

        /**
         * Size of the user heap in bytes, equal on all PEs.
         *
         * @param value to set.
         * @return this.
         */
        public Context heapSize(final long value)
        {
            heapSize = value;
            return this;
        }

        /**
         * {@return size of the user heap in bytes, equal on all PEs}
         */
        public long heapSize()
        {
            return heapSize;
        }

        /**
         * Size of the system area in bytes, without its arena, equal on all PEs.
         *
         * @param value to set.
         * @return this.
         */
        public Context systemAreaSize(final long value)
        {
            systemAreaSize = value;
            return this;
        }

        /**
         * {@return size of the system area in bytes, without its arena, equal on all PEs}
         */
        public long systemAreaSize()
        {
            return systemAreaSize;
        }

        /**
         * Size of the arena at the end of the system area in bytes, equal on all PEs. It is less where the user heap
         * leaves less room in a mapping of 2 GiB - 1, and is not longer itself.
         *
         * @param value to set.
         * @return this.
         */
        public Context systemArenaSize(final long value)
        {
            systemArenaSize = value;
            return this;
        }

        /**
         * {@return size of the arena at the end of the system area in bytes, equal on all PEs}
         */
        public long systemArenaSize()
        {
            return systemArenaSize;
        }

        /**
         * Whether the segment is created without reserving its memory.
         *
         * @param value to set.
         * @return this.
         */
        public Context sparse(final boolean value)
        {
            sparse = value;
            return this;
        }

        /**
         * {@return whether the segment is created without reserving its memory}
         */
        public boolean sparse()
        {
            return sparse;
        }

        /**
         * What to use towards peers.
         *
         * @param value to set.
         * @return this.
         */
        public Context transport(final TransportMode value)
        {
            transport = value;
            return this;
        }

        /**
         * {@return what to use towards peers}
         */
        public TransportMode transport()
        {
            return transport;
        }

        /**
         * Whether a background thread drives progress; otherwise the application does.
         *
         * @param value to set.
         * @return this.
         */
        public Context agentMode(final boolean value)
        {
            agentMode = value;
            return this;
        }

        /**
         * {@return whether a background thread drives progress; otherwise the application does}
         */
        public boolean agentMode()
        {
            return agentMode;
        }

        /**
         * Idle strategy of the background thread.
         *
         * @param value to set.
         * @return this.
         */
        public Context idleStrategySupplier(final Supplier<IdleStrategy> value)
        {
            idleStrategySupplier = value;
            return this;
        }

        /**
         * {@return idle strategy of the background thread}
         */
        public Supplier<IdleStrategy> idleStrategySupplier()
        {
            return idleStrategySupplier;
        }

        /**
         * Idle strategy of blocked callers; null: chosen by how many processors there are.
         *
         * @param value to set.
         * @return this.
         */
        public Context waitIdleStrategySupplier(final Supplier<IdleStrategy> value)
        {
            waitIdleStrategySupplier = value;
            return this;
        }

        /**
         * {@return idle strategy of blocked callers; null: chosen by how many processors there are}
         */
        public Supplier<IdleStrategy> waitIdleStrategySupplier()
        {
            return waitIdleStrategySupplier;
        }

        /**
         * Makes the threads of the library.
         *
         * @param value to set.
         * @return this.
         */
        public Context threadFactory(final ThreadFactory value)
        {
            threadFactory = value;
            return this;
        }

        /**
         * {@return makes the threads of the library}
         */
        public ThreadFactory threadFactory()
        {
            return threadFactory;
        }

        /**
         * Client of the application; null: one of our own.
         *
         * @param value to set.
         * @return this.
         */
        public Context aeron(final Aeron value)
        {
            aeron = value;
            return this;
        }

        /**
         * {@return client of the application; null: one of our own}
         */
        public Aeron aeron()
        {
            return aeron;
        }

        /**
         * Whether the given client is closed with the job.
         *
         * @param value to set.
         * @return this.
         */
        public Context ownsAeronClient(final boolean value)
        {
            ownsAeronClient = value;
            return this;
        }

        /**
         * {@return whether the given client is closed with the job}
         */
        public boolean ownsAeronClient()
        {
            return ownsAeronClient;
        }

        /**
         * Directory of a running media driver; null: the job has its own.
         *
         * @param value to set.
         * @return this.
         */
        public Context aeronDirectoryName(final String value)
        {
            aeronDirectoryName = value;
            return this;
        }

        /**
         * {@return directory of a running media driver; null: the job has its own}
         */
        public String aeronDirectoryName()
        {
            return aeronDirectoryName;
        }

        /**
         * Agents of a driver that the application runs as an invoker.
         *
         * @param value to set.
         * @return this.
         */
        public Context mediaDriverAgentInvoker(final AgentInvoker value)
        {
            mediaDriverAgentInvoker = value;
            return this;
        }

        /**
         * {@return agents of a driver that the application runs as an invoker}
         */
        public AgentInvoker mediaDriverAgentInvoker()
        {
            return mediaDriverAgentInvoker;
        }

        /**
         * Told what goes wrong on threads of the library.
         *
         * @param value to set.
         * @return this.
         */
        public Context errorHandler(final ErrorHandler value)
        {
            errorHandler = value;
            return this;
        }

        /**
         * {@return told what goes wrong on threads of the library}
         */
        public ErrorHandler errorHandler()
        {
            return errorHandler;
        }

        /**
         * Limit of blocking operations in nanoseconds; 0: none.
         *
         * @param value to set.
         * @return this.
         */
        public Context operationTimeoutNs(final long value)
        {
            operationTimeoutNs = value;
            return this;
        }

        /**
         * {@return limit of blocking operations in nanoseconds; 0: none}
         */
        public long operationTimeoutNs()
        {
            return operationTimeoutNs;
        }

        /**
         * Silence that makes a client of the driver count as gone, in nanoseconds.
         *
         * @param value to set.
         * @return this.
         */
        public Context livenessTimeoutNs(final long value)
        {
            livenessTimeoutNs = value;
            return this;
        }

        /**
         * {@return silence that makes a client of the driver count as gone, in nanoseconds}
         */
        public long livenessTimeoutNs()
        {
            return livenessTimeoutNs;
        }

        /**
         * How long to wait for the other PEs to join, in nanoseconds.
         *
         * @param value to set.
         * @return this.
         */
        public Context joinTimeoutNs(final long value)
        {
            joinTimeoutNs = value;
            return this;
        }

        /**
         * {@return how long to wait for the other PEs to join, in nanoseconds}
         */
        public long joinTimeoutNs()
        {
            return joinTimeoutNs;
        }

        /**
         * Term length of the streams in bytes.
         *
         * @param value to set.
         * @return this.
         */
        public Context termLength(final int value)
        {
            termLength = value;
            return this;
        }

        /**
         * {@return term length of the streams in bytes}
         */
        public int termLength()
        {
            return termLength;
        }

        /**
         * Largest frame over IPC in bytes.
         *
         * @param value to set.
         * @return this.
         */
        public Context ipcMtu(final int value)
        {
            ipcMtu = value;
            return this;
        }

        /**
         * {@return largest frame over IPC in bytes}
         */
        public int ipcMtu()
        {
            return ipcMtu;
        }

        /**
         * Largest datagram in bytes; 0: 8192 on the loopback interface, 1408 elsewhere.
         *
         * @param value to set.
         * @return this.
         */
        public Context udpMtu(final int value)
        {
            udpMtu = value;
            return this;
        }

        /**
         * {@return largest datagram in bytes; 0: 8192 on the loopback interface, 1408 elsewhere}
         */
        public int udpMtu()
        {
            return udpMtu;
        }

        /**
         * Address that the UDP inbox listens on; null: the one that other nodes reach, loopback in a job of one node.
         *
         * @param value to set.
         * @return this.
         */
        public Context udpInterface(final String value)
        {
            udpInterface = value;
            return this;
        }

        /**
         * {@return address that the UDP inbox listens on, or null}
         */
        public String udpInterface()
        {
            return udpInterface;
        }

        /**
         * Name of the node that this PE counts itself to; null: the name of its host. PEs on different nodes do not
         * map each other.
         *
         * @param value to set.
         * @return this.
         */
        public Context nodeName(final String value)
        {
            nodeName = value;
            return this;
        }

        /**
         * {@return name of the node that this PE counts itself to; null: the name of its host}
         */
        public String nodeName()
        {
            return nodeName;
        }

        /**
         * Makes the exceptions that leave the transport.
         *
         * @param value to set.
         * @return this.
         */
        public Context exceptions(final ExceptionFactory value)
        {
            exceptions = value;
            return this;
        }

        /**
         * {@return makes the exceptions that leave the transport}
         */
        public ExceptionFactory exceptions()
        {
            return exceptions;
        }

        /**
         * Told once, on a library thread, when the job fails.
         *
         * @param value to set.
         * @return this.
         */
        public Context failureListener(final Consumer<JobFailure> value)
        {
            failureListener = value;
            return this;
        }

        /**
         * {@return told once, on a library thread, when the job fails}
         */
        public Consumer<JobFailure> failureListener()
        {
            return failureListener;
        }

        /**
         * What has to be equal on all PEs, besides the size of the heap: values without line breaks by the names to
         * tell of, in an order that is the same on all PEs of one version.
         *
         * @param value to set; kept.
         * @return this.
         */
        public Context attributes(final Map<String, String> value)
        {
            attributes = value;
            return this;
        }

        /**
         * {@return what has to be equal on all PEs, by name}
         */
        public Map<String, String> attributes()
        {
            return attributes;
        }

        /**
         * Whether PEs come to {@link Meeting#connect()} in their own time, and not all at once.
         *
         * @param value to set.
         * @return this.
         */
        public Context delayed(final boolean value)
        {
            delayed = value;
            return this;
        }

        /**
         * {@return whether PEs come to connecting in their own time}
         */
        public boolean delayed()
        {
            return delayed;
        }
    }
}
