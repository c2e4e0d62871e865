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
#ifndef AEROSHMEM_STRIDED_CUH
#define AEROSHMEM_STRIDED_CUH

#include "aeroshmem_memory.cuh"

/** Copies of elements at strides: iput, iget, their block forms, and the blocks of alltoalls. */
namespace aeroshmem
{

/** A unit of 16 bytes. */
struct alignas(16) Quad
{
    u64 low;
    u64 high;
};

/**
 * Copies blocks of elements of units. Successive threads copy successive units. A stride may be 0 in the source, which
 * repeats an element.
 */
template <typename UNIT>
static __device__ __forceinline__ void strided_copy(
    const u64 dest, const s64 dest_block, const s64 dest_element,
    const u64 source, const s64 source_block, const s64 source_element,
    const u64 blocks, const u64 elements, const u64 units)
{
    const u64 count = blocks * elements * units;
    #pragma unroll 1
    for (u64 i = thread_index(); i < count; i += thread_count())
    {
        const u64 element = i / units;
        const s64 unit_offset = (s64)((i - element * units) * sizeof(UNIT));
        const s64 block = (s64)(element / elements);
        const s64 index = (s64)(element - (u64)block * elements);
        const u64 to = dest + (u64)(block * dest_block + index * dest_element + unit_offset);
        const u64 from = source + (u64)(block * source_block + index * source_element + unit_offset);
        *AEROSHMEM_GLOBAL(UNIT, to) = *AEROSHMEM_GLOBAL(const UNIT, from);
    }
}

}

#endif
