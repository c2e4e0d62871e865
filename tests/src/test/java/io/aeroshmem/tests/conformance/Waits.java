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

import io.aeroshmem.Comparison;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pe;

import java.util.Arrays;
import java.util.BitSet;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Waits and tests on one word, on all, any and some of several, with one value and with a value each.
 */
final class Waits
{
    private static final WaitForms[] TYPES = {WaitForms.LONG, WaitForms.INT};
    private static final int COUNT = 9;
    private static final long FOREVER_NS = 30_000_000_000L;

    private Waits()
    {
    }

    static void shouldCompareAsJavaDoes(final Pe pe)
    {
        final SymmetricBuffer word = pe.calloc(1, 8);
        final long[] values = {-7, -1, 0, 1, 7, Integer.MIN_VALUE, Integer.MAX_VALUE};
        for (final WaitForms type : TYPES)
        {
            for (final long held : values)
            {
                type.set(pe.memory(), word, 0, held);
                for (final long given : values)
                {
                    for (final Comparison cmp : Comparison.values())
                    {
                        final boolean expected = holds(held, cmp, given);
                        final String what = held + " " + cmp + " " + given;
                        assertEquals(expected, type.test(pe.shmem(), word, 0, cmp, given), what);
                        assertEquals(expected, type.tryWaitUntil(pe.shmem(), word, 0, cmp, given, 1000), what);
                        if (expected)
                        {
                            type.waitUntil(pe.shmem(), word, 0, cmp, given);
                        }
                    }
                }
            }
        }

        pe.shmem().barrierAll();
        pe.shmem().free(word);
    }

    private static boolean holds(final long held, final Comparison cmp, final long given)
    {
        return switch (cmp)
        {
            case EQ -> held == given;
            case NE -> held != given;
            case GT -> held > given;
            case GE -> held >= given;
            case LT -> held < given;
            case LE -> held <= given;
        };
    }

