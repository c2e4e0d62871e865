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
package io.aeroshmem.latency;

import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.job.PeLatencyFile;
import org.HdrHistogram.Histogram;
import org.agrona.ErrorHandler;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Collection;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The library thread that writes the latencies of a PE. While recording is on, the thread writes the latencies of each
 * interval to the log (.hlog) as the interval ends. It writes the distribution (.hgrm) of a histogram when the team of
 * the histogram is closed, or when the PE is closed.
 * <p>
 * Only this thread accesses the files, and recording threads never wait for it, so a slow or full disk does not delay
 * them. Of several failures in a row, the thread reports only the first to the error handler. It continues after a
 * failure. It also publishes the totals to viewers, and emits an event of each interval.
 * <p>
 * <b>Ordering.</b> Every record made before {@link #close()} is in some interval, at the latest in the last. The
 * records precede the volatile write of isClosing, and the thread takes the last interval after it has read isClosing
 * as true.
 */
final class LatencyWriter implements Runnable
{
    private static final long CLOSE_TIMEOUT_S = 5;
    private static final double SCALE_NS = 1.0;
    /** Limit for teams that are created and closed faster than the disk can write. */
    private static final int RETIRED_LIMIT = 1000;

    private final int pe;
    private final String title;
    private final Path directory;
    private final String prefix;
    private final long intervalNs;
    private final Collection<LatencyHistogram> histograms;
    private final PublishedTotals published;
    private final ErrorHandler errorHandler;
    private final ArrayBlockingQueue<LatencyHistogram> retired = new ArrayBlockingQueue<>(RETIRED_LIMIT);
    private final AtomicLong lost = new AtomicLong();

    // Written by one thread of the PE at a time, and followed by an unpark:
    private volatile boolean isOn;
    private volatile boolean isClosing;
    /** Number of switches, so that none is missed: what was recorded in between is written soon. */
    private volatile int switches;

    private volatile Thread thread;

    // The thread's own:
    private IntervalLog log;
    private long startNs;
    private long intervalStartNs;
    private boolean isChanged;
    private boolean isFailing;

    /**
     * Constructs the writer.
     *
     * @param title      of the log: the PE.
     * @param prefix     of the names of the files.
     * @param histograms to write, which may grow at any time.
     * @param file       in which the totals are published.
     */
    LatencyWriter(
        final int pe,
        final String title,
        final Path directory,
        final String prefix,
        final long intervalNs,
        final Collection<LatencyHistogram> histograms,
        final PeLatencyFile file,
        final ErrorHandler errorHandler)
    {
        this.pe = pe;
        published = new PublishedTotals(title, file);
        this.title = title;
        this.directory = directory;
        this.prefix = prefix;
        this.intervalNs = intervalNs;
        this.histograms = histograms;
        this.errorHandler = errorHandler;
    }

    /**
     * Starts the thread.
     *
     * @param thread that runs this, not started.
     */
    void start(final Thread thread)
    {
        this.thread = Threads.daemon(thread);
        thread.setName("aeroshmem-latency");
        thread.start();
    }

    /** Starts or ends a run of intervals. */
    void record(final boolean on)
    {
        isOn = on;
        switches = switches + 1;
        LockSupport.unpark(thread);
    }

    /**
     * Schedules the rest of a closed team's histogram to be written soon. If too many are pending it is lost, which is
     * reported to the error handler.
     */
    void retire(final LatencyHistogram histogram)
    {
        if (!retired.offer(histogram))
        {
            lost.incrementAndGet();
        }

        LockSupport.unpark(thread);
    }

    /**
     * Requests that everything is written, and waits until that is done, for a limited time, as the disk may be stuck.
     * An interrupt is kept for later.
     */
    void close()
    {
        isClosing = true;
        LockSupport.unpark(thread);
        Threads.join(thread, TimeUnit.SECONDS.toMillis(CLOSE_TIMEOUT_S));
        if (thread.isAlive())
        {
            Threads.report(errorHandler, new IOException(
                "the latency files in " + directory.toAbsolutePath() + " took more than " + CLOSE_TIMEOUT_S +
                " seconds to write: they are left to their thread"));
        }
    }

    @Override
    public void run()
    {
        startNs = System.nanoTime();
        intervalStartNs = startNs;
        attempt(this::open);
        while (!isClosing)
        {
            final int seen = switches;
            awaitIntervalEnd();
            attempt(this::endInterval);
            if (!isOn)
            {
                awaitSwitch(seen);
            }
        }

        writeRetired();
        attempt(this::endInterval);
        for (final LatencyHistogram histogram : histograms)
        {
            attempt(() -> writeDistribution(histogram));
        }

        attempt(this::closeLog);
    }

    /** Waits until the interval has ended, or recording is switched off or closed. */
    private void awaitIntervalEnd()
    {
        final long endNs = intervalStartNs + intervalNs;
        long remainingNs = endNs - System.nanoTime();
        while (isOn && !isClosing && remainingNs > 0)
        {
            LockSupport.parkNanos(this, remainingNs);
            // only close() may end this thread, and a remaining interrupt would keep it from parking
            Thread.interrupted();
            writeRetired();
            remainingNs = endNs - System.nanoTime();
        }
    }

    /** Waits until recording is switched, which starts a new interval, or closed. */
    private void awaitSwitch(final int seen)
    {
        while (seen == switches && !isClosing)
        {
            LockSupport.park(this);
            Thread.interrupted();
            writeRetired();
        }

        intervalStartNs = System.nanoTime();
    }

    private void open() throws IOException
    {
        // a link to a directory is one too, which createDirectories of JDK 17 denies
        if (!Files.isDirectory(directory))
        {
            Files.createDirectories(directory);
        }

        log = new IntervalLog(file(".hlog"), title, startNs);
    }

    private void endInterval() throws IOException
    {
        try
        {
            writeInterval();
        }
        finally
        {
            publish();
        }
    }

    /**
     * Takes the intervals whether they can be logged or not: they count in the totals. A log that can be opened late
     * begins with the totals.
     */
    private void writeInterval() throws IOException
    {
        final boolean isLate = null == log;
        IOException failure = null;
        try
        {
            if (isLate)
            {
                open();
            }
        }
        catch (final IOException ex)
        {
            failure = ex;
        }

        final long fromNs = intervalStartNs;
        final long nowNs = System.nanoTime();
        final boolean isEmitted = FlightRecording.isLatencyEnabled();
        intervalStartNs = nowNs;
        for (final LatencyHistogram histogram : histograms)
        {
            final Histogram interval = histogram.takeInterval();
            if (null != interval)
            {
                isChanged = true;
                if (isEmitted)
                {
                    histogram.emit(pe, nowNs - fromNs);
                }
            }

            final Histogram logged = isLate ? histogram.total() : interval;
            if (null != log && null != logged)
            {
                log.add(isLate ? startNs : fromNs, nowNs, logged);
            }
        }

        if (null != failure)
        {
            throw failure;
        }

        log.flush();
    }

    /** Lets viewers see the totals of open teams, if they have changed. */
    private void publish() throws IOException
    {
        if (isChanged)
        {
            published.replace(histograms, intervalStartNs - startNs);
            isChanged = false;
        }
    }

    /** Writes the records of teams that were closed during an interval, so that their memory is freed. */
    private void writeRetired()
    {
        LatencyHistogram next = retired.poll();
        while (null != next)
        {
            final LatencyHistogram histogram = next;
            attempt(() -> writeLastInterval(histogram));
            attempt(() -> writeDistribution(histogram));
            next = retired.poll();
        }

        final long count = lost.getAndSet(0);
        if (0 != count)
        {
            Threads.report(errorHandler, new IOException(
                "the latencies of " + count + " collectives of closed teams are lost: teams are closed faster than" +
                " their files can be written in " + directory.toAbsolutePath()));
        }
    }

    private void writeLastInterval(final LatencyHistogram histogram) throws IOException
    {
        final Histogram interval = histogram.takeInterval();
        if (null != interval && null != log)
        {
            log.add(intervalStartNs, System.nanoTime(), interval);
            log.flush();
        }
    }

    private void writeDistribution(final LatencyHistogram histogram) throws IOException
    {
        final Histogram total = histogram.total();
        if (null == total)
        {
            return;
        }

        final ByteArrayOutputStream text = new ByteArrayOutputStream();
        try (PrintStream printer = new PrintStream(text, false, StandardCharsets.UTF_8))
        {
            total.outputPercentileDistribution(printer, SCALE_NS);
        }

        // complete before it has its name, and new: the write to a FIFO of that name would block
        final Path file = file("." + histogram.tag() + ".hgrm").toPath();
        final Path part = file.resolveSibling(file.getFileName() + ".part");
        try
        {
            Files.deleteIfExists(part);
            Files.write(part, text.toByteArray(), StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE);
            Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
        }
        finally
        {
            Files.deleteIfExists(part);
        }
    }

    private void closeLog() throws IOException
    {
        if (null != log)
        {
            log.close();
        }
    }

    private File file(final String suffix)
    {
        return directory.resolve(prefix + suffix).toFile();
    }

    private void attempt(final Step step)
    {
        try
        {
            step.run();
            isFailing = false;
        }
        catch (final Throwable ex)
        {
            if (!isFailing)
            {
                Threads.report(errorHandler, ex);
            }

            isFailing = true;
        }
    }

    /** A part of the thread's work. If it fails, the thread continues with the next part. */
    private interface Step
    {
        void run() throws IOException;
    }
}
