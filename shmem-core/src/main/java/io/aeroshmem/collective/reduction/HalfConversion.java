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
package io.aeroshmem.collective.reduction;

import org.agrona.UnsafeApi;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;

/**
 * Conversion between HALF and {@code float} by {@code Float.float16ToFloat} and {@code Float.floatToFloat16}. These
 * methods exist from Java 20 on, so they are called through method handles. The handles are constants, so the compiler
 * inlines the calls. If the processor has instructions for the conversion, the compiler translates each call to one
 * instruction, and vectorises the loops of the reduction kernels. The results are those of {@link Float16}, apart from
 * the payload of a NaN.
 */
final class HalfConversion
{
    private static final MethodHandle TO_FLOAT = find("float16ToFloat", float.class, short.class);
    private static final MethodHandle TO_HALF = find("floatToFloat16", short.class, float.class);

    /** Whether this Java has the methods; otherwise no other method of this class is to be called. */
    static final boolean IS_AVAILABLE = null != TO_FLOAT && null != TO_HALF;

    private static final int MAX_WORDS = 1024;
    private static final long MAGNITUDES = 0x7fff7fff7fff7fffL;
    private static final long SIGNS = 0x8000800080008000L;
    /** What carries a magnitude beyond that of infinity, 0x7c00, into the place of the sign. */
    private static final long CARRIES = 0x03ff03ff03ff03ffL;
    private static final short NAN = Float16.floatToHalf(Float.NaN);

    private HalfConversion()
    {
    }

    private static MethodHandle find(final String name, final Class<?> result, final Class<?> argument)
    {
        try
        {
            return MethodHandles.lookup().findStatic(Float.class, name, MethodType.methodType(result, argument));
        }
        catch (final NoSuchMethodException | IllegalAccessException ex)
        {
            return null;
        }
    }

    static float toFloat(final short half)
    {
        try
        {
            return (float)TO_FLOAT.invokeExact(half);
        }
        catch (final Throwable ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    static short toHalf(final float value)
    {
        try
        {
            return (short)TO_HALF.invokeExact(value);
        }
        catch (final Throwable ex)
        {
            throw new IllegalStateException(ex);
        }
    }

    /** Returns whether an element is NaN. Their number is a multiple of 4, at most 4096. */
    static boolean hasNan(final long address, final int elements)
    {
        final int end = Math.max(0, Math.min(elements >> 2, MAX_WORDS));
        long carried = 0;
        for (int i = 0; i < end; i++)
        {
            carried |= (UnsafeApi.getLong(address + ((long)i << 3)) & MAGNITUDES) + CARRIES;
        }

        return 0 != (carried & SIGNS);
    }

    /** Replaces each NaN by the one that {@link Float16#floatToHalf} returns. */
    static void canonicalise(final long address, final int elements)
    {
        for (int i = 0; i < elements; i++)
        {
            final long element = address + ((long)i << 1);
            if (NanSupport.isNanHalf(UnsafeApi.getShort(element)))
            {
                UnsafeApi.putShort(element, NAN);
            }
        }
    }
}
