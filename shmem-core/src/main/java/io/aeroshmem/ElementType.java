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
 * The type of the elements of a collective. In OpenSHMEM the type is part of a routine's name; in UCC it is a
 * {@code ucc_datatype_t}. All types are little-endian. A collective that only moves elements uses only the size of the
 * type.
 * <p>
 * <b>Alignment.</b> In every collective the addresses of dest and source must be multiples of {@link #alignment()};
 * otherwise the call throws {@link IllegalArgumentException}. An allocation is aligned to 64 bytes, so this concerns
 * slices only.
 * <p>
 * These types of C have no constant:
 * <ul>
 *     <li>{@code long double}: neither Java nor vector units support it, and its format differs between machines. Move
 *     each value as 16 {@link #BYTE}s;</li>
 *     <li>{@code char}, {@code long}, {@code long long}, {@code size_t} and {@code ptrdiff_t}: use the constant of
 *     their size.</li>
 * </ul>
 * The page c-types.md of the documentation has the whole table.
 */
public enum ElementType
{
    /** 8 bits; a signed integer where it is reduced: the {@code mem} forms, {@code int8}. */
    BYTE(1, Kind.INTEGER),
    /** 16-bit signed integer. */
    SHORT(2, Kind.INTEGER),
    /** 32-bit signed integer; also for 4-byte elements. */
    INT(4, Kind.INTEGER),
    /** 64-bit signed integer; also for 8-byte elements. */
    LONG(8, Kind.INTEGER),
    /** 8-bit unsigned integer. */
    UNSIGNED_BYTE(1, Kind.INTEGER),
    /** 16-bit unsigned integer. */
    UNSIGNED_SHORT(2, Kind.INTEGER),
    /** 32-bit unsigned integer. */
    UNSIGNED_INT(4, Kind.INTEGER),
    /** 64-bit unsigned integer. */
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
     * Returns the size of an element.
     *
     * @return in bytes: 1, 2, 4, 8 or 16.
     */
    public int bytes()
    {
        return bytes;
    }

    /**
     * Returns the alignment of dest and source in every collective.
     *
     * @return in bytes; for complex elements that of their parts.
     */
    public int alignment()
    {
        return Kind.COMPLEX == kind ? bytes / 2 : bytes;
    }

    /**
     * Returns true for integers, signed or unsigned, which have bitwise operations.
     *
     * @return true for integers, with a sign or without.
     */
    public boolean isInteger()
    {
        return Kind.INTEGER == kind;
    }

    /**
     * Returns true for the floating-point types that are not complex.
     *
     * @return true for the floating-point types that are not complex.
     */
    public boolean isFloating()
    {
        return Kind.FLOATING == kind;
    }

    /**
     * Returns true for the complex types, which have no order.
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
