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
package io.aeroshmem.tools.plot;

import io.aeroshmem.tools.exit.CommandException;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;

/** Writes a plot to a file: SVG, or an HTML page with the plot and a table of the percentiles. */
public final class PlotFile
{
    private static final double[] PERCENTILES = {50, 90, 99, 99.9, 99.99, 100};

    private static final String PAGE = """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>%s</title>
        <style>
        body { font: 15px system-ui, sans-serif; margin: 1rem auto; max-width: 1100px; padding: 0 1rem;
          color: #1f2328; background: #ffffff; }
        svg { width: 100%%; min-width: 600px; height: auto; }
        .wide { overflow-x: auto; }
        table { border-collapse: collapse; font-variant-numeric: tabular-nums; }
        th, td { padding: 0.3rem 0.8rem; text-align: right; border-bottom: 1px solid #d0d7de; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; }
        @media (prefers-color-scheme: dark) {
          body { color: #e6edf3; background: #0d1117; }
          th, td { border-color: #3d444d; }
        }
        </style>
        </head>
        <body>
        <div class="wide">%s</div>
        <div class="wide"><table>
        <tr><th></th><th>count</th><th>p50</th><th>p90</th><th>p99</th><th>p99.9</th><th>p99.99</th><th>max</th></tr>
        %s</table></div>
        </body>
        </html>
        """;

    private PlotFile()
    {
    }

    /**
     * Checks the name of a file before anything is measured for it.
     *
     * @throws CommandException if it ends with neither .svg nor .html.
     */
    public static void check(final Path file)
    {
        final String name = file.getFileName().toString();
        if (!name.endsWith(".svg") && !name.endsWith(".html"))
        {
            throw CommandException.usage("--plot must end with .svg or .html: --plot=" + file);
        }
    }

    /** Writes the percentiles of histograms in nanoseconds, whose keys are their names. */
    public static void write(final Path file, final String title, final Map<?, Histogram> series)
        throws IOException
    {
        check(file);
        final String svg = PercentilePlot.svg(title, series);
        final String text = file.getFileName().toString().endsWith(".svg") ?
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg :
            String.format(PAGE, PlotText.escape(title), svg, rows(series));
        Files.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String rows(final Map<?, Histogram> series)
    {
        final StringBuilder rows = new StringBuilder();
        series.forEach((name, histogram) ->
        {
            rows.append("<tr><td>").append(PlotText.escape(name.toString())).append("</td><td>")
                .append(histogram.getTotalCount()).append("</td>");
            for (final double percentile : PERCENTILES)
            {
                rows.append("<td>").append(PlotText.time(histogram.getValueAtPercentile(percentile))).append("</td>");
            }
            rows.append("</tr>\n");
        });
        return rows.toString();
    }
}
