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

/* Kernels that call each collective; the tests of module gpu launch them. */

enum CollectiveRoutine
{
    BROADCAST, COLLECT, FCOLLECT, ALLTOALL, BARRIER, SYNC, BARRIER_ALL, SYNC_ALL, TEAM_SYNC
};

#define CALL_EXCHANGE(PREFIX, SUFFIX, TYPE_CASE, BROADCAST_NAME, COLLECT_NAME, FCOLLECT_NAME, ALLTOALL_NAME, TYPE) \
    case TYPE_CASE: \
        switch (routine) \
        { \
            case BROADCAST: \
                failed = PREFIX##_##BROADCAST_NAME##SUFFIX(team, (TYPE *)dest, (const TYPE *)source, count, root); \
                break; \
            case COLLECT: \
                failed = PREFIX##_##COLLECT_NAME##SUFFIX(team, (TYPE *)dest, (const TYPE *)source, count); \
                break; \
            case FCOLLECT: \
                failed = PREFIX##_##FCOLLECT_NAME##SUFFIX(team, (TYPE *)dest, (const TYPE *)source, count); \
                break; \
            case ALLTOALL: \
                failed = PREFIX##_##ALLTOALL_NAME##SUFFIX(team, (TYPE *)dest, (const TYPE *)source, count); \
                break; \
            default: \
                break; \
        } \
        break;

#define CALL_COLLECTIVE(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CALL_EXCHANGE( \
        PREFIX, SUFFIX, TYPE_##NAME, NAME##_broadcast, NAME##_collect, NAME##_fcollect, NAME##_alltoall, TYPE)

#define CALL_BARRIERS(PREFIX, SUFFIX) \
    case BARRIER: \
        failed = PREFIX##_barrier##SUFFIX(team); \
        break; \
    case SYNC: \
        failed = PREFIX##_sync##SUFFIX(team); \
        break; \
    case BARRIER_ALL: \
        PREFIX##_barrier_all##SUFFIX(); \
        break; \
    case SYNC_ALL: \
        PREFIX##_sync_all##SUFFIX(); \
        break; \
    case TEAM_SYNC: \
        failed = PREFIX##_team_sync##SUFFIX(team); \
        break;

/* What the routine returned is stored at result. */
#define CALL_COLLECTIVES(PREFIX, SUFFIX, SCOPE) \
    int failed = 0; \
    if (ALLTOALL < routine) \
    { \
        switch (routine) \
        { \
            CALL_BARRIERS(PREFIX, SUFFIX) \
            default: \
                break; \
        } \
    } \
    else \
    { \
        switch (type) \
        { \
            AEROSHMEM_RMA_TYPES(CALL_COLLECTIVE, PREFIX, SUFFIX, SCOPE) \
            CALL_EXCHANGE( \
                PREFIX, SUFFIX, TYPE_mem, broadcastmem, collectmem, fcollectmem, alltoallmem, void) \
            default: \
                break; \
        } \
    } \
    if (0 == threadIdx.x) \
    { \
        store_result(result, (u64)failed); \
    }

extern "C" __global__ void device_api_collective(
    u64 routine, u64 type, s32 team, u64 dest, u64 source, u64 count, s32 root, u64 result)
{
    CALL_COLLECTIVES(aeroshmem, , ThreadScope)
}

extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_collective_warp(
    u64 routine, u64 type, s32 team, u64 dest, u64 source, u64 count, s32 root, u64 result)
{
    CALL_COLLECTIVES(aeroshmemx, _warp, WarpScope)
}

extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_collective_block(
    u64 routine, u64 type, s32 team, u64 dest, u64 source, u64 count, s32 root, u64 result)
{
    CALL_COLLECTIVES(aeroshmemx, _block, BlockScope)
}

/* The ordinals of ReduceOp; those of reducescatter are REDUCESCATTER higher. */
enum ReduceRoutine
{
    REDUCE_AND, REDUCE_OR, REDUCE_XOR, REDUCE_MAX, REDUCE_MIN, REDUCE_SUM, REDUCE_PROD, REDUCE_MAXLOC = 11,
    REDUCESCATTER = 16
};

