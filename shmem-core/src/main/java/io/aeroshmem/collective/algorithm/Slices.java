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
package io.aeroshmem.collective.algorithm;

/**
 * The division of a block into slices, one for each member, at multiples of {@value #GRAIN} bytes. So each slice holds
 * whole elements. If the start of the block is aligned to a cache line, no two slices share a line. The last slices may
 * be empty.
 */
final class Slices
{
    static final int GRAIN = 64;

    private Slices()
    {
    }

    /**
     * Returns the start of a slice in bytes, which is the end of the one before it.
     *
     * @param index of the slice, 0 to members.
     */
    static long start(final long bytes, final int members, final int index)
    {
        final long grains = (bytes + GRAIN - 1) / GRAIN;
        return Math.min(bytes, (grains / members * index + Math.min(index, grains % members)) * GRAIN);
    }
}
