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
package io.aeroshmem.gpu;

import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

/**
 * What a tool of NVTX sees of a program's calls (src/test/nvtx), in a process of its own, for which the JVM loads the
 * tool. If this JVM is too old for that, the process has another one of this machine.
 */
@Tag("jdk")
@RequiresSimulatedDriver
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class NvtxRangesTest
{
    private static final int OLDEST_JVM = 22;
    private static final String DOMAIN = "AeroSHMEM";

    @TempDir
    Path folder;

    /** The program: calls of the host, and operations on a stream, by the device and by a thread of the library. */
    static final class Program
    {
        private Program()
        {
        }

        public static void main(final String[] args) throws Exception
        {
            Shmem.runLocal(1, new Shmem.Context().heapSize(4 << 20), (shmem) ->
            {
                try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20)))
                {
                    final SymmetricBuffer device = gpu.calloc(8, Long.BYTES);
                    final SymmetricBuffer host = shmem.calloc(8, Long.BYTES);
                    final GpuStream stream = gpu.newStream();
                    stream.putLong(device, 0, 1, 0);
                    stream.put(device, 8, device, 0, 8, 0);
                    stream.atomicAddLong(device, 8, 1, 0);
                    stream.barrierAll();
                    stream.fcollect(shmem.world(), ElementType.LONG, host, device, 2);
                    stream.synchronize();
                    shmem.defaultContext().putLong(host, 16, host.getLong(8), 0);
                    shmem.waitUntilLong(host, 16, Comparison.EQ, 2);
                    shmem.world().fcollect(ElementType.LONG, device, host, 1);
                    System.out.println("passed");
                }
            });
        }
    }

    @Test
    @Tag("ci")
    void shouldShowOperationsByName() throws Exception
    {
        final List<String> lines = run(modernJava(), true, Map.of());
        final Map<String, Deque<String>> open = new HashMap<>();
        final Set<String> names = new HashSet<>();
        final Set<String> threadsOfFcollect = new HashSet<>();
        for (final String line : lines)
        {
            final String[] fields = line.split(" ", 4);
            assertEquals(DOMAIN, fields[2]);
            final Deque<String> ofThread = open.computeIfAbsent(fields[0], (thread) -> new ArrayDeque<>());
            if ("push".equals(fields[1]))
            {
                ofThread.push(fields[3]);
                names.add(fields[3]);
                if ("GpuStream.fcollect".equals(fields[3]))
                {
                    threadsOfFcollect.add(fields[0]);
                }
            }
            else
            {
                ofThread.pop();
            }
        }

        open.forEach((thread, ranges) -> assertTrue(ranges.isEmpty(), () -> thread + " is still in " + ranges));
        for (final String name : List.of("GpuStream.putLong", "GpuStream.put", "GpuStream.atomicAddLong",
            "GpuStream.barrier", "GpuStream.fcollect", "Team.fcollect", "CommunicationContext.putLong",
            "Shmem.waitUntilLong"))
        {
            assertTrue(names.contains(name), () -> name + " is not in " + names);
        }

        assertEquals(2, threadsOfFcollect.size(), "the thread that enqueues it, and the one that performs it");
    }

    @Test
    @Tag("ci")
    void shouldRunWithoutATool() throws Exception
    {
        final Path java = modernJava();
        assertEquals(List.of(), run(java, false, Map.of()));
        assertEquals(List.of(), run(java, true, Map.of("NVTX_TOOL_REFUSE", "1")));
        assertEquals(List.of(), run(java, true, Map.of("NVTX_INJECTION64_PATH", "/no/such/tool.so")));
    }

    @Test
    void shouldShowNothingOnAnOlderJvm() throws Exception
    {
        assumeTrue(Runtime.version().feature() < OLDEST_JVM, "this JVM loads tools");
        assertEquals(List.of(), run(javaOf(Path.of(System.getProperty("java.home"))), true, Map.of()));
    }

    /** Runs the program, and returns the lines of the tool. */
    private List<String> run(final Path java, final boolean hasTool, final Map<String, String> environment)
        throws IOException, InterruptedException
    {
        final Path log = folder.resolve("nvtx.log");
        final Path output = folder.resolve("output.txt");
        Files.deleteIfExists(log);
        final ProcessBuilder builder = new ProcessBuilder(
            java.toString(), "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1",
            "--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED",
            "--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED", "--enable-native-access=ALL-UNNAMED",
            "-cp", System.getProperty("java.class.path"), Program.class.getName())
            .redirectErrorStream(true).redirectOutput(output.toFile());
        builder.environment().remove("NVTX_INJECTION64_PATH");
        builder.environment().put("NVTX_TOOL_LOG", log.toString());
        if (hasTool)
        {
            final Path tool = Path.of(System.getenv("AEROSHMEM_CUDA_SIM_HOME"), "libnvtx_tool.so");
            builder.environment().put("NVTX_INJECTION64_PATH", tool.toString());
        }

        builder.environment().putAll(environment);
        final Process process = builder.start();
        final boolean isOver = process.waitFor(60, TimeUnit.SECONDS);
        process.destroyForcibly();
        final String text = Files.readString(output);
        assertTrue(isOver && text.contains("passed"), text);
        return Files.exists(log) ? Files.readAllLines(log) : List.of();
    }

    private static Path modernJava() throws IOException
    {
        if (Runtime.version().feature() >= OLDEST_JVM)
        {
            return javaOf(Path.of(System.getProperty("java.home")));
        }

        try (Stream<Path> homes = Files.exists(Path.of("/usr/lib/jvm")) ?
            Files.list(Path.of("/usr/lib/jvm")) : Stream.empty())
        {
            final Path home = homes.filter(NvtxRangesTest::isModern).findFirst().orElse(null);
            assumeTrue(null != home, "no JVM of version " + OLDEST_JVM + " or later");
            return javaOf(home);
        }
    }

    private static boolean isModern(final Path home)
    {
        final Properties release = new Properties();
        try (InputStream in = Files.newInputStream(home.resolve("release")))
        {
            release.load(in);
            final String version = release.getProperty("JAVA_VERSION", "0").replace("\"", "");
            return Files.isExecutable(javaOf(home)) && Integer.parseInt(version.split("[.\\-+]")[0]) >= OLDEST_JVM;
        }
        catch (final IOException ex)
        {
            return false;
        }
    }

    private static Path javaOf(final Path home)
    {
        return home.resolve("bin").resolve("java");
    }
}
