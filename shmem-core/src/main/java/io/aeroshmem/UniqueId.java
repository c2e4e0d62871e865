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
package io.aeroshmem;

import io.aeroshmem.config.Arguments;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import io.aeroshmem.transport.rendezvous.RendezvousServer;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;

import java.net.InetAddress;

/**
 * An id that identifies a job to its PEs, on any hosts: {@code nvshmemx_uniqueid_t}. One process, usually that of rank
 * 0, creates it and passes it to the other processes by any means that the program chooses. Each PE then starts with
 * {@link Bootstrap#uniqueId}. An id serves one job, all generations of it. It does not identify a team;
 * {@link TeamUniqueId} does.
 * <p>
 * The bytes of an id hold:
 * <ul>
 *     <li>the address and port of the rendezvous, a TCP server in the process that created the id;</li>
 *     <li>the job's id;</li>
 *     <li>a secret.</li>
 * </ul>
 * The PEs join the job at the rendezvous. Only processes that have the bytes can join. Transfer them as confidentially
 * as passwords.
 * <p>
 * Immutable.
 */
public final class UniqueId
{
    private static final ErrorHandler ERROR_HANDLER = (throwable) ->
        Thread.currentThread().getThreadGroup().uncaughtException(Thread.currentThread(), throwable);

    private final RendezvousId id;
    /** The server that was made with the id; null if that was in another process. */
    private final RendezvousServer server;

    private UniqueId(final RendezvousId id, final RendezvousServer server)
    {
        this.id = id;
        this.server = server;
    }

    /**
     * Creates an id, and opens the port of the rendezvous: {@code nvshmemx_get_uniqueid}. This process keeps it open,
     * on a daemon thread, until the job has ended: it must live as long as the job. The property
     * {@code aeroshmem.rendezvous.interface} specifies the address, by default the first one that other hosts can
     * reach. Rejected connections are reported to the thread group's handler of uncaught exceptions.
     *
     * @return a new id.
     * @throws BootstrapException if this host has no such address, or no port is free; or if this JVM was started
     *                            without the options that the library needs, which the message names.
     */
    public static UniqueId create()
    {
        Bootstrap.requireJdkPackages();
        try
        {
            final InetAddress address = HostAddress.ofOrReachable(
                ShmemProperty.RENDEZVOUS_INTERFACE.text(), ShmemProperty.RENDEZVOUS_INTERFACE.propertyName());
            final RendezvousServer server = RendezvousServer.start(address, 0, ERROR_HANDLER);
            return new UniqueId(server.id(), server);
        }
        catch (final TransportException ex)
        {
            throw new BootstrapException(ex.getMessage(), ex);
        }
    }

    /**
     * Returns the id as bytes, for other PEs: the memory of an {@code nvshmemx_uniqueid_t}. They hold the job's secret.
     *
     * @return a copy, at most 64 bytes.
     */
    public byte[] toBytes()
    {
        return id.toBytes();
    }

    /**
     * Returns the id of received bytes: an {@code nvshmemx_uniqueid_t}.
     *
     * @param bytes what {@link #toBytes()} returned.
     * @return an equal id.
     * @throws IllegalArgumentException if they are not the bytes of an id of this kind.
     */
    public static UniqueId fromBytes(final byte[] bytes)
    {
        return new UniqueId(RendezvousId.fromBytes(Arguments.notNull(bytes, "bytes")), null);
    }

    RendezvousId rendezvousId()
    {
        return id;
    }

    /** Closes the port, which this process may have opened: PE 0 of a recoverable job opens it in each generation. */
    void release()
    {
        CloseHelper.close(server);
    }

    @Override
    public boolean equals(final Object other)
    {
        return other instanceof UniqueId && id.equals(((UniqueId)other).id);
    }

    @Override
    public int hashCode()
    {
        return id.hashCode();
    }

    /**
     * Returns the address of the rendezvous, without the secret.
     *
     * @return one line.
     */
    @Override
    public String toString()
    {
        return "UniqueId{" + id.address() + "}";
    }
}
