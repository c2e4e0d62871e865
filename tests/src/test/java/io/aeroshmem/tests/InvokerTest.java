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
package io.aeroshmem.tests;

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeroshmem.Comparison;
import io.aeroshmem.PeTask;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.conformance.AllRoutines;
import io.aeroshmem.tests.conformance.OrderRoutines;
import io.aeroshmem.tests.fixture.Job;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;

/**
 * Jobs without a background thread: blocked callers drive everything, an application's Aeron client and driver too.
 */
class InvokerTest
{
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    @Tag("ci")
    void shouldConformWithoutABackgroundThread(final TransportKind transport)
    {
        Job.of(3).transport(transport).setup((config) -> config.progressMode(ProgressMode.INVOKER))
            .run(new AllRoutines());
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldDriveTheClientAndTheDriverOfTheApplication(final TransportKind transport)
    {
        final MediaDriver.Context driverContext = new MediaDriver.Context()
            .aeronDirectoryName(TestMemory.root().resolve("driver-of-the-application").toString())
            .threadingMode(ThreadingMode.INVOKER)
            .dirDeleteOnStart(true)
            .dirDeleteOnShutdown(true);
        try (MediaDriver driver = MediaDriver.launch(driverContext);
            Aeron aeron = Aeron.connect(new Aeron.Context()
                .aeronDirectoryName(driver.aeronDirectoryName())
                .useConductorAgentInvoker(true)
                .driverAgentInvoker(driver.sharedAgentInvoker())))
        {
            Job.of(2).transport(transport).setup((config) -> config
                .progressMode(ProgressMode.INVOKER)
                .aeron(aeron)
                .ownsAeronClient(false)
                .mediaDriverAgentInvoker(driver.sharedAgentInvoker())).run(new OrderRoutines());
            assertFalse(aeron.isClosed(), "the application's client is left alone");
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldServeTheHolderOfALockWhileTestingIt(final TransportKind transport) throws Exception
    {
        run(transport, InvokerTest::testLocksThatTheOtherHolds);
    }

    /** PE 0 sends what PE 1 reads in a loop that calls nothing else. */
    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldReceiveWhileFetchingASignal(final TransportKind transport) throws Exception
    {
        run(transport, (shmem) ->
        {
            final SymmetricBuffer signal = shmem.calloc(1, Long.BYTES);
            if (0 == shmem.myPe())
            {
                shmem.defaultContext().signal(signal, 0, 1, SignalOp.SET, 1);
                shmem.defaultContext().quiet();
            }
            else
            {
                Pe.await(() -> 1 == shmem.signalFetch(signal, 0), "signal");
            }

            shmem.barrierAll();
        });
    }

    private static void run(final TransportKind transport, final PeTask task) throws Exception
    {
        TestMemory.root();
        Shmem.runLocal(
            2,
            new Shmem.Context().transport(transport).heapSize(1 << 20).progressMode(ProgressMode.INVOKER),
            task);
    }

    /**
     * PE 1 holds each lock while it needs PE 0, which only tests that lock; some of the locks live on PE 0 itself.
     */
    private static void testLocksThatTheOtherHolds(final Shmem shmem)
    {
        final int locks = 16;
        final SymmetricBuffer words = shmem.calloc(locks + 1, Long.BYTES);
        final long flag = (long)locks * Long.BYTES;
        for (int i = 0; i < locks; i++)
        {
            final long lock = (long)i * Long.BYTES;
            if (1 == shmem.myPe())
            {
                shmem.lock(words, lock);
                shmem.defaultContext().putLong(words, flag, i + 1, 0);
                for (int request = 0; request < 10; request++)
                {
                    assertEquals(i + 1, shmem.defaultContext().getLong(words, flag, 0));
                }
            }
            else
            {
                shmem.waitUntilLong(words, flag, Comparison.EQ, i + 1);
                Pe.await(() -> shmem.testLock(words, lock), "lock " + lock);
            }

            shmem.unlock(words, lock);
            shmem.barrierAll();
        }
    }
}
