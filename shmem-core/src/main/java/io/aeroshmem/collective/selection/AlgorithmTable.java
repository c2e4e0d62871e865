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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.algorithm.BarrierTask;
import io.aeroshmem.collective.algorithm.BinomialBroadcast;
import io.aeroshmem.collective.algorithm.BinomialReduce;
import io.aeroshmem.collective.algorithm.BinomialRootedReduce;
import io.aeroshmem.collective.algorithm.BruckAlltoall;
import io.aeroshmem.collective.algorithm.BruckCollect;
import io.aeroshmem.collective.algorithm.DirectBroadcast;
import io.aeroshmem.collective.algorithm.DirectReduce;
import io.aeroshmem.collective.algorithm.DirectReduceScatter;
import io.aeroshmem.collective.algorithm.DirectRootedReduce;
import io.aeroshmem.collective.algorithm.DirectScan;
import io.aeroshmem.collective.algorithm.FlatAlltoall;
import io.aeroshmem.collective.algorithm.FlatCollect;
import io.aeroshmem.collective.algorithm.FlatExchange;
import io.aeroshmem.collective.algorithm.FlatFanIn;
import io.aeroshmem.collective.algorithm.FlatFanOut;
import io.aeroshmem.collective.algorithm.FlatReduce;
import io.aeroshmem.collective.algorithm.FlatReduceScatter;
import io.aeroshmem.collective.algorithm.FlatScan;
import io.aeroshmem.collective.algorithm.PairwiseAlltoall;
import io.aeroshmem.collective.algorithm.PairwiseCollect;
import io.aeroshmem.collective.algorithm.PipelinedBroadcast;
import io.aeroshmem.collective.algorithm.RecursiveDoubling;
import io.aeroshmem.collective.algorithm.RecursiveDoublingScan;
import io.aeroshmem.collective.algorithm.TwoLevelBroadcast;
import io.aeroshmem.collective.algorithm.TwoLevelCollect;
import io.aeroshmem.collective.algorithm.TwoLevelReduce;
import io.aeroshmem.collective.algorithm.WorkStealingReduce;
import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.Topology;
import io.aeroshmem.sync.BarrierSchedule;

import java.util.ArrayList;
import java.util.List;

import static io.aeroshmem.collective.selection.AlgorithmRow.row;

/**
 * The table of algorithms: a call uses the first row of its routine that is eligible for the call, and preferred for
 * the team, for the size of the call, and for its kind (blocking call or request). All members of a team choose the
 * same row, because the choice depends only on facts that are the same on all of them. (It does not depend on the
 * number of processors, for example, because that may differ between hosts.) A property {@code aeroshmem.algorithm.…}
 * puts another algorithm first wherever that algorithm is eligible.
 */
public final class AlgorithmTable
{
    /**
     * Up to this many members, one round in which each member signals all others takes less time than several rounds,
     * in each of which a member waits for another that may be descheduled. Stores to that many lines overlap.
     */
    private static final int FLAT_MAPPED = 8;

    /** The same for members that exchange messages: with three members each sends two, as in two rounds. */
    private static final int FLAT_MESSAGES = 3;

    /** Between hosts, blocks of up to this many bytes, a few frames, go in slots; longer ones move faster in place. */
    private static final long TWO_LEVEL_BYTES = 8192;

    /** The same for a collection, in which the blocks of all members of a host go in the slots of its leader. */
    private static final long TWO_LEVEL_COLLECT_BYTES = 512;

    /** Up to this many members, the limits of blocks are those of measured jobs; above, of simulated ones. */
    private static final int SMALL = 16;

    /**
     * In a collection of more members, slots of larger blocks than this are used again and again, and their sender
     * waits for acknowledgements, for longer than it takes to put a block into the memory of each member
     * (docs/scale.md).
     */
    private static final long LARGE_COLLECT_BYTES = 128;

