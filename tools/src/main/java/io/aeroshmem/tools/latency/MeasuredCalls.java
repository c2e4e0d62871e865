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
import io.aeroshmem.RmaRequest;
import io.aeroshmem.SignalOp;

import java.util.EnumSet;
import java.util.Set;

/** The longer calls of {@link LatencyOperation}; the others are lambdas there. */
final class MeasuredCalls
{
    /** The collectives with a root. */
    static final Set<Collective> ROOTED = EnumSet.of(
        Collective.FAN_IN, Collective.FAN_OUT, Collective.BROADCAST, Collective.REDUCE, Collective.GATHER,
        Collective.GATHERV, Collective.SCATTER, Collective.SCATTERV);

    /** Elements of a block of a strided put or get of blocks. */
    private static final long BLOCK = 8;

    private MeasuredCalls()
    {
    }

    static void iput(final MeasurementTarget target, final int number)
    {
        target.ctx.iput(
            target.dest, 0, target.source, 0, 2, 2, target.elements, target.movedType.bytes(), target.peer);
    }

    static void iget(final MeasurementTarget target, final int number)
    {
        target.ctx.iget(
            target.dest, 0, target.source, 0, 2, 2, target.elements, target.movedType.bytes(), target.peer);
    }

    static void ibput(final MeasurementTarget target, final int number)
    {
        final long block = block(target);
        target.ctx.ibput(
            target.dest,
            0,
            target.source,
            0,
            2 * block,
            2 * block,
            block,
            target.elements / block,
            target.movedType.bytes(),
            target.peer);
    }

    static void ibget(final MeasurementTarget target, final int number)
    {
        final long block = block(target);
        target.ctx.ibget(
            target.dest,
            0,
            target.source,
            0,
            2 * block,
            2 * block,
            block,
            target.elements / block,
            target.movedType.bytes(),
            target.peer);
    }

    private static long block(final MeasurementTarget target)
    {
        return 0 == target.elements % BLOCK ? BLOCK : 1;
    }

    static void putEach(final MeasurementTarget target, final int number)
    {
        final int me = target.shmem.myPe();
        for (int pe = 0, nPes = target.shmem.nPes(); pe < nPes; pe++)
        {
            if (me != pe)
            {
                target.ctx.put(target.dest, 0, target.source, 0, target.bytes, pe);
            }
        }
    }

    static void putSignalEach(final MeasurementTarget target, final int number)
    {
        final int me = target.shmem.myPe();
        for (int pe = 0, nPes = target.shmem.nPes(); pe < nPes; pe++)
        {
            if (me != pe)
            {
                target.ctx.putSignal(
                    target.dest,
                    0,
                    target.source,
                    0,
                    target.bytes,
                    target.signal,
                    0,
                    number,
                    SignalOp.SET,
                    pe);
            }
        }
    }

    static void putRequest(final MeasurementTarget target, final int number)
    {
        final RmaRequest request =
            target.ctx.putRequest(target.dest, 0, target.source, 0, target.bytes, target.peer);
        request.await();
        request.close();
    }

    static void getRequest(final MeasurementTarget target, final int number)
    {
        final RmaRequest request =
            target.ctx.getRequest(target.dest, 0, target.source, 0, target.bytes, target.peer);
        request.await();
        request.close();
    }

    static void fence(final MeasurementTarget target, final int number)
    {
        target.ctx.putLong(target.dest, 0, number, target.peer);
        target.ctx.fence();
    }

    static void lock(final MeasurementTarget target, final int number)
    {
        target.shmem.lock(target.signal, 0);
        target.shmem.unlock(target.signal, 0);
    }

    /** The blocks of every second PE have half of the elements. */
    static void collectUnequal(final MeasurementTarget target, final int number)
    {
        final long elements = target.elements;
        target.shmem.world().collect(
            target.movedType, target.dest, target.source, elements >> (target.shmem.myPe() & 1));
    }

    static void alltoalls(final MeasurementTarget target, final int number)
    {
        target.shmem.world().alltoalls(target.movedType, target.dest, target.source, 2, 2, target.elements);
    }

    static void exclusiveScan(final MeasurementTarget target, final int number)
    {
        target.shmem.world().exclusiveScan(
            target.reduceOp, target.reducedType, target.dest, target.source, target.reducedElements);
    }

    /** Without the barrier the root would run ahead and time only its own part. */
    static void broadcastLong(final MeasurementTarget target, final int number)
    {
        target.shmem.world().broadcastLong(number, target.root(number));
        target.shmem.barrierAll();
    }

    /** Without the barrier the root would run ahead and time only its own part. */
    static void broadcast(final MeasurementTarget target, final int number)
    {
        target.shmem.world().broadcast(
            target.movedType, target.dest, target.source, target.elements, target.root(number));
        target.shmem.barrierAll();
    }

    /**
     * Posts a persistent request, and tests it to its end; if the root moves, that of the next root. Without the
     * barrier members of a collective with a root would run ahead and time only their own part.
     */
    static void request(
        final Collective collective, final boolean isRooted, final MeasurementTarget target, final int number)
    {
        final CollectiveRequest request = target.request(collective, number);
        request.post();
        while (!request.test())
        {
            Thread.onSpinWait();
        }

        if (isRooted)
        {
            target.shmem.barrierAll();
        }
    }
}
