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
import io.aeron.UnavailableImageHandler;
import io.aeron.exceptions.AeronException;
import io.aeron.exceptions.ClientTimeoutException;
import io.aeron.exceptions.ConductorServiceTimeoutException;
import io.aeron.exceptions.DriverTimeoutException;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.Liveness;
import org.agrona.CloseHelper;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.EpochClock;
import org.agrona.concurrent.NanoClock;
import org.agrona.concurrent.SystemEpochClock;
import org.agrona.concurrent.SystemNanoClock;

import java.io.File;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.BiConsumer;
import java.util.function.IntUnaryOperator;
import java.util.function.LongFunction;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Client of a media driver, with the streams that the job's PEs in this process share.
 * <p>
 * Aeron's default error handler ends the JVM when the driver stops responding. A client that the library creates has a
 * handler that fails the job instead. A client that the application passes keeps its handler. If that handler is
 * Aeron's default, the library closes the client as soon as it detects the death of the driver, so that the handler is
 * not called. (After an orderly shutdown of the driver, Aeron may be faster, and end the JVM.)
 * <p>
 * A request to the driver is polled for its response, so that the wait ends when the job fails. Aeron's blocking calls
 * would instead wait for their timeout after the death of the driver. They are used only with a client that invokes
 * its driver itself: such a driver cannot die while this process lives.
 */
public final class AeronConnection extends FrameStreams
{
    private static final String DIRECTORY_PROPERTY = "aeroshmem.aeron.dir";
    private static final String REMEDY = "; start one with 'aeroshmem driver', or set the property " +
        DIRECTORY_PROPERTY + " to the directory of a running driver, or leave it unset";
    private static final String LIVENESS_PROPERTY = "aeroshmem.liveness.timeout";

    /** A driver updates its heartbeat once a second by default. */
    private static final long MIN_DRIVER_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(3);

    private static final long MAX_KEEP_ALIVE_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final int KEEP_ALIVES_PER_TIMEOUT = 10;
    private static final String HEARTBEAT_CLOSED = "unexpected close of heartbeat timestamp counter";

    /**
     * Driver timeout of the library's client: so long that silence never exceeds it. The heartbeat of a driver that was
     * shut down is -1, which is older than that.
     */
    private static final long NEVER_MS = TimeUnit.DAYS.toMillis(10_000);

    private final Aeron aeron;
    private final boolean ownsAeron;
    /** Must not run while another thread uses the client; null if they cannot. */
    private final ApplicationAgentInvokers invokers;
    private final DriverMonitor driverMonitor;
    /** Of the response to a request. */
    private final long timeoutNs;
    private final NanoClock clock;
    private final Map<String, PublicationSink> sinks = new HashMap<>();

    private AeronConnection(
        final Aeron aeron,
        final boolean ownsAeron,
        final ApplicationAgentInvokers invokers,
        final DriverMonitor driverMonitor,
        final long driverTimeoutNs,
        final NanoClock clock)
    {
        this.aeron = aeron;
        this.ownsAeron = ownsAeron;
        this.invokers = invokers;
        this.driverMonitor = driverMonitor;
        this.clock = clock;
        // A process that is killed while it writes a request blocks those of all others, until the driver skips it.
        timeoutNs = driverTimeoutNs + driverMonitor.clientLivenessTimeoutNs();
    }

