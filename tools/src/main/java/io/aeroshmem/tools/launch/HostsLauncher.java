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

import io.aeroshmem.Info;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.AeroShmemCommand;
import io.aeroshmem.tools.CommandException;
import io.aeroshmem.tools.ExitCode;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.rendezvous.RendezvousServer;

import java.io.FileDescriptor;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Runs one job over several hosts: starts the launcher of each node there, see {@link NodeLauncher}, and keeps the
 * rendezvous at which they meet and through which each hears of what fails at another.
 * <p>
 * A launcher of a node starts, watches and ends its PEs by itself; this one only has to end the rendezvous, or to be
 * lost, for them all to end. It tells on the error stream what no launcher of a node could: that one was not started or
 * was lost.
 * <p>
 * {@link #close()} may be called from a shutdown hook while {@link #run()} is on another thread; the two meet in the
 * monitor of this object, under which processes are started and after whose closing none is.
 */
public final class HostsLauncher implements AutoCloseable
{
    private static final String SUBCOMMAND = "node";
    private static final long POLL_MS = 50;

    /** In which the launchers of nodes end their PEs and themselves. */
    private static final long NODES_END_MS = ChildProcesses.NOTICE_MS + ChildProcesses.GRACE_MS + 2_000;

    /** In which the rendezvous hears what the end of a process is due to. */
    private static final long CAUSE_MS = 1_000;

    /** For a launcher of a node to start, beside the time that it waits for the others. */
    private static final long START_NS = TimeUnit.SECONDS.toNanos(30);

    private static final int DISCARD_PORT = 9;
    private static final int COPY_LENGTH = 8192;

    private static final Set<ShmemProperty> NOT_FOR_PES = EnumSet.of(
        ShmemProperty.RENDEZVOUS, ShmemProperty.RENDEZVOUS_SECRET, ShmemProperty.RENDEZVOUS_INTERFACE);

    private final LaunchContext ctx;
    private final List<HostList.Node> nodes;
    private final RemoteShell shell;
    private final ChildProcesses children = new ChildProcesses();
    private final List<NodeProcess> processes = new ArrayList<>();
    private final List<NodeProcess> ended = new ArrayList<>();
    private final Set<NodeProcess> endedByForce = new HashSet<>();
    private RendezvousServer server;
    private volatile int endingCode = ExitCode.OK;
    private volatile boolean isClosing;
    private boolean isClosed;
    private boolean isStartFailed;
    private boolean isFailureSeen;
    private boolean isTimedOut;
    private boolean isTold;
    private volatile JobFailure ownFailure;

    /**
     * A launcher for one job; nothing is started yet.
     *
     * @param ctx   concluded here.
     * @param nodes hosts with their PEs, which are all of the job's.
     * @param shell leads to the hosts that are not this one.
     */
    private HostsLauncher(final LaunchContext ctx, final List<HostList.Node> nodes, final RemoteShell shell)
    {
        ctx.conclude();
        this.ctx = ctx;
        this.nodes = List.copyOf(nodes);
        this.shell = shell;
    }

    /**
     * Runs a job to its end, also when the process of the launcher is told to end meanwhile (Ctrl-C, SIGTERM): a
     * shutdown hook then ends the job on all hosts.
     *
     * @param ctx   what to run.
     * @param nodes hosts with their PEs, which are all of the job's.
     * @param shell leads to the hosts that are not this one.
     * @return 0, or the exit code of the PE that failed first, or the status of a global exit, or
     * {@link ExitCode#TIMEOUT}, or {@link ExitCode#FAILURE} if PEs could not be started or were lost.
     * @throws InterruptedException if the calling thread was interrupted.
     * @throws IOException          if a process cannot be started.
     */
    public static int launch(final LaunchContext ctx, final List<HostList.Node> nodes, final RemoteShell shell)
        throws InterruptedException, IOException
    {
        try (HostsLauncher launcher = new HostsLauncher(ctx, nodes, shell))
        {
            Runtime.getRuntime().addShutdownHook(new Thread(launcher::close, "end-of-launcher"));
            Signals.on("USR1", () -> ctx.say(
                "SIGUSR1 is for the launchers of the nodes (aeroshmem node), each of which describes its PEs"));
            Signals.onEnd(ctx, (exitCode) -> launcher.endingCode = exitCode);
            return launcher.run();
        }
    }

    private int run() throws InterruptedException, IOException
    {
        openServer(serverAddress());
        final long startNs = System.nanoTime();
        for (final HostList.Node node : nodes)
        {
            start(node);
        }
        while (ended.size() < nodes.size() && !isClosing)
        {
            final ChildProcess end = children.awaitEnd(POLL_MS);
            if (null != end)
            {
                onEnd(processes.get(end.number()));
            }
            onJobFailure();
            checkTime(System.nanoTime() - startNs);
            children.pressOn();
        }
        if (ExitCode.OK != endingCode)
        {
            return endingCode;
        }
        return isClosing ? ExitCode.FAILURE : conclude();
    }

    /**
     * Ends what is left of the job on all hosts. Idempotent, any thread.
     */
    @Override
    public void close()
    {
        isClosing = true;
        synchronized (this)
        {
            if (!isClosed)
            {
                isClosed = true;
                if (children.aliveCount() > 0)
                {
                    failJob("the launcher" + NodeJob.ENDING);
                    children.awaitAll(isJoined() ? NODES_END_MS : ChildProcesses.NOTICE_MS);
                    children.endAll();
                }
                children.awaitOutput();
                if (null != server)
                {
                    server.close();
                }
            }
        }
    }

    private synchronized void openServer(final InetAddress address)
    {
        if (!isClosing)
        {
            server = RendezvousServer.start(address, 0, (ex) -> ctx.say("rendezvous: " + ex.getMessage()));
        }
    }

    /**
     * The address by which the hosts reach this one: that from which this one reaches the first of them.
     */
    private InetAddress serverAddress()
    {
        if (null != ctx.rendezvousInterface())
        {
            return HostAddress.of(ctx.rendezvousInterface(), ShmemProperty.RENDEZVOUS_INTERFACE.propertyName());
        }
        for (final HostList.Node node : nodes)
        {
            if (!RemoteShell.isThisHost(node.host()))
            {
                return addressTowards(shell.addressOf(node.host()));
            }
        }
        return InetAddress.getLoopbackAddress();
    }

    private static InetAddress addressTowards(final String host)
    {
        try (DatagramSocket socket = new DatagramSocket())
        {
            // sends nothing; the kernel looks up the route
            socket.connect(new InetSocketAddress(InetAddress.getByName(host), DISCARD_PORT));
            final InetAddress local = socket.getLocalAddress();
            return local.isAnyLocalAddress() ? HostAddress.reachable() : local;
        }
        catch (final UnknownHostException | SocketException ex)
        {
            // the shell may know a way to it, or has the better message
            return HostAddress.reachable();
        }
    }

    private synchronized void start(final HostList.Node node) throws IOException
    {
        if (isClosing)
        {
            return;
        }
        final boolean isRemote = !RemoteShell.isThisHost(node.host());
        final ProcessBuilder builder =
            new ProcessBuilder(isRemote ? shell.command(node.host(), SUBCOMMAND) : localCommand());
        final Process process = startProcess(builder, node);
        final LineOutput prompts = node.has(0) ? ctx.lines() : null;
        final NodeErrors errors = new NodeErrors(
            process.getErrorStream(), ctx.lines().channel("", ctx.error()), prompts, (ex) -> onReadError(node, ex));
        final TaggedLines output = new TaggedLines(
            process.getInputStream(), ctx.lines().channel("", ctx.output()), prompts, (ex) -> onReadError(node, ex));
        final ChildProcess child = new ChildProcess(
            processes.size(), "the way to " + node.host(), process,
            thread(errors, "errors-of-" + node.host()), output.start("output-of-" + node.host()));
        processes.add(new NodeProcess(node, child, errors, isRemote));
        children.add(child);
        final NodeOrder order = NodeOrder.of(Info.name(), server.id().toBytes(), node, ctx, environment());
        thread(() -> feed(order, node, child), "input-of-" + node.host());
    }

    private Process startProcess(final ProcessBuilder builder, final HostList.Node node)
    {
        try
        {
            return builder.start();
        }
        catch (final IOException ex)
        {
            throw CommandException.failure(
                "cannot start " + node.peText() + " on " + node.host() + ": " + ex.getMessage());
        }
    }

    private static List<String> localCommand()
    {
        final List<String> command = JvmCommand.java();
        command.addAll(List.of("-cp", ClassPath.withLauncher(null), AeroShmemCommand.class.getName(), SUBCOMMAND));
        return command;
    }

    private static Map<String, String> environment()
    {
        final Map<String, String> environment = new TreeMap<>();
        for (final ShmemProperty property : ShmemProperty.values())
        {
            final String value = System.getenv(property.environmentName());
            if (null != value && !NOT_FOR_PES.contains(property))
            {
                environment.put(property.environmentName(), value);
            }
        }
        return environment;
    }

    /**
     * Gives the order, and then, where PE 0 is, what this process reads.
     */
    private void feed(final NodeOrder order, final HostList.Node node, final ChildProcess process)
    {
        boolean isOrdered = false;
        try (OutputStream output = process.input())
        {
            order.write(output);
            isOrdered = true;
            if (node.has(0) && !Terminal.isOfAnotherJob())
            {
                copy(new FileInputStream(FileDescriptor.in), output);
            }
        }
        catch (final IOException ex)
        {
            // PE 0 may end, or not want what is there; who has not even got the order has ended, and that is told
            if (!isOrdered && !process.isEnding())
            {
                ctx.say("cannot write to " + process.name() + ": " + ex.getMessage());
            }
        }
    }

    private static void copy(final InputStream input, final OutputStream output) throws IOException
    {
        final byte[] bytes = new byte[COPY_LENGTH];
        int read = input.read(bytes);
        while (read >= 0)
        {
            output.write(bytes, 0, read);
            output.flush();
            read = input.read(bytes);
        }
    }

    private void onReadError(final HostList.Node node, final IOException ex)
    {
        ctx.say("cannot read the output of " + node.peText() + " on " + node.host() + ": " + ex.getMessage());
    }

    private void onEnd(final NodeProcess end) throws InterruptedException
    {
        end.process().awaitOutput(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ChildProcesses.GRACE_MS));
        ended.add(end);
        if (Signals.INTERRUPTED == end.exitCode() && Signals.isSoon(() -> isClosing || ExitCode.OK != endingCode))
        {
            return;
        }
        if (children.isTerminated())
        {
            endedByForce.add(end);
        }
        if (!end.errors().isJoined())
        {
            isStartFailed = true;
            failJob(end.startFailure());
        }
        else if (ExitCode.OK != end.exitCode())
        {
            awaitCause();
            if (null == failure() && (!ctx.isKeepingGoing() || end.exitCode() >= ExitCode.SIGNAL_BASE))
            {
                failJob(end.loss());
            }
        }
    }

    private void awaitCause() throws InterruptedException
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(CAUSE_MS);
        while (null == failure() && !ctx.isKeepingGoing() && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(1));
            if (Thread.interrupted())
            {
                throw new InterruptedException("interrupted while the cause of a failure was awaited");
            }
        }
    }

    private void failJob(final String message)
    {
        if (null != server && null == failure())
        {
            final JobFailure failure = new JobFailure(JobFailure.Kind.LAUNCHER_DIED, -1, ExitCode.FAILURE, message);
            ownFailure = failure;
            server.fail(failure);
        }
    }

    /**
     * What the job failed with, also before the rendezvous has taken it over from here.
     */
    private JobFailure failure()
    {
        final JobFailure failure = server.failure();
        return null == failure ? ownFailure : failure;
    }

    /**
     * What a PE fails with is told, and the PEs are ended, by the launcher of its node and then by the others; this one
     * sees that they do.
     */
    private void onJobFailure()
    {
        final JobFailure failure = failure();
        if (isFailureSeen || null == failure)
        {
            return;
        }
        isFailureSeen = true;
        final boolean isJoined = isJoined();
        if (JobFailure.Kind.LAUNCHER_DIED == failure.kind() && isJoined)
        {
            isTold = true;
            ctx.say(failure.message() + "; ending the job");
        }
        if (!ctx.isKeepingGoing() ||
            JobFailure.Kind.LAUNCHER_DIED == failure.kind() || JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            children.endAfter(isJoined ? NODES_END_MS : ChildProcesses.NOTICE_MS, ChildProcesses.GRACE_MS);
        }
    }

    private boolean isJoined()
    {
        return processes.stream().allMatch((process) -> process.errors().isJoined());
    }

    private void checkTime(final long elapsedNs)
    {
        if (null != failure())
        {
            return;
        }
        if (null != ctx.timeout() && elapsedNs >= ctx.timeout().toNanos())
        {
            isTimedOut = true;
            failJob("the job did not end within " + ctx.timeoutText() + " " + NodeJob.TIMEOUT_OPTION);
        }
        else if (elapsedNs >= ctx.joinTimeoutNs() + START_NS)
        {
            for (final NodeProcess process : processes)
            {
                if (!process.errors().isJoined() && !isTold)
                {
                    isTold = true;
                    final String message = "the launcher on " + process.node().host() +
                        " did not join the job within " + TimeUnit.NANOSECONDS.toSeconds(elapsedNs) + " s";
                    ctx.say(message);
                    failJob(message);
                }
            }
        }
    }

    /**
     * Says what no launcher of a node has said, and settles the exit code.
     */
    private int conclude()
    {
        final JobFailure failure = failure();
        if (isTimedOut)
        {
            return ExitCode.TIMEOUT;
        }
        if (isStartFailed)
        {
            return onStartFailure(failure);
        }
        if (null == failure)
        {
            return firstFailure();
        }
        if (JobFailure.Kind.GLOBAL_EXIT == failure.kind())
        {
            return JobFailure.exitCode(failure.status());
        }
        for (final NodeProcess process : ended)
        {
            if (process.node().has(failure.pe()) &&
                !process.isCut(failure.status()) && !endedByForce.contains(process))
            {
                return ExitCode.OK == process.exitCode() ? firstFailure() : process.exitCode();
            }
        }
        if (!isTold)
        {
            ctx.say(failure.message());
        }
        return ExitCode.FAILURE;
    }

    private int firstFailure()
    {
        return ended.stream().mapToInt(NodeProcess::exitCode).filter((code) -> ExitCode.OK != code)
            .findFirst().orElse(ExitCode.OK);
    }

    /**
     * One node that could not be started fails the others, whose complaints then repeat why.
     */
    private int onStartFailure(final JobFailure failure)
    {
        if (isTold)
        {
            return ExitCode.FAILURE;
        }
        for (final NodeProcess process : ended)
        {
            if (!process.errors().isJoined() && !process.errors().complaint().contains(failure.message()))
            {
                ctx.say(process.startFailure());
                return ExitCode.USAGE == process.exitCode() ? ExitCode.USAGE : ExitCode.FAILURE;
            }
        }
        ctx.say(failure.message());
        return ExitCode.FAILURE;
    }

    private static Thread thread(final Runnable task, final String name)
    {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }
}
