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
#ifndef AEROSHMEM_DEVICE_RMA_CUH
#define AEROSHMEM_DEVICE_RMA_CUH

#include "aeroshmem_device_ring.cuh"
#include "aeroshmem_strided.cuh"
#include "aeroshmem_types.cuh"

/**
 * Copies to and from symmetric memory: by loads and stores where the peer's heap has an address here, by requests
 * elsewhere. A symmetric address is that of the calling PE's own object.
 */
namespace aeroshmem
{
namespace device
{

/** An address that is not symmetric. */
static const u64 NOT_SYMMETRIC = ~(u64)0;

/** The unsigned integer of a size. */
template <u32 BYTES>
struct Bits;

template <>
struct Bits<1>
{
    typedef u8 type;
};

template <>
struct Bits<2>
{
    typedef u16 type;
};

template <>
struct Bits<4>
{
    typedef u32 type;
};

template <>
struct Bits<8>
{
    typedef u64 type;
};

/** Returns the number of bytes of an array, or a number that no heap holds. */
static __device__ __forceinline__ u64 bytes_of(const u64 elements, const u64 size)
{
    return elements > ((u64)1 << 48) ? (u64)1 << 60 : elements * size;
}

/** Returns region and offset of a block in this PE's heaps, as requests name them; NOT_SYMMETRIC if it is in none. */
static __device__ __forceinline__ u64 symmetric(const DeviceState &s, const u64 address, const u64 bytes)
{
    const u64 device_offset = address - s.device_heap;
    if (device_offset < s.device_length && bytes <= s.device_length - device_offset)
    {
        return device_offset;
    }
    const u64 host_offset = address - s.host_heap;
    if (0 != s.host_heap && host_offset < s.host_length && bytes <= s.host_length - host_offset)
    {
        return host_offset | (u64)REGION_HOST << REGION_SHIFT;
    }
    return NOT_SYMMETRIC;
}

static __device__ __forceinline__ bool is_host(const u64 target)
{
    return 0 != target >> REGION_SHIFT;
}

/** Returns the address by which this device reaches region and offset of a PE; 0: by requests only. */
static __device__ __forceinline__ u64 peer_address(const DeviceState &s, const u64 target, const s32 pe)
{
    const PeerView *const view = element<const PeerView>(s.peers, (u64)pe);
    const u64 base = load_constant(is_host(target) ? &view->host_base : &view->device_base);
    return 0 == base ? 0 : base + (target & ~((u64)1 << REGION_SHIFT));
}

/** An object of a peer: region and offset, and its address here or 0. */
struct Remote
{
    u64 target;
    u64 address;
};

/** Returns whether an address is a multiple of a power of two; records an error if not. */
static __device__ __forceinline__ bool is_aligned(
    const u64 address, const u32 alignment, const s32 pe, const s32 routine)
{
    if (0 == (address & (alignment - 1)))
    {
        return true;
    }
    report(ERROR_ARGUMENT, routine, pe, address, alignment);
    return false;
}

/** Records which argument of find is invalid. */
static __device__ __noinline__ void report_not_found(
    const u64 address, const u64 bytes, const u32 alignment, const s32 pe, const s32 routine)
{
    if (ready(pe, routine) && is_aligned(address, alignment, pe, routine))
    {
        report(ERROR_ADDRESS, routine, pe, address, bytes);
    }
}

/**
 * Finds an object of a peer. Returns false, and records an error, if the arguments are invalid. One branch, so that it
 * moves out of a loop over the same object.
 */
static __device__ __forceinline__ bool find(
    const u64 address, const u64 bytes, const u32 alignment, const s32 pe, const s32 routine, Remote &remote)
{
    const DeviceState &s = state();
    remote.target = symmetric(s, address, bytes);
    const bool is_found = (ABI_VERSION == s.version) & ((u32)pe < (u32)s.n_pes) &
        (0 == (address & (alignment - 1))) & (NOT_SYMMETRIC != remote.target);
    if (!is_found)
    {
        report_not_found(address, bytes, alignment, pe, routine);
        return false;
    }
    remote.address = peer_address(s, remote.target, pe);
    return true;
}

/** Returns whether an address is that of a symmetric object of this PE; records an error if not. */
static __device__ __forceinline__ bool is_own(
    const u64 address, const u64 bytes, const u32 alignment, const s32 routine)
{
    if (!initialised(routine) || !is_aligned(address, alignment, state().my_pe, routine))
    {
        return false;
    }
    if (NOT_SYMMETRIC == symmetric(state(), address, bytes))
    {
        report(ERROR_ADDRESS, routine, state().my_pe, address, bytes);
        return false;
    }
    return true;
}

/** Copies units. Four loads of a thread are under way before the first of their stores. */
template <typename SCOPE, typename UNIT>
static __device__ __forceinline__ void copy_units(const u64 dest, const u64 source, const u64 bytes)
{
    const u64 count = bytes / sizeof(UNIT);
    const u64 step = SCOPE::size();
    u64 i = SCOPE::rank();
    for (; i + 3 * step < count; i += 4 * step)
    {
        const UNIT a = *element<const UNIT>(source, i);
        const UNIT b = *element<const UNIT>(source, i + step);
        const UNIT c = *element<const UNIT>(source, i + 2 * step);
        const UNIT d = *element<const UNIT>(source, i + 3 * step);
        *element<UNIT>(dest, i) = a;
        *element<UNIT>(dest, i + step) = b;
        *element<UNIT>(dest, i + 2 * step) = c;
        *element<UNIT>(dest, i + 3 * step) = d;
    }
    for (; i < count; i += step)
    {
        *element<UNIT>(dest, i) = *element<const UNIT>(source, i);
    }
}

/** Returns the largest power of two up to 16 that divides a number. */
static __device__ __forceinline__ u32 alignment_of(const u64 number)
{
    const u32 low = (u32)number | (u32)sizeof(Quad);
    return low & (~low + 1);
}

/** Copies by the largest unit that divides addresses and length. */
template <typename SCOPE>
static __device__ __forceinline__ void copy_uniform(const u64 dest, const u64 source, const u64 bytes, const u32 unit)
{
    switch (unit)
    {
        case 16:
            copy_units<SCOPE, Quad>(dest, source, bytes);
            break;

        case 8:
            copy_units<SCOPE, u64>(dest, source, bytes);
            break;

        case 4:
            copy_units<SCOPE, u32>(dest, source, bytes);
            break;

        case 2:
            copy_units<SCOPE, u16>(dest, source, bytes);
            break;

        default:
            copy_units<SCOPE, u8>(dest, source, bytes);
            break;
    }
}

/**
 * Copies by the largest unit to which both sides can be aligned; head and tail by the largest that divides everything,
 * so that aligned elements never tear.
 */
template <typename SCOPE>
static __device__ __noinline__ void copy(const u64 dest, const u64 source, const u64 bytes)
{
    const u32 element_unit = alignment_of(dest | source | bytes);
    const u32 unit = alignment_of(dest ^ source);
    const u64 head = (0 - dest) & (unit - 1);
    if (unit == element_unit || bytes < head + unit)
    {
        copy_uniform<SCOPE>(dest, source, bytes, element_unit);
        return;
    }
    const u64 body = (bytes - head) & ~(u64)(unit - 1);
    const u64 tail = head + body;
    copy_uniform<SCOPE>(dest, source, head, element_unit);
    copy_uniform<SCOPE>(dest + head, source + head, body, unit);
    copy_uniform<SCOPE>(dest + tail, source + tail, bytes - tail, element_unit);
}

/** Loads an element of up to 8 bytes. */
static __device__ __forceinline__ u64 load_element(const u64 address, const u32 bytes)
{
    switch (bytes)
    {
        case 8:
            return *AEROSHMEM_GLOBAL(const volatile u64, address);

        case 4:
            return *AEROSHMEM_GLOBAL(const volatile u32, address);

        case 2:
            return *AEROSHMEM_GLOBAL(const volatile u16, address);

        default:
            return *AEROSHMEM_GLOBAL(const volatile u8, address);
    }
}

static __device__ __forceinline__ void store_element(const u64 address, const u64 value, const u32 bytes)
{
    switch (bytes)
    {
        case 8:
            *AEROSHMEM_GLOBAL(volatile u64, address) = value;
            break;

        case 4:
            *AEROSHMEM_GLOBAL(volatile u32, address) = (u32)value;
            break;

        case 2:
            *AEROSHMEM_GLOBAL(volatile u16, address) = (u16)value;
            break;

        default:
            *AEROSHMEM_GLOBAL(volatile u8, address) = (u8)value;
            break;
    }
}

static __device__ __forceinline__ void request_put_value(
    const u64 target, const u64 value, const u32 bytes, const s32 pe, const s32 routine)
{
    const Submission submission = {REQUEST_PUT_VALUE, pe, target, value, 0, (s32)bytes, 0};
    request(submission, routine);
}

static __device__ __forceinline__ Reply request_get_value(
    const u64 target, const u32 bytes, const s32 pe, const s32 routine)
{
    const Submission submission = {REQUEST_GET_VALUE, pe, target, 0, 0, (s32)bytes, REQUEST_AWAITED};
    return request(submission, routine);
}

/** Stores an element at a peer: address here, or else by a request. */
static __device__ __forceinline__ void put_element(
    const Remote &remote, const u64 offset, const u64 value, const u32 bytes, const s32 pe, const s32 routine)
{
    if (0 != remote.address)
    {
        store_element(remote.address + offset, value, bytes);
    }
    else
    {
        request_put_value(remote.target + offset, value, bytes, pe, routine);
    }
}

static __device__ __forceinline__ u64 get_element(
    const Remote &remote, const u64 offset, const u32 bytes, const s32 pe, const s32 routine)
{
    return 0 != remote.address ?
        load_element(remote.address + offset, bytes) :
        request_get_value(remote.target + offset, bytes, pe, routine).value;
}

/** Returns the largest unit of elements that divides a block on both sides. */
static __device__ __forceinline__ u32 element_unit(const u64 dest, const u64 source, const u64 bytes)
{
    const u32 unit = alignment_of(dest | source | bytes);
    return unit < sizeof(u64) ? unit : (u32)sizeof(u64);
}

/** How a put went: data of requests is followed by requests. */
enum Way
{
    WAY_NONE, WAY_ADDRESS, WAY_REQUEST
};

/** Puts a block by requests. Elements of a source that is not symmetric travel in the requests. */
template <typename SCOPE>
static __device__ __noinline__ void put_by_requests(
    const u64 target, const u64 source, const u64 bytes, const s32 pe, const s32 routine, const bool is_blocking)
{
    SCOPE::sync();
    const u64 local = symmetric(state(), source, bytes);
    if (NOT_SYMMETRIC == local)
    {
        const u32 unit = element_unit(target, source, bytes);
        for (u64 i = SCOPE::rank() * (u64)unit; i < bytes; i += SCOPE::size() * (u64)unit)
        {
            request_put_value(target + i, load_element(source + i, unit), unit, pe, routine);
        }
    }
    else if (0 == SCOPE::rank())
    {
        const Submission submission = {REQUEST_PUT, pe, target, local, bytes, 0, is_blocking ? REQUEST_AWAITED : 0};
        request(submission, routine);
    }
}

/** A put that returns when the source may be reused; is_blocking = false: after quiet. */
template <typename SCOPE>
static __device__ __noinline__ Way put(
    const u64 dest, const u64 source, const u64 bytes, const s32 pe, const s32 routine, const bool is_blocking)
{
    Remote remote;
    if (0 == bytes || !find(dest, bytes, 1, pe, routine, remote))
    {
        return WAY_NONE;
    }
    if (0 == source)
    {
        report(ERROR_ADDRESS, routine, pe, source, bytes);
        return WAY_NONE;
    }
    if (0 != remote.address)
    {
        copy<SCOPE>(remote.address, source, bytes);
        SCOPE::sync();
        return WAY_ADDRESS;
    }
    put_by_requests<SCOPE>(remote.target, source, bytes, pe, routine, is_blocking);
    SCOPE::sync();
    return WAY_REQUEST;
}

/** Gets a block by requests. Elements of a destination that is not symmetric travel in the results. */
template <typename SCOPE>
static __device__ __noinline__ void get_by_requests(
    const u64 dest, const u64 target, const u64 bytes, const s32 pe, const s32 routine, const bool is_blocking)
{
    SCOPE::sync();
    const u64 local = symmetric(state(), dest, bytes);
    if (NOT_SYMMETRIC == local)
    {
        const u32 unit = element_unit(dest, target, bytes);
        for (u64 i = SCOPE::rank() * (u64)unit; i < bytes; i += SCOPE::size() * (u64)unit)
        {
            const Reply reply = request_get_value(target + i, unit, pe, routine);
            if (reply.failed)
            {
                break;
            }
            store_element(dest + i, reply.value, unit);
        }
    }
    else if (0 == SCOPE::rank())
    {
        const Submission submission = {REQUEST_GET, pe, target, local, bytes, 0, is_blocking ? REQUEST_AWAITED : 0};
        request(submission, routine);
    }
}

/** A get that returns when the data is there; is_blocking = false: after quiet. */
template <typename SCOPE>
static __device__ __noinline__ void get(
    const u64 dest, const u64 source, const u64 bytes, const s32 pe, const bool is_blocking)
{
    Remote remote;
    if (0 == bytes || !find(source, bytes, 1, pe, ROUTINE_GET, remote))
    {
        return;
    }
    if (0 == dest)
    {
        report(ERROR_ADDRESS, ROUTINE_GET, pe, dest, bytes);
        return;
    }
    if (0 != remote.address)
    {
        copy<SCOPE>(dest, remote.address, bytes);
    }
    else
    {
        get_by_requests<SCOPE>(dest, remote.target, bytes, pe, ROUTINE_GET, is_blocking);
    }
    SCOPE::sync();
}

template <typename T>
static __device__ __forceinline__ void p(const u64 dest, const T value, const s32 pe)
{
    Remote remote;
    if (find(dest, sizeof(T), sizeof(T), pe, ROUTINE_P, remote))
    {
        put_element(remote, 0, bits_as<typename Bits<sizeof(T)>::type>(value), sizeof(T), pe, ROUTINE_P);
    }
}

template <typename T>
static __device__ __forceinline__ T g(const u64 source, const s32 pe)
{
    typedef typename Bits<sizeof(T)>::type bits;
    Remote remote;
    return find(source, sizeof(T), sizeof(T), pe, ROUTINE_G, remote) ?
        bits_as<T>((bits)get_element(remote, 0, sizeof(T), pe, ROUTINE_G)) : bits_as<T>((bits)0);
}

/** Returns the bytes from the first to the last element of a strided array, or 0 if the stride is invalid. */
static __device__ __forceinline__ u64 strided_length(
    const s64 stride, const u64 elements, const u32 bytes, const s32 pe, const u64 address, const s32 routine)
{
    if (stride < 1 || elements > (u64)1 << 40 || (u64)stride > (u64)1 << 40)
    {
        report(ERROR_ARGUMENT, routine, pe, address, (u64)stride);
        return 0;
    }
    // The product is below 2^60 where it is accepted.
    const u64 steps = elements - 1;
    return 0 != steps && (u64)stride > ((u64)1 << 55) / steps ?
        (u64)1 << 60 : (steps * (u64)stride + 1) * bytes;
}

/** Elements of up to 8 bytes; those of 16 are two halves. */
template <typename SCOPE, u32 BYTES>
static __device__ __noinline__ void iput(
    const u64 dest, const u64 source, const s64 dest_stride, const s64 source_stride, const u64 elements, const s32 pe)
{
    const u32 part = BYTES < sizeof(u64) ? BYTES : (u32)sizeof(u64);
    Remote remote;
    if (0 == elements || !ready(pe, ROUTINE_IPUT))
    {
        return;
    }
    const u64 length = strided_length(dest_stride, elements, BYTES, pe, dest, ROUTINE_IPUT);
    if (0 == length || 0 == strided_length(source_stride, elements, BYTES, pe, source, ROUTINE_IPUT) ||
        !find(dest, length, part, pe, ROUTINE_IPUT, remote))
    {
        return;
    }
    if (0 == source)
    {
        report(ERROR_ADDRESS, ROUTINE_IPUT, pe, source, length);
        return;
    }
    for (u64 i = SCOPE::rank(); i < elements; i += SCOPE::size())
    {
        #pragma unroll
        for (u32 at = 0; at < BYTES; at += part)
        {
            const u64 value = load_element(source + i * (u64)source_stride * BYTES + at, part);
            put_element(remote, i * (u64)dest_stride * BYTES + at, value, part, pe, ROUTINE_IPUT);
        }
    }
    SCOPE::sync();
}

template <typename SCOPE, u32 BYTES>
static __device__ __noinline__ void iget(
    const u64 dest, const u64 source, const s64 dest_stride, const s64 source_stride, const u64 elements, const s32 pe)
{
    const u32 part = BYTES < sizeof(u64) ? BYTES : (u32)sizeof(u64);
    Remote remote;
    if (0 == elements || !ready(pe, ROUTINE_IGET))
    {
        return;
    }
    const u64 length = strided_length(source_stride, elements, BYTES, pe, source, ROUTINE_IGET);
    if (0 == length || 0 == strided_length(dest_stride, elements, BYTES, pe, dest, ROUTINE_IGET) ||
        !find(source, length, part, pe, ROUTINE_IGET, remote))
    {
        return;
    }
    if (0 == dest)
    {
        report(ERROR_ADDRESS, ROUTINE_IGET, pe, dest, length);
        return;
    }
    for (u64 i = SCOPE::rank(); i < elements; i += SCOPE::size())
    {
        #pragma unroll
        for (u32 at = 0; at < BYTES; at += part)
        {
            const u64 value = get_element(remote, i * (u64)source_stride * BYTES + at, part, pe, ROUTINE_IGET);
            store_element(dest + i * (u64)dest_stride * BYTES + at, value, part);
        }
    }
    SCOPE::sync();
}

/** Returns the address of a peer's object here, or 0. */
static __device__ __forceinline__ u64 pointer(const u64 address, const s32 pe)
{
    Remote remote;
    return find(address, 1, 1, pe, ROUTINE_PTR, remote) ? remote.address : 0;
}

}
}

#endif