    /**
     * Uses a client that the application made.
     *
     * @param ownsAeron         true if it is closed with the job.
     * @param invokers          of the application, or null.
     * @param livenessTimeoutNs limit of a process's silence.
     * @param reporter          PE that reports the death of the driver.
     * @param clock             of the process.
     * @throws TransportException if the client's driver tolerates less silence.
     */
    public static AeronConnection over(
        final Aeron aeron,
        final boolean ownsAeron,
        final ApplicationAgentInvokers invokers,
        final long livenessTimeoutNs,
        final int reporter,
        final NanoClock clock)
    {
        final String directory = aeron.context().aeronDirectoryName();
        final long driverTimeoutNs = TimeUnit.MILLISECONDS.toNanos(aeron.context().driverTimeoutMs());
        final long silenceLimitNs = isEndingJvm(aeron) ? driverTimeoutNs / 10 * 8 : 0;
        return new AeronConnection(
            aeron,
            ownsAeron,
            isRunByCallers(aeron) ? invokers : null,
            monitor(directory, livenessTimeoutNs, reporter, silenceLimitNs),
            driverTimeoutNs,
            clock);
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
     * Connects a client of this process to the driver in a directory.
     *
     * @param livenessTimeoutNs limit of a process's silence.
     * @param clientName        shown by the driver's counters.
     * @param control           of the job, which fails when the driver dies.
     * @param reporter          PE that reports it.
     * @param errorHandler      receives all other errors.
     * @param clock             of the process.
     */
    public static AeronConnection connect(
        final String directory,
        final long livenessTimeoutNs,
        final String clientName,
        final ControlFile control,
        final int reporter,
        final ErrorHandler errorHandler,
        final NanoClock clock)
    {
        final long driverTimeoutNs = Math.max(MIN_DRIVER_TIMEOUT_NS, livenessTimeoutNs);
        final DriverMonitor driverMonitor = monitor(directory, livenessTimeoutNs, reporter, driverTimeoutNs);
        final AtomicBoolean isConnected = new AtomicBoolean();
        final Aeron.Context context = new Aeron.Context()
            .aeronDirectoryName(directory)
            .clientName(clientName)
            .nanoClock(new RunningNanoClock(SystemNanoClock.INSTANCE))
            .epochClock(connectClock(isConnected, System.nanoTime() + driverTimeoutNs))
            .driverTimeoutMs(NEVER_MS)
            .keepAliveIntervalNs(Math.min(MAX_KEEP_ALIVE_NS, livenessTimeoutNs / KEEP_ALIVES_PER_TIMEOUT))
            .threadFactory(Threads::newDaemon)
            .errorHandler((throwable) -> onError(throwable, driverMonitor, control, reporter, errorHandler));
        try
        {
            checkAlive(driverMonitor, control, reporter);
            final Aeron aeron = Aeron.connect(context);
            isConnected.set(true);
            return new AeronConnection(aeron, true, null, driverMonitor, driverTimeoutNs, clock);
        }
        catch (final TransportException ex)
        {
            driverMonitor.close();
            throw ex;
        }
        catch (final RuntimeException ex)
        {
            driverMonitor.close();
            throw new TransportException(
                "no media driver responds in " + directory + " (property " + DIRECTORY_PROPERTY + "): " +
                ex.getMessage(), ex);
        }
    }

    /**
     * Returns the clock of a client. Aeron's driver timeout never expires for it, except while it connects, at a
     * deadline: after a pause of all processes the client could read the driver's heartbeat before the driver renews
     * it. So the driver's silence is left to the {@link DriverMonitor}, which does not count pauses of this process.
     */
    private static EpochClock connectClock(final AtomicBoolean isConnected, final long deadlineNs)
    {
        return () -> isConnected.get() || System.nanoTime() - deadlineNs < 0 ?
            System.currentTimeMillis() : Long.MAX_VALUE;
    }

    /** A driver that starts or ends may leave an incomplete CnC file. */
    private static DriverMonitor monitor(
        final String directory, final long livenessTimeoutNs, final int reporter, final long silenceLimitNs)
    {
        if (!new File(directory, CncFileDescriptor.CNC_FILE).isFile())
        {
            throw new TransportException("no media driver runs in " + directory + ": it holds no " +
                CncFileDescriptor.CNC_FILE + REMEDY);
        }

        final DriverMonitor driverMonitor;
        try
        {
            driverMonitor = new DriverMonitor(directory, reporter, silenceLimitNs, SystemEpochClock.INSTANCE);
        }
        catch (final Exception ex)
        {
            // also an IOException, which Agrona throws unchecked
            throw new TransportException("no media driver runs in " + directory + ": its " +
                CncFileDescriptor.CNC_FILE + " cannot be read: " + ex.getMessage() + REMEDY, ex);
        }

        checkTimeouts(driverMonitor, directory, livenessTimeoutNs);
        return driverMonitor;
    }

    /** Checks the chain of timeouts: the driver must tolerate as long a pause as the job. */
    private static void checkTimeouts(
        final DriverMonitor driverMonitor, final String directory, final long livenessTimeoutNs)
    {
        final long clientLivenessNs = driverMonitor.clientLivenessTimeoutNs();
        if (clientLivenessNs < livenessTimeoutNs)
        {
            driverMonitor.close();
            throw new TransportException("the media driver in " + directory + " expires a silent client after " +
                TimeUnit.NANOSECONDS.toMillis(clientLivenessNs) + " ms, which must be >= " + LIVENESS_PROPERTY +
                ": " + LIVENESS_PROPERTY + '=' + TimeUnit.NANOSECONDS.toMillis(livenessTimeoutNs) +
                " ms; raise aeron.client.liveness.timeout or lower " + LIVENESS_PROPERTY);
        }
    }

    private static void checkAlive(final DriverMonitor driverMonitor, final ControlFile control, final int reporter)
    {
        final JobFailure failure = driverMonitor.checkBeforeUse();
        if (null != failure)
        {
            control.fail(reporter, failure);
            throw new TransportException(failure.message() + REMEDY);
        }
    }

    private static void onError(
        final Throwable throwable,
        final DriverMonitor driverMonitor,
        final ControlFile control,
        final int reporter,
        final ErrorHandler errorHandler)
    {
        if (throwable instanceof DriverTimeoutException)
        {
            control.fail(reporter, new JobFailure(
                JobFailure.Kind.DRIVER_DIED, reporter, -1,
                "PE " + reporter + " lost " + driverMonitor.describe() + ": " + throwable.getMessage()));
        }
        else if (isExpired(throwable))
        {
            control.fail(reporter, new JobFailure(
                JobFailure.Kind.PE_FAILED, reporter, -1,
                "PE " + reporter + " was silent for longer than " + driverMonitor.describe() + " tolerates (" +
                LIVENESS_PROPERTY + ", aeron.client.liveness.timeout): " + throwable.getMessage()));
        }

        errorHandler.onError(throwable);
    }

    /** Returns true if the driver has expired this client, which was paused. Aeron detects that in several ways. */
    private static boolean isExpired(final Throwable throwable)
    {
        return throwable instanceof ConductorServiceTimeoutException || throwable instanceof ClientTimeoutException ||
            throwable instanceof AeronException && String.valueOf(throwable.getMessage()).contains(HEARTBEAT_CLOSED);
    }

    public Aeron aeron()
    {
        return aeron;
    }

    /** Returns the check of the driver, for the liveness thread. */
    public Liveness.Watch driverMonitor()
    {
        return driverMonitor;
    }

    /**
     * Returns the check for the silence of a driver whose process this job monitors otherwise, for the liveness thread.
     */
    public Liveness.Watch driverSilence()
    {
        return driverMonitor::checkSilence;
    }

    /** Closes the client after a failure of the job that would otherwise end the JVM. */
    @Override
    public void onFailure(final JobFailure failure)
    {
        if (JobFailure.Kind.DRIVER_DIED == failure.kind() && isEndingJvm(aeron))
        {
            lockInvokers();
            try
            {
                aeron.close();
            }
            finally
            {
                unlockInvokers();
            }
        }
    }

    @Override
    public synchronized FrameSink sink(final String channel, final int streamId, final IntUnaryOperator idle)
    {
        final String key = channel + '#' + streamId;
        PublicationSink sink = sinks.get(key);
        if (null == sink)
        {
            sink = new PublicationSink(open(channel, () -> isDriverInvokedByClient() ?
                invoked(() -> aeron.addPublication(channel, streamId)) :
                await(() -> aeron.asyncAddPublication(channel, streamId), aeron::getPublication, channel, idle)));
            sinks.put(key, sink);
        }

        return sink;
    }

    @Override
    public FrameSource source(
        final String channel,
        final int streamId,
        final BiConsumer<Object, String> onImageLost,
        final IntUnaryOperator idle)
    {
        final UnavailableImageHandler handler =
            (image) -> onImageLost.accept(image, channel + " from " + image.sourceIdentity());
        return new SubscriptionSource(open(channel, () -> isDriverInvokedByClient() ?
            invoked(() -> aeron.addSubscription(channel, streamId, null, handler)) :
            await(
                () -> aeron.asyncAddSubscription(channel, streamId, null, handler),
                aeron::getSubscription,
                channel,
                idle)));
    }

    /** A client that invokes the driver does so while it waits for a response; that driver cannot die alone. */
    private boolean isDriverInvokedByClient()
    {
        return null != aeron.context().driverAgentInvoker();
    }

    private <T> T await(
        final LongSupplier request, final LongFunction<T> answer, final String channel, final IntUnaryOperator idle)
    {
        final long deadlineNs = clock.nanoTime() + timeoutNs;
        final long id = invoked(request::getAsLong);
        int round = 0;
        while (true)
        {
            final T found = invoked(() -> answer.apply(id));
            if (null != found)
            {
                return found;
            }

            if (clock.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException(driverMonitor.describe() + " did not open " + channel + " within " +
                    TimeUnit.NANOSECONDS.toMillis(timeoutNs) + " ms");
            }

            round = idle.applyAsInt(round);
        }
    }

    /** Calls the client while no thread runs its invoker: two threads must not use it then. */
    private <T> T invoked(final Supplier<T> call)
    {
        lockInvokers();
        try
        {
            return call.get();
        }
        finally
        {
            unlockInvokers();
        }
    }

    /**
     * Opens a stream. An exception of Aeron, if the driver rejects it or the client has lost the driver meanwhile, is a
     * failure of the transport.
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
                driverMonitor.describe() + " did not open " + channel + ": " + ex.getMessage(), ex);
        }
    }

    @Override
    public boolean isClosed()
    {
        return aeron.isClosed();
    }

    @Override
    public void close(final List<FrameSource> sources)
    {
        lockInvokers();
        try
        {
            CloseHelper.closeAll(sources);
        }
        finally
        {
            unlockInvokers();
        }
    }

    private void lockInvokers()
    {
        if (null != invokers)
        {
            invokers.lock();
        }
    }

    private void unlockInvokers()
    {
        if (null != invokers)
        {
            invokers.unlock();
        }
    }

    @Override
    public String driverKey()
    {
        return DriverDirectory.key(driverDirectory());
    }

    @Override
    public String driverDirectory()
    {
        return aeron.context().aeronDirectoryName();
    }

    @Override
    public synchronized void close()
    {
        driverMonitor.close();
        lockInvokers();
        try
        {
            sinks.values().forEach(PublicationSink::close);
            sinks.clear();
            if (ownsAeron)
            {
                aeron.close();
            }
        }
        finally
        {
            unlockInvokers();
        }
    }
}
