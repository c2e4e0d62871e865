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
#include "grid.h"

#include "address_space.h"
#include "settings.h"
#include "threads.h"

#include <cstdio>
#include <cstring>
#include <sched.h>
#include <thread>

__thread sim_thread *aeroshmem_sim_current = nullptr;

namespace cuda_sim
{

namespace
{

constexpr unsigned WARP_SIZE = 32;
constexpr std::chrono::milliseconds CHECK_INTERVAL(20);
constexpr std::chrono::microseconds ACTIVE_MASK_WINDOW(200);
constexpr unsigned char SHARED_POISON = 0xC6;

/* Ends the simulated thread in which it is thrown. */
struct Stop
{
};

/* A rendezvous of the lanes of a mask, used once. */
struct WarpMeeting
{
    unsigned arrived = 0;
    bool complete = false;
    uint64_t values[WARP_SIZE] = {};
};

struct ActiveLanes
{
    unsigned members = 0;
    bool closed = false;
};

struct Warp
{
    std::mutex lock;
    std::condition_variable changed;
    /* Lanes that have ended or never were. */
    unsigned absent = 0;
    /* By mask, those that are not complete: threads that diverge meet under very many masks. */
    std::map<unsigned, std::shared_ptr<WarpMeeting>> meetings;
    std::map<const void *, std::shared_ptr<ActiveLanes>> active;
};

/* What the threads of a block share. */
struct Block
{
    Block(Grid &grid, const uint3 index, const unsigned threads) :
        grid(grid), index(index), threads(threads), live(threads), warps((threads + WARP_SIZE - 1) / WARP_SIZE)
    {
        for (size_t i = 0; i < warps.size(); i++)
        {
            const unsigned lanes = threads - static_cast<unsigned>(i) * WARP_SIZE;
            warps[i].absent = lanes < WARP_SIZE ? ~0u << lanes : 0;
        }
    }

    Grid &grid;
    const uint3 index;
    const unsigned threads;

    std::mutex lock;
    std::condition_variable changed;
    unsigned live;
    unsigned arrived = 0;
    unsigned true_predicates = 0;
    unsigned result = 0;
    uint64_t generation = 0;
    std::map<const void *, std::vector<char>> shared;
    std::vector<char> dynamic_shared;
    std::vector<Warp> warps;
};

struct KnownRange
{
    uint64_t begin;
    uint64_t end;
    int64_t delta;
    bool host;
};

/* A simulated thread: its built-in variables come first, so that the pointer that kernels see means the whole. */
struct Thread : sim_thread
{
    Block *block;
    unsigned number;

    Grid &grid() const
    {
        return block->grid;
    }

    Warp &warp() const
    {
        return block->warps[number / WARP_SIZE];
    }

