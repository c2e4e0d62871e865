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

#include "device_api_kernels.cuh"

/* Kernels that call each function of RMA, atomics, signals, waits and queries; the tests of module gpu launch them. */

enum RmaRoutine
{
    RMA_PUT, RMA_PUT_NBI, RMA_GET, RMA_GET_NBI, RMA_PUT_SIGNAL, RMA_PUT_SIGNAL_NBI, RMA_IPUT, RMA_IGET, RMA_P, RMA_G
};

#define CALL_COPY(PREFIX, SUFFIX, PUT, GET, TYPE) \
    case RMA_PUT: \
        PREFIX##_##PUT##SUFFIX((TYPE *)dest, (const TYPE *)source, count, pe); \
        break; \
    case RMA_PUT_NBI: \
        PREFIX##_##PUT##_nbi##SUFFIX((TYPE *)dest, (const TYPE *)source, count, pe); \
        break; \
    case RMA_GET: \
        PREFIX##_##GET##SUFFIX((TYPE *)dest, (const TYPE *)source, count, pe); \
        break; \
    case RMA_GET_NBI: \
        PREFIX##_##GET##_nbi##SUFFIX((TYPE *)dest, (const TYPE *)source, count, pe); \
        break; \
    case RMA_PUT_SIGNAL: \
        PREFIX##_##PUT##_signal##SUFFIX( \
            (TYPE *)dest, (const TYPE *)source, count, (uint64_t *)signal, value, op, pe); \
        break; \
    case RMA_PUT_SIGNAL_NBI: \
        PREFIX##_##PUT##_signal_nbi##SUFFIX( \
            (TYPE *)dest, (const TYPE *)source, count, (uint64_t *)signal, value, op, pe); \
        break;

/* The strides are in place of the signal and its value. */
#define CALL_STRIDED(PREFIX, SUFFIX, IPUT, IGET, TYPE) \
    case RMA_IPUT: \
        PREFIX##_##IPUT##SUFFIX( \
            (TYPE *)dest, (const TYPE *)source, (ptrdiff_t)signal, (ptrdiff_t)value, count, pe); \
        break; \
    case RMA_IGET: \
        PREFIX##_##IGET##SUFFIX( \
            (TYPE *)dest, (const TYPE *)source, (ptrdiff_t)signal, (ptrdiff_t)value, count, pe); \
        break;

