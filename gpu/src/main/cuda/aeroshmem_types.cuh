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
#ifndef AEROSHMEM_TYPES_CUH
#define AEROSHMEM_TYPES_CUH

#include "aeroshmem_memory.cuh"

/**
 * The element types, and the meaning of each operation for them. Results equal those of the reductions of the host bit
 * for bit: integers wrap around; MAX and MIN of reals are Math.max and Math.min; a NaN is stored as the canonical one;
 * HALF and BFLOAT16 are computed as float and rounded at each combination, to nearest, ties to even. The compiler must
 * not fuse a multiplication with an addition: -fmad=false, -ffp-contract=off.
 */
namespace aeroshmem
{

/** Reinterprets the bits of a value. */
template <typename TO, typename FROM>
static __device__ __forceinline__ TO bits_as(const FROM value)
{
    union
    {
        FROM from;
        TO to;
    } both;
    both.from = value;
    return both.to;
}

/**
 * Integers. Sums and products are computed in an unsigned type, since overflow of a signed one is undefined. Quotients
 * are computed in a type that holds the divisor, a positive int, and truncate.
 */
template <typename V, typename UNSIGNED, typename QUOTIENT>
struct Integer
{
    typedef V value;

    static __device__ __forceinline__ V bit_and(const V a, const V b)
    {
        return (V)(a & b);
    }

    static __device__ __forceinline__ V bit_or(const V a, const V b)
    {
        return (V)(a | b);
    }

    static __device__ __forceinline__ V bit_xor(const V a, const V b)
    {
        return (V)(a ^ b);
    }

    static __device__ __forceinline__ V maximum(const V a, const V b)
    {
        return a > b ? a : b;
    }

    static __device__ __forceinline__ V minimum(const V a, const V b)
    {
        return a < b ? a : b;
    }

    static __device__ __forceinline__ V sum(const V a, const V b)
    {
        return (V)((UNSIGNED)a + (UNSIGNED)b);
    }

    static __device__ __forceinline__ V product(const V a, const V b)
    {
        return (V)((UNSIGNED)a * (UNSIGNED)b);
    }

    static __device__ __forceinline__ V quotient(const V a, const s32 divisor)
    {
        return (V)((QUOTIENT)a / (QUOTIENT)divisor);
    }

    /** Returns a negative number, 0 or a positive one, as a is less, equal or greater. */
    static __device__ __forceinline__ s32 compare(const V a, const V b)
    {
        return a < b ? -1 : (a > b ? 1 : 0);
    }

    static __device__ __forceinline__ bool is_nan(const V)
    {
        return false;
    }

    static __device__ __forceinline__ V canonical(const V a)
    {
        return a;
    }
};

/** Reals: float with its bits as s32, double with its bits as s64. */
template <typename V, typename BITS, BITS NAN_BITS>
struct Real
{
    typedef V value;

    static __device__ __forceinline__ bool is_nan(const V a)
    {
        return a != a;
    }

    static __device__ __forceinline__ V canonical(const V a)
    {
        return is_nan(a) ? bits_as<V>(NAN_BITS) : a;
    }

    /** Of equal operands the bits are equal, or they are zeros: 0.0 is the greater one. */
    static __device__ __forceinline__ V maximum(const V a, const V b)
    {
        if (is_nan(a) || is_nan(b))
        {
            return bits_as<V>(NAN_BITS);
        }
        return a == b ? bits_as<V>((BITS)(bits_as<BITS>(a) & bits_as<BITS>(b))) : (a > b ? a : b);
    }

    static __device__ __forceinline__ V minimum(const V a, const V b)
    {
        if (is_nan(a) || is_nan(b))
        {
            return bits_as<V>(NAN_BITS);
        }
        return a == b ? bits_as<V>((BITS)(bits_as<BITS>(a) | bits_as<BITS>(b))) : (a < b ? a : b);
    }

    static __device__ __forceinline__ V sum(const V a, const V b)
    {
        return canonical(a + b);
    }

    static __device__ __forceinline__ V product(const V a, const V b)
    {
        return canonical(a * b);
    }

    static __device__ __forceinline__ V quotient(const V a, const s32 divisor)
    {
        return canonical(a / (V)divisor);
    }

    /** As Float.compare and Double.compare: -0.0 is less than 0.0, NaN equals itself and is greater than all others. */
    static __device__ __forceinline__ s32 compare(const V a, const V b)
    {
        if (a < b)
        {
            return -1;
        }
        if (a > b)
        {
            return 1;
        }
        const BITS a_bits = bits_as<BITS>(canonical(a));
        const BITS b_bits = bits_as<BITS>(canonical(b));
        return a_bits < b_bits ? -1 : (a_bits > b_bits ? 1 : 0);
    }
};

/** IEEE 754 binary16. Every value of it is a value of float. */
struct HalfFormat
{
    static const u16 NAN_BITS = 0x7e00;

