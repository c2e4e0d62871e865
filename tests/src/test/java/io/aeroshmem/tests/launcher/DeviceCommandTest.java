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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.tests.fixture.SimulatedDevice;
import io.aeroshmem.tools.AeroShmemCommand;
import io.aeroshmem.tools.exit.ExitCode;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Commands with devices, without any, and without the module for them. */
@Tag("ci")
class DeviceCommandTest
{
    private static final String DEVICES = "AEROSHMEM_CUDA_SIM_DEVICES";
    private static final List<String> BRIEF = List.of("--iterations", "4", "--warmup", "1", "--no-pin");
    private static final String DEVICE_NAME = "AeroSHMEM simulated device";

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @TempDir
    private Path directory;

    @Test
    void shouldWorkWithoutTheModuleForDevices() throws Exception
    {
        final CommandProcess info = runWithoutModule("info");
        assertEquals(ExitCode.OK, info.exitCode(), info::toString);
        assertEquals("none (aeroshmem-gpu is not on the class path)", value(info, "GPU"));

        final CommandProcess latency = runWithoutModule("latency", "--heap-kind", "pinned");
        assertUsageError("--heap-kind pinned requires a device: aeroshmem-gpu is not on the class path", latency);

        final List<String> arguments = new ArrayList<>(List.of(latency("host", "barrier")));
        ChildJvm.quickOptions().forEach((option) -> arguments.add("-J" + option));
        final CommandProcess host = runWithoutModule(arguments.toArray(new String[0]));
        assertEquals(ExitCode.OK, host.exitCode(), host::toString);
    }

    private CommandProcess runWithoutModule(final String... arguments) throws Exception
    {
        final List<String> command = ChildJvm.commandWithoutClassPath();
        command.add("-cp");
        command.add(Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((entry) -> !entry.contains("jcuda") && !isGpuModule(entry))
            .collect(Collectors.joining(File.pathSeparator)));
        command.add(AeroShmemCommand.class.getName());
        command.addAll(List.of(arguments));
        return CommandProcess.run(root.path(), command);
    }

    private CommandProcess run(final String... arguments) throws Exception
    {
        return run(Map.of(), arguments);
    }

    private CommandProcess run(final Map<String, String> environment, final String... arguments) throws Exception
    {
        return CommandProcess.run(root.path(), environment, arguments);
    }

    private static boolean isGpuModule(final String entry)
    {
        return entry.contains("aeroshmem-gpu") || entry.replace('\\', '/').contains("/gpu/target/");
    }

    @Test
    void shouldLoadNothingOfCudaForTheHost() throws Exception
    {
        final CommandProcess latency = run(
            Map.of("JAVA_TOOL_OPTIONS", "-Xlog:class+load:file=" + directory.resolve("classes") + "-%p"),
            latency("host", "put"));

        assertEquals(ExitCode.OK, latency.exitCode(), latency::toString);
        try (var files = Files.newDirectoryStream(directory, "classes*"))
        {
            int count = 0;
            for (final Path file : files)
            {
                final String classes = Files.readString(file);
                assertTrue(classes.contains("io.aeroshmem."), file::toString);
                assertFalse(classes.contains(" jcuda."), file::toString);
                count++;
            }

            assertEquals(3, count, "the command and two PEs");
        }
    }

    @Test
    void shouldReportThatThereIsNoDevice() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess info = run(Map.of(DEVICES, "0"), "info");
        assertEquals(ExitCode.OK, info.exitCode(), info::toString);
        final String reason = value(info, "GPU");
        assertTrue(reason.startsWith("none (cuInit failed: CUDA_ERROR_NO_DEVICE"), reason);

        final CommandProcess latency = run(Map.of(DEVICES, "0"), "latency", "--heap-kind", "device");
        assertUsageError("--heap-kind device requires a device: cuInit failed: CUDA_ERROR_NO_DEVICE", latency);

