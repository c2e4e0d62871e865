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
 * The atomic operations on ints.
 */
final class IntAtomics implements IntegerAtomics
{
    @Override
    public int bytes()
    {
        return Integer.BYTES;
    }

    @Override
    public long narrow(final long value)
    {
        return (int)value;
    }

    @Override
    public long local(final PeMemory memory, final SymmetricBuffer buffer, final long offset)
    {
        return memory.getInt(buffer, offset);
    }

    @Override
    public void local(final SymmetricBuffer buffer, final long offset, final long value)
    {
        buffer.putInt(offset, (int)value);
    }

    @Override
    public long fetch(final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final int pe)
    {
        return ctx.atomicFetchInt(buffer, offset, pe);
    }

    @Override
    public void set(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicSetInt(buffer, offset, (int)value, pe);
    }

    @Override
    public long swap(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicSwapInt(buffer, offset, (int)value, pe);
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
        return ctx.atomicCompareSwapInt(buffer, offset, (int)cond, (int)value, pe);
    }

    @Override
    public long fetchAdd(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchAddInt(buffer, offset, (int)value, pe);
    }

    @Override
    public void add(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicAddInt(buffer, offset, (int)value, pe);
    }

    @Override
    public long fetchInc(final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final int pe)
    {
        return ctx.atomicFetchIncInt(buffer, offset, pe);
    }

    @Override
    public void inc(final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final int pe)
    {
        ctx.atomicIncInt(buffer, offset, pe);
    }

    @Override
    public long fetchAnd(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchAndInt(buffer, offset, (int)value, pe);
    }

    @Override
    public void and(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicAndInt(buffer, offset, (int)value, pe);
    }

    @Override
    public long fetchOr(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchOrInt(buffer, offset, (int)value, pe);
    }

    @Override
    public void or(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicOrInt(buffer, offset, (int)value, pe);
    }

    @Override
    public long fetchXor(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchXorInt(buffer, offset, (int)value, pe);
    }

    @Override
    public void xor(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicXorInt(buffer, offset, (int)value, pe);
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
        ctx.atomicFetchIntNbi(fetch, at, buffer, offset, pe);
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
        ctx.atomicSwapIntNbi(fetch, at, buffer, offset, (int)value, pe);
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
        ctx.atomicCompareSwapIntNbi(fetch, at, buffer, offset, (int)cond, (int)value, pe);
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
        ctx.atomicFetchAddIntNbi(fetch, at, buffer, offset, (int)value, pe);
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
        ctx.atomicFetchIncIntNbi(fetch, at, buffer, offset, pe);
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
        ctx.atomicFetchAndIntNbi(fetch, at, buffer, offset, (int)value, pe);
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
        ctx.atomicFetchOrIntNbi(fetch, at, buffer, offset, (int)value, pe);
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
        ctx.atomicFetchXorIntNbi(fetch, at, buffer, offset, (int)value, pe);
    }

    @Override
    public long fetchMin(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchMinInt(buffer, offset, (int)value, pe);
    }

    @Override
    public long fetchMax(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        return ctx.atomicFetchMaxInt(buffer, offset, (int)value, pe);
    }

    @Override
    public void min(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicMinInt(buffer, offset, (int)value, pe);
    }

    @Override
    public void max(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long offset, final long value, final int pe)
    {
        ctx.atomicMaxInt(buffer, offset, (int)value, pe);
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
        ctx.atomicFetchMinIntNbi(fetch, at, buffer, offset, (int)value, pe);
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
        ctx.atomicFetchMaxIntNbi(fetch, at, buffer, offset, (int)value, pe);
    }
}
