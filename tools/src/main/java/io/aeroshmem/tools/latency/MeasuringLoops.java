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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;

/**
 * Measuring loops of the shortest operations of {@link LatencyOperation}, each with its operands in local variables. In
 * {@link CallLoop}, which reads them anew for each call, a put of 8 bytes over mapped memory took 2 ns more, of 3 ns
 * where puts follow each other back to back.
 */
final class MeasuringLoops
{
    private MeasuringLoops()
    {
    }

    /**
     * A PE times the round trip to another one; the other PEs do nothing.
     */
    static long pingPong(final MeasurementTarget target, final long[] samples, final int count)
    {
        final long start = System.nanoTime();
        if (target.caller == target.shmem.myPe())
        {
            ping(target, target.echo, samples, count);
        }
        else if (target.echo == target.shmem.myPe())
        {
            pong(target, samples, count);
        }

        return System.nanoTime() - start;
    }

    private static void ping(final MeasurementTarget target, final int echo, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Shmem shmem = target.shmem;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer word = target.dest;
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            target.sequence++;
            ctx.putLong(word, 0, target.sequence, echo);
            shmem.waitUntilLong(word, 0, Comparison.EQ, target.sequence);
            samples[i] = System.nanoTime() - begin;
        }
    }

    private static void pong(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Shmem shmem = target.shmem;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer word = target.dest;
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            target.sequence++;
            shmem.waitUntilLong(word, 0, Comparison.EQ, target.sequence);
            ctx.putLong(word, 0, target.sequence, target.caller);
            samples[i] = System.nanoTime() - begin;
        }
    }

    static long put(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            ctx.put(dest, 0, source, 0, bytes, peer);
            ctx.quiet();
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long putSignal(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final SymmetricBuffer signal = target.signal;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            ctx.putSignal(dest, 0, source, 0, bytes, signal, 0, i, SignalOp.SET, peer);
            ctx.quiet();
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long atomicFetchAdd(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            ctx.atomicFetchAddLong(dest, 0, 1, peer);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long atomicAdd(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            ctx.atomicAddLong(dest, 0, 1, peer);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    /**
     * Swaps 0 for 1, which succeeds once.
     */
    static long atomicCompareSwap(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            ctx.atomicCompareSwapLong(dest, 0, 0, 1, peer);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long putRate(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            ctx.putLong(dest, 0, i, peer);
        }

        ctx.quiet();
        return System.nanoTime() - start;
    }

    static long atomicAddRate(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            ctx.atomicAddLong(dest, 0, 1, peer);
        }

        ctx.quiet();
        return System.nanoTime() - start;
    }

    static long getRate(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            ctx.getNbi(dest, 0, source, 0, Long.BYTES, peer);
        }

        ctx.quiet();
        return System.nanoTime() - start;
    }

    static long fetchRate(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            ctx.atomicFetchAddLongNbi(source, 0, dest, 0, 1, peer);
        }

        ctx.quiet();
        return System.nanoTime() - start;
    }

    static long getBandwidth(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            ctx.getNbi(dest, 0, source, 0, bytes, peer);
        }

        ctx.quiet();
        return System.nanoTime() - start;
    }

    static long putBandwidth(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            ctx.put(dest, 0, source, 0, bytes, peer);
        }

        ctx.quiet();
        return System.nanoTime() - start;
    }
}
