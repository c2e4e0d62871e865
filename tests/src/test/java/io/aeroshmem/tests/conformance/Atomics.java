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
import io.aeroshmem.tests.fixture.Pattern;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.SplittableRandom;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Atomic operations against a model, and contended ones whose sum is known.
 */
final class Atomics
{
    private static final int OPERATIONS = 120;
    private static final int KINDS = 18;
    private static final int BITS = 16;
    private static final int FETCHING_KINDS = 10;
    private static final IntegerAtomics[] TYPES = {IntegerAtomics.LONG, IntegerAtomics.INT};

    private Atomics()
    {
    }

    static void shouldDoWhatTheModelDoes(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.calloc(3L * pe.n(), 8);
        final SplittableRandom random = pe.ownRandom();
        for (final IntegerAtomics type : TYPES)
        {
            Pattern.guard(pe, buffer, 0, buffer.length());
            pe.shmem().barrierAll();
            for (int target = 0; target < pe.n(); target++)
            {
                final long at = 24L * pe.me() + 8;
                type.set(pe.ctx(), buffer, at, 5, target);
                long model = 5;
                for (int i = 0; i < OPERATIONS; i++)
                {
                    model = randomOperation(type, pe.ctx(), buffer, at, model, i % KINDS, random, target);
                }

                assertEquals(model, type.fetch(pe.ctx(), buffer, at, target));
                type.set(pe.ctx(), buffer, at, 100 + pe.me(), target);
            }

            pe.shmem().barrierAll();
            for (int source = 0; source < pe.n(); source++)
            {
                final long at = 24L * source + 8;
                assertEquals(100 + source, type.local(pe.memory(), buffer, at));
                Pattern.checkGuard(pe, "before the word", buffer, at - 8, at);
                Pattern.checkGuard(pe, "after the word", buffer, at + type.bytes(), at + 16);
            }

            pe.shmem().syncAll();
        }

        pe.shmem().free(buffer);
    }

    private static long randomOperation(
        final IntegerAtomics type,
        final CommunicationContext ctx,
        final SymmetricBuffer buffer,
        final long at,
        final long model,
        final int kind,
        final SplittableRandom random,
        final int pe)
    {
        final long value = type.narrow(random.nextLong());
        switch (kind)
        {
            case 0:
                type.set(ctx, buffer, at, value, pe);
                return value;
            case 1:
                assertEquals(model, type.swap(ctx, buffer, at, value, pe), "swap");
                return value;
            case 2:
                assertEquals(model, type.compareSwap(ctx, buffer, at, model, value, pe), "compare-swap that swaps");
                return value;
            case 3:
                assertEquals(model, type.compareSwap(ctx, buffer, at, ~model, value, pe), "compare-swap that does not");
                return model;
            case 4:
                assertEquals(model, type.fetchAdd(ctx, buffer, at, value, pe), "fetch-add");
                return type.narrow(model + value);
            case 5:
                type.add(ctx, buffer, at, value, pe);
                return type.narrow(model + value);
            case 6:
                assertEquals(model, type.fetchInc(ctx, buffer, at, pe), "fetch-inc");
                return type.narrow(model + 1);
            case 7:
                type.inc(ctx, buffer, at, pe);
                return type.narrow(model + 1);
            case 8:
                assertEquals(model, type.fetchAnd(ctx, buffer, at, value, pe), "fetch-and");
                return model & value;
            case 9:
                type.and(ctx, buffer, at, value, pe);
                return model & value;
            case 10:
                assertEquals(model, type.fetchOr(ctx, buffer, at, value, pe), "fetch-or");
                return model | value;
            case 11:
                type.or(ctx, buffer, at, value, pe);
                return model | value;
            case 12:
                assertEquals(model, type.fetchXor(ctx, buffer, at, value, pe), "fetch-xor");
                return model ^ value;
            case 13:
                type.xor(ctx, buffer, at, value, pe);
                return model ^ value;
            case 14:
                assertEquals(model, type.fetchMin(ctx, buffer, at, value, pe), "fetch-min");
                return Math.min(model, value);
            case 15:
                type.max(ctx, buffer, at, value, pe);
                return Math.max(model, value);
            case 16:
                type.min(ctx, buffer, at, value, pe);
                return Math.min(model, value);
            default:
                assertEquals(model, type.fetchMax(ctx, buffer, at, value, pe), "fetch-max");
                return Math.max(model, value);
        }
    }

