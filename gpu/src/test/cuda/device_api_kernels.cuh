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
#ifndef DEVICE_API_KERNELS_CUH
#define DEVICE_API_KERNELS_CUH

#include "aeroshmem_device.cuh"

/*
 * What the kernels that test the device API have in common. Tests pass codes of routines, and the numbers of types in
 * the order of the header's table.
 */
using aeroshmem::s32;
using aeroshmem::s64;
using aeroshmem::u64;

#define TYPE_NUMBER(PREFIX, SUFFIX, SCOPE, NAME, TYPE) TYPE_##NAME,
#define SIZE_NUMBER(PREFIX, SUFFIX, SCOPE, BITS, BYTES) TYPE_##BITS,

enum TypeNumber
{
    AEROSHMEM_RMA_TYPES(TYPE_NUMBER, , , )
    AEROSHMEM_SIZES(SIZE_NUMBER, , , )
    TYPE_mem,
    AEROSHMEM_COMPLEX_TYPES(TYPE_NUMBER, , , )
    TYPE_double2
};

/** The bits of a value, for tests. */
template <typename T>
static __device__ __forceinline__ u64 bits_of_value(const T value)
{
    return (u64)aeroshmem::bits_as<typename aeroshmem::device::Bits<sizeof(T)>::type>(value);
}

template <typename T>
static __device__ __forceinline__ T value_of_bits(const u64 bits)
{
    typedef typename aeroshmem::device::Bits<sizeof(T)>::type bits_type;
    return aeroshmem::bits_as<T>((bits_type)bits);
}

static __device__ __forceinline__ void store_result(const u64 result, const u64 value)
{
    *AEROSHMEM_GLOBAL(u64, result) = value;
}

#endif
