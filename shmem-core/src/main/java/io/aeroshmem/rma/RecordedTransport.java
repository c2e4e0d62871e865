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
package io.aeroshmem.rma;

import io.aeroshmem.latency.Operation;
import io.aeroshmem.latency.OperationRecording;
import io.aeroshmem.transport.ForwardingTransport;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;

/**
 * A transport that records the operations of a context on one PE, which another transport performs. Only contexts of a
 * PE that has asked for it use it, so that an operation of any other has no branch for it. Collectives use the
 * endpoint's transports, and are not recorded here.
 */
final class RecordedTransport extends ForwardingTransport
{
    private final OperationRecording operations;
    /** Changes with the sessions of the context, and with its device; no operation is under way then. */
    private Transport performer;

    RecordedTransport(final OperationRecording operations, final Transport performer)
    {
        this.operations = operations;
        this.performer = performer;
    }

    void performer(final Transport next)
    {
        performer = next;
    }

    @Override
    protected Transport next(final int pe)
    {
        return performer;
    }

    @Override
    public Transport performer()
    {
        return performer.performer();
    }

    @Override
    public boolean isMessaging()
    {
        return performer.isMessaging();
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        final long startNs = operations.begin();
        performer.putByte(pe, region, offset, value);
        operations.end(Operation.PUT, Byte.BYTES, startNs);
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        final long startNs = operations.begin();
        final byte result = performer.getByte(pe, region, offset);
        operations.end(Operation.GET, Byte.BYTES, startNs);
        return result;
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        final long startNs = operations.begin();
        performer.putShort(pe, region, offset, value);
        operations.end(Operation.PUT, Short.BYTES, startNs);
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        final long startNs = operations.begin();
        final short result = performer.getShort(pe, region, offset);
        operations.end(Operation.GET, Short.BYTES, startNs);
        return result;
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        final long startNs = operations.begin();
        performer.putInt(pe, region, offset, value);
        operations.end(Operation.PUT, Integer.BYTES, startNs);
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        final long startNs = operations.begin();
        final int result = performer.getInt(pe, region, offset);
        operations.end(Operation.GET, Integer.BYTES, startNs);
        return result;
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        final long startNs = operations.begin();
        performer.putLong(pe, region, offset, value);
        operations.end(Operation.PUT, Long.BYTES, startNs);
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        final long startNs = operations.begin();
        final long result = performer.getLong(pe, region, offset);
        operations.end(Operation.GET, Long.BYTES, startNs);
        return result;
    }

    @Override
    public void put(
        final int pe,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length)
    {
        final long startNs = operations.begin();
        performer.put(pe, region, offset, sourceBase, sourceAddress, length);
        operations.end(Operation.PUT, length, startNs);
    }

    @Override
    public void get(
        final int pe,
        final int region,
        final long offset,
        final Object destBase,
        final long destAddress,
        final long length)
    {
        final long startNs = operations.begin();
        performer.get(pe, region, offset, destBase, destAddress, length);
        operations.end(Operation.GET, length, startNs);
    }

    @Override
    public void putNbi(final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        final long startNs = operations.begin();
        performer.putNbi(pe, region, offset, sourceAddress, length);
        operations.end(Operation.PUT_NBI, length, startNs);
    }

    @Override
    public void getNbi(
        final int pe,
        final int region,
        final long offset,
        final Object dest,
        final long destAddress,
        final long length,
        final Pending pending)
    {
        final long startNs = operations.begin();
        performer.getNbi(pe, region, offset, dest, destAddress, length, pending);
        operations.end(Operation.GET_NBI, length, startNs);
    }

    @Override
    public void putStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long sourceAddress,
        final long sourceStride,
        final long count,
        final long blockBytes)
    {
        final long startNs = operations.begin();
        performer.putStrided(pe, region, offset, stride, sourceAddress, sourceStride, count, blockBytes);
        operations.end(Operation.PUT, count * blockBytes, startNs);
    }

    @Override
    public void getStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long destAddress,
        final long destStride,
        final long count,
        final long blockBytes)
    {
        final long startNs = operations.begin();
        performer.getStrided(pe, region, offset, stride, destAddress, destStride, count, blockBytes);
        operations.end(Operation.GET, count * blockBytes, startNs);
    }

    @Override
    public void signal(final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        final long startNs = operations.begin();
        performer.signal(pe, region, offset, value, signalOperation);
        operations.end(Operation.SIGNAL, 0, startNs);
    }

    @Override
    public void putSignal(
        final int pe,
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        final long startNs = operations.begin();
        performer.putSignal(
            pe, region, offset, sourceBase, sourceAddress, length, signalRegion, signalOffset, value, signalOperation);
        operations.end(Operation.PUT_SIGNAL, length, startNs);
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        final long startNs = operations.begin();
        performer.atomicInt(pe, op, region, offset, value);
        operations.end(Operation.ATOMIC, Integer.BYTES, startNs);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        final long startNs = operations.begin();
        final int result = performer.fetchAtomicInt(pe, op, region, offset, value, cond);
        operations.end(Operation.FETCH_ATOMIC, Integer.BYTES, startNs);
        return result;
    }

    @Override
    public void fetchAtomicIntNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final int value,
        final int cond,
        final long fetchAddress,
        final Pending pending)
    {
        final long startNs = operations.begin();
        performer.fetchAtomicIntNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        operations.end(Operation.FETCH_ATOMIC_NBI, Integer.BYTES, startNs);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        final long startNs = operations.begin();
        performer.atomicLong(pe, op, region, offset, value);
        operations.end(Operation.ATOMIC, Long.BYTES, startNs);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        final long startNs = operations.begin();
        final long result = performer.fetchAtomicLong(pe, op, region, offset, value, cond);
        operations.end(Operation.FETCH_ATOMIC, Long.BYTES, startNs);
        return result;
    }

    @Override
    public void fetchAtomicLongNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final long fetchAddress,
        final Pending pending)
    {
        final long startNs = operations.begin();
        performer.fetchAtomicLongNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
        operations.end(Operation.FETCH_ATOMIC_NBI, Long.BYTES, startNs);
    }
}
