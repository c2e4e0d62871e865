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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.bootstrap.InJvmBootstrap;
import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.bootstrap.RendezvousBootstrap;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.rendezvous.NoRendezvousException;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import io.aeroshmem.transport.rendezvous.RendezvousServer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * The bootstrap of a PE whose environment describes its job, see {@link JobEnvironment}. The {@link Scheduler} that
 * started the process determines how the PE joins:
 * <ul>
 * <li>{@code aeroshmem run}: the PE joins by {@link LauncherBootstrap}.</li>
 * <li>A launcher that passes on a complete rendezvous id: the PE joins at that rendezvous. Another process runs the
 * server of that rendezvous.</li>
 * <li>A PMI launcher: PE 0 starts the server of a rendezvous, and the launcher distributes the id.</li>
 * <li>Any other launcher or scheduler: PE 0 starts the server on its host, which is known from the environment or the
 * user's settings. All PEs derive the same id of the rendezvous, so no one has to distribute it.</li>
 * </ul>
 * A job of one PE that {@code aeroshmem run} did not start needs no rendezvous.
 */
public final class EnvironmentBootstrap implements PeBootstrap
{
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SHORT_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LATE_JOIN_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long ABANDON_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final LaunchedProcess process;
    private final JobEnvironment job;
    private final RendezvousSettings settings;
    private final AtomicBoolean isUsed = new AtomicBoolean();
    /** The recoverable job, of which this process has joined a generation; null if there is none or a launcher. */
    private SupervisedJob supervised;

    private EnvironmentBootstrap(
        final LaunchedProcess process,
        final JobEnvironment job,
        final RendezvousSettings settings,
        final SupervisedJob supervised)
    {
        this.process = process;
        this.job = job;
        this.settings = settings;
        this.supervised = supervised;
    }

    /**
     * Returns the bootstrap for the job that this process was started for; a job of one PE if the environment specifies
     * none. Throws a {@link TransportException} if it is incomplete or invalid.
     */
    public static PeBootstrap fromEnvironment(final RendezvousSettings settings)
    {
        return of(LaunchedProcess.THIS, settings);
    }

    /**
     * Has this process join its job as if it had been started with these environment variables, too: a spare process,
     * whose launcher has given it a PE.
     */
    public static void assume(final Map<String, String> variables)
    {
        LaunchedProcess.THIS.assume(variables);
    }

    /**
     * Reports to a PMI launcher that this process cannot join; it would otherwise consider a process that ends silently
     * as not part of the job. Other launchers use its exit code. Errors are added to {@code cause} as suppressed.
     */
    public static void abandon(final RendezvousSettings settings, final Throwable cause)
    {
        try
        {
            final LaunchedProcess process = LaunchedProcess.THIS;
            final JobEnvironment job = JobEnvironment.detect(process.environment(), settings);
            if (Scheduler.PMI == job.scheduler())
            {
                process.pmi(job).abandon(System.nanoTime() + ABANDON_TIMEOUT_NS);
            }
        }
        catch (final TransportException ex)
        {
            cause.addSuppressed(ex);
        }
    }

    static PeBootstrap of(final LaunchedProcess process, final RendezvousSettings settings)
    {
        final JobEnvironment detected = JobEnvironment.detect(process.environment(), settings);
        JobEnvironment job = detected;
        if (JobEnvironment.UNKNOWN == detected.pe())
        {
            final PmiLauncher launcher = process.pmi(detected);
            job = detected.withRank(launcher.pe(), launcher.nPes());
        }

        return new EnvironmentBootstrap(process, job, settings, null);
    }

    @Override
    public int pe()
    {
        return job.pe();
    }

    @Override
    public int nPes()
    {
        return job.nPes();
    }

    @Override
    public JobProcess enter(final EndpointContext context)
    {
        if (!isUsed.compareAndSet(false, true))
        {
            throw new TransportException("PE " + job.pe() + " has been set up already: a PE can be set up only once");
        }

        return process.join(job.pe(), (last) -> join(last, context));
    }

