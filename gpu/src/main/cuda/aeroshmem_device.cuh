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
#ifndef AEROSHMEM_DEVICE_CUH
#define AEROSHMEM_DEVICE_CUH

#include <cstddef>
#include <cstdint>

#if defined(__CUDACC__)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#endif

#include "aeroshmem_device_atomics.cuh"
#include "aeroshmem_device_collectives.cuh"
#include "aeroshmem_device_waits.cuh"

/**
 * Communication by kernels. Names and parameters are those of NVSHMEM, with the prefixes aeroshmem_, aeroshmemx_ and
 * AEROSHMEM_; docs/gpu-device.md lists them. The host initialises the module by Gpu.initModule.
 *
 * Addresses of symmetric objects are those of the calling PE: Gpu.address(buffer, myPe). Routines with the suffix _warp
 * or _block are called by all threads of a warp or block, with the same arguments; the group is one caller. Without a
 * suffix, each thread is a caller. Any number of callers may call routines at the same time, but a PE has at most one
 * caller at a time in the collectives of a team.
 *
 * Errors: a routine with an invalid argument has no effect. Its result is 1 if it is a collective, -1 if it is a query
 * of PEs or teams, SIZE_MAX if it returns an index, and otherwise 0. The first error is recorded until the host reads
 * the record, in Gpu.lastDeviceError, GpuStream.synchronize or Gpu.close; errors that occur meanwhile are not recorded.
 * When the job fails, waits end: an error is recorded, and collectives return 1.
 *
 * Memory order. What a kernel stored before a request is visible to the host when it performs the request: the entry of
 * the ring is published with release at system scope, and acquired by the host. Requests are performed in the order in
 * which they were made. Stores with an address here are ordered by fences at system scope. fence orders the operations
 * before it before those after it, to each PE; quiet completes them. A signal or flag that is acquired by a wait makes
 * what was ordered before it visible. quiet of a kernel and quiet of the host are separate.
 */

#if !defined(__CUDACC__)
/* Types of CUDA, for compilers that lack them. */
struct __half
{
    unsigned short bits;
};

struct __nv_bfloat16
{
    unsigned short bits;
};
#endif

typedef int aeroshmem_team_t;

enum
{
    AEROSHMEM_TEAM_INVALID = aeroshmem::TEAM_INVALID,
    AEROSHMEM_TEAM_WORLD = aeroshmem::TEAM_WORLD,
    AEROSHMEM_TEAM_SHARED = aeroshmem::TEAM_SHARED,
    AEROSHMEMX_TEAM_NODE = aeroshmem::TEAM_NODE,
    AEROSHMEMX_TEAM_SAME_MYPE_NODE = aeroshmem::TEAM_SAME_MYPE_NODE
};

/** Comparisons of waits and tests. */
enum
{
    AEROSHMEM_CMP_EQ = aeroshmem::COMPARE_EQ,
    AEROSHMEM_CMP_NE = aeroshmem::COMPARE_NE,
    AEROSHMEM_CMP_GT = aeroshmem::COMPARE_GT,
    AEROSHMEM_CMP_GE = aeroshmem::COMPARE_GE,
    AEROSHMEM_CMP_LT = aeroshmem::COMPARE_LT,
    AEROSHMEM_CMP_LE = aeroshmem::COMPARE_LE
};

/** Operations of signals. */
enum
{
    AEROSHMEM_SIGNAL_SET = aeroshmem::device::SIGNAL_SET,
    AEROSHMEM_SIGNAL_ADD = aeroshmem::device::SIGNAL_ADD
};

/** The version of OpenSHMEM, and the name with its terminating zero. */
enum
{
    AEROSHMEM_MAJOR_VERSION = 1,
    AEROSHMEM_MINOR_VERSION = 6,
    AEROSHMEM_MAX_NAME_LEN = 256
};

#define AEROSHMEM_FUNCTION static __device__ __forceinline__

/* Queries. */

/** Returns the number of this PE, or -1 if the module is not initialised. */
AEROSHMEM_FUNCTION int aeroshmem_my_pe()
{
    using namespace aeroshmem;
    return device::initialised(ROUTINE_QUERY) ? device::state().my_pe : -1;
}

AEROSHMEM_FUNCTION int aeroshmem_n_pes()
{
    using namespace aeroshmem;
    return device::initialised(ROUTINE_QUERY) ? device::state().n_pes : -1;
}

/** Teams: -1 if the handle is not that of a team. */
AEROSHMEM_FUNCTION int aeroshmem_team_my_pe(const aeroshmem_team_t team)
{
    return aeroshmem::device::team_my_pe(team);
}

AEROSHMEM_FUNCTION int aeroshmem_team_n_pes(const aeroshmem_team_t team)
{
    return aeroshmem::device::team_n_pes(team);
}

