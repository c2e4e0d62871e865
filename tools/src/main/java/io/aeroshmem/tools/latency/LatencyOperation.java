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

import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/**
 * What can be measured. The names of the constants, in lower case, are those of the command line and of the CSV rows.
 */
public enum LatencyOperation
{
    /**
     * 8-byte put and wait, there and back.
     */
    PINGPONG(Sizing.WORD, true, false),

    /**
     * Put and quiet.
     */
    PUT(Sizing.SIZED, false, false),

    /**
     * Blocking get.
     */
    GET(Sizing.SIZED, false, false),

    /**
     * Put with signal, and quiet.
     */
    PUT_SIGNAL(Sizing.SIZED, false, false),

    /**
     * 8-byte fetching add.
     */
    ATOMIC_FETCH_ADD(Sizing.WORD, false, false),

    /**
     * 8-byte add that fetches nothing, handed on but not completed (no quiet).
     */
    ATOMIC_ADD(Sizing.WORD, false, false),

    /**
     * 8-byte compare-and-swap.
     */
    ATOMIC_COMPARE_SWAP(Sizing.WORD, false, false),

    /**
     * Barrier of all PEs.
     */
    BARRIER(Sizing.NONE, true, false),

    /**
     * Sync of all PEs.
     */
    SYNC(Sizing.NONE, true, false),

    /**
     * 8-byte puts back to back, one quiet at the end: the rate is what counts.
     */
    PUT_RATE(Sizing.WORD, false, true),

    /**
     * 8-byte adds back to back, one quiet at the end: the rate is what counts.
     */
    ATOMIC_ADD_RATE(Sizing.WORD, false, true),

    /**
     * Large puts back to back, one quiet at the end: the bandwidth is what counts.
     */
    PUT_BW(Sizing.SIZED, false, true);

    /**
     * Names that the command line knows and refuses for now.
     */
    private static final List<String> COLLECTIVES = List.of("reduce", "broadcast", "collect", "alltoall");

    private enum Sizing
    {
        NONE, WORD, SIZED
    }

    private final Sizing sizing;
    private final boolean isCollective;
    private final boolean isRate;

    LatencyOperation(final Sizing sizing, final boolean isCollective, final boolean isRate)
    {
        this.sizing = sizing;
        this.isCollective = isCollective;
        this.isRate = isRate;
    }

    /**
     * The operation of a name.
     *
     * @param text as on the command line.
     * @return the operation.
     * @throws IllegalArgumentException if there is none, saying which there are.
     */
    public static LatencyOperation of(final String text)
    {
        final String name = text.trim().toLowerCase(Locale.ROOT);
        if (COLLECTIVES.contains(name))
        {
            throw new IllegalArgumentException(
                "operation '" + name + "' arrives with the collectives; allowed now: all, " + names());
        }
        return Arrays.stream(values())
            .filter((operation) -> operation.lowerCaseName().equals(name))
            .findFirst()
            .orElseThrow(() -> new IllegalArgumentException(
                "'" + text + "' is not an operation; allowed: all, " + names()));
    }

    /**
     * The name in commands and rows.
     *
     * @return in lower case.
     */
    public String lowerCaseName()
    {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Whether it is measured once per size given.
     *
     * @return false for operations of a fixed size.
     */
    public boolean isSized()
    {
        return Sizing.SIZED == sizing;
    }

    /**
     * The bytes that an operation of fixed size moves.
     *
     * @return 8 or 0.
     */
    public long fixedBytes()
    {
        return Sizing.WORD == sizing ? Long.BYTES : 0;
    }

    /**
     * Whether the other PEs take part in every call.
     *
     * @return false if PE 0 alone calls.
     */
    public boolean isCollective()
    {
        return isCollective;
    }

    /**
     * Whether calls are timed together rather than each by itself.
     *
     * @return true for the rates.
     */
    public boolean isRate()
    {
        return isRate;
    }

    private static String names()
    {
        return Arrays.stream(values()).map(LatencyOperation::lowerCaseName).collect(Collectors.joining(", "));
    }
}
