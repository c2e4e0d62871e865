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
#ifndef AEROSHMEM_DEVICE_RING_CUH
#define AEROSHMEM_DEVICE_RING_CUH

#include "aeroshmem_device_scope.cuh"
#include "aeroshmem_device_state.cuh"

/**
 * The state of the module, errors, and requests to the host by a ring with many producers and one consumer.
 *
 * A ticket is a position of the ring; its slot is ticket modulo capacity. The active lanes of a warp claim their
 * tickets by one atomic addition. A lane waits until its slot is free, writes the entry and publishes it by storing its
 * sequence with release at system scope. That store is cumulative: it also publishes what the kernel wrote to memory
 * before, such as blocks that the host is to copy. The host acquires the sequence and performs requests in the order of
 * tickets. The result is published by its state, with release, and acquired here. The slot of an awaited request stays
 * in use until the thread has acknowledged that it has read the result.
 *
 * The word ring_consumed, which the host stores with release, shows which slots are free. A lane first loads
 * ring_known, a recent copy of this word in device memory, by a relaxed load with a fence after it. Only if the slot is
 * not free by the copy, the lane loads ring_consumed itself, with acquire, and updates the copy.
 *
 * A full ring delays producers and loses nothing. The tickets that a warp claims at a time are fewer than the slots, so
 * no lane waits for a slot of its own warp: a lane writes its entry within the loop in which it waits, so that it does
 * not wait for lanes that have no slot yet.
 */
namespace aeroshmem
{
namespace device
{

static __device__ __forceinline__ const DeviceState &state()
{
    return *AEROSHMEM_MODULE_VARIABLE_ADDRESS(aeroshmem_device_state);
}

/** Records an error, unless the record has an earlier one that the host has not read. */
static __device__ __noinline__ void report(
    const s32 code, const s32 routine, const s64 pe, const u64 address, const u64 value)
{
    const DeviceState &s = state();
    if (ABI_VERSION != s.version)
    {
        *AEROSHMEM_MODULE_VARIABLE_ADDRESS(aeroshmem_device_fault) = 1;
        return;
    }
    if (0 != atomicCAS(AEROSHMEM_GLOBAL(u64, s.error_claim), (u64)0, (u64)1))
    {
        return;
    }
    ErrorRecord *const record = AEROSHMEM_GLOBAL(ErrorRecord, s.error);
    record->code = code;
    record->routine = routine;
    record->pe = pe;
    record->address = address;
    record->value = value;
    store_release(&record->state, 1);
}

/** Returns whether the module is initialised; records an error if not. */
static __device__ __forceinline__ bool initialised(const s32 routine)
{
    if (ABI_VERSION == state().version)
    {
        return true;
    }
    report(ERROR_NOT_INITIALIZED, routine, 0, 0, 0);
    return false;
}

/** Returns whether the module is initialised and the PE exists; records an error if not. */
static __device__ __forceinline__ bool ready(const s32 pe, const s32 routine)
{
    if (!initialised(routine))
    {
        return false;
    }
    if ((u32)pe < (u32)state().n_pes)
    {
        return true;
    }
    report(ERROR_PE, routine, pe, 0, 0);
    return false;
}

/**
 * Pauses between polls, longer after many, so that a long wait leaves the memory to others. Returns whether the wait
 * has to end: the abort word is read now and then.
 */
static __device__ __forceinline__ bool pause(const u32 polls)
{
    const u32 abort_interval = 64;
    const u32 spins_before_pause = 256;
    const u32 pause_ns = 200;
    if (polls > spins_before_pause)
    {
        __nanosleep(pause_ns);
    }
    return 0 == polls % abort_interval && 0 != load_relaxed(AEROSHMEM_GLOBAL(const u64, state().abort));
}

/** Polls until a condition holds. Returns false, and records an error, if the job failed before. */
template <typename CONDITION>
static __device__ __forceinline__ bool wait_for(const CONDITION &condition, const s32 routine)
{
    for (u32 polls = 1; !condition.holds(); polls++)
    {
        if (pause(polls))
        {
            report(ERROR_ABORTED, routine, state().my_pe, 0, 0);
            return false;
        }
    }
    return true;
}

/**
 * Claims a ticket for each active lane of the warp, by one atomic operation; returns that of this lane. The shuffle gives
 * the lanes the result of that operation, but orders no memory: after __syncwarp each lane sees it in ring_claimed too,
 * by which quiet counts the requests.
 */
static __device__ __forceinline__ u64 claim_ticket(const DeviceState &s)
{
    const u32 mask = __activemask();
    const u32 lanes = (u32)__popc(mask);
    const u32 before = (u32)__popc(mask & ((1u << lane_number()) - 1));
    u64 first = 0;
    if (0 == before)
    {
        first = atomicAdd(AEROSHMEM_GLOBAL(u64, s.ring_claimed), (u64)lanes);
    }
    if (lanes > 1)
    {
        first = __shfl_sync(mask, first, __ffs((int)mask) - 1);
        __syncwarp(mask);
    }
    return first + before;
}

/**
 * Returns whether the slot of a ticket is free. The fence before the update of ring_known and the fence after its load
 * pass the acquire of ring_consumed on to the threads that load ring_known. So their entries overwrite only what the
 * host has read.
 */
static __device__ __forceinline__ bool has_slot(const DeviceState &s, const u64 ticket)
{
    const u64 known = load_relaxed(AEROSHMEM_GLOBAL(const u64, s.ring_known));
    if (ticket < known + s.ring_capacity)
    {
        __threadfence();
        return true;
    }
    const u64 consumed = load_acquire(AEROSHMEM_GLOBAL(const u64, s.ring_consumed));
    if (consumed > known)
    {
        __threadfence();
        atomicMax(AEROSHMEM_GLOBAL(u64, s.ring_known), consumed);
    }
    return ticket < consumed + s.ring_capacity;
}

struct ResultCondition
{
    u64 result;
    u64 ticket;

