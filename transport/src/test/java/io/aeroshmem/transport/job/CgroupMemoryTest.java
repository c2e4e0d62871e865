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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;

class CgroupMemoryTest
{
    private static final CgroupMemory NONE = new CgroupMemory(CgroupMemory.UNLIMITED, CgroupMemory.UNLIMITED);

    @TempDir
    private Path root;

    @Test
    void shouldReadVersion1WithoutTheFileCache() throws IOException
    {
        write("proc/self/cgroup", "5:cpu,memory:/pod/a\n1:name=systemd:/other\n0::/\n");
        version1("sys/fs/cgroup/memory/pod/a", 1000, 700, 50, 20);

        assertEquals(new CgroupMemory(1000, 370), CgroupMemory.read(root));
    }

    @Test
    void shouldReadVersion2() throws IOException
    {
        write("proc/self/cgroup", "0::/user.slice/job\n");
        version2("sys/fs/cgroup/user.slice/job", "4000", 1000, 200);

        assertEquals(new CgroupMemory(4000, 3200), CgroupMemory.read(root));
    }

    @Test
    void shouldReturnTheLimitThatLeavesLeastOfAllEnclosingGroups() throws IOException
    {
        write("proc/self/cgroup", "0::/user.slice/job\n");
        version2("sys/fs/cgroup/user.slice/job", "max", 1000, 0);
        version2("sys/fs/cgroup/user.slice", "5000", 4900, 0);
        version2("sys/fs/cgroup", "9000", 5000, 0);

        assertEquals(new CgroupMemory(5000, 100), CgroupMemory.read(root));
    }

    @Test
    void shouldReadTheGroupOfAContainerThatShowsThePathOfTheHost() throws IOException
    {
        write("proc/self/cgroup", "9:memory:/docker/0123\n");
        version1("sys/fs/cgroup/memory", 1000, 1200, 100, 0);

        assertEquals(new CgroupMemory(1000, 0), CgroupMemory.read(root));

        write("proc/self/cgroup", "0::/../outside\n");
        version2("sys/fs/cgroup", "500", 100, 0);

        assertEquals(new CgroupMemory(500, 400), CgroupMemory.read(root));
    }

    /** Pages in memory can be written to swap: a job that needs them is not certain to be killed. */
    @Test
    void shouldAddTheSwapThatAGroupCanUse() throws IOException
    {
        write("proc/meminfo", "SwapTotal:   8 kB\nSwapFree:       4 kB\n");
        write("proc/self/cgroup", "0::/a\n");
        version2("sys/fs/cgroup/a", "4000", 1000, 200);
        assertEquals(new CgroupMemory(4000, 3200 + 4096), CgroupMemory.read(root));

        write("sys/fs/cgroup/a/memory.swap.max", "max\n");
        assertEquals(new CgroupMemory(4000, 3200 + 4096), CgroupMemory.read(root));
        write("sys/fs/cgroup/a/memory.swap.max", "1000\n");
        write("sys/fs/cgroup/a/memory.swap.current", "300\n");
        assertEquals(new CgroupMemory(4000, 3200 + 700), CgroupMemory.read(root));
        write("sys/fs/cgroup/a/memory.swap.max", "0\n");
        assertEquals(new CgroupMemory(4000, 3200), CgroupMemory.read(root));

        write("proc/self/cgroup", "5:memory:/b\n");
        version1("sys/fs/cgroup/memory/b", 1000, 700, 50, 20);
        write("sys/fs/cgroup/memory/b/memory.memsw.limit_in_bytes", "1500\n");
        write("sys/fs/cgroup/memory/b/memory.memsw.usage_in_bytes", "900\n");
        assertEquals(new CgroupMemory(1000, 370 + 300), CgroupMemory.read(root));
    }

    @Test
    void shouldReturnNoLimitWithoutGroups() throws IOException
    {
        assertEquals(NONE, CgroupMemory.read(root));

        write("proc/self/cgroup", "damaged\n0::/a\n");
        write("sys/fs/cgroup/a/memory.max", "many\n");
        assertEquals(NONE, CgroupMemory.read(root));
    }

    private void version1(
        final String group, final long limit, final long usage, final long inactive, final long active)
        throws IOException
    {
        write(group + "/memory.limit_in_bytes", limit + "\n");
        write(group + "/memory.usage_in_bytes", usage + "\n");
        write(group + "/memory.stat",
            "inactive_file 1\ntotal_inactive_file " + inactive + "\ntotal_active_file " + active + "\n");
    }

    private void version2(final String group, final String limit, final long usage, final long inactive)
        throws IOException
    {
        write(group + "/memory.max", limit + "\n");
        write(group + "/memory.current", usage + "\n");
        write(group + "/memory.stat", "anon 1\nshmem 1\ninactive_file " + inactive + "\nactive_file 0\n");
    }

    private void write(final String file, final String text) throws IOException
    {
        final Path path = root.resolve(file);
        Files.createDirectories(path.getParent());
        Files.writeString(path, text);
    }
}
