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

import io.aeroshmem.transport.Batch;
import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.aeron.GroupTransport;
import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.device.DeviceRequests;
import io.aeroshmem.transport.device.DeviceTransport;
import io.aeroshmem.transport.device.ServedDevice;
import io.aeroshmem.transport.device.StagedTransport;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.PeLatencyFile;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.RecoveryPhase;
import io.aeroshmem.transport.job.RecoveryTimes;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.Progress;
import io.aeroshmem.transport.retained.RetainedTable;
import org.agrona.LangUtil;
import org.agrona.concurrent.AtomicBuffer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.WeakHashMap;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;

/**
 * A PE's connection to its job, which {@link BootstrappedEndpoint#connect()} returns. It holds the PE's own memory, a
 * {@link Transport} to every PE, and the {@link BlockingWait} in which callers block.
 * <p>
 * Leaving a job that has not failed is collective: a PE releases nothing until its own messages are acknowledged and
 * all PEs are {@link PePhase#CLOSING}.
 */
public final class Endpoint implements AutoCloseable
{
    private static final String CLOSE = "close";

    private final JoinProtocol joinProtocol;
    private final JoinedPe joined;
    private final int pe;
    private final ControlFile control;
    private final MemorySpace[] spaces;
    private final PeSegments[] segments;
    private final Transport[] hostTransports;
    /** Those of the host, or others in front of them that reach device heaps too. */
    private final Transport[] transports;
    private final ProgressEngine engine;
    private final BlockingWait blockingWait;
    private final Set<TransportListener> listeners = Collections.newSetFromMap(new WeakHashMap<>());
    private final List<Object> retained = Collections.synchronizedList(new ArrayList<>());
    private volatile DeviceMemory device;
    private long[] deviceAddresses;
    private DeviceRequests deviceRequests;
    private boolean isClosed;

    Endpoint(final JoinProtocol joinProtocol, final JoinedPe joined)
    {
        this.joinProtocol = joinProtocol;
        this.joined = joined;
        pe = joined.pe();
        control = joined.process().control();
        spaces = joined.spaces();
        segments = joined.segments();
        hostTransports = joined.transports();
        transports = hostTransports.clone();
        engine = joined.engine();
        blockingWait = joined.blockingWait();
    }

    /**
     * Returns the endpoint of a PE whose memory and transports its caller provides, as a simulation does. It has no
     * files, no messages of its own and no wait to block in, and is not closed.
     *
     * @param process     that the PE runs in.
     * @param arenaOffset of the system area, whose arena is backed with memory from the start.
     * @param spaces      memory of all PEs, by region.
     * @param transports  by PE.
     * @param records     join records, by PE, which state where the PEs are.
     * @param hosts       see {@link JoinRecord#hosts}.
     */
    public static Endpoint of(
        final JobProcess process,
        final int pe,
        final long arenaOffset,
        final MemorySpace[] spaces,
        final Transport[] transports,
        final JoinRecord[] records,
        final int[] hosts)
    {
        return new Endpoint(null, new JoinedPe(
            pe,
            process,
            null,
            arenaOffset,
            spaces,
            null,
            transports,
            transports,
            records,
            hosts,
            null,
            null,
            null,
            null));
    }

    /**
     * Joins the job by {@link BootstrappedEndpoint#of} and {@link BootstrappedEndpoint#connect()}. Collective: returns
     * when all PEs are connected.
     *
     * @param context of this PE.
     * @return its endpoint.
     * @throws TransportException if any PE cannot join; all PEs get the same reason.
     */
    public static Endpoint join(final EndpointContext context)
    {
        return BootstrappedEndpoint.of(context).connect();
    }

    public int pe()
    {
        return pe;
    }

    public int nPes()
    {
        return transports.length;
    }

    /** Returns the secret of the job, which its messages carry. */
    public long jobToken()
    {
        return joined.process().directory().token();
    }

    /** Returns the transport to a peer, for the library's own calls. */
    public Transport transport(final int peer)
    {
        return transports[peer];
    }

    /** Returns the transport to a peer, for communication contexts. */
    public Transport contextTransport(final int peer)
    {
        return null == device ? joined.contextTransports()[peer] : transports[peer];
    }

    /** Returns the transport to several PEs by one message; null if there is none. */
    public GroupTransport group()
    {
        return null == joined.messages() ? null : joined.messages().group();
    }

    /**
     * Begins a session of the calling thread, in which operations gather; null if messages reach no peer.
     *
     * @param mayClaimWords true if the program updates words of its heap by operations of the library only.
     */
    public Batch batch(final boolean mayClaimWords)
    {
        return null == joined.messages() ? null : joined.messages().batch(transports, mayClaimWords);
    }

