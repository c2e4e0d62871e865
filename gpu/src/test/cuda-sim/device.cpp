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
#include "context.h"

#include "address_space.h"
#include "kernel_library.h"
#include "settings.h"

#include <cstdio>
#include <cstring>
#include <mutex>

using namespace cuda_sim;

namespace
{

std::mutex initialisation;
std::atomic<bool> initialised{false};
thread_local int host_function_depth = 0;

constexpr int SHARED_BYTES_OF_BLOCK = 48 * 1024;

int attribute(const int number, const int device)
{
    const Settings &all = settings();
    switch (number)
    {
        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_X:
        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Y:
            return 1024;

        case CU_DEVICE_ATTRIBUTE_MAX_BLOCK_DIM_Z:
            return 64;

        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_X:
            return 0x7fffffff;

        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Y:
        case CU_DEVICE_ATTRIBUTE_MAX_GRID_DIM_Z:
            return 65535;

        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
        case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_MULTIPROCESSOR:
            return SHARED_BYTES_OF_BLOCK;

        case CU_DEVICE_ATTRIBUTE_TOTAL_CONSTANT_MEMORY:
            return 65536;

        case CU_DEVICE_ATTRIBUTE_WARP_SIZE:
            return 32;

        case CU_DEVICE_ATTRIBUTE_MAX_PITCH:
            return 0x7fffffff;

        case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_BLOCK:
        case CU_DEVICE_ATTRIBUTE_MAX_REGISTERS_PER_MULTIPROCESSOR:
            return 65536;

        case CU_DEVICE_ATTRIBUTE_CLOCK_RATE:
        case CU_DEVICE_ATTRIBUTE_MEMORY_CLOCK_RATE:
            return 1000000;

        case CU_DEVICE_ATTRIBUTE_GPU_OVERLAP:
        case CU_DEVICE_ATTRIBUTE_CAN_MAP_HOST_MEMORY:
        case CU_DEVICE_ATTRIBUTE_CONCURRENT_KERNELS:
        case CU_DEVICE_ATTRIBUTE_UNIFIED_ADDRESSING:
        case CU_DEVICE_ATTRIBUTE_COMPUTE_PREEMPTION_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_COOPERATIVE_LAUNCH:
        case CU_DEVICE_ATTRIBUTE_HOST_REGISTER_SUPPORTED:
        case CU_DEVICE_ATTRIBUTE_STREAM_PRIORITIES_SUPPORTED:
            return 1;

        case CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT:
            return all.multiprocessors;

        case CU_DEVICE_ATTRIBUTE_PCI_BUS_ID:
            return device_number(device) + 1;

        case CU_DEVICE_ATTRIBUTE_GLOBAL_MEMORY_BUS_WIDTH:
            return 64;

        case CU_DEVICE_ATTRIBUTE_L2_CACHE_SIZE:
            return 1 << 20;

        case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR:
            return 1024;

        case CU_DEVICE_ATTRIBUTE_ASYNC_ENGINE_COUNT:
            return 2;

        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
            return all.compute_capability / 10;

        case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
            return all.compute_capability % 10;

        case CU_DEVICE_ATTRIBUTE_HOST_NATIVE_ATOMIC_SUPPORTED:
            return all.host_atomics;

        case CU_DEVICE_ATTRIBUTE_CAN_USE_HOST_POINTER_FOR_REGISTERED_MEM:
            return !all.own_host_pointers;

        case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_MEM_OPS_V1:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS_V1:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR_V1:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_64_BIT_STREAM_MEM_OPS:
        case CU_DEVICE_ATTRIBUTE_CAN_USE_STREAM_WAIT_VALUE_NOR:
            return all.stream_memory_operations;

        case CU_DEVICE_ATTRIBUTE_MAX_BLOCKS_PER_MULTIPROCESSOR:
            return 16;

        case CU_DEVICE_ATTRIBUTE_IPC_EVENT_SUPPORTED:
            return 0;

        case CU_DEVICE_ATTRIBUTE_MPS_ENABLED:
            return all.mps;

        default:
            return 0;
    }
}

}

namespace cuda_sim
{

CUresult enter()
{
    if (host_function_depth > 0)
    {
        counters().host_function_violations++;
        fprintf(stderr, "AeroSHMEM simulated device: a host function called CUDA\n");
        return CUDA_ERROR_NOT_PERMITTED;
    }

    if (!initialised.load(std::memory_order_acquire))
    {
        return CUDA_ERROR_NOT_INITIALIZED;
    }

    if (devices_lost())
    {
        return CUDA_ERROR_DEVICE_UNAVAILABLE;
    }

    Settings &all = settings();
    if (all.calls_until_failure.load(std::memory_order_relaxed) > 0 && 1 == all.calls_until_failure.fetch_sub(1))
    {
        return static_cast<CUresult>(all.fail_code.load());
    }

    return CUDA_SUCCESS;
}

CUresult enter(std::shared_ptr<Context> &context)
{
    SIM_TRY(enter());
    context = current_context();
    return nullptr == context ? CUDA_ERROR_INVALID_CONTEXT : context->error();
}

CUresult enter_device(const CUdevice device)
{
    SIM_TRY(enter());
    return is_valid_device(device) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_DEVICE;
}

HostFunctionScope::HostFunctionScope()
{
    host_function_depth++;
}

HostFunctionScope::~HostFunctionScope()
{
    host_function_depth--;
}

bool has_peer_access(const int device, const int peer)
{
    return settings().peer_access.has(device_number(device), device_number(peer));
}

bool has_peer_atomics(const int device, const int peer)
{
    return has_peer_access(device, peer) && settings().peer_atomics.has(device_number(device), device_number(peer));
}

bool is_valid_device(const int device)
{
    return device >= 0 && device < static_cast<int>(settings().devices.size());
}

}

