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

import io.aeron.CncFileDescriptor;
import io.aeron.CommonContext;
import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.config.PropertyParser;
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.transport.aeron.DampedErrorHandler;
import io.aeroshmem.transport.aeron.EmbeddedDriver;
import io.aeroshmem.transport.job.ProcessProbe;
import org.agrona.ErrorHandler;
import org.agrona.IoUtil;
import org.agrona.SystemUtil;
import org.agrona.concurrent.ShutdownSignalBarrier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.File;
import java.io.PrintWriter;
import java.nio.MappedByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ThreadFactory;

/**
 * {@code aeroshmem driver}: a media driver as a daemon, for jobs that are to share one or find it already warm.
 */
@Command(
    name = "driver",
    description =
    {
        "Runs a dedicated Aeron media driver until it is told to end (Ctrl-C, SIGTERM).",
        "PEs use it if their property aeroshmem.aeron.dir names its directory."
    },
    mixinStandardHelpOptions = true,
    versionProvider = AeroShmemCommand.Version.class,
    footer =
    {
        "",
        "The directory is that of aeroshmem.aeron.dir, else of aeron.dir, else Aeron's default. It is removed",
        "at the end. A directory with an active driver is refused."
    })
final class DriverCommand implements Callable<Integer>
{
    @Parameters(paramLabel = "propertiesFile", arity = "0..*",
        description = "Files of Aeron driver properties; later ones win.")
    private List<Path> propertiesFiles = new ArrayList<>();

    @Spec
    private CommandSpec spec;

    private DriverCommand()
    {
    }

    /**
     * Runs the driver to its end.
     *
     * @return the exit code, unless a signal ends the process.
     */
    @Override
    public Integer call()
    {
        for (final Path file : propertiesFiles)
        {
            if (!Files.isReadable(file) || Files.isDirectory(file))
            {
                throw CommandException.usage("cannot read the properties file " + file);
            }
            SystemUtil.loadPropertiesFile(file.toString());
        }
        final String directory = directory();
        refuseActiveDriver(directory);
        // closed last: a shutdown hook waits for that before it lets the process end
        try (ShutdownSignalBarrier barrier = new ShutdownSignalBarrier())
        {
            return serve(directory, barrier);
        }
    }

    private int serve(final String directory, final ShutdownSignalBarrier barrier)
    {
        final DriverMonitor monitor = new DriverMonitor((reason) ->
        {
            complain("the driver cannot serve any more: " + reason);
            barrier.signal();
        });
        try (MediaDriver driver = MediaDriver.launch(context(directory, monitor)))
        {
            monitor.watch(driver.context());
            final PrintWriter output = spec.commandLine().getOut();
            output.println("aeroshmem driver: running, pid " + ProcessHandle.current().pid() + ", directory " +
                driver.aeronDirectoryName());
            output.flush();
            barrier.await();
            monitor.stop();
        }
        return monitor.isFailed() ? ExitCode.FAILURE : ExitCode.OK;
    }

    private static String directory()
    {
        final String given = ShmemProperty.AERON_DIR.text();
        return null == given ? CommonContext.getAeronDirectoryName() : given;
    }

    /**
     * The driver checks that itself only where it is not told to delete the directory at its start, and takes a driver
     * that is stopped for dead, which then goes on with files that nobody sees.
     */
    private static void refuseActiveDriver(final String directory)
    {
        final File file = new File(directory);
        if (!file.isDirectory())
        {
            return;
        }

        if (CommonContext.isDriverActive(file, new CommonContext().driverTimeoutMs(), DriverCommand::disregard))
        {
            throw CommandException.failure("a media driver is active in " + directory +
                "; use it, or name another directory (property " + ShmemProperty.AERON_DIR.propertyName() + ")");
        }

        final long pid = pid(new File(file, CncFileDescriptor.CNC_FILE));
        if (null != ProcessProbe.ofMapping(pid, file.toPath().resolve(CncFileDescriptor.CNC_FILE)))
        {
            throw CommandException.failure("the media driver in " + directory + " does not answer, but its process " +
                "lives (pid " + pid + "): continue or end it, or name another directory (property " +
                ShmemProperty.AERON_DIR.propertyName() + ")");
        }
    }

    /**
     * The process that a driver's file names, be it alive or not; the file is not mapped here any more on return.
     */
    private static long pid(final File cnc)
    {
        if (cnc.length() < CncFileDescriptor.META_DATA_LENGTH)
        {
            return 0;
        }

        final MappedByteBuffer mapped = IoUtil.mapExistingFile(cnc, CncFileDescriptor.CNC_FILE);
        try
        {
            return CncFileDescriptor.pid(CncFileDescriptor.createMetaDataBuffer(mapped));
        }
        finally
        {
            IoUtil.unmap(mapped);
        }
    }

    private static void disregard(final String progress)
    {
    }

