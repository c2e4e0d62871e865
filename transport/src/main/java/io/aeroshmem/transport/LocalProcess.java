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
import io.aeroshmem.transport.aeron.EmbeddedDriver;
import io.aeroshmem.transport.aeron.Engine;
import io.aeroshmem.transport.aeron.ProgressAgent;
import io.aeroshmem.transport.aeron.UserInvokers;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.DriverState;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLock;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.AgentInvoker;
import org.agrona.concurrent.AgentRunner;

import java.nio.file.Files;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * What this process holds for a job, whichever number of the job's PEs live in it: the job's directory and the
 * process's lock in it, the liveness thread, the mapped segments, one Aeron client, one background thread, and, if this
 * process created the job, the media driver.
 * <p>
 * The first PE that starts it makes these things, the last one that leaves closes them. What changes them runs under
 * this object's monitor, while PEs join and leave. The driver has a lock of its own, as the bridge of a node's leader
 * starts it for other processes, and the last to leave waits for the bridge's thread under the monitor. The order is
 * monitor, then driver lock; nothing but the start and the end of the driver is waited for under the latter.
 */
public final class LocalProcess
{
    private static final long DRIVER_START_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(20);
    private static final long LEAVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final long LEAVE_LOOK_NS = TimeUnit.MILLISECONDS.toNanos(1);
    private static final int CLEAN_ATTEMPTS = 3;
    private static final long FLUSH_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final String LOOPBACK = "127.0.0.1";

    private final JobDirectory directory;
    private final String lockName;
    private final int[] pes;
    /** Null in a job of this host alone. */
    private final RendezvousClient rendezvous;
    private final Map<Integer, Segment> segmentByPe = new HashMap<>();
    /** Guards the driver. Not this object's monitor, under which {@link #leave()} waits for the bridge's thread. */
    private final Object driverLock = new Object();
    private final Thread endOfJvm = new Thread(this::abandon, "aeroshmem-end-of-jvm");
    private int entered;
    private boolean isOver;
    /** The last PE is taking down what this process holds. */
    private volatile boolean isLeaving;
    /** Of the job, kept when it is over. */
    private JobFailure failure;
    private ProcessLock lock;
    private Liveness liveness;
    private ErrorHandler errorHandler;
    private AeronConnection connection;
    private UserInvokers userInvokers;
    private EmbeddedDriver driver;
    private boolean isDriverOver;
    private ProgressAgent agent;
    private AgentRunner agentRunner;

    /**
     * Construct for a job whose directory this process has opened or created.
     *
     * @param directory of the job; closed when the last PE leaves, and deleted by its creator.
     * @param lockName  names the lock of this process.
     * @param pes       the PEs that may live here.
     */
    public LocalProcess(final JobDirectory directory, final String lockName, final int[] pes)
    {
        this(directory, lockName, pes, null);
    }

    /**
     * Construct for a job that its PEs joined by a rendezvous.
     *
     * @param directory  of the job on this node; closed when the last PE leaves, and deleted by its creator.
     * @param lockName   names the lock of this process.
     * @param pes        the PEs that may live here.
     * @param rendezvous this process's side of it; if it leads its node, it is bridged to the control file while the
     *                   job lasts. Closed when the last PE leaves.
     */
    public LocalProcess(
        final JobDirectory directory, final String lockName, final int[] pes, final RendezvousClient rendezvous)
    {
        this.directory = directory;
        this.lockName = lockName;
        this.pes = pes.clone();
        this.rendezvous = rendezvous;
    }

    /**
     * Count one more PE.
     */
    public synchronized void enter()
    {
        if (isOver)
        {
            throw new TransportException("the job in " + directory.path() + " is over" +
                (null == failure ? "" : ": " + failure.message()));
        }
        entered++;
    }

