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
package io.aeroshmem.lifecycle;

import io.aeroshmem.ShmemException;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.job.JobFailure;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class FailureNotifierTest
{
    private static final JobFailure FAILURE = new JobFailure(JobFailure.Kind.PE_FAILED, 1, -1, "PE 1 failed");
    private static final int SILENT_MS = 200;

    private final BlockingQueue<ShmemException> called = new LinkedBlockingQueue<>();
    /** The number of calls of the handler when the end of the generation was reported. */
    private final BlockingQueue<Integer> ends = new LinkedBlockingQueue<>();
    private final FailureNotifier notifier = new FailureNotifier();
    /** Counted down to let the handler's thread begin. */
    private final CountDownLatch begin = new CountDownLatch(1);

    @BeforeEach
    void open()
    {
        notifier.open(
            (task) -> new Thread(() ->
            {
                awaitBegin();
                task.run();
            }),
            List.of(
                (failure) ->
                {
                    ends.add(called.size());
                    throw new IllegalStateException("does not keep the next handler from its call");
                },
                called::add),
            Pause.SYSTEM,
            (error) -> {});
    }

    private void awaitBegin()
    {
        try
        {
            begin.await();
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    @AfterEach
    void close()
    {
        begin.countDown();
    }

    @Test
    void shouldCallTheHandlerOnce() throws Exception
    {
        begin.countDown();
        notifier.onFailure(FAILURE);
        notifier.onFailure(FAILURE);
        notifier.close(FAILURE);
        assertNotNull(called.poll(10, TimeUnit.SECONDS));
        assertNull(called.poll(SILENT_MS, TimeUnit.MILLISECONDS));
        assertEquals(List.of(0), List.copyOf(ends));
    }

    @Test
    void shouldIgnoreAFailureDuringAnOrderlyEnd() throws Exception
    {
        begin.countDown();
        notifier.hold();
        notifier.onFailure(FAILURE);
        notifier.close(null);
        notifier.onFailure(FAILURE);
        assertNull(called.poll(SILENT_MS, TimeUnit.MILLISECONDS));
    }

    @Test
    void shouldCallTheHandlerForAFailureThatPreventsAnOrderlyEnd() throws Exception
    {
        begin.countDown();
        notifier.hold();
        notifier.onFailure(FAILURE);
        assertNull(called.poll(SILENT_MS, TimeUnit.MILLISECONDS));
        notifier.close(FAILURE);
        assertNotNull(called.poll(10, TimeUnit.SECONDS));
    }

    @Test
    void shouldNotReturnFromTheCloseBeforeTheHandlerBegins() throws Exception
    {
        notifier.onFailure(FAILURE);
        final Thread closing = new Thread(() -> notifier.close(FAILURE));
        closing.start();
        while (Thread.State.TIMED_WAITING != closing.getState())
        {
            assertTrue(closing.isAlive(), "the close must wait");
            Thread.onSpinWait();
        }

        begin.countDown();
        closing.join();
        assertNotNull(called.poll(10, TimeUnit.SECONDS));
    }

    @Test
    @Tag("ci")
    void shouldNotCallTheHandlerAfterACloseThatWaitedInVain() throws Exception
    {
        notifier.onFailure(FAILURE);
        Thread.currentThread().interrupt();
        notifier.close(FAILURE);
        assertTrue(Thread.interrupted(), "the flag is kept");
        begin.countDown();
        assertNull(called.poll(SILENT_MS, TimeUnit.MILLISECONDS));
        assertEquals(0, called.size());
    }
}