    static void shouldWaitForAPeer(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            final SymmetricBuffer words = pe.calloc(4, 8);
            for (int round = 1; round <= 50; round++)
            {
                type.put(pe.ctx(), words, 16, round, pe.right());
                type.waitUntil(pe.shmem(), words, 16, Comparison.GE, round);
                type.put(pe.ctx(), words, 24, -round, pe.left());
                assertTrue(type.tryWaitUntil(pe.shmem(), words, 24, Comparison.LE, -round, FOREVER_NS));
            }

            pe.shmem().barrierAll();
            pe.shmem().free(words);
        }
    }

    static void shouldGiveUpAfterTheTimeGiven(final Pe pe)
    {
        final SymmetricBuffer word = pe.calloc(1, 8);
        final long timeoutNs = 3_000_000;
        final long start = System.nanoTime();
        assertFalse(pe.shmem().tryWaitUntilLong(word, 0, Comparison.NE, 0, timeoutNs));
        assertTrue(System.nanoTime() - start >= timeoutNs, "waited as long as asked");
        assertFalse(pe.shmem().tryWaitUntilInt(word, 0, Comparison.GT, 0, 0));
        assertTrue(pe.shmem().tryWaitUntilInt(word, 0, Comparison.EQ, 0, 0));
        pe.shmem().barrierAll();
        pe.shmem().free(word);
    }

    static void shouldGiveUpSetsAfterTheTimeGiven(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            final SymmetricBuffer words = pe.calloc(COUNT, 8);
            final int[] indices = new int[COUNT];
            final int[] excluded = excluding(1);
            final long timeoutNs = 300_000;
            final long start = System.nanoTime();
            assertFalse(type.tryWaitUntilAll(pe.shmem(), words, 0, COUNT, null, Comparison.NE, 0, timeoutNs));
            assertFalse(
                type.tryWaitUntilAllVector(pe.shmem(), words, 0, COUNT, null, Comparison.EQ, values(), timeoutNs));
            assertEquals(-1, type.tryWaitUntilAny(pe.shmem(), words, 0, COUNT, null, Comparison.NE, 0, timeoutNs));
            assertEquals(-1, type.tryWaitUntilAnyVector(
                pe.shmem(), words, 0, COUNT, null, Comparison.EQ, values(), timeoutNs));
            assertEquals(0, type.tryWaitUntilSome(
                pe.shmem(), words, 0, COUNT, indices, null, Comparison.NE, 0, timeoutNs));
            assertEquals(0, type.tryWaitUntilSomeVector(
                pe.shmem(), words, 0, COUNT, indices, null, Comparison.EQ, values(), timeoutNs));
            assertTrue(System.nanoTime() - start >= 6 * timeoutNs, "waited as long as asked");

            // A word that is left out does not end a wait for any word, and does not delay one for all.
            type.set(pe.memory(), words, type.bytes(), values()[1]);
            assertEquals(-1, type.tryWaitUntilAny(pe.shmem(), words, 0, COUNT, excluded, Comparison.NE, 0, 0));
            assertTrue(type.tryWaitUntilAll(pe.shmem(), words, 0, COUNT, excluded, Comparison.EQ, 0, 0));
            assertEquals(
                1, type.tryWaitUntilSome(pe.shmem(), words, 0, COUNT, indices, null, Comparison.NE, 0, FOREVER_NS));
            assertEquals(1, indices[0]);
            pe.shmem().barrierAll();
            pe.shmem().free(words);
        }
    }

    static void shouldWaitForSetsWithinTheTimeGiven(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            for (final boolean vector : new boolean[]{false, true})
            {
                final SymmetricBuffer words = pe.calloc(COUNT, 8);
                final int[] status = new int[COUNT];
                final int[] indices = new int[COUNT];
                putInRandomOrder(pe, type, words, vector);
                final int index = vector ?
                    type.tryWaitUntilAnyVector(
                        pe.shmem(), words, 0, COUNT, status, Comparison.EQ, values(), FOREVER_NS) :
                    type.tryWaitUntilAny(pe.shmem(), words, 0, COUNT, status, Comparison.NE, 0, FOREVER_NS);
                status[index] = 1;
                for (int seen = 1; seen < COUNT;)
                {
                    final int count = vector ?
                        type.tryWaitUntilSomeVector(
                            pe.shmem(), words, 0, COUNT, indices, status, Comparison.EQ, values(), FOREVER_NS) :
                        type.tryWaitUntilSome(
                            pe.shmem(), words, 0, COUNT, indices, status, Comparison.NE, 0, FOREVER_NS);
                    assertTrue(count > 0, "count " + count);
                    for (int i = 0; i < count; i++, seen++)
                    {
                        assertEquals(0, status[indices[i]], "not excluded");
                        status[indices[i]] = 1;
                    }
                }

                pe.shmem().barrierAll();
                type.set(pe.memory(), words, 0, 0);
                pe.shmem().barrierAll();
                type.put(pe.ctx(), words, 0, values()[0], pe.right());
                assertTrue(vector ?
                    type.tryWaitUntilAllVector(
                        pe.shmem(), words, 0, COUNT, null, Comparison.EQ, values(), FOREVER_NS) :
                    type.tryWaitUntilAll(pe.shmem(), words, 0, COUNT, null, Comparison.NE, 0, FOREVER_NS));
                pe.shmem().barrierAll();
                pe.shmem().free(words);
            }
        }
    }

    static void shouldWaitForAll(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            final SymmetricBuffer words = pe.calloc(COUNT + 1, 8);
            final long[] values = values();
            final int[] excluded = excluding(2, 5);
            assertFalse(type.testAll(pe.shmem(), words, 8, COUNT, null, Comparison.NE, 0));
            pe.shmem().barrierAll();
            for (int i = 0; i < COUNT; i++)
            {
                if (2 != i && 5 != i)
                {
                    type.put(pe.ctx(), words, 8 + (long)i * type.bytes(), 7, pe.right());
                }
            }

            type.waitUntilAll(pe.shmem(), words, 8, COUNT, excluded, Comparison.EQ, 7);
            assertTrue(type.testAll(pe.shmem(), words, 8, COUNT, excluded, Comparison.EQ, 7));
            assertFalse(type.testAll(pe.shmem(), words, 8, COUNT, null, Comparison.EQ, 7));
            pe.shmem().barrierAll();
            for (int i = 0; i < COUNT; i++)
            {
                type.put(pe.ctx(), words, 8 + (long)i * type.bytes(), values[i], pe.right());
            }

            type.waitUntilAllVector(pe.shmem(), words, 8, COUNT, null, Comparison.EQ, values);
            assertTrue(type.testAllVector(pe.shmem(), words, 8, COUNT, null, Comparison.GE, values));
            assertFalse(type.testAllVector(pe.shmem(), words, 8, COUNT, null, Comparison.NE, values));
            assertArrayEquals(excluding(2, 5), excluded, "status is not written");
            pe.shmem().barrierAll();
            pe.shmem().free(words);
        }
    }

    static void shouldReportEveryIndexWaitedForAny(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            for (final boolean vector : new boolean[]{false, true})
            {
                final SymmetricBuffer words = pe.calloc(COUNT, 8);
                final int[] status = excluding(3);
                final BitSet seen = new BitSet();
                putInRandomOrder(pe, type, words, vector);
                while (seen.cardinality() < COUNT - 1)
                {
                    final int index = vector ?
                        type.waitUntilAnyVector(pe.shmem(), words, 0, COUNT, status, Comparison.EQ, values()) :
                        type.waitUntilAny(pe.shmem(), words, 0, COUNT, status, Comparison.NE, 0);
                    assertTrue(index >= 0 && index < COUNT && 0 == status[index], "index " + index);
                    status[index] = 1;
                    seen.set(index);
                }

                assertFalse(seen.get(3));
                final int none = vector ?
                    type.waitUntilAnyVector(pe.shmem(), words, 0, COUNT, status, Comparison.EQ, values()) :
                    type.waitUntilAny(pe.shmem(), words, 0, COUNT, status, Comparison.NE, 0);
                assertEquals(-1, none, "all excluded");
                pe.shmem().barrierAll();
                pe.shmem().free(words);
            }
        }
    }

    static void shouldReportEveryIndexWaitedForSome(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            for (final boolean vector : new boolean[]{false, true})
            {
                final SymmetricBuffer words = pe.calloc(COUNT, 8);
                final int[] status = excluding(0);
                final int[] indices = new int[COUNT];
                final BitSet seen = new BitSet();
                putInRandomOrder(pe, type, words, vector);
                while (seen.cardinality() < COUNT - 1)
                {
                    final int count = vector ?
                        type.waitUntilSomeVector(
                            pe.shmem(), words, 0, COUNT, indices, status, Comparison.EQ, values()) :
                        type.waitUntilSome(pe.shmem(), words, 0, COUNT, indices, status, Comparison.NE, 0);
                    assertTrue(count > 0, "count " + count);
                    for (int i = 0; i < count; i++)
                    {
                        assertEquals(0, status[indices[i]], "not excluded");
                        status[indices[i]] = 1;
                        seen.set(indices[i]);
                    }
                }

                assertFalse(seen.get(0));
                assertEquals(0, vector ?
                    type.waitUntilSomeVector(pe.shmem(), words, 0, COUNT, indices, status, Comparison.EQ, values()) :
                    type.waitUntilSome(pe.shmem(), words, 0, COUNT, indices, status, Comparison.NE, 0));
                pe.shmem().barrierAll();
                pe.shmem().free(words);
            }
        }
    }

    private static void putInRandomOrder(
        final Pe pe, final WaitForms type, final SymmetricBuffer words, final boolean vector)
    {
        final int[] order = new int[COUNT];
        Arrays.setAll(order, (i) -> i);
        final SplittableRandom random = pe.ownRandom();
        for (int i = COUNT - 1; i >= 0; i--)
        {
            final int other = random.nextInt(i + 1);
            final int index = order[other];
            order[other] = order[i];
            type.put(
                pe.ctx(), words, (long)index * type.bytes(), vector ? values()[index] : 1 + index, pe.right());
        }
    }

    static void shouldTestAnyAndSome(final Pe pe)
    {
        for (final WaitForms type : TYPES)
        {
            final SymmetricBuffer words = pe.calloc(COUNT, 8);
            final int[] indices = new int[COUNT];
            assertEquals(-1, type.testAny(pe.shmem(), words, 0, COUNT, null, Comparison.NE, 0));
            assertEquals(0, type.testSome(pe.shmem(), words, 0, COUNT, indices, null, Comparison.NE, 0));
            assertEquals(-1, type.testAnyVector(pe.shmem(), words, 0, COUNT, null, Comparison.EQ, values()));
            assertEquals(0, type.testSomeVector(pe.shmem(), words, 0, COUNT, indices, null, Comparison.EQ, values()));
            final int at = 4;
            type.set(pe.memory(), words, (long)at * type.bytes(), values()[at]);
            assertEquals(at, type.testAny(pe.shmem(), words, 0, COUNT, null, Comparison.NE, 0));
            assertEquals(1, type.testSome(pe.shmem(), words, 0, COUNT, indices, null, Comparison.NE, 0));
            assertEquals(at, indices[0]);
            assertEquals(at, type.testAnyVector(pe.shmem(), words, 0, COUNT, null, Comparison.EQ, values()));
            indices[0] = -1;
            assertEquals(1, type.testSomeVector(pe.shmem(), words, 0, COUNT, indices, null, Comparison.EQ, values()));
            assertEquals(at, indices[0]);
            assertEquals(-1, type.testAny(pe.shmem(), words, 0, COUNT, excluding(at), Comparison.NE, 0));
            assertEquals(0, type.testSome(pe.shmem(), words, 0, COUNT, indices, excluding(at), Comparison.NE, 0));
            assertEquals(COUNT - 1, type.testSome(pe.shmem(), words, 0, COUNT, indices, null, Comparison.EQ, 0));
            pe.shmem().barrierAll();
            pe.shmem().free(words);
        }
    }

    static void shouldReturnAtOnceForEmptySets(final Pe pe)
    {
        final SymmetricBuffer words = pe.calloc(2, 8);
        final int[] allExcluded = {1, 1};
        final int[] indices = new int[2];
        for (final WaitForms type : TYPES)
        {
            for (int n = 0; n <= 2; n += 2)
            {
                final int[] status = 0 == n ? null : allExcluded;
                type.waitUntilAll(pe.shmem(), words, 0, n, status, Comparison.NE, 0);
                type.waitUntilAllVector(pe.shmem(), words, 0, n, status, Comparison.NE, new long[n]);
                assertEquals(-1, type.waitUntilAny(pe.shmem(), words, 0, n, status, Comparison.NE, 0));
                assertEquals(-1, type.waitUntilAnyVector(pe.shmem(), words, 0, n, status, Comparison.NE, new long[n]));
                assertEquals(0, type.waitUntilSome(pe.shmem(), words, 0, n, indices, status, Comparison.NE, 0));
                assertEquals(0, type.waitUntilSomeVector(
                    pe.shmem(), words, 0, n, indices, status, Comparison.NE, new long[n]));
                assertTrue(type.testAll(pe.shmem(), words, 0, n, status, Comparison.NE, 0));
                assertTrue(type.testAllVector(pe.shmem(), words, 0, n, status, Comparison.NE, new long[n]));
                assertEquals(-1, type.testAny(pe.shmem(), words, 0, n, status, Comparison.NE, 0));
                assertEquals(-1, type.testAnyVector(pe.shmem(), words, 0, n, status, Comparison.NE, new long[n]));
                assertEquals(0, type.testSome(pe.shmem(), words, 0, n, indices, status, Comparison.NE, 0));
                assertEquals(0, type.testSomeVector(
                    pe.shmem(), words, 0, n, indices, status, Comparison.NE, new long[n]));
            }
        }

        pe.shmem().barrierAll();
        pe.shmem().free(words);
    }

    static void shouldEndByPlainStoresOfAnotherThread(final Pe pe) throws InterruptedException
    {
        final SymmetricBuffer word = pe.calloc(1, 8);
        final Thread thread = new Thread(() -> pe.memory().putLong(word, 0, 5), "plain-store-" + pe.me());
        thread.start();
        pe.shmem().waitUntilLong(word, 0, Comparison.EQ, 5);
        thread.join();
        pe.shmem().barrierAll();
        pe.shmem().free(word);
    }

    /** A value for each element, none of them 0 or the index plus one. */
    private static long[] values()
    {
        final long[] values = new long[COUNT];
        Arrays.setAll(values, (i) -> 100 - 3L * i);
        return values;
    }

    private static int[] excluding(final int... indices)
    {
        final int[] status = new int[COUNT];
        for (final int index : indices)
        {
            status[index] = 1;
        }

        return status;
    }
}
