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

import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * One PE of {@code aeroshmem latency} or {@code aeroshmem bandwidth}. PE 0 measures and prints; its peer is PE 1. The
 * other PEs take part in collective operations, and otherwise wait in a barrier, as in the C programs with which the
 * figures are compared. Two settings of the {@link LatencyVariation} change this. For a matrix, each PE measures in
 * turn. If all PEs call at once, each PE makes the measured calls to the next PE, and the figures are those of PE 0. In
 * a {@link Traffic} the figures are those of all calls of all PEs.
 */
public final class LatencyPe
{
    /**
     * Few calls at a time: the loop is then invoked often and compiled for normal entry, not only for on-stack
     * replacement.
     */
    private static final int WARMUP_PIECE = 10;
    private static final int RATE_PIECES = 20;

    /** Interval of the warm-up calls of an open loop beyond the time of a call, so that the wait is compiled too. */
    private static final double WARMUP_SLACK_NS = 200;

    private static final double PICOSECONDS = 1000;

    /** Share of the calls due that an open loop has to make for its latencies to mean anything. */
    private static final double REACHED = 0.95;

    private final Shmem shmem;
    private final LatencyPlan plan;
    private final int peer;
    private final MeasuredHeap heap;
    private final SymmetricBuffer dest;
    private final SymmetricBuffer source;
    private final SymmetricBuffer signal;
    private final CallCounts counts;
    private final FigureExchange figures;
    private final ResultFiles files;
    private final JvmMeter meter = new JvmMeter();
    private final String transport;
    private final int processors;
    private long[] samples = new long[0];

    /**
     * One row to measure.
     *
     * @param reduced    what a reduction combines.
     * @param rate       calls per second of an open loop, or {@link LatencyRow#CLOSED}.
     * @param pairOrNull the PEs, if each pair is measured.
     */
    private record Measurement(
        LatencyOperation operation, long bytes, ReducedValue reduced, long rate, PePair pairOrNull)
    {
        int caller()
        {
            return null == pairOrNull ? 0 : pairOrNull.from();
        }

        boolean isOpen()
        {
            return LatencyRow.CLOSED != rate;
        }

        double intervalNs()
        {
            return 1e9 / rate;
        }
    }

    private LatencyPe(final Shmem shmem, final LatencyPlan plan)
    {
        this.shmem = shmem;
        this.plan = plan;
        peer = (shmem.myPe() + 1) % shmem.nPes();
        heap = new MeasuredHeap(shmem, plan.heapKind(), plan.isOnStream());
        dest = heap.calloc(plan.bufferBytes(shmem.nPes()));
        source = heap.calloc(plan.bufferBytes(shmem.nPes()));
        signal = heap.calloc(Long.BYTES);
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        counts = new CallCounts(shmem, word, plan);
        figures = new FigureExchange(shmem);
        files = null == plan.histograms() ? null : new ResultFiles(plan.histograms(), plan);
        // read before pinning: afterwards the JVM counts the processors of the calling thread
        processors = Runtime.getRuntime().availableProcessors();
        transport = plan.path(null != shmem.ptr(word, peer));
    }

    /** Measures what the arguments specify, see {@link LatencyPlan#toArguments()}. */
    public static void main(final String[] args) throws Exception
    {
        final LatencyPlan plan = LatencyPlan.parse(args);
        final long beginNs = System.nanoTime();
        Shmem.run(new Shmem.Context(), (shmem) ->
        {
            if (plan.variation().isFromStart())
            {
                new StartPe(shmem, plan, System.nanoTime() - beginNs).run();
            }
            else
            {
                new LatencyPe(shmem, plan).run();
            }
        });
    }

    private void run() throws IOException, InterruptedException
    {
        final int me = shmem.myPe();
        final boolean isPinned = !plan.cpus().isEmpty() && CpuPinning.pinCallingThread(plan.cpus().get(me));
        final RowWriter writer = 0 != me ? null : plan.format().writer(
            System.out, null == plan.baseline() ? null : Baseline.read(plan.baseline()));
        if (null != writer)
        {
            final LatencyEnvironment environment = LatencyEnvironment.of(
                plan, shmem.nPes(), transport, heap.description(), processors, isPinned);
            writer.begin(environment, plan.isFirst());
            if (null != files)
            {
                files.begin(environment);
            }
        }

        final List<Measurement> measurements = measurements();
        for (int i = 0; i < measurements.size(); i++)
        {
            if (null != writer && plan.isProgress())
            {
                ProgressLine.print(System.out, i + 1, measurements.size(), text(measurements.get(i)));
            }

            final LatencyRow row = measure(measurements.get(i));
            if (null != writer)
            {
                print(row, writer);
            }
        }

        if (null != writer)
        {
            writer.end(plan.isLast());
            if (null != files)
            {
                files.end();
            }
        }

        heap.release();
    }

