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

import io.aeroshmem.transport.TransportMode;
import org.junit.jupiter.api.Test;

import static org.junit.jupiter.api.Assertions.assertEquals;

class NodeStreamsTest
{
    @Test
    void shouldCountNoneBetweenPesThatMapEachOther()
    {
        assertEquals(new NodeStreams(0, 0), streams("a auto", "a mapped", "a auto"));
        assertEquals(new NodeStreams(0, 0), streams("a udp"));
    }

    @Test
    void shouldCountOneLogOfEachIpcInboxAndTwoOfEachUdpInbox()
    {
        assertEquals(new NodeStreams(3, 0), streams("a ipc", "a ipc", "a ipc"));
        assertEquals(new NodeStreams(0, 6), streams("a udp", "a udp", "a udp"));
    }

    @Test
    void shouldCountPublicationsToOtherNodesAndAnImageOfEachNode()
    {
        assertEquals(new NodeStreams(0, 1 + 1), streams("a auto", "b auto"));
        assertEquals(new NodeStreams(0, 3 + 2 * 2), streams("a auto", "a auto", "b auto", "b auto", "c auto"));
    }

    @Test
    void shouldCountPesOfDifferentModes()
    {
        assertEquals(new NodeStreams(3, 0), streams("a auto", "a ipc", "a mapped"));
        assertEquals(new NodeStreams(2, 6), streams("a udp", "a ipc", "a ipc"));
    }

    @Test
    void shouldCountThoseOfAGroupWhereAnyPeReceivesByUdp()
    {
        assertEquals(new NodeStreams(0, 1 + 1 + 1 + 2), streams(true, "a auto", "b auto"));
        assertEquals(new NodeStreams(0, 0), streams(true, "a auto", "a mapped"));
        assertEquals(new NodeStreams(2, 0), streams(true, "a ipc", "a ipc"));
    }

    private static NodeStreams streams(final String... pes)
    {
        return streams(false, pes);
    }

    /** Those of node a, of PEs that are specified by their node and transport. */
    private static NodeStreams streams(final boolean hasGroup, final String... pes)
    {
        final JoinRecord[] records = new JoinRecord[pes.length];
        for (int pe = 0; pe < pes.length; pe++)
        {
            final String[] parts = pes[pe].split(" ");
            records[pe] = new JoinRecord(
                pe, 0, TransportMode.valueOf(parts[1].toUpperCase()), 4096, 4096, "host", parts[0], "", "", "", 0);
        }

        final NodeStreams streams = NodeStreams.of(records, (pe) -> records[pe].node().equals("a"));
        return hasGroup ? streams.withGroup(records) : streams;
    }
}