    __device__ __forceinline__ bool holds() const
    {
        return ticket + 1 == load_acquire(&AEROSHMEM_GLOBAL(const RingResult, result)->state) >> 1;
    }
};

struct Reply
{
    u64 ticket;
    u64 value;
    bool failed;
};

/** A request to the host. */
struct Submission
{
    s32 operation;
    s32 pe;
    u64 target;
    u64 source;
    u64 length;
    s32 width;
    s32 flags;
};

/** Waits for the result of a request and frees its slot. */
static __device__ __forceinline__ Reply await_reply(
    const DeviceState &s, const u64 ticket, const s32 pe, const s32 routine)
{
    Reply reply = {ticket, 0, true};
    const u64 slot = s.ring_results + (ticket & (s.ring_capacity - 1)) * sizeof(RingResult);
    const ResultCondition condition = {slot, ticket};
    if (!wait_for(condition, routine))
    {
        return reply;
    }
    RingResult *const result = AEROSHMEM_GLOBAL(RingResult, slot);
    reply.value = load_relaxed(&result->value);
    reply.failed = 0 != (load_relaxed(&result->state) & 1);
    store_release(&result->acknowledged, ticket + 1);
    if (reply.failed)
    {
        report(ERROR_REQUEST_FAILED, routine, pe, 0, 0);
    }
    return reply;
}

/** Passes a request to the host, and waits for its result if it is awaited. */
static __device__ __noinline__ Reply request(const Submission submission, const s32 routine)
{
    const DeviceState &s = state();
    const u64 ticket = claim_ticket(s);
    Reply reply = {ticket, 0, true};
    bool is_published = false;
    for (u32 polls = 1; !is_published; polls++)
    {
        if (has_slot(s, ticket))
        {
            RingEntry *const entry = element<RingEntry>(s.ring_entries, ticket & (s.ring_capacity - 1));
            entry->operation = submission.operation;
            entry->pe = submission.pe;
            entry->target = submission.target;
            entry->source = submission.source;
            entry->length = submission.length;
            entry->width = submission.width;
            entry->flags = submission.flags;
            store_release(&entry->sequence, ticket + 1);
            is_published = true;
        }
        else if (pause(polls))
        {
            report(ERROR_ABORTED, routine, submission.pe, 0, 0);
            return reply;
        }
    }
    if (0 != (submission.flags & REQUEST_AWAITED))
    {
        return await_reply(s, ticket, submission.pe, routine);
    }
    reply.failed = false;
    return reply;
}

/**
 * Waits until all requests of this PE's kernels are complete, and all stores visible. Costs one fence if nothing was
 * requested since the last time. This thread's own requests are counted, since it has claimed their tickets before.
 *
 * ring_quieted is above the ticket of a quiet that is complete, and so are all requests with tickets below it. The fence
 * before its update passes on what this thread has acquired to the threads that read it, which have a fence after that:
 * the one that also makes their own stores visible. The loads before it are under way while the stores are.
 */
static __device__ __noinline__ bool quiet(const s32 routine)
{
    if (!initialised(routine))
    {
        return false;
    }
    const DeviceState &s = state();
    const u64 claimed = load_relaxed(AEROSHMEM_GLOBAL(const u64, s.ring_claimed));
    const u64 quieted = load_relaxed(AEROSHMEM_GLOBAL(const u64, s.ring_quieted));
    __threadfence_system();
    if (claimed > quieted)
    {
        const Submission submission = {REQUEST_QUIET, s.my_pe, 0, 0, 0, 0, REQUEST_AWAITED};
        const Reply reply = request(submission, routine);
        if (reply.failed)
        {
            return false;
        }
        __threadfence_system();
        atomicMax(AEROSHMEM_GLOBAL(u64, s.ring_quieted), reply.ticket + 1);
    }
    return true;
}

}
}

#endif
