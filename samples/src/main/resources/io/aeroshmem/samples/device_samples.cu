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
#include "aeroshmem_device.cuh"

/*
 * The kernels of the samples DeviceRing, DeviceHalo and DeviceSum. Each is launched as one block on every PE; its
 * addresses are those of the PE's own symmetric memory. gpu/build-samples.sh compiles them.
 *
 * AEROSHMEM_GLOBAL and AEROSHMEM_CONCURRENT have a meaning in tests without a GPU; on CUDA they are a cast and nothing.
 */

/** Waits, with all threads of the block, until a signal has reached a value. Returns false if the job fails before. */
static __device__ __forceinline__ bool await_signal(const unsigned long long signal, const unsigned long long value)
{
    int has_failed = 0;
    if (0 == threadIdx.x)
    {
        has_failed = aeroshmem_signal_wait_until((const uint64_t *)signal, AEROSHMEM_CMP_GE, value) < value;
    }
    return 0 == __syncthreads_or(has_failed);
}

/**
 * Passes blocks around a ring of all PEs: in each round a PE puts its block to the right, takes the one from the left
 * and adds its own number to each element.
 *
 * There are two inboxes, which rounds use in turn. A PE puts into one of them again when its owner has signalled that
 * it has taken the block of two rounds before.
 */
extern "C" AEROSHMEM_CONCURRENT __global__ void device_ring(
    const unsigned long long block,
    const unsigned long long inboxes,
    const unsigned long long signals,
    const unsigned long long length,
    const unsigned long long rounds)
{
    const int me = aeroshmem_my_pe();
    const int n_pes = aeroshmem_n_pes();
    const int right = (me + 1) % n_pes;
    const int left = (me + n_pes - 1) % n_pes;
    const unsigned long long arrived = signals;
    const unsigned long long taken = signals + sizeof(uint64_t);

    for (unsigned long long round = 1; round <= rounds; round++)
    {
        const unsigned long long inbox = inboxes + (round % 2) * length * sizeof(long long);
        if (round > 2 && !await_signal(taken, round - 2))
        {
            return;
        }
        aeroshmemx_longlong_put_signal_block(
            (long long *)inbox, (const long long *)block, length, (uint64_t *)arrived, round, AEROSHMEM_SIGNAL_SET,
            right);
        if (!await_signal(arrived, round))
        {
            return;
        }
        for (unsigned long long i = threadIdx.x; i < length; i += blockDim.x)
        {
            *AEROSHMEM_GLOBAL(long long, (long long *)block + i) =
                *AEROSHMEM_GLOBAL(long long, (long long *)inbox + i) + me;
        }
        __syncthreads();
        if (0 == threadIdx.x)
        {
            aeroshmemx_signal_op((uint64_t *)taken, round, AEROSHMEM_SIGNAL_SET, left);
        }
    }
    aeroshmem_quiet();
}

/**
 * Relaxes a field whose rows are distributed over the PEs: each inner cell becomes the mean of its neighbours. A PE has
 * two grids, which iterations use in turn: its rows, and above and below them a row of the neighbouring PE, or of the
 * boundary.
 *
 * After an iteration a PE puts its first and its last row into the halo rows of its neighbours, with a signal. When
 * both signals have come, it has what the next iteration reads, and its neighbours read the grid no more that the next
 * iteration writes: they put their rows after they have computed.
 */
extern "C" AEROSHMEM_CONCURRENT __global__ void device_halo(
    const unsigned long long grids,
    const unsigned long long signals,
    const unsigned long long rows,
    const unsigned long long columns,
    const unsigned long long iterations)
{
    const int me = aeroshmem_my_pe();
    const int n_pes = aeroshmem_n_pes();
    const unsigned long long row_bytes = columns * sizeof(double);
    const unsigned long long grid_bytes = (rows + 2) * row_bytes;
    const unsigned long long from_above = signals;
    const unsigned long long from_below = signals + sizeof(uint64_t);

    for (unsigned long long iteration = 1; iteration <= iterations; iteration++)
    {
        const unsigned long long now = grids + (1 - iteration % 2) * grid_bytes;
        const unsigned long long next = grids + iteration % 2 * grid_bytes;
        for (unsigned long long i = threadIdx.x; i < rows * (columns - 2); i += blockDim.x)
        {
            const unsigned long long row = 1 + i / (columns - 2);
            const unsigned long long column = 1 + i % (columns - 2);
            const unsigned long long cell = row * row_bytes + column * sizeof(double);
            const double above = *AEROSHMEM_GLOBAL(double, now + cell - row_bytes);
            const double below = *AEROSHMEM_GLOBAL(double, now + cell + row_bytes);
            const double before = *AEROSHMEM_GLOBAL(double, now + cell - sizeof(double));
            const double after = *AEROSHMEM_GLOBAL(double, now + cell + sizeof(double));
            *AEROSHMEM_GLOBAL(double, next + cell) = ((above + below) + (before + after)) * 0.25;
        }
        __syncthreads();

        if (me > 0)
        {
            aeroshmemx_double_put_signal_nbi_block(
                (double *)(next + (rows + 1) * row_bytes), (const double *)(next + row_bytes), columns,
                (uint64_t *)from_below, iteration, AEROSHMEM_SIGNAL_SET, me - 1);
        }
        if (me < n_pes - 1)
        {
            aeroshmemx_double_put_signal_nbi_block(
                (double *)next, (const double *)(next + rows * row_bytes), columns,
                (uint64_t *)from_above, iteration, AEROSHMEM_SIGNAL_SET, me + 1);
        }
        if ((me > 0 && !await_signal(from_above, iteration)) ||
            (me < n_pes - 1 && !await_signal(from_below, iteration)))
        {
            return;
        }
    }
    aeroshmem_quiet();
}

/**
 * Adds the vectors of all PEs of a team, and scales the sum: the all-reduce is a step of the kernel, not a kernel.
 */
extern "C" AEROSHMEM_CONCURRENT __global__ void device_sum(
    const unsigned long long sum,
    const unsigned long long source,
    const unsigned long long length,
    const unsigned long long steps,
    const int team)
{
    for (unsigned long long step = 0; step < steps; step++)
    {
        aeroshmemx_double_sum_reduce_block(team, (double *)sum, (const double *)source, length);
        for (unsigned long long i = threadIdx.x; i < length; i += blockDim.x)
        {
            const double scaled = *AEROSHMEM_GLOBAL(double, (double *)sum + i) * 0.75;
            *AEROSHMEM_GLOBAL(double, (double *)source + i) = scaled + (double)i;
        }
        __syncthreads();
    }
}
