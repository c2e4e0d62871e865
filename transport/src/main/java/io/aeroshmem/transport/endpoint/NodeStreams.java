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
import io.aeroshmem.transport.job.ControlFile;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.stream.Stream;

/**
 * Numbers of the log buffers in this node's media driver, for all messages of a job's PEs. The processes of one driver
 * share the publication to an inbox, so an IPC inbox takes one. The driver has one for each UDP inbox that its PEs send
 * to, and for each UDP inbox of its PEs one image of each node that sends to it.
 *
 * @param ipcLogs of IPC streams.
 * @param udpLogs of publications and images of UDP streams.
 */
record NodeStreams(int ipcLogs, int udpLogs)
{
    /** Reads the records of all PEs, which must have been published. */
    static NodeStreams of(final ControlFile control)
    {
        final JoinRecord[] records = new JoinRecord[control.nPes()];
        for (int pe = 0; pe < records.length; pe++)
        {
            records[pe] = JoinRecord.read(control, pe);
        }

        return of(records, (pe) -> !control.isMirrored(pe));
    }

    /** As above, from the records by PE; {@code isLocal} selects the PEs of this node. */
    static NodeStreams of(final JoinRecord[] records, final IntPredicate isLocal)
    {
        // PEs of the same node and mode are alike, so the time grows with the number of PEs, not with their pairs.
        final Map<String, Group> groups = new LinkedHashMap<>();
        for (final JoinRecord record : records)
        {
            groups.computeIfAbsent(record.mode() + record.node(), (key) -> new Group()).add(record);
        }

        int ipc = 0;
        int udp = 0;
        for (final Group destination : groups.values())
        {
            final Collection<Group> sources = groups.values();
            ipc += isLocal(destination, isLocal) && sources.stream()
                .anyMatch((source) -> source.sends(destination, PathKind.IPC)) ? destination.size : 0;
            udp += sources.stream().anyMatch((source) ->
                isLocal(source, isLocal) && source.sends(destination, PathKind.UDP)) ? destination.size : 0;
            udp += isLocal(destination, isLocal) ? destination.size * (int)sources.stream()
                .filter((source) -> source.sends(destination, PathKind.UDP))
                .map((source) -> source.first.node()).distinct().count() : 0;
        }

        return new NodeStreams(ipc, udp);
    }

    private static boolean isLocal(final Group group, final IntPredicate isLocal)
    {
        return isLocal.test(group.first.pe());
    }

    /**
     * Returns them with those of a multicast group, which the PEs with a UDP inbox join: that of what the driver sends,
     * and an image of each node.
     */
    NodeStreams withGroup(final JoinRecord[] records)
    {
        return 0 == udpLogs ? this : new NodeStreams(
            ipcLogs, udpLogs + 1 + (int)Stream.of(records).map(JoinRecord::node).distinct().count());
    }

    int logs()
    {
        return ipcLogs + udpLogs;
    }

    private static final class Group
    {
        private JoinRecord first;
        private JoinRecord second;
        private int size;

        private void add(final JoinRecord record)
        {
            second = 1 == size ? record : second;
            first = 0 == size ? record : first;
            size++;
        }

        private boolean sends(final Group destination, final PathKind kind)
        {
            final JoinRecord receiver = this == destination ? second : destination.first;
            return null != receiver && !first.isMutuallyMapped(receiver) &&
                kind == JoinRecord.messageKind(first, receiver);
        }
    }
}