AEROSHMEM_FUNCTION int aeroshmem_team_translate_pe(
    const aeroshmem_team_t source_team, const int source_pe, const aeroshmem_team_t dest_team)
{
    return aeroshmem::device::team_translate_pe(source_team, source_pe, dest_team);
}

AEROSHMEM_FUNCTION void aeroshmem_info_get_version(int *const major, int *const minor)
{
    *AEROSHMEM_GLOBAL(int, major) = AEROSHMEM_MAJOR_VERSION;
    *AEROSHMEM_GLOBAL(int, minor) = AEROSHMEM_MINOR_VERSION;
}

AEROSHMEM_FUNCTION void aeroshmemx_vendor_get_version_info(int *const major, int *const minor, int *const patch)
{
    const aeroshmem::DeviceState &state = aeroshmem::device::state();
    *AEROSHMEM_GLOBAL(int, major) = state.vendor_version[0];
    *AEROSHMEM_GLOBAL(int, minor) = state.vendor_version[1];
    *AEROSHMEM_GLOBAL(int, patch) = state.vendor_version[2];
}

/** Stores "AeroSHMEM"; name has AEROSHMEM_MAX_NAME_LEN characters. */
AEROSHMEM_FUNCTION void aeroshmem_info_get_name(char *const name)
{
    const char text[] = "AeroSHMEM";
    for (size_t i = 0; i < sizeof(text); i++)
    {
        *AEROSHMEM_GLOBAL(char, name + i) = text[i];
    }
}

/** Returns the address of a peer's object for loads and stores, or null if this device cannot address it. */
AEROSHMEM_FUNCTION void *aeroshmem_ptr(const void *const dest, const int pe)
{
    return (void *)aeroshmem::device::pointer((aeroshmem::u64)dest, pe);
}

/** Ends the job with a status. The kernel goes on until its context ends. */
AEROSHMEM_FUNCTION void aeroshmem_global_exit(const int status)
{
    using namespace aeroshmem;
    if (device::initialised(ROUTINE_GLOBAL_EXIT))
    {
        const device::Submission submission = {
            REQUEST_GLOBAL_EXIT, device::state().my_pe, 0, (u64)(s64)status, 0, 0, 0};
        device::request(submission, ROUTINE_GLOBAL_EXIT);
    }
}

/* Order. */

AEROSHMEM_FUNCTION void aeroshmem_fence()
{
    // Operations by address and by requests to the same PE are not ordered against each other otherwise.
    aeroshmem::device::quiet(aeroshmem::ROUTINE_FENCE);
}

AEROSHMEM_FUNCTION void aeroshmem_quiet()
{
    aeroshmem::device::quiet(aeroshmem::ROUTINE_QUIET);
}

/* Types: DEFINE(PREFIX, SUFFIX, SCOPE, name, type). Of each routine there is a form for each scope. */

#define AEROSHMEM_SCOPES(FOR_TYPES, DEFINE) \
    FOR_TYPES(DEFINE, aeroshmem, , ThreadScope) \
    FOR_TYPES(DEFINE, aeroshmemx, _warp, WarpScope) \
    FOR_TYPES(DEFINE, aeroshmemx, _block, BlockScope)

#define AEROSHMEM_INTEGER_TYPES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    DEFINE(PREFIX, SUFFIX, SCOPE, char, char) \
    DEFINE(PREFIX, SUFFIX, SCOPE, schar, signed char) \
    DEFINE(PREFIX, SUFFIX, SCOPE, short, short) \
    DEFINE(PREFIX, SUFFIX, SCOPE, int, int) \
    DEFINE(PREFIX, SUFFIX, SCOPE, long, long) \
    DEFINE(PREFIX, SUFFIX, SCOPE, longlong, long long) \
    DEFINE(PREFIX, SUFFIX, SCOPE, uchar, unsigned char) \
    DEFINE(PREFIX, SUFFIX, SCOPE, ushort, unsigned short) \
    DEFINE(PREFIX, SUFFIX, SCOPE, uint, unsigned int) \
    DEFINE(PREFIX, SUFFIX, SCOPE, ulong, unsigned long) \
    DEFINE(PREFIX, SUFFIX, SCOPE, ulonglong, unsigned long long) \
    DEFINE(PREFIX, SUFFIX, SCOPE, int8, int8_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, int16, int16_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, int32, int32_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, int64, int64_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, uint8, uint8_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, uint16, uint16_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, uint32, uint32_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, uint64, uint64_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, size, size_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, ptrdiff, ptrdiff_t)

