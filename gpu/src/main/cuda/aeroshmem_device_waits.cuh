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
#ifndef AEROSHMEM_DEVICE_WAITS_CUH
#define AEROSHMEM_DEVICE_WAITS_CUH

#include "aeroshmem_device_rma.cuh"
#include "aeroshmem_synchronization.cuh"

/**
 * Waits and tests on words of this PE's symmetric memory. Words are loaded with acquire at system scope: what their
 * writer released with them is visible afterwards. A wait ends when the job fails; the error is recorded.
 */
namespace aeroshmem
{
namespace device
{

/** No element: SIZE_MAX. */
static const u64 NO_INDEX = ~(u64)0;

static __device__ __forceinline__ u16 load_acquire(const u16 *word)
{
#if defined(__CUDA_ARCH__)
    u16 value;
    asm volatile("ld.acquire.sys.u16 %0, [%1];" : "=h"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

static __device__ __forceinline__ u32 load_acquire(const u32 *word)
{
    return aeroshmem::load_acquire(word);
}

static __device__ __forceinline__ u64 load_acquire(const u64 *word)
{
    return aeroshmem::load_acquire(word);
}

template <typename T>
static __device__ __forceinline__ bool compare(const T value, const s32 comparison, const T other)
{
    switch (comparison)
    {
        case COMPARE_EQ:
            return value == other;

        case COMPARE_NE:
            return value != other;

        case COMPARE_GT:
            return value > other;

        case COMPARE_GE:
            return value >= other;

        case COMPARE_LT:
            return value < other;

        default:
            return value <= other;
    }
}

/** Words with a comparison. The values to compare with are one for all, or an array. */
template <typename T, bool IS_VECTOR>
struct WordSet
{
    typedef typename Bits<sizeof(T)>::type bits;

    u64 words;
    u64 count;
    /** int[count]: elements whose status is not 0 are left out; 0: none is. */
    u64 status;
    s32 comparison;
    T value;
    u64 values;

    __device__ __forceinline__ bool is_valid(const s32 routine) const
    {
        if (!is_own(words, bytes_of(count, sizeof(T)), sizeof(T), routine))
        {
            return false;
        }
        if ((u32)comparison <= COMPARE_LE && (!IS_VECTOR || 0 != values))
        {
            return true;
        }
        report(ERROR_ARGUMENT, routine, state().my_pe, words, (u64)comparison);
        return false;
    }

    __device__ __forceinline__ bool is_included(const u64 i) const
    {
        return 0 == status || 0 == *element<const s32>(status, i);
    }

    __device__ __forceinline__ bool test(const u64 i) const
    {
        const T current = (T)load_acquire(element<const bits>(words, i));
        return compare<T>(current, comparison, IS_VECTOR ? *element<const T>(values, i) : value);
    }

    __device__ __forceinline__ bool is_empty() const
    {
        for (u64 i = 0; i < count; i++)
        {
            if (is_included(i))
            {
                return false;
            }
        }
        return true;
    }

    __device__ __forceinline__ bool test_all() const
    {
        for (u64 i = 0; i < count; i++)
        {
            if (is_included(i) && !test(i))
            {
                return false;
            }
        }
        return true;
    }

    /** Begins at changing places, so that repeated calls find each element in time. */
    __device__ __forceinline__ u64 test_any() const
    {
        const u64 start = 0 == count ? 0 : (u64)clock64() % count;
        for (u64 n = 0; n < count; n++)
        {
            const u64 i = start + n < count ? start + n : start + n - count;
            if (is_included(i) && test(i))
            {
                return i;
            }
        }
        return NO_INDEX;
    }

    /** Stores the indices of elements that hold, in ascending order, and returns their number. */
    __device__ __forceinline__ u64 test_some(const u64 indices) const
    {
        u64 found = 0;
        for (u64 i = 0; i < count; i++)
        {
            if (is_included(i) && test(i))
            {
                *element<u64>(indices, found) = i;
                found++;
            }
        }
        return found;
    }
};

template <typename SET>
struct SingleCondition
{
    SET set;

    __device__ __forceinline__ bool holds() const
    {
        return set.test(0);
    }
};

template <typename SET>
struct ElementCondition
{
    SET set;
    u64 index;

    __device__ __forceinline__ bool holds() const
    {
        return set.test(index);
    }
};

/** Routines. Invalid arguments give what an empty set gives, or false. */

template <typename T>
static __device__ __noinline__ void wait_until(const u64 word, const s32 comparison, const T value, const s32 routine)
{
    const WordSet<T, false> set = {word, 1, 0, comparison, value, 0};
    if (set.is_valid(routine))
    {
        const SingleCondition<WordSet<T, false> > condition = {set};
        wait_for(condition, routine);
    }
}

template <typename T>
static __device__ __forceinline__ bool test(const u64 word, const s32 comparison, const T value)
{
    const WordSet<T, false> set = {word, 1, 0, comparison, value, 0};
    return set.is_valid(ROUTINE_TEST) && set.test(0);
}

template <typename SET>
static __device__ __noinline__ void wait_until_all(const SET set)
{
    if (0 == set.count || !set.is_valid(ROUTINE_WAIT_UNTIL))
    {
        return;
    }
    for (u64 i = 0; i < set.count; i++)
    {
        const ElementCondition<SET> condition = {set, i};
        if (set.is_included(i) && !wait_for(condition, ROUTINE_WAIT_UNTIL))
        {
            return;
        }
    }
}

template <typename SET>
struct AnyCondition
{
    SET set;
    u64 *index;

    __device__ __forceinline__ bool holds() const
    {
        *index = set.test_any();
        return NO_INDEX != *index;
    }
};

template <typename SET>
static __device__ __noinline__ u64 wait_until_any(const SET set)
{
    u64 index = NO_INDEX;
    if (0 != set.count && set.is_valid(ROUTINE_WAIT_UNTIL) && !set.is_empty())
    {
        const AnyCondition<SET> condition = {set, &index};
        wait_for(condition, ROUTINE_WAIT_UNTIL);
    }
    return index;
}

template <typename SET>
struct SomeCondition
{
    SET set;
    u64 indices;
    u64 *found;

    __device__ __forceinline__ bool holds() const
    {
        *found = set.test_some(indices);
        return 0 != *found;
    }
};

template <typename SET>
static __device__ __noinline__ u64 wait_until_some(const SET set, const u64 indices)
{
    u64 found = 0;
    if (0 != set.count && set.is_valid(ROUTINE_WAIT_UNTIL) && !set.is_empty())
    {
        const SomeCondition<SET> condition = {set, indices, &found};
        wait_for(condition, ROUTINE_WAIT_UNTIL);
    }
    return found;
}

template <typename SET>
static __device__ __noinline__ bool test_all(const SET set)
{
    return 0 == set.count || (set.is_valid(ROUTINE_TEST) && set.test_all());
}

template <typename SET>
static __device__ __noinline__ u64 test_any(const SET set)
{
    return 0 != set.count && set.is_valid(ROUTINE_TEST) ? set.test_any() : NO_INDEX;
}

template <typename SET>
static __device__ __noinline__ u64 test_some(const SET set, const u64 indices)
{
    return 0 != set.count && set.is_valid(ROUTINE_TEST) ? set.test_some(indices) : 0;
}

static __device__ __forceinline__ u64 signal_fetch(const u64 signal)
{
    return is_own(signal, sizeof(u64), sizeof(u64), ROUTINE_SIGNAL_FETCH) ?
        load_acquire(AEROSHMEM_GLOBAL(const u64, signal)) : 0;
}

struct SignalCondition
{
    u64 signal;
    s32 comparison;
    u64 other;
    u64 *value;

    __device__ __forceinline__ bool holds() const
    {
        *value = load_acquire(AEROSHMEM_GLOBAL(const u64, signal));
        return compare<u64>(*value, comparison, other);
    }
};

/** Returns the value that satisfied the comparison, also if the signal has changed since. */
static __device__ __noinline__ u64 signal_wait_until(const u64 signal, const s32 comparison, const u64 other)
{
    u64 value = 0;
    const WordSet<u64, false> set = {signal, 1, 0, comparison, other, 0};
    if (set.is_valid(ROUTINE_SIGNAL_WAIT_UNTIL))
    {
        const SignalCondition condition = {signal, comparison, other, &value};
        wait_for(condition, ROUTINE_SIGNAL_WAIT_UNTIL);
    }
    return value;
}

}
}

#endif
