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
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.rendezvous.RendezvousServer;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

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
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * Launcher of one job on several hosts. It starts a {@link NodeLauncher} for each host. It also runs the
 * {@linkplain RendezvousServer rendezvous}, at which these join, and through which each receives the failures of the
 * others.
 * <p>
 * A node launcher starts, monitors and ends its PEs itself. If the rendezvous is closed or this launcher ends, all node
 * launchers end their PEs. {@link HostsStateMachine} decides what this launcher reports, when it ends the job, and the
 * exit code.
 * <p>
 * In a recoverable job the node launchers stay: when the PEs of a generation have ended, or with REPLACE the lost ones,
 * they join the next one at the server of that generation, which this launcher starts on the port of the previous one.
 * The PEs of a host that is lost get another node launcher, on one of the other hosts, or are gone with SHRINK.
 */
public final class HostsLauncher implements AutoCloseable
{
    private static final String SUBCOMMAND = "node";
    private static final int DISCARD_PORT = 9;
    private static final int COPY_LENGTH = 8192;

    private static final Set<ShmemProperty> NOT_FOR_PES = EnumSet.of(
        ShmemProperty.RENDEZVOUS, ShmemProperty.RENDEZVOUS_SECRET, ShmemProperty.RENDEZVOUS_INTERFACE);

    /*
     * close() may be called from a shutdown hook while another thread is in run(). Closing and each start of a process
     * synchronise on this object, so no process is started after closing.
     */
    private final LaunchContext ctx;
    private final List<HostList.Node> nodes;
    private final RemoteShell shell;
    private final ChildProcesses children = new ChildProcesses();
    private final List<NodeProcess> processes = new ArrayList<>();
    private final HostsStateMachine machine;
    private RendezvousServer server;
    private boolean isClosed;

    /**
     * Creates a launcher of one job, which concludes {@code ctx}. The nodes have all PEs of the job; the shell reaches
     * those that are not this host.
     */
    private HostsLauncher(final LaunchContext ctx, final List<HostList.Node> nodes, final RemoteShell shell)
    {
        ctx.conclude();
        this.ctx = ctx;
        this.nodes = List.copyOf(nodes);
        this.shell = shell;
        machine = new HostsStateMachine(ctx, this.nodes, System.nanoTime(), new JobActions());
    }

    /**
     * Runs a job to its end. If SIGINT or SIGTERM ends this process meanwhile, a shutdown hook ends the job on all
     * hosts. Returns 0, or the exit code of the PE that the job failed with, or the status of a global exit, or
     * {@link ExitCode#TIMEOUT}, or {@link ExitCode#FAILURE} if PEs could not be started or were lost.
     */
    public static int launch(final LaunchContext ctx, final List<HostList.Node> nodes, final RemoteShell shell)
        throws InterruptedException, IOException
    {
        try (HostsLauncher launcher = new HostsLauncher(ctx, nodes, shell))
        {
            Runtime.getRuntime().addShutdownHook(new Thread(launcher::close, "end-of-launcher"));
            Signals.on("USR1", () -> ctx.report(
                "send SIGUSR1 to the launcher of a node (aeroshmem node), which describes its PEs"));
            Signals.onEnd(ctx, launcher.machine::onSignal);
            return launcher.run();
        }
    }

    private int run() throws InterruptedException, IOException
    {
        openServer(serverAddress());
        for (int i = 0; i < nodes.size(); i++)
        {
            start(i, nodes.get(i), true);
        }
        while (!machine.isOver())
        {
            final ChildProcess end = children.awaitEnd(machine.pollMs());
            if (null != end)
            {
                end.awaitOutput(System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ChildProcesses.GRACE_MS));
            }

            machine.onJob(server.failure(), joined());
            // in this order, as what a node says of its PEs comes with the first mark
            final int[] marks = waitingMarks();
            machine.onLeft(processes.stream().map((process) -> process.stderr().left()).toArray(BitSet[]::new));
            machine.onWaiting(System.nanoTime(), marks);
            if (null != end)
            {
                machine.onEnd(
                    System.nanoTime(), processes.get(end.number()).end(machine.node(end.number())));
            }

            machine.tick(System.nanoTime());
        }

