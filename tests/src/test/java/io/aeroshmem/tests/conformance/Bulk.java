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
import io.aeroshmem.MemoryKind;
import io.aeroshmem.SessionOption;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.SymmetricDoubles;
import io.aeroshmem.SymmetricLongs;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

/**
 * Transfers between arrays and symmetric memory, and many small operations that are gathered on their way.
 */
final class Bulk
{
    /** Counts at which something changes: nothing, one, words, small blocks, frames. */
    private static final int[] COUNTS = {0, 1, 2, 7, 64, 65, 1000, 1024, 9000};
    private static final int LARGEST = 9000;
    private static final int MARGIN = 5;
    private static final int MANY = 20_000;
    private static final int TABLE = 512;

    private Bulk()
    {
    }

    static void shouldMoveElementsOfArrays(final Pe pe)
    {
        final SymmetricBuffer dest = pe.malloc((LARGEST + MARGIN) * 8L);
        final SymmetricBuffer own = pe.malloc((LARGEST + MARGIN) * 8L);
        moveBytes(pe, dest, own);
        moveShorts(pe, dest, own);
        moveInts(pe, dest, own);
        moveLongs(pe, dest, own);
        moveFloats(pe, dest, own);
        moveDoubles(pe, dest, own);
        pe.shmem().free(own);
        pe.shmem().free(dest);
    }

    private static void moveBytes(final Pe pe, final SymmetricBuffer dest, final SymmetricBuffer own)
    {
        final byte[] sent = new byte[LARGEST + 2 * MARGIN];
        final byte[] received = new byte[LARGEST + 2 * MARGIN];
        final byte[] started = new byte[LARGEST + 2 * MARGIN];
        final byte[] expected = new byte[LARGEST + 2 * MARGIN];
        for (final int n : COUNTS)
        {
            for (int i = 0; i < sent.length; i++)
            {
                sent[i] = (byte)(i * 31 + n + pe.me());
            }

            final int from = n % MARGIN;
            pe.ctx().put(dest, 1 * MARGIN, sent, from, n, pe.right());
            pe.shmem().barrierAll();

            Arrays.fill(received, (byte)-1);
            Arrays.fill(started, (byte)-1);
            Arrays.fill(expected, (byte)-1);
            for (int i = 0; i < n; i++)
            {
                expected[i + 1] = (byte)((i + from) * 31 + n + pe.me());
            }

            pe.ctx().getNbi(started, 1, dest, 1 * MARGIN, n, pe.right());
            pe.ctx().get(received, 1, dest, 1 * MARGIN, n, pe.right());
            assertArrayEquals(expected, received);
            pe.ctx().quiet();
            assertArrayEquals(expected, started);
            pe.shmem().barrierAll();
        }

        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().put(dest, 0, sent, 1, sent.length, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, -1, dest, 0, 1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().getNbi(sent, 0, dest, 0, -1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, 0, dest, dest.length(), 1, pe.me()));
        pe.shmem().syncAll();
    }

    private static void moveShorts(final Pe pe, final SymmetricBuffer dest, final SymmetricBuffer own)
    {
        final short[] sent = new short[LARGEST + 2 * MARGIN];
        final short[] received = new short[LARGEST + 2 * MARGIN];
        final short[] started = new short[LARGEST + 2 * MARGIN];
        final short[] expected = new short[LARGEST + 2 * MARGIN];
        for (final int n : COUNTS)
        {
            for (int i = 0; i < sent.length; i++)
            {
                sent[i] = (short)(i * 31 + n + pe.me());
            }

            final int from = n % MARGIN;
            pe.ctx().put(dest, 2 * MARGIN, sent, from, n, pe.right());
            pe.shmem().barrierAll();

            Arrays.fill(received, (short)-1);
            Arrays.fill(started, (short)-1);
            Arrays.fill(expected, (short)-1);
            for (int i = 0; i < n; i++)
            {
                expected[i + 1] = (short)((i + from) * 31 + n + pe.me());
            }

            pe.ctx().getNbi(started, 1, dest, 2 * MARGIN, n, pe.right());
            pe.ctx().get(received, 1, dest, 2 * MARGIN, n, pe.right());
            assertArrayEquals(expected, received);
            pe.ctx().quiet();
            assertArrayEquals(expected, started);
            pe.shmem().barrierAll();
        }

        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().put(dest, 0, sent, 1, sent.length, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, -1, dest, 0, 1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().getNbi(sent, 0, dest, 0, -1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, 0, dest, dest.length(), 1, pe.me()));
        pe.shmem().syncAll();
    }

