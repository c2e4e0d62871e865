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

import io.aeroshmem.transport.aeron.AeronConnection;
import io.aeroshmem.transport.aeron.Channels;
import io.aeroshmem.transport.aeron.Engine;
import io.aeroshmem.transport.aeron.LocalMemory;
import io.aeroshmem.transport.aeron.MessageLinks;
import io.aeroshmem.transport.aeron.MessageTransport;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.Node;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.mapped.MappedTransport;
import org.agrona.BitUtil;
import org.agrona.CloseHelper;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * How one PE joins the job. It goes through phases that every PE announces, and that every PE waits for in the others:
 * <ol>
 * <li>RECORDED: the join record is there, so that everybody can tell how to reach everybody;</li>
 * <li>EXCHANGED: everybody has read the records; here {@link #meet()} ends, and a PE may stay for as long as it
 * likes: nothing but the process's lock and liveness thread is there;</li>
 * <li>LISTENING: the segment exists, and the inboxes that messages need; the record, completed, says where;</li>
 * <li>CONNECTED: the segments of the peers that this PE maps are mapped, which a peer that is LISTENING has, and a link
 * to each peer that messages go to is open;</li>
 * <li>RUNNING: everybody is connected.</li>
 * </ol>
 * What it made is the endpoint's when {@link #connect} returns. Who called releases it when a method throws.
 */
final class Joining
{
    private static final long PAGE_SIZE = 4096;
    private static final int EPOCH_MASK = 0xFFFF;

    /**
     * A driver may end the streams of a paused process, a quarter of the liveness timeout early by its own count,
     * before that process is found silent.
     */
    private static final long IMAGE_GRACE_NS = TimeUnit.SECONDS.toNanos(1);

    final Endpoint.Context context;
    final LocalProcess process;
    final Control control;
    final Phases phases;
    final int pe;
    final int nPes;
    final long arenaOffset;
    long heapSize;
    long systemAreaSize;
    final long[] userBases;
    final long[] systemBases;
    final Segment[] segments;
    final PathKind[] paths;
    final Transport[] transports;
    final JoinRecord[] records;
    private final Progress userAgents;
    private final Attributes attributes;
    /** For what the media driver is asked: no frame may be polled before all links are there. */
    private final Waiting opening;
    Engine engine;
    LocalMemory memory;
    MessageTransport messages;
    Waiting waiting;
    private Segment segment;
    private MessageLinks links;

    Joining(final Endpoint.Context context, final LocalProcess process)
    {
        this.context = context;
        this.process = process;
        pe = context.bootstrap().pe();
        nPes = context.bootstrap().nPes();
        control = process.control();
        phases = new Phases(control, pe, context.joinTimeoutNs());
        arenaOffset = BitUtil.align(context.systemAreaSize(), PAGE_SIZE);
        setSizes(context.heapSize());
        userBases = new long[nPes];
        systemBases = new long[nPes];
        segments = new Segment[nPes];
        paths = new PathKind[nPes];
        transports = new Transport[nPes];
        records = new JoinRecord[nPes];
        attributes = new Attributes(context.attributes());
        userAgents = process.userAgents(context);
        opening = waiting(userAgents, YieldThenParkIdleStrategy::new);
        waiting = opening;
    }

    /**
     * As long as the context asks for, but for a segment that has room in one mapping without it: then it must have
     * room with it, since longer mappings need a JVM option.
     */
    private void setSizes(final long newHeapSize)
    {
        final long rest = Integer.MAX_VALUE - arenaOffset - newHeapSize;
        final long length = rest < 0 ? context.systemArenaSize() : Math.min(rest, context.systemArenaSize());

        heapSize = newHeapSize;
        systemAreaSize = arenaOffset + (length & -PAGE_SIZE);
    }

    private Segment createSegment()
    {
        if (heapSize > Long.MAX_VALUE - systemAreaSize)
        {
            throw new TransportException("heap size: given " + heapSize + " bytes, allowed is up to " +
                (Long.MAX_VALUE - systemAreaSize) + " (property aeroshmem.heap.size)");
        }

        try
        {
            return process.createSegment(
                pe, arenaOffset, systemAreaSize - arenaOffset, heapSize, context.sparse());
        }
        catch (final TransportException ex)
        {
            throw new TransportException("heap size: given " + heapSize + " bytes, to which the library adds " +
                arenaOffset + " of its own: " + ex.getMessage(), ex);
        }
    }

    /**
     * The first phase: the PEs of the job come to know each other.
     */
    void meet()
    {
        process.start(context);
        if (null != context.failureListener())
        {
            process.onFailure(context.failureListener());
        }
        process.register(pe);
        connectEarly();

        publish("");
        announceAndAwait(PePhase.RECORDED);

        readRecords();
        attributes.check(records);
        choosePaths();
        announceAndAwait(PePhase.EXCHANGED);
    }

    /**
     * The second phase: this PE gets its memory, and a path to every other. Where the PEs come to it in their own time,
     * they wait for each other as in any other collective call; otherwise as in the first.
     */
    void connect(final long newHeapSize, final boolean isDelayed)
    {
        setSizes(newHeapSize);
        segment = createSegment();
        final boolean isMessaging = openInboxes();
        publishChanges();
        waiting = waiting(isMessaging ? engine : userAgents, waitIdleStrategy());
        if (isDelayed)
        {
            phases.announceAndAwaitUnhurried(PePhase.LISTENING, waiting, "the completion of init");
        }
        else
        {
            announceAndAwait(PePhase.LISTENING);
        }

        readRecords();
        Attributes.checkHeaps(records);
        mapPeers();
        if (isMessaging)
        {
            openLinks();
        }
        makeTransports();
        announceAndAwait(PePhase.CONNECTED);

        if (isMessaging)
        {
            engine.greet();
            if (context.agentMode())
            {
                process.serve(engine, context);
            }
        }
        process.watch(new StallWatch(control, pe, engine, waiting, process.isShared()));
        announceAndAwait(PePhase.RUNNING);
    }

    /**
     * Who is to use a driver that is not the job's own notices its death from the beginning, also while it waits for
     * others to come.
     */
    private void connectEarly()
    {
        final boolean isDriverNeeded =
            TransportMode.IPC == context.transport() || TransportMode.UDP == context.transport();
        if (nPes > 1 && isDriverNeeded && (null != context.aeron() || null != context.aeronDirectoryName()))
        {
            process.connection(pe, context);
        }
    }

    private void announceAndAwait(final int phase)
    {
        phases.announceAndAwait(phase, waiting, "init");
    }

    /**
     * Leave without having been connected.
     */
    void leaveUnconnected()
    {
        phases.leaveUnconnected(waiting, "close");
    }

    private void publish(final String endpoint)
    {
        final int epoch = (int)(control.pid(pe) ^ control.startTime(pe)) & EPOCH_MASK;
        new JoinRecord(
            pe,
            epoch,
            context.transport(),
            heapSize,
            systemAreaSize,
            null == context.nodeName() ? control.hostName(pe) : context.nodeName(),
            Node.key(process.directory().path(), context.nodeName()),
            endpoint,
            attributes.values()).publish(control);
    }

    /**
     * Complete the record with what was not known when it was published.
     */
    private void publishChanges()
    {
        final String endpoint = null == links ? "" : links.udpEndpoint();
        if (!endpoint.isEmpty() || heapSize != records[pe].heapSize())
        {
            publish(endpoint);
        }
    }

    private void readRecords()
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            records[peer] = JoinRecord.read(control, peer);
        }
    }

    private void choosePaths()
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            final boolean isMapped = records[pe].isMapping(records[peer]);
            if (!isMapped && TransportMode.MAPPED == context.transport())
            {
                throw new TransportException("transport mapped: PE " + peer + " is on the host, or node, '" +
                    records[peer].host() + "', PE " + pe + " on '" + records[pe].host() +
                    "', and only PEs on one map each other (properties aeroshmem.transport, aeroshmem.node.name)");
            }

            paths[peer] = isMapped ? PathKind.MAPPED : JoinRecord.messageKind(records[pe], records[peer]);
            checkIpc(peer);
        }
    }

    /**
     * PEs of nodes with a directory of their own have no driver in common, unless the user names one.
     */
    private void checkIpc(final int peer)
    {
        if (isLinked(peer) && PathKind.IPC == JoinRecord.messageKind(records[pe], records[peer]) &&
            (!records[pe].isSameMachine(records[peer]) ||
            control.isMirrored(peer) && null == context.aeronDirectoryName() && null == context.aeron()))
        {
            throw new TransportException("transport ipc: PE " + peer + " is on the host, or node, '" +
                records[peer].host() + "', PE " + pe + " on '" + records[pe].host() +
                "', and they have no media driver in common: use auto or udp (property aeroshmem.transport)");
        }
    }

    private void mapPeers()
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            if (PathKind.MAPPED == paths[peer])
            {
                segments[peer] = process.segment(peer, segment.length());
                systemBases[peer] = segments[peer].address();
                userBases[peer] = segments[peer].address() + systemAreaSize;
            }
        }
    }

    /**
     * Does this PE exchange messages with that one? It does when either does not map the other.
     */
    private boolean isLinked(final int peer)
    {
        return !(records[pe].isMapping(records[peer]) && records[peer].isMapping(records[pe]));
    }

    private boolean openInboxes()
    {
        boolean isIpc = false;
        boolean isUdp = false;
        for (int peer = 0; peer < nPes; peer++)
        {
            if (isLinked(peer))
            {
                final boolean isPeerUdp = PathKind.UDP == JoinRecord.messageKind(records[pe], records[peer]);
                isUdp |= isPeerUdp;
                isIpc |= !isPeerUdp;
            }
        }

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
            awaitUdpEndpoint();
        }
        return true;
    }

    private void openEngine()
    {
        if (nPes > Channels.MAX_PES)
        {
            throw new TransportException("a job of " + nPes + " PEs: messages connect at most " + Channels.MAX_PES +
                "; on one host use property aeroshmem.transport=mapped");
        }

        final int[] epochs = new int[nPes];
        for (int peer = 0; peer < nPes; peer++)
        {
            epochs[peer] = records[peer].epoch();
        }

        final long jobToken = process.directory().token();
        memory = new LocalMemory(
            segment.address() + systemAreaSize, heapSize, segment.address(), segment.reserved());
        engine = new Engine(pe, control, memory, epochs, jobToken, context.errorHandler());
        final AeronConnection connection = process.connection(pe, context);
        links = new MessageLinks(
            engine,
            connection,
            new Channels(
                jobToken, context.termLength(), context.ipcMtu(), context.udpMtu(), udpInterface()),
            jobToken,
            context.livenessTimeoutNs() / 4 + IMAGE_GRACE_NS,
            (round) -> opening.idle(round, Waiting.NO_DEADLINE, "init"));
        engine.userAgents(userAgents);
        engine.suspicions(process::suspect);
    }

    private String udpInterface()
    {
        return null == context.udpInterface() ? process.udpInterface() : context.udpInterface();
    }

    private void awaitUdpEndpoint()
    {
        final long deadlineNs = Waiting.deadlineIn(context.joinTimeoutNs());
        int round = 0;
        while (links.udpEndpoint().isEmpty())
        {
            if (Waiting.isPast(round, deadlineNs))
            {
                throw new TransportException("the media driver gave the UDP inbox of PE " + pe + " on " +
                    udpInterface() + " no port");
            }
            engine.poll();
            round = waiting.idle(round, Waiting.NO_DEADLINE, "init");
        }
    }

    private void openLinks()
    {
        for (int peer = 0; peer < nPes; peer++)
        {
            if (isLinked(peer))
            {
                if (PathKind.UDP == JoinRecord.messageKind(records[pe], records[peer]))
                {
                    links.linkUdp(peer, records[peer].endpoint());
                }
                else
                {
                    links.linkIpc(peer);
                }
            }
        }

        final long deadlineNs = Waiting.deadlineIn(context.joinTimeoutNs());
        int round = 0;
        while (!links.isConnected())
        {
            if (Waiting.isPast(round, deadlineNs))
            {
                throw new TransportException("PE " + pe + " could not connect to all of its peers within " +
                    TimeUnit.NANOSECONDS.toSeconds(context.joinTimeoutNs()) + " s");
            }
            round = waiting.idle(round, Waiting.NO_DEADLINE, "init");
        }
    }

    private void makeTransports()
    {
        final MappedTransport mapped = new MappedTransport(userBases, systemBases, segments, waiting);
        messages = null == engine ? null : new MessageTransport(engine, waiting);
        for (int peer = 0; peer < nPes; peer++)
        {
            transports[peer] = PathKind.MAPPED == paths[peer] ? mapped : messages;
        }
    }

    private Waiting waiting(final Progress progress, final Supplier<IdleStrategy> idleStrategySupplier)
    {
        return new Waiting(
            control,
            pe,
            progress,
            context.exceptions(),
            context.operationTimeoutNs(),
            null == context.waitIdleStrategySupplier() ? idleStrategySupplier : context.waitIdleStrategySupplier());
    }

    /**
     * Blocked callers spin when there is a processor for each PE of the host, and for the driver where it moves data.
     */
    private Supplier<IdleStrategy> waitIdleStrategy()
    {
        int busy = 0;
        int driver = 0;
        for (int peer = 0; peer < nPes; peer++)
        {
            if (records[pe].isSameMachine(records[peer]))
            {
                busy++;
            }
            if (isLinked(peer) && PathKind.UDP == JoinRecord.messageKind(records[pe], records[peer]))
            {
                driver = 1;
            }
        }

        return busy + driver > Runtime.getRuntime().availableProcessors() ?
            YieldThenParkIdleStrategy::new : SpinThenYieldIdleStrategy::new;
    }

    /**
     * From now on it is no failure when peers end their streams.
     */
    void leaving()
    {
        if (null != links)
        {
            links.leaving();
        }
    }

    /**
     * Take down what this PE holds, and its share of what the process holds. What goes wrong with one part is thrown
     * when all others have been tried.
     */
    void release()
    {
        leaving();
        waiting.close();
        if (null != engine)
        {
            process.serveNoMore(engine);
            engine.retire();
        }
        CloseHelper.closeAll(
            links,
            null == segment ? null : segment::unlink,
            () -> control.phase(pe, PePhase.CLOSED),
            process::leave);
    }
}
