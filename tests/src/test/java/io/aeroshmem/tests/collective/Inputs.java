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
 * The contribution of a PE: elements that depend on the seed, the PE and their index, so that each identifies its
 * origin, and that make the order of a sum or a product of floating-point numbers show in its last bits. They repeat
 * after {@link #PERIOD} elements, which keeps the oracle fast; it is a prime, so no algorithm's pieces have that
 * length.
 */
final class Inputs
{
    static final int PERIOD = 1_021;

    private static final long GOLDEN = 0x9E3779B97F4A7C15L;

    private Inputs()
    {
    }

    /**
     * @param op null where elements are only moved.
     */
    static Value at(final ElementType type, final ReduceOp op, final long seed, final int worldPe, final long index)
    {
        final long hash = mix(mix(seed + worldPe * GOLDEN) + index % PERIOD * 0xD1B54A32D192ED03L);
        if (null == op || type.isInteger())
        {
            return integer(type, op, hash);
        }

        if (!type.isComplex())
        {
            return Value.of(number(type, op, hash));
        }

        return new Value(number(type, op, hash), number(type, op, mix(hash)));
    }

    private static Value integer(final ElementType type, final ReduceOp op, final long hash)
    {
        final long bits = null == op ? hash : switch (op)
        {
            case AND -> hash | mix(hash) | mix(hash + 1) | mix(hash + 2);
            case OR -> hash & mix(hash) & mix(hash + 1) & mix(hash + 2);
            case LAND -> 0 == (hash >>> 60) ? 0 : hash;
            case LOR -> 0 == (hash >>> 60) ? hash : 0;
            case LXOR -> 0 == (hash >>> 63) ? hash : 0;
            case MAXLOC, MINLOC -> hash >> 61;
            case PROD -> 0 == (hash >>> 60) ? hash : hash | 1;
            default -> hash;
        };
        return new Value(type.isInteger() ? Arithmetic.cut(type, bits) : bits, mix(hash));
    }

    private static long number(final ElementType type, final ReduceOp op, final long hash)
    {
        if (7 == (hash >>> 54 & 0x7F))
        {
            return special(type, (int)(hash & 0xF));
        }

        if (ReduceOp.MAXLOC == op || ReduceOp.MINLOC == op)
        {
            return Arithmetic.bits(type, hash >> 61);
        }

        final int reach = ReduceOp.PROD == op ? 1 : 8;
        final int exponent = (int)((hash >>> 1 & 0xFF) % (2 * reach + 1)) - reach;
        final double fraction = 1.0 + (hash >>> 12) * 0x1p-52;
        return Arithmetic.bits(type, Math.scalb(0 == (hash & 1) ? fraction : -fraction, exponent));
    }

    private static long special(final ElementType type, final int which)
    {
        return Arithmetic.bits(type, switch (which)
        {
            case 0 -> Double.NaN;
            case 1 -> Double.POSITIVE_INFINITY;
            case 2 -> Double.NEGATIVE_INFINITY;
            case 3, 4, 5 -> -0.0;
            case 6, 7, 8 -> 0.0;
            case 9, 10 -> 0x1p-24;
            case 11 -> -0x1p-149;
            case 12 -> 60_000;
            default -> -3;
        });
    }

    static long mix(final long value)
    {
        final long once = (value ^ (value >>> 30)) * 0xBF58476D1CE4E5B9L;
        final long twice = (once ^ (once >>> 27)) * 0x94D049BB133111EBL;
        return twice ^ (twice >>> 31);
    }
}
