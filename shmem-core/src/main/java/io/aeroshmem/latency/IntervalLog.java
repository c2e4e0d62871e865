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
import org.HdrHistogram.HistogramLogWriter;

import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.PrintStream;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/**
 * A log of interval histograms in HdrHistogram's format (.hlog).
 * <p>
 * HdrHistogram's writer prints to a stream that swallows errors. So this class lets the writer print to memory, and
 * then writes the lines of an interval to the file together. If that write fails, the file is truncated to its previous
 * length: the lines are lost, and the log remains readable.
 */
final class IntervalLog
{
    private static final double NS_PER_S = 1e9;

    private final File file;
    private final RandomAccessFile output;
    private final ByteArrayOutputStream lines = new ByteArrayOutputStream();
    private final HistogramLogWriter writer =
        new HistogramLogWriter(new PrintStream(lines, false, StandardCharsets.UTF_8));
    private final long startNs;

    /**
     * Creates or truncates the file, and writes the header.
     *
     * @param title   of the log: the PE.
     * @param startNs {@link System#nanoTime()} that times in the log are relative to. Readers skip earlier entries.
     * @throws IOException if it cannot be written.
     */
    IntervalLog(final File file, final String title, final long startNs) throws IOException
    {
        this.file = file;
        this.startNs = startNs;
        output = new RandomAccessFile(file, "rw");
        try
        {
            output.setLength(0);
            writer.outputComment("[" + title + "]");
            writer.outputLogFormatVersion();
            final long ageMs = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNs);
            writer.outputStartTime(System.currentTimeMillis() - ageMs);
            writer.outputLegend();
            flush();
        }
        catch (final IOException ex)
        {
            output.close();
            throw ex;
        }
    }

    /**
     * Adds a line to those that the next {@link #flush()} writes.
     *
     * @param fromNs {@link System#nanoTime()} at the start of the interval.
     * @param toNs   {@link System#nanoTime()} at its end.
     */
    void add(final long fromNs, final long toNs, final Histogram interval)
    {
        writer.outputIntervalHistogram((fromNs - startNs) / NS_PER_S, (toNs - startNs) / NS_PER_S, interval);
    }

    /**
     * Writes the lines.
     *
     * @throws IOException if they could not be written; they are lost then.
     */
    void flush() throws IOException
    {
        final long length = output.getFilePointer();
        try
        {
            output.write(lines.toByteArray());
        }
        catch (final IOException ex)
        {
            output.setLength(length);
            output.seek(length);
            throw new IOException("the latencies of an interval could not be written to " + file + ": " + ex, ex);
        }
        finally
        {
            lines.reset();
        }
    }

    void close() throws IOException
    {
        output.close();
    }
}
