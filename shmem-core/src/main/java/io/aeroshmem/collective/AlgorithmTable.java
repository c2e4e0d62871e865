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

import io.aeroshmem.collective.algorithm.BarrierMachine;
import io.aeroshmem.collective.algorithm.BinomialBroadcast;
import io.aeroshmem.collective.algorithm.BinomialReduce;
import io.aeroshmem.collective.algorithm.BruckAlltoall;
import io.aeroshmem.collective.algorithm.BruckCollect;
import io.aeroshmem.collective.algorithm.DirectBroadcast;
import io.aeroshmem.collective.algorithm.DirectReduce;
import io.aeroshmem.collective.algorithm.DirectReduceScatter;
import io.aeroshmem.collective.algorithm.DirectScan;
import io.aeroshmem.collective.algorithm.FlatAlltoall;
import io.aeroshmem.collective.algorithm.FlatCollect;
import io.aeroshmem.collective.algorithm.FlatReduce;
import io.aeroshmem.collective.algorithm.FlatReduceScatter;
import io.aeroshmem.collective.algorithm.FlatScan;
import io.aeroshmem.collective.algorithm.PairwiseAlltoall;
import io.aeroshmem.collective.algorithm.PairwiseCollect;
import io.aeroshmem.collective.algorithm.PipelinedBroadcast;
import io.aeroshmem.collective.algorithm.RecursiveDoubling;
import io.aeroshmem.collective.algorithm.RecursiveDoublingScan;
import io.aeroshmem.collective.algorithm.RingCollect;
import io.aeroshmem.collective.algorithm.RingReduce;
import io.aeroshmem.collective.algorithm.TwoLevelBroadcast;
import io.aeroshmem.collective.algorithm.TwoLevelReduce;

import java.util.ArrayList;
import java.util.List;

import static io.aeroshmem.collective.AlgorithmRow.row;

/**
 * Which algorithm performs a call: the first row of the routine that is eligible for the call and preferred for its
 * size and the team. All members of a team come to the same row, as it depends on nothing that they do not know alike:
 * whether a host has a processor for each of its PEs, say, is none of that. A property {@code aeroshmem.algorithm.…}
 * puts another algorithm first wherever it is eligible.
 * <p>
 * What makes a row eligible: {@code cellsOnly} (also for internal calls, whose blocks peers cannot touch), {@code
 * needs}, {@code capacity}, {@code reordering} and {@code reorderingUnless}. What it is preferred for: {@code mapped}
 * or {@code in}, {@code members} and {@code bytes}, both upper bounds. The last row of each routine is eligible for and
 * prefers everything.
 */
public final class AlgorithmTable
{
    /**
     * Up to so many members one round, in which each tells all others, takes less time than several rounds, in each of
     * which a member waits for one that may not have a processor just then. Stores to so many lines overlap.
     */
    private static final int FLAT_MAPPED = 8;

    /**
     * The same where members tell each other by messages: of three members each sends two, as in two rounds.
     */
    private static final int FLAT_MESSAGES = 3;

    /**
     * Between hosts blocks of up to so many bytes, a few frames, go in cells; longer ones are better moved in place.
     */
    private static final long TWO_LEVEL_BYTES = 8192;

    private static final List<AlgorithmRow> ROWS = List.of(
        row(Routine.SYNC, Algorithm.TWO_LEVEL, BarrierMachine::new).cellsOnly().needs(TeamShape.SEVERAL_HOSTS),
        row(Routine.SYNC, Algorithm.FLAT, BarrierMachine::new).cellsOnly().mapped().members(FLAT_MAPPED),
        row(Routine.SYNC, Algorithm.FLAT, BarrierMachine::new).cellsOnly().members(FLAT_MESSAGES),
        row(Routine.SYNC, Algorithm.DISSEMINATION, BarrierMachine::new).cellsOnly(),

        row(Routine.BROADCAST, Algorithm.TWO_LEVEL, TwoLevelBroadcast::new)
            .cellsOnly().needs(TeamShape.SEVERAL_HOSTS).bytes(TWO_LEVEL_BYTES),
        row(Routine.BROADCAST, Algorithm.BINOMIAL, BinomialBroadcast::new).bytes(64).cellsOnly(),
        row(Routine.BROADCAST, Algorithm.DIRECT_READ, DirectBroadcast::new).mapped(),
        row(Routine.BROADCAST, Algorithm.BINOMIAL, BinomialBroadcast::new)
            .bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.BROADCAST, Algorithm.PIPELINED, PipelinedBroadcast::new),
        row(Routine.BROADCAST, Algorithm.BINOMIAL, BinomialBroadcast::new).cellsOnly(),

