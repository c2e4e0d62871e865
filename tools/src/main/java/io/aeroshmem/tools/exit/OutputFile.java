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

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Checks that a command can write its output file. A command calls {@link #check} before it begins the work whose
 * results go into the file.
 */
public final class OutputFile
{
    private OutputFile()
    {
    }

    /**
     * Checks the name of a file, and that it can be written.
     *
     * @param option     that names the file.
     * @param extensions of which the name must have one.
     * @throws CommandException if the name ends with none of them or is that of a directory, or if the directory of the
     *                          file is missing or either cannot be written.
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
        if (Files.isDirectory(file))
        {
            throw CommandException.usage(option + " must be a file, not a directory" + given);
        }
        if (!Files.isWritable(Files.exists(file) ? file : parent))
        {
            throw CommandException.usage(option + " must be a file that can be written" + given);
        }
    }
}