    private static void moveInts(final Pe pe, final SymmetricBuffer dest, final SymmetricBuffer own)
    {
        final int[] sent = new int[LARGEST + 2 * MARGIN];
        final int[] received = new int[LARGEST + 2 * MARGIN];
        final int[] started = new int[LARGEST + 2 * MARGIN];
        final int[] expected = new int[LARGEST + 2 * MARGIN];
        for (final int n : COUNTS)
        {
            for (int i = 0; i < sent.length; i++)
            {
                sent[i] = i * 31 + n + pe.me();
            }

            final int from = n % MARGIN;
            pe.ctx().put(dest, 4 * MARGIN, sent, from, n, pe.right());
            pe.shmem().barrierAll();

            Arrays.fill(received, -1);
            Arrays.fill(started, -1);
            Arrays.fill(expected, -1);
            for (int i = 0; i < n; i++)
            {
                expected[i + 1] = (i + from) * 31 + n + pe.me();
            }

            pe.ctx().getNbi(started, 1, dest, 4 * MARGIN, n, pe.right());
            pe.ctx().get(received, 1, dest, 4 * MARGIN, n, pe.right());
            assertArrayEquals(expected, received);
            pe.ctx().quiet();
            assertArrayEquals(expected, started);
            pe.shmem().barrierAll();
        }

        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().put(dest, 0, sent, 1, sent.length, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, -1, dest, 0, 1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().getNbi(sent, 0, dest, 0, -1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, 0, dest, dest.length(), 1, pe.me()));
        pe.shmem().syncAll();
    }

    private static void moveLongs(final Pe pe, final SymmetricBuffer dest, final SymmetricBuffer own)
    {
        final long[] sent = new long[LARGEST + 2 * MARGIN];
        final long[] received = new long[LARGEST + 2 * MARGIN];
        final long[] started = new long[LARGEST + 2 * MARGIN];
        final long[] expected = new long[LARGEST + 2 * MARGIN];
        for (final int n : COUNTS)
        {
            for (int i = 0; i < sent.length; i++)
            {
                sent[i] = i * 31 + n + pe.me();
            }

            final int from = n % MARGIN;
            pe.ctx().put(dest, 8 * MARGIN, sent, from, n, pe.right());
            pe.shmem().barrierAll();

            Arrays.fill(received, -1);
            Arrays.fill(started, -1);
            Arrays.fill(expected, -1);
            for (int i = 0; i < n; i++)
            {
                expected[i + 1] = (i + from) * 31 + n + pe.me();
            }

            pe.ctx().getNbi(started, 1, dest, 8 * MARGIN, n, pe.right());
            pe.ctx().get(received, 1, dest, 8 * MARGIN, n, pe.right());
            assertArrayEquals(expected, received);
            pe.ctx().quiet();
            assertArrayEquals(expected, started);
            pe.shmem().barrierAll();
        }

        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().put(dest, 0, sent, 1, sent.length, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, -1, dest, 0, 1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().getNbi(sent, 0, dest, 0, -1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, 0, dest, dest.length(), 1, pe.me()));
        pe.shmem().syncAll();
    }

    private static void moveFloats(final Pe pe, final SymmetricBuffer dest, final SymmetricBuffer own)
    {
        final float[] sent = new float[LARGEST + 2 * MARGIN];
        final float[] received = new float[LARGEST + 2 * MARGIN];
        final float[] started = new float[LARGEST + 2 * MARGIN];
        final float[] expected = new float[LARGEST + 2 * MARGIN];
        for (final int n : COUNTS)
        {
            for (int i = 0; i < sent.length; i++)
            {
                sent[i] = i * 31 + n + pe.me();
            }

            final int from = n % MARGIN;
            pe.ctx().put(dest, 4 * MARGIN, sent, from, n, pe.right());
            pe.shmem().barrierAll();

            Arrays.fill(received, -1);
            Arrays.fill(started, -1);
            Arrays.fill(expected, -1);
            for (int i = 0; i < n; i++)
            {
                expected[i + 1] = (i + from) * 31 + n + pe.me();
            }

            pe.ctx().getNbi(started, 1, dest, 4 * MARGIN, n, pe.right());
            pe.ctx().get(received, 1, dest, 4 * MARGIN, n, pe.right());
            assertArrayEquals(expected, received);
            pe.ctx().quiet();
            assertArrayEquals(expected, started);
            pe.shmem().barrierAll();
        }

        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().put(dest, 0, sent, 1, sent.length, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, -1, dest, 0, 1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().getNbi(sent, 0, dest, 0, -1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, 0, dest, dest.length(), 1, pe.me()));
        pe.shmem().syncAll();
    }