    /**
     * Hold the process's lock and watch the others, from the first call on.
     *
     * @param context of the PE that joins.
     */
    synchronized void start(final Endpoint.Context context)
    {
        if (null == liveness)
        {
            lock = null == lock ? directory.lockProcess(lockName) : lock;
            final Liveness watch = new Liveness(
                directory,
                pes,
                directory.isCreator(),
                context.livenessTimeoutNs() + context.livenessTimeoutNs() / 5,
                context.threadFactory(),
                context.errorHandler());
            watch.start();
            liveness = watch;
            errorHandler = context.errorHandler();
            addShutdownHook();
            if (isLeader())
            {
                watch.onFailure((what) -> passFailureOn());
                rendezvous.bridge(
                    control(), () -> serveDriver(context), context.threadFactory(), context.errorHandler());
            }
        }
    }

    private boolean isLeader()
    {
        return null != rendezvous && directory.isCreator();
    }

    /**
     * The address of this host that other hosts reach.
     *
     * @return loopback in a job of one node.
     */
    String udpInterface()
    {
        return null == rendezvous || rendezvous.isSingleNode() ? LOOPBACK : rendezvous.localAddress();
    }

    /**
     * Make the PE known. From here on the lock tells of its death, and no longer the connection to the rendezvous,
     * which the leader alone keeps.
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

    /**
     * May several PEs of the job live in this process?
     */
    boolean isShared()
    {
        return pes.length > 1;
    }

    /**
     * Have something checked by the liveness thread in every round.
     */
    synchronized void watch(final Liveness.Watch watch)
    {
        liveness.watch(watch);
    }

    /**
     * Tell when the job fails, once, on a library thread.
     */
    synchronized void onFailure(final Consumer<JobFailure> listener)
    {
        liveness.onFailure(listener);
    }

    /**
     * Fail the job, unless all PEs of this process have left it.
     *
     * @param pe   that fails it.
     * @param what happened.
     */
    public synchronized void fail(final int pe, final JobFailure what)
    {
        if (!isOver)
        {
            control().fail(pe, what);
        }
    }

    /**
     * Wait until a failure that was reported here is on its way to the other nodes: a process that is about to end
     * says why before it does.
     */
    void passFailureOn()
    {
        if (isLeader())
        {
            rendezvous.flushFailure(FLUSH_TIMEOUT_NS);
        }
    }

    /**
     * Why the job failed.
     *
     * @return null if it has not.
     */
    public synchronized JobFailure failure()
    {
        return isOver ? failure : control().failure();
    }

    /**
     * The job's directory on this host.
     *
     * @return the directory; closed, though its control file is still mapped, when all PEs of this process have left.
     */
    public JobDirectory directory()
    {
        return directory;
    }

    /**
     * Whether all PEs of this process have left the job, and what it held for them is released.
     *
     * @return true once they have.
     */
    public synchronized boolean isOver()
    {
        return isOver;
    }

    Control control()
    {
        return directory.control();
    }

    /**
     * Make the segment of a PE of this process.
     */
    synchronized Segment createSegment(
        final int pe, final long arenaOffset, final long arenaLength, final long heapLength, final boolean isSparse)
    {
        final Segment segment =
            Segment.create(directory.heapFile(pe), arenaOffset, arenaLength, heapLength, isSparse);
        segmentByPe.put(pe, segment);
        return segment;
    }

    /**
     * The segment of a PE, mapped once for all PEs of this process.
     */
    synchronized Segment segment(final int pe, final long length)
    {
        final Segment known = segmentByPe.get(pe);
        if (null != known)
        {
            return known;
        }

        final Segment segment = Segment.map(directory.heapFile(pe), length);
        segmentByPe.put(pe, segment);
        return segment;
    }

    /**
     * What runs the application's invokers; the PEs of this process share it.
     */
    synchronized Progress userAgents(final Endpoint.Context context)
    {
        final AgentInvoker clientInvoker = null == context.aeron() ? null : context.aeron().conductorAgentInvoker();
        if (null == userInvokers && (null != clientInvoker || null != context.mediaDriverAgentInvoker()))
        {
            userInvokers = new UserInvokers(context.mediaDriverAgentInvoker(), clientInvoker);
        }
        return null == userInvokers ? Progress.NONE : userInvokers;
    }

