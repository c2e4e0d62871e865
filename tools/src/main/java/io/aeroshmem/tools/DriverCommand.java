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

import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.InputFile;
import io.aeroshmem.tools.stat.MetricsServer;
import io.aeroshmem.transport.RateLimitedErrorHandler;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.FreeMemory;
import org.agrona.ErrorHandler;
import org.agrona.SystemUtil;
import org.agrona.concurrent.ShutdownSignalBarrier;
import org.agrona.concurrent.status.CountersReader;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Properties;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;

/**
 * The {@code aeroshmem driver} command: runs a media driver that several jobs can share.
 */
@Command(
    name = "driver",
    description =
    {
        "Runs a dedicated Aeron media driver until it is ended by SIGINT (Ctrl-C) or SIGTERM. " +
            "PEs use it if their property aeroshmem.aeron.dir specifies its directory."
    },
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "The directory is that of aeroshmem.aeron.dir, else of aeron.dir, else Aeron's default. It is removed " +
            "at the end. A directory with an active driver is rejected."
    })
final class DriverCommand implements Callable<Integer>
{
    private static final int MAX_PORT = 65_535;
    /** Several times what a driver with Aeron's default number of counters takes. */
    private static final long DEFAULT_COUNTERS_MEMORY = 256L << 20;
    private static final long MAX_PROPERTIES_LENGTH = 1 << 20;

    @Parameters(paramLabel = "propertiesFile", arity = "0..*",
        description = "Files of Aeron driver properties; later ones win.")
    private List<Path> propertiesFiles = new ArrayList<>();

    @Option(names = "--check",
        description = "Only checks whether the driver in the directory responds: exit code 0 if it does, else 1.")
    private boolean isCheck;

    @Option(names = "--metrics-port", paramLabel = "PORT",
        description = "Serves the counters of this user's jobs as OpenMetrics on this port of the loopback interface;" +
            " 0 takes a free one.")
    private Integer metricsPort;

    @Spec
    private CommandSpec spec;

    private DriverCommand()
    {
    }

    /** Runs the driver to its end; a signal may end the process before it returns the exit code. */
    @Override
    public Integer call() throws IOException
    {
        for (final Path file : propertiesFiles)
        {
            load(file);
        }

        validateThreadingMode();
        if (null != metricsPort && (metricsPort < 0 || metricsPort > MAX_PORT))
        {
            throw CommandException.usage(
                "--metrics-port must be 0 to " + MAX_PORT + ": --metrics-port=" + metricsPort);
        }

        final String directory = directory();
        if (isCheck)
        {
            return check(directory);
        }

        final DriverProbe previous = new DriverProbe(directory);
        final long pid = previous.pid();
        rejectActiveDriver(previous, directory);
        // else another driver was started meanwhile, which Aeron will detect
        final boolean isCrashed = pid == previous.pid() && previous.hasHeartbeat();
        // closed last: a shutdown hook delays the end of the process until then
        try (ShutdownSignalBarrier barrier = new ShutdownSignalBarrier())
        {
            return serve(directory, isCrashed, barrier);
        }
    }

