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
package io.aeroshmem.tools.launch;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** Whether a file of classes counts, which a JVM has written. */
class ClassDataArchiveTest
{
    private static final int JDK_WITH_AOT_CACHE = 25;

    @TempDir
    private Path folder;

    private Path file;
    private ClassDataArchive archive;
    private Path part;

    @BeforeEach
    void options()
    {
        file = folder.resolve("app.jsa");
        archive = new ClassDataArchive(file);
        final List<String> options = archive.options(true);
        final String last = options.get(options.size() - 1);
        part = Path.of(last.substring(last.indexOf('=') + 1));
        assertEquals(folder, part.getParent());
    }

    @ParameterizedTest
    @ValueSource(strings = { "exit 0", "exit 3", "exit 143" })
    void shouldTakeWhatAJvmHasWrittenThatEndedByItself(final String end) throws Exception
    {
        write(end);
        assertEquals(List.of(file), files());
        assertEquals("classes", Files.readString(file));
        assertEquals(List.of("-Xlog:disable", "-Xlog:all=warning:stderr",
            (Runtime.version().feature() < JDK_WITH_AOT_CACHE ? "-XX:SharedArchiveFile=" : "-XX:AOTCache=") + file),
            archive.options(true));
    }

    @ParameterizedTest
    @ValueSource(strings = { "kill -KILL $$", "kill -SEGV $$" })
    void shouldLeaveNothingOfAJvmThatWasKilled(final String end) throws Exception
    {
        write(end);
        assertEquals(List.of(), files());
    }

    /** A JVM does not fail with the one that it lets write the file, and does not remove the recording then. */
    @ParameterizedTest
    @ValueSource(strings = { "exit 0", "exit 143", "kill -KILL $$", "kill -SEGV $$" })
    void shouldLeaveNothingOfARecordingOfWhichNoFileWasMade(final String end) throws Exception
    {
        Files.writeString(part.resolveSibling(part.getFileName() + ".config"), "configuration");
        write(end);
        assertEquals(List.of(), files());
    }

    @Test
    void shouldNotTakeWhatAnEarlierJvmHasWrittenThatWasKilled() throws Exception
    {
        final Process killed = process("printf part > '" + part + "'; kill -KILL $$");
        archive.onStart(killed);
        killed.waitFor();
        final Process next = process("exit 0");
        archive.onStart(next);
        next.waitFor();
        archive.conclude();
        assertEquals(List.of(), files());
    }

    private void write(final String end) throws Exception
    {
        final Process writer = process("printf classes > '" + part + "'; " + end);
        archive.onStart(writer);
        writer.waitFor();
        archive.conclude();
    }

    private static Process process(final String script) throws IOException
    {
        return new ProcessBuilder("sh", "-c", script).start();
    }

    private List<Path> files() throws IOException
    {
        try (Stream<Path> files = Files.list(folder))
        {
            return files.toList();
        }
    }
}
