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

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.InputFile;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.latency.LatencyPlan;
import io.aeroshmem.tools.latency.LatencyVariation;
import io.aeroshmem.tools.latency.ReducedValue;
import io.aeroshmem.tools.latency.Traffic;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem bandwidth} command: starts a job, by default of two PEs, and prints the rates and bandwidths of
 * operations, with many of them in flight.
 */
@Command(
    name = "bandwidth",
    description = "Measures rates and bandwidths of a job on this host: many operations, completed by one quiet.",
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Operations: put_rate atomic_add_rate get_rate fetch_rate, of 8 bytes; put_bw get_bw put_bibw; " +
            "histo gups indexgather intsort. put_bibw is the bandwidth of one PE while all put to their neighbours. " +
            "The last four are workloads of all PEs, whose results are checked. See docs/latency.md."
    })
final class BandwidthCommand implements Callable<Integer>
{
    private static final String ALL = "all";
    private static final int MAX_THREADS = 256;
    private static final List<Long> SWEEP =
        List.of(64L, 512L, 4L << 10, 32L << 10, 256L << 10, 1L << 20, 4L << 20);

    @Mixin
    private MeasurementOptions measurement;

    @Option(names = "--op", split = ",", paramLabel = "NAME", defaultValue = ALL,
        description = "Operations to measure, or all (default: all).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", converter = SizesConverter.class,
        description = "Sizes of blocks in bytes (default: 64,512,4k,32k,256k,1m,4m); osu: powers of two from 1 to 1m.")
    private List<long[]> sizeElements = new ArrayList<>();

    @Option(names = "--matrix", description = "Measures each ordered pair of PEs, with the operations up to get_bw.")
    private boolean isMatrix;

    @Option(names = "--all-pes",
        description = "All PEs call at once, each to the next one; the rate is that of PE 0.")
    private boolean isAllPes;

    @Option(names = "--traffic", paramLabel = "PATTERN|FILE",
        description = "Who calls whom at once: next, pairs, incast, outcast, all, random, or a file with a matrix of" +
            " shares, a line per caller; the rate is that of all calls.")
    private String pattern;

    @Option(names = "--window", paramLabel = "N",
        description = "Completes each N calls by a quiet (default: all; 64 where a PE calls several).")
    private Integer window;

    @Option(names = "--threads", paramLabel = "N", defaultValue = "1",
        description = "Threads of each PE that calls, each with a context of its own (default: 1).")
    private int threads;

    @Option(names = "--shared-context", description = "All threads use the default context.")
    private boolean isContextShared;

    @Option(names = "--plot", paramLabel = "FILE", description = "Plots rates by size to a .svg or .html file.")
    private Path plot;

    private BandwidthCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
        final List<Long> sizes = SizesConverter.all(sizeElements);
        MeasurementOptions.validateSizes(sizes);
        measurement.validate();
        if (isMatrix)
        {
            measurement.validatePairs();
        }

        if (isMatrix && isAllPes)
        {
            throw CommandException.usage("--matrix and --all-pes exclude each other");
        }

        final Traffic traffic = traffic();
        if (!traffic.isNone())
        {
            if (isMatrix || isAllPes)
            {
                throw CommandException.usage(
                    "--traffic, --window and --threads exclude --matrix and --all-pes");
            }

            measurement.validate(traffic);
        }

        final LatencyVariation variation = new LatencyVariation(List.of(), false, isMatrix, isAllPes, traffic, 0);
        final List<LatencyOperation> chosen = measurement.chosen(
            operations,
            variation,
            (name) -> ALL.equalsIgnoreCase(name) ? LatencyOperation::isRate : null,
            (name) -> operation(name, variation));
        return new MeasurementFiles(null, plot).run((directory) ->
            measurement.run(
            chosen,
            sizes.isEmpty() ? SWEEP : sizes,
            List.of(ReducedValue.SUM_OF_LONGS),
            variation,
            directory,
            false));
    }

    private Traffic traffic()
    {
        if (null != window && (window < 1 || window > LatencyPlan.MAX_ITERATIONS))
        {
            throw CommandException.usage(
                "--window must be 1 to " + LatencyPlan.MAX_ITERATIONS + ": --window=" + window);
        }

        if (threads < 1 || threads > MAX_THREADS)
        {
            throw CommandException.usage("--threads must be 1 to " + MAX_THREADS + ": --threads=" + threads);
        }

        final Traffic.Pattern known = null == pattern ? null : Arrays.stream(Traffic.Pattern.values())
            .filter((constant) -> Traffic.Pattern.MATRIX != constant && constant.name().equalsIgnoreCase(pattern))
            .findFirst().orElse(Traffic.Pattern.MATRIX);
        return new Traffic(
            known,
            Traffic.Pattern.MATRIX == known ? Traffic.parseWeights(pattern, lines(Path.of(pattern))) : List.of(),
            null == window ? 0 : window,
            threads,
            isContextShared);
    }

    private static List<String> lines(final Path file)
    {
        try
        {
            return InputFile.lines(file);
        }
        catch (final IOException ex)
        {
            throw CommandException.usage("--traffic must be next, pairs, incast, outcast, all, random or a file: " +
                FileProblem.describe(ex));
        }
    }

    private LatencyOperation operation(final String name, final LatencyVariation variation)
    {
        final LatencyOperation operation = LatencyOperation.of(name, ALL, LatencyOperation::isRate);
        if (!operation.isRate())
        {
            throw CommandException.usage("--op must be a rate, '" + operation.lowerCaseName() +
                "' is measured by 'aeroshmem latency'");
        }

        if (!variation.isPossible(operation))
        {
            throw CommandException.usage((isMatrix ? "--matrix measures one pair at a time" :
                "--traffic, --window and --threads apply to the rates up to get_bw") + ", not --op=" +
                operation.lowerCaseName());
        }

        return operation;
    }
}
