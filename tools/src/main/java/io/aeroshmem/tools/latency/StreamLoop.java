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
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.device.DeviceStream;

/**
 * Measuring loop of an operation on a CUDA stream: each measured call enqueues the operation, and waits until the
 * stream has completed it. All operations share this loop, which selects the operation anew in each call. The selection
 * takes much less time than the launch of a kernel.
 */
final class StreamLoop implements MeasuringLoop
{
    private final LatencyOperation operation;
    private final DeviceStream stream;

    StreamLoop(final LatencyOperation operation, final DeviceStream stream)
    {
        this.operation = operation;
        this.stream = stream;
    }

    @Override
    public long measure(final MeasurementTarget target, final long[] samples, final int count)
    {
        final Pace pace = target.pace;
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = pace.begin(i);
            enqueue(target, i);
            stream.synchronize();
            samples[i] = System.nanoTime() - begin;
        }

        return System.nanoTime() - start;
    }

    private void enqueue(final MeasurementTarget target, final int number)
    {
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long bytes = target.bytes;
        final int peer = target.peer;
        switch (operation)
        {
            case PUT:
                stream.put(dest, 0, source, 0, bytes, peer);
                break;

            case GET:
                stream.get(dest, 0, source, 0, bytes, peer);
                break;

            case PUT_SIGNAL:
                stream.putSignal(dest, 0, source, 0, bytes, target.signal, 0, number, SignalOp.SET, peer);
                break;

            case ATOMIC_FETCH_ADD:
                stream.atomicFetchAddLong(source, 0, dest, 0, 1, peer);
                break;

            case ATOMIC_ADD:
                stream.atomicAddLong(dest, 0, 1, peer);
                break;

            case ATOMIC_COMPARE_SWAP:
                stream.atomicCompareSwapLong(source, 0, dest, 0, 0, 1, peer);
                break;

            default:
                enqueueCollective(target, number);
                break;
        }
    }

    private void enqueueCollective(final MeasurementTarget target, final int number)
    {
        final Team world = target.shmem.world();
        final SymmetricBuffer dest = target.dest;
        final SymmetricBuffer source = target.source;
        final long reduced = target.bytes / target.reducedType.bytes();
        final long moved = target.bytes / target.movedType.bytes();
        switch (operation)
        {
            case BARRIER:
                stream.barrierAll();
                break;

            case SYNC:
                stream.syncAll();
                break;

            case REDUCE:
                stream.reduce(world, ReduceOp.SUM, target.reducedType, dest, source, reduced);
                break;

            case BROADCAST:
                stream.broadcast(world, target.movedType, dest, source, moved, target.root(number));
                stream.barrierAll();
                break;

            case COLLECT:
                stream.fcollect(world, target.movedType, dest, source, moved);
                break;

            case ALLTOALL:
                stream.alltoall(world, target.movedType, dest, source, moved);
                break;

            case REDUCE_SCATTER:
                stream.reduceScatter(world, ReduceOp.SUM, target.reducedType, dest, source, reduced);
                break;

            case INCLUSIVE_SCAN:
                stream.inclusiveScan(world, ReduceOp.SUM, target.reducedType, dest, source, reduced);
                break;

            default:
                throw new IllegalStateException("no form for streams: " + operation);
        }
    }
}