SIM_API cuInit(unsigned int Flags)
{
    if (0 != Flags)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::lock_guard<std::mutex> guard(initialisation);
    if (initialised)
    {
        return CUDA_SUCCESS;
    }

    const int devices = static_cast<int>(settings().devices.size());
    if (devices <= 0)
    {
        return CUDA_ERROR_NO_DEVICE;
    }

    if (devices > MAX_DEVICES || !map_devices(devices))
    {
        fprintf(stderr, "AeroSHMEM simulated device: cannot map %d devices (at most %d)\n", devices, MAX_DEVICES);
        return CUDA_ERROR_OPERATING_SYSTEM;
    }

    if (!load_kernel_libraries(settings().kernels))
    {
        return CUDA_ERROR_SHARED_OBJECT_INIT_FAILED;
    }

    initialised.store(true, std::memory_order_release);
    return CUDA_SUCCESS;
}

SIM_API cuDriverGetVersion(int *driverVersion)
{
    if (nullptr == driverVersion)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *driverVersion = settings().driver_version;
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGet(CUdevice *device, int ordinal)
{
    SIM_TRY(enter());
    if (nullptr == device)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    if (!is_valid_device(ordinal))
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }

    *device = ordinal;
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetCount(int *count)
{
    SIM_TRY(enter());
    if (nullptr == count)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *count = static_cast<int>(settings().devices.size());
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetName(char *name, int len, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    if (nullptr == name || len <= 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    snprintf(name, static_cast<size_t>(len), "AeroSHMEM simulated device");
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetUuid(CUuuid *uuid, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    if (nullptr == uuid)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    memcpy(uuid, device_uuid(device_number(dev)).data(), sizeof(CUuuid));
    return CUDA_SUCCESS;
}

SIM_API cuDeviceTotalMem_v2(size_t *bytes, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    if (nullptr == bytes)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *bytes = settings().memory;
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetAttribute(int *pi, CUdevice_attribute attrib, CUdevice dev)
{
    const int number = static_cast<int>(attrib);
    if (nullptr != pi && read_control(number, pi))
    {
        return CUDA_SUCCESS;
    }

    SIM_TRY(enter_device(dev));
    if (nullptr == pi || number <= 0 || number > 200)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *pi = attribute(number, dev);
    return CUDA_SUCCESS;
}

SIM_API cuDeviceComputeCapability(int *major, int *minor, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    if (nullptr == major || nullptr == minor)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *major = settings().compute_capability / 10;
    *minor = settings().compute_capability % 10;
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetPCIBusId(char *pciBusId, int len, CUdevice dev)
{
    SIM_TRY(enter_device(dev));
    if (nullptr == pciBusId || len < 13)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    snprintf(pciBusId, static_cast<size_t>(len), "0000:%02X:00.0", (device_number(dev) + 1) & 0xff);
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetByPCIBusId(CUdevice *dev, const char *pciBusId)
{
    SIM_TRY(enter());
    unsigned domain;
    unsigned bus;
    if (nullptr == dev || nullptr == pciBusId || 2 != sscanf(pciBusId, "%x:%x", &domain, &bus))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const int device = 0 == domain ? device_ordinal(static_cast<int>(bus) - 1) : -1;
    if (device < 0)
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }

    *dev = device;
    return CUDA_SUCCESS;
}

SIM_API cuDeviceCanAccessPeer(int *canAccessPeer, CUdevice dev, CUdevice peerDev)
{
    SIM_TRY(enter_device(dev));
    SIM_TRY(enter_device(peerDev));
    if (nullptr == canAccessPeer)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *canAccessPeer = dev != peerDev && has_peer_access(dev, peerDev);
    return CUDA_SUCCESS;
}

SIM_API cuDeviceGetP2PAttribute(int *value, CUdevice_P2PAttribute attrib, CUdevice srcDevice, CUdevice dstDevice)
{
    SIM_TRY(enter_device(srcDevice));
    SIM_TRY(enter_device(dstDevice));
    if (nullptr == value || srcDevice == dstDevice)
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }

    switch (static_cast<int>(attrib))
    {
        case CU_DEVICE_P2P_ATTRIBUTE_PERFORMANCE_RANK:
        case CU_DEVICE_P2P_ATTRIBUTE_CUDA_ARRAY_ACCESS_SUPPORTED:
            *value = 0;
            return CUDA_SUCCESS;

        case CU_DEVICE_P2P_ATTRIBUTE_ACCESS_SUPPORTED:
            *value = has_peer_access(srcDevice, dstDevice);
            return CUDA_SUCCESS;

        case CU_DEVICE_P2P_ATTRIBUTE_NATIVE_ATOMIC_SUPPORTED:
            *value = has_peer_atomics(srcDevice, dstDevice);
            return CUDA_SUCCESS;

        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}
