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
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.ClientTimeoutException;
import io.aeron.exceptions.ConductorServiceTimeoutException;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.IoUtil;

import java.io.File;
import java.nio.MappedByteBuffer;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * One process's client of a media driver, shared by the job's PEs in that process, and the publications that they
 * share.
 * <p>
 * Aeron's own error handler would end the JVM when the driver stops answering; here that becomes a failure of the job.
 * A client that the application made has the application's handler. If that is Aeron's own, the client is closed when
 * its driver has died, before Aeron notices, since nothing else would keep the handler from ending the JVM.
 * <p>
 * What the driver is asked for is awaited step by step, so that the wait ends when the job fails: Aeron's own would go
 * on until its timeout when the driver has died meanwhile.
 */
public final class AeronConnection implements AutoCloseable
{
    private static final String DIRECTORY_PROPERTY = "aeroshmem.aeron.dir";
    private static final String HOW_TO_HAVE_ONE = "; start one with 'aeroshmem driver', or set the property " +
        DIRECTORY_PROPERTY + " to the directory of a running driver, or leave it unset";
    private static final String LIVENESS_PROPERTY = "aeroshmem.liveness.timeout";

    /** A driver shows once a second that it lives, unless it was told otherwise. */
    private static final long MIN_DRIVER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long MAX_KEEP_ALIVE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int KEEP_ALIVES_PER_TIMEOUT = 10;
    private static final String HEARTBEAT_CLOSED = "unexpected close of heartbeat timestamp counter";

    private final Aeron aeron;
    private final boolean ownsAeron;
    /** Not to be run while another thread uses the client; null where that needs no such care. */
    private final UserInvokers invokers;
    private final DriverWatch driverWatch;
    private final Map<String, Publication> publications = new HashMap<>();

    private AeronConnection(
        final Aeron aeron, final boolean ownsAeron, final UserInvokers invokers, final DriverWatch driverWatch)
    {
        this.aeron = aeron;
        this.ownsAeron = ownsAeron;
        this.invokers = invokers;
        this.driverWatch = driverWatch;
    }

    /**
     * Use a client that the application made.
     *
     * @param aeron             the client.
     * @param ownsAeron         should it be closed with the job?
     * @param invokers          of the application, or null.
     * @param livenessTimeoutNs for which the job tolerates silence.
     * @param reporter          PE that reports the death of the driver.
     * @return the connection.
     * @throws TransportException if the client's driver does not tolerate as much.
     */
    public static AeronConnection over(
        final Aeron aeron,
        final boolean ownsAeron,
        final UserInvokers invokers,
        final long livenessTimeoutNs,
        final int reporter)
    {
        final String directory = aeron.context().aeronDirectoryName();
        final long silenceLimitNs = isEndingJvm(aeron) ?
            TimeUnit.MILLISECONDS.toNanos(aeron.context().driverTimeoutMs()) / 10 * 8 : 0;
        return new AeronConnection(
            aeron,
            ownsAeron,
            isRunByCallers(aeron) ? invokers : null,
            watch(directory, livenessTimeoutNs, reporter, silenceLimitNs));
    }

    private static boolean isRunByCallers(final Aeron aeron)
    {
        return aeron.context().useConductorAgentInvoker() || null != aeron.context().driverAgentInvoker();
    }

    private static boolean isEndingJvm(final Aeron aeron)
    {
        return Aeron.Configuration.DEFAULT_ERROR_HANDLER == aeron.context().errorHandler();
    }

    /**
     * Connect a client of our own to the driver in a directory.
     *
     * @param directory         of the driver.
     * @param livenessTimeoutNs for which the job tolerates silence.
     * @param clientName        that the driver's counters show.
     * @param control           of the job, told when the driver dies.
     * @param reporter          PE that reports it.
     * @param errorHandler      told everything else.
     * @return the connection.
     */
    public static AeronConnection connect(
        final String directory,
        final long livenessTimeoutNs,
        final String clientName,
        final Control control,
        final int reporter,
        final ErrorHandler errorHandler)
    {
        final DriverWatch driverWatch = watch(directory, livenessTimeoutNs, reporter, 0);
        final Aeron.Context context = new Aeron.Context()
            .aeronDirectoryName(directory)
            .clientName(clientName)
            .driverTimeoutMs(TimeUnit.NANOSECONDS.toMillis(Math.max(MIN_DRIVER_TIMEOUT_NS, livenessTimeoutNs)))
            .keepAliveIntervalNs(Math.min(MAX_KEEP_ALIVE_NS, livenessTimeoutNs / KEEP_ALIVES_PER_TIMEOUT))
            .threadFactory(Threads::newDaemon)
            .errorHandler((throwable) -> onError(throwable, driverWatch, control, reporter, errorHandler));
        try
        {
            checkAlive(driverWatch, control, reporter);
            return new AeronConnection(Aeron.connect(context), true, null, driverWatch);
        }
        catch (final TransportException ex)
        {
            driverWatch.close();
            throw ex;
        }
        catch (final RuntimeException ex)
        {
            driverWatch.close();
            throw new TransportException(
                "no media driver answers in " + directory + " (property " + DIRECTORY_PROPERTY + "): " +
                ex.getMessage(), ex);
        }
    }

    /**
     * A driver that ends, or has just begun, may leave less than the file that is to be read.
     */
    private static DriverWatch watch(
        final String directory, final long livenessTimeoutNs, final int reporter, final long silenceLimitNs)
    {
        try
        {
            checkDriver(directory, livenessTimeoutNs);
            return new DriverWatch(directory, reporter, silenceLimitNs);
        }
        catch (final IllegalStateException | IllegalArgumentException | IndexOutOfBoundsException ex)
        {
            throw new TransportException("no media driver runs in " + directory + ": its " +
                CncFileDescriptor.CNC_FILE + " cannot be read: " + ex.getMessage() + HOW_TO_HAVE_ONE, ex);
        }
    }

