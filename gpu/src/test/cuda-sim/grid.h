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
#ifndef CUDA_SIM_GRID_H
#define CUDA_SIM_GRID_H

#include "module.h"

#include <map>
#include <vector>

namespace cuda_sim
{

/*
 * A launched kernel. Ordinary kernels are executed by the thread of their stream, one simulated thread after another.
 * The threads of a block of a concurrent kernel are threads that run at the same time; so are the blocks of one that
 * was launched cooperatively, while those of an ordinary launch follow one another, since nothing promises more.
 */
struct Grid
{
    std::shared_ptr<Context> context;
    std::shared_ptr<Function> function;
    dim3 grid;
    dim3 block;
    size_t shared_bytes;
    bool cooperative;
    /* The arguments, as they were at the launch. */
    std::vector<char> values;
    std::vector<size_t> offsets;
    std::vector<const void *> arguments;

    /* Executes all threads; returns early when one fails or the context is ending. */
    void execute();

    std::atomic<bool> stopped{false};
};

}

#endif