        return machine.conclude();
    }

    private boolean[] joined()
    {
        final boolean[] joined = new boolean[nodes.size()];
        for (int i = 0; i < processes.size(); i++)
        {
            joined[i] = processes.get(i).stderr().isJoined();
        }

        return joined;
    }

    private int[] waitingMarks()
    {
        final int[] marks = new int[nodes.size()];
        for (int i = 0; i < processes.size(); i++)
        {
            marks[i] = processes.get(i).stderr().waitingMarks();
        }

        return marks;
    }

    /** Ends the job on all hosts. Idempotent; may be called by any thread. */
    @Override
    public void close()
    {
        machine.onClosing();
        synchronized (this)
        {
            if (!isClosed)
            {
                isClosed = true;
                if (children.isAnyAlive())
                {
                    machine.onClose();
                    children.awaitAll(isJoined() ? HostsStateMachine.NODES_END_MS : ChildProcesses.NOTICE_MS);
                    children.endAll();
                }

                children.awaitOutput();
                CloseHelper.close(server);
            }
        }
    }

    private synchronized void openServer(final InetAddress address)
    {
        if (!machine.isClosing())
        {
            final ErrorHandler errorHandler = (ex) -> ctx.report("rendezvous: " + ex.getMessage());
            server = ctx.isRecovering() ?
                RendezvousServer.startRecoverable(address, 0, errorHandler) :
                RendezvousServer.start(address, 0, errorHandler);
        }
    }

    private synchronized void startGeneration(final PreviousGeneration previous, final int... members)
    {
        if (!machine.isClosing())
        {
            server = server.next(previous, members);
        }
    }

    /** Node launchers that wait for the next generation receive the failure as that of the next generation. */
    private synchronized void fail(final JobFailure failure)
    {
        final JobFailure last = server.failure();
        if (ctx.isRecovering() && null != last && !last.endsJob())
        {
            server = server.next(PreviousGeneration.NONE);
        }

        server.fail(failure);
    }

    /** Returns the address of the rendezvous: the one from which this host reaches the first of the others. */
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
            // sends nothing, only resolves the route
            socket.connect(new InetSocketAddress(InetAddress.getByName(host), DISCARD_PORT));
            final InetAddress local = socket.getLocalAddress();
            return local.isAnyLocalAddress() ? HostAddress.reachable() : local;
        }
        catch (final UnknownHostException | SocketException ex)
        {
            // the shell may resolve the host, or reports the better message
            return HostAddress.reachable();
        }
    }

    private void start(final int number, final HostList.Node node, final boolean hasInput)
    {
        final boolean isRemote = !RemoteShell.isThisHost(node.host());
        final ProcessBuilder builder =
            new ProcessBuilder(isRemote ? shell.command(node.host(), SUBCOMMAND) : localCommand());
        final Process process = start(number, node, builder, isRemote, hasInput);
        if (null != process && ctx.isVerbose())
        {
            // without the monitor, which close() needs: the output may not be read
            ctx.report("launcher of " + node.peText() + " on " + node.host() + " (pid " + process.pid() + "): " +
                String.join(" ", builder.command()));
        }
    }

    /** Starts the launcher of a node and returns its process, or null if the job is closing. */
    private synchronized Process start(
        final int number,
        final HostList.Node node,
        final ProcessBuilder builder,
        final boolean isRemote,
        final boolean hasInput)
    {
        if (machine.isClosing())
        {
            return null;
        }

        final Process process = startProcess(builder, node);
        final LineOutput prompts = node.has(0) ? ctx.lines() : null;
        final NodeStderr stderr = new NodeStderr(ctx.lines().channel(ctx.error()));
        final LineSplitter errors = new LineSplitter(
            process.getErrorStream(), null, () -> "", stderr, prompts, (ex) -> onReadError(node, ex));
        final LineSplitter output = new LineSplitter(process.getInputStream(), null, () -> "",
            ctx.lines().channel(ctx.output()), prompts, (ex) -> onReadError(node, ex));
        final ChildProcess child = new ChildProcess(
            number, "the connection to " + node.host(), process,
            errors.start("errors-of-" + node.host()), output.start("output-of-" + node.host()));
        if (number == processes.size())
        {
            processes.add(null);
        }

        processes.set(number, new NodeProcess(child, stderr, isRemote));
        children.add(child);
        final NodeLaunchSpec spec = NodeLaunchSpec.of(Info.name(), server.id().toBytes(), node, ctx, environment());
        thread(() -> feed(spec, hasInput && node.has(0), child), "input-of-" + node.host());
        return process;
    }

    private Process startProcess(final ProcessBuilder builder, final HostList.Node node)
    {
        try
        {
            return ProcessStart.of(builder);
        }
        catch (final IOException ex)
        {
            throw CommandException.failure(
                "cannot start " + node.peText() + " on " + node.host() + ": " + ex.getMessage());
        }
    }

    private List<String> localCommand()
    {
        final List<String> command = JvmCommand.java();
        command.addAll(JvmCommand.LAUNCHER_OPTIONS);
        command.addAll(List.of("-cp", ClassPath.withLauncher(null), ctx.commandClass(), SUBCOMMAND));
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

    /** Writes the launch spec, and then, if that is for PE 0 on the node, the standard input of this process. */
    private void feed(final NodeLaunchSpec spec, final boolean hasInput, final ChildProcess process)
    {
        boolean isSpecWritten = false;
        try (OutputStream output = process.input())
        {
            spec.write(output);
            isSpecWritten = true;
            if (hasInput && !Terminal.isOfAnotherJob())
            {
                copy(new FileInputStream(FileDescriptor.in), output);
            }
        }
        catch (final IOException ex)
        {
            // PE 0 may end, or not read its input; a process that ended before it read the spec is reported as such
            if (!isSpecWritten && !process.isEnding())
            {
                ctx.report("cannot write to " + process.name() + ": " + ex.getMessage());
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
        ctx.report("cannot read the output of " + node.peText() + " on " + node.host() + ": " + ex.getMessage());
    }

    private boolean isJoined()
    {
        return processes.stream().allMatch((process) -> process.stderr().isJoined());
    }

    private static Thread thread(final Runnable task, final String name)
    {
        final Thread thread = new Thread(task, name);
        thread.setDaemon(true);
        thread.start();
        return thread;
    }

    /** The actions on the rendezvous, the processes and the output. */
    private final class JobActions implements HostsStateMachine.Actions
    {
        @Override
        public void report(final String line)
        {
            ctx.report(line);
        }

        @Override
        public void fail(final JobFailure failure)
        {
            HostsLauncher.this.fail(failure);
        }

        @Override
        public void startGeneration(final PreviousGeneration previous, final int... members)
        {
            HostsLauncher.this.startGeneration(previous, members);
        }

        @Override
        public void signal(final EndSchedule.Signal signal, final IntPredicate numbers)
        {
            children.signal(signal, numbers);
        }

        @Override
        public void move(final int number, final HostList.Node node)
        {
            // what PE 0 has read of the standard input is gone, and a thread may be reading the rest
            start(number, node, false);
        }
    }
}
