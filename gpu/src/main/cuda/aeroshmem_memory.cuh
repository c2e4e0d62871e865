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
#ifndef AEROSHMEM_MEMORY_CUH
#define AEROSHMEM_MEMORY_CUH

/**
 * Access to global memory. Kernels access each element of device memory and of mapped host memory through
 * AEROSHMEM_GLOBAL. On CUDA the macro converts an address to a pointer. In the simulated driver it also checks and
 * translates the address.
 *
 * Flags, signals and the words of AMOs are accessed at system scope, since peers on other GPUs and the host share them.
 */
#ifndef AEROSHMEM_GLOBAL
#define AEROSHMEM_GLOBAL(T, address) ((T *)(address))
#endif

namespace aeroshmem
{

typedef unsigned char u8;
typedef unsigned short u16;
typedef unsigned int u32;
typedef unsigned long long u64;
typedef signed char s8;
typedef short s16;
typedef int s32;
typedef long long s64;

/** Returns a pointer to an element of an array. */
template <typename T>
static __device__ __forceinline__ T *element(const u64 array, const u64 index)
{
    return AEROSHMEM_GLOBAL(T, array + index * sizeof(T));
}

/** Loads with acquire semantics: what the writer released with the value is visible afterwards. */
static __device__ __forceinline__ u32 load_acquire(const u32 *word)
{
#if defined(__CUDA_ARCH__)
    u32 value;
    asm volatile("ld.acquire.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

static __device__ __forceinline__ u64 load_acquire(const u64 *word)
{
#if defined(__CUDA_ARCH__)
    u64 value;
    asm volatile("ld.acquire.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_ACQUIRE);
#endif
}

/** Loads without ordering, in one access. */
static __device__ __forceinline__ u32 load_relaxed(const u32 *word)
{
#if defined(__CUDA_ARCH__)
    u32 value;
    asm volatile("ld.relaxed.sys.u32 %0, [%1];" : "=r"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

static __device__ __forceinline__ u64 load_relaxed(const u64 *word)
{
#if defined(__CUDA_ARCH__)
    u64 value;
    asm volatile("ld.relaxed.sys.u64 %0, [%1];" : "=l"(value) : "l"(word) : "memory");
    return value;
#else
    return __atomic_load_n(word, __ATOMIC_RELAXED);
#endif
}

/** Loads a word that is not written as long as a kernel runs, so that a loop need not load it again. */
static __device__ __forceinline__ u64 load_constant(const u64 *word)
{
#if defined(__CUDA_ARCH__)
    return __ldg(word);
#else
    return *word;
#endif
}

/** Stores without ordering, in one access. */
static __device__ __forceinline__ void store_relaxed(u64 *word, const u64 value)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.relaxed.sys.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELAXED);
#endif
}

/**
 * Stores with release semantics. Release is cumulative: it also covers the writes of earlier operations of the stream,
 * which happen before the kernel.
 */
static __device__ __forceinline__ void store_release(u64 *word, const u64 value)
{
#if defined(__CUDA_ARCH__)
    asm volatile("st.release.sys.u64 [%0], %1;" : : "l"(word), "l"(value) : "memory");
#else
    __atomic_store_n(word, value, __ATOMIC_RELEASE);
#endif
}

/** Returns the index of the thread in the grid, which has one dimension. */
static __device__ __forceinline__ u64 thread_index()
{
    return (u64)blockIdx.x * blockDim.x + threadIdx.x;
}

/** Returns the number of threads in the grid. */
static __device__ __forceinline__ u64 thread_count()
{
    return (u64)gridDim.x * blockDim.x;
}

}

#endif
