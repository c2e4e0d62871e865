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
#ifndef AEROSHMEM_DEVICE_STATE_CUH
#define AEROSHMEM_DEVICE_STATE_CUH

#include "aeroshmem_memory.cuh"

/**
 * Layouts of the data that the host and the kernels of a module share: the state, the tables, the ring of requests and
 * the error record. All words are little endian. The comment behind a field is its offset in bytes. The host has the
 * same layouts in DeviceStateDescriptor, RingDescriptor and TeamAreas. A change of a layout changes both sides, and
 * ABI_VERSION.
 */
namespace aeroshmem
{

static const u64 ABI_VERSION = 1;

/** Handles of teams: INVALID, the predefined ones by ordinals of PredefinedTeam, then those of Gpu.handle. */
static const s32 TEAM_INVALID = -1;
static const s32 TEAM_WORLD = 0;
static const s32 TEAM_SHARED = 1;
static const s32 TEAM_NODE = 2;
static const s32 TEAM_SAME_MYPE_NODE = 3;
static const s32 MAX_TEAMS = 32;

/** The device may perform atomics on host memory that are atomic against those of the host. */
static const u64 FLAG_HOST_ATOMICS = 1;
/** Some operations pass the ring: a heap has no address here, or atomics on host memory have to be the host's. */
static const u64 FLAG_PROXY = 2;

/** Heaps. */
enum Region
{
    REGION_DEVICE, REGION_HOST
};

/** The state of a module, set by Gpu.initModule. */
struct DeviceState
{
    /** 0: not initialised; else ABI_VERSION. */
    u64 version;                // 0
    s32 my_pe;                  // 8
    s32 n_pes;                  // 12
    /** The PE's own heaps. The host heap as the device addresses it; 0: not pinned. */
    u64 device_heap;            // 16
    u64 device_length;          // 24
    u64 host_heap;              // 32
    u64 host_length;            // 40
    /** PeerView[n_pes], in device memory. */
    u64 peers;                  // 48
    /** DeviceTeam[MAX_TEAMS], in device memory. */
    u64 teams;                  // 56
    u64 flags;                  // 64
    /** RingEntry[capacity] and RingResult[capacity], in pinned memory; a power of two. */
    u64 ring_entries;           // 72
    u64 ring_results;           // 80
    u64 ring_capacity;          // 88
    /** A word in device memory: tickets claimed. */
    u64 ring_claimed;           // 96
    /** A word in pinned memory, written by the host: the slots of tickets below it are free again. */
    u64 ring_consumed;          // 104
    /** A word in pinned memory: nonzero ends every wait of a kernel. */
    u64 abort;                  // 112
    /** ErrorRecord in pinned memory. */
    u64 error;                  // 120
    /** A word in device memory: 0 as long as the record may be written. */
    u64 error_claim;            // 128
    /** A word in device memory: a recent value of ring_consumed, so that a request needs no access to the host's. */
    u64 ring_known;             // 136
    /** A word in device memory: tickets below it are complete everywhere. */
    u64 ring_quieted;           // 144
    /** The version of the library: major, minor, patch. */
    s32 vendor_version[3];      // 152
    s32 unused;                 // 164
    u64 reserved[11];           // 168
};

/** The heaps of a PE as this device addresses them; 0: it cannot, operations pass the ring. */
struct PeerView
{
    u64 device_base;            // 0
    u64 host_base;              // 8
};

struct DeviceTeam
{
    s32 valid;                  // 0
    s32 my_rank;                // 4
    s32 size;                   // 8
    /** The heap of the area. */
    s32 region;                 // 12
    /** s32[size] in device memory: PE of the world by rank. */
    u64 members;                // 16
    /** The offset of the area, the same on all members. */
    u64 area;                   // 24
    /** Stamps of the team's collectives are stamp_base + number of the call; compared as signed numbers. */
    u64 stamp_base;             // 32
    /** Written by the device: collectives begun. */
    u64 calls;                  // 40
    u64 reserved[2];            // 48
};

/**
 * The symmetric area of a team, of the same length for all teams of a job: flags for synchronization, a flag and two
 * words for each rank, and scratch. Scratch of small reductions is double-buffered.
 */
struct TeamArea
{
    static const u64 ROUNDS = 32;
    static const u64 SCRATCH_HALF = 32768;
    static const u64 ALIGNMENT = 256;

    static __host__ __device__ __forceinline__ u64 arrived(const u64 round)
    {
        return round * sizeof(u64);
    }

    static __host__ __device__ __forceinline__ u64 from(const u64 rank)
    {
        return (ROUNDS + rank) * sizeof(u64);
    }

    /** Half 0: counts of others, or addresses of destinations; half 1: addresses of sources. */
    static __host__ __device__ __forceinline__ u64 words(const u64 n_pes, const u64 half, const u64 rank)
    {
        return (ROUNDS + n_pes + half * n_pes + rank) * sizeof(u64);
    }

    static __host__ __device__ __forceinline__ u64 scratch(const u64 n_pes, const u64 half)
    {
        return align((ROUNDS + 3 * n_pes) * sizeof(u64)) + half * SCRATCH_HALF;
    }

