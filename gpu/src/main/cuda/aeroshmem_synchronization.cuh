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
#ifndef AEROSHMEM_SYNCHRONIZATION_CUH
#define AEROSHMEM_SYNCHRONIZATION_CUH

#include "aeroshmem_types.cuh"

/**
 * AMOs, signals, waits and flags, at system scope: atomic against other GPUs, and against the host where the device
 * supports native atomics on host memory.
 */
namespace aeroshmem
{

/** The codes of AMOs. */
enum AtomicOperation
{
    ATOMIC_FETCH, ATOMIC_SET, ATOMIC_SWAP, ATOMIC_COMPARE_SWAP, ATOMIC_ADD, ATOMIC_AND, ATOMIC_OR, ATOMIC_XOR,
    ATOMIC_ADD_FLOATING, ATOMIC_MIN, ATOMIC_MAX, ATOMIC_MIN_FLOATING, ATOMIC_MAX_FLOATING
};

/** The numbers of the length of a word. */
template <typename WORD>
struct WordTypes;

template <>
struct WordTypes<u32>
{
    typedef s32 Signed;
    typedef Float Floating;
};

template <>
struct WordTypes<u64>
{
    typedef s64 Signed;
    typedef Double Floating;
};

/** The ordinals of Comparison. */
enum Comparison
{
    COMPARE_EQ, COMPARE_NE, COMPARE_GT, COMPARE_GE, COMPARE_LT, COMPARE_LE
};

/** The bits of a number that an AMO on floating-point numbers makes of two. */
template <typename WORD>
static __device__ __forceinline__ WORD floating_result(const u32 op, const WORD word, const WORD operand)
{
    typedef typename WordTypes<WORD>::Floating Floating;
    typedef typename Floating::value value;
    const value a = bits_as<value>(word);
    const value b = bits_as<value>(operand);
    return bits_as<WORD>(
        ATOMIC_ADD_FLOATING == op ? Floating::sum(a, b) :
        ATOMIC_MIN_FLOATING == op ? Floating::minimum(a, b) : Floating::maximum(a, b));
}

/** Returns the old value. On bits, since an atomic addition of the device flushes subnormal floats to zero. */
template <typename WORD>
static __device__ __forceinline__ WORD atomic_floating(const u32 op, WORD *const target, const WORD operand)
{
    WORD old = load_relaxed(target);
    while (true)
    {
        const WORD next = floating_result(op, old, operand);
        const WORD seen = next == old ? old : atomicCAS_system(target, old, next);
        if (seen == old)
        {
            return old;
        }
        old = seen;
    }
}

/** Returns the old value. */
template <typename WORD>
static __device__ __forceinline__ WORD atomic(const u64 op, WORD *const target, const WORD operand, const WORD comparand)
{
    typedef typename WordTypes<WORD>::Signed Signed;
    switch ((u32)op)
    {
        case ATOMIC_SET:
        case ATOMIC_SWAP:
            return atomicExch_system(target, operand);

        case ATOMIC_COMPARE_SWAP:
            return atomicCAS_system(target, comparand, operand);

        case ATOMIC_ADD:
            return atomicAdd_system(target, operand);

        case ATOMIC_AND:
            return atomicAnd_system(target, operand);

        case ATOMIC_OR:
            return atomicOr_system(target, operand);

        case ATOMIC_XOR:
            return atomicXor_system(target, operand);

        case ATOMIC_MIN:
            return (WORD)atomicMin_system((Signed *)target, (Signed)operand);

        case ATOMIC_MAX:
            return (WORD)atomicMax_system((Signed *)target, (Signed)operand);

        case ATOMIC_ADD_FLOATING:
        case ATOMIC_MIN_FLOATING:
        case ATOMIC_MAX_FLOATING:
            return atomic_floating((u32)op, target, operand);

        default:
            return load_relaxed(target);
    }
}

/** Stores the old value at result, unless result is 0. */
template <typename WORD>
static __device__ __forceinline__ void atomic(
    const u64 op, const u64 target, const u64 operand, const u64 comparand, const u64 result)
{
    if (0 != thread_index())
    {
        return;
    }
    const WORD old = atomic<WORD>(op, AEROSHMEM_GLOBAL(WORD, target), (WORD)operand, (WORD)comparand);
    if (0 != result)
    {
        *AEROSHMEM_GLOBAL(WORD, result) = old;
    }
}

/** Updates the word of a signal, behind what the thread has stored or seen. Of the two, the addition needs a fence. */
static __device__ __forceinline__ void update_signal_word(u64 *const word, const bool is_addition, const u64 value)
{
    if (is_addition)
    {
        __threadfence_system();
        atomicAdd_system(word, value);
    }
    else
    {
        store_release(word, value);
    }
}

/** Sets a signal, or adds to it, behind what the stream did before. */
static __device__ __forceinline__ void signal(const u64 op, const u64 word, const u64 value)
{
    if (0 != thread_index())
    {
        return;
    }
    update_signal_word(AEROSHMEM_GLOBAL(u64, word), ATOMIC_ADD == (u32)op, value);
}

/** Polls with pauses that grow, so that a long wait leaves the memory to others; reads the abort word now and then. */
template <typename CONDITION>
static __device__ __forceinline__ void poll(const CONDITION &condition, const u64 abort)
{
    const u32 abort_interval = 64;
    const u32 spins_before_pause = 256;
    const u32 pause_ns = 200;
    for (u32 polls = 1; !condition.holds(); polls++)
    {
        if (0 == polls % abort_interval && 0 != abort && 0 != load_relaxed(AEROSHMEM_GLOBAL(const u64, abort)))
        {
            return;
        }
        if (polls > spins_before_pause)
        {
            __nanosleep(pause_ns);
        }
    }
}

template <typename WORD, typename SIGNED>
struct WordCondition
{
    const WORD *word;
    SIGNED value;
    u32 comparison;