    private List<Measurement> measurements()
    {
        final List<Long> rates = new ArrayList<>(List.of(LatencyRow.CLOSED));
        rates.addAll(plan.variation().rates());
        final List<Measurement> measurements = new ArrayList<>();
        for (final LatencyOperation operation : plan.operations())
        {
            for (final ReducedValue reduced : plan.reductions(operation))
            {
                for (final long bytes : plan.sizes(operation))
                {
                    // several types have no common size
                    if (!operation.isReduction() || 0 == bytes % reduced.type().bytes())
                    {
                        addAll(measurements, operation, bytes, reduced, rates);
                    }
                }
            }
        }

        return measurements;
    }

    private void addAll(
        final List<Measurement> measurements,
        final LatencyOperation operation,
        final long bytes,
        final ReducedValue reduced,
        final List<Long> rates)
    {
        for (final long rate : rates)
        {
            for (final PePair pairOrNull : pairs())
            {
                measurements.add(new Measurement(operation, bytes, reduced, rate, pairOrNull));
            }
        }
    }

    /** Returns the pairs in the order of the callers, or null alone if PE 0 measures. */
    private List<PePair> pairs()
    {
        if (!plan.variation().isMatrix())
        {
            return Arrays.asList((PePair)null);
        }

        final List<PePair> pairs = new ArrayList<>();
        for (int from = 0; from < shmem.nPes(); from++)
        {
            for (int to = 0; to < shmem.nPes(); to++)
            {
                if (from != to)
                {
                    pairs.add(new PePair(from, to));
                }
            }
        }

        return pairs;
    }

    private String text(final Measurement measurement)
    {
        final PePair pair = measurement.pairOrNull();
        return shmem.nPes() + " PEs, " + transport + ": " + name(measurement) +
            (null == pair ? "" : pair.suffix()) + ", " + measurement.bytes() + " bytes";
    }

    private String name(final Measurement measurement)
    {
        return plan.name(measurement.operation(), measurement.reduced(), measurement.rate());
    }

    private void print(final LatencyRow row, final RowWriter writer) throws IOException
    {
        writer.row(row);
        if (null != files)
        {
            files.add(row);
        }

        if (LatencyRow.CLOSED != row.rate() && row.opsPerSecond() < row.rate() * REACHED)
        {
            System.err.printf(
                "warning: %s of %d bytes made %.0f of %d calls per second: the longer it lasts, the later they are%n",
                row.name(), row.bytes(), row.opsPerSecond(), row.rate());
        }
    }

    /** Warms up and measures one operation; called by all PEs. Returns the row on PE 0, null elsewhere. */
    private LatencyRow measure(final Measurement measurement) throws IOException
    {
        final LatencyOperation operation = measurement.operation();
        final long bytes = measurement.bytes();
        shmem.defaultContext().putLong(signal, 0, 0, shmem.myPe());
        shmem.defaultContext().putLong(dest, 0, 0, shmem.myPe());
        shmem.barrierAll();
        counts.caller(measurement.caller());
        final MeasurementTarget target = new MeasurementTarget(
            shmem, shmem.defaultContext(), measurement.pairOrNull(), plan.variation().isRootShifted(), dest, source,
            signal, bytes, measurement.reduced());
        final TrafficLoop traffic = plan.variation().traffic().isNone() ? null :
            new TrafficLoop(plan.variation().traffic(), heap.loop(operation), target);
        final boolean takesPart = null == traffic ?
            measurement.caller() == shmem.myPe() || operation.isCollective() || plan.variation().isAllPes() :
            traffic.isCalling();
        final MeasuringLoop loop = null == traffic ? heap.loop(operation) : traffic;
        final int count = warmUp(measurement, loop, target, takesPart);
        if (!operation.isRate())
        {
            provideSamples(count);
        }

        shmem.barrierAll();
        final long startMs = System.currentTimeMillis();
        meter.begin();
        if (measurement.isOpen())
        {
            target.pace.open(measurement.intervalNs());
        }

        final long totalNs = longest(takesPart ? loop.measure(target, samples, count) : 0);
        shmem.barrierAll();
        figures.put(meter.end());
        target.verify(operation);
        if (measurement.caller() == shmem.myPe())
        {
            report(measurement, count, startMs, totalNs);
        }

        target.close();
        if (null != traffic)
        {
            traffic.close();
        }

        shmem.barrierAll();
        return 0 != shmem.myPe() ? null : figures.row(
            name(measurement), transport, bytes, measurement.rate(), measurement.pairOrNull());
    }

