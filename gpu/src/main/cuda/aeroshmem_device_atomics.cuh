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
#ifndef AEROSHMEM_DEVICE_ATOMICS_CUH
#define AEROSHMEM_DEVICE_ATOMICS_CUH

#include "aeroshmem_device_rma.cuh"
#include "aeroshmem_synchronization.cuh"

/**
 * AMOs and signals. All AMOs of a PE on a word are performed in the same way. The device performs them by atomics at
 * system scope if the word has an address here and one of two conditions holds: the word is in device memory, or the
 * device's atomics on host memory are atomic against those of the processor. Otherwise the host performs them, by
 * requests.
 */
namespace aeroshmem
{
namespace device
{

static __device__ __forceinline__ bool is_atomic_here(const Remote &remote)
{
    return 0 != remote.address && (!is_host(remote.target) || 0 != (state().flags & FLAG_HOST_ATOMICS));
}

/** Returns the old value if it is fetched; 0 after an error. */
template <typename WORD, u32 OP, bool IS_FETCHED>
static __device__ __forceinline__ WORD amo(const u64 target, const WORD operand, const WORD comparand, const s32 pe)
{
    Remote remote;
    if (!find(target, sizeof(WORD), sizeof(WORD), pe, ROUTINE_ATOMIC, remote))
    {
        return 0;
    }
    if (is_atomic_here(remote))
    {
        return aeroshmem::atomic<WORD>(OP, AEROSHMEM_GLOBAL(WORD, remote.address), operand, comparand);
    }
    const Submission submission = {
        (s32)((IS_FETCHED ? REQUEST_FETCHING : REQUEST_POSTED) + OP), pe, remote.target, operand, comparand,
        (s32)sizeof(WORD), IS_FETCHED ? REQUEST_AWAITED : 0};
    return (WORD)request(submission, ROUTINE_ATOMIC).value;
}

/** An AMO on the bits of a type. */
template <typename T, u32 OP, bool IS_FETCHED>
static __device__ __forceinline__ T amo_of(const u64 target, const T operand, const T comparand, const s32 pe)
{
    typedef typename Bits<sizeof(T)>::type bits;
    return bits_as<T>(amo<bits, OP, IS_FETCHED>(target, bits_as<bits>(operand), bits_as<bits>(comparand), pe));
}

/** The codes of minimum and maximum of a type. */
template <typename T>
struct Extremes
{
    static const u32 MIN = ATOMIC_MIN;
    static const u32 MAX = ATOMIC_MAX;
};

template <>
struct Extremes<float>
{
    static const u32 MIN = ATOMIC_MIN_FLOATING;
    static const u32 MAX = ATOMIC_MAX_FLOATING;
};

template <>
struct Extremes<double> : Extremes<float>
{
};

/** The operations of signals, and of the requests for them. */
enum SignalOperation
{
    SIGNAL_SET, SIGNAL_ADD
};

/** Updates a signal at a peer: after all requests before it, if is_request; and after what this thread has stored. */
static __device__ __forceinline__ void update_signal(
    const Remote &remote, const u64 value, const s32 op, const s32 pe, const s32 routine, const bool is_request)
{
    if (is_request || 0 == remote.address || (SIGNAL_ADD == op && !is_atomic_here(remote)))
    {
        const Submission submission = {
            SIGNAL_ADD == op ? REQUEST_SIGNAL_ADD : REQUEST_SIGNAL_SET, pe, remote.target, value, 0, sizeof(u64),
            REQUEST_FENCED};
        request(submission, routine);
        return;
    }
    update_signal_word(AEROSHMEM_GLOBAL(u64, remote.address), SIGNAL_ADD == op, value);
}

/** Finds a signal. Returns false, and records an error, if the arguments are invalid. */
static __device__ __forceinline__ bool find_signal(
    const u64 signal, const s32 op, const s32 pe, const s32 routine, Remote &remote)
{
    if (!find(signal, sizeof(u64), sizeof(u64), pe, routine, remote))
    {
        return false;
    }
    if (SIGNAL_SET != op && SIGNAL_ADD != op)
    {
        report(ERROR_ARGUMENT, routine, pe, signal, (u64)op);
        return false;
    }
    return true;
}

static __device__ __noinline__ void signal_op(const u64 signal, const u64 value, const s32 op, const s32 pe)
{
    Remote remote;
    if (find_signal(signal, op, pe, ROUTINE_SIGNAL_OP, remote))
    {
        update_signal(remote, value, op, pe, ROUTINE_SIGNAL_OP, false);
    }
}

/** The signal is updated after the data: by a request if the data went by requests. */
template <typename SCOPE>
static __device__ __noinline__ void put_signal(
    const u64 dest, const u64 source, const u64 bytes, const u64 signal, const u64 value, const s32 op, const s32 pe,
    const bool is_blocking)
{
    Remote remote;
    if (!find_signal(signal, op, pe, ROUTINE_PUT_SIGNAL, remote))
    {
        return;
    }
    const Way way = put<SCOPE>(dest, source, bytes, pe, ROUTINE_PUT_SIGNAL, is_blocking);
    if ((WAY_NONE != way || 0 == bytes) && 0 == SCOPE::rank())
    {
        update_signal(remote, value, op, pe, ROUTINE_PUT_SIGNAL, WAY_REQUEST == way);
    }
}

}
}

#endif
