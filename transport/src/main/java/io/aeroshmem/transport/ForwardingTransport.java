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
package io.aeroshmem.transport;

/**
 * A transport that forwards every operation on a PE to another transport. Subclasses override the operations that they
 * perform or change themselves.
 */
public abstract class ForwardingTransport implements Transport
{
    /** Returns the transport that performs the next operation on a PE. */
    protected abstract Transport next(int pe);

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        next(pe).putByte(pe, region, offset, value);
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        return next(pe).getByte(pe, region, offset);
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        next(pe).putShort(pe, region, offset, value);
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        return next(pe).getShort(pe, region, offset);
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        next(pe).putInt(pe, region, offset, value);
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        return next(pe).getInt(pe, region, offset);
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        next(pe).putLong(pe, region, offset, value);
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        return next(pe).getLong(pe, region, offset);
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
        next(pe).put(pe, region, offset, sourceBase, sourceAddress, length);
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
        next(pe).get(pe, region, offset, destBase, destAddress, length);
    }

    @Override
    public void putNbi(final int pe, final int region, final long offset, final long sourceAddress, final long length)
    {
        next(pe).putNbi(pe, region, offset, sourceAddress, length);
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
        next(pe).getNbi(pe, region, offset, dest, destAddress, length, pending);
    }

    @Override
    public void signal(final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        next(pe).signal(pe, region, offset, value, signalOperation);
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
        next(pe).putSignal(
            pe,
            region,
            offset,
            sourceBase,
            sourceAddress,
            length,
            signalRegion,
            signalOffset,
            value,
            signalOperation);
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        next(pe).atomicInt(pe, op, region, offset, value);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        return next(pe).fetchAtomicInt(pe, op, region, offset, value, cond);
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
        next(pe).fetchAtomicIntNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        next(pe).atomicLong(pe, op, region, offset, value);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        return next(pe).fetchAtomicLong(pe, op, region, offset, value, cond);
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
        next(pe).fetchAtomicLongNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
    }

    @Override
    public void fence(final int pe)
    {
        next(pe).fence(pe);
    }

    @Override
    public void quiet(final int pe)
    {
        next(pe).quiet(pe);
    }

    @Override
    public boolean isQuiet(final int pe)
    {
        return next(pe).isQuiet(pe);
    }
}
