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

/**
 * Operations on integers as sequences of additions, subtractions, shifts and bitwise operations of {@code int} and
 * {@code long}. The kernels use them where the compiler does not vectorise the obvious form:
 * <ul>
 * <li>sums, maxima and minima of bytes and shorts;</li>
 * <li>maxima and minima of ints, signed or unsigned, and of unsigned longs;</li>
 * <li>logical operations.</li>
 * </ul>
 * The packed forms operate on a long that holds 8 bytes, 4 shorts, 2 ints or one long. The parameter {@code signs} has
 * the highest bit of each element set, and {@code shift} is the number of the other bits of an element. In both
 * operands of a sum, and in the subtrahend of a difference, the highest bits are cleared first; in the minuend they are
 * set. So nothing carries from one element into the next. The highest bits of the result are corrected afterwards.
 */
final class BranchFree
{
    static final long BYTE_SIGNS = 0x8080808080808080L;
    static final long SHORT_SIGNS = 0x8000800080008000L;
    static final long INT_SIGNS = 0x8000000080000000L;
    static final long LONG_SIGNS = 0x8000000000000000L;

    private BranchFree()
    {
    }

    static int max(final int a, final int b)
    {
        return a ^ ((a ^ b) & (less(a, b) >> 31));
    }

    static int min(final int a, final int b)
    {
        return b ^ ((a ^ b) & (less(a, b) >> 31));
    }

    static int maxUnsigned(final int a, final int b)
    {
        return a ^ ((a ^ b) & (lessUnsigned(a, b) >> 31));
    }

    static int minUnsigned(final int a, final int b)
    {
        return b ^ ((a ^ b) & (lessUnsigned(a, b) >> 31));
    }

    static long maxUnsigned(final long a, final long b)
    {
        return a ^ ((a ^ b) & (lessUnsigned(a, b) >> 63));
    }

    static long minUnsigned(final long a, final long b)
    {
        return b ^ ((a ^ b) & (lessUnsigned(a, b) >> 63));
    }

    /** Sets the highest bit if a is less: that of the difference, unless it overflowed. */
    private static int less(final int a, final int b)
    {
        return (a - b) ^ ((a ^ b) & ((a - b) ^ a));
    }

    /** Sets the highest bit if a is less: that of b where only one has it set, that of the difference otherwise. */
    private static int lessUnsigned(final int a, final int b)
    {
        return (a - b) ^ ((a ^ b) & ((a - b) ^ b));
    }

    private static long lessUnsigned(final long a, final long b)
    {
        return (a - b) ^ ((a ^ b) & ((a - b) ^ b));
    }

    static long packedSum(final long a, final long b, final long signs)
    {
        return ((a & ~signs) + (b & ~signs)) ^ ((a ^ b) & signs);
    }

    static long packedMax(final long a, final long b, final long signs, final int shift)
    {
        return b ^ ((a ^ b) & packedNotLess(a, b, signs, shift));
    }

    static long packedMin(final long a, final long b, final long signs, final int shift)
    {
        return a ^ ((a ^ b) & packedNotLess(a, b, signs, shift));
    }

    static long packedMaxUnsigned(final long a, final long b, final long signs, final int shift)
    {
        return b ^ ((a ^ b) & packedNotLessUnsigned(a, b, signs, shift));
    }

    static long packedMinUnsigned(final long a, final long b, final long signs, final int shift)
    {
        return a ^ ((a ^ b) & packedNotLessUnsigned(a, b, signs, shift));
    }

    /** Returns 1 in the elements that are not 0 in a nor in b. */
    static long packedLogicalAnd(final long a, final long b, final long signs, final int shift)
    {
        return (nonzero(a, signs) & nonzero(b, signs) & signs) >>> shift;
    }

    /** Returns 1 in the elements that are not 0 in a or in b. */
    static long packedLogicalOr(final long a, final long b, final long signs, final int shift)
    {
        return (nonzero(a | b, signs) & signs) >>> shift;
    }

    /** Returns 1 in the elements that are not 0 in either a or b alone. */
    static long packedLogicalXor(final long a, final long b, final long signs, final int shift)
    {
        return ((nonzero(a, signs) ^ nonzero(b, signs)) & signs) >>> shift;
    }

    /** Sets the highest bit of the elements that are not 0: adding all others to the other bits carries into it. */
    private static long nonzero(final long a, final long signs)
    {
        return a | (a & ~signs) + ~signs;
    }

    /** Sets all bits of the elements in which a is not less. */
    private static long packedNotLess(final long a, final long b, final long signs, final int shift)
    {
        final long difference = (a | signs) - (b & ~signs);
        return spread((difference ^ ((a ^ b) & ~(a ^ difference))) & signs, shift);
    }

    private static long packedNotLessUnsigned(final long a, final long b, final long signs, final int shift)
    {
        final long difference = (a | signs) - (b & ~signs);
        return spread((difference ^ ((a ^ b) & (a ^ difference))) & signs, shift);
    }

    /** Spreads the highest bit of each element to all its bits: 2^(shift + 1) - 1 times the lowest. */
    private static long spread(final long highest, final int shift)
    {
        return (highest << 1) - (highest >>> shift);
    }
}
