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
package io.aeroshmem.tools.info;

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.topology.CpuList;
import io.aeroshmem.tools.topology.HostTopology;
import io.aeroshmem.transport.job.HostName;
import io.aeroshmem.transport.job.JobDirectory;

import java.io.IOException;
import java.nio.file.FileStore;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

/** Section of {@code aeroshmem info} on this host: its processors, cores and NUMA nodes, and the space for heaps. */
public final class HostSection implements InfoSection
{
    private final HostTopology topology = HostTopology.read();
    private final Path root = JobDirectory.defaultRoot();
    private final FileStore store;

    /** Reads the facts. */
    public HostSection() throws IOException
    {
        store = Files.isDirectory(root) ? Files.getFileStore(root) : null;
    }

    @Override
    public void print(final InfoText output)
    {
        output.line("Host", HostName.local());
        output.line("System", system());
        final String allowed = CpuList.format(topology.allowed());
        output.line("Processors", processors() + (allowed.isEmpty() ? "" : " (" + allowed + ")"));
        if (!topology.cores().isEmpty())
        {
            output.line("Cores", topology.cores().size() + " on " + sockets() + ": " + topology.cores().stream()
                .map((core) -> CpuList.format(core.cpus())).collect(Collectors.joining(" ")));
        }

        for (final HostTopology.NumaNode node : topology.nodes())
        {
            final String cpus = CpuList.format(node.cpus());
            output.line("NUMA node " + node.number(), (cpus.isEmpty() ? "no processors" : "processors " + cpus) +
                (0 == node.memory() ? "" : ", " + mebibytes(node.memory())));
        }

        try
        {
            output.line("Job root", root + (null == store ? " (not a directory)" : " (" + store.type() + ", " +
                mebibytes(store.getUsableSpace()) + " of " + mebibytes(store.getTotalSpace()) + " free)"));
        }
        catch (final IOException ex)
        {
            output.line("Job root", root + " (" + ex.getMessage() + ")");
        }
    }

    @Override
    public Object facts()
    {
        return Json.object(
            "name", HostName.local(),
            "system", system(),
            "processors", processors(),
            "allowed_processors", topology.allowed(),
            "cores", topology.cores().stream().map((core) -> Json.object(
                "core", core.number(),
                "socket", core.socket(),
                "numa_node", core.node(),
                "processors", core.cpus())).toList(),
            "numa_nodes", topology.nodes().stream().map((node) -> Json.object(
                "node", node.number(),
                "processors", node.cpus(),
                "memory_bytes", node.memory())).toList(),
            "job_root", root,
            "job_root_type", null == store ? null : store.type(),
            "job_root_free_bytes", freeBytes());
    }

    private Long freeBytes()
    {
        try
        {
            return null == store ? null : store.getUsableSpace();
        }
        catch (final IOException ex)
        {
            return null;
        }
    }

    private String sockets()
    {
        final long count = topology.cores().stream().mapToInt(HostTopology.Core::socket).distinct().count();
        return 1 == count ? "1 socket" : count + " sockets";
    }

    private static int processors()
    {
        return Runtime.getRuntime().availableProcessors();
    }

    private static String system()
    {
        return System.getProperty("os.name") + " " + System.getProperty("os.version") + " " +
            System.getProperty("os.arch");
    }

    private static String mebibytes(final long bytes)
    {
        return PropertyParser.formatSize(bytes >> 20 << 20);
    }
}
