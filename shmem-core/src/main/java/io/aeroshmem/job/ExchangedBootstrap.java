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
    private static final byte[] NONE = {};

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
     * @param own       what rank 0 gives, the empty array where it has none, and on the others.
     * @param timeoutNs how long to wait for the others, where the exchange does not know itself.
     * @return what rank 0 gave.
     */
    abstract byte[] exchange(byte[] own, long timeoutNs);

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
    public final LocalProcess enter(final Endpoint.Context context)
    {
        if (!isUsed.compareAndSet(false, true))
        {
            throw new TransportException("PE " + pe + " has been started before: a PE is set up once");
        }

        if (ROOT != pe)
        {
            return new RendezvousBootstrap(idOfRoot(context.joinTimeoutNs()), pe, nPes).enter(context);
        }

        final RendezvousId id = open(context);
        exchange(id.toBytes(), context.joinTimeoutNs());
        return new RendezvousBootstrap(id, pe, nPes).enter(context);
    }

    /**
     * Should this not go well, the others are not left waiting in the exchange. The server ends by itself: with the
     * job, or when those that come late have heard why there is none.
     */
    private RendezvousId open(final Endpoint.Context context)
    {
        try
        {
            return RendezvousServer.start(address(), 0, context.errorHandler()).id();
        }
        catch (final TransportException ex)
        {
            exchange(NONE, context.joinTimeoutNs());
            throw ex;
        }
    }

    private RendezvousId idOfRoot(final long timeoutNs)
    {
        final byte[] id = exchange(NONE, timeoutNs);
        if (0 == id.length)
        {
            throw new TransportException("rank 0 could not open a rendezvous: it says why");
        }

        return RendezvousId.fromBytes(id);
    }

    /**
     * The others take part in the exchange all the same, and so must this one; then it can tell them.
     */
    @Override
    public final void giveUp(final Throwable cause)
    {
        if (!isUsed.compareAndSet(false, true))
        {
            return;
        }

        try
        {
            final byte[] id = exchange(NONE, ShmemProperty.JOIN_TIMEOUT.longValue());
            if (ROOT != pe && 0 != id.length)
            {
                new RendezvousBootstrap(RendezvousId.fromBytes(id), pe, nPes).giveUp(cause);
            }
        }
        catch (final RuntimeException ex)
        {
            cause.addSuppressed(ex);
        }
    }
}
