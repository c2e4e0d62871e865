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
#ifndef AEROSHMEM_DEVICE_COLLECTIVES_CUH
#define AEROSHMEM_DEVICE_COLLECTIVES_CUH

#include "aeroshmem_device_rma.cuh"
#include "aeroshmem_reduction.cuh"
#include "aeroshmem_synchronization.cuh"

/**
 * Teams, barriers and collectives. One group of threads of each member calls a collective. A PE has at most one call
 * per team at a time.
 *
 * The area of a team has flags. A member notifies another by storing a stamp in a flag of that member, which waits
 * until the flag is at least the stamp. A stamp is the number of a step: each step of each collective of the team has
 * the next one, on all members. So flags only grow, and are never reset. All flags that a member sends to another take
 * the same way. They are stores with release if the heaps of the other member have addresses here. Otherwise data may
 * have gone by requests, so flags are requests too, each of which is performed after all requests before it. So flags
 * arrive in the order in which they were sent, and a flag arrives after the data that was sent before it.
 *
 * A member writes into the destination of another only after the other has called. So each collective begins with a
 * synchronization or an exchange of counts. A small reduction does not, because it writes to the scratch of the other
 * members. The scratch has two halves, and the parity of the reduction's stamp selects one of them. If small reductions
 * follow one another, k + 2 is the first that uses the half of k again. A member begins k + 2 when all members have
 * sent their data of k + 1. A member sends these after it has read the data of k, so nothing is overwritten that is
 * still to be read. If another collective comes in between, its synchronization or exchange of counts shows that all
 * members have ended k.
 */
namespace aeroshmem
{
namespace device
{

/** A team as a call sees it. */
struct TeamCall
{
    s32 handle;
    s32 routine;
    s32 rank;
    s32 size;
    u64 members;
    /** The area: address, and region and offset. */
    u64 area;
    u64 area_target;
    /** The last stamp used. */
    u64 stamp;
    u64 stamp_base;

