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
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;

/**
 * The measuring loops, one per row of {@link LatencyOperation}. They repeat each other so that each is compiled
 * separately.
 */
final class MeasuringLoops
{
    private MeasuringLoops()
    {
    }

    /**
     * PE 0 and its peer time the round trip; the other PEs do nothing.
     */
    static long pingPong(final MeasurementTarget target, final long[] samples, final int count)
    {
        final int echo = 1 % target.shmem.nPes();
        final long start = System.nanoTime();
        if (0 == target.shmem.myPe())
        {
            ping(target, echo, samples, count);
        }
        else if (echo == target.shmem.myPe())
        {
            pong(target, samples, count);
        }
        return System.nanoTime() - start;
    }

    private static void ping(final MeasurementTarget target, final int echo, final long[] samples, final int count)
    {
        final Shmem shmem = target.shmem;
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer word = target.dest;
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
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
            ctx.putLong(word, 0, target.sequence, 0);
            samples[i] = System.nanoTime() - begin;
        }
    }

    static long put(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            ctx.put(dest, 0, source, 0, bytes, peer);
            ctx.quiet();
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long get(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            ctx.get(dest, 0, source, 0, bytes, peer);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long putSignal(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final SymmetricBuffer signal = target.signal;
        final long bytes = target.bytes;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            ctx.putSignal(dest, 0, source, 0, bytes, signal, 0, i, SignalOp.SET, peer);
            ctx.quiet();
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long atomicFetchAdd(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            ctx.atomicFetchAddLong(dest, 0, 1, peer);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long atomicAdd(final MeasurementTarget target, final long[] samples, final int count)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
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
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        final int peer = target.peer;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            ctx.atomicCompareSwapLong(dest, 0, 0, 1, peer);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long barrier(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Shmem shmem = target.shmem;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            shmem.barrierAll();
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long sync(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Shmem shmem = target.shmem;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            shmem.syncAll();
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long reduce(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.reducedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.reduce(ReduceOp.SUM, type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    /**
     * Without the barrier the root would run ahead and time only its own part.
     */
    static long broadcast(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Shmem shmem = target.shmem;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.movedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.broadcast(type, dest, source, nelems, 0);
            shmem.barrierAll();
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long collect(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.movedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.fcollect(type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long alltoall(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.movedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.alltoall(type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long reduceScatter(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.reducedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.reduceScatter(ReduceOp.SUM, type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    static long inclusiveScan(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.reducedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.inclusiveScan(ReduceOp.SUM, type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }

    /** Posts a persistent request, and tests it to its end. */
    static long requests(
        final Collective collective, final MeasurementTarget target, final long[] samples, final int count)
    {
        final Shmem shmem = target.shmem;
        final boolean isBarrierNeeded = isBarrierNeeded(collective);
        try (CollectiveRequest request = shmem.world().request(target.args(collective).persistent(true)))
        {
            final long start = System.nanoTime();
            for (int i = 0; i < count; i++)
            {
                final long begin = System.nanoTime();
                request.post();
                while (!request.test())
                {
                    Thread.onSpinWait();
                }
                if (isBarrierNeeded)
                {
                    shmem.barrierAll();
                }
                samples[i] = System.nanoTime() - begin;
            }
            return System.nanoTime() - start;
        }
    }

    /** Returns whether members would run ahead without a barrier, and time only their own part. */
    private static boolean isBarrierNeeded(final Collective collective)
    {
        switch (collective)
        {
            case FAN_IN:
            case FAN_OUT:
            case BROADCAST:
            case REDUCE:
            case GATHER:
            case GATHERV:
            case SCATTER:
            case SCATTERV:
                return true;

            default:
                return false;
        }
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
