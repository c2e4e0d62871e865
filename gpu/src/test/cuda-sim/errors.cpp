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
#include "api.h"

#include <cstring>

namespace
{

struct Description
{
    CUresult code;
    const char *name;
    const char *text;
};

#define DESCRIBE(code, text) {code, #code, text}

const Description DESCRIPTIONS[] =
{
    DESCRIBE(CUDA_SUCCESS, "no error"),
    DESCRIBE(CUDA_ERROR_INVALID_VALUE, "invalid argument"),
    DESCRIBE(CUDA_ERROR_OUT_OF_MEMORY, "out of memory"),
    DESCRIBE(CUDA_ERROR_NOT_INITIALIZED, "initialization error"),
    DESCRIBE(CUDA_ERROR_DEINITIALIZED, "driver shutting down"),
    DESCRIBE(CUDA_ERROR_PROFILER_DISABLED, "profiler disabled"),
    DESCRIBE(CUDA_ERROR_PROFILER_NOT_INITIALIZED, "profiler not initialized"),
    DESCRIBE(CUDA_ERROR_PROFILER_ALREADY_STARTED, "profiler already started"),
    DESCRIBE(CUDA_ERROR_PROFILER_ALREADY_STOPPED, "profiler already stopped"),
    DESCRIBE(CUDA_ERROR_STUB_LIBRARY, "stub library"),
    DESCRIBE(CUDA_ERROR_CALL_REQUIRES_NEWER_DRIVER, "call requires newer driver"),
    DESCRIBE(CUDA_ERROR_DEVICE_UNAVAILABLE, "CUDA-capable device(s) is/are busy or unavailable"),
    DESCRIBE(CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"),
    DESCRIBE(CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"),
    DESCRIBE(CUDA_ERROR_DEVICE_NOT_LICENSED, "device not licensed"),
    DESCRIBE(CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"),
    DESCRIBE(CUDA_ERROR_INVALID_CONTEXT, "invalid device context"),
    DESCRIBE(CUDA_ERROR_CONTEXT_ALREADY_CURRENT, "context already current"),
    DESCRIBE(CUDA_ERROR_MAP_FAILED, "mapping of buffer object failed"),
    DESCRIBE(CUDA_ERROR_UNMAP_FAILED, "unmap failed"),
    DESCRIBE(CUDA_ERROR_ARRAY_IS_MAPPED, "array is mapped"),
    DESCRIBE(CUDA_ERROR_ALREADY_MAPPED, "already mapped"),
    DESCRIBE(CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"),
    DESCRIBE(CUDA_ERROR_ALREADY_ACQUIRED, "already acquired"),
    DESCRIBE(CUDA_ERROR_NOT_MAPPED, "not mapped"),
    DESCRIBE(CUDA_ERROR_NOT_MAPPED_AS_ARRAY, "not mapped as array"),
    DESCRIBE(CUDA_ERROR_NOT_MAPPED_AS_POINTER, "not mapped as pointer"),
    DESCRIBE(CUDA_ERROR_ECC_UNCORRECTABLE, "ecc uncorrectable"),
    DESCRIBE(CUDA_ERROR_UNSUPPORTED_LIMIT, "unsupported limit"),
    DESCRIBE(CUDA_ERROR_CONTEXT_ALREADY_IN_USE, "context already in use"),
    DESCRIBE(CUDA_ERROR_PEER_ACCESS_UNSUPPORTED, "peer access is not supported between these two devices"),
    DESCRIBE(CUDA_ERROR_INVALID_PTX, "a PTX JIT compilation failed"),
    DESCRIBE(CUDA_ERROR_INVALID_GRAPHICS_CONTEXT, "invalid graphics context"),
    DESCRIBE(CUDA_ERROR_NVLINK_UNCORRECTABLE, "nvlink uncorrectable"),
    DESCRIBE(CUDA_ERROR_JIT_COMPILER_NOT_FOUND, "jit compiler not found"),
    DESCRIBE(CUDA_ERROR_UNSUPPORTED_PTX_VERSION, "the provided PTX was compiled with an unsupported toolchain."),
    DESCRIBE(CUDA_ERROR_JIT_COMPILATION_DISABLED, "jit compilation disabled"),
    DESCRIBE(CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY, "unsupported exec affinity"),
    DESCRIBE(CUDA_ERROR_UNSUPPORTED_DEVSIDE_SYNC, "unsupported devside sync"),
    DESCRIBE(CUDA_ERROR_CONTAINED, "contained"),
    DESCRIBE(CUDA_ERROR_INVALID_SOURCE, "invalid source"),
    DESCRIBE(CUDA_ERROR_FILE_NOT_FOUND, "file not found"),
    DESCRIBE(CUDA_ERROR_SHARED_OBJECT_SYMBOL_NOT_FOUND, "shared object symbol not found"),
    DESCRIBE(CUDA_ERROR_SHARED_OBJECT_INIT_FAILED, "shared object init failed"),
    DESCRIBE(CUDA_ERROR_OPERATING_SYSTEM, "operating system"),
    DESCRIBE(CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"),
    DESCRIBE(CUDA_ERROR_ILLEGAL_STATE, "illegal state"),
    DESCRIBE(CUDA_ERROR_LOSSY_QUERY, "lossy query"),
    DESCRIBE(CUDA_ERROR_NOT_FOUND, "named symbol not found"),
    DESCRIBE(CUDA_ERROR_NOT_READY, "device not ready"),
    DESCRIBE(CUDA_ERROR_ILLEGAL_ADDRESS, "an illegal memory access was encountered"),
    DESCRIBE(CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES, "too many resources requested for launch"),
    DESCRIBE(CUDA_ERROR_LAUNCH_TIMEOUT, "launch timeout"),
    DESCRIBE(CUDA_ERROR_LAUNCH_INCOMPATIBLE_TEXTURING, "launch incompatible texturing"),
    DESCRIBE(CUDA_ERROR_PEER_ACCESS_ALREADY_ENABLED, "peer access is already enabled"),
    DESCRIBE(CUDA_ERROR_PEER_ACCESS_NOT_ENABLED, "peer access has not been enabled"),
    DESCRIBE(CUDA_ERROR_PRIMARY_CONTEXT_ACTIVE, "cannot set while device is active in this process"),
    DESCRIBE(CUDA_ERROR_CONTEXT_IS_DESTROYED, "context is destroyed"),
    DESCRIBE(CUDA_ERROR_ASSERT, "device-side assert triggered"),
    DESCRIBE(CUDA_ERROR_TOO_MANY_PEERS, "too many peers"),
    DESCRIBE(CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED, "part or all of the requested memory range is already mapped"),
    DESCRIBE(CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED, "pointer does not correspond to a registered memory region"),
    DESCRIBE(CUDA_ERROR_HARDWARE_STACK_ERROR, "hardware stack error"),
    DESCRIBE(CUDA_ERROR_ILLEGAL_INSTRUCTION, "illegal instruction"),
    DESCRIBE(CUDA_ERROR_MISALIGNED_ADDRESS, "misaligned address"),
    DESCRIBE(CUDA_ERROR_INVALID_ADDRESS_SPACE, "invalid address space"),
    DESCRIBE(CUDA_ERROR_INVALID_PC, "invalid pc"),
    DESCRIBE(CUDA_ERROR_LAUNCH_FAILED, "unspecified launch failure"),
    DESCRIBE(CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE, "too many blocks in cooperative launch"),
    DESCRIBE(CUDA_ERROR_TENSOR_MEMORY_LEAK, "tensor memory leak"),
    DESCRIBE(CUDA_ERROR_NOT_PERMITTED, "operation not permitted"),
    DESCRIBE(CUDA_ERROR_NOT_SUPPORTED, "operation not supported"),
    DESCRIBE(CUDA_ERROR_SYSTEM_NOT_READY, "system not ready"),
    DESCRIBE(CUDA_ERROR_SYSTEM_DRIVER_MISMATCH, "system driver mismatch"),
    DESCRIBE(CUDA_ERROR_COMPAT_NOT_SUPPORTED_ON_DEVICE, "compat not supported on device"),
    DESCRIBE(CUDA_ERROR_MPS_CONNECTION_FAILED, "mps connection failed"),
    DESCRIBE(CUDA_ERROR_MPS_RPC_FAILURE, "mps rpc failure"),
    DESCRIBE(CUDA_ERROR_MPS_SERVER_NOT_READY, "mps server not ready"),
    DESCRIBE(CUDA_ERROR_MPS_MAX_CLIENTS_REACHED, "mps max clients reached"),
    DESCRIBE(CUDA_ERROR_MPS_MAX_CONNECTIONS_REACHED, "mps max connections reached"),
    DESCRIBE(CUDA_ERROR_MPS_CLIENT_TERMINATED, "mps client terminated"),
    DESCRIBE(CUDA_ERROR_CDP_NOT_SUPPORTED, "cdp not supported"),
    DESCRIBE(CUDA_ERROR_CDP_VERSION_MISMATCH, "cdp version mismatch"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED, "stream capture unsupported"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_INVALIDATED, "stream capture invalidated"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_MERGE, "stream capture merge"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_UNMATCHED, "stream capture unmatched"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_UNJOINED, "stream capture unjoined"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_ISOLATION, "stream capture isolation"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_IMPLICIT, "stream capture implicit"),
    DESCRIBE(CUDA_ERROR_CAPTURED_EVENT, "captured event"),
    DESCRIBE(CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD, "stream capture wrong thread"),
    DESCRIBE(CUDA_ERROR_TIMEOUT, "timeout"),
    DESCRIBE(CUDA_ERROR_GRAPH_EXEC_UPDATE_FAILURE, "graph exec update failure"),
    DESCRIBE(CUDA_ERROR_EXTERNAL_DEVICE, "external device"),
    DESCRIBE(CUDA_ERROR_INVALID_CLUSTER_SIZE, "invalid cluster size"),
    DESCRIBE(CUDA_ERROR_FUNCTION_NOT_LOADED, "function not loaded"),
    DESCRIBE(CUDA_ERROR_INVALID_RESOURCE_TYPE, "invalid resource type"),
    DESCRIBE(CUDA_ERROR_INVALID_RESOURCE_CONFIGURATION, "invalid resource configuration"),
    DESCRIBE(CUDA_ERROR_KEY_ROTATION, "key rotation"),
    DESCRIBE(CUDA_ERROR_UNKNOWN, "unknown error"),
};

const Description *find(const CUresult code)
{
    for (const Description &description : DESCRIPTIONS)
    {
        if (description.code == code)
        {
            return &description;
        }
    }

    return nullptr;
}

CUresult describe(const CUresult code, const char **result, const bool name)
{
    if (nullptr == result)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const Description *description = find(code);
    if (nullptr == description)
    {
        *result = nullptr;
        return CUDA_ERROR_INVALID_VALUE;
    }

    *result = name ? description->name : description->text;
    return CUDA_SUCCESS;
}

}

SIM_API cuGetErrorName(CUresult error, const char **pStr)
{
    return describe(error, pStr, true);
}

SIM_API cuGetErrorString(CUresult error, const char **pStr)
{
    return describe(error, pStr, false);
}