    unsigned lane_bit() const
    {
        return 1u << number % WARP_SIZE;
    }
};

/* The ranges that a thread reached last, valid for one context and generation of the address space. */
struct RangeCache
{
    uint64_t generation;
    uint64_t context;
    unsigned next;
    KnownRange ranges[4];
};

thread_local RangeCache range_cache;

Thread &current()
{
    if (nullptr == aeroshmem_sim_current)
    {
        fprintf(stderr, "AeroSHMEM simulated device: device code is executed outside a kernel\n");
        abort();
    }

    return *static_cast<Thread *>(aeroshmem_sim_current);
}

void check(const Grid &grid)
{
    if (grid.stopped.load(std::memory_order_relaxed) || grid.context->is_ending())
    {
        throw Stop();
    }
}

/* Ends the kernel and its context with an error. */
__attribute__((noreturn)) void fault(const CUresult code, const char *what, const uint64_t address)
{
    const Thread &thread = current();
    Grid &grid = thread.grid();
    if (!grid.stopped.exchange(true))
    {
        counters().kernel_faults++;
        fprintf(
            stderr, "AeroSHMEM simulated device: kernel %s, block (%u, %u, %u), thread (%u, %u, %u): %s 0x%llx\n",
            grid.function->entry->name.c_str(), thread.block_index.x, thread.block_index.y, thread.block_index.z,
            thread.thread_index.x, thread.thread_index.y, thread.thread_index.z, what,
            static_cast<unsigned long long>(address));
        grid.context->fail(code);
    }

    throw Stop();
}

__attribute__((noreturn)) void fault_not_concurrent(const char *function)
{
    fprintf(
        stderr, "AeroSHMEM simulated device: %s needs threads that run at the same time: "
        "declare the kernel with AEROSHMEM_CONCURRENT\n", function);
    fault(CUDA_ERROR_LAUNCH_FAILED, function, 0);
}

/* Waits under a lock, and looks from time to time whether the kernel is to end. */
template <typename Predicate>
void wait(
    const Grid &grid, std::condition_variable &changed, std::unique_lock<std::mutex> &guard, const Predicate &predicate)
{
    while (!changed.wait_for(guard, CHECK_INTERVAL, predicate))
    {
        check(grid);
    }
}

void complete_barrier(Block &block)
{
    block.result = block.true_predicates;
    block.true_predicates = 0;
    block.arrived = 0;
    block.generation++;
    block.changed.notify_all();
}

void complete_meetings(Warp &warp)
{
    for (auto entry = warp.meetings.begin(); warp.meetings.end() != entry;)
    {
        if (entry->first == (entry->first & (entry->second->arrived | warp.absent)))
        {
            entry->second->complete = true;
            entry = warp.meetings.erase(entry);
            warp.changed.notify_all();
        }
        else
        {
            ++entry;
        }
    }
}

/* A thread that has ended is no longer waited for. */
void leave(const Thread &thread)
{
    {
        Block &block = *thread.block;
        const std::lock_guard<std::mutex> guard(block.lock);
        block.live--;
        if (block.live > 0 && block.arrived == block.live)
        {
            complete_barrier(block);
        }
    }

    Warp &warp = thread.warp();
    const std::lock_guard<std::mutex> guard(warp.lock);
    warp.absent |= thread.lane_bit();
    complete_meetings(warp);
    warp.changed.notify_all();
}

void run_thread(Block &block, const unsigned number)
{
    const Grid &grid = block.grid;
    Thread thread;
    thread.thread_index = {
        number % grid.block.x, number / grid.block.x % grid.block.y, number / grid.block.x / grid.block.y};
    thread.block_index = block.index;
    thread.block_dimension = grid.block;
    thread.grid_dimension = grid.grid;
    thread.block = &block;
    thread.number = number;
    aeroshmem_sim_current = &thread;
    try
    {
        check(grid);
        grid.function->kernel->invoke(grid.arguments.data());
    }
    catch (const Stop &)
    {
    }

    aeroshmem_sim_current = nullptr;
    if (grid.function->kernel->concurrent)
    {
        leave(thread);
    }
}

/* All threads of a block in the calling thread. */
void run_in_sequence(Block &block)
{
    for (unsigned number = 0; number < block.threads && !block.grid.stopped; number++)
    {
        run_thread(block, number);
    }
}

std::vector<std::function<void()>> tasks_of(Block &block)
{
    std::vector<std::function<void()>> tasks;
    for (unsigned number = 0; number < block.threads; number++)
    {
        tasks.push_back([&block, number] { run_thread(block, number); });
    }

    return tasks;
}

uint3 block_index(const dim3 &grid, const uint64_t number)
{
    return uint3{
        static_cast<unsigned>(number % grid.x), static_cast<unsigned>(number / grid.x % grid.y),
        static_cast<unsigned>(number / grid.x / grid.y)};
}

/* Finds the range of an address that the kernel may reach. */
KnownRange find_range(const Grid &grid, const uint64_t address, const size_t bytes)
{
    Range range;
    if (!address_space().find(address, range) || !range.holds(address, bytes))
    {
        fault(CUDA_ERROR_ILLEGAL_ADDRESS, "no memory of the device at", address);
    }

    if (!range.is_host() && !grid.context->reaches(range.device))
    {
        fault(CUDA_ERROR_ILLEGAL_ADDRESS, "peer access is not enabled to the memory at", address);
    }

    if (range.is_host() && 0 == (range.flags & CU_MEMHOSTREGISTER_DEVICEMAP))
    {
        fault(CUDA_ERROR_ILLEGAL_ADDRESS, "host memory that is not mapped for devices at", address);
    }

    if (range.is_host() && range.device_address != range.begin)
    {
        fault(CUDA_ERROR_ILLEGAL_ADDRESS, "host memory that has a device pointer of its own at", address);
    }

    return KnownRange{range.begin, range.begin + range.size, range.delta, range.is_host()};
}

RangeCache &valid_cache(const Grid &grid)
{
    RangeCache &cache = range_cache;
    const uint64_t generation = address_space().generation();
    if (cache.generation != generation || cache.context != grid.context->id)
    {
        memset(&cache, 0, sizeof(cache));
        cache.generation = generation;
        cache.context = grid.context->id;
    }

    return cache;
}

}

void Grid::execute()
{
    const unsigned threads = block.x * block.y * block.z;
    const uint64_t blocks = static_cast<uint64_t>(grid.x) * grid.y * grid.z;
    arguments.clear();
    for (const size_t offset : offsets)
    {
        arguments.push_back(values.data() + offset);
    }

    if (!function->kernel->concurrent || !cooperative)
    {
        for (uint64_t number = 0; number < blocks && !stopped && !context->is_ending(); number++)
        {
            Block one(*this, block_index(grid, number), threads);
            if (function->kernel->concurrent && threads > 1)
            {
                run_together(tasks_of(one));
            }
            else
            {
                run_in_sequence(one);
            }
        }

        return;
    }

    std::vector<std::unique_ptr<Block>> all;
    std::vector<std::function<void()>> tasks;
    for (uint64_t number = 0; number < blocks; number++)
    {
        all.emplace_back(new Block(*this, block_index(grid, number), threads));
        for (std::function<void()> &task : tasks_of(*all.back()))
        {
            tasks.push_back(std::move(task));
        }
    }

    run_together(std::move(tasks));
}

}

