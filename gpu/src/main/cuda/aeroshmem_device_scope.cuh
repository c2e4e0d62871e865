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
#ifndef AEROSHMEM_DEVICE_SCOPE_CUH
#define AEROSHMEM_DEVICE_SCOPE_CUH

#include "aeroshmem_memory.cuh"

/**
 * Groups of threads that perform a routine together: a thread, a warp, a block. All threads of the group call, with the
 * same arguments. sync is a barrier of the group: the accesses of all threads before it are ordered before their
 * accesses after it. any returns whether a predicate holds for one of the threads, and is such a barrier too.
 */
namespace aeroshmem
{
namespace device
{

static const u32 WARP_SIZE = 32;

/** Returns the number of the thread in its block. */
static __device__ __forceinline__ u32 thread_number()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

static __device__ __forceinline__ u32 lane_number()
{
    return thread_number() % WARP_SIZE;
}

static __device__ __forceinline__ u32 block_size()
{
    return blockDim.x * blockDim.y * blockDim.z;
}

struct ThreadScope
{
    static __device__ __forceinline__ u32 rank()
    {
        return 0;
    }

    static __device__ __forceinline__ u32 size()
    {
        return 1;
    }

    static __device__ __forceinline__ void sync()
    {
    }

    static __device__ __forceinline__ bool any(const bool predicate)
    {
        return predicate;
    }
};

struct WarpScope
{
    static __device__ __forceinline__ u32 rank()
    {
        return lane_number();
    }

    /** The last warp of a block may be smaller. */
    static __device__ __forceinline__ u32 size()
    {
        const u32 rest = block_size() - (thread_number() - lane_number());
        return rest < WARP_SIZE ? rest : WARP_SIZE;
    }

    static __device__ __forceinline__ void sync()
    {
        __syncwarp(mask());
    }

    static __device__ __forceinline__ bool any(const bool predicate)
    {
        const bool result = 0 != __any_sync(mask(), predicate);
        __syncwarp(mask());
        return result;
    }

private:
    static __device__ __forceinline__ u32 mask()
    {
        const u32 lanes = size();
        return WARP_SIZE == lanes ? ~0u : (1u << lanes) - 1;
    }
};

struct BlockScope
{
    static __device__ __forceinline__ u32 rank()
    {
        return thread_number();
    }

    static __device__ __forceinline__ u32 size()
    {
        return block_size();
    }

    static __device__ __forceinline__ void sync()
    {
        __syncthreads();
    }

    static __device__ __forceinline__ bool any(const bool predicate)
    {
        return 0 != __syncthreads_or(predicate);
    }
};

}
}

#endif
