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

import io.aeroshmem.collective.Algorithm;
import io.aeroshmem.collective.AlgorithmRow;
import io.aeroshmem.collective.AlgorithmTable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Collectives on device memory and mixed kinds of memory give the same bits as on the host, in a job without a device.
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

    private interface Teams
    {
        Team of(Shmem shmem);
    }

    private interface Job
    {
        void run(PeTask task) throws Exception;
    }

    private static Shmem.Context config(final TransportKind transport)
    {
        return LocalJobs.config().heapSize(8 << 20).transport(transport);
    }

    private static Map<String, byte[]> onHost(final int npes, final Calls calls, final Teams teams) throws Exception
    {
        final Map<String, byte[]> results = new ConcurrentHashMap<>();
        Shmem.runLocal(npes, config(TransportKind.MAPPED), (shmem) ->
        {
            final Team team = teams.of(shmem);
            final MixedMemory memory = new MixedMemory(shmem, null);
            shmem.barrierAll();
            final List<MixedCall> list = calls.of(team.nPes(), team.myPe());
            for (int i = 0; i < list.size(); i++)
            {
                results.put(shmem.myPe() + ": " + i, memory.perform(list.get(i), i, team, false, false));
            }

            shmem.barrierAll();
        });
        return results;
    }

    private static void onDevice(
        final int npes, final Shmem.Context config, final boolean isOwnerOnly, final Calls calls, final Teams teams)
        throws Exception
    {
        onDevice(npes, (task) -> Shmem.runLocal(npes, config, task), isOwnerOnly, calls, teams);
    }

    private static void onDevice(
        final int npes, final Job job, final boolean isOwnerOnly, final Calls calls, final Teams teams)
        throws Exception
    {
        final Map<String, byte[]> expected = onHost(npes, calls, teams);
        job.run((shmem) ->
        {
            final int me = shmem.myPe();
            final Team early = teams.of(shmem);
            final FakeDevice device = FakeDevice.attach(shmem, isOwnerOnly);
            final Team late = teams.of(shmem);
            final MixedMemory memory = new MixedMemory(shmem, device);
            shmem.barrierAll();
            for (final Kinds kinds : Kinds.values())
            {
                final Team team = 0 == (kinds.ordinal() & 1) ? early : late;
                final List<MixedCall> list = calls.of(team.nPes(), team.myPe());
                for (int i = 0; i < list.size(); i++)
                {
                    final String text = "PE " + me + ", " + kinds + ", " + list.get(i).name();
                    try
                    {
                        MixedMemory.assertSame(expected.get(me + ": " + i), memory.perform(
                            list.get(i), i, team, kinds.isSourceDevice(me), kinds.isDestDevice(me)), text);
                    }
                    catch (final RuntimeException ex)
                    {
                        throw new AssertionError(text + ": " + ex, ex);
                    }
                }
            }

            shmem.barrierAll();
        });
    }

    private static Team reversed(final Shmem shmem)
    {
        return shmem.world().splitStrided(shmem.nPes() - 1, -1, shmem.nPes());
    }

    @ParameterizedTest
    @CsvSource({
        "1, MAPPED, false", "2, MAPPED, true", "5, MAPPED, false", "3, IPC, true", "3, UDP, true"})
    void shouldPerformBlockingCalls(final int npes, final TransportKind transport, final boolean isOwnerOnly)
        throws Exception
    {
        onDevice(npes, config(transport), isOwnerOnly, MixedCalls::blocking, MixedCollectivesTest::reversed);
    }

    @ParameterizedTest
    @CsvSource({
        "1, MAPPED, false", "3, MAPPED, true", "4, MAPPED, false", "2, IPC, true", "2, UDP, true"})
    void shouldPerformRequests(final int npes, final TransportKind transport, final boolean isOwnerOnly)
        throws Exception
    {
        onDevice(npes, config(transport), isOwnerOnly, MixedCalls::requests, MixedCollectivesTest::reversed);
    }

    @Tag("ci")
    @ParameterizedTest
    @CsvSource({
        "2, MAPPED, false", "3, MAPPED, true", "4, MAPPED, true", "5, MAPPED, true", "2, IPC, true", "5, IPC, true",
        "4, UDP, true", "5, UDP, true"})
    void shouldPerformCallsOfMoreMembers(final int npes, final TransportKind transport, final boolean isOwnerOnly)
        throws Exception
    {
        onDevice(npes, config(transport), isOwnerOnly, MixedCalls::blocking, Shmem::world);
        onDevice(npes, config(transport), isOwnerOnly, MixedCalls::requests, Shmem::world);
    }

    /** Two hosts, or three: ranks of one host that are adjacent, and ranks that are not. */
    @Tag("ci")
    @ParameterizedTest
    @CsvSource({"4, 2, false", "5, 3, true"})
    void shouldPerformCallsBetweenHosts(final int npes, final int hosts, final boolean isScattered) throws Exception
    {
        final Job job = (task) -> LocalJobs.runEach(npes, (config, pe) -> config.heapSize(8 << 20)
            .nodeName("host" + (isScattered ? pe % hosts : pe * hosts / npes)), task);
        onDevice(npes, job, true, MixedCalls::blockingFew, MixedCollectivesTest::reversed);
        onDevice(npes, job, true, MixedCalls::requestsFew, Shmem::world);
    }

    @Tag("ci")
    @ParameterizedTest
    @EnumSource(Algorithm.class)
    void shouldPerformCallsByEachAlgorithm(final Algorithm algorithm) throws Exception
    {
        for (final TransportKind transport : new TransportKind[]{TransportKind.MAPPED, TransportKind.IPC})
        {
            final Shmem.Context config = config(transport);
            for (final AlgorithmRow row : AlgorithmTable.rows())
            {
                final String property = row.routine().algorithmProperty().propertyName();
                if (algorithm == row.algorithm())
                {
                    config.algorithm(property.substring(property.lastIndexOf('.') + 1), algorithm.propertyValue());
                }
            }

            onDevice(4, config, true, MixedCalls::blockingFew, MixedCollectivesTest::reversed);
        }
    }

    /** The blocks of synchronised teams move between two barriers, those of teams with other orderings by tag. */
    @Tag("ci")
    @ParameterizedTest
    @CsvSource({
        "POST_ORDERED, SYNCHRONIZED, MAPPED", "INIT_AND_POST_ORDERED, SYNCHRONIZED, MAPPED",
        "INIT_ORDERED, NON_SYNCHRONIZED, MAPPED", "POST_UNORDERED, SYNCHRONIZED, MAPPED",
        "INIT_UNORDERED, NON_SYNCHRONIZED, IPC", "INIT_AND_POST_UNORDERED, NON_SYNCHRONIZED, MAPPED"})
    void shouldPerformCallsOfTeamsWithOtherAttributes(
        final Ordering ordering, final Synchronization synchronization, final TransportKind transport) throws Exception
    {
        final Teams teams = (shmem) -> team(
            shmem, new TeamParams().ordering(ordering).synchronization(synchronization));
        onDevice(3, config(transport), true, MixedCalls::blockingFew, teams);
        onDevice(3, config(transport), true, MixedCalls::requestsFew, teams);
    }

    private static Team team(final Shmem shmem, final TeamParams params)
    {
        try (TeamCreation creation = shmem.createTeam(params))
        {
            while (!creation.poll())
            {
                Thread.yield();
            }

            return creation.team();
        }
    }

    @Test
    void shouldPerformCheckedCalls() throws Exception
    {
        onDevice(
            3, config(TransportKind.MAPPED).checkCollectives(true), true, MixedCalls::blocking,
            MixedCollectivesTest::reversed);
        onDevice(
            3, config(TransportKind.MAPPED).checkCollectives(true), false, MixedCalls::requests,
            MixedCollectivesTest::reversed);
    }
}