    /** A supervisor starts only processes that have ended; {@code aeroshmem run} decides whether a process goes on. */
    @Override
    public PeBootstrap next()
    {
        if (null != supervised)
        {
            return supervised.isFollowed(process.last()) ?
                new EnvironmentBootstrap(process, job, settings, supervised) : null;
        }

        final LauncherBootstrap next = Scheduler.LAUNCHER == job.scheduler() ?
            LauncherBootstrap.next(process.last(), job.pe()) : null;
        return null == next ? null :
            new EnvironmentBootstrap(process, job.withRank(next.pe(), next.nPes()), settings, null);
    }

    /** A supervisor starts processes with the same variables; an MPI launcher, Slurm and PMI end the whole job. */
    @Override
    public boolean isStartedAgain()
    {
        return job.nPes() > 1 && (Scheduler.ANY == job.scheduler() || Scheduler.KUBERNETES == job.scheduler());
    }

    private JobProcess join(final JobProcess last, final EndpointContext context)
    {
        if (Scheduler.LAUNCHER == job.scheduler())
        {
            final Path directory = Path.of(process.environment().get(LauncherBootstrap.JOB_DIR_ENV));
            final LauncherBootstrap launched = new LauncherBootstrap(directory, job.pe(), job.nPes());
            return null == last ? launched.enter(context) : launched.enterAfter(last, context);
        }

        if (null != supervised)
        {
            return supervised.join(context);
        }

        return 1 == job.nPes() ? InJvmBootstrap.create(1)[0].enter(context) : joinAtRendezvous(context);
    }

    private JobProcess joinAtRendezvous(final EndpointContext context)
    {
        final int sequence = process.nextJob();
        final long deadlineNs = System.nanoTime() + context.settings().joinTimeoutNs();
        if (Scheduler.UNIQUE_ID == job.scheduler())
        {
            return join(uniqueId(sequence), context, true);
        }

        if (Scheduler.PMI == job.scheduler())
        {
            return joinByLauncher(sequence, context, deadlineNs);
        }

        final String jobKey = job.jobKey() + '#' + sequence;
        final InetSocketAddress address = new InetSocketAddress(
            addressOfPe0(context, deadlineNs), RendezvousPoint.port(job.port(), jobKey, sequence));
        final RendezvousId id = RendezvousId.derive(address, jobKey, job.secret());
        if (context.settings().isRecoverable())
        {
            supervised = recoverable(id, sequence, context);
            return supervised.join(context);
        }

        return joinAtRendezvous(id, context);
    }

    /** The process joins each generation at the same rendezvous, so other jobs may not come between them. */
    private SupervisedJob recoverable(final RendezvousId id, final int sequence, final EndpointContext context)
    {
        if (1 != sequence)
        {
            throw new TransportException("PE " + job.pe() + " has been set up already: in a recoverable job that is " +
                "repeated only by Shmem.run, after a failure");
        }

        return SupervisedJob.open(id, job.pe(), job.nPes(), RendezvousSettings.RENDEZVOUS_PROP_NAME, context);
    }

    /** The server of such an id belongs to another process, and ends with its job. */
    private RendezvousId uniqueId(final int sequence)
    {
        if (1 != sequence)
        {
            throw new TransportException("environment variable " + JobEnvironment.UNIQUE_ID_ENV +
                " identifies one job, which this process has already joined");
        }

        try
        {
            return RendezvousId.fromBytes(HexFormat.of().parseHex(job.secret()));
        }
        catch (final IllegalArgumentException ex)
        {
            throw new TransportException(
                "environment variable " + JobEnvironment.UNIQUE_ID_ENV + ": " + ex.getMessage(), ex);
        }
    }

    /** The id of the first job is distributed by the launcher; those of later jobs are derived from it. */
    private JobProcess joinByLauncher(final int sequence, final EndpointContext context, final long deadlineNs)
    {
        final RendezvousServer[] server = new RendezvousServer[1];
        final byte[] first = process.pmi(job).id(
            () ->
            {
                server[0] = RendezvousServer.start(
                    addressOfPe0(context, deadlineNs), job.port(), context.errorHandler());
                return server[0].id().toBytes();
            },
            deadlineNs);

        final RendezvousId firstId = RendezvousId.fromBytes(first);
        if (1 == sequence)
        {
            return null == server[0] ? join(firstId, context, true) : join(server[0], context);
        }

        final String jobKey = firstId.toString() + '#' + sequence;
        final InetSocketAddress address = new InetSocketAddress(
            firstId.address().getAddress(), RendezvousPoint.port(job.port(), jobKey, sequence));
        return joinAtRendezvous(RendezvousId.derive(address, jobKey, HexFormat.of().formatHex(first)), context);
    }