    __device__ __forceinline__ s32 member(const s32 of) const
    {
        return *element<const s32>(members, (u64)of);
    }
};

static __device__ __forceinline__ u64 team_address(const s32 handle)
{
    return state().teams + (u64)handle * sizeof(DeviceTeam);
}

/** Returns whether a handle is that of a team. */
static __device__ __forceinline__ bool is_team(const s32 handle)
{
    return (u32)handle < (u32)MAX_TEAMS && 0 != AEROSHMEM_GLOBAL(const DeviceTeam, team_address(handle))->valid;
}

static __device__ __forceinline__ s32 team_my_pe(const s32 handle)
{
    return initialised(ROUTINE_TEAM) && is_team(handle) ?
        AEROSHMEM_GLOBAL(const DeviceTeam, team_address(handle))->my_rank : -1;
}

static __device__ __forceinline__ s32 team_n_pes(const s32 handle)
{
    return initialised(ROUTINE_TEAM) && is_team(handle) ?
        AEROSHMEM_GLOBAL(const DeviceTeam, team_address(handle))->size : -1;
}

static __device__ __noinline__ s32 team_translate_pe(const s32 source, const s32 pe, const s32 dest)
{
    if (!initialised(ROUTINE_TEAM) || !is_team(source) || !is_team(dest))
    {
        return -1;
    }
    const DeviceTeam *const from = AEROSHMEM_GLOBAL(const DeviceTeam, team_address(source));
    if ((u32)pe >= (u32)from->size)
    {
        return -1;
    }
    const s32 world_pe = *element<const s32>(from->members, (u64)pe);
    const DeviceTeam *const to = AEROSHMEM_GLOBAL(const DeviceTeam, team_address(dest));
    for (s32 rank = 0; rank < to->size; rank++)
    {
        if (world_pe == *element<const s32>(to->members, (u64)rank))
        {
            return rank;
        }
    }
    return -1;
}

/** Begins a call; false, with an error recorded, if there is no such team. */
template <typename SCOPE>
static __device__ __forceinline__ bool begin(const s32 handle, const s32 routine, TeamCall &call)
{
    if (!initialised(routine))
    {
        return false;
    }
    if (!is_team(handle))
    {
        report(ERROR_TEAM, routine, state().my_pe, 0, (u64)(s64)handle);
        return false;
    }
    const DeviceTeam *const team = AEROSHMEM_GLOBAL(const DeviceTeam, team_address(handle));
    call.handle = handle;
    call.routine = routine;
    call.rank = team->my_rank;
    call.size = team->size;
    call.members = team->members;
    call.area = (REGION_HOST == team->region ? state().host_heap : state().device_heap) + team->area;
    call.area_target = (u64)team->region << REGION_SHIFT | team->area;
    call.stamp_base = team->stamp_base;
    call.stamp = team->stamp_base + load_relaxed(&team->calls);
    // All threads have read the number of calls, and what they wrote before is ordered before the leader's flags.
    SCOPE::sync();
    return true;
}

/** Ends a call, for all threads of the group. */
template <typename SCOPE>
static __device__ __forceinline__ int end(const TeamCall &call, const bool is_successful)
{
    if (0 == SCOPE::rank())
    {
        volatile u64 *const calls = &AEROSHMEM_GLOBAL(DeviceTeam, team_address(call.handle))->calls;
        *calls = call.stamp - call.stamp_base;
    }
    SCOPE::sync();
    return is_successful ? 0 : 1;
}

/**
 * Stores a word in the area of a member, behind everything that was sent to it before; is_ordered: a fence of this
 * thread, or a later word, orders it.
 */
static __device__ __noinline__ void send_word(
    const TeamCall &call, const s32 to, const u64 at, const u64 value, const bool is_ordered)
{
    const DeviceState &s = state();
    const s32 pe = call.member(to);
    const PeerView *const view = element<const PeerView>(s.peers, (u64)pe);
    const u64 device_base = load_constant(&view->device_base);
    const u64 host_base = load_constant(&view->host_base);
    if (0 != device_base && (0 != host_base || 0 == s.host_heap))
    {
        const u64 area = call.area_target & ~((u64)1 << REGION_SHIFT);
        u64 *const word = AEROSHMEM_GLOBAL(u64, (is_host(call.area_target) ? host_base : device_base) + area + at);
        if (is_ordered)
        {
            store_relaxed(word, value);
        }
        else
        {
            store_release(word, value);
        }
        return;
    }
    const Submission submission = {
        REQUEST_SIGNAL_SET, pe, call.area_target + at, value, 0, sizeof(u64), REQUEST_FENCED};
    request(submission, call.routine);
}

struct StampCondition
{
    u64 flag;
    u64 stamp;

