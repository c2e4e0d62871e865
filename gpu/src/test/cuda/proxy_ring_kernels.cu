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
 * Kernels that test requests to the host. Each thread has a number; arrays have an element for each thread.
 */
using aeroshmem::u64;

static const u64 INTERVAL = 16;

/**
 * Puts, AMOs and signals, of which each thread makes 2 a round, and 5 more each INTERVAL rounds: total, values, flags,
 * blocks, signals and tickets are those of the peer, sources and drawn this PE's. A flag is stored when a fence has
 * ordered it after the value that it equals; tickets are drawn from a word of the peer.
 */
extern "C" AEROSHMEM_CONCURRENT __global__ void proxy_ring_soak(
    u64 total, u64 values, u64 flags, u64 blocks, u64 signals, u64 tickets, u64 sources, u64 drawn, u64 rounds, int pe)
{
    const u64 thread = aeroshmem::thread_index();
    for (u64 round = 1; round <= rounds; round++)
    {
        aeroshmem_ulonglong_p((u64 *)values + thread, round, pe);
        aeroshmem_ulonglong_atomic_add((u64 *)total, 1, pe);
        if (0 == round % INTERVAL)
        {
            aeroshmem_fence();
            aeroshmem_ulonglong_p((u64 *)flags + thread, round, pe);
            u64 *const source = (u64 *)sources + 2 * thread;
            *AEROSHMEM_GLOBAL(u64, source) = round;
            *AEROSHMEM_GLOBAL(u64, source + 1) = round;
            aeroshmem_ulonglong_put_signal(
                (u64 *)blocks + 2 * thread, source, 2, (uint64_t *)signals + thread, 1, AEROSHMEM_SIGNAL_ADD, pe);
            const u64 ticket = aeroshmem_ulonglong_atomic_fetch_add((u64 *)tickets, 1, pe);
            *AEROSHMEM_GLOBAL(u64, (u64 *)drawn + thread * (rounds / INTERVAL) + round / INTERVAL - 1) = ticket;
        }
    }
    aeroshmem_quiet();
}

/** Waits for a word that nobody stores to, so that only the end of the job ends the wait. */
extern "C" __global__ void proxy_ring_wait(u64 word, u64 ended)
{
    const u64 seen = aeroshmem_signal_wait_until((uint64_t *)word, AEROSHMEM_CMP_EQ, 1);
    *AEROSHMEM_GLOBAL(u64, ended) = seen + 1;
}

/** Stores offsets of fields, in the order of the host's descriptors. */
extern "C" __global__ void proxy_ring_layout(u64 dest)
{
    using namespace aeroshmem;
    const u64 offsets[] = {
        offsetof(DeviceState, version), offsetof(DeviceState, my_pe), offsetof(DeviceState, n_pes),
        offsetof(DeviceState, device_heap), offsetof(DeviceState, device_length), offsetof(DeviceState, host_heap),
        offsetof(DeviceState, host_length), offsetof(DeviceState, peers), offsetof(DeviceState, teams),
        offsetof(DeviceState, flags), offsetof(DeviceState, ring_entries), offsetof(DeviceState, ring_results),
        offsetof(DeviceState, ring_capacity), offsetof(DeviceState, ring_claimed), offsetof(DeviceState, ring_consumed),
        offsetof(DeviceState, abort), offsetof(DeviceState, error), offsetof(DeviceState, error_claim),
        offsetof(DeviceState, ring_known), offsetof(DeviceState, ring_quieted), offsetof(DeviceState, vendor_version),
        sizeof(DeviceState), offsetof(PeerView, device_base), offsetof(PeerView, host_base), sizeof(PeerView),
        offsetof(DeviceTeam, valid), offsetof(DeviceTeam, my_rank), offsetof(DeviceTeam, size),
        offsetof(DeviceTeam, region), offsetof(DeviceTeam, members), offsetof(DeviceTeam, area),
        offsetof(DeviceTeam, stamp_base), offsetof(DeviceTeam, calls), sizeof(DeviceTeam),
        offsetof(RingEntry, sequence), offsetof(RingEntry, operation), offsetof(RingEntry, pe),
        offsetof(RingEntry, target), offsetof(RingEntry, source), offsetof(RingEntry, length),
        offsetof(RingEntry, width), offsetof(RingEntry, flags), sizeof(RingEntry),
        offsetof(RingResult, state), offsetof(RingResult, value), offsetof(RingResult, acknowledged),
        sizeof(RingResult), offsetof(ErrorRecord, state), offsetof(ErrorRecord, code), offsetof(ErrorRecord, routine),
        offsetof(ErrorRecord, pe), offsetof(ErrorRecord, address), offsetof(ErrorRecord, value), sizeof(ErrorRecord),
        MAX_TEAMS, TeamArea::length(1), TeamArea::length(5), TeamArea::length(256)};
    for (u64 i = 0; i < sizeof(offsets) / sizeof(u64); i++)
    {
        *AEROSHMEM_GLOBAL(u64, dest + i * sizeof(u64)) = offsets[i];
    }
}
