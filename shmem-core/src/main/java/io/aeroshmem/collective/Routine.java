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
package io.aeroshmem.collective;

import io.aeroshmem.config.ShmemProperty;

/**
 * The collective routines of a team.
 */
public enum Routine
{
    /** {@link io.aeroshmem.Team#barrier()}: completes what the PE has issued, then does what {@link #SYNC} does. */
    BARRIER("barrier", ShmemProperty.ALGORITHM_BARRIER, Form.SYNCHRONISES),
    /** {@link io.aeroshmem.Team#sync()}. */
    SYNC("sync", ShmemProperty.ALGORITHM_BARRIER, Form.SYNCHRONISES),
    /** {@link io.aeroshmem.Team#broadcast}. */
    BROADCAST("broadcast", ShmemProperty.ALGORITHM_BROADCAST),
    /** {@link io.aeroshmem.Team#collect}: exchanges the counts, then does what {@link #FCOLLECT} does. */
    COLLECT("collect", ShmemProperty.ALGORITHM_COLLECT, Form.OWN_COUNTS),
    /** {@link io.aeroshmem.Team#fcollect}. */
    FCOLLECT("fcollect", ShmemProperty.ALGORITHM_COLLECT),
    /** {@link io.aeroshmem.Team#alltoall}. */
    ALLTOALL("alltoall", ShmemProperty.ALGORITHM_ALLTOALL),
    /** {@link io.aeroshmem.Team#alltoalls}. */
    ALLTOALLS("alltoalls", ShmemProperty.ALGORITHM_ALLTOALLS),
    /** {@link io.aeroshmem.Team#reduce}. */
    REDUCE("reduce", ShmemProperty.ALGORITHM_REDUCE),
    /** {@link io.aeroshmem.Team#reduceScatter}. */
    REDUCE_SCATTER("reduceScatter", ShmemProperty.ALGORITHM_REDUCE_SCATTER),
    /** {@link io.aeroshmem.Team#inclusiveScan}. */
    INCLUSIVE_SCAN("inclusiveScan", ShmemProperty.ALGORITHM_SCAN),
    /** {@link io.aeroshmem.Team#exclusiveScan}. */
    EXCLUSIVE_SCAN("exclusiveScan", ShmemProperty.ALGORITHM_SCAN),
    /** {@link io.aeroshmem.Collective#FAN_IN}. This and the following ones are requests only. */
    FAN_IN("fanIn", ShmemProperty.ALGORITHM_BARRIER, Form.SYNCHRONISES),
    /** {@link io.aeroshmem.Collective#FAN_OUT}. */
    FAN_OUT("fanOut", ShmemProperty.ALGORITHM_BARRIER, Form.SYNCHRONISES),
    /** {@link io.aeroshmem.Collective#REDUCE}. */
    ROOTED_REDUCE("rootedReduce", ShmemProperty.ALGORITHM_REDUCE),
    /** {@link io.aeroshmem.Collective#REDUCE_SCATTERV}. */
    REDUCE_SCATTERV("reduceScatterv", ShmemProperty.ALGORITHM_REDUCE_SCATTER, Form.OWN_COUNTS),
    /** {@link io.aeroshmem.Collective#ALLGATHERV}. */
    ALLGATHERV("allgatherv", ShmemProperty.ALGORITHM_COLLECT, Form.PAIRED_COUNTS),
    /** {@link io.aeroshmem.Collective#GATHER}. */
    GATHER("gather", ShmemProperty.ALGORITHM_COLLECT),
    /** {@link io.aeroshmem.Collective#GATHERV}. */
    GATHERV("gatherv", ShmemProperty.ALGORITHM_COLLECT, Form.PAIRED_COUNTS),
    /** {@link io.aeroshmem.Collective#SCATTER}. */
    SCATTER("scatter", ShmemProperty.ALGORITHM_ALLTOALL),
    /** {@link io.aeroshmem.Collective#SCATTERV}. */
    SCATTERV("scatterv", ShmemProperty.ALGORITHM_ALLTOALL, Form.PAIRED_COUNTS),
    /** {@link io.aeroshmem.Collective#ALLTOALLV}. */
    ALLTOALLV("alltoallv", ShmemProperty.ALGORITHM_ALLTOALL, Form.PAIRED_COUNTS);

    private final String methodName;
    private final ShmemProperty algorithmProperty;
    private final boolean isSynchronising;
    private final boolean isOfOwnCounts;
    private final boolean isOfPairedCounts;

    Routine(final String methodName, final ShmemProperty algorithmProperty)
    {
        this(methodName, algorithmProperty, Form.EQUAL_COUNTS);
    }

    Routine(final String methodName, final ShmemProperty algorithmProperty, final Form form)
    {
        this.methodName = methodName;
        this.algorithmProperty = algorithmProperty;
        isSynchronising = Form.SYNCHRONISES == form;
        isOfPairedCounts = Form.PAIRED_COUNTS == form;
        isOfOwnCounts = isOfPairedCounts || Form.OWN_COUNTS == form;
    }

    /** Returns whether the routine only synchronises, and moves no data. */
    public boolean isSynchronising()
    {
        return isSynchronising;
    }

    /** Returns whether blocks have counts of their own, not all of which every member knows. */
    public boolean isOfOwnCounts()
    {
        return isOfOwnCounts;
    }

    /** Returns whether sender and receiver of a block each specify its count, which other members do not know. */
    boolean isOfPairedCounts()
    {
        return isOfPairedCounts;
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

    private enum Form
    {
        SYNCHRONISES, EQUAL_COUNTS, OWN_COUNTS, PAIRED_COUNTS
    }
}