    __device__ __forceinline__ bool holds() const
    {
        return (s64)(aeroshmem::load_acquire(AEROSHMEM_GLOBAL(const u64, flag)) - stamp) >= 0;
    }
};

/** Waits until an own flag has reached a stamp. */
static __device__ __noinline__ bool await_flag(const TeamCall &call, const u64 at, const u64 stamp)
{
    const StampCondition condition = {call.area + at, stamp};
    return wait_for(condition, call.routine);
}

/**
 * Waits until all members have called; completes no request. Dissemination, by the first thread of the group;
 * is_ordered: this thread has just completed what the group has stored. What the words of a round have brought is
 * ordered before those of the next.
 */
template <typename SCOPE>
static __device__ __noinline__ bool synchronize(TeamCall &call, const bool is_ordered)
{
    const u64 stamp = ++call.stamp;
    bool is_failed = false;
    SCOPE::sync();
    if (0 == SCOPE::rank())
    {
        u32 round = 0;
        for (s64 distance = 1; distance < call.size && !is_failed; distance <<= 1)
        {
            send_word(
                call, (s32)((call.rank + distance) % call.size), TeamArea::arrived(round), stamp,
                is_ordered && 0 == round);
            is_failed = !await_flag(call, TeamArea::arrived(round), stamp);
            round++;
        }
    }
    return !SCOPE::any(is_failed);
}

/** Completes what this PE's kernels have requested, by the first thread of the group. */
template <typename SCOPE>
static __device__ __forceinline__ bool complete(const s32 routine)
{
    bool is_failed = false;
    SCOPE::sync();
    if (0 == SCOPE::rank())
    {
        is_failed = !quiet(routine);
    }
    return !SCOPE::any(is_failed);
}

template <typename SCOPE>
static __device__ __noinline__ int sync_team(const s32 handle)
{
    TeamCall call;
    return begin<SCOPE>(handle, ROUTINE_SYNC, call) ? end<SCOPE>(call, synchronize<SCOPE>(call, false)) : 1;
}

template <typename SCOPE>
static __device__ __noinline__ int barrier_team(const s32 handle)
{
    TeamCall call;
    if (!begin<SCOPE>(handle, ROUTINE_BARRIER, call))
    {
        return 1;
    }
    return end<SCOPE>(call, complete<SCOPE>(ROUTINE_BARRIER) && synchronize<SCOPE>(call, true));
}

/** Sets the flag of this member at all others, after all data before. Successive threads serve successive members. */
template <typename SCOPE>
static __device__ __forceinline__ void send_flags(const TeamCall &call)
{
    SCOPE::sync();
    for (u32 i = SCOPE::rank() + 1; i < (u32)call.size; i += SCOPE::size())
    {
        const s32 to = (s32)(((u64)call.rank + i) % (u64)call.size);
        send_word(call, to, TeamArea::from((u64)call.rank), call.stamp, false);
    }
}

/** Waits for the flags of all others. */
template <typename SCOPE>
static __device__ __forceinline__ bool await_flags(const TeamCall &call)
{
    bool is_failed = false;
    for (u32 i = SCOPE::rank() + 1; i < (u32)call.size && !is_failed; i += SCOPE::size())
    {
        const s32 from = (s32)(((u64)call.rank + i) % (u64)call.size);
        is_failed = !await_flag(call, TeamArea::from((u64)from), call.stamp);
    }
    return !SCOPE::any(is_failed);
}

/** Copies a block to a member's object; returns whether it went by a request. */
template <typename SCOPE>
static __device__ __forceinline__ bool send_block(
    const TeamCall &call, const s32 to, const u64 dest, const u64 source, const u64 bytes)
{
    if (call.rank != to)
    {
        return WAY_REQUEST == put<SCOPE>(dest, source, bytes, call.member(to), call.routine, false);
    }
    if (dest != source)
    {
        copy<SCOPE>(dest, source, bytes);
    }
    return false;
}

/** Sends a block to each member, beginning with the next one. Sources are source_step apart. */
template <typename SCOPE>
static __device__ __noinline__ bool send_blocks(
    const TeamCall &call, const u64 dest, const u64 source, const u64 source_step, const u64 bytes)
{
    bool has_requested = false;
    for (s32 i = 1; i <= call.size; i++)
    {
        const s32 to = (s32)(((s64)call.rank + i) % call.size);
        has_requested |= send_block<SCOPE>(call, to, dest, source + (u64)to * source_step, bytes);
    }
    return has_requested;
}

/** Returns whether dest and source of a collective are symmetric. */
static __device__ __forceinline__ bool are_own(
    const u64 dest, const u64 dest_bytes, const u64 source, const u64 source_bytes, const s32 routine)
{
    return (0 == dest_bytes || is_own(dest, dest_bytes, 1, routine)) &&
        (0 == source_bytes || is_own(source, source_bytes, 1, routine));
}

static __device__ __forceinline__ bool is_overlapping(
    const u64 a, const u64 a_bytes, const u64 b, const u64 b_bytes)
{
    return a < b + b_bytes && b < a + a_bytes;
}

static __device__ __forceinline__ bool are_disjoint(
    const TeamCall &call, const u64 dest, const u64 dest_bytes, const u64 source, const u64 source_bytes)
{
    if (!is_overlapping(dest, dest_bytes, source, source_bytes))
    {
        return true;
    }
    report(ERROR_ARGUMENT, call.routine, state().my_pe, dest, source);
    return false;
}

/** The end of a collective that has sent blocks: flags, those of others, and completion of what was requested. */
template <typename SCOPE>
static __device__ __forceinline__ bool exchange_flags(const TeamCall &call, const bool has_requested)
{
    send_flags<SCOPE>(call);
    return await_flags<SCOPE>(call) && (!has_requested || complete<SCOPE>(call.routine));
}

template <typename SCOPE>
static __device__ __noinline__ int broadcast(
    const s32 handle, const u64 dest, const u64 source, const u64 bytes, const s32 root)
{
    TeamCall call;
    if (!begin<SCOPE>(handle, ROUTINE_BROADCAST, call))
    {
        return 1;
    }
    if ((u32)root >= (u32)call.size)
    {
        report(ERROR_PE, ROUTINE_BROADCAST, root, 0, 0);
        return 1;
    }
    if (!are_own(dest, bytes, source, bytes, ROUTINE_BROADCAST) ||
        (dest != source && !are_disjoint(call, dest, bytes, source, bytes)))
    {
        return 1;
    }
    bool is_successful = synchronize<SCOPE>(call, false);
    call.stamp++;
    if (is_successful && root == call.rank)
    {
        const bool has_requested = send_blocks<SCOPE>(call, dest, source, 0, bytes);
        send_flags<SCOPE>(call);
        is_successful = !has_requested || complete<SCOPE>(ROUTINE_BROADCAST);
    }
    else if (is_successful)
    {
        const bool is_failed =
            0 == SCOPE::rank() && !await_flag(call, TeamArea::from((u64)root), call.stamp);
        is_successful = !SCOPE::any(is_failed);
    }
    return end<SCOPE>(call, is_successful);
}

template <typename SCOPE>
static __device__ __noinline__ int fcollect(const s32 handle, const u64 dest, const u64 source, const u64 bytes)
{
    TeamCall call;
    if (!begin<SCOPE>(handle, ROUTINE_FCOLLECT, call) ||
        !are_own(dest, bytes_of(bytes, (u64)call.size), source, bytes, ROUTINE_FCOLLECT))
    {
        return 1;
    }
    const u64 own = dest + (u64)call.rank * bytes;
    if (own != source && !are_disjoint(call, dest, (u64)call.size * bytes, source, bytes))
    {
        return 1;
    }
    bool is_successful = synchronize<SCOPE>(call, false);
    call.stamp++;
    if (is_successful)
    {
        is_successful = exchange_flags<SCOPE>(call, send_blocks<SCOPE>(call, own, source, 0, bytes));
    }
    return end<SCOPE>(call, is_successful);
}

template <typename SCOPE>
static __device__ __noinline__ int alltoall(const s32 handle, const u64 dest, const u64 source, const u64 bytes)
{
    TeamCall call;
    if (!begin<SCOPE>(handle, ROUTINE_ALLTOALL, call))
    {
        return 1;
    }
    const u64 all = bytes_of(bytes, (u64)call.size);
    if (!are_own(dest, all, source, all, ROUTINE_ALLTOALL) || !are_disjoint(call, dest, all, source, all))
    {
        return 1;
    }
    bool is_successful = synchronize<SCOPE>(call, false);
    call.stamp++;
    if (is_successful)
    {
        const u64 own = dest + (u64)call.rank * bytes;
        is_successful = exchange_flags<SCOPE>(call, send_blocks<SCOPE>(call, own, source, bytes, bytes));
    }
    return end<SCOPE>(call, is_successful);
}

/** The counts of all members come first: they determine where each block goes. */
template <typename SCOPE>
static __device__ __noinline__ int collect(const s32 handle, const u64 dest, const u64 source, const u64 bytes)
{
    TeamCall call;
    if (!begin<SCOPE>(handle, ROUTINE_COLLECT, call) || !are_own(dest, bytes, source, bytes, ROUTINE_COLLECT))
    {
        return 1;
    }
    const u64 n_pes = (u64)state().n_pes;
    call.stamp++;
    for (u32 to = SCOPE::rank(); to < (u32)call.size; to += SCOPE::size())
    {
        if ((s32)to != call.rank)
        {
            send_word(call, (s32)to, TeamArea::words(n_pes, 0, (u64)call.rank), bytes, true);
        }
    }
    send_flags<SCOPE>(call);
    bool is_successful = await_flags<SCOPE>(call);
    u64 before = 0;
    u64 all = 0;
    for (s32 i = 0; i < call.size && is_successful; i++)
    {
        const u64 count = i == call.rank ?
            bytes : load_relaxed(AEROSHMEM_GLOBAL(const u64, call.area + TeamArea::words(n_pes, 0, (u64)i)));
        before += i < call.rank ? count : 0;
        all += count;
    }
    // The same on all members, so none waits for data that another does not send.
    is_successful = is_successful && are_own(dest, all, source, bytes, ROUTINE_COLLECT) &&
        (dest + before == source || are_disjoint(call, dest, all, source, bytes));
    call.stamp++;
    if (is_successful)
    {
        is_successful = exchange_flags<SCOPE>(call, send_blocks<SCOPE>(call, dest + before, source, 0, bytes));
    }
    return end<SCOPE>(call, is_successful);
}

/** The addresses of blocks of all members, in the team's area of this PE. */
static __device__ __forceinline__ u64 table_of(const TeamCall &call, const u64 half)
{
    return call.area + TeamArea::words((u64)state().n_pes, half, 0);
}

/** Returns how many members' objects of a region have no address here. */
static __device__ __forceinline__ u64 count_unreachable(const TeamCall &call, const u64 target)
{
    u64 count = 0;
    for (s32 i = 0; i < call.size; i++)
    {
        count += i != call.rank && 0 == peer_address(state(), target, call.member(i)) ? 1 : 0;
    }
    return count;
}

/** Fills a table with the addresses of a block of all members; one without an address here is fetched to scratch. */
template <typename SCOPE>
static __device__ __noinline__ bool gather(const TeamCall &call, const u64 block, const u64 bytes, const u64 slot)
{
    bool is_failed = false;
    SCOPE::sync();
    if (0 == SCOPE::rank())
    {
        const DeviceState &s = state();
        const u64 table = table_of(call, 1);
        const u64 target = symmetric(s, block, bytes);
        const u64 scratch = TeamArea::scratch((u64)s.n_pes, 0);
        u64 used = 0;
        for (s32 i = 0; i < call.size; i++)
        {
            const s32 pe = call.member(i);
            u64 address = i == call.rank ? block : peer_address(s, target, pe);
            if (0 == address)
            {
                const Submission submission = {
                    REQUEST_GET, pe, target, call.area_target + scratch + used, bytes, 0, 0};
                is_failed |= request(submission, call.routine).failed;
                address = call.area + scratch + used;
                used += slot;
            }
            *element<u64>(table, (u64)i) = address;
        }
        is_failed |= 0 != used && !quiet(call.routine);
    }
    return !SCOPE::any(is_failed);
}

/**
 * A reduction without its types: it determines, part by part, which blocks are combined and where the results go.
 *
 * SMALL: all members send their blocks to the scratch of all, and each combines all of them. SHARES: each member
 * combines a share, straight from the sources, and stores it at all destinations; a share is read and written by one
 * member only, so that destinations may be sources. SCATTER: each member combines its block, straight from the sources;
 * in place, the result stays in the member's own block, which no other reads, until all have read theirs.
 */
struct Reduction
{
    enum Kind
    {
        SMALL, SHARES, SCATTER
    };

