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
package io.aeroshmem.simulation;

import io.aeroshmem.transport.ForwardingTransport;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Transport;
import org.agrona.UnsafeApi;

/**
 * Transport of a PE that names each put, get and atomic operation to a {@link Log}: a put when it begins, a get when it
 * has returned. The payload of a block is its hash, that of an update its operand, that of a nonblocking get 0. What
 * gathers in a session does not come this way.
 */
public final class TracedTransport extends ForwardingTransport
{
    static final String GET = "get";
    static final String FETCH = "fetch";

    private final Transport transport;
    private final Log log;

    /** What the operations are named to. */
    public interface Log
    {
        void add(String operation, int peer, int region, long offset, long length, long payload);
    }

    public TracedTransport(final Transport transport, final Log log)
    {
        this.transport = transport;
        this.log = log;
    }

    @Override
    protected Transport next(final int pe)
    {
        return transport;
    }

    private static long hash(final Object base, final long address, final long length)
    {
        long hash = length;
        long i = 0;
        for (; i + Long.BYTES <= length; i += Long.BYTES)
        {
            hash = (hash ^ UnsafeApi.getLong(base, address + i)) * 0x9E37_79B9_7F4A_7C15L;
            hash ^= hash >>> 29;
        }

        for (; i < length; i++)
        {
            hash = (hash ^ UnsafeApi.getByte(base, address + i)) * 0x100_0000_01B3L;
        }

        return hash;
    }

    private static long hashStrided(final long address, final long stride, final long count, final long length)
    {
        long hash = count;
        for (long i = 0; i < count; i++)
        {
            hash = hash * 31 + hash(null, address + i * stride, length);
        }

        return hash;
    }

    @Override
    public Transport performer()
    {
        return transport;
    }

    @Override
    public boolean isMessaging()
    {
        return transport.isMessaging();
    }

    @Override
    public void putByte(final int pe, final int region, final long offset, final byte value)
    {
        log.add("put", pe, region, offset, Byte.BYTES, value);
        transport.putByte(pe, region, offset, value);
    }

    @Override
    public byte getByte(final int pe, final int region, final long offset)
    {
        final byte value = transport.getByte(pe, region, offset);
        log.add(GET, pe, region, offset, Byte.BYTES, value);
        return value;
    }

    @Override
    public void putShort(final int pe, final int region, final long offset, final short value)
    {
        log.add("put", pe, region, offset, Short.BYTES, value);
        transport.putShort(pe, region, offset, value);
    }

    @Override
    public short getShort(final int pe, final int region, final long offset)
    {
        final short value = transport.getShort(pe, region, offset);
        log.add(GET, pe, region, offset, Short.BYTES, value);
        return value;
    }

    @Override
    public void putInt(final int pe, final int region, final long offset, final int value)
    {
        log.add("put", pe, region, offset, Integer.BYTES, value);
        transport.putInt(pe, region, offset, value);
    }

    @Override
    public int getInt(final int pe, final int region, final long offset)
    {
        final int value = transport.getInt(pe, region, offset);
        log.add(GET, pe, region, offset, Integer.BYTES, value);
        return value;
    }

    @Override
    public void putLong(final int pe, final int region, final long offset, final long value)
    {
        log.add("put", pe, region, offset, Long.BYTES, value);
        transport.putLong(pe, region, offset, value);
    }

    @Override
    public long getLong(final int pe, final int region, final long offset)
    {
        final long value = transport.getLong(pe, region, offset);
        log.add(GET, pe, region, offset, Long.BYTES, value);
        return value;
    }

    @Override
    public void put(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        log.add("put", pe, region, offset, length, hash(base, address, length));
        transport.put(pe, region, offset, base, address, length);
    }

    @Override
    public void get(
        final int pe, final int region, final long offset, final Object base, final long address, final long length)
    {
        transport.get(pe, region, offset, base, address, length);
        log.add(GET, pe, region, offset, length, hash(base, address, length));
    }

    @Override
    public void putNbi(final int pe, final int region, final long offset, final long address, final long length)
    {
        log.add("put nbi", pe, region, offset, length, hash(null, address, length));
        transport.putNbi(pe, region, offset, address, length);
    }

    @Override
    public void getNbi(
        final int pe,
        final int region,
        final long offset,
        final Object dest,
        final long address,
        final long length,
        final Pending pending)
    {
        log.add("get nbi", pe, region, offset, length, 0);
        transport.getNbi(pe, region, offset, dest, address, length, pending);
    }

    @Override
    public void putStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long address,
        final long sourceStride,
        final long count,
        final long blockBytes)
    {
        log.add("put strided", pe, region, offset, count * blockBytes,
            hashStrided(address, sourceStride, count, blockBytes));
        transport.putStrided(pe, region, offset, stride, address, sourceStride, count, blockBytes);
    }

    @Override
    public void getStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long address,
        final long destStride,
        final long count,
        final long blockBytes)
    {
        transport.getStrided(pe, region, offset, stride, address, destStride, count, blockBytes);
        log.add("get strided", pe, region, offset, count * blockBytes,
            hashStrided(address, destStride, count, blockBytes));
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        log.add("signal", pe, region, offset, Long.BYTES, value);
        transport.signal(pe, region, offset, value, signalOperation);
    }

    @Override
    public void putSignal(
        final int pe,
        final int region,
        final long offset,
        final Object base,
        final long address,
        final long length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        log.add("put before a signal", pe, region, offset, length, hash(base, address, length));
        log.add("signal", pe, signalRegion, signalOffset, Long.BYTES, value);
        transport.putSignal(
            pe, region, offset, base, address, length, signalRegion, signalOffset, value, signalOperation);
    }

    @Override
    public void atomicInt(final int pe, final int op, final int region, final long offset, final int value)
    {
        log.add("atomic", pe, region, offset, Integer.BYTES, value);
        transport.atomicInt(pe, op, region, offset, value);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        final int previous = transport.fetchAtomicInt(pe, op, region, offset, value, cond);
        log.add(FETCH, pe, region, offset, Integer.BYTES, previous);
        return previous;
    }

    @Override
    public void fetchAtomicIntNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final int value,
        final int cond,
        final long address,
        final Pending pending)
    {
        log.add("fetch nbi", pe, region, offset, Integer.BYTES, value);
        transport.fetchAtomicIntNbi(pe, op, region, offset, value, cond, address, pending);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        log.add("atomic", pe, region, offset, Long.BYTES, value);
        transport.atomicLong(pe, op, region, offset, value);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        final long previous = transport.fetchAtomicLong(pe, op, region, offset, value, cond);
        log.add(FETCH, pe, region, offset, Long.BYTES, previous);
        return previous;
    }

    @Override
    public void fetchAtomicLongNbi(
        final int pe,
        final int op,
        final int region,
        final long offset,
        final long value,
        final long cond,
        final long address,
        final Pending pending)
    {
        log.add("fetch nbi", pe, region, offset, Long.BYTES, value);
        transport.fetchAtomicLongNbi(pe, op, region, offset, value, cond, address, pending);
    }
}
