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
import io.aeroshmem.tools.latency.CpuPinning;
import io.aeroshmem.tools.latency.HeapKind;
import io.aeroshmem.tools.latency.LatencyFormat;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.latency.LatencyPe;
import io.aeroshmem.tools.latency.LatencyPlan;
import io.aeroshmem.tools.launch.JobLauncher;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * The {@code aeroshmem latency} command: starts a job, by default of two PEs, and prints the latencies of its
 * operations.
 */
@Command(
    name = "latency",
    description = "Measures the operations of a job on this host and prints their latencies.",
    mixinStandardHelpOptions = true,
    versionProvider = AeroShmemCommand.Version.class,
    footer =
    {
        "",
        "Operations: pingpong put get put_signal atomic_fetch_add atomic_add atomic_compare_swap",
        "barrier sync reduce broadcast collect alltoall reduce_scatter inclusive_scan",
        "fan_in fan_out reduce_to_root reduce_scatterv gather gatherv scatter scatterv allgatherv alltoallv",
        "sync_request reduce_request broadcast_request collect_request alltoall_request",
        "reduce_scatter_request inclusive_scan_request put_rate atomic_add_rate put_bw.",
        "reduce is a sum whose result is on every PE; collect takes equal blocks (fcollect); a sample of a",
        "collective with a root includes a barrier after it. Those of the first two lines but pingpong have a form",
        "for streams. See docs/latency.md."
    })
final class LatencyCommand implements Callable<Integer>
{
    private static final String ALL = "all";
    private static final List<String> ALL_TRANSPORTS = List.of("mapped", "ipc", "udp");
    private static final long HEAP_MIN = 64L << 20;
    private static final long HEAP_SLACK = 16L << 20;
    private static final long MAX_BYTES = 1L << 40;
    private static final int HELPER_THREADS = 2;

    @Option(names = "-n", paramLabel = "N", defaultValue = "2", description = "Number of PEs (default: 2).")
    private int nPes;

    @Option(names = "--op", split = ",", paramLabel = "NAME", defaultValue = ALL,
        description = "Operations to measure, or all (default: all).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", converter = SizeConverter.class,
        description = "Sizes in bytes for put, get, put_signal and put_bw (default: 8,4096,1m), and of a PE's block" +
            " in reduce (default: 8,1m) and other collectives (default: 8).")
    private List<Long> sizes = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "long",
        description = "Element type of reductions: long or double (default: long).")
    private String type;

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

    @Option(names = "--on-stream",
        description = "Enqueues the operations on a CUDA stream, and waits for it in each call; for pinned and device.")
    private boolean isOnStream;

    @Option(names = "--iterations", paramLabel = "N",
        description = "Calls to measure (default: 100000, fewer for large blocks, within 3 s).")
    private Integer iterations;

    @Option(names = "--warmup", paramLabel = "N",
        description = "Warm-up calls (default: at least 20000, within 2 s).")
    private Integer warmup;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
        description = "table, csv or json (default: table).")
    private LatencyFormat format;

    @Option(names = "--histograms", paramLabel = "DIR",
        description = "Writes a percentile distribution (.hgrm) per operation and size to this directory.")
    private Path histograms;

    @Option(names = "--no-pin", description = "Does not pin the calling threads to processors.")
    private boolean isUnpinned;

    @Option(names = "-J", paramLabel = "OPTION", description = "Option for the JVM of each PE; may be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    private LatencyCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
        final List<LatencyOperation> chosen = chosenOperations();
        final List<String> transports = ALL.equalsIgnoreCase(transport) ? ALL_TRANSPORTS : List.of(transport);
        validateNumbers();
        validateReductions(chosen);
        validateStream(chosen);
        final List<String> deviceOptions = DeviceOptions.of(heapKind, gpuDevice, jvmOptions);
        if (null != histograms)
        {
            Files.createDirectories(histograms);
        }
        for (int i = 0; i < transports.size(); i++)
        {
            final LatencyPlan plan = new LatencyPlan(
                chosen,
                sizes,
                reducedType(),
                null == iterations ? LatencyPlan.AUTOMATIC : iterations,
                null == warmup ? LatencyPlan.AUTOMATIC : warmup,
                format,
                null == histograms ? null : histograms.toAbsolutePath(),
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

    private List<LatencyOperation> chosenOperations()
    {
        if (operations.stream().anyMatch(ALL::equalsIgnoreCase))
        {
            return Arrays.stream(LatencyOperation.values())
                .filter((operation) -> !isOnStream || operation.isForStreams())
                .collect(Collectors.toList());
        }
        final List<LatencyOperation> chosen = new ArrayList<>();
        for (final String name : operations)
        {
            chosen.add(LatencyOperation.of(name));
        }
        return chosen;
    }

    private void validateNumbers()
    {
        for (final long size : sizes)
        {
            if (size < 1 || size > MAX_BYTES)
            {
                throw CommandException.usage("--sizes must be 1 to " + MAX_BYTES + " bytes: --sizes=" + size);
            }
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

    private void validateReductions(final List<LatencyOperation> chosen)
    {
        for (final LatencyOperation operation : chosen)
        {
            for (final long size : sizes)
            {
                if (operation.isReduction() && 0 != size % Long.BYTES)
                {
                    throw CommandException.usage("--sizes must be multiples of 8 bytes for " +
                        operation.lowerCaseName() + ": --sizes=" + size);
                }
            }
        }
    }

    private void validateStream(final List<LatencyOperation> chosen)
    {
        if (isOnStream && HeapKind.HOST == heapKind)
        {
            throw CommandException.usage("--on-stream requires --heap-kind pinned or device");
        }
        for (final LatencyOperation operation : chosen)
        {
            if (isOnStream && !operation.isForStreams())
            {
                throw CommandException.usage("--on-stream does not measure --op=" + operation.lowerCaseName());
            }
        }
    }

    private ElementType reducedType()
    {
        switch (type.toLowerCase(Locale.ROOT))
        {
            case "long":
                return ElementType.LONG;

            case "double":
                return ElementType.DOUBLE;

            default:
                throw CommandException.usage("--type must be long or double: --type=" + type);
        }
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
