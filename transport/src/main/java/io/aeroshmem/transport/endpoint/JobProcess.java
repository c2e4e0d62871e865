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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.aeron.AeronConnection;
import io.aeroshmem.transport.aeron.ApplicationAgentInvokers;
import io.aeroshmem.transport.aeron.AgentIdleStrategy;
import io.aeroshmem.transport.aeron.ProgressAgent;
import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.heap.HeapListener;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLock;
import io.aeroshmem.transport.progress.Progress;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;
import org.agrona.concurrent.IdleStrategy;

import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.IntStream;

/**
 * A process's share of a job: the resources that all PEs of the job in this process have in common. The main ones are:
 * <ul>
 * <li>the job's directory, and the process's lock in it;</li>
 * <li>the client of the rendezvous, if the process joined the job through one;</li>
 * <li>the liveness thread;</li>
 * <li>the memory files of PEs ({@link Segment}) that the process has mapped;</li>
 * <li>one Aeron client and one background thread;</li>
 * <li>the media driver, if this process created the job's directory.</li>
 * </ul>
 * The first PE to start acquires the lock and starts the liveness thread. Segments, Aeron client, background thread and
 * driver are created when a PE needs them. The last PE to leave closes everything. Methods that change these resources
 * hold this object's monitor; {@link DriverSupervisor} has a monitor of its own.
 */
public final class JobProcess
{
    private static final long LEAVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAVE_POLL_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int CLEAN_ATTEMPTS = 3;
    private static final long FLUSH_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String LOOPBACK = "127.0.0.1";

    private final JobDirectory directory;
    private final String lockName;
    private final int[] pes;
    /** Null if the process joined without a rendezvous. */
    private final RendezvousClient rendezvous;
    private final Map<Integer, MappedHeap> heapByPe = new HashMap<>();
    private final DriverSupervisor driverSupervisor;
    private final ShutdownHook shutdownHook;
    private final ProgressAgent agent = new ProgressAgent();
    private final ProgramThreads programThreads;
    private final Pause pause;
    /** PEs of this process that have entered and not left. Written under the monitor. */
    private volatile int entered;
    private boolean hasEnded;
    /** Failure of the job, kept when the job has ended. */
    private JobFailure failure;
    private ProcessLock lock;
    private Liveness liveness;
    private ErrorHandler errorHandler;
    private HeapListener heapListener;
    private AeronConnection connection;
    private ApplicationAgentInvokers applicationAgents;
    private AgentRunner agentRunner;

    /**
     * @param directory of a job of this host; closed when the last PE leaves, and deleted by its creator.
     * @param lockName  of the lock of this process.
     * @param pes       that may live here.
     */
    public JobProcess(final JobDirectory directory, final String lockName, final int[] pes)
    {
        this(directory, lockName, pes, null);
    }

    /**
     * @param directory  of the job on this node; closed when the last PE leaves, and deleted by its creator.
     * @param lockName   of the lock of this process.
     * @param pes        that may live here.
     * @param rendezvous by which they joined; if this process leads its node, it replicates the control file over
     *                   the rendezvous while the job lasts. Closed when the last PE leaves.
     */
    public JobProcess(
        final JobDirectory directory, final String lockName, final int[] pes, final RendezvousClient rendezvous)
    {
        this(directory, lockName, pes, rendezvous, Pause.SYSTEM);
    }

    /**
     * As {@link #JobProcess(JobDirectory, String, int[], RendezvousClient)}, with clocks and pauses of its own.
     */
    public JobProcess(
        final JobDirectory directory,
        final String lockName,
        final int[] pes,
        final RendezvousClient rendezvous,
        final Pause pause)
    {
        this.pause = pause;
        directory.control().clock(pause);
        this.directory = directory;
        this.lockName = lockName;
        this.pes = pes.clone();
        this.rendezvous = rendezvous;
        driverSupervisor = new DriverSupervisor(directory, pause);
        programThreads = new ProgramThreads(pes.length > 1);
        shutdownHook = new ShutdownHook(directory, this.pes, this::flushEnding, this::abandonUnlessLeft);
    }