    /** Sets the properties of a file. Agrona would ignore one that it cannot read. */
    private static void load(final Path file)
    {
        final Properties properties = new Properties();
        try
        {
            InputFile.check(file, MAX_PROPERTIES_LENGTH);
            try (InputStream input = Files.newInputStream(file))
            {
                properties.load(input);
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.usage("cannot read the properties file " + file + ": " + FileProblem.describe(ex));
        }
        catch (final IllegalArgumentException ex)
        {
            throw CommandException.usage("cannot read the properties file " + file + ": " + ex.getMessage());
        }

        for (final String name : properties.stringPropertyNames())
        {
            if (name.chars().anyMatch(Character::isISOControl))
            {
                throw CommandException.usage("cannot read the properties file " + file + ": it is not a text");
            }
        }

        SystemUtil.loadPropertiesFile(file.toString());
    }

    private static void validateThreadingMode()
    {
        final String text = System.getProperty(Configuration.THREADING_MODE_PROP_NAME);
        if (null != text && Arrays.stream(ThreadingMode.values()).noneMatch((mode) -> mode.name().equals(text)))
        {
            throw CommandException.usage(Configuration.THREADING_MODE_PROP_NAME + " must be one of " +
                Arrays.toString(ThreadingMode.values()) + ": " + Configuration.THREADING_MODE_PROP_NAME + "=" + text);
        }
    }

    private int check(final String directory)
    {
        final DriverProbe driver = new DriverProbe(directory);
        if (!driver.isActive())
        {
            throw CommandException.failure("no media driver responds in " + directory);
        }

        final PrintWriter output = spec.commandLine().getOut();
        output.println("a media driver is active in " + directory + ", pid " +
            driver.pid());
        output.flush();
        return ExitCode.OK;
    }

    /** {@code isCrashed} specifies that the driver in the directory has just died, which Aeron would not detect. */
    private int serve(final String directory, final boolean isCrashed, final ShutdownSignalBarrier barrier)
        throws IOException
    {
        final DaemonMonitor monitor = new DaemonMonitor((reason) ->
        {
            report("the driver has failed: " + reason);
            barrier.signal();
        });
        final MediaDriver.Context context = context(directory, monitor).dirDeleteOnStart(isCrashed);
        final boolean isFitted = fitCounters(context);
        try (MetricsServer metrics =
            null == metricsPort ? null : new MetricsServer(CleanCommand.root(), metricsPort);
            MediaDriver driver = EmbeddedDriver.launch(context))
        {
            monitor.start(driver.context());
            final PrintWriter output = spec.commandLine().getOut();
            output.println("aeroshmem driver: running, pid " + ProcessHandle.current().pid() + ", directory " +
                driver.aeronDirectoryName() + (null == metrics ? "" : ", metrics " + metrics.url()));
            output.flush();
            if (isFitted)
            {
                report("it has " + context.counterValuesBufferLength() / CountersReader.COUNTER_LENGTH +
                    " counters, as less than " + PropertyParser.formatSize(DEFAULT_COUNTERS_MEMORY) +
                    " of memory were free (" + Configuration.COUNTERS_VALUES_BUFFER_LENGTH_PROP_NAME + ")");
            }

            barrier.await();
            monitor.stop();
        }

        return monitor.isFailed() ? ExitCode.FAILURE : ExitCode.OK;
    }

    /**
     * Reduces the number of counters to Aeron's minimum if the default takes much of the memory that is free. Returns
     * whether it did.
     */
    private static boolean fitCounters(final MediaDriver.Context ctx)
    {
        final int defaultLength = ctx.counterValuesBufferLength();
        if (FreeMemory.of(Path.of(ctx.aeronDirectoryName())).fileBytes() < DEFAULT_COUNTERS_MEMORY)
        {
            EmbeddedDriver.counters(ctx, 0);
        }

        return ctx.counterValuesBufferLength() < defaultLength;
    }

    /** Returns the directory, verified before a file in it is mapped; one that does not exist yet is made later. */
    private static String directory()
    {
        final String specified = ShmemProperty.AERON_DIR.text();
        final String name = null == specified ? DriverDirectory.defaultName() : specified;
        final Path existing = DriverDirectory.verifyExisting(name);
        return null == existing ? name : existing.toString();
    }

    /**
     * Rejects a directory with an active driver. The driver itself checks this only if it is not configured to delete
     * the directory at its start, and considers a suspended driver dead, although it may resume later, then with files
     * that no client maps.
     */
    private static void rejectActiveDriver(final DriverProbe driver, final String directory)
    {
        if (driver.isActive())
        {
            throw CommandException.failure("a media driver is active in " + directory +
                "; use it, or specify another directory (" + ShmemProperty.AERON_DIR.propertyName() + ")");
        }

        if (driver.isProcessVisible())
        {
            throw CommandException.failure("the media driver in " + directory + " does not respond, but its process " +
                "is alive (pid " + driver.pid() + "): resume or end it, or specify another directory (" +
                ShmemProperty.AERON_DIR.propertyName() + ")");
        }
    }

    private void report(final String message)
    {
        final PrintWriter error = spec.commandLine().getErr();
        error.println("aeroshmem driver: " + message);
        error.flush();
    }

    private MediaDriver.Context context(final String directory, final DaemonMonitor monitor)
    {
        final ErrorHandler errorHandler =
            (ex) -> report(ex.getClass().getSimpleName() + ": " + ErrorLine.oneLine(ex.getMessage()));
        final ThreadFactory threadFactory = monitor.threadFactory();
        final MediaDriver.Context ctx = EmbeddedDriver.context(ShmemProperty.LIVENESS_TIMEOUT.longValue())
            .aeronDirectoryName(directory)
            .warnIfDirectoryExists(false)
            .errorHandler(new RateLimitedErrorHandler(errorHandler))
            .conductorThreadFactory(threadFactory)
            .senderThreadFactory(threadFactory)
            .receiverThreadFactory(threadFactory)
            .sharedThreadFactory(threadFactory)
            .sharedNetworkThreadFactory(threadFactory)
            .asyncExecutorThreadFactory(threadFactory)
            .terminationHook(() -> monitor.fail("a client has terminated it"));
        applyProperties(ctx);
        validateTimeouts(ctx);
        return ctx;
    }

    /** Replaces the settings of the embedded driver by those of the properties files. */
    private static void applyProperties(final MediaDriver.Context ctx)
    {
        final MediaDriver.Context specified = new MediaDriver.Context();
        ifSet(Configuration.THREADING_MODE_PROP_NAME, () -> ctx.threadingMode(specified.threadingMode()));
        // created from the property when the context is concluded
        ifSet(Configuration.SHARED_IDLE_STRATEGY_PROP_NAME, () -> ctx.sharedIdleStrategy(null));
        ifSet(Configuration.CLIENT_LIVENESS_TIMEOUT_PROP_NAME,
            () -> ctx.clientLivenessTimeoutNs(specified.clientLivenessTimeoutNs()));
        ifSet(Configuration.PUBLICATION_UNBLOCK_TIMEOUT_PROP_NAME,
            () -> ctx.publicationUnblockTimeoutNs(specified.publicationUnblockTimeoutNs()));
        ifSet(Configuration.IMAGE_LIVENESS_TIMEOUT_PROP_NAME,
            () -> ctx.imageLivenessTimeoutNs(specified.imageLivenessTimeoutNs()));
        ifSet(Configuration.PUBLICATION_LINGER_PROP_NAME,
            () -> ctx.publicationLingerTimeoutNs(specified.publicationLingerTimeoutNs()));
        ifSet(Configuration.TIMER_INTERVAL_PROP_NAME, () -> ctx.timerIntervalNs(specified.timerIntervalNs()));
        ifSet(Configuration.TERM_BUFFER_SPARSE_FILE_PROP_NAME,
            () -> ctx.termBufferSparseFile(specified.termBufferSparseFile()));
        ifSet(Configuration.PERFORM_STORAGE_CHECKS_PROP_NAME,
            () -> ctx.performStorageChecks(specified.performStorageChecks()));
        ifSet(Configuration.LOW_FILE_STORE_WARNING_THRESHOLD_PROP_NAME,
            () -> ctx.lowStorageWarningThreshold(specified.lowStorageWarningThreshold()));
        ifSet(Configuration.SPIES_SIMULATE_CONNECTION_PROP_NAME,
            () -> ctx.spiesSimulateConnection(specified.spiesSimulateConnection()));
    }

    private static void ifSet(final String property, final Runnable setting)
    {
        if (null != System.getProperty(property))
        {
            setting.run();
        }
    }

    /**
     * Checks the timeouts that a job requires of its driver, where L is {@code aeroshmem.liveness.timeout}: a client
     * that is silent for L does not expire, and a claim that it left open is not unblocked before the client is killed
     * (1.2 L). With the default L of 10 s Aeron's defaults are sufficient.
     */
    private static void validateTimeouts(final MediaDriver.Context ctx)
    {
        final long livenessNs = ShmemProperty.LIVENESS_TIMEOUT.longValue();
        final long killNs = livenessNs / 10 * 12;
        requireAtLeast(
            Configuration.CLIENT_LIVENESS_TIMEOUT_PROP_NAME, ctx.clientLivenessTimeoutNs(), livenessNs);
        requireAtLeast(
            Configuration.PUBLICATION_UNBLOCK_TIMEOUT_PROP_NAME, ctx.publicationUnblockTimeoutNs(), killNs);
    }

    private static void requireAtLeast(final String name, final long ns, final long minNs)
    {
        if (ns < minNs)
        {
            throw CommandException.usage(name + " must be >= " + PropertyParser.formatDuration(minNs) + ": " + name +
                "=" + PropertyParser.formatDuration(ns) + ", " + ShmemProperty.LIVENESS_TIMEOUT.propertyName() + "=" +
                PropertyParser.formatDuration(ShmemProperty.LIVENESS_TIMEOUT.longValue()));
        }
    }
}
