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
 * The atomic operations of one of the two integer types, so that a routine is written once. Values of the narrower type
 * are sign-extended.
 */
interface IntegerAtomics
{
    IntegerAtomics LONG = new LongAtomics();
    IntegerAtomics INT = new IntAtomics();

    int bytes();

    /** A value as this type holds it. */
    long narrow(long value);

    long local(PeMemory memory, SymmetricBuffer buffer, long offset);

    void local(SymmetricBuffer buffer, long offset, long value);

    long fetch(CommunicationContext ctx, SymmetricBuffer buffer, long offset, int pe);

    void set(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long swap(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long compareSwap(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long cond, long value, int pe);

    long fetchAdd(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void add(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long fetchInc(CommunicationContext ctx, SymmetricBuffer buffer, long offset, int pe);

    void inc(CommunicationContext ctx, SymmetricBuffer buffer, long offset, int pe);

    long fetchAnd(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void and(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long fetchOr(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void or(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long fetchXor(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void xor(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long fetchMin(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void min(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    long fetchMax(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void max(CommunicationContext ctx, SymmetricBuffer buffer, long offset, long value, int pe);

    void fetchNbi(
        CommunicationContext ctx, SymmetricBuffer fetch, long at, SymmetricBuffer buffer, long offset, int pe);

    void swapNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);

    void compareSwapNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long cond,
        long value,
        int pe);

    void fetchAddNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);

    void fetchIncNbi(
        CommunicationContext ctx, SymmetricBuffer fetch, long at, SymmetricBuffer buffer, long offset, int pe);

    void fetchAndNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);

    void fetchOrNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);

    void fetchXorNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);

    void fetchMinNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);

    void fetchMaxNbi(
        CommunicationContext ctx,
        SymmetricBuffer fetch,
        long at,
        SymmetricBuffer buffer,
        long offset,
        long value,
        int pe);
}
