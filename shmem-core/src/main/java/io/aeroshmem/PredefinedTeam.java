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
package io.aeroshmem;

/** The predefined teams of a job. */
public enum PredefinedTeam
{
    /** All PEs of the job: {@code SHMEM_TEAM_WORLD}, {@code NVSHMEM_TEAM_WORLD}. */
    WORLD,

    /**
     * The PEs whose memory this PE reaches with loads and stores, and which reach this PE's: {@code SHMEM_TEAM_SHARED},
     * {@code NVSHMEM_TEAM_SHARED}.
     */
    SHARED,

    /** The PEs of this PE's node: {@code NVSHMEMX_TEAM_NODE}. */
    NODE,

    /** The PEs that have this PE's rank in their {@link #NODE} team: {@code NVSHMEMX_TEAM_SAME_MYPE_NODE}. */
    SAME_MYPE_NODE
}