    static __device__ __forceinline__ float to_float(const u16 half)
    {
        const u32 sign = (u32)(half & 0x8000) << 16;
        const u32 magnitude = (u32)(half & 0x7fff) << 13;
        if (0x7c00 <= (half & 0x7fff))
        {
            return bits_as<float>(sign | 0x7f800000u | magnitude);
        }
        // A float whose exponent is too small by 112; the product by 2^112 is exact, for subnormal halves too.
        return bits_as<float>(sign | magnitude) * bits_as<float>(0x77800000u);
    }

    static __device__ __forceinline__ u16 from_float(const float value)
    {
        const u32 bits = bits_as<u32>(value);
        const u32 magnitude = bits & 0x7fffffffu;
        if (0x7f800000u < magnitude)
        {
            return NAN_BITS;
        }
        const u32 sign = (bits >> 16) & 0x8000u;
        if (0x47800000u <= magnitude)
        {
            return (u16)(sign | 0x7c00u);
        }
        if (0x38800000u > magnitude)
        {
            // The sum with 1/2 is rounded to a multiple of 2^-24; the fraction is then their number.
            const float aligned = bits_as<float>(magnitude) + 0.5f;
            return (u16)(sign | (bits_as<u32>(aligned) - 0x3f000000u));
        }
        // A carry out of the fraction raises the exponent, to that of infinity after the last.
        const u32 even = (magnitude >> 13) & 1u;
        return (u16)(sign | ((magnitude - (112u << 23) + 0xfffu + even) >> 13));
    }
};

/** The upper half of a float. */
struct Bfloat16Format
{
    static const u16 NAN_BITS = 0x7fc0;

    static __device__ __forceinline__ float to_float(const u16 value)
    {
        return bits_as<float>((u32)value << 16);
    }

    static __device__ __forceinline__ u16 from_float(const float value)
    {
        const u32 bits = bits_as<u32>(value);
        if (0x7f800000u < (bits & 0x7fffffffu))
        {
            return NAN_BITS;
        }
        return (u16)((bits + 0x7fffu + ((bits >> 16) & 1u)) >> 16);
    }
};

typedef Real<float, s32, 0x7fc00000> Float;
typedef Real<double, s64, 0x7ff8000000000000LL> Double;

/** Reals of 16 bits, computed as float. */
template <typename FORMAT>
struct ShortFloat
{
    typedef u16 value;

    static __device__ __forceinline__ bool is_nan(const u16 a)
    {
        return Float::is_nan(FORMAT::to_float(a));
    }

    static __device__ __forceinline__ u16 canonical(const u16 a)
    {
        return is_nan(a) ? (u16)FORMAT::NAN_BITS : a;
    }

    static __device__ __forceinline__ u16 maximum(const u16 a, const u16 b)
    {
        return FORMAT::from_float(Float::maximum(FORMAT::to_float(a), FORMAT::to_float(b)));
    }

    static __device__ __forceinline__ u16 minimum(const u16 a, const u16 b)
    {
        return FORMAT::from_float(Float::minimum(FORMAT::to_float(a), FORMAT::to_float(b)));
    }

    static __device__ __forceinline__ u16 sum(const u16 a, const u16 b)
    {
        return FORMAT::from_float(FORMAT::to_float(a) + FORMAT::to_float(b));
    }

    static __device__ __forceinline__ u16 product(const u16 a, const u16 b)
    {
        return FORMAT::from_float(FORMAT::to_float(a) * FORMAT::to_float(b));
    }

    static __device__ __forceinline__ u16 quotient(const u16 a, const s32 divisor)
    {
        return FORMAT::from_float(FORMAT::to_float(a) / (float)divisor);
    }

    static __device__ __forceinline__ s32 compare(const u16 a, const u16 b)
    {
        return Float::compare(FORMAT::to_float(a), FORMAT::to_float(b));
    }
};

/** Complex numbers: real part, imaginary part; aligned as their parts. */
template <typename PART>
struct Complex
{
    struct value
    {
        typename PART::value re;
        typename PART::value im;
    };

    static __device__ __forceinline__ value sum(const value &a, const value &b)
    {
        value result;
        result.re = PART::sum(a.re, b.re);
        result.im = PART::sum(a.im, b.im);
        return result;
    }

    static __device__ __forceinline__ value product(const value &a, const value &b)
    {
        value result;
        result.re = PART::canonical(a.re * b.re - a.im * b.im);
        result.im = PART::canonical(a.re * b.im + a.im * b.re);
        return result;
    }

    static __device__ __forceinline__ value quotient(const value &a, const s32 divisor)
    {
        value result;
        result.re = PART::quotient(a.re, divisor);
        result.im = PART::quotient(a.im, divisor);
        return result;
    }
};

typedef Integer<s8, u32, s32> Byte;
typedef Integer<s16, u32, s32> Short;
typedef Integer<s32, u32, s32> Int;
typedef Integer<s64, u64, s64> Long;
typedef Integer<u8, u32, s32> UnsignedByte;
typedef Integer<u16, u32, s32> UnsignedShort;
typedef Integer<u32, u32, u32> UnsignedInt;
typedef Integer<u64, u64, u64> UnsignedLong;
typedef Complex<Float> ComplexFloat;
typedef Complex<Double> ComplexDouble;
typedef ShortFloat<HalfFormat> Half;
typedef ShortFloat<Bfloat16Format> Bfloat16;

}

#endif
