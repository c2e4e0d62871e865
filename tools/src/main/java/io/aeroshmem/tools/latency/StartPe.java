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

/**
 * One PE of {@code aeroshmem latency --from-start}, a job that measures one operation from the end of {@code init} on,
 * without warm-up: how soon it is as fast as it becomes. PE 0 makes the calls in pieces and distributes the length of
 * each. PEs that do not call wait in a barrier meanwhile, as in {@link LatencyPe}.
 */
final class StartPe
{
    /** Time of a piece, beside which that of the agreement on its length is small. */
    private static final double PIECE_NS = 2e6;

    /** A piece is at most this many times as long as the one before: its calls may be slower. */
    private static final int GROWTH = 4;
    private static final int MAX_CALLS = 1 << 16;

    private final Shmem shmem;
    private final LatencyPlan plan;
    private final long initNs;
    private final long startNs;

    /**
     * Creates the PE, which is initialised at this moment.
     *
     * @param initNs time that {@code init} took.
     */
    StartPe(final Shmem shmem, final LatencyPlan plan, final long initNs)
    {
        startNs = System.nanoTime();
        this.shmem = shmem;
        this.plan = plan;
        this.initNs = initNs;
    }

    void run() throws InterruptedException
    {
        final int me = shmem.myPe();
        final LatencyOperation operation = plan.operations().get(0);
        final long bytes = plan.sizes(operation).get(0);
        final MeasuredHeap heap = new MeasuredHeap(shmem, plan.heapKind(), false);
        final SymmetricBuffer dest = heap.calloc(plan.bufferBytes(shmem.nPes()));
        final SymmetricBuffer source = heap.calloc(plan.bufferBytes(shmem.nPes()));
        final SymmetricBuffer signal = heap.calloc(Long.BYTES);
        final SymmetricBuffer word = shmem.calloc(1, Long.BYTES);
        final CallCounts counts = new CallCounts(shmem, word, plan);
        final MeasurementTarget target = new MeasurementTarget(
            shmem, shmem.defaultContext(), null, false, dest, source, signal, bytes, plan.reductions().get(0));
        final StartCurve curve = new StartCurve(plan.variation().fromStartNs());
        final long firstNs = measure(operation, heap.loop(operation), target, counts, curve);
        target.verify(operation);
        if (0 == me)
        {
            final String transport = plan.path(null != shmem.ptr(word, 1 % shmem.nPes()));
            final int processors = Runtime.getRuntime().availableProcessors();
            StartWriter.print(
                System.out,
                plan,
                LatencyEnvironment.of(plan, shmem.nPes(), transport, heap.description(), processors, false),
                new StartWriter.Row(plan.name(operation), transport, shmem.nPes(), bytes, initNs, firstNs, curve));
        }

        target.close();
        heap.release();
    }

    /** Makes the calls, and returns the time of the first one. */
    private long measure(
        final LatencyOperation operation,
        final MeasuringLoop loop,
        final MeasurementTarget target,
        final CallCounts counts,
        final StartCurve curve)
    {
        final boolean takesPart = 0 == shmem.myPe() || operation.isCollective();
        final long[] samples = new long[operation.isRate() ? 0 : MAX_CALLS];
        long firstNs = 0;
        int count = counts.agree(1);
        while (count > 0)
        {
            final long ns = takesPart ? loop.measure(target, samples, count) : 0;
            final long endNs = System.nanoTime() - startNs;
            curve.add(endNs, count, ns);
            firstNs = 0 == firstNs ? ns : firstNs;
            final double next = Math.min(PIECE_NS * count / Math.max(1, ns), (double)GROWTH * count);
            count = counts.agree(
                endNs >= plan.variation().fromStartNs() ? 0 : (int)Math.max(1, Math.min(next, MAX_CALLS)));
        }

        return firstNs;
    }
}
