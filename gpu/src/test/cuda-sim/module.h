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
#ifndef CUDA_SIM_MODULE_H
#define CUDA_SIM_MODULE_H

#include "context.h"
#include "kernel_library.h"
#include "ptx.h"
#include "settings.h"

#include <map>

namespace cuda_sim
{

/* A loaded module: the declarations of its PTX, and its own copy of each global variable. */
struct Module
{
    struct Variable
    {
        CUdeviceptr address;
        size_t size;
        bool visible;
    };

    std::shared_ptr<Context> context;
    uintptr_t handle;
    Ptx ptx;
    std::map<std::string, Variable> variables;
    std::mutex lock;
    std::map<std::string, uintptr_t> functions;
};

constexpr unsigned REGISTERS_PER_BLOCK = 65536;

/* A function of a module: its declaration in PTX and the kernel, compiled as C++, that is executed for it. */
struct Function
{
    std::shared_ptr<Module> module;
    uintptr_t handle;
    const PtxEntry *entry;
    const sim_kernel *kernel;
    std::atomic<int> dynamic_shared_limit;

    unsigned max_threads() const
    {
        return 0 == entry->max_threads || entry->max_threads > 1024 ? 1024 : entry->max_threads;
    }

    /* Registers of a thread: as many as the compiler may use for launch bounds, if there are any. */
    unsigned registers() const
    {
        const unsigned wanted = settings().registers;
        const unsigned most = 0 == entry->max_threads ? wanted : REGISTERS_PER_BLOCK / max_threads();
        return wanted < most ? wanted : most;
    }
};

/* Blocks of a function that a multiprocessor holds at the same time. */
int active_blocks(const Function &function, int block_threads, size_t shared_bytes);

Handles<Module> &modules();

Handles<Function> &functions();

}

#endif
