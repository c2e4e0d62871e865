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

    /** Returns the distance of what is combined: elements, or pairs of value and place. */
    int stepBytes()
    {
        return isOfPairs() ? 2 * type.bytes() : type.bytes();
    }

    private boolean isOfPairs()
    {
        return ReduceOp.MAXLOC == op || ReduceOp.MINLOC == op;
    }

    /** Combines the elements at the same position of three buffers of native order. */
    void combine(final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int position)
    {
        if (isOfPairs())
        {
            combinePairs(dest, left, right, position);
            return;
        }

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

    /** Takes the better value, of equal ones that with the lower place, by the definition of MAX and MIN. */
    private void combinePairs(
        final ByteBuffer dest, final ByteBuffer left, final ByteBuffer right, final int position)
    {
        final int place = position + type.bytes();
        int order = compare(left, right, position);
        final boolean hasNan = isNan(left, position) || isNan(right, position);
        if (ReduceOp.MINLOC == op && !hasNan)
        {
            order = -order;
        }

        final boolean isLeft = order > 0 || 0 == order && compare(left, right, place) <= 0;
        for (final int at : new int[]{position, place})
        {
            copyCanonical(dest, isLeft ? left : right, at);
        }
    }

    private boolean isNan(final ByteBuffer source, final int position)
    {
        return !type.isInteger() && Double.isNaN(real(source, position));
    }

    private int compare(final ByteBuffer left, final ByteBuffer right, final int position)
    {
        return type.isInteger() ? integer(left, position).compareTo(integer(right, position)) :
            Double.compare(real(left, position), real(right, position));
    }

    private double real(final ByteBuffer source, final int position)
    {
        return switch (type)
        {
            case FLOAT -> source.getFloat(position);
            case DOUBLE -> source.getDouble(position);
            case HALF -> ExactShortFloat.HALF.value(source.getShort(position));
            default -> ExactShortFloat.BFLOAT16.value(source.getShort(position));
        };
    }

    private void copyCanonical(final ByteBuffer dest, final ByteBuffer source, final int position)
    {
        switch (type)
        {
            case FLOAT -> dest.putFloat(position, canonical(source.getFloat(position)));
            case DOUBLE -> dest.putDouble(position, canonical(source.getDouble(position)));
            case HALF -> dest.putShort(
                position, ExactShortFloat.HALF.round(ExactShortFloat.HALF.value(source.getShort(position))));
            case BFLOAT16 -> dest.putShort(
                position, ExactShortFloat.BFLOAT16.round(ExactShortFloat.BFLOAT16.value(source.getShort(position))));
            default -> putInteger(dest, position, integer(source, position));
        }
    }

    /** Divides a sum by the number of members, or turns an operand into a logical value. */
    void finish(final ByteBuffer dest, final ByteBuffer source, final int position, final int members)
    {
        if (type.isInteger())
        {
            final BigInteger value = integer(source, position);
            putInteger(dest, position, ReduceOp.AVG == op ? value.divide(BigInteger.valueOf(members)) :
                BigInteger.valueOf(value.signum()).abs());
            return;
        }

        switch (type)
        {
            case FLOAT -> dest.putFloat(position, quotient(source.getFloat(position), members));
            case DOUBLE -> dest.putDouble(position, canonical(source.getDouble(position) / members));
            case COMPLEX_FLOAT ->
            {
                dest.putFloat(position, quotient(source.getFloat(position), members));
                dest.putFloat(position + 4, quotient(source.getFloat(position + 4), members));
            }
            case COMPLEX_DOUBLE ->
            {
                dest.putDouble(position, canonical(source.getDouble(position) / members));
                dest.putDouble(position + 8, canonical(source.getDouble(position + 8) / members));
            }
            case HALF -> dest.putShort(position, ExactShortFloat.HALF.round((float)real(source, position) / members));
            default -> dest.putShort(position, ExactShortFloat.BFLOAT16.round(
                (float)real(source, position) / members));
        }
    }

    /** The double has twice the digits of the float and two more, so that rounding twice is rounding once. */
    private static float quotient(final float value, final int members)
    {
        return canonical((float)((double)value / members));
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
            case SUM, AVG -> canonical(left + right);
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
        if (ReduceOp.PROD != op)
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
        if (ReduceOp.PROD != op)
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
            case SUM, AVG -> left.add(right);
            case PROD -> left.multiply(right);
            case LAND -> logical(0 != left.signum() && 0 != right.signum());
            case LOR -> logical(0 != left.signum() || 0 != right.signum());
            case LXOR -> logical(0 != left.signum() ^ 0 != right.signum());
            default -> throw new AssertionError(op);
        };
    }

    private static BigInteger logical(final boolean isTrue)
    {
        return isTrue ? BigInteger.ONE : BigInteger.ZERO;
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
