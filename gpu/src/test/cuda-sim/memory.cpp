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
#include "memory.h"

#include "settings.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace cuda_sim;

namespace
{

/* Fresh memory begins with this many bytes of a pattern, so that code that expects zeros is found out. */
constexpr size_t POISONED = 4096;
constexpr unsigned char POISON = 0xC5;

constexpr unsigned REGISTER_FLAGS = CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP |
    CU_MEMHOSTREGISTER_IOMEMORY | CU_MEMHOSTREGISTER_READ_ONLY;
constexpr unsigned ALLOCATE_FLAGS =
    CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED;

uint64_t align(const uint64_t value, const uint64_t alignment)
{
    return (value + alignment - 1) / alignment * alignment;
}

Range host_range(
    const Context &context, void *memory, const size_t size, const Range::Kind kind, const unsigned flags)
{
    const uint64_t begin = reinterpret_cast<uint64_t>(memory);
    return Range{
        begin, size, kind, context.device, context.handle, flags, 0, next_range_id(), -1, begin};
}

CUresult allocate_host(const Context &context, const size_t size, const unsigned flags, void **result)
{
    void *memory = nullptr;
    if (0 != posix_memalign(&memory, 4096, align(size, 4096)))
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }

    if (!address_space().add(host_range(context, memory, size, Range::ALLOCATED_HOST_MEMORY, flags)))
    {
        free(memory);
        return CUDA_ERROR_UNKNOWN;
    }

    counters().live_allocations++;
    *result = memory;
    return CUDA_SUCCESS;
}

bool is_mapped(const void *memory, const size_t size)
{
    const uint64_t page = 4096;
    const uint64_t begin = reinterpret_cast<uint64_t>(memory) & ~(page - 1);
    const uint64_t end = align(reinterpret_cast<uint64_t>(memory) + size, page);
    unsigned char resident[256];
    for (uint64_t at = begin; at < end; at += page * sizeof(resident))
    {
        const uint64_t part = end - at < page * sizeof(resident) ? end - at : page * sizeof(resident);
        if (0 != mincore(reinterpret_cast<void *>(at), part, resident))
        {
            return false;
        }
    }

    return true;
}

/* The addresses by which devices reach a registered range, if these are not the host's. */
bool give_device_addresses(Range &range)
{
    const uint64_t shift = range.begin % ALLOCATION_ALIGNMENT;
    const uint64_t base = device_memory(range.device).take(align(range.size + shift, ALLOCATION_ALIGNMENT), false, 0);
    if (0 == base)
    {
        return false;
    }

    range.device_address = base + shift;
    Range alias = range;
    alias.begin = range.device_address;
    alias.delta = static_cast<int64_t>(range.begin - alias.begin);
    return address_space().add(alias);
}

void withdraw_device_addresses(const Range &range)
{
    if (range.device_address != range.begin)
    {
        Range alias;
        address_space().remove(range.device_address, Range::REGISTERED_HOST_MEMORY, alias);
        const uint64_t shift = range.begin % ALLOCATION_ALIGNMENT;
        device_memory(range.device).release(
            range.device_address - shift, align(range.size + shift, ALLOCATION_ALIGNMENT), false);
    }
}

void unregister(const Range &range)
{
    withdraw_device_addresses(range);
    counters().live_registrations--;
}

bool resolve_known(const CUdeviceptr address, const size_t bytes, Location &location, bool &inside)
{
    Range range;
    if (!address_space().find(address, range))
    {
        return false;
    }

    inside = range.holds(address, bytes);
    location = Location{range.host_address(address), true, range.is_host()};
    return true;
}

}

