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

import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.launch.HostList;
import io.aeroshmem.tools.launch.RemoteShell;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.endpoint.JobPaths;
import io.aeroshmem.transport.job.HostName;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * Section of {@code aeroshmem info} on a planned job, which is not started: the hosts of its PEs, and the paths between
 * the PEs.
 */
public final class PlacementSection implements InfoSection
{
    private final List<HostList.Node> nodes;
    private final TransportMode mode;
    private final PathMatrix paths;

    /** Plans a job; names of this host are one node, and all others are taken as different hosts. */
    public PlacementSection(final List<HostList.Node> nodes)
    {
        this.nodes = List.copyOf(nodes);
        mode = ShmemProperty.TRANSPORT.choice(TransportMode.class);
        final List<String> nodeByPe = new ArrayList<>();
        for (final HostList.Node node : nodes)
        {
            final String host = RemoteShell.isThisHost(node.host()) ? HostName.local() : node.host();
            for (int i = 0; i < node.peCount(); i++)
            {
                nodeByPe.add(host);
            }
        }

        if ((TransportMode.MAPPED == mode || TransportMode.IPC == mode) && nodeByPe.stream().distinct().count() > 1)
        {
            throw CommandException.usage("transport " + modeName() + " needs all PEs on one node (" +
                ShmemProperty.TRANSPORT.propertyName() + ")");
        }

        paths = new PathMatrix(JobPaths.planned(mode, nodeByPe));
    }

    @Override
    public void print(final InfoText output)
    {
        output.title("Placement with transport " + modeName() + " (m mapped, i ipc, u udp; a row for each PE)");
        nodes.forEach((node) -> output.line("  " + node.host(), node.peText()));
        paths.print(output);
    }

    @Override
    public Object facts()
    {
        return Json.object(
            "transport", modeName(),
            "hosts", nodes.stream().map((node) -> Json.object(
                "host", node.host(), "first_pe", node.firstPe(), "pes", node.peCount())).toList(),
            "paths", paths.facts());
    }

    private String modeName()
    {
        return mode.name().toLowerCase(Locale.ROOT);
    }
}
