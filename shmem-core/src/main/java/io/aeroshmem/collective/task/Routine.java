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
package io.aeroshmem.collective.task;

import io.aeroshmem.Collective;
import io.aeroshmem.config.ShmemProperty;

import java.util.List;

/**
 * The collective routines of a team, and what is true of each of them.
 */
public enum Routine
{
    /** {@link io.aeroshmem.Team#barrier()}: completes what the PE has issued, then does what {@link #SYNC} does. */
    BARRIER("barrier", ShmemProperty.ALGORITHM_BARRIER, Counts.NONE, Blocks.NONE, Blocks.NONE),
    /** {@link io.aeroshmem.Team#sync()}. */
    SYNC("sync", ShmemProperty.ALGORITHM_BARRIER, Counts.NONE, Blocks.NONE, Blocks.NONE),
    /** {@link io.aeroshmem.Team#broadcast}. */
    BROADCAST("broadcast", ShmemProperty.ALGORITHM_BROADCAST, Counts.EQUAL, Blocks.ONE, Blocks.ONE, Fact.ROOTED),
    /** {@link io.aeroshmem.Team#collect}: exchanges the counts, then does what {@link #FCOLLECT} does. */
    COLLECT("collect", ShmemProperty.ALGORITHM_COLLECT, Counts.OWN, Blocks.ONE, Blocks.EACH),
    /** {@link io.aeroshmem.Team#fcollect}. */
    FCOLLECT("fcollect", ShmemProperty.ALGORITHM_COLLECT, Counts.EQUAL, Blocks.ONE, Blocks.EACH),
    /** {@link io.aeroshmem.Team#alltoall}. */
    ALLTOALL("alltoall", ShmemProperty.ALGORITHM_ALLTOALL, Counts.EQUAL, Blocks.EACH, Blocks.EACH),
    /** {@link io.aeroshmem.Team#alltoalls}. */
    ALLTOALLS("alltoalls", ShmemProperty.ALGORITHM_ALLTOALLS, Counts.EQUAL, Blocks.EACH, Blocks.EACH),
    /** {@link io.aeroshmem.Team#reduce}. */
    REDUCE("reduce", ShmemProperty.ALGORITHM_REDUCE, Counts.EQUAL, Blocks.ONE, Blocks.ONE, Fact.REDUCES),
    /** {@link io.aeroshmem.Team#reduceScatter}. */
    REDUCE_SCATTER(
        "reduceScatter",
        ShmemProperty.ALGORITHM_REDUCE_SCATTER,
        Counts.EQUAL,
        Blocks.EACH,
        Blocks.ONE,
        Fact.REDUCES),
    /** {@link io.aeroshmem.Team#inclusiveScan}. */
    INCLUSIVE_SCAN("inclusiveScan", ShmemProperty.ALGORITHM_SCAN, Counts.EQUAL, Blocks.ONE, Blocks.ONE, Fact.REDUCES),
    /** {@link io.aeroshmem.Team#exclusiveScan}. */
    EXCLUSIVE_SCAN("exclusiveScan", ShmemProperty.ALGORITHM_SCAN, Counts.EQUAL, Blocks.ONE, Blocks.ONE, Fact.REDUCES),
    /** {@link io.aeroshmem.Collective#FAN_IN}. This and the following ones are requests only. */
    FAN_IN("fanIn", ShmemProperty.ALGORITHM_BARRIER, Counts.NONE, Blocks.NONE, Blocks.NONE, Fact.ROOTED),
    /** {@link io.aeroshmem.Collective#FAN_OUT}. */
    FAN_OUT("fanOut", ShmemProperty.ALGORITHM_BARRIER, Counts.NONE, Blocks.NONE, Blocks.NONE, Fact.ROOTED),
    /** {@link io.aeroshmem.Collective#REDUCE}. */
    ROOTED_REDUCE(
        "rootedReduce",
        ShmemProperty.ALGORITHM_REDUCE,
        Counts.EQUAL,
        Blocks.ONE,
        Blocks.ONE_AT_ROOT,
        Fact.ROOTED,
        Fact.REDUCES),
    /** {@link io.aeroshmem.Collective#REDUCE_SCATTERV}. */
    REDUCE_SCATTERV(
        "reduceScatterv",
        ShmemProperty.ALGORITHM_REDUCE_SCATTER,
        Counts.OWN,
        Blocks.EACH,
        Blocks.ONE,
        Fact.REDUCES),
    /** {@link io.aeroshmem.Collective#ALLGATHERV}. */
    ALLGATHERV("allgatherv", ShmemProperty.ALGORITHM_COLLECT, Counts.PAIRED, Blocks.ONE, Blocks.EACH),
    /** {@link io.aeroshmem.Collective#GATHER}. */
    GATHER("gather", ShmemProperty.ALGORITHM_COLLECT, Counts.EQUAL, Blocks.ONE, Blocks.EACH_AT_ROOT, Fact.ROOTED),
    /** {@link io.aeroshmem.Collective#GATHERV}. */
    GATHERV("gatherv", ShmemProperty.ALGORITHM_COLLECT, Counts.PAIRED, Blocks.ONE, Blocks.EACH_AT_ROOT, Fact.ROOTED),
    /** {@link io.aeroshmem.Collective#SCATTER}. */
    SCATTER("scatter", ShmemProperty.ALGORITHM_ALLTOALL, Counts.EQUAL, Blocks.EACH_AT_ROOT, Blocks.ONE, Fact.ROOTED),
    /** {@link io.aeroshmem.Collective#SCATTERV}. */
    SCATTERV(
        "scatterv", ShmemProperty.ALGORITHM_ALLTOALL, Counts.PAIRED, Blocks.EACH_AT_ROOT, Blocks.ONE, Fact.ROOTED),
    /** {@link io.aeroshmem.Collective#ALLTOALLV}. */
    ALLTOALLV("alltoallv", ShmemProperty.ALGORITHM_ALLTOALL, Counts.PAIRED, Blocks.EACH, Blocks.EACH);