    private void complain(final String what)
    {
        final PrintWriter error = spec.commandLine().getErr();
        error.println("aeroshmem driver: " + what);
        error.flush();
    }

    private MediaDriver.Context context(final String directory, final DriverMonitor monitor)
    {
        final ErrorHandler errorHandler =
            (ex) -> complain(ex.getClass().getSimpleName() + ": " + ErrorLine.oneLine(ex.getMessage()));
        final ThreadFactory threadFactory = monitor.threadFactory();
        final MediaDriver.Context ctx = EmbeddedDriver.context(ShmemProperty.LIVENESS_TIMEOUT.longValue())
            .aeronDirectoryName(directory)
            .warnIfDirectoryExists(false)
            .errorHandler(new DampedErrorHandler(errorHandler))
            .conductorThreadFactory(threadFactory)
            .senderThreadFactory(threadFactory)
            .receiverThreadFactory(threadFactory)
            .sharedThreadFactory(threadFactory)
            .sharedNetworkThreadFactory(threadFactory)
            .asyncExecutorThreadFactory(threadFactory)
            .terminationHook(() -> monitor.fail("a client has terminated it"));
        preferGiven(ctx);
        requireChain(ctx);
        return ctx;
    }

    /**
     * The driver starts from what the launcher embeds; where a properties file says otherwise, that holds.
     */
    private static void preferGiven(final MediaDriver.Context ctx)
    {
        final MediaDriver.Context given = new MediaDriver.Context();
        if (isGiven(Configuration.THREADING_MODE_PROP_NAME))
        {
            ctx.threadingMode(given.threadingMode());
        }
        if (isGiven(Configuration.SHARED_IDLE_STRATEGY_PROP_NAME))
        {
            // made from the property when the context is concluded
            ctx.sharedIdleStrategy(null);
        }
        if (isGiven(Configuration.CLIENT_LIVENESS_TIMEOUT_PROP_NAME))
        {
            ctx.clientLivenessTimeoutNs(given.clientLivenessTimeoutNs());
        }
        if (isGiven(Configuration.PUBLICATION_UNBLOCK_TIMEOUT_PROP_NAME))
        {
            ctx.publicationUnblockTimeoutNs(given.publicationUnblockTimeoutNs());
        }
        if (isGiven(Configuration.IMAGE_LIVENESS_TIMEOUT_PROP_NAME))
        {
            ctx.imageLivenessTimeoutNs(given.imageLivenessTimeoutNs());
        }
        if (isGiven(Configuration.PUBLICATION_LINGER_PROP_NAME))
        {
            ctx.publicationLingerTimeoutNs(given.publicationLingerTimeoutNs());
        }
        if (isGiven(Configuration.TERM_BUFFER_SPARSE_FILE_PROP_NAME))
        {
            ctx.termBufferSparseFile(given.termBufferSparseFile());
        }
        if (isGiven(Configuration.PERFORM_STORAGE_CHECKS_PROP_NAME))
        {
            ctx.performStorageChecks(given.performStorageChecks());
        }
        if (isGiven(Configuration.SPIES_SIMULATE_CONNECTION_PROP_NAME))
        {
            ctx.spiesSimulateConnection(given.spiesSimulateConnection());
        }
    }

    private static boolean isGiven(final String property)
    {
        return null != System.getProperty(property);
    }

    /**
     * The chain that a job demands of its driver, where L is {@code aeroshmem.liveness.timeout}: a client that is
     * silent for L is not given up, and a claim that it left open is not unblocked before it is killed (1.2 L). With
     * the default of 10 s Aeron's own values serve.
     */
    private static void requireChain(final MediaDriver.Context ctx)
    {
        final long livenessNs = ShmemProperty.LIVENESS_TIMEOUT.longValue();
        final long killNs = livenessNs / 10 * 12;
        requireBetween(
            Configuration.CLIENT_LIVENESS_TIMEOUT_PROP_NAME, ctx.clientLivenessTimeoutNs(), livenessNs, Long.MAX_VALUE);
        requireBetween(
            Configuration.PUBLICATION_UNBLOCK_TIMEOUT_PROP_NAME,
            ctx.publicationUnblockTimeoutNs(),
            killNs,
            Long.MAX_VALUE);
    }

    private static void requireBetween(final String name, final long ns, final long minNs, final long maxNs)
    {
        if (ns < minNs || ns > maxNs)
        {
            throw CommandException.usage(name + " is " + PropertyParser.formatDuration(ns) + ", allowed: from " +
                PropertyParser.formatDuration(minNs) +
                (Long.MAX_VALUE == maxNs ? "" : " to " + PropertyParser.formatDuration(maxNs)) + " while " +
                ShmemProperty.LIVENESS_TIMEOUT.propertyName() + " is " +
                PropertyParser.formatDuration(ShmemProperty.LIVENESS_TIMEOUT.longValue()));
        }
    }
}
