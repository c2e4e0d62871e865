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
#ifndef CUDA_SIM_DEVICE_H
#define CUDA_SIM_DEVICE_H

/*
 * CUDA C++ as far as kernels need it, for a C++ compiler: included before a .cu file, which becomes C++ whose kernels
 * the simulated driver executes. README.md says what a .cu file has to observe.
 */

#include "kernel_interface.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <type_traits>
#include <utility>

#define AEROSHMEM_CUDA_SIM 1

#ifdef CUDA_SIM_SCAN
/* compile-kernels.sh looks for these words in the preprocessed text. */
#define __global__ sim_scan_global
#define AEROSHMEM_CONCURRENT sim_scan_concurrent
#else
#define __global__ __attribute__((visibility("hidden")))
#define AEROSHMEM_CONCURRENT
#endif

#define __device__
#define __host__
#define __constant__ static
#define __forceinline__ inline __attribute__((always_inline))
#define __noinline__ __attribute__((noinline))
#define __launch_bounds__(...)
#define __grid_constant__
#define __align__(bytes) __attribute__((aligned(bytes)))

/* Memory of the block. __shared__ has no counterpart: the simulated threads of several blocks would share it. */
#define AEROSHMEM_SHARED(T, name, count)                                                                               \
    static char name##_sim_key;                                                                                        \
    T *const name = static_cast<T *>(aeroshmem_sim_shared(&name##_sim_key, sizeof(T) * (count)))
#define AEROSHMEM_DYNAMIC_SHARED(T, name) T *const name = static_cast<T *>(aeroshmem_sim_dynamic_shared())

/* A variable of the module, of which each loaded module has its own. */
#define AEROSHMEM_MODULE_VARIABLE(T, name)                                                                             \
    inline T *name##_sim_address()                                                                                     \
    {                                                                                                                  \
        return static_cast<T *>(aeroshmem_sim_module_global(#name, sizeof(T)));                                        \
    }
#define AEROSHMEM_MODULE_VARIABLE_ADDRESS(name) (name##_sim_address())

/* The pointer by which a kernel accesses a T in global memory. */
#define AEROSHMEM_GLOBAL(T, address) (sim::global<T>(address))

#define threadIdx (aeroshmem_sim_current->thread_index)
#define blockIdx (aeroshmem_sim_current->block_index)
#define blockDim (aeroshmem_sim_current->block_dimension)
#define gridDim (aeroshmem_sim_current->grid_dimension)
#define warpSize 32

namespace sim
{

template <typename T>
inline T *global(const uint64_t address)
{
    return static_cast<T *>(aeroshmem_sim_translate(address, sizeof(T), alignof(T)));
}

template <typename T, typename P>
inline T *global(P *address)
{
    return global<T>(reinterpret_cast<uint64_t>(address));
}

template <typename T>
inline uint64_t bits_of(const T value)
{
    static_assert(sizeof(T) <= sizeof(uint64_t), "the value is too long for a warp function");
    uint64_t bits = 0;
    memcpy(&bits, &value, sizeof(T));
    return bits;
}

template <typename T>
inline T of_bits(const uint64_t bits)
{
    T value;
    memcpy(&value, &bits, sizeof(T));
    return value;
}

inline unsigned thread_number()
{
    return threadIdx.x + blockDim.x * (threadIdx.y + blockDim.y * threadIdx.z);
}

inline unsigned lane()
{
    return thread_number() % 32;
}

template <typename T, typename C>
inline T shuffle(const unsigned mask, const T value, const C &source)
{
    uint64_t values[32];
    aeroshmem_sim_warp_share(mask, bits_of(value), values);
    const int from = source();
    return from >= 0 && from < 32 && 0 != (mask & 1u << from) ? of_bits<T>(values[from]) : value;
}

}

struct int2 { int x, y; };
struct int4 { int x, y, z, w; };
struct uint2 { unsigned x, y; };
struct uint4 { unsigned x, y, z, w; };
struct float2 { float x, y; };
struct float4 { float x, y, z, w; };
struct double2 { double x, y; };
struct __attribute__((aligned(16))) longlong2 { long long x, y; };
struct __attribute__((aligned(16))) ulonglong2 { unsigned long long x, y; };

/* Fences: what a kernel wrote before is visible before what it writes after; on x86 for all scopes alike. */
inline void __threadfence() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_block() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }
inline void __threadfence_system() { __atomic_thread_fence(__ATOMIC_SEQ_CST); }

/* Barriers and functions of a warp. */
inline void __syncthreads() { aeroshmem_sim_block_barrier(0); }
inline int __syncthreads_count(const int p) { return static_cast<int>(aeroshmem_sim_block_barrier(0 != p)); }
inline int __syncthreads_or(const int p) { return 0 != aeroshmem_sim_block_barrier(0 != p); }
inline int __syncthreads_and(const int p) { return 0 == aeroshmem_sim_block_barrier(0 == p); }

inline void __syncwarp(const unsigned mask = 0xffffffffu)
{
    uint64_t values[32];
    aeroshmem_sim_warp_share(mask, 0, values);
}

inline unsigned __ballot_sync(const unsigned mask, const int predicate)
{
    uint64_t values[32];
    aeroshmem_sim_warp_share(mask, 2 | (0 != predicate), values);
    unsigned result = 0;
    for (unsigned i = 0; i < 32; i++)
    {
        result |= 0 != (mask & 1u << i) && 3 == values[i] ? 1u << i : 0;
    }

    return result;
}

inline int __any_sync(const unsigned mask, const int predicate) { return 0 != __ballot_sync(mask, predicate); }
inline int __all_sync(const unsigned mask, const int predicate) { return 0 == __ballot_sync(mask, !predicate); }

#define __activemask()                                                                                                 \
    ([]                                                                                                                \
    {                                                                                                                  \
        static char place;                                                                                             \
        return aeroshmem_sim_active_mask(&place);                                                                      \
    }())

template <typename T>
inline T __shfl_sync(const unsigned mask, const T value, const int source, const int width = 32)
{
    const int own = static_cast<int>(sim::lane());
    return sim::shuffle(mask, value, [=] { return own / width * width + (source & (width - 1)); });
}

template <typename T>
inline T __shfl_up_sync(const unsigned mask, const T value, const unsigned delta, const int width = 32)
{
    const int own = static_cast<int>(sim::lane());
    const int from = own - static_cast<int>(delta);
    return sim::shuffle(mask, value, [=] { return from < own / width * width ? own : from; });
}

template <typename T>
inline T __shfl_down_sync(const unsigned mask, const T value, const unsigned delta, const int width = 32)
{
    const int own = static_cast<int>(sim::lane());
    const int from = own + static_cast<int>(delta);
    return sim::shuffle(mask, value, [=] { return from >= (own / width + 1) * width ? own : from; });
}

template <typename T>
inline T __shfl_xor_sync(const unsigned mask, const T value, const int lanes, const int width = 32)
{
    const int own = static_cast<int>(sim::lane());
    const int from = own ^ lanes;
    return sim::shuffle(mask, value, [=] { return from >= (own / width + 1) * width ? own : from; });
}

template <typename T>
inline unsigned __match_any_sync(const unsigned mask, const T value)
{
    uint64_t values[32];
    aeroshmem_sim_warp_share(mask, sim::bits_of(value), values);
    unsigned result = 0;
    for (unsigned i = 0; i < 32; i++)
    {
        result |= 0 != (mask & 1u << i) && values[i] == sim::bits_of(value) ? 1u << i : 0;
    }

    return result;
}

/*
 * Atomic operations, relaxed as on the device, and lock-free, so that they are atomic against other processes and the
 * host as well.
 */
#define SIM_SCOPES(function, T, parameters, arguments)                                                                 \
    inline T function##_system parameters { return function arguments; }                                               \
    inline T function##_block parameters { return function arguments; }

#define SIM_ATOMIC(function, T, builtin)                                                                               \
    inline T function(T *address, T value)                                                                             \
    {                                                                                                                  \
        aeroshmem_sim_note_atomic(address);                                                                            \
        return builtin(address, value, __ATOMIC_RELAXED);                                                              \
    }                                                                                                                  \
    SIM_SCOPES(function, T, (T *address, T value), (address, value))

#define SIM_ATOMIC_LOOP(function, T, expression)                                                                       \
    inline T function(T *address, T value)                                                                             \
    {                                                                                                                  \
        aeroshmem_sim_note_atomic(address);                                                                            \
        T old;                                                                                                         \
        T next;                                                                                                        \
        __atomic_load(address, &old, __ATOMIC_RELAXED);                                                                \
        do                                                                                                             \
        {                                                                                                              \
            next = (expression);                                                                                       \
        }                                                                                                              \
        while (!__atomic_compare_exchange(address, &old, &next, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED));           \
        return old;                                                                                                    \
    }                                                                                                                  \
    SIM_SCOPES(function, T, (T *address, T value), (address, value))

#define SIM_ATOMIC_CAS(T)                                                                                              \
    inline T atomicCAS(T *address, T compare, T value)                                                                 \
    {                                                                                                                  \
        aeroshmem_sim_note_atomic(address);                                                                            \
        __atomic_compare_exchange_n(address, &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);              \
        return compare;                                                                                                \
    }                                                                                                                  \
    SIM_SCOPES(atomicCAS, T, (T *address, T compare, T value), (address, compare, value))

#define SIM_ATOMICS_OF(T)                                                                                              \
    SIM_ATOMIC(atomicExch, T, __atomic_exchange_n)                                                                     \
    SIM_ATOMIC(atomicAnd, T, __atomic_fetch_and)                                                                       \
    SIM_ATOMIC(atomicOr, T, __atomic_fetch_or)                                                                         \
    SIM_ATOMIC(atomicXor, T, __atomic_fetch_xor)                                                                       \
    SIM_ATOMIC_LOOP(atomicMin, T, value < old ? value : old)                                                           \
    SIM_ATOMIC_LOOP(atomicMax, T, value > old ? value : old)                                                           \
    SIM_ATOMIC_CAS(T)

SIM_ATOMICS_OF(int)
SIM_ATOMICS_OF(unsigned int)
SIM_ATOMICS_OF(unsigned long long)
SIM_ATOMIC(atomicAdd, int, __atomic_fetch_add)
SIM_ATOMIC(atomicAdd, unsigned int, __atomic_fetch_add)
SIM_ATOMIC(atomicAdd, unsigned long long, __atomic_fetch_add)
SIM_ATOMIC(atomicSub, int, __atomic_fetch_sub)
SIM_ATOMIC(atomicSub, unsigned int, __atomic_fetch_sub)
SIM_ATOMIC_LOOP(atomicInc, unsigned int, old >= value ? 0 : old + 1)
SIM_ATOMIC_LOOP(atomicDec, unsigned int, 0 == old || old > value ? value : old - 1)
SIM_ATOMIC_LOOP(atomicMin, long long, value < old ? value : old)
SIM_ATOMIC_LOOP(atomicMax, long long, value > old ? value : old)
SIM_ATOMIC_LOOP(atomicAdd, float, old + value)
SIM_ATOMIC_LOOP(atomicAdd, double, old + value)
SIM_ATOMIC_LOOP(atomicExch, float, value)

/* Time. */
inline void __nanosleep(const unsigned nanoseconds) { aeroshmem_sim_sleep(nanoseconds); }

inline long long clock64()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return now.tv_sec * 1000000000ll + now.tv_nsec;
}

inline void __trap() { aeroshmem_sim_trap("trap"); }

/* Loads and stores with a cache hint, and the reinterpretation of bits. */
template <typename T> inline T __ldg(const T *address) { return *address; }
template <typename T> inline T __ldcg(const T *address) { return *static_cast<const volatile T *>(address); }
template <typename T> inline T __ldcv(const T *address) { return *static_cast<const volatile T *>(address); }
template <typename T> inline void __stcg(T *address, T value) { *static_cast<volatile T *>(address) = value; }
template <typename T> inline void __stwt(T *address, T value) { *static_cast<volatile T *>(address) = value; }

inline int __float_as_int(const float value) { return sim::of_bits<int>(sim::bits_of(value)); }
inline unsigned __float_as_uint(const float value) { return sim::of_bits<unsigned>(sim::bits_of(value)); }
inline float __int_as_float(const int value) { return sim::of_bits<float>(sim::bits_of(value)); }
inline float __uint_as_float(const unsigned value) { return sim::of_bits<float>(sim::bits_of(value)); }
inline long long __double_as_longlong(const double value) { return sim::of_bits<long long>(sim::bits_of(value)); }
inline double __longlong_as_double(const long long value) { return sim::of_bits<double>(sim::bits_of(value)); }

inline float __fadd_rn(const float a, const float b) { return a + b; }
inline float __fsub_rn(const float a, const float b) { return a - b; }
inline float __fmul_rn(const float a, const float b) { return a * b; }
inline float __fdiv_rn(const float a, const float b) { return a / b; }
inline double __dadd_rn(const double a, const double b) { return a + b; }
inline double __dsub_rn(const double a, const double b) { return a - b; }
inline double __dmul_rn(const double a, const double b) { return a * b; }
inline double __ddiv_rn(const double a, const double b) { return a / b; }

inline int __popc(const unsigned value) { return __builtin_popcount(value); }
inline int __popcll(const unsigned long long value) { return __builtin_popcountll(value); }
inline int __ffs(const int value) { return __builtin_ffs(value); }
inline int __ffsll(const long long value) { return __builtin_ffsll(value); }
inline int __clz(const int value) { return 0 == value ? 32 : __builtin_clz(static_cast<unsigned>(value)); }
inline int __clzll(const long long value)
{
    return 0 == value ? 64 : __builtin_clzll(static_cast<unsigned long long>(value));
}

inline int min(const int a, const int b) { return b < a ? b : a; }
inline int max(const int a, const int b) { return a < b ? b : a; }
inline unsigned min(const unsigned a, const unsigned b) { return b < a ? b : a; }
inline unsigned max(const unsigned a, const unsigned b) { return a < b ? b : a; }
inline long min(const long a, const long b) { return b < a ? b : a; }
inline long max(const long a, const long b) { return a < b ? b : a; }
inline unsigned long min(const unsigned long a, const unsigned long b) { return b < a ? b : a; }
inline unsigned long max(const unsigned long a, const unsigned long b) { return a < b ? b : a; }
inline long long min(const long long a, const long long b) { return b < a ? b : a; }
inline long long max(const long long a, const long long b) { return a < b ? b : a; }
inline unsigned long long min(const unsigned long long a, const unsigned long long b) { return b < a ? b : a; }
inline unsigned long long max(const unsigned long long a, const unsigned long long b) { return a < b ? b : a; }

/* Registration. */
namespace sim
{

template <auto KERNEL>
struct Launcher;

template <typename... A, void (*KERNEL)(A...)>
struct Launcher<KERNEL>
{
    static constexpr size_t COUNT = sizeof...(A);
    static constexpr size_t SIZES[COUNT + 1] = {sizeof(A)..., 0};

    static void invoke(const void *const *arguments)
    {
        call(arguments, std::index_sequence_for<A...>());
    }

private:
    template <size_t... I>
    static void call(const void *const *arguments, std::index_sequence<I...>)
    {
        (void)arguments;
        KERNEL(*static_cast<const std::remove_cv_t<A> *>(arguments[I])...);
    }
};

struct Registration
{
    explicit Registration(const sim_kernel &kernel)
    {
        aeroshmem_sim_register(&kernel);
    }
};

}

#define SIM_KERNEL(function, concurrent)                                                                               \
    static const sim_kernel function##_sim_kernel{                                                                     \
        #function, sim::Launcher<&function>::invoke, sim::Launcher<&function>::COUNT,                                  \
        sim::Launcher<&function>::SIZES, concurrent};                                                                  \
    static const sim::Registration function##_sim_registration(function##_sim_kernel);

#endif
