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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * One PE of {@code aeroshmem latency}. PE 0 measures and prints; its peer is PE 1. The others take part in collective
 * operations and otherwise wait in a barrier, like the PEs of the C programs that the figures are compared with.
 */
public final class LatencyPe
{
    /**
     * Few calls at a time: the loop is then invoked often and compiled for normal entry, not only for on-stack
     * replacement.
     */
    private static final int WARMUP_PIECE = 10;
    private static final int RATE_PIECES = 20;
    private static final int HISTOGRAM_DIGITS = 3;

    private final Shmem shmem;
    private final LatencyPlan plan;
    private final int peer;
    private final MeasuredHeap heap;
    private final SymmetricBuffer dest;
    private final SymmetricBuffer source;
    private final SymmetricBuffer signal;
    private final CallCounts counts;
    private final String transport;
    private final int processors;
    private long[] samples = new long[0];

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
        // read before pinning: afterwards the JVM counts the processors of the calling thread
        processors = Runtime.getRuntime().availableProcessors();
        transport = null != shmem.ptr(word, peer) ? "mapped" :
            "auto".equals(plan.transport()) ? "udp" : plan.transport();
    }

    /** Measures what the arguments specify, see {@link LatencyPlan#toArguments()}. */
    public static void main(final String[] args) throws Exception
    {
        final LatencyPlan plan = LatencyPlan.parse(args);
        Shmem.run(new Shmem.Context(), (shmem) -> new LatencyPe(shmem, plan).run());
    }

    private void run() throws IOException, InterruptedException
    {
        final int me = shmem.myPe();
        final boolean isPinned = !plan.cpus().isEmpty() && CpuPinning.pinCallingThread(plan.cpus().get(me));
        final RowWriter writer = 0 != me ? null : plan.format().writer(
            System.out, null == plan.baseline() ? null : Baseline.read(plan.baseline()));
        if (null != writer)
        {
            writer.begin(environment(isPinned), plan.isFirst());
        }
        for (final LatencyOperation operation : plan.operations())
        {
            for (final long bytes : plan.sizes(operation))
            {
                final LatencyRow row = measure(operation, bytes);
                if (null != writer)
                {
                    writer.row(row);
                }
            }
        }
        if (null != writer)
        {
            writer.end(plan.isLast());
        }
        heap.release();
    }

    /** Warms up and measures one operation; called by all PEs. Returns the row on PE 0, null elsewhere. */
    private LatencyRow measure(final LatencyOperation operation, final long bytes) throws IOException
    {
        shmem.defaultContext().putLong(signal, 0, 0, shmem.myPe());
        shmem.defaultContext().putLong(dest, 0, 0, shmem.myPe());
        shmem.barrierAll();
        final boolean takesPart = 0 == shmem.myPe() || operation.isCollective();
        final MeasuringLoop loop = heap.loop(operation);
        final MeasurementTarget target =
            new MeasurementTarget(shmem, peer, dest, source, signal, bytes, plan.type());
        final int trial = counts.trial(bytes);
        provideSamples(trial);
        final double trialNs = takesPart ? (double)loop.measure(target, samples, trial) / trial : 0;
        final int warmup = counts.warmup(operation, bytes, trialNs);
        final long startNs = System.nanoTime();
        double warmNs;
        do
        {
            warmNs = takesPart ? warmUp(operation, loop, target, warmup, trialNs) : 0;
        }
        while (!counts.isWarm(System.nanoTime() - startNs));

        final int count = counts.measured(operation, bytes, warmNs);
        if (!operation.isRate())
        {
            provideSamples(count);
        }
        shmem.barrierAll();
        final long totalNs = takesPart ? loop.measure(target, samples, count) : 0;
        shmem.barrierAll();
        if (0 != shmem.myPe())
        {
            return null;
        }
        if (operation.isRate())
        {
            return LatencyRow.ofRate(plan.name(operation), transport, shmem.nPes(), bytes, count, totalNs);
        }
        writeHistogram(operation, bytes, count);
        return LatencyRow.ofSamples(
            plan.name(operation), transport, shmem.nPes(), bytes, samples, count, totalNs);
    }

    /** Makes the warm-up calls and returns the nanoseconds per call of their second half. */
    private double warmUp(
        final LatencyOperation operation,
        final MeasuringLoop loop,
        final MeasurementTarget target,
        final int warmup,
        final double callNs)
    {
        double warmNs = 0;
        int warmCount = 0;
        int done = 0;
        while (done < warmup)
        {
            final boolean isCompiled = done > warmup / 2;
            final int wanted = operation.isRate() && isCompiled ? warmup / RATE_PIECES : WARMUP_PIECE;
            final int piece = Math.max(1, Math.min(wanted, warmup - done));
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

    private void writeHistogram(final LatencyOperation operation, final long bytes, final int count)
        throws IOException
    {
        if (null == plan.histograms())
        {
            return;
        }
        final Histogram histogram = new Histogram(HISTOGRAM_DIGITS);
        for (int i = 0; i < count; i++)
        {
            histogram.recordValue(samples[i]);
        }
        final String kind = HeapKind.HOST == plan.heapKind() ? "" : "-" + plan.heapKind().lowerCaseName();
        final String name = String.format(
            Locale.ROOT, "%s-%s%s-%d.hgrm", plan.name(operation), transport, kind, bytes);
        final Path file = plan.histograms().resolve(name);
        try (PrintStream output = new PrintStream(Files.newOutputStream(file), false, "UTF-8"))
        {
            histogram.outputPercentileDistribution(output, 1.0);
        }
    }

    private LatencyEnvironment environment(final boolean isPinned)
    {
        final String pinning = !isPinned ? "not pinned" : "calling threads pinned: " + plan.cpus().stream()
            .map(String::valueOf).collect(Collectors.joining(", ", "PEs 0.. on cpus ", ""));
        return new LatencyEnvironment(
            plan.version(),
            transport,
            shmem.nPes(),
            heap.description(),
            System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version"),
            ManagementFactory.getRuntimeMXBean().getInputArguments(),
            System.getProperty("os.name") + " " + System.getProperty("os.version") + " " +
            System.getProperty("os.arch"),
            processors,
            pinning);
    }
}
