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
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeroshmem.Bootstrap;
import io.aeroshmem.Shmem;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.JobViews;
import io.aeroshmem.transport.job.PeCounter;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The training of the library's code inside init. */
@Timeout(60)
class WarmUpTest
{
    private static final int HEAP = 1 << 20;
    private static final int BLOCK = HEAP / 2;
    private static final int CALLS = 1000;
    /** Calls and messages of the set-up itself; the training makes thousands. */
    private static final int FEW = 100;
    /** Less than the puts of a round of the training, and more than a job takes to begin. */
    private static final long MANY_BYTES = 256 << 10;
    private static final List<PeCounter> COUNTERS = List.of(
        PeCounter.PUTS, PeCounter.GETS, PeCounter.ATOMICS, PeCounter.SIGNALS, PeCounter.ERRORS);
    private static final Duration WARM_UP = Duration.ofMillis(300);

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @ParameterizedTest
    @EnumSource(names = {"MAPPED", "IPC", "UDP"})
    void shouldTrainBeforeInitReturnsAndLeaveNoTrace(final TransportKind transport) throws Exception
    {
        final Path root = Files.createTempDirectory(TestMemory.root(), "warm-up");
        final List<Thread> threads = new CopyOnWriteArrayList<>();
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        final long startNs = System.nanoTime();
        final Shmem.Context config = config().transport(transport).checkCollectives(false).warmUp(WARM_UP)
            .shmDirectoryName(root.toString()).errorHandler(errors::add)
            .threadFactory((task) -> added(new Thread(task), threads));
        Shmem.runLocal(2, config, (shmem) ->
        {
            final long initNs = System.nanoTime() - startNs;
            assertTrue(initNs >= WARM_UP.toNanos(), () -> "init took " + initNs + " ns");
            assertTrue(threads.stream().filter((thread) -> !thread.isAlive()).count() >= 2, threads::toString);
            final SymmetricBuffer block = shmem.malloc(BLOCK);
            for (int offset = 0; offset < BLOCK; offset += Long.BYTES)
            {
                assertEquals(0, block.getLong(offset));
            }

            for (int i = 0; i < CALLS; i++)
            {
                shmem.barrierAll();
            }

            if (0 == shmem.myPe())
            {
                final JobViews jobs = new JobViews(root, "");
                Pe.await(() -> hasCollectives(jobs), "the number of collectives");
                assertEquals(1, jobs.snapshots().size());
                // over messages a barrier is a signal
                jobs.snapshots().get(0).pes().forEach((pe) -> COUNTERS.forEach((counter) ->
                    assertTrue(pe.counter(counter) < CALLS + FEW, () -> counter + " " + pe.counter(counter))));
            }

            shmem.barrierAll();
        });
        assertEquals(List.of(), errors);
        try (Stream<Path> left = Files.list(root))
        {
            assertEquals(List.of(), left.toList());
        }

        Files.delete(root);
    }

