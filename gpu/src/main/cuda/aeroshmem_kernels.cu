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

#include "aeroshmem_memory.cuh"
#include "aeroshmem_reduction.cuh"
#include "aeroshmem_synchronization.cuh"
#include "aeroshmem_strided.cuh"

/**
 * The kernels that the host launches. All parameters are 64-bit integers: addresses, counts, codes. Each kernel is a
 * definition of its own, so that a list of them can be read from this file and from the PTX.
 */
using aeroshmem::s64;
using aeroshmem::u64;

/* dest[i] = left[i] op right[i]. count elements; two successive ones are an item of MAXLOC and MINLOC. */

extern "C" __global__ void aeroshmem_combine_byte(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Byte>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_short(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Short>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_int(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Int>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_long(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Long>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_unsigned_byte(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::UnsignedByte>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_unsigned_short(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::UnsignedShort>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_unsigned_int(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::UnsignedInt>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_unsigned_long(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::UnsignedLong>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_float(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Float>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_double(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Double>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_complex_float(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::ComplexFloat>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_complex_double(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::ComplexDouble>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_half(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Half>(op, dest, left, right, count);
}

extern "C" __global__ void aeroshmem_combine_bfloat16(u64 op, u64 dest, u64 left, u64 right, u64 count)
{
    aeroshmem::combine<aeroshmem::Bfloat16>(op, dest, left, right, count);
}

/* A reduction of the blocks at table[0 .. members - 1] + offset in the canonical order, finished. */

extern "C" __global__ void aeroshmem_reduce_byte(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Byte>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_short(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Short>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_int(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Int>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_long(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Long>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_unsigned_byte(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::UnsignedByte>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_unsigned_short(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::UnsignedShort>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_unsigned_int(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::UnsignedInt>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_unsigned_long(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::UnsignedLong>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_float(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Float>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_double(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Double>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_complex_float(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::ComplexFloat>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_complex_double(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::ComplexDouble>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_half(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Half>(op, dest, table, offset, count, members);
}

extern "C" __global__ void aeroshmem_reduce_bfloat16(u64 op, u64 dest, u64 table, u64 offset, u64 count, u64 members)
{
    aeroshmem::reduce<aeroshmem::Bfloat16>(op, dest, table, offset, count, members);
}

/* Turns combinations of the elements of all members into results: the division of AVG, 1 or 0 of an only member. */

extern "C" __global__ void aeroshmem_finish_byte(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Byte>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_short(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Short>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_int(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Int>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_long(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Long>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_unsigned_byte(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::UnsignedByte>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_unsigned_short(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::UnsignedShort>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_unsigned_int(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::UnsignedInt>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_unsigned_long(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::UnsignedLong>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_float(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Float>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_double(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Double>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_complex_float(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::ComplexFloat>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_complex_double(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::ComplexDouble>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_half(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Half>(op, address, count, members);
}

extern "C" __global__ void aeroshmem_finish_bfloat16(u64 op, u64 address, u64 count, u64 members)
{
    aeroshmem::finish<aeroshmem::Bfloat16>(op, address, count, members);
}

/* AMOs: one thread. The old value is stored at result, unless result is 0. */

extern "C" __global__ void aeroshmem_atomic_32(u64 op, u64 target, u64 operand, u64 comparand, u64 result)
{
    aeroshmem::atomic<aeroshmem::u32>(op, target, operand, comparand, result);
}

extern "C" __global__ void aeroshmem_atomic_64(u64 op, u64 target, u64 operand, u64 comparand, u64 result)
{
    aeroshmem::atomic<u64>(op, target, operand, comparand, result);
}

/* The signal of a put: visible only after the operations before it in the stream. */
extern "C" __global__ void aeroshmem_signal(u64 op, u64 signal, u64 value)
{
    aeroshmem::signal(op, signal, value);
}

/* Waits by one thread, until the comparison holds or the abort word is not 0. */

extern "C" __global__ void aeroshmem_wait_until_32(u64 word, u64 comparison, u64 value, u64 abort)
{
    aeroshmem::wait_until<aeroshmem::u32, aeroshmem::s32>(word, comparison, value, abort);
}

extern "C" __global__ void aeroshmem_wait_until_64(u64 word, u64 comparison, u64 value, u64 abort)
{
    aeroshmem::wait_until<u64, s64>(word, comparison, value, abort);
}

/* A round of a barrier, by one block. Flags are 64-bit words that only grow; tables hold their addresses. */
extern "C" __global__ void aeroshmem_barrier(u64 peers, u64 flags, u64 rounds, u64 count, u64 abort)
{
    aeroshmem::barrier(peers, flags, rounds, count, abort);
}

/*
 * Strided copies. Element e of block b is moved from source + b * source_block + e * source_element to dest + b *
 * dest_block + e * dest_element; strides in bytes. An element consists of units successive units of the size in the
 * kernel's name, which divides all addresses and strides.
 */

extern "C" __global__ void aeroshmem_strided_copy_1(
    u64 dest, s64 dest_block, s64 dest_element, u64 source, s64 source_block, s64 source_element, u64 blocks,
    u64 elements, u64 units)
{
    aeroshmem::strided_copy<aeroshmem::u8>(
        dest, dest_block, dest_element, source, source_block, source_element, blocks, elements, units);
}

extern "C" __global__ void aeroshmem_strided_copy_2(
    u64 dest, s64 dest_block, s64 dest_element, u64 source, s64 source_block, s64 source_element, u64 blocks,
    u64 elements, u64 units)
{
    aeroshmem::strided_copy<aeroshmem::u16>(
        dest, dest_block, dest_element, source, source_block, source_element, blocks, elements, units);
}

extern "C" __global__ void aeroshmem_strided_copy_4(
    u64 dest, s64 dest_block, s64 dest_element, u64 source, s64 source_block, s64 source_element, u64 blocks,
    u64 elements, u64 units)
{
    aeroshmem::strided_copy<aeroshmem::u32>(
        dest, dest_block, dest_element, source, source_block, source_element, blocks, elements, units);
}

extern "C" __global__ void aeroshmem_strided_copy_8(
    u64 dest, s64 dest_block, s64 dest_element, u64 source, s64 source_block, s64 source_element, u64 blocks,
    u64 elements, u64 units)
{
    aeroshmem::strided_copy<u64>(
        dest, dest_block, dest_element, source, source_block, source_element, blocks, elements, units);
}

extern "C" __global__ void aeroshmem_strided_copy_16(
    u64 dest, s64 dest_block, s64 dest_element, u64 source, s64 source_block, s64 source_element, u64 blocks,
    u64 elements, u64 units)
{
    aeroshmem::strided_copy<aeroshmem::Quad>(
        dest, dest_block, dest_element, source, source_block, source_element, blocks, elements, units);
}