    /** Counts one more PE. */
    public synchronized void enter()
    {
        if (hasEnded)
        {
            throw null != failure ? new JobFailureException(failure) :
                new TransportException("the job in " + directory.path() + " has ended");
        }
        if (1 == ++entered)
        {
            FlightRecording.enterJob();
        }
    }

    /** Returns the number of PEs of this process; all of them when their join records have been published. */
    int enteredPes()
    {
        return entered;
    }

    /**
     * Acquires the process's lock and starts the liveness thread; does nothing after the first call.
     */
    synchronized void start(final Endpoint.Context context)
    {
        if (null == liveness)
        {
            lock = null == lock ? directory.lockProcess(lockName) : lock;
            final Liveness newLiveness = new Liveness(
                directory,
                pes,
                directory.isCreator(),
                context.livenessTimeoutNs() + context.livenessTimeoutNs() / 5,
                context.threadFactory(),
                context.errorHandler(),
                pause);
            newLiveness.watch(agentGauges());
            newLiveness.start();
            liveness = newLiveness;
            errorHandler = context.errorHandler();
            heapListener = context.heapListener();
            shutdownHook.add(errorHandler);
            if (isLeader())
            {
                newLiveness.onFailure((what) -> flushFailure());
                rendezvous.replicate(
                    control(),
                    () -> driverSupervisor.startIfRequested(context),
                    context.threadFactory(),
                    context.errorHandler());
            }
        }
    }

    private Gauges agentGauges()
    {
        final Gauges gauges = new Gauges(control(), pes[0]);
        gauges.add(PeCounter.AGENT_MAX_CYCLE, agent::maxCycleNs);
        gauges.add(PeCounter.AGENT_LONG_CYCLES, agent::longCycles);
        return gauges;
    }

    private boolean isLeader()
    {
        return null != rendezvous && directory.isCreator();
    }

    /**
     * Returns the address by which other hosts reach this one, loopback in a job of one node.
     */
    String udpInterface()
    {
        return null == rendezvous || rendezvous.isSingleNode() ? LOOPBACK : rendezvous.localAddress();
    }

    /**
     * Registers a PE in the control file. From then on the release of the process's lock indicates its death, instead
     * of the end of the connection to the rendezvous, which only the leader keeps.
     */
    synchronized void register(final int pe)
    {
        final ProcessIdentity self = ProcessIdentity.current();
        control().register(pe, self.pid(), self.startTime(), lock.path().getFileName().toString());
        if (null != rendezvous && !isLeader())
        {
            rendezvous.close();
        }
    }

    /** Returns the clocks and pauses of this process. */
    Pause pause()
    {
        return pause;
    }

    /** Returns the threads of the program in this process. */
    ProgramThreads programThreads()
    {
        return programThreads;
    }

    /** Adds a check to every round of the liveness thread. */
    synchronized void watch(final Liveness.Watch watch)
    {
        liveness.watch(watch);
    }

    /** Notifies the listener when the job fails, once, on a library thread. */
    synchronized void onFailure(final Consumer<JobFailure> listener)
    {
        liveness.onFailure(listener);
    }

    /** Fails the job, unless all PEs of this process have left it. */
    public synchronized void fail(final int pe, final JobFailure what)
    {
        if (!hasEnded)
        {
            control().fail(pe, what);
        }
    }

    /**
     * Waits until a failure that was reported here is sent to the other nodes, so that a process that is about to end
     * states the reason first.
     */
    void flushFailure()
    {
        if (isLeader())
        {
            rendezvous.flushFailure(FLUSH_TIMEOUT_NS);
        }
    }

    /**
     * Waits until the other nodes have been notified that PEs of an intact job are ending, so that they report this
     * rather than a death.
     */
    private void flushEnding()
    {
        if (isLeader() && !control().isFailed())
        {
            rendezvous.flushEnding(FLUSH_TIMEOUT_NS);
        }
    }

    /**
     * Returns the job's directory on this host. It is closed when all PEs of this process have left, though its control
     * file is still mapped.
     */
    public JobDirectory directory()
    {
        return directory;
    }

    /** Returns whether all PEs of this process have left the job, and its resources are released. */
    public synchronized boolean hasEnded()
    {
        return hasEnded;
    }

    ControlFile control()
    {
        return directory.control();
    }

