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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.sim.RequiresSimulatedDriver;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * JVMs whose driver or devices are unusable: one clear exception, each time; and nothing of JCuda is loaded before CUDA
 * is used.
 */
@Timeout(60)
class UnusableDeviceTest
{
    @TempDir
    private Path folder;

    /** Loads the driver twice and reports what happened. */
    static final class LoadDriver
    {
        private LoadDriver()
        {
        }

        public static void main(final String[] args)
        {
            for (int i = 0; i < 2; i++)
            {
                try
                {
                    JCudaBinding.load();
                    System.out.println("loaded");
                }
                catch (final GpuException ex)
                {
                    System.out.println("GpuException " + ex.cuResult() + " " + ex.getMessage());
                }
            }
        }
    }

    /** Initialises the classes of the module that hosts without a GPU may meet. */
    static final class LoadClasses
    {
        private LoadClasses()
        {
        }

        public static void main(final String[] args) throws ClassNotFoundException
        {
            for (final String name : new String[]{"CudaDriver", "Kernels", "KernelArguments", "GpuException"})
            {
                Class.forName(LoadClasses.class.getPackageName() + "." + name);
            }

            System.out.println("loaded");
        }
    }

    /** Two PEs on devices without peer access, of which one does not map the memory of the other. */
    static final class SetUpHeaps
    {
        private SetUpHeaps()
        {
        }

        public static void main(final String[] args) throws InterruptedException
        {
            final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
            final Thread other = new Thread(() -> run(bootstraps[1], TransportKind.IPC));
            other.start();
            run(bootstraps[0], TransportKind.valueOf(args[0]));
            other.join();
        }

        private static void run(final Bootstrap bootstrap, final TransportKind transport)
        {
            try (Shmem shmem = Shmem.init(new Shmem.Context().bootstrap(bootstrap).transport(transport)))
            {
                try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(shmem.myPe()).heapSize(1 << 20)))
                {
                    final SymmetricBuffer word = gpu.malloc(Long.BYTES);
                    shmem.defaultContext().putLong(word, 0, 1, 1 - shmem.myPe());
                    shmem.free(word);
                    System.out.println("reached");
                }
                catch (final GpuException ex)
                {
                    shmem.barrierAll();
                    System.out.println(ex.getMessage());
                }
            }
        }
    }

    private List<String> run(final Class<?> main, final List<String> options, final String... environment)
        throws IOException, InterruptedException
    {
        return run(main, options, List.of(), environment);
    }

    private List<String> run(
        final Class<?> main, final List<String> options, final List<String> arguments, final String... environment)
        throws IOException, InterruptedException
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(List.of("-Xshare:auto", "-XX:TieredStopAtLevel=1", "-Djava.io.tmpdir=" + folder));
        command.addAll(List.of("--add-opens", "java.base/jdk.internal.misc=ALL-UNNAMED"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), main.getName()));
        command.addAll(arguments);
        final Path output = folder.resolve("output");
        final ProcessBuilder builder = new ProcessBuilder(command)
            .redirectErrorStream(true)
            .redirectOutput(output.toFile());
        for (int i = 0; i < environment.length; i += 2)
        {
            builder.environment().put(environment[i], environment[i + 1]);
        }

        final Process process = builder.start();
        try
        {
            assertTrue(process.waitFor(50, TimeUnit.SECONDS), "the child does not end");
        }
        finally
        {
            process.destroyForcibly();
        }

        final List<String> lines = Files.readAllLines(output);
        assertEquals(0, process.exitValue(), () -> String.join("\n", lines));
        return lines.stream().filter((line) -> !line.startsWith("WARNING") && !line.isBlank()).toList();
    }

    @Test
    void shouldReportThatTheLibraryCannotBeLoaded() throws Exception
    {
        final Path libraries = Files.createDirectory(folder.resolve("libraries"));
        Files.createFile(libraries.resolve("libcuda.so.1"));
        final List<String> lines = run(LoadDriver.class, List.of(), "LD_LIBRARY_PATH", libraries.toString());
        assertEquals(2, lines.size(), () -> String.join("\n", lines));
        for (final String line : lines)
        {
            assertTrue(line.startsWith("GpuException 0 the CUDA driver cannot be loaded"), line);
            assertTrue(line.contains("libcuda.so.1: file too short"), line);
        }
    }

    @Test
    @RequiresSimulatedDriver
    void shouldReportThatThereIsNoDevice() throws Exception
    {
        for (final String line : run(LoadDriver.class, List.of(), "AEROSHMEM_CUDA_SIM_DEVICES", "0"))
        {
            final String expected = "GpuException 100 cuInit failed: CUDA_ERROR_NO_DEVICE (100): no device is visible";
            assertTrue(line.startsWith(expected), line);
        }
    }

    @Test
    @RequiresSimulatedDriver
    void shouldRejectAnOldDriver() throws Exception
    {
        for (final String line : run(LoadDriver.class, List.of(), "AEROSHMEM_CUDA_SIM_DRIVER_VERSION", "11080"))
        {
            assertEquals("GpuException 0 the driver must support CUDA >= 12.0: 11.8", line);
        }
    }

    @ParameterizedTest
    @RequiresSimulatedDriver
    @CsvSource({"AUTO, of two PEs of a host, only one has mapped the host memory of the other", "IPC, reached"})
    @Tag("ci")
    void shouldRejectRequestsThatTheirOwnerCannotRead(final String transport, final String expected) throws Exception
    {
        final List<String> lines = run(
            SetUpHeaps.class,
            List.of("--add-opens", "java.base/sun.nio.ch=ALL-UNNAMED"),
            List.of(transport),
            "AEROSHMEM_CUDA_SIM_DEVICES", "2",
            "AEROSHMEM_CUDA_SIM_PEER_ACCESS", "off");
        assertEquals(2, lines.size(), () -> String.join("\n", lines));
        for (final String line : lines)
        {
            assertTrue(line.startsWith(expected), line);
        }
    }

    @Test
    @RequiresSimulatedDriver
    void shouldReplaceAnIncompleteLibraryOfJCuda() throws Exception
    {
        Files.write(folder.resolve("libJCudaDriver-12.6.0-linux-x86_64.so"), new byte[1_000]);
        assertEquals(List.of("loaded", "loaded"), run(LoadDriver.class, List.of()));
    }

    @Test
    void shouldLoadNothingOfJCudaBeforeCudaIsUsed() throws Exception
    {
        final List<String> lines = run(LoadClasses.class, List.of("-Xlog:class+load"));
        assertTrue(lines.contains("loaded"));
        assertTrue(lines.stream().anyMatch((line) -> line.contains("io.aeroshmem.gpu.Kernels ")));
        assertFalse(lines.stream().anyMatch((line) -> line.contains(" jcuda.")), () -> String.join("\n", lines));
    }
}
