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

import io.aeroshmem.transport.job.KernelFile;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Properties of this machine that affect latencies, as Linux reports them. On other systems, and in containers that
 * hide them, the values are {@link #UNKNOWN}.
 *
 * @param cpu              model of the processors.
 * @param governors        the different frequency governors of the processors, separated by commas.
 * @param transparentPages use of transparent huge pages for private memory, such as that of the JVM.
 * @param sharedPages      use of transparent huge pages for shared memory without a mounted file system.
 * @param explicitPages    number and size of reserved huge pages.
 * @param numaNodes        number of NUMA nodes; 0 if unknown.
 */
public record MachineDescription(
    String cpu,
    String governors,
    String transparentPages,
    String sharedPages,
    String explicitPages,
    int numaNodes)
{
    /** Value that the system does not report. */
    public static final String UNKNOWN = "unknown";

    private static final Pattern CPU = Pattern.compile("(?m)^(?:model name|Model|cpu model|cpu)\\s*:\\s*(.+)$");
    private static final Pattern CHOSEN = Pattern.compile("\\[(.+?)]");
    private static final Pattern PAGES = Pattern.compile("(?m)^HugePages_Total:\\s*(\\d+)$");
    private static final Pattern PAGE_SIZE = Pattern.compile("(?m)^Hugepagesize:\\s*(\\d+ \\S+)$");
    private static final String POWERSAVE = "powersave";

    /** Returns the description of this machine. */
    public static MachineDescription read()
    {
        return read(Path.of("/"));
    }

    /** Returns the description that the files below a directory give. */
    static MachineDescription read(final Path root)
    {
        final Path pages = root.resolve("sys/kernel/mm/transparent_hugepage");
        final String memory = text(root.resolve("proc/meminfo"));
        final String count = first(PAGES, memory);
        return new MachineDescription(
            first(CPU, text(root.resolve("proc/cpuinfo"))),
            governors(root.resolve("sys/devices/system/cpu")),
            first(CHOSEN, text(pages.resolve("enabled"))),
            first(CHOSEN, text(pages.resolve("shmem_enabled"))),
            UNKNOWN.equals(count) ? UNKNOWN : count + " of " + first(PAGE_SIZE, memory),
            count(root.resolve("sys/devices/system/node"), "node[0-9]*"));
    }

    /** Returns whether a processor runs below its highest frequency to save power. */
    public boolean isPowersave()
    {
        return governors.contains(POWERSAVE);
    }

    private static String governors(final Path cpus)
    {
        final Set<String> governors = new TreeSet<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(cpus, "cpu[0-9]*"))
        {
            for (final Path cpu : stream)
            {
                final String governor = text(cpu.resolve("cpufreq/scaling_governor")).trim();
                if (!governor.isEmpty())
                {
                    governors.add(governor);
                }
            }
        }
        catch (final IOException ex)
        {
            return UNKNOWN;
        }

        return governors.isEmpty() ? UNKNOWN : String.join(", ", governors);
    }

    private static int count(final Path directory, final String glob)
    {
        int count = 0;
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, glob))
        {
            for (final Path ignored : stream)
            {
                count++;
            }
        }
        catch (final IOException ex)
        {
            return 0;
        }

        return count;
    }

    private static String first(final Pattern pattern, final String text)
    {
        final Matcher matcher = pattern.matcher(text);
        return matcher.find() ? matcher.group(1).trim() : UNKNOWN;
    }

    /** Returns the content, or the empty string if the file cannot be read. */
    private static String text(final Path file)
    {
        try
        {
            return KernelFile.read(file);
        }
        catch (final IOException ex)
        {
            return "";
        }
    }
}
