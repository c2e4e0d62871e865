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

import java.io.IOException;
import java.util.regex.Pattern;

/**
 * Starts a process. The JDK starts a helper process, which then executes the program. If the helper is killed, nothing
 * of the program has run, and another one is started.
 */
final class ProcessStart
{
    private static final int MAX_ATTEMPTS = 5;
    private static final Pattern KILLED_HELPER = Pattern.compile("spawn helper: pid: \\d+, signal: \\d+");

    private ProcessStart()
    {
    }

    static Process of(final ProcessBuilder builder) throws IOException
    {
        return of(builder::start);
    }

    static Process of(final Attempt attempt) throws IOException
    {
        for (int number = 1;; number++)
        {
            try
            {
                return attempt.start();
            }
            catch (final IOException ex)
            {
                if (MAX_ATTEMPTS == number || !KILLED_HELPER.matcher(String.valueOf(ex.getMessage())).find())
                {
                    throw ex;
                }
            }
        }
    }

    /** Starts a process, or reports why it does not start. */
    @FunctionalInterface
    interface Attempt
    {
        Process start() throws IOException;
    }
}
