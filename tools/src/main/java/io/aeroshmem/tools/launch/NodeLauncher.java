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
package io.aeroshmem.tools.launch;

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.lifecycle.Recoveries;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.CommandFile;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.Node;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLog;
import io.aeroshmem.transport.job.RecoveryDirectory;
import io.aeroshmem.transport.job.RetainedHeaps;
import io.aeroshmem.transport.rendezvous.JoinRequest;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import org.agrona.CloseHelper;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Launcher of the PEs of this node in a job on several nodes. {@link HostsLauncher}, the launcher of the job, starts
 * one for each host. It joins the others at the rendezvous and creates the job directory of its node, whose control
 * file it keeps consistent with those of the other nodes. {@link NodeJob} starts, monitors and ends the PEs.
 * <p>
 * Unless {@code --keep-going} is set, a failure on another node ends the PEs here, and a failure here ends the PEs of
 * the other nodes. The loss of the rendezvous, which runs in the launcher of the job, also ends the PEs here.
 * <p>
 * Several hosts of the job's {@link HostList} may be the same node. The rendezvous then appoints one of their node
 * launchers as the leader of the node. The others create no job directory; their PEs use that of the leader.
 */
public final class NodeLauncher extends GenerationsLauncher
{
    private static final long SIGN_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CLOSING_POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);

    /** Time in which the PEs of the other nodes end, and the launcher of the job delays the next generation. */
    private static final long RECOVERY_NS =
        TimeUnit.MILLISECONDS.toNanos(HostsStateMachine.NODES_END_MS) + Recoveries.MAX_DELAY_NS;

    /*
     * In a recoverable job a node launcher keeps its RecoveryDirectory, and joins each generation at the same
     * rendezvous, when the PEs of the one before have ended, or with REPLACE those that are lost. The launcher of the
     * job decides whether there is a next one. With RESTART each generation has a NodeJob, with REPLACE all have one.
     * The leader of a node keeps spare processes, and takes commands for its PEs.
     */
    private final NodeLaunchSpec spec;
    /** The PEs here, by their numbers in the last generation. With SHRINK they change. */
    private HostList.Node node;
    /** Those of them that are in the next generation. */
    private int[] pes;
    private RendezvousClient client;
    /** The control file of the last generation, or null. */
    private ControlFile last;

    /** Creates a launcher of the PEs of one node, which concludes {@code ctx}; nothing is started yet. */
    private NodeLauncher(final LaunchContext ctx, final NodeLaunchSpec spec)
    {
        super(ctx);
        this.spec = spec;
        this.node = spec.node();
        pes = node.pes();
        ctx.conclude(node.firstPe(), node.peCount());
    }

    /**
     * Runs the PEs of this node until they end, and ends them if a signal ends this process. Returns the first nonzero
     * exit code of a PE here in the last generation, or the status of a global exit.
     */
    public static int launch(final LaunchContext ctx, final NodeLaunchSpec spec)
        throws InterruptedException, IOException
    {
        try (NodeLauncher launcher = new NodeLauncher(ctx, spec))
        {
            launcher.addHooks();
            return launcher.run();
        }
    }

    private int run() throws InterruptedException, IOException
    {
        final RendezvousId id = RendezvousId.fromBytes(spec.id());
        JobCleaner.clean(ctx.root(), (ex) -> ctx.report(ex.getMessage()));
        int exitCode = ExitCode.FAILURE;
        NodeJob opened = joinAndOpen(id, ctx.joinTimeoutNs(), new byte[]{NodeStderr.ALIVE});
        while (null != opened)
        {
            mark(NodeStderr.JOINED);
            exitCode = opened.run();
            final boolean isFollowed = null != opened.recoverable();
            if (!isFollowed && ExitCode.OK == exitCode)
            {
                awaitOthersHere(opened.control());
            }

            if (isFollowed)
            {
                opened.undoReplacement(opened.recoverable());
            }

            pes = isFollowed ? opened.nextPes() : pes;
            final boolean isLeft = 0 != pes.length;
            if (!isLeft)
            {
                mark(waiting());
            }

            final NodeJob next = isFollowed && isLeft ? openNext(id) : null;
            if (isFollowed && isLeft && null == next && ctx.isReplacing() && !isClosed())
            {
                exitCode = opened.endLast();
            }

            opened = next;
        }

        if (!isClosed() && isCutOff())
        {
            // a launcher that ends the job itself gives an exit code
            if (last.failure().status() < 0)
            {
                sayCutOff(last.failure().message());
            }
        }
        else if (!isClosed())
        {
            ctx.lines().own(NodeStderr.ENDED, ctx.error());
        }

        return ctx.exitCode(exitCode);
    }

    /** Says why the job does not go on here, also in the files of the PEs: nobody may read the standard error. */
    private void sayCutOff(final String reason)
    {
        final String line = "lost the launcher of the job: " + reason + "; ending " + node.peText() + " here, as a " +
            "job goes on only where its launcher is";
        // files have the numbers of the first generation
        final HostList.Node first = spec.node();
        for (int pe = first.firstPe(); pe < first.firstPe() + first.peCount() && null != ctx.logDirectory(); pe++)
        {
            PeLog.append(ctx.logDirectory(), pe, "aeroshmem: " + line);
        }

        ctx.report(line);
    }

    /** Returns whether the PEs have ended because the launcher of a recoverable job could not be reached. */
    private boolean isCutOff()
    {
        return ctx.isRecovering() && null != last && null != last.failure() &&
            JobFailure.Kind.LAUNCHER_DIED == last.failure().kind();
    }

    /** Joins the next generation, and opens it; null if there is none, or if this launcher is closed before. */
    private NodeJob openNext(final RendezvousId id) throws InterruptedException
    {
        while (true)
        {
            leaveGeneration();
            mark(waiting());
            try
            {
                return joinAndOpen(
                    id, ctx.joinTimeoutNs() + RECOVERY_NS, (waiting() + '\n').getBytes(StandardCharsets.US_ASCII));
            }
            catch (final JobFailureException ex)
            {
                // a generation that has failed before all nodes have joined is followed by another, too
                if (ex.failure().endsJob())
                {
                    return null;
                }
            }
            catch (final TransportException ex)
            {
                if (!isClosed())
                {
                    sayCutOff(ex.getMessage());
                }

                throw ex;
            }
        }
    }

    private String waiting()
    {
        if (!ctx.isShrinking())
        {
            return NodeStderr.WAITING;
        }

        final BitSet left = new BitSet();
        Arrays.stream(firstNumbers()).forEach(left::set);
        return NodeStderr.waiting(left);
    }

    /** Returns the numbers in generation 0 of the PEs here that are in the next one; so their memory is known, too. */
    private int[] firstNumbers()
    {
        return null == last ? pes : Arrays.stream(pes).map(last::memory).toArray();
    }

    /**
     * Joins a generation and opens it, unless the launcher of the job ends before this one has joined: the rendezvous,
     * which would report that, may not have been reached yet. Until the generation is open, this launcher repeats its
     * sign: to open it may have to wait, for room or for the leader of the node.
     */
    private NodeJob joinAndOpen(final RendezvousId id, final long timeoutNs, final byte[] sign)
        throws InterruptedException
    {
        try (SignOfLife life = new SignOfLife(sign))
        {
            thread(life::run).start();
            final RendezvousClient joined = RendezvousClient.join(id, joinRequest(timeoutNs));
            life.onJoined();
            return open(joined, joined.isLeader() ? null : joined.awaitDirectory());
        }
    }

    private void mark(final String mark)
    {
        ctx.error().print(mark + '\n');
        ctx.error().flush();
    }

    private synchronized boolean isClosed()
    {
        return isClosed;
    }

    /** Leaves the generation that has failed. The PEs of one that is followed with REPLACE join the next. */
    private synchronized void leaveGeneration()
    {
        if (ctx.isReplacing())
        {
            leaveRendezvous();
        }
        else
        {
            closeGeneration();
        }
    }

    private void leaveRendezvous()
    {
        CloseHelper.close(client);
        client = null;
    }

    @Override
    synchronized void closeGeneration()
    {
        CloseHelper.close(job);

        leaveRendezvous();
        if (null != directory)
        {
            if (directory.isCreator())
            {
                directory.delete();
            }

            directory.close();
            directory = null;
        }

        if (null != job)
        {
            job.printRest();
            job = null;
        }
    }

    /** Waits for the PEs of other launchers of this node, which may use the directory and the driver of this one. */
    private void awaitOthersHere(final ControlFile control)
    {
        for (final int pe : client.nodePes())
        {
            while (control.phase(pe) > PePhase.ABSENT && !PePhase.hasLeft(control.phase(pe)) && !control.isFailed() &&
                !Thread.currentThread().isInterrupted())
            {
                LockSupport.parkNanos(CLOSING_POLL_NS);
            }
        }
    }

    private JoinRequest joinRequest(final long timeoutNs)
    {
        final ProcessIdentity self = ProcessIdentity.current();
        return new JoinRequest(
            firstNumbers(),
            null == last ? ctx.nPes() : last.firstNPes(),
            true,
            HostName.local(),
            Node.key(ctx.root(), ctx.nodeName()),
            self.pid(),
            self.startTime(),
            ProcessLog.current(),
            timeoutNs,
            ctx.livenessTimeoutNs(),
            null == last ? PreviousGeneration.NONE : new PreviousGeneration(
            last.generation(), null == recoveryDirectory ? -1 : last.generation(), last.failure()));
    }

    private synchronized NodeJob open(final RendezvousClient joined, final Path directoryOfLeader)
        throws InterruptedException
    {
        client = joined;
        final int[] members = joined.members();
        if (0 != members.length)
        {
            final int[] numbers = joined.pes();
            node = new HostList.Node(node.host(), numbers[0], numbers.length);
            ctx.shrink(members.length);
        }

        final JobDirectory next = isClosed ? null :
            null == directoryOfLeader ? createDirectory(joined) : JobDirectory.open(directoryOfLeader);
        if (null == next)
        {
            // closed while joining
            close();
            return null;
        }

        if (null == last && joined.previous().number() >= 0)
        {
            removeMemory(next);
        }

        if (null == job)
        {
            directory = next;
            final Map<String, String> environment = environment(joined);
            if (null == spares && null != recoveryDirectory)
            {
                spares = Spares.of(ctx, recoveryDirectory.path(), environment, node.host(), startNs);
            }

            job = new NodeJob(
                ctx, next, node.firstPe(), node.peCount(), node.host(), environment, spares, commands, startNs);
        }
        else if (0 == members.length)
        {
            job.begin(next);
        }
        else
        {
            job.begin(next, node.firstPe(), pes);
            pes = node.pes();
        }

        last = next.control();
        if (next.isCreator())
        {
            joined.directory(next.path());
            joined.replicate(
                last,
                () -> {},
                NodeLauncher::thread,
                (ex) -> ctx.report("rendezvous: " + ex.getMessage()));
        }

        return job;
    }

    /**
     * Removes what another launcher here has left of these PEs, as they have been lost with it: their processes may
     * still write to it.
     */
    private void removeMemory(final JobDirectory next)
    {
        final RetainedHeaps heaps = new RetainedHeaps(recoveryPath(next));
        Arrays.stream(node.pes()).map(next.control()::memory).forEach(heaps::remove);
    }

    /** Returns null if this launcher is closed before. */
    private JobDirectory createDirectory(final RendezvousClient joined) throws InterruptedException
    {
        try
        {
            if (ctx.isRecovering() && null == recoveryDirectory)
            {
                recoveryDirectory = RecoveryDirectory.create(ctx.root(), recoveryId(), ctx.retainTimeoutNs());
                commands = CommandFile.create(recoveryDirectory.path());
            }

            // the PEs of the other nodes wait for these, no longer than the join time-out
            final JobDirectory created = JobDirectory.createNext(
                ctx.root(), ctx.nPes(), joined.token(), null == last ? 0 : ctx.joinTimeoutNs() / 2, this::awaitRoom);
            if (null != created)
            {
                publish(joined, created.control());
            }

            return created;
        }
        catch (final TransportException ex)
        {
            joined.withdraw(ex.getMessage());
            throw ex;
        }
    }

    private void publish(final RendezvousClient joined, final ControlFile next)
    {
        final int[] members = joined.members();
        if (0 != members.length)
        {
            final int[] previousPes = IntStream.range(0, last.nPes())
                .filter((pe) -> Arrays.binarySearch(members, last.memory(pe)) >= 0).toArray();
            next.renumber(last, previousPes);
            new RetainedHeaps(recoveryDirectory.path()).removeAllBut(last, previousPes);
        }

        joined.previous().publish(next);
        if (null != last)
        {
            next.follow(last);
        }
    }

    /** Called with the monitor, as a {@link JobDirectory.Retry}. */
    private boolean awaitRoom(final TransportException ex, final long delayNs) throws InterruptedException
    {
        ctx.report(JobDirectory.Retry.line(ex, delayNs));
        return waitUntil(System.nanoTime() + delayNs);
    }

    /**
     * Returns the variables of the PEs. Those set on this host take precedence; PEs on several nodes listen on the
     * address at which the others reach this one. All launchers of this node use the directory of its leader.
     */
    private Map<String, String> environment(final RendezvousClient joined)
    {
        final Map<String, String> environment = new HashMap<>(spec.environment());
        if (!joined.isSingleNode())
        {
            environment.putIfAbsent(ShmemProperty.UDP_INTERFACE.environmentName(), joined.localAddress());
        }

        environment.keySet().removeAll(System.getenv().keySet());
        if (ctx.isRecovering())
        {
            environment.put(ShmemProperty.RECOVERY_DIRECTORY.environmentName(), recoveryPath(directory).toString());
        }

        return environment;
    }

    /** Returns the directory of the recoverable job, which the leader of this node keeps. */
    private Path recoveryPath(final JobDirectory generation)
    {
        return null != recoveryDirectory ? recoveryDirectory.path() :
            generation.path().resolveSibling(RecoveryDirectory.name(recoveryId()));
    }

    private String recoveryId()
    {
        return RendezvousId.fromBytes(spec.id()).recoveryId(ctx.nodeName());
    }

    private static Thread thread(final Runnable task)
    {
        final Thread thread = new Thread(task, "rendezvous");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Writes repeatedly to the standard error, whose other end the launcher of the job holds. If nobody reads it, the
     * thread that joins is interrupted. After {@link #close()} nothing is written.
     */
    private static final class SignOfLife implements AutoCloseable
    {
        // not closed: it is the descriptor of the process
        private final FileOutputStream error = new FileOutputStream(FileDescriptor.err);
        private final byte[] sign;
        private Thread joining = Thread.currentThread();
        private boolean isClosed;

        private SignOfLife(final byte[] sign)
        {
            this.sign = sign;
        }

        private void run()
        {
            while (write())
            {
                LockSupport.parkNanos(SIGN_NS);
            }
        }

        private synchronized boolean write()
        {
            try
            {
                if (!isClosed)
                {
                    error.write(sign);
                }
            }
            catch (final IOException ex)
            {
                // the other end is closed, and nothing can be reported
                isClosed = true;
                if (null != joining)
                {
                    joining.interrupt();
                }
            }

            return !isClosed;
        }

        /** From now on the rendezvous reports the end of the launcher. */
        private synchronized void onJoined()
        {
            joining = null;
        }

        @Override
        public synchronized void close()
        {
            joining = null;
            isClosed = true;
        }
    }
}
