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

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * Describes file system failures for error messages. The message of the exception itself is in most cases only the name
 * of the file.
 */
public final class FileProblem
{
    private FileProblem()
    {
    }

    /** Returns what went wrong, without the name of the file if the exception has a type for it. */
    public static String describe(final IOException exception)
    {
        if (exception instanceof NoSuchFileException)
        {
            return "no such file or directory";
        }

        if (exception instanceof AccessDeniedException)
        {
            return "permission denied";
        }

        if (exception instanceof FileAlreadyExistsException)
        {
            return "a file has this name";
        }

        if (exception instanceof NotDirectoryException)
        {
            return "not a directory";
        }

        if (exception instanceof CharacterCodingException)
        {
            return "not a text in UTF-8";
        }

        final String reason =
            exception instanceof FileSystemException ? ((FileSystemException)exception).getReason() : null;
        return null != reason ? reason : null != exception.getMessage() ? exception.getMessage() : exception.toString();
    }
}
