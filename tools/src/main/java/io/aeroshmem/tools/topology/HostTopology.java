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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.transport.job.KernelFile;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Processors that this process may use, by core and by NUMA node, as Linux reports them. On another system all lists
 * are empty. Without {@code /sys} there are no NUMA nodes, and each processor counts as a core.
 *
 * @param allowed numbers of the processors that this process may use, ascending.
 * @param cores   the cores with at least one of these processors, ordered by NUMA node, socket and number.
 * @param nodes   the NUMA nodes, in ascending order of their numbers.
 */
public record HostTopology(List<Integer> allowed, List<Core> cores, List<NumaNode> nodes)
{
    private static final Path SYSTEM = Path.of("/sys/devices/system");
    private static final Path SELF_STATUS = Path.of("/proc/self/status");
    private static final String ALLOWED = "Cpus_allowed_list:";
    private static final Pattern MEMORY = Pattern.compile("MemTotal:\\s+(\\d+) kB");

    /**
     * A core.
     *
     * @param number of the core on its socket.
     * @param socket number of its socket.
     * @param node   number of its NUMA node, 0 if unknown.
     * @param cpus   its processors (hardware threads) that this process may use.
     */
    public record Core(int number, int socket, int node, List<Integer> cpus)
    {
        private Core with(final List<Integer> newCpus)
        {
            return new Core(number, socket, node, List.copyOf(newCpus));
        }
    }

    /**
     * A NUMA node.
     *
     * @param number of the node.
     * @param cpus   its processors that this process may use.
     * @param memory the size of its memory in bytes, 0 if unknown.
     */
    public record NumaNode(int number, List<Integer> cpus, long memory)
    {
    }

    /** Reads the topology of this host. */
    public static HostTopology read()
    {
        return read(SYSTEM, allowedCpus());
    }

    /** Returns the processors that this process may use; empty if the system does not report them. */
    public static List<Integer> allowedCpus()
    {
        return lines(SELF_STATUS).stream()
            .filter((line) -> line.startsWith(ALLOWED))
            .findFirst()
            .map((line) -> CpuList.parse(line.substring(ALLOWED.length())))
            .orElse(List.of());
    }

    /** Returns the path of a command on the {@code PATH}, or null. */
    public static Path command(final String name)
    {
        final String path = System.getenv("PATH");
        for (final String directory : (null == path ? "/usr/bin:/bin" : path).split(":"))
        {
            final Path candidate = Path.of(directory, name);
            if (Files.isExecutable(candidate))
            {
                return candidate;
            }
        }

        return null;
    }

    static HostTopology read(final Path system, final List<Integer> allowed)
    {
        final List<NumaNode> nodes = nodes(system.resolve("node"), allowed);
        return new HostTopology(List.copyOf(allowed), cores(system.resolve("cpu"), allowed, nodes), nodes);
    }

    private static List<NumaNode> nodes(final Path directory, final List<Integer> allowed)
    {
        final List<NumaNode> nodes = new ArrayList<>();
        if (!Files.isDirectory(directory))
        {
            return nodes;
        }

        try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory, "node[0-9]*"))
        {
            for (final Path entry : entries)
            {
                final List<Integer> cpus = new ArrayList<>(CpuList.parse(text(entry.resolve("cpulist"))));
                cpus.retainAll(allowed);
                nodes.add(new NumaNode(
                    Integer.parseInt(entry.getFileName().toString().substring(4)), List.copyOf(cpus), memory(entry)));
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot read " + directory + ": " + ex.getMessage());
        }

        nodes.sort(Comparator.comparingInt(NumaNode::number));
        return List.copyOf(nodes);
    }

    private static long memory(final Path node)
    {
        for (final String line : lines(node.resolve("meminfo")))
        {
            final Matcher matcher = MEMORY.matcher(line);
            if (matcher.find())
            {
                return Long.parseLong(matcher.group(1)) << 10;
            }
        }

        return 0;
    }

    /** Returns the cores; a processor without a description is a core of its own. */
    private static List<Core> cores(final Path directory, final List<Integer> allowed, final List<NumaNode> nodes)
    {
        final Map<Core, List<Integer>> cpusByPlace = new TreeMap<>(
            Comparator.comparingInt(Core::node).thenComparingInt(Core::socket).thenComparingInt(Core::number));
        for (final int cpu : allowed)
        {
            final Path topology = directory.resolve("cpu" + cpu).resolve("topology");
            final Core place = new Core(
                number(topology.resolve("core_id"), cpu),
                number(topology.resolve("physical_package_id"), 0),
                nodeOf(cpu, nodes),
                List.of());
            cpusByPlace.computeIfAbsent(place, (key) -> new ArrayList<>()).add(cpu);
        }

        return cpusByPlace.entrySet().stream().map((entry) -> entry.getKey().with(entry.getValue())).toList();
    }

    private static int nodeOf(final int cpu, final List<NumaNode> nodes)
    {
        return nodes.stream()
            .filter((node) -> node.cpus().contains(cpu)).mapToInt(NumaNode::number).findFirst().orElse(0);
    }

    private static int number(final Path file, final int defaultNumber)
    {
        final String text = text(file).strip();
        return text.isEmpty() ? defaultNumber : Integer.parseInt(text);
    }

    private static String text(final Path file)
    {
        return String.join("\n", lines(file));
    }

    private static List<String> lines(final Path file)
    {
        if (!Files.isReadable(file))
        {
            return List.of();
        }

        try
        {
            return KernelFile.read(file).lines().toList();
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot read " + file + ": " + ex.getMessage());
        }
    }
}
