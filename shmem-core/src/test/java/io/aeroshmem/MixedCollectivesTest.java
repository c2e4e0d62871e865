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
package io.aeroshmem;

import io.aeroshmem.collective.selection.AlgorithmRow;
import io.aeroshmem.collective.selection.AlgorithmTable;
import io.aeroshmem.collective.task.Algorithm;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Collectives on device memory and mixed kinds of memory give the same bits as on the host, in jobs without a device.
 * Few jobs have each pair of properties of a job, of the memory of the operands, and of the teams.
 */
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class MixedCollectivesTest
{
    private enum Kinds
    {
        HOST, DEVICE, TO_DEVICE, TO_HOST, BY_PE, BY_PE_TO_DEVICE, ALL;

        boolean isSourceDevice(final int pe)
        {
            switch (this)
            {
                case DEVICE:
                case TO_HOST:
                    return true;

                case BY_PE:
                case BY_PE_TO_DEVICE:
                    return 0 == pe % 2;

                case ALL:
                    return 0 != (pe + 1 & 1);

                default:
                    return false;
            }
        }

        boolean isDestDevice(final int pe)
        {
            switch (this)
            {
                case DEVICE:
                case TO_DEVICE:
                case BY_PE_TO_DEVICE:
                    return true;

                case BY_PE:
                    return 0 == pe % 2;

                case ALL:
                    return 0 != (pe + 1 & 2);

                default:
                    return false;
            }
        }
    }

    private interface Calls
    {
        List<MixedCall> of(int size, int me);
    }

    /** Memory of the operands, teams and forms of calls, within a job. */
    private record Phase(Kinds kinds, Membership membership, boolean isRequests)
    {
        boolean isReversed()
        {
            return Membership.REVERSED == membership;
        }

        /** The calls by one member: of many lengths with device memory only, elsewhere of few. */
        List<MixedCall> calls(final int size, final int me)
        {
            final Calls calls = Kinds.DEVICE == kinds ? isRequests ? MixedCalls::requests : MixedCalls::blocking :
                isRequests ? MixedCalls::requestsFew : MixedCalls::blockingFew;
            return calls.of(size, me);
        }

        String list()
        {
            return (Kinds.DEVICE == kinds ? "many " : "few ") + (isRequests ? "requests" : "calls") +
                (isReversed() ? ", reversed" : "");
        }
    }

    /** The blocks of synchronised teams move between two barriers, those of teams with other orderings by tag. */
    private enum Membership
    {
        WORLD(null, null),
        REVERSED(null, null),
        POST_ORDERED(Ordering.POST_ORDERED, Synchronization.SYNCHRONIZED),
        INIT_AND_POST_ORDERED(Ordering.INIT_AND_POST_ORDERED, Synchronization.SYNCHRONIZED),
        INIT_ORDERED(Ordering.INIT_ORDERED, Synchronization.NON_SYNCHRONIZED),
        POST_UNORDERED(Ordering.POST_UNORDERED, Synchronization.SYNCHRONIZED),
        INIT_UNORDERED(Ordering.INIT_UNORDERED, Synchronization.NON_SYNCHRONIZED),
        INIT_AND_POST_UNORDERED(Ordering.INIT_AND_POST_UNORDERED, Synchronization.NON_SYNCHRONIZED);

        private final Ordering ordering;
        private final Synchronization synchronization;

        Membership(final Ordering ordering, final Synchronization synchronization)
        {
            this.ordering = ordering;
            this.synchronization = synchronization;
        }

        Team team(final Shmem shmem)
        {
            if (WORLD == this)
            {
                return shmem.world();
            }

            if (REVERSED == this)
            {
                return shmem.world().splitStrided(shmem.nPes() - 1, -1, shmem.nPes());
            }

            try (TeamCreation creation = shmem.createTeam(
                new TeamParams().ordering(ordering).synchronization(synchronization)))
            {
                while (!creation.poll())
                {
                    Thread.yield();
                }

                return creation.team();
            }
        }
    }

    /** Of a property; the table's own choice is one more. */
    private static final int MAX_ALGORITHMS = 6;
    /** By the last part of the name of the property that chooses one. */
    private static final Map<String, Set<Algorithm>> ALGORITHMS = AlgorithmTable.rows().stream().collect(
        Collectors.groupingBy(MixedCollectivesTest::name, Collectors.mapping(
            AlgorithmRow::algorithm, Collectors.toCollection(TreeSet::new))));
    private static final TransportKind[] TRANSPORTS = {TransportKind.MAPPED, TransportKind.IPC, TransportKind.UDP};
    private static final Map<String, Map<String, byte[]>> ON_HOST = new ConcurrentHashMap<>();

    /** A job and the phases that it runs. PEs of several hosts are numbered host by host, or in turn. */
    private record DeviceJob(
        int nPes,
        TransportKind transport,
        boolean isOwnerOnly,
        boolean isChecked,
        int hosts,
        int algorithms,
        List<Phase> phases)
    {
        /** All that is possible. Device memory of another host is reached through its owner only. */
        static List<int[]> allJobs()
        {
            return CoveringArray.product(5, 3, 2, 2, 3, MAX_ALGORITHMS + 1).stream()
                .filter((row) -> 0 == row[4] || 1 == row[2] && row[0] + 1 >= 3 + row[4])
                .filter((row) -> 0 != row[0] || 0 == row[1] && 0 == row[5])
                .toList();
        }

        static List<int[]> allPhases(final List<int[]> jobs)
        {
            final List<int[]> rows = new ArrayList<>();
            for (final int[] job : jobs)
            {
                for (final int[] phase : CoveringArray.product(Kinds.values().length, Membership.values().length, 2))
                {
                    rows.add(CoveringArray.join(job, phase));
                }
            }

            return rows;
        }

        static List<int[]> rows()
        {
            return CoveringArray.cover(allPhases(CoveringArray.cover(allJobs())));
        }

        static List<DeviceJob> jobs()
        {
            final Map<DeviceJob, List<Phase>> phases = new LinkedHashMap<>();
            for (final int[] row : rows())
            {
                final DeviceJob job = new DeviceJob(
                    row[0] + 1, TRANSPORTS[row[1]], 1 == row[2], 1 == row[3], row[4] + 1, row[5], List.of());
                phases.computeIfAbsent(job, (key) -> new ArrayList<>())
                    .add(new Phase(Kinds.values()[row[6]], Membership.values()[row[7]], 1 == row[8]));
            }

            return phases.entrySet().stream().map((entry) -> entry.getKey().with(entry.getValue())).toList();
        }

        private DeviceJob with(final List<Phase> its)
        {
            return new DeviceJob(nPes, transport, isOwnerOnly, isChecked, hosts, algorithms, its);
        }

        void configure(final Shmem.Context config, final int pe)
        {
            config.heapSize(4 << 20).checkCollectives(isChecked);
            config.nodeName("host" + (3 == hosts ? pe % hosts : pe * hosts / nPes));
            config.transport(1 == hosts || TransportKind.MAPPED != transport ? transport : TransportKind.AUTO);
            if (algorithms > 0)
            {
                ALGORITHMS.forEach((name, its) ->
                {
                    final int which = (algorithms + name.length()) % MAX_ALGORITHMS;
                    if (which < its.size())
                    {
                        config.algorithm(name, List.copyOf(its).get(which).propertyValue());
                    }
                });
            }
        }

        void run(final PeTask task) throws Exception
        {
            LocalJobs.runEach(nPes, this::configure, task);
        }
    }

    private static String name(final AlgorithmRow row)
    {
        final String property = row.routine().algorithmProperty().propertyName();
        return property.substring(property.lastIndexOf('.') + 1);
    }

    static List<DeviceJob> fewJobs()
    {
        return jobs(true);
    }

    static List<DeviceJob> otherJobs()
    {
        return jobs(false);
    }

    private static List<DeviceJob> jobs(final boolean isOfFew)
    {
        final List<DeviceJob> jobs = DeviceJob.jobs();
        return IntStream.range(0, jobs.size()).filter((i) -> isOfFew == (0 == i % 4)).mapToObj(jobs::get).toList();
    }

    @ParameterizedTest
    @MethodSource("fewJobs")
    @Tag("ci")
    void shouldPerformCalls(final DeviceJob job) throws Exception
    {
        perform(job);
    }

    @Tag("ci")
    @ParameterizedTest
    @MethodSource("otherJobs")
    void shouldPerformCallsInOtherJobs(final DeviceJob job) throws Exception
    {
        perform(job);
    }

    @Test
    void shouldCoverAllPairsOfProperties()
    {
        final List<int[]> rows = DeviceJob.rows();
        final BitSet missing = CoveringArray.pairs(DeviceJob.allPhases(DeviceJob.allJobs()));
        assertTrue(missing.cardinality() > 400, missing::toString);
        missing.andNot(CoveringArray.pairs(rows));
        ALGORITHMS.forEach((name, its) -> assertTrue(its.size() <= MAX_ALGORITHMS, name));
        assertEquals(0, missing.cardinality(), "pairs in no job");
        assertEquals(rows.size(), DeviceJob.jobs().stream().mapToInt((job) -> job.phases().size()).sum());
    }

    private static Map<String, byte[]> onHost(final int npes, final Phase phase)
    {
        return ON_HOST.computeIfAbsent(npes + " PEs, " + phase.list(), (key) ->
        {
            final Map<String, byte[]> results = new ConcurrentHashMap<>();
            final Shmem.Context config = LocalJobs.config().heapSize(4 << 20);
            try
            {
                Shmem.runLocal(npes, config, (shmem) ->
                {
                    final Team team = (phase.isReversed() ? Membership.REVERSED : Membership.WORLD).team(shmem);
                    final MixedMemory memory = new MixedMemory(shmem, null);
                    shmem.barrierAll();
                    final List<MixedCall> list = phase.calls(team.nPes(), team.myPe());
                    for (int i = 0; i < list.size(); i++)
                    {
                        results.put(shmem.myPe() + ": " + i, memory.perform(list.get(i), i, team, false, false));
                    }

                    shmem.barrierAll();
                });
            }
            catch (final Exception ex)
            {
                throw new AssertionError(key, ex);
            }

            return results;
        });
    }

    /** Every second team is older than the device. */
    private static void perform(final DeviceJob job) throws Exception
    {
        job.phases().forEach((phase) -> onHost(job.nPes(), phase));
        job.run((shmem) ->
        {
            final Team[] teams = new Team[job.phases().size()];
            make(teams, 0, job, shmem);
            final FakeDevice device = FakeDevice.attach(shmem, job.isOwnerOnly());
            make(teams, 1, job, shmem);
            final MixedMemory memory = new MixedMemory(shmem, device);
            shmem.barrierAll();
            for (int i = 0; i < teams.length; i++)
            {
                perform(job, job.phases().get(i), teams[i], shmem.myPe(), memory);
            }

            shmem.barrierAll();
        });
    }

    private static void make(final Team[] teams, final int first, final DeviceJob job, final Shmem shmem)
    {
        for (int i = first; i < teams.length; i += 2)
        {
            teams[i] = job.phases().get(i).membership().team(shmem);
        }
    }

    private static void perform(
        final DeviceJob job, final Phase phase, final Team team, final int me, final MixedMemory memory)
    {
        final Map<String, byte[]> expected = onHost(job.nPes(), phase);
        final List<MixedCall> list = phase.calls(team.nPes(), team.myPe());
        for (int i = 0; i < list.size(); i++)
        {
            final String text = "PE " + me + ", " + phase + ", " + list.get(i).name();
            try
            {
                MixedMemory.assertSame(expected.get(me + ": " + i), memory.perform(
                    list.get(i), i, team, phase.kinds().isSourceDevice(me), phase.kinds().isDestDevice(me)), text);
            }
            catch (final RuntimeException ex)
            {
                throw new AssertionError(text + ": " + ex, ex);
            }
        }
    }
}