        row(Routine.FCOLLECT, Algorithm.FLAT, FlatCollect::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.FCOLLECT, Algorithm.FLAT, FlatCollect::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.FCOLLECT, Algorithm.BRUCK, BruckCollect::new).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.FCOLLECT, Algorithm.PAIRWISE, PairwiseCollect::new),
        row(Routine.FCOLLECT, Algorithm.RING, RingCollect::new),
        row(Routine.FCOLLECT, Algorithm.FLAT, FlatCollect::new).cellsOnly(),

        row(Routine.ALLTOALL, Algorithm.FLAT, FlatAlltoall::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.ALLTOALL, Algorithm.FLAT, FlatAlltoall::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.ALLTOALL, Algorithm.BRUCK, BruckAlltoall::new).capacity(1024).bytes(32).cellsOnly(),
        row(Routine.ALLTOALL, Algorithm.PAIRWISE, PairwiseAlltoall::new),
        row(Routine.ALLTOALL, Algorithm.FLAT, FlatAlltoall::new).cellsOnly(),

        row(Routine.ALLTOALLS, Algorithm.FLAT, FlatAlltoall::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.ALLTOALLS, Algorithm.FLAT, FlatAlltoall::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.ALLTOALLS, Algorithm.BRUCK, BruckAlltoall::new).capacity(1024).bytes(32).cellsOnly(),
        row(Routine.ALLTOALLS, Algorithm.PAIRWISE, PairwiseAlltoall::new),
        row(Routine.ALLTOALLS, Algorithm.FLAT, FlatAlltoall::new).cellsOnly(),

        row(Routine.REDUCE, Algorithm.TWO_LEVEL, TwoLevelReduce::new)
            .cellsOnly().needs(TeamShape.SEVERAL_HOSTS).reorderingUnless(TeamShape.ALIGNED_HOSTS)
            .bytes(TWO_LEVEL_BYTES),
        row(Routine.REDUCE, Algorithm.FLAT, FlatReduce::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.REDUCE, Algorithm.FLAT, FlatReduce::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.REDUCE, Algorithm.RECURSIVE_DOUBLING, RecursiveDoubling::new)
            .reorderingUnless(TeamShape.POWER_OF_TWO).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.REDUCE, Algorithm.BINOMIAL, BinomialReduce::new)
            .bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.REDUCE, Algorithm.DIRECT_READ, DirectReduce::new),
        row(Routine.REDUCE, Algorithm.RING, RingReduce::new).reordering(),
        row(Routine.REDUCE, Algorithm.FLAT, FlatReduce::new).cellsOnly(),

        row(Routine.REDUCE_SCATTER, Algorithm.FLAT, FlatReduceScatter::new)
            .bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.REDUCE_SCATTER, Algorithm.DIRECT_READ, DirectReduceScatter::new),
        row(Routine.REDUCE_SCATTER, Algorithm.FLAT, FlatReduceScatter::new).cellsOnly(),

        row(Routine.INCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.INCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.INCLUSIVE_SCAN, Algorithm.RECURSIVE_DOUBLING, RecursiveDoublingScan::new)
            .bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.INCLUSIVE_SCAN, Algorithm.DIRECT_READ, DirectScan::new),
        row(Routine.INCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new).cellsOnly(),

        row(Routine.EXCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.RECURSIVE_DOUBLING, RecursiveDoublingScan::new)
            .bytes(TeamAreaDescriptor.CELL_PAYLOAD).cellsOnly(),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.DIRECT_READ, DirectScan::new),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new).cellsOnly());

    private AlgorithmTable()
    {
    }

    /**
     * All rows, in order.
     *
     * @return never changed.
     */
    public static List<AlgorithmRow> rows()
    {
        return ROWS;
    }

    /**
     * What a team may choose from, whatever the call; it is the first one that serves the call.
     *
     * @param routine  of the calls.
     * @param topology of the team.
     * @param forced   algorithm that comes before all others, or null.
     * @return empty if the routine has no algorithm; else the last one serves all calls.
     */
    static AlgorithmChoice[] choices(final Routine routine, final Topology topology, final Algorithm forced)
    {
        final List<AlgorithmRow> rows = new ArrayList<>();
        for (final AlgorithmRow row : ROWS)
        {
            if (row.routine() == routine && row.algorithm() == forced && row.isEligibleIn(topology))
            {
                rows.add(row.everywhere());
            }
        }

        for (final AlgorithmRow row : ROWS)
        {
            if (row.routine() == routine && row.isEligibleIn(topology) && row.isPreferredIn(topology))
            {
                rows.add(row);
            }
        }

        return rows.stream().map((row) -> new AlgorithmChoice(row, topology)).toArray(AlgorithmChoice[]::new);
    }
}
