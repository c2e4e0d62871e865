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

import io.aeroshmem.transport.Fields;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.progress.Progress;
import org.agrona.ErrorHandler;
import org.agrona.collections.ArrayUtil;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.function.ObjLongConsumer;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Engine of one PE's messages. Its duty cycle polls the inboxes, performs the requests of peers, and sends what this
 * PE's threads have submitted, together with replies and acknowledgements.
 * <p>
 * The holder of the lock drives the engine: a caller that waits or has filled a frame, the background agent, or the
 * application in INVOKER mode. A duty cycle never blocks. It calls code outside the library only to run the
 * application's Aeron invokers, and to access device memory. A publication that pushes back is tried again in the next
 * cycle, after the inbox has been polled. So two PEs that flood each other always make room for each other.
 */
public final class ProgressEngine extends EngineLock implements Progress, InboxListener
{
    /** Fragments polled from each inbox in one duty cycle. */
    private static final int FRAGMENT_LIMIT = 32;

    /** Time in which the error handler of a client that closes itself reports why, after it has closed its streams. */
    private static final long CLOSED_GRACE_NS = TimeUnit.MILLISECONDS.toNanos(500);

    private static final VarHandle EXTERNAL_CYCLES =
        Fields.handle(MethodHandles.lookup(), "externalCycles", long.class);

    private final int pe;
    private final ControlFile control;
    private final MessageCounters messageCounters;
    private final PeerLink[] linkByPe;
    private final int[] epochs;
    private final WordOwnership ownership = new WordOwnership(this);
    private final Inbox inbox;
    private final RejectedFrames rejectedFrames;
    private final ErrorHandler errorHandler;
    /** Images on which peers have sent; read by the thread that handles unavailable images. */
    private final Set<Object> peerImages = ConcurrentHashMap.newKeySet();
    private PeerLink[] links = new PeerLink[0];
    private FrameSource[] sources = new FrameSource[0];
    private GroupOutbox group;
    /** Whether frames are performed in the order of their sequence numbers, on whatever stream they come. */
    private boolean isOrdered;
    private Progress applicationAgents = Progress.NONE;
    private ObjLongConsumer<JobFailure> suspicions = (failure, graceNs) -> control().fail(pe(), failure);
    private volatile BatchRing[] mappedBatches = {};
    private long externalCycles;
    private volatile boolean isLeaving;

    /**
     * Constructs an engine without inboxes and links; they are added while the PE joins.
     *
     * @param epochs       of all PEs; entries are filled in before the first frame.
     * @param errorHandler receives the first rejected frame of each kind; not called under the lock.
     */
    public ProgressEngine(
        final int pe,
        final ControlFile control,
        final RegionMemory memory,
        final int[] epochs,
        final long jobToken,
        final ErrorHandler errorHandler)
    {
        this.pe = pe;
        this.control = control;
        this.epochs = epochs;
        messageCounters = new MessageCounters(control, pe);
        linkByPe = new PeerLink[epochs.length];
        this.errorHandler = errorHandler;
        rejectedFrames = new RejectedFrames(pe, messageCounters);
        inbox = new Inbox(
            this, messageCounters, rejectedFrames, memory, ownership, linkByPe, epochs, jobToken);
    }

    /** Has this PE's words updated by CPU atomics always: other processes or kernels may update them. Any thread. */
    public void useAtomics()
    {
        ownership.useAtomics();
    }

    /** Sets the application's invokers, which run in every duty cycle. */
    public void applicationAgents(final Progress invokers)
    {
        applicationAgents = invokers;
    }

    /**
     * Sets the consumer of a failure that is most likely the consequence of one about to be detected elsewhere, and of
     * the time to wait for that in nanoseconds. By default the job fails at once.
     */
    public void suspicions(final ObjLongConsumer<JobFailure> consumer)
    {
        suspicions = consumer;
    }

    void suspect(final JobFailure failure, final long graceNs)
    {
        suspicions.accept(failure, graceNs);
    }

    int pe()
    {
        return pe;
    }

    int nPes()
    {
        return epochs.length;
    }

    int epoch()
    {
        return epochs[pe];
    }

