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
 * Teams, barriers and collectives. A group of threads of each member calls; one group of a PE at a time per team.
 *
 * Flags of the team's area carry stamps, which grow from call to call and are the same on all members: nothing is ever
 * reset. All flags of a member to another take the same way, so they arrive in the order in which they were sent: by
 * stores with release where both heaps of the peer have addresses here; by requests, each behind those before it, where
 * data may have gone by requests. So a flag arrives after the data before it.
 *
 * No member writes into another's destination before that one has called: a synchronization or an exchange of counts
 * comes first. Only small reductions begin without, since they write to scratch. Its two halves alternate by the parity
 * of stamps: a member begins small reduction k + 1 when all have sent their data of k, and k + 2 when all have sent
 * that of k + 1, thus have read that of k. Any other collective in between synchronizes or exchanges.
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

/** Stores a word in the area of a member, behind everything that was sent to it before. */
static __device__ __noinline__ void send_word(const TeamCall &call, const s32 to, const u64 at, const u64 value)
{
    const DeviceState &s = state();
    const s32 pe = call.member(to);
    const PeerView *const view = element<const PeerView>(s.peers, (u64)pe);
    const u64 base = is_host(call.area_target) ? view->host_base : view->device_base;
    if (0 != view->device_base && (0 != view->host_base || 0 == s.host_heap))
    {
        const u64 area = call.area_target & ~((u64)1 << REGION_SHIFT);
        store_release(AEROSHMEM_GLOBAL(u64, base + area + at), value);
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

/** Waits until all members have called; completes no request. Dissemination, by the first thread of the group. */
template <typename SCOPE>
static __device__ __noinline__ bool synchronize(TeamCall &call)
{
    const u64 stamp = ++call.stamp;
    bool is_failed = false;
    SCOPE::sync();
    if (0 == SCOPE::rank())
    {
        __threadfence_system();
        u32 round = 0;
        for (s64 distance = 1; distance < call.size && !is_failed; distance <<= 1)
        {
            send_word(call, (s32)((call.rank + distance) % call.size), TeamArea::arrived(round), stamp);
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
    return begin<SCOPE>(handle, ROUTINE_SYNC, call) ? end<SCOPE>(call, synchronize<SCOPE>(call)) : 1;
}

template <typename SCOPE>
static __device__ __noinline__ int barrier_team(const s32 handle)
{
    TeamCall call;
    if (!begin<SCOPE>(handle, ROUTINE_BARRIER, call))
    {
        return 1;
    }
    return end<SCOPE>(call, complete<SCOPE>(ROUTINE_BARRIER) && synchronize<SCOPE>(call));
}

/** Sets the flag of this member at all others, after all data before. Successive threads serve successive members. */
template <typename SCOPE>
static __device__ __forceinline__ void send_flags(const TeamCall &call)
{
    SCOPE::sync();
    __threadfence_system();
    for (u32 i = SCOPE::rank() + 1; i < (u32)call.size; i += SCOPE::size())
    {
        const s32 to = (s32)(((u64)call.rank + i) % (u64)call.size);
        send_word(call, to, TeamArea::from((u64)call.rank), call.stamp);
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
    bool is_successful = synchronize<SCOPE>(call);
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
    bool is_successful = synchronize<SCOPE>(call);
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
    bool is_successful = synchronize<SCOPE>(call);
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
            send_word(call, (s32)to, TeamArea::words(n_pes, 0, (u64)call.rank), bytes);
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

/** Combines items in the canonical order of the host's reductions. */
template <typename OP>
static __device__ __forceinline__ typename OP::item combine_members(
    const TeamCall &call, const u64 table, const u64 offset, const u64 i)
{
    const Tree tree = {0, table, offset, 0, call.size};
    return OP::finish(tree.template combine_all<OP>(i), call.size);
}

/** A reduction whose blocks fit into half of the scratch: all send theirs to all. */
template <typename SCOPE, typename OP>
static __device__ __forceinline__ bool reduce_in_scratch(
    TeamCall &call, const u64 dest, const u64 source, const u64 items, const u64 slot)
{
    const u64 bytes = items * sizeof(typename OP::item);
    const u64 half = ++call.stamp & 1;
    const u64 scratch = call.area + TeamArea::scratch((u64)state().n_pes, half);
    const u64 table = table_of(call, 1);
    const bool has_requested =
        send_blocks<SCOPE>(call, scratch + (u64)call.rank * slot, source, 0, bytes);
    for (u64 i = SCOPE::rank(); i < (u64)call.size; i += SCOPE::size())
    {
        *element<u64>(table, i) = scratch + i * slot;
    }
    if (!exchange_flags<SCOPE>(call, has_requested))
    {
        return false;
    }
    for (u64 i = SCOPE::rank(); i < items; i += SCOPE::size())
    {
        *element<typename OP::item>(dest, i) = combine_members<OP>(call, table, 0, i);
    }
    return true;
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

/** Returns the bytes of a block for each of some members in scratch. */
static __device__ __forceinline__ u64 chunk_length(const u64 members)
{
    return 0 == members ? ~(u64)0 : 2 * TeamArea::SCRATCH_HALF / members & ~(u64)(sizeof(Quad) - 1);
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

/** Sends a part of the result, which is at this PE's dest, to all members without an address here. */
template <typename SCOPE>
static __device__ __forceinline__ bool scatter_by_requests(const TeamCall &call, const u64 part, const u64 bytes)
{
    bool has_requested = false;
    for (s32 i = 0; i < call.size; i++)
    {
        if (i != call.rank && 0 == *element<const u64>(table_of(call, 0), (u64)i))
        {
            has_requested |= send_block<SCOPE>(call, i, part, part, bytes);
        }
    }
    return has_requested;
}

/**
 * A reduction of which each member combines a share, straight from the sources, and stores it at all destinations. A
 * share is read and written by one member only, so that destinations may be sources.
 */
template <typename SCOPE, typename OP>
static __device__ __forceinline__ bool reduce_shares(
    TeamCall &call, const u64 dest, const u64 source, const u64 items)
{
    typedef typename OP::item item;
    const u64 members = (u64)call.size;
    const u64 share = (items + members - 1) / members;
    const u64 first = min((u64)call.rank * share, items);
    const u64 last = min(first + share, items);
    const u64 dest_target = symmetric(state(), dest, items * sizeof(item));
    const u64 slot = chunk_length(count_unreachable(call, symmetric(state(), source, items * sizeof(item))));
    const u64 chunk = slot / sizeof(item);
    const u64 dests = table_of(call, 0);
    bool has_requested = false;
    if (0 == chunk)
    {
        report(ERROR_ARGUMENT, call.routine, state().my_pe, source, members);
        return false;
    }
    for (u64 i = SCOPE::rank(); i < members; i += SCOPE::size())
    {
        *element<u64>(dests, i) =
            i == (u64)call.rank ? dest : peer_address(state(), dest_target, call.member((s32)i));
    }
    if (!synchronize<SCOPE>(call))
    {
        return false;
    }
    for (u64 begin = first; begin < last; begin += min(chunk, last - begin))
    {
        const u64 count = min(chunk, last - begin);
        if (!gather<SCOPE>(call, source + begin * sizeof(item), count * sizeof(item), slot))
        {
            return false;
        }
        for (u64 i = SCOPE::rank(); i < count; i += SCOPE::size())
        {
            const item result = combine_members<OP>(call, table_of(call, 1), 0, i);
            for (u64 m = 0; m < members; m++)
            {
                const u64 at = *element<const u64>(dests, m);
                if (0 != at)
                {
                    *element<item>(at, begin + i) = result;
                }
            }
        }
        SCOPE::sync();
        has_requested |= scatter_by_requests<SCOPE>(call, dest + begin * sizeof(item), count * sizeof(item));
    }
    return (!has_requested || complete<SCOPE>(call.routine)) && synchronize<SCOPE>(call);
}

/** Items are elements; pairs of elements of MAXLOC and MINLOC. dest is source, or disjoint from it. */
template <typename SCOPE, typename OP>
static __device__ __noinline__ int reduce(const s32 handle, const u64 dest, const u64 source, const u64 items)
{
    typedef typename OP::item item;
    TeamCall call;
    const u64 bytes = bytes_of(items, sizeof(item));
    if (!begin<SCOPE>(handle, ROUTINE_REDUCE, call) || !are_own(dest, bytes, source, bytes, ROUTINE_REDUCE) ||
        (dest != source && !are_disjoint(call, dest, bytes, source, bytes)))
    {
        return 1;
    }
    const u64 slot = (bytes + sizeof(Quad) - 1) & ~(u64)(sizeof(Quad) - 1);
    const bool is_small = slot <= TeamArea::SCRATCH_HALF / (u64)call.size;
    return end<SCOPE>(call, is_small ?
        reduce_in_scratch<SCOPE, OP>(call, dest, source, items, slot) :
        reduce_shares<SCOPE, OP>(call, dest, source, items));
}

/**
 * Each member combines its block, straight from the sources. In place, dest is at the beginning of source: the result
 * is kept in the member's own block, which no other reads, until all have read theirs.
 */
template <typename SCOPE, typename OP>
static __device__ __noinline__ int reducescatter(
    const s32 handle, const u64 dest, const u64 source, const u64 items)
{
    typedef typename OP::item item;
    TeamCall call;
    const u64 bytes = bytes_of(items, sizeof(item));
    if (!begin<SCOPE>(handle, ROUTINE_REDUCESCATTER, call))
    {
        return 1;
    }
    const u64 all = bytes_of(bytes, (u64)call.size);
    if (!are_own(dest, bytes, source, all, ROUTINE_REDUCESCATTER) ||
        (dest != source && !are_disjoint(call, dest, bytes, source, all)))
    {
        return 1;
    }
    const u64 block = source + (u64)call.rank * bytes;
    const u64 result = dest == source ? block : dest;
    const u64 slot = chunk_length(count_unreachable(call, symmetric(state(), source, all)));
    const u64 chunk = slot / sizeof(item);
    if (0 == chunk)
    {
        report(ERROR_ARGUMENT, ROUTINE_REDUCESCATTER, state().my_pe, source, (u64)call.size);
        return 1;
    }
    bool is_successful = synchronize<SCOPE>(call);
    for (u64 begin = 0; begin < items && is_successful; begin += min(chunk, items - begin))
    {
        const u64 count = min(chunk, items - begin);
        is_successful = gather<SCOPE>(call, block + begin * sizeof(item), count * sizeof(item), slot);
        for (u64 i = SCOPE::rank(); i < count && is_successful; i += SCOPE::size())
        {
            *element<item>(result, begin + i) = combine_members<OP>(call, table_of(call, 1), 0, i);
        }
    }
    is_successful = is_successful && synchronize<SCOPE>(call);
    if (is_successful && result != dest)
    {
        copy<SCOPE>(dest, result, bytes);
    }
    return end<SCOPE>(call, is_successful);
}

}
}

#endif
