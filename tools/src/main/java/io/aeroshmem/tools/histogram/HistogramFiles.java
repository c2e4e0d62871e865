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
package io.aeroshmem.tools.histogram;

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.FileProblem;
import io.aeroshmem.tools.exit.InputFile;
import io.aeroshmem.tools.exit.OutputFile;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.DoubleHistogramIterationValue;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramIterationValue;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

import java.io.BufferedReader;
import java.io.IOException;
import java.math.BigDecimal;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * Reads and writes interval logs (.hlog) and percentile distributions (.hgrm) of HdrHistogram. Histograms with the same
 * {@link HistogramKey} are merged, such as the intervals of a log that have the same tag. A distribution file has one
 * value for each percentile that it lists. So a histogram read from it is exact at these percentiles, and approximate
 * between them.
 */
public final class HistogramFiles
{
    private static final String LOG = ".hlog";
    private static final String DISTRIBUTION = ".hgrm";
    private static final int DIGITS = 3;
    private static final long MAX_VALUE = Long.MAX_VALUE / 2;
    /** Columns are separated by spaces or, as CSV, by commas; the last one is missing in old files. */
    private static final Pattern LINE = Pattern.compile(
        "\\s*([0-9]+(?:\\.[0-9]+)?)[\\s,]+([0-9]+(?:\\.[0-9]+)?)[\\s,]+([0-9]+)(?:[\\s,]+(\\S+))?\\s*");
    private static final Pattern HEADER = Pattern.compile("\\s*\"?Value\"?[\\s,]+\"?Percentile\"?[\\s,].*");
    private static final Pattern TOTAL = Pattern.compile("\\s*#\\[Max.*Total count\\s*=\\s*([0-9]+)\\s*\\]\\s*");
    private static final Pattern LEGEND = Pattern.compile("\"|(?:Start)?Timestamp");

    private final Map<HistogramKey, Histogram> histograms = new TreeMap<>();
    private final double nsPerUnit;

    private HistogramFiles(final double nsPerUnit)
    {
        this.nsPerUnit = nsPerUnit;
    }

    /**
     * Reads files, and all logs of directories; the distributions of a directory only if it has no log, since a PE
     * writes the same to both.
     *
     * @param nsPerUnit nanoseconds of the unit in which the values of the files are.
     * @throws CommandException if one cannot be read, or is no histogram.
     */
    public static HistogramFiles read(final List<Path> paths, final double nsPerUnit) throws IOException
    {
        final HistogramFiles files = new HistogramFiles(nsPerUnit);
        for (final Path path : paths)
        {
            if (Files.isDirectory(path))
            {
                files.readDirectory(path);
            }
            else
            {
                files.readFile(path);
            }
        }

        return files;
    }

    /** Reads the logs of a directory, of which there may be none. */
    public static HistogramFiles readLogs(final Path directory) throws IOException
    {
        final HistogramFiles files = new HistogramFiles(1);
        for (final Path log : list(directory, LOG))
        {
            files.readFile(log);
        }

        return files;
    }

    private void readDirectory(final Path directory) throws IOException
    {
        final List<Path> logs = list(directory, LOG);
        final List<Path> found = logs.isEmpty() ? list(directory, DISTRIBUTION) : logs;
        if (found.isEmpty())
        {
            throw CommandException.failure("no .hlog or .hgrm file in " + directory);
        }

        for (final Path file : found)
        {
            readFile(file);
        }
    }

    private static List<Path> list(final Path directory, final String extension) throws IOException
    {
        final List<Path> files = new ArrayList<>();
        try (DirectoryStream<Path> stream = Files.newDirectoryStream(directory, "*" + extension))
        {
            stream.forEach(files::add);
        }

        files.sort(null);
        return files;
    }

    private void readFile(final Path file)
    {
        try
        {
            InputFile.checkLines(file);
            if (isDistribution(file))
            {
                readDistribution(file);
            }
            else
            {
                readLog(file);
            }
        }
        catch (final IOException ex)
        {
            throw CommandException.failure("cannot read " + file + ": " + FileProblem.describe(ex));
        }
    }

