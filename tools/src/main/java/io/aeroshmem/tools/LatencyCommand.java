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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.latency.HeapKind;
import io.aeroshmem.tools.latency.LatencyOperation;
import io.aeroshmem.tools.latency.LatencyVariation;
import io.aeroshmem.tools.latency.ReducedValue;
import io.aeroshmem.tools.latency.Traffic;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/**
 * The {@code aeroshmem latency} command: starts a job, by default of two PEs, and prints the latencies of operations
 * between them.
 */
@Command(
    name = "latency",
    description = "Measures the operations of a job on this host and prints their latencies.",
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Operations: pingpong put get put_signal atomic_fetch_add atomic_add atomic_compare_swap " +
            "barrier sync reduce broadcast collect alltoall reduce_scatter inclusive_scan " +
            "fan_in fan_out reduce_to_root reduce_scatterv gather gatherv scatter scatterv allgatherv alltoallv " +
            "sync_request reduce_request broadcast_request collect_request alltoall_request " +
            "reduce_scatter_request inclusive_scan_request, and those of bandwidth.",
        "All adds: " +
            "put_long get_long put_nbi get_nbi put_all put_signal_all put_each put_signal_each put_request " +
            "get_request put_array get_array iput iget ibput ibget put_signal_nbi signal atomic_fetch atomic_set " +
            "atomic_swap atomic_inc " +
            "atomic_fetch_inc atomic_and atomic_fetch_and atomic_or atomic_fetch_or atomic_xor atomic_fetch_xor " +
            "atomic_min atomic_fetch_min atomic_max atomic_fetch_max " +
            "atomic_fetch_add_nbi fence quiet lock collect_unequal alltoalls exclusive_scan " +
            "reduce_long broadcast_long exclusive_scan_request reduce_exposed put_exposed get_exposed malloc split.",
        "reduce is a sum whose result is on every PE; collect takes equal blocks (fcollect); a sample of a " +
            "collective with a root includes a barrier after it. Those from put to inclusive_scan can be measured " +
            "with --on-stream. See docs/latency.md."
    })
final class LatencyCommand implements Callable<Integer>
{
    private static final String ALL = "all";
    private static final String USUAL = "usual";

    @Mixin
    private MeasurementOptions measurement;

    @Option(names = "--op", split = ",", paramLabel = "NAME", defaultValue = USUAL,
        description = "Operations to measure, usual or all (default: usual).")
    private List<String> operations;

    @Option(names = "--sizes", split = ",", paramLabel = "SIZE", converter = SizesConverter.class,
        description = "Sizes in bytes for put, get, put_signal and bandwidths (default: 8,4096,1m), and of a PE's" +
            " block in reduce (default: 8,1m) and other collectives (default: 8); osu: powers of two from 1 to 1m.")
    private List<long[]> sizeElements = new ArrayList<>();

    @Option(names = "--type", split = ",", paramLabel = "TYPE",
        description = "Element types of reductions, such as long, int, double, float, half, or all (default: long, or" +
            " int if a size needs it).")
    private List<String> types = new ArrayList<>();

    @Option(names = "--reduce-op", split = ",", paramLabel = "OP", defaultValue = "sum",
        description = "Operations of reductions: and, or, xor, max, min, sum, prod, or all (default: sum).")
    private List<String> reduceOps = new ArrayList<>();

    @Option(names = "--on-stream",
        description = "Enqueues the operations on a CUDA stream, and waits for it in each call; for pinned and device.")
    private boolean isOnStream;

    @Option(names = "--rate", split = ",", paramLabel = "N",
        description = "Calls per second of each PE that calls: measures an open loop after the closed one, whose" +
            " latencies count from the time at which each call was due. Several rates follow each other.")
    private List<Long> rates = new ArrayList<>();

    @Option(names = "--root-shift",
        description = "Moves the root of each collective that has one to the next PE from call to call.")
    private boolean isRootShifted;

    @Option(names = "--matrix",
        description = "Measures each ordered pair of PEs, with ping-pong, one-sided operations or their rates.")
    private boolean isMatrix;

    @Option(names = "--from-start", arity = "0..1", fallbackValue = "10s", paramLabel = "DURATION",
        converter = DurationConverter.class,
        description = "Measures each operation in a job of its own, from the end of init on and without warm-up, for" +
            " this time (default: 10s): how soon it reaches half, 90 percent and all of its peak rate.")
    private Duration fromStart;

    @Option(names = "--histograms", paramLabel = "DIR",
        description = "Writes a percentile distribution (.hgrm) and a log (.hlog) per row that has times, and all" +
            " rows (results.csv), to this directory.")
    private Path histograms;

    @Option(names = "--plot", paramLabel = "FILE",
        description = "Plots percentiles, and curves by size, to a .svg or .html file.")
    private Path plot;

    private LatencyCommand()
    {
    }

