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

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.function.Consumer;

/**
 * Output file of a command. A command calls {@link #check} before it begins the work whose results go into the file,
 * and {@link #write} after it.
 */
public final class OutputFile
{
    /** End of the name of a file that is not complete. */
    public static final String PART = ".part";

    private OutputFile()
    {
    }

    /**
     * Checks the name of a file, and that it can be written.
     *
     * @param option     that names the file.
     * @param extensions of which the name must have one.
     * @throws CommandException if the name ends with none of them or is that of something other than a file, or if the
     *                          directory of the file is missing or either cannot be written.
     */
    public static void check(final String option, final Path file, final String... extensions)
    {
        final String given = ": " + option + "=" + file;
        if (Arrays.stream(extensions).noneMatch(file.toString()::endsWith))
        {
            throw CommandException.usage(option + " must end with " + String.join(" or ", extensions) + given);
        }

        final Path parent = file.toAbsolutePath().getParent();
        if (null == parent || !Files.isDirectory(parent))
        {
            throw CommandException.usage(option + " must be in an existing directory" + given);
        }
        if (Files.exists(file) && !Files.isRegularFile(file))
        {
            throw CommandException.usage(option + " must be a file, not a directory or a device" + given);
        }
        if (Files.exists(file) && !Files.isWritable(file) || !Files.isWritable(parent))
        {
            throw CommandException.usage(option + " must be a file that can be written" + given);
        }
    }

    /** Writes what is printed to a file, as {@link #write(Path, byte[])} does. */
    public static void write(final Path file, final Consumer<PrintStream> printing)
    {
        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        printing.accept(new PrintStream(text, true, StandardCharsets.UTF_8));
        write(file, text.toByteArray());
    }

    /**
     * Writes a file under another name in its directory, and then renames it: no reader sees a part, and a file that
     * cannot be written completely leaves the previous one as it was.
     *
     * @throws CommandException if it cannot be written.
     */
    public static void write(final Path file, final byte[] content)
    {
        try
        {
            // the file itself, if the name is that of a link
            final Path target = Files.exists(file) ? file.toRealPath() : file;
            final Path part =
                target.resolveSibling("." + target.getFileName() + "." + ProcessHandle.current().pid() + PART);
            try
            {
                Files.write(part, content);
                Files.move(part, target, StandardCopyOption.ATOMIC_MOVE);
            }
            finally
            {
                Files.deleteIfExists(part);
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot write " + file + ": " + FileProblem.describe(ex));
        }
    }
}
