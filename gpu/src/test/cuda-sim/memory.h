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
#ifndef CUDA_SIM_MEMORY_H
#define CUDA_SIM_MEMORY_H

#include "address_space.h"
#include "context.h"

namespace cuda_sim
{

/* Bytes that a copy reads or writes. */
struct Location
{
    char *memory;
    /* Whether the driver may reach them at any time; otherwise they are ordinary host memory. */
    bool pinned;
    bool host;
};

/* Bytes behind a device pointer: device memory, imported memory or pinned host memory; all of them of one range. */
CUresult resolve_device(CUdeviceptr address, size_t bytes, Location &location);

/* Bytes behind a host pointer. */
CUresult resolve_host(const void *address, size_t bytes, Location &location);

/* Bytes behind a pointer of either kind. */
CUresult resolve_any(CUdeviceptr address, size_t bytes, Location &location);

/* Allocates device memory on behalf of a context; its content is undefined, and not zero at the beginning. */
CUresult allocate(const Context &context, size_t bytes, CUdeviceptr &address);

/* Frees device memory that is not in use by anything in flight. */
bool free_device_memory(CUdeviceptr address);

/* Unmaps imported memory without regard to how often it was opened. */
bool unmap_imported(uint64_t begin);

/* Waits for everything in flight in every context of a device, as freeing its memory does. */
void synchronize_device(int device);

}

#endif