#define AEROSHMEM_REAL_TYPES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    DEFINE(PREFIX, SUFFIX, SCOPE, half, __half) \
    DEFINE(PREFIX, SUFFIX, SCOPE, bfloat16, __nv_bfloat16) \
    DEFINE(PREFIX, SUFFIX, SCOPE, float, float) \
    DEFINE(PREFIX, SUFFIX, SCOPE, double, double)

/** Types of put, get, broadcast, collect and alltoall. */
#define AEROSHMEM_RMA_TYPES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    AEROSHMEM_INTEGER_TYPES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    AEROSHMEM_REAL_TYPES(DEFINE, PREFIX, SUFFIX, SCOPE)

/** Elements of these bits; DEFINE(PREFIX, SUFFIX, SCOPE, bits, bytes). */
#define AEROSHMEM_SIZES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    DEFINE(PREFIX, SUFFIX, SCOPE, 8, 1) \
    DEFINE(PREFIX, SUFFIX, SCOPE, 16, 2) \
    DEFINE(PREFIX, SUFFIX, SCOPE, 32, 4) \
    DEFINE(PREFIX, SUFFIX, SCOPE, 64, 8) \
    DEFINE(PREFIX, SUFFIX, SCOPE, 128, 16)

/** Types of AMOs. */
#define AEROSHMEM_AMO_TYPES(DEFINE) \
    DEFINE(int, int) \
    DEFINE(long, long) \
    DEFINE(longlong, long long) \
    DEFINE(uint, unsigned int) \
    DEFINE(ulong, unsigned long) \
    DEFINE(ulonglong, unsigned long long) \
    DEFINE(int32, int32_t) \
    DEFINE(int64, int64_t) \
    DEFINE(uint32, uint32_t) \
    DEFINE(uint64, uint64_t) \
    DEFINE(size, size_t) \
    DEFINE(ptrdiff, ptrdiff_t)

/** Types of fetch, set and swap. */
#define AEROSHMEM_EXTENDED_AMO_TYPES(DEFINE) \
    AEROSHMEM_AMO_TYPES(DEFINE) \
    DEFINE(float, float) \
    DEFINE(double, double)

/** Types of bitwise AMOs. */
#define AEROSHMEM_BITWISE_AMO_TYPES(DEFINE) \
    DEFINE(uint, unsigned int) \
    DEFINE(ulong, unsigned long) \
    DEFINE(ulonglong, unsigned long long) \
    DEFINE(int32, int32_t) \
    DEFINE(int64, int64_t) \
    DEFINE(uint32, uint32_t) \
    DEFINE(uint64, uint64_t)

/** Types of minimum and maximum, an extension. */
#define AEROSHMEM_EXTREME_AMO_TYPES(DEFINE) \
    DEFINE(int, int) \
    DEFINE(long, long) \
    DEFINE(longlong, long long) \
    DEFINE(int32, int32_t) \
    DEFINE(int64, int64_t) \
    DEFINE(ptrdiff, ptrdiff_t) \
    DEFINE(float, float) \
    DEFINE(double, double)

/** Types of waits and tests. */
#define AEROSHMEM_WAIT_TYPES(DEFINE) \
    AEROSHMEM_AMO_TYPES(DEFINE) \
    DEFINE(short, short) \
    DEFINE(ushort, unsigned short)

/* RMA. put returns when the source may be reused, get when the data is there, the forms _nbi at once: quiet completes
   them. Strides are in elements, at least 1. The signal is updated after the data. */

