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
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The location of the log of this process, which is quoted when the death of the process is reported.
 */
public final class ProcessLog
{
    private static final Path STANDARD_ERROR = Path.of("/proc/self/fd/2");
    private static final Path STANDARD_OUTPUT = Path.of("/proc/self/fd/1");
    private static final String UNKNOWN = "its standard error";

    private ProcessLog()
    {
    }

    /**
     * Returns the path of the regular file that standard error, or else standard output, is redirected to; otherwise a
     * description such as "its standard error (a pipe)".
     */
    public static String current()
    {
        try
        {
            if (Files.isRegularFile(STANDARD_ERROR))
            {
                return Files.readSymbolicLink(STANDARD_ERROR).toString();
            }

            if (Files.isRegularFile(STANDARD_OUTPUT))
            {
                return Files.readSymbolicLink(STANDARD_OUTPUT).toString();
            }

            return UNKNOWN + kindOf(Files.readSymbolicLink(STANDARD_ERROR).toString());
        }
        catch (final IOException | UnsupportedOperationException ex)
        {
            // Not Linux, or a closed descriptor.
            return UNKNOWN;
        }
    }

    private static String kindOf(final String target)
    {
        if (target.startsWith("pipe:"))
        {
            return " (a pipe)";
        }

        if (target.startsWith("socket:"))
        {
            return " (a socket)";
        }

        return target.startsWith("/dev/") ? " (" + target + ")" : "";
    }
}
