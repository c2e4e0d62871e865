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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.aeron.Channels;
import io.aeroshmem.transport.aeron.FrameStreams;
import io.aeroshmem.transport.aeron.MessageLinks;
import io.aeroshmem.transport.aeron.MessageTransport;
import io.aeroshmem.transport.aeron.OwnTransport;
import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.aeron.RegionMemory;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.Node;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.PeErrorLog;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.RecoveryPhase;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.mapped.MappedTransport;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.Progress;
import io.aeroshmem.transport.progress.VirtualThreads;
import io.aeroshmem.transport.progress.YieldAtStartIdleStrategy;
import io.aeroshmem.transport.progress.YieldThenParkIdleStrategy;
import org.agrona.BitUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.CountedErrorHandler;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Stream;

/**
 * The sequence of phases in which one PE joins the job. When a PE has done the work of a phase, it announces the phase
 * in the control file, and waits until all others have announced it:
 * <ol>
 * <li>RECORDED: the PE has published its join record, which states how the PE can be reached.</li>
 * <li>EXCHANGED: the PE has read all records. {@link #bootstrap()} ends here.</li>
 * <li>LISTENING: the PE's {@link PeSegments}, its memory, and its inboxes for messages exist.</li>
 * <li>CONNECTED: the PE has mapped the segments of the peers that it reaches by loads and stores, and has opened a link
 * to each of the others.</li>
 * <li>RUNNING: the PE knows that all PEs are connected.</li>
 * </ol>
 * If a method throws, the caller calls {@link #release()}. After a successful {@link #connect}, the endpoint calls it
 * on close.
 */
final class JoinProtocol
{
    private static final String INIT = "init";
    /** Spins of a blocked caller before it yields: a fraction of a millisecond. */
    private static final int SPINS = 4096;
    /** The code of messages is compiled within this time, also if PEs and compilers share two processors. */
    private static final long START_NS = TimeUnit.MILLISECONDS.toNanos(1500);
    private static final long PAGE_SIZE = 4096;
    private static final int EPOCH_MASK = 0xFFFF;

    /**
     * A driver may end the streams of a paused process, a quarter of the liveness timeout early by its own count,
     * before the liveness of the job detects the pause.
     */
    private static final long IMAGE_GRACE_NS = TimeUnit.SECONDS.toNanos(1);

    /*
     * A PE may stay in EXCHANGED indefinitely. Meanwhile it has no memory and no links. Of the parts of JobProcess,
     * only the directory, the lock, the liveness thread and, in the leader of a node (the process that created the
     * node's directory), the connection to the rendezvous exist. If the PE is configured for IPC or UDP with an
     * external driver, the Aeron client exists too.
     *
     * In LISTENING its record contains the address of the UDP inbox, if it has one, and the final heap size. The
     * segments of all peers exist then, so that they can be mapped.
     */
    private final EndpointContext context;
    private final EndpointSettings settings;
    private final JobProcess process;
    private final ControlFile control;
    private final PhaseBarrier phaseBarrier;
    private final int pe;
    private final int nPes;
    private final PeSegments[] segments;
    private final JoinRecord[] records;
    private final TransportSelector selector;
    private final Progress applicationAgents;
    private final Attributes attributes;
    /** Waits for commands to the media driver: no frame may be polled before all links are open. */
    private final BlockingWait driverWait;
    private final Gauges gauges;
    /** What all PEs compare before they know where they are. */
    private final long widestSystemArea;
    private int[] hosts;
    private MemorySizes sizes;
    private int trainingTermLength;
    private String trainingShortage = "";
    private BlockingWait blockingWait;
    private ProgressEngine engine;
    private RegionMemory memory;
    private PeSegments own;
    private MessageLinks links;
    private Progress requests = Progress.NONE;
    private volatile boolean isServingRequests;

