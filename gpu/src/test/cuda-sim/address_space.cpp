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
#include "address_space.h"

#include <iterator>
#include <string>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

namespace cuda_sim
{

bool DeviceMemory::map(const int device, const uint64_t window)
{
    const std::string name = "aeroshmem-simulated-device-" + std::to_string(device);
    file = memfd_create(name.c_str(), MFD_CLOEXEC);
    if (-1 == file || 0 != ftruncate(file, static_cast<off_t>(DEVICE_WINDOW)))
    {
        return false;
    }

    void *memory = mmap(nullptr, DEVICE_WINDOW, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE, file, 0);
    if (MAP_FAILED == memory)
    {
        return false;
    }

    hidden = static_cast<char *>(memory);
    window_begin = window;
    free_parts[HEADER] = DEVICE_WINDOW - HEADER;
    return true;
}

uint64_t DeviceMemory::take(const uint64_t size, const bool backed, const uint64_t limit)
{
    const std::lock_guard<std::mutex> guard(lock);
    if (backed && (size > limit || used_bytes > limit - size))
    {
        return 0;
    }

    /* The first part behind the last allocation that is large enough, otherwise the first one at all. */
    auto found = free_parts.end();
    for (auto part = free_parts.begin(); free_parts.end() != part; ++part)
    {
        const uint64_t begin = part->first > next ? part->first : next;
        if (begin < part->first + part->second && part->first + part->second - begin >= size)
        {
            found = part;
            break;
        }

        if (free_parts.end() == found && part->second >= size)
        {
            found = part;
        }
    }

    if (free_parts.end() == found)
    {
        return 0;
    }

    const uint64_t part_begin = found->first;
    const uint64_t part_end = part_begin + found->second;
    const uint64_t offset = next > part_begin && next < part_end && part_end - next >= size ? next : part_begin;
    free_parts.erase(found);
    if (offset > part_begin)
    {
        free_parts[part_begin] = offset - part_begin;
    }

    if (part_end > offset + size)
    {
        free_parts[offset + size] = part_end - offset - size;
    }

    next = offset + size;
    if (backed)
    {
        used_bytes += size;
    }

    return window_begin + offset;
}

void DeviceMemory::release(const uint64_t address, const uint64_t size, const bool backed)
{
    const std::lock_guard<std::mutex> guard(lock);
    uint64_t begin = offset(address);
    uint64_t end = begin + size;
    if (backed)
    {
        used_bytes -= size;
        /* Only whole pages are given back: the first and the last may be shared with neighbours. */
        const uint64_t page = 4096;
        const uint64_t first = (begin + page - 1) & ~(page - 1);
        const uint64_t last = end & ~(page - 1);
        if (last > first)
        {
            fallocate(
                file, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(first),
                static_cast<off_t>(last - first));
        }
    }

    auto after = free_parts.lower_bound(begin);
    if (free_parts.end() != after && end == after->first)
    {
        end += after->second;
        after = free_parts.erase(after);
    }

    if (free_parts.begin() != after)
    {
        auto before = std::prev(after);
        if (before->first + before->second == begin)
        {
            begin = before->first;
            free_parts.erase(before);
        }
    }

    free_parts[begin] = end - begin;
}

int DeviceMemory::publish(const uint64_t id)
{
    const std::lock_guard<std::mutex> guard(lock);
    uint64_t *ids = reinterpret_cast<uint64_t *>(hidden);
    for (int i = 0; i < SLOTS; i++)
    {
        const int slot = (next_slot + i) % SLOTS;
        if (0 == __atomic_load_n(&ids[slot], __ATOMIC_RELAXED))
        {
            __atomic_store_n(&ids[slot], id, __ATOMIC_RELEASE);
            next_slot = slot + 1;
            return slot;
        }
    }

    return -1;
}

void DeviceMemory::withdraw(const int slot)
{
    if (slot >= 0)
    {
        __atomic_store_n(&reinterpret_cast<uint64_t *>(hidden)[slot], 0, __ATOMIC_RELEASE);
    }
}

bool AddressSpace::add(const Range &range)
{
    const std::unique_lock<std::shared_mutex> guard(lock);
    const auto next = ranges.lower_bound(range.begin);
    if (ranges.end() != next && next->first < range.begin + range.size)
    {
        return false;
    }

    if (ranges.begin() != next)
    {
        const Range &before = std::prev(next)->second;
        if (before.begin + before.size > range.begin)
        {
            return false;
        }
    }

    ranges[range.begin] = range;
    changes.fetch_add(1, std::memory_order_release);
    return true;
}

bool AddressSpace::remove(const uint64_t begin, const Range::Kind kind, Range &removed)
{
    const std::unique_lock<std::shared_mutex> guard(lock);
    const auto entry = ranges.find(begin);
    if (ranges.end() == entry || kind != entry->second.kind)
    {
        return false;
    }

    removed = entry->second;
    ranges.erase(entry);
    changes.fetch_add(1, std::memory_order_release);
    return true;
}

bool AddressSpace::find(const uint64_t address, Range &result)
{
    const std::shared_lock<std::shared_mutex> guard(lock);
    auto entry = ranges.upper_bound(address);
    if (ranges.begin() == entry)
    {
        return false;
    }

    --entry;
    if (!entry->second.holds(address, 1))
    {
        return false;
    }

    result = entry->second;
    return true;
}

bool AddressSpace::overlaps(const uint64_t begin, const uint64_t size)
{
    const std::shared_lock<std::shared_mutex> guard(lock);
    const auto next = ranges.lower_bound(begin);
    if (ranges.end() != next && next->first < begin + size)
    {
        return true;
    }

    if (ranges.begin() == next)
    {
        return false;
    }

    const Range &before = std::prev(next)->second;
    return before.begin + before.size > begin;
}

bool AddressSpace::find_of_context(const uint64_t context, Range &result)
{
    const std::shared_lock<std::shared_mutex> guard(lock);
    for (const auto &entry : ranges)
    {
        if (entry.second.context == context)
        {
            result = entry.second;
            return true;
        }
    }

    return false;
}

AddressSpace &address_space()
{
    static AddressSpace *instance = new AddressSpace();
    return *instance;
}

DeviceMemory &device_memory(const int device)
{
    static DeviceMemory *instances = new DeviceMemory[MAX_DEVICES];
    return instances[device];
}

bool map_devices(const int count)
{
    /* The place depends on the process, so that a device pointer of another process is invalid in this one. */
    const uint64_t step = DEVICE_WINDOW * MAX_DEVICES;
    const uint64_t places = 128;
    const uint64_t first = static_cast<uint64_t>(getpid()) % places;
    for (uint64_t i = 0; i < places; i++)
    {
        const uint64_t begin = (1ull << 45) + (first + i) % places * step;
        void *wanted = reinterpret_cast<void *>(begin);
        const uint64_t size = DEVICE_WINDOW * static_cast<uint64_t>(count);
        void *window = mmap(
            wanted, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
        if (MAP_FAILED == window)
        {
            continue;
        }

        if (window != wanted)
        {
            munmap(window, size);
            continue;
        }

        for (int device = 0; device < count; device++)
        {
            if (!device_memory(device).map(device, begin + DEVICE_WINDOW * static_cast<uint64_t>(device)))
            {
                return false;
            }
        }

        return true;
    }

    return false;
}

uint64_t next_range_id()
{
    static std::atomic<uint64_t> last{0};
    return ++last;
}

}
