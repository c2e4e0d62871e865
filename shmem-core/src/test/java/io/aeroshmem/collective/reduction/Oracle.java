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

import java.math.BigInteger;
import java.nio.ByteBuffer;

/**
 * Expected results of reductions of two elements, one element at a time and independent of the kernels: integers as
 * {@link BigInteger}, the 16-bit types by their exact values, floats as doubles.
 */
final class Oracle
{
    private final ReduceOp op;
    private final ElementType type;

    Oracle(final ReduceOp op, final ElementType type)
    {
        this.op = op;
        this.type = type;
    }

    /** Combines the elements at the same position of three buffers of native order. */
    void combine(final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int position)
    {
        switch (type)
        {
            case FLOAT -> dest.putFloat(position, combine(left.getFloat(position), right.getFloat(position)));
            case DOUBLE -> dest.putDouble(position, combine(left.getDouble(position), right.getDouble(position)));
            case HALF -> dest.putShort(
                position, combine(ExactShortFloat.HALF, left.getShort(position), right.getShort(position)));
            case BFLOAT16 -> dest.putShort(
                position, combine(ExactShortFloat.BFLOAT16, left.getShort(position), right.getShort(position)));
            case COMPLEX_FLOAT -> combineComplexFloats(dest, left, right, position);
            case COMPLEX_DOUBLE -> combineComplexDoubles(dest, left, right, position);
            default -> putInteger(dest, position, combine(integer(left, position), integer(right, position)));
        }
    }

    private short combine(final ExactShortFloat format, final short left, final short right)
    {
        return format.round(combine(format.value(left), format.value(right)));
    }

    /** The double has twice the digits of the float and two more, so that rounding twice is rounding once. */
    private float combine(final float left, final float right)
    {
        return canonical((float)combine((double)left, (double)right));
    }

    private double combine(final double left, final double right)
    {
        return switch (op)
        {
            case SUM -> canonical(left + right);
            case PROD -> canonical(left * right);
            case MAX -> 0 <= orderNanLast(left, right) ? canonical(left) : canonical(right);
            case MIN -> Double.isNaN(left) || Double.isNaN(right) ? Double.NaN :
                0 >= Double.compare(left, right) ? left : right;
            default -> throw new AssertionError(op);
        };
    }

    /** Double.compare has the order of max and min: -0.0 before 0.0 and NaN after all. */
    private static int orderNanLast(final double left, final double right)
    {
        return Double.compare(left, right);
    }

    private static float canonical(final float value)
    {
        return Float.intBitsToFloat(Float.floatToIntBits(value));
    }

    private static double canonical(final double value)
    {
        return Double.longBitsToDouble(Double.doubleToLongBits(value));
    }

    private void combineComplexFloats(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int position)
    {
        final float a = left.getFloat(position);
        final float b = left.getFloat(position + 4);
        final float c = right.getFloat(position);
        final float d = right.getFloat(position + 4);
        if (ReduceOp.SUM == op)
        {
            dest.putFloat(position, combine(a, c));
            dest.putFloat(position + 4, combine(b, d));
        }
        else
        {
            dest.putFloat(position, canonical((float)((double)product(a, c) - product(b, d))));
            dest.putFloat(position + 4, canonical((float)((double)product(a, d) + product(b, c))));
        }
    }

    private static float product(final float left, final float right)
    {
        return (float)((double)left * right);
    }

    private void combineComplexDoubles(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int position)
    {
        final double a = left.getDouble(position);
        final double b = left.getDouble(position + 8);
        final double c = right.getDouble(position);
        final double d = right.getDouble(position + 8);
        if (ReduceOp.SUM == op)
        {
            dest.putDouble(position, combine(a, c));
            dest.putDouble(position + 8, combine(b, d));
        }
        else
        {
            final double ac = a * c;
            final double bd = b * d;
            final double ad = a * d;
            final double bc = b * c;
            dest.putDouble(position, canonical(ac - bd));
            dest.putDouble(position + 8, canonical(ad + bc));
        }
    }

    private BigInteger combine(final BigInteger left, final BigInteger right)
    {
        return switch (op)
        {
            case AND -> left.and(right);
            case OR -> left.or(right);
            case XOR -> left.xor(right);
            case MAX -> left.max(right);
            case MIN -> left.min(right);
            case SUM -> left.add(right);
            case PROD -> left.multiply(right);
            default -> throw new AssertionError(op);
        };
    }

    private BigInteger integer(final ByteBuffer source, final int position)
    {
        final byte[] bigEndian = new byte[type.bytes()];
        for (int i = 0; i < bigEndian.length; i++)
        {
            bigEndian[bigEndian.length - 1 - i] = source.get(position + i);
        }
        return type.name().startsWith("UNSIGNED_") ? new BigInteger(1, bigEndian) : new BigInteger(bigEndian);
    }

    private void putInteger(final ByteBuffer dest, final int position, final BigInteger value)
    {
        for (int i = 0; i < type.bytes(); i++)
        {
            dest.put(position + i, value.shiftRight(8 * i).byteValue());
        }
    }
}
