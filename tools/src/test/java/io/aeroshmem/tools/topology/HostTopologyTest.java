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
package io.aeroshmem.tools.topology;

import io.aeroshmem.tools.topology.HostTopology.Core;
import io.aeroshmem.tools.topology.HostTopology.NumaNode;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class HostTopologyTest
{
    @TempDir
    private Path system;

    @Test
    void shouldGroupHardwareThreadsByCoreAndNode() throws IOException
    {
        // two sockets with two cores each, two threads per core, numbered as usual: second threads last
        for (int cpu = 0; cpu < 8; cpu++)
        {
            final Path topology = Files.createDirectories(system.resolve("cpu/cpu" + cpu + "/topology"));
            Files.writeString(topology.resolve("core_id"), cpu % 4 / 2 + "\n");
            Files.writeString(topology.resolve("physical_package_id"), cpu % 2 + "\n");
        }

        for (int node = 0; node < 2; node++)
        {
            final Path directory = Files.createDirectories(system.resolve("node/node" + node));
            Files.writeString(
                directory.resolve("cpulist"), node + "," + (node + 2) + "," + (node + 4) + "," + (node + 6));
            Files.writeString(directory.resolve("meminfo"), "Node " + node + " MemFree: 1 kB\nNode " + node +
                " MemTotal:       " + (4 + node) + " kB\n");
        }

        Files.createDirectories(system.resolve("node/power"));

        final HostTopology topology = HostTopology.read(system, List.of(0, 1, 2, 3, 4, 5, 7));

        assertEquals(
            List.of(
                new Core(0, 0, 0, List.of(0, 4)), new Core(1, 0, 0, List.of(2)),
                new Core(0, 1, 1, List.of(1, 5)), new Core(1, 1, 1, List.of(3, 7))),
            topology.cores());
        assertEquals(
            List.of(new NumaNode(0, List.of(0, 2, 4), 4096), new NumaNode(1, List.of(1, 3, 5, 7), 5120)),
            topology.nodes());
    }

    @Test
    void shouldTakeAProcessorWithoutADescriptionAsACore()
    {
        final HostTopology topology = HostTopology.read(system, List.of(3, 5));

        assertEquals(List.of(new Core(3, 0, 0, List.of(3)), new Core(5, 0, 0, List.of(5))), topology.cores());
        assertEquals(List.of(), topology.nodes());
    }

    @Test
    void shouldReadThisHost()
    {
        final HostTopology topology = HostTopology.read();

        assertFalse(topology.allowed().isEmpty());
        assertEquals(
            topology.allowed(), topology.cores().stream().flatMap((core) -> core.cpus().stream()).sorted().toList());
        assertNotNull(HostTopology.command("sh"));
        assertNull(HostTopology.command("no-such-command"));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value = { "0 | 0", "0-2,8,10-11 | 0-2,8,10-11", "3,2,1,0,7 | 0-3,7", "'' | ''" })
    void shouldParseAndFormatListsOfProcessors(final String text, final String expected)
    {
        assertEquals(expected, CpuList.format(CpuList.parse(text)));
        assertTrue(CpuList.parse(text).stream().allMatch((cpu) -> cpu <= 11));
    }

    @Test
    void shouldParseRanges()
    {
        assertEquals(List.of(0, 1, 2, 8, 10, 11), CpuList.parse("0-2,8,10-11\n"));
        assertEquals(List.of(), CpuList.parse(" "));
        for (final String malformed : List.of("-1", "a", "0,,1", "0-1000000000"))
        {
            assertThrows(NumberFormatException.class, () -> CpuList.parse(malformed), malformed);
        }
    }
}
