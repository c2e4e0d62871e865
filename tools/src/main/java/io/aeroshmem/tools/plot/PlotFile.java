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
import io.aeroshmem.tools.exit.OutputFile;
import io.aeroshmem.tools.format.Figures;
import org.HdrHistogram.Histogram;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Writes plots to a file. The file is an SVG document, or an HTML page with the plots, a table of the percentiles, and
 * tables of the values by size.
 */
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
        th, td { padding: 0.3rem 0.6rem; text-align: right; border-bottom: 1px solid #d0d7de; white-space: nowrap; }
        th:first-child, td:first-child { text-align: left; }
        @media (prefers-color-scheme: dark) {
          body { color: #e6edf3; background: #0d1117; }
          th, td { border-color: #3d444d; }
        }

        </style>
        </head>
        <body>
        %s</body>
        </html>
        """;

    private static final String PERCENTILE_HEADER =
        "<tr><th></th><th>count</th><th>p50</th><th>p90</th><th>p99</th><th>p99.9</th><th>p99.99</th><th>max</th>" +
        "</tr>\n";

    private PlotFile()
    {
    }

    /**
     * Checks a file before anything is measured for it.
     *
     * @throws CommandException if its name ends with neither .svg nor .html, or it cannot be written.
     */
    public static void check(final Path file)
    {
        OutputFile.check("--plot", file, ".svg", ".html");
    }

    /** Writes the percentiles of histograms in nanoseconds, whose keys are their names. */
    public static void write(final Path file, final String title, final Map<?, Histogram> series)
        throws IOException
    {
        write(file, title, series, List.of());
    }

    /**
     * Writes the percentiles of histograms in nanoseconds, whose keys are their names, and charts of values by size.
     *
     * @throws CommandException if there is nothing to draw.
     */
    public static void write(
        final Path file, final String title, final Map<?, Histogram> series, final List<SizeChart> charts)
        throws IOException
    {
        check(file);
        if (series.isEmpty() && charts.isEmpty())
        {
            throw CommandException.failure("nothing to plot: no row has times, or values of several sizes");
        }

        final List<PlotCanvas> pictures = new ArrayList<>();
        final StringBuilder body = new StringBuilder();
        if (!series.isEmpty())
        {
            pictures.add(PercentilePlot.picture(title, series));
            body.append(section(pictures.get(0), PERCENTILE_HEADER + rows(series)));
        }

        for (final SizeChart chart : charts)
        {
            final PlotCanvas picture = SizePlot.picture(chart);
            pictures.add(picture);
            body.append(section(picture, rows(chart)));
        }

        final String svg = 1 == pictures.size() ? pictures.get(0).svg() : PlotCanvas.svg(pictures);
        final String text = file.getFileName().toString().endsWith(".svg") ?
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n" + svg :
            String.format(PAGE, PlotCanvas.escape(title), body);
        OutputFile.write(file, text.getBytes(StandardCharsets.UTF_8));
    }

    private static String section(final PlotCanvas picture, final String rows)
    {
        return "<div class=\"wide\">" + picture.svg() + "</div>\n<div class=\"wide\"><table>\n" + rows +
            "</table></div>\n";
    }

    /** Returns the rows of a table with a column for each size. */
    private static String rows(final SizeChart chart)
    {
        final TreeSet<Long> sizes = new TreeSet<>();
        chart.series().values().forEach((curve) -> sizes.addAll(curve.keySet()));
        final StringBuilder rows = new StringBuilder("<tr><th></th>");
        sizes.forEach((size) -> rows.append("<th>").append(Figures.sizeLabel(size)).append("</th>"));
        rows.append("</tr>\n");
        chart.series().forEach((name, curve) ->
        {
            rows.append("<tr><td>").append(PlotCanvas.escape(name)).append("</td>");
            for (final long size : sizes)
            {
                final Double value = curve.get(size);
                rows.append("<td>").append(null == value ? "" :
                    chart.isTime() ? Figures.timeLabel(value) : Figures.rateLabel(value)).append("</td>");
            }

            rows.append("</tr>\n");
        });
        return rows.toString();
    }

    private static String rows(final Map<?, Histogram> series)
    {
        final StringBuilder rows = new StringBuilder();
        series.forEach((name, histogram) ->
        {
            rows.append("<tr><td>").append(PlotCanvas.escape(name.toString())).append("</td><td>")
                .append(histogram.getTotalCount()).append("</td>");
            for (final double percentile : PERCENTILES)
            {
                rows.append("<td>")
                    .append(Figures.timeLabel(histogram.getValueAtPercentile(percentile))).append("</td>");
            }

            rows.append("</tr>\n");
        });
        return rows.toString();
    }
}
