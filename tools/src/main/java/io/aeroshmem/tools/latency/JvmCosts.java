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
package io.aeroshmem.tools.latency;

/**
 * Costs of the measured calls for the JVM of a PE; for several PEs, the maximum of each cost.
 *
 * @param allocatedBytes bytes that the calling thread has allocated on the Java heap; {@link #UNKNOWN} if the JVM does
 *                       not report them.
 * @param collections    number of garbage collections.
 * @param pauseMs        time of the collections in milliseconds; only their pauses, if the collector reports these
 *                       separately.
 */
public record JvmCosts(long allocatedBytes, long collections, long pauseMs)
{
    /** Bytes of a JVM that does not report them. */
    public static final long UNKNOWN = -1;

    /** No costs. */
    public static final JvmCosts NONE = new JvmCosts(0, 0, 0);

    /** Returns the larger of each cost; bytes are unknown if one is. */
    JvmCosts max(final JvmCosts other)
    {
        final boolean isUnknown = UNKNOWN == allocatedBytes || UNKNOWN == other.allocatedBytes;
        return new JvmCosts(
            isUnknown ? UNKNOWN : Math.max(allocatedBytes, other.allocatedBytes),
            Math.max(collections, other.collections),
            Math.max(pauseMs, other.pauseMs));
    }
}
