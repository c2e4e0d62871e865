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
#ifndef CUDA_SIM_PTX_H
#define CUDA_SIM_PTX_H

#include <cstdint>
#include <string>
#include <vector>

namespace cuda_sim
{

struct PtxParameter
{
    size_t size;
    size_t alignment;
};

struct PtxEntry
{
    std::string name;
    std::vector<PtxParameter> parameters;
    /* The most threads of a block; 0: as many as the device allows. */
    unsigned max_threads;
};

struct PtxVariable
{
    std::string name;
    size_t size;
    std::vector<uint8_t> initial;
    /* Whether the host finds it by its name. */
    bool visible;
};

/* What the simulation takes from PTX: the declarations of the module. The code of its functions is not looked at. */
struct Ptx
{
    /* Ten times the version: 80 is 8.0. */
    int version = 0;
    int target = 0;
    std::vector<PtxEntry> entries;
    std::vector<PtxVariable> variables;
};

/* Whether the text is PTX; if not, error names what is wrong. */
bool parse_ptx(const std::string &text, Ptx &ptx, std::string &error);

}

#endif