    TeamCall call;
    u32 kind;
    u32 item_bytes;
    u64 dest;
    u64 dest_bytes;
    /** What this member combines: the block in its own source, and where the result goes in its own memory. */
    u64 block;
    u64 result;
    u64 items;
    /** The current part. */
    u64 position;
    u64 count;
    /** The longest part, and the bytes of scratch for a block of it. */
    u64 chunk;
    u64 slot;
    bool has_requested;
    bool is_failed;

    /** Destinations: addresses of the results of all members, 0 for those without an address here; 0: only its own. */
    __device__ __forceinline__ u64 results() const
    {
        return SHARES == kind ? table_of(call, 0) : 0;
    }
};

template <typename SCOPE>
static __device__ __forceinline__ bool begin_small(Reduction &r, const u64 source)
{
    const u64 half = ++r.call.stamp & 1;
    const u64 scratch = r.call.area + TeamArea::scratch((u64)state().n_pes, half);
    const u64 table = table_of(r.call, 1);
    r.chunk = r.items;
    for (u64 i = SCOPE::rank(); i < (u64)r.call.size; i += SCOPE::size())
    {
        *element<u64>(table, i) = scratch + i * r.slot;
    }
    return exchange_flags<SCOPE>(
        r.call, send_blocks<SCOPE>(r.call, scratch + (u64)r.call.rank * r.slot, source, 0, r.dest_bytes));
}

/** Begins a reduction that reads the sources of others: as many blocks without an address as fit into scratch. */
template <typename SCOPE>
static __device__ __forceinline__ bool begin_large(Reduction &r, const u64 source, const u64 source_bytes)
{
    const u64 members = (u64)r.call.size;
    const u64 unreachable = count_unreachable(r.call, symmetric(state(), source, source_bytes));
    r.slot = 0 == unreachable ? source_bytes : 2 * TeamArea::SCRATCH_HALF / unreachable & ~(u64)(sizeof(Quad) - 1);
    r.chunk = r.slot / r.item_bytes;
    if (0 == r.chunk && 0 != source_bytes)
    {
        report(ERROR_ARGUMENT, r.call.routine, state().my_pe, source, unreachable);
        return false;
    }
    if (Reduction::SCATTER == r.kind)
    {
        r.block = source + (u64)r.call.rank * r.dest_bytes;
        r.result = r.dest == source ? r.block : r.dest;
    }
    else
    {
        const u64 share = (r.items + members - 1) / members;
        const u64 first = min((u64)r.call.rank * share, r.items);
        const u64 dest_target = symmetric(state(), r.dest, r.dest_bytes);
        r.items = min(share, r.items - first);
        r.block = source + first * r.item_bytes;
        r.result = r.dest + first * r.item_bytes;
        for (u64 i = SCOPE::rank(); i < members; i += SCOPE::size())
        {
            const u64 address =
                i == (u64)r.call.rank ? r.dest : peer_address(state(), dest_target, r.call.member((s32)i));
            *element<u64>(table_of(r.call, 0), i) = 0 == address ? 0 : address + first * r.item_bytes;
        }
    }
    return synchronize<SCOPE>(r.call, false);
}

template <typename SCOPE>
static __device__ __noinline__ bool begin_reduction(
    Reduction &r, const s32 handle, const u64 dest, const u64 source, const u64 items, const u32 item_bytes,
    const bool is_scatter)
{
    const s32 routine = is_scatter ? ROUTINE_REDUCESCATTER : ROUTINE_REDUCE;
    if (!begin<SCOPE>(handle, routine, r.call))
    {
        return false;
    }
    r.item_bytes = item_bytes;
    r.dest = dest;
    r.dest_bytes = bytes_of(items, item_bytes);
    r.result = dest;
    r.block = source;
    r.items = items;
    r.position = 0;
    r.count = 0;
    r.slot = (r.dest_bytes + sizeof(Quad) - 1) & ~(u64)(sizeof(Quad) - 1);
    r.has_requested = false;
    const u64 source_bytes = is_scatter ? bytes_of(r.dest_bytes, (u64)r.call.size) : r.dest_bytes;
    if (!are_own(dest, r.dest_bytes, source, source_bytes, routine) ||
        (dest != source && !are_disjoint(r.call, dest, r.dest_bytes, source, source_bytes)))
    {
        return false;
    }
    const bool is_small = !is_scatter && r.slot <= TeamArea::SCRATCH_HALF / (u64)r.call.size;
    r.kind = is_scatter ? Reduction::SCATTER : is_small ? Reduction::SMALL : Reduction::SHARES;
    r.is_failed = !(is_small ? begin_small<SCOPE>(r, source) : begin_large<SCOPE>(r, source, source_bytes));
    return true;
}

/** Sends the current part of the result to all members whose destination has no address here. */
template <typename SCOPE>
static __device__ __forceinline__ void send_part(Reduction &r)
{
    const u64 part = r.result + r.position * r.item_bytes;
    SCOPE::sync();
    for (s32 i = 0; i < r.call.size; i++)
    {
        if (0 == *element<const u64>(table_of(r.call, 0), (u64)i))
        {
            r.has_requested |= send_block<SCOPE>(r.call, i, part, part, r.count * r.item_bytes);
        }
    }
}

/** Moves to the next part, whose blocks are then in the table of sources; false after the last. */
template <typename SCOPE>
static __device__ __noinline__ bool next_part(Reduction &r)
{
    if (r.is_failed)
    {
        return false;
    }
    if (Reduction::SHARES == r.kind && 0 != r.count)
    {
        send_part<SCOPE>(r);
    }
    r.position += r.count;
    r.count = min(r.chunk, r.items - r.position);
    if (0 == r.count)
    {
        return false;
    }
    if (Reduction::SMALL != r.kind)
    {
        r.is_failed = !gather<SCOPE>(
            r.call, r.block + r.position * r.item_bytes, r.count * r.item_bytes, r.slot);
    }
    return !r.is_failed;
}

template <typename SCOPE>
static __device__ __noinline__ int end_reduction(Reduction &r)
{
    if (Reduction::SMALL != r.kind && !r.is_failed)
    {
        r.is_failed = (r.has_requested && !complete<SCOPE>(r.call.routine)) || !synchronize<SCOPE>(r.call, false);
    }
    if (Reduction::SCATTER == r.kind && !r.is_failed && r.result != r.dest)
    {
        copy<SCOPE>(r.dest, r.result, r.dest_bytes);
    }
    return end<SCOPE>(r.call, !r.is_failed);
}

/** Combines items i, i + step, … of the current part, and stores them at all destinations. */
template <typename OP, u32 N>
static __device__ __forceinline__ void reduce_items(const Reduction &r, const Tree &tree, const u64 i, const u64 step)
{
    typedef typename OP::item item;
    const u64 results = r.results();
    Tree::Items<OP, N> items = tree.template combine_all<OP, N>(i, step);
    #pragma unroll
    for (u32 k = 0; k < N; k++)
    {
        items.at[k] = OP::finish(items.at[k], r.call.size);
    }
    for (s32 m = 0; m < (0 == results ? 1 : r.call.size); m++)
    {
        const u64 dest = 0 == results ? r.result : *element<const u64>(results, (u64)m);
        #pragma unroll
        for (u32 k = 0; k < N && 0 != dest; k++)
        {
            *element<item>(dest, r.position + i + k * step) = items.at[k];
        }
    }
}

/**
 * Reduces items: elements, or pairs of elements of MAXLOC and MINLOC. Each thread combines items of its own, in the
 * canonical order of the host's reductions. dest is source, or disjoint from it.
 */
template <typename SCOPE, typename OP>
static __device__ __noinline__ int reduce(
    const s32 handle, const u64 dest, const u64 source, const u64 items, const bool is_scatter)
{
    typedef typename OP::item item;
    Reduction r;
    if (!begin_reduction<SCOPE>(r, handle, dest, source, items, sizeof(item), is_scatter))
    {
        return 1;
    }
    // more of the larger items would not fit into the 64 registers of a thread in a block of 1024
    const u32 together = sizeof(item) <= sizeof(u64) ? 4 : 1;
    const u64 step = SCOPE::size();
    const Tree tree = {0, table_of(r.call, 1), 0, 0, r.call.size};
    while (next_part<SCOPE>(r))
    {
        u64 i = SCOPE::rank();
        for (; i + (together - 1) * step < r.count; i += together * step)
        {
            reduce_items<OP, together>(r, tree, i, step);
        }
        for (; i < r.count; i += step)
        {
            reduce_items<OP, 1>(r, tree, i, step);
        }
    }
    return end_reduction<SCOPE>(r);
}

}
}

#endif
