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
#ifndef AEROSHMEM_REDUCTION_CUH
#define AEROSHMEM_REDUCTION_CUH

#include "aeroshmem_types.cuh"

/**
 * Reductions over blocks of elements. Each thread combines elements of its own, so that a destination may be one of the
 * sources.
 */
namespace aeroshmem
{

/** The ordinals of ReduceOp. */
enum Operation
{
    OP_AND, OP_OR, OP_XOR, OP_MAX, OP_MIN, OP_SUM, OP_PROD, OP_AVG, OP_LAND, OP_LOR, OP_LXOR, OP_MAXLOC, OP_MINLOC
};

/**
 * Operations. An item is what a thread combines at a time: an element, or a pair of elements. finish turns the
 * combination of the items of all members into the result.
 */
template <typename T>
struct PlainOperation
{
    typedef typename T::value item;
    static const u32 ELEMENTS = 1;

    static __device__ __forceinline__ item finish(const item &a, const s32)
    {
        return a;
    }
};

template <typename T>
struct And : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return T::bit_and(a, b);
    }
};

template <typename T>
struct Or : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return T::bit_or(a, b);
    }
};

template <typename T>
struct Xor : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return T::bit_xor(a, b);
    }
};

template <typename T>
struct Max : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return T::maximum(a, b);
    }
};

template <typename T>
struct Min : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return T::minimum(a, b);
    }
};

template <typename T>
struct Sum : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value &a, const typename T::value &b)
    {
        return T::sum(a, b);
    }
};

template <typename T>
struct Product : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value &a, const typename T::value &b)
    {
        return T::product(a, b);
    }
};

/** The sum, then one division. The element of an only member is the result as it is. */
template <typename T>
struct Average : Sum<T>
{
    static __device__ __forceinline__ typename T::value finish(const typename T::value &a, const s32 members)
    {
        return members > 1 ? T::quotient(a, members) : a;
    }
};

/** Logical operations give 1 or 0, for an only member too. */
template <typename T>
struct LogicalOperation : PlainOperation<T>
{
    static __device__ __forceinline__ typename T::value finish(const typename T::value a, const s32 members)
    {
        return members > 1 ? a : (typename T::value)(a != 0);
    }
};

template <typename T>
struct LogicalAnd : LogicalOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return (typename T::value)(a != 0 && b != 0);
    }
};

template <typename T>
struct LogicalOr : LogicalOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return (typename T::value)(a != 0 || b != 0);
    }
};

template <typename T>
struct LogicalXor : LogicalOperation<T>
{
    static __device__ __forceinline__ typename T::value combine(const typename T::value a, const typename T::value b)
    {
        return (typename T::value)((a != 0) != (b != 0));
    }
};

/** A value and its place. */
template <typename V>
struct Located
{
    V value;
    V place;
};

/** The greater or smaller value with its place, NaN before all others; of equal values the one with the lower place. */
template <typename T, bool IS_MAX>
struct Location
{
    typedef Located<typename T::value> item;
    static const u32 ELEMENTS = 2;

    static __device__ __forceinline__ item combine(const item &a, const item &b)
    {
        const bool ascending = IS_MAX || T::is_nan(a.value) || T::is_nan(b.value);
        const s32 order = ascending ? T::compare(a.value, b.value) : T::compare(b.value, a.value);
        const bool is_left = order > 0 || (0 == order && T::compare(a.place, b.place) <= 0);
        item result;
        result.value = T::canonical(is_left ? a.value : b.value);
        result.place = T::canonical(is_left ? a.place : b.place);
        return result;
    }

    static __device__ __forceinline__ item finish(const item &a, const s32)
    {
        return a;
    }
};

/** dest[i] = left[i] op right[i]. */
struct Combination
{
    u64 dest;
    u64 left;
    u64 right;
    u64 count;

    template <typename OP>
    __device__ __forceinline__ void run() const
    {
        typedef typename OP::item item;
        #pragma unroll 4
        for (u64 i = thread_index(), end = count / OP::ELEMENTS; i < end; i += thread_count())
        {
            *element<item>(dest, i) = OP::combine(*element<const item>(left, i), *element<const item>(right, i));
        }
    }
};

