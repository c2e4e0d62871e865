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
#include "module.h"

#include "memory.h"
#include "settings.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <sstream>

using namespace cuda_sim;

SIM_API cuModuleLoadDataEx(
    CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options, void **optionValues);

namespace
{

constexpr size_t SHARED_BYTES = 48 * 1024;
constexpr int BLOCKS_PER_MULTIPROCESSOR = 16;
constexpr int THREADS_PER_MULTIPROCESSOR = 1024;

constexpr int JIT_ERROR_LOG_BUFFER = 5;
constexpr int JIT_ERROR_LOG_BUFFER_SIZE_BYTES = 6;

/* The highest version of PTX, times ten, that a driver of this version accepts. */
int highest_ptx_version()
{
    const int version = settings().driver_version;
    const int major = version / 1000;
    const int minor = version % 1000 / 10;
    if (major < 11)
    {
        return 65;
    }

    if (11 == major)
    {
        return 70 + minor;
    }

    if (12 == major)
    {
        return 80 + (minor <= 5 ? minor : minor - 1);
    }

    return 90 + minor;
}

CUresult check(const std::string &text, Ptx &ptx, std::string &error)
{
    const bool elf = 0 == text.compare(0, 4, "\177ELF");
    const bool fat_binary = 0 == text.compare(0, 4, "\x50\xed\x55\xba");
    if (elf || fat_binary)
    {
        error = "the simulation executes PTX only";
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }

    if (std::string::npos == text.find(".version"))
    {
        error = "neither PTX nor a binary";
        return CUDA_ERROR_INVALID_IMAGE;
    }

    if (!parse_ptx(text, ptx, error))
    {
        return CUDA_ERROR_INVALID_PTX;
    }

    if (ptx.version > highest_ptx_version())
    {
        error = "the version of the PTX is newer than the driver";
        return CUDA_ERROR_UNSUPPORTED_PTX_VERSION;
    }

    if (ptx.target > settings().compute_capability)
    {
        error = "the PTX is for a later device";
        return CUDA_ERROR_NO_BINARY_FOR_GPU;
    }

    return CUDA_SUCCESS;
}

void free_variables(Module &module)
{
    for (const auto &entry : module.variables)
    {
        free_device_memory(entry.second.address);
    }

    module.variables.clear();
}

CUresult load(const std::string &text, CUmodule *result, std::string &error)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (nullptr == result)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const auto module = std::make_shared<Module>();
    module->context = context;
    module->handle = next_handle();
    SIM_TRY(check(text, module->ptx, error));
    for (const PtxVariable &variable : module->ptx.variables)
    {
        CUdeviceptr address;
        Location location;
        if (CUDA_SUCCESS != allocate(*context, variable.size, address) ||
            CUDA_SUCCESS != resolve_device(address, variable.size, location))
        {
            free_variables(*module);
            return CUDA_ERROR_OUT_OF_MEMORY;
        }

        memcpy(location.memory, variable.initial.data(), variable.size);
        module->variables[variable.name] = {address, variable.size, variable.visible};
    }

    modules().add(module->handle, module);
    counters().live_modules++;
    *result = reinterpret_cast<CUmodule>(module->handle);
    return CUDA_SUCCESS;
}

/* Whether PTX and C++, which come from one source, agree on the parameters. */
bool agree(const PtxEntry &entry, const sim_kernel &kernel)
{
    if (entry.parameters.size() != kernel.parameter_count)
    {
        return false;
    }

    for (size_t i = 0; i < kernel.parameter_count; i++)
    {
        if (entry.parameters[i].size != kernel.parameter_sizes[i])
        {
            return false;
        }
    }

    return true;
}

void unload(Module &module)
{
    for (const auto &entry : module.functions)
    {
        functions().remove(entry.second);
    }

    free_variables(module);
    counters().live_modules--;
}

CUresult find(const CUfunction handle, std::shared_ptr<Function> &function)
{
    SIM_TRY(enter());
    function = functions().find(reinterpret_cast<uintptr_t>(handle));
    return nullptr == function ? CUDA_ERROR_INVALID_HANDLE : CUDA_SUCCESS;
}

}

namespace cuda_sim
{

Handles<Module> &modules()
{
    static Handles<Module> *instance = new Handles<Module>();
    return *instance;
}

Handles<Function> &functions()
{
    static Handles<Function> *instance = new Handles<Function>();
    return *instance;
}

void unload_modules(const Context &context)
{
    for (const std::shared_ptr<Module> &module :
        modules().select([&](const Module &candidate) { return candidate.context.get() == &context; }))
    {
        modules().remove(module->handle);
        unload(*module);
    }
}

int active_blocks(const Function &function, const int block_threads, const size_t shared_bytes)
{
    if (block_threads > static_cast<int>(function.max_threads()) || shared_bytes > SHARED_BYTES ||
        block_threads * function.registers() > REGISTERS_PER_BLOCK)
    {
        return 0;
    }

    const int by_threads = THREADS_PER_MULTIPROCESSOR / ((block_threads + 31) / 32 * 32);
    const int by_memory = 0 == shared_bytes ? BLOCKS_PER_MULTIPROCESSOR : static_cast<int>(SHARED_BYTES / shared_bytes);
    return std::min({by_threads, by_memory, BLOCKS_PER_MULTIPROCESSOR});
}

}