    JoinProtocol(final EndpointContext context, final JobProcess process)
    {
        this.process = process;
        settings = context.settings();
        pe = context.bootstrap().pe();
        nPes = context.bootstrap().nPes();
        control = process.control();
        this.context = context.clone().errorHandler(
            new CountedErrorHandler(
                new PeErrorLog(process.directory(), pe, context.errorHandler()),
                control.counter(pe, PeCounter.ERRORS)));
        gauges = new Gauges(control, pe);
        phaseBarrier = new PhaseBarrier(control, pe, settings.joinTimeoutNs());
        sizes = sizes(Placement.unknown(nPes));
        widestSystemArea = sizes.system();
        segments = new PeSegments[nPes];
        records = new JoinRecord[nPes];
        selector = new TransportSelector(settings, control, pe, records);
        attributes = new Attributes(settings.attributes());
        applicationAgents = process.applicationAgents(context);
        driverWait = newBlockingWait(applicationAgents, () -> new YieldThenParkIdleStrategy(process.pause()));
        blockingWait = driverWait;
    }

    /** Returns the clocks and pauses of the process. */
    Pause pause()
    {
        return process.pause();
    }

    /** Returns the configuration, with an error handler that counts. */
    EndpointContext context()
    {
        return context;
    }

    /** Adds the progress of nonblocking requests, see {@link Endpoint#requests}. */
    void requests(final Progress progress, final BooleanSupplier isIdle)
    {
        requests = progress;
        blockingWait.requests(progress, isIdle);
    }

    void gauge(final PeCounter counter, final LongSupplier source)
    {
        gauges.add(counter, source);
    }

    void serveRequests()
    {
        if (!isServingRequests && settings.agentMode())
        {
            startServingRequests();
        }
    }

    private synchronized void startServingRequests()
    {
        if (!isServingRequests)
        {
            process.serve(requests, context);
            isServingRequests = true;
        }
    }

    ControlFile control()
    {
        return control;
    }

    int pe()
    {
        return pe;
    }

    int nPes()
    {
        return nPes;
    }

    JoinRecord record(final int peer)
    {
        return records[peer];
    }

    /** Returns the number of a PE's host, see {@link JoinRecord#hosts}. */
    int host(final int peer)
    {
        return hosts[peer];
    }

    /** Returns the placement of the PEs. */
    Placement placement()
    {
        return Placement.of(hosts);
    }

    void checkFailure()
    {
        blockingWait.checkFailure();
    }

    /** Limits the system area to one mapping, as longer ones need a JVM option. */
    private MemorySizes sizes(final Placement placement)
    {
        final long arenaOffset = BitUtil.align(context.systemAreaSize(placement), PAGE_SIZE);
        final long arenaLength = Math.min(context.systemArenaSize(), Integer.MAX_VALUE - arenaOffset);
        return new MemorySizes(settings.heapSize(), arenaOffset, arenaOffset + (arenaLength & -PAGE_SIZE));
    }

    private PeSegments createMemory()
    {
        try
        {
            return process.createMemory(pe, sizes, context);
        }
        catch (final TransportException ex)
        {
            throw new TransportException("heapSize + " + sizes.arenaOffset() + " bytes of the library must be" +
                " available: heapSize=" + sizes.heap() + " (aeroshmem.heap.size): " + ex.getMessage(), ex);
        }
    }

    /**
     * Starts the process's share of the job, and exchanges join records with all PEs.
     */
    void bootstrap()
    {
        process.start(context);
        if (null != context.failureListener())
        {
            process.onFailure(context.failureListener());
        }

        process.register(pe);
        connectEarly();

        publish("", "");
        announceAndAwait(PePhase.RECORDED);

        readRecords();
        hosts = JoinRecord.hosts(records);
        attributes.check(records);
        sizes = sizes(placement());
        selector.choosePaths();
        checkMemory();
        announceAndAwait(PePhase.EXCHANGED);
    }

