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
import io.aeroshmem.OobRequest;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
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
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Jobs whose PEs find each other by an exchange of the program's own, here over sockets.
 */
@Tag("waits")
class OutOfBandTest
{
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";
    private static final String JOIN_TIMEOUT = "aeroshmem.join.timeout";
    private static final String SERVER = "aeroshmem-rendezvous";
    private static final int PES = 3;

    @BeforeEach
    void listenOnLoopback()
    {
        TestMemory.root();
        System.setProperty(INTERFACE, "127.0.0.1");
    }

    @AfterEach
    void restore()
    {
        System.clearProperty(INTERFACE);
        System.clearProperty(JOIN_TIMEOUT);
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    @Tag("ci")
    void shouldConform(final boolean isLater) throws Exception
    {
        try (SocketAllgather allgather = new SocketAllgather(PES))
        {
            Job.of(PES).transport(isLater ? TransportKind.UDP : TransportKind.AUTO)
                .bootstraps((nPes) -> bootstraps(allgather, nPes, isLater))
                .run(isLater ? new OrderRoutines() : new AllRoutines());
        }
    }

    private static Bootstrap[] bootstraps(final SocketAllgather allgather, final int nPes, final boolean isLater)
    {
        final Bootstrap[] bootstraps = new Bootstrap[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            bootstraps[pe] = Bootstrap.outOfBand(pe, nPes, allgather.rank(pe, isLater));
        }

        return bootstraps;
    }

    @Test
    void shouldFindRanksThatAreNotThoseOfTheExchange()
    {
        final Bootstrap bootstrap = Bootstrap.outOfBand(1, 2, (source, dest, length) ->
        {
            dest.putBytes(0, source, 0, length);
            return OobRequest.DONE;
        });
        final String message = assertThrows(BootstrapException.class, () -> init(bootstrap)).getMessage();
        assertTrue(message.contains("rank 0 of 2 is PE 1 of 2"), message);
    }

    @ParameterizedTest
    @CsvSource({ "203.0.113.7, io.aeroshmem.BootstrapException", "0.0.0.0, java.lang.IllegalArgumentException" })
    void shouldReportToAllThatThereIsNoRendezvous(final String address, final Class<Throwable> type) throws Exception
    {
        System.setProperty(INTERFACE, address);
        System.setProperty(JOIN_TIMEOUT, "30s");
        try (SocketAllgather allgather = new SocketAllgather(2))
        {
            final AtomicReference<Throwable> root = new AtomicReference<>();
            final Thread thread = new Thread(
                () -> root.set(assertThrows(type, () -> init(bootstraps(allgather, 2, true)[0]))));
            thread.start();
            final String message = assertThrows(
                BootstrapException.class, () -> init(bootstraps(allgather, 2, true)[1])).getMessage();
            assertTrue(message.contains("rank 0"), message);
            thread.join();
            assertTrue(root.get().getMessage().contains(address), root.get().getMessage());
        }
    }

    @Test
    void shouldNotWaitForEver()
    {
        System.setProperty(JOIN_TIMEOUT, "100ms");
        final Bootstrap bootstrap = Bootstrap.outOfBand(0, 2, (source, dest, length) -> () -> false);
        final String message = assertThrows(BootstrapException.class, () -> init(bootstrap)).getMessage();
        assertTrue(message.contains(JOIN_TIMEOUT), message);
    }

    @Test
    @Tag("ci")
    void shouldThrowWhatTheExchangeThrowsAndEndTheServer() throws Exception
    {
        final Set<Thread> earlier = servers();
        final Bootstrap bootstrap = Bootstrap.outOfBand(0, 2, (source, dest, length) ->
        {
            throw new ArithmeticException();
        });
        assertThrows(ArithmeticException.class, () -> init(bootstrap));
        final long deadlineNs = System.nanoTime() + Deadlines.WAIT_NS;
        while (!earlier.containsAll(servers()))
        {
            assertTrue(System.nanoTime() - deadlineNs < 0, "the server is still running");
            Thread.sleep(50);
        }
    }

    /** Returns the threads of all rendezvous in this JVM; ids that other tests did not use keep theirs. */
    private static Set<Thread> servers()
    {
        return Thread.getAllStackTraces().keySet().stream()
            .filter((thread) -> SERVER.equals(thread.getName()))
            .collect(Collectors.toSet());
    }

    private static Shmem init(final Bootstrap bootstrap)
    {
        return Shmem.init(new Shmem.Context().heapSize(1 << 20).bootstrap(bootstrap));
    }
}
