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

import io.aeroshmem.Info;
import io.aeroshmem.tools.exit.CommandException;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.exit.OutputFile;
import io.aeroshmem.tools.histogram.HistogramFiles;
import io.aeroshmem.tools.histogram.HistogramKey;
import io.aeroshmem.tools.latency.SizeCurves;
import io.aeroshmem.tools.plot.PlotFile;
import org.agrona.IoUtil;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;

/** Output files of a measurement: a directory for its histograms and result rows, and a plot. Each is optional. */
final class MeasurementFiles
{
    /** A measurement, which writes to a directory or, if that is null, to no file. */
    @FunctionalInterface
    interface Measurement
    {
        int run(Path directoryOrNull) throws IOException, InterruptedException;
    }

    private final Path histograms;
    private final Path plot;

    /** @throws CommandException if the plot has a name that no plot can have, or cannot be written. */
    MeasurementFiles(final Path histogramsOrNull, final Path plotOrNull)
    {
        histograms = histogramsOrNull;
        plot = plotOrNull;
        if (null != plot)
        {
            PlotFile.check(plot);
        }
    }

    /** Measures, and plots the results if all jobs have succeeded; returns the exit code. */
    int run(final Measurement measurement) throws IOException, InterruptedException
    {
        final boolean isTemporary = null == histograms && null != plot;
        final Path directory = isTemporary ? Files.createTempDirectory("aeroshmem-latency-") : histograms;
        try
        {
            if (null != directory)
            {
                OutputFile.createDirectory("--histograms", directory);
            }

            final int exitCode = measurement.run(directory);
            if (null != plot && ExitCode.OK == exitCode)
            {
                PlotFile.write(
                    plot,
                    "Latency by percentile, " + Info.name(),
                    HistogramFiles.readLogs(directory).by(EnumSet.allOf(HistogramKey.Part.class)),
                    SizeCurves.read(directory));
            }

            return exitCode;
        }
        finally
        {
            if (isTemporary)
            {
                IoUtil.delete(directory.toFile(), true);
            }
        }
    }
}