    static __host__ __device__ __forceinline__ u64 length(const u64 n_pes)
    {
        return scratch(n_pes, 2);
    }

private:
    static __host__ __device__ __forceinline__ u64 align(const u64 offset)
    {
        return (offset + ALIGNMENT - 1) & ~(ALIGNMENT - 1);
    }
};

/** Requests to the host. AMOs are REQUEST_FETCHING or REQUEST_POSTED + the code of AtomicOperation. */
enum Request
{
    REQUEST_PUT = 1, REQUEST_GET = 2, REQUEST_PUT_VALUE = 3, REQUEST_GET_VALUE = 4,
    REQUEST_FETCHING = 16, REQUEST_POSTED = 32, REQUEST_SIGNAL_SET = 48, REQUEST_SIGNAL_ADD = 49,
    REQUEST_QUIET = 64, REQUEST_GLOBAL_EXIT = 66
};

/** A thread waits for the result: the slot stays in use until it has acknowledged. */
static const s32 REQUEST_AWAITED = 1;
/** Ordered after all requests before it. */
static const s32 REQUEST_FENCED = 2;
/** The bit of an address in an entry that distinguishes the host heap from the device heap. */
static const u32 REGION_SHIFT = 63;

struct RingEntry
{
    /** Ticket + 1, stored last, with release at system scope. */
    u64 sequence;               // 0
    s32 operation;              // 8
    s32 pe;                     // 12
    /** region << 63 | offset, at pe. */
    u64 target;                 // 16
    /** region << 63 | offset, at this PE; or the value, or the operand. */
    u64 source;                 // 24
    /** Bytes of a block; the comparand of a compare-swap. */
    u64 length;                 // 32
    /** Bytes of a word or value. */
    s32 width;                  // 40
    s32 flags;                  // 44
    u64 reserved[2];            // 48
};

struct RingResult
{
    /** (ticket + 1) << 1 | failed, stored by the host last, with release. */
    u64 state;                  // 0
    u64 value;                  // 8
    /** Ticket + 1, stored by the kernel after it has read the value. */
    u64 acknowledged;           // 16
    u64 reserved;               // 24
};

enum ErrorCode
{
    ERROR_NOT_INITIALIZED = 1, ERROR_PE = 2, ERROR_TEAM = 3, ERROR_ADDRESS = 4, ERROR_ARGUMENT = 5, ERROR_ABORTED = 6,
    ERROR_REQUEST_FAILED = 7, ERROR_MALFORMED_REQUEST = 8
};

/** Routines as error records name them. */
enum Routine
{
    ROUTINE_NONE, ROUTINE_PUT, ROUTINE_GET, ROUTINE_P, ROUTINE_G, ROUTINE_IPUT, ROUTINE_IGET, ROUTINE_PUT_SIGNAL,
    ROUTINE_SIGNAL_OP, ROUTINE_SIGNAL_FETCH, ROUTINE_SIGNAL_WAIT_UNTIL, ROUTINE_ATOMIC, ROUTINE_WAIT_UNTIL,
    ROUTINE_TEST, ROUTINE_FENCE, ROUTINE_QUIET, ROUTINE_BARRIER, ROUTINE_SYNC, ROUTINE_BROADCAST, ROUTINE_COLLECT,
    ROUTINE_FCOLLECT, ROUTINE_ALLTOALL, ROUTINE_REDUCE, ROUTINE_REDUCESCATTER, ROUTINE_PTR, ROUTINE_TEAM,
    ROUTINE_QUERY, ROUTINE_GLOBAL_EXIT
};

/** The first error since the host took the last one. */
struct ErrorRecord
{
    /** 1: filled; stored last, with release. */
    u64 state;                  // 0
    s32 code;                   // 8
    s32 routine;                // 12
    s64 pe;                     // 16
    u64 address;                // 24
    u64 value;                  // 32
    u64 reserved[3];            // 40
};

static_assert(256 == sizeof(DeviceState), "the host knows the layout");
static_assert(16 == sizeof(PeerView), "the host knows the layout");
static_assert(64 == sizeof(DeviceTeam), "the host knows the layout");
static_assert(64 == sizeof(RingEntry), "the host knows the layout");
static_assert(32 == sizeof(RingResult), "the host knows the layout");
static_assert(64 == sizeof(ErrorRecord), "the host knows the layout");

}

/**
 * The variables of a module. One translation unit of it defines them; the others, linked with -rdc=true, define
 * AEROSHMEM_DEVICE_EXTERN before they include this. The macros are keywords on CUDA; the simulated driver has its own.
 */
#if !defined(AEROSHMEM_CUDA_SIM)
#define AEROSHMEM_CONCURRENT
#if defined(AEROSHMEM_DEVICE_EXTERN)
#define AEROSHMEM_MODULE_CONSTANT(T, name) extern "C" __constant__ T name;
#define AEROSHMEM_MODULE_VARIABLE(T, name) extern "C" __device__ T name;
#else
#define AEROSHMEM_MODULE_CONSTANT(T, name) extern "C" { __constant__ T name; }
#define AEROSHMEM_MODULE_VARIABLE(T, name) extern "C" { __device__ T name; }
#endif
#define AEROSHMEM_MODULE_VARIABLE_ADDRESS(name) (&name)
#else
#define AEROSHMEM_MODULE_CONSTANT(T, name) AEROSHMEM_MODULE_VARIABLE(T, name)
#endif

/** The state, and a word that a routine sets to 1 if it finds no state. */
AEROSHMEM_MODULE_CONSTANT(aeroshmem::DeviceState, aeroshmem_device_state)
AEROSHMEM_MODULE_VARIABLE(aeroshmem::u64, aeroshmem_device_fault)

#endif
