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
package io.aeroshmem.tools.latency;

import io.aeron.AeronVersion;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.format.Table;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Environment of a measurement, without which its figures cannot be interpreted.
 *
 * @param version    name and version of this library.
 * @param aeron      version of Aeron.
 * @param driver     description of the media driver: the threading mode of the job's own driver; the directory of
 *                   another driver; or "none".
 * @param transport  path to the peer of the calls: {@code mapped}, {@code ipc} or {@code udp}.
 * @param pes        number of PEs.
 * @param heap       kind of the memory of all buffers; if a device is used, its name and how its memory is reached.
 * @param jdk        name and version of the virtual machine.
 * @param jvmOptions options of the PEs' JVMs.
 * @param system     operating system and processor architecture.
 * @param processors number of processors available to the JVM.
 * @param pinning    description of the pinned threads.
 * @param machine    description of the host's processors and memory.
 */
public record LatencyEnvironment(
    String version,
    String aeron,
    String driver,
    String transport,
    int pes,
    String heap,
    String jdk,
    List<String> jvmOptions,
    String system,
    int processors,
    String pinning,
    MachineDescription machine)
{
    private static final String INDENT = "    ";

    /**
     * Returns the environment of this process, a PE.
     *
     * @param processors number available to the JVM, which after pinning counts those of the calling thread.
     */
    static LatencyEnvironment of(
        final LatencyPlan plan,
        final int nPes,
        final String transport,
        final String heap,
        final int processors,
        final boolean isPinned)
    {
        final String pinning = !isPinned ? "not pinned" : "calling threads pinned: " + plan.cpus().stream()
            .limit(nPes).map(String::valueOf).collect(Collectors.joining(", ", "PEs 0.. on cpus ", ""));
        final String directory = ShmemProperty.AERON_DIR.text();
        final String driver = "mapped".equals(transport) ? "none" :
            null == directory ? "the job's, SHARED" : "of " + directory;
        return new LatencyEnvironment(
            plan.version(),
            AeronVersion.VERSION,
            driver,
            transport,
            nPes,
            heap,
            System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
            ManagementFactory.getRuntimeMXBean().getInputArguments(),
            System.getProperty("os.name") + " " + System.getProperty("os.version") + " " +
            System.getProperty("os.arch"),
            processors,
            pinning,
            MachineDescription.read());
    }

    /** Returns the environment as lines of at most 80 columns, except words that are longer. */
    List<String> lines()
    {
        final List<String> lines = new ArrayList<>();
        wrap(pes + " PEs, transport " + transport + ", heap " + heap, lines);
        wrap(version + ", Aeron " + aeron + ", media driver: " + driver, lines);
        wrap(jdk + " on " + system, lines);
        wrap("CPU: " + machine.cpu() + ", " + processors + " processors, NUMA nodes " +
            (0 == machine.numaNodes() ? MachineDescription.UNKNOWN : Integer.toString(machine.numaNodes())) +
            ", governor " + machine.governors() + ", " + pinning, lines);
        wrap("Huge pages: transparent " + machine.transparentPages() + ", of shared memory " +
            machine.sharedPages() + ", reserved " + machine.explicitPages(), lines);
        wrap("JVM options: " + String.join(" ", jvmOptions), lines);
        return lines;
    }

    private static void wrap(final String text, final List<String> lines)
    {
        lines.addAll(Table.wrap(text, Table.WIDTH, INDENT));
    }

    /** Returns the environment as members of a JSON object. */
    Map<String, Object> facts()
    {
        return Json.object(
            "version", version, "aeron", aeron, "driver", driver, "transport", transport, "pes", pes, "heap", heap,
            "jdk", jdk, "jvm_options", jvmOptions, "system", system, "processors", processors, "pinning", pinning,
            "cpu", machine.cpu(), "governors", machine.governors(),
            "numa_nodes", 0 == machine.numaNodes() ? null : machine.numaNodes(),
            "transparent_huge_pages", machine.transparentPages(), "shared_huge_pages", machine.sharedPages(),
            "reserved_huge_pages", machine.explicitPages());
    }
}