namespace cuda_sim
{

CUresult resolve_device(const CUdeviceptr address, const size_t bytes, Location &location)
{
    bool inside;
    return resolve_known(address, bytes, location, inside) && inside ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult resolve_host(const void *address, const size_t bytes, Location &location)
{
    if (nullptr == address)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    bool inside;
    if (!resolve_known(reinterpret_cast<CUdeviceptr>(address), bytes, location, inside))
    {
        location = Location{static_cast<char *>(const_cast<void *>(address)), false, true};
        return CUDA_SUCCESS;
    }

    if (!location.host)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    location.pinned = inside;
    return CUDA_SUCCESS;
}

CUresult resolve_any(const CUdeviceptr address, const size_t bytes, Location &location)
{
    return CUDA_SUCCESS == resolve_device(address, bytes, location) ?
        CUDA_SUCCESS : resolve_host(reinterpret_cast<void *>(address), bytes, location);
}

CUresult allocate(const Context &context, const size_t bytes, CUdeviceptr &address)
{
    if (bytes > DEVICE_WINDOW)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }

    DeviceMemory &memory = device_memory(context.device);
    const uint64_t size = align(bytes, ALLOCATION_ALIGNMENT);
    address = memory.take(size, true, settings().memory);
    if (0 == address)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }

    Range range{
        address, bytes, Range::DEVICE_MEMORY, context.device, context.handle, 0, memory.delta(), next_range_id(), -1,
        address};
    memset(range.host_address(address), POISON, bytes < POISONED ? bytes : POISONED);
    range.slot = memory.publish(range.id);
    address_space().add(range);
    counters().live_allocations++;
    return CUDA_SUCCESS;
}

bool free_device_memory(const CUdeviceptr address)
{
    Range range;
    if (!address_space().remove(address, Range::DEVICE_MEMORY, range))
    {
        return false;
    }

    DeviceMemory &memory = device_memory(range.device);
    memory.withdraw(range.slot);
    memory.release(address, align(range.size, ALLOCATION_ALIGNMENT), true);
    counters().live_allocations--;
    return true;
}

void synchronize_device(const int device)
{
    const auto of_device = [device](const Context &context) { return device == context.device; };
    for (const std::shared_ptr<Context> &context : contexts().select(of_device))
    {
        context->synchronize();
    }
}

void free_ranges(const Context &context)
{
    Range range;
    while (address_space().find_of_context(context.handle, range))
    {
        Range removed;
        switch (range.kind)
        {
            case Range::DEVICE_MEMORY:
                free_device_memory(range.begin);
                break;

            case Range::IMPORTED_MEMORY:
                unmap_imported(range.begin);
                break;

            case Range::ALLOCATED_HOST_MEMORY:
                address_space().remove(range.begin, range.kind, removed);
                free(reinterpret_cast<void *>(range.begin));
                counters().live_allocations--;
                break;

            case Range::REGISTERED_HOST_MEMORY:
                /* Of a range and its alias, each carries both addresses. */
                address_space().remove(range.begin + range.delta, range.kind, removed);
                unregister(removed);
                break;
        }
    }
}

}

SIM_API cuMemGetInfo_v2(size_t *free, size_t *total)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    const uint64_t used = device_memory(context->device).used();
    const uint64_t all = settings().memory;
    if (nullptr != free)
    {
        *free = used < all ? all - used : 0;
    }

    if (nullptr != total)
    {
        *total = all;
    }

    return CUDA_SUCCESS;
}

SIM_API cuMemAlloc_v2(CUdeviceptr *dptr, size_t bytesize)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == dptr || 0 == bytesize)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    return allocate(*context, bytesize, *dptr);
}

SIM_API cuMemAllocPitch_v2(
    CUdeviceptr *dptr, size_t *pPitch, size_t WidthInBytes, size_t Height, unsigned int ElementSizeBytes)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    const bool known = 4 == ElementSizeBytes || 8 == ElementSizeBytes || 16 == ElementSizeBytes;
    if (nullptr == dptr || nullptr == pPitch || 0 == WidthInBytes || 0 == Height || !known)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *pPitch = align(WidthInBytes, ALLOCATION_ALIGNMENT);
    return allocate(*context, *pPitch * Height, *dptr);
}

SIM_API cuMemFree_v2(CUdeviceptr dptr)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Range range;
    if (!address_space().find(dptr, range) || Range::DEVICE_MEMORY != range.kind || dptr != range.begin)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    synchronize_device(range.device);
    return free_device_memory(dptr) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

