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
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import org.agrona.concurrent.status.CountersReader;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.IntFunction;
import java.util.function.Supplier;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.fail;

/**
 * Jobs that begin and end in one JVM leave nothing in it, and nothing in a driver that they used.
 */
@Tag("ci")
@Timeout(180)
class LeakTest
{
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";
    private static final int WARM_UP = 2;
    private static final int CYCLES = 50;
    private static final long LIVENESS_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long GONE_NS = TimeUnit.SECONDS.toNanos(20);

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
        cycle(CYCLES, TransportKind.MAPPED, Bootstrap::inProcess, null);
    }

    @Test
    void shouldLeaveNothingOfMessagingJobsNorInTheirDriver()
    {
        withDriver((directory) ->
        {
            cycle(CYCLES / 2, TransportKind.IPC, Bootstrap::inProcess, directory);
            cycle(CYCLES / 2, TransportKind.UDP, Bootstrap::inProcess, directory);
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
        try (MediaDriver driver = MediaDriver.launch(context))
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
            final List<String> countersBefore = settled(counters);
            final List<String> mappingsBefore = settled(LeakTest::mappings);
            final List<String> filesBefore = settled(LeakTest::files);
            final List<String> threadsBefore = settled(LeakTest::threads);

            run(cycles, transport, bootstraps, driverDirectory);
            assertGone("threads", threadsBefore, LeakTest::threads);
            assertGone("mappings", mappingsBefore, LeakTest::mappings);
            assertGone("files", filesBefore, LeakTest::files);
            assertGone("counters", countersBefore, counters);
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

    /**
     * Returns the remaining entries, after those that are being freed have disappeared.
     */
    private static List<String> settled(final Supplier<List<String>> snapshot)
    {
        List<String> least = snapshot.get();
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(150);
        while (System.nanoTime() - deadlineNs < 0)
        {
            collectGarbage();
            final List<String> now = snapshot.get();
            least = now.size() < least.size() ? now : least;
        }
        return least;
    }

    private static void assertGone(final String what, final List<String> before, final Supplier<List<String>> snapshot)
    {
        final long deadlineNs = System.nanoTime() + GONE_NS;
        List<String> now = snapshot.get();
        while (now.size() > before.size())
        {
            if (System.nanoTime() - deadlineNs > 0)
            {
                final List<String> more = new ArrayList<>(now);
                before.forEach(more::remove);
                fail(what + ": " + before.size() + " before, " + now.size() + " now, of which new are\n" +
                    String.join("\n", more));
            }
            collectGarbage();
            now = snapshot.get();
        }
    }

    /**
     * Mappings end when they are unreachable.
     */
    private static void collectGarbage()
    {
        System.gc();
        Thread.yield();
    }

    private static List<String> mappings()
    {
        final String root = TestMemory.root().toString();
        try (Stream<String> lines = Files.lines(Path.of("/proc/self/maps")))
        {
            return lines.filter((line) -> line.contains(root))
                .map((line) -> line.substring(line.indexOf(root) + root.length())).toList();
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static List<String> files()
    {
        final List<String> targets = new ArrayList<>();
        try (Stream<Path> files = Files.list(Path.of("/proc/self/fd")))
        {
            for (final Path file : files.toList())
            {
                if (Files.isSymbolicLink(file))
                {
                    targets.add(target(file));
                }
            }
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
        return targets;
    }

    private static String target(final Path file)
    {
        try
        {
            return Files.readSymbolicLink(file).toString();
        }
        catch (final IOException ex)
        {
            return "closed meanwhile";
        }
    }

    private static List<String> threads()
    {
        return Thread.getAllStackTraces().keySet().stream().map(Thread::getName).toList();
    }

    private static List<String> counters(final Aeron client)
    {
        final List<String> labels = new ArrayList<>();
        final CountersReader reader = client.countersReader();
        reader.forEach((id, typeId, keyBuffer, label) -> labels.add(typeId + " " + label));
        return labels;
    }
}
