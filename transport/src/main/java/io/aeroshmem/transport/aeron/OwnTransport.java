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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.mapped.MappedTransport;
import io.aeroshmem.transport.progress.BlockingWait;

/**
 * Transport of a PE to itself, used where peers reach the PE by messages. The thread of a session may have claimed the
 * words of the user heap ({@link WordOwnership}). While they are claimed, the {@link ProgressEngine} updates them under
 * its lock, mostly by a load and a store. An update by this transport, outside that lock, could come between the two.
 * So the transport ends the claim before an atomic operation or a signal updates the heap.
 */
public final class OwnTransport extends MappedTransport
{
    private final WordOwnership ownership;

    /** Parameters as those of {@link MappedTransport}. */
    public OwnTransport(
        final MemorySpace[] spaces, final Object owners, final BlockingWait blockingWait, final ProgressEngine engine)
    {
        super(spaces, owners, blockingWait);
        ownership = engine.ownership();
    }

    private void beforeAtomic(final int region, final int op)
    {
        if (AtomicOp.FETCH != op)
        {
            beforeUpdate(region);
        }
    }

    private void beforeUpdate(final int region)
    {
        if (Region.USER == region)
        {
            ownership.beforeAtomic();
        }
    }

    @Override
    public void signal(
        final int pe, final int region, final long offset, final long value, final int signalOperation)
    {
        beforeUpdate(region);
        super.signal(pe, region, offset, value, signalOperation);
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
        beforeUpdate(signalRegion);
        super.putSignal(
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
        beforeAtomic(region, op);
        super.atomicInt(pe, op, region, offset, value);
    }

    @Override
    public int fetchAtomicInt(
        final int pe, final int op, final int region, final long offset, final int value, final int cond)
    {
        beforeAtomic(region, op);
        return super.fetchAtomicInt(pe, op, region, offset, value, cond);
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
        beforeAtomic(region, op);
        super.fetchAtomicIntNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
    }

    @Override
    public void atomicLong(final int pe, final int op, final int region, final long offset, final long value)
    {
        beforeAtomic(region, op);
        super.atomicLong(pe, op, region, offset, value);
    }

    @Override
    public long fetchAtomicLong(
        final int pe, final int op, final int region, final long offset, final long value, final long cond)
    {
        beforeAtomic(region, op);
        return super.fetchAtomicLong(pe, op, region, offset, value, cond);
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
        beforeAtomic(region, op);
        super.fetchAtomicLongNbi(pe, op, region, offset, value, cond, fetchAddress, pending);
    }
}