    /** Returns what a file is by its name or, since the examples of HdrHistogram have other names, by its header. */
    private static boolean isDistribution(final Path file) throws IOException
    {
        final String name = file.getFileName().toString();
        if (name.endsWith(DISTRIBUTION) || name.endsWith(LOG))
        {
            return name.endsWith(DISTRIBUTION);
        }

        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1))
        {
            return lines.filter((line) -> !line.isBlank() && !line.startsWith("#")).findFirst()
                .filter((line) -> HEADER.matcher(line).matches()).isPresent();
        }
    }

    private void readLog(final Path file) throws IOException
    {
        final boolean isForeign;
        final long intervals;
        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1))
        {
            isForeign = lines.noneMatch((line) -> line.contains("Histogram log format"));
        }

        try (Stream<String> lines = Files.lines(file, StandardCharsets.ISO_8859_1))
        {
            intervals = lines.filter(HistogramFiles::isInterval).count();
        }

        int count = 0;
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
        {
            while (reader.hasNext())
            {
                final EncodableHistogram interval = reader.nextIntervalHistogram();
                if (null != interval)
                {
                    count++;
                    add(HistogramKey.of(file, interval.getTag()), inNanoseconds(interval));
                }
            }
        }
        catch (final RuntimeException ex)
        {
            throw malformed(file, count, intervals, isForeign);
        }

        // the reader returns null for a line that it cannot parse
        if (count < intervals || 0 == count && isForeign)
        {
            throw malformed(file, count, intervals, isForeign);
        }
    }

    private static CommandException malformed(
        final Path file, final int count, final long intervals, final boolean isForeign)
    {
        return CommandException.failure(file + " is not an interval log of HdrHistogram" +
            (0 == count && isForeign ? "" :
                ", or is truncated: " + count + " of " + intervals + " intervals can be read"));
    }

    /** Returns whether a line is neither a comment nor the legend. */
    private static boolean isInterval(final String line)
    {
        return !line.isBlank() && !line.startsWith("#") && !LEGEND.matcher(line).lookingAt();
    }

    /** Returns a histogram whose values are nanoseconds; of a {@link DoubleHistogram} they may be fractions before. */
    private Histogram inNanoseconds(final EncodableHistogram interval)
    {
        if (interval instanceof Histogram && 1 == nsPerUnit)
        {
            return (Histogram)interval;
        }

        final Histogram histogram = new Histogram(DIGITS);
        if (interval instanceof DoubleHistogram)
        {
            final DoubleHistogram source = (DoubleHistogram)interval;
            for (final DoubleHistogramIterationValue value : source.recordedValues())
            {
                record(histogram, source.medianEquivalentValue(value.getValueIteratedTo()),
                    value.getCountAtValueIteratedTo());
            }
        }
        else
        {
            final Histogram source = (Histogram)interval;
            for (final HistogramIterationValue value : source.recordedValues())
            {
                record(histogram, source.medianEquivalentValue(value.getValueIteratedTo()),
                    value.getCountAtValueIteratedTo());
            }
        }

        return histogram;
    }

    private void record(final Histogram histogram, final double value, final long count)
    {
        final double ns = value * nsPerUnit;
        if (ns > MAX_VALUE)
        {
            throw new NumberFormatException(BigDecimal.valueOf(value).toPlainString());
        }

        histogram.recordValueWithCount(Math.round(ns), count);
    }

    private void readDistribution(final Path file) throws IOException
    {
        final Histogram histogram = new Histogram(DIGITS);
        long total = -1;
        boolean hasEnd = false;
        try (BufferedReader reader = Files.newBufferedReader(file, StandardCharsets.ISO_8859_1))
        {
            for (String line = reader.readLine(); null != line; line = reader.readLine())
            {
                final Matcher end = TOTAL.matcher(line);
                if (end.matches())
                {
                    total = Long.parseLong(end.group(1));
                }
                else
                {
                    hasEnd |= addLine(histogram, LINE.matcher(line));
                }
            }
        }
        catch (final NumberFormatException ex)
        {
            throw CommandException.failure(file + " has a number that is out of range: " + ex.getMessage());
        }

        if (total < 0 && !hasEnd)
        {
            throw CommandException.failure(
                file + " is not a percentile distribution of HdrHistogram, or is truncated: it has no total count");
        }

        if (total >= 0 && total != histogram.getTotalCount())
        {
            throw CommandException.failure(
                file + " is not a percentile distribution of HdrHistogram, or is truncated: its total count is " +
                total + ", that of its lines " + histogram.getTotalCount());
        }

        add(HistogramKey.of(file), histogram);
    }

    /** Returns whether the line is that of all values, the last one. */
    private boolean addLine(final Histogram histogram, final Matcher line)
    {
        if (!line.matches())
        {
            return false;
        }

        final long count = Long.parseLong(line.group(3)) - histogram.getTotalCount();
        if (count > 0)
        {
            record(histogram, Double.parseDouble(line.group(1)), count);
        }

        return null == line.group(4) ? 1 == Double.parseDouble(line.group(2)) :
            line.group(4).toLowerCase(Locale.ROOT).startsWith("inf");
    }

    private void add(final HistogramKey key, final Histogram histogram)
    {
        final Histogram merged = histograms.get(key);
        if (null == merged)
        {
            final Histogram copy = histogram.copy();
            copy.setAutoResize(true);
            histograms.put(key, copy);
        }
        else
        {
            merged.add(histogram);
        }
    }

    /** Returns the histograms by these parts of their keys; those whose keys differ only in other parts are merged. */
    public Map<HistogramKey, Histogram> by(final Set<HistogramKey.Part> parts)
    {
        final HistogramFiles merged = new HistogramFiles(1);
        histograms.forEach((key, histogram) -> merged.add(key.of(parts), histogram));
        return merged.histograms;
    }

    /**
     * Checks a file before anything is printed.
     *
     * @throws CommandException if the name ends with neither extension, if a distribution would be of several, or if
     *                          the file cannot be written.
     */
    public static void check(final Path file, final int count)
    {
        OutputFile.check("--merge", file, LOG, DISTRIBUTION);
        if (file.toString().endsWith(DISTRIBUTION) && 1 != count)
        {
            throw CommandException.usage("a .hgrm file is of one histogram, these are " + count +
                ": use .hlog, or --by");
        }
    }

    /** Writes histograms: as a log of one interval with the keys as tags, or one of them as a distribution. */
    public static void write(final Path file, final Map<HistogramKey, Histogram> histograms)
    {
        check(file, histograms.size());
        final String name = file.getFileName().toString();
        OutputFile.write(file, (output) ->
        {
            if (name.endsWith(DISTRIBUTION))
            {
                histograms.values().iterator().next().outputPercentileDistribution(output, 1.0);
            }
            else
            {
                writeLog(output, histograms);
            }
        });
    }

    private static void writeLog(final PrintStream output, final Map<HistogramKey, Histogram> histograms)
    {
        final HistogramLogWriter writer = new HistogramLogWriter(output);
        writer.outputComment("[AeroSHMEM, merged]");
        writer.outputLogFormatVersion();
        writer.outputLegend();
        histograms.forEach((key, histogram) ->
        {
            final Histogram tagged = histogram.copy();
            tagged.setTag(key.tag());
            writer.outputIntervalHistogram(0, 1, tagged);
        });
    }
}
