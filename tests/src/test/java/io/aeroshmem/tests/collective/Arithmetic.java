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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;

/**
 * Reference implementation of the operations of reductions on two elements: integers as exact longs that are cut to
 * their width, 16-bit floating-point numbers as doubles that are rounded by their definition.
 */
final class Arithmetic
{
    private static final int HALF_FRACTION = 10;
    private static final int HALF_MIN_EXPONENT = -14;
    private static final double HALF_MAX = 65504;
    private static final int BFLOAT_FRACTION = 7;
    private static final int BFLOAT_MIN_EXPONENT = -126;
    private static final double BFLOAT_MAX = 0x1.FEp127;

    private Arithmetic()
    {
    }

    /**
     * Returns whether the references' tables allow the pair; unsigned integers count as signed ones, 16-bit numbers as
     * float.
     */
    static boolean isAllowed(final ReduceOp op, final ElementType type)
    {
        return switch (op)
        {
            case AND, OR, XOR -> type.isInteger();
            case MAX, MIN -> !type.isComplex();
            case SUM, PROD -> true;
            default -> false;
        };
    }

    /**
     * Returns whether requests, except scans, allow the pair.
     */
    static boolean isAllowedInRequests(final ReduceOp op, final ElementType type)
    {
        return switch (op)
        {
            case AVG -> true;
            case LAND, LOR, LXOR -> type.isInteger();
            case MAXLOC, MINLOC -> !type.isComplex();
            default -> isAllowed(op, type);
        };
    }

    static Value identity(final ReduceOp op, final ElementType type)
    {
        return switch (op)
        {
            case AND -> Value.of(-1);
            case MAX -> Value.of(type.isInteger() ? least(type) : bits(type, Double.NEGATIVE_INFINITY));
            case MIN -> Value.of(type.isInteger() ? greatest(type) : bits(type, Double.POSITIVE_INFINITY));
            case PROD -> Value.of(type.isInteger() ? 1 : bits(type, 1));
            default -> Value.of(0);
        };
    }

    static Value combine(final ReduceOp op, final ElementType type, final Value left, final Value right)
    {
        if (type.isInteger())
        {
            return Value.of(cut(type, integer(op, type, left.bits(), right.bits())));
        }

        if (!type.isComplex())
        {
            return Value.of(floating(op, type, left.bits(), right.bits()));
        }

        return ReduceOp.PROD != op ?
            new Value(
                floating(op, type, left.bits(), right.bits()),
                floating(op, type, left.imaginaryBits(), right.imaginaryBits())) :
            complexProduct(type, left, right);
    }

