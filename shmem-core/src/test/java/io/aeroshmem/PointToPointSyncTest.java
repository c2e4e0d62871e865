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
package io.aeroshmem;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.HashSet;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PointToPointSyncTest
{
    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldWaitForWhatPeersWrite(final TransportKind transport) throws Exception
    {
        LocalJobs.run(2, transport, (shmem) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer words = shmem.calloc(8, 8);
            final int peer = 1 - shmem.myPe();
            for (int i = 1; i <= 50; i++)
            {
                ctx.putLong(words, 0, i, peer);
                shmem.waitUntilLong(words, 0, Comparison.GE, i);
                ctx.atomicIncInt(words, 12, peer);
                shmem.waitUntilInt(words, 12, Comparison.GE, i);
                ctx.putInt(words, 16, -i, peer);
                shmem.waitUntilInt(words, 16, Comparison.LE, -i);
                ctx.signal(words, 24, i, SignalOp.SET, peer);
                assertTrue(shmem.tryWaitUntilLong(words, 24, Comparison.GT, i - 1, 30_000_000_000L));
                shmem.barrierAll();
            }

            assertFalse(shmem.tryWaitUntilLong(words, 0, Comparison.NE, 50, 1_000_000));
            assertFalse(shmem.tryWaitUntilInt(words, 12, Comparison.LT, 50, 0));
            assertTrue(shmem.testLong(words, 0, Comparison.EQ, 50));
            assertFalse(shmem.testInt(words, 16, Comparison.GT, -50));
        });
    }

    @Test
    void shouldWaitForSets() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer longs = shmem.calloc(6, 8);
            final SymmetricBuffer ints = shmem.calloc(6, 4);
            final int[] indices = new int[6];
            final int[] status = new int[6];
            for (int i = 0; i < 6; i++)
            {
                longs.putLong(8L * i, i);
                ints.putInt(4L * i, -i);
            }

            status[0] = 1;
            shmem.waitUntilAllLong(longs, 0, 6, status, Comparison.GT, 0);
            assertFalse(shmem.testAllLong(longs, 0, 6, null, Comparison.GT, 0));
            assertTrue(shmem.testAllInt(ints, 4, 5, null, Comparison.LT, 0));
            assertEquals(5, shmem.waitUntilAnyLong(longs, 0, 6, status, Comparison.EQ, 5));
            assertEquals(-1, shmem.testAnyLong(longs, 0, 6, status, Comparison.EQ, 0));
            assertEquals(3, shmem.waitUntilSomeInt(ints, 0, 6, indices, null, Comparison.LE, -3));
            assertArrayEquals(new int[]{3, 4, 5, 0, 0, 0}, indices);
            assertEquals(0, shmem.testSomeInt(ints, 0, 6, indices, null, Comparison.GT, 0));

            final long[] values = {0, 1, 2, 9, 4, 5};
            assertFalse(shmem.testAllVectorLong(longs, 0, 6, null, Comparison.EQ, values));
            assertEquals(3, shmem.testAnyVectorLong(longs, 0, 6, null, Comparison.NE, values));
            assertEquals(5, shmem.waitUntilSomeVectorLong(longs, 0, 6, indices, null, Comparison.EQ, values));
            assertEquals(2, shmem.waitUntilAnyVectorInt(ints, 8, 3, null, Comparison.EQ, new int[]{0, 0, -4}));
            shmem.waitUntilAllVectorInt(ints, 0, 2, null, Comparison.EQ, new int[]{0, -1});
            assertEquals(1, shmem.testSomeVectorInt(ints, 0, 2, indices, null, Comparison.EQ, new int[]{1, -1}));
        });
    }

    @Test
    void shouldReturnAtOnceForEmptySets() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer longs = shmem.calloc(2, 8);
            final int[] indices = new int[2];
            for (final int n : new int[]{0, 2})
            {
                final int[] status = {1, 7};
                final long hour = 3_600_000_000_000L;
                assertTrue(shmem.tryWaitUntilAllLong(longs, 0, n, status, Comparison.NE, 0, hour));
                assertEquals(-1, shmem.tryWaitUntilAnyLong(longs, 0, n, status, Comparison.NE, 0, hour));
                assertEquals(0, shmem.tryWaitUntilSomeLong(longs, 0, n, indices, status, Comparison.NE, 0, hour));
                shmem.waitUntilAllLong(longs, 0, n, status, Comparison.NE, 0);
                assertEquals(-1, shmem.waitUntilAnyLong(longs, 0, n, status, Comparison.NE, 0));
                assertEquals(0, shmem.waitUntilSomeLong(longs, 0, n, indices, status, Comparison.NE, 0));
                assertTrue(shmem.testAllLong(longs, 0, n, status, Comparison.NE, 0));
                assertEquals(-1, shmem.testAnyLong(longs, 0, n, status, Comparison.NE, 0));
                assertEquals(0, shmem.testSomeLong(longs, 0, n, indices, status, Comparison.NE, 0));
            }
        });
    }

    @Test
    void shouldReportEverySatisfiedElementInTheEnd() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer one = shmem.calloc(7, 8);
            final SymmetricBuffer other = shmem.calloc(2, 8);
            final Set<Integer> seen = new HashSet<>();
            for (int i = 0; i < 7; i++)
            {
                seen.add(shmem.waitUntilAnyLong(one, 0, 7, null, Comparison.EQ, 0));
            }

            assertEquals(7, seen.size());

            final Set<Integer> seenOfOne = new HashSet<>();
            final Set<Integer> seenOfOther = new HashSet<>();
            for (int i = 0; i < 2000; i++)
            {
                seenOfOne.add(shmem.testAnyLong(one, 0, 7, null, Comparison.EQ, 0));
                seenOfOther.add(shmem.waitUntilAnyLong(other, 0, 2, null, Comparison.EQ, 0));
            }

            assertEquals(7, seenOfOne.size());
            assertEquals(2, seenOfOther.size());
        });
    }

    @Test
    void shouldRefuseBadArguments() throws Exception
    {
        LocalJobs.run(1, (shmem) ->
        {
            final SymmetricBuffer words = shmem.calloc(4, 8);
            final int[] two = new int[2];
            assertThrows(IllegalArgumentException.class, () -> shmem.testLong(words, 4, Comparison.EQ, 0));
            assertThrows(IllegalArgumentException.class, () -> shmem.testInt(words, 2, Comparison.EQ, 0));
            assertThrows(IndexOutOfBoundsException.class, () -> shmem.testLong(words, 32, Comparison.EQ, 0));
            assertThrows(
                IndexOutOfBoundsException.class, () -> shmem.testAllLong(words, 8, 4, null, Comparison.EQ, 0));
            assertThrows(
                IllegalArgumentException.class, () -> shmem.testAllLong(words, 0, -1, null, Comparison.EQ, 0));
            assertThrows(
                IllegalArgumentException.class, () -> shmem.testAllLong(words, 0, 3, two, Comparison.EQ, 0));
            assertThrows(
                IllegalArgumentException.class, () -> shmem.testSomeLong(words, 0, 3, two, null, Comparison.EQ, 0));
            assertThrows(
                IllegalArgumentException.class,
                () -> shmem.testAllVectorInt(words, 0, 3, null, Comparison.EQ, two));
            assertThrows(
                IllegalArgumentException.class, () -> shmem.tryWaitUntilLong(words, 0, Comparison.EQ, 0, -1));
            assertThrows(
                IllegalArgumentException.class,
                () -> shmem.tryWaitUntilAllLong(words, 0, 2, null, Comparison.EQ, 0, -1));
            assertThrows(
                IllegalArgumentException.class,
                () -> shmem.tryWaitUntilSomeInt(words, 0, 3, two, null, Comparison.EQ, 0, 0));
            assertThrows(
                IllegalArgumentException.class,
                () -> shmem.tryWaitUntilAnyVectorInt(words, 0, 3, null, Comparison.EQ, two, 0));
            assertThrows(IllegalArgumentException.class, () -> shmem.testLong(words, 0, null, 0));
        });
    }
}
