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
package io.aeroshmem.tests.fault;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.Collective;
import io.aeroshmem.CollectiveArgs;
import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.ElementType;
import io.aeroshmem.GlobalExitException;
import io.aeroshmem.InitStatus;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.ProgressMode;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemTimeoutException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.device.DeviceModule;
import io.aeroshmem.tests.fixture.Deadlines;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.LangUtil;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.function.Executable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A close that is refused, or that ends by an exception: the other PEs end too, and nothing is left of the job.
 */
@Tag("ci")
@Tag("waits")
@Timeout(value = 900, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class FailedCloseTest
{
    private static final long HEAP_SIZE = 1 << 20;
    private static final String JOIN_TIMEOUT = "aeroshmem.join.timeout";

    @BeforeEach
    void useMemoryOfTheTests()
    {
        TestMemory.root();
    }

    @AfterEach
    void checkThatNothingIsLeft()
    {
        assertFalse(Shmem.isInitialized());
        assertTrue(TestMemory.jobs().isEmpty());
    }

    private static Shmem.Context config()
    {
        return new Shmem.Context().heapSize(HEAP_SIZE).transport(TransportKind.MAPPED);
    }

    @ParameterizedTest
    @CsvSource({"AGENT, true", "AGENT, false", "INVOKER, true", "INVOKER, false"})
    void shouldEndTheJobOfAPeWhoseCloseIsRefused(final ProgressMode progressMode, final boolean isPostedByAll)
    {
        final Shmem.Context config = config().progressMode(progressMode);
        final IllegalStateException thrown = assertThrows(
            IllegalStateException.class,
            () -> Shmem.runLocal(2, config, (shmem) ->
            {
                final SymmetricBuffer data = shmem.calloc(1, Long.BYTES);
                final CollectiveRequest request = shmem.world().request(new CollectiveArgs()
                    .collective(Collective.BROADCAST)
                    .persistent(true)
                    .source(data, 1, ElementType.LONG)
                    .dest(data, 1, ElementType.LONG)
                    .root(0));
                if (0 == shmem.myPe())
                {
                    request.post();
                }
                else
                {
                    awaitFailure();
                    if (isPostedByAll)
                    {
                        request.post();
                        request.await();
                    }
                }
            }));

        assertTrue(thrown.getMessage().contains("must not be closed while a request is in flight"), thrown::toString);
        for (final Throwable ex : thrown.getSuppressed())
        {
            assertEquals(0, assertInstanceOf(PeFailureException.class, ex).pe());
        }
    }

    /** Waits until the job has failed, by the close that is refused. */
    private static void awaitFailure()
    {
        try (JobDirectory directory = JobDirectory.open(TestMemory.jobs().get(0)))
        {
            Pe.await(directory.control()::isFailed, "the failure of the job");
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {false, true})
    void shouldLeaveWhenTheTerminationHookThrowsInAClose(final boolean isError)
    {
        final Shmem.Context config = config().terminationHook((status) ->
        {
            if (isError)
            {
                throw new LinkageError("hook");
            }

            throw new IllegalArgumentException("hook");
        });
        final Throwable thrown = assertThrows(Throwable.class, () -> Shmem.runLocal(2, config, (shmem) ->
        {
            if (1 == shmem.myPe())
            {
                Thread.sleep(200); // PE 0 is in close by then
                shmem.globalExit(3);
            }
        }));
        assertTrue(thrown instanceof GlobalExitException || "hook".equals(thrown.getMessage()), thrown::toString);
    }

    @Test
    void shouldLeaveWhenADeviceThrowsAnErrorInAClose()
    {
        final LinkageError error = new LinkageError("device");
        final LinkageError thrown = assertThrows(LinkageError.class, () -> Shmem.runLocal(2, config(), (shmem) ->
        {
            if (0 == shmem.myPe())
            {
                shmem.attach(new ClosingDevice(() ->
                {
                    throw error;
                }));
            }
        }));
        assertSame(error, thrown);
    }

    @Test
    void shouldAwaitAPeWhoseDeviceTakesLongToClose() throws Exception
    {
        System.setProperty(JOIN_TIMEOUT, "4s");
        try
        {
            Shmem.runLocal(2, config(), (shmem) ->
            {
                if (1 == shmem.myPe())
                {
                    shmem.attach(new ClosingDevice(() -> Thread.sleep(5_000)));
                }
            });
        }
        finally
        {
            System.clearProperty(JOIN_TIMEOUT);
        }
    }

    /** PE 1 leaves when the others have ended: PE 0 when its time is over, PE 2 because the job has failed. */
    @Test
    void shouldFailTheJobOfAPeThatWaitsTooLongForTheDeviceOfAnother() throws Exception
    {
        final int nPes = 3;
        final CountDownLatch othersEnded = new CountDownLatch(2);
        final Bootstrap[] bootstraps = Bootstrap.inProcess(nPes);
        final Throwable[] thrown = new Throwable[nPes];
        final Thread[] threads = new Thread[nPes];
        for (int i = 0; i < nPes; i++)
        {
            final int pe = i;
            final Shmem.Context config = config().bootstrap(bootstraps[pe])
                .operationTimeoutNs(0 == pe ? TimeUnit.MILLISECONDS.toNanos(500) : 0);
            threads[pe] = new Thread(() ->
            {
                try
                {
                    Shmem.run(config, (shmem) ->
                    {
                        if (1 == pe)
                        {
                            shmem.attach(new ClosingDevice(() ->
                                othersEnded.await(Deadlines.WAIT_S, TimeUnit.SECONDS)));
                        }
                    });
                }
                catch (final Throwable ex)
                {
                    thrown[pe] = ex;
                }
                finally
                {
                    othersEnded.countDown();
                }
            });
            threads[pe].start();
        }

        for (final Thread thread : threads)
        {
            thread.join();
        }

        assertInstanceOf(ShmemTimeoutException.class, thrown[0]);
        assertEquals(0, assertInstanceOf(PeFailureException.class, thrown[2]).pe());
    }

    /**
     * A module that does nothing but end the close of its PE in its own way.
     */
    private static final class ClosingDevice implements DeviceModule
    {
        private final Executable close;

        ClosingDevice(final Executable close)
        {
            this.close = close;
        }

        @Override
        public InitStatus initStatus()
        {
            return InitStatus.INITIALIZED;
        }

        @Override
        public void complete()
        {
        }

        @Override
        public void onClose()
        {
            try
            {
                close.execute();
            }
            catch (final Throwable ex)
            {
                LangUtil.rethrowUnchecked(ex);
            }
        }
    }
}
