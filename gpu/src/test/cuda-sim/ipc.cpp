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

#include "settings.h"

#include <cstdio>
#include <cstring>
#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

using namespace cuda_sim;

namespace
{

constexpr uint64_t MAGIC = 0x6d69732d61647563ull;

/* What the 64 bytes of a handle hold. */
struct Handle
{
    uint64_t magic;
    int32_t process;
    int32_t descriptor;
    uint64_t process_start;
    uint64_t offset;
    uint64_t size;
    uint64_t id;
    int32_t slot;
    /* Its number in the machine: ordinals differ between processes. */
    int32_t device;
};

static_assert(sizeof(Handle) <= sizeof(CUipcMemHandle), "the handle is too long");

/* A handle opened by a context; it is unmapped when it has been closed as often as it was opened. */
struct Import
{
    Handle handle;
    int device;
    uintptr_t context;
    int context_device;
    uint64_t begin;
    uint64_t taken;
    int opened;
    char *mapping;
    size_t mapping_size;
};

std::mutex imports_lock;

std::vector<Import> &imports()
{
    static std::vector<Import> *instance = new std::vector<Import>();
    return *instance;
}

/* The time at which a process started, so that a later process of the same number is distinguished; 0: none. */
uint64_t process_start(const int process)
{
    char name[64];
    snprintf(name, sizeof(name), "/proc/%d/stat", process);
    FILE *file = fopen(name, "r");
    if (nullptr == file)
    {
        return 0;
    }

    char line[1024] = {0};
    const size_t length = fread(line, 1, sizeof(line) - 1, file);
    fclose(file);
    line[length] = 0;
    const char *at = strrchr(line, ')');
    unsigned long long start = 0;
    if (nullptr != at)
    {
        /* Field 22; the command, in brackets, is field 2. */
        sscanf(at + 1,
            " %*c %*d %*d %*d %*d %*d %*u %*u %*u %*u %*u %*u %*u %*d %*d %*d %*d %*d %*d %llu", &start);
    }

    return start;
}

/* Maps the exporter's bytes; the exporter must live, and the memory must not have been freed. */
CUresult map(const Handle &handle, Import &import)
{
    if (process_start(handle.process) != handle.process_start)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    char name[64];
    snprintf(name, sizeof(name), "/proc/%d/fd/%d", handle.process, handle.descriptor);
    const int file = open(name, O_RDWR | O_CLOEXEC);
    if (-1 == file)
    {
        return CUDA_ERROR_MAP_FAILED;
    }

    uint64_t live = 0;
    const off_t slot = static_cast<off_t>(handle.slot) * static_cast<off_t>(sizeof(uint64_t));
    const bool valid = sizeof(live) == pread(file, &live, sizeof(live), slot) && live == handle.id;
    const uint64_t page = 4096;
    const uint64_t first = handle.offset & ~(page - 1);
    import.mapping_size = handle.offset + handle.size - first;
    void *mapping = valid ?
        mmap(nullptr, import.mapping_size, PROT_READ | PROT_WRITE, MAP_SHARED, file, static_cast<off_t>(first)) :
        MAP_FAILED;
    close(file);
    if (MAP_FAILED == mapping)
    {
        return valid ? CUDA_ERROR_MAP_FAILED : CUDA_ERROR_INVALID_VALUE;
    }

    import.mapping = static_cast<char *>(mapping);
    return CUDA_SUCCESS;
}

void unmap(const Import &import)
{
    Range range;
    address_space().remove(import.begin, Range::IMPORTED_MEMORY, range);
    device_memory(import.device).release(import.begin, import.taken, false);
    munmap(import.mapping, import.mapping_size);
    counters().live_imports--;
}

}

namespace cuda_sim
{

bool unmap_imported(const uint64_t begin)
{
    const std::lock_guard<std::mutex> guard(imports_lock);
    std::vector<Import> &all = imports();
    for (auto import = all.begin(); all.end() != import; ++import)
    {
        if (import->begin == begin)
        {
            unmap(*import);
            all.erase(import);
            return true;
        }
    }

    return false;
}

}

