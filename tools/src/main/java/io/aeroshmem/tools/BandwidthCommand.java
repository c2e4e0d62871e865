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
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.latency.LatencyVariation;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.util.ArrayList;
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
    private static final List<Long> SWEEP =
        List.of(64L, 512L, 4L << 10, 32L << 10, 256L << 10, 1L << 20, 4L << 20);

    @Mixin
    private MeasurementOptions measurement;

    @Option(names = "--op", split = ",", paramLabel = "NAME", defaultValue = ALL,
        description = "Operations to measure, or all (default: all).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", converter = SizeConverter.class,
        description = "Sizes of blocks in bytes (default: 64,512,4k,32k,256k,1m,4m).")
    private List<Long> sizes = new ArrayList<>();

    @Option(names = "--matrix", description = "Measures each ordered pair of PEs, with the operations up to get_bw.")
    private boolean isMatrix;

    @Option(names = "--all-pes",
        description = "All PEs call at once, each to the next one; the rate is that of PE 0.")
    private boolean isAllPes;

    @Option(names = "--plot", paramLabel = "FILE", description = "Plots rates by size to a .svg or .html file.")
    private Path plot;

    private BandwidthCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
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

        final LatencyVariation variation = new LatencyVariation(List.of(), false, isMatrix, isAllPes, 0);
        final List<LatencyOperation> chosen = measurement.chosen(
            operations,
            variation,
            (name) -> ALL.equalsIgnoreCase(name) ? LatencyOperation::isRate : null,
            (name) -> operation(name, variation));
        return new MeasurementFiles(null, plot).run((directory) ->
            measurement.run(chosen, sizes.isEmpty() ? SWEEP : sizes, ElementType.LONG, variation, directory, false));
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
            throw CommandException.usage("--matrix measures one pair at a time, not --op=" +
                operation.lowerCaseName());
        }

        return operation;
    }
}
