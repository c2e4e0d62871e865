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
#include <string>

namespace cuda_sim
{

/*
 * Settings of the simulation, read once from environment variables AEROSHMEM_CUDA_SIM_*, which README.md lists. Those
 * that are atomic can be changed by controls while the process runs.
 */
struct Settings
{
    int devices;
    int driver_version;
    int compute_capability;
    int multiprocessors;
    bool stream_memory_operations;
    bool peer_access;
    bool mps;
    std::string kernels;
    /* The kernel whose launches never end; empty: none. */
    std::string endless;
    std::atomic<uint64_t> memory;
    std::atomic<bool> ipc;
    std::atomic<bool> host_atomics;
    std::atomic<bool> own_host_pointers;
    /* Kernel launches until the devices are lost; negative: never. */
    std::atomic<int64_t> launches_until_lost;
    /* Calls until one of them fails with fail_code; 0: none fails. */
    std::atomic<int64_t> calls_until_failure;
    std::atomic<int> fail_code;
};

Settings &settings();

/* Counts that tests read as device attributes; live_ counts go down again. */
struct Counters
{
    std::atomic<int> host_function_violations;
    std::atomic<int> launches;
    std::atomic<int> host_atomics;
    std::atomic<int> kernel_faults;
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

    CONTROL_SET_MEMORY = CONTROL + 0x100,
    CONTROL_SET_IPC,
    CONTROL_SET_HOST_NATIVE_ATOMICS,
    CONTROL_SET_OWN_HOST_POINTERS,
    CONTROL_SET_LAUNCHES_UNTIL_LOST,
    CONTROL_SET_FAIL_CODE,
    CONTROL_SET_CALLS_UNTIL_FAILURE,
    CONTROL_RESET_COUNTS
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
