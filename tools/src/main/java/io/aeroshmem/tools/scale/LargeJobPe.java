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

import io.aeroshmem.collective.call.CollectCounts;
import io.aeroshmem.collective.selection.AlgorithmSelection;
import io.aeroshmem.collective.selection.AlgorithmSettings;
import io.aeroshmem.collective.selection.AlgorithmTable;
import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.StagingPool;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.Topology;
import io.aeroshmem.team.TeamDescriptor;
import io.aeroshmem.team.TeamSlots;
import io.aeroshmem.team.TeamSplit;
import io.aeroshmem.transport.endpoint.Endpoint;

import java.util.ArrayList;
import java.util.List;

/**
 * A PE of a {@link LargeJob}: what the library has for its team of all PEs, the call that it is in, and its clock. It
 * has no thread: the job polls the task of the call when a message has arrived.
 */
final class LargeJobPe
{
    private static final int MAX_TEAMS = 16;

    final LargeJob job;
    final int pe;
    final Endpoint endpoint;
    final TeamResources resources;
    final TeamSlots slots;
    final CallArguments call = new CallArguments();
    final CollectCounts counts;
    final long sourceAddress;
    final long destAddress;
    /** Of a split in progress, and the team that it has made; or null. */
    TeamSplit split;
    TeamDescriptor team;
    TeamResources teamResources;

    long clockNs;
    /** Time from which the next message to a PE of another host, or of the same host, may begin. */
    long networkFreeNs;
    long hostFreeNs;
    /** Length of the longest chain of messages of which this PE has received the last. */
    int rounds;
    long sent;
    long sentBytes;
    long received;

    private final AlgorithmSettings settings;
    private final AlgorithmSelection selection;
    private final StagingPool staging = new StagingPool();
    private Operation operation;
    private int stage;
    private CollectiveTask task;
    private final List<String> algorithms = new ArrayList<>();
    private Bound bound;
    private long doneNs;
    private int doneRounds;

    LargeJobPe(
        final LargeJob job,
        final int pe,
        final Endpoint endpoint,
        final AlgorithmSettings settings,
        final Topology topology,
        final int[] worldPes,
        final long[] areas)
    {
        this.job = job;
        this.pe = pe;
        this.endpoint = endpoint;
        this.settings = settings;
        resources = resources(topology, worldPes, pe, areas);
        selection = new AlgorithmSelection(resources, false);
        counts = new CollectCounts(resources);
        slots = new TeamSlots(endpoint, MAX_TEAMS);
        sourceAddress = job.address(pe, LargeJob.OPERANDS, LargeJob.SOURCE_OFFSET);
        destAddress = job.address(pe, LargeJob.OPERANDS, job.destOffset());
    }

    private TeamResources resources(
        final Topology topology, final int[] worldPes, final int myRank, final long[] areas)
    {
        return TeamResources.of(
            endpoint,
            settings::forced,
            staging,
            topology,
            AlgorithmTable.barrierSchedule(topology, settings, myRank),
            worldPes,
            myRank,
            areas);
    }

    /** Makes what the library has for a team that this PE has created. */
    void open(final TeamDescriptor made)
    {
        final int[] worldPes = made.membership().worldPes();
        team = made;
        teamResources =
            resources(new Topology(endpoint, worldPes), worldPes, made.membership().myRank(), made.areas());
    }

    /** Gives back what an operation has left. */
    void closeTeam()
    {
        if (null != team)
        {
            slots.giveBack(team.area());
        }

        split = null;
        team = null;
        teamResources = null;
    }

    /** Begins a call at time 0. */
    void begin(final Operation newOperation)
    {
        operation = newOperation;
        stage = 0;
        clockNs = 0;
        networkFreeNs = 0;
        hostFreeNs = 0;
        rounds = 0;
        sent = 0;
        sentBytes = 0;
        received = 0;
        algorithms.clear();
        bound = Bound.NONE;
        startStage();
        poll();
    }

    private void startStage()
    {
        task = null;
        if (operation.fill(this, stage++))
        {
            task = selection.task(call);
            if (0 == pe)
            {
                note(selection.algorithm(call));
            }

            resources.beginCall(call.signature());
            task.start(call);
        }
        else
        {
            doneNs = clockNs;
            doneRounds = rounds;
        }
    }

    private void note(final Algorithm algorithm)
    {
        algorithms.add(algorithm.propertyValue());
        bound = bound.plus(Bound.of(call.routine(), algorithm, job.pes(), job.hosts(), call.longestBlockBytes()));
    }

    /** Takes note of a message, which takes time to receive, and proceeds as far as possible. */
    void receive(final Message message, final long overheadNs)
    {
        clockNs = Math.max(clockNs, message.arrivalNs) + overheadNs;
        rounds = Math.max(rounds, message.rounds);
        poll();
    }

    private void poll()
    {
        int result = CollectiveTask.MOVED;
        while (null != task && CollectiveTask.WAITING != result)
        {
            result = task.poll();
            if (CollectiveTask.DONE == result)
            {
                startStage();
            }
        }
    }

    boolean isDone()
    {
        return null == task;
    }

    /** Returns the time at which the operation has ended here. */
    long doneNs()
    {
        return doneNs;
    }

    /** Returns the length of the longest chain of messages until the operation has ended here. */
    int doneRounds()
    {
        return doneRounds;
    }

    /** Returns the algorithms that were selected, and their bounds together; known of PE 0. */
    List<String> algorithms()
    {
        return algorithms;
    }

    Bound bound()
    {
        return bound;
    }
}
