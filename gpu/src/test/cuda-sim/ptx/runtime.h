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
#ifndef CUDA_SIM_PTX_RUNTIME_H
#define CUDA_SIM_PTX_RUNTIME_H

/*
 * What PTX that was translated to C++ is made of: PtxTranslator makes a statement of each instruction, with these
 * functions where C++ has no operator of the same meaning.
 */

#include "kernel_interface.h"

#include <cstring>
#include <ctime>
#include <pthread.h>

namespace ptx
{

template <typename T, typename F>
inline T bits(const F from)
{
    static_assert(sizeof(T) == sizeof(F), "a value has as many bits as its register");
    T to;
    memcpy(&to, &from, sizeof(T));
    return to;
}

/* The stack of the thread, on which registers and local memory are. */
struct Stack
{
    Stack()
    {
        pthread_attr_t attributes;
        void *address;
        pthread_getattr_np(pthread_self(), &attributes);
        pthread_attr_getstack(&attributes, &address, &bytes);
        pthread_attr_destroy(&attributes);
        begin = reinterpret_cast<uint64_t>(address);
    }

    bool holds(const uint64_t address) const
    {
        return address - begin < bytes;
    }

    uint64_t begin;
    size_t bytes;
};

inline thread_local const Stack stack;

/*
 * Weak stores of a thread that other threads do not see yet. PTX promises that they do only after a fence, a store with
 * release, a barrier or the end of the kernel, so that is when they are performed, the last one first. A missing fence
 * or release therefore shows in what other threads and the host read.
 */
class PendingStores
{
public:
    void add(void *to, const uint64_t value, const unsigned bytes)
    {
        settle(to, bytes);
        if (CAPACITY == count)
        {
            perform();
        }

        const uint64_t address = reinterpret_cast<uint64_t>(to);
        begin = 0 == count || address < begin ? address : begin;
        end = 0 == count || address + bytes > end ? address + bytes : end;
        stores[count++] = {address, value, bytes};
    }

    /* Performs the stores if one of them is to memory that is about to be accessed: a thread sees its own stores. */
    void settle(const void *accessed, const unsigned bytes)
    {
        const uint64_t address = reinterpret_cast<uint64_t>(accessed);
        if (0 == count || address >= end || address + bytes <= begin)
        {
            return;
        }

        for (unsigned i = 0; i < count; i++)
        {
            if (address < stores[i].address + stores[i].bytes && stores[i].address < address + bytes)
            {
                perform();
                return;
            }
        }
    }

    void perform()
    {
        while (count > 0)
        {
            const Store &store = stores[--count];
            switch (store.bytes)
            {
                case 1: perform_as<uint8_t>(store); break;
                case 2: perform_as<uint16_t>(store); break;
                case 4: perform_as<uint32_t>(store); break;
                default: perform_as<uint64_t>(store); break;
            }
        }
    }

    void discard()
    {
        count = 0;
    }

private:
    static constexpr unsigned CAPACITY = 32;

    struct Store
    {
        uint64_t address;
        uint64_t value;
        unsigned bytes;
    };

    template <typename T>
    static void perform_as(const Store &store)
    {
        __atomic_store_n(reinterpret_cast<T *>(store.address), static_cast<T>(store.value), __ATOMIC_RELAXED);
    }

    Store stores[CAPACITY];
    unsigned count = 0;
    /* All stores are between these addresses. */
    uint64_t begin;
    uint64_t end;
};

inline thread_local PendingStores pending;

/* Memory by an address: of a parameter, a variable or the stack; of the device; and by a generic address. */
template <typename T, int COUNT>
inline T *here(const uint64_t address)
{
    return reinterpret_cast<T *>(address);
}

template <typename T, int COUNT>
inline T *in_global(const uint64_t address)
{
    return static_cast<T *>(aeroshmem_sim_translate(address, sizeof(T) * COUNT, sizeof(T) * COUNT));
}

template <typename T, int COUNT>
inline T *at(const uint64_t address)
{
    return stack.holds(address) ? here<T, COUNT>(address) : in_global<T, COUNT>(address);
}

/* The shared memory of a block: static from address 0, dynamic from another address. */
struct Shared
{
    Shared(const void *key, const size_t bytes, const uint64_t dynamic_begin) :
        fixed(static_cast<char *>(aeroshmem_sim_shared(key, bytes))),
        dynamic(static_cast<char *>(aeroshmem_sim_dynamic_shared())),
        dynamic_begin(dynamic_begin)
    {
    }

    template <typename T, int COUNT>
    T *at(const uint64_t address) const
    {
        return reinterpret_cast<T *>(address < dynamic_begin ? fixed + address : dynamic + (address - dynamic_begin));
    }

