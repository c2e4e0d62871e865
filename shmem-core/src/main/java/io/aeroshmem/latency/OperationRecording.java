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
package io.aeroshmem.latency;

import org.agrona.concurrent.NanoClock;

import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.concurrent.atomic.LongAdder;

/**
 * The counts of the one-sided operations that a PE issues and, while its latencies are recorded, their histograms and
 * those of waits. Exists only in a PE that has asked for it. Any threads record at the same time:
 * <pre>{@code
 * final long startNs = operations.begin();
 * perform();
 * operations.end(Operation.PUT, bytes, startNs);
 * }</pre>
 */
public final class OperationRecording
{
    /** In the place of the team in tags. */
    private static final String TEAM = "operations";
    private static final long NOT_RECORDED = Long.MIN_VALUE;
    private static final Operation[] OPERATIONS = Operation.values();

    private final LatencyRecording recording;
    private final NanoClock clock;
    private final LongAdder[] counts = new LongAdder[OPERATIONS.length];
    private final LongAdder[] bytes = new LongAdder[OPERATIONS.length];
    /** By operation, then by size class; null until the first record. Volatile elements: any thread adds one. */
    private final AtomicReferenceArray<LatencyHistogram> histograms =
        new AtomicReferenceArray<>(OPERATIONS.length * SizeClass.COUNT);

    OperationRecording(final LatencyRecording recording, final NanoClock clock)
    {
        this.recording = recording;
        this.clock = clock;
        for (int i = 0; i < OPERATIONS.length; i++)
        {
            counts[i] = new LongAdder();
            bytes[i] = new LongAdder();
        }
    }

    /** Returns the time at which an operation begins, for {@link #end}; a constant if no latencies are recorded. */
    public long begin()
    {
        return recording.isOn() ? clock.nanoTime() : NOT_RECORDED;
    }

    /**
     * Counts an operation that has returned, and records its latency if it has a start; one that throws is not ended.
     *
     * @param length  in bytes, 0 for operations without any.
     * @param startNs what {@link #begin()} returned.
     */
    public void end(final Operation operation, final long length, final long startNs)
    {
        final int index = operation.ordinal();
        counts[index].increment();
        bytes[index].add(length);
        if (NOT_RECORDED != startNs)
        {
            histogram(operation, SizeClass.indexOf(length)).record(clock.nanoTime() - startNs);
        }
    }

    private LatencyHistogram histogram(final Operation operation, final int sizeClass)
    {
        final int index = operation.ordinal() * SizeClass.COUNT + sizeClass;
        final LatencyHistogram present = histograms.get(index);
        return null == present ? addHistogram(index, operation, sizeClass) : present;
    }

    private LatencyHistogram addHistogram(final int index, final Operation operation, final int sizeClass)
    {
        final LatencyHistogram histogram = recording.operationHistogram(TEAM, operation, sizeClass);
        histograms.set(index, histogram);
        return histogram;
    }

    /** Returns the number of operations of these kinds. */
    public long count(final Operation... kinds)
    {
        return sum(counts, kinds);
    }

    /** Returns the bytes of operations of these kinds. */
    public long bytes(final Operation... kinds)
    {
        return sum(bytes, kinds);
    }

    private static long sum(final LongAdder[] adders, final Operation... kinds)
    {
        long sum = 0;
        for (final Operation kind : kinds)
        {
            sum += adders[kind.ordinal()].sum();
        }

        return sum;
    }
}
