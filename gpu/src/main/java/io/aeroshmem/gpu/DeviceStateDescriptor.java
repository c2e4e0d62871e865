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
package io.aeroshmem.gpu;

/**
 * Layouts of the memory that the host shares with the program's kernels. The header {@code aeroshmem_device_state.cuh}
 * defines the same layouts for the kernels. They are:
 * <ul>
 *     <li>the state of the PE, in the variable {@link #STATE_VARIABLE} of each CUDA module;</li>
 *     <li>an entry for each peer, with the base addresses of its heaps;</li>
 *     <li>an entry for each team;</li>
 *     <li>the record of an error.</li>
 * </ul>
 * All words in them are little endian. {@link RingDescriptor} has the layout of the ring.
 */
final class DeviceStateDescriptor
{
    /** Variable of a module that has the state. */
    static final String STATE_VARIABLE = "aeroshmem_device_state";
    /** Variable of a module, 1 if a routine was called while there was no state. */
    static final String FAULT_VARIABLE = "aeroshmem_device_fault";

    static final long ABI_VERSION = 1;

    static final int VERSION_OFFSET = 0;
    static final int MY_PE_OFFSET = 8;
    static final int N_PES_OFFSET = 12;
    static final int DEVICE_HEAP_OFFSET = 16;
    static final int DEVICE_LENGTH_OFFSET = 24;
    static final int HOST_HEAP_OFFSET = 32;
    static final int HOST_LENGTH_OFFSET = 40;
    static final int PEERS_OFFSET = 48;
    static final int TEAMS_OFFSET = 56;
    static final int FLAGS_OFFSET = 64;
    static final int RING_ENTRIES_OFFSET = 72;
    static final int RING_RESULTS_OFFSET = 80;
    static final int RING_CAPACITY_OFFSET = 88;
    static final int RING_CLAIMED_OFFSET = 96;
    static final int RING_CONSUMED_OFFSET = 104;
    static final int ABORT_OFFSET = 112;
    static final int ERROR_OFFSET = 120;
    static final int ERROR_CLAIM_OFFSET = 128;
    static final int RING_KNOWN_OFFSET = 136;
    static final int RING_QUIETED_OFFSET = 144;
    static final int VENDOR_VERSION_OFFSET = 152;
    static final int STATE_LENGTH = 256;

    /** Atomic operations of the device on memory of the host are atomic against those of processors. */
    static final long FLAG_HOST_ATOMICS = 1;
    /** Kernels perform some operations by requests in the ring. */
    static final long FLAG_PROXY = 2;

    static final int PEER_DEVICE_BASE_OFFSET = 0;
    static final int PEER_HOST_BASE_OFFSET = 8;
    static final int PEER_LENGTH = 16;

    static final int MAX_TEAMS = 32;
    static final int TEAM_VALID_OFFSET = 0;
    static final int TEAM_MY_RANK_OFFSET = 4;
    static final int TEAM_SIZE_OFFSET = 8;
    static final int TEAM_REGION_OFFSET = 12;
    static final int TEAM_MEMBERS_OFFSET = 16;
    static final int TEAM_AREA_OFFSET = 24;
    static final int TEAM_STAMP_BASE_OFFSET = 32;
    static final int TEAM_CALLS_OFFSET = 40;
    static final int TEAM_LENGTH = 64;
    /** Position of a slot's generation in the stamps of a team; the bits below it number the team's calls. */
    static final int STAMP_SHIFT = 40;

    static final int REGION_DEVICE = 0;
    static final int REGION_HOST = 1;

    static final int ERROR_STATE_OFFSET = 0;
    static final int ERROR_CODE_OFFSET = 8;
    static final int ERROR_ROUTINE_OFFSET = 12;
    static final int ERROR_PE_OFFSET = 16;
    static final int ERROR_ADDRESS_OFFSET = 24;
    static final int ERROR_VALUE_OFFSET = 32;
    static final int ERROR_LENGTH = 64;

    private DeviceStateDescriptor()
    {
    }
}