/** Turns combinations of the elements of all members into results, in place. */
struct Finish
{
    u64 address;
    u64 count;
    s32 members;

    template <typename OP>
    __device__ __forceinline__ void run() const
    {
        #pragma unroll 1
        for (u64 i = thread_index(), end = count / OP::ELEMENTS; i < end; i += thread_count())
        {
            typename OP::item *const item = element<typename OP::item>(address, i);
            *item = OP::finish(*item, members);
        }
    }
};

/**
 * A whole reduction: the blocks of all members, combined in the canonical order and finished.
 *
 *   T(lo, n) = n == 1 ? block of lo : combine(T(lo, p), T(lo + p, n - p)),  p the largest power of two below n
 *
 * A binary counter over groups of four: T of a group is evaluated in registers, two partial results of equal weight
 * are combined at once, the rest from the right at the end. The blocks of members are at addresses of a table, plus an
 * offset.
 */
struct Tree
{
    static const u32 GROUP = 4;
    /** Partial results of 2^16 members, the largest job: one for each bit of a number of groups below 2^14. */
    static const u32 MAX_DEPTH = 14;

    u64 dest;
    u64 table;
    u64 offset;
    u64 count;
    s32 members;

    template <typename OP>
    __device__ __forceinline__ void run() const
    {
        #pragma unroll 1
        for (u64 i = thread_index(), end = count / OP::ELEMENTS; i < end; i += thread_count())
        {
            const Items<OP, 1> result = combine_all<OP, 1>(i, 0);
            *element<typename OP::item>(dest, i) = OP::finish(result.at[0], members);
        }
    }

    /** Items that a thread combines at a time, whose loads are under way together. */
    template <typename OP, u32 N>
    struct Items
    {
        typename OP::item at[N];

        __device__ __forceinline__ void combine(const Items &left)
        {
            #pragma unroll
            for (u32 k = 0; k < N; k++)
            {
                at[k] = OP::combine(left.at[k], at[k]);
            }
        }
    };

    /** Returns the combinations of the items i, i + step, … of all members, not finished. */
    template <typename OP, u32 N>
    __device__ __forceinline__ Items<OP, N> combine_all(const u64 i, const u64 step) const
    {
        Items<OP, N> partial[MAX_DEPTH];
        u32 depth = 0;
        #pragma unroll 1
        for (u32 first = 0; ; first += GROUP)
        {
            const u32 rest = (u32)members - first;
            const bool is_last = rest <= GROUP;
            Items<OP, N> result = group<OP, N>(first, is_last ? rest : GROUP, i, step);
            #pragma unroll 1
            for (u32 carry = first / GROUP; depth > 0 && (is_last || 0 != (carry & 1)); carry >>= 1)
            {
                depth--;
                result.combine(partial[depth]);
            }
            if (is_last)
            {
                return result;
            }
            partial[depth] = result;
            depth++;
        }
    }

private:
    /** T(first, n) for n from 1 to 4. */
    template <typename OP, u32 N>
    __device__ __forceinline__ Items<OP, N> group(const u32 first, const u32 n, const u64 i, const u64 step) const
    {
        const Items<OP, N> a = load<OP, N>(first, i, step);
        if (1 == n)
        {
            return a;
        }
        Items<OP, N> b = load<OP, N>(first + 1, i, step);
        b.combine(a);
        if (2 == n)
        {
            return b;
        }
        const Items<OP, N> c = load<OP, N>(first + 2, i, step);
        Items<OP, N> d = c;
        if (4 == n)
        {
            d = load<OP, N>(first + 3, i, step);
            d.combine(c);
        }
        d.combine(b);
        return d;
    }

    template <typename OP, u32 N>
    __device__ __forceinline__ Items<OP, N> load(const u32 member, const u64 i, const u64 step) const
    {
        const u64 block = *element<const u64>(table, member) + offset;
        Items<OP, N> result;
        #pragma unroll
        for (u32 k = 0; k < N; k++)
        {
            result.at[k] = *element<const typename OP::item>(block, i + k * step);
        }
        return result;
    }
};

