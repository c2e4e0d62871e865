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
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.StandardStreams;
import io.aeroshmem.tools.launch.Terminal;
import io.aeroshmem.tools.stat.OpenMetrics;
import io.aeroshmem.tools.stat.StatErrors;
import io.aeroshmem.tools.stat.StatJson;
import io.aeroshmem.tools.stat.StatLatencies;
import io.aeroshmem.tools.stat.StatOperations;
import io.aeroshmem.tools.stat.StatStreams;
import io.aeroshmem.tools.stat.StatTable;
import io.aeroshmem.tools.stat.StatWriter;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.JobViews;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;

/**
 * The {@code aeroshmem stat} command: shows the running jobs of this user on this host. It shows their state,
 * operations or latencies once or periodically, and their errors or streams once.
 */
@Command(
    name = "stat",
    description =
    {
        "Shows the running jobs of this user on this host: their state, operations or latencies periodically " +
            "until they end, their errors or streams once. It only reads, and may be started and ended at any time."
    },
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Columns: age of the last heartbeat; bytes of the heap in use; collective calls, operations that " +
            "messages of peers have requested, bytes sent and received, per second (since the start with --once); " +
            "records that peers have not acknowledged; retries: back pressure, full rings, waits for a reply slot; " +
            "errors, malformed and rejected frames. Loads and stores on mapped memory are not counted. " +
            "See docs/stat.md."
    })
final class StatCommand implements Callable<Integer>
{
    enum Format
    {
        TABLE, JSON, OPENMETRICS;

        /** Returns the name on the command line. */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    enum What
    {
        JOBS, OPERATIONS, LATENCIES, ERRORS, STREAMS;

        /** Returns the name on the command line. */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private static final String CLEAR = "\u001b[H\u001b[2J";

    @Parameters(index = "0", arity = "0..1", paramLabel = "jobs|operations|latencies|errors|streams",
        defaultValue = "jobs",
        description = "The state of jobs, their operations by kind, the latencies that they record, their distinct" +
            " errors, or the streams of their media drivers (default: jobs).")
    private What what;

    @Option(names = "--job", paramLabel = "ID", description = "Only jobs whose id begins with this.")
    private String id = "";

    @Option(names = "--once", description = "Shows the state once.")
    private boolean isOnce;

    @Option(names = "--interval", paramLabel = "DURATION", converter = DurationConverter.class, defaultValue = "1s",
        description = "Time between two states (default: 1s).")
    private Duration interval;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
        description = "table, json or openmetrics, the latter two for jobs, and once (default: table).")
    private Format format;

    @Option(names = "--aeron-dir", paramLabel = "DIR",
        description = "With streams: the directory of a media driver that no job has started.")
    private Path aeronDirectory;

    @Spec
    private CommandSpec spec;

    private StatCommand()
    {
    }

    @Override
    public Integer call() throws IOException, InterruptedException
    {
        final PrintWriter output = spec.commandLine().getOut();
        if (What.JOBS != what && Format.TABLE != format)
        {
            throw CommandException.usage("--format " + format + " is for jobs only");
        }

        if (interval.toMillis() < 1)
        {
            throw CommandException.usage(
                "--interval must be >= 1ms: --interval=" + PropertyParser.formatDuration(interval.toNanos()));
        }

        if (What.STREAMS != what && null != aeronDirectory)
        {
            throw CommandException.usage("--aeron-dir is for streams only");
        }

        int exitCode = ExitCode.OK;
        if (What.STREAMS == what)
        {
            exitCode = printStreams(output);
        }
        else if (What.ERRORS == what)
        {
            exitCode = StatErrors.print(output, jobs().all(), this::report);
        }
        else if (isOnce || Format.TABLE != format)
        {
            writer().write(output, jobs().snapshots(), List.of());
        }
        else
        {
            follow(output, jobs());
        }

        output.flush();
        return exitCode;
    }

    private JobViews jobs()
    {
        final JobViews jobs = new JobViews(CleanCommand.root(), id);
        jobs.update();
        jobs.problems().forEach((directory, problem) ->
            report("job " + directory.getFileName() + " is not shown: " + problem));
        if (jobs.isEmpty())
        {
            throw CommandException.failure("no running job" + (id.isEmpty() ? "" : " whose id begins with " + id) +
                " in " + jobs.root());
        }

        return jobs;
    }

    /** Reports a problem of one job; the others are shown. */
    private void report(final String problem)
    {
        final PrintWriter error = spec.commandLine().getErr();
        error.println("aeroshmem: " + ErrorLine.oneLine(problem));
        error.flush();
    }

    private int printStreams(final PrintWriter output)
    {
        final List<Path> drivers = null != aeronDirectory ? List.of(aeronDirectory) :
            jobs().all().stream().map(JobView::aeronDirectory).filter(StatStreams::isDriverDirectory).toList();
        if (null != aeronDirectory && !StatStreams.isDriverDirectory(aeronDirectory))
        {
            throw CommandException.usage("no media driver has its directory at " + aeronDirectory);
        }

        if (drivers.isEmpty())
        {
            throw CommandException.failure("no running job has started a media driver: mapped memory needs none," +
                " and --aeron-dir names one that is shared");
        }

        int exitCode = ExitCode.OK;
        for (final Path directory : drivers)
        {
            try
            {
                StatStreams.print(output, directory);
            }
            catch (final CommandException ex)
            {
                report(ex.getMessage());
                exitCode = ex.exitCode();
            }
        }

        return exitCode;
    }

    private StatWriter writer()
    {
        return switch (format)
        {
            case JSON -> new StatJson();
            case OPENMETRICS -> new OpenMetrics();
            default -> table();
        };
    }

    private StatWriter table()
    {
        return switch (what)
        {
            case OPERATIONS -> new StatOperations();
            case LATENCIES -> new StatLatencies();
            default -> new StatTable();
        };
    }

    private void follow(final PrintWriter output, final JobViews jobs) throws InterruptedException
    {
        final boolean isTerminal = Terminal.isOutput();
        final StatWriter writer = writer();
        List<JobView.Snapshot> earlier = List.of();
        // the command itself reports that something printed is lost
        while (!jobs.isEmpty() && !StandardStreams.isOutputLost())
        {
            final List<JobView.Snapshot> now = jobs.snapshots();
            if (isTerminal)
            {
                output.print(CLEAR);
            }

            writer.write(output, now, earlier);
            output.flush();
            earlier = now;
            Thread.sleep(interval.toMillis());
            jobs.update();
        }
    }
}
