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
package io.aeroshmem.transport.endpoint;

import io.aeron.CncFileDescriptor;
import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.ThreadingMode;
import io.aeron.exceptions.StorageSpaceException;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.RateLimitedErrorHandler;
import io.aeroshmem.transport.aeron.RunningNanoClock;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.DriverState;
import io.aeroshmem.transport.job.FreeMemory;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.BackoffIdleStrategy;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;
import org.agrona.concurrent.status.CountersReader;

import java.io.File;
import java.util.concurrent.TimeUnit;

/**
 * The media driver that the creator of a job runs in the job's directory. It is started when the first PE requests it.
 */
public final class EmbeddedDriver implements AutoCloseable
{
    private static final int SPINS = 10;
    private static final int YIELDS = 20;
    private static final long MIN_PARK_NS = TimeUnit.MICROSECONDS.toNanos(20);
    private static final long MAX_PARK_NS = TimeUnit.MICROSECONDS.toNanos(100);

    private static final long MAX_TIMER_INTERVAL_NS = TimeUnit.SECONDS.toNanos(1);

    /** The driver checks its clients, and updates its own heartbeat, several times within their timeout. */
    private static final int CHECKS_PER_TIMEOUT = 10;

    /**
     * A stream survives the loss of its network: the job's liveness, which monitors processes, decides on its sender.
     */
    private static final long MIN_IMAGE_LIVENESS_NS = TimeUnit.SECONDS.toNanos(10);

    /** Counters of the driver itself and of a few clients. */
    private static final int SYSTEM_COUNTERS = 256;
    /** Twice the positions, limits, channel states and clients that a log buffer of a publication or image may add. */
    private static final int COUNTERS_PER_LOG = 24;
    /** With their metadata, counters take five times as much, of a file of at most 2 GiB. */
    private static final long MAX_COUNTERS_LENGTH = 256L << 20;

    /*
     * If a process of the job stays paused, timeouts expire in the following order, on which the protocol relies:
     * - Liveness: another process kills the paused one.
     * - Client liveness: the driver times out the process's Aeron client. If this timeout came before the first, peers
     *   would see the end of the client's streams, and not the end of the process.
     * - Unblocking: if the process has left a claim in an Aeron publication uncommitted, the driver unblocks the
     *   publication.
     * The idle strategy of the driver's thread depends on the job:
     * - In a job that uses UDP, every UDP message passes through the thread. It spins and yields before it parks.
     *   Yielding suffices: blocked PEs yield too, unless there is a processor for each of them and for the thread.
     * - In a job that uses IPC only, the thread merely advances flow-control limits, and it parks at once, see
     *   IpcDriverIdleStrategy. In such a job, blocked PEs spin if each of them has a processor. A thread that yields
     *   among them would wait for the end of a PE's time slice, and senders would stall for milliseconds. A parked
     *   thread gets a processor as soon as it is woken.
     * A driver for IPC resolves no names. So it runs without Aeron's thread for name resolution, which would wake up 1
     * 000 times per second.
     */
    private final MediaDriver driver;

    private EmbeddedDriver(final MediaDriver driver)
    {
        this.driver = driver;
    }

    /**
     * Returns the configuration of a job's driver, not concluded; the driver daemon extends it.
     */
    public static MediaDriver.Context context(final long livenessTimeoutNs)
    {
        final MediaDriver.Context context = new MediaDriver.Context();
        if (null == System.getProperty(Configuration.RECEIVE_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME))
        {
            context.receiveChannelEndpointSupplier(InboxEndpoint::new);
        }

        return SocketBuffers.configure(context)
            .nanoClock(new RunningNanoClock(SystemNanoClock.INSTANCE))
            .epochClock(new DriverEpochClock(context, SystemEpochClock.INSTANCE))
            .threadingMode(ThreadingMode.SHARED)
            .sharedIdleStrategy(new BackoffIdleStrategy(SPINS, YIELDS, MIN_PARK_NS, MAX_PARK_NS))
            .timerIntervalNs(Math.min(MAX_TIMER_INTERVAL_NS, livenessTimeoutNs / CHECKS_PER_TIMEOUT))
            .clientLivenessTimeoutNs(livenessTimeoutNs + livenessTimeoutNs / 10 * 4)
            .publicationUnblockTimeoutNs(livenessTimeoutNs + livenessTimeoutNs / 10 * 8)
            .imageLivenessTimeoutNs(Math.max(MIN_IMAGE_LIVENESS_NS, livenessTimeoutNs + livenessTimeoutNs / 2))
            .publicationLingerTimeoutNs(TimeUnit.MILLISECONDS.toNanos(100))
            .termBufferSparseFile(false)
            .performStorageChecks(true)
            .lowStorageWarningThreshold(0)
            .spiesSimulateConnection(false)
            .dirDeleteOnStart(false)
            .dirDeleteOnShutdown(true);
    }

