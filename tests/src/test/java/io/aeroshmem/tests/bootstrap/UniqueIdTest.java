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
package io.aeroshmem.tests.bootstrap;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.BootstrapException;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.conformance.AllRoutines;
import io.aeroshmem.tests.conformance.OrderRoutines;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReferenceArray;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Jobs whose PEs have nothing in common but an id.
 */
@Tag("waits")
class UniqueIdTest
{
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";
    private static final String JOIN_TIMEOUT = "aeroshmem.join.timeout";

    @BeforeEach
    void listenOnLoopback()
    {
        TestMemory.root();
        System.setProperty(INTERFACE, "127.0.0.1");
        // longer than a test waits: no failure but that of a PE that never comes ends by it
        System.setProperty(JOIN_TIMEOUT, "10m");
    }

    @AfterEach
    void restore()
    {
        System.clearProperty(INTERFACE);
        System.clearProperty(JOIN_TIMEOUT);
    }

    private static Bootstrap[] bootstraps(final int nPes)
    {
        final byte[] id = UniqueId.create().toBytes();
        final Bootstrap[] bootstraps = new Bootstrap[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            bootstraps[pe] = Bootstrap.uniqueId(pe, nPes, UniqueId.fromBytes(id));
        }

        return bootstraps;
    }

    @ParameterizedTest
    @CsvSource({"AUTO, 3", "UDP, 2"})
    @Tag("ci")
    void shouldConformOnOneNode(final TransportKind transport, final int nPes)
    {
        conform(transport, nPes);
    }

    @ParameterizedTest
    @CsvSource({"MAPPED, 2", "IPC, 3", "AUTO, 1"})
    @Tag("nightly")
    void shouldConformOnOneNodeOverOtherTransports(final TransportKind transport, final int nPes)
    {
        conform(transport, nPes);
    }

    private static void conform(final TransportKind transport, final int nPes)
    {
        Job.of(nPes).transport(transport).bootstraps(UniqueIdTest::bootstraps).run(new AllRoutines());
    }

    @Test
    @Tag("ci")
    void shouldKeepOrderBetweenTwoNodes()
    {
        Job.of(4).nodes("here", "there", "here", "there").bootstraps(UniqueIdTest::bootstraps).run(new OrderRoutines());
    }

    @Test
    @Tag("ci")
    void shouldReportToAllThatOneNeverCame()
    {
        System.setProperty(JOIN_TIMEOUT, "4s");
        assertSameFailure(
            startAll(List.of(bootstraps(4)).subList(0, 3), (pe, config) -> {}), "3", JOIN_TIMEOUT);
    }

    @Test
    void shouldReportToAllThatTwoHaveOneRank()
    {
        final byte[] id = UniqueId.create().toBytes();
        assertSameFailure(startAll(
            List.of(
                Bootstrap.uniqueId(0, 3, UniqueId.fromBytes(id)),
                Bootstrap.uniqueId(1, 3, UniqueId.fromBytes(id)),
                Bootstrap.uniqueId(1, 3, UniqueId.fromBytes(id))),
            (pe, config) -> {}), "PE 1");
    }

    @Test
    void shouldReportToAllThatTheyDoNotAgreeOnTheirNumber()
    {
        final byte[] id = UniqueId.create().toBytes();
        assertSameFailure(startAll(
            List.of(
                Bootstrap.uniqueId(0, 3, UniqueId.fromBytes(id)),
                Bootstrap.uniqueId(1, 4, UniqueId.fromBytes(id)),
                Bootstrap.uniqueId(2, 3, UniqueId.fromBytes(id))),
            (pe, config) -> {}), "3", "4");
    }

    @Test
    void shouldReportToAllThatHeapsDiffer()
    {
        assertSameFailure(
            startAll(List.of(bootstraps(3)), (pe, config) -> config.heapSize(2 == pe ? 2 << 20 : 1 << 20)),
            "PE 2", "aeroshmem.heap.size");
    }

