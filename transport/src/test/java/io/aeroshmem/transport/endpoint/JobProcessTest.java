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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.bootstrap.InJvmBootstrap;
import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.ShmDirectory;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.heap.HeapListener;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.ProcessLock;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.PlainExceptions;
import org.agrona.UnsafeApi;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Release of the resources that a process holds for a job, also after failures.
 */
@Timeout(60)
class JobProcessTest extends ShmDirectory
{
    @Test
    void shouldRemoveTheJobEvenIfAHeapFileCannotBeUnlinked() throws IOException
    {
        final Endpoint endpoint = Endpoint.join(TestSettings.context(4096)
            .bootstrap(InJvmBootstrap.create(1)[0])
            .exceptions(new PlainExceptions()));
        final Path heap = files("pe-0.heap").get(0);
        Files.delete(heap);
        Files.createDirectory(heap);
        Files.createFile(heap.resolve("file"));

        assertThrows(TransportException.class, endpoint::close);
        assertEquals(List.of(), files(""));
        endpoint.close();
    }

    @Test
    void shouldLeaveNoSystemAreaIfTheHeapCannotBeCreated() throws IOException
    {
        final JobDirectory directory = JobDirectory.create(root, 1);
        final JobProcess process = new JobProcess(directory, "pid-1", new int[]{0});
        process.enter();
        process.start(TestSettings.context(4096));
        Files.createFile(directory.heapFile(0));

        assertThrows(TransportException.class, () ->
            process.createMemory(0, new MemorySizes(4096, 4096, 8192), TestSettings.context(4096)));
        assertEquals(List.of(), files("pe-0.system"));
        process.leave();
        assertEquals(List.of(), files(""));
    }

    @Test
    void shouldThrowToEveryPeWhenItCannotStart()
    {
        try (JobDirectory directory = JobDirectory.create(root, 2))
        {
            directory.lockProcess("pid-1");
            final JobProcess process = new JobProcess(directory, "pid-1", new int[]{0, 1});
            for (int pe = 0; pe < 2; pe++)
            {
                assertThrows(TransportException.class, () -> process.start(TestSettings.context(4096)));
            }

            directory.delete();
        }
    }

    /** The locks of a process that was killed are released after its memory. */
    @Test
    void shouldRemoveTheJobWhenTheKernelHasEndedAProcess() throws Exception
    {
        final JobDirectory creator = JobDirectory.create(root, 2);
        final JobDirectory directory = JobDirectory.open(creator.path());
        final ProcessLock killed = directory.lockProcess("pid-1");
        creator.close();
        final int[] polls = new int[1];
        JobProcess.clean(directory, () -> 0 == polls[0]++ % 2, Pause.SYSTEM);
        assertTrue(Files.exists(directory.path()), "held by a process that runs");

        JobProcess.clean(directory, () -> release(killed, ++polls[0]), Pause.SYSTEM);
        assertFalse(Files.exists(directory.path()));
        directory.close();
    }

    private static boolean release(final ProcessLock lock, final int polls)
    {
        if (10 == polls)
        {
            lock.close();
        }

        return true;
    }

    @Test
    void shouldCloseResourcesInReverseAndTheOthersIfOneFails()
    {
        final List<String> closed = new ArrayList<>();
        final TransportException ex = assertThrows(TransportException.class, () -> JobProcess.closeInReverse(
            () -> closed.add("a"), () -> fail(closed, "b"), () -> closed.add("c"), () -> fail(closed, "d")));

        assertEquals(List.of("d", "c", "b", "a"), closed);
        assertEquals("d", ex.getMessage());
        assertEquals("b", ex.getSuppressed()[0].getMessage());
    }

    private static void fail(final List<String> closed, final String name)
    {
        closed.add(name);
        throw new TransportException(name);
    }

    @Test
    void shouldNotBlockAReportWhileItReleases() throws Exception
    {
        final CountDownLatch releasing = new CountDownLatch(1);
        final CountDownLatch mayEnd = new CountDownLatch(1);
        final HeapListener listener = new HeapListener()
        {
            @Override
            public void onMapped(final int pe, final long address, final long length)
            {
            }

            @Override
            public void onUnmapping(final int pe, final long address, final long length)
            {
                releasing.countDown();
                try
                {
                    mayEnd.await();
                }
                catch (final InterruptedException ex)
                {
                    throw new TransportException("interrupted", ex);
                }
            }
        };
        final JobDirectory directory = JobDirectory.create(root, 1);
        final JobProcess process = new JobProcess(directory, "pid-1", new int[]{0});
        process.enter();
        process.start(TestSettings.context(4096).heapListener(listener));
        process.register(0);
        process.createMemory(0, new MemorySizes(4096, 4096, 4096), TestSettings.context(4096));
        final CompletableFuture<Void> leave =
            CompletableFuture.runAsync(process::leave, (task) -> new Thread(task).start());
        releasing.await();
        try
        {
            final JobFailure late = new JobFailure(JobFailure.Kind.PE_FAILED, 0, -1, "too late");
            CompletableFuture.runAsync(() -> process.fail(0, late), (task) -> new Thread(task).start())
                .get(10, TimeUnit.SECONDS);
        }
        finally
        {
            mayEnd.countDown();
        }

        assertThrows(TransportException.class, process::enter);
        leave.join();
        assertTrue(process.hasEnded());
        assertEquals(List.of(), files(""));
    }