    public PathKind path(final int peer)
    {
        return spaces[Region.USER].paths()[peer];
    }

    /** Returns whether a PE is on this node. */
    public boolean isSameHost(final int peer)
    {
        return host(peer) == host(pe);
    }

    /** Returns the number of a PE's host; hosts are numbered from 0 in the order of the least PE on each. */
    public int host(final int peer)
    {
        return joined.hosts()[peer];
    }

    /** Returns whether this PE and a peer reach each other by loads and stores. */
    public boolean isMutuallyMapped(final int peer)
    {
        return isMutuallyMapped(peer, pe);
    }

    /** Returns whether two PEs reach each other by loads and stores. */
    public boolean isMutuallyMapped(final int first, final int second)
    {
        return joined.records()[first].isMutuallyMapped(joined.records()[second]);
    }

    /** Returns whether any path of this PE, in either direction, uses messages. */
    public boolean isMessaging()
    {
        return null != engine || transports[pe].isMessaging();
    }

    /**
     * Adds the device heaps: all holders of transports, and the messages of peers, reach them from now on. Called when
     * no operation is under way on a device heap.
     *
     * @param memory    the device's.
     * @param addresses of the device heaps in this process, by PE; 0 where only the owner reaches them.
     * @param length    of a device heap in bytes, equal on all PEs.
     * @param requests  to the owners on this node.
     */
    public void attach(
        final DeviceMemory memory, final long[] addresses, final long length, final DeviceRequests requests)
    {
        final long[] hostBases = MemorySpace.of(spaces, Region.USER).addresses();
        final ServedDevice served = new ServedDevice(memory, this::onDeviceFailure);
        Transport mapped = null;
        Transport messages = null;
        for (int peer = 0; peer < transports.length; peer++)
        {
            final Transport host = hostTransports[peer];
            if (host.isMessaging())
            {
                messages = null == messages ? new StagedTransport(host, memory) : messages;
                transports[peer] = messages;
            }
            else
            {
                mapped = null == mapped ?
                    new DeviceTransport(host, hostBases, addresses, requests, memory, blockingWait) : mapped;
                transports[peer] = mapped;
            }
        }

        if (null != joined.memory())
        {
            joined.memory().addDevice(served, addresses[pe], length);
            joined.engine().useAtomics();
        }

        deviceRequests = requests;
        deviceAddresses = addresses;
        changeTransports(memory);
    }

    /** Has operations reach only host memory again. Those of peers on this PE's device heap are still performed. */
    public void detach()
    {
        System.arraycopy(hostTransports, 0, transports, 0, transports.length);
        changeTransports(null);
    }

    /** Ends the operations of peers on this PE's device heap. */
    public void endDeviceService()
    {
        if (null != joined.memory())
        {
            joined.memory().removeDevice();
        }

        if (null != deviceRequests)
        {
            deviceRequests.stop();
            deviceRequests = null;
        }
    }

    /** Returns the memory of the attached device, or null. */
    public DeviceMemory device()
    {
        return device;
    }

    /**
     * Returns the address in this process of a PE's device heap, or 0 if only its owner reaches it. There is a device.
     */
    public long deviceAddress(final int peer)
    {
        return deviceAddresses[peer];
    }

    /**
     * Registers a holder of transports, which is notified now and when they change, and is not kept reachable. It is
     * notified under the monitor, so it obtains the transports before a change, whose notification follows, or after
     * it. Any thread.
     */
    public void register(final TransportListener listener)
    {
        synchronized (listeners)
        {
            listeners.add(listener);
            listener.onTransportsChanged();
        }
    }

    private void changeTransports(final DeviceMemory memory)
    {
        synchronized (listeners)
        {
            device = memory;
            listeners.forEach(TransportListener::onTransportsChanged);
        }
    }

    /** Fails the job, since this PE could not serve an operation of another PE on its device heap. */
    public void onDeviceFailure(final RuntimeException ex)
    {
        control.fail(pe, new JobFailure(
            JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " could not serve an operation on its device heap: " + ex));
    }

    /** Returns the address of a region of this PE. */
    public long localAddress(final int region)
    {
        return mappedAddress(region, pe);
    }

    /** Returns the address in this process of a PE's region, or 0 if loads and stores do not reach it. */
    public long mappedAddress(final int region, final int peer)
    {
        return MemorySpace.of(spaces, region).addresses()[peer];
    }

    /** Returns the length of a region in bytes, equal on all PEs. The arena is the end of the system area. */
    public long regionLength(final int region)
    {
        return MemorySpace.of(spaces, region).length();
    }

    /**
     * Returns the offset of the arena, the end of the system area, in bytes: a multiple of the page size, equal on all
     * PEs. The arena is address space only; a piece of it may be touched when its owner has reserved it.
     */
    public long arenaOffset()
    {
        return joined.arenaOffset();
    }

