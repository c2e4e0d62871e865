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

#include "settings.h"

#include <chrono>
#include <cstring>
#include <thread>

using namespace cuda_sim;

namespace
{

bool is_within_limits(const Function &function, const dim3 &grid, const dim3 &block)
{
    const uint64_t threads = static_cast<uint64_t>(block.x) * block.y * block.z;
    const bool some = 0 != threads && 0 != grid.x && 0 != grid.y && 0 != grid.z;
    return some && block.x <= 1024 && block.y <= 1024 && block.z <= 64 && threads <= function.max_threads() &&
        grid.x <= 0x7fffffff && grid.y <= 65535 && grid.z <= 65535;
}

/* Copies the arguments to which an array points. */
void take_arguments(Grid &grid, void **arguments)
{
    for (const PtxParameter &parameter : grid.function->entry->parameters)
    {
        const size_t offset =
            (grid.values.size() + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        grid.values.resize(offset + parameter.size);
        memcpy(grid.values.data() + offset, arguments[grid.offsets.size()], parameter.size);
        grid.offsets.push_back(offset);
    }
}

/* Copies the arguments from a buffer in which they lie one behind another. */
CUresult take_buffer(Grid &grid, void **extra)
{
    const char *buffer = nullptr;
    size_t size = 0;
    for (size_t i = 0; CU_LAUNCH_PARAM_END != extra[i]; i += 2)
    {
        if (CU_LAUNCH_PARAM_BUFFER_POINTER == extra[i])
        {
            buffer = static_cast<const char *>(extra[i + 1]);
        }
        else if (CU_LAUNCH_PARAM_BUFFER_SIZE == extra[i])
        {
            size = *static_cast<const size_t *>(extra[i + 1]);
        }
        else
        {
            return CUDA_ERROR_INVALID_VALUE;
        }
    }

    size_t end = 0;
    for (const PtxParameter &parameter : grid.function->entry->parameters)
    {
        const size_t offset = (end + parameter.alignment - 1) / parameter.alignment * parameter.alignment;
        end = offset + parameter.size;
        grid.offsets.push_back(offset);
    }

    if (end > size || (end > 0 && nullptr == buffer))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    grid.values.assign(buffer, buffer + end);
    return CUDA_SUCCESS;
}

/* Counts a launch; the last one before the devices are lost still succeeds. */
void count_launch()
{
    counters().launches++;
    std::atomic<int64_t> &left = settings().launches_until_lost;
    int64_t value = left.load();
    while (value > 0 && !left.compare_exchange_weak(value, value - 1))
    {
    }
}

/* Runs a grid; that of the endless kernel occupies its stream until the process is killed. */
void execute(Grid &grid)
{
    while (grid.function->entry->name == settings().endless)
    {
        std::this_thread::sleep_for(std::chrono::milliseconds(100));
    }
    grid.execute();
}

CUresult launch(
    const CUfunction handle,
    const dim3 &grid_dimension,
    const dim3 &block_dimension,
    const unsigned shared_bytes,
    const CUstream stream_handle,
    void **arguments,
    void **extra,
    const bool cooperative)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    const std::shared_ptr<Function> function = functions().find(reinterpret_cast<uintptr_t>(handle));
    std::shared_ptr<Stream> stream;
    if (nullptr == function)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    SIM_TRY(find_stream(stream_handle, context, stream));
    if (function->module->context != context)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (stream->context != context)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    const bool no_parameters = function->entry->parameters.empty();
    if (!is_within_limits(*function, grid_dimension, block_dimension) ||
        shared_bytes > static_cast<unsigned>(function->dynamic_shared_limit) ||
        (nullptr != arguments && nullptr != extra) || (nullptr == arguments && nullptr == extra && !no_parameters))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const int block_threads = static_cast<int>(block_dimension.x * block_dimension.y * block_dimension.z);
    if (block_threads * function->registers() > REGISTERS_PER_BLOCK)
    {
        return CUDA_ERROR_LAUNCH_OUT_OF_RESOURCES;
    }

    const uint64_t blocks = static_cast<uint64_t>(grid_dimension.x) * grid_dimension.y * grid_dimension.z;
    const int most = settings().multiprocessors * active_blocks(*function, block_threads, shared_bytes);
    if (cooperative && blocks > static_cast<uint64_t>(most))
    {
        return CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE;
    }

    const std::shared_ptr<Grid> grid(new Grid());
    grid->context = context;
    grid->function = function;
    grid->grid = grid_dimension;
    grid->block = block_dimension;
    grid->shared_bytes = shared_bytes;
    grid->cooperative = cooperative;
    if (nullptr != extra)
    {
        SIM_TRY(take_buffer(*grid, extra));
    }
    else if (!no_parameters)
    {
        take_arguments(*grid, arguments);
    }

    /* A recorded kernel is launched as often as its graph is. */
    if (stream->capture([grid] { count_launch(); execute(*grid); }))
    {
        return CUDA_SUCCESS;
    }

    context->enqueue(stream, [grid] { execute(*grid); });
    count_launch();
    return CUDA_SUCCESS;
}

}

SIM_API cuLaunchKernel(
    CUfunction f,
    unsigned int gridDimX,
    unsigned int gridDimY,
    unsigned int gridDimZ,
    unsigned int blockDimX,
    unsigned int blockDimY,
    unsigned int blockDimZ,
    unsigned int sharedMemBytes,
    CUstream hStream,
    void **kernelParams,
    void **extra)
{
    return launch(
        f, dim3(gridDimX, gridDimY, gridDimZ), dim3(blockDimX, blockDimY, blockDimZ), sharedMemBytes, hStream,
        kernelParams, extra, false);
}

SIM_API cuLaunchCooperativeKernel(
    CUfunction f,
    unsigned int gridDimX,
    unsigned int gridDimY,
    unsigned int gridDimZ,
    unsigned int blockDimX,
    unsigned int blockDimY,
    unsigned int blockDimZ,
    unsigned int sharedMemBytes,
    CUstream hStream,
    void **kernelParams)
{
    return launch(
        f, dim3(gridDimX, gridDimY, gridDimZ), dim3(blockDimX, blockDimY, blockDimZ), sharedMemBytes, hStream,
        kernelParams, nullptr, true);
}
