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

using namespace cuda_sim;

namespace
{

template <typename T>
CUresult answer(void *data, const T value)
{
    *static_cast<T *>(data) = value;
    return CUDA_SUCCESS;
}

/* The value of an attribute of a pointer into a known range. */
CUresult known_attribute(void *data, const int attribute, const CUdeviceptr pointer, const Range &range)
{
    const uint64_t offset = pointer - range.begin;
    switch (attribute)
    {
        case CU_POINTER_ATTRIBUTE_CONTEXT:
            return answer(data, reinterpret_cast<CUcontext>(range.context));

        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return answer<unsigned>(data, range.is_host() ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE);

        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
            if (range.is_host() && 0 == (range.flags & CU_MEMHOSTREGISTER_DEVICEMAP))
            {
                return CUDA_ERROR_INVALID_VALUE;
            }

            return answer<CUdeviceptr>(data, range.device_address + offset);

        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
            return range.is_host() ?
                answer<void *>(data, range.host_address(pointer)) : CUDA_ERROR_INVALID_VALUE;

        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
            return answer<bool>(data, false);

        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
            return answer<unsigned long long>(data, range.id);

        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return answer<int>(data, range.device);

        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
            return answer<bool>(data, Range::DEVICE_MEMORY == range.kind);

        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
            return answer<CUdeviceptr>(data, range.begin);

        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
            return answer<size_t>(data, range.size);

        case CU_POINTER_ATTRIBUTE_MAPPED:
            return answer<bool>(data, true);

        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

/* What cuPointerGetAttributes answers, without an error, for a pointer that CUDA does not know. */
CUresult unknown_attribute(void *data, const int attribute)
{
    switch (attribute)
    {
        case CU_POINTER_ATTRIBUTE_CONTEXT:
        case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
        case CU_POINTER_ATTRIBUTE_HOST_POINTER:
        case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
        case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
        case CU_POINTER_ATTRIBUTE_BUFFER_ID:
            return answer<uint64_t>(data, 0);

        case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
            return answer<unsigned>(data, 0);

        case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
            return answer<int>(data, -2);

        case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
        case CU_POINTER_ATTRIBUTE_IS_MANAGED:
        case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
        case CU_POINTER_ATTRIBUTE_MAPPED:
            return answer<bool>(data, false);

        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

}

SIM_API cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    SIM_TRY(enter());
    Range range;
    if (nullptr == data || !address_space().find(ptr, range))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    return known_attribute(data, static_cast<int>(attribute), ptr, range);
}

SIM_API cuPointerGetAttributes(
    unsigned int numAttributes, CUpointer_attribute *attributes, void **data, CUdeviceptr ptr)
{
    SIM_TRY(enter());
    if (0 == numAttributes || nullptr == attributes || nullptr == data)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    Range range;
    const bool known = address_space().find(ptr, range);
    for (unsigned i = 0; i < numAttributes; i++)
    {
        const int attribute = static_cast<int>(attributes[i]);
        if (nullptr == data[i])
        {
            return CUDA_ERROR_INVALID_VALUE;
        }

        if (!known || CUDA_SUCCESS != known_attribute(data[i], attribute, ptr, range))
        {
            SIM_TRY(unknown_attribute(data[i], attribute));
        }
    }

    return CUDA_SUCCESS;
}

SIM_API cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr ptr)
{
    SIM_TRY(enter());
    Range range;
    if (nullptr == value || !address_space().find(ptr, range))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    return CU_POINTER_ATTRIBUTE_SYNC_MEMOPS == static_cast<int>(attribute) ?
        CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
