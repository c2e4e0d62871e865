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

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads files of /proc and /sys. They report a length of 0 or of a page, and some supply their content to the first
 * read only, such as /proc/sys/kernel/overflowuid. {@code Files.readString} trusts the length: it reads one byte first,
 * and of such a file nothing more. So these files are read as streams, in one read if their content fits.
 */
public final class KernelFile
{
    private KernelFile()
    {
    }

    /**
     * Returns the content of a file.
     *
     * @throws IOException if it does not exist or cannot be read.
     */
    public static String read(final Path file) throws IOException
    {
        try (InputStream input = Files.newInputStream(file))
        {
            return new String(input.readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
