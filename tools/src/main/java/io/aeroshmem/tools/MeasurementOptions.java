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

import io.aeroshmem.Info;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.StandardStreams;
import io.aeroshmem.tools.latency.Baseline;
import io.aeroshmem.tools.latency.CpuPinning;
import io.aeroshmem.tools.latency.HeapKind;
import io.aeroshmem.tools.latency.LatencyFormat;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.latency.LatencyPe;
import io.aeroshmem.tools.latency.LatencyPlan;
import io.aeroshmem.tools.latency.LatencyVariation;
import io.aeroshmem.tools.latency.MachineDescription;
import io.aeroshmem.tools.latency.ReducedValue;
import io.aeroshmem.tools.latency.Traffic;
import io.aeroshmem.tools.launch.JobLauncher;
import io.aeroshmem.tools.launch.LaunchContext;
import io.aeroshmem.tools.launch.Terminal;
import io.aeroshmem.tools.topology.CpuList;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Function;
import java.util.function.Predicate;

/**
 * Options that {@code aeroshmem latency} and {@code aeroshmem bandwidth} share, and the launch of the jobs that they
 * measure.
 */
final class MeasurementOptions
{
    private static final String ALL = "all";
    private static final List<String> ALL_TRANSPORTS = List.of("mapped", "ipc", "udp");
    private static final long HEAP_MIN = 64L << 20;
    private static final long HEAP_SLACK = 16L << 20;
    private static final long MAX_BYTES = 1L << 40;
    private static final int HELPER_THREADS = 2;

    @Option(names = {"-n", "--npes"}, split = ",", paramLabel = "N", defaultValue = "2",
        description = "Number of PEs, or several, of which each is measured in turn (default: 2).")
    private List<Integer> numbersOfPes = new ArrayList<>();

    @Option(names = "--transport", paramLabel = "KIND", defaultValue = "auto",
        description = "auto, mapped, ipc, udp, or all of the last three in turn (default: auto).")
    private String transport;

    @Option(names = "--heap-kind", paramLabel = "KIND", defaultValue = "host",
        description = "Memory of all buffers: host, pinned (the host's, registered with CUDA) or device" +
            " (default: host).")
    private HeapKind heapKind;

    @Option(names = "--gpu-device", paramLabel = "N",
        description = "Device of all PEs, for pinned and device (default: aeroshmem.gpu.device if set, else 0).")
    private Integer gpuDevice;

    @Option(names = "--iterations", paramLabel = "N",
        description = "Calls to measure (default: 100000; above 1 KiB 20000, above 64 KiB 1000; of rates up to 1 KiB" +
            " 10000000; of slow calls as many as take 3 s, but at least 20).")
    private Integer iterations;

