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
package io.aeroshmem.tools.latency;

import io.aeroshmem.tools.exit.OutputFile;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogWriter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/**
 * The result files in a directory. The file {@value #ROWS} holds the rows of all jobs, once the last has ended. Each
 * row whose calls were timed one by one also has two files of its own: a percentile distribution and an interval log.
 * <p>
 * The name of a distribution has a form that {@code results-plotter.py} of the Aeron benchmarks can parse:
 * {@code <operation>_<transport>_<name>=<value>_…-report.hgrm}, without underscores or digits in the name of the
 * operation.
 */
final class ResultFiles
{
    /** Name of the file with the rows as CSV, the environment of each job as a comment before its rows. */
    static final String ROWS = "results.csv";

    private static final int HISTOGRAM_DIGITS = 3;
    private static final double NS_PER_S = 1e9;

    private final Path directory;
    private final LatencyPlan plan;
    private final Path part;

    /** @param directory that exists. */
    ResultFiles(final Path directory, final LatencyPlan plan)
    {
        this.directory = directory;
        this.plan = plan;
        part = directory.resolve(ROWS + OutputFile.PART);
    }

    /** Begins the rows of a job; called by PE 0. */
    void begin(final LatencyEnvironment environment) throws IOException
    {
        final StringBuilder text = new StringBuilder(plan.isFirst() ? CsvWriter.HEADER + "\n" : "");
        environment.lines().forEach((line) -> text.append("# ").append(line).append('\n'));
        OutputFile.requireFile(part);
        OutputFile.requireFile(directory.resolve(ROWS));
        Files.writeString(part, text, StandardOpenOption.CREATE, StandardOpenOption.WRITE,
            plan.isFirst() ? StandardOpenOption.TRUNCATE_EXISTING : StandardOpenOption.APPEND);
    }

    /** Adds a row; called by PE 0. */
    void add(final LatencyRow row) throws IOException
    {
        Files.writeString(part, CsvWriter.format(row) + "\n", StandardOpenOption.APPEND);
    }

    /** Ends the rows of a job; called by PE 0. After those of the last job the file is complete, and gets its name. */
    void end() throws IOException
    {
        if (plan.isLast())
        {
            OutputFile.complete(part, directory.resolve(ROWS));
        }
    }

    /**
     * Writes the histogram of calls; called by the PE that has timed them.
     *
     * @param startMs time of day at the start of the measurement.
     * @param totalNs its duration.
     */
    void write(
        final LatencyOperation operation,
        final LatencyRow row,
        final PePair pairOrNull,
        final long[] samples,
        final long startMs,
        final long totalNs) throws IOException
    {
        final Histogram histogram = new Histogram(HISTOGRAM_DIGITS);
        for (int i = 0; i < row.samples(); i++)
        {
            histogram.recordValue(samples[i]);
        }

        final String parameters = parameters(row, pairOrNull);
        final String name = plan.name(operation).replace('_', '-') + "_" + row.transport() + "_" + parameters +
            "_bytes=" + row.bytes();
        OutputFile.write(directory.resolve(name + "-report.hgrm"),
            (output) -> histogram.outputPercentileDistribution(output, 1.0));

        histogram.setTag(
            row.transport() + "_" + parameters + "." + plan.name(operation) + "." + row.bytes() + "B");
        OutputFile.write(directory.resolve(name + ".hlog"), (output) ->
        {
            final HistogramLogWriter writer = new HistogramLogWriter(output);
            writer.outputComment("[Latencies in nanoseconds, logged with " + plan.version() + "]");
            writer.outputLogFormatVersion();
            writer.outputStartTime(startMs);
            writer.outputLegend();
            writer.outputIntervalHistogram(0, totalNs / NS_PER_S, histogram);
        });
    }

    private String parameters(final LatencyRow row, final PePair pairOrNull)
    {
        return "pes=" + row.pes() +
            (HeapKind.HOST == plan.heapKind() ? "" : "_heap=" + plan.heapKind().lowerCaseName()) +
            (null == pairOrNull ? "" : "_from=" + pairOrNull.from() + "_to=" + pairOrNull.to()) +
            (LatencyRow.CLOSED == row.rate() ? "" : "_rate=" + row.rate());
    }
}