    static void shouldFetchWithoutBlocking(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.calloc(pe.n(), 8);
        final SymmetricBuffer fetched = pe.calloc((long)FETCHING_KINDS * pe.n(), 8);
        final SplittableRandom random = pe.ownRandom();
        final long[] model = new long[pe.n()];
        final long[] expected = new long[FETCHING_KINDS * pe.n()];
        for (final IntegerAtomics type : TYPES)
        {
            for (int target = 0; target < pe.n(); target++)
            {
                model[target] = type.narrow(random.nextLong());
                type.set(pe.ctx(), buffer, 8L * pe.me(), model[target], target);
            }

            pe.ctx().quiet();
            for (int kind = 0; kind < FETCHING_KINDS; kind++)
            {
                for (int target = 0; target < pe.n(); target++)
                {
                    final int slot = kind * pe.n() + target;
                    expected[slot] = model[target];
                    model[target] = nonblocking(
                        type, pe.ctx(), fetched, 8L * slot, buffer, 8L * pe.me(), model[target], kind, random, target);
                    pe.ctx().fence();
                }
            }

            pe.ctx().quiet();
            for (int slot = 0; slot < expected.length; slot++)
            {
                assertEquals(
                    expected[slot], type.local(pe.memory(), fetched, 8L * slot), "fetched by kind " + slot / pe.n());
            }

            for (int target = 0; target < pe.n(); target++)
            {
                assertEquals(model[target], type.fetch(pe.ctx(), buffer, 8L * pe.me(), target));
            }

            pe.shmem().barrierAll();
        }

        pe.shmem().free(fetched);
        pe.shmem().free(buffer);
    }

    private static long nonblocking(
        final IntegerAtomics type,
        final CommunicationContext ctx,
        final SymmetricBuffer fetch,
        final long fetchAt,
        final SymmetricBuffer buffer,
        final long at,
        final long model,
        final int kind,
        final SplittableRandom random,
        final int pe)
    {
        final long value = type.narrow(random.nextLong());
        switch (kind)
        {
            case 0:
                type.fetchNbi(ctx, fetch, fetchAt, buffer, at, pe);
                return model;
            case 1:
                type.swapNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return value;
            case 2:
                type.compareSwapNbi(ctx, fetch, fetchAt, buffer, at, model, value, pe);
                return value;
            case 3:
                type.fetchAddNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return type.narrow(model + value);
            case 4:
                type.fetchIncNbi(ctx, fetch, fetchAt, buffer, at, pe);
                return type.narrow(model + 1);
            case 5:
                type.fetchAndNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return model & value;
            case 6:
                type.fetchOrNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return model | value;
            case 7:
                type.fetchXorNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return model ^ value;
            case 8:
                type.fetchMinNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return Math.min(model, value);
            default:
                type.fetchMaxNbi(ctx, fetch, fetchAt, buffer, at, value, pe);
                return Math.max(model, value);
        }
    }

