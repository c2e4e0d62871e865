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
#include "kernel_library.h"

#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <mutex>

namespace cuda_sim
{

namespace
{

std::mutex lock;

std::map<std::string, const sim_kernel *> &kernels()
{
    static std::map<std::string, const sim_kernel *> *instance = new std::map<std::string, const sim_kernel *>();
    return *instance;
}

}

bool load_kernel_libraries(const std::string &paths)
{
    size_t begin = 0;
    while (begin < paths.size())
    {
        size_t end = paths.find(':', begin);
        end = std::string::npos == end ? paths.size() : end;
        const std::string path = paths.substr(begin, end - begin);
        if (!path.empty() && nullptr == dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL))
        {
            fprintf(stderr, "AeroSHMEM simulated device: cannot load kernels: %s\n", dlerror());
            return false;
        }

        begin = end + 1;
    }

    return true;
}

const sim_kernel *find_kernel(const std::string &name)
{
    const std::lock_guard<std::mutex> guard(lock);
    const auto entry = kernels().find(name);
    return kernels().end() == entry ? nullptr : entry->second;
}

}

void aeroshmem_sim_register(const sim_kernel *kernel)
{
    const std::lock_guard<std::mutex> guard(cuda_sim::lock);
    if (!cuda_sim::kernels().emplace(kernel->name, kernel).second)
    {
        fprintf(stderr, "AeroSHMEM simulated device: two kernels are named %s; the first is used\n", kernel->name);
    }
}
