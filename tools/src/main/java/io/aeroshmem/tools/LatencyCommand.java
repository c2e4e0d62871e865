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
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.histogram.HistogramFiles;
import io.aeroshmem.tools.histogram.HistogramKey;
import io.aeroshmem.tools.latency.HeapKind;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.plot.PlotFile;
import org.agrona.IoUtil;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
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
        "reduce_scatter_request inclusive_scan_request, and those of bandwidth.",
        "reduce is a sum whose result is on every PE; collect takes equal blocks (fcollect); a sample of a",
        "collective with a root includes a barrier after it. Those of the first two lines but pingpong have a form",
        "for streams. See docs/latency.md."
    })
final class LatencyCommand implements Callable<Integer>
{
    private static final String ALL = "all";

    @Mixin
    private MeasurementOptions measurement;

    @Option(names = "--op", split = ",", paramLabel = "NAME", defaultValue = ALL,
        description = "Operations to measure, or all (default: all).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", converter = SizeConverter.class,
        description = "Sizes in bytes for put, get, put_signal and bandwidths (default: 8,4096,1m), and of a PE's" +
            " block in reduce (default: 8,1m) and other collectives (default: 8).")
    private List<Long> sizes = new ArrayList<>();

    @Option(names = "--type", paramLabel = "TYPE", defaultValue = "long",
        description = "Element type of reductions: long or double (default: long).")
    private String type;

    @Option(names = "--on-stream",
        description = "Enqueues the operations on a CUDA stream, and waits for it in each call; for pinned and device.")
    private boolean isOnStream;

    @Option(names = "--histograms", paramLabel = "DIR",
        description = "Writes a percentile distribution (.hgrm) per operation and size to this directory.")
    private Path histograms;

    @Option(names = "--plot", paramLabel = "FILE",
        description = "Plots the percentiles of all rows that have times to a .svg or .html file.")
    private Path plot;

    private LatencyCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
        final List<LatencyOperation> chosen = chosenOperations();
        MeasurementOptions.validateSizes(sizes);
        measurement.validate();
        validateReductions(chosen);
        validateStream(chosen);
        if (null != plot)
        {
            PlotFile.check(plot);
        }

        final boolean isTemporary = null == histograms && null != plot;
        final Path directory = isTemporary ? Files.createTempDirectory("aeroshmem-latency-") : histograms;
        try
        {
            if (null != directory)
            {
                Files.createDirectories(directory);
            }
            final int exitCode = measurement.run(chosen, sizes, reducedType(), directory, isOnStream);
            if (null != plot && ExitCode.OK == exitCode)
            {
                PlotFile.write(
                    plot,
                    "Latency by percentile, " + Info.name(),
                    HistogramFiles.read(List.of(directory)).by(EnumSet.allOf(HistogramKey.Part.class)));
            }
            return exitCode;
        }
        finally
        {
            if (isTemporary)
            {
                IoUtil.delete(directory.toFile(), true);
            }
        }
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
        if (isOnStream && HeapKind.HOST == measurement.heapKind())
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
}
