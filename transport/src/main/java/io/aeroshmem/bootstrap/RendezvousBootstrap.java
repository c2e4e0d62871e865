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
package io.aeroshmem.bootstrap;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.EndpointSettings;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobFailureException;
import io.aeroshmem.transport.job.Node;
import io.aeroshmem.transport.job.PreviousGeneration;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLog;
import io.aeroshmem.transport.job.RecoveryMember;
import io.aeroshmem.transport.rendezvous.JoinRequest;
import io.aeroshmem.transport.rendezvous.LostRendezvousException;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import io.aeroshmem.transport.rendezvous.RendezvousId;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The bootstrap of a PE that joins its job at a rendezvous: a TCP server that the processes of a job connect to, from
 * any host. The program or the environment supplies the {@link RendezvousId}, the number of the PE and the number of
 * PEs.
 * <p>
 * On each node the PE with the lowest number is the leader: it creates the {@link JobDirectory} of the node. The other
 * PEs of the node open that directory.
 */
public final class RendezvousBootstrap extends SingleUseBootstrap
{
    private static final long FAILURE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    /** In the request of a process that withdraws, which waits for nobody. */
    private static final long UNUSED_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final String NO_NODE = "none";

    private final RendezvousId id;
    private final boolean isServed;
    private int servingPe = -1;
    private RecoveryMember recoveryMember;

    /** Constructs the bootstrap of one PE from an id that its server made: if its port is closed, the job has ended. */
    public RendezvousBootstrap(final RendezvousId id, final int pe, final int nPes)
    {
        this(id, pe, nPes, true);
    }

    /**
     * Constructs the bootstrap of one PE. If {@code isServed}, the server was listening before the id was published, so
     * it is not waited for.
     */
    public RendezvousBootstrap(final RendezvousId id, final int pe, final int nPes, final boolean isServed)
    {
        super(pe, nPes);
        this.isServed = isServed;
        this.id = id;
    }

    /** Sets the PE in whose process the server runs: its loss is the death of this PE. By default it is unknown. */
    public RendezvousBootstrap servedBy(final int servingPe)
    {
        this.servingPe = servingPe;
        return this;
    }

    /** Sets this PE's share of the directory of a recoverable job. */
    public RendezvousBootstrap recoveryMember(final RecoveryMember member)
    {
        recoveryMember = member;
        return this;
    }

    @Override
    protected JobProcess enterOnce(final EndpointContext context)
    {
        try
        {
            return join(context);
        }
        catch (final LostRendezvousException ex)
        {
            throw servingPe < 0 ? ex : new JobFailureException(
                new JobFailure(JobFailure.Kind.PE_DIED, servingPe, -1, ex.getMessage()));
        }
    }

    private JobProcess join(final EndpointContext context)
    {
        final EndpointSettings settings = context.settings();
        final Path root = settings.shmDirectory();
        final JoinRequest request =
            joinRequest(nodeKey(root, context), settings.joinTimeoutNs(), settings.livenessTimeoutNs());
        final RendezvousClient client = RendezvousClient.join(id, request, isServed, context.pause());
        try
        {
            recover(client, context);
            final JobDirectory directory = client.isLeader() ? lead(client, root) : follow(client);
            final JobProcess process = new JobProcess(
                directory, JobDirectory.peName(pe()), new int[]{pe()}, client, context.pause());
            process.enter();
            return process;
        }
        catch (final RuntimeException | Error ex)
        {
            client.withdraw(ex.getMessage());
            client.close();
            throw ex;
        }
    }

    private void recover(final RendezvousClient client, final EndpointContext context)
    {
        if (null != recoveryMember)
        {
            recoveryMember.awaitOthers(client.nodePes(), context.settings().joinTimeoutNs(), context.pause());
            context.retainedHeaps(recoveryMember.enter(client.previous())).recoveryMember(recoveryMember);
        }
    }

    private JoinRequest joinRequest(
        final String nodeKey, final long joinTimeoutNs, final long livenessTimeoutNs)
    {
        final ProcessIdentity self = ProcessIdentity.current();
        return new JoinRequest(
            new int[]{pe()},
            nPes(),
            false,
            HostName.local(),
            nodeKey,
            self.pid(),
            self.startTime(),
            ProcessLog.current(),
            joinTimeoutNs,
            livenessTimeoutNs,
            null == recoveryMember ? PreviousGeneration.NONE : recoveryMember.known());
    }

    private String nodeKey(final Path root, final EndpointContext context)
    {
        try
        {
            return Node.key(root, context.settings().nodeName());
        }
        catch (final TransportException ex)
        {
            withdrawOnce(ex, context.settings().joinTimeoutNs());
            throw ex;
        }
    }

    @Override
    protected void withdrawOnce(final Throwable cause, final long joinTimeoutNs)
    {
        try
        {
            RendezvousClient.withdraw(
                id, joinRequest(NO_NODE, UNUSED_TIMEOUT_NS, UNUSED_TIMEOUT_NS), String.valueOf(cause.getMessage()));
        }
        catch (final RuntimeException ex)
        {
            // The cause of the withdrawal is reported.
            cause.addSuppressed(ex);
        }
    }

    private JobDirectory lead(final RendezvousClient client, final Path root)
    {
        final JobDirectory directory = JobDirectory.create(root, nPes(), client.token(), pe());
        try
        {
            client.previous().publish(directory.control());
            client.directory(directory.path());
            return directory;
        }
        catch (final RuntimeException | Error ex)
        {
            directory.delete();
            directory.close();
            throw ex;
        }
    }

    /**
     * Opens the leader's directory, after which the control file holds the state of the other PEs. A leader that has
     * failed since has removed it and reported why.
     */
    private static JobDirectory follow(final RendezvousClient client)
    {
        final Path path = client.awaitDirectory();
        try
        {
            return JobDirectory.open(path);
        }
        catch (final TransportException ex)
        {
            final JobFailure failure = client.awaitFailure(FAILURE_TIMEOUT_NS);
            throw null == failure ? ex : new JobFailureException(failure);
        }
    }
}