    private final String methodName;
    private final ShmemProperty algorithmProperty;
    private final Counts counts;
    private final Blocks source;
    private final Blocks dest;
    private final boolean isRooted;
    private final boolean isReduction;

    Routine(
        final String methodName,
        final ShmemProperty algorithmProperty,
        final Counts counts,
        final Blocks source,
        final Blocks dest,
        final Fact... facts)
    {
        this.methodName = methodName;
        this.algorithmProperty = algorithmProperty;
        this.counts = counts;
        this.source = source;
        this.dest = dest;
        isRooted = List.of(facts).contains(Fact.ROOTED);
        isReduction = List.of(facts).contains(Fact.REDUCES);
    }

    /** Returns the routine that performs a request. */
    public static Routine of(final Collective collective)
    {
        return switch (collective)
        {
            case BARRIER -> SYNC;
            case ALLREDUCE -> REDUCE;
            case REDUCE -> ROOTED_REDUCE;
            case ALLGATHER -> FCOLLECT;
            default -> valueOf(collective.name());
        };
    }

    /** Returns whether the routine only synchronises, and moves no data. */
    public boolean isSynchronising()
    {
        return Counts.NONE == counts;
    }

    /** Returns whether blocks have counts of their own, not all of which every member knows. */
    public boolean isOfOwnCounts()
    {
        return Counts.OWN == counts || Counts.PAIRED == counts;
    }

    /** Returns whether sender and receiver of a block each specify its count, which other members do not know. */
    public boolean isOfPairedCounts()
    {
        return Counts.PAIRED == counts;
    }

    /** Returns whether a request specifies the counts of the blocks of source. */
    public boolean hasSourceCounts()
    {
        return Counts.PAIRED == counts && source.isOfMembers();
    }

    /** Returns whether a request specifies the counts of the blocks of dest, or of those that dest is one of. */
    public boolean hasDestCounts()
    {
        return Counts.PAIRED == counts ? dest.isOfMembers() : Counts.OWN == counts;
    }

    /** Returns what source consists of. */
    public Blocks source()
    {
        return source;
    }

    /** Returns what dest consists of. */
    public Blocks dest()
    {
        return dest;
    }

    /** Returns whether the call has a root. */
    public boolean isRooted()
    {
        return isRooted;
    }

    /** Returns whether the routine combines elements. */
    public boolean isReduction()
    {
        return isReduction;
    }

    /** Returns whether a member combines the elements of the members before it. */
    public boolean isScan()
    {
        return INCLUSIVE_SCAN == this || EXCLUSIVE_SCAN == this;
    }

    /** Returns whether all members have the same blocks, whose places peers may have to know. */
    boolean isOfSameBlocks()
    {
        return Counts.EQUAL == counts && !source.isAtRoot() && !dest.isAtRoot();
    }

    /** Returns the name of the method, such as {@code reduceScatter}. */
    public String methodName()
    {
        return methodName;
    }

    /** Returns the property that specifies the algorithm. Routines of one kind share one. */
    public ShmemProperty algorithmProperty()
    {
        return algorithmProperty;
    }

    /** Which lengths blocks have. */
    private enum Counts
    {
        /** There are no blocks. */
        NONE,
        /** All have one length. */
        EQUAL,
        /** Each has its own. */
        OWN,
        /** Each has its own, which only its sender and its receiver specify. */
        PAIRED
    }

    /** What a buffer consists of. */
    public enum Blocks
    {
        /** There is no buffer. */
        NONE,
        /** One block. */
        ONE,
        /** A block for each member, or from each. */
        EACH,
        /** One block, on the root only. */
        ONE_AT_ROOT,
        /** A block for each member, or from each, on the root only. */
        EACH_AT_ROOT;

        public boolean isOfMembers()
        {
            return EACH == this || EACH_AT_ROOT == this;
        }

        public boolean isAtRoot()
        {
            return ONE_AT_ROOT == this || EACH_AT_ROOT == this;
        }
    }

    private enum Fact
    {
        ROOTED, REDUCES
    }
}