#define CALL_RMA(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    case TYPE_##NAME: \
        switch (routine) \
        { \
            CALL_COPY(PREFIX, SUFFIX, NAME##_put, NAME##_get, TYPE) \
            CALL_STRIDED(PREFIX, SUFFIX, NAME##_iput, NAME##_iget, TYPE) \
            default: \
                break; \
        } \
        break;

#define CALL_RMA_OF_SIZE(PREFIX, SUFFIX, SCOPE, BITS, BYTES) \
    case TYPE_##BITS: \
        switch (routine) \
        { \
            CALL_COPY(PREFIX, SUFFIX, put##BITS, get##BITS, void) \
            CALL_STRIDED(PREFIX, SUFFIX, iput##BITS, iget##BITS, void) \
            default: \
                break; \
        } \
        break;

#define CALL_RMA_OF_MEMORY(PREFIX, SUFFIX) \
    case TYPE_mem: \
        switch (routine) \
        { \
            CALL_COPY(PREFIX, SUFFIX, putmem, getmem, void) \
            default: \
                break; \
        } \
        break;

#define CALL_ALL_RMA(PREFIX, SUFFIX, SCOPE) \
    switch (type) \
    { \
        AEROSHMEM_RMA_TYPES(CALL_RMA, PREFIX, SUFFIX, SCOPE) \
        AEROSHMEM_SIZES(CALL_RMA_OF_SIZE, PREFIX, SUFFIX, SCOPE) \
        CALL_RMA_OF_MEMORY(PREFIX, SUFFIX) \
        default: \
            break; \
    }

#define CALL_ELEMENT(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    case TYPE_##NAME: \
        if (RMA_P == routine) \
        { \
            aeroshmem_##NAME##_p((TYPE *)dest, *AEROSHMEM_GLOBAL(const TYPE, source), pe); \
        } \
        else \
        { \
            *AEROSHMEM_GLOBAL(TYPE, dest) = aeroshmem_##NAME##_g((const TYPE *)source, pe); \
        } \
        break;

extern "C" __global__ void device_api_rma(
    u64 routine, u64 type, s32 pe, u64 dest, u64 source, u64 count, u64 signal, u64 value, s32 op)
{
    if (RMA_P == routine || RMA_G == routine)
    {
        switch (type)
        {
            AEROSHMEM_RMA_TYPES(CALL_ELEMENT, , , )
            default:
                break;
        }
    }
    else
    {
        CALL_ALL_RMA(aeroshmem, , ThreadScope)
    }
    aeroshmem_quiet();
}

extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_rma_warp(
    u64 routine, u64 type, s32 pe, u64 dest, u64 source, u64 count, u64 signal, u64 value, s32 op)
{
    CALL_ALL_RMA(aeroshmemx, _warp, WarpScope)
    if (0 == threadIdx.x)
    {
        aeroshmem_quiet();
    }
}

extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_rma_block(
    u64 routine, u64 type, s32 pe, u64 dest, u64 source, u64 count, u64 signal, u64 value, s32 op)
{
    CALL_ALL_RMA(aeroshmemx, _block, BlockScope)
    if (0 == threadIdx.x)
    {
        aeroshmem_quiet();
    }
}

/* Warps of a block put different blocks at the same time. */
extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_put_by_warps(s32 pe, u64 dest, u64 source, u64 bytes)
{
    const u64 at = threadIdx.x / 32 * bytes;
    aeroshmemx_putmem_warp((void *)(dest + at), (const void *)(source + at), bytes, pe);
    __syncthreads();
    if (0 == threadIdx.x)
    {
        aeroshmem_quiet();
    }
}

enum AmoRoutine
{
    AMO_FETCH, AMO_SET, AMO_SWAP, AMO_COMPARE_SWAP, AMO_FETCH_INC, AMO_INC, AMO_FETCH_ADD, AMO_ADD, AMO_FETCH_AND,
    AMO_AND, AMO_FETCH_OR, AMO_OR, AMO_FETCH_XOR, AMO_XOR, AMO_FETCH_MIN, AMO_MIN, AMO_FETCH_MAX, AMO_MAX
};

#define CALL_FETCH_SET_SWAP(NAME, TYPE) \
    case TYPE_##NAME: \
        switch (routine) \
        { \
            case AMO_FETCH: \
                old = bits_of_value(aeroshmem_##NAME##_atomic_fetch((const TYPE *)dest, pe)); \
                break; \
            case AMO_SET: \
                aeroshmem_##NAME##_atomic_set((TYPE *)dest, value_of_bits<TYPE>(value), pe); \
                break; \
            case AMO_SWAP: \
                old = bits_of_value(aeroshmem_##NAME##_atomic_swap((TYPE *)dest, value_of_bits<TYPE>(value), pe)); \
                break; \
            default: \
                break; \
        } \
        break;

#define CALL_ARITHMETIC(NAME, TYPE) \
    case TYPE_##NAME: \
        switch (routine) \
        { \
            case AMO_COMPARE_SWAP: \
                old = (u64)aeroshmem_##NAME##_atomic_compare_swap((TYPE *)dest, (TYPE)condition, (TYPE)value, pe); \
                break; \
            case AMO_FETCH_INC: \
                old = (u64)aeroshmem_##NAME##_atomic_fetch_inc((TYPE *)dest, pe); \
                break; \
            case AMO_INC: \
                aeroshmem_##NAME##_atomic_inc((TYPE *)dest, pe); \
                break; \
            case AMO_FETCH_ADD: \
                old = (u64)aeroshmem_##NAME##_atomic_fetch_add((TYPE *)dest, (TYPE)value, pe); \
                break; \
            case AMO_ADD: \
                aeroshmem_##NAME##_atomic_add((TYPE *)dest, (TYPE)value, pe); \
                break; \
            default: \
                break; \
        } \
        break;

#define CALL_BITWISE(NAME, TYPE) \
    case TYPE_##NAME: \
        switch (routine) \
        { \
            case AMO_FETCH_AND: \
                old = (u64)aeroshmem_##NAME##_atomic_fetch_and((TYPE *)dest, (TYPE)value, pe); \
                break; \
            case AMO_AND: \
                aeroshmem_##NAME##_atomic_and((TYPE *)dest, (TYPE)value, pe); \
                break; \
            case AMO_FETCH_OR: \
                old = (u64)aeroshmem_##NAME##_atomic_fetch_or((TYPE *)dest, (TYPE)value, pe); \
                break; \
            case AMO_OR: \
                aeroshmem_##NAME##_atomic_or((TYPE *)dest, (TYPE)value, pe); \
                break; \
            case AMO_FETCH_XOR: \
                old = (u64)aeroshmem_##NAME##_atomic_fetch_xor((TYPE *)dest, (TYPE)value, pe); \
                break; \
            case AMO_XOR: \
                aeroshmem_##NAME##_atomic_xor((TYPE *)dest, (TYPE)value, pe); \
                break; \
            default: \
                break; \
        } \
        break;

#define CALL_EXTREMES(NAME, TYPE) \
    case TYPE_##NAME: \
        switch (routine) \
        { \
            case AMO_FETCH_MIN: \
                old = bits_of_value( \
                    aeroshmemx_##NAME##_atomic_fetch_min((TYPE *)dest, value_of_bits<TYPE>(value), pe)); \
                break; \
            case AMO_MIN: \
                aeroshmemx_##NAME##_atomic_min((TYPE *)dest, value_of_bits<TYPE>(value), pe); \
                break; \
            case AMO_FETCH_MAX: \
                old = bits_of_value( \
                    aeroshmemx_##NAME##_atomic_fetch_max((TYPE *)dest, value_of_bits<TYPE>(value), pe)); \
                break; \
            case AMO_MAX: \
                aeroshmemx_##NAME##_atomic_max((TYPE *)dest, value_of_bits<TYPE>(value), pe); \
                break; \
            default: \
                break; \
        } \
        break;

/* The old value of a fetching AMO is stored at result, 0 of others. */
extern "C" __global__ void device_api_amo(
    u64 routine, u64 type, s32 pe, u64 dest, u64 value, u64 condition, u64 result)
{
    u64 old = 0;
    if (AMO_SWAP >= routine)
    {
        switch (type)
        {
            AEROSHMEM_EXTENDED_AMO_TYPES(CALL_FETCH_SET_SWAP)
            default:
                break;
        }
    }
    else if (AMO_ADD >= routine)
    {
        switch (type)
        {
            AEROSHMEM_AMO_TYPES(CALL_ARITHMETIC)
            default:
                break;
        }
    }
    else if (AMO_FETCH_MIN <= routine)
    {
        switch (type)
        {
            AEROSHMEM_EXTREME_AMO_TYPES(CALL_EXTREMES)
            default:
                break;
        }
    }
    else
    {
        switch (type)
        {
            AEROSHMEM_BITWISE_AMO_TYPES(CALL_BITWISE)
            default:
                break;
        }
    }
    aeroshmem_quiet();
    store_result(result, old);
}

/* Each thread adds to a word of a PE, fetches tickets from another word, and counts the tickets that it has got. */
extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_add_by_threads(
    s32 pe, u64 word, u64 tickets, u64 seen, u64 rounds)
{
    for (u64 i = 0; i < rounds; i++)
    {
        aeroshmem_ulonglong_atomic_add((unsigned long long *)word, threadIdx.x + 1, pe);
        const u64 ticket = aeroshmem_ulonglong_atomic_fetch_inc((unsigned long long *)tickets, pe);
        aeroshmem_uint_atomic_inc((unsigned int *)(seen + ticket * sizeof(unsigned int)), pe);
    }
    __syncthreads();
    if (0 == threadIdx.x)
    {
        aeroshmem_quiet();
    }
}

enum WaitRoutine
{
    WAIT_UNTIL, WAIT_UNTIL_ALL, WAIT_UNTIL_ANY, WAIT_UNTIL_SOME, WAIT_UNTIL_ALL_VECTOR, WAIT_UNTIL_ANY_VECTOR,
    WAIT_UNTIL_SOME_VECTOR, TEST, TEST_ALL, TEST_ANY, TEST_SOME, TEST_ALL_VECTOR, TEST_ANY_VECTOR, TEST_SOME_VECTOR
};

#define CALL_WAIT(NAME, TYPE) \
    case TYPE_##NAME: \
    { \
        TYPE *const words = (TYPE *)ivars; \
        const TYPE one = *AEROSHMEM_GLOBAL(const TYPE, values); \
        const int *const excluded = (const int *)status; \
        size_t *const found = (size_t *)indices; \
        switch (routine) \
        { \
            case WAIT_UNTIL: \
                aeroshmem_##NAME##_wait_until(words, cmp, one); \
                break; \
            case WAIT_UNTIL_ALL: \
                aeroshmem_##NAME##_wait_until_all(words, count, excluded, cmp, one); \
                break; \
            case WAIT_UNTIL_ANY: \
                returned = aeroshmem_##NAME##_wait_until_any(words, count, excluded, cmp, one); \
                break; \
            case WAIT_UNTIL_SOME: \
                returned = aeroshmem_##NAME##_wait_until_some(words, count, found, excluded, cmp, one); \
                break; \
            case WAIT_UNTIL_ALL_VECTOR: \
                aeroshmem_##NAME##_wait_until_all_vector(words, count, excluded, cmp, (const TYPE *)values); \
                break; \
            case WAIT_UNTIL_ANY_VECTOR: \
                returned = aeroshmem_##NAME##_wait_until_any_vector( \
                    words, count, excluded, cmp, (const TYPE *)values); \
                break; \
            case WAIT_UNTIL_SOME_VECTOR: \
                returned = aeroshmem_##NAME##_wait_until_some_vector( \
                    words, count, found, excluded, cmp, (const TYPE *)values); \
                break; \
            case TEST: \
                returned = (u64)aeroshmem_##NAME##_test(words, cmp, one); \
                break; \
            case TEST_ALL: \
                returned = (u64)aeroshmem_##NAME##_test_all(words, count, excluded, cmp, one); \
                break; \
            case TEST_ANY: \
                returned = aeroshmem_##NAME##_test_any(words, count, excluded, cmp, one); \
                break; \
            case TEST_SOME: \
                returned = aeroshmem_##NAME##_test_some(words, count, found, excluded, cmp, one); \
                break; \
            case TEST_ALL_VECTOR: \
                returned = (u64)aeroshmem_##NAME##_test_all_vector( \
                    words, count, excluded, cmp, (const TYPE *)values); \
                break; \
            case TEST_ANY_VECTOR: \
                returned = aeroshmem_##NAME##_test_any_vector(words, count, excluded, cmp, (const TYPE *)values); \
                break; \
            case TEST_SOME_VECTOR: \
                returned = aeroshmem_##NAME##_test_some_vector( \
                    words, count, found, excluded, cmp, (const TYPE *)values); \
                break; \
            default: \
                break; \
        } \
        break; \
    }

/* What the routine returned is stored at result. */
extern "C" __global__ void device_api_wait(
    u64 routine, u64 type, u64 ivars, u64 count, u64 status, s32 cmp, u64 values, u64 indices, u64 result)
{
    u64 returned = 0;
    switch (type)
    {
        AEROSHMEM_WAIT_TYPES(CALL_WAIT)
        default:
            break;
    }
    store_result(result, returned);
}

/* Queries; results as 64-bit integers. */
extern "C" __global__ void device_api_queries(
    u64 results, u64 versions, u64 name, s32 team, s32 other, s32 pe, u64 object)
{
    aeroshmem_info_get_version((int *)versions, (int *)(versions + sizeof(int)));
    aeroshmemx_vendor_get_version_info(
        (int *)(versions + 2 * sizeof(int)), (int *)(versions + 3 * sizeof(int)), (int *)(versions + 4 * sizeof(int)));
    aeroshmem_info_get_name((char *)name);
    const u64 values[] = {
        (u64)(s64)aeroshmem_my_pe(), (u64)(s64)aeroshmem_n_pes(), (u64)(s64)aeroshmem_team_my_pe(team),
        (u64)(s64)aeroshmem_team_n_pes(team), (u64)(s64)aeroshmem_team_translate_pe(team, pe, other),
        (u64)aeroshmem_ptr((const void *)object, pe)};
    for (u64 i = 0; i < sizeof(values) / sizeof(u64); i++)
    {
        store_result(results + i * sizeof(u64), values[i]);
    }
}

/*
 * Ping-pong of signals: data to the next PE, its signal, and the wait for that of the one before. Returns in result how
 * many values differed from what was expected.
 */
extern "C" __global__ void device_api_signals(
    u64 data, u64 signal, s32 next, s32 before, u64 rounds, s32 op, u64 result)
{
    u64 errors = 0;
    for (u64 round = 1; round <= rounds; round++)
    {
        const u64 at = data + round * sizeof(u64);
        aeroshmem_ulonglong_p((unsigned long long *)at, round * 1000 + (u64)aeroshmem_my_pe(), next);
        aeroshmem_fence();
        aeroshmemx_signal_op((uint64_t *)signal, AEROSHMEM_SIGNAL_ADD == op ? 1 : round, op, next);
        const u64 seen = aeroshmem_signal_wait_until((const uint64_t *)signal, AEROSHMEM_CMP_GE, round);
        errors += seen < round || aeroshmem_signal_fetch((const uint64_t *)signal) < seen ? 1 : 0;
        errors += *AEROSHMEM_GLOBAL(volatile u64, at) != round * 1000 + (u64)before ? 1 : 0;
    }
    store_result(result, errors);
}

/* Loads and stores by the address of a peer's object. */
extern "C" __global__ void device_api_store_by_pointer(s32 pe, u64 object, u64 value, u64 result)
{
    const u64 address = (u64)aeroshmem_ptr((const void *)object, pe);
    if (0 != address)
    {
        *AEROSHMEM_GLOBAL(volatile u64, address) = value;
        aeroshmem_quiet();
    }
    store_result(result, address);
}

extern "C" __global__ void device_api_global_exit(s32 status)
{
    aeroshmem_global_exit(status);
}