    /**
     * Reserves a piece of this PE's arena, which is zero from then on. A peer may touch it when it knows of it.
     * A message to unreserved memory fails the job, and the failure names the sender. What lies before the piece is
     * reserved too, and nothing is returned to the file system before the PE leaves: callers reuse what they have
     * reserved, from the start of the arena. Any thread.
     *
     * @param offset in the system area, in bytes, not before {@link #arenaOffset()}.
     * @param length in bytes.
     * @throws TransportException       if the file system lacks the memory; then nothing has changed.
     * @throws IllegalArgumentException if the piece does not lie within the arena.
     */
    public void reserve(final long offset, final long length)
    {
        if (offset < joined.arenaOffset())
        {
            throw new IllegalArgumentException(
                "offset must be >= " + joined.arenaOffset() + " (start of the arena): offset=" + offset);
        }

        if (null != segments)
        {
            final Segment system = segments[pe].system();
            system.reserve(offset, length);
            if (null != joined.memory())
            {
                joined.memory().growSystem(system.reserved());
            }
        }
    }

    /** Returns the table of this PE's retained blocks, or null if the job is not recoverable. */
    public RetainedTable retainedTable()
    {
        final RetainedHeap retained = segments[pe].retained();
        return null == retained ? null : retained.table();
    }

    /**
     * Returns why the retained memory of this PE is lost, as a clause about the file of the generation before; null if
     * it is not. The job is recoverable.
     */
    public String retainedDefect()
    {
        return segments[pe].retained().defect();
    }

    /** Records that the task of this PE begins: the end of a recovery, if one began this generation. */
    public void taskBegins()
    {
        if (0 != control.generation())
        {
            control.endPhase(pe, RecoveryPhase.RUNNING);
            final RecoveryTimes times = RecoveryTimes.ofPe(control, pe);
            control.counter(pe, PeCounter.GENERATION).setRelease(control.generation());
            control.counter(pe, PeCounter.RECOVERY_TIME).setRelease(times.totalMs());
            final JobFailure cause = control.previousFailure();
            FlightRecording.recovery(control.generation(), cause.pe(), cause.message(), times);
        }
    }

    /** Returns the generation of the job, 0 if it is not recoverable. */
    public int generation()
    {
        return joinProtocol.control().generation();
    }

    /** Returns the number that a PE had in the previous generation; -1 if it was not in it. */
    public int previousPe(final int peer)
    {
        return joinProtocol.control().previousPe(peer);
    }

    /**
     * Returns a view of a PE's memory for loads and stores, or null if they do not reach it. It stays readable after
     * the job is closed.
     */
    public AtomicBuffer view(final int peer, final int region, final long offset, final int length)
    {
        return null == segments[peer] ? null : segments[peer].of(region).view(offset, length);
    }

    /**
     * Returns this PE's own memory as a ByteBuffer in native order. It stays readable after the job is closed.
     */
    public ByteBuffer byteBuffer(final int region, final long offset, final int length)
    {
        return segments[pe].of(region).byteBuffer(offset, length);
    }

    public BlockingWait blockingWait()
    {
        return blockingWait;
    }

    /** Returns the clocks and pauses of the process. */
    public Pause pause()
    {
        return joined.process().pause();
    }

    /**
     * Adds the progress of nonblocking requests, which blocked threads drive from now on. Called once, before the PE is
     * used.
     *
     * @param isIdle whether no request is under way.
     */
    public void requests(final Progress progress, final BooleanSupplier isIdle)
    {
        joinProtocol.requests(progress, isIdle);
    }

    /** Has the background thread drive requests too, if the PE has one; it is started if it does not run yet. */
    public void serveRequests()
    {
        joinProtocol.serveRequests();
    }

    /** Adds a sampled counter, whose source any thread may read until this endpoint is closed. */
    public void gauge(final PeCounter counter, final LongSupplier source)
    {
        joinProtocol.gauge(counter, source);
    }

    /** Returns the file in which this PE publishes its latencies. */
    public PeLatencyFile latencyFile()
    {
        return new PeLatencyFile(joined.process().directory().path(), pe);
    }

    /** Runs one duty cycle unless another thread runs one, and returns the work count. */
    public int progress()
    {
        blockingWait.pause().poll();
        return null == engine ? 0 : engine.poll();
    }

    /** Sends what small operations have left in the outboxes. Never blocks. */
    public void flush()
    {
        if (null != engine)
        {
            engine.send();
        }
    }

    /*
     * The place of a put among the messages to a peer. Where no messages go to the peer, every put is complete when its
     * call returns.
     */
    /** Returns the place behind what the calling thread has submitted to a peer. */
    public long submitted(final int peer)
    {
        return isByMessages(peer) ? joined.messages().submitted(peer) : 0;
    }