    /** Between hosts, a longer block is sooner put from member to member than it passes through slots. */
    private static final long LARGE_BROADCAST_BYTES = 512;

    /**
     * Larger teams than {@link #SMALL} and {@link #MEDIUM} reduce blocks of up to this many bytes by a tree through
     * slots: each member would read from each other, and write to each other.
     */
    private static final long LARGE_REDUCE_BYTES = 2048;
    private static final long LARGEST_REDUCE_BYTES = 8192;
    private static final int MEDIUM = 128;

    /** A member sends its block of a scan only to the ranks above it, so slots serve for longer ones than elsewhere. */
    private static final long FLAT_SCAN_BYTES = 512;

    /** A member reduces its part of a block of up to this many bytes sooner than it could share it. */
    private static final long UNSHARED_BYTES = 64 * 1024;

    private static final List<AlgorithmRow> ROWS = List.of(
        row(Routine.SYNC, Algorithm.TWO_LEVEL, BarrierTask::new).slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS),
        row(Routine.SYNC, Algorithm.FLAT, BarrierTask::new).slotsOnly().mapped().members(FLAT_MAPPED),
        row(Routine.SYNC, Algorithm.FLAT, BarrierTask::new).slotsOnly().members(FLAT_MESSAGES),
        row(Routine.SYNC, Algorithm.DISSEMINATION, BarrierTask::new).slotsOnly(),

