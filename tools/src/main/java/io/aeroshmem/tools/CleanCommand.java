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

import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.transport.job.JobCleaner;
import io.aeroshmem.transport.job.JobDirectory;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem clean} command: removes the directories of dead jobs, those whose processes have all ended.
 */
@Command(
    name = "clean",
    description =
    {
        "Removes the directories of dead jobs: those whose launcher and PEs have all ended. " +
            "A job with a live process is never touched."
    },
    mixinStandardHelpOptions = true)
final class CleanCommand implements Callable<Integer>
{
    @Option(names = "--list", description = "Lists the jobs, live and dead, with the memory that they occupy; removes" +
        " nothing.")
    private boolean isListing;

    @Spec
    private CommandSpec spec;

    private CleanCommand()
    {
    }

    @Override
    public Integer call()
    {
        final Path root = root();
        final Map<Path, Long> inUse = DiskUsage.of(JobCleaner.directories(root));
        final List<JobCleaner.JobSummary> jobs = isListing ? JobCleaner.list(root) : JobCleaner.clean(root);
        final PrintWriter output = spec.commandLine().getOut();
        for (final JobCleaner.JobSummary job : jobs)
        {
            final String done = isListing ? "" : job.live() ? "kept " : "removed ";
            output.println(done + describe(job, inUse.get(job.directory())));
        }

        if (jobs.isEmpty())
        {
            output.println((isListing ? "no jobs in " : "no dead jobs in ") + root);
        }

        output.flush();
        return ExitCode.OK;
    }

    /** Returns the directory of all jobs. */
    static Path root()
    {
        final Path root = JobDirectory.defaultRoot();
        if (!Files.isDirectory(root))
        {
            throw CommandException.usage(
                "job root must be a directory: root=" + root + " (" + ShmemProperty.SHM_DIR.propertyName() + ")");
        }

        return root;
    }

    /** Returns the line of a job, with the bytes in use, or null if they are unknown: then the length of its files. */
    private static String describe(final JobCleaner.JobSummary job, final Long inUse)
    {
        return job.directory() + ": " + (job.live() ? "alive" : "dead") + ", " + job.nPes() + " PEs, launcher " +
            job.creatorPid() + ", created " + job.created() + ", " +
            (null == inUse ? "files of " + PropertyParser.formatSize(job.bytes()) :
            PropertyParser.formatSize(inUse) + " in use") +
            (null == job.reason() || job.reason().isEmpty() ? "" : ", " + job.reason());
    }
}
