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
package io.aeroshmem;

/**
 * The type of the elements that a collective works on: what the C interfaces have in the routine's name. All are
 * little-endian. Where elements are only moved, the type gives their size.
 * <p>
 * Alignment: in every collective the address of dest and of source is a multiple of {@link #alignment()}, or the call
 * throws {@link IllegalArgumentException}. An allocation is aligned to 64 bytes, so this concerns slices only.
 * <p>
 * Of the types of C these have no constant: {@code long double}, which neither Java nor the vector units of processors
 * calculate with and whose format differs from machine to machine (move it as {@link #BYTE}s, 16 of them for each);
 * {@code char}, {@code long}, {@code long long}, {@code size_t} and {@code ptrdiff_t}, which are the constant of their
 * size. The page c-types.md of the documentation has the whole table.
 */
public enum ElementType
{
    /** 8 bits; an integer with a sign where it is reduced: the {@code mem} forms, {@code int8}. */
    BYTE(1, Kind.INTEGER),
    /** 16-bit integer with a sign. */
    SHORT(2, Kind.INTEGER),
    /** 32-bit integer with a sign; also the form of 4-byte elements. */
    INT(4, Kind.INTEGER),
    /** 64-bit integer with a sign; also the form of 8-byte elements. */
    LONG(8, Kind.INTEGER),
    /** 8-bit integer without a sign. */
    UNSIGNED_BYTE(1, Kind.INTEGER),
    /** 16-bit integer without a sign. */
    UNSIGNED_SHORT(2, Kind.INTEGER),
    /** 32-bit integer without a sign. */
    UNSIGNED_INT(4, Kind.INTEGER),
    /** 64-bit integer without a sign. */
    UNSIGNED_LONG(8, Kind.INTEGER),
    /** IEEE 754 binary32. */
    FLOAT(4, Kind.FLOATING),
    /** IEEE 754 binary64. */
    DOUBLE(8, Kind.FLOATING),
    /** Two binary32: real part, imaginary part. Aligned to 4 bytes. */
    COMPLEX_FLOAT(8, Kind.COMPLEX),
    /** Two binary64: real part, imaginary part. Aligned to 8 bytes. */
    COMPLEX_DOUBLE(16, Kind.COMPLEX),
    /** IEEE 754 binary16. */
    HALF(2, Kind.FLOATING),
    /** The upper half of a binary32: 8 bits of exponent, 7 of fraction. */
    BFLOAT16(2, Kind.FLOATING);

    private final int bytes;
    private final Kind kind;

    ElementType(final int bytes, final Kind kind)
    {
        this.bytes = bytes;
        this.kind = kind;
    }

    /**
     * Size of an element.
     *
     * @return in bytes: 1, 2, 4, 8 or 16.
     */
    public int bytes()
    {
        return bytes;
    }

    /**
     * What the address of dest and source must be a multiple of, in every collective.
     *
     * @return in bytes; for complex elements that of their parts.
     */
    public int alignment()
    {
        return Kind.COMPLEX == kind ? bytes / 2 : bytes;
    }

    /**
     * Does it have the bitwise operations, and the order and arithmetic of integers?
     *
     * @return true for integers, with a sign or without.
     */
    public boolean isInteger()
    {
        return Kind.INTEGER == kind;
    }

    /**
     * Is it a real number that is rounded?
     *
     * @return true for the floating-point types that are not complex.
     */
    public boolean isFloating()
    {
        return Kind.FLOATING == kind;
    }

    /**
     * Is it a pair of a real and an imaginary part?
     *
     * @return true for the complex types, which have no order.
     */
    public boolean isComplex()
    {
        return Kind.COMPLEX == kind;
    }

    private enum Kind
    {
        INTEGER, FLOATING, COMPLEX
    }
}
