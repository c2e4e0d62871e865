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
import org.agrona.CloseHelper;

/**
 * Measuring loops of operations of {@link LatencyOperation}. Most of these loops measure a single operation. They
 * repeat code, so that each is compiled for its operation alone. One loop measures most of the operations that use a
 * {@link CollectiveRequest}.
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

    static long get(final MeasurementTarget target, final long[] samples, final int count)
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
            ctx.get(dest, 0, source, 0, bytes, peer);
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

    static long barrier(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Shmem shmem = target.shmem;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            shmem.barrierAll();
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long sync(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Shmem shmem = target.shmem;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            shmem.syncAll();
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long reduce(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.reducedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
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
        final Pace pace = target.pace;
        final Shmem shmem = target.shmem;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.movedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            world.broadcast(type, dest, source, nelems, target.root(i));
            shmem.barrierAll();
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long collect(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.movedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            world.fcollect(type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long alltoall(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.movedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            world.alltoall(type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long reduceScatter(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.reducedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            world.reduceScatter(ReduceOp.SUM, type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static long inclusiveScan(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final ElementType type = target.reducedType;
        final long nelems = target.bytes / type.bytes();
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            world.inclusiveScan(ReduceOp.SUM, type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    /** Posts a persistent request, and tests it to its end; if the root moves, that of the next root. */
    static long requests(
        final Collective collective, final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final Shmem shmem = target.shmem;
        final boolean isBarrierNeeded = isBarrierNeeded(collective);
        final CollectiveRequest[] requests = new CollectiveRequest[target.roots];
        for (int root = 0; root < requests.length; root++)
        {
            requests[root] = shmem.world().request(target.args(collective).root(root).persistent(true));
        }

        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final CollectiveRequest request = requests[target.root(i)];
            final long begin = pace.begin(i);
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

        final long totalNs = System.nanoTime() - start;
        // after an exception the close of the PE closes them
        CloseHelper.closeAll(requests);
        return totalNs;
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
