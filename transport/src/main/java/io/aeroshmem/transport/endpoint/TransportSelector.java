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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.ControlFile;

/**
 * Selects the path ({@link PathKind}) and the {@link Transport} to each peer. This is done while the PE joins, so
 * operations need no lookup.
 * <p>
 * Callers hold one transport per peer, for all of the peer's memory. Each operation names the memory that it accesses:
 * the user heap, the library's own memory or the device heap ({@link io.aeroshmem.transport.Region}). {@link
 * Endpoint#attach} puts a transport for device memory in front of each transport chosen here. The transport for device
 * memory handles the operations with an operand in device memory, and forwards all others. A transport that observes or
 * batches operations can be put in front in the same way. A job without additional transports has no overhead from
 * them.
 */
final class TransportSelector
{
    private final EndpointSettings settings;
    private final ControlFile control;
    private final int pe;
    private final JoinRecord[] records;
    private final PathKind[] paths;

    /** Constructs a selector over the records by PE, all of which are read before {@link #choosePaths()}. */
    TransportSelector(
        final EndpointSettings settings, final ControlFile control, final int pe, final JoinRecord[] records)
    {
        this.settings = settings;
        this.control = control;
        this.pe = pe;
        this.records = records;
        paths = new PathKind[records.length];
    }

    /**
     * Chooses the path to the host memory of each peer, the same for its heap and its system area.
     *
     * @throws TransportException if the configured transport does not reach a peer.
     */
    void choosePaths()
    {
        for (int peer = 0; peer < paths.length; peer++)
        {
            final boolean isMapped = records[pe].isMapping(records[peer]);
            if (!isMapped && TransportMode.MAPPED == settings.transport())
            {
                throw new TransportException("transport mapped needs all PEs on one node: PE " + pe + " is on '" +
                    records[pe].host() + "', PE " + peer + " on '" + records[peer].host() +
                    "' (aeroshmem.transport, aeroshmem.node.name)");
            }

            paths[peer] = JoinRecord.path(records[pe], records[peer]);
            checkIpc(peer);
        }
    }

    /**
     * PEs of nodes with separate directories share no driver, unless the user specifies one.
     */
    private void checkIpc(final int peer)
    {
        if (isLinked(peer) && PathKind.IPC == messageKind(peer) &&
            (!records[pe].isSameMachine(records[peer]) ||
            control.isMirrored(peer) && null == settings.aeronDirectoryName() && null == settings.aeron()))
        {
            throw new TransportException("transport ipc needs a media driver that both PEs share: PE " + pe +
                " is on '" + records[pe].host() + "', PE " + peer + " on '" + records[peer].host() +
                "'; use auto or udp (aeroshmem.transport)");
        }
    }

    /** Returns the path to the host memory of each peer. */
    PathKind[] paths()
    {
        return paths;
    }

    /** Returns whether this PE and a peer exchange messages: either of them does not map the other. */
    boolean isLinked(final int peer)
    {
        return !records[pe].isMutuallyMapped(records[peer]);
    }

    /** Returns the kind of the messages that this PE and a linked peer exchange. */
    PathKind messageKind(final int peer)
    {
        return JoinRecord.messageKind(records[pe], records[peer]);
    }

    /** Returns whether a peer reaches this PE by loads and stores. */
    boolean isMapped()
    {
        for (int peer = 0; peer < records.length; peer++)
        {
            if (peer != pe && records[peer].isMapping(records[pe]))
            {
                return true;
            }
        }

        return false;
    }

    /**
     * Returns the transport to each PE, for all of its regions.
     *
     * @param messages null if no path uses them.
     * @param own      to this PE.
     */
    Transport[] transports(final Transport mapped, final Transport messages, final Transport own)
    {
        final Transport[] transports = new Transport[paths.length];
        for (int peer = 0; peer < transports.length; peer++)
        {
            transports[peer] = PathKind.MAPPED == paths[peer] ? mapped : messages;
        }

        transports[pe] = own;
        return transports;
    }
}