#define CALL_REDUCTION(PREFIX, SUFFIX, NAME, OP, CODE, TYPE) \
    case CODE: \
        failed = PREFIX##_##NAME##_##OP##_reduce##SUFFIX(team, (TYPE *)dest, (const TYPE *)source, count); \
        break; \
    case REDUCESCATTER + CODE: \
        failed = PREFIX##_##NAME##_##OP##_reducescatter##SUFFIX(team, (TYPE *)dest, (const TYPE *)source, count); \
        break;

#define CALL_SUMS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, sum, REDUCE_SUM, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, prod, REDUCE_PROD, TYPE)

#define CALL_ORDERED(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CALL_SUMS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, max, REDUCE_MAX, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, min, REDUCE_MIN, TYPE)

#define CALL_REDUCTIONS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CALL_ORDERED(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, and, REDUCE_AND, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, or, REDUCE_OR, TYPE) \
    CALL_REDUCTION(PREFIX, SUFFIX, NAME, xor, REDUCE_XOR, TYPE)

#define CASE_OF(CALLS, PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    case TYPE_##NAME: \
        switch (routine) \
        { \
            CALLS(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
            default: \
                break; \
        } \
        break;

#define CASE_OF_INTEGER(PREFIX, SUFFIX, SCOPE, NAME, TYPE) \
    CASE_OF(CALL_REDUCTIONS, PREFIX, SUFFIX, SCOPE, NAME, TYPE)
#define CASE_OF_REAL(PREFIX, SUFFIX, SCOPE, NAME, TYPE) CASE_OF(CALL_ORDERED, PREFIX, SUFFIX, SCOPE, NAME, TYPE)
#define CASE_OF_COMPLEX(PREFIX, SUFFIX, SCOPE, NAME, TYPE) CASE_OF(CALL_SUMS, PREFIX, SUFFIX, SCOPE, NAME, TYPE)

#define CASE_OF_MAXLOC(PREFIX, SUFFIX) \
    case TYPE_double2: \
        failed = PREFIX##_double2_maxloc_reduce##SUFFIX(team, (double2 *)dest, (const double2 *)source, count); \
        break;

extern "C" __global__ void device_api_reduce(
    u64 routine, u64 type, s32 team, u64 dest, u64 source, u64 count, u64 result)
{
    int failed = 0;
    switch (type)
    {
        AEROSHMEM_INTEGER_TYPES(CASE_OF_INTEGER, aeroshmem, , ThreadScope)
        AEROSHMEM_REAL_TYPES(CASE_OF_REAL, aeroshmem, , ThreadScope)
        AEROSHMEM_COMPLEX_TYPES(CASE_OF_COMPLEX, aeroshmem, , ThreadScope)
        CASE_OF_MAXLOC(aeroshmem, )
        default:
            break;
    }
    store_result(result, (u64)failed);
}

/* Of the larger scopes a type of each kind: the others are defined by the same lines. */
#define CALL_SOME_REDUCTIONS(PREFIX, SUFFIX, SCOPE) \
    int failed = 0; \
    switch (type) \
    { \
        CASE_OF_INTEGER(PREFIX, SUFFIX, SCOPE, int, int) \
        CASE_OF_INTEGER(PREFIX, SUFFIX, SCOPE, uint8, uint8_t) \
        CASE_OF_REAL(PREFIX, SUFFIX, SCOPE, double, double) \
        CASE_OF_REAL(PREFIX, SUFFIX, SCOPE, half, __half) \
        CASE_OF_COMPLEX(PREFIX, SUFFIX, SCOPE, complexf, aeroshmem_complexf_t) \
        CASE_OF_MAXLOC(PREFIX, SUFFIX) \
        default: \
            break; \
    } \
    if (0 == threadIdx.x) \
    { \
        store_result(result, (u64)failed); \
    }

extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_reduce_warp(
    u64 routine, u64 type, s32 team, u64 dest, u64 source, u64 count, u64 result)
{
    CALL_SOME_REDUCTIONS(aeroshmemx, _warp, WarpScope)
}

extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_reduce_block(
    u64 routine, u64 type, s32 team, u64 dest, u64 source, u64 count, u64 result)
{
    CALL_SOME_REDUCTIONS(aeroshmemx, _block, BlockScope)
}

/*
 * Collectives one behind the other without anything between them, on small blocks: each must leave the buffers of the
 * others alone. Counts results that differ from what was expected.
 */
extern "C" __global__ void device_api_mixed_collectives(s32 team, u64 dest, u64 source, u64 rounds, u64 result)
{
    const s32 me = aeroshmem_team_my_pe(team);
    const s32 n = aeroshmem_team_n_pes(team);
    long long *const out = (long long *)dest;
    long long *const in = (long long *)source;
    u64 errors = 0;
    for (u64 round = 0; round < rounds; round++)
    {
        *AEROSHMEM_GLOBAL(volatile long long, in) = (long long)round + me;
        aeroshmem_longlong_sum_reduce(team, out, in, 1);
        errors += *AEROSHMEM_GLOBAL(volatile long long, out) != (long long)round * n + n * (n - 1) / 2 ? 1 : 0;
        aeroshmem_longlong_max_reduce(team, out, in, 1);
        errors += *AEROSHMEM_GLOBAL(volatile long long, out) != (long long)round + n - 1 ? 1 : 0;
        const int root = (int)(round % (u64)n);
        aeroshmem_longlong_broadcast(team, out, in, 1, root);
        errors += *AEROSHMEM_GLOBAL(volatile long long, out) != (long long)round + root ? 1 : 0;
        aeroshmem_longlong_sum_reduce(team, out, in, 1);
        errors += *AEROSHMEM_GLOBAL(volatile long long, out) != (long long)round * n + n * (n - 1) / 2 ? 1 : 0;
        aeroshmem_longlong_collect(team, out, in, me == root ? 0 : 1);
        for (s32 i = 0, at = 0; i < n; i++)
        {
            if (i != root)
            {
                errors += *AEROSHMEM_GLOBAL(volatile long long, out + at) != (long long)round + i ? 1 : 0;
                at++;
            }
        }
        aeroshmem_longlong_fcollect(team, out, in, 1);
        for (s32 i = 0; i < n; i++)
        {
            errors += *AEROSHMEM_GLOBAL(volatile long long, out + i) != (long long)round + i ? 1 : 0;
        }
        if (0 == round % 3)
        {
            aeroshmem_barrier(team);
        }
    }
    store_result(result, errors);
}

/*
 * Each member stores the number of the round at all members, then waits for all in a barrier of one scope or another.
 * Counts values that differ from what was expected.
 */
extern "C" AEROSHMEM_CONCURRENT __global__ void device_api_barrier_rounds(s32 team, u64 data, u64 rounds, u64 result)
{
    const s32 me = aeroshmem_team_my_pe(team);
    const s32 n = aeroshmem_team_n_pes(team);
    u64 errors = 0;
    for (u64 round = 1; round <= rounds; round++)
    {
        if ((s32)threadIdx.x < n)
        {
            const s32 pe = aeroshmem_team_translate_pe(team, (s32)threadIdx.x, AEROSHMEM_TEAM_WORLD);
            aeroshmem_ulonglong_p((unsigned long long *)data + me, round, pe);
        }
        if (0 == round % 2)
        {
            aeroshmemx_barrier_block(team);
        }
        else
        {
            __syncthreads();
            aeroshmemx_barrier_warp(team);
        }
        if ((s32)threadIdx.x < n)
        {
            errors += *AEROSHMEM_GLOBAL(volatile u64, data + threadIdx.x * sizeof(u64)) != round ? 1 : 0;
        }
        aeroshmemx_team_sync_block(team);
    }
    if ((s32)threadIdx.x < n)
    {
        store_result(result + threadIdx.x * sizeof(u64), errors);
    }
}
