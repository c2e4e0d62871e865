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
package io.aeroshmem.tests.device;

import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JobForm;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;
import static org.junit.jupiter.api.Assumptions.assumeFalse;

/**
 * Machines whose devices cannot be used, and devices that fail: one exception that reports the reason, never the end of
 * a JVM, and no class of JCuda where no GPU is used.
 */
@Tag("ci")
class DeviceErrorTest
{
    private static final String LIBRARY_PATH = "LD_LIBRARY_PATH";
    private static final String SETTING = "AEROSHMEM_CUDA_SIM_";
    private static final Pattern OF_CUDA = Pattern.compile("jcuda|io\\.aeroshmem\\.gpu");

    @TempDir
    private Path folder;

    @BeforeAll
    static void requireSimulation()
    {
        SimulatedDevice.assumeAvailable();
    }

    @Test
    void shouldReportThatThereIsNoLibraryOfTheDriver() throws Exception
    {
        assumeFalse(Files.exists(Path.of("/proc/driver/nvidia")), "this machine has a driver of NVIDIA");
        final String output = run(UnusableDevice.class, Map.of(LIBRARY_PATH, ""));
        assertReported(output, "the CUDA driver cannot be loaded", "libcuda.so.1: cannot open shared object file");
    }

    @Test
    void shouldReportThatThereIsNoDevice() throws Exception
    {
        final String output = run(UnusableDevice.class, Map.of(SETTING + "DEVICES", "0"));
        assertReported(output, "CUDA_ERROR_NO_DEVICE", "CUDA_VISIBLE_DEVICES");
    }

    @Test
    void shouldReportThatTheDeviceHasTooLittleMemory() throws Exception
    {
        final String output = run(UnusableDevice.class, Map.of(SETTING + "MEMORY", "1m"));
        assertTrue(line(output, UnusableDevice.ASKED).contains("OUT_OF_MEMORY"), output);
        assertTrue(line(output, UnusableDevice.ASKED).contains("aeroshmem.gpu.heap.size"), output);
    }

    @Test
    void shouldLoadNoClassOfCudaWhereNoGpuIsUsed() throws Exception
    {
        final Path log = folder.resolve("classes.txt");
        final String option = "-Xlog:class+load=info:file=" + log + "::filecount=0";
        run(HostProgram.class, Map.of(), option);
        final List<String> classes = Files.readAllLines(log);
        assertTrue(classes.stream().anyMatch((line) -> line.contains(HostProgram.class.getName())));
        assertEquals(List.of(), classes.stream().filter((line) -> OF_CUDA.matcher(line).find()).toList());
    }

    @ParameterizedTest(name = "{0}, CUDA IPC {1}")
    @CsvSource({"MAPPED, true", "MAPPED, false", "UDP, true"})
    void shouldFailThePeWhoseDeviceIsLost(final TransportKind transport, final boolean isShared)
    {
        job(transport, isShared).run(new LostDevice.InOwnOperations());
    }

    @ParameterizedTest(name = "{0}")
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "UDP"})
    void shouldFailThePeWhoseDeviceIsLostWhenOthersUseIt(final TransportKind transport)
    {
        job(transport, false).run(new LostDevice.InOperationsOfOthers());
    }

    @Test
    void shouldReachDevicesThroughTheirOwnersWhereCudaIpcIsNotSupported()
    {
        Job.of(2).transport(TransportKind.MAPPED).form(JobForm.PROCESSES).heapSize(4 << 20)
            .property("aeroshmem.gpu.device", "0")
            .property("aeroshmem.gpu.heap.size", "1m")
            .environment(SETTING + "IPC", "off")
            .run(new UnsharedDevice());
    }

    @Test
    void shouldReportThatTheHeapOfTheHostIsTooSmallForRequests()
    {
        Job.of(2).transport(TransportKind.MAPPED).form(JobForm.PROCESSES).inUsedProcesses()
            .heapSize(SmallHostHeap.HEAP_SIZE)
            .property("aeroshmem.gpu.device", "0")
            .property("aeroshmem.gpu.heap.size", "1m")
            .property("aeroshmem.gpu.ipc", "false")
            .run(new SmallHostHeap());
    }

    private static Job job(final TransportKind transport, final boolean isShared)
    {
        return Job.of(3).transport(transport).form(JobForm.PROCESSES).inUsedProcesses().heapSize(4 << 20)
            .property("aeroshmem.gpu.device", "0")
            .property("aeroshmem.gpu.heap.size", "1m")
            .property("aeroshmem.gpu.ipc", Boolean.toString(isShared))
            .exits(2, LostDevice.LOST);
    }

    private static void assertReported(final String output, final String... reasons)
    {
        for (final String reason : reasons)
        {
            assertTrue(line(output, UnusableDevice.ASKED).contains(reason), output);
            assertTrue(line(output, UnusableDevice.NOT_ASKED).contains(reason), output);
        }
    }

    private static String line(final String output, final String start)
    {
        return output.lines().filter((line) -> line.startsWith(start)).findFirst()
            .orElseThrow(() -> new AssertionError("no line begins with '" + start + "': " + output));
    }

    /**
     * Runs a program in a JVM with these variables of the environment, requires that it ends in an orderly way, and
     * returns its output.
     */
    private static String run(final Class<?> program, final Map<String, String> environment, final String... options)
        throws IOException, InterruptedException
    {
        final List<String> command = ChildJvm.briefCommand();
        command.addAll(1, List.of(options));
        command.add("-Daeroshmem.shm.dir=" + TestMemory.root());
        command.add(program.getName());
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().putAll(environment);
        final Process process = builder.start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.waitFor(), output);
        assertFalse(output.contains("hs_err"), output);
        return output;
    }
}
