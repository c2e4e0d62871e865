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
import io.aeroshmem.tools.ExitCode;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.Node;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLog;
import io.aeroshmem.transport.rendezvous.Hello;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import io.aeroshmem.transport.rendezvous.RendezvousId;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/**
 * Runs the PEs that a job of several nodes has on this one, as the launcher of the job has ordered: meets the other
 * launchers at the rendezvous, makes the job's directory here and keeps its control file in step with those of the
 * others, and starts, watches and ends the PEs like any launcher. What fails elsewhere ends them, and the other way
 * round; so does the loss of the rendezvous, which is in the launcher of the job.
 * <p>
 * Two hosts of the list may turn out to be one node. The launcher that the rendezvous has not appointed its leader then
 * starts its PEs in the leader's directory.
 * <p>
 * {@link #close()} may be called from a shutdown hook while {@link #run()} is on another thread; the two meet in the
 * monitor of this object, under which each part is made, and after whose closing none is.
 */
public final class NodeLauncher implements AutoCloseable
{
    private static final long WATCH_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long CLOSING_POLL_NS = TimeUnit.MILLISECONDS.toNanos(5);

    private final LaunchContext ctx;
    private final NodeOrder order;
    private final HostList.Node node;
    private RendezvousClient client;
    private JobDirectory directory;
    private NodeJob job;
    private boolean isClosed;

    /**
     * A launcher of the PEs of one node; nothing is started yet.
     *
     * @param ctx   concluded here.
     * @param order of the launcher of the job.
     */
    private NodeLauncher(final LaunchContext ctx, final NodeOrder order)
    {
        ctx.conclude();
        this.ctx = ctx;
        this.order = order;
        this.node = order.node();
    }

    /**
     * Runs the PEs of this node to their end, also when this process is told to end meanwhile.
     *
     * @param ctx   what to run.
     * @param order of the launcher of the job.
     * @return the exit code: that of the first PE here that had a nonzero one, or the status of a global exit.
     * @throws InterruptedException if the calling thread was interrupted.
     * @throws IOException          if a process cannot be started, or the launcher of the job is gone.
     */
    public static int launch(final LaunchContext ctx, final NodeOrder order) throws InterruptedException, IOException
    {
        try (NodeLauncher launcher = new NodeLauncher(ctx, order))
        {
            Runtime.getRuntime().addShutdownHook(new Thread(launcher::close, "end-of-launcher"));
            Signals.on("USR1", launcher::describe);
            return launcher.run();
        }
    }

    private int run() throws InterruptedException, IOException
    {
        final RendezvousId id = RendezvousId.fromBytes(order.id());
        JobCleaner.clean(ctx.root());
        final RendezvousClient joined = join(id);
        final NodeJob opened = open(joined, joined.isLeader() ? null : joined.awaitDirectory());
        if (null == opened)
        {
            return ExitCode.FAILURE;
        }
        ctx.error().print(NodeErrors.JOINED);
        ctx.error().flush();
        final int exitCode = opened.run();
        if (ExitCode.OK == exitCode)
        {
            awaitOthersHere(joined, opened.control());
        }
        return exitCode;
    }

    /**
     * Prints what each PE is doing.
     */
    private void describe()
    {
        final String lines;
        synchronized (this)
        {
            lines = null == job ? "" : job.describe();
        }
        if (!lines.isEmpty())
        {
            ctx.lines().own(lines, ctx.error());
        }
    }

    /**
     * Ends what is left of the PEs, tells the other nodes and removes the directory. Idempotent, any thread.
     */
    @Override
    public synchronized void close()
    {
        isClosed = true;
        if (null != job)
        {
            job.close();
            job = null;
        }
        if (null != client)
        {
            client.close();
            client = null;
        }
        if (null != directory)
        {
            if (directory.isCreator())
            {
                directory.delete();
            }
            directory.close();
            directory = null;
        }
    }

