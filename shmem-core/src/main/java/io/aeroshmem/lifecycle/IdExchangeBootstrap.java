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
package io.aeroshmem.lifecycle;

import io.aeroshmem.bootstrap.RendezvousBootstrap;
import io.aeroshmem.bootstrap.SingleUseBootstrap;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import io.aeroshmem.transport.endpoint.JobProcess;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import io.aeroshmem.transport.rendezvous.RendezvousServer;

import java.net.InetAddress;

/**
 * The base of bootstraps that exchange the id of a rendezvous. A rendezvous is a server through which PEs join. Rank 0
 * opens it, and distributes its id to the other PEs. Subclasses implement the exchange of the id.
 */
abstract class IdExchangeBootstrap extends SingleUseBootstrap
{
    private static final int ROOT = 0;
    private static final byte[] NONE = {};

    IdExchangeBootstrap(final int pe, final int nPes)
    {
        super(pe, nPes);
    }

    /**
     * Distributes the id of rank 0.
     *
     * @param own       the id on rank 0; empty if it has none, and on the others.
     * @param pause     of the process.
     * @param timeoutNs of an exchange without a timeout of its own.
     * @return the id of rank 0.
     */
    abstract byte[] exchange(byte[] own, Pause pause, long timeoutNs);

    /** Returns the address at which rank 0 opens the rendezvous. */
    InetAddress address(final EndpointContext context)
    {
        return HostAddress.ofOrReachable(
            context.settings().rendezvousInterface(), ShmemProperty.RENDEZVOUS_INTERFACE.propertyName());
    }

    @Override
    protected final JobProcess enterOnce(final EndpointContext context)
    {
        if (ROOT != pe())
        {
            return new RendezvousBootstrap(idOfRoot(context), pe(), nPes())
                .servedBy(ROOT).enter(context);
        }

        final RendezvousServer server = open(context);
        try
        {
            exchange(server.id().toBytes(), context.pause(), context.settings().joinTimeoutNs());
            return new RendezvousBootstrap(server.id(), pe(), nPes()).enter(context);
        }
        catch (final RuntimeException | Error ex)
        {
            server.fail(new JobFailure(
                JobFailure.Kind.PE_FAILED, ROOT, -1, "PE " + ROOT + " could not join: " + ex.getMessage()));
            throw ex;
        }
    }

    /**
     * Opens the rendezvous; if that fails, an empty id ends the exchange for the others. The server stops by itself:
     * with the job, or when late PEs have been notified that there is none.
     */
    private RendezvousServer open(final EndpointContext context)
    {
        try
        {
            return RendezvousServer.start(address(context), 0, context.errorHandler());
        }
        catch (final RuntimeException ex)
        {
            exchange(NONE, context.pause(), context.settings().joinTimeoutNs());
            throw ex;
        }
    }

    private RendezvousId idOfRoot(final EndpointContext context)
    {
        final byte[] id = exchange(NONE, context.pause(), context.settings().joinTimeoutNs());
        if (0 == id.length)
        {
            throw new TransportException("rank 0 could not open a rendezvous; its own exception states the reason");
        }

        return RendezvousId.fromBytes(id);
    }

    /**
     * Takes part in the exchange, as the others do, and then notifies them.
     */
    @Override
    protected final void withdrawOnce(final Throwable cause, final long joinTimeoutNs)
    {
        try
        {
            final byte[] id = exchange(NONE, Pause.SYSTEM, joinTimeoutNs);
            if (ROOT != pe() && 0 != id.length)
            {
                new RendezvousBootstrap(RendezvousId.fromBytes(id), pe(), nPes()).withdraw(cause, joinTimeoutNs);
            }
        }
        catch (final RuntimeException ex)
        {
            cause.addSuppressed(ex);
        }
    }
}