    /** Adds an inbox before anything is polled. */
    void addSource(final FrameSource source)
    {
        sources = ArrayUtil.add(sources, source);
    }

    /** Expects frames to a group before anything is polled. */
    void expectGroup()
    {
        isOrdered = true;
        inbox.expectGroup(pe);
    }

    /** Adds the stream to a group before anything is polled. */
    void group(final GroupOutbox outbox)
    {
        group = outbox;
    }

    GroupOutbox group()
    {
        return group;
    }

    /** Adds a peer before anything is polled. */
    void addLink(final PeerLink link)
    {
        links = ArrayUtil.add(links, link);
        linkByPe[link.pe] = link;
    }

    WordOwnership ownership()
    {
        return ownership;
    }

    PeerLink link(final int peer)
    {
        return linkByPe[peer];
    }

    PeerLink[] links()
    {
        return links;
    }

    ControlFile control()
    {
        return control;
    }

    MessageCounters messageCounters()
    {
        return messageCounters;
    }

    @Override
    public int poll()
    {
        if (!tryLock())
        {
            return 0;
        }

        final int work;
        try
        {
            EXTERNAL_CYCLES.setOpaque(this, externalCycles + 1);
            work = dutyCycle();
        }
        finally
        {
            unlock();
        }

        rejectedFrames.report(errorHandler);
        return work;
    }

    /** Sends what is submitted, unless another thread drives, which sends it then. Receives nothing. */
    public void send()
    {
        if (!tryLock())
        {
            return;
        }

        try
        {
            sendAll(false);
        }
        finally
        {
            unlock();
        }
    }

    /**
     * As {@link #poll()}, for a caller that has filled a frame: receives, and sends what is due to peers, but leaves
     * open frames to fill.
     */
    void pollAsSender()
    {
        if (!tryLock())
        {
            return;
        }

        try
        {
            EXTERNAL_CYCLES.setOpaque(this, externalCycles + 1);
            receive();
            for (final PeerLink link : links)
            {
                link.sendDue();
            }
        }
        finally
        {
            unlock();
        }

        rejectedFrames.report(errorHandler);
    }

    /** Has duty cycles drain what a session gathers for mapped memory. Any thread. */
    synchronized void addMappedBatch(final BatchRing batch)
    {
        mappedBatches = ArrayUtil.add(mappedBatches, batch);
    }

    /** Ends what {@link #addMappedBatch} began. */
    synchronized void removeMappedBatch(final BatchRing batch)
    {
        mappedBatches = ArrayUtil.remove(mappedBatches, batch);
    }

    BatchRing[] mappedBatches()
    {
        return mappedBatches;
    }

    /** As {@link BatchTarget#submit}; returns -1 also if the lock is taken. */
    int trySubmit(final BatchRing batch)
    {
        if (!tryLock())
        {
            return -1;
        }

        try
        {
            return batch.target().submit(batch);
        }
        finally
        {
            unlock();
        }
    }

    /** As {@link #poll()}, for the background agent. */
    @Override
    public int pollAsAgent()
    {
        if (!tryLock())
        {
            return 0;
        }

        final int work;
        try
        {
            work = dutyCycle();
        }
        finally
        {
            unlock();
        }

        rejectedFrames.report(errorHandler);
        return work;
    }

    /**
     * Returns the number of duty cycles that callers have driven, by which the agent detects that it may skip the
     * engine.
     */
    long externalCycles()
    {
        return (long)EXTERNAL_CYCLES.getOpaque(this);
    }

    /** Returns the puts that this PE has performed for peers; without ordering, as the next three. */
    public long puts()
    {
        return inbox.puts();
    }

    /** Returns the gets that this PE has performed for peers. */
    public long gets()
    {
        return inbox.gets();
    }

    /** Returns the atomic operations that this PE has performed for peers. */
    public long atomics()
    {
        return inbox.atomics();
    }

    /** Returns the signals that this PE has performed for peers. */
    public long signals()
    {
        return inbox.signals();
    }

