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

import io.aeroshmem.tools.AeroShmemCommand;
import io.aeroshmem.tools.exit.ExitCode;
import org.HdrHistogram.DoubleHistogram;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.HistogramLogReader;
import org.HdrHistogram.HistogramLogWriter;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.io.RandomAccessFile;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class HistogramCommandTest
{
    private static final String BARRIER = "WORLD.barrier.0B";
    private static final String SMALL = "team-0-3.reduce.to-8B";
    private static final String LARGE = "team-0-3.reduce.to-32KiB";

    private static final String FOOTER =
        "    #[Mean    =        4.881, StdDeviation   =        1.777]\n" +
        "    #[Max     =       64.736, Total count    =          100]\n" +
        "    #[Buckets =           27, SubBuckets     =         2048]\n";
    private static final String VERSION_0 =
        "#[Histogram log format version 1.01]\n" +
        "\"StartTimestamp\",\"EndTimestamp\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n" +
        "48.533,0.591,0.311,HISTiQAAAFR42pNpmdzBwMDAxAAGfgoMDMxuBjsWQLgMjNegDKg8AxeUZkGjWdFoTijNjqaODY2GqWdEU8eMqo5R" +
        "HMpPRnMHTN8oGAWjYBSMglEwCqgIAEz/Bas=\n";
    private static final String VERSION_1 =
        "#[Histogram log format version 1.1]\n#[BaseTime: 1438867590.285 (seconds since epoch)]\n" +
        "StartTimestamp,Interval_Length,Interval_Max,Interval_Compressed_Histogram\r\n" +
        "17.137,1.003,0.475,HISTIgAAAEl42pNpmazIwMBgxQABTBDKT4GBgdnNYMcCBvsPDMiACQxZGRgZ2ME0M5BkBrNUGLQZBICizAzcDL4M" +
        "1xneMEgz8AFlGAGnqwfY\r\n";

    private final StringWriter output = new StringWriter();
    private final StringWriter error = new StringWriter();
    @TempDir
    private Path directory;

    /** PE 1 waits 100 ns at each barrier, PE 0 comes last; PE 0 has two intervals. */
    @BeforeEach
    void writeLogs() throws IOException
    {
        writeLog("aeroshmem-pe0.hlog", log ->
        {
            add(log, BARRIER, 100, 10);
            add(log, SMALL, 200, 5);
            add(log, BARRIER, 100, 10);
            add(log, LARGE, 5000, 1);
        });
        writeLog("aeroshmem-pe1.hlog", log -> add(log, BARRIER, 200, 21));
    }

    @FunctionalInterface
    private interface Content
    {
        void write(HistogramLogWriter log);
    }

    private void writeLog(final String name, final Content content) throws IOException
    {
        try (PrintStream stream = new PrintStream(Files.newOutputStream(directory.resolve(name)), false, "UTF-8"))
        {
            final HistogramLogWriter log = new HistogramLogWriter(stream);
            log.outputLogFormatVersion();
            log.outputLegend();
            content.write(log);
        }
    }

    private static void add(final HistogramLogWriter log, final String tag, final long value, final long count)
    {
        log.outputIntervalHistogram(0, 1, histogram(tag, value, count));
    }

    private static Histogram histogram(final String tag, final long value, final long count)
    {
        final Histogram histogram = new Histogram(3);
        histogram.recordValueWithCount(value, count);
        histogram.setTag(tag);
        return histogram;
    }

    @Test
    void shouldMergeIntervalsAndPes()
    {
        assertEquals(ExitCode.OK, execute("histogram", directory.toString()), error::toString);
        assertEquals(List.of(
            "ns                                    count    p50    p90    p99  p99.9    max",
            "WORLD.barrier.0B                         41    200    200    200    200    200",
            "team-0-3.reduce.to-8B                     5    200    200    200    200    200",
            "team-0-3.reduce.to-32KiB                  1   5003   5003   5003   5003   5003"), lines());
    }

    @Test
    void shouldGroupByAnyParts()
    {
        assertEquals(ExitCode.OK, execute("histogram", "--by", "pe,team", "--format", "csv", directory.toString()));
        assertEquals(List.of(
            "team,collective,size,pe,count,min_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns",
            "WORLD,,,0,20,100,100,100,100,100,100,100.0",
            "WORLD,,,1,21,200,200,200,200,200,200,200.0",
            "team-0-3,,,0,6,200,200,5003,5003,5003,5003,1000.3"), lines());
    }

    @Test
    void shouldFindThePeThatComesLast()
    {
        assertEquals(ExitCode.OK, execute("histogram", "--last", directory.toString()));
        assertEquals(
            List.of("WORLD.barrier.0B: PE 0 comes last (p50 100), PE 1 first (p50 200), skew 100"), lines());
        assertEquals(ExitCode.FAILURE, execute("histogram", "--last", file("aeroshmem-pe0.hlog")));
    }

    @Test
    void shouldDivideByTheMediansOfABaseline()
    {
        assertEquals(
            ExitCode.OK, execute("histogram", "--baseline", file("aeroshmem-pe0.hlog"), file("aeroshmem-pe1.hlog")));
        assertTrue(lines().get(1).endsWith("  2.00"), output::toString);
    }

    @Test
    void shouldReadWhatItWrites()
    {
        assertEquals(ExitCode.OK, execute("histogram", "--merge", file("all.hlog"), directory.toString()));
        final List<String> merged = lines();
        output.getBuffer().setLength(0);
        assertEquals(ExitCode.OK, execute("histogram", file("all.hlog")), error::toString);
        assertEquals(merged, lines());

        output.getBuffer().setLength(0);
        assertEquals(
            ExitCode.OK, execute("histogram", "--by", "size", "--merge", file("one.hgrm"), file("aeroshmem-pe1.hlog")));
        output.getBuffer().setLength(0);
        assertEquals(ExitCode.OK, execute("histogram", file("one.hgrm")), error::toString);
        assertEquals("one                                      21    200    200    200    200    200", lines().get(1));
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "pe", "team", "collective", "size", "pe,team", "pe,collective", "pe,size", "team,collective", "team,size",
        "collective,size", "pe,team,collective", "pe,team,size", "pe,collective,size", "team,collective,size",
        "pe,team,collective,size"})
    @Tag("ci")
    void shouldReadEachPartThatItWrites(final String parts) throws IOException
    {
        final String all = file("all.hlog");
        final Path logs = Files.createDirectory(directory.resolve("logs"));
        for (final String name : List.of("aeroshmem-pe0.hlog", "aeroshmem-pe1.hlog"))
        {
            Files.move(directory.resolve(name), logs.resolve(name));
        }

        assertEquals(ExitCode.OK, execute("histogram", "--by", parts, "--merge", all, logs.toString()));
        output.getBuffer().setLength(0);
        for (final String part : List.of(parts, "pe", "team", "collective", "size"))
        {
            if (parts.contains(part))
            {
                final List<String> written = csv(part, logs.toString());
                assertEquals(written, csv(part, all), part);
            }
        }
    }

    private List<String> csv(final String parts, final String path)
    {
        output.getBuffer().setLength(0);
        assertEquals(ExitCode.OK, execute("histogram", "--by", parts, "--format", "csv", path), error::toString);
        return lines();
    }

    @Test
    void shouldFindThePeThatComesLastInAMergedLog()
    {
        assertEquals(ExitCode.OK, execute(
            "histogram", "--by", "pe,team,collective,size", "--merge", file("all.hlog"), directory.toString()));
        output.getBuffer().setLength(0);
        assertEquals(ExitCode.OK, execute("histogram", "--last", file("all.hlog")), error::toString);
        assertEquals(
            List.of("WORLD.barrier.0B: PE 0 comes last (p50 100), PE 1 first (p50 200), skew 100"), lines());
    }

    @Test
    void shouldKeepTheTagsOfPesAndOfOtherPrograms() throws IOException
    {
        writeLog("other.hlog", log -> add(log, "Other-tag", 100, 1));
        assertEquals(ExitCode.OK, execute("histogram", "--merge", file("all.hlog"), directory.toString()));
        assertEquals(
            List.of("Other-tag", BARRIER, SMALL, LARGE),
            Files.readAllLines(directory.resolve("all.hlog")).stream().filter((line) -> line.startsWith("Tag="))
                .map((line) -> line.substring("Tag=".length(), line.indexOf(','))).toList());
    }

    @Test
    void shouldReadTheDistributionsOfADirectoryWithoutLogs() throws IOException
    {
        final Path distributions = Files.createDirectory(directory.resolve("distributions"));
        try (PrintStream stream = new PrintStream(
            Files.newOutputStream(distributions.resolve("aeroshmem-pe3.WORLD.barrier.0B.hgrm")), false, "UTF-8"))
        {
            final Histogram histogram = histogram("", 100, 900);
            histogram.recordValueWithCount(1000, 90);
            histogram.recordValueWithCount(10_000, 10);
            histogram.outputPercentileDistribution(stream, 1.0);
        }

        assertEquals(
            ExitCode.OK, execute("histogram", "--by", "pe,team,collective,size", distributions.toString()));
        assertEquals("WORLD.barrier.0B.pe3                   1000    100    100   1000  10007  10007", lines().get(1));
    }

    /** The published examples of HdrHistogram: other names, footers indented or missing, values in milliseconds. */
    @ParameterizedTest
    @ValueSource(strings = {FOOTER, ""})
    void shouldReadPublishedDistributions(final String footer) throws IOException
    {
        final String text = "    Value   Percentile   TotalCount 1/(1-Percentile)\n\n" +
            "    0.189     0.000000            1         1.00\n" +
            "    4.919     0.500000           50         2.00\n" +
            "   64.767     0.990000           99       100.00\n" +
            "  700.000     1.000000          100          inf\n" + footer;
        for (final String name : List.of("12Krps", "example1.txt", "renamed.hgrm"))
        {
            Files.writeString(directory.resolve(name), text);
            output.getBuffer().setLength(0);
            assertEquals(ExitCode.OK, execute("histogram", "--unit", "ms", file(name)), error::toString);
            assertTrue(lines().get(1).endsWith("   100 4919us   65ms   65ms  700ms  700ms"), output::toString);
        }

        Files.writeString(directory.resolve("a.csv"),
            "\"Value\",\"Percentile\",\"TotalCount\",\"1/(1-Percentile)\"\r\n" +
            "4.919,0.500000000000,50,2.00\r\n64.767,1.000000000000,100,Infinity\r\n");
        output.getBuffer().setLength(0);
        assertEquals(ExitCode.OK, execute("histogram", "--unit", "us", file("a.csv")), error::toString);
        assertTrue(lines().get(1).endsWith("   100   4919  64767  64767  64767  64767"), output::toString);
    }

    @Test
    void shouldReadLogsOfDoubles() throws IOException
    {
        final DoubleHistogram histogram = new DoubleHistogram(3);
        histogram.recordValueWithCount(0.5, 90);
        histogram.recordValueWithCount(12.5, 10);
        try (PrintStream stream =
            new PrintStream(Files.newOutputStream(directory.resolve("double.hlog")), false, "UTF-8"))
        {
            new HistogramLogWriter(stream).outputIntervalHistogram(0, 1, histogram);
        }

        assertEquals(ExitCode.OK, execute("histogram", "--unit", "us", file("double.hlog")), error::toString);
        assertTrue(lines().get(1).endsWith("   100    500    500  12511  12511  12511"), output::toString);
    }

    /** Lines of jHiccup 2.0.1 and 2.0.6, of logs that HdrHistogram's own tests read, with the legends of others. */
    @ParameterizedTest
    @ValueSource(strings = {VERSION_0, VERSION_1})
    void shouldReadEveryVersionOfALog(final String text) throws IOException
    {
        Files.writeString(directory.resolve("old.hlog"), text);
        long count = 0;
        long max = 0;
        try (HistogramLogReader reader = new HistogramLogReader(file("old.hlog")))
        {
            while (reader.hasNext())
            {
                final Histogram interval = (Histogram)reader.nextIntervalHistogram();
                if (null != interval)
                {
                    count += interval.getTotalCount();
                    max = interval.getMaxValue();
                }
            }
        }

        assertTrue(count > 0 && max > 0);
        assertEquals(ExitCode.OK, execute("histogram", "--format", "csv", file("old.hlog")), error::toString);
        assertTrue(lines().get(1).startsWith(",old,,," + count + ","), output::toString);
        assertTrue(lines().get(1).contains("," + max + ","), output::toString);
    }

    @Test
    void shouldReadNoPipeAndNoDevice() throws Exception
    {
        final String pipe = file("pipe.hlog");
        assertEquals(0, new ProcessBuilder("mkfifo", pipe).start().waitFor());
        assertRejected(ExitCode.FAILURE, "cannot read " + pipe + ": not a regular file", pipe);
        assertRejected(ExitCode.FAILURE, "cannot read /dev/zero: not a regular file", "/dev/zero");
        final String zeros = file("zeros.hlog");
        try (RandomAccessFile file = new RandomAccessFile(zeros, "rw"))
        {
            file.setLength(1L << 40);
        }

        assertRejected(ExitCode.FAILURE, "cannot read " + zeros + ": not a text", zeros);
    }

    @ParameterizedTest
    @ValueSource(strings = {"plot.svg", "plot.html"})
    void shouldPlot(final String name) throws IOException
    {
        assertEquals(ExitCode.OK, execute("histogram", "--plot", file(name), directory.toString()), error::toString);
        final String plot = Files.readString(directory.resolve(name));
        assertTrue(plot.contains("<svg") && plot.contains(">" + BARRIER + "</text>"), plot);
        assertEquals(3, plot.split("<polyline", -1).length - 1);
    }

    @Test
    void shouldRejectWhatIsNoHistogramInOneLine() throws IOException
    {
        final String log = Files.readString(directory.resolve("aeroshmem-pe0.hlog"));
        final String interval = log.lines().filter((line) -> line.startsWith("Tag=")).findFirst().orElseThrow();
        final String header = log.substring(0, log.indexOf(interval));
        final String isNoLog = "is not an interval log of HdrHistogram";
        final String isNoDistribution = "is not a percentile distribution of HdrHistogram, or is truncated: ";
        write("cut.log", log.substring(0, log.length() - 20), "is truncated: 3 of 4 intervals can be read");
        write("tag.hlog", header + "Tag=WOR", "0 of 1 intervals");
        write("time.hlog", log.replaceFirst(",[0-9.]+,", ",soon,"), "3 of 4 intervals can be read");
        write("between.hlog", header + interval + "\nnothing\n" + interval + "\n", "2 of 3 intervals");
        write("last.hlog", header + interval + "\nnothing\n", "1 of 2 intervals");
        write("header.hlog", header, "no histogram in ");
        write("foreign.hlog", "root:x:0:0\n", isNoLog);
        write("empty.hlog", "", isNoLog);
        write("cut.hgrm", " 100.0 0.5 20 2.0\n", isNoDistribution + "it has no total count");
        write("empty.hgrm", "", isNoDistribution);
        write("count.hgrm", " 100.0 0.5 20 2.0\n#[Max = 100.000, Total count = 21]\n",
            "its total count is 21, that of its lines 20");
        write("total.hgrm", "#[Max = 100.000, Total count = 99999999999999999999]\n", "number that is out of range");
        write("value.hgrm", " 99999999999999999999.0 0.5 20 2.0\n#[Max = 1, Total count = 20]\n",
            "number that is out of range: 100000000000000000000");
        assertRejected(ExitCode.FAILURE, "cannot read " + file("no.hlog") + ": no such file", file("no.hlog"));
        final String empty = Files.createDirectory(directory.resolve("empty")).toString();
        assertRejected(ExitCode.FAILURE, "no .hlog or .hgrm file in " + empty, empty);
        assertRejected(ExitCode.FAILURE, "no histogram in the baseline " + file("header.hlog"),
            "--baseline", file("header.hlog"), file("aeroshmem-pe0.hlog"));
    }

    private void write(final String name, final String content, final String expected) throws IOException
    {
        Files.writeString(directory.resolve(name), content);
        assertRejected(ExitCode.FAILURE, expected, file(name));
    }

    @Test
    void shouldRejectArgumentsBeforeAnythingIsPrinted() throws IOException
    {
        final String logs = directory.toString();
        final String folder = Files.createDirectory(directory.resolve("folder.svg")).toString();
        assertRejected(ExitCode.USAGE, "--plot must end with .svg or .html", "--plot", file("p.png"), logs);
        assertRejected(ExitCode.USAGE, "--plot must end with .svg or .html", "--plot", "/", logs);
        assertRejected(ExitCode.USAGE, "--plot must be a file, not a directory", "--plot", folder, logs);
        assertRejected(ExitCode.USAGE, "must be in an existing directory", "--plot", file("missing/p.svg"), logs);
        assertRejected(ExitCode.USAGE, "--merge must end with .hlog or .hgrm", "--merge", file("m.txt"), logs);
        assertRejected(ExitCode.USAGE, "--merge must end with .hlog or .hgrm", "--merge", "/", logs);
        assertRejected(ExitCode.USAGE, "--merge must be in an existing", "--merge", file("missing/m.hlog"), logs);
        assertRejected(ExitCode.USAGE, "these are 3: use .hlog, or --by", "--merge", file("m.hgrm"), logs);
        assertRejected(ExitCode.USAGE, "'host'", "--by", "host", logs);
        assertRejected(ExitCode.USAGE, "--last and --format csv exclude", "--last", "--format", "csv", logs);
        assertRejected(ExitCode.USAGE, "--baseline is for the table", "--last", "--baseline", logs, logs);
        assertRejected(ExitCode.USAGE, "--baseline is for the table", "--format", "csv", "--baseline", logs, logs);
        assertRejected(ExitCode.USAGE, "'PATH'");
    }

    private void assertRejected(final int exitCode, final String expected, final String... arguments)
    {
        error.getBuffer().setLength(0);
        final String[] all = new String[arguments.length + 1];
        all[0] = "histogram";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        assertEquals(exitCode, execute(all), error::toString);
        final String text = error.toString();
        assertEquals(1, text.lines().count(), text);
        assertTrue(text.startsWith("aeroshmem") && text.contains(expected), text);
        assertEquals("", output.toString());
    }

    private String file(final String name)
    {
        return directory.resolve(name).toString();
    }

    private List<String> lines()
    {
        return output.toString().lines().toList();
    }

    private int execute(final String... arguments)
    {
        final CommandLine commandLine = AeroShmemCommand.commandLine();
        commandLine.setOut(new PrintWriter(output));
        commandLine.setErr(new PrintWriter(error));
        return commandLine.execute(arguments);
    }
}
