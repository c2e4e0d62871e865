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
#ifndef CUDA_SIM_SETTINGS_H
#define CUDA_SIM_SETTINGS_H

#include <atomic>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace cuda_sim
{

/* Ordered pairs of devices, by their numbers in the machine. */
class DevicePairs
{
public:
    /* "on": all pairs; "off": none; otherwise those listed, such as "0-1,1-0". */
    explicit DevicePairs(const std::string &text = "off");

    bool has(const int from, const int to) const
    {
        return all || 0 != pairs.count({from, to});
    }

private:
    bool all;
    std::set<std::pair<int, int>> pairs;
};

/*
 * Settings of the simulation, read once from environment variables AEROSHMEM_CUDA_SIM_*, which README.md lists, and
 * from CUDA_VISIBLE_DEVICES. Those that are atomic can be changed by controls while the process runs.
 */
struct Settings
{
    /* The devices that the process sees, by ordinal: their numbers in the machine. */
    std::vector<int> devices;
    int driver_version;
    int compute_capability;
    int multiprocessors;
    DevicePairs peer_access;
    DevicePairs peer_atomics;
    bool mps;
    bool ipc_open;
    std::string kernels;
    /* The kernel whose launches never end; empty: none. */
    std::string endless;
    /* Of a thread of each kernel, unless launch bounds allow fewer. */
    std::atomic<unsigned> registers;
    std::atomic<uint64_t> memory;
    std::atomic<bool> ipc;
    std::atomic<bool> host_atomics;
    std::atomic<bool> own_host_pointers;
    std::atomic<bool> stream_memory_operations;
    /* Kernel launches until the devices are lost; negative: never. */
    std::atomic<int64_t> launches_until_lost;
    /* Calls until one of them fails with fail_code; 0: none fails. */
    std::atomic<int64_t> calls_until_failure;
    std::atomic<int> fail_code;
};

Settings &settings();

/* The 16 bytes of the UUID of a device, by its number in the machine. */
std::string device_uuid(int number);

/* The number in the machine of a device that the process sees. */
inline int device_number(const int ordinal)
{
    return settings().devices[static_cast<size_t>(ordinal)];
}

/* The ordinal of a device of the machine in this process; -1: the process does not see it. */
int device_ordinal(int number);

/* Counts that tests read as device attributes; live_ counts go down again. */
struct Counters
{
    std::atomic<int> host_function_violations;
    std::atomic<int> launches;
    std::atomic<int> host_atomics;
    std::atomic<int> kernel_faults;
    std::atomic<int> memory_operations;
    std::atomic<int> live_allocations;
    std::atomic<int> live_registrations;
    std::atomic<int> live_streams;
    std::atomic<int> live_events;
    std::atomic<int> live_imports;
    std::atomic<int> live_modules;
    std::atomic<int> live_contexts;
    std::atomic<int> live_threads;
};

Counters &counters();

/*
 * Numbers beyond those of CUDA: cuDeviceGetAttribute(CONTROL + n) reads a count, cuCtxSetLimit(CONTROL + n, value)
 * changes a setting. The test class SimulatedDriver has the same numbers.
 */
enum Control
{
    CONTROL = 0x5AE00000,

    CONTROL_HOST_FUNCTION_VIOLATIONS = CONTROL,
    CONTROL_LAUNCHES,
    CONTROL_HOST_ATOMICS,
    CONTROL_KERNEL_FAULTS,
    CONTROL_LIVE_ALLOCATIONS,
    CONTROL_LIVE_REGISTRATIONS,
    CONTROL_LIVE_STREAMS,
    CONTROL_LIVE_EVENTS,
    CONTROL_LIVE_IMPORTS,
    CONTROL_LIVE_MODULES,
    CONTROL_LIVE_CONTEXTS,
    CONTROL_LIVE_THREADS,
    CONTROL_STREAM_MEMORY_OPERATIONS,

    CONTROL_SET_MEMORY = CONTROL + 0x100,
    CONTROL_SET_IPC,
    CONTROL_SET_HOST_NATIVE_ATOMICS,
    CONTROL_SET_OWN_HOST_POINTERS,
    CONTROL_SET_LAUNCHES_UNTIL_LOST,
    CONTROL_SET_FAIL_CODE,
    CONTROL_SET_CALLS_UNTIL_FAILURE,
    CONTROL_RESET_COUNTS,
    CONTROL_SET_STREAM_MEMORY_OPERATIONS,

    CONTROL_SET_REGISTERS = CONTROL + 0x200
};

/* The count of a control; false: there is none of this number. */
bool read_control(int control, int *value);

/* Changes a setting; false: there is none of this number. */
bool write_control(int control, uint64_t value);

inline bool devices_lost()
{
    return 0 == settings().launches_until_lost.load(std::memory_order_relaxed);
}

}

#endif
