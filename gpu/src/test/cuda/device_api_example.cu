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

// The example of docs/gpu-device.md.

// Sends a block to the next PE, waits for that of the previous one, and adds up what all have received.
extern "C" AEROSHMEM_CONCURRENT __global__ void shift_and_sum(
    float *inbox, const float *outbox, float *sums, uint64_t *signal, size_t n)
{
    const int next = (aeroshmem_my_pe() + 1) % aeroshmem_n_pes();
    aeroshmemx_float_put_signal_block(inbox, outbox, n, signal, 1, AEROSHMEM_SIGNAL_ADD, next);
    if (0 == threadIdx.x)
    {
        aeroshmem_signal_wait_until(signal, AEROSHMEM_CMP_GE, 1);
    }
    __syncthreads();
    aeroshmemx_float_sum_reduce_block(AEROSHMEM_TEAM_WORLD, sums, inbox, n);
}
