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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import org.agrona.UnsafeApi;

/**
 * The reduction AVG: a sum, computed as SUM does, then one division by the number of members. Quotients of integers are
 * truncated. Quotients of reals are rounded once to the nearest value of their type, ties to even. The two parts of a
 * complex number are divided separately.
 */
final class Average extends Reduction
{
    private final Reduction sum;

    Average(final ElementType type, final Reduction sum)
    {
        super(ReduceOp.AVG, type);
        this.sum = sum;
    }

    @Override
    public void combine(
        final Object destBase,
        final long destAddress,
        final Object leftBase,
        final long leftAddress,
        final Object rightBase,
        final long rightAddress,
        final long count)
    {
        sum.combine(destBase, destAddress, leftBase, leftAddress, rightBase, rightAddress, count);
    }

    @Override
    public void finish(final long address, final long count, final int members)
    {
        final long end = address + count * elementBytes();
        switch (type())
        {
            case BYTE, SHORT, INT, LONG, UNSIGNED_BYTE, UNSIGNED_SHORT, UNSIGNED_INT, UNSIGNED_LONG ->
                divideIntegers(address, end, members);
            case FLOAT, COMPLEX_FLOAT -> divideFloats(address, end, members);
            case DOUBLE, COMPLEX_DOUBLE -> divideDoubles(address, end, members);
            case HALF -> divideHalves(address, end, members);
            case BFLOAT16 -> divideBfloat16s(address, end, members);
            default -> throw new IllegalStateException("no average of " + type());
        }
    }

    private void divideIntegers(final long address, final long end, final int divisor)
    {
        switch (type())
        {
            case BYTE ->
            {
                for (long at = address; at < end; at++)
                {
                    UnsafeApi.putByte(at, (byte)(UnsafeApi.getByte(at) / divisor));
                }
            }
            case UNSIGNED_BYTE ->
            {
                for (long at = address; at < end; at++)
                {
                    UnsafeApi.putByte(at, (byte)((UnsafeApi.getByte(at) & 0xff) / divisor));
                }
            }
            case SHORT ->
            {
                for (long at = address; at < end; at += Short.BYTES)
                {
                    UnsafeApi.putShort(at, (short)(UnsafeApi.getShort(at) / divisor));
                }
            }
            case UNSIGNED_SHORT ->
            {
                for (long at = address; at < end; at += Short.BYTES)
                {
                    UnsafeApi.putShort(at, (short)((UnsafeApi.getShort(at) & 0xffff) / divisor));
                }
            }
            case INT ->
            {
                for (long at = address; at < end; at += Integer.BYTES)
                {
                    UnsafeApi.putInt(at, UnsafeApi.getInt(at) / divisor);
                }
            }
            case UNSIGNED_INT ->
            {
                for (long at = address; at < end; at += Integer.BYTES)
                {
                    UnsafeApi.putInt(at, Integer.divideUnsigned(UnsafeApi.getInt(at), divisor));
                }
            }
            case LONG ->
            {
                for (long at = address; at < end; at += Long.BYTES)
                {
                    UnsafeApi.putLong(at, UnsafeApi.getLong(at) / divisor);
                }
            }
            default ->
            {
                for (long at = address; at < end; at += Long.BYTES)
                {
                    UnsafeApi.putLong(at, Long.divideUnsigned(UnsafeApi.getLong(at), divisor));
                }
            }
        }
    }

    private static void divideFloats(final long address, final long end, final float divisor)
    {
        for (long at = address; at < end; at += Float.BYTES)
        {
            UnsafeApi.putFloat(at, NanSupport.canonical(UnsafeApi.getFloat(at) / divisor));
        }
    }

    private static void divideDoubles(final long address, final long end, final double divisor)
    {
        for (long at = address; at < end; at += Double.BYTES)
        {
            UnsafeApi.putDouble(at, NanSupport.canonical(UnsafeApi.getDouble(at) / divisor));
        }
    }

    /** A float has twice the digits of the quotient and two more, so that rounding twice is rounding once. */
    private static void divideHalves(final long address, final long end, final float divisor)
    {
        for (long at = address; at < end; at += Short.BYTES)
        {
            UnsafeApi.putShort(at, Float16.floatToHalf(Float16.halfToFloat(UnsafeApi.getShort(at)) / divisor));
        }
    }

    /** As {@link #divideHalves}. */
    private static void divideBfloat16s(final long address, final long end, final float divisor)
    {
        for (long at = address; at < end; at += Short.BYTES)
        {
            UnsafeApi.putShort(
                at, Float16.floatToBfloat16(Float16.bfloat16ToFloat(UnsafeApi.getShort(at)) / divisor));
        }
    }
}
