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

import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.device.DeviceStream;

/** Call of an operation on a CUDA stream: enqueues it, and waits until the stream has completed it. */
record StreamCall(LatencyOperation operation, DeviceStream stream) implements MeasuringLoop.Call
{
    @Override
    public void call(final MeasurementTarget target, final int number)
    {
        enqueue(target, number);
        stream.synchronize();
    }

    private void enqueue(final MeasurementTarget target, final int number)
    {
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        switch (operation)
        {
            case PUT -> stream.put(dest, 0, source, 0, bytes, peer);
            case GET -> stream.get(dest, 0, source, 0, bytes, peer);
            case PUT_SIGNAL ->
                stream.putSignal(dest, 0, source, 0, bytes, target.signal, 0, number, SignalOp.SET, peer);
            case ATOMIC_FETCH_ADD -> stream.atomicFetchAddLong(source, 0, dest, 0, 1, peer);
            case ATOMIC_ADD -> stream.atomicAddLong(dest, 0, 1, peer);
            case ATOMIC_COMPARE_SWAP -> stream.atomicCompareSwapLong(source, 0, dest, 0, 0, 1, peer);
            default -> enqueueCollective(target, number);
        }
    }

    private void enqueueCollective(final MeasurementTarget target, final int number)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long reduced = target.reducedElements;
        final long moved = target.elements;
        switch (operation)
        {
            case BARRIER -> stream.barrierAll();
            case SYNC -> stream.syncAll();
            case REDUCE -> stream.reduce(world, target.reduceOp, target.reducedType, dest, source, reduced);
            case BROADCAST ->
            {
                stream.broadcast(world, target.movedType, dest, source, moved, target.root(number));
                stream.barrierAll();
            }

            case COLLECT -> stream.fcollect(world, target.movedType, dest, source, moved);
            case ALLTOALL -> stream.alltoall(world, target.movedType, dest, source, moved);
            case REDUCE_SCATTER ->
                stream.reduceScatter(world, target.reduceOp, target.reducedType, dest, source, reduced);
            case INCLUSIVE_SCAN ->
                stream.inclusiveScan(world, target.reduceOp, target.reducedType, dest, source, reduced);
            default -> throw new IllegalStateException("no form for streams: " + operation);
        }
    }
}
