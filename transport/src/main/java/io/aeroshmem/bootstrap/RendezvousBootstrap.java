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

import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.LocalProcess;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Node;
import io.aeroshmem.transport.job.ProcessIdentity;
import io.aeroshmem.transport.job.ProcessLog;
import io.aeroshmem.transport.rendezvous.Hello;
import io.aeroshmem.transport.rendezvous.RendezvousClient;
import io.aeroshmem.transport.rendezvous.RendezvousId;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A PE that meets the others of its job at an address, wherever they run: all that it needs is the id of the
 * rendezvous. How the id comes to the PEs is the matter of others: the program hands it over, or the environment
 * holds it.
 * <p>
 * The first PE of each node (that with the lowest number) creates the directory of the job there and leads the node;
 * the others of the node open it.
 */
public final class RendezvousBootstrap implements PeBootstrap
{
    private static final long FAILURE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final String NO_NODE = "none";

    private final RendezvousId id;
    private final int pe;
    private final int nPes;
    private final boolean isServed;
    private final AtomicBoolean isUsed = new AtomicBoolean();

    /**
     * Construct for one PE, with an id that its server made: where nobody listens the job has ended.
     *
     * @param id   of the rendezvous, the same for all PEs of the job.
     * @param pe   number of the PE.
     * @param nPes number of PEs of the job.
     */
    public RendezvousBootstrap(final RendezvousId id, final int pe, final int nPes)
    {
        this(id, pe, nPes, true);
    }

    /**
     * Construct for one PE.
     *
     * @param id       of the rendezvous, the same for all PEs of the job.
     * @param pe       number of the PE.
     * @param nPes     number of PEs of the job.
     * @param isServed whether the rendezvous was there before anybody knew the id, so that it need not be waited for.
     */
    public RendezvousBootstrap(final RendezvousId id, final int pe, final int nPes, final boolean isServed)
    {
        this.isServed = isServed;
        this.id = id;
        this.pe = pe;
        this.nPes = nPes;
    }

    @Override
    public int pe()
    {
        return pe;
    }

    @Override
    public int nPes()
    {
        return nPes;
    }

    @Override
    public LocalProcess enter(final Endpoint.Context context)
    {
        if (!isUsed.compareAndSet(false, true))
        {
            throw new TransportException("PE " + pe + " has been started before: a PE is set up once");
        }

        final Path root = JobDirectory.defaultRoot();
        final RendezvousClient client = RendezvousClient.join(
            id, hello(nodeKey(root, context), context), isServed);
        try
        {
            final JobDirectory directory = client.isLeader() ? lead(client, root) : follow(client);
            final LocalProcess process = new LocalProcess(directory, "pe-" + pe, new int[]{pe}, client);
            process.enter();
            return process;
        }
        catch (final RuntimeException | Error ex)
        {
            client.giveUp(ex.getMessage());
            client.close();
            throw ex;
        }
    }

    private Hello hello(final String nodeKey, final Endpoint.Context context)
    {
        final ProcessIdentity self = ProcessIdentity.current();
        return new Hello(
            new int[]{pe},
            nPes,
            false,
            HostName.local(),
            nodeKey,
            self.pid(),
            self.startTime(),
            ProcessLog.current(),
            context.joinTimeoutNs(),
            context.livenessTimeoutNs());
    }

    private String nodeKey(final Path root, final Endpoint.Context context)
    {
        try
        {
            return Node.key(root, context.nodeName());
        }
        catch (final TransportException ex)
        {
            tellOthers(ex);
            throw ex;
        }
    }

    @Override
    public void giveUp(final Throwable cause)
    {
        if (isUsed.compareAndSet(false, true))
        {
            tellOthers(cause);
        }
    }

    private void tellOthers(final Throwable cause)
    {
        try
        {
            RendezvousClient.giveUp(
                id, hello(NO_NODE, new Endpoint.Context()), String.valueOf(cause.getMessage()));
        }
        catch (final RuntimeException ex)
        {
            // what it gives up for is what counts
            cause.addSuppressed(ex);
        }
    }

    private JobDirectory lead(final RendezvousClient client, final Path root)
    {
        final JobDirectory directory = JobDirectory.create(root, nPes, client.token(), pe);
        try
        {
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
     * From here on this PE knows of the others by the leader's control file. A leader that has failed since has removed
     * it, and said why.
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
            throw null == failure ? ex : new TransportException(failure.message(), ex);
        }
    }
}
