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

import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * A plot of the percentiles of several histograms in one self-contained SVG: percentiles to the right, each nine as
 * wide as the one before, times upwards on a logarithmic scale. Colours follow the viewer's light or dark preference.
 */
public final class PercentilePlot
{
    private static final int WIDTH = 960;
    private static final int LEFT = 90;
    private static final int RIGHT = 930;
    private static final int TOP = 50;
    private static final int BOTTOM = 440;
    private static final int LEGEND_TOP = 490;
    private static final int LEGEND_LINE = 22;
    private static final int COLOURS = 8;
    private static final int MOST_NINES = 6;
    private static final int STEPS_PER_NINE = 40;
    private static final double[] TICKS = {1, 2, 5};
    private static final List<String> PERCENTILES =
        List.of("0%", "90%", "99%", "99.9%", "99.99%", "99.999%", "99.9999%");

    private static final String STYLE = """
        <style>
        .aeroshmem-plot { --ink: #1f2328; --line: #d0d7de; --paper: #ffffff; background: var(--paper); }
        .aeroshmem-plot text { font: 13px system-ui, sans-serif; fill: var(--ink); }
        .aeroshmem-plot .title { font-size: 17px; }
        .aeroshmem-plot .grid { stroke: var(--line); stroke-width: 1; }
        .aeroshmem-plot .s { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
        .c0 { stroke: #0969da } .c1 { stroke: #bc4c00 } .c2 { stroke: #1a7f37 } .c3 { stroke: #8250df }
        .c4 { stroke: #cf222e } .c5 { stroke: #9a6700 } .c6 { stroke: #116b77 } .c7 { stroke: #bf3989 }
        @media (prefers-color-scheme: dark) {
          .aeroshmem-plot { --ink: #e6edf3; --line: #3d444d; --paper: #0d1117; }
          .c0 { stroke: #58a6ff } .c1 { stroke: #f0883e } .c2 { stroke: #3fb950 } .c3 { stroke: #bc8cff }
          .c4 { stroke: #ff7b72 } .c5 { stroke: #d29922 } .c6 { stroke: #56d4dd } .c7 { stroke: #ff7bd0 }
        }
        </style>
        """;

    private final StringBuilder svg = new StringBuilder();
    private final Map<?, Histogram> series;
    private final double low;
    private final double high;
    private final int nines;

    private PercentilePlot(final Map<?, Histogram> series)
    {
        this.series = series;
        long least = Long.MAX_VALUE;
        long most = 1;
        long count = 1;
        for (final Histogram histogram : series.values())
        {
            least = Math.min(least, histogram.getMinValue());
            most = Math.max(most, histogram.getMaxValue());
            count = Math.max(count, histogram.getTotalCount());
        }
        low = Math.max(1, least) * 0.9;
        high = Math.max(most, low * 2) * 1.1;
        nines = (int)Math.max(2, Math.min(MOST_NINES, Math.floor(Math.log10(count))));
    }

    /** Returns a plot of one curve per entry, in nanoseconds, as an SVG document or element. */
    public static String svg(final String title, final Map<?, Histogram> series)
    {
        return new PercentilePlot(series).draw(title);
    }

    private String draw(final String title)
    {
        final int height = LEGEND_TOP + LEGEND_LINE * ((series.size() + 1) / 2) + 10;
        svg.append("<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"aeroshmem-plot\" viewBox=\"0 0 ")
            .append(WIDTH).append(' ').append(height).append("\" role=\"img\" aria-label=\"")
            .append(PlotText.escape(title)).append("\">\n").append(STYLE);
        text(LEFT, 30, "start", title, " class=\"title\"");
        drawGrid();
        int index = 0;
        for (final Map.Entry<?, Histogram> entry : series.entrySet())
        {
            drawSeries(entry.getValue(), index % COLOURS);
            drawLegend(entry.getKey().toString(), index);
            index++;
        }
        return svg.append("</svg>\n").toString();
    }

    private void drawGrid()
    {
        for (int nine = 0; nine <= nines; nine++)
        {
            final double x = LEFT + (RIGHT - LEFT) * (double)nine / nines;
            line(x, TOP, x, BOTTOM);
            text(x, BOTTOM + 20, "middle", PERCENTILES.get(nine), "");
        }

        for (double decade = Math.pow(10, Math.floor(Math.log10(low))); decade < high; decade *= 10)
        {
            for (final double tick : TICKS)
            {
                final double value = decade * tick;
                if (value >= low && value <= high && (1 == tick || high / low < 1000))
                {
                    line(LEFT, y(value), RIGHT, y(value));
                    text(LEFT - 8, y(value) + 4, "end", PlotText.time(value), "");
                }
            }
        }
    }

    private void drawSeries(final Histogram histogram, final int colour)
    {
        svg.append("<polyline class=\"s c").append(colour).append("\" points=\"");
        // twice the first point, so that a histogram of one value is a dot
        appendPoint(0, histogram.getValueAtPercentile(0));
        final double end = Math.min(nines, Math.log10(Math.max(1, histogram.getTotalCount())));
        for (int step = 0; step <= nines * STEPS_PER_NINE; step++)
        {
            final double nine = (double)step / STEPS_PER_NINE;
            if (nine > end)
            {
                break;
            }
            final double percentile = 100 * (1 - Math.pow(10, -nine));
            appendPoint(nine, histogram.getValueAtPercentile(percentile));
        }
        svg.append("\"/>\n");
    }

    private void appendPoint(final double nine, final long value)
    {
        svg.append(String.format(Locale.ROOT, "%.1f,%.1f ", LEFT + (RIGHT - LEFT) * nine / nines, y(value)));
    }

    private void drawLegend(final String name, final int index)
    {
        final double x = 0 == index % 2 ? LEFT : (LEFT + RIGHT) / 2.0;
        final double y = LEGEND_TOP + LEGEND_LINE * (index / 2);
        svg.append(String.format(Locale.ROOT,
            "<line class=\"s c%d\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
            index % COLOURS, x, y - 4, x + 24, y - 4));
        text(x + 32, y, "start", name, "");
    }

    private double y(final double value)
    {
        final double share = Math.log(Math.max(value, low) / low) / Math.log(high / low);
        return BOTTOM - (BOTTOM - TOP) * share;
    }

    private void line(final double x1, final double y1, final double x2, final double y2)
    {
        svg.append(String.format(Locale.ROOT,
            "<line class=\"grid\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n", x1, y1, x2, y2));
    }

    private void text(final double x, final double y, final String anchor, final String text, final String attributes)
    {
        svg.append(String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>%n",
            x, y, anchor, attributes, PlotText.escape(text)));
    }
}
