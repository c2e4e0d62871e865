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
package io.aeroshmem.transport;

/**
 * One region of the symmetric memory of all PEs. Each PE has a table of its memory spaces, indexed by the number of
 * the {@link Region}.
 *
 * @param length    length of the region in bytes, equal on all PEs.
 * @param addresses addresses in this process at which loads and stores reach the region, by PE; 0 where they do
 *                  not reach it.
 * @param paths     how operations reach the region of each PE.
 */
public record MemorySpace(long length, long[] addresses, PathKind[] paths)
{
    /**
     * Returns the entry of a table, or throws {@link IllegalStateException} if the region is not in it.
     */
    public static MemorySpace of(final MemorySpace[] spaces, final int region)
    {
        if (region < 0 || region >= spaces.length)
        {
            throw unknown(region);
        }

        return spaces[region];
    }

    /** Returns the exception for a region that is not in the table. */
    public static IllegalStateException unknown(final int region)
    {
        return new IllegalStateException(
            "region must be " + Region.USER + " (user) or " + Region.SYSTEM + " (system): region=" + region);
    }
}