    @Override
    public Integer call() throws Exception
    {
        validateRates();
        validateFromStart();
        final LatencyVariation variation = new LatencyVariation(
            rates, isRootShifted, isMatrix, false, Traffic.NONE, null == fromStart ? 0 : fromStart.toNanos());
        final List<LatencyOperation> chosen =
            measurement.chosen(operations, variation, this::group, (name) -> operation(name, variation));
        final List<Long> sizes = SizesConverter.all(sizeElements);
        MeasurementOptions.validateSizes(sizes);
        measurement.validate();
        final List<ReducedValue> reductions = reductions(sizes);
        if (1 == reductions.size() && sizeElements.stream().noneMatch(SizesConverter::isNamed))
        {
            validateReductions(chosen, sizes, reductions.get(0).type().bytes());
        }

        validateStream(chosen);
        if (isMatrix)
        {
            measurement.validatePairs();
        }

        return new MeasurementFiles(histograms, plot).run((directory) ->
            measurement.run(chosen, sizes, reductions, variation, directory, isOnStream));
    }

    private void validateRates()
    {
        for (final long rate : rates)
        {
            if (rate < 1 || rate > LatencyVariation.MAX_RATE)
            {
                throw CommandException.usage(
                    "--rate must be 1 to " + LatencyVariation.MAX_RATE + " calls per second: --rate=" + rate);
            }
        }
    }

    private void validateFromStart()
    {
        if (null == fromStart)
        {
            return;
        }

        final Duration longest = Duration.ofHours(1);
        if (fromStart.compareTo(Duration.ofSeconds(1)) < 0 || fromStart.compareTo(longest) > 0)
        {
            throw CommandException.usage("--from-start must be 1s to 1h: --from-start=" + fromStart.toMillis() + "ms");
        }

        if (!rates.isEmpty() || isRootShifted || isMatrix || isOnStream || null != histograms || null != plot)
        {
            throw CommandException.usage(
                "--from-start excludes --rate, --root-shift, --matrix, --on-stream, --histograms and --plot");
        }

        measurement.validateFromStart();
    }

    private Predicate<LatencyOperation> group(final String name)
    {
        final boolean isAll = ALL.equalsIgnoreCase(name);
        return isAll || USUAL.equalsIgnoreCase(name) ? (operation) -> !operation.isWorkload() &&
            (isAll || operation.isUsual()) && (!isOnStream || operation.isForStreams()) : null;
    }

    private LatencyOperation operation(final String name, final LatencyVariation variation)
    {
        final LatencyOperation operation = LatencyOperation.of(name, USUAL + ", " + ALL, (allowed) -> true);
        if (!variation.isPossible(operation))
        {
            throw CommandException.usage(refusal(operation));
        }

        return operation;
    }

    private String refusal(final LatencyOperation operation)
    {
        final String name = operation.lowerCaseName();
        if (isMatrix && !operation.isOfPair())
        {
            return "--matrix measures pingpong, one-sided operations and their rates, not --op=" + name;
        }

        return isRootShifted && !operation.isRooted() ? "--root-shift requires a collective with a root: --op=" + name :
            "--rate measures calls that are timed one by one, not --op=" + name;
    }

    private static void validateReductions(
        final List<LatencyOperation> chosen, final List<Long> sizes, final int length)
    {
        for (final LatencyOperation operation : chosen)
        {
            for (final long size : sizes)
            {
                if (operation.isReduction() && 0 != size % length)
                {
                    throw CommandException.usage("--sizes must be multiples of " + length + " bytes for " +
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

    private List<ReducedValue> reductions(final List<Long> sizes)
    {
        final ElementType usual = sizes.stream().allMatch((size) -> 0 == size % Long.BYTES) ?
            ElementType.LONG : ElementType.INT;
        final List<ReducedValue> reductions = ReducedValue.all(
            types.isEmpty() ? List.of(usual) : constants("--type", types, ElementType.values()),
            constants("--reduce-op", reduceOps, Arrays.copyOf(ReduceOp.values(), ReduceOp.PROD.ordinal() + 1)));
        if (reductions.isEmpty())
        {
            throw CommandException.usage("--reduce-op is not defined for --type=" + String.join(",", types));
        }

        return reductions;
    }

    private static <T extends Enum<T>> List<T> constants(
        final String option, final List<String> names, final T[] allowed)
    {
        final List<T> chosen = new ArrayList<>();
        for (final String name : names)
        {
            final List<T> named = Arrays.stream(allowed)
                .filter((constant) -> ALL.equalsIgnoreCase(name) || constant.name().equalsIgnoreCase(name.trim()))
                .collect(Collectors.toList());
            if (named.isEmpty())
            {
                throw CommandException.usage(option + " must be " + ALL + ", " + Arrays.stream(allowed)
                    .map((constant) -> constant.name().toLowerCase(Locale.ROOT)).collect(Collectors.joining(", ")) +
                    ": " + option + "=" + name);
            }

            named.stream().filter((constant) -> !chosen.contains(constant)).forEach(chosen::add);
        }

        return chosen;
    }
}