    __device__ __forceinline__ bool holds() const
    {
        const SIGNED current = (SIGNED)load_acquire(word);
        switch (comparison)
        {
            case COMPARE_EQ:
                return current == value;

            case COMPARE_NE:
                return current != value;

            case COMPARE_GT:
                return current > value;

            case COMPARE_GE:
                return current >= value;

            case COMPARE_LT:
                return current < value;

            default:
                return current <= value;
        }
    }
};

/** Waits until word op value. A word is polled with acquire loads: the data that its writer released is visible then. */
template <typename WORD, typename SIGNED>
static __device__ __forceinline__ void wait_until(
    const u64 word, const u64 comparison, const u64 value, const u64 abort)
{
    if (0 == thread_index())
    {
        const WordCondition<WORD, SIGNED> condition = {
            AEROSHMEM_GLOBAL(const WORD, word), (SIGNED)(WORD)value, (u32)comparison};
        poll(condition, abort);
    }
}

/**
 * A round of a barrier. Releases what happened before in the stream to those who wait for the flags of peers, and then
 * waits until all own flags have reached the number of the round. Each thread acquires its flags; the end of the
 * kernel, which is the end of all threads, passes that on to the next operation of the stream.
 *
 * The kernel counts the rounds, so that each launch of a graph performs a new one. For each peer the count is repeated,
 * so that a thread needs nothing from another.
 */
static __device__ __forceinline__ void barrier(
    const u64 peers, const u64 flags, const u64 rounds, const u64 count, const u64 abort)
{
    __threadfence_system();
    #pragma unroll 1
    for (u64 i = thread_index(); i < count; i += thread_count())
    {
        u64 *const round = element<u64>(rounds, i);
        const u64 next = *round + 1;
        *round = next;
        store_release(AEROSHMEM_GLOBAL(u64, *element<const u64>(peers, i)), next);
    }

    #pragma unroll 1
    for (u64 i = thread_index(); i < count; i += thread_count())
    {
        const WordCondition<u64, s64> condition = {
            AEROSHMEM_GLOBAL(const u64, *element<const u64>(flags, i)), (s64)*element<const u64>(rounds, i),
            COMPARE_GE};
        poll(condition, abort);
    }
}

}

#endif
