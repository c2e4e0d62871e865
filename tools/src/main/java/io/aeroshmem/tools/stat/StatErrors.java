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
package io.aeroshmem.tools.stat;

import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.format.Table;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.JobView;

import java.io.IOException;
import java.io.PrintWriter;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;

/** Prints the distinct errors of the PEs of jobs, as Aeron's ErrorStat does for a media driver. */
public final class StatErrors
{
    private StatErrors()
    {
    }

    /** Prints the errors of all PEs of this node, and reports those that cannot be read; returns the exit code. */
    public static int print(
        final PrintWriter output, final Iterable<JobView> jobs, final Consumer<String> onProblem)
    {
        int exitCode = ExitCode.OK;
        for (final JobView job : jobs)
        {
            final JobView.Snapshot snapshot = job.snapshot();
            int count = 0;
            for (final JobView.Pe pe : snapshot.pes())
            {
                final String name = "job " + snapshot.id() + " PE " + pe.pe();
                try
                {
                    count += job.errors(pe.pe(), (observations, firstMs, lastMs, text) ->
                        output.println(name + ": " + observations + " times from " + time(firstMs) + " to " +
                        time(lastMs) + System.lineSeparator() + Table.lines(text)));
                }
                catch (final IOException | TransportException ex)
                {
                    onProblem.accept("the errors of " + name + " cannot be read: " + ex.getMessage());
                    exitCode = ExitCode.FAILURE;
                }
            }

            output.println("job " + snapshot.id() + ": " + count + " distinct errors");
        }

        return exitCode;
    }

    private static Instant time(final long epochMs)
    {
        return Instant.ofEpochMilli(epochMs).truncatedTo(ChronoUnit.MILLIS);
    }
}
