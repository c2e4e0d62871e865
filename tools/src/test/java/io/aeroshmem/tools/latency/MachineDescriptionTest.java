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

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
class MachineDescriptionTest
{
    @TempDir
    private Path root;

    @Test
    void shouldReadTheFilesOfLinux() throws IOException
    {
        write("proc/cpuinfo", "processor\t: 0\nmodel\t\t: 2\nmodel name\t: Some CPU @ 3 GHz\nprocessor\t: 1\n");
        write("proc/meminfo", "MemTotal: 1 kB\nHugePages_Total:      16\nHugepagesize:       2048 kB\n");
        write("sys/kernel/mm/transparent_hugepage/enabled", "always [madvise] never\n");
        write("sys/kernel/mm/transparent_hugepage/shmem_enabled", "always advise [never] deny force\n");
        for (int i = 0; i < 4; i++)
        {
            write(
                "sys/devices/system/cpu/cpu" + i + "/cpufreq/scaling_governor",
                i < 3 ? "performance\n" : "powersave\n");
        }

        write("sys/devices/system/cpu/cpufreq/none", "");
        write("sys/devices/system/node/node0/x", "");
        write("sys/devices/system/node/node1/x", "");
        write("sys/devices/system/node/online", "0-1\n");

        final MachineDescription machine = MachineDescription.read(root);
        assertEquals(
            new MachineDescription(
                "Some CPU @ 3 GHz", "performance, powersave", "madvise", "never", "16 of 2048 kB", 2),
            machine);
        assertTrue(machine.isPowersave());
    }

    @Test
    void shouldReportWhatIsUnknown()
    {
        final MachineDescription machine = MachineDescription.read(root);
        assertEquals(new MachineDescription("unknown", "unknown", "unknown", "unknown", "unknown", 0), machine);
        assertFalse(machine.isPowersave());
    }

    private void write(final String name, final String text) throws IOException
    {
        Files.createDirectories(root.resolve(name).getParent());
        Files.writeString(root.resolve(name), text);
    }
}