SIM_API cuMemGetAddressRange_v2(CUdeviceptr *pbase, size_t *psize, CUdeviceptr dptr)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Range range;
    if (!address_space().find(dptr, range) || Range::REGISTERED_HOST_MEMORY == range.kind)
    {
        return CUDA_ERROR_NOT_FOUND;
    }

    if (nullptr != pbase)
    {
        *pbase = range.begin;
    }

    if (nullptr != psize)
    {
        *psize = range.size;
    }

    return CUDA_SUCCESS;
}

SIM_API cuMemAllocHost_v2(void **pp, size_t bytesize)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == pp || 0 == bytesize)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    return allocate_host(*context, bytesize, CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP, pp);
}

SIM_API cuMemHostAlloc(void **pp, size_t bytesize, unsigned int Flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == pp || 0 == bytesize || 0 != (Flags & ~ALLOCATE_FLAGS))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    return allocate_host(*context, bytesize, Flags | CU_MEMHOSTALLOC_DEVICEMAP, pp);
}

SIM_API cuMemFreeHost(void *p)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Range range;
    const uint64_t begin = reinterpret_cast<uint64_t>(p);
    if (!address_space().find(begin, range) || Range::ALLOCATED_HOST_MEMORY != range.kind || begin != range.begin)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    synchronize_device(range.device);
    if (!address_space().remove(begin, Range::ALLOCATED_HOST_MEMORY, range))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    free(p);
    counters().live_allocations--;
    return CUDA_SUCCESS;
}

SIM_API cuMemHostRegister_v2(void *p, size_t bytesize, unsigned int Flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == p || 0 == bytesize || 0 != (Flags & ~REGISTER_FLAGS))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    if (0 != (Flags & CU_MEMHOSTREGISTER_IOMEMORY))
    {
        return CUDA_ERROR_NOT_SUPPORTED;
    }

    Range range = host_range(*context, p, bytesize, Range::REGISTERED_HOST_MEMORY, Flags);
    Range existing;
    if (address_space().find(range.begin, existing) && !existing.is_host())
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    if (address_space().overlaps(range.begin, range.size))
    {
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }

    if (!is_mapped(p, bytesize))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    if (settings().own_host_pointers && !give_device_addresses(range))
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }

    if (!address_space().add(range))
    {
        /* Another thread was faster. */
        withdraw_device_addresses(range);
        return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
    }

    counters().live_registrations++;
    return CUDA_SUCCESS;
}

SIM_API cuMemHostUnregister(void *p)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == p)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    Range range;
    const uint64_t begin = reinterpret_cast<uint64_t>(p);
    const bool found = address_space().find(begin, range) && Range::REGISTERED_HOST_MEMORY == range.kind;
    if (!found || begin != range.begin || 0 != range.delta)
    {
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    }

    synchronize_device(range.device);
    if (!address_space().remove(begin, Range::REGISTERED_HOST_MEMORY, range))
    {
        return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
    }

    unregister(range);
    return CUDA_SUCCESS;
}

SIM_API cuMemHostGetDevicePointer_v2(CUdeviceptr *pdptr, void *p, unsigned int Flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Range range;
    const uint64_t address = reinterpret_cast<uint64_t>(p);
    if (nullptr == pdptr || 0 != Flags || !address_space().find(address, range) || !range.is_host())
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    // Seen on CUDA 13.0: memory that another context of the device has registered, as portable too, has no address.
    const bool is_of_other = context->handle != range.context && context->device == range.device;
    if (0 == (range.flags & CU_MEMHOSTREGISTER_DEVICEMAP) || is_of_other)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *pdptr = range.device_address + (address - range.begin);
    return CUDA_SUCCESS;
}

SIM_API cuMemHostGetFlags(unsigned int *pFlags, void *p)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    Range range;
    const bool found = address_space().find(reinterpret_cast<uint64_t>(p), range);
    if (nullptr == pFlags || !found || Range::ALLOCATED_HOST_MEMORY != range.kind)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *pFlags = range.flags;
    return CUDA_SUCCESS;
}
