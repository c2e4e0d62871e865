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
package io.aeroshmem.job;

import io.aeroshmem.bootstrap.PeBootstrap;
import io.aeroshmem.bootstrap.RendezvousBootstrap;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.LocalProcess;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import io.aeroshmem.transport.rendezvous.RendezvousServer;

import java.net.InetAddress;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A PE that gets the id of the rendezvous from rank 0, which opens it, when it is set up. How is what the kinds of this
 * differ in.
 */
abstract class ExchangedBootstrap implements PeBootstrap
{
    private static final int ROOT = 0;

    private final int pe;
    private final int nPes;
    private final AtomicBoolean isUsed = new AtomicBoolean();

    ExchangedBootstrap(final int pe, final int nPes)
    {
        this.pe = pe;
        this.nPes = nPes;
    }

    /**
     * Hand the id of rank 0 to all.
     *
     * @param own     what rank 0 gives, the empty array on the others.
     * @param context of the PE.
     * @return what rank 0 gave.
     */
    abstract byte[] exchange(byte[] own, Endpoint.Context context);

    /**
     * Where rank 0 opens the rendezvous.
     */
    InetAddress address()
    {
        return HostAddress.ofOrReachable(
            ShmemProperty.RENDEZVOUS_INTERFACE.text(), ShmemProperty.RENDEZVOUS_INTERFACE.propertyName());
    }

    @Override
    public final int pe()
    {
        return pe;
    }

    @Override
    public final int nPes()
    {
        return nPes;
    }

    @Override
    public final boolean isInProcess()
    {
        return false;
    }

    @Override
    public final LocalProcess enter(final Endpoint.Context context)
    {
        if (!isUsed.compareAndSet(false, true))
        {
            throw new TransportException("PE " + pe + " has been started before: a PE is set up once");
        }

        if (ROOT != pe)
        {
            return join(exchange(new byte[0], context), context);
        }

        final RendezvousServer server = RendezvousServer.start(address(), 0, context.errorHandler());
        try
        {
            return join(exchange(server.id().toBytes(), context), context);
        }
        catch (final RuntimeException | Error ex)
        {
            server.close();
            throw ex;
        }
    }

    private LocalProcess join(final byte[] id, final Endpoint.Context context)
    {
        return new RendezvousBootstrap(RendezvousId.fromBytes(id), pe, nPes).enter(context);
    }
}
