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
 * The waits and tests of one of the two types, so that a routine is written once.
 */
interface WaitForms
{
    WaitForms LONG = new LongWaits();
    WaitForms INT = new IntWaits();

    int bytes();

    void put(CommunicationContext ctx, SymmetricBuffer ivar, long at, long value, int pe);

    void set(PeMemory memory, SymmetricBuffer ivar, long at, long value);

    void waitUntil(Shmem shmem, SymmetricBuffer ivar, long at, Comparison cmp, long value);

    boolean tryWaitUntil(Shmem shmem, SymmetricBuffer ivar, long at, Comparison cmp, long value, long timeoutNs);

    boolean test(Shmem shmem, SymmetricBuffer ivar, long at, Comparison cmp, long value);

    void waitUntilAll(Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long value);

    boolean tryWaitUntilAll(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long value, long timeoutNs);

    boolean testAll(Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long value);

    void waitUntilAllVector(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long[] values);

    boolean tryWaitUntilAllVector(
        Shmem shmem,
        SymmetricBuffer ivars,
        long at,
        int n,
        int[] status,
        Comparison cmp,
        long[] values,
        long timeoutNs);

    boolean testAllVector(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long[] values);

    int waitUntilAny(Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long value);

    int tryWaitUntilAny(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long value, long timeoutNs);

    int testAny(Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long value);

    int waitUntilAnyVector(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long[] values);

    int tryWaitUntilAnyVector(
        Shmem shmem,
        SymmetricBuffer ivars,
        long at,
        int n,
        int[] status,
        Comparison cmp,
        long[] values,
        long timeoutNs);

    int testAnyVector(Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] status, Comparison cmp, long[] values);

    int waitUntilSome(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] indices, int[] status, Comparison cmp, long value);

    int tryWaitUntilSome(
        Shmem shmem,
        SymmetricBuffer ivars,
        long at,
        int n,
        int[] indices,
        int[] status,
        Comparison cmp,
        long value,
        long timeoutNs);

    int testSome(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] indices, int[] status, Comparison cmp, long value);

    int waitUntilSomeVector(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] indices, int[] status, Comparison cmp, long[] values);

    int tryWaitUntilSomeVector(
        Shmem shmem,
        SymmetricBuffer ivars,
        long at,
        int n,
        int[] indices,
        int[] status,
        Comparison cmp,
        long[] values,
        long timeoutNs);

    int testSomeVector(
        Shmem shmem, SymmetricBuffer ivars, long at, int n, int[] indices, int[] status, Comparison cmp, long[] values);
}
