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
#ifndef CUDA_SIM_ADDRESS_SPACE_H
#define CUDA_SIM_ADDRESS_SPACE_H

#include "cuda_types.h"

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <shared_mutex>

namespace cuda_sim
{

constexpr int MAX_DEVICES = 8;

/* Addresses of a device: 64 GiB, of which no more can be allocated than the device has memory. */
constexpr uint64_t DEVICE_WINDOW = 64ull << 30;

/* Every allocation begins at a multiple of it, and is a multiple of it in size. */
constexpr uint64_t ALLOCATION_ALIGNMENT = 512;

/* A piece of the unified address space. */
struct Range
{
    enum Kind
    {
        DEVICE_MEMORY,
        IMPORTED_MEMORY,
        ALLOCATED_HOST_MEMORY,
        REGISTERED_HOST_MEMORY
    };

    uint64_t begin;
    uint64_t size;
    Kind kind;
    int device;
    uint64_t context;
    unsigned flags;
    /* Where the process itself reaches the bytes: at begin + delta. */
    int64_t delta;
    /* Unique in the process, and never used again. */
    uint64_t id;
    /* Of device memory: its place in the table of live allocations, which importers look at; -1: none. */
    int slot;
    /* Registered host memory with a device address of its own: that address; otherwise begin. */
    uint64_t device_address;

    bool is_host() const
    {
        return ALLOCATED_HOST_MEMORY == kind || REGISTERED_HOST_MEMORY == kind;
    }

    bool holds(const uint64_t address, const uint64_t bytes) const
    {
        return begin <= address && bytes <= size && address - begin <= size - bytes;
    }

    char *host_address(const uint64_t address) const
    {
        return reinterpret_cast<char *>(address + delta);
    }
};

/*
 * The addresses of one device: a window without access rights, so that the host faults on a device pointer, and a
 * second mapping, at an address that no caller sees, through which the simulation reaches the bytes. Both are windows
 * on the same sparse file, which exists as an open descriptor only and so disappears with the process.
 *
 * Allocations go forward through the window and wrap, so that the addresses of freed memory are not used again soon:
 * a stale pointer is invalid rather than someone else's.
 */
class DeviceMemory
{
public:
    /* The first part of the file holds the ids of live allocations, by slot; no allocation lies there. */
    static constexpr uint64_t HEADER = 1ull << 20;
    static constexpr int SLOTS = HEADER / sizeof(uint64_t);

    bool map(int device, uint64_t window);

    /* Takes addresses of the window; 0: none left. Only backed ones count as memory in use. */
    uint64_t take(uint64_t size, bool backed, uint64_t limit);

    void release(uint64_t address, uint64_t size, bool backed);

    int publish(uint64_t id);

    void withdraw(int slot);

    uint64_t used() const
    {
        return used_bytes.load();
    }

    int descriptor() const
    {
        return file;
    }

    uint64_t offset(const uint64_t address) const
    {
        return address - window_begin;
    }

    int64_t delta() const
    {
        return static_cast<int64_t>(reinterpret_cast<uint64_t>(hidden) - window_begin);
    }

private:
    std::mutex lock;
    uint64_t window_begin = 0;
    char *hidden = nullptr;
    int file = -1;
    int next_slot = 0;
    uint64_t next = HEADER;
    std::atomic<uint64_t> used_bytes{0};
    /* Free parts of the window: offset to size. */
    std::map<uint64_t, uint64_t> free_parts;
};

/* All ranges of the process, by address. The generation counts changes, so that kernels may keep what they found. */
class AddressSpace
{
public:
    bool add(const Range &range);

    bool remove(uint64_t begin, Range::Kind kind, Range &removed);

    bool find(uint64_t address, Range &result);

    /* Whether some range of host memory overlaps these bytes. */
    bool overlaps(uint64_t begin, uint64_t size);

    /* The first range of a context. */
    bool find_of_context(uint64_t context, Range &result);

    /* Makes kernels look ranges up again, since what they may reach has changed. */
    void invalidate()
    {
        changes.fetch_add(1, std::memory_order_release);
    }

    uint64_t generation() const
    {
        return changes.load(std::memory_order_acquire);
    }

private:
    std::shared_mutex lock;
    std::map<uint64_t, Range> ranges;
    std::atomic<uint64_t> changes{1};
};

AddressSpace &address_space();

DeviceMemory &device_memory(int device);

/* Reserves the windows of all devices. */
bool map_devices(int count);

uint64_t next_range_id();

}

#endif
