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
package io.aeroshmem.tests.hostile;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.BootstrapException;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.rendezvous.RendezvousId;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.io.PrintStream;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Attacks on the rendezvous of a running job: through its port, where the job continues; and by changed bytes on a
 * connection of one of its own processes, where it continues or fails, on all PEs and in time.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES)
class RendezvousAttackTest
{
    private static final PrintStream OUT = System.out;
    private static final String INTERFACE = "aeroshmem.rendezvous.interface";
    private static final int JOB_ID_OFFSET = 24;
    private static final int SECRET_OFFSET = 40;
    private static final int HANDSHAKE = 120;
    private static final int CONNECTIONS = 1_000;
    private static final long BOUND_NS = TimeUnit.SECONDS.toNanos(20);

    private final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
    private final Random random = new Random(seed);
    private final AtomicBoolean isOver = new AtomicBoolean();
    private final AtomicReference<Throwable> thrown = new AtomicReference<>();
    private final Throwable[] ends = new Throwable[2];
    private TamperingProxy tap;

    @BeforeEach
    void listenOnLoopback()
    {
        TestMemory.root();
        System.setProperty(INTERFACE, "127.0.0.1");
    }

    @AfterEach
    void restore() throws IOException
    {
        System.clearProperty(INTERFACE);
        if (null != tap)
        {
            tap.close();
        }
    }

    private static UniqueId at(final UniqueId id, final InetSocketAddress address)
    {
        final byte[] bytes = id.toBytes();
        return UniqueId.fromBytes(RendezvousId.of(
            address,
            Arrays.copyOfRange(bytes, JOB_ID_OFFSET, SECRET_OFFSET),
            Arrays.copyOfRange(bytes, SECRET_OFFSET, SECRET_OFFSET + RendezvousId.MIN_SECRET_LENGTH)).toBytes());
    }

    private static InetSocketAddress address(final UniqueId id)
    {
        return RendezvousId.fromBytes(id.toBytes()).address();
    }

    /**
     * PE 1 connects through the proxy.
     */
    private Bootstrap[] bootstraps(final UniqueId id, final int untouched, final boolean isTampering)
    {
        try
        {
            tap = new TamperingProxy(address(id), untouched, isTampering, random);
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }

        return new Bootstrap[]{
            Bootstrap.uniqueId(0, 2, id), Bootstrap.uniqueId(1, 2, at(id, tap.address()))};
    }

    @Test
    void shouldGoOnWhateverComesToThePort()
    {
        final UniqueId id = UniqueId.create();
        Job.of(2).nodes("here", "there")
            .bootstraps((nPes) -> bootstraps(id, 0, false))
            .run("work beside an attack on the rendezvous", (pe) -> work(pe, id));
        if (null != thrown.get())
        {
            throw new AssertionError("the attacker failed, seed " + seed, thrown.get());
        }
    }

    private void work(final Pe pe, final UniqueId id)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer count = shmem.calloc(1, Long.BYTES);
        shmem.barrierAll();
        if (0 == pe.me())
        {
            final Thread attacker = new Thread(() -> attack(id), "attacker");
            attacker.setDaemon(true);
            attacker.start();
        }

