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
package io.aeroshmem.tools;

import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.histogram.Arrivals;
import io.aeroshmem.tools.histogram.HistogramFiles;
import io.aeroshmem.tools.histogram.HistogramKey;
import io.aeroshmem.tools.histogram.HistogramTable;
import io.aeroshmem.tools.plot.PlotFile;
import org.HdrHistogram.Histogram;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;

/**
 * The {@code aeroshmem histogram} command: prints, merges, compares and plots the latency histograms that PEs have
 * recorded.
 */
@Command(
    name = "histogram",
    description = "Prints, merges, compares and plots the histograms that PEs have recorded.",
    mixinStandardHelpOptions = true,
    footer =
    {
        "",
        "Files are interval logs (.hlog) and percentile distributions (.hgrm) of HdrHistogram, such as a program " +
            "writes with aeroshmem.latency.record, and latency with --histograms. Of a directory, all logs are read, " +
            "or else all distributions. Times are in nanoseconds unless a unit follows. See docs/histogram.md."
    })
final class HistogramCommand implements Callable<Integer>
{
    /** Unit of the values in files. */
    enum Unit
    {
        NS(1), US(1e3), MS(1e6), S(1e9);

        private final double ns;

        Unit(final double ns)
        {
            this.ns = ns;
        }

        /** Returns the name on the command line. */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    enum Format
    {
        TABLE, CSV;

        /** Returns the name on the command line. */
        @Override
        public String toString()
        {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Parameters(arity = "1..*", paramLabel = "PATH", description = "Files, and directories with files.")
    private List<Path> paths;

    @Option(names = "--by", split = ",", paramLabel = "PART", defaultValue = "team,collective,size",
        description = "What distinguishes histograms, of pe, team, collective and size; others are merged" +
            " (default: team,collective,size).")
    private List<HistogramKey.Part> by = new ArrayList<>();

    @Option(names = "--unit", paramLabel = "UNIT", defaultValue = "ns",
        description = "Unit of the values in the files: ns, us, ms or s (default: ns).")
    private Unit unit;

    @Option(names = "--format", paramLabel = "FORMAT", defaultValue = "table",
        description = "table or csv (default: table).")
    private Format format;

    @Option(names = "--baseline", paramLabel = "PATH",
        description = "A file or directory whose medians divide those of the table, in the last column.")
    private Path baseline;

    @Option(names = "--last", description = "Prints which PE comes last to each collective, instead of the table.")
    private boolean isLast;

    @Option(names = "--merge", paramLabel = "FILE",
        description = "Writes the histograms to a .hlog file, or one to a .hgrm file.")
    private Path merged;

    @Option(names = "--plot", paramLabel = "FILE", description = "Plots the percentiles to a .svg or .html file.")
    private Path plot;

    @Spec
    private CommandSpec spec;

    private HistogramCommand()
    {
    }

    @Override
    public Integer call() throws IOException
    {
        validate();
        final HistogramFiles files = HistogramFiles.read(paths, unit.ns);
        final EnumSet<HistogramKey.Part> parts = EnumSet.copyOf(by);
        final Map<HistogramKey, Histogram> histograms = files.by(parts);
        if (histograms.isEmpty())
        {
            throw CommandException.failure("no histogram in " + text(paths));
        }

        if (null != merged)
        {
            HistogramFiles.check(merged, histograms.size());
        }

        final PrintWriter output = spec.commandLine().getOut();
        if (isLast)
        {
            if (0 == Arrivals.print(output, files.by(EnumSet.allOf(HistogramKey.Part.class))))
            {
                throw CommandException.failure("no collective was recorded by several PEs in " + text(paths));
            }
        }
        else if (Format.CSV == format)
        {
            HistogramTable.printCsv(output, histograms);
        }
        else
        {
            HistogramTable.print(output, histograms, null == baseline ? null : baseline(parts));
        }

        output.flush();

        if (null != merged)
        {
            HistogramFiles.write(merged, histograms);
        }

        if (null != plot)
        {
            PlotFile.write(plot, "Latency by percentile", histograms);
        }

        return ExitCode.OK;
    }

    private void validate()
    {
        if (null != plot)
        {
            PlotFile.check(plot);
        }

        if (isLast && Format.CSV == format)
        {
            throw CommandException.usage("--last and --format csv exclude each other");
        }

        if (null != baseline && (isLast || Format.CSV == format))
        {
            throw CommandException.usage("--baseline is for the table, not for --last or --format csv");
        }
    }

    private Map<HistogramKey, Histogram> baseline(final EnumSet<HistogramKey.Part> parts) throws IOException
    {
        final Map<HistogramKey, Histogram> histograms = HistogramFiles.read(List.of(baseline), unit.ns).by(parts);
        if (histograms.isEmpty())
        {
            throw CommandException.failure("no histogram in the baseline " + baseline);
        }

        return histograms;
    }

    private static String text(final List<Path> paths)
    {
        return paths.stream().map(Path::toString).collect(Collectors.joining(", "));
    }
}
