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
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.aeron.FrameStreams;
import io.aeroshmem.transport.aeron.ProgressEngine;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLock;
import io.aeroshmem.transport.job.ProcessProbe;
import io.aeroshmem.transport.progress.Progress;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

import java.nio.file.Files;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * A process's share of a job: the resources that all PEs of the job in this process have in common.
 * {@link ProcessLifecycle} has its states. In the order of {@link #resources}, each of which may use those before it,
 * the resources are:
 * <ul>
 * <li>the job's directory, and the process's lock in it;</li>
 * <li>the {@linkplain ProcessHeaps memory files} of PEs that the process has mapped;</li>
 * <li>the liveness thread;</li>
 * <li>the {@linkplain DriverSupervisor media driver}, if this process created the job's directory;</li>
 * <li>the {@linkplain ProcessRendezvous rendezvous}, if the process joined the job through one;</li>
 * <li>the {@linkplain ProcessConnection Aeron client};</li>
 * <li>the {@linkplain ProcessAgent background thread}.</li>
 * </ul>
 * The first PE to start acquires the lock and starts the liveness thread; the other resources are made when a PE needs
 * them. The last PE to leave closes them in reverse order.
 */
public final class JobProcess
{
    private static final int CLEAN_ATTEMPTS = 3;
    private static final long CLEAN_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(1);
    /** Time for which the kernel may take to end a process that was killed. */
    private static final long EXIT_NS = TimeUnit.SECONDS.toNanos(1);

    private final JobDirectory directory;
    private final String lockName;
    private final int[] pes;
    private final Pause pause;
    /** Null for none. */
    private final TransportFilter filter;
    private final ProcessLifecycle lifecycle;
    private final ShutdownHook shutdownHook;
    private final ProgramThreads programThreads;
    private final ProcessHeaps heaps;
    private final DriverSupervisor driverSupervisor;
    private final ProcessRendezvous rendezvous;
    private final ProcessConnection connection;
    private final ProcessAgent agent;
    /*
     * Each resource has a monitor of its own, and that of this object guards the lock and the liveness thread; the
     * thread that closes them holds none while it waits.
     */
    /** Each may use those before it. */
    private final AutoCloseable[] resources;
    private ProcessLock lock;
    private Liveness liveness;
    private ErrorHandler errorHandler;

    /**
     * @param directory of a job of this host; closed when the last PE leaves, and deleted by its creator.
     * @param lockName  of the lock of this process.
     * @param pes       that may live here.
     */
    public JobProcess(final JobDirectory directory, final String lockName, final int[] pes)
    {
        this(directory, lockName, pes, null, Pause.SYSTEM);
    }

    /**
     * @param directory  of the job on this node; closed when the last PE leaves, and deleted by its creator.
     * @param lockName   of the lock of this process.
     * @param pes        that may live here.
     * @param rendezvous by which they joined; if this process leads its node, it replicates the control file over
     *                   the rendezvous while the job lasts. Closed when the last PE leaves.
     * @param pause      by which its threads wait.
     */
    public JobProcess(
        final JobDirectory directory,
        final String lockName,
        final int[] pes,
        final RendezvousClient rendezvous,
        final Pause pause)
    {
        this(directory, lockName, pes, rendezvous, pause, null, null);
    }

    /**
     * As {@link #JobProcess(JobDirectory, String, int[], RendezvousClient, Pause)}, with streams of its own.
     *
     * @param streams of the PEs; null for those of an Aeron client.
     * @param filter  in front of the transports of its PEs; null for none.
     */
    public JobProcess(
        final JobDirectory directory,
        final String lockName,
        final int[] pes,
        final RendezvousClient rendezvous,
        final Pause pause,
        final FrameStreams streams,
        final TransportFilter filter)
    {
        directory.control().pause(pause);
        this.directory = directory;
        this.lockName = lockName;
        this.pes = pes.clone();
        this.pause = pause;
        this.filter = filter;
        lifecycle = new ProcessLifecycle(pause);
        this.rendezvous = new ProcessRendezvous(directory, rendezvous, pause);
        programThreads = new ProgramThreads(pes.length > 1);
        shutdownHook = new ShutdownHook(directory, this.pes, this.rendezvous::flushEnding, this::abandon);
        heaps = new ProcessHeaps(directory);
        driverSupervisor = new DriverSupervisor(directory, pause);
        connection = new ProcessConnection(directory, this.pes, driverSupervisor, pause, streams);
        agent = new ProcessAgent(directory.control());
        resources = new AutoCloseable[]
        {
            directory,
            this::removeFiles,
            this::releaseLock,
            heaps,
            () -> CloseHelper.close(liveness()),
            driverSupervisor,
            this::keepFailure,
            this.rendezvous,
            this.rendezvous::awaitOthers,
            connection,
            agent
        };
    }

    /** Counts one more PE. */
    public void enter()
    {
        final int entered = lifecycle.enter();
        if (0 == entered)
        {
            final JobFailure failure = lifecycle.failure();
            throw null != failure ? new JobFailureException(failure) :
                new TransportException("the job in " + directory.path() + " has ended");
        }

        if (1 == entered)
        {
            FlightRecording.enterJob();
        }
    }

    /** Returns the number of PEs of this process; all of them when their join records have been published. */
    int enteredPes()
    {
        return lifecycle.entered();
    }

    /**
     * Acquires the process's lock and starts the liveness thread; does nothing after the first call.
     */
    synchronized void start(final EndpointContext context)
    {
        if (null == liveness)
        {
            lock = null == lock ? directory.lockProcess(lockName) : lock;
            final Liveness newLiveness = new Liveness(
                directory,
                pes,
                directory.isCreator(),
                context.settings().livenessTimeoutNs() + context.settings().livenessTimeoutNs() / 5,
                context.settings().threadFactory(),
                context.errorHandler(),
                pause);
            newLiveness.watch(agent.gauges(pes[0]));
            newLiveness.start();
            liveness = newLiveness;
            errorHandler = context.errorHandler();
            heaps.open(context.heapListener());
            shutdownHook.add(errorHandler);
            if (rendezvous.isLeader())
            {
                newLiveness.onFailure((jobFailure) -> flushFailure());
            }

            rendezvous.open(driverSupervisor, context);
        }
    }

    /**
     * Returns the address by which other hosts reach this one, loopback in a job of one node.
     */
    String udpInterface()
    {
        return rendezvous.udpInterface();
    }

    /**
     * Registers a PE in the control file. From then on the release of the process's lock indicates its death, instead
     * of the end of the connection to the rendezvous, which only the leader keeps.
     */
    synchronized void register(final int pe)
    {
        final ProcessIdentity self = ProcessIdentity.current();
        control().register(pe, self.pid(), self.startTime(), lock.path().getFileName().toString());
        rendezvous.onRegistered();
    }

    /** Returns the transports of the library's own calls, of those that a PE has selected. */
    Transport[] libraryTransports(final Transport[] transports)
    {
        return null == filter ? transports : filtered(transports, filter::ofLibrary);
    }

    /** Returns the transports of communication contexts, of those that a PE has selected. */
    Transport[] contextTransports(final Transport[] transports)
    {
        return null == filter ? transports : filtered(transports, filter::ofContexts);
    }

    private static Transport[] filtered(final Transport[] transports, final UnaryOperator<Transport> filter)
    {
        return Stream.of(transports).map(filter).toArray(Transport[]::new);
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
    public void fail(final int pe, final JobFailure jobFailure)
    {
        if (lifecycle.isOpen())
        {
            control().fail(pe, jobFailure);
        }
    }

    /**
     * Waits until a failure that was reported here is sent to the other nodes, so that a process that is about to end
     * states the reason first.
     */
    void flushFailure()
    {
        rendezvous.flushFailure();
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
    public boolean hasEnded()
    {
        return lifecycle.hasEnded();
    }

    /**
     * Unmaps what this process has mapped of a job that has failed and that all of its PEs have left, but for the
     * heaps, of which the program may have views. While another thread may be in a call, everything stays mapped until
     * it is garbage.
     */
    public void unmap()
    {
        if (hasEnded() && control().isFailed() && !LibraryCalls.mayBeUnderWay())
        {
            heaps.unmapSystems();
            control().unmap();
        }
    }

    ControlFile control()
    {
        return directory.control();
    }

    /** Creates the memory of a PE of this process. */
    PeSegments createMemory(final int pe, final MemorySizes sizes, final EndpointContext context)
    {
        return heaps.create(pe, sizes, context);
    }

    /** Returns the memory of a PE, mapped once for all PEs of this process. */
    PeSegments mapMemory(final int pe, final MemorySizes sizes, final boolean isRetained)
    {
        return heaps.map(pe, sizes, isRetained);
    }

    /** Returns the runner of the application's invokers, which the PEs of this process share. */
    Progress applicationAgents(final EndpointContext context)
    {
        return connection.applicationAgents(context);
    }

    /** Returns the streams, which the PEs of this process share. */
    FrameStreams streams(final int pe, final EndpointContext context)
    {
        return connection.open(pe, context, liveness());
    }

    private synchronized Liveness liveness()
    {
        return liveness;
    }

    /**
     * Fails the job after a grace period, unless the liveness thread finds a more precise reason before.
     */
    void suspect(final JobFailure jobFailure, final long graceNs)
    {
        liveness().suspect(jobFailure, graceNs);
    }

    /** Returns what a wait on the background thread drives: all PEs of this process. */
    Progress agent()
    {
        return agent.progress();
    }

    /** Adds an engine to the background thread. */
    void serve(final ProgressEngine engine, final EndpointContext context)
    {
        agent.add(engine, context);
    }

    /** Adds the nonblocking requests of a PE to the background thread. */
    void serve(final Progress requests, final EndpointContext context)
    {
        agent.add(requests, context);
    }

    void stopServing(final ProgressEngine engine)
    {
        agent.remove(engine);
    }

    void stopServing(final Progress requests)
    {
        agent.remove(requests);
    }

    /**
     * Counts one PE less. The last one closes everything, even if the close of one part fails. The creator of the job's
     * directory removes it when the other processes of the node have left it too; if the creator is dead, the last
     * process to leave does.
     */
    void leave()
    {
        if (lifecycle.leave())
        {
            try
            {
                closeInReverse(resources);
            }
            finally
            {
                shutdownHook.remove();
                FlightRecording.leaveJob();
                lifecycle.released();
            }
        }
    }

    /** Closes each resource before those that it may use; what a close throws does not keep the others open. */
    static void closeInReverse(final AutoCloseable... resources)
    {
        final List<AutoCloseable> reversed = Arrays.asList(resources.clone());
        Collections.reverse(reversed);
        CloseHelper.closeAll(reversed);
    }

    private void keepFailure()
    {
        lifecycle.keepFailure(control().failure());
    }

    private synchronized void releaseLock()
    {
        CloseHelper.close(lock);
    }

    /**
     * Removes the job if this process created it; or if its creator is dead and this is the last process to leave, see
     * {@link JobCleaner}.
     */
    private void removeFiles()
    {
        if (directory.isCreator())
        {
            directory.delete();
        }
        else if (control().isFailed())
        {
            clean(directory, this::isAnyExiting, pause);
        }
    }

    /**
     * Retries, as a process that lists jobs may hold a lock for an instant, and for longer while the kernel ends a
     * process of the job: it releases the locks last.
     */
    static void clean(final JobDirectory directory, final BooleanSupplier isAnyExiting, final Pause pause)
    {
        final long startNs = pause.nanoTime();
        for (int i = 1; !JobCleaner.clean(directory) && Files.exists(directory.path()); i++)
        {
            if (i >= CLEAN_ATTEMPTS && (pause.nanoTime() - startNs > EXIT_NS || !isAnyExiting.getAsBoolean()))
            {
                return;
            }

            pause.park(directory, CLEAN_PAUSE_NS);
        }
    }

    private boolean isAnyExiting()
    {
        final ControlFile control = control();
        for (int pe = 0; pe < control.nPes(); pe++)
        {
            if (!control.isMirrored(pe) && ProcessProbe.isExiting(control.pid(pe)))
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Abandons a failed job as the JVM ends: its lock and its files are released at once, and nothing else needs to be.
     * A thread that is closing everything may not reach the files before the JVM ends: the thread that ends the JVM may
     * be the liveness thread, for whose end the closing thread waits.
     */
    private void abandon()
    {
        if (lifecycle.abandon(control()::isFailed))
        {
            try
            {
                CloseHelper.closeAll(
                    errorHandler, this::keepFailure, this::flushFailure, this::releaseLock, this::removeFiles);
            }
            finally
            {
                lifecycle.released();
            }
        }
        else if (lifecycle.isReleasing() && control().isFailed() && directory.isCreator())
        {
            CloseHelper.closeAll(errorHandler, directory::delete);
        }
    }
}