    @Test
    void shouldEndTheCallOfAnotherThreadWhenThePeIsClosed() throws Exception
    {
        final Endpoint endpoint = Endpoint.join(TestSettings.context(4096)
            .bootstrap(InJvmBootstrap.create(1)[0])
            .exceptions(new PlainExceptions()));
        final CompletableFuture<Object> blocked = CompletableFuture.supplyAsync(() ->
        {
            int round = 0;
            while (true)
            {
                round = endpoint.blockingWait().idle(round, BlockingWait.NO_DEADLINE, "lock");
            }
        });
        endpoint.close();

        final ExecutionException ex = assertThrows(ExecutionException.class, blocked::get);
        assertInstanceOf(IllegalStateException.class, ex.getCause());
        assertTrue(ex.getCause().getMessage().contains("lock"), ex.getCause().getMessage());
    }

    @Test
    void shouldReportTheHeapsOfBothPesToEachOfTwoProcesses()
    {
        try (JobDirectory directory = JobDirectory.create(root, 2))
        {
            final HeapRecorder[] recorders = {new HeapRecorder(), new HeapRecorder()};
            final Endpoint[] endpoints = forEachPe((pe) ->
                Endpoint.join(heapContext(new LauncherBootstrap(directory.path(), pe, 2), recorders[pe])));
            final List<List<String>> mapped = new ArrayList<>();
            for (int pe = 0; pe < 2; pe++)
            {
                mapped.add(List.of(heap("mapped", endpoints[pe], pe), heap("mapped", endpoints[pe], 1 - pe)));
                assertEquals(mapped.get(pe), recorders[pe].events);
            }

            forEachPe((pe) ->
            {
                endpoints[pe].close();
                return endpoints[pe];
            });
            for (int pe = 0; pe < 2; pe++)
            {
                assertEquals(mapped.get(pe), recorders[pe].events.subList(0, 2));
                assertEquals(
                    Set.of(heap("unmapping", endpoints[pe], 0), heap("unmapping", endpoints[pe], 1)),
                    Set.copyOf(recorders[pe].events.subList(2, 4)));
                assertEquals(4, recorders[pe].events.size());
            }

            directory.delete();
        }
    }

    @Test
    void shouldReportAHeapOnceForAllPesOfAProcess()
    {
        final HeapRecorder recorder = new HeapRecorder();
        final PeBootstrap[] group = InJvmBootstrap.create(2);
        final Endpoint[] endpoints = forEachPe((pe) -> Endpoint.join(heapContext(group[pe], recorder)));
        assertEquals(
            Set.of(heap("mapped", endpoints[0], 0), heap("mapped", endpoints[0], 1)), Set.copyOf(recorder.events));
        assertEquals(2, recorder.events.size());

        endpoints[0].close(true);
        assertEquals(2, recorder.events.size(), "the other PE uses them");
        endpoints[1].close(true);
        assertEquals(
            Set.of(heap("unmapping", endpoints[0], 0), heap("unmapping", endpoints[0], 1)),
            Set.copyOf(recorder.events.subList(2, 4)));
        assertEquals(4, recorder.events.size());
    }

    private static EndpointContext heapContext(final PeBootstrap bootstrap, final HeapListener listener)
    {
        return TestSettings.context(8192)
            .bootstrap(bootstrap)
            .systemArenaSize(1 << 20)
            .heapListener(listener)
            .exceptions(new PlainExceptions());
    }

    private static String heap(final String event, final Endpoint endpoint, final int pe)
    {
        return event + " pe=" + pe + " address=" + endpoint.mappedAddress(Region.USER, pe) + " length=8192";
    }

    private static Endpoint[] forEachPe(final IntFunction<Endpoint> action)
    {
        final CompletableFuture<Endpoint> other = CompletableFuture.supplyAsync(
            () -> action.apply(1), (task) -> new Thread(task).start());
        return new Endpoint[]{action.apply(0), other.join()};
    }

    /** Records the heaps that are mapped, and touches them, as they are while they are reported. */
    private static final class HeapRecorder implements HeapListener
    {
        private final List<String> events = new CopyOnWriteArrayList<>();

        @Override
        public void onMapped(final int pe, final long address, final long length)
        {
            add("mapped", pe, address, length);
        }

        @Override
        public void onUnmapping(final int pe, final long address, final long length)
        {
            add("unmapping", pe, address, length);
        }

        private void add(final String event, final int pe, final long address, final long length)
        {
            UnsafeApi.putByte(address, (byte)pe);
            UnsafeApi.putByte(address + length - 1, (byte)pe);
            events.add(event + " pe=" + pe + " address=" + address + " length=" + length);
        }
    }

    private List<Path> files(final String suffix) throws IOException
    {
        try (Stream<Path> files = Files.walk(root))
        {
            return files
                .filter((file) -> Files.isRegularFile(file) && file.toString().endsWith(suffix))
                .collect(Collectors.toList());
        }
    }
}