#define AEROSHMEM_DEFINE_COPIES(PREFIX, SUFFIX, SCOPE, PUT, GET, TYPE, BYTES) \
    AEROSHMEM_FUNCTION void PREFIX##_##PUT##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const size_t nelems, const int pe) \
    { \
        using namespace aeroshmem; \
        device::put<device::SCOPE>( \
            (u64)dest, (u64)source, device::bytes_of(nelems, BYTES), pe, ROUTINE_PUT, true); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##PUT##_nbi##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const size_t nelems, const int pe) \
    { \
        using namespace aeroshmem; \
        device::put<device::SCOPE>( \
            (u64)dest, (u64)source, device::bytes_of(nelems, BYTES), pe, ROUTINE_PUT, false); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##GET##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const size_t nelems, const int pe) \
    { \
        using namespace aeroshmem; \
        device::get<device::SCOPE>((u64)dest, (u64)source, device::bytes_of(nelems, BYTES), pe, true); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##GET##_nbi##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const size_t nelems, const int pe) \
    { \
        using namespace aeroshmem; \
        device::get<device::SCOPE>((u64)dest, (u64)source, device::bytes_of(nelems, BYTES), pe, false); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##PUT##_signal##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const size_t nelems, uint64_t *const sig_addr, \
        const uint64_t signal, const int sig_op, const int pe) \
    { \
        using namespace aeroshmem; \
        device::put_signal<device::SCOPE>( \
            (u64)dest, (u64)source, device::bytes_of(nelems, BYTES), (u64)sig_addr, signal, sig_op, pe, true); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##PUT##_signal_nbi##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const size_t nelems, uint64_t *const sig_addr, \
        const uint64_t signal, const int sig_op, const int pe) \
    { \
        using namespace aeroshmem; \
        device::put_signal<device::SCOPE>( \
            (u64)dest, (u64)source, device::bytes_of(nelems, BYTES), (u64)sig_addr, signal, sig_op, pe, false); \
    }

#define AEROSHMEM_DEFINE_STRIDED(PREFIX, SUFFIX, SCOPE, IPUT, IGET, TYPE, BYTES) \
    AEROSHMEM_FUNCTION void PREFIX##_##IPUT##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const ptrdiff_t dst, const ptrdiff_t sst, const size_t nelems, \
        const int pe) \
    { \
        using namespace aeroshmem; \
        device::iput<device::SCOPE, BYTES>((u64)dest, (u64)source, dst, sst, nelems, pe); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##IGET##SUFFIX( \
        TYPE *const dest, const TYPE *const source, const ptrdiff_t dst, const ptrdiff_t sst, const size_t nelems, \
        const int pe) \
    { \
        using namespace aeroshmem; \
        device::iget<device::SCOPE, BYTES>((u64)dest, (u64)source, dst, sst, nelems, pe); \
    }

#define AEROSHMEM_DEFINE_RMA(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_COPIES(PREFIX, SUFFIX, SCOPE, NAME##_put, NAME##_get, TYPE, sizeof(TYPE)) \
    AEROSHMEM_DEFINE_STRIDED(PREFIX, SUFFIX, SCOPE, NAME##_iput, NAME##_iget, TYPE, sizeof(TYPE))

#define AEROSHMEM_DEFINE_RMA_OF_SIZE(PREFIX, SUFFIX, SCOPE, BITS, BYTES) \
    AEROSHMEM_DEFINE_COPIES(PREFIX, SUFFIX, SCOPE, put##BITS, get##BITS, void, BYTES) \
    AEROSHMEM_DEFINE_STRIDED(PREFIX, SUFFIX, SCOPE, iput##BITS, iget##BITS, void, BYTES)

#define AEROSHMEM_MEMORY(DEFINE, PREFIX, SUFFIX, SCOPE) \
    DEFINE(PREFIX, SUFFIX, SCOPE, putmem, getmem, void, 1)

AEROSHMEM_SCOPES(AEROSHMEM_RMA_TYPES, AEROSHMEM_DEFINE_RMA)
AEROSHMEM_SCOPES(AEROSHMEM_SIZES, AEROSHMEM_DEFINE_RMA_OF_SIZE)
AEROSHMEM_SCOPES(AEROSHMEM_MEMORY, AEROSHMEM_DEFINE_COPIES)

#define AEROSHMEM_DEFINE_ELEMENT(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_FUNCTION void aeroshmem_##NAME##_p(TYPE *const dest, const TYPE value, const int pe) \
    { \
        aeroshmem::device::p<TYPE>((aeroshmem::u64)dest, value, pe); \
    } \
    AEROSHMEM_FUNCTION TYPE aeroshmem_##NAME##_g(const TYPE *const source, const int pe) \
    { \
        return aeroshmem::device::g<TYPE>((aeroshmem::u64)source, pe); \
    }

AEROSHMEM_RMA_TYPES(AEROSHMEM_DEFINE_ELEMENT, , , )

/* Signals. */

AEROSHMEM_FUNCTION void aeroshmemx_signal_op(
    uint64_t *const sig_addr, const uint64_t signal, const int sig_op, const int pe)
{
    aeroshmem::device::signal_op((aeroshmem::u64)sig_addr, signal, sig_op, pe);
}

AEROSHMEM_FUNCTION uint64_t aeroshmem_signal_fetch(const uint64_t *const sig_addr)
{
    return aeroshmem::device::signal_fetch((aeroshmem::u64)sig_addr);
}

/** Returns the value of the signal that satisfied the comparison. */
AEROSHMEM_FUNCTION uint64_t aeroshmem_signal_wait_until(
    const uint64_t *const sig_addr, const int cmp, const uint64_t cmp_value)
{
    return aeroshmem::device::signal_wait_until((aeroshmem::u64)sig_addr, cmp, cmp_value);
}

/* AMOs. */

#define AEROSHMEM_DEFINE_FETCH_SET_SWAP(NAME, TYPE) \
    AEROSHMEM_FUNCTION TYPE aeroshmem_##NAME##_atomic_fetch(const TYPE *const source, const int pe) \
    { \
        using namespace aeroshmem; \
        return device::amo_of<TYPE, ATOMIC_FETCH, true>((u64)source, 0, 0, pe); \
    } \
    AEROSHMEM_FUNCTION void aeroshmem_##NAME##_atomic_set(TYPE *const dest, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        device::amo_of<TYPE, ATOMIC_SET, false>((u64)dest, value, 0, pe); \
    } \
    AEROSHMEM_FUNCTION TYPE aeroshmem_##NAME##_atomic_swap(TYPE *const dest, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        return device::amo_of<TYPE, ATOMIC_SWAP, true>((u64)dest, value, 0, pe); \
    }

#define AEROSHMEM_DEFINE_ARITHMETIC(NAME, TYPE) \
    AEROSHMEM_FUNCTION TYPE aeroshmem_##NAME##_atomic_compare_swap( \
        TYPE *const dest, const TYPE cond, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        return device::amo_of<TYPE, ATOMIC_COMPARE_SWAP, true>((u64)dest, value, cond, pe); \
    } \
    AEROSHMEM_FUNCTION TYPE aeroshmem_##NAME##_atomic_fetch_add(TYPE *const dest, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        return device::amo_of<TYPE, ATOMIC_ADD, true>((u64)dest, value, 0, pe); \
    } \
    AEROSHMEM_FUNCTION void aeroshmem_##NAME##_atomic_add(TYPE *const dest, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        device::amo_of<TYPE, ATOMIC_ADD, false>((u64)dest, value, 0, pe); \
    } \
    AEROSHMEM_FUNCTION TYPE aeroshmem_##NAME##_atomic_fetch_inc(TYPE *const dest, const int pe) \
    { \
        return aeroshmem_##NAME##_atomic_fetch_add(dest, 1, pe); \
    } \
    AEROSHMEM_FUNCTION void aeroshmem_##NAME##_atomic_inc(TYPE *const dest, const int pe) \
    { \
        aeroshmem_##NAME##_atomic_add(dest, 1, pe); \
    }