    /** If PE 0 does not join, all others report so in the same words. */
    private JobProcess joinAtRendezvous(final RendezvousId id, final EndpointContext context)
    {
        return 0 == job.pe() ? lead(id, context) :
            atPe0(id, RendezvousSettings.RENDEZVOUS_PROP_NAME, context, () -> join(id, context, false));
    }

    static JobProcess atPe0(
        final RendezvousId id, final String setting, final EndpointContext context, final Supplier<JobProcess> join)
    {
        try
        {
            return join.get();
        }
        catch (final NoRendezvousException ex)
        {
            throw new TransportException("PE 0 did not listen at " + id.address() + " within " +
                TimeUnit.NANOSECONDS.toMillis(context.settings().joinTimeoutNs()) + " ms: " + ex.problem() + " (" +
                setting + ", aeroshmem.join.timeout)" +
                (context.settings().isRecoverable() ?
                "; if it has ended with exit code 0, the job has ended, and this PE has nothing to join" : ""),
                ex);
        }
    }

    /** Under PMI only PE 0 calls this; the others receive the address. */
    private InetAddress addressOfPe0(final EndpointContext context, final long deadlineNs)
    {
        if (null != job.host())
        {
            return RendezvousPoint.address(job, () -> pause(context, deadlineNs));
        }

        if (null == settings.networkInterface() && job.isSingleHost())
        {
            return InetAddress.getLoopbackAddress();
        }

        return HostAddress.ofOrReachable(settings.networkInterface(), RendezvousSettings.INTERFACE_PROP_NAME);
    }

    private static boolean pause(final EndpointContext context, final long deadlineNs)
    {
        if (Thread.currentThread().isInterrupted())
        {
            throw context.exceptions().interrupted("looking up the host of PE 0");
        }

        LockSupport.parkNanos(PAUSE_NS);
        return System.nanoTime() - deadlineNs < 0;
    }

    private JobProcess lead(final RendezvousId id, final EndpointContext context)
    {
        return join(startServer(RendezvousSettings.RENDEZVOUS_PROP_NAME, () ->
            RendezvousServer.start(id, context.errorHandler())), context);
    }

    static RendezvousServer startServer(final String setting, final Supplier<RendezvousServer> start)
    {
        try
        {
            return start.get();
        }
        catch (final TransportException ex)
        {
            throw new TransportException(
                ex.getMessage() + "; change " + setting + " to have PE 0 listen elsewhere", ex);
        }
    }

    /**
     * The server ends with this process, so if the job fails, this PE stays briefly until processes that join a little
     * later have been notified.
     */
    private JobProcess join(final RendezvousServer server, final EndpointContext context)
    {
        try
        {
            return join(server.id(), context, true);
        }
        catch (final RuntimeException | Error ex)
        {
            failAndAwait(server, ex);
            throw ex;
        }
    }

    static void failAndAwait(final RendezvousServer server, final Throwable cause)
    {
        server.fail(new JobFailure(
            JobFailure.Kind.PE_FAILED, 0, -1, "PE 0 could not join: " + cause.getMessage()));
        final long deadlineNs = System.nanoTime() + LATE_JOIN_NS;
        while (!server.isEnded() && !Thread.currentThread().isInterrupted() && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(SHORT_PAUSE_NS);
        }
    }

    private JobProcess join(final RendezvousId id, final EndpointContext context, final boolean isServed)
    {
        final RendezvousBootstrap bootstrap = new RendezvousBootstrap(id, job.pe(), job.nPes(), isServed);
        return (Scheduler.UNIQUE_ID == job.scheduler() ? bootstrap : bootstrap.servedBy(0)).enter(context);
    }
}