using namespace cuda_sim;

void *aeroshmem_sim_translate(const uint64_t address, const size_t bytes, const size_t alignment)
{
    const Grid &grid = current().grid();
    check(grid);
    if (0 != address % alignment)
    {
        fault(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address", address);
    }

    RangeCache &cache = valid_cache(grid);
    for (const KnownRange &range : cache.ranges)
    {
        if (address >= range.begin && address < range.end && bytes <= range.end - address)
        {
            return reinterpret_cast<void *>(address + range.delta);
        }
    }

    const KnownRange found = find_range(grid, address, bytes);
    cache.ranges[cache.next++ % 4] = found;
    return reinterpret_cast<void *>(address + found.delta);
}

void aeroshmem_sim_note_atomic(const void *memory)
{
    const uint64_t address = reinterpret_cast<uint64_t>(memory);
    for (const KnownRange &range : valid_cache(current().grid()).ranges)
    {
        const uint64_t begin = range.begin + range.delta;
        if (range.begin != range.end && address >= begin && address < begin + (range.end - range.begin))
        {
            counters().host_atomics += range.host;
            return;
        }
    }
}

void *aeroshmem_sim_shared(const void *key, const size_t bytes)
{
    Block &block = *current().block;
    const std::lock_guard<std::mutex> guard(block.lock);
    std::vector<char> &memory = block.shared[key];
    if (memory.empty())
    {
        memory.assign(bytes + 1, static_cast<char>(SHARED_POISON));
    }

    return memory.data();
}

void *aeroshmem_sim_dynamic_shared()
{
    Block &block = *current().block;
    const std::lock_guard<std::mutex> guard(block.lock);
    if (block.dynamic_shared.empty())
    {
        block.dynamic_shared.assign(block.grid.shared_bytes + 1, static_cast<char>(SHARED_POISON));
    }

    return block.dynamic_shared.data();
}

void *aeroshmem_sim_module_global(const char *name, const size_t bytes)
{
    const Module &module = *current().grid().function->module;
    const auto variable = module.variables.find(name);
    if (module.variables.end() == variable || variable->second.size != bytes)
    {
        fault(CUDA_ERROR_LAUNCH_FAILED, "the PTX does not declare a variable as the C++ does: size", bytes);
    }

    return aeroshmem_sim_translate(variable->second.address, bytes, 1);
}

unsigned aeroshmem_sim_block_barrier(const int predicate)
{
    const Thread &thread = current();
    Block &block = *thread.block;
    check(block.grid);
    if (block.threads > 1 && !block.grid.function->kernel->concurrent)
    {
        fault_not_concurrent("__syncthreads");
    }

    std::unique_lock<std::mutex> guard(block.lock);
    const uint64_t generation = block.generation;
    block.true_predicates += 0 != predicate;
    if (++block.arrived == block.live)
    {
        complete_barrier(block);
    }
    else
    {
        wait(block.grid, block.changed, guard, [&] { return generation != block.generation; });
    }

    return block.result;
}

void aeroshmem_sim_warp_share(const unsigned mask, const uint64_t value, uint64_t *values)
{
    const Thread &thread = current();
    Warp &warp = thread.warp();
    check(thread.grid());
    if (thread.block->threads > 1 && !thread.grid().function->kernel->concurrent)
    {
        fault_not_concurrent("a warp function");
    }

    if (0 == (mask & thread.lane_bit()))
    {
        fault(CUDA_ERROR_LAUNCH_FAILED, "a lane is not in the mask of its own warp function: mask", mask);
    }

    std::unique_lock<std::mutex> guard(warp.lock);
    std::shared_ptr<WarpMeeting> &open = warp.meetings[mask];
    if (nullptr == open)
    {
        open = std::make_shared<WarpMeeting>();
    }

    const std::shared_ptr<WarpMeeting> meeting = open;
    meeting->values[thread.number % WARP_SIZE] = value;
    meeting->arrived |= thread.lane_bit();
    complete_meetings(warp);
    wait(thread.grid(), warp.changed, guard, [&] { return meeting->complete; });
    memcpy(values, meeting->values, sizeof(meeting->values));
}

unsigned aeroshmem_sim_active_mask(const void *place)
{
    const Thread &thread = current();
    if (!thread.grid().function->kernel->concurrent)
    {
        return thread.lane_bit();
    }

    Warp &warp = thread.warp();
    std::unique_lock<std::mutex> guard(warp.lock);
    std::shared_ptr<ActiveLanes> &open = warp.active[place];
    const bool first = nullptr == open;
    if (first)
    {
        open = std::make_shared<ActiveLanes>();
    }

    const std::shared_ptr<ActiveLanes> lanes = open;
    lanes->members |= thread.lane_bit();
    if (0 == ~(lanes->members | warp.absent))
    {
        lanes->closed = true;
        warp.active.erase(place);
        warp.changed.notify_all();
    }
    else if (first && !warp.changed.wait_for(guard, ACTIVE_MASK_WINDOW, [&] { return lanes->closed; }))
    {
        lanes->closed = true;
        warp.active.erase(place);
        warp.changed.notify_all();
    }
    else
    {
        wait(thread.grid(), warp.changed, guard, [&] { return lanes->closed; });
    }

    return lanes->members;
}

void aeroshmem_sim_sleep(const unsigned nanoseconds)
{
    /* Threads of a grid that only yield would keep those away from few processors that they wait for. */
    static const unsigned yields = 32;
    static const auto rest = std::chrono::microseconds(20);
    static thread_local unsigned count;
    check(current().grid());
    if (nanoseconds < 1000 && 0 != ++count % yields)
    {
        sched_yield();
    }
    else if (nanoseconds < 1000)
    {
        std::this_thread::sleep_for(rest);
    }
    else
    {
        std::this_thread::sleep_for(std::chrono::nanoseconds(nanoseconds < 1000000 ? nanoseconds : 1000000));
    }
}

void aeroshmem_sim_trap(const char *message)
{
    fault(CUDA_ERROR_LAUNCH_FAILED, message, 0);
}
