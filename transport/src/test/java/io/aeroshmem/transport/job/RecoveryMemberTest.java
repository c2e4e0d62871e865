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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The processes of PE 0 of a recoverable job without a launcher. Each ends by {@link RecoveryMember#abandon()}, which
 * releases the PE as the end of the process does.
 */
@Timeout(60)
class RecoveryMemberTest
{
    private static final String JOB = "0123456789abcdef0123456789abcdef";
    private static final long RETAIN_NS = TimeUnit.SECONDS.toNanos(60);
    private static final JobFailure DEATH = new JobFailure(JobFailure.Kind.PE_DIED, 1, 137, "PE 1\ndied");

    @TempDir(factory = SharedMemory.class)
    private Path root;

    @Test
    void shouldKnowWhatTheProcessBeforeHasWritten()
    {
        final RecoveryMember first = join(0);
        assertEquals(PreviousGeneration.NONE, first.known());
        first.enter(first.known());
        assertEquals(0, first.known().number());
        first.run();
        first.leave(DEATH);
        first.abandon();

        final RecoveryMember second = join(0);
        assertEquals(PreviousGeneration.of(0, DEATH), second.known());
        second.enter(second.known());
        assertEquals(1, second.known().number());
        second.abandon();

        final RecoveryMember third = join(0);
        assertEquals(new PreviousGeneration(1, 0, null), third.known());
        third.leave(null);
    }

    @Test
    void shouldKeepMemoryOfTheLastGenerationThatRan() throws IOException
    {
        final Path heap = runWithHeap(0);
        // a generation that not all have entered, which others do not know
        final RecoveryMember second = join(0);
        second.enter(PreviousGeneration.of(0, DEATH));
        second.abandon();
        final RecoveryMember third = join(0);
        third.enter(new PreviousGeneration(4, 0, DEATH));
        assertTrue(Files.exists(heap));
        third.abandon();

        // the others know that it ran
        final RecoveryMember fourth = join(0);
        fourth.enter(new PreviousGeneration(5, 5, DEATH));
        assertTrue(Files.exists(heap));
        fourth.leave(null);
        assertFalse(Files.exists(heap));
    }

    @Test
    void shouldNotUseMemoryThatIsOlderThanThatOfOthers() throws IOException
    {
        final Path heap = runWithHeap(0);
        final RecoveryMember back = join(0);
        back.enter(new PreviousGeneration(7, 6, DEATH));
        assertEquals(8, back.known().number());
        assertFalse(Files.exists(heap));
        back.leave(null);
    }

    @Test
    void shouldHaveOneProcessAtATime()
    {
        final RecoveryMember first = join(0);
        final String message = assertThrows(TransportException.class, () -> RecoveryMember.join(
            root, JOB, 0, RETAIN_NS, TimeUnit.MILLISECONDS.toNanos(50), Pause.SYSTEM)).getMessage();
        assertTrue(message.startsWith("another process of PE 0 of this recoverable job is alive, and has not ended" +
            " within 50 ms"), message);
        first.abandon();
        join(0).leave(null);
    }

    @Test
    void shouldAwaitProcessesOfPesThatAreElsewhereNow()
    {
        final RecoveryMember here = join(0);
        final RecoveryMember other = join(1);
        here.awaitOthers(new int[]{0, 1}, 1, Pause.SYSTEM);
        final String message = assertThrows(TransportException.class, () -> here.awaitOthers(
            new int[]{0}, TimeUnit.MILLISECONDS.toNanos(50), Pause.SYSTEM)).getMessage();
        assertTrue(message.contains("proc-pe-1.lock"), message);
        other.abandon();
        here.awaitOthers(new int[]{0}, 1, Pause.SYSTEM);
        here.leave(null);
    }

    @Test
    void shouldLeaveNothingAfterTheEndOfTheJob() throws IOException
    {
        final RecoveryMember zero = join(0);
        final RecoveryMember one = join(1);
        zero.leave(null);
        assertEquals(1, directories().size());
        one.leave(new JobFailure(JobFailure.Kind.GLOBAL_EXIT, 1, 3, "exit"));
        assertEquals(List.of(), directories());
    }

    /** The last to leave removes the directory; at the same time none may be the last, or both. */
    @Test
    void shouldLeaveNothingWhenAllLeaveAtOnce() throws Exception
    {
        for (int i = 0; i < 200; i++)
        {
            final RecoveryMember zero = join(0);
            final RecoveryMember one = join(1);
            final CompletableFuture<Void> other = CompletableFuture.runAsync(() -> one.leave(null));
            zero.leave(null);
            other.get();
            assertEquals(List.of(), directories());
        }
    }

    @Test
    void shouldBeCleanedAfterItsLeaseOnly() throws IOException
    {
        join(0).abandon();
        assertEquals(List.of(), JobCleaner.clean(root));
        final RecoveryMember held =
            RecoveryMember.join(root, JOB, 0, TimeUnit.MILLISECONDS.toNanos(1), RETAIN_NS, Pause.SYSTEM);
        assertEquals(List.of(), JobCleaner.clean(root));
        held.abandon();
        while (JobCleaner.clean(root).isEmpty())
        {
            Thread.onSpinWait();
        }

        assertEquals(List.of(), directories());
    }

    private RecoveryMember join(final int pe)
    {
        return RecoveryMember.join(root, JOB, pe, RETAIN_NS, RETAIN_NS, Pause.SYSTEM);
    }

    private Path runWithHeap(final int pe) throws IOException
    {
        final RecoveryMember member = join(pe);
        final Path heap = member.enter(member.known()).directory().resolve(JobDirectory.heapName(pe));
        member.run();
        Files.createFile(heap);
        member.leave(DEATH);
        member.abandon();
        return heap;
    }

    private List<Path> directories() throws IOException
    {
        try (Stream<Path> found = Files.walk(root))
        {
            return found.filter((path) -> path.getFileName().toString().startsWith("recovery-")).toList();
        }
    }
}