    /** Creates the segment of a PE of this process. */
    synchronized Segment createSegment(
        final int pe, final long arenaOffset, final long arenaLength, final long heapLength, final boolean isSparse)
    {
        return addHeap(
            pe,
            Segment.create(directory.heapFile(pe), arenaOffset, arenaLength, heapLength, isSparse),
            heapLength);
    }

    /** Returns the segment of a PE, mapped once for all PEs of this process. The heap is its last part. */
    synchronized Segment segment(final int pe, final long length, final long heapLength)
    {
        final MappedHeap known = heapByPe.get(pe);
        return null != known ? known.segment : addHeap(pe, Segment.map(directory.heapFile(pe), length), heapLength);
    }

    private Segment addHeap(final int pe, final Segment segment, final long heapLength)
    {
        final MappedHeap heap = new MappedHeap(pe, segment, heapLength, heapListener);
        heapByPe.put(pe, heap);
        heapListener.onMapped(pe, heap.address(), heapLength);
        return segment;
    }

    /** Returns the runner of the application's invokers, which the PEs of this process share. */
    synchronized Progress applicationAgents(final Endpoint.Context context)
    {
        final AgentInvoker clientInvoker = null == context.aeron() ? null : context.aeron().conductorAgentInvoker();
        if (null == applicationAgents && (null != clientInvoker || null != context.mediaDriverAgentInvoker()))
        {
            applicationAgents = new ApplicationAgentInvokers(context.mediaDriverAgentInvoker(), clientInvoker);
        }
        return null == applicationAgents ? Progress.NONE : applicationAgents;
    }

    /** Returns the Aeron client, which the PEs of this process share. */
    synchronized AeronConnection connection(final int pe, final Endpoint.Context context)
    {
        if (null == connection)
        {
            if (null != context.aeron())
            {
                connection = AeronConnection.over(
                    context.aeron(), context.ownsAeronClient(), applicationAgents, context.livenessTimeoutNs(), pe);
                monitorDriver();
            }
            else
            {
                final String driverDirectory = context.aeronDirectoryName();
                connection = AeronConnection.connect(
                    null == driverDirectory ? driverSupervisor.awaitDirectory(context) :
                        DriverDirectory.verify(driverDirectory).toString(),
                    context.livenessTimeoutNs(),
                    clientName(),
                    control(),
                    pe,
                    context.errorHandler());
                if (null == driverDirectory)
                {
                    // The job's own driver ends with the job's creator, whose death is detected as such.
                    liveness.watch(connection.driverSilence());
                }
                else
                {
                    monitorDriver();
                }
            }
        }
        return connection;
    }

    /**
     * Returns the name of the client in the counters of the driver: the job and the PEs that share the client.
     */
    private String clientName()
    {
        final String last = 1 == pes.length ? "" : "-to-" + pes[pes.length - 1];
        return "aeroshmem-" + directory.id() + "-pe-" + pes[0] + last;
    }

    /** Monitors an external driver. */
    private void monitorDriver()
    {
        liveness.watch(connection.driverMonitor());
        liveness.onFailure(connection::onFailure);
    }

    /**
     * Fails the job after a grace period, unless the liveness thread finds a more precise reason before.
     */
    void suspect(final JobFailure what, final long graceNs)
    {
        liveness.suspect(what, graceNs);
    }

    /** Returns what a wait on the background thread drives: all PEs of this process. */
    Progress agent()
    {
        return agent;
    }

    /** Adds an engine to the background thread. */
    synchronized void serve(final ProgressEngine engine, final Endpoint.Context context)
    {
        startAgent(context);
        agent.add(engine);
    }

    /** Adds the nonblocking requests of a PE to the background thread. */
    synchronized void serve(final Progress requests, final Endpoint.Context context)
    {
        startAgent(context);
        agent.add(requests);
    }

    private void startAgent(final Endpoint.Context context)
    {
        if (null == agentRunner)
        {
            agent.processorShared(pesOfHost() >= Runtime.getRuntime().availableProcessors());
            final IdleStrategy idleStrategy = null == context.idleStrategySupplier() ?
                new AgentIdleStrategy(agent) : context.idleStrategySupplier().get();
            agentRunner = new AgentRunner(idleStrategy, context.errorHandler(), null, agent);
            AgentRunner.startOnThread(agentRunner, (task) -> Threads.daemon(context.threadFactory().newThread(task)));
        }
    }

