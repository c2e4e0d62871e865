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
import io.aeroshmem.tools.exit.OutputFile;
import org.HdrHistogram.EncodableHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;

import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

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
    private static final Pattern LINE =
        Pattern.compile("\\s*([0-9]+(?:\\.[0-9]+)?)\\s+([0-9.]+)\\s+([0-9]+)(?:\\s+\\S+)?\\s*");
    private static final Pattern TOTAL = Pattern.compile("#\\[Max.*Total count\\s*=\\s*([0-9]+)\\]");

    private final Map<HistogramKey, Histogram> histograms = new TreeMap<>();

    /**
     * Reads files, and all logs of directories; the distributions of a directory only if it has no log, since a PE
     * writes the same to both.
     *
     * @throws CommandException if one cannot be read, or is no histogram.
     */
    public static HistogramFiles read(final List<Path> paths) throws IOException
    {
        final HistogramFiles files = new HistogramFiles();
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
        final HistogramFiles files = new HistogramFiles();
        for (final Path log : list(directory, LOG))
        {
            files.readLog(log);
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

    private void readFile(final Path file) throws IOException
    {
        if (!Files.isReadable(file))
        {
            throw CommandException.failure(
                "cannot read " + file + (Files.exists(file) ? ": permission denied" : ": no such file or directory"));
        }

        if (file.getFileName().toString().endsWith(DISTRIBUTION))
        {
            readDistribution(file);
        }
        else
        {
            readLog(file);
        }
    }

    private void readLog(final Path file) throws IOException
    {
        final String text = new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1);
        int count = 0;
        try (HistogramLogReader reader = new HistogramLogReader(file.toFile()))
        {
            while (reader.hasNext())
            {
                final EncodableHistogram interval = reader.nextIntervalHistogram();
                if (null != interval)
                {
                    count++;
                }
                if (interval instanceof Histogram)
                {
                    add(HistogramKey.of(file, interval.getTag()), (Histogram)interval);
                }
            }
        }
        catch (final RuntimeException ex)
        {
            throw malformed(file, count, text);
        }

        // the reader returns null for a line that it cannot parse
        if (count < intervals(text) || 0 == count && isForeign(text))
        {
            throw malformed(file, count, text);
        }
    }

    private static CommandException malformed(final Path file, final int count, final String text)
    {
        return CommandException.failure(file + " is not an interval log of HdrHistogram" +
            (0 == count && isForeign(text) ? "" :
                ", or is truncated: " + count + " of " + intervals(text) + " intervals can be read"));
    }

    private static boolean isForeign(final String text)
    {
        return !text.contains("Histogram log format");
    }

    /** Returns the number of lines that are neither comments nor the legend. */
    private static long intervals(final String text)
    {
        return text.lines().filter((line) -> !line.isBlank() && !line.startsWith("#") && !line.startsWith("\""))
            .count();
    }

    private void readDistribution(final Path file) throws IOException
    {
        final Histogram histogram = new Histogram(DIGITS);
        long total = -1;
        try
        {
            for (final String line : new String(Files.readAllBytes(file), StandardCharsets.ISO_8859_1).split("\\R"))
            {
                final Matcher end = TOTAL.matcher(line);
                if (end.matches())
                {
                    total = Long.parseLong(end.group(1));
                }
                else
                {
                    addLine(histogram, LINE.matcher(line));
                }
            }
        }
        catch (final NumberFormatException ex)
        {
            throw CommandException.failure(file + " has a number that is out of range: " + ex.getMessage());
        }

        if (total < 0)
        {
            throw CommandException.failure(
                file + " is not a percentile distribution of HdrHistogram, or is truncated: it has no total count");
        }
        if (total != histogram.getTotalCount())
        {
            throw CommandException.failure(
                file + " is not a percentile distribution of HdrHistogram, or is truncated: its total count is " +
                total + ", that of its lines " + histogram.getTotalCount());
        }
        add(HistogramKey.of(file), histogram);
    }

    private static void addLine(final Histogram histogram, final Matcher line)
    {
        if (line.matches())
        {
            final long count = Long.parseLong(line.group(3)) - histogram.getTotalCount();
            final double value = Double.parseDouble(line.group(1));
            if (value > MAX_VALUE)
            {
                throw new NumberFormatException(line.group(1));
            }
            if (count > 0)
            {
                histogram.recordValueWithCount(Math.round(value), count);
            }
        }
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
        final HistogramFiles merged = new HistogramFiles();
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