    static void shouldFetchSetAndSwapFloatingPoint(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.calloc(2L * pe.n(), 8);
        final SymmetricBuffer fetched = pe.calloc(4, 8);
        final CommunicationContext ctx = pe.ctx();
        final long doubleAt = 16L * pe.me();
        final long floatAt = doubleAt + 12;
        for (int target = 0; target < pe.n(); target++)
        {
            ctx.atomicSetDouble(buffer, doubleAt, Math.E + target, target);
            ctx.atomicSetFloat(buffer, floatAt, 1.5f + target, target);
            assertEquals(Math.E + target, ctx.atomicFetchDouble(buffer, doubleAt, target));
            assertEquals(1.5f + target, ctx.atomicFetchFloat(buffer, floatAt, target));
            assertEquals(Math.E + target, ctx.atomicSwapDouble(buffer, doubleAt, -0.0, target));
            assertEquals(1.5f + target, ctx.atomicSwapFloat(buffer, floatAt, Float.NaN, target));
            ctx.atomicFetchDoubleNbi(fetched, 0, buffer, doubleAt, target);
            ctx.atomicFetchFloatNbi(fetched, 8, buffer, floatAt, target);
            ctx.fence();
            ctx.atomicSwapDoubleNbi(fetched, 16, buffer, doubleAt, pe.me(), target);
            ctx.atomicSwapFloatNbi(fetched, 28, buffer, floatAt, -pe.me(), target);
            ctx.quiet();
            assertEquals(Double.doubleToRawLongBits(-0.0), pe.memory().getLong(fetched, 0));
            assertTrue(Float.isNaN(pe.memory().getFloat(fetched, 8)));
            assertEquals(Double.doubleToRawLongBits(-0.0), pe.memory().getLong(fetched, 16));
            assertTrue(Float.isNaN(pe.memory().getFloat(fetched, 28)));
        }

        pe.shmem().barrierAll();
        for (int source = 0; source < pe.n(); source++)
        {
            assertEquals(source, pe.memory().getDouble(buffer, 16L * source));
            assertEquals(-source, pe.memory().getFloat(buffer, 16L * source + 12));
        }

        pe.shmem().free(fetched);
        pe.shmem().free(buffer);
    }

    /** As {@link Math} compares: a NaN wins, bit for bit the canonical one, and -0.0 is less than 0.0. */
    static void shouldTakeExtremesOfFloatingPoint(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.calloc(2L * pe.n(), 8);
        final SymmetricBuffer fetched = pe.calloc(4, 8);
        final CommunicationContext ctx = pe.ctx();
        final double[] values = {
            0.0, -0.0, 1.5, Double.MIN_VALUE, Float.MIN_VALUE, Double.NEGATIVE_INFINITY,
            Double.longBitsToDouble(0xfff8_0000_0000_0001L)};
        final long at = 16L * pe.me();
        final int target = pe.right();
        for (final double word : values)
        {
            for (final double value : values)
            {
                final float floatWord = (float)word;
                final float floatValue = (float)value;
                ctx.atomicSetDouble(buffer, at, word, target);
                ctx.atomicSetFloat(buffer, at + 12, floatWord, target);
                ctx.fence();
                assertSame(word, ctx.atomicFetchMinDouble(buffer, at, value, target));
                assertSame(floatWord, ctx.atomicFetchMinFloat(buffer, at + 12, floatValue, target));
                assertSame(Math.min(word, value), ctx.atomicSwapDouble(buffer, at, word, target));
                assertSame(Math.min(floatWord, floatValue), ctx.atomicSwapFloat(buffer, at + 12, floatWord, target));
                ctx.atomicMaxDouble(buffer, at, value, target);
                ctx.atomicMaxFloat(buffer, at + 12, floatValue, target);
                ctx.fence();
                ctx.atomicFetchMinDoubleNbi(fetched, 0, buffer, at, Double.NEGATIVE_INFINITY, target);
                ctx.atomicFetchMinFloatNbi(fetched, 8, buffer, at + 12, Float.NEGATIVE_INFINITY, target);
                ctx.quiet();
                assertSame(Math.max(word, value), pe.memory().getDouble(fetched, 0));
                assertSame(Math.max(floatWord, floatValue), pe.memory().getFloat(fetched, 8));
            }
        }

        ctx.atomicSetDouble(buffer, at, 2.5, target);
        ctx.atomicSetFloat(buffer, at + 12, 2.5f, target);
        ctx.fence();
        ctx.atomicMinDouble(buffer, at, -2.5, target);
        ctx.atomicMinFloat(buffer, at + 12, -2.5f, target);
        ctx.fence();
        ctx.atomicFetchMaxDoubleNbi(fetched, 16, buffer, at, 3.5, target);
        ctx.atomicFetchMaxFloatNbi(fetched, 24, buffer, at + 12, 3.5f, target);
        ctx.quiet();
        assertEquals(-2.5, pe.memory().getDouble(fetched, 16));
        assertEquals(-2.5f, pe.memory().getFloat(fetched, 24));
        assertEquals(3.5, ctx.atomicFetchMaxDouble(buffer, at, Double.NaN, target));
        assertEquals(3.5f, ctx.atomicFetchMaxFloat(buffer, at + 12, Float.NaN, target));
        pe.shmem().barrierAll();
        final long own = 16L * pe.left();
        assertEquals(0x7ff8_0000_0000_0000L, pe.memory().getLong(buffer, own));
        assertEquals(0x7fc0_0000, pe.memory().getInt(buffer, own + 12));
        pe.shmem().barrierAll();
        pe.shmem().free(fetched);
        pe.shmem().free(buffer);
    }

