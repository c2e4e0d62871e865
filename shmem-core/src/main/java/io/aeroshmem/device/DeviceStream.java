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
package io.aeroshmem.device;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;

/**
 * A stream of a device, for programs that use a GPU module only through its {@link DeviceProvider}. Every method but
 * {@link #synchronize} and {@link #close} enqueues an operation on the stream. The operation is complete when the
 * stream has executed it. Arguments have the same meaning as in {@link CommunicationContext} and {@link Team}. A
 * {@code pe} is a rank in the world.
 */
public interface DeviceStream extends AutoCloseable
{
    /** Enqueues a put. */
    void put(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /** Enqueues a get. */
    void get(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /** Enqueues a put, and a signal that follows it. */
    void putSignal(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long length,
        SymmetricBuffer signal,
        long signalOffset,
        long value,
        SignalOp op,
        int pe);

    /** Enqueues an atomic add. */
    void atomicAddLong(SymmetricBuffer dest, long offset, long value, int pe);

    /** Enqueues an atomic add, whose previous value is stored at this PE. */
    void atomicFetchAddLong(
        SymmetricBuffer fetch, long fetchOffset, SymmetricBuffer dest, long offset, long value, int pe);

    /** Enqueues a compare-and-swap, whose previous value is stored at this PE. */
    void atomicCompareSwapLong(
        SymmetricBuffer fetch, long fetchOffset, SymmetricBuffer dest, long offset, long cond, long value, int pe);

    /** Enqueues a barrier of all PEs. */
    void barrierAll();

    /** Enqueues a synchronisation of all PEs. */
    void syncAll();

    /** Enqueues {@link Team#broadcast}. */
    void broadcast(Team team, ElementType type, SymmetricBuffer dest, SymmetricBuffer source, long nelems, int root);

    /** Enqueues {@link Team#fcollect}. */
    void fcollect(Team team, ElementType type, SymmetricBuffer dest, SymmetricBuffer source, long nelems);

    /** Enqueues {@link Team#alltoall}. */
    void alltoall(Team team, ElementType type, SymmetricBuffer dest, SymmetricBuffer source, long nelems);

    /** Enqueues {@link Team#reduce}. */
    void reduce(
        Team team, ReduceOp op, ElementType type, SymmetricBuffer dest, SymmetricBuffer source, long nreduce);

    /** Enqueues {@link Team#reduceScatter}. */
    void reduceScatter(
        Team team, ReduceOp op, ElementType type, SymmetricBuffer dest, SymmetricBuffer source, long nreduce);

    /** Enqueues {@link Team#inclusiveScan}. */
    void inclusiveScan(Team team, ReduceOp op, ElementType type, SymmetricBuffer dest, SymmetricBuffer source, long n);

    /** Waits until the stream has passed everything that is enqueued, and throws what has failed. */
    void synchronize();

    /** Ends the operations of the stream. */
    @Override
    void close();
}