#define AEROSHMEM_DEFINE_AMO(PREFIX, NAME, TYPE, OP, CODE) \
    AEROSHMEM_FUNCTION TYPE PREFIX##_##NAME##_atomic_fetch_##OP(TYPE *const dest, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        return device::amo_of<TYPE, CODE, true>((u64)dest, value, 0, pe); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_##NAME##_atomic_##OP(TYPE *const dest, const TYPE value, const int pe) \
    { \
        using namespace aeroshmem; \
        device::amo_of<TYPE, CODE, false>((u64)dest, value, 0, pe); \
    }

#define AEROSHMEM_DEFINE_BITWISE(NAME, TYPE) \
    AEROSHMEM_DEFINE_AMO(aeroshmem, NAME, TYPE, and, ATOMIC_AND) \
    AEROSHMEM_DEFINE_AMO(aeroshmem, NAME, TYPE, or, ATOMIC_OR) \
    AEROSHMEM_DEFINE_AMO(aeroshmem, NAME, TYPE, xor, ATOMIC_XOR)

/** A NaN makes the result NaN, and -0.0 is less than 0.0. */
#define AEROSHMEM_DEFINE_EXTREMES(NAME, TYPE) \
    AEROSHMEM_DEFINE_AMO(aeroshmemx, NAME, TYPE, min, aeroshmem::device::Extremes<TYPE>::MIN) \
    AEROSHMEM_DEFINE_AMO(aeroshmemx, NAME, TYPE, max, aeroshmem::device::Extremes<TYPE>::MAX)

AEROSHMEM_EXTENDED_AMO_TYPES(AEROSHMEM_DEFINE_FETCH_SET_SWAP)
AEROSHMEM_AMO_TYPES(AEROSHMEM_DEFINE_ARITHMETIC)
AEROSHMEM_BITWISE_AMO_TYPES(AEROSHMEM_DEFINE_BITWISE)
AEROSHMEM_EXTREME_AMO_TYPES(AEROSHMEM_DEFINE_EXTREMES)

/* Waits and tests. Elements whose status is not 0 are left out; status may be null. any returns an index, SIZE_MAX for
   an empty set; some stores indices and returns their number. */