SIM_API cuModuleLoad(CUmodule *module, const char *fname)
{
    SIM_TRY(enter());
    if (nullptr == fname)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    std::ifstream file(fname, std::ios::binary);
    if (!file)
    {
        return CUDA_ERROR_FILE_NOT_FOUND;
    }

    std::stringstream text;
    text << file.rdbuf();
    std::string error;
    return load(text.str(), module, error);
}

SIM_API cuModuleLoadData(CUmodule *module, const void *image)
{
    return cuModuleLoadDataEx(module, image, 0, nullptr, nullptr);
}

SIM_API cuModuleLoadDataEx(
    CUmodule *module, const void *image, unsigned int numOptions, CUjit_option *options, void **optionValues)
{
    SIM_TRY(enter());
    if (nullptr == image)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    std::string error;
    const CUresult result = load(static_cast<const char *>(image), module, error);
    char *log = nullptr;
    size_t log_size = 0;
    for (unsigned i = 0; i < numOptions; i++)
    {
        const int option = static_cast<int>(options[i]);
        if (JIT_ERROR_LOG_BUFFER == option)
        {
            log = static_cast<char *>(optionValues[i]);
        }
        else if (JIT_ERROR_LOG_BUFFER_SIZE_BYTES == option)
        {
            log_size = static_cast<unsigned>(reinterpret_cast<uintptr_t>(optionValues[i]));
        }
    }

    if (nullptr != log && log_size > 0)
    {
        snprintf(log, log_size, "%s", error.c_str());
    }

    return result;
}

SIM_API cuModuleLoadFatBinary(CUmodule *module, const void *fatCubin)
{
    SIM_TRY(enter());
    return nullptr == module || nullptr == fatCubin ? CUDA_ERROR_INVALID_VALUE : CUDA_ERROR_NO_BINARY_FOR_GPU;
}

SIM_API cuModuleGetLoadingMode(CUmoduleLoadingMode *mode)
{
    SIM_TRY(enter());
    if (nullptr == mode)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *mode = CU_MODULE_EAGER_LOADING;
    return CUDA_SUCCESS;
}

SIM_API cuModuleUnload(CUmodule hmod)
{
    SIM_TRY(enter());
    const std::shared_ptr<Module> module = modules().find(reinterpret_cast<uintptr_t>(hmod));
    if (nullptr == module)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    synchronize_device(module->context->device);
    if (nullptr == modules().remove(module->handle))
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    unload(*module);
    return CUDA_SUCCESS;
}

SIM_API cuModuleGetFunction(CUfunction *hfunc, CUmodule hmod, const char *name)
{
    SIM_TRY(enter());
    const std::shared_ptr<Module> module = modules().find(reinterpret_cast<uintptr_t>(hmod));
    if (nullptr == module)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    if (nullptr == hfunc || nullptr == name)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const std::lock_guard<std::mutex> guard(module->lock);
    const auto known = module->functions.find(name);
    if (module->functions.end() != known)
    {
        *hfunc = reinterpret_cast<CUfunction>(known->second);
        return CUDA_SUCCESS;
    }

    for (const PtxEntry &entry : module->ptx.entries)
    {
        if (entry.name != name)
        {
            continue;
        }

        const sim_kernel *kernel = find_kernel(name);
        if (nullptr == kernel || !agree(entry, *kernel))
        {
            fprintf(
                stderr, "AeroSHMEM simulated device: kernel %s %s\n", name, nullptr == kernel ?
                "is in PTX but in no library of AEROSHMEM_CUDA_SIM_KERNELS" :
                "has other parameters in PTX than in C++: the PTX is out of date");
            return nullptr == kernel ? CUDA_ERROR_NOT_FOUND : CUDA_ERROR_INVALID_IMAGE;
        }

        const uintptr_t handle = next_handle();
        const std::shared_ptr<Function> function(new Function{module, handle, &entry, kernel, {SHARED_BYTES}});
        functions().add(handle, function);
        module->functions[name] = handle;
        *hfunc = reinterpret_cast<CUfunction>(handle);
        return CUDA_SUCCESS;
    }

    return CUDA_ERROR_NOT_FOUND;
}

