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
import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.PeMemory;

/**
 * The waits and tests on longs.
 */
final class LongWaits implements WaitForms
{
    @Override
    public int bytes()
    {
        return Long.BYTES;
    }

    @Override
    public void put(
        final CommunicationContext ctx, final SymmetricBuffer ivar, final long at, final long value, final int pe)
    {
        ctx.putLong(ivar, at, value, pe);
    }

    @Override
    public void set(final PeMemory memory, final SymmetricBuffer ivar, final long at, final long value)
    {
        memory.putLong(ivar, at, value);
    }

    @Override
    public void waitUntil(
        final Shmem shmem, final SymmetricBuffer ivar, final long at, final Comparison cmp, final long value)
    {
        shmem.waitUntilLong(ivar, at, cmp, value);
    }

    @Override
    public boolean tryWaitUntil(
        final Shmem shmem,
        final SymmetricBuffer ivar,
        final long at,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilLong(ivar, at, cmp, value, timeoutNs);
    }

    @Override
    public boolean test(
        final Shmem shmem, final SymmetricBuffer ivar, final long at, final Comparison cmp, final long value)
    {
        return shmem.testLong(ivar, at, cmp, value);
    }

    @Override
    public void waitUntilAll(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        shmem.waitUntilAllLong(ivars, at, n, status, cmp, value);
    }

    @Override
    public boolean tryWaitUntilAll(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilAllLong(ivars, at, n, status, cmp, value, timeoutNs);
    }

    @Override
    public boolean testAll(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return shmem.testAllLong(ivars, at, n, status, cmp, value);
    }

    @Override
    public void waitUntilAllVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        shmem.waitUntilAllVectorLong(ivars, at, n, status, cmp, values);
    }

    @Override
    public boolean tryWaitUntilAllVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilAllVectorLong(ivars, at, n, status, cmp, values, timeoutNs);
    }

    @Override
    public boolean testAllVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        return shmem.testAllVectorLong(ivars, at, n, status, cmp, values);
    }

    @Override
    public int waitUntilAny(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return shmem.waitUntilAnyLong(ivars, at, n, status, cmp, value);
    }

    @Override
    public int tryWaitUntilAny(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilAnyLong(ivars, at, n, status, cmp, value, timeoutNs);
    }

    @Override
    public int testAny(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return shmem.testAnyLong(ivars, at, n, status, cmp, value);
    }

    @Override
    public int waitUntilAnyVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        return shmem.waitUntilAnyVectorLong(ivars, at, n, status, cmp, values);
    }

    @Override
    public int tryWaitUntilAnyVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilAnyVectorLong(ivars, at, n, status, cmp, values, timeoutNs);
    }

    @Override
    public int testAnyVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        return shmem.testAnyVectorLong(ivars, at, n, status, cmp, values);
    }

    @Override
    public int waitUntilSome(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return shmem.waitUntilSomeLong(ivars, at, n, indices, status, cmp, value);
    }

    @Override
    public int tryWaitUntilSome(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilSomeLong(ivars, at, n, indices, status, cmp, value, timeoutNs);
    }

    @Override
    public int testSome(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value)
    {
        return shmem.testSomeLong(ivars, at, n, indices, status, cmp, value);
    }

    @Override
    public int waitUntilSomeVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        return shmem.waitUntilSomeVectorLong(ivars, at, n, indices, status, cmp, values);
    }

    @Override
    public int tryWaitUntilSomeVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long[] values,
        final long timeoutNs)
    {
        return shmem.tryWaitUntilSomeVectorLong(ivars, at, n, indices, status, cmp, values, timeoutNs);
    }

    @Override
    public int testSomeVector(
        final Shmem shmem,
        final SymmetricBuffer ivars,
        final long at,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long[] values)
    {
        return shmem.testSomeVectorLong(ivars, at, n, indices, status, cmp, values);
    }
}
