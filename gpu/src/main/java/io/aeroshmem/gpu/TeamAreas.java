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

import org.agrona.BitUtil;

/**
 * Layout of the symmetric memory of the collectives that kernels call. There is one area for each slot of the table of
 * teams ({@link TeamHandles}). All areas have the same length, and the layout that {@code TeamArea} in
 * {@code aeroshmem_device_state.cuh} defines:
 * <pre>
 *   arrived   32 flags, one for each round of a synchronisation
 *   from      a flag for each rank, stored by the member of this rank
 *   words     2 words for each rank: counts or addresses
 *   scratch   2 halves of 32 KiB
 * </pre>
 */
final class TeamAreas
{
    static final int ALIGNMENT = 256;

    private static final int ROUNDS = 32;
    private static final int WORDS_OF_PE = 3;
    private static final int SCRATCH_LENGTH = 2 * 32768;

    private TeamAreas()
    {
    }

    /** Returns the length of an area in bytes. */
    static long areaLength(final int nPes)
    {
        return BitUtil.align((long)(ROUNDS + WORDS_OF_PE * nPes) * Long.BYTES, ALIGNMENT) + SCRATCH_LENGTH;
    }

    /** Returns the length of all areas in bytes. */
    static long length(final int nPes)
    {
        return DeviceStateDescriptor.MAX_TEAMS * areaLength(nPes);
    }
}
