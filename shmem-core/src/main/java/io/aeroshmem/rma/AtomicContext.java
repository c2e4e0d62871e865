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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.job.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Endpoint;
import io.aeroshmem.transport.Transport;

/**
 * The atomic operations of a context. What has a result is complete when it returns, or is counted as pending until
 * its reply; what has none is completed by quiet.
 */
abstract class AtomicContext extends CheckedContext
{
    AtomicContext(final PeIdentity owner, final Endpoint endpoint, final int[] worldPes)
    {
        super(owner, endpoint, worldPes);
    }

    @Override
    public int atomicFetchInt(final SymmetricBuffer source, final long offset, final int pe)
    {
        return fetchInt(AtomicOp.FETCH, source, offset, 0, 0, pe);
    }

    @Override
    public void atomicSetInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        updateInt(AtomicOp.SET, dest, offset, value, pe);
    }

    @Override
    public int atomicSwapInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        return fetchInt(AtomicOp.SWAP, dest, offset, value, 0, pe);
    }

    @Override
    public int atomicCompareSwapInt(
        final SymmetricBuffer dest, final long offset, final int cond, final int value, final int pe)
    {
        return fetchInt(AtomicOp.COMPARE_SWAP, dest, offset, value, cond, pe);
    }

    @Override
    public int atomicFetchAddInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        return fetchInt(AtomicOp.ADD, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicAddInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        updateInt(AtomicOp.ADD, dest, offset, value, pe);
    }

    @Override
    public int atomicFetchIncInt(final SymmetricBuffer dest, final long offset, final int pe)
    {
        return fetchInt(AtomicOp.ADD, dest, offset, 1, 0, pe);
    }

    @Override
    public void atomicIncInt(final SymmetricBuffer dest, final long offset, final int pe)
    {
        updateInt(AtomicOp.ADD, dest, offset, 1, pe);
    }

    @Override
    public int atomicFetchAndInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        return fetchInt(AtomicOp.AND, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicAndInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        updateInt(AtomicOp.AND, dest, offset, value, pe);
    }

    @Override
    public int atomicFetchOrInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        return fetchInt(AtomicOp.OR, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicOrInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        updateInt(AtomicOp.OR, dest, offset, value, pe);
    }

    @Override
    public int atomicFetchXorInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        return fetchInt(AtomicOp.XOR, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicXorInt(final SymmetricBuffer dest, final long offset, final int value, final int pe)
    {
        updateInt(AtomicOp.XOR, dest, offset, value, pe);
    }

    @Override
    public void atomicFetchIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer source,
        final long offset,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.FETCH, source, offset, 0, 0, pe);
    }

    @Override
    public void atomicSwapIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int value,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.SWAP, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicCompareSwapIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int cond,
        final int value,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.COMPARE_SWAP, dest, offset, value, cond, pe);
    }

    @Override
    public void atomicFetchAddIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int value,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.ADD, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicFetchIncIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.ADD, dest, offset, 1, 0, pe);
    }

    @Override
    public void atomicFetchAndIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int value,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.AND, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicFetchOrIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int value,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.OR, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicFetchXorIntNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int value,
        final int pe)
    {
        startInt(fetch, fetchOffset, AtomicOp.XOR, dest, offset, value, 0, pe);
    }

    private int fetchInt(
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final int value,
        final int cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Integer.BYTES, operand(op));
        return transport.fetchAtomicInt(worldPes[pe], op, HeapAccess.region(word), address, value, cond);
    }

    private void updateInt(final int op, final SymmetricBuffer word, final long offset, final int value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Integer.BYTES, Operand.DEST);
        transport.atomicInt(worldPes[pe], op, HeapAccess.region(word), address, value);
        completion.issued(pe);
    }

    private void startInt(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final int value,
        final int cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Integer.BYTES, operand(op));
        final long fetchAddress = localAlignedAddress(fetch, fetchOffset, Integer.BYTES, Operand.FETCH);
        transport.fetchAtomicIntNbi(
            worldPes[pe],
            op,
            HeapAccess.region(word),
            address,
            value,
            cond,
            fetchAddress,
            completion.pending());
    }

    @Override
    public long atomicFetchLong(final SymmetricBuffer source, final long offset, final int pe)
    {
        return fetchLong(AtomicOp.FETCH, source, offset, 0, 0, pe);
    }

    @Override
    public void atomicSetLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        updateLong(AtomicOp.SET, dest, offset, value, pe);
    }

    @Override
    public long atomicSwapLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        return fetchLong(AtomicOp.SWAP, dest, offset, value, 0, pe);
    }

    @Override
    public long atomicCompareSwapLong(
        final SymmetricBuffer dest, final long offset, final long cond, final long value, final int pe)
    {
        return fetchLong(AtomicOp.COMPARE_SWAP, dest, offset, value, cond, pe);
    }

    @Override
    public long atomicFetchAddLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        return fetchLong(AtomicOp.ADD, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicAddLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        updateLong(AtomicOp.ADD, dest, offset, value, pe);
    }

    @Override
    public long atomicFetchIncLong(final SymmetricBuffer dest, final long offset, final int pe)
    {
        return fetchLong(AtomicOp.ADD, dest, offset, 1, 0, pe);
    }

    @Override
    public void atomicIncLong(final SymmetricBuffer dest, final long offset, final int pe)
    {
        updateLong(AtomicOp.ADD, dest, offset, 1, pe);
    }

    @Override
    public long atomicFetchAndLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        return fetchLong(AtomicOp.AND, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicAndLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        updateLong(AtomicOp.AND, dest, offset, value, pe);
    }

    @Override
    public long atomicFetchOrLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        return fetchLong(AtomicOp.OR, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicOrLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        updateLong(AtomicOp.OR, dest, offset, value, pe);
    }

    @Override
    public long atomicFetchXorLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        return fetchLong(AtomicOp.XOR, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicXorLong(final SymmetricBuffer dest, final long offset, final long value, final int pe)
    {
        updateLong(AtomicOp.XOR, dest, offset, value, pe);
    }

    @Override
    public void atomicFetchLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer source,
        final long offset,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.FETCH, source, offset, 0, 0, pe);
    }

    @Override
    public void atomicSwapLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.SWAP, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicCompareSwapLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long cond,
        final long value,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.COMPARE_SWAP, dest, offset, value, cond, pe);
    }

    @Override
    public void atomicFetchAddLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.ADD, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicFetchIncLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.ADD, dest, offset, 1, 0, pe);
    }

    @Override
    public void atomicFetchAndLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.AND, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicFetchOrLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.OR, dest, offset, value, 0, pe);
    }

    @Override
    public void atomicFetchXorLongNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final long value,
        final int pe)
    {
        startLong(fetch, fetchOffset, AtomicOp.XOR, dest, offset, value, 0, pe);
    }

    private long fetchLong(
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final long value,
        final long cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Long.BYTES, operand(op));
        return transport.fetchAtomicLong(worldPes[pe], op, HeapAccess.region(word), address, value, cond);
    }

    private void updateLong(final int op, final SymmetricBuffer word, final long offset, final long value, final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Long.BYTES, Operand.DEST);
        transport.atomicLong(worldPes[pe], op, HeapAccess.region(word), address, value);
        completion.issued(pe);
    }

    private void startLong(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final int op,
        final SymmetricBuffer word,
        final long offset,
        final long value,
        final long cond,
        final int pe)
    {
        final Transport transport = transport(pe);
        final long address = HeapAccess.alignedAddress(word, owner, offset, Long.BYTES, operand(op));
        final long fetchAddress = localAlignedAddress(fetch, fetchOffset, Long.BYTES, Operand.FETCH);
        transport.fetchAtomicLongNbi(
            worldPes[pe],
            op,
            HeapAccess.region(word),
            address,
            value,
            cond,
            fetchAddress,
            completion.pending());
    }

    private static Operand operand(final int op)
    {
        return AtomicOp.FETCH == op ? Operand.SOURCE : Operand.DEST;
    }
}
