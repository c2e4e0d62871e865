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
package io.aeroshmem.tools;

import io.aeroshmem.ElementType;
import io.aeroshmem.Info;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.latency.Baseline;
import io.aeroshmem.tools.latency.CpuPinning;
import io.aeroshmem.tools.latency.HeapKind;
import io.aeroshmem.tools.latency.LatencyFormat;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.latency.LatencyPe;
import io.aeroshmem.tools.latency.LatencyPlan;
import io.aeroshmem.tools.launch.JobLauncher;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The options of commands that start jobs to measure them, and these jobs. */
final class MeasurementOptions
{
    private static final String ALL = "all";
    private static final List<String> ALL_TRANSPORTS = List.of("mapped", "ipc", "udp");
    private static final long HEAP_MIN = 64L << 20;
    private static final long HEAP_SLACK = 16L << 20;
    private static final long MAX_BYTES = 1L << 40;
    private static final int HELPER_THREADS = 2;

    @Option(names = "-n", paramLabel = "N", defaultValue = "2", description = "Number of PEs (default: 2).")
    private int nPes;

    @Option(names = "--transport", paramLabel = "KIND", defaultValue = "auto",
        description = "auto, mapped, ipc, udp, or all of the last three in turn (default: auto).")
    private String transport;

    @Option(names = "--heap-kind", paramLabel = "KIND", defaultValue = "host",
        description = "Memory of all buffers: host, pinned (the host's, registered with CUDA) or device" +
            " (default: host).")
    private HeapKind heapKind;

    @Option(names = "--gpu-device", paramLabel = "N",
        description = "Device of all PEs, for pinned and device (default: 0).")
    private Integer gpuDevice;

    @Option(names = "--iterations", paramLabel = "N",
        description = "Calls to measure (default: 100000, fewer for large blocks, within 3 s).")
    private Integer iterations;

    @Option(names = "--warmup", paramLabel = "N",
        description = "Warm-up calls (default: at least 20000 and 1 s of them, within 2 s).")
    private Integer warmup;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
        description = "table, csv or json (default: table).")
    private LatencyFormat format;

    @Option(names = "--baseline", paramLabel = "FILE.csv",
        description = "Rows to compare with, as --format csv prints them: the last column of the table is the median," +
            " or of a rate the mean, divided by that of the file.")
    private Path baseline;

    @Option(names = "--no-pin", description = "Does not pin the calling threads to processors.")
    private boolean isUnpinned;

    @Option(names = "-J", paramLabel = "OPTION", description = "Option for the JVM of each PE; may be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    private MeasurementOptions()
    {
    }

    HeapKind heapKind()
    {
        return heapKind;
    }

    /** Rejects sizes in bytes that no job can have. */
    static void validateSizes(final List<Long> sizes)
    {
        for (final long size : sizes)
        {
            if (size < 1 || size > MAX_BYTES)
            {
                throw CommandException.usage("--sizes must be 1 to " + MAX_BYTES + " bytes: --sizes=" + size);
            }
        }
    }

    /** Rejects numbers of calls that cannot be made, and a baseline that cannot be read. */
    void validate()
    {
        if (null != baseline)
        {
            Baseline.read(baseline);
        }

        if (null != iterations && (iterations < 1 || iterations > LatencyPlan.MAX_ITERATIONS))
        {
            throw CommandException.usage(
                "--iterations must be 1 to " + LatencyPlan.MAX_ITERATIONS + ": --iterations=" + iterations);
        }
        if (null != warmup && warmup < 0)
        {
            throw CommandException.usage("--warmup must be >= 0: --warmup=" + warmup);
        }
    }

    /**
     * Runs a job over each transport and returns the exit code.
     *
     * @param sizes      in bytes; the operations' own if empty.
     * @param histograms directory that exists, or null.
     */
    int run(
        final List<LatencyOperation> operations,
        final List<Long> sizes,
        final ElementType reducedType,
        final Path histograms,
        final boolean isOnStream) throws IOException, InterruptedException
    {
        final List<String> transports = ALL.equalsIgnoreCase(transport) ? ALL_TRANSPORTS : List.of(transport);
        final List<String> deviceOptions = DeviceOptions.of(heapKind, gpuDevice, jvmOptions);
        for (int i = 0; i < transports.size(); i++)
        {
            final LatencyPlan plan = new LatencyPlan(
                operations,
                sizes,
                reducedType,
                null == iterations ? LatencyPlan.AUTOMATIC : iterations,
                null == warmup ? LatencyPlan.AUTOMATIC : warmup,
                format,
                null == histograms ? null : histograms.toAbsolutePath(),
                null == baseline ? null : baseline.toAbsolutePath(),
                cpus(transports.get(i)),
                transports.get(i).toLowerCase(Locale.ROOT),
                heapKind,
                isOnStream,
                Info.name(),
                0 == i,
                transports.size() - 1 == i);
            final int exitCode = run(plan, deviceOptions);
            if (ExitCode.OK != exitCode)
            {
                return exitCode;
            }
        }
        return ExitCode.OK;
    }

    private int run(final LatencyPlan plan, final List<String> deviceOptions) throws IOException, InterruptedException
    {
        final long heapSize = Math.max(HEAP_MIN, 2 * plan.bufferBytes(nPes) + HEAP_SLACK);
        final List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(deviceOptions);
        if (HeapKind.DEVICE == heapKind)
        {
            options.add(DeviceOptions.define(ShmemProperty.GPU_HEAP_SIZE, heapSize));
        }
        final JobSettings settings = new JobSettings(nPes, plan.transport(), heapSize, options);
        return JobLauncher.launch(settings.launcherContext()
            .mainClass(LatencyPe.class.getName())
            .arguments(plan.toArguments()));
    }

    /**
     * Returns a processor per PE if there are enough and threads can be pinned, else an empty list. Messages also need
     * a media driver and background threads, which pinning would starve on a host without processors for them.
     */
    private List<Integer> cpus(final String kind)
    {
        if (isUnpinned || !CpuPinning.isAvailable())
        {
            return List.of();
        }
        final boolean hasMessages = !"auto".equalsIgnoreCase(kind) && !"mapped".equalsIgnoreCase(kind);
        final List<Integer> allowed = CpuPinning.allowedCpus();
        final int needed = nPes + (hasMessages ? HELPER_THREADS : 0);
        return allowed.size() < needed ? List.of() : allowed.subList(0, nPes);
    }
}
