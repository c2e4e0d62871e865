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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.InjectedFaults;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.tests.launcher.KilledPe;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A recoverable job on two hosts whose PEs are killed and stopped, and whose cable is pulled, at random, also while PEs
 * start and join. Whatever process ends is started again, as a supervisor on each host does. The program,
 * {@link KilledPe}, verifies its retained memory.
 */
@Tag("ci")
@Timeout(value = 24, unit = TimeUnit.HOURS)
class KillsOnHostsTest
{
    private static final int PES = 4;
    private static final int PES_PER_HOST = 2;
    private static final int PORT = 7448;
    private static final int LIVENESS_MS = 2_000;
    private static final int MAX_DELAY_MS = InjectedFaults.IS_NIGHTLY ? 2_500 : 600;
    private static final long POLL_NS = TimeUnit.MILLISECONDS.toNanos(2);

    private final HostProcess[] pes = new HostProcess[PES];
    private InjectedFaults faults;
    private Random random;
    private TwoHosts hosts;
    private Path folder;
    private String policy;
    private String transport;

    static Stream<Object[]> jobs()
    {
        return InjectedFaults.IS_NIGHTLY ?
            InjectedFaults.jobs("restart auto hosts", "restart udp hosts", "replace auto hosts", "replace udp hosts") :
            InjectedFaults.jobs("restart auto hosts");
    }

    @ParameterizedTest
    @MethodSource("jobs")
    void shouldLoseNothingByKillsAndCutsAtAnyMoment(final String kind, final long seed) throws Exception
    {
        faults = new InjectedFaults(kind, seed);
        random = faults.random();
        policy = kind.split(" ")[0];
        transport = kind.split(" ")[1];
        folder = Files.createTempDirectory("aeroshmem-test-output-");
        hosts = TwoHosts.start();
        boolean isRight = false;
        try
        {
            awaitProgress();
            while (faults.count() < InjectedFaults.perJob())
            {
                superviseFor(random.nextInt(MAX_DELAY_MS));
                act();
                if (random.nextBoolean())
                {
                    awaitProgress();
                }
            }

            awaitProgress();
            Files.createFile(end());
            awaitEnd();
            for (int host = 0; host < PES / PES_PER_HOST; host++)
            {
                assertEquals(List.of(), hosts.host(host).memory(), this::describe);
            }

            isRight = true;
        }
        finally
        {
            faults.report(null == pes[0] ? 0 : InjectedFaults.recoveries(pes[0].lines("")), isRight);
            for (final HostProcess pe : pes)
            {
                if (null != pe)
                {
                    pe.kill();
                }
            }

            hosts.close();
            TestMemory.delete(folder);
        }
    }

    private void act()
    {
        final int pe = random.nextInt(PES);
        final int timeMs = random.nextInt(2 * LIVENESS_MS);
        switch (random.nextInt(4))
        {
            case 0 ->
            {
                faults.add(InjectedFaults.Kind.PAUSE, "pause of PE " + pe + " of " + timeMs + " ms");
                pes[pe].stop();
                superviseFor(timeMs);
                pes[pe].resume();
            }
            case 1 ->
            {
                final int side = random.nextInt(2);
                faults.add(InjectedFaults.Kind.CUT, "cut of host " + side + " of " + timeMs + " ms");
                hosts.cut(side, Duration.ofMillis(timeMs));
            }
            case 2 ->
            {
                final int side = random.nextInt(2);
                faults.add(InjectedFaults.Kind.CUT, "cut of what host " + side + " sends of " + timeMs + " ms");
                hosts.cutOneWay(side);
                superviseFor(timeMs);
                hosts.mend();
            }
            default ->
            {
                faults.add(InjectedFaults.Kind.KILL, "kill of PE " + pe);
                pes[pe].kill();
            }
        }
    }

    /** Starts what has ended, unless it has ended well. */
    private boolean supervise()
    {
        boolean isRunning = false;
        for (int pe = 0; pe < PES; pe++)
        {
            if (null == pes[pe] || !pes[pe].isAlive() && 0 != pes[pe].exitValue())
            {
                pes[pe] = start(pe);
            }

            isRunning |= pes[pe].isAlive();
        }

        return isRunning;
    }

    private HostProcess start(final int pe)
    {
        return HostProcess.start(hosts.host(pe / PES_PER_HOST), "pe-" + pe, folder,
            List.of(
                "-Daeroshmem.transport=" + transport, "-Daeroshmem.recovery=" + policy,
                "-Daeroshmem.heap.size=16m", "-Daeroshmem.liveness.timeout=" + LIVENESS_MS + "ms",
                "-Daeroshmem.join.timeout=15s", KilledPe.class.getName(), end().toString()),
            Map.of(
                "AEROSHMEM_PE", Integer.toString(pe),
                "AEROSHMEM_NPES", Integer.toString(PES),
                "AEROSHMEM_RENDEZVOUS", hosts.address(0) + ":" + PORT,
                "AEROSHMEM_RENDEZVOUS_SECRET", "not so secret, as only a test uses it"));
    }

    private Path end()
    {
        return folder.resolve("end");
    }

    private void superviseFor(final long ms)
    {
        final long endNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(ms);
        while (System.nanoTime() - endNs < 0)
        {
            supervise();
            LockSupport.parkNanos(POLL_NS);
        }
    }

    /** Waits until the task has made a step that it had not made at the call. */
    private void awaitProgress()
    {
        final int before = null == pes[0] ? 0 : pes[0].lines("step ").size();
        final long startNs = System.nanoTime();
        do
        {
            supervise();
            check(startNs, "no step");
            LockSupport.parkNanos(POLL_NS);
        }
        while (pes[0].lines("step ").size() == before);
    }

    private void awaitEnd()
    {
        final long startNs = System.nanoTime();
        while (supervise())
        {
            check(startNs, "no end");
            LockSupport.parkNanos(POLL_NS);
        }
    }

    private void check(final long startNs, final String what)
    {
        assertTrue(System.nanoTime() - startNs < Deadlines.WAIT_NS, () -> what + ": " + describe());
        for (final HostProcess pe : pes)
        {
            assertTrue(pe.lines("wrong: ").isEmpty(), this::describe);
        }
    }

    private String describe()
    {
        final StringBuilder text = new StringBuilder(faults.toString());
        for (final HostProcess pe : pes)
        {
            text.append("\n======== ").append(pe).append('\n').append(pe.output());
        }

        return text.toString();
    }
}
