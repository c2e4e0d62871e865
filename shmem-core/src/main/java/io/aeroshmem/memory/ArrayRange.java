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
package io.aeroshmem.memory;

import org.agrona.UnsafeApi;

import java.lang.reflect.Array;

/** The types of Java arrays whose elements can be transferred, with the conversion from elements to bytes. */
public enum ArrayRange
{
    BYTES(byte[].class, Byte.BYTES),
    SHORTS(short[].class, Short.BYTES),
    INTS(int[].class, Integer.BYTES),
    LONGS(long[].class, Long.BYTES),
    FLOATS(float[].class, Float.BYTES),
    DOUBLES(double[].class, Double.BYTES);

    private final long base;
    private final int shift;

    ArrayRange(final Class<?> type, final int elementBytes)
    {
        base = UnsafeApi.arrayBaseOffset(type);
        shift = Integer.numberOfTrailingZeros(elementBytes);
    }

    /** Checks that an array has the elements, and returns their length in bytes. For 0 elements it may be null. */
    public long check(final Object array, final int from, final int n, final Operand operand)
    {
        if (null == array)
        {
            if (0 != n)
            {
                throw operand.isNull();
            }

            return 0;
        }

        final int length = Array.getLength(array);
        if ((from | n) < 0 || from > length - n)
        {
            throw operand.outOfBounds(length, from, n);
        }

        return (long)n << shift;
    }

    /** Returns the address of an element in the array. */
    public long address(final int index)
    {
        return base + ((long)index << shift);
    }
}
