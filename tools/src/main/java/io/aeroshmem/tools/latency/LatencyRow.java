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

import io.aeroshmem.tools.format.Figures;
import io.aeroshmem.tools.format.Json;

import java.util.Arrays;
import java.util.Map;

/**
 * One row of the results, with the figures of one operation and size. Times are in nanoseconds.
 *
 * @param operation    name of the operation.
 * @param transport    path to the peer of the calls: {@code mapped}, {@code ipc} or {@code udp}.
 * @param pes          number of PEs.
 * @param bytes        size of the call, as {@link LatencyOperation} defines it for the operation; 0 for operations
 *                     without a size, such as barrier.
 * @param samples      number of measured calls.
 * @param minNs        shortest call. The columns from this one to {@code maxNs} are {@link #NONE} if the calls were
 *                     timed together ({@link #ofRate}).
 * @param p50Ns        median.
 * @param p90Ns        90th percentile.
 * @param p99Ns        99th percentile.
 * @param p999Ns       99.9th percentile.
 * @param maxNs        longest call.
 * @param meanNs       time of the whole loop divided by the number of calls; in an open loop (see {@code rate}) the
 *                     mean of the latencies.
 * @param opsPerSecond calls made per second.
 * @param rate         calls due per second in an open loop, where calls are due at fixed times; {@link #CLOSED} in a
 *                     closed loop, where a call starts when the previous one has ended.
 * @param pairOrNull   the measured pair of PEs, if each pair has a row of its own; else null.
 * @param costs        JVM costs of the measured calls: of each cost, the highest of all PEs.
 */
public record LatencyRow(
    String operation,
    String transport,
    int pes,
    long bytes,
    long samples,
    long minNs,
    long p50Ns,
    long p90Ns,
    long p99Ns,
    long p999Ns,
    long maxNs,
    double meanNs,
    double opsPerSecond,
    long rate,
    PePair pairOrNull,
    JvmCosts costs)
{
    /** Value of a time column that a rate leaves empty. */
    public static final long NONE = -1;

    /** Rate of a closed loop, which makes each call when the one before has ended. */
    public static final long CLOSED = 0;

    /**
     * Returns the row of calls that were timed one by one; sorts the samples. A percentile is the lowest sample that is
     * not exceeded by more than the rest of the samples, as in HdrHistogram, but exact.
     *
     * @param rate of an open loop, or {@link #CLOSED}.
     */
    public static LatencyRow ofSamples(
        final String operation,
        final String transport,
        final int pes,
        final long bytes,
        final long rate,
        final long[] samples,
        final int count,
        final long totalNs)
    {
        Arrays.sort(samples, 0, count);
        final double callNs = (double)totalNs / count;
        return new LatencyRow(operation, transport, pes, bytes, count,
            samples[0], percentile(samples, count, 50), percentile(samples, count, 90),
            percentile(samples, count, 99), percentile(samples, count, 99.9), samples[count - 1],
            CLOSED == rate ? callNs : Arrays.stream(samples, 0, count).average().orElse(0),
            1e9 / callNs, rate, null, JvmCosts.NONE);
    }

    private static long percentile(final long[] sorted, final int count, final double percentile)
    {
        // down, as HdrHistogram does, so that a rounding error does not add 1
        return sorted[(int)Math.ceil(Math.nextDown(percentile) * count / 100) - 1];
    }

    /** Returns the row of calls that were timed together. */
    public static LatencyRow ofRate(
        final String operation,
        final String transport,
        final int pes,
        final long bytes,
        final long count,
        final long totalNs)
    {
        final double callNs = (double)totalNs / count;
        return new LatencyRow(operation, transport, pes, bytes, count, NONE, NONE, NONE, NONE, NONE, NONE,
            callNs, 1e9 / callNs, CLOSED, null, JvmCosts.NONE);
    }

    /** Returns the name in CSV rows and baselines, which names the PEs if each pair is measured. */
    public String name()
    {
        return operation + (null == pairOrNull ? "" : pairOrNull.suffix());
    }

    /** Returns the columns of CSV by name, null for {@link #NONE}. */
    Map<String, Object> columns()
    {
        return Json.object(
            "operation", name(), "transport", transport, "pes", pes, "bytes", bytes, "samples", samples,
            "min_ns", orNull(minNs), "p50_ns", orNull(p50Ns), "p90_ns", orNull(p90Ns), "p99_ns", orNull(p99Ns),
            "p999_ns", orNull(p999Ns), "max_ns", orNull(maxNs), "mean_ns", Figures.decimal(meanNs, 1),
            "ops_per_s", Figures.decimal(opsPerSecond, 0), "mb_per_s", Figures.decimal(megabytesPerSecond(), 1));
    }

    /** Returns null for {@link #NONE}, or {@link JvmCosts#UNKNOWN}. */
    static Long orNull(final long value)
    {
        return value < 0 ? null : Long.valueOf(value);
    }

    /** Returns the megabytes (10⁶ bytes) per second. */
    public double megabytesPerSecond()
    {
        return bytes * opsPerSecond / 1e6;
    }

    /** Returns the bytes that a call has allocated, or {@link JvmCosts#UNKNOWN}. */
    public double allocatedPerCall()
    {
        return JvmCosts.UNKNOWN == costs.allocatedBytes() ? JvmCosts.UNKNOWN :
            (double)costs.allocatedBytes() / samples;
    }
}
