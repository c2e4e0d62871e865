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

import io.aeroshmem.bootstrap.InProcessGroup;
import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.bootstrap.PeBootstrap;
import io.aeroshmem.bootstrap.RendezvousBootstrap;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.LocalProcess;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.rendezvous.NoRendezvousException;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import io.aeroshmem.transport.rendezvous.RendezvousServer;

import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.HexFormat;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A PE that a scheduler started, and whose environment tells which one it is and where PE 0 is. PE 0 makes the
 * rendezvous there, and all meet at it: from then on nothing differs from any other job.
 */
public final class EnvironmentBootstrap implements PeBootstrap
{
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(100);
    private static final long SHORT_PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(5);
    private static final long LATECOMERS_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long ABANDON_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);

    private final LaunchedProcess process;
    private final JobEnvironment job;
    private final RendezvousSettings settings;
    private final AtomicBoolean isUsed = new AtomicBoolean();

    EnvironmentBootstrap(
        final LaunchedProcess process, final JobEnvironment job, final RendezvousSettings settings)
    {
        this.process = process;
        this.job = job;
        this.settings = settings;
    }

    /**
     * The job that this process was started for, whoever started it.
     *
     * @param settings of the user.
     * @return the bootstrap of its PE; that of a job of one where the environment names no other.
     * @throws TransportException if the environment names a job, but is not complete or not sane.
     */
    public static PeBootstrap fromEnvironment(final RendezvousSettings settings)
    {
        return of(LaunchedProcess.THIS, settings);
    }

    /**
     * Reports that this process cannot join to a launcher that otherwise takes a process which ends without a word for
     * no part of the job: one that speaks PMI. Other launchers see its exit code.
     *
     * @param settings of the user.
     * @param cause    takes what goes wrong here as suppressed.
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
        return new EnvironmentBootstrap(process, job, settings);
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
    public LocalProcess enter(final Endpoint.Context context)
    {
        if (!isUsed.compareAndSet(false, true))
        {
            throw new TransportException("PE " + job.pe() + " has been started before: a PE is set up once");
        }
        return process.join(job.pe(), (last) -> join(last, context));
    }

    private LocalProcess join(final LocalProcess last, final Endpoint.Context context)
    {
        if (Scheduler.LAUNCHER == job.scheduler())
        {
            final LauncherBootstrap launched = LauncherBootstrap.fromEnvironment(process.environment());
            return null == last ? launched.enter(context) : launched.enterAfter(last, context);
        }
        return 1 == job.nPes() ? InProcessGroup.create(1)[0].enter(context) : meet(context);
    }

    private LocalProcess meet(final Endpoint.Context context)
    {
        final int sequence = process.nextJob();
        final long deadlineNs = System.nanoTime() + context.joinTimeoutNs();
        if (Scheduler.UNIQUE_ID == job.scheduler())
        {
            return join(uniqueId(sequence), context, true);
        }
        if (Scheduler.PMI == job.scheduler())
        {
            return byLauncher(sequence, context, deadlineNs);
        }

        final String jobKey = job.jobKey() + '#' + sequence;
        final InetSocketAddress address = new InetSocketAddress(
            placeOfPe0(context, deadlineNs), MeetingPoint.port(job.port(), jobKey, sequence));
        return meet(RendezvousId.derive(address, jobKey, job.secret()), context);
    }

    /**
     * The server of such an id is somebody else's, and ends with its job.
     */
    private RendezvousId uniqueId(final int sequence)
    {
        if (1 != sequence)
        {
            throw new TransportException("environment variable " + JobEnvironment.UNIQUE_ID_ENV +
                " is the id of one job, which this process joined before");
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

    /**
     * The id of the first job travels through the launcher; those of others follow from it.
     */
    private LocalProcess byLauncher(final int sequence, final Endpoint.Context context, final long deadlineNs)
    {
        final RendezvousServer[] server = new RendezvousServer[1];
        final byte[] first = process.pmi(job).id(
            () ->
            {
                server[0] = RendezvousServer.start(
                    placeOfPe0(context, deadlineNs), job.port(), context.errorHandler());
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
            firstId.address().getAddress(), MeetingPoint.port(job.port(), jobKey, sequence));
        return meet(RendezvousId.derive(address, jobKey, HexFormat.of().formatHex(first)), context);
    }

    /**
     * Where PE 0 does not come, all others say so in the same words.
     */
    private LocalProcess meet(final RendezvousId id, final Endpoint.Context context)
    {
        if (0 == job.pe())
        {
            return lead(id, context);
        }

        try
        {
            return join(id, context, false);
        }
        catch (final NoRendezvousException ex)
        {
            throw new TransportException("waited " + TimeUnit.NANOSECONDS.toMillis(context.joinTimeoutNs()) +
                " ms for PE 0, which did not come to " + id.address() + ": " + ex.problem() + " (properties " +
                RendezvousSettings.RENDEZVOUS_PROP_NAME + ", aeroshmem.join.timeout)", ex);
        }
    }

    /**
     * Under PMI only PE 0 asks, as the others are told.
     */
    private InetAddress placeOfPe0(final Endpoint.Context context, final long deadlineNs)
    {
        if (null != job.host())
        {
            return MeetingPoint.address(job, () -> pause(context, deadlineNs));
        }
        if (null == settings.networkInterface() && job.isSingleHost())
        {
            return InetAddress.getLoopbackAddress();
        }
        return HostAddress.ofOrReachable(settings.networkInterface(), RendezvousSettings.INTERFACE_PROP_NAME);
    }

    private static boolean pause(final Endpoint.Context context, final long deadlineNs)
    {
        if (Thread.currentThread().isInterrupted())
        {
            throw context.exceptions().interrupted("looking up the host of PE 0");
        }
        LockSupport.parkNanos(PAUSE_NS);
        return System.nanoTime() - deadlineNs < 0;
    }

    private LocalProcess lead(final RendezvousId id, final Endpoint.Context context)
    {
        final RendezvousServer server;
        try
        {
            server = RendezvousServer.start(id, context.errorHandler());
        }
        catch (final TransportException ex)
        {
            throw new TransportException(ex.getMessage() + "; set " + RendezvousSettings.RENDEZVOUS_PROP_NAME +
                "=host:port to have PE 0 listen elsewhere", ex);
        }
        return join(server, context);
    }

    /**
     * The server ends with this process, so where the job cannot be, this PE stays for a moment, until those that
     * come a little later have been told, too.
     */
    private LocalProcess join(final RendezvousServer server, final Endpoint.Context context)
    {
        try
        {
            return join(server.id(), context, true);
        }
        catch (final RuntimeException | Error ex)
        {
            server.fail(new JobFailure(
                JobFailure.Kind.PE_FAILED, 0, 0, "PE 0 could not join: " + ex.getMessage()));
            awaitEnd(server);
            throw ex;
        }
    }

    private static void awaitEnd(final RendezvousServer server)
    {
        final long deadlineNs = System.nanoTime() + LATECOMERS_NS;
        while (!server.isOver() && !Thread.currentThread().isInterrupted() && System.nanoTime() - deadlineNs < 0)
        {
            LockSupport.parkNanos(SHORT_PAUSE_NS);
        }
    }

    private LocalProcess join(final RendezvousId id, final Endpoint.Context context, final boolean isServed)
    {
        return new RendezvousBootstrap(id, job.pe(), job.nPes(), isServed).enter(context);
    }
}
