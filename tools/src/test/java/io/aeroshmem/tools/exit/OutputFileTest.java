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
package io.aeroshmem.tools.exit;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class OutputFileTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldReplaceAFileAsAWhole() throws IOException
    {
        final Path file = directory.resolve("plot.svg");
        Files.writeString(file, "before, which is longer");
        final Object before = Files.getAttribute(file, "unix:ino");

        OutputFile.write(file, bytes("after"));

        assertEquals("after", Files.readString(file));
        assertTrue(!before.equals(Files.getAttribute(file, "unix:ino")), "not written in place");
        assertEquals(List.of(file), files());
    }

    @Test
    void shouldReplaceTheTargetOfALink() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("plot.svg"), "before");
        final Path link = Files.createSymbolicLink(directory.resolve("link.svg"), file);

        OutputFile.write(link, bytes("after"));

        assertEquals("after", Files.readString(file));
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void shouldWriteWhatALinkIntoAnotherDirectoryNames() throws IOException
    {
        final Path file = Files.createDirectory(directory.resolve("other")).resolve("plot.svg");
        final Path link = Files.createSymbolicLink(directory.resolve("link.svg"), Path.of("other", "plot.svg"));

        OutputFile.check("--plot", link, ".svg");
        OutputFile.write(link, bytes("new"));
        assertEquals("new", Files.readString(file));
        OutputFile.write(link, bytes("after"));
        assertEquals("after", Files.readString(file));
        assertTrue(Files.isSymbolicLink(link));
    }

    @Test
    void shouldKeepTheMode() throws IOException
    {
        final Path file = Files.writeString(directory.resolve("plot.svg"), "before");
        final Set<PosixFilePermission> mode = PosixFilePermissions.fromString("rw-rw--w-");
        Files.setPosixFilePermissions(file, mode);

        OutputFile.write(file, bytes("after"));

        assertEquals(mode, Files.getPosixFilePermissions(file));
    }

    /** Beside a file with so long a name there can be none with a longer one. */
    @Test
    void shouldWriteInPlaceWhereNoOtherFileCanBe() throws IOException
    {
        final Path file = directory.resolve("x".repeat(251) + ".svg");
        Files.writeString(file, "before, which is longer");
        final Object before = Files.getAttribute(file, "unix:ino");

        OutputFile.write(file, bytes("after"));

        assertEquals("after", Files.readString(file));
        assertEquals(before, Files.getAttribute(file, "unix:ino"));
    }

    /** A part on another file system cannot be renamed. */
    @Test
    void shouldWriteInPlaceWhatCannotBeRenamed() throws IOException
    {
        final Path part = Files.writeString(
            Files.createTempFile(Path.of("/dev/shm"), "aeroshmem-test-", OutputFile.PART), "after");
        final Path file = Files.writeString(directory.resolve("plot.svg"), "before, which is longer");

        OutputFile.complete(part, file);

        assertEquals("after", Files.readString(file));
        assertTrue(!Files.exists(part));
    }

    @Test
    void shouldNeitherReplaceNorAwaitAFifo() throws Exception
    {
        final Path fifo = directory.resolve("plot.svg");
        assertEquals(0, new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor());
        final Path link = Files.createSymbolicLink(directory.resolve("link.svg"), fifo);
        for (final Path file : List.of(fifo, link))
        {
            final CommandException ex =
                assertThrows(CommandException.class, () -> OutputFile.write(file, bytes("after")));
            assertEquals("cannot write " + file + ": not a file", ex.getMessage());
        }

        assertTrue(!Files.isRegularFile(fifo));
        assertEquals(Set.of(fifo, link), Set.copyOf(files()));
    }

    @Test
    void shouldNameAFileThatCannotBeWritten()
    {
        final Path file = directory.resolve("missing").resolve("plot.svg");
        final CommandException ex =
            assertThrows(CommandException.class, () -> OutputFile.write(file, bytes("after")));
        assertEquals("cannot write " + file + ": no such file or directory", ex.getMessage());
        assertEquals(ExitCode.FAILURE, ex.exitCode());
    }

    @Test
    void shouldRejectADevice()
    {
        final CommandException ex = assertThrows(
            CommandException.class, () -> OutputFile.check("--plot", Path.of("/dev/null"), "null"));
        assertEquals("--plot must be a file, not a directory or a device: --plot=/dev/null", ex.getMessage());
    }

    private static byte[] bytes(final String text)
    {
        return text.getBytes(StandardCharsets.UTF_8);
    }

    private List<Path> files() throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.toList();
        }
    }
}