    char *const fixed;
    char *const dynamic;
    const uint64_t dynamic_begin;
};

template <typename T> struct Bits { using Type = T; };
template <> struct Bits<float> { using Type = uint32_t; };
template <> struct Bits<double> { using Type = uint64_t; };

template <typename T>
inline T load(const T *address)
{
    pending.settle(address, sizeof(T));
    return *static_cast<const volatile T *>(address);
}

template <typename T>
inline T load_relaxed(const T *address)
{
    pending.settle(address, sizeof(T));
    return __atomic_load_n(address, __ATOMIC_RELAXED);
}

template <typename T>
inline T load_acquire(const T *address)
{
    pending.settle(address, sizeof(T));
    return __atomic_load_n(address, __ATOMIC_ACQUIRE);
}

/* On the stack are local memory and the parameters of calls. */
template <typename T>
inline void store(T *address, const T value)
{
    if (stack.holds(reinterpret_cast<uint64_t>(address)))
    {
        *address = value;
    }
    else
    {
        pending.add(address, bits<typename Bits<T>::Type>(value), sizeof(T));
    }
}

template <typename T>
inline void store_relaxed(T *address, const T value)
{
    pending.settle(address, sizeof(T));
    __atomic_store_n(address, value, __ATOMIC_RELAXED);
}

template <typename T>
inline void store_release(T *address, const T value)
{
    pending.perform();
    __atomic_store_n(address, value, __ATOMIC_RELEASE);
}

inline void fence()
{
    pending.perform();
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

/* Atomic operations, relaxed. */
template <typename T>
inline T *begin_atomic(T *address)
{
    pending.settle(address, sizeof(T));
    aeroshmem_sim_note_atomic(address);
    return address;
}

template <typename T>
inline T atomic_add(T *address, const T value)
{
    return __atomic_fetch_add(begin_atomic(address), value, __ATOMIC_RELAXED);
}

template <typename T>
inline T atomic_and(T *address, const T value)
{
    return __atomic_fetch_and(begin_atomic(address), value, __ATOMIC_RELAXED);
}

template <typename T>
inline T atomic_or(T *address, const T value)
{
    return __atomic_fetch_or(begin_atomic(address), value, __ATOMIC_RELAXED);
}

template <typename T>
inline T atomic_xor(T *address, const T value)
{
    return __atomic_fetch_xor(begin_atomic(address), value, __ATOMIC_RELAXED);
}

template <typename T>
inline T atomic_exch(T *address, const T value)
{
    return __atomic_exchange_n(begin_atomic(address), value, __ATOMIC_RELAXED);
}

template <typename T>
inline T atomic_cas(T *address, T compare, const T value)
{
    __atomic_compare_exchange_n(
        begin_atomic(address), &compare, value, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
    return compare;
}

template <typename T>
inline T atomic_max(T *address, const T value)
{
    T old = __atomic_load_n(begin_atomic(address), __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        address, &old, old < value ? value : old, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
    }

    return old;
}

template <typename T>
inline T atomic_min(T *address, const T value)
{
    T old = __atomic_load_n(begin_atomic(address), __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(
        address, &old, value < old ? value : old, false, __ATOMIC_RELAXED, __ATOMIC_RELAXED))
    {
    }

    return old;
}

/* Barriers order memory. Shuffles and votes do not. */
inline unsigned block_barrier(const bool predicate)
{
    pending.perform();
    return aeroshmem_sim_block_barrier(predicate ? 1 : 0);
}

inline void warp_barrier(const uint32_t mask)
{
    uint64_t values[32];
    pending.perform();
    aeroshmem_sim_warp_share(mask, 0, values);
}

inline unsigned lane()
{
    const sim_thread &thread = *aeroshmem_sim_current;
    return (thread.thread_index.x + thread.block_dimension.x *
        (thread.thread_index.y + thread.block_dimension.y * thread.thread_index.z)) % 32;
}

inline uint32_t ballot(const uint32_t mask, const bool predicate)
{
    uint64_t values[32];
    aeroshmem_sim_warp_share(mask, predicate ? 1 : 0, values);
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++)
    {
        result |= 0 != (mask >> i & 1) && 0 != values[i] ? 1u << i : 0;
    }

    return result;
}

/* The lane's own value if it reads outside of its segment. */
inline uint32_t shuffle(
    const uint32_t mask, const uint32_t value, const int own, const int from, const bool in_range)
{
    uint64_t values[32];
    aeroshmem_sim_warp_share(mask, value, values);
    const int source = in_range ? from : own;
    if (0 == (mask >> source & 1))
    {
        aeroshmem_sim_trap("a shuffle reads the value of a lane that is not in its mask");
    }

    return static_cast<uint32_t>(values[source]);
}

/* The operand c of shfl has the mask of the segment in bits 8 to 12 and the clamp in bits 0 to 4. */
inline int segment(const uint32_t c)
{
    return static_cast<int>(c >> 8 & 31);
}

inline int first_lane(const int own, const uint32_t c)
{
    return own & segment(c);
}

inline int last_lane(const int own, const uint32_t c)
{
    return first_lane(own, c) | (static_cast<int>(c & 31) & ~segment(c));
}

inline uint32_t shuffle_idx(
    const uint32_t mask, const uint32_t value, const uint32_t b, const uint32_t c, bool &in_range)
{
    const int own = static_cast<int>(lane());
    const int from = first_lane(own, c) | (static_cast<int>(b & 31) & ~segment(c));
    in_range = from <= last_lane(own, c);
    return shuffle(mask, value, own, from, in_range);
}

inline uint32_t shuffle_up(
    const uint32_t mask, const uint32_t value, const uint32_t b, const uint32_t c, bool &in_range)
{
    const int own = static_cast<int>(lane());
    const int from = own - static_cast<int>(b & 31);
    in_range = from >= last_lane(own, c);
    return shuffle(mask, value, own, from, in_range);
}

inline uint32_t shuffle_down(
    const uint32_t mask, const uint32_t value, const uint32_t b, const uint32_t c, bool &in_range)
{
    const int own = static_cast<int>(lane());
    const int from = own + static_cast<int>(b & 31);
    in_range = from <= last_lane(own, c);
    return shuffle(mask, value, own, from, in_range);
}

inline uint32_t shuffle_bfly(
    const uint32_t mask, const uint32_t value, const uint32_t b, const uint32_t c, bool &in_range)
{
    const int own = static_cast<int>(lane());
    const int from = own ^ static_cast<int>(b & 31);
    in_range = from <= last_lane(own, c);
    return shuffle(mask, value, own, from, in_range);
}

inline uint64_t nanoseconds()
{
    timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return static_cast<uint64_t>(now.tv_sec) * 1000000000u + static_cast<uint64_t>(now.tv_nsec);
}

/* Arithmetic. */
template <typename T>
inline bool ordered(const T a, const T b)
{
    return a == a && b == b;
}

inline uint64_t high(const uint64_t a, const uint64_t b)
{
    return static_cast<uint64_t>(static_cast<unsigned __int128>(a) * b >> 64);
}

inline int64_t high(const int64_t a, const int64_t b)
{
    return static_cast<int64_t>(static_cast<__int128>(a) * b >> 64);
}

inline uint32_t high(const uint32_t a, const uint32_t b)
{
    return static_cast<uint32_t>(static_cast<uint64_t>(a) * b >> 32);
}

inline int32_t high(const int32_t a, const int32_t b)
{
    return static_cast<int32_t>(static_cast<int64_t>(a) * b >> 32);
}

/* Whether a signed division by -1 is a negation, which overflows in C++. */
template <typename T>
inline bool is_minus_one(const T b)
{
    return T(0) > T(-1) && T(-1) == b;
}

template <typename T>
inline T quotient(const T a, const T b)
{
    return 0 == b ? T(-1) : is_minus_one(b) ? T(0 - uint64_t(a)) : T(a / b);
}

template <typename T>
inline T remainder(const T a, const T b)
{
    return 0 == b ? a : is_minus_one(b) ? T(0) : T(a % b);
}

/* A shift by more than the length shifts out all bits. */
template <typename T>
inline T shl(const T a, const uint32_t by)
{
    return by < 8 * sizeof(T) ? T(uint64_t(a) << by) : T(0);
}

template <typename T>
inline T shr(const T a, const uint32_t by)
{
    return by < 8 * sizeof(T) ? T(a >> by) : a < T(0) ? T(-1) : T(0);
}

inline uint32_t shf_left(const uint32_t low, const uint32_t high, const uint32_t by)
{
    return static_cast<uint32_t>((uint64_t(high) << 32 | low) << (by & 31) >> 32);
}

inline uint32_t popc(const uint32_t a)
{
    return static_cast<uint32_t>(__builtin_popcount(a));
}

inline uint32_t clz(const uint32_t a)
{
    return 0 == a ? 32 : static_cast<uint32_t>(__builtin_clz(a));
}

/* bfind.shiftamt: by how much the highest bit that is set has to be shifted to be bit 31. */
inline uint32_t bfind(const uint32_t a)
{
    return 0 == a ? ~0u : clz(a);
}

inline uint32_t brev(const uint32_t a)
{
    uint32_t result = 0;
    for (unsigned i = 0; i < 32; i++)
    {
        result |= (a >> i & 1) << (31 - i);
    }

    return result;
}

/* A kernel, which registers itself. */
template <void (*FUNCTION)(unsigned char *, const unsigned char *const *)>
struct Kernel
{
    Kernel(const char *name, const size_t parameters, const size_t *sizes, const bool concurrent) :
        kernel{name, invoke, parameters, sizes, concurrent}
    {
        aeroshmem_sim_register(&kernel);
    }

    static void invoke(const void *const *arguments)
    {
        pending.discard();
        FUNCTION(nullptr, reinterpret_cast<const unsigned char *const *>(arguments));
        pending.perform();
    }

    const sim_kernel kernel;
};

}

#endif
