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
package io.aeroshmem.transport.aeron;

import io.aeron.Aeron;
import io.aeron.CncFileDescriptor;
import io.aeron.Publication;
import io.aeron.Subscription;
import io.aeron.UnavailableImageHandler;
import io.aeron.exceptions.ConductorServiceTimeoutException;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.IoUtil;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * One process's client of a media driver, shared by the job's PEs in that process, and the publications that they
 * share.
 * <p>
 * Aeron's own error handler would end the JVM when the driver stops answering; here that becomes a failure of the job.
 */
public final class AeronConnection implements AutoCloseable
{
    private static final String DIRECTORY_PROPERTY = "aeroshmem.aeron.dir";
    private static final String LIVENESS_PROPERTY = "aeroshmem.liveness.timeout";

    /** A driver shows once a second that it lives, unless it was told otherwise. */
    private static final long MIN_DRIVER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long MAX_KEEP_ALIVE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int KEEP_ALIVES_PER_TIMEOUT = 10;

    private final Aeron aeron;
    private final boolean ownsAeron;
    /** Not to be run while the client runs the driver itself; null where it does not. */
    private final UserInvokers invokers;
    private final Map<String, Publication> publications = new HashMap<>();

    private AeronConnection(final Aeron aeron, final boolean ownsAeron, final UserInvokers invokers)
    {
        this.aeron = aeron;
        this.ownsAeron = ownsAeron;
        this.invokers = invokers;
    }

    /**
     * Use a client that the application made.
     *
     * @param aeron             the client.
     * @param ownsAeron         should it be closed with the job?
     * @param invokers          of the application, or null.
     * @param livenessTimeoutNs for which the job tolerates silence.
     * @return the connection.
     * @throws TransportException if the client's driver does not tolerate as much.
     */
    public static AeronConnection over(
        final Aeron aeron, final boolean ownsAeron, final UserInvokers invokers, final long livenessTimeoutNs)
    {
        checkDriver(aeron.context().aeronDirectoryName(), livenessTimeoutNs);
        return new AeronConnection(aeron, ownsAeron, null == aeron.context().driverAgentInvoker() ? null : invokers);
    }

    /**
     * Connect a client of our own to the driver in a directory.
     *
     * @param directory         of the driver.
     * @param livenessTimeoutNs for which the job tolerates silence.
     * @param control           of the job, told when the driver dies.
     * @param reporter          PE that reports it.
     * @param errorHandler      told everything else.
     * @return the connection.
     */
    public static AeronConnection connect(
        final String directory,
        final long livenessTimeoutNs,
        final Control control,
        final int reporter,
        final ErrorHandler errorHandler)
    {
        checkDriver(directory, livenessTimeoutNs);
        final Aeron.Context context = new Aeron.Context()
            .aeronDirectoryName(directory)
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(Math.max(MIN_DRIVER_TIMEOUT_NS, livenessTimeoutNs)))
            .keepAliveIntervalNs(Math.min(MAX_KEEP_ALIVE_NS, livenessTimeoutNs / KEEP_ALIVES_PER_TIMEOUT))
            .errorHandler((throwable) -> onError(throwable, control, reporter, errorHandler));
        try
        {
            return new AeronConnection(Aeron.connect(context), true, null);
        }
        catch (final RuntimeException ex)
        {
            throw new TransportException(
                "no media driver answers in " + directory + " (property " + DIRECTORY_PROPERTY + "): " +
                ex.getMessage(), ex);
        }
    }

    private static void onError(
        final Throwable throwable, final Control control, final int reporter, final ErrorHandler errorHandler)
    {
        if (throwable instanceof DriverTimeoutException || throwable instanceof ConductorServiceTimeoutException)
        {
            control.fail(reporter, new JobFailure(
                JobFailure.Kind.DRIVER_DIED, reporter, 0,
                "PE " + reporter + " lost its media driver: " + throwable.getMessage()));
        }
        errorHandler.onError(throwable);
    }

    /**
     * The chain of timeouts: a job that tolerates a pause needs a driver that does.
     */
    private static void checkDriver(final String directory, final long livenessTimeoutNs)
    {
        final File cnc = new File(directory, CncFileDescriptor.CNC_FILE);
        if (!cnc.isFile())
        {
            throw new TransportException("no media driver runs in " + directory + ": it holds no " +
                CncFileDescriptor.CNC_FILE + "; start one with 'aeroshmem driver', or set the property " +
                DIRECTORY_PROPERTY + " to the directory of a running driver, or leave it unset");
        }

        final MappedByteBuffer mapped = IoUtil.mapExistingFile(cnc, CncFileDescriptor.CNC_FILE);
        try
        {
            final long clientLivenessNs =
                CncFileDescriptor.clientLivenessTimeoutNs(CncFileDescriptor.createMetaDataBuffer(mapped));
            if (clientLivenessNs < livenessTimeoutNs)
            {
                throw new TransportException("the media driver in " + directory + " gives up a silent client after " +
                    TimeUnit.NANOSECONDS.toMillis(clientLivenessNs) + " ms, but " + LIVENESS_PROPERTY + " is " +
                    TimeUnit.NANOSECONDS.toMillis(livenessTimeoutNs) +
                    " ms: raise aeron.client.liveness.timeout or lower " + LIVENESS_PROPERTY);
            }
        }
        finally
        {
            IoUtil.unmap(mapped);
        }
    }

    /**
     * The client.
     *
     * @return the client.
     */
    public Aeron aeron()
    {
        return aeron;
    }

    /**
     * A publication that all PEs of this process share.
     *
     * @param channel  of the stream.
     * @param streamId of the stream.
     * @return the publication.
     */
    synchronized Publication publication(final String channel, final int streamId)
    {
        holdBackInvokers();
        try
        {
            return publications.computeIfAbsent(
                channel + '#' + streamId, (key) -> aeron.addPublication(channel, streamId));
        }
        finally
        {
            letInvokersRun();
        }
    }

    /**
     * A subscription of one PE, which closes it.
     *
     * @param channel     of the stream.
     * @param streamId    of the stream.
     * @param onImageLost told when a sender's stream has ended.
     * @return the subscription.
     */
    Subscription subscription(
        final String channel, final int streamId, final UnavailableImageHandler onImageLost)
    {
        holdBackInvokers();
        try
        {
            return aeron.addSubscription(channel, streamId, null, onImageLost);
        }
        finally
        {
            letInvokersRun();
        }
    }

    /**
     * Close the subscriptions of one PE.
     *
     * @param subscriptions to close.
     */
    void close(final List<Subscription> subscriptions)
    {
        holdBackInvokers();
        try
        {
            CloseHelper.closeAll(subscriptions);
        }
        finally
        {
            letInvokersRun();
        }
    }

    private void holdBackInvokers()
    {
        if (null != invokers)
        {
            invokers.holdBack();
        }
    }

    private void letInvokersRun()
    {
        if (null != invokers)
        {
            invokers.letRun();
        }
    }

    /**
     * The directory of the driver.
     *
     * @return its name.
     */
    public String directory()
    {
        return aeron.context().aeronDirectoryName();
    }

    @Override
    public synchronized void close()
    {
        holdBackInvokers();
        try
        {
            publications.values().forEach(Publication::close);
            publications.clear();
            if (ownsAeron)
            {
                aeron.close();
            }
        }
        finally
        {
            letInvokersRun();
        }
    }
}