        final CommandProcess sample = run(Map.of(DEVICES, "0"), sum());
        assertEquals(ExitCode.FAILURE, sample.exitCode(), sample::toString);
        assertEquals(1, sample.error().stream().filter((line) ->
            line.contains("PE 0 has no GPU 0: cuInit failed: CUDA_ERROR_NO_DEVICE (100)")).count(), sample::toString);
        assertTrue(sample.error().size() <= 2, sample::toString);
    }

    @Test
    void shouldRefuseASimulatedDeviceAsADevice() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess info = run(Map.of(DEVICES, "2", "AEROSHMEM_CUDA_SIM_MEMORY", "1g"), "info");

        assertEquals(ExitCode.OK, info.exitCode(), info::toString);
        assertEquals("CUDA 13.0, no device (2 simulated)", value(info, "GPU"));
        assertEquals(DEVICE_NAME + ", compute capability 9.0, 1g", value(info, "GPU 1"));
        assertEquals("simulated, not a device", value(info, "GPU 1 status"));
        assertEquals("CUDA IPC between processes, tried out", value(info, "GPU 0 sharing"));
        assertTrue(value(info, "GPU 1 peer access").matches("0: loads.*; 1: itself"), info::toString);
    }

    @Test
    void shouldReportThatAnotherProcessCannotOpenMemory() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess info = run(Map.of("AEROSHMEM_CUDA_SIM_IPC_OPEN", "off"), "info");

        final String sharing = value(info, "GPU 0 sharing");
        assertTrue(sharing.startsWith("no CUDA IPC (cuIpcOpenMemHandle failed: CUDA_ERROR_MAP_FAILED"), sharing);
    }

    @Test
    void shouldReportThatMemoryIsNotShared() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess info = run(
            Map.of(DEVICES, "2", "AEROSHMEM_CUDA_SIM_IPC", "off", "AEROSHMEM_CUDA_SIM_PEER_ACCESS", "off"), "info");

        assertTrue(value(info, "GPU 0 sharing").startsWith("no CUDA IPC"), info::toString);
        assertEquals("0: itself; 1: none", value(info, "GPU 0 peer access"));
    }

    @ParameterizedTest
    @ValueSource(booleans = { true, false })
    void shouldRunASampleByAddressOrFail(final boolean isShared) throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess sample =
            run(Map.of("AEROSHMEM_CUDA_SIM_IPC", isShared ? "on" : "off"), sum("--by-address"));
        assertEquals(isShared ? ExitCode.OK : ExitCode.FAILURE, sample.exitCode(), sample::toString);
        final String way = "kernels of PE [01] reach PE [01] " +
            (isShared ? "by address \\(CUDA IPC\\)" : "by requests, as .* CUDA_ERROR_NOT_SUPPORTED .*");
        assertEquals(2, sample.output().stream().filter((line) -> line.matches(way)).count(), sample::toString);
    }

    @ParameterizedTest
    @CsvSource({ "1", "-1" })
    void shouldRejectANumberThatNoDeviceHas(final int number) throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess latency = run("latency", "--heap-kind", "device", "--gpu-device=" + number);

        assertUsageError("--gpu-device must be 0 to 0: --gpu-device=" + number, latency);
    }

    @ParameterizedTest
    @CsvSource({ "device, auto, mapped", "device, udp, udp" })
    void shouldMeasureWithBuffersOfAKind(final String kind, final String transport, final String path) throws Exception
    {
        measureWithBuffersOfAKind(kind, transport, path);
    }

    @Test
    @Tag("nightly")
    void shouldMeasureWithPinnedBuffers() throws Exception
    {
        measureWithBuffersOfAKind("pinned", "auto", "mapped");
    }

    private void measureWithBuffersOfAKind(final String kind, final String transport, final String path)
        throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess latency = run(
            latency(kind, "pingpong,get,put_signal,reduce,gather,put_bw", "--sizes", "8,100000", "--gpu-device", "0",
            "--transport", transport, "--histograms", directory.toString()));

        assertEquals(ExitCode.OK, latency.exitCode(), latency::toString);
        final List<String> lines = latency.output();
        final String way = "pinned".equals(kind) ? "" : "udp".equals(path) ?
            ", reached by messages (aeroshmem.transport forbids to map its host memory)" :
            ", reached by address (CUDA IPC)";
        assertTrue(String.join(" ", lines).replaceAll(" +", " ").contains(
            "transport " + path + ", heap " + kind + ", " + DEVICE_NAME + way), latency::toString);
        assertEquals(
            List.of("pingpong 8", "get 8", "get 100000", "put_signal 8", "put_signal 100000", "reduce 8",
            "reduce 100000", "gather 8", "gather 100000", "put_bw 8", "put_bw 100000"),
            rows(lines).stream().map((row) -> row.replaceFirst("(\\S+) +(\\S+).*", "$1 $2")).toList());
        assertTrue(Files.exists(directory.resolve(
            "reduce_" + path + "_pes=2_heap=" + kind + "_bytes=100000-report.hgrm")));
        assertEquals(List.of(), withoutWarning(latency.error()));
    }

    @Test
    void shouldMeasureOnAStream() throws Exception
    {
        measureOnAStream("pinned", "auto");
    }

    @ParameterizedTest
    @CsvSource({ "device, auto", "device, udp" })
    @Tag("nightly")
    void shouldMeasureOnAStreamOfTheDevice(final String kind, final String transport) throws Exception
    {
        measureOnAStream(kind, transport);
    }

    private void measureOnAStream(final String kind, final String transport) throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess latency = run(
            latency(kind, "all", "--on-stream", "--sizes", "8,40000", "--transport", transport,
            "--format", "csv"));

        assertEquals(ExitCode.OK, latency.exitCode(), latency::toString);
        final Set<String> operations = latency.output().stream().skip(1)
            .map((row) -> row.substring(0, row.indexOf(',')))
            .collect(Collectors.toCollection(LinkedHashSet::new));
        assertEquals(
            "put get put_signal atomic_fetch_add atomic_add atomic_compare_swap barrier sync reduce broadcast collect" +
            " alltoall reduce_scatter inclusive_scan",
            operations.stream().map((name) -> name.replaceFirst("_on_stream$", "")).collect(Collectors.joining(" ")));
        assertTrue(operations.stream().allMatch((name) -> name.endsWith("_on_stream")), latency::toString);
        assertEquals(List.of(), withoutWarning(latency.error()));
    }

    @Test
    void shouldVaryTheMeasurementOnAStream() throws Exception
    {
        SimulatedDevice.assumeAvailable();
        final CommandProcess latency = run(
            latency("device", "broadcast", "--on-stream", "--root-shift", "--rate", "1000", "--format", "csv"));

        assertEquals(ExitCode.OK, latency.exitCode(), latency::toString);
        assertEquals(
            List.of("operation", "broadcast_on_stream_root_shift", "broadcast_on_stream_root_shift_at_1000"),
            latency.output().stream().map((row) -> row.substring(0, row.indexOf(','))).toList());
    }

    /** Returns the rows of a table, between its header and the empty line at its end. */
    private static List<String> rows(final List<String> lines)
    {
        return lines.stream()
            .dropWhile((line) -> !line.startsWith("operation ")).skip(1)
            .takeWhile((line) -> !line.isEmpty()).toList();
    }

    /** A host with few processors distorts figures. */
    private static List<String> withoutWarning(final List<String> lines)
    {
        return lines.stream()
            .filter((line) -> !line.startsWith("aeroshmem: warning: figures are distorted: ")).toList();
    }

    private static String[] latency(final String kind, final String operations, final String... others)
    {
        final List<String> arguments = new ArrayList<>(
            List.of("latency", "--heap-kind", kind, "--op", operations));
        arguments.addAll(BRIEF);
        arguments.addAll(List.of(others));
        return arguments.toArray(new String[0]);
    }

    private static String[] sum(final String... others)
    {
        final List<String> arguments = new ArrayList<>(List.of("run", "-n", "2", "io.aeroshmem.samples.DeviceSum"));
        arguments.addAll(List.of(others));
        return arguments.toArray(new String[0]);
    }

    private static String value(final CommandProcess info, final String name)
    {
        // a value that is longer than a line continues on those that follow
        final Matcher matcher = Pattern.compile("(?m)^" + name + "  +(.*(?:\n {10,}.*)*)")
            .matcher(String.join("\n", info.output()));
        assertTrue(matcher.find(), info::toString);
        return matcher.group(1).replaceAll("\n +", " ");
    }

    private static void assertUsageError(final String expected, final CommandProcess command)
    {
        assertEquals(ExitCode.USAGE, command.exitCode(), command::toString);
        assertEquals(1, command.error().size(), command::toString);
        assertTrue(command.error().get(0).contains(expected), command::toString);
        assertEquals(List.of(), command.output());
    }
}