#define AEROSHMEM_DEFINE_SET(NAME, TYPE, VECTOR, IS_VECTOR, VALUE_TYPE, VALUE, VALUES) \
    AEROSHMEM_FUNCTION aeroshmem::device::WordSet<TYPE, IS_VECTOR> aeroshmem_##NAME##_set##VECTOR( \
        const TYPE *const ivars, const size_t nelems, const int *const status, const int cmp, VALUE_TYPE cmp_value) \
    { \
        const aeroshmem::device::WordSet<TYPE, IS_VECTOR> set = { \
            (aeroshmem::u64)ivars, nelems, (aeroshmem::u64)status, cmp, VALUE, (aeroshmem::u64)VALUES}; \
        return set; \
    } \
    AEROSHMEM_FUNCTION void aeroshmem_##NAME##_wait_until_all##VECTOR( \
        TYPE *const ivars, const size_t nelems, const int *const status, const int cmp, VALUE_TYPE cmp_value) \
    { \
        aeroshmem::device::wait_until_all(aeroshmem_##NAME##_set##VECTOR(ivars, nelems, status, cmp, cmp_value)); \
    } \
    AEROSHMEM_FUNCTION size_t aeroshmem_##NAME##_wait_until_any##VECTOR( \
        TYPE *const ivars, const size_t nelems, const int *const status, const int cmp, VALUE_TYPE cmp_value) \
    { \
        return aeroshmem::device::wait_until_any( \
            aeroshmem_##NAME##_set##VECTOR(ivars, nelems, status, cmp, cmp_value)); \
    } \
    AEROSHMEM_FUNCTION size_t aeroshmem_##NAME##_wait_until_some##VECTOR( \
        TYPE *const ivars, const size_t nelems, size_t *const indices, const int *const status, const int cmp, \
        VALUE_TYPE cmp_value) \
    { \
        return aeroshmem::device::wait_until_some( \
            aeroshmem_##NAME##_set##VECTOR(ivars, nelems, status, cmp, cmp_value), (aeroshmem::u64)indices); \
    } \
    AEROSHMEM_FUNCTION int aeroshmem_##NAME##_test_all##VECTOR( \
        TYPE *const ivars, const size_t nelems, const int *const status, const int cmp, VALUE_TYPE cmp_value) \
    { \
        return aeroshmem::device::test_all( \
            aeroshmem_##NAME##_set##VECTOR(ivars, nelems, status, cmp, cmp_value)) ? 1 : 0; \
    } \
    AEROSHMEM_FUNCTION size_t aeroshmem_##NAME##_test_any##VECTOR( \
        TYPE *const ivars, const size_t nelems, const int *const status, const int cmp, VALUE_TYPE cmp_value) \
    { \
        return aeroshmem::device::test_any( \
            aeroshmem_##NAME##_set##VECTOR(ivars, nelems, status, cmp, cmp_value)); \
    } \
    AEROSHMEM_FUNCTION size_t aeroshmem_##NAME##_test_some##VECTOR( \
        TYPE *const ivars, const size_t nelems, size_t *const indices, const int *const status, const int cmp, \
        VALUE_TYPE cmp_value) \
    { \
        return aeroshmem::device::test_some( \
            aeroshmem_##NAME##_set##VECTOR(ivars, nelems, status, cmp, cmp_value), (aeroshmem::u64)indices); \
    }

#define AEROSHMEM_DEFINE_WAITS(NAME, TYPE) \
    AEROSHMEM_FUNCTION void aeroshmem_##NAME##_wait_until(TYPE *const ivar, const int cmp, const TYPE cmp_value) \
    { \
        aeroshmem::device::wait_until<TYPE>((aeroshmem::u64)ivar, cmp, cmp_value, aeroshmem::ROUTINE_WAIT_UNTIL); \
    } \
    AEROSHMEM_FUNCTION int aeroshmem_##NAME##_test(TYPE *const ivar, const int cmp, const TYPE cmp_value) \
    { \
        return aeroshmem::device::test<TYPE>((aeroshmem::u64)ivar, cmp, cmp_value) ? 1 : 0; \
    } \
    AEROSHMEM_DEFINE_SET(NAME, TYPE, , false, const TYPE, cmp_value, 0) \
    AEROSHMEM_DEFINE_SET(NAME, TYPE, _vector, true, const TYPE *const, 0, cmp_value)

AEROSHMEM_WAIT_TYPES(AEROSHMEM_DEFINE_WAITS)

/* Collectives. They return 0, or 1 after an error. */

#define AEROSHMEM_TEAMS(DEFINE, PREFIX, SUFFIX, SCOPE) DEFINE(PREFIX, SUFFIX, SCOPE, , )

#define AEROSHMEM_DEFINE_BARRIERS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_FUNCTION int PREFIX##_barrier##SUFFIX(const aeroshmem_team_t team) \
    { \
        return aeroshmem::device::barrier_team<aeroshmem::device::SCOPE>(team); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_barrier_all##SUFFIX() \
    { \
        PREFIX##_barrier##SUFFIX(AEROSHMEM_TEAM_WORLD); \
    } \
    AEROSHMEM_FUNCTION int PREFIX##_team_sync##SUFFIX(const aeroshmem_team_t team) \
    { \
        return aeroshmem::device::sync_team<aeroshmem::device::SCOPE>(team); \
    } \
    AEROSHMEM_FUNCTION int PREFIX##_sync##SUFFIX(const aeroshmem_team_t team) \
    { \
        return PREFIX##_team_sync##SUFFIX(team); \
    } \
    AEROSHMEM_FUNCTION void PREFIX##_sync_all##SUFFIX() \
    { \
        PREFIX##_team_sync##SUFFIX(AEROSHMEM_TEAM_WORLD); \
    }

AEROSHMEM_SCOPES(AEROSHMEM_TEAMS, AEROSHMEM_DEFINE_BARRIERS)

#define AEROSHMEM_DEFINE_EXCHANGE(PREFIX, SUFFIX, SCOPE, NAME, ROUTINE, TYPE, BYTES) \
    AEROSHMEM_FUNCTION int PREFIX##_##NAME##SUFFIX( \
        const aeroshmem_team_t team, TYPE *const dest, const TYPE *const source, const size_t nelems) \
    { \
        using namespace aeroshmem; \
        return device::ROUTINE<device::SCOPE>(team, (u64)dest, (u64)source, device::bytes_of(nelems, BYTES)); \
    }

#define AEROSHMEM_DEFINE_EXCHANGES(PREFIX, SUFFIX, SCOPE, BROADCAST, COLLECT, FCOLLECT, ALLTOALL, TYPE, BYTES) \
    AEROSHMEM_FUNCTION int PREFIX##_##BROADCAST##SUFFIX( \
        const aeroshmem_team_t team, TYPE *const dest, const TYPE *const source, const size_t nelems, \
        const int PE_root) \
    { \
        using namespace aeroshmem; \
        return device::broadcast<device::SCOPE>( \
            team, (u64)dest, (u64)source, device::bytes_of(nelems, BYTES), PE_root); \
    } \
    AEROSHMEM_DEFINE_EXCHANGE(PREFIX, SUFFIX, SCOPE, COLLECT, collect, TYPE, BYTES) \
    AEROSHMEM_DEFINE_EXCHANGE(PREFIX, SUFFIX, SCOPE, FCOLLECT, fcollect, TYPE, BYTES) \
    AEROSHMEM_DEFINE_EXCHANGE(PREFIX, SUFFIX, SCOPE, ALLTOALL, alltoall, TYPE, BYTES)

