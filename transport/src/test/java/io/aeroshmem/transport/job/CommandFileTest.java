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

import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class CommandFileTest
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(60);
    private static final CommandFile.Answer BUSY = new CommandFile.Answer(false, "another command is under way");

    @TempDir(factory = SharedMemory.class)
    private Path root;
    private RecoveryDirectory directory;
    private CommandFile file;

    @BeforeEach
    void before()
    {
        directory = RecoveryDirectory.create(root, TIMEOUT_NS);
        file = CommandFile.create(directory.path());
    }

    @AfterEach
    void after()
    {
        directory.close();
    }

    @Test
    void shouldAnswerOneCommandAfterTheOther()
    {
        for (int i = 0; i < 3; i++)
        {
            assertFalse(file.isWanted());
            assertEquals(List.of(), file.take());
            final List<String> words = List.of("replace", Integer.toString(i), "", "-Da=b c");
            final CompletableFuture<CommandFile.Answer> answer = send(words);
            await();
            assertEquals(words, file.take());
            assertFalse(answer.isDone());
            file.answer(1 != i, "number " + i);
            assertEquals(new CommandFile.Answer(1 != i, "number " + i), answer.join());
            file.answer(true, "none was taken");
        }
    }

    @Test
    void shouldRefuseASecondCommand()
    {
        final CompletableFuture<CommandFile.Answer> first = send(List.of("a"));
        await();
        assertEquals(BUSY, CommandFile.send(directory.path(), TIMEOUT_NS, List.of("b")));
        assertEquals(List.of("a"), file.take());
        assertEquals(BUSY, CommandFile.send(directory.path(), TIMEOUT_NS, List.of("b")));
        file.answer(true, "done");
        assertTrue(first.join().isDone());
    }

    @Test
    void shouldWithdrawACommandThatIsNotTaken()
    {
        assertEquals(
            new CommandFile.Answer(false, "the launcher did not take the command within 20 ms: not all PEs run"),
            CommandFile.send(directory.path(), TimeUnit.MILLISECONDS.toNanos(20), List.of("a")));
        assertFalse(file.isWanted());
        assertEquals(List.of(), file.take());
    }

    @Test
    void shouldNoticeTheEndOfTheJob()
    {
        final CompletableFuture<CommandFile.Answer> waiting = send(List.of("a"));
        await();
        directory.close();
        assertEquals(new CommandFile.Answer(false, "the job has ended"), waiting.join());
        assertTrue(CommandFile.send(directory.path(), TIMEOUT_NS, List.of("a")).text().startsWith(
            "the job takes no commands: "));

        before();
        final CompletableFuture<CommandFile.Answer> taken = send(List.of("a"));
        await();
        file.take();
        directory.close();
        assertEquals("the job has ended before the command was performed", taken.join().text());
    }

    @Test
    void shouldUseNoFileThatOthersCanOpen() throws Exception
    {
        final Path path = directory.path().resolve("command");
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-rw----"));
        assertThrows(TransportException.class, () -> CommandFile.send(directory.path(), TIMEOUT_NS, List.of("a")));
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString("rw-------"));
        Files.write(path, new byte[8]);
        assertThrows(TransportException.class, () -> CommandFile.send(directory.path(), TIMEOUT_NS, List.of("a")));
        assertThrows(IllegalArgumentException.class,
            () -> CommandFile.send(directory.path(), TIMEOUT_NS, List.of("a".repeat(1 << 16))));
    }

    private CompletableFuture<CommandFile.Answer> send(final List<String> words)
    {
        return CompletableFuture.supplyAsync(() -> CommandFile.send(directory.path(), TIMEOUT_NS, words));
    }

    private void await()
    {
        while (!file.isWanted())
        {
            Thread.onSpinWait();
        }
    }
}
