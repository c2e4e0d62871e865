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

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Puts and gets of one element: shmem_p and shmem_g.
 */
final class SingleElements
{
    /** Bytes of a cell: one element of each of the six types, with guards around each. */
    private static final int CELL = 96;

    private static final long[] VALUES =
    {
        0, 1, -1, Long.MIN_VALUE, Long.MAX_VALUE, 0x0102_0304_0506_0708L, 0x8000_0000L, 0x7FF8_0000_0000_0001L
    };

    private SingleElements()
    {
    }

    static void shouldPutAndGetSixTypes(final Pe pe)
    {
        putAndGet(pe, 8);
    }

    static void shouldPutAndGetAtOddOffsets(final Pe pe)
    {
        putAndGet(pe, 1);
        putAndGet(pe, 3);
    }

    static void shouldKeepBitsOfFloatingPointNumbers(final Pe pe)
    {
        final SymmetricBuffer buffer = pe.malloc(64);
        final CommunicationContext ctx = pe.ctx();
        final double[] doubles = {0.0, -0.0, Double.NaN, Double.MIN_VALUE, Double.NEGATIVE_INFINITY, Math.PI};
        for (final double value : doubles)
        {
            ctx.putDouble(buffer, 8, value, pe.right());
            ctx.putFloat(buffer, 20, (float)value, pe.right());
            pe.shmem().barrierAll();
            assertEquals(
                Double.doubleToRawLongBits(value), Double.doubleToRawLongBits(pe.memory().getDouble(buffer, 8)));
            assertEquals(
                Float.floatToRawIntBits((float)value), Float.floatToRawIntBits(pe.memory().getFloat(buffer, 20)));
            assertEquals(Double.doubleToRawLongBits(value),
                Double.doubleToRawLongBits(ctx.getDouble(buffer, 8, pe.right())));
            assertEquals(Float.floatToRawIntBits((float)value),
                Float.floatToRawIntBits(ctx.getFloat(buffer, 20, pe.right())));
            pe.shmem().barrierAll();
        }

        pe.shmem().free(buffer);
    }

    static void shouldSeeManySmallPutsAfterQuiet(final Pe pe)
    {
        final int count = 1000;
        final SymmetricBuffer buffer = pe.malloc(8L * count * pe.n());
        final CommunicationContext ctx = pe.ctx();
        for (int target = 0; target < pe.n(); target++)
        {
            for (int i = 0; i < count; i++)
            {
                ctx.putLong(buffer, 8L * (pe.me() * count + i), Pattern.seed(pe.me(), target, i), target);
            }
        }

        ctx.quiet();
        for (int target = 0; target < pe.n(); target++)
        {
            for (int i = 0; i < count; i += 97)
            {
                assertEquals(Pattern.seed(pe.me(), target, i),
                    ctx.getLong(buffer, 8L * (pe.me() * count + i), target), "get of what was put and quieted");
            }
        }

        pe.shmem().syncAll();
        final UnsafeBuffer words = pe.memory().copy(buffer, 0, buffer.length());
        for (int source = 0; source < pe.n(); source++)
        {
            for (int i = 0; i < count; i++)
            {
                assertEquals(Pattern.seed(source, pe.me(), i), words.getLong(8 * (source * count + i)));
            }
        }

        pe.shmem().free(buffer);
    }

    private static void putAndGet(final Pe pe, final int shift)
    {
        final SymmetricBuffer buffer = pe.malloc((long)CELL * pe.n());
        for (final long value : VALUES)
        {
            Pattern.guard(pe, buffer, 0, buffer.length());
            pe.shmem().barrierAll();
            for (int target = 0; target < pe.n(); target++)
            {
                put(pe.ctx(), buffer, CELL * pe.me() + shift, value + pe.me() + target, target);
            }

            pe.shmem().barrierAll();
            for (int source = 0; source < pe.n(); source++)
            {
                checkLocal(pe, buffer, CELL * source, shift, value + source + pe.me());
                checkRemote(pe.ctx(), buffer, CELL * pe.me() + shift, value + pe.me() + source, source);
            }

            pe.shmem().barrierAll();
        }

        pe.shmem().free(buffer);
    }

    private static void put(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long at, final long value, final int pe)
    {
        ctx.putByte(buffer, at, (byte)value, pe);
        ctx.putShort(buffer, at + 8, (short)value, pe);
        ctx.putInt(buffer, at + 16, (int)value, pe);
        ctx.putLong(buffer, at + 32, value, pe);
        ctx.putFloat(buffer, at + 48, (float)value, pe);
        ctx.putDouble(buffer, at + 64, value, pe);
    }

    private static void checkLocal(
        final Pe pe, final SymmetricBuffer buffer, final long cell, final int shift, final long value)
    {
        final long at = cell + shift;
        assertEquals((byte)value, pe.memory().getByte(buffer, at), "byte");
        assertEquals((short)value, pe.memory().getShort(buffer, at + 8), "short");
        assertEquals((int)value, pe.memory().getInt(buffer, at + 16), "int");
        assertEquals(value, pe.memory().getLong(buffer, at + 32), "long");
        assertEquals((float)value, pe.memory().getFloat(buffer, at + 48), "float");
        assertEquals((double)value, pe.memory().getDouble(buffer, at + 64), "double");
        Pattern.checkGuard(pe, "before byte", buffer, cell, at);
        Pattern.checkGuard(pe, "after byte", buffer, at + 1, at + 8);
        Pattern.checkGuard(pe, "after short", buffer, at + 10, at + 16);
        Pattern.checkGuard(pe, "after int", buffer, at + 20, at + 32);
        Pattern.checkGuard(pe, "after long", buffer, at + 40, at + 48);
        Pattern.checkGuard(pe, "after float", buffer, at + 52, at + 64);
        Pattern.checkGuard(pe, "after double", buffer, at + 72, cell + CELL);
    }

    private static void checkRemote(
        final CommunicationContext ctx, final SymmetricBuffer buffer, final long at, final long value, final int pe)
    {
        assertEquals((byte)value, ctx.getByte(buffer, at, pe), "byte");
        assertEquals((short)value, ctx.getShort(buffer, at + 8, pe), "short");
        assertEquals((int)value, ctx.getInt(buffer, at + 16, pe), "int");
        assertEquals(value, ctx.getLong(buffer, at + 32, pe), "long");
        assertEquals((float)value, ctx.getFloat(buffer, at + 48, pe), "float");
        assertEquals((double)value, ctx.getDouble(buffer, at + 64, pe), "double");
    }
}