    /**
     * Joins, unless the launcher of the job ends before: the rendezvous, which would tell, may then never have been
     * reached. That launcher holds the other end of the standard error.
     */
    private RendezvousClient join(final RendezvousId id)
    {
        final AtomicReference<Thread> joining = new AtomicReference<>(Thread.currentThread());
        thread(() -> watchLauncher(joining)).start();
        try
        {
            return RendezvousClient.join(id, hello());
        }
        finally
        {
            // nothing is written, and nobody interrupted, after that
            synchronized (joining)
            {
                joining.set(null);
            }
        }
    }

    private static void watchLauncher(final AtomicReference<Thread> joining)
    {
        // not closed: it is the descriptor of the process
        final FileOutputStream error = new FileOutputStream(FileDescriptor.err);
        while (null != joining.get())
        {
            synchronized (joining)
            {
                if (null != joining.get() && !isRead(error))
                {
                    joining.getAndSet(null).interrupt();
                }
            }
            LockSupport.parkNanos(WATCH_NS);
        }
    }

    private static boolean isRead(final FileOutputStream error)
    {
        try
        {
            error.write(NodeErrors.ALIVE);
            return true;
        }
        catch (final IOException ex)
        {
            // the other end is gone, and with it whoever could be told
            return false;
        }
    }

    /**
     * PEs of another launcher may be in the directory, and use the driver, of this one.
     */
    private void awaitOthersHere(final RendezvousClient joined, final Control control)
    {
        for (final int pe : joined.nodePes())
        {
            while (control.phase(pe) > PePhase.ABSENT && control.phase(pe) < PePhase.CLOSED && !control.isFailed() &&
                !Thread.currentThread().isInterrupted())
            {
                LockSupport.parkNanos(CLOSING_POLL_NS);
            }
        }
    }

    private Hello hello()
    {
        final ProcessIdentity self = ProcessIdentity.current();
        return new Hello(
            IntStream.range(node.firstPe(), node.firstPe() + node.peCount()).toArray(),
            ctx.nPes(),
            true,
            HostName.local(),
            Node.key(ctx.root(), ctx.nodeName()),
            self.pid(),
            self.startTime(),
            ProcessLog.current(),
            ctx.joinTimeoutNs(),
            ctx.livenessTimeoutNs());
    }

    private synchronized NodeJob open(final RendezvousClient joined, final Path directoryOfLeader)
    {
        client = joined;
        if (isClosed)
        {
            // told to end while joining
            close();
            return null;
        }
        if (null == directoryOfLeader)
        {
            directory = createDirectory(joined);
            joined.directory(directory.path());
            joined.bridge(
                directory.control(),
                () -> {},
                NodeLauncher::thread,
                (ex) -> ctx.say("rendezvous: " + ex.getMessage()));
        }
        else
        {
            directory = JobDirectory.open(directoryOfLeader);
        }
        job = new NodeJob(ctx, directory, node.firstPe(), node.peCount(), node.host(), environment(joined));
        return job;
    }

    private JobDirectory createDirectory(final RendezvousClient joined)
    {
        try
        {
            return JobDirectory.create(ctx.root(), ctx.nPes(), joined.token(), JobDirectory.NO_PE);
        }
        catch (final TransportException ex)
        {
            joined.giveUp(ex.getMessage());
            throw ex;
        }
    }

    /**
     * What is set on this host counts; besides, PEs of several nodes are to listen where the others reach this one.
     */
    private Map<String, String> environment(final RendezvousClient joined)
    {
        final Map<String, String> environment = new HashMap<>(order.environment());
        if (!joined.isSingleNode())
        {
            environment.putIfAbsent(ShmemProperty.UDP_INTERFACE.environmentName(), joined.localAddress());
        }
        environment.keySet().removeAll(System.getenv().keySet());
        return environment;
    }

    private static Thread thread(final Runnable task)
    {
        final Thread thread = new Thread(task, "rendezvous");
        thread.setDaemon(true);
        return thread;
    }
}