        row(Routine.BROADCAST, Algorithm.TWO_LEVEL, TwoLevelBroadcast::new)
            .slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS).members(SMALL).bytes(TWO_LEVEL_BYTES),
        row(Routine.BROADCAST, Algorithm.TWO_LEVEL, TwoLevelBroadcast::new)
            .slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS).bytes(LARGE_BROADCAST_BYTES),
        row(Routine.BROADCAST, Algorithm.BINOMIAL, BinomialBroadcast::new).bytes(64).slotsOnly(),
        row(Routine.BROADCAST, Algorithm.DIRECT_READ, DirectBroadcast::new).mapped(),
        row(Routine.BROADCAST, Algorithm.BINOMIAL, BinomialBroadcast::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.BROADCAST, Algorithm.PIPELINED, PipelinedBroadcast::new),
        row(Routine.BROADCAST, Algorithm.BINOMIAL, BinomialBroadcast::new).slotsOnly(),

        row(Routine.FCOLLECT, Algorithm.TWO_LEVEL, TwoLevelCollect::new)
            .slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS).capacity(TWO_LEVEL_BYTES)
            .bytes(LARGE_COLLECT_BYTES),
        row(Routine.FCOLLECT, Algorithm.TWO_LEVEL, TwoLevelCollect::new)
            .slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS).capacity(TWO_LEVEL_BYTES)
            .members(SMALL).bytes(TWO_LEVEL_COLLECT_BYTES),
        row(Routine.FCOLLECT, Algorithm.FLAT, FlatCollect::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.FCOLLECT, Algorithm.FLAT, FlatCollect::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.FCOLLECT, Algorithm.BRUCK, BruckCollect::new).bytes(LARGE_COLLECT_BYTES).slotsOnly(),
        row(Routine.FCOLLECT, Algorithm.BRUCK, BruckCollect::new)
            .members(SMALL).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.FCOLLECT, Algorithm.PAIRWISE, PairwiseCollect::new),
        row(Routine.FCOLLECT, Algorithm.FLAT, FlatCollect::new).slotsOnly(),

        row(Routine.ALLTOALL, Algorithm.FLAT, FlatAlltoall::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.ALLTOALL, Algorithm.FLAT, FlatAlltoall::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.ALLTOALL, Algorithm.BRUCK, BruckAlltoall::new).capacity(1024).bytes(32).slotsOnly(),
        row(Routine.ALLTOALL, Algorithm.PAIRWISE, PairwiseAlltoall::new),
        row(Routine.ALLTOALL, Algorithm.FLAT, FlatAlltoall::new).slotsOnly(),

        row(Routine.ALLTOALLS, Algorithm.FLAT, FlatAlltoall::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.ALLTOALLS, Algorithm.FLAT, FlatAlltoall::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.ALLTOALLS, Algorithm.BRUCK, BruckAlltoall::new).capacity(1024).bytes(32).slotsOnly(),
        row(Routine.ALLTOALLS, Algorithm.PAIRWISE, PairwiseAlltoall::new),
        row(Routine.ALLTOALLS, Algorithm.FLAT, FlatAlltoall::new).slotsOnly(),

        row(Routine.REDUCE, Algorithm.TWO_LEVEL, TwoLevelReduce::new)
            .slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS).reorderingUnless(TopologyPredicate.ALIGNED_HOSTS)
            .members(SMALL).bytes(TWO_LEVEL_BYTES),
        row(Routine.REDUCE, Algorithm.TWO_LEVEL, TwoLevelReduce::new)
            .slotsOnly().needs(TopologyPredicate.SEVERAL_HOSTS).reorderingUnless(TopologyPredicate.ALIGNED_HOSTS)
            .bytes(LARGE_REDUCE_BYTES),
        row(Routine.REDUCE, Algorithm.FLAT, FlatReduce::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.REDUCE, Algorithm.FLAT, FlatReduce::new)
            .members(FLAT_MESSAGES).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.REDUCE, Algorithm.RECURSIVE_DOUBLING, RecursiveDoubling::new)
            .reorderingUnless(TopologyPredicate.POWER_OF_TWO).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.REDUCE, Algorithm.BINOMIAL, BinomialReduce::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.REDUCE, Algorithm.DIRECT_READ, DirectReduce::new).mapped().bytes(UNSHARED_BYTES),
        row(Routine.REDUCE, Algorithm.DIRECT_READ, DirectReduce::new).members(SMALL).bytes(UNSHARED_BYTES),
        row(Routine.REDUCE, Algorithm.BINOMIAL, BinomialReduce::new).bytes(LARGE_REDUCE_BYTES).slotsOnly(),
        row(Routine.REDUCE, Algorithm.DIRECT_READ, DirectReduce::new).members(MEDIUM).bytes(UNSHARED_BYTES),
        row(Routine.REDUCE, Algorithm.BINOMIAL, BinomialReduce::new).bytes(LARGEST_REDUCE_BYTES).slotsOnly(),
        row(Routine.REDUCE, Algorithm.DIRECT_READ, DirectReduce::new).bytes(UNSHARED_BYTES),
        row(Routine.REDUCE, Algorithm.WORK_STEALING, WorkStealingReduce::new)
            .needs(TopologyPredicate.MAPPED).requests(),
        row(Routine.REDUCE, Algorithm.DIRECT_READ, DirectReduce::new),
        row(Routine.REDUCE, Algorithm.FLAT, FlatReduce::new).slotsOnly(),

        row(Routine.REDUCE_SCATTER, Algorithm.FLAT, FlatReduceScatter::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.REDUCE_SCATTER, Algorithm.DIRECT_READ, DirectReduceScatter::new),
        row(Routine.REDUCE_SCATTER, Algorithm.FLAT, FlatReduceScatter::new).slotsOnly(),

        row(Routine.INCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.INCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .members(FLAT_MESSAGES).bytes(FLAT_SCAN_BYTES).slotsOnly(),
        row(Routine.INCLUSIVE_SCAN, Algorithm.RECURSIVE_DOUBLING, RecursiveDoublingScan::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.INCLUSIVE_SCAN, Algorithm.DIRECT_READ, DirectScan::new),
        row(Routine.INCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new).slotsOnly(),

        row(Routine.EXCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .mapped().members(FLAT_MAPPED).bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new)
            .members(FLAT_MESSAGES).bytes(FLAT_SCAN_BYTES).slotsOnly(),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.RECURSIVE_DOUBLING, RecursiveDoublingScan::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.DIRECT_READ, DirectScan::new),
        row(Routine.EXCLUSIVE_SCAN, Algorithm.FLAT, FlatScan::new).slotsOnly(),

        row(Routine.FAN_IN, Algorithm.FLAT, FlatFanIn::new).slotsOnly(),
        row(Routine.FAN_OUT, Algorithm.FLAT, FlatFanOut::new).slotsOnly(),

        row(Routine.ROOTED_REDUCE, Algorithm.BINOMIAL, BinomialRootedReduce::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.ROOTED_REDUCE, Algorithm.DIRECT_READ, DirectRootedReduce::new),
        row(Routine.ROOTED_REDUCE, Algorithm.BINOMIAL, BinomialRootedReduce::new).slotsOnly(),

        row(Routine.REDUCE_SCATTERV, Algorithm.FLAT, FlatReduceScatter::new)
            .bytes(TeamAreaDescriptor.SLOT_PAYLOAD).slotsOnly(),
        row(Routine.REDUCE_SCATTERV, Algorithm.DIRECT_READ, DirectReduceScatter::new),
        row(Routine.REDUCE_SCATTERV, Algorithm.FLAT, FlatReduceScatter::new).slotsOnly(),

        row(Routine.ALLGATHERV, Algorithm.FLAT, FlatExchange::new),
        row(Routine.GATHER, Algorithm.FLAT, FlatExchange::new),
        row(Routine.GATHERV, Algorithm.FLAT, FlatExchange::new),
        row(Routine.SCATTER, Algorithm.FLAT, FlatExchange::new),
        row(Routine.SCATTERV, Algorithm.FLAT, FlatExchange::new),
        row(Routine.ALLTOALLV, Algorithm.FLAT, FlatExchange::new));

    /*
     * The table declares the conditions of a row in this way:
     * - needs, capacity and reorderingUnless restrict the calls that the row is eligible for.
     * - slotsOnly specifies that all data goes through slots of the PeerMailboxes. So the row is also eligible for
     *   calls on private memory, which peers cannot access: scalars and internal exchanges.
     * - mapped, members, bytes and requests restrict the calls that the row is preferred for.
     * The last row of each routine is eligible and preferred for all calls of that routine. So it is slotsOnly if the
     * routine may be called on private memory. Routines that only requests offer are never called on private memory, so
     * their last row need not be slotsOnly.
     */
    private AlgorithmTable()
    {
    }

    /** Returns all rows, in order; immutable. */
    public static List<AlgorithmRow> rows()
    {
        return ROWS;
    }

    /**
     * Returns the rows that a team may choose from; the first one that serves a call is used.
     *
     * @param forced    algorithm that precedes all others, or null.
     * @param isRequest whether the calls are requests.
     * @return empty if the routine has no algorithm; otherwise the last element serves all calls.
     */
    public static AlgorithmChoice[] choices(
        final Routine routine, final Topology topology, final Algorithm forced, final boolean isRequest)
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
            if (row.routine() == routine && row.isEligibleIn(topology) && row.isPreferredIn(topology, isRequest))
            {
                rows.add(row);
            }
        }

        return rows.stream().map((row) -> new AlgorithmChoice(row, topology)).toArray(AlgorithmChoice[]::new);
    }

    /** Returns the schedule that the table selects for the barrier of a team. */
    public static BarrierSchedule barrierSchedule(
        final Topology topology, final AlgorithmSettings settings, final int myRank)
    {
        final int size = topology.size();
        return switch (choices(Routine.SYNC, topology, settings.forced(Routine.SYNC), false)[0].algorithm())
        {
            case FLAT -> BarrierSchedule.flat(size, myRank);
            case TWO_LEVEL -> BarrierSchedule.twoLevel(
                topology.leaders(), topology.membersOf(topology.hostOf(myRank)), myRank);
            default -> BarrierSchedule.dissemination(size, myRank);
        };
    }
}