    /**
     * Checks that the memory of all PEs of this node is available, before any of them has created a heap or requested
     * a driver. So either all of them find it short, or none.
     */
    private void checkMemory()
    {
        final NodeStreams streams = NodeStreams.of(records, (peer) -> !control.isMirrored(peer));
        memory(streams).check(process.directory().root());
        // the processes of a later generation are not trained
        if (null != context.trainingJobs() && 0 == control.generation())
        {
            checkTraining(context.trainingJobs(), streams);
        }
    }

    private void checkTraining(final TrainingJobs training, final NodeStreams streams)
    {
        final int logsOfJob = 0 == streams.logs() ? 0 : NodeMemory.logs(streams.udpLogs() > 0, training.pes());
        final int shortTermLength = Math.min(settings.termLength(), TrainingJobs.SHORT_TERM_LENGTH);
        for (final int termLength : new int[]{settings.termLength(), shortTermLength})
        {
            try
            {
                memory(streams).training(training, logsOfJob, termLength).check(process.directory().root());
                trainingTermLength = termLength;
                return;
            }
            catch (final TransportException ex)
            {
                trainingShortage = ex.getMessage();
            }
        }
    }

    int trainingTermLength()
    {
        return trainingTermLength;
    }

    String trainingShortage()
    {
        return trainingShortage;
    }

    /** Returns the memory of all PEs of this node. */
    private NodeMemory memory(final NodeStreams streams)
    {
        final RetainedHeaps retained = context.retainedHeaps();
        int pesHere = 0;
        int heapsHere = 0;
        for (int peer = 0; peer < nPes; peer++)
        {
            if (!control.isMirrored(peer))
            {
                pesHere++;
                heapsHere += isRetained(retained, peer) ? 1 : 0;
            }
        }

        final String driverDirectory =
            null == settings.aeron() ? settings.aeronDirectoryName() : settings.aeron().context().aeronDirectoryName();
        return new NodeMemory(pesHere)
            .charged(process.enteredPes())
            .retained(heapsHere, isRetained(retained, pe))
            .heaps(settings.sparse() || settings.delayed() ? 0 : sizes.heap(), sizes.arenaOffset())
            .messages(
                null == settings.udpMulticast() ? streams.logs() : streams.withGroup(records).logs(),
                driverDirectory,
                settings.termLength());
    }

    /** Returns whether the heap of a PE of this node exists since a generation before. */
    private boolean isRetained(final RetainedHeaps retained, final int peer)
    {
        return null != retained && control.generation() > 0 &&
            null == retained.defect(control.memory(peer), RetainedHeap.HEADER_LENGTH + sizes.heap());
    }

    /**
     * Creates this PE's memory, and a path to every other. With delayed initialisation PEs call this at different
     * times, so the operation timeout limits the wait as in any collective call; otherwise the join timeout does.
     */
    JoinedPe connect(final long newHeapSize)
    {
        sizes = new MemorySizes(newHeapSize, sizes.arenaOffset(), sizes.system());
        if (null != context.recoveryMember())
        {
            context.recoveryMember().run();
        }

        own = createMemory();
        final boolean isMessaging = openInboxes();
        publishChanges();
        blockingWait = newBlockingWait(isMessaging ? engine : applicationAgents, waitIdleStrategy(isMessaging));
        if (settings.delayed())
        {
            phaseBarrier.announceAndAwaitInCall(PePhase.LISTENING, blockingWait, "the completion of init");
        }
        else
        {
            announceAndAwait(PePhase.LISTENING);
        }

        readRecords();
        Attributes.checkHeaps(records);
        final MemorySpace[] spaces = mapPeers();
        if (isMessaging)
        {
            openLinks();
        }

        final MessageTransport messages = isMessaging ? new MessageTransport(engine, blockingWait) : null;
        final Transport mapped = new MappedTransport(spaces, segments, blockingWait);
        final Transport self = isMessaging ? new OwnTransport(spaces, segments, blockingWait, engine) : mapped;
        final Transport[] transports = selector.transports(mapped, messages, self);
        announceAndAwait(PePhase.CONNECTED);

        if (isMessaging)
        {
            engine.announce();
            gauges.add(PeCounter.PUTS, engine::puts);
            gauges.add(PeCounter.GETS, engine::gets);
            gauges.add(PeCounter.ATOMICS, engine::atomics);
            gauges.add(PeCounter.SIGNALS, engine::signals);
            gauges.add(PeCounter.RECORDS_OUTSTANDING, engine::outstanding);
            if (settings.agentMode())
            {
                process.serve(engine, context);
            }
        }

        process.watch(gauges);
        process.programThreads().add(blockingWait);
        process.watch(new StallWatch(
            control, pe, engine, blockingWait, process.programThreads()::isAnyFree, process.pause()));
        announceAndAwait(PePhase.RUNNING);
        control.endPhase(pe, RecoveryPhase.JOINED);
        return new JoinedPe(
            pe,
            process,
            phaseBarrier,
            sizes.arenaOffset(),
            spaces,
            segments,
            process.libraryTransports(transports),
            process.contextTransports(transports),
            records,
            hosts,
            memory,
            engine,
            messages,
            blockingWait);
    }