SIM_API cuIpcGetMemHandle(CUipcMemHandle *pHandle, CUdeviceptr dptr)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (!settings().ipc)
    {
        return CUDA_ERROR_NOT_SUPPORTED;
    }

    Range range;
    if (nullptr == pHandle || !address_space().find(dptr, range) || Range::DEVICE_MEMORY != range.kind ||
        range.begin != dptr)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    if (range.slot < 0)
    {
        return CUDA_ERROR_OUT_OF_MEMORY;
    }

    const DeviceMemory &memory = device_memory(range.device);
    const Handle handle{
        MAGIC, getpid(), memory.descriptor(), process_start(getpid()), memory.offset(dptr), range.size, range.id,
        range.slot, device_number(range.device)};
    memset(pHandle, 0, sizeof(*pHandle));
    memcpy(pHandle, &handle, sizeof(handle));
    return CUDA_SUCCESS;
}

SIM_API cuIpcOpenMemHandle_v2(CUdeviceptr *pdptr, CUipcMemHandle handle, unsigned int Flags)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    if (!settings().ipc)
    {
        return CUDA_ERROR_NOT_SUPPORTED;
    }

    if (!settings().ipc_open)
    {
        return CUDA_ERROR_MAP_FAILED;
    }

    Import import;
    memcpy(&import.handle, &handle, sizeof(import.handle));
    if (nullptr == pdptr || CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS != Flags || MAGIC != import.handle.magic)
    {
        return CUDA_ERROR_INVALID_VALUE;
    }

    import.device = device_ordinal(import.handle.device);
    import.context = context->handle;
    import.context_device = context->device;
    if (import.device < 0)
    {
        return CUDA_ERROR_INVALID_DEVICE;
    }

    if (getpid() == import.handle.process)
    {
        return CUDA_ERROR_INVALID_CONTEXT;
    }

    if (context->device != import.device)
    {
        if (!has_peer_access(context->device, import.device))
        {
            return CUDA_ERROR_PEER_ACCESS_UNSUPPORTED;
        }

        context->enable_peer(import.device);
    }

    const std::lock_guard<std::mutex> guard(imports_lock);
    for (Import &existing : imports())
    {
        /* Memory of a device of another process is opened in one context of each device of this process only. */
        const bool same_process = existing.handle.process == import.handle.process &&
            existing.handle.process_start == import.handle.process_start;
        if (same_process && existing.device == import.device && existing.context_device == context->device &&
            existing.context != context->handle)
        {
            return CUDA_ERROR_INVALID_CONTEXT;
        }

        if (existing.context == context->handle &&
            0 == memcmp(&existing.handle, &import.handle, sizeof(import.handle)))
        {
            existing.opened++;
            *pdptr = existing.begin;
            return CUDA_SUCCESS;
        }
    }

    SIM_TRY(map(import.handle, import));
    import.taken = (import.handle.size + ALLOCATION_ALIGNMENT - 1) / ALLOCATION_ALIGNMENT * ALLOCATION_ALIGNMENT;
    import.begin = device_memory(import.device).take(import.taken, false, 0);
    import.opened = 1;
    const char *bytes = import.mapping + import.handle.offset % 4096;
    const Range range{
        import.begin, import.handle.size, Range::IMPORTED_MEMORY, import.device, context->handle, 0,
        static_cast<int64_t>(reinterpret_cast<uint64_t>(bytes) - import.begin), next_range_id(), -1, import.begin};
    if (0 == import.begin || !address_space().add(range))
    {
        munmap(import.mapping, import.mapping_size);
        return CUDA_ERROR_MAP_FAILED;
    }

    counters().live_imports++;
    imports().push_back(import);
    *pdptr = import.begin;
    return CUDA_SUCCESS;
}

SIM_API cuIpcCloseMemHandle(CUdeviceptr dptr)
{
    std::shared_ptr<Context> context;
    SIM_TRY(enter(context));
    synchronize_device(context->device);
    const std::lock_guard<std::mutex> guard(imports_lock);
    std::vector<Import> &all = imports();
    for (auto import = all.begin(); all.end() != import; ++import)
    {
        if (import->begin == dptr)
        {
            if (0 == --import->opened)
            {
                unmap(*import);
                all.erase(import);
            }

            return CUDA_SUCCESS;
        }
    }

    return CUDA_ERROR_INVALID_VALUE;
}