#define AEROSHMEM_DEFINE_COLLECTIVES(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_EXCHANGES( \
        PREFIX, SUFFIX, SCOPE, NAME##_broadcast, NAME##_collect, NAME##_fcollect, NAME##_alltoall, TYPE, sizeof(TYPE))

#define AEROSHMEM_MEMORY_COLLECTIVES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    DEFINE(PREFIX, SUFFIX, SCOPE, broadcastmem, collectmem, fcollectmem, alltoallmem, void, 1)

AEROSHMEM_SCOPES(AEROSHMEM_RMA_TYPES, AEROSHMEM_DEFINE_COLLECTIVES)
AEROSHMEM_SCOPES(AEROSHMEM_MEMORY_COLLECTIVES, AEROSHMEM_DEFINE_EXCHANGES)

/* Reductions. dest is source, or disjoint from it. */

namespace aeroshmem
{
namespace device
{

/** How elements of a type are combined. */
template <typename T>
struct ElementOf;

#define AEROSHMEM_ELEMENT_OF(TYPE, ELEMENT) \
    template <> \
    struct ElementOf<TYPE> \
    { \
        typedef ELEMENT type; \
    };

AEROSHMEM_ELEMENT_OF(char, Byte)
AEROSHMEM_ELEMENT_OF(signed char, Byte)
AEROSHMEM_ELEMENT_OF(short, Short)
AEROSHMEM_ELEMENT_OF(int, Int)
AEROSHMEM_ELEMENT_OF(long, Long)
AEROSHMEM_ELEMENT_OF(long long, Long)
AEROSHMEM_ELEMENT_OF(unsigned char, UnsignedByte)
AEROSHMEM_ELEMENT_OF(unsigned short, UnsignedShort)
AEROSHMEM_ELEMENT_OF(unsigned int, UnsignedInt)
AEROSHMEM_ELEMENT_OF(unsigned long, UnsignedLong)
AEROSHMEM_ELEMENT_OF(unsigned long long, UnsignedLong)
AEROSHMEM_ELEMENT_OF(__half, Half)
AEROSHMEM_ELEMENT_OF(__nv_bfloat16, Bfloat16)
AEROSHMEM_ELEMENT_OF(float, Float)
AEROSHMEM_ELEMENT_OF(double, Double)
AEROSHMEM_ELEMENT_OF(ComplexFloat::value, ComplexFloat)
AEROSHMEM_ELEMENT_OF(ComplexDouble::value, ComplexDouble)

#undef AEROSHMEM_ELEMENT_OF

}
}

