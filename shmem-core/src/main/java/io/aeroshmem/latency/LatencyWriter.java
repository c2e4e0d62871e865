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

import org.HdrHistogram.Histogram;
import org.agrona.ErrorHandler;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collection;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The library's thread that writes what a PE records: an interval after the other while recording is on, and at the
 * end the last interval and a distribution (.hgrm) of each histogram.
 * <p>
 * It alone touches the files, so a disk that is slow or full is its own trouble: it tells the error handler of the
 * first of a run of failures, and goes on. Recording threads never wait for it. What they recorded before {@link
 * #close()} is in the files: the volatile write of isClosing follows it, and the last interval is taken after that
 * was read.
 */
final class LatencyWriter implements Runnable
{
    private static final long CLOSE_TIMEOUT_S = 5;
    private static final double SCALE_NS = 1.0;
    /** Teams may be made and closed faster than a disk can write. */
    private static final int RETIRED_LIMIT = 1000;

    private final String title;
    private final Path directory;
    private final String prefix;
    private final long intervalNs;
    private final Collection<LatencyHistogram> histograms;
    private final ErrorHandler errorHandler;
    private final ArrayBlockingQueue<LatencyHistogram> retired = new ArrayBlockingQueue<>(RETIRED_LIMIT);
    private final AtomicLong lost = new AtomicLong();
    private final CountDownLatch finished = new CountDownLatch(1);

    // Written by one thread of the PE at a time, and followed by an unpark:
    private volatile boolean isOn;
    private volatile boolean isClosing;
    /** How often it was switched, so that none is missed: what was recorded in between is to be written soon. */
    private volatile int switches;

    private volatile Thread thread;

    // The thread's own:
    private IntervalLog log;
    private long intervalStartNs;
    private boolean isFailing;

    /**
     * @param title        who records, in words, for the log's head.
     * @param directory    of the files; made if it is missing.
     * @param prefix       that the names of the files start with.
     * @param intervalNs   length of an interval.
     * @param histograms   what to write, which may grow at any time.
     * @param errorHandler is told of failures.
     */
    LatencyWriter(
        final String title,
        final Path directory,
        final String prefix,
        final long intervalNs,
        final Collection<LatencyHistogram> histograms,
        final ErrorHandler errorHandler)
    {
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
        this.thread = thread;
        thread.setDaemon(true);
        thread.setName("aeroshmem-latency");
        thread.start();
    }

    /**
     * Starts or ends a run of intervals.
     *
     * @param on whether to write them.
     */
    void record(final boolean on)
    {
        isOn = on;
        switches = switches + 1;
        LockSupport.unpark(thread);
    }

    /**
     * Has the rest of a histogram of a closed team written soon. If too many are waiting for that it is lost, which the
     * error handler is told.
     *
     * @param histogram that nobody records in any more.
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
     * Has everything written, and waits until that is done: not for ever, as the disk may be stuck. An interrupt is
     * kept for later.
     */
    void close()
    {
        isClosing = true;
        LockSupport.unpark(thread);
        boolean isInterrupted = false;
        boolean isFinished = false;
        final long deadlineNs = System.nanoTime() + TimeUnit.SECONDS.toNanos(CLOSE_TIMEOUT_S);
        long remainingNs = deadlineNs - System.nanoTime();
        while (!isFinished && remainingNs > 0)
        {
            try
            {
                isFinished = finished.await(remainingNs, TimeUnit.NANOSECONDS);
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }

            remainingNs = deadlineNs - System.nanoTime();
        }

        if (!isFinished)
        {
            report(new IOException(
                "the latency files in " + directory.toAbsolutePath() + " took more than " + CLOSE_TIMEOUT_S +
                " seconds to write: they are left to their thread"));
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void run()
    {
        try
        {
            intervalStartNs = System.nanoTime();
            attempt(this::open);
            while (!isClosing)
            {
                final int seen = switches;
                awaitIntervalEnd();
                attempt(this::writeInterval);
                if (!isOn)
                {
                    awaitSwitch(seen);
                }
            }

            writeRetired();
            attempt(this::writeInterval);
            for (final LatencyHistogram histogram : histograms)
            {
                attempt(() -> writeDistribution(histogram));
            }

            attempt(this::closeLog);
        }
        finally
        {
            finished.countDown();
        }
    }

    /**
     * Until the interval is over, or recording is switched off or closed.
     */
    private void awaitIntervalEnd()
    {
        final long endNs = intervalStartNs + intervalNs;
        long remainingNs = endNs - System.nanoTime();
        while (isOn && !isClosing && remainingNs > 0)
        {
            LockSupport.parkNanos(this, remainingNs);
            // nobody but close() may end this thread, and a flag that stays would keep it from parking
            Thread.interrupted();
            writeRetired();
            remainingNs = endNs - System.nanoTime();
        }
    }

    /**
     * Until recording is switched, which starts a new interval, or closed.
     */
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

        log = new IntervalLog(file(".hlog"), title, intervalStartNs);
    }

    private void writeInterval() throws IOException
    {
        if (null == log)
        {
            open();
        }

        final long fromNs = intervalStartNs;
        final long nowNs = System.nanoTime();
        intervalStartNs = nowNs;
        for (final LatencyHistogram histogram : histograms)
        {
            final Histogram interval = histogram.takeInterval();
            if (null != interval)
            {
                log.add(fromNs, nowNs, interval);
            }
        }

        log.flush();
    }

    /**
     * What teams left that were closed, amid an interval, so that their memory is free again.
     */
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
            report(new IOException(
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
        // what the log could not be opened for is still there
        histogram.takeInterval();
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

        try (FileOutputStream output = new FileOutputStream(file("." + histogram.tag() + ".hgrm")))
        {
            text.writeTo(output);
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
                report(ex);
            }

            isFailing = true;
        }
    }

    private void report(final Throwable error)
    {
        try
        {
            errorHandler.onError(error);
        }
        catch (final Throwable ex)
        {
            // what the program's handler throws is for the thread's own
            final Thread current = Thread.currentThread();
            current.getUncaughtExceptionHandler().uncaughtException(current, ex);
        }
    }

    /** A part of the thread's work, which may fail by itself. */
    private interface Step
    {
        void run() throws IOException;
    }
}
