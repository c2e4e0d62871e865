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
#ifndef AEROSHMEM_GLOBAL
#define AEROSHMEM_GLOBAL(T, address) ((T *)(address))
#define AEROSHMEM_CONCURRENT
#define AEROSHMEM_SHARED(T, name, count) __shared__ T name[count]
#define AEROSHMEM_DYNAMIC_SHARED(T, name) extern __shared__ T name[]
#define AEROSHMEM_MODULE_VARIABLE(T, name) extern "C" { __device__ T name; }
#define AEROSHMEM_MODULE_VARIABLE_ADDRESS(name) (&name)
#endif

/* Kernels that test the simulated driver; simulation_test_kernels.ptx is made from them by nvcc. */

typedef unsigned long long u64;

struct Point
{
    int x;
    double y;
};

AEROSHMEM_MODULE_VARIABLE(u64, sim_test_counter)

extern "C" __global__ void sim_test_fill(u64 dest, int value, u64 count)
{
    const u64 i = (u64)blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count)
    {
        *AEROSHMEM_GLOBAL(int, dest + i * sizeof(int)) = value + (int)i;
    }
}

extern "C" __global__ void sim_test_parameters(
    u64 dest, signed char byte, short half, float single, double twice, Point point)
{
    double *out = AEROSHMEM_GLOBAL(double, dest);
    out[0] = byte;
    out[1] = half;
    out[2] = single;
    out[3] = twice;
    out[4] = point.x;
    out[5] = point.y;
}

extern "C" __global__ void sim_test_indexes(u64 dest)
{
    const u64 block = blockIdx.x + gridDim.x * (blockIdx.y + (u64)gridDim.y * blockIdx.z);
    const u64 thread = threadIdx.x + blockDim.x * (threadIdx.y + (u64)blockDim.y * threadIdx.z);
    const u64 threads = (u64)blockDim.x * blockDim.y * blockDim.z;
    atomicAdd(AEROSHMEM_GLOBAL(int, dest + (block * threads + thread) * sizeof(int)), 1);
}

extern "C" __global__ void sim_test_add(u64 word, int value)
{
    atomicAdd_system(AEROSHMEM_GLOBAL(int, word), value);
}

extern "C" __global__ void sim_test_count_in_module()
{
    u64 *counter = AEROSHMEM_MODULE_VARIABLE_ADDRESS(sim_test_counter);
    *counter = *counter + 1;
}

/* Waits until the word is at least this value. */
extern "C" __global__ void sim_test_wait(u64 word, u64 value)
{
    while (*(volatile u64 *)AEROSHMEM_GLOBAL(u64, word) < value)
    {
        __nanosleep(10000);
    }
}

/* dest[block] is the sum of the block's part of the source, by way of shared memory. */
extern "C" AEROSHMEM_CONCURRENT __global__ void sim_test_block_sum(u64 dest, u64 source)
{
    AEROSHMEM_SHARED(int, partial, 256);
    const unsigned thread = threadIdx.x;
    partial[thread] = *AEROSHMEM_GLOBAL(int, source + ((u64)blockIdx.x * blockDim.x + thread) * sizeof(int));
    __syncthreads();
    for (unsigned half = blockDim.x / 2; half > 0; half /= 2)
    {
        if (thread < half)
        {
            partial[thread] += partial[thread + half];
        }

        __syncthreads();
    }

    if (0 == thread)
    {
        *AEROSHMEM_GLOBAL(int, dest + blockIdx.x * sizeof(int)) = partial[0];
    }
}

/* As above for one block, in dynamic shared memory that another thread reverses. */
extern "C" AEROSHMEM_CONCURRENT __global__ void sim_test_reverse(u64 data)
{
    AEROSHMEM_DYNAMIC_SHARED(int, copy);
    int *word = AEROSHMEM_GLOBAL(int, data + threadIdx.x * sizeof(int));
    copy[threadIdx.x] = *word;
    __syncthreads();
    *word = copy[blockDim.x - 1 - threadIdx.x];
}

/* What the functions of a warp give to each thread: sum by butterfly, ballot, lane 5's value, neighbour's value. */
extern "C" AEROSHMEM_CONCURRENT __global__ void sim_test_warp(u64 dest)
{
    const int lane = (int)threadIdx.x % 32;
    int sum = lane;
    for (int lanes = 16; lanes > 0; lanes /= 2)
    {
        sum += __shfl_xor_sync(0xffffffffu, sum, lanes);
    }

    const unsigned odd = __ballot_sync(0xffffffffu, lane % 2);
    const int fifth = __shfl_sync(0xffffffffu, lane * 10, 5);
    const int next = __shfl_down_sync(0xffffffffu, lane, 1);
    const u64 at = dest + (u64)threadIdx.x * 4 * sizeof(int);
    *AEROSHMEM_GLOBAL(int, at) = sum;
    *AEROSHMEM_GLOBAL(unsigned, at + 4) = odd;
    *AEROSHMEM_GLOBAL(int, at + 8) = fifth;
    *AEROSHMEM_GLOBAL(int, at + 12) = next;
}

/* One addition for all lanes that are together, by the first of them. */
extern "C" AEROSHMEM_CONCURRENT __global__ void sim_test_aggregate(u64 counter, u64 places)
{
    const unsigned lane = threadIdx.x % 32;
    const unsigned mask = __activemask();
    const unsigned leader = (unsigned)__ffs((int)mask) - 1;
    int first = 0;
    if (lane == leader)
    {
        first = atomicAdd(AEROSHMEM_GLOBAL(int, counter), __popc(mask));
    }

    first = __shfl_sync(mask, first, (int)leader);
    const int place = first + __popc(mask & ((1u << lane) - 1));
    atomicAdd(AEROSHMEM_GLOBAL(int, places + (u64)place * sizeof(int)), 1);
}

/* All blocks wait for one another, which only a cooperative launch allows. */
extern "C" AEROSHMEM_CONCURRENT __global__ void sim_test_grid_barrier(u64 arrived, u64 dest)
{
    __syncthreads();
    if (0 == threadIdx.x)
    {
        atomicAdd(AEROSHMEM_GLOBAL(unsigned, arrived), 1u);
        while (*(volatile unsigned *)AEROSHMEM_GLOBAL(unsigned, arrived) < gridDim.x)
        {
            __nanosleep(1000);
        }
    }

    __syncthreads();
    atomicAdd(AEROSHMEM_GLOBAL(unsigned, dest), 1u);
}

/* Uses a barrier of the block without being declared as concurrent. */
extern "C" __global__ void sim_test_not_concurrent()
{
    __syncthreads();
}
