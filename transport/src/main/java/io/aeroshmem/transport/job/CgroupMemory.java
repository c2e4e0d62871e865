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
package io.aeroshmem.transport.job;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The memory limit of the control groups of this process that leaves the least. The pages of a memory file system count
 * as memory of the group whose process touched them first. Where a group exceeds its limit, the kernel kills a process.
 *
 * @param limit     of the group in bytes, {@link #UNLIMITED} if there is none.
 * @param available part of it that is not in use, and the swap that the group can use; the file cache and the kernel's
 *                  reclaimable objects, which the kernel can drop, do not count as used.
 */
record CgroupMemory(long limit, long available)
{
    static final long UNLIMITED = Long.MAX_VALUE;

    private static final CgroupMemory NONE = new CgroupMemory(UNLIMITED, UNLIMITED);
    private static final int LINE_PARTS = 3;
    private static final String V1_CONTROLLER = "memory";
    /** Version 1 has no such statistic. */
    private static final String RECLAIMABLE_V2 = "slab_reclaimable";
    private static final Version V1 = new Version("sys/fs/cgroup/memory",
        "memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file", "total_active_file",
        "memory.memsw.limit_in_bytes", "memory.memsw.usage_in_bytes", true);
    private static final Version V2 = new Version("sys/fs/cgroup",
        "memory.max", "memory.current", "inactive_file", "active_file",
        "memory.swap.max", "memory.swap.current", false);
    private static final Pattern SWAP_FREE = Pattern.compile("(?m)^SwapFree: +([0-9]+) kB$");
    private static final int KILOBYTE = 1 << 10;

    /** Returns the limit; there is none where control groups cannot be read. */
    static CgroupMemory current()
    {
        return read(Path.of("/"));
    }

    /** As above, from the files under another root. */
    static CgroupMemory read(final Path root)
    {
        try
        {
            CgroupMemory least = NONE;
            for (final String line : KernelFile.read(root.resolve("proc/self/cgroup")).lines().toList())
            {
                // hierarchy:controllers:path; version 2 has no controllers here
                final String[] parts = line.split(":", LINE_PARTS);
                if (LINE_PARTS == parts.length)
                {
                    final boolean isV1 = Arrays.asList(parts[1].split(",")).contains(V1_CONTROLLER);
                    if (isV1 || parts[1].isEmpty())
                    {
                        least = least(isV1 ? V1 : V2, root, parts[2], least);
                    }
                }
            }

            return least;
        }
        catch (final IOException ex)
        {
            // no control groups
            return NONE;
        }
    }

    /**
     * Returns the limit that leaves the least, of those of a group and of the groups that contain it. In a container
     * the path may be that of the host, of which only the last part is mounted: at the root.
     */
    private static CgroupMemory least(
        final Version version, final Path root, final String path, final CgroupMemory known)
    {
        final Path mount = root.resolve(version.mount);
        final Path named = mount.resolve(path.substring(1)).normalize();
        CgroupMemory least = known;
        for (Path group = named.startsWith(mount) ? named : mount; group.startsWith(mount); group = group.getParent())
        {
            final CgroupMemory found = version.read(group, root);
            least = found.available < least.available ? found : least;
        }

        return least;
    }

    private static long swapFree(final Path root)
    {
        try
        {
            final Matcher matcher = SWAP_FREE.matcher(KernelFile.read(root.resolve("proc/meminfo")));
            return matcher.find() ? Long.parseLong(matcher.group(1)) * KILOBYTE : 0;
        }
        catch (final IOException | NumberFormatException ex)
        {
            return 0;
        }
    }

    /** The limit of swap includes that of memory in version 1. */
    private record Version(
        String mount,
        String limit,
        String usage,
        String inactiveFile,
        String activeFile,
        String swapLimit,
        String swapUsage,
        boolean isSwapWithMemory)
    {
        private CgroupMemory read(final Path group, final Path root)
        {
            try
            {
                final long bytes = Long.parseLong(KernelFile.read(group.resolve(limit)).trim());
                if (bytes > UNLIMITED / 2)
                {
                    // version 1 writes a page less than the largest number
                    return NONE;
                }

                final long used = Long.parseLong(KernelFile.read(group.resolve(usage)).trim());
                final Map<String, Long> statistics = new HashMap<>();
                KernelFile.read(group.resolve("memory.stat")).lines().map((line) -> line.split(" "))
                    .forEach((entry) -> statistics.put(entry[0], Long.parseLong(entry[1])));
                final long cached =
                    statistics.getOrDefault(inactiveFile, 0L) + statistics.getOrDefault(activeFile, 0L) +
                    statistics.getOrDefault(RECLAIMABLE_V2, 0L);

                final long unused = Math.max(0, bytes - Math.max(0, used - cached));
                return new CgroupMemory(bytes, unused + swap(group, bytes - used, swapFree(root)));
            }
            catch (final IOException | NumberFormatException | ArrayIndexOutOfBoundsException ex)
            {
                // not mounted here, or unlimited, which version 2 writes as "max"
                return NONE;
            }
        }

        /** Returns how much swap a group can use, which has left some of its limit of memory. */
        private long swap(final Path group, final long left, final long swapFree)
        {
            try
            {
                final long bytes = Long.parseLong(KernelFile.read(group.resolve(swapLimit)).trim()) -
                    Long.parseLong(KernelFile.read(group.resolve(swapUsage)).trim()) - (isSwapWithMemory ? left : 0);
                return Math.max(0, Math.min(swapFree, bytes));
            }
            catch (final IOException | NumberFormatException ex)
            {
                // not limited
                return swapFree;
            }
        }
    }
}
