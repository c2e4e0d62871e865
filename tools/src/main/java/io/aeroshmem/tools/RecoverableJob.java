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
package io.aeroshmem.tools;

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.launch.JobCommand;
import io.aeroshmem.transport.job.CommandFile;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.JobViews;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.Set;
import java.util.TreeSet;

/** The running recoverable job that an invocation of a command changes. */
final class RecoverableJob
{
    @Parameters(index = "0", paramLabel = "JOB", description = "The running job whose id, in this generation," +
        " or the id of its directory recovery-ID, begins with this (see 'stat').")
    private String id;

    @Spec(Spec.Target.MIXEE)
    private CommandSpec spec;

    private RecoverableJob()
    {
    }

    /** Sends a command to the launcher, and prints its answer; {@code failure} says what was not done if it refuses. */
    int send(final JobCommand command, final String failure)
    {
        final CommandFile.Answer answer = command.send(directory());
        if (!answer.isDone())
        {
            throw CommandException.failure(failure + ": " + answer.text());
        }

        final PrintWriter output = spec.commandLine().getOut();
        output.println(answer.text());
        output.flush();
        return ExitCode.OK;
    }

    /** Returns the directory of the job, which all of its generations have in common. */
    private Path directory()
    {
        final JobViews views = new JobViews(CleanCommand.root(), "");
        views.update();
        final Set<Path> found = new TreeSet<>();
        JobCleaner.ownedRecoveryDirectories(CleanCommand.root()).stream().filter(this::isNamed).forEach(found::add);
        for (final JobView.Snapshot job : views.snapshots())
        {
            final Path recovery = null == job.retained() ? null : job.retained().directory();
            if (null != recovery && (job.id().startsWith(id) || isNamed(recovery)))
            {
                found.add(recovery);
            }
        }

        if (1 != found.size())
        {
            throw CommandException.failure(found.isEmpty() ?
                "no recoverable job runs on this host whose id begins with '" + id + "'" :
                found.size() + " jobs have ids that begin with '" + id + "'");
        }

        return found.iterator().next();
    }

    private boolean isNamed(final Path recovery)
    {
        return recovery.getFileName().toString().startsWith("recovery-" + id);
    }
}