    /** Returns the length of the files of a job's driver for a number of log buffers, without these. */
    static long fileLength(final int logs)
    {
        return fileLength(counters(new MediaDriver.Context(), logs));
    }

    /** Returns the length of the files of a driver without streams, whose configuration need not be concluded. */
    private static long fileLength(final MediaDriver.Context context)
    {
        final long counters = (long)context.counterValuesBufferLength() *
            (CountersReader.METADATA_LENGTH + CountersReader.COUNTER_LENGTH) / CountersReader.COUNTER_LENGTH;
        return CncFileDescriptor.META_DATA_LENGTH + context.conductorBufferLength() + context.toClientsBufferLength() +
            counters + context.errorBufferLength() + context.filePageSize() + context.lossReportBufferLength();
    }

    /**
     * Sets the number of counters to what a number of log buffers can need, unless a property specifies it. Aeron's
     * default takes 40 MiB, and a container usually has 64 MiB of shared memory.
     */
    public static MediaDriver.Context counters(final MediaDriver.Context context, final int logs)
    {
        if (null == System.getProperty(Configuration.COUNTERS_VALUES_BUFFER_LENGTH_PROP_NAME))
        {
            context.counterValuesBufferLength((int)Math.min(
                MAX_COUNTERS_LENGTH,
                Math.max(
                    Configuration.COUNTERS_VALUES_BUFFER_LENGTH_MIN,
                    (SYSTEM_COUNTERS + (long)logs * COUNTERS_PER_LOG) * CountersReader.COUNTER_LENGTH)));
        }

        return context;
    }

    /**
     * Launches a driver whose directory and files only this user can open, whatever the umask.
     *
     * @throws TransportException if the directory exists and is not a private one of this user, or if there is not
     *                            enough memory for its files.
     */
    public static MediaDriver launch(final MediaDriver.Context context)
    {
        checkMemory(context);
        try
        {
            return PrivateDriver.launch(context);
        }
        catch (final InternalError ex)
        {
            throw new TransportException("the memory for the files of the media driver in " +
                context.aeronDirectoryName() + " was taken while it started", ex);
        }
    }

    /** The driver touches its files without reserving them; those of a previous driver are replaced. */
    private static void checkMemory(final MediaDriver.Context context)
    {
        final File directory = new File(context.aeronDirectoryName());
        final long length = fileLength(context);
        final long added = length - new File(directory, CncFileDescriptor.CNC_FILE).length();
        final String shortage = FreeMemory.of(directory.toPath()).shortage(added, added, 0);
        if (null != shortage)
        {
            throw new TransportException("a media driver needs " + FreeMemory.mebibytes(length) + ": " + shortage +
                ", or set another directory (aeroshmem.aeron.dir, aeroshmem.shm.dir)");
        }
    }

    /** Starts a driver in the job's directory, which this process has created, and announces it. */
    public static EmbeddedDriver start(
        final JobDirectory directory, final long livenessTimeoutNs, final ErrorHandler errorHandler)
    {
        final ControlFile control = directory.control();
        try
        {
            final NodeStreams streams = NodeStreams.of(control);
            final MediaDriver.Context context = counters(context(livenessTimeoutNs), streams.logs())
                .aeronDirectoryName(directory.aeronDirectory().toString())
                .sharedThreadFactory(Threads::newDaemon)
                .asyncExecutorThreadFactory(Threads::newDaemon)
                .errorHandler(failingOnShortage(control, new RateLimitedErrorHandler(errorHandler)))
                .terminationHook(() -> fail(control, "was terminated"));
            if (0 == streams.udpLogs())
            {
                context.sharedIdleStrategy(new IpcDriverIdleStrategy(control)).asyncExecutorEnabled(false);
            }

            final EmbeddedDriver driver = new EmbeddedDriver(launch(context));
            control.driverReady();
            return driver;
        }
        catch (final RuntimeException ex)
        {
            control.driverFailed(String.valueOf(ex.getMessage()));
            throw new TransportException(
                "cannot start a media driver in " + directory.aeronDirectory() + ": " + ex.getMessage(), ex);
        }
    }

    /**
     * Fails the job when the driver lacks memory for a stream, as other jobs took it. Only the side that opens
     * the stream receives the error; the other would wait until the end of a time limit.
     */
    private static ErrorHandler failingOnShortage(final ControlFile control, final ErrorHandler next)
    {
        return (throwable) ->
        {
            if (StorageSpaceException.isStorageSpaceError(throwable))
            {
                fail(control, "has too little memory: " + throwable.getMessage());
            }

            next.onError(throwable);
        };
    }

    private static void fail(final ControlFile control, final String event)
    {
        control.fail(control.creatorCell(), new JobFailure(
            JobFailure.Kind.DRIVER_DIED, -1, -1, "the media driver of the job " + event));
    }

    /** Returns whether a PE waits for a driver. */
    public static boolean isWanted(final ControlFile control)
    {
        return DriverState.WANTED == control.driverState();
    }

    @Override
    public void close()
    {
        driver.close();
    }
}