    /**
     * Connects to an external driver before the PEs wait for each other, so that its death is detected from the start.
     */
    private void connectEarly()
    {
        final boolean isDriverNeeded =
            TransportMode.IPC == settings.transport() || TransportMode.UDP == settings.transport();
        if (nPes > 1 && isDriverNeeded && (null != settings.aeron() || null != settings.aeronDirectoryName()))
        {
            process.streams(pe, context);
        }
    }

    /**
     * Returns the directory of the media driver by which this PE will exchange messages, after connecting to it; null
     * if it exchanges none, or if threads of the application run the driver.
     */
    String driverDirectory()
    {
        final boolean isMessaging = isExchanging(PathKind.IPC) || isExchanging(PathKind.UDP);
        final boolean isRunByCallers = null != settings.mediaDriverAgentInvoker() ||
            null != settings.aeron() && null != settings.aeron().context().driverAgentInvoker();
        return isMessaging && !isRunByCallers ? process.streams(pe, context).driverDirectory() : null;
    }

    /** Returns whether this PE exchanges messages of a kind with a peer. */
    boolean isExchanging(final PathKind kind)
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            if (selector.isLinked(peer) && kind == selector.messageKind(peer))
            {
                return true;
            }
        }

        return false;
    }

    private void announceAndAwait(final int phase)
    {
        phaseBarrier.announceAndAwait(phase, blockingWait, INIT);
    }

    /**
     * Leaves the job without {@link #connect}.
     */
    void leaveUnconnected()
    {
        phaseBarrier.leaveUnconnected(blockingWait, "close");
    }

    private void publish(final String endpoint, final String driver)
    {
        final int epoch = (int)(control.pid(pe) ^ control.startTime(pe)) & EPOCH_MASK;
        new JoinRecord(
            pe,
            epoch,
            settings.transport(),
            sizes.heap(),
            widestSystemArea,
            null == settings.nodeName() ? control.hostName(pe) : settings.nodeName(),
            Node.key(process.directory().path(), settings.nodeName()),
            endpoint,
            driver,
            attributes.values(),
            context.firstGeneration() < 0 ? control.generation() : context.firstGeneration()).publish(control);
    }

    /**
     * Adds to the published record the UDP endpoint, the driver, and a changed heap size.
     */
    private void publishChanges()
    {
        final String endpoint = null == links ? "" : links.udpEndpoint();
        if (!endpoint.isEmpty() || sizes.heap() != records[pe].heapSize())
        {
            publish(
                endpoint, endpoint.isEmpty() ? "" : process.streams(pe, context).driverKey());
        }
    }

    private void readRecords()
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            records[peer] = JoinRecord.read(control, peer);
        }
    }

    private MemorySpace[] mapPeers()
    {
        final long[] userAddresses = new long[nPes];
        final long[] systemAddresses = new long[nPes];
        for (int peer = 0; peer < nPes; peer++)
        {
            if (PathKind.MAPPED == selector.paths()[peer])
            {
                segments[peer] = process.mapMemory(peer, sizes, null != context.retainedHeaps());
                systemAddresses[peer] = segments[peer].system().address();
                userAddresses[peer] = segments[peer].heap().address();
            }
        }

        final MemorySpace[] spaces = new MemorySpace[2];
        spaces[Region.USER] = new MemorySpace(sizes.heap(), userAddresses, selector.paths());
        spaces[Region.SYSTEM] = new MemorySpace(sizes.system(), systemAddresses, selector.paths());
        return spaces;
    }

    private boolean openInboxes()
    {
        final boolean isIpc = isExchanging(PathKind.IPC);
        final boolean isUdp = isExchanging(PathKind.UDP);
        if (!isIpc && !isUdp)
        {
            return false;
        }

        openEngine();
        if (isIpc)
        {
            links.openIpcInbox();
        }

        if (isUdp)
        {
            links.openUdpInbox();
            links.openGroup();
            awaitUdpEndpoint();
        }

        return true;
    }

    private void openEngine()
    {
        if (nPes > Channels.MAX_PES)
        {
            throw new TransportException("nPes must be <= " + Channels.MAX_PES + " with messages: nPes=" + nPes +
                "; on one host use aeroshmem.transport=mapped");
        }

        final int[] epochs = new int[nPes];
        for (int peer = 0; peer < nPes; peer++)
        {
            epochs[peer] = records[peer].epoch();
        }

        final long jobToken = process.directory().token();
        memory = new RegionMemory(
            own.heap().address(), sizes.heap(), own.system().address(), own.system().reserved());
        engine = new ProgressEngine(pe, control, memory, epochs, jobToken, context.errorHandler());
        final FrameStreams streams = process.streams(pe, context);
        links = new MessageLinks(
            engine,
            streams,
            new Channels(
                jobToken, nPes, settings.termLength(), settings.ipcMtu(), settings.udpMtu(), udpInterface(),
                settings.udpMulticast()),
            jobToken,
            settings.livenessTimeoutNs() / 4 + IMAGE_GRACE_NS,
            (round) -> driverWait.idle(round, BlockingWait.NO_DEADLINE, INIT));
        engine.applicationAgents(applicationAgents);
        engine.suspicions(process::suspect);
        if (selector.isMapped())
        {
            engine.useAtomics();
        }
    }

    private String udpInterface()
    {
        return null == settings.udpInterface() ? process.udpInterface() : settings.udpInterface();
    }

    private void awaitUdpEndpoint()
    {
        final long deadlineNs = blockingWait.deadlineIn(settings.joinTimeoutNs());
        int round = 0;
        while (links.udpEndpoint().isEmpty())
        {
            if (blockingWait.isPast(round, deadlineNs))
            {
                throw new TransportException("the media driver assigned no port to the UDP inbox of PE " + pe +
                    " on " + udpInterface());
            }

            engine.poll();
            round = blockingWait.idle(round, BlockingWait.NO_DEADLINE, INIT);
        }

        blockingWait.reset(round);
    }

    private void openLinks()
    {
        final int sender = sender();
        for (int peer = 0; peer < nPes; peer++)
        {
            if (selector.isLinked(peer))
            {
                if (PathKind.UDP == selector.messageKind(peer))
                {
                    links.linkUdp(peer, records[peer].endpoint(), sender);
                }
                else
                {
                    links.linkIpc(peer);
                }
            }
        }

        if (!records[pe].endpoint().isEmpty())
        {
            // of the drivers on which PEs have joined the group, as this one has
            final long drivers = Stream.of(records).filter((record) -> !record.endpoint().isEmpty())
                .map(JoinRecord::driver).distinct().count();
            links.linkGroup(sender, (int)drivers, 2 * settings.livenessTimeoutNs());
        }

        final long deadlineNs = blockingWait.deadlineIn(settings.joinTimeoutNs());
        int round = 0;
        while (!links.isConnected())
        {
            if (blockingWait.isPast(round, deadlineNs))
            {
                throw new TransportException("PE " + pe + " could not connect within " +
                    TimeUnit.NANOSECONDS.toSeconds(settings.joinTimeoutNs()) + " s to " + links.unconnected());
            }

            round = blockingWait.idle(round, BlockingWait.NO_DEADLINE, INIT);
        }

        blockingWait.reset(round);
    }

    /**
     * Returns the number of this PE's driver: of the PEs that use it, the lowest. They share a publication to each
     * inbox, so they name the same session; two drivers must not.
     */
    private int sender()
    {
        int sender = 0;
        while (!records[sender].driver().equals(records[pe].driver()))
        {
            sender++;
        }

        return sender;
    }

    private BlockingWait newBlockingWait(
        final Progress progress, final Supplier<IdleStrategy> idleStrategySupplier)
    {
        final BlockingWait wait = new BlockingWait(
            control,
            pe,
            progress,
            process.agent(),
            context.exceptions(),
            settings.operationTimeoutNs(),
            null == settings.waitIdleStrategySupplier() ? idleStrategySupplier : settings.waitIdleStrategySupplier(),
            process.pause());
        control.onUnmapped(wait::onUnmapped);
        return wait;
    }

    /**
     * Returns the default strategy of blocked callers: they spin when the host has a processor for each of its PEs, and
     * one for the driver where it moves data. Virtual threads park: one that yields goes before those that have not yet
     * begun, so that as many as there are carriers would keep these from beginning.
     */
    private Supplier<IdleStrategy> waitIdleStrategy(final boolean isMessaging)
    {
        int busy = 0;
        for (int peer = 0; peer < nPes; peer++)
        {
            if (records[pe].isSameMachine(records[peer]))
            {
                busy++;
            }
        }

        final int driver = isExchanging(PathKind.UDP) ? 1 : 0;
        final boolean isCrowded = busy + driver > Runtime.getRuntime().availableProcessors();
        final long startEndNs = process.pause().nanoTime() + START_NS;
        return () -> isCrowded || VirtualThreads.isCurrentVirtual() ?
            new YieldThenParkIdleStrategy(process.pause()) :
            isMessaging ? new YieldAtStartIdleStrategy(spinThenYield(), process.pause(), startEndNs) : spinThenYield();
    }

    /**
     * A program may have more threads than processors, so a long wait yields; it never parks.
     */
    private static IdleStrategy spinThenYield()
    {
        return new BackoffIdleStrategy(SPINS, Long.MAX_VALUE, 1, 1);
    }

    /**
     * Peers may end their streams from now on without failing the job.
     */
    void expectEndOfStreams()
    {
        if (null != links)
        {
            links.leaving();
        }
    }

    /**
     * Releases what this PE holds, and its share of what the process holds. A problem with one part is thrown after all
     * others have been released.
     */
    void release()
    {
        CloseHelper.closeAll(
            this::expectEndOfStreams,
            gauges,
            blockingWait::close,
            this::retireEngine,
            () -> process.stopServing(requests),
            links,
            null == own ? null : own::unlink,
            this::leave,
            process::leave);
    }

    /** Leaves, and removes the heap of a recoverable job that has ended: a PE that is CLOSED is not recovered. */
    private void leave()
    {
        final boolean hasFailed = control.isFailed();
        control.phase(pe, hasFailed ? PePhase.FAILED : PePhase.CLOSED);
        if (null != own && null != own.retained() && !hasFailed)
        {
            context.retainedHeaps().remove(control.memory(pe));
        }

        if (null != context.recoveryMember())
        {
            context.recoveryMember().leave(control.failure());
        }
    }

    private void retireEngine()
    {
        if (null != engine)
        {
            process.stopServing(engine);
            engine.retire();
        }
    }
}
