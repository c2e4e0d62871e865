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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.job.JobFailure;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class ProcessLifecycleTest
{
    private static final JobFailure FAILURE = new JobFailure(JobFailure.Kind.PE_DIED, 1, -1, "PE 1 died");

    private final ProcessLifecycle lifecycle = new ProcessLifecycle(Pause.SYSTEM);

    @Test
    void shouldLetTheLastPeRelease()
    {
        assertEquals(1, lifecycle.enter());
        assertEquals(2, lifecycle.enter());
        assertFalse(lifecycle.leave());
        assertTrue(lifecycle.isOpen());
        assertEquals(1, lifecycle.entered());

        assertTrue(lifecycle.leave());
        assertFalse(lifecycle.isOpen());
        assertTrue(lifecycle.isReleasing());
        lifecycle.keepFailure(FAILURE);
        lifecycle.released();

        assertFalse(lifecycle.isReleasing());
        assertTrue(lifecycle.hasEnded());
        assertSame(FAILURE, lifecycle.failure());
        assertEquals(0, lifecycle.enter());
        assertEquals(0, lifecycle.entered());
    }

    @Test
    void shouldNotEndBeforeAPeHasEntered()
    {
        assertFalse(lifecycle.hasEnded());
        assertTrue(lifecycle.isOpen());
        assertNull(lifecycle.failure());
    }

    @Test
    void shouldAbandonWhatIsOpenIfTheConditionHolds()
    {
        lifecycle.enter();
        assertFalse(lifecycle.abandon(() -> false));
        assertTrue(lifecycle.isOpen());

        assertTrue(lifecycle.abandon(() -> true));
        assertTrue(lifecycle.isReleasing());
        assertFalse(lifecycle.abandon(() -> true), "once");
        lifecycle.released();
        assertTrue(lifecycle.hasEnded());
        assertFalse(lifecycle.abandon(() -> true));
    }

    @Test
    void shouldReleaseTheRestWhenTheLastPeLeavesAnAbandonedJob()
    {
        lifecycle.enter();
        lifecycle.enter();
        lifecycle.abandon(() -> true);
        lifecycle.released();

        assertFalse(lifecycle.leave());
        assertTrue(lifecycle.hasEnded());
        assertTrue(lifecycle.leave());
        lifecycle.released();
        assertTrue(lifecycle.hasEnded());
    }

    @Test
    void shouldNotAbandonWhatIsReleased()
    {
        lifecycle.enter();
        lifecycle.leave();

        assertFalse(lifecycle.abandon(() -> true), "and does not wait");
    }

    @Test
    void shouldLetOthersWaitForTheReleaseWhichTheReleasingThreadDoesNot()
    {
        lifecycle.enter();
        lifecycle.leave();
        assertTrue(lifecycle.hasEnded(), "for a listener that the releasing thread calls");
        assertEquals(0, lifecycle.enter());

        final List<CompletableFuture<Object>> waits = new ArrayList<>();
        waits.add(onThread(ProcessLifecycle::enter));
        waits.add(onThread(ProcessLifecycle::hasEnded));
        waits.add(onThread((each) ->
        {
            Thread.currentThread().interrupt();
            return each.hasEnded() && Thread.currentThread().isInterrupted();
        }));
        lifecycle.keepFailure(FAILURE);
        waits.forEach((wait) -> assertFalse(wait.isDone()));
        lifecycle.released();

        assertEquals(List.of(0, true, true), waits.stream().map(CompletableFuture::join).toList());
    }

    private CompletableFuture<Object> onThread(final Function<ProcessLifecycle, Object> action)
    {
        final CompletableFuture<Thread> started = new CompletableFuture<>();
        final CompletableFuture<Object> result = CompletableFuture.supplyAsync(
            () ->
            {
                started.complete(Thread.currentThread());
                return action.apply(lifecycle);
            },
            (task) -> new Thread(task).start());
        final Thread thread = started.join();
        while (Thread.State.TIMED_WAITING != thread.getState())
        {
            Thread.onSpinWait();
        }

        return result;
    }
}
