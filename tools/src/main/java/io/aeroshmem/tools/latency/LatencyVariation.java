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

import java.util.List;

/**
 * Variations of the measurement of each operation.
 *
 * @param rates         calls per second of the open loops that follow the closed loop ({@link Pace}); empty for none.
 * @param isRootShifted whether the root of a collective moves to the next PE from call to call.
 * @param isMatrix      whether each ordered pair of PEs is measured.
 * @param isAllPes      whether all PEs call at once, each to the next PE; only possible for operations whose calls
 *                      are timed together ({@link LatencyOperation#isRate()}).
 * @param traffic       who calls whom at once, or {@link Traffic#NONE}; as {@code isAllPes}.
 * @param fromStartNs   nanoseconds for which calls are measured from the end of {@code init} on, without warm-up; 0 if
 *                      they are measured as usual.
 */
public record LatencyVariation(
    List<Long> rates,
    boolean isRootShifted,
    boolean isMatrix,
    boolean isAllPes,
    Traffic traffic,
    long fromStartNs)
{
    /** The closed loop alone, from PE 0. */
    public static final LatencyVariation NONE = new LatencyVariation(List.of(), false, false, false, Traffic.NONE, 0);

    /** Highest rate: a call each nanosecond. */
    public static final long MAX_RATE = 1_000_000_000;

    /** Returns whether calls are measured from the end of {@code init} on. */
    public boolean isFromStart()
    {
        return fromStartNs > 0;
    }

    /** Returns whether the variations are defined for an operation. */
    public boolean isPossible(final LatencyOperation operation)
    {
        return (rates.isEmpty() || !operation.isRate()) &&
            (!isRootShifted || operation.isRooted()) &&
            (!isMatrix || operation.isOfPair()) &&
            (!isAllPes || operation.isRate()) &&
            (traffic.isNone() || operation.isOfPair() && operation.isRate());
    }
}