    /**
     * The client that all PEs of this process share.
     */
    synchronized AeronConnection connection(final int pe, final Endpoint.Context context)
    {
        if (null == connection)
        {
            if (null != context.aeron())
            {
                connection = AeronConnection.over(
                    context.aeron(), context.ownsAeronClient(), userInvokers, context.livenessTimeoutNs(), pe);
                watchDriver();
            }
            else
            {
                connection = AeronConnection.connect(
                    driverDirectory(context),
                    context.livenessTimeoutNs(),
                    clientName(),
                    control(),
                    pe,
                    context.errorHandler());
                if (null != context.aeronDirectoryName())
                {
                    watchDriver();
                }
            }
        }
        return connection;
    }

    /**
     * Names the job and the PEs that share the client, for the counters of the driver.
     */
    private String clientName()
    {
        final String last = 1 == pes.length ? "" : "-to-" + pes[pes.length - 1];
        return "aeroshmem-" + directory.id() + "-pe-" + pes[0] + last;
    }

    /**
     * A driver that is not the job's own: that one ends with the creator of the job, whose death is noticed as such.
     */
    private void watchDriver()
    {
        liveness.watch(connection.driverWatch());
        liveness.onFailure(connection::onFailure);
    }

    /**
     * Fail the job when the liveness thread has not found a better reason within some time.
     *
     * @param what    happened.
     * @param graceNs to wait, in nanoseconds.
     */
    void suspect(final JobFailure what, final long graceNs)
    {
        liveness.suspect(what, graceNs);
    }

    private String driverDirectory(final Endpoint.Context context)
    {
        if (null != context.aeronDirectoryName())
        {
            return context.aeronDirectoryName();
        }

        if (directory.isCreator())
        {
            startDriver(context);
        }
        else
        {
            awaitDriver();
        }
        return directory.aeronDirectory().toString();
    }

    private void startDriver(final Endpoint.Context context)
    {
        synchronized (driverLock)
        {
            if (null == driver && !isDriverOver)
            {
                driver = EmbeddedDriver.start(directory, context.livenessTimeoutNs(), context.errorHandler());
            }
        }
    }

    /**
     * Start the driver that another process of this node has asked for; by the leader, on its bridge's thread.
     */
    private void serveDriver(final Endpoint.Context context)
    {
        if (EmbeddedDriver.isWanted(control()))
        {
            startDriver(context);
        }
    }

    private void closeDriver()
    {
        synchronized (driverLock)
        {
            isDriverOver = true;
            CloseHelper.close(driver);
        }
    }

    private void awaitDriver()
    {
        final Control control = control();
        control.requestDriver();
        final long deadlineNs = System.nanoTime() + DRIVER_START_TIMEOUT_NS;
        while (DriverState.READY != control.driverState())
        {
            if (DriverState.FAILED == control.driverState())
            {
                throw new TransportException("the launcher could not start a media driver: " + control.driverMessage());
            }

            if (control.isFailed())
            {
                throw new TransportException("the job failed while it started: " + control.failure().message());
            }

            if (System.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException("the launcher started no media driver within " +
                    TimeUnit.NANOSECONDS.toSeconds(DRIVER_START_TIMEOUT_NS) +
                    " s; set the property aeroshmem.aeron.dir to use one of your own");
            }
            Thread.yield();
        }
    }

    /**
     * Let the background thread serve an engine.
     */
    synchronized void serve(final Engine engine, final Endpoint.Context context)
    {
        if (null == agent)
        {
            agent = new ProgressAgent();
            agentRunner = new AgentRunner(
                context.idleStrategySupplier().get(), context.errorHandler(), null, agent);
            AgentRunner.startOnThread(agentRunner, (task) -> Threads.daemon(context.threadFactory().newThread(task)));
        }
        agent.add(engine);
    }

    synchronized void serveNoMore(final Engine engine)
    {
        if (null != agent)
        {
            agent.remove(engine);
        }
    }

    /**
     * Count one PE less. The last one closes everything, whatever goes wrong with one part. The creator of the job's
     * directory removes it when the other processes of the node have left it too; where the creator is dead, the last
     * to leave does.
     */
    synchronized void leave()
    {
        if (0 == --entered)
        {
            isOver = true;
            isLeaving = true;
            try
            {
                CloseHelper.closeAll(
                    agentRunner,
                    this::tellConnection,
                    connection,
                    this::awaitOthers,
                    this::leaveRendezvous,
                    this::keepFailure,
                    this::closeDriver,
                    liveness,
                    () -> CloseHelper.closeAll(segmentByPe.values()),
                    lock,
                    directory.isCreator() ? directory::delete : this::removeAfterCreator,
                    directory);
            }
            finally
            {
                segmentByPe.clear();
                removeShutdownHook();
                isLeaving = false;
            }
        }
    }