/** Complex numbers: real part, imaginary part, as cuFloatComplex and cuDoubleComplex but aligned as their parts. */
typedef aeroshmem::ComplexFloat::value aeroshmem_complexf_t;
typedef aeroshmem::ComplexDouble::value aeroshmem_complexd_t;

#define AEROSHMEM_COMPLEX_TYPES(DEFINE, PREFIX, SUFFIX, SCOPE) \
    DEFINE(PREFIX, SUFFIX, SCOPE, complexf, aeroshmem_complexf_t) \
    DEFINE(PREFIX, SUFFIX, SCOPE, complexd, aeroshmem_complexd_t)

#define AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME, TYPE, OPERATION) \
    AEROSHMEM_FUNCTION int PREFIX##_##NAME##_reduce##SUFFIX( \
        const aeroshmem_team_t team, TYPE *const dest, const TYPE *const source, const size_t nreduce) \
    { \
        using namespace aeroshmem; \
        return device::reduce<device::SCOPE, OPERATION<device::ElementOf<TYPE>::type> >( \
            team, (u64)dest, (u64)source, nreduce, false); \
    } \
    AEROSHMEM_FUNCTION int PREFIX##_##NAME##_reducescatter##SUFFIX( \
        const aeroshmem_team_t team, TYPE *const dest, const TYPE *const source, const size_t nreduce) \
    { \
        using namespace aeroshmem; \
        return device::reduce<device::SCOPE, OPERATION<device::ElementOf<TYPE>::type> >( \
            team, (u64)dest, (u64)source, nreduce, true); \
    }

#define AEROSHMEM_DEFINE_SUMS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_sum, TYPE, Sum) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_prod, TYPE, Product)

#define AEROSHMEM_DEFINE_ORDERED(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_SUMS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_max, TYPE, Max) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_min, TYPE, Min)

#define AEROSHMEM_DEFINE_REDUCTIONS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_ORDERED(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_and, TYPE, And) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_or, TYPE, Or) \
    AEROSHMEM_DEFINE_REDUCTION(PREFIX, SUFFIX, SCOPE, NAME##_xor, TYPE, Xor)

AEROSHMEM_SCOPES(AEROSHMEM_INTEGER_TYPES, AEROSHMEM_DEFINE_REDUCTIONS)
AEROSHMEM_SCOPES(AEROSHMEM_REAL_TYPES, AEROSHMEM_DEFINE_ORDERED)
AEROSHMEM_SCOPES(AEROSHMEM_COMPLEX_TYPES, AEROSHMEM_DEFINE_SUMS)

/** Pairs of a value and its place: the greatest value, of equal values the one with the lowest place. */
#define AEROSHMEM_DEFINE_MAXLOC(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    AEROSHMEM_FUNCTION int PREFIX##_double2_maxloc_reduce##SUFFIX( \
        const aeroshmem_team_t team, double2 *const dest, const double2 *const source, const size_t nreduce) \
    { \
        using namespace aeroshmem; \
        return device::reduce<device::SCOPE, Location<Double, true> >( \
            team, (u64)dest, (u64)source, nreduce, false); \
    }

AEROSHMEM_SCOPES(AEROSHMEM_TEAMS, AEROSHMEM_DEFINE_MAXLOC)

#undef AEROSHMEM_DEFINE_BARRIERS
#undef AEROSHMEM_DEFINE_ARITHMETIC
#undef AEROSHMEM_DEFINE_BITWISE
#undef AEROSHMEM_DEFINE_BITWISE_AMO
#undef AEROSHMEM_DEFINE_COLLECTIVES
#undef AEROSHMEM_DEFINE_COPIES
#undef AEROSHMEM_DEFINE_ELEMENT
#undef AEROSHMEM_DEFINE_EXCHANGE
#undef AEROSHMEM_DEFINE_EXCHANGES
#undef AEROSHMEM_DEFINE_FETCH_SET_SWAP
#undef AEROSHMEM_DEFINE_MAXLOC
#undef AEROSHMEM_DEFINE_ORDERED
#undef AEROSHMEM_DEFINE_REDUCTION
#undef AEROSHMEM_DEFINE_REDUCTIONS
#undef AEROSHMEM_DEFINE_RMA
#undef AEROSHMEM_DEFINE_RMA_OF_SIZE
#undef AEROSHMEM_DEFINE_SET
#undef AEROSHMEM_DEFINE_STRIDED
#undef AEROSHMEM_DEFINE_SUMS
#undef AEROSHMEM_DEFINE_WAITS

#endif