    @Test
    void shouldReportToAllThatOneIsNotSetUp()
    {
        final AtomicReferenceArray<Throwable> thrown =
            startAll(List.of(bootstraps(3)), (pe, config) -> config.heapSize(1 == pe ? -1 : 1 << 20));
        assertInstanceOf(IllegalArgumentException.class, thrown.get(1));
        final String message = assertInstanceOf(BootstrapException.class, thrown.get(0)).getMessage();
        assertEquals(message, assertInstanceOf(BootstrapException.class, thrown.get(2)).getMessage());
        assertTrue(message.contains("PE 1") && message.contains("-1"), message);
    }

    /**
     * The first PE leads the node, and fails before it polls the others.
     */
    @Test
    void shouldReportToAllWhyTheFirstOfANodeIsNotSetUp()
    {
        final AtomicReferenceArray<Throwable> thrown = startAll(
            List.of(bootstraps(3)),
            (pe, config) -> config
                .heapSize(1 << 20)
                .transport(TransportKind.IPC)
                .aeronDirectoryName(0 == pe ? "/nonexistent/aeroshmem" : null));
        for (int pe = 0; pe < thrown.length(); pe++)
        {
            final String message = assertInstanceOf(BootstrapException.class, thrown.get(pe)).getMessage();
            assertTrue(message.contains("/nonexistent/aeroshmem"), message);
        }
    }

    @Test
    @Tag("ci")
    void shouldServeOneJobOnly() throws Exception
    {
        final UniqueId id = UniqueId.create();
        Shmem.run(
            new Shmem.Context().heapSize(1 << 20).bootstrap(Bootstrap.uniqueId(0, 1, id)),
            (shmem) -> assertRefused(Bootstrap.uniqueId(0, 1, id), "PE 0"));
        assertRefused(Bootstrap.uniqueId(0, 1, id), "an id serves one job");
        assertTrue(TestMemory.jobs().isEmpty());
    }

    private static void assertRefused(final Bootstrap bootstrap, final String part)
    {
        final BootstrapException refused = assertTimeoutPreemptively(Deadlines.WAIT, () -> assertThrows(
            BootstrapException.class, () -> Shmem.init(new Shmem.Context().heapSize(1 << 20).bootstrap(bootstrap))));
        assertTrue(refused.getMessage().contains(part), refused::toString);
    }

    /**
     * A change to the configuration of a PE.
     */
    private interface Setup
    {
        void apply(int pe, Shmem.Context config);
    }

    private static AtomicReferenceArray<Throwable> startAll(final List<Bootstrap> bootstraps, final Setup setup)
    {
        final AtomicReferenceArray<Throwable> thrown = new AtomicReferenceArray<>(bootstraps.size());
        final List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < bootstraps.size(); i++)
        {
            final int index = i;
            final Shmem.Context config = configure(i, setup).bootstrap(bootstraps.get(i));
            final Thread thread = new Thread(() ->
            {
                try
                {
                    Shmem.run(config, (shmem) -> {});
                }
                catch (final Exception ex)
                {
                    thrown.set(index, ex);
                }
            });
            threads.add(thread);
            thread.start();
        }

        for (final Thread thread : threads)
        {
            try
            {
                thread.join(TimeUnit.SECONDS.toMillis(Deadlines.WAIT_S));
                assertFalse(thread.isAlive(), "waits for the join timeout");
            }
            catch (final InterruptedException ex)
            {
                throw new AssertionError(ex);
            }
        }

        return thrown;
    }

    private static Shmem.Context configure(final int pe, final Setup setup)
    {
        final Shmem.Context config = new Shmem.Context().heapSize(1 << 20);
        setup.apply(pe, config);
        return config;
    }

    private static void assertSameFailure(final AtomicReferenceArray<Throwable> thrown, final String... parts)
    {
        final String message = assertInstanceOf(BootstrapException.class, thrown.get(0)).getMessage();
        assertNotNull(message);
        for (int i = 0; i < thrown.length(); i++)
        {
            assertEquals(message, assertInstanceOf(BootstrapException.class, thrown.get(i)).getMessage());
        }

        for (final String part : parts)
        {
            assertTrue(message.contains(part), message);
        }

        assertTrue(TestMemory.jobs().isEmpty());
    }
}
