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

import java.util.Arrays;

/**
 * The waits and tests on ints.
 */
final class IntWaits implements WaitForms
{
    @Override
    public int bytes()
    {
        return Integer.BYTES;
    }

    @Override
    public void put(
        final CommunicationContext ctx, final SymmetricBuffer ivar, final long at, final long value, final int pe)
    {
        ctx.putInt(ivar, at, (int)value, pe);
    }

    @Override
    public void set(final PeMemory memory, final SymmetricBuffer ivar, final long at, final long value)
    {
        memory.putInt(ivar, at, (int)value);
    }

    @Override
    public void waitUntil(
        final Shmem shmem, final SymmetricBuffer ivar, final long at, final Comparison cmp, final long value)
    {
        shmem.waitUntilInt(ivar, at, cmp, (int)value);
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
        return shmem.tryWaitUntilInt(ivar, at, cmp, (int)value, timeoutNs);
    }

    @Override
    public boolean test(
        final Shmem shmem, final SymmetricBuffer ivar, final long at, final Comparison cmp, final long value)
    {
        return shmem.testInt(ivar, at, cmp, (int)value);
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
        shmem.waitUntilAllInt(ivars, at, n, status, cmp, (int)value);
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
        return shmem.tryWaitUntilAllInt(ivars, at, n, status, cmp, (int)value, timeoutNs);
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
        return shmem.testAllInt(ivars, at, n, status, cmp, (int)value);
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
        shmem.waitUntilAllVectorInt(ivars, at, n, status, cmp, narrow(values));
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
        return shmem.tryWaitUntilAllVectorInt(ivars, at, n, status, cmp, narrow(values), timeoutNs);
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
        return shmem.testAllVectorInt(ivars, at, n, status, cmp, narrow(values));
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
        return shmem.waitUntilAnyInt(ivars, at, n, status, cmp, (int)value);
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
        return shmem.tryWaitUntilAnyInt(ivars, at, n, status, cmp, (int)value, timeoutNs);
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
        return shmem.testAnyInt(ivars, at, n, status, cmp, (int)value);
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
        return shmem.waitUntilAnyVectorInt(ivars, at, n, status, cmp, narrow(values));
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
        return shmem.tryWaitUntilAnyVectorInt(ivars, at, n, status, cmp, narrow(values), timeoutNs);
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
        return shmem.testAnyVectorInt(ivars, at, n, status, cmp, narrow(values));
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
        return shmem.waitUntilSomeInt(ivars, at, n, indices, status, cmp, (int)value);
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
        return shmem.tryWaitUntilSomeInt(ivars, at, n, indices, status, cmp, (int)value, timeoutNs);
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
        return shmem.testSomeInt(ivars, at, n, indices, status, cmp, (int)value);
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
        return shmem.waitUntilSomeVectorInt(ivars, at, n, indices, status, cmp, narrow(values));
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
        return shmem.tryWaitUntilSomeVectorInt(ivars, at, n, indices, status, cmp, narrow(values), timeoutNs);
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
        return shmem.testSomeVectorInt(ivars, at, n, indices, status, cmp, narrow(values));
    }

    private static int[] narrow(final long[] values)
    {
        return Arrays.stream(values).mapToInt((value) -> (int)value).toArray();
    }
}
