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
package io.aeroshmem.tests.conformance;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.PeMemory;

/**
 * The atomic operations on longs.
 */
final class LongAtomics implements IntegerAtomics
{
    @Override
    public int bytes()
    {
        return Long.BYTES;
    }

    @Override
    public long narrow(final long value)
    {
        return value;
    }

    @Override
    public long local(final PeMemory memory, final SymmetricBuffer buffer, final long offset)
    {
        return memory.getLong(buffer, offset);
    }

    @Override
    public void local(final SymmetricBuffer buffer, final long offset, final long value)
    {
        buffer.putLong(offset, value);
    }

    @Override
    public long fetch(final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final int pe)
    {
        return ctx.atomicFetchLong(buffer, offset, pe);
    }

    @Override
    public void set(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicSetLong(buffer, offset, value, pe);
    }

    @Override
    public long swap(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicSwapLong(buffer, offset, value, pe);
    }

    @Override
    public long compareSwap(
        final CommunicationContext ctx,
        final SymmetricBuffer buffer,
        final long offset,
        final long cond,
        final long value,
        final int pe)
    {
        return ctx.atomicCompareSwapLong(buffer, offset, cond, value, pe);
    }

    @Override
    public long fetchAdd(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchAddLong(buffer, offset, value, pe);
    }

    @Override
    public void add(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicAddLong(buffer, offset, value, pe);
    }

    @Override
    public long fetchInc(final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final int pe)
    {
        return ctx.atomicFetchIncLong(buffer, offset, pe);
    }

    @Override
    public void inc(final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final int pe)
    {
        ctx.atomicIncLong(buffer, offset, pe);
    }

    @Override
    public long fetchAnd(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchAndLong(buffer, offset, value, pe);
    }

    @Override
    public void and(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicAndLong(buffer, offset, value, pe);
    }

    @Override
    public long fetchOr(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchOrLong(buffer, offset, value, pe);
    }

    @Override
    public void or(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicOrLong(buffer, offset, value, pe);
    }

    @Override
    public long fetchXor(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchXorLong(buffer, offset, value, pe);
    }

    @Override
    public void xor(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicXorLong(buffer, offset, value, pe);
    }

    @Override
    public void fetchNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final int pe)
    {
        ctx.atomicFetchLongNbi(fetch, at, buffer, offset, pe);
    }

    @Override
    public void swapNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicSwapLongNbi(fetch, at, buffer, offset, value, pe);
    }

    @Override
    public void compareSwapNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long cond,
        final long value,
        final int pe)
    {
        ctx.atomicCompareSwapLongNbi(fetch, at, buffer, offset, cond, value, pe);
    }

    @Override
    public void fetchAddNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicFetchAddLongNbi(fetch, at, buffer, offset, value, pe);
    }

    @Override
    public void fetchIncNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final int pe)
    {
        ctx.atomicFetchIncLongNbi(fetch, at, buffer, offset, pe);
    }

    @Override
    public void fetchAndNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicFetchAndLongNbi(fetch, at, buffer, offset, value, pe);
    }

    @Override
    public void fetchOrNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicFetchOrLongNbi(fetch, at, buffer, offset, value, pe);
    }

    @Override
    public void fetchXorNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicFetchXorLongNbi(fetch, at, buffer, offset, value, pe);
    }

    @Override
    public long fetchMin(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchMinLong(buffer, offset, value, pe);
    }

    @Override
    public long fetchMax(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchMaxLong(buffer, offset, value, pe);
    }

    @Override
    public void min(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicMinLong(buffer, offset, value, pe);
    }

    @Override
    public void max(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicMaxLong(buffer, offset, value, pe);
    }

    @Override
    public void fetchMinNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicFetchMinLongNbi(fetch, at, buffer, offset, value, pe);
    }

    @Override
    public void fetchMaxNbi(
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long at,
        final SymmetricBuffer buffer,
        final long offset,
        final long value,
        final int pe)
    {
        ctx.atomicFetchMaxLongNbi(fetch, at, buffer, offset, value, pe);
    }
}
