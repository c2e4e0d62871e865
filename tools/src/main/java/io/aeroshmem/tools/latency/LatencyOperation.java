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
     * Sum over all PEs; the bytes are those of one PE's elements.
     */
    REDUCE(Sizing.SIZED, true, false, 8, 1 << 20),

    /**
     * Broadcast from PE 0, and a barrier; the bytes are those that every PE gets.
     */
    BROADCAST(Sizing.SIZED, true, false, 8),

    /**
     * Concatenation of equal blocks of all PEs; the bytes are those of one block.
     */
    COLLECT(Sizing.SIZED, true, false, 8),

    /**
     * Exchange of a block between every two PEs; the bytes are those of one block.
     */
    ALLTOALL(Sizing.SIZED, true, false, 8),

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

    private static final long[] BLOCK_SIZES = {8, 4096, 1 << 20};

    private enum Sizing
    {
        NONE, WORD, SIZED
    }

    private final Sizing sizing;
    private final boolean isCollective;
    private final boolean isRate;
    private final long[] defaultSizes;

    LatencyOperation(
        final Sizing sizing, final boolean isCollective, final boolean isRate, final long... defaultSizes)
    {
        this.sizing = sizing;
        this.isCollective = isCollective;
        this.isRate = isRate;
        this.defaultSizes = defaultSizes;
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
     * The sizes to measure where none are asked for.
     *
     * @return in bytes; one for an operation of fixed size.
     */
    public List<Long> defaultSizes()
    {
        if (!isSized())
        {
            return List.of(fixedBytes());
        }
        return Arrays.stream(0 == defaultSizes.length ? BLOCK_SIZES : defaultSizes)
            .boxed().collect(Collectors.toList());
    }

    /**
     * The memory that it needs for its source, and again for its dest.
     *
     * @param bytes of its row.
     * @param nPes  number of PEs.
     * @return bytes; more than those of the row where there is a block for each PE.
     */
    public long bufferBytes(final long bytes, final int nPes)
    {
        return COLLECT == this || ALLTOALL == this ? Math.multiplyExact(bytes, nPes) : bytes;
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
