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
package io.aeroshmem.tools.latency;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * Plan of the measurements of one job, which the command passes to its PEs in the arguments of
 * {@link LatencyPe#main(String[])}.
 *
 * @param operations in the order of measurement.
 * @param sizes      in bytes, for the operations of variable size; empty for the defaults of each operation.
 * @param reductions element types and operations of reductions; those that each operation of {@link #operations}
 *                   reduces with.
 * @param iterations measured calls, or {@link #AUTOMATIC}.
 * @param warmup     calls before the measured ones, or {@link #AUTOMATIC}.
 * @param format     of the output.
 * @param variation  how the measurement of each operation is varied.
 * @param histograms directory for histograms and rows, or null.
 * @param baseline   file with the rows to compare with, or null.
 * @param cpus       processor of each PE's calling thread, by PE; empty if the threads are not pinned.
 * @param transport  the paths to peers, as specified on the command line.
 * @param heapKind   kind of the memory of all buffers.
 * @param isOnStream whether operations are enqueued on a stream.
 * @param version    name and version of this library, for the header.
 * @param isProgress whether lines of progress precede the rows, see {@link ProgressLine}.
 * @param isFirst    whether this is the first of the jobs that share the output, see {@link RowWriter}.
 * @param isLast     whether this is the last of these jobs.
 */
public record LatencyPlan(
    List<LatencyOperation> operations,
    List<Long> sizes,
    List<ReducedValue> reductions,
    int iterations,
    int warmup,
    LatencyFormat format,
    LatencyVariation variation,
    Path histograms,
    Path baseline,
    List<Integer> cpus,
    String transport,
    HeapKind heapKind,
    boolean isOnStream,
    String version,
    boolean isProgress,
    boolean isFirst,
    boolean isLast)
{
    /** Number of calls that is derived from the time of one. */
    public static final int AUTOMATIC = -1;

    /** Maximum number of measured calls: each takes 8 bytes of the JVM's heap. */
    public static final int MAX_ITERATIONS = 10_000_000;

    /** Returns the plan as arguments for {@link #parse(String[])}, {@code name=value} per component. */
    public List<String> toArguments()
    {
        final List<String> arguments = new ArrayList<>();
        arguments.add("operations=" + join(operations));
        arguments.add("sizes=" + join(sizes));
        arguments.add("reductions=" + join(reductions));
        arguments.add("iterations=" + iterations);
        arguments.add("warmup=" + warmup);
        arguments.add("format=" + format.name());
        arguments.add("rates=" + join(variation.rates()));
        arguments.add("isRootShifted=" + variation.isRootShifted());
        arguments.add("isMatrix=" + variation.isMatrix());
        arguments.add("isAllPes=" + variation.isAllPes());
        arguments.add("traffic=" + variation.traffic());
        arguments.add("fromStartNs=" + variation.fromStartNs());
        arguments.add("histograms=" + (null == histograms ? "" : histograms));
        arguments.add("baseline=" + (null == baseline ? "" : baseline));
        arguments.add("cpus=" + join(cpus));
        arguments.add("transport=" + transport);
        arguments.add("heapKind=" + heapKind.name());
        arguments.add("isOnStream=" + isOnStream);
        arguments.add("version=" + version);
        arguments.add("isProgress=" + isProgress);
        arguments.add("isFirst=" + isFirst);
        arguments.add("isLast=" + isLast);
        return arguments;
    }

    /** Parses the arguments of {@link #toArguments()}. */
    static LatencyPlan parse(final String[] arguments)
    {
        final Map<String, String> values = new HashMap<>();
        for (final String argument : arguments)
        {
            final int equals = argument.indexOf('=');
            if (equals < 0)
            {
                throw new IllegalArgumentException(
                    "argument must be name=value: '" + argument + "'; use 'aeroshmem latency'");
            }

            values.put(argument.substring(0, equals), argument.substring(equals + 1));
        }

        return new LatencyPlan(
            split(values.get("operations")).stream().map(LatencyOperation::valueOf).collect(Collectors.toList()),
            longs(values.get("sizes")),
            split(values.get("reductions")).stream().map(ReducedValue::parse).collect(Collectors.toList()),
            Integer.parseInt(values.get("iterations")),
            Integer.parseInt(values.get("warmup")),
            LatencyFormat.valueOf(values.get("format")),
            new LatencyVariation(
                longs(values.get("rates")),
                Boolean.parseBoolean(values.get("isRootShifted")),
                Boolean.parseBoolean(values.get("isMatrix")),
                Boolean.parseBoolean(values.get("isAllPes")),
                Traffic.parse(values.get("traffic")),
                Long.parseLong(values.get("fromStartNs"))),
            path(values.get("histograms")),
            path(values.get("baseline")),
            split(values.get("cpus")).stream().map(Integer::valueOf).collect(Collectors.toList()),
            values.get("transport"),
            HeapKind.valueOf(values.get("heapKind")),
            Boolean.parseBoolean(values.get("isOnStream")),
            values.get("version"),
            Boolean.parseBoolean(values.get("isProgress")),
            Boolean.parseBoolean(values.get("isFirst")),
            Boolean.parseBoolean(values.get("isLast")));
    }

    /**
     * Returns the name of an operation in rows.
     *
     * @param rate calls per second of an open loop, or {@link LatencyRow#CLOSED}.
     */
    String name(final LatencyOperation operation, final ReducedValue reduced, final long rate)
    {
        return name(operation) + (operation.isReduction() && reductions.size() > 1 ? reduced.suffix() : "") +
            (LatencyRow.CLOSED == rate ? "" : "_at_" + rate);
    }

    /** Returns the name of an operation without the rate. */
    String name(final LatencyOperation operation)
    {
        return operation.lowerCaseName() + (isOnStream ? "_on_stream" : "") +
            (variation.isRootShifted() ? "_root_shift" : "") +
            (variation.isAllPes() && !operation.isCollective() ? "_all_pes" : "") +
            (operation.isCollective() ? "" : variation.traffic().suffix());
    }

    /** Returns the types and operations to measure an operation with; one if it is no reduction. */
    List<ReducedValue> reductions(final LatencyOperation operation)
    {
        return operation.isReduction() ? reductions : reductions.subList(0, 1);
    }

    /** Returns the sizes in bytes to measure an operation with; one for an operation of fixed size. */
    public List<Long> sizes(final LatencyOperation operation)
    {
        return operation.sizes(sizes);
    }

    /** Returns the length in bytes, at least 8, of the longest source or dest. */
    public long bufferBytes(final int nPes)
    {
        long most = Long.BYTES;
        for (final LatencyOperation operation : operations)
        {
            for (final long bytes : sizes(operation))
            {
                most = Math.max(most, variation.traffic().isNone() ? operation.bufferBytes(bytes, nPes) :
                    variation.traffic().blocks(nPes) * Traffic.stride(bytes));
            }
        }

        return most;
    }

    /** Returns how the peer of the calls is reached: {@code mapped}, {@code ipc} or {@code udp}. */
    String path(final boolean isMapped)
    {
        return isMapped ? "mapped" : "auto".equals(transport) ? "udp" : transport;
    }

    private static Path path(final String value)
    {
        return value.isEmpty() ? null : Path.of(value);
    }

    private static String join(final List<?> values)
    {
        return values.stream().map(String::valueOf).collect(Collectors.joining(","));
    }

    private static List<Long> longs(final String values)
    {
        return split(values).stream().map(Long::valueOf).collect(Collectors.toList());
    }

    private static List<String> split(final String values)
    {
        return values.isEmpty() ? List.of() : Arrays.asList(values.split(","));
    }
}
