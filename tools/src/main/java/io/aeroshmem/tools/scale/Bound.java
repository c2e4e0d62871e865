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
package io.aeroshmem.tools.scale;

import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.sync.SystemAreaDescriptor;

/**
 * What an algorithm needs in a team where a block of any length is one message, which needs no acknowledgement: a bound
 * that an implementation by slots exceeds where blocks are longer than a slot.
 *
 * @param rounds   length of the longest chain of messages; -1 if unknown.
 * @param messages of all PEs; -1 if unknown.
 * @param bytes    of all messages, each with a signal of 8 bytes; -1 if unknown.
 */
public record Bound(long rounds, long messages, long bytes)
{
    /** Of nothing. */
    static final Bound NONE = new Bound(0, 0, 0);
    static final Bound UNKNOWN = new Bound(-1, -1, -1);

    /**
     * Returns the bound of an algorithm.
     *
     * @param n          members of the team.
     * @param hosts      of the members, equally many on each.
     * @param blockBytes length of a block.
     */
    static Bound of(
        final Routine routine, final Algorithm algorithm, final long n, final long hosts, final long blockBytes)
    {
        final long log = SystemAreaDescriptor.rounds((int)n);
        final long hostLog = SystemAreaDescriptor.rounds((int)hosts);
        final long others = n - hosts;
        final long all = n * (n - 1);
        return switch (routine)
        {
            case SYNC -> switch (algorithm)
            {
                case DISSEMINATION -> of(log, n * log, 0);
                case TWO_LEVEL -> of(2 + hostLog, 2 * others + hosts * hostLog, 0);
                case FLAT -> of(n > 1 ? 1 : 0, all, 0);
                default -> UNKNOWN;
            };
            case BROADCAST -> switch (algorithm)
            {
                case BINOMIAL -> of(depth(n), n - 1, (n - 1) * blockBytes);
                case TWO_LEVEL -> of(depth(hosts) + depth(n / hosts), n - 1, (n - 1) * blockBytes);
                default -> UNKNOWN;
            };
            case REDUCE -> switch (algorithm)
            {
                case RECURSIVE_DOUBLING -> doubling(n, blockBytes);
                case TWO_LEVEL -> of(2 * depth(n / hosts), 2 * others, 2 * others * blockBytes).plus(
                    1 == Long.bitCount(hosts) ? doubling(hosts, blockBytes) : trees(hosts, blockBytes));
                case BINOMIAL -> trees(n, blockBytes);
                case FLAT -> of(n > 1 ? 1 : 0, all, all * blockBytes);
                default -> UNKNOWN;
            };
            case FCOLLECT -> switch (algorithm)
            {
                case BRUCK -> of(log, n * log, all * blockBytes);
                case PAIRWISE, FLAT -> of(n > 1 ? 1 : 0, all, all * blockBytes);
                case TWO_LEVEL -> of(
                    1 + hostLog + depth(n / hosts),
                    2 * others + hosts * hostLog,
                    (others * (1 + n) + (hosts - 1) * n) * blockBytes);
                default -> UNKNOWN;
            };
            case ALLTOALL -> switch (algorithm)
            {
                case BRUCK -> of(log, n * log, n * blockBytes * bruckBlocks(n));
                case PAIRWISE, FLAT -> of(n > 1 ? 1 : 0, all, all * blockBytes);
                default -> UNKNOWN;
            };
            default -> UNKNOWN;
        };
    }

    /** Returns the depth of a binomial tree. */
    private static long depth(final long n)
    {
        return Long.SIZE - 1 - Long.numberOfLeadingZeros(n);
    }

    /** Up a binomial tree, and down again. */
    private static Bound trees(final long n, final long blockBytes)
    {
        return of(2 * depth(n), 2 * (n - 1), 2 * (n - 1) * blockBytes);
    }

    /** Recursive doubling, with a message before and after it for each member beyond a power of two. */
    private static Bound doubling(final long n, final long blockBytes)
    {
        final long power = Long.highestOneBit(n);
        final long messages = power * depth(power) + 2 * (n - power);
        return of(depth(power) + (n > power ? 2 : 0), messages, messages * blockBytes);
    }

    /** Returns the number of blocks that a member sends in all rounds of Bruck's exchange. */
    private static long bruckBlocks(final long n)
    {
        long blocks = 0;
        for (long i = 1; i < n; i++)
        {
            blocks += Long.bitCount(i);
        }

        return blocks;
    }

    private static Bound of(final long rounds, final long messages, final long blockBytes)
    {
        return new Bound(rounds, messages, blockBytes + messages * Long.BYTES);
    }

    Bound plus(final Bound other)
    {
        return rounds < 0 || other.rounds < 0 ? UNKNOWN :
            new Bound(rounds + other.rounds, messages + other.messages, bytes + other.bytes);
    }
}
