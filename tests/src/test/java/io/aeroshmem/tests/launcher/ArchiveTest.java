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
package io.aeroshmem.tests.launcher;

import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.tools.AeroShmemCommand;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** A file from which the JVMs of PEs map their classes. */
@Tag("ci")
@Tag("waits")
@Tag("jdk")
class ArchiveTest
{
    private static final String SHARED = "io.aeroshmem.Shmem source: shared objects file";

    private static final int ATTEMPTS = 20;

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @TempDir
    private Path folder;

    @Test
    void shouldMapTheClassesThatTheFirstPeHasWritten() throws Exception
    {
        final Path archive = folder.resolve("an archive");
        final CommandProcess first = run(archive);
        assertTrue(Files.exists(archive) && Files.size(archive) > 0, first::toString);

        final CommandProcess second = run(archive);
        assertTrue(classesOf(0, second).contains(SHARED), second::toString);
        assertTrue(classesOf(1, second).contains(SHARED), second::toString);
    }

    /** A part of the file would stay, and be of no use. */
    @Test
    void shouldLeaveNoFileIfItsWriterIsKilled() throws Exception
    {
        final Path archives = Files.createDirectory(folder.resolve("archives"));
        int exitCode = 0;
        for (int i = 0; 0 == exitCode; i++)
        {
            assertTrue(i < ATTEMPTS, "the file was always complete before the kill");
            final Path archive = archives.resolve("archive-" + i);
            exitCode = killWriter(archive);
            try (Stream<Path> files = Files.list(archives))
            {
                assertEquals(0 == exitCode ? List.of(archive) : List.of(), files.toList());
            }

            Files.deleteIfExists(archive);
        }
    }

    /** Returns the exit code of a job whose PE 0 is killed when it has begun to write. */
    private int killWriter(final Path archive) throws Exception
    {
        try (CommandProcess run = CommandProcess.startJava(root.path(), Map.of(), AeroShmemCommand.class.getName(),
            "run", "-n", "1", "--archive", archive.toString(), "io.aeroshmem.samples.HelloPe"))
        {
            while (run.toHandle().children().findAny().isEmpty())
            {
                Thread.onSpinWait();
            }

            final ProcessHandle writer = run.toHandle().children().findAny().orElseThrow();
            while (writer.isAlive() && isEmpty(archive.getParent()))
            {
                Thread.onSpinWait();
            }

            // on a busy machine an AOT cache may be made already, by a child of the writer
            final List<ProcessHandle> makers = writer.descendants().toList();
            writer.destroyForcibly();
            makers.forEach(ProcessHandle::destroyForcibly);
            run.awaitExit();
            return run.exitCode();
        }
    }

    private static boolean isEmpty(final Path directory) throws IOException
    {
        try (DirectoryStream<Path> files = Files.newDirectoryStream(directory))
        {
            return !files.iterator().hasNext();
        }
    }

    @Test
    void shouldRunWithoutAFileThatIsNotOne() throws Exception
    {
        final Path archive = Files.writeString(folder.resolve("no archive"), "text");
        assertFalse(classesOf(0, run(archive)).contains(SHARED));
    }

    /** The JVM says nothing where the program prints. */
    private CommandProcess run(final Path archive) throws Exception
    {
        final CommandProcess run = CommandProcess.startJava(root.path(), Map.of(), AeroShmemCommand.class.getName(),
            "run", "-n", "2", "--archive", archive.toString(),
            "-J-Xlog:class+load:file=" + folder.resolve("classes-{pe}.txt"), "io.aeroshmem.samples.HelloPe");
        run.awaitExit();
        assertEquals(0, run.exitCode(), run::toString);
        final List<String> lines = run.output().stream().sorted().toList();
        assertEquals(List.of("PE 0 of 2: greeted by PE 1", "PE 1 of 2: greeted by PE 0",
            "sum of all PE numbers: 1"), lines, run::toString);
        return run;
    }

    private String classesOf(final int pe, final CommandProcess run) throws Exception
    {
        final Path file = folder.resolve("classes-" + pe + ".txt");
        assertTrue(Files.exists(file), run::toString);
        return Files.readString(file);
    }
}