    private static void moveDoubles(final Pe pe, final SymmetricBuffer dest, final SymmetricBuffer own)
    {
        final double[] sent = new double[LARGEST + 2 * MARGIN];
        final double[] received = new double[LARGEST + 2 * MARGIN];
        final double[] started = new double[LARGEST + 2 * MARGIN];
        final double[] expected = new double[LARGEST + 2 * MARGIN];
        for (final int n : COUNTS)
        {
            for (int i = 0; i < sent.length; i++)
            {
                sent[i] = i * 31 + n + pe.me();
            }

            final int from = n % MARGIN;
            pe.ctx().put(dest, 8 * MARGIN, sent, from, n, pe.right());
            pe.shmem().barrierAll();

            Arrays.fill(received, -1);
            Arrays.fill(started, -1);
            Arrays.fill(expected, -1);
            for (int i = 0; i < n; i++)
            {
                expected[i + 1] = (i + from) * 31 + n + pe.me();
            }

            pe.ctx().getNbi(started, 1, dest, 8 * MARGIN, n, pe.right());
            pe.ctx().get(received, 1, dest, 8 * MARGIN, n, pe.right());
            assertArrayEquals(expected, received);
            pe.ctx().quiet();
            assertArrayEquals(expected, started);
            pe.shmem().barrierAll();
        }

        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().put(dest, 0, sent, 1, sent.length, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, -1, dest, 0, 1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().getNbi(sent, 0, dest, 0, -1, pe.me()));
        assertThrows(IndexOutOfBoundsException.class, () -> pe.ctx().get(sent, 0, dest, dest.length(), 1, pe.me()));
        pe.shmem().syncAll();
    }

    static void shouldGetToLocalBuffersWithoutBlocking(final Pe pe)
    {
        final SymmetricBuffer source = pe.malloc(4096);
        final UnsafeBuffer words = new UnsafeBuffer(new byte[4096]);
        for (int i = 0; i < 512; i++)
        {
            words.putLong(8 * i, 1000L * pe.me() + i);
        }

        pe.memory().write(source, 0, words);
        pe.shmem().syncAll();
        final MutableDirectBuffer[] dests = {
            new UnsafeBuffer(new byte[4200]), new UnsafeBuffer(ByteBuffer.allocateDirect(4200))};
        for (final MutableDirectBuffer dest : dests)
        {
            for (int i = 0; i < 300; i++)
            {
                pe.ctx().getNbi(dest, 1 + 8 * i, source, 8L * i, 8, pe.right());
            }

            pe.ctx().getNbi(dest, 1 + 8 * 300, source, 8L * 300, 8 * 212, pe.right());
            pe.ctx().quiet();
            for (int i = 0; i < 512; i++)
            {
                assertEquals(1000L * pe.right() + i, dest.getLong(1 + 8 * i));
            }
        }

        pe.shmem().barrierAll();
        pe.shmem().free(source);
    }

