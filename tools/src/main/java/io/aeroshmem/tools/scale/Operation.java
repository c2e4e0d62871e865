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

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.TeamConfig;
import io.aeroshmem.collective.call.CallRecords;
import io.aeroshmem.collective.call.CollectCounts;
import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.team.Membership;
import io.aeroshmem.team.TeamDescriptor;
import io.aeroshmem.team.TeamSplit;
import org.agrona.UnsafeApi;

import java.util.Locale;

/**
 * A collective operation of all PEs of a {@link LargeJob}, as one PE performs it: one call of an algorithm, or two
 * where the library exchanges records first. Blocks consist of longs.
 */
public enum Operation
{
    /** {@link io.aeroshmem.Team#barrier()} of PEs that have nothing to complete. */
    BARRIER(Routine.SYNC, false),
    /** {@link io.aeroshmem.Team#sync()}. */
    SYNC(Routine.SYNC, false),
    /** {@link io.aeroshmem.Team#broadcast} from PE 0. */
    BROADCAST(Routine.BROADCAST, false)
    {
        @Override
        long expected(final int pe, final int rank, final int pes, final long element)
        {
            return element(0, element);
        }
    },
    /** {@link io.aeroshmem.Team#reduce}: sums. */
    REDUCE(Routine.REDUCE, false)
    {
        @Override
        long expected(final int pe, final int rank, final int pes, final long element)
        {
            return pes * element(0, element) + FACTOR * pes * (pes - 1L) / 2;
        }
    },
    /** {@link io.aeroshmem.Team#fcollect}. */
    FCOLLECT(Routine.FCOLLECT, true),
    /** {@link io.aeroshmem.Team#collect}: an exchange of the counts, then an fcollect. */
    COLLECT(null, true)
    {
        @Override
        boolean fill(final LargeJobPe pe, final int stage)
        {
            final long bytes = pe.job.blockBytes();
            if (0 == stage)
            {
                pe.counts.put(bytes, bytes * pe.job.pes(), Long.MAX_VALUE);
                CallRecords.fill(
                    pe.call, pe.resources.workspace(), pe.pe, CollectCounts.signature(ElementType.LONG));
            }
            else if (1 == stage)
            {
                pe.counts.fill(pe.call, ElementType.LONG);
                place(pe);
            }

            return stage <= 1;
        }
    },
    /** {@link io.aeroshmem.Team#alltoall}; up to {@value Operation#MAX_ALLTOALL} PEs. */
    ALLTOALL(Routine.ALLTOALL, true)
    {
        @Override
        long sourceBlocks(final int pes)
        {
            return pes;
        }

        @Override
        long expected(final int pe, final int rank, final int pes, final long element)
        {
            return super.expected(pe, rank, pes, element) + pe;
        }
    },
    /** {@link io.aeroshmem.Team#splitStrided(int, int, int)}: a team of every second PE. */
    SPLIT(null, false)
    {
        @Override
        boolean fill(final LargeJobPe pe, final int stage)
        {
            final int pes = pe.job.pes();
            return create(pe, stage, 2, (pes + 1) / 2);
        }
    },
    /** The creation of a team of all PEs, by {@link io.aeroshmem.Team#splitStrided(int, int, int)}. */
    CREATE(null, false)
    {
        @Override
        boolean fill(final LargeJobPe pe, final int stage)
        {
            return create(pe, stage, 1, pe.job.pes());
        }
    };

    /** Limit of PEs of {@link #ALLTOALL}, whose mailboxes are all in use. */
    public static final int MAX_ALLTOALL = 512;

    private static final Reduction SUM = Reduction.of(ReduceOp.SUM, ElementType.LONG);
    private static final long FACTOR = 1_000_003;

    private final Routine routine;
    private final boolean isOfAll;

    /**
     * @param routine the only call of an algorithm; null if there are others.
     * @param isOfAll whether the dest of a PE has a block of each PE.
     */
    Operation(final Routine routine, final boolean isOfAll)
    {
        this.routine = routine;
        this.isOfAll = isOfAll;
    }

