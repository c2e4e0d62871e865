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
#ifndef CUDA_SIM_API_H
#define CUDA_SIM_API_H

#include "cuda_types.h"

#include <memory>

/* A function of the driver API; the only symbols that the library exports besides those of kernel_interface.h. */
#define SIM_API extern "C" __attribute__((visibility("default"))) CUresult CUDAAPI

/* Returns from the calling function unless the expression is CUDA_SUCCESS. */
#define SIM_TRY(expression)                                                                                            \
    do                                                                                                                 \
    {                                                                                                                  \
        const CUresult sim_result_ = (expression);                                                                     \
        if (CUDA_SUCCESS != sim_result_)                                                                               \
        {                                                                                                              \
            return sim_result_;                                                                                        \
        }                                                                                                              \
    }                                                                                                                  \
    while (false)

namespace cuda_sim
{

class Context;

/* Admits a call that needs no context: initialised, not inside a host function, devices present. */
CUresult enter();

/* Admits a call that needs a current context, which must not have failed. */
CUresult enter(std::shared_ptr<Context> &context);

/* Admits a call that names a device, which must exist. */
CUresult enter_device(CUdevice device);

/* Marks the calling thread as being inside a host function. */
class HostFunctionScope
{
public:
    HostFunctionScope();
    ~HostFunctionScope();
};

}

#endif