    static void shouldReadAndWriteElementsOfOnesOwn(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.memory().malloc(MemoryKind.HOST, 8 * 100 + 3);
        final SymmetricLongs longs = buffer.longs();
        assertEquals(100, longs.length());
        longs.fill(-7);
        assertEquals(-7, longs.get(99));
        longs.put(99, 5);
        assertEquals(5, buffer.getLong(longs.offset(99)));
        assertThrows(IndexOutOfBoundsException.class, () -> longs.get(100));
        assertThrows(IndexOutOfBoundsException.class, () -> longs.put(-1, 0));

        final long[] values = {1, 2, 3, 4};
        buffer.putLongs(longs.offset(10), values, 1, 3);
        assertEquals(2, longs.get(10));
        assertEquals(4, longs.get(12));
        assertEquals(-7, longs.get(13));
        final long[] read = new long[5];
        buffer.getLongs(longs.offset(10), read, 2, 3);
        assertArrayEquals(new long[]{0, 0, 2, 3, 4}, read);

        final SymmetricDoubles doubles = buffer.doubles();
        doubles.put(0, Math.PI);
        assertEquals(Math.PI, doubles.get(0));
        buffer.putShorts(1, new short[]{-2, 3}, 0, 2);
        assertEquals(3, buffer.getShort(3));
        buffer.fill((byte)1);
        assertEquals(0x0101010101010101L, longs.get(0));
        assertEquals(1, buffer.bytes().get(8 * 100 + 2));
        assertEquals(0x01010101, buffer.ints().get(199));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.putInts(8 * 100, values(1), 0, 1));
        assertThrows(IndexOutOfBoundsException.class, () -> buffer.getFloats(0, new float[2], 1, 2));
        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
    }

    private static int[] values(final int n)
    {
        return new int[n];
    }

    /** Updates of all kinds, in random order, so that runs of every length form; sums show that each arrives once. */
    static void shouldPerformManySmallUpdatesOnce(final Pe pe)
    {
        final SymmetricBuffer table = pe.calloc(TABLE * 4L, 8);
        final CommunicationContext ctx = pe.ctx();
        final SplittableRandom random = pe.ownRandom();
        final long[] sums = new long[pe.n() * 4];
        for (int i = 0; i < MANY; i++)
        {
            final int run = 1 + random.nextInt(12);
            final int kind = random.nextInt(5);
            final int target = random.nextInt(pe.n());
            for (int k = 0; k < run; k++)
            {
                final int index = random.nextInt(TABLE);
                final int value = random.nextInt(100);
                update(ctx, table, kind, index, value, target, pe.me());
                sums[target * 4 + kind % 4] += kind < 4 ? value : 0;
            }

            i += run;
        }

        pe.shmem().barrierAll();
        verifySums(pe, table, sums);
        pe.shmem().free(table);
    }

    private static void update(
        final CommunicationContext ctx,
        final SymmetricBuffer table,
        final int kind,
        final int index,
        final int value,
        final int target,
        final int me)
    {
        switch (kind)
        {
            case 0 -> ctx.atomicAddLong(table, index * 8L, value, target);
            case 1 -> ctx.atomicAddInt(table, (TABLE + index) * 8L, value, target);
            case 2 -> ctx.atomicAddDouble(table, (2 * TABLE + index) * 8L, value, target);
            case 3 -> ctx.atomicAddFloat(table, (3 * TABLE + index) * 8L, value, target);
            default -> ctx.putInt(table, (TABLE + index) * 8L + 4, me, target);
        }
    }

    private static void verifySums(final Pe pe, final SymmetricBuffer table, final long[] sums)
    {
        final SymmetricBuffer given = pe.memory().malloc(MemoryKind.HOST, sums.length * 8L);
        given.putLongs(0, sums, 0, sums.length);
        pe.shmem().syncAll();
        final long[] expected = new long[4];
        final long[] ofPe = new long[sums.length];
        for (int source = 0; source < pe.n(); source++)
        {
            pe.ctx().get(ofPe, 0, given, 0, ofPe.length, source);
            for (int kind = 0; kind < 4; kind++)
            {
                expected[kind] += ofPe[pe.me() * 4 + kind];
            }
        }

        final long[] found = new long[4];
        final UnsafeBuffer copy = pe.memory().copy(table, 0, TABLE * 4L * 8);
        for (int i = 0; i < TABLE; i++)
        {
            found[0] += copy.getLong(i * 8);
            found[1] += copy.getInt((TABLE + i) * 8);
            found[2] += (long)copy.getDouble((2 * TABLE + i) * 8);
            found[3] += (long)copy.getFloat((3 * TABLE + i) * 8);
        }

        assertArrayEquals(expected, found);
        pe.shmem().barrierAll();
        pe.shmem().free(given);
    }

    /** Nonblocking fetches in runs of every length, to several peers at once, each with a value of its own. */
    static void shouldFetchManyWordsWithoutBlocking(final Pe pe)
    {
        final int count = 3000;
        final SymmetricBuffer table = pe.malloc(TABLE * 8L);
        final SymmetricBuffer fetched = pe.malloc(count * 8L);
        final CommunicationContext ctx = pe.ctx();
        final SplittableRandom random = pe.ownRandom();
        final long[] arrived = new long[count];
        final int[] narrow = new int[count];
        final int[] indices = new int[count];
        final int[] targets = new int[count];
        final boolean[] isArray = new boolean[count];
        final UnsafeBuffer words = new UnsafeBuffer(new byte[TABLE * 8]);
        for (int i = 0; i < TABLE; i++)
        {
            words.putLong(i * 8, pe.me() * 1_000_000L + i);
        }

        pe.memory().write(table, 0, words);
        pe.shmem().syncAll();
        for (int i = 0; i < count; i++)
        {
            indices[i] = random.nextInt(TABLE);
            targets[i] = 0 == i || 0 == random.nextInt(20) ? random.nextInt(pe.n()) : targets[i - 1];
            final int form = i % 700 < 600 ? 0 : random.nextInt(4);
            isArray[i] = 0 == form;
            switch (form)
            {
                case 0 -> ctx.getNbi(arrived, i, table, indices[i] * 8L, 1, targets[i]);
                case 1 -> ctx.getNbi(fetched, i * 8L, table, indices[i] * 8L, 8, targets[i]);
                case 2 -> ctx.atomicFetchLongNbi(fetched, i * 8L, table, indices[i] * 8L, targets[i]);
                default -> ctx.atomicFetchOrLongNbi(fetched, i * 8L, table, indices[i] * 8L, 0, targets[i]);
            }

            ctx.getNbi(narrow, i, table, indices[i] * 8L, 1, targets[i]);
        }

        ctx.quiet();
        pe.shmem().barrierAll();
        final UnsafeBuffer copy = pe.memory().copy(fetched, 0, count * 8L);
        for (int i = 0; i < count; i++)
        {
            final long expected = targets[i] * 1_000_000L + indices[i];
            assertEquals((int)expected, narrow[i], "word " + i);
            assertEquals(expected, isArray[i] ? arrived[i] : copy.getLong(i * 8), "word " + i);
        }

        pe.shmem().free(fetched);
        pe.shmem().free(table);
    }

    static void shouldOrderManyUpdatesByFence(final Pe pe)
    {
        final SymmetricBuffer table = pe.calloc(TABLE, 8);
        final SymmetricBuffer flag = pe.calloc(2, 8);
        for (int round = 1; round <= 30; round++)
        {
            final int count = round * 37;
            for (int i = 0; i < count; i++)
            {
                pe.ctx().atomicAddLong(table, (i % TABLE) * 8L, 1, pe.right());
            }

            pe.ctx().fence();
            pe.ctx().putLong(flag, 0, round, pe.right());
            pe.shmem().waitUntilLong(flag, 0, Comparison.GE, round);
            final UnsafeBuffer copy = pe.memory().copy(table, 0, TABLE * 8L);
            long sum = 0;
            for (int i = 0; i < TABLE; i++)
            {
                sum += copy.getLong(i * 8);
            }

            assertEquals(37L * round * (round + 1) / 2, sum, "round " + round);
            pe.shmem().barrierAll();
        }

        pe.shmem().free(flag);
        pe.shmem().free(table);
    }

    static void shouldRejectSessionsThatAreNotBalanced(final Pe pe)
    {
        final CommunicationContext ctx = pe.shmem().createContext();
        assertThrows(IllegalStateException.class, ctx::sessionStop);
        ctx.sessionStart(SessionOption.BATCH, SessionOption.SAME_AMO);
        assertThrows(IllegalStateException.class, () -> ctx.sessionStart());
        final SymmetricBuffer word = pe.calloc(1, 8);
        for (int i = 0; i < 1000; i++)
        {
            ctx.atomicIncLong(word, 0, pe.right());
        }

        ctx.sessionStop();
        assertThrows(IllegalStateException.class, ctx::sessionStop);
        pe.shmem().waitUntilLong(word, 0, Comparison.EQ, 1000);
        ctx.sessionStart();
        ctx.sessionStop();
        ctx.close();
        assertThrows(IllegalStateException.class, () -> ctx.sessionStart());
        pe.shmem().barrierAll();
        pe.shmem().free(word);
    }
}