    /**
     * Returns the bits of the number of the type that is nearest to a double, ties to even. NaN has one representation,
     * Java's canonical one.
     */
    static long bits(final ElementType type, final double number)
    {
        return switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> Float.floatToIntBits((float)number);
            case DOUBLE, COMPLEX_DOUBLE -> Double.doubleToLongBits(number);
            case HALF -> small(number, HALF_FRACTION, HALF_MIN_EXPONENT, HALF_MAX, 15);
            case BFLOAT16 -> small(number, BFLOAT_FRACTION, BFLOAT_MIN_EXPONENT, BFLOAT_MAX, 127);
            default -> throw new IllegalArgumentException("no floating-point type: " + type);
        };
    }

    static double number(final ElementType type, final long bits)
    {
        return switch (type)
        {
            case FLOAT, COMPLEX_FLOAT -> Float.intBitsToFloat((int)bits);
            case DOUBLE, COMPLEX_DOUBLE -> Double.longBitsToDouble(bits);
            case HALF -> number((int)bits & 0xFFFF, HALF_FRACTION, HALF_MIN_EXPONENT, 0x1F);
            case BFLOAT16 -> number((int)bits & 0xFFFF, BFLOAT_FRACTION, BFLOAT_MIN_EXPONENT, 0xFF);
            default -> throw new IllegalArgumentException("no floating-point type: " + type);
        };
    }

    private static long integer(final ReduceOp op, final ElementType type, final long left, final long right)
    {
        return switch (op)
        {
            case AND -> left & right;
            case OR -> left | right;
            case XOR -> left ^ right;
            case SUM, AVG -> left + right;
            case PROD -> left * right;
            case LAND -> 0 != left && 0 != right ? 1 : 0;
            case LOR -> 0 != left || 0 != right ? 1 : 0;
            case LXOR -> 0 != left ^ 0 != right ? 1 : 0;
            case MAX -> compare(type, left, right) >= 0 ? left : right;
            case MIN -> compare(type, left, right) <= 0 ? left : right;
            default -> throw new IllegalArgumentException("no operation: " + op);
        };
    }

    private static int compare(final ElementType type, final long left, final long right)
    {
        return ElementType.UNSIGNED_LONG == type ? Long.compareUnsigned(left, right) : Long.compare(left, right);
    }

    private static long floating(final ReduceOp op, final ElementType type, final long left, final long right)
    {
        if (ElementType.DOUBLE == type || ElementType.COMPLEX_DOUBLE == type)
        {
            return bits(type, inDouble(op, number(type, left), number(type, right)));
        }

        if (ElementType.FLOAT == type || ElementType.COMPLEX_FLOAT == type)
        {
            return bits(type, inFloat(op, (float)number(type, left), (float)number(type, right)));
        }

        // a double has more than twice the digits and one, so that rounding twice is rounding once
        return bits(type, inDouble(op, number(type, left), number(type, right)));
    }

    private static double inDouble(final ReduceOp op, final double left, final double right)
    {
        return switch (op)
        {
            case MAX -> Math.max(left, right);
            case MIN -> Math.min(left, right);
            case SUM, AVG -> left + right;
            case PROD -> left * right;
            default -> throw new IllegalArgumentException("no operation: " + op);
        };
    }

    private static float inFloat(final ReduceOp op, final float left, final float right)
    {
        return switch (op)
        {
            case MAX -> Math.max(left, right);
            case MIN -> Math.min(left, right);
            case SUM, AVG -> left + right;
            case PROD -> left * right;
            default -> throw new IllegalArgumentException("no operation: " + op);
        };
    }

    /**
     * Returns the result of a reduction of so many members from the combination of their elements.
     */
    static Value finish(final ReduceOp op, final ElementType type, final Value combined, final int members)
    {
        return switch (op)
        {
            case AVG -> 1 == members ? combined : type.isInteger() ?
                Value.of(cut(type, quotient(type, combined.bits(), members))) :
                new Value(
                    bits(type, number(type, combined.bits()) / members),
                    type.isComplex() ? bits(type, number(type, combined.imaginaryBits()) / members) : 0);
            case LAND, LOR, LXOR -> Value.of(0 == combined.bits() ? 0 : 1);
            default -> combined;
        };
    }

    private static long quotient(final ElementType type, final long sum, final int members)
    {
        return isUnsigned(type) ? Long.divideUnsigned(sum, members) : sum / members;
    }

    /**
     * Compares values by an operation with places: the better one is the greater.
     */
    static int compare(final ReduceOp op, final ElementType type, final Value left, final Value right)
    {
        if (ReduceOp.MAXLOC == op)
        {
            return compare(type, left, right);
        }

        final boolean hasNan = !type.isInteger() &&
            (Double.isNaN(number(type, left.bits())) || Double.isNaN(number(type, right.bits())));
        return hasNan ? compare(type, left, right) : compare(type, right, left);
    }

    static int compare(final ElementType type, final Value left, final Value right)
    {
        return type.isInteger() ? compare(type, left.bits(), right.bits()) :
            Double.compare(number(type, left.bits()), number(type, right.bits()));
    }

    /**
     * The products and their sums are each rounded to the type of the parts.
     */
    private static Value complexProduct(final ElementType type, final Value left, final Value right)
    {
        if (ElementType.COMPLEX_DOUBLE == type)
        {
            final double a = number(type, left.bits());
            final double b = number(type, left.imaginaryBits());
            final double c = number(type, right.bits());
            final double d = number(type, right.imaginaryBits());
            return new Value(bits(type, a * c - b * d), bits(type, a * d + b * c));
        }

        final float a = (float)number(type, left.bits());
        final float b = (float)number(type, left.imaginaryBits());
        final float c = (float)number(type, right.bits());
        final float d = (float)number(type, right.imaginaryBits());
        return new Value(bits(type, a * c - b * d), bits(type, a * d + b * c));
    }

    private static long least(final ElementType type)
    {
        return isUnsigned(type) ? 0 : -1L << type.bytes() * 8 - 1;
    }

    private static long greatest(final ElementType type)
    {
        return cut(type, isUnsigned(type) ? -1L : ~(-1L << type.bytes() * 8 - 1));
    }

    /**
     * Truncates an integer to its type.
     */
    static long cut(final ElementType type, final long value)
    {
        return switch (type)
        {
            case BYTE -> (byte)value;
            case SHORT -> (short)value;
            case INT -> (int)value;
            case UNSIGNED_BYTE -> value & 0xFFL;
            case UNSIGNED_SHORT -> value & 0xFFFFL;
            case UNSIGNED_INT -> value & 0xFFFF_FFFFL;
            default -> value;
        };
    }

    private static boolean isUnsigned(final ElementType type)
    {
        return type.name().startsWith("UNSIGNED");
    }

    private static long small(
        final double number, final int fraction, final int minExponent, final double max, final int bias)
    {
        final long sign = Double.doubleToRawLongBits(number) < 0 ? 0x8000 : 0;
        final long infinity = (2L * bias + 1) << fraction;
        if (Double.isNaN(number))
        {
            return infinity | 1L << fraction - 1;
        }

        final double magnitude = Math.abs(number);
        final int exponent = Math.max(Math.getExponent(magnitude), minExponent);
        final double place = Math.scalb(1.0, exponent - fraction);
        final double rounded = Double.isInfinite(magnitude) ? magnitude : Math.rint(magnitude / place) * place;
        if (rounded > max)
        {
            return sign | infinity;
        }

        final int exponentOfRounded = Math.max(Math.getExponent(rounded), minExponent);
        final long places = (long)(rounded / Math.scalb(1.0, exponentOfRounded - fraction));
        final boolean isNormal = places >= 1L << fraction;
        return sign | (isNormal ?
            (long)(exponentOfRounded + bias) << fraction | places & (1L << fraction) - 1 : places);
    }

    private static double number(final int bits, final int fraction, final int minExponent, final int maxField)
    {
        final int field = bits >> fraction & maxField;
        final int places = bits & (1 << fraction) - 1;
        final double sign = 0 != (bits & 0x8000) ? -1.0 : 1.0;
        if (maxField == field)
        {
            return 0 == places ? sign * Double.POSITIVE_INFINITY : Double.NaN;
        }

        return sign * (0 == field ?
            Math.scalb((double)places, minExponent - fraction) :
            Math.scalb((double)(places | 1 << fraction), field - 1 + minExponent - fraction));
    }
}