    /** Returns the number of records that peers have not acknowledged. */
    public long outstanding()
    {
        long records = 0;
        for (final PeerLink link : links)
        {
            records += link.outbox.assigned() - link.outbox.acknowledged();
        }

        return records;
    }

    /** Runs one duty cycle. Under the lock. */
    int dutyCycle()
    {
        final int fragments = receive();
        return fragments + sendAll(0 == fragments);
    }

    private int receive()
    {
        applicationAgents.poll();
        for (final BatchRing batch : mappedBatches)
        {
            batch.drain();
        }

        int fragments = 0;
        for (final FrameSource source : sources)
        {
            fragments += isOrdered ? source.controlledPoll(inbox.controlled(), FRAGMENT_LIMIT) :
                source.poll(inbox, FRAGMENT_LIMIT);
            if (source.isClosed())
            {
                onClosedInbox();
            }
        }

        return fragments;
    }

    private int sendAll(final boolean isInboxIdle)
    {
        int work = 0;
        for (final PeerLink link : links)
        {
            work += link.send(isInboxIdle);
            if (link.outbox.isBroken())
            {
                onBrokenPublication("PE " + link.pe, link.outbox.describeBreak());
            }
        }

        return null == group ? work : work + sendToGroup();
    }

    private int sendToGroup()
    {
        if (group.isBroken())
        {
            onBrokenPublication("the group", group.describeBreak());
        }

        return group.sendDue();
    }

    @Override
    public void onProtocolViolation(final int sourcePe, final String complaint)
    {
        messageCounters.onMalformedFrame();
        control.fail(pe, new JobFailure(
            JobFailure.Kind.PROTOCOL, sourcePe, -1, "PE " + sourcePe + " " + complaint + " (seen by PE " + pe + ")"));
    }

    @Override
    public void onPeerImage(final Object image)
    {
        peerImages.add(image);
    }

    /**
     * Returns true if a peer has sent on this image, which has ended. Any process that reaches the driver can open a
     * stream to an inbox, whose end is then of no concern. Any thread.
     */
    boolean removePeerImage(final Object image)
    {
        return peerImages.remove(image);
    }

    /**
     * Associates this PE's streams with it at every peer, before it has anything to send. Called when all peers have
     * their links.
     */
    public void announce()
    {
        for (final PeerLink link : links)
        {
            link.announce();
        }

        if (null != group)
        {
            group.announce();
        }
    }

    /**
     * A PE that only waits would wait indefinitely: it sends nothing, so no publication reports that its client was
     * closed by the application or expired by the driver.
     */
    private void onClosedInbox()
    {
        if (!isLeaving && !control.isFailed())
        {
            suspect(new JobFailure(
                JobFailure.Kind.DRIVER_DIED, pe, -1,
                "the Aeron client of PE " + pe + " was closed while the job was running"), CLOSED_GRACE_NS);
        }
    }

    private void onBrokenPublication(final String receiver, final String reason)
    {
        if (!control.isFailed())
        {
            suspect(new JobFailure(
                JobFailure.Kind.DRIVER_DIED, pe, -1,
                "PE " + pe + " cannot send to " + receiver + " any more: " + reason),
                CLOSED_GRACE_NS);
        }
    }

    /** Returns true if all peers are connected. */
    boolean isConnected()
    {
        for (final PeerLink link : links)
        {
            if (!link.outbox.isConnected())
            {
                return false;
            }
        }

        return null == group || group.isConnected();
    }

    /** Returns the numbers of the peers that are not connected. */
    String unconnectedPeers()
    {
        return Stream.of(links).filter((link) -> !link.outbox.isConnected())
            .map((link) -> Integer.toString(link.pe)).collect(Collectors.joining(", "));
    }

    /** Returns true if every peer has acknowledged everything that this PE sent, and this PE owes no reply. */
    public boolean isDrained()
    {
        for (final PeerLink link : links)
        {
            if (!link.isSubmitted() || link.outbox.assigned() != link.outbox.acknowledged() ||
                link.owesReply())
            {
                return false;
            }
        }

        return true;
    }

    /** Permits the client to be closed from now on. */
    void leaving()
    {
        isLeaving = true;
    }
}