    /**
     * Fills in the next call of an algorithm; returns false if the operation has no more.
     *
     * @param stage number of calls before.
     */
    boolean fill(final LargeJobPe pe, final int stage)
    {
        if (0 == stage)
        {
            final long elements = Routine.SYNC == routine ? 0 : pe.job.blockBytes() / Long.BYTES;
            pe.call.of(routine, Routine.REDUCE == routine ? SUM : null, ElementType.LONG, elements);
            if (Routine.SYNC != routine)
            {
                place(pe);
            }

            pe.call.sign();
        }

        return 0 == stage;
    }

    /** Returns the number of blocks in the source of a PE. */
    long sourceBlocks(final int pes)
    {
        return 1;
    }

    /** Returns the number of blocks in the dest of a PE. */
    long destBlocks(final int pes)
    {
        return isOfAll ? pes : 1;
    }

    /** Returns an element that a PE must find in the block of another in its dest; 0 in operations without data. */
    long expected(final int pe, final int rank, final int pes, final long element)
    {
        return isOfAll ? element(rank, element) : 0;
    }

    private static long element(final int pe, final long element)
    {
        return FACTOR * pe + (element << Integer.SIZE);
    }

    /** Writes the source of a PE, and clears its dest. */
    void prepare(final LargeJobPe pe)
    {
        final long elements = pe.job.blockBytes() / Long.BYTES;
        for (long block = 0; block < sourceBlocks(pe.job.pes()); block++)
        {
            for (long i = 0; i < elements; i++)
            {
                UnsafeApi.putLong(
                    pe.sourceAddress + (block * elements + i) * Long.BYTES, element(pe.pe, i) + block);
            }
        }

        UnsafeApi.setMemory(pe.destAddress, destBlocks(pe.job.pes()) * pe.job.blockBytes(), (byte)0);
    }

    /** Throws if the dest of a PE has not what it must have. */
    void verify(final LargeJobPe pe)
    {
        final int pes = pe.job.pes();
        final long elements = pe.job.blockBytes() / Long.BYTES;
        for (int block = 0; block < destBlocks(pes); block++)
        {
            for (long i = 0; i < elements; i++)
            {
                final long expected = expected(pe.pe, block, pes, i);
                final long found = UnsafeApi.getLong(pe.destAddress + (block * elements + i) * Long.BYTES);
                if (found != expected)
                {
                    throw new IllegalStateException(this + " on " + pes + " PEs: element " + i + " of block " + block +
                        " of PE " + pe.pe + " is " + found + ", not " + expected);
                }
            }
        }
    }

    /** An exchange of the records of all PEs, before and after which each makes its part of the team. */
    private static boolean create(final LargeJobPe pe, final int stage, final int stride, final int size)
    {
        if (0 == stage)
        {
            final int pes = pe.job.pes();
            final Membership world = Membership.inWorldOrder(pes, pe.pe, (member) -> true);
            pe.split = TeamSplit.strided(
                new TeamSplit.Parent(pe.slots, pes, world, "WORLD", pe.resources.workspace()::records),
                0,
                stride,
                size,
                new TeamConfig());
            pe.split.begin();
            CallRecords.fill(
                pe.call, pe.resources.workspace(), pe.pe, CallSignature.of(CallSignature.EXCHANGE));
        }
        else
        {
            for (final TeamDescriptor team : pe.split.end())
            {
                pe.open(team);
            }
        }

        return 0 == stage;
    }

    private static void place(final LargeJobPe pe)
    {
        pe.call
            .dest(LargeJob.OPERANDS, pe.job.destOffset(), pe.destAddress)
            .source(LargeJob.OPERANDS, LargeJob.SOURCE_OFFSET, pe.sourceAddress);
    }

    /** Returns the name on the command line. */
    @Override
    public String toString()
    {
        return name().toLowerCase(Locale.ROOT);
    }
}