    /** Makes the warm-up calls, and returns the number of calls to measure, the same on all PEs. */
    private int warmUp(
        final Measurement measurement,
        final MeasuringLoop loop,
        final MeasurementTarget target,
        final boolean takesPart)
    {
        final LatencyOperation operation = measurement.operation();
        final long bytes = measurement.bytes();
        final int trial = counts.trial(bytes);
        provideSamples(trial);
        final double trialNs = (double)longest(takesPart ? loop.measure(target, samples, trial) : 0) / trial;
        final int warmup = counts.warmup(operation, bytes, trialNs);
        final double intervalNs = measurement.isOpen() ?
            Math.min(measurement.intervalNs(), trialNs + WARMUP_SLACK_NS) : 0;
        final long startNs = System.nanoTime();
        double warmNs;
        do
        {
            warmNs = takesPart ? warmUp(operation, loop, target, warmup, trialNs, intervalNs) : 0;
        }
        while (!counts.isWarm(System.nanoTime() - startNs));

        warmNs = longest((long)(warmNs * PICOSECONDS)) / PICOSECONDS;
        return counts.measured(
            operation, bytes, measurement.isOpen() ? Math.max(warmNs, measurement.intervalNs()) : warmNs);
    }

    /** Returns the longest time of all PEs in a traffic, of which PE 0 may be no part; otherwise its own time. */
    private long longest(final long ns)
    {
        return plan.variation().traffic().isNone() ? ns : shmem.world().reduceLong(ReduceOp.MAX, ns);
    }

    /**
     * Makes warm-up calls and returns the nanoseconds per call of their second half.
     *
     * @param intervalNs of an open loop, or 0.
     */
    private double warmUp(
        final LatencyOperation operation,
        final MeasuringLoop loop,
        final MeasurementTarget target,
        final int warmup,
        final double callNs,
        final double intervalNs)
    {
        double warmNs = 0;
        int warmCount = 0;
        int done = 0;
        while (done < warmup)
        {
            final boolean isCompiled = done > warmup / 2;
            final int wanted = operation.isWorkload() || operation.isRate() && isCompiled ||
                plan.variation().traffic().threads() > 1 ?
                warmup / RATE_PIECES : WARMUP_PIECE;
            final int piece = Math.max(1, Math.min(wanted, warmup - done));
            if (intervalNs > 0)
            {
                target.pace.open(intervalNs);
            }

            final long ns = loop.measure(target, samples, piece);
            done += piece;
            if (isCompiled)
            {
                warmNs += ns;
                warmCount += piece;
            }
        }

        return 0 == warmCount ? callNs : warmNs / warmCount;
    }

    /** Reuses the array for all measurements if possible, and touches it: no page is supplied during a measurement. */
    private void provideSamples(final int count)
    {
        if (samples.length < Math.max(count, WARMUP_PIECE))
        {
            samples = new long[Math.max(count, WARMUP_PIECE)];
            Arrays.fill(samples, -1);
        }
    }

    /** Puts the row of the calls that this PE has timed, and writes their histogram. */
    private void report(final Measurement measurement, final int count, final long startMs, final long totalNs)
        throws IOException
    {
        final LatencyOperation operation = measurement.operation();
        final String name = name(measurement);
        if (operation.isRate())
        {
            final Traffic traffic = plan.variation().traffic();
            final long calls = (long)count * traffic.callers(shmem.nPes()) * traffic.threads();
            figures.put(LatencyRow.ofRate(
                name, transport, shmem.nPes(), measurement.bytes(), calls, totalNs));
            return;
        }

        final LatencyRow row = LatencyRow.ofSamples(
            name, transport, shmem.nPes(), measurement.bytes(), measurement.rate(), samples, count, totalNs);
        figures.put(row);
        if (null != files)
        {
            files.write(operation, row, measurement.pairOrNull(), samples, startMs, totalNs);
        }
    }
}
