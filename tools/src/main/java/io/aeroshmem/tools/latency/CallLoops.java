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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.RmaRequest;
import io.aeroshmem.SymmetricBuffer;

/**
 * The measuring loop for those operations of {@link LatencyOperation} that specify only their {@link Call}. If a job
 * measures several of these operations, the loop makes an indirect call, which takes 2 to 3 ns.
 * <p>
 * Most of the measured calls are lambdas in {@link LatencyOperation}. The longer ones are methods of this class.
 */
final class CallLoops
{
    /** Elements of a block of a strided put or get of blocks. */
    private static final long BLOCK = 8;

    private CallLoops()
    {
    }

    /** One call of an operation. */
    @FunctionalInterface
    interface Call
    {
        void call(MeasurementTarget target, int i);
    }

    /** Returns the loop over calls that are complete when they return. */
    static MeasuringLoop of(final Call call)
    {
        return (target, samples, count) -> measure(call, target, samples, count);
    }

    /** Returns the loop over calls that each are completed by a quiet. */
    static MeasuringLoop completed(final Call call)
    {
        return of((target, i) ->
        {
            call.call(target, i);
            target.ctx.quiet();
        });
    }

    private static long measure(
        final Call call, final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            call.call(target, i);
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    static void iput(final MeasurementTarget target, final int i)
    {
        target.ctx.iput(
            target.dest, 0, target.source, 0, 2, 2, target.elements(), target.movedType.bytes(), target.peer);
    }

    static void iget(final MeasurementTarget target, final int i)
    {
        target.ctx.iget(
            target.dest, 0, target.source, 0, 2, 2, target.elements(), target.movedType.bytes(), target.peer);
    }

    static void ibput(final MeasurementTarget target, final int i)
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
            target.elements() / block,
            target.movedType.bytes(),
            target.peer);
    }

    static void ibget(final MeasurementTarget target, final int i)
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
            target.elements() / block,
            target.movedType.bytes(),
            target.peer);
    }

    private static long block(final MeasurementTarget target)
    {
        return 0 == target.elements() % BLOCK ? BLOCK : 1;
    }

    static void putRequest(final MeasurementTarget target, final int i)
    {
        final RmaRequest request =
            target.ctx.putRequest(target.dest, 0, target.source, 0, target.bytes, target.peer);
        request.await();
        request.close();
    }

    static void getRequest(final MeasurementTarget target, final int i)
    {
        final RmaRequest request =
            target.ctx.getRequest(target.dest, 0, target.source, 0, target.bytes, target.peer);
        request.await();
        request.close();
    }

    static void fence(final MeasurementTarget target, final int i)
    {
        final CommunicationContext ctx = target.ctx;
        final SymmetricBuffer dest = target.dest;
        ctx.putLong(dest, 0, i, target.peer);
        ctx.fence();
    }

    static void lock(final MeasurementTarget target, final int i)
    {
        target.shmem.lock(target.signal, 0);
        target.shmem.unlock(target.signal, 0);
    }

    /** The blocks of every second PE have half of the elements. */
    static void collectUnequal(final MeasurementTarget target, final int i)
    {
        final long elements = target.elements();
        target.shmem.world().collect(
            target.movedType, target.dest, target.source, elements >> (target.shmem.myPe() & 1));
    }

    static void alltoalls(final MeasurementTarget target, final int i)
    {
        target.shmem.world().alltoalls(target.movedType, target.dest, target.source, 2, 2, target.elements());
    }

    static void exclusiveScan(final MeasurementTarget target, final int i)
    {
        target.shmem.world().exclusiveScan(
            ReduceOp.SUM,
            target.reducedType,
            target.dest,
            target.source,
            target.bytes / target.reducedType.bytes());
    }

    static void reduceLong(final MeasurementTarget target, final int i)
    {
        target.shmem.world().reduceLong(ReduceOp.SUM, i);
    }

    /** Without the barrier the root would run ahead and time only its own part. */
    static void broadcastLong(final MeasurementTarget target, final int i)
    {
        target.shmem.world().broadcastLong(i, target.root(i));
        target.shmem.barrierAll();
    }

    static void malloc(final MeasurementTarget target, final int i)
    {
        target.shmem.free(target.shmem.malloc(Long.BYTES));
    }

    static void split(final MeasurementTarget target, final int i)
    {
        target.shmem.world().splitStrided(0, 1, target.shmem.nPes()).close();
    }
}