        long rounds = 0;
        for (long over = 0; 0 == over; rounds++)
        {
            assertEquals(rounds, ctx.atomicFetchAddLong(count, 0, 1, pe.right()));
            over = shmem.world().reduceLong(ReduceOp.MAX, isOver.get() ? 1 : 0);
        }
    }

    private void attack(final UniqueId id)
    {
        try
        {
            final int threads = Thread.activeCount();
            final InetSocketAddress address = address(id);
            final byte[] handshake = tap.recorded();
            assertTrue(handshake.length > HANDSHAKE);
            for (int i = 0; i < 40; i++)
            {
                send(address, new byte[0]);
                send(address, "GET / HTTP/1.1\r\nHost: x\r\n\r\n".getBytes(StandardCharsets.US_ASCII));
                send(address, noise(random.nextInt(3_000)));
                send(address, length(random.nextInt(), 100));
                send(address, length(Integer.MAX_VALUE, 2_000));
                send(address, length(64 * 1024, 70_000));
                send(address, Arrays.copyOf(handshake, random.nextInt(handshake.length)));
                send(address, handshake);
            }

            holdMany(address);
            final RendezvousId other = RendezvousId.of(address,
                Arrays.copyOfRange(id.toBytes(), JOB_ID_OFFSET, SECRET_OFFSET), noise(16));
            for (int i = 0; i < 3; i++)
            {
                final ShmemException refused = assertThrows(BootstrapException.class, () -> Shmem.init(
                    new Shmem.Context().heapSize(1 << 20).bootstrap(
                        Bootstrap.uniqueId(1, 2, UniqueId.fromBytes(other.toBytes())))));
                assertTrue(refused.getMessage().contains("secret"), refused::getMessage);
            }

            Pe.await(() -> Thread.activeCount() <= threads + 2, "the end of all threads of the attack");
        }
        catch (final Exception | Error ex)
        {
            thrown.set(ex);
        }
        finally
        {
            isOver.set(true);
        }
    }

    /**
     * Opens connections that send nothing, and one that sends a byte now and then.
     */
    private void holdMany(final InetSocketAddress address) throws IOException
    {
        final List<Socket> sockets = new ArrayList<>();
        try
        {
            for (int i = 0; i < CONNECTIONS; i++)
            {
                sockets.add(new Socket(address.getAddress(), address.getPort()));
                if (0 == i % 100)
                {
                    sockets.get(0).getOutputStream().write(0);
                }
            }
        }
        catch (final IOException ex)
        {
            // it accepts no more, or has closed the slow connection
            assertTrue(sockets.size() > 10, ex::toString);
        }
        finally
        {
            for (final Socket socket : sockets)
            {
                socket.close();
            }
        }
    }

    private byte[] noise(final int length)
    {
        final byte[] bytes = new byte[length];
        random.nextBytes(bytes);
        return bytes;
    }

    private byte[] length(final int prefix, final int more)
    {
        final byte[] bytes = noise(4 + more);
        for (int i = 0; i < 4; i++)
        {
            bytes[i] = (byte)(prefix >>> (8 * i));
        }

        return bytes;
    }

    private static void send(final InetSocketAddress address, final byte[] bytes)
    {
        try (Socket socket = new Socket(address.getAddress(), address.getPort()))
        {
            socket.getOutputStream().write(bytes);
        }
        catch (final IOException ex)
        {
            return; // rejected while it was sending
        }
    }

    @Test
    void shouldGoOnOrFailInTimeWhenBytesAreChangedOnTheWay()
    {
        tamper(2);
    }

    @Test
    @Tag("exhaustive")
    void shouldGoOnOrFailInTimeWhenManyBytesAreChangedOnTheWay()
    {
        tamper(Integer.getInteger("aeroshmem.test.rounds", 300));
    }

    private void tamper(final int jobs)
    {
        System.setProperty("aeroshmem.join.timeout", "4s");
        System.setProperty("aeroshmem.liveness.timeout", "3s");
        int failed = 0;
        int tampered = 0;
        try
        {
            for (int i = 0; i < jobs; i++)
            {
                final long start = System.nanoTime();
                // from the handshake on, or after it
                failed += run(0 == i % 2 ? 0 : 800) ? 0 : 1;
                tampered += tap.isTampered() ? 1 : 0;
                Deadlines.requireWithin(BOUND_NS, System.nanoTime() - start, () -> "seed " + seed);
                assertTrue(TestMemory.jobs().isEmpty(), () -> TestMemory.jobs() + " were left, seed " + seed + ", " +
                    Arrays.toString(ends) + JobCleaner.list(TestMemory.root()));
            }
        }
        finally
        {
            System.clearProperty("aeroshmem.join.timeout");
            System.clearProperty("aeroshmem.liveness.timeout");
        }

        OUT.println(jobs + " jobs, in " + tampered + " of which bytes were changed, " + failed +
            " failed, -Daeroshmem.test.seed=" + seed);
    }

    /**
     * @return true if the job succeeded nevertheless.
     */
    private boolean run(final int untouched)
    {
        final Bootstrap[] bootstraps = bootstraps(UniqueId.create(), untouched, true);
        Arrays.fill(ends, null);
        final Thread[] threads = new Thread[2];
        for (int pe = 0; pe < 2; pe++)
        {
            final int me = pe;
            threads[pe] = new Thread(() -> ends[me] = runPe(bootstraps[me], me), "pe-" + pe);
            threads[pe].setDaemon(true);
            threads[pe].start();
        }

        for (final Thread thread : threads)
        {
            Pe.await(() -> !thread.isAlive(), thread.getName() + " to end, seed " + seed);
        }

        try
        {
            tap.close();
        }
        catch (final IOException ex)
        {
            throw new AssertionError(ex);
        }

        for (final Throwable end : ends)
        {
            if (null != end && !(end instanceof ShmemException))
            {
                throw new AssertionError("seed " + seed, end);
            }
        }

        return null == ends[0] && null == ends[1];
    }

    private static Throwable runPe(final Bootstrap bootstrap, final int me)
    {
        try
        {
            Shmem.run(
                new Shmem.Context().transport(TransportKind.UDP).heapSize(1 << 20).bootstrap(bootstrap)
                    .nodeName("node-" + me),
                (shmem) ->
                {
                    for (int i = 0; i < 20; i++)
                    {
                        shmem.barrierAll();
                    }
                });
            return null;
        }
        catch (final Exception | Error ex)
        {
            return ex;
        }
    }
}
