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

import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.Shmem;
import io.aeroshmem.config.ShmemProperty;
import org.agrona.CloseHelper;

import java.util.Arrays;

/**
 * Measures how much of the time of a nonblocking collective, or of a nonblocking put or get and quiet, is exposed, that
 * is, not hidden by computation.
 * <p>
 * One PE is the caller. In each call, it posts a request for the collective, computes for four times as long as the
 * request alone takes, and waits for the request. The other PEs only post the request and wait for it. The time of a
 * call is the caller's total time less the time of the same computation without a request, but not less than 0. A put
 * or a get is posted by its call, and its wait is the quiet.
 * <p>
 * The computation is a fixed amount of work. So all time by which the request delays it counts as exposed, also if
 * another thread performs the request on the same processor, or the caller drives progress in mode INVOKER.
 */
final class ExposedLoop implements MeasuringLoop
{
    /** No more than the calls to measure, but some. */
    private static final int MOST_CALIBRATING_CALLS = 31;
    private static final int LEAST_CALIBRATING_CALLS = 5;
    private static final int CALIBRATING_ROUNDS = 4_000;
    /** Time from one call of progress to the next. */
    private static final int SLICE_NS = 5_000;
    /** Length of the computation, as a multiple of the time of the request alone. */
    private static final int LENGTH = 4;

    /** The collective, or null; then the nonblocking call. */
    private final Collective collective;
    private final Call nonblocking;
    private final boolean isDrivenByCaller =
        ProgressMode.INVOKER == ShmemProperty.PROGRESS_MODE.choice(ProgressMode.class);
    private int calibratingCalls;
    private int roundsPerSlice;
    private long state = 1;

    ExposedLoop(final Collective collective)
    {
        this.collective = collective;
        nonblocking = null;
    }

    ExposedLoop(final Call nonblocking)
    {
        collective = null;
        this.nonblocking = nonblocking;
    }

    @Override
    public long measure(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Shmem shmem = target.shmem;
        calibratingCalls = Math.max(LEAST_CALIBRATING_CALLS, Math.min(count, MOST_CALIBRATING_CALLS));
        final CollectiveRequest request =
            null == collective ? null : shmem.world().request(target.args(collective).persistent(true));
        final int slices = slices(target, request);
        final long aloneBeforeNs = medianOf(() -> compute(shmem, slices, false));

        if (null != request)
        {
            shmem.syncAll();
        }

        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            perform(target, request, slices);
            samples[i] = System.nanoTime() - begin;
        }

        final long totalNs = System.nanoTime() - start;
        // the speed of a processor drifts
        final long aloneNs = (aloneBeforeNs + medianOf(() -> compute(shmem, slices, false))) / 2;
        for (int i = 0; i < count; i++)
        {
            samples[i] = Math.max(0, samples[i] - aloneNs);
        }

        // after an exception the close of the PE closes it
        CloseHelper.close(request);
        return totalNs;
    }

    /** Returns the number of slices of work of this PE, none unless it is the caller. */
    private int slices(final MeasurementTarget target, final CollectiveRequest request)
    {
        final Shmem shmem = target.shmem;
        final long requestNs = medianOf(() -> perform(target, request, 0));
        roundsPerSlice = CALIBRATING_ROUNDS;
        final long roundsNs = medianOf(() -> compute(shmem, 1, false));
        roundsPerSlice = (int)(1 + CALIBRATING_ROUNDS * (long)SLICE_NS / Math.max(1, roundsNs));

        return target.caller == shmem.myPe() ? 1 + (int)(LENGTH * requestNs / SLICE_NS) : 0;
    }

    private void perform(final MeasurementTarget target, final CollectiveRequest request, final int slices)
    {
        if (null == request)
        {
            nonblocking.call(target, 0);
            compute(target.shmem, slices, isDrivenByCaller);
            target.ctx.quiet();
            return;
        }

        request.post();
        compute(target.shmem, slices, isDrivenByCaller);
        request.await();
    }

    private void compute(final Shmem shmem, final int slices, final boolean isDriving)
    {
        final int rounds = roundsPerSlice;
        long x = state;
        for (int slice = 0; slice < slices; slice++)
        {
            x = work(x, rounds);
            if (isDriving)
            {
                shmem.progress();
            }
        }

        state = x;
    }

    /** Rounds of a generator of random numbers (xorshift), which a compiler cannot merge into fewer. */
    private static long work(final long seed, final int rounds)
    {
        long x = seed;
        for (int round = 0; round < rounds; round++)
        {
            x ^= x << 13;
            x ^= x >>> 7;
            x ^= x << 17;
        }

        return x;
    }

    private long medianOf(final Runnable call)
    {
        final long[] times = new long[calibratingCalls];
        for (int i = 0; i < times.length; i++)
        {
            final long begin = System.nanoTime();
            call.run();
            times[i] = System.nanoTime() - begin;
        }

        Arrays.sort(times);
        return times[times.length / 2];
    }
}
