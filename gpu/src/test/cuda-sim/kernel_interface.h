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
#ifndef CUDA_SIM_KERNEL_INTERFACE_H
#define CUDA_SIM_KERNEL_INTERFACE_H

/*
 * What simulated kernels, compiled as C++ into libraries of their own, and the simulated driver have in common. A
 * kernel library is linked with the simulated libcuda.so.1 and registers its kernels when it is loaded.
 */

#include <cstddef>
#include <cstdint>

#define SIM_INTERFACE extern "C" __attribute__((visibility("default")))

struct uint3
{
    unsigned int x;
    unsigned int y;
    unsigned int z;
};

struct dim3
{
    unsigned int x;
    unsigned int y;
    unsigned int z;

    constexpr dim3(const unsigned int x = 1, const unsigned int y = 1, const unsigned int z = 1) : x(x), y(y), z(z)
    {
    }
};

/* The built-in variables of a simulated thread; the driver's own state of the thread follows it in memory. */
struct sim_thread
{
    uint3 thread_index;
    uint3 block_index;
    dim3 block_dimension;
    dim3 grid_dimension;
};

struct sim_kernel
{
    const char *name;
    void (*invoke)(const void *const *arguments);
    size_t parameter_count;
    const size_t *parameter_sizes;
    /* Whether the threads of a block are threads that run at the same time. */
    bool concurrent;
};

/* The simulated thread that the calling thread is; null outside kernels. */
extern "C" __attribute__((visibility("default"))) __thread sim_thread *aeroshmem_sim_current;

SIM_INTERFACE void aeroshmem_sim_register(const sim_kernel *kernel);

/* Where the process reaches memory that a kernel means by an address; ends the kernel if it must not reach it. */
SIM_INTERFACE void *aeroshmem_sim_translate(uint64_t address, size_t bytes, size_t alignment);

/* Notes an atomic operation, so that those on host memory are counted. */
SIM_INTERFACE void aeroshmem_sim_note_atomic(const void *memory);

/* Memory of the block, the same for all of its threads that name the same key. */
SIM_INTERFACE void *aeroshmem_sim_shared(const void *key, size_t bytes);

SIM_INTERFACE void *aeroshmem_sim_dynamic_shared();

/* A global variable of the module that the kernel belongs to. */
SIM_INTERFACE void *aeroshmem_sim_module_global(const char *name, size_t bytes);

/* Waits for all threads of the block; the number of those whose predicate is not 0. */
SIM_INTERFACE unsigned aeroshmem_sim_block_barrier(int predicate);

/* Waits for the lanes of the mask and gives the value of each to all. */
SIM_INTERFACE void aeroshmem_sim_warp_share(unsigned mask, uint64_t value, uint64_t *values);

/* The lanes that come to the same place at about the same time. */
SIM_INTERFACE unsigned aeroshmem_sim_active_mask(const void *place);

/* Waits a moment; ends the kernel if its context is ending. */
SIM_INTERFACE void aeroshmem_sim_sleep(unsigned nanoseconds);

/* Ends the kernel as a trap or a failed assertion does. */
SIM_INTERFACE void aeroshmem_sim_trap(const char *message) __attribute__((noreturn));

#endif
