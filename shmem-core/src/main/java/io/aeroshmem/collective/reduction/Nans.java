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

/**
 * One NaN for all. Of two NaNs the processor keeps the payload of the first operand, and which is the first is up to
 * the compiler, for a sum at least: the interpreter and the two compilers need not agree. So a NaN that is stored is
 * made the canonical one. That no element of a block is NaN is found out by adding them up: a sum is NaN if an element
 * is, and, where infinities of both signs meet, sometimes without need.
 */
final class Nans
{
    private Nans()
    {
    }

    static float canonical(final float value)
    {
        return value == value ? value : Float.NaN;
    }

    static double canonical(final double value)
    {
        return value == value ? value : Double.NaN;
    }

    /** The number is a multiple of 4. */
    static void canonicaliseFloats(final long address, final int count)
    {
        float a = 0;
        float b = 0;
        float c = 0;
        float d = 0;
        for (int i = 0; i < count; i += 4)
        {
            final long element = address + ((long)i << 2);
            a += UnsafeApi.getFloat(element);
            b += UnsafeApi.getFloat(element + 4);
            c += UnsafeApi.getFloat(element + 8);
            d += UnsafeApi.getFloat(element + 12);
        }
        if (Float.isNaN(a + b + c + d))
        {
            for (int i = 0; i < count; i++)
            {
                final long element = address + ((long)i << 2);
                UnsafeApi.putFloat(element, canonical(UnsafeApi.getFloat(element)));
            }
        }
    }

    /** The number is a multiple of 4. */
    static void canonicaliseDoubles(final long address, final int count)
    {
        double a = 0;
        double b = 0;
        double c = 0;
        double d = 0;
        for (int i = 0; i < count; i += 4)
        {
            final long element = address + ((long)i << 3);
            a += UnsafeApi.getDouble(element);
            b += UnsafeApi.getDouble(element + 8);
            c += UnsafeApi.getDouble(element + 16);
            d += UnsafeApi.getDouble(element + 24);
        }
        if (Double.isNaN(a + b + c + d))
        {
            for (int i = 0; i < count; i++)
            {
                final long element = address + ((long)i << 3);
                UnsafeApi.putDouble(element, canonical(UnsafeApi.getDouble(element)));
            }
        }
    }
}