    private int pesOfHost()
    {
        final ControlFile control = control();
        return (int)IntStream.range(0, control.nPes()).filter((pe) -> !control.isMirrored(pe)).count();
    }

    synchronized void serveNoMore(final ProgressEngine engine)
    {
        agent.remove(engine);
    }

    synchronized void serveNoMore(final Progress requests)
    {
        agent.remove(requests);
    }

    /**
     * Counts one PE less. The last one closes everything, even if the close of one part fails. The creator of the job's
     * directory removes it when the other processes of the node have left it too; if the creator is dead, the last
     * process to leave does.
     */
    synchronized void leave()
    {
        if (0 == --entered)
        {
            hasEnded = true;
            shutdownHook.onLeave();
            try
            {
                CloseHelper.closeAll(
                    agentRunner,
                    this::notifyConnection,
                    connection,
                    this::awaitOthers,
                    this::leaveRendezvous,
                    this::saveFailure,
                    driverSupervisor,
                    liveness,
                    () -> CloseHelper.closeAll(heapByPe.values()),
                    lock,
                    directory.isCreator() ? directory::delete : this::removeAfterCreator,
                    directory);
            }
            finally
            {
                heapByPe.clear();
                shutdownHook.remove();
                FlightRecording.leaveJob();
            }
        }
    }

    /**
     * Notifies the connection of a failure that the liveness thread may not have reported yet.
     */
    private void notifyConnection()
    {
        final JobFailure what = control().failure();
        if (null != connection && null != what)
        {
            connection.onFailure(what);
        }
    }

    /**
     * Reports a failure from before the replicator or the lock existed, which no other node knows.
     */
    private void leaveRendezvous()
    {
        if (null != rendezvous)
        {
            final JobFailure what = control().failure();
            if (null != what)
            {
                rendezvous.withdraw(what.message());
            }
            rendezvous.close();
        }
    }

    private void saveFailure()
    {
        failure = control().failure();
    }

    /**
     * Waits until the other processes of this node, which use the leader's driver and directory, have left: each
     * releases its lock after its Aeron client is closed.
     */
    private void awaitOthers()
    {
        if (!isLeader())
        {
            return;
        }

        final long deadlineNs = pause.nanoTime() + LEAVE_TIMEOUT_NS;
        for (final int pe : rendezvous.nodePes())
        {
            while (isUsing(pe) && !control().isFailed() && pause.nanoTime() - deadlineNs < 0)
            {
                pause.park(this, LEAVE_POLL_NS);
            }
        }
    }

    private boolean isUsing(final int pe)
    {
        return pe != directory.control().creatorPe() &&
            (PePhase.CLOSED != control().phase(pe) || directory.isProcessAlive(control().lockName(pe)));
    }

    private synchronized void abandonUnlessLeft()
    {
        if (!hasEnded && control().isFailed())
        {
            hasEnded = true;
            saveFailure();
            CloseHelper.closeAll(
                errorHandler,
                this::flushFailure,
                lock,
                directory.isCreator() ? directory::delete : this::removeAfterCreator);
        }
    }

    /**
     * Removes the job if its creator is dead and this is the last process to leave, see {@link JobCleaner}. Retries, as
     * a process that lists jobs may hold a lock for an instant.
     */
    private void removeAfterCreator()
    {
        if (null != failure)
        {
            for (int i = 0; i < CLEAN_ATTEMPTS && !JobCleaner.clean(directory) && Files.exists(directory.path()); i++)
            {
                pause.park(this, LEAVE_POLL_NS);
            }
        }
    }

    /** Heap of a PE in its segment. */
    private record MappedHeap(int pe, Segment segment, long length, HeapListener listener) implements AutoCloseable
    {
        long address()
        {
            return segment.address() + segment.length() - length;
        }

        @Override
        public void close()
        {
            try
            {
                listener.onUnmapping(pe, address(), length);
            }
            finally
            {
                segment.close();
            }
        }
    }
}