/** Runs an action with an operation of SUM, PROD and AVG, which every type has. */
template <typename T, typename ACTION>
static __device__ __forceinline__ void run_of_complex(const u32 op, const ACTION &action)
{
    switch (op)
    {
        case OP_SUM:
            action.template run<Sum<T> >();
            break;

        case OP_PROD:
            action.template run<Product<T> >();
            break;

        case OP_AVG:
            action.template run<Average<T> >();
            break;

        default:
            break;
    }
}

/** Those, and the operations that need an order. */
template <typename T, typename ACTION>
static __device__ __forceinline__ void run_of_real(const u32 op, const ACTION &action)
{
    switch (op)
    {
        case OP_MAX:
            action.template run<Max<T> >();
            break;

        case OP_MIN:
            action.template run<Min<T> >();
            break;

        case OP_MAXLOC:
            action.template run<Location<T, true> >();
            break;

        case OP_MINLOC:
            action.template run<Location<T, false> >();
            break;

        default:
            run_of_complex<T>(op, action);
            break;
    }
}

/** All operations. */
template <typename T, typename ACTION>
static __device__ __forceinline__ void run_of_integer(const u32 op, const ACTION &action)
{
    switch (op)
    {
        case OP_AND:
            action.template run<And<T> >();
            break;

        case OP_OR:
            action.template run<Or<T> >();
            break;

        case OP_XOR:
            action.template run<Xor<T> >();
            break;

        case OP_LAND:
            action.template run<LogicalAnd<T> >();
            break;

        case OP_LOR:
            action.template run<LogicalOr<T> >();
            break;

        case OP_LXOR:
            action.template run<LogicalXor<T> >();
            break;

        default:
            run_of_real<T>(op, action);
            break;
    }
}

/** Runs an action with an operation of a type. */
template <typename T>
struct Dispatch;

#define AEROSHMEM_DISPATCH(TYPE, RUN) \
    template <> \
    struct Dispatch<TYPE> \
    { \
        template <typename ACTION> \
        static __device__ __forceinline__ void run(const u64 op, const ACTION &action) \
        { \
            RUN<TYPE>((u32)op, action); \
        } \
    };

AEROSHMEM_DISPATCH(Byte, run_of_integer)
AEROSHMEM_DISPATCH(Short, run_of_integer)
AEROSHMEM_DISPATCH(Int, run_of_integer)
AEROSHMEM_DISPATCH(Long, run_of_integer)
AEROSHMEM_DISPATCH(UnsignedByte, run_of_integer)
AEROSHMEM_DISPATCH(UnsignedShort, run_of_integer)
AEROSHMEM_DISPATCH(UnsignedInt, run_of_integer)
AEROSHMEM_DISPATCH(UnsignedLong, run_of_integer)
AEROSHMEM_DISPATCH(Float, run_of_real)
AEROSHMEM_DISPATCH(Double, run_of_real)
AEROSHMEM_DISPATCH(ComplexFloat, run_of_complex)
AEROSHMEM_DISPATCH(ComplexDouble, run_of_complex)
AEROSHMEM_DISPATCH(Half, run_of_real)
AEROSHMEM_DISPATCH(Bfloat16, run_of_real)

#undef AEROSHMEM_DISPATCH

template <typename T>
static __device__ __forceinline__ void combine(
    const u64 op, const u64 dest, const u64 left, const u64 right, const u64 count)
{
    const Combination action = {dest, left, right, count};
    Dispatch<T>::run(op, action);
}

template <typename T>
static __device__ __forceinline__ void finish(const u64 op, const u64 address, const u64 count, const u64 members)
{
    const Finish action = {address, count, (s32)members};
    Dispatch<T>::run(op, action);
}

template <typename T>
static __device__ __forceinline__ void reduce(
    const u64 op, const u64 dest, const u64 table, const u64 offset, const u64 count, const u64 members)
{
    const Tree action = {dest, table, offset, count, (s32)members};
    Dispatch<T>::run(op, action);
}

}

#endif