    @Test
    void shouldTrainTheDriverOfAJobOverUdp() throws Exception
    {
        try (TestDriver driver = TestDriver.launch();
            Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.directory())))
        {
            final Shmem.Context config = config().transport(TransportKind.UDP).warmUp(WARM_UP)
                .shmDirectoryName(TestMemory.root().toString()).aeronDirectoryName(driver.directory());
            Shmem.runLocal(2, config, (shmem) ->
            {
                final long bytes = aeron.countersReader().getCounterValue(SystemCounterDescriptor.BYTES_SENT.id());
                assertTrue(bytes > MANY_BYTES, () -> bytes + " bytes by UDP");
                shmem.barrierAll();
            });
        }
    }

    /** Returns whether the sampled number of collectives is that of the calls and of the start, and no others. */
    private static boolean hasCollectives(final JobViews jobs)
    {
        jobs.update();
        return jobs.snapshots().get(0).pes().stream().allMatch((pe) ->
            pe.counter(PeCounter.COLLECTIVES) >= CALLS && pe.counter(PeCounter.COLLECTIVES) < CALLS + FEW);
    }

    private static Thread added(final Thread thread, final List<Thread> threads)
    {
        thread.setDaemon(true);
        threads.add(thread);
        return thread;
    }

    private static Shmem.Context config()
    {
        return new Shmem.Context().heapSize(HEAP);
    }

    @Test
    void shouldTrainBothPathsOfAPeOnSeveralNodes() throws Exception
    {
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        final Bootstrap[] pes = Bootstrap.inProcess(3);
        final Thread[] threads = new Thread[pes.length];
        for (int pe = 0; pe < pes.length; pe++)
        {
            final Shmem.Context config = config().bootstrap(pes[pe]).nodeName(pe < 2 ? "a" : "b").warmUp(WARM_UP)
                .shmDirectoryName(TestMemory.root().toString()).errorHandler(errors::add);
            threads[pe] = new Thread(() ->
            {
                try
                {
                    Shmem.run(config, Shmem::barrierAll);
                }
                catch (final Exception ex)
                {
                    errors.add(ex);
                }
            });
            threads[pe].start();
        }

        for (final Thread thread : threads)
        {
            thread.join();
        }

        assertEquals(List.of(), errors);
    }

    /** The job itself fits. */
    @Test
    void shouldDoWithoutATrainingThatDoesNotFitIntoMemory() throws Exception
    {
        final List<Throwable> errors = new CopyOnWriteArrayList<>();
        root.limit(44 << 20);
        Shmem.runLocal(2, new Shmem.Context().transport(TransportKind.UDP).heapSize(8 << 20).termLength(1 << 20)
            .shmDirectoryName(root.path().toString()).errorHandler(errors::add).warmUp(WARM_UP), (shmem) ->
                shmem.barrierAll());

        assertEquals(1, errors.size(), errors::toString);
        assertTrue(errors.get(0).getMessage().matches(
            "init does without the warm-up: 2 PEs need .* of shared memory \\(.*, warm-ups of .* MiB\\): .* free; .*"),
            errors::toString);
    }

    @Test
    void shouldGoOnWithoutATrainingThatIsNotPossible()
    {
        final AtomicReference<Throwable> error = new AtomicReference<>();
        final Shmem.Context config = config().bootstrap(Bootstrap.inProcess(1)[0]).warmUp(WARM_UP)
            .shmDirectoryName(TestMemory.root().toString())
            .errorHandler(error::set)
            .threadFactory((task) -> isOfTraining() ? rejected() : new Thread(task));
        try (Shmem shmem = Shmem.init(config))
        {
            shmem.barrierAll();
        }

        assertTrue(error.get().getMessage().startsWith("the warm-up over mapped ended early: no threads"),
            () -> error.get().toString());
    }

    /** Returns whether the caller makes a thread for the training. */
    private static boolean isOfTraining()
    {
        return StackWalker.getInstance().walk((frames) -> frames.anyMatch(
            (frame) -> "io.aeroshmem.WarmUp".equals(frame.getClassName())));
    }

    private static Thread rejected()
    {
        throw new IllegalStateException("no threads");
    }

    @Test
    void shouldEndWhenItIsInterrupted() throws Exception
    {
        final AtomicReference<Throwable> error = new AtomicReference<>();
        final AtomicReference<Boolean> isFlagged = new AtomicReference<>();
        final CountDownLatch training = new CountDownLatch(1);
        final Shmem.Context config = config().bootstrap(Bootstrap.inProcess(1)[0]).warmUp(Duration.ofSeconds(50))
            .shmDirectoryName(TestMemory.root().toString())
            .threadFactory((task) ->
            {
                if (isOfTraining())
                {
                    training.countDown();
                }

                return new Thread(task);
            });
        final Thread thread = new Thread(() ->
        {
            try
            {
                Shmem.init(config).close();
            }
            catch (final RuntimeException ex)
            {
                error.set(ex);
                isFlagged.set(Thread.currentThread().isInterrupted());
            }
        });
        thread.start();
        training.await();
        thread.interrupt();
        thread.join(20_000);

        assertInstanceOf(ShmemInterruptedException.class, error.get());
        assertTrue(isFlagged.get());
    }

    @Test
    void shouldRejectATimeInWhichTheOthersNoLongerWait()
    {
        final Shmem.Context config = config().joinTimeoutNs(1_000_000_000).warmUp(Duration.ofSeconds(1));

        assertTrue(assertThrows(IllegalArgumentException.class, config::conclude).getMessage().contains(
            "warmUp must be < joinTimeoutNs: warmUp=1000000000 (aeroshmem.warmup), joinTimeoutNs=1000000000"));
    }
}
