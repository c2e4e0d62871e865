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
package io.aeroshmem.simulation;

import java.util.function.LongSupplier;

/**
 * The time that frames take on each stream of a network.
 *
 * @param clock          time in nanoseconds; reading it takes none.
 * @param leastNs        least latency in nanoseconds.
 * @param mostNs         most.
 * @param bytesPerSecond that a stream carries, or infinity.
 */
record SimulatedLink(LongSupplier clock, long leastNs, long mostNs, double bytesPerSecond)
{
    private static final double SECOND_NS = 1e9;

    long nowNs()
    {
        return clock.getAsLong();
    }

    /** Returns how long a stream is busy with so many bytes, in nanoseconds. */
    long busyNs(final int bytes)
    {
        return (long)(bytes * SECOND_NS / bytesPerSecond);
    }
}
