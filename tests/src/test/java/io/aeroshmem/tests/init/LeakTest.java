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
package io.aeroshmem.tests.init;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.Bootstrap;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.JvmResources;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Jobs that begin and end in one JVM leave nothing in it, and nothing in a driver that they used.
 */
@Tag("ci")
class LeakTest
{
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";
    private static final int WARM_UP = 2;
    private static final int CYCLES = 50;
    /** A leak in each job is seen after a few. */
    private static final int FEW_CYCLES = 10;
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(10);

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
        System.setProperty(INTERFACE, "127.0.0.1");
    }

    @AfterEach
    void restore()
    {
        System.clearProperty(INTERFACE);
    }

    @Test
    void shouldLeaveNothingOfMappedJobs()
    {
        cycle(FEW_CYCLES, TransportKind.MAPPED, Bootstrap::inProcess, null);
    }

    @Test
    void shouldLeaveNothingOfMessagingJobsNorInTheirDriver()
    {
        withDriver((directory) ->
        {
            cycle(FEW_CYCLES, TransportKind.IPC, Bootstrap::inProcess, directory);
            cycle(FEW_CYCLES, TransportKind.UDP, Bootstrap::inProcess, directory);
        });
    }

    @Test
    void shouldLeaveNothingOfJobsWithAnIdAndADriverOfTheirOwn()
    {
        cycle(4, TransportKind.AUTO, LeakTest::ofUniqueId, null);
        cycle(2, TransportKind.UDP, LeakTest::ofUniqueId, null);
    }

    @Test
    @Tag("exhaustive")
    void shouldLeaveNothingHoweverOften()
    {
        cycle(10 * CYCLES, TransportKind.MAPPED, Bootstrap::inProcess, null);
        cycle(CYCLES, TransportKind.IPC, Bootstrap::inProcess, null);
        cycle(CYCLES, TransportKind.UDP, Bootstrap::inProcess, null);
        cycle(CYCLES, TransportKind.AUTO, LeakTest::ofUniqueId, null);
        cycle(CYCLES, TransportKind.UDP, LeakTest::ofUniqueId, null);
        withDriver((directory) ->
        {
            cycle(2 * CYCLES, TransportKind.IPC, Bootstrap::inProcess, directory);
            cycle(2 * CYCLES, TransportKind.UDP, Bootstrap::inProcess, directory);
        });
    }

    private static Bootstrap[] ofUniqueId(final int nPes)
    {
        final UniqueId id = UniqueId.create();
        final Bootstrap[] bootstraps = new Bootstrap[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            bootstraps[pe] = Bootstrap.uniqueId(pe, nPes, id);
        }

        return bootstraps;
    }

    /**
     * Runs a task with a driver that frees closed resources soon.
     */
    private static void withDriver(final Consumer<String> task)
    {
        final Path path = TestMemory.root().resolve("driver-" + UUID.randomUUID());
        final MediaDriver.Context context = EmbeddedDriver.context(LIVENESS_NS)
            .aeronDirectoryName(path.toString())
            .imageLivenessTimeoutNs(TimeUnit.MILLISECONDS.toNanos(300))
            .timerIntervalNs(TimeUnit.MILLISECONDS.toNanos(100));
        try (MediaDriver driver = EmbeddedDriver.launch(context))
        {
            task.accept(driver.aeronDirectoryName());
        }
    }

    private static void cycle(
        final int cycles,
        final TransportKind transport,
        final IntFunction<Bootstrap[]> bootstraps,
        final String driverDirectory)
    {
        try (Aeron client = null == driverDirectory ? null : Aeron.connect(
            new Aeron.Context().aeronDirectoryName(driverDirectory)))
        {
            final Supplier<List<String>> counters = () -> null == client ? List.of() : counters(client);
            run(WARM_UP, transport, bootstraps, driverDirectory);
            final List<String> countersBefore = JvmResources.settled(counters);
            final List<String> mappingsBefore = JvmResources.settled(JvmResources::mappings);
            final List<String> filesBefore = JvmResources.settled(JvmResources::files);
            final List<String> threadsBefore = JvmResources.settled(JvmResources::threads);

            run(cycles, transport, bootstraps, driverDirectory);
            JvmResources.assertGone("threads", threadsBefore, JvmResources::threads);
            JvmResources.assertGone("mappings", mappingsBefore, JvmResources::mappings);
            JvmResources.assertGone("files", filesBefore, JvmResources::files);
            JvmResources.assertGone("counters", countersBefore, counters);
            assertEquals(List.of(), TestMemory.jobs());
        }
    }

    private static void run(
        final int cycles,
        final TransportKind transport,
        final IntFunction<Bootstrap[]> bootstraps,
        final String driverDirectory)
    {
        for (int i = 0; i < cycles; i++)
        {
            Job.of(2).transport(transport).heapSize(1 << 20).bootstraps(bootstraps)
                .setup((config) -> config.aeronDirectoryName(driverDirectory))
                .run("cycle", (pe) -> use(pe.shmem(), pe.right()));
        }
    }

    private static void use(final Shmem shmem, final int peer)
    {
        final SymmetricBuffer word = shmem.calloc(2, 8);
        final Team team = shmem.world().duplicate();
        try (CommunicationContext ctx = team.createContext())
        {
            ctx.atomicFetchIncLong(word, 0, peer);
            ctx.putLong(word, 8, 3, peer);
        }

        team.barrier();
        assertEquals(1, word.getLong(0));
        team.close();
    }

    private static List<String> counters(final Aeron client)
    {
        final List<String> labels = new ArrayList<>();
        final CountersReader reader = client.countersReader();
        reader.forEach((id, typeId, keyBuffer, label) -> labels.add(typeId + " " + label));
        return labels;
    }
}