    /**
     * The liveness thread may not have come to tell of a failure that others found.
     */
    private void tellConnection()
    {
        final JobFailure what = control().failure();
        if (null != connection && null != what)
        {
            connection.onFailure(what);
        }
    }

    /**
     * A failure from before the bridge ran, or the lock took over, has been told to nobody elsewhere.
     */
    private void leaveRendezvous()
    {
        if (null != rendezvous)
        {
            final JobFailure what = control().failure();
            if (null != what)
            {
                rendezvous.giveUp(what.message());
            }
            rendezvous.close();
        }
    }

    private void keepFailure()
    {
        failure = control().failure();
    }

    /**
     * The other processes of this node use the leader's driver and directory until they have left: each lets go of its
     * lock when its Aeron client is closed.
     */
    private void awaitOthers()
    {
        if (!isLeader())
        {
            return;
        }

        final long deadlineNs = System.nanoTime() + LEAVE_TIMEOUT_NS;
        for (final int pe : rendezvous.nodePes())
        {
            while (isUsing(pe) && !control().isFailed() && System.nanoTime() - deadlineNs < 0)
            {
                LockSupport.parkNanos(LEAVE_LOOK_NS);
            }
        }
    }

    private boolean isUsing(final int pe)
    {
        return pe != directory.control().creatorPe() &&
            (PePhase.CLOSED != control().phase(pe) || directory.isProcessAlive(control().lockName(pe)));
    }

    private void addShutdownHook()
    {
        try
        {
            Runtime.getRuntime().addShutdownHook(endOfJvm);
        }
        catch (final IllegalStateException ex)
        {
            throw new TransportException("a PE cannot be set up while its JVM ends", ex);
        }
    }

    private void removeShutdownHook()
    {
        try
        {
            Runtime.getRuntime().removeShutdownHook(endOfJvm);
        }
        catch (final IllegalStateException ex)
        {
            return; // the JVM is ending already, and the hook will find that nothing is left to do
        }
    }

    /**
     * The JVM ends, and its PEs have not left the job. What there is no need to close goes with the process; the files
     * do not. In an intact job nothing is taken down, as the program may be about to close its PEs in a hook of its
     * own: files are removed after all hooks, and it is marked what the others are to say of the PEs, should their
     * process end before they have left. A job that has failed nobody needs to leave, as after a global exit.
     */
    private void abandon()
    {
        CloseHelper.closeAll(errorHandler, this::markEnding, () -> directory.deleteOnExit(pes));
        if (isLeaving)
        {
            // By a thread that the end of the JVM may keep from coming so far: the one that ends it may be the liveness
            // thread, for whose end leaving waits.
            if (control().isFailed())
            {
                CloseHelper.closeAll(errorHandler, directory.isCreator() ? directory::delete : null);
            }
            return;
        }
        abandonUnlessLeft();
    }

    private void markEnding()
    {
        for (final int pe : pes)
        {
            control().ending(pe);
        }
    }

    private synchronized void abandonUnlessLeft()
    {
        if (!isOver && control().isFailed())
        {
            isOver = true;
            keepFailure();
            CloseHelper.closeAll(
                errorHandler,
                this::passFailureOn,
                lock,
                directory.isCreator() ? directory::delete : this::removeAfterCreator);
        }
    }

    /**
     * Two processes that leave together may each find a lock of the other: its own, or the one that cleaning takes.
     */
    private void removeAfterCreator()
    {
        if (null != failure && !directory.isCreatorAlive())
        {
            for (int i = 0; i < CLEAN_ATTEMPTS && !JobCleaner.clean(directory) && Files.exists(directory.path()); i++)
            {
                LockSupport.parkNanos(LEAVE_LOOK_NS);
            }
        }
    }
}