    private static void checkAlive(final DriverWatch driverWatch, final Control control, final int reporter)
    {
        final JobFailure failure = driverWatch.checkBeforeUse();
        if (null != failure)
        {
            control.fail(reporter, failure);
            throw new TransportException(failure.message() + HOW_TO_HAVE_ONE);
        }
    }

    private static void onError(
        final Throwable throwable,
        final DriverWatch driverWatch,
        final Control control,
        final int reporter,
        final ErrorHandler errorHandler)
    {
        if (throwable instanceof DriverTimeoutException)
        {
            control.fail(reporter, new JobFailure(
                JobFailure.Kind.DRIVER_DIED, reporter, -1,
                "PE " + reporter + " lost " + driverWatch.describe() + ": " + throwable.getMessage()));
        }
        else if (isGivenUp(throwable))
        {
            control.fail(reporter, new JobFailure(
                JobFailure.Kind.PE_FAILED, reporter, -1,
                "PE " + reporter + " was silent for longer than " + driverWatch.describe() + " tolerates (" +
                LIVENESS_PROPERTY + ", aeron.client.liveness.timeout): " + throwable.getMessage()));
        }
        errorHandler.onError(throwable);
    }

    /**
     * Has the driver given up this client, which was paused? Aeron has several ways to notice.
     */
    private static boolean isGivenUp(final Throwable throwable)
    {
        return throwable instanceof ConductorServiceTimeoutException || throwable instanceof ClientTimeoutException ||
            throwable instanceof AeronException && String.valueOf(throwable.getMessage()).contains(HEARTBEAT_CLOSED);
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
                CncFileDescriptor.CNC_FILE + HOW_TO_HAVE_ONE);
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
     * Looks whether the driver lives.
     *
     * @return what the liveness thread is to look at.
     */
    public Liveness.Watch driverWatch()
    {
        return driverWatch;
    }

    /**
     * The job has failed.
     *
     * @param failure of the job.
     */
    public void onFailure(final JobFailure failure)
    {
        if (JobFailure.Kind.DRIVER_DIED == failure.kind() && isEndingJvm(aeron))
        {
            holdBackInvokers();
            try
            {
                aeron.close();
            }
            finally
            {
                letInvokersRun();
            }
        }
    }

    /**
     * A publication that all PEs of this process share.
     *
     * @param channel  of the stream.
     * @param streamId of the stream.
     * @param idle     what to do while the driver has not answered: takes a round, from 0, and returns the next.
     * @return the publication.
     */
    synchronized Publication publication(final String channel, final int streamId, final IntUnaryOperator idle)
    {
        final String key = channel + '#' + streamId;
        Publication publication = publications.get(key);
        if (null == publication)
        {
            publication = open(channel, () -> isDriverInvokedByClient() ?
                invoked(() -> aeron.addPublication(channel, streamId)) :
                await(() -> aeron.asyncAddPublication(channel, streamId), aeron::getPublication, channel, idle));
            publications.put(key, publication);
        }
        return publication;
    }

    /**
     * A subscription of one PE, which closes it.
     *
     * @param channel     of the stream.
     * @param streamId    of the stream.
     * @param onImageLost told when a sender's stream has ended.
     * @param idle        what to do while the driver has not answered: takes a round, from 0, and returns the next.
     * @return the subscription.
     */
    Subscription subscription(
        final String channel,
        final int streamId,
        final UnavailableImageHandler onImageLost,
        final IntUnaryOperator idle)
    {
        return open(channel, () -> isDriverInvokedByClient() ?
            invoked(() -> aeron.addSubscription(channel, streamId, null, onImageLost)) :
            await(
                () -> aeron.asyncAddSubscription(channel, streamId, null, onImageLost),
                aeron::getSubscription,
                channel,
                idle));
    }

    /**
     * A client that runs the driver itself does so while it waits for an answer; that driver cannot die alone.
     */
    private boolean isDriverInvokedByClient()
    {
        return null != aeron.context().driverAgentInvoker();
    }

    private <T> T await(
        final LongSupplier request, final LongFunction<T> answer, final String channel, final IntUnaryOperator idle)
    {
        final long timeoutNs = TimeUnit.MILLISECONDS.toNanos(aeron.context().driverTimeoutMs());
        final long deadlineNs = System.nanoTime() + timeoutNs;
        final long id = invoked(request::getAsLong);
        int round = 0;
        while (true)
        {
            final T found = invoked(() -> answer.apply(id));
            if (null != found)
            {
                return found;
            }

            if (System.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException(driverWatch.describe() + " did not open " + channel + " within " +
                    TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms");
            }
            round = idle.applyAsInt(round);
        }
    }

    /**
     * Call the client while nobody runs its invoker: it is not to be used by two threads then.
     */
    private <T> T invoked(final Supplier<T> call)
    {
        holdBackInvokers();
        try
        {
            return call.get();
        }
        finally
        {
            letInvokersRun();
        }
    }

    /**
     * Open a stream. What Aeron throws, when the driver refuses it or the client has lost the driver meanwhile, is a
     * failure of the transport like any other.
     */
    private <T> T open(final String channel, final Supplier<T> stream)
    {
        try
        {
            return stream.get();
        }
        catch (final AeronException ex)
        {
            throw new TransportException(
                driverWatch.describe() + " did not open " + channel + ": " + ex.getMessage(), ex);
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
        driverWatch.close();
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