SIM_API cuModuleGetGlobal_v2(CUdeviceptr *dptr, size_t *bytes, CUmodule hmod, const char *name)
{
    SIM_TRY(enter());
    const std::shared_ptr<Module> module = modules().find(reinterpret_cast<uintptr_t>(hmod));
    if (nullptr == module)
    {
        return CUDA_ERROR_INVALID_HANDLE;
    }

    if (nullptr == name || (nullptr == dptr && nullptr == bytes))
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const auto variable = module->variables.find(name);
    if (module->variables.end() == variable || !variable->second.visible)
    {
        return CUDA_ERROR_NOT_FOUND;
    }

    if (nullptr != dptr)
    {
        *dptr = variable->second.address;
    }

    if (nullptr != bytes)
    {
        *bytes = variable->second.size;
    }

    return CUDA_SUCCESS;
}

SIM_API cuFuncGetModule(CUmodule *hmod, CUfunction hfunc)
{
    std::shared_ptr<Function> function;
    SIM_TRY(find(hfunc, function));
    if (nullptr == hmod)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *hmod = reinterpret_cast<CUmodule>(function->module->handle);
    return CUDA_SUCCESS;
}

SIM_API cuFuncGetAttribute(int *pi, CUfunction_attribute attrib, CUfunction hfunc)
{
    std::shared_ptr<Function> function;
    SIM_TRY(find(hfunc, function));
    if (nullptr == pi)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    switch (static_cast<int>(attrib))
    {
        case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
            *pi = static_cast<int>(std::min(function->max_threads(), REGISTERS_PER_BLOCK / function->registers()));
            return CUDA_SUCCESS;

        case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
        case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
        case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
        case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
            *pi = 0;
            return CUDA_SUCCESS;

        case CU_FUNC_ATTRIBUTE_NUM_REGS:
            *pi = static_cast<int>(function->registers());
            return CUDA_SUCCESS;

        case CU_FUNC_ATTRIBUTE_PTX_VERSION:
            *pi = function->module->ptx.target;
            return CUDA_SUCCESS;

        case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
            *pi = settings().compute_capability;
            return CUDA_SUCCESS;

        case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
            *pi = function->dynamic_shared_limit;
            return CUDA_SUCCESS;

        default:
            return CUDA_ERROR_INVALID_VALUE;
    }
}

SIM_API cuFuncSetAttribute(CUfunction hfunc, CUfunction_attribute attrib, int value)
{
    std::shared_ptr<Function> function;
    SIM_TRY(find(hfunc, function));
    if (CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES != static_cast<int>(attrib) || value < 0 ||
        static_cast<size_t>(value) > SHARED_BYTES)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    function->dynamic_shared_limit = value;
    return CUDA_SUCCESS;
}

SIM_API cuFuncSetCacheConfig(CUfunction hfunc, CUfunc_cache config)
{
    std::shared_ptr<Function> function;
    SIM_TRY(find(hfunc, function));
    return static_cast<unsigned>(config) > 3 ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

SIM_API cuOccupancyMaxActiveBlocksPerMultiprocessor(
    int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize)
{
    std::shared_ptr<Function> function;
    SIM_TRY(find(func, function));
    if (nullptr == numBlocks || blockSize <= 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    *numBlocks = active_blocks(*function, blockSize, dynamicSMemSize);
    return CUDA_SUCCESS;
}

SIM_API cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
    int *numBlocks, CUfunction func, int blockSize, size_t dynamicSMemSize, unsigned int flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE :
        cuOccupancyMaxActiveBlocksPerMultiprocessor(numBlocks, func, blockSize, dynamicSMemSize);
}

SIM_API cuOccupancyMaxPotentialBlockSize(
    int *minGridSize,
    int *blockSize,
    CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize,
    size_t dynamicSMemSize,
    int blockSizeLimit)
{
    std::shared_ptr<Function> function;
    SIM_TRY(find(func, function));
    if (nullptr == minGridSize || nullptr == blockSize || blockSizeLimit < 0)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    const int most = static_cast<int>(function->max_threads());
    *blockSize = 0 == blockSizeLimit ? most : std::min(most, blockSizeLimit);
    const size_t bytes =
        nullptr == blockSizeToDynamicSMemSize ? dynamicSMemSize : blockSizeToDynamicSMemSize(*blockSize);
    *minGridSize = settings().multiprocessors * active_blocks(*function, *blockSize, bytes);
    return CUDA_SUCCESS;
}

SIM_API cuOccupancyMaxPotentialBlockSizeWithFlags(
    int *minGridSize,
    int *blockSize,
    CUfunction func,
    CUoccupancyB2DSize blockSizeToDynamicSMemSize,
    size_t dynamicSMemSize,
    int blockSizeLimit,
    unsigned int flags)
{
    return flags > 1 ? CUDA_ERROR_INVALID_VALUE : cuOccupancyMaxPotentialBlockSize(
        minGridSize, blockSize, func, blockSizeToDynamicSMemSize, dynamicSMemSize, blockSizeLimit);
}
