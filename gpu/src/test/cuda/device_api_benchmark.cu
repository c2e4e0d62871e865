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

/*
 * Kernels that measure communication: that of NVSHMEM if BENCHMARK_NVSHMEM is defined, otherwise that of this library.
 * The two libraries have the same routines with different prefixes. The macros below are all that depends on the
 * library.
 */
#if defined(BENCHMARK_NVSHMEM)
#include <nvshmem.h>
#include <nvshmemx.h>
#define SHMEM(routine) nvshmem_##routine
#define SHMEMX(routine) nvshmemx_##routine
#define SHMEM_TEAM_WORLD NVSHMEM_TEAM_WORLD
#define AEROSHMEM_CONCURRENT
#define AEROSHMEM_GLOBAL(T, address) ((T *)(address))
#else
#include "aeroshmem_device.cuh"
#define SHMEM(routine) aeroshmem_##routine
#define SHMEMX(routine) aeroshmemx_##routine
#define SHMEM_TEAM_WORLD AEROSHMEM_TEAM_WORLD
#endif

/*
 * All kernels have the same parameters: a symmetric object to write, one to read, a size, this PE's results, how often
 * the routine is called, and the PE it is called for. Words of results: begin and end of each block in nanoseconds,
 * then a word for each thread. Only the calls lie between begin and end, and a quiet, so that they are complete.
 * benchmark_barrier and benchmark_sum, whose calls wait for other PEs, perform a barrier before begin. So the times do
 * not include the wait for the start of the other PEs' kernels.
 */
typedef unsigned long long word;

/** The clock of the device, the same for all blocks. */
static __device__ __forceinline__ word now_ns()
{
#if defined(__CUDA_ARCH__)
    word now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now) : : "memory");
    return now;
#else
    return (word)clock64();
#endif
}

static __device__ __forceinline__ void store_word(const word array, const word index, const word value)
{
    *AEROSHMEM_GLOBAL(word, array + index * sizeof(word)) = value;
}

static __device__ __forceinline__ void store_times(const word results, const word begin, const word end)
{
    store_word(results, 2 * (word)blockIdx.x, begin);
    store_word(results, 2 * (word)blockIdx.x + 1, end);
}

/** Stores a word for the thread, behind the times. */
static __device__ __forceinline__ void store_of_thread(const word results, const word value)
{
    store_word(results, 2 * (word)gridDim.x + (word)blockIdx.x * blockDim.x + threadIdx.x, value);
}

/** Completes what the threads of the block have done, and stores the times. */
static __device__ __forceinline__ void complete_block(const word results, const word begin)
{
    __syncthreads();
    if (0 == threadIdx.x)
    {
        SHMEM(quiet)();
        store_times(results, begin, now_ns());
    }
}

/** Puts a word, and completes it. One thread. */
extern "C" AEROSHMEM_CONCURRENT __global__ void benchmark_put_word(
    word dest, word, word, word results, word times, word pe)
{
    const word begin = now_ns();
    for (word i = 1; i <= times; i++)
    {
        SHMEM(ulonglong_p)((word *)dest, i, (int)pe);
        SHMEM(quiet)();
    }
    store_times(results, begin, now_ns());
}

/** Puts size bytes by each block. */
extern "C" AEROSHMEM_CONCURRENT __global__ void benchmark_put_block(
    word dest, word source, word size, word results, word times, word pe)
{
    const word offset = (word)blockIdx.x * size;
    __syncthreads();
    const word begin = now_ns();
    for (word i = 0; i < times; i++)
    {
        SHMEMX(putmem_block)((void *)(dest + offset), (const void *)(source + offset), size, (int)pe);
    }
    complete_block(results, begin);
}

/** Adds to words that are size words apart from thread to thread, so all to one if it is 0. */
extern "C" AEROSHMEM_CONCURRENT __global__ void benchmark_add(
    word dest, word, word size, word results, word times, word pe)
{
    word *const target = (word *)dest + size * ((word)blockIdx.x * blockDim.x + threadIdx.x);
    __syncthreads();
    const word begin = now_ns();
    for (word i = 0; i < times; i++)
    {
        SHMEM(ulonglong_atomic_add)(target, 1, (int)pe);
    }
    complete_block(results, begin);
}

/** Likewise, fetching; each thread stores the sum of what it fetched. */
extern "C" AEROSHMEM_CONCURRENT __global__ void benchmark_fetch_add(
    word dest, word, word size, word results, word times, word pe)
{
    word *const target = (word *)dest + size * ((word)blockIdx.x * blockDim.x + threadIdx.x);
    word fetched = 0;
    __syncthreads();
    const word begin = now_ns();
    for (word i = 0; i < times; i++)
    {
        fetched += SHMEM(ulonglong_atomic_fetch_add)(target, 1, (int)pe);
    }
    complete_block(results, begin);
    store_of_thread(results, fetched);
}

/** A barrier of all PEs. One thread. */
extern "C" AEROSHMEM_CONCURRENT __global__ void benchmark_barrier(
    word, word, word, word results, word times, word)
{
    SHMEM(barrier_all)();
    const word begin = now_ns();
    for (word i = 0; i < times; i++)
    {
        SHMEM(barrier_all)();
    }
    store_times(results, begin, now_ns());
}

/** Counts barriers before which the previous PE's word had not come. One thread; dest is 0 on all PEs. */
extern "C" AEROSHMEM_CONCURRENT __global__ void benchmark_barrier_check(
    word dest, word, word, word results, word times, word pe)
{
    word late = 0;
    const word begin = now_ns();
    for (word i = 1; i <= times; i++)
    {
        SHMEM(ulonglong_p)((word *)dest, i, (int)pe);
        SHMEM(barrier_all)();
        // The other PE may be a barrier ahead.
        const word seen = *AEROSHMEM_GLOBAL(const volatile word, dest);
        late += seen < i || seen > i + 1 ? 1 : 0;
    }
    store_times(results, begin, now_ns());
    store_of_thread(results, late);
}

/** Sums of size floats of all PEs, by the block. The bound leaves each of its threads a share of the registers. */
extern "C" __launch_bounds__(512, 1) AEROSHMEM_CONCURRENT __global__ void benchmark_sum(
    word dest, word source, word size, word results, word times, word)
{
    SHMEMX(barrier_all_block)();
    const word begin = now_ns();
    for (word i = 0; i < times; i++)
    {
        SHMEMX(float_sum_reduce_block)(SHMEM_TEAM_WORLD, (float *)dest, (const float *)source, size);
    }
    complete_block(results, begin);
}