    @Option(names = "--warmup", paramLabel = "N",
        description = "Warm-up calls (default: 20000; of rates up to 1 KiB 2000000; of slow calls as many as take" +
            " 2 s, but at least 20; repeated until 1 s has passed).")
    private Integer warmup;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
        description = "table, csv or json (default: table).")
    private LatencyFormat format;

    @Option(names = "--baseline", paramLabel = "FILE.csv",
        description = "Rows to compare with, as --format csv prints them: the last column of the table is the median," +
            " or of a rate the mean, divided by that of the file.")
    private Path baseline;

    @Option(names = "--pin", paramLabel = "LIST",
        description = "Processors such as 0-3,8: the calling thread of PE i is pinned to the i-th of them.")
    private String pinned;

    @Option(names = "--no-pin", description = "Does not pin the calling threads to processors.")
    private boolean isUnpinned;

    @Option(names = "-J", paramLabel = "OPTION", description = "Option for the JVM of each PE; may be repeated.")
    private List<String> jvmOptions = new ArrayList<>();

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    private MeasurementOptions()
    {
    }

    /** Rejects fewer PEs than a pair. */
    void validatePairs()
    {
        if (numbersOfPes.contains(1))
        {
            throw CommandException.usage("--matrix requires 2 PEs or more: -n=1");
        }
    }

    /** Rejects what a measurement from the start does not have: numbers of calls, a baseline, pinned threads. */
    void validateFromStart()
    {
        if (null != iterations || null != warmup || null != baseline || null != pinned)
        {
            throw CommandException.usage("--from-start excludes --iterations, --warmup, --baseline and --pin");
        }
    }

    /** Rejects a traffic that the PEs cannot have. */
    void validate(final Traffic traffic)
    {
        numbersOfPes.forEach(traffic::validate);
    }

    HeapKind heapKind()
    {
        return heapKind;
    }

    /**
     * Returns the operations that names denote, in the order of the names. A group adds its operations that can
     * be measured and are not in the list yet.
     *
     * @param group  returns whether an operation is in the group of a name; null if the name is not that of a group.
     * @param single returns the operation of a name, or rejects it.
     */
    List<LatencyOperation> chosen(
        final List<String> names,
        final LatencyVariation variation,
        final Function<String, Predicate<LatencyOperation>> group,
        final Function<String, LatencyOperation> single)
    {
        final List<LatencyOperation> chosen = new ArrayList<>();
        for (final String name : names)
        {
            final Predicate<LatencyOperation> isInGroup = group.apply(name);
            if (null == isInGroup)
            {
                final LatencyOperation operation = single.apply(name);
                validateMemory(operation);
                chosen.add(operation);
            }
            else
            {
                Arrays.stream(LatencyOperation.values())
                    .filter(isInGroup).filter(variation::isPossible).filter(this::isPossible)
                    .filter((operation) -> !chosen.contains(operation))
                    .forEach(chosen::add);
            }
        }

        return chosen;
    }

    /** Returns whether an operation can be measured in the memory chosen. */
    private boolean isPossible(final LatencyOperation operation)
    {
        return HeapKind.DEVICE != heapKind || !operation.isForHostMemory();
    }

    /** Rejects an operation that cannot be measured in the memory chosen. */
    private void validateMemory(final LatencyOperation operation)
    {
        if (!isPossible(operation))
        {
            throw CommandException.usage("--heap-kind device does not measure --op=" + operation.lowerCaseName());
        }
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

    /** Rejects impossible numbers of PEs, calls and processors, and a baseline that cannot be read. */
    void validate()
    {
        for (final int nPes : numbersOfPes)
        {
            if (nPes < 1)
            {
                throw CommandException.usage("-n must be >= 1: -n=" + nPes);
            }
        }

        if (null != pinned)
        {
            pinnedCpus();
        }

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
     * Runs a job over each transport with each number of PEs and returns the exit code.
     *
     * @param sizes      in bytes; the operations' own if empty.
     * @param histograms directory that exists, or null.
     */
    int run(
        final List<LatencyOperation> operations,
        final List<Long> sizes,
        final List<ReducedValue> reductions,
        final LatencyVariation variation,
        final Path histograms,
        final boolean isOnStream) throws IOException, InterruptedException
    {
        final List<String> transports = ALL.equalsIgnoreCase(transport) ? ALL_TRANSPORTS : List.of(transport);
        final List<String> deviceOptions = DeviceOptions.of(heapKind, gpuDevice, jvmOptions);
        final List<Selection> selections = selections(operations, sizes, variation);
        final int jobs = numbersOfPes.size() * transports.size() * selections.size();
        for (int i = 0; i < jobs; i++)
        {
            final Selection selection = selections.get(i % selections.size());
            final int nPes = numbersOfPes.get(i / selections.size() / transports.size());
            final String kind = transports.get(i / selections.size() % transports.size());
            final LatencyPlan plan = new LatencyPlan(
                selection.operations(),
                selection.sizes(),
                reductions,
                null == iterations ? LatencyPlan.AUTOMATIC : iterations,
                null == warmup ? LatencyPlan.AUTOMATIC : warmup,
                format,
                variation,
                null == histograms ? null : histograms.toAbsolutePath(),
                null == baseline ? null : baseline.toAbsolutePath(),
                variation.isFromStart() ? List.of() : cpus(nPes, kind),
                kind.toLowerCase(Locale.ROOT),
                heapKind,
                isOnStream,
                Info.name(),
                !variation.isFromStart() && isProgressShown(nPes),
                0 == i,
                jobs - 1 == i);
            final int exitCode = run(nPes, plan, deviceOptions);
            // the command itself reports that rows are lost
            if (ExitCode.OK != exitCode || StandardStreams.isOutputLost())
            {
                return exitCode;
            }
        }

        return ExitCode.OK;
    }

    /** The operations of a job, and their sizes: empty for those of each operation. */
    private record Selection(List<LatencyOperation> operations, List<Long> sizes)
    {
    }

    /** Returns one job for all operations or, from the start on, one for each operation and size. */
    private static List<Selection> selections(
        final List<LatencyOperation> operations, final List<Long> sizes, final LatencyVariation variation)
    {
        if (!variation.isFromStart())
        {
            return List.of(new Selection(operations, sizes));
        }

        final List<Selection> selections = new ArrayList<>();
        for (final LatencyOperation operation : operations)
        {
            for (final long bytes : operation.sizes(sizes))
            {
                selections.add(new Selection(List.of(operation), List.of(bytes)));
            }
        }

        return selections;
    }

    /**
     * Progress is for a terminal. A single PE writes to the output of the command itself, and JSON leaves lines
     * unfinished, which progress on the same terminal would break.
     */
    private boolean isProgressShown(final int nPes)
    {
        return nPes > 1 && Terminal.isError() && (LatencyFormat.JSON != format || !Terminal.isOutput());
    }

    private int run(final int nPes, final LatencyPlan plan, final List<String> deviceOptions)
        throws IOException, InterruptedException
    {
        final long heapSize = Math.max(HEAP_MIN, 2 * plan.bufferBytes(nPes) + HEAP_SLACK);
        final List<String> options = new ArrayList<>(jvmOptions);
        options.addAll(deviceOptions);
        if (HeapKind.DEVICE == heapKind)
        {
            options.add(DeviceOptions.define(ShmemProperty.GPU_HEAP_SIZE, heapSize));
        }

        final JobSettings settings = new JobSettings(nPes, plan.transport(), heapSize, options);
        if (plan.isFirst() || !plan.variation().isFromStart())
        {
            warn(nPes, plan);
        }

        final LaunchContext context = settings.launcherContext()
            .endIf(StandardStreams::isOutputLost)
            .mainClass(LatencyPe.class.getName())
            .arguments(plan.toArguments());
        if (!plan.isProgress())
        {
            return JobLauncher.launch(context);
        }

        final ProgressOutput progress = new ProgressOutput(System.out, System.err);
        try
        {
            return JobLauncher.launch(context.output(new PrintStream(progress, false)));
        }
        finally
        {
            progress.erase();
        }
    }

    /** Prints a line that names what will distort the figures, if anything does. */
    private void warn(final int nPes, final LatencyPlan plan)
    {
        final String distortions = Distortions.describe(
            CpuPinning.allowedCpus().size(),
            nPes,
            isMessaging(plan.transport()) ? HELPER_THREADS : 0,
            !plan.cpus().isEmpty(),
            MachineDescription.read());
        if (!distortions.isEmpty())
        {
            spec.commandLine().getErr().println("aeroshmem: warning: figures are distorted: " + distortions);
            spec.commandLine().getErr().flush();
        }
    }

    private static boolean isMessaging(final String kind)
    {
        return !"auto".equalsIgnoreCase(kind) && !"mapped".equalsIgnoreCase(kind);
    }

    /**
     * Returns the specified processors, or one per PE if there are enough and threads can be pinned, else an empty
     * list. Messages also need a media driver and background threads, which pinning would starve on a host without
     * processors for them.
     */
    private List<Integer> cpus(final int nPes, final String kind)
    {
        if (null != pinned)
        {
            return pinnedCpus();
        }

        if (isUnpinned || !CpuPinning.isAvailable())
        {
            return List.of();
        }

        final List<Integer> allowed = CpuPinning.allowedCpus();
        final int needed = nPes + (isMessaging(kind) ? HELPER_THREADS : 0);
        return allowed.size() < needed ? List.of() : allowed.subList(0, nPes);
    }

    private List<Integer> pinnedCpus()
    {
        final int most = numbersOfPes.stream().mapToInt(Integer::intValue).max().orElse(1);
        final List<Integer> allowed = CpuPinning.allowedCpus();
        final List<Integer> cpus;
        try
        {
            cpus = CpuList.parse(pinned);
        }
        catch (final NumberFormatException ex)
        {
            throw CommandException.usage("--pin must be a list of processors such as 0-3,8: --pin=" + pinned);
        }

        if (isUnpinned)
        {
            throw CommandException.usage("--pin and --no-pin exclude each other");
        }

        if (!CpuPinning.isAvailable())
        {
            throw CommandException.usage("--pin requires Linux and the command taskset");
        }

        if (cpus.size() < most)
        {
            throw CommandException.usage(
                "--pin must list a processor for each of " + most + " PEs: --pin=" + pinned);
        }

        for (final int cpu : cpus)
        {
            if (!allowed.contains(cpu))
            {
                throw CommandException.usage(
                    "--pin must list processors that this process may use, " + CpuList.format(allowed) +
                    ": --pin=" + pinned);
            }
        }

        return cpus;
    }
}