    /** Equal, where -0.0 is not 0.0, and NaN is any NaN: a word that was set keeps its bits. */
    private static void assertSame(final double expected, final double actual)
    {
        assertEquals(Double.doubleToLongBits(expected), Double.doubleToLongBits(actual));
    }

    static void shouldLoseNoContendedUpdate(final Pe pe)
    {
        final int rounds = 200;
        final SymmetricBuffer words = pe.calloc(8, 8);
        for (final IntegerAtomics type : TYPES)
        {
            final CommunicationContext ctx = pe.ctx();
            long sumOfFetched = 0;
            for (int i = 0; i < rounds; i++)
            {
                type.inc(ctx, words, 0, 0);
                type.add(ctx, words, 8, -3, 0);
                sumOfFetched += type.fetchInc(ctx, words, 16, 0);
                type.xor(ctx, words, 24, 1L << pe.me(), 0);
            }

            type.or(ctx, words, 32, 1L << pe.me() % BITS, 0);
            type.fetchXor(ctx, words, 24, 1L << 10, 0);
            type.add(ctx, words, 40, sumOfFetched, 0);
            increaseByCompareSwap(type, ctx, words, 48, 30);
            pe.shmem().barrierAll();
            if (0 == pe.me())
            {
                final long all = (long)rounds * pe.n();
                assertEquals(all, type.local(pe.memory(), words, 0), "inc");
                assertEquals(-3 * all, type.local(pe.memory(), words, 8), "add");
                assertEquals(all, type.local(pe.memory(), words, 16), "fetch-inc");
                assertEquals(0 == pe.n() % 2 ? 0 : 1L << 10, type.local(pe.memory(), words, 24), "xor");
                assertEquals((1L << Math.min(pe.n(), BITS)) - 1, type.local(pe.memory(), words, 32), "or");
                assertEquals(all * (all - 1) / 2, type.local(pe.memory(), words, 40), "each value fetched once");
                assertEquals(30L * pe.n(), type.local(pe.memory(), words, 48), "compare-swap");
                pe.memory().write(words, 0, new UnsafeBuffer(new byte[64]));
            }

            pe.shmem().barrierAll();
        }

        pe.shmem().free(words);
    }

    private static void increaseByCompareSwap(
        final IntegerAtomics type,
        final CommunicationContext ctx,
        final SymmetricBuffer words,
        final long at,
        final int times)
    {
        for (int i = 0; i < times; i++)
        {
            long seen = type.fetch(ctx, words, at, 0);
            while (true)
            {
                final long before = type.compareSwap(ctx, words, at, seen, seen + 1, 0);
                if (before == seen)
                {
                    break;
                }

                seen = before;
            }
        }
    }

    static void shouldStayAtomicAgainstTheOwner(final Pe pe)
    {
        final int rounds = 2000;
        final SymmetricBuffer word = pe.calloc(1, 8);
        for (int i = 0; i < rounds; i++)
        {
            pe.ctx().atomicIncLong(word, 0, pe.right());
            pe.memory().getAndAddLong(word, 0, 1);
        }

        pe.shmem().barrierAll();
        assertEquals(2L * rounds, pe.memory().getLong(word, 0));
        pe.shmem().free(word);
    }
}