    /** Returns the sequence behind what was submitted before a place, or -1 if some of that has none yet. */
    public long sequence(final int peer, final long submitted)
    {
        return isByMessages(peer) ? joined.messages().sequence(peer, submitted) : 0;
    }

    /** Returns true if a peer has performed what is before a sequence. */
    public boolean isAcknowledged(final int peer, final long sequence)
    {
        return isByMessages(peer) ? joined.messages().isAcknowledged(peer, sequence) :
            contextTransport(peer).isQuiet(peer);
    }

    /** Asks a peer to acknowledge what was submitted to it, without waiting for that. */
    public void requestAcknowledgement(final int peer)
    {
        if (isByMessages(peer))
        {
            joined.messages().requestAcknowledgement(peer);
        }
    }

    /**
     * Completes all operations, nonblocking ones too, that any thread of this PE issued before the call.
     *
     * @param callName name of the program's call, in an exception.
     */
    public void quietAll(final String callName)
    {
        if (null != joined.messages())
        {
            joined.messages().quietAll(callName);
            return;
        }

        for (int peer = 0; peer < transports.length; peer++)
        {
            contextTransport(peer).quiet(peer);
        }
    }

    private boolean isByMessages(final int peer)
    {
        return null != joined.messages() && transports[peer].isMessaging();
    }

    /**
     * Keeps an object reachable as long as this endpoint: the owner of private memory that replies to nonblocking
     * requests may still write, because the call that issued them ended by an exception.
     */
    public void retain(final Object owner)
    {
        retained.add(owner);
    }

    /** Returns whether a PE has called close, and sends nothing more. Acquire: what it sent before has arrived. */
    public boolean isFinalizing(final int peer)
    {
        return control.phase(peer) >= PePhase.FINALIZING;
    }

    /** Returns the calls in which PEs are blocked. */
    public PeActivities activities()
    {
        return control.activities();
    }

    /** Fails the job because of what a call has found, and returns the exception for that call to throw. */
    public RuntimeException failed(final JobFailure failure)
    {
        control.fail(pe, failure);
        return blockingWait.failure();
    }

    /** Returns whether the job has failed. */
    public boolean isFailed()
    {
        return control.isFailed();
    }

    /** Throws if the job has failed. */
    public void checkFailure()
    {
        blockingWait.checkFailure();
    }

    /** Fails the job, and returns true if this is its first failure, the one that counts. */
    public boolean fail(final JobFailure failure)
    {
        return control.fail(pe, failure);
    }

    /** Returns the failure of the job, or null. */
    public JobFailure failure()
    {
        return control.failure();
    }

    /** Leaves the job, intact or failed. */
    @Override
    public void close()
    {
        close(control.isFailed());
    }

    /**
     * Announces that this PE sends nothing more, and serves the others until all have announced the same. This is a
     * barrier of its own, which matches no other call: a PE that waits for something this PE has not sent can conclude
     * that it will not arrive.
     */
    public void finish()
    {
        awaitDrained();
        joined.phaseBarrier().announceAndAwaitInCall(PePhase.FINALIZING, blockingWait, CLOSE);
    }

    /**
     * Leaves the job. In an intact job this is collective: every PE serves the others until all leave. The job fails if
     * this wait ends by an exception.
     *
     * @param afterFailure leave without waiting for others.
     */
    public synchronized void close(final boolean afterFailure)
    {
        if (isClosed)
        {
            return;
        }

        isClosed = true;
        Throwable problem = null;
        try
        {
            if (!afterFailure)
            {
                awaitLeaving();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            problem = ex;
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " failed: " + ex));
        }

        release(problem);
    }

    private void release(final Throwable problem)
    {
        try
        {
            joinProtocol.release();
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
            LangUtil.rethrowUnchecked(problem);
        }
    }

    private void awaitLeaving()
    {
        awaitDrained();
        joinProtocol.expectEndOfStreams();
        joined.phaseBarrier().announceAndAwaitInCall(PePhase.CLOSING, blockingWait, CLOSE);
    }

    private void awaitDrained()
    {
        int round = 0;
        while (!isDrained())
        {
            round = blockingWait.idle(round, BlockingWait.NO_DEADLINE, CLOSE);
        }

        blockingWait.reset(round);
    }

    private boolean isDrained()
    {
        if (null != engine)
        {
            return engine.isDrained();
        }

        for (int peer = 0; peer < transports.length; peer++)
        {
            if (!transports[peer].isQuiet(peer) || !contextTransport(peer).isQuiet(peer))
            {
                return false;
            }
        }

        return true;
    }
}
