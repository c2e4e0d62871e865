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

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.DoubleFunction;

/**
 * One picture of a plot as an SVG element. It consists of a title, an area with a logarithmic vertical axis for the
 * values, and a legend. Colours follow the viewer's light or dark preference; curves of the same colour differ by their
 * dashes.
 */
final class PlotCanvas
{
    static final int WIDTH = 960;
    static final int LEFT = 90;
    static final int RIGHT = 930;
    static final int TOP = 50;
    static final int BOTTOM = 440;

    private static final int LEGEND_TOP = 490;
    private static final int LEGEND_LINE = 22;
    private static final int LEGEND_BOTTOM = 10;
    /** Length of a line in the legend, which shows its dashes. */
    private static final int SAMPLE = 36;
    /** Characters of a name that fit in one of two columns of the legend. */
    private static final int LEGEND_CHARACTERS = 52;
    private static final int COLOURS = 8;
    private static final int DASHES = 4;
    private static final double[] TICKS = {1, 2, 5};

    private static final String STYLE = """
        <style>
        .aeroshmem-plot { --ink: #1f2328; --line: #d0d7de; --paper: #ffffff; background: var(--paper); }
        .aeroshmem-plot text { font: 13px system-ui, sans-serif; fill: var(--ink); }
        .aeroshmem-plot .title { font-size: 17px; }
        .aeroshmem-plot .grid { stroke: var(--line); stroke-width: 1; }
        .aeroshmem-plot .s { fill: none; stroke-width: 2; stroke-linecap: round; stroke-linejoin: round; }
        .aeroshmem-plot .dashed { stroke-dasharray: 2 6; }
        .aeroshmem-plot .d1 { stroke-dasharray: 14 6; }
        .aeroshmem-plot .d2 { stroke-dasharray: 7 5; }
        .aeroshmem-plot .d3 { stroke-dasharray: 14 6 2 6; }
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
    private final String title;
    private final double low;
    private final double high;
    private final List<String> names = new ArrayList<>();

    /**
     * @param least of the values, above 0.
     * @param most  of the values.
     */
    PlotCanvas(final String title, final double least, final double most)
    {
        this.title = title;
        low = least * 0.9;
        high = Math.max(most, low * 2) * 1.1;
        svg.append(text(LEFT, 30, "start", title, " class=\"title\""));
    }

    /** Draws the lines of values, and their names. */
    void values(final DoubleFunction<String> name)
    {
        for (double decade = Math.pow(10, Math.floor(Math.log10(low))); decade < high; decade *= 10)
        {
            for (final double tick : TICKS)
            {
                final double value = decade * tick;
                if (value >= low && value <= high && (1 == tick || high / low < 1000))
                {
                    line(LEFT, y(value), RIGHT, y(value));
                    svg.append(text(LEFT - 8, y(value) + 4, "end", name.apply(value), ""));
                }
            }
        }
    }

    /** Draws an upright line, and its name below. */
    void upright(final double x, final String name)
    {
        line(x, TOP, x, BOTTOM);
        svg.append(text(x, BOTTOM + 20, "middle", name, ""));
    }

    /** Returns a point of a curve. */
    String point(final double x, final double value)
    {
        return String.format(Locale.ROOT, "%.1f,%.1f ", x, y(value));
    }

    /** Draws a curve of points in the next colour, and adds it to the legend. */
    void curve(final String name, final String points)
    {
        polyline(style(names.size()), points);
        names.add(name);
    }

    /** Draws a dotted curve in the colour of the last one. */
    void dashed(final String points)
    {
        polyline("s c" + (names.size() - 1) % COLOURS + " dashed", points);
    }

    private static String style(final int curve)
    {
        final int dashes = curve / COLOURS % DASHES;
        return "s c" + curve % COLOURS + (0 == dashes ? "" : " d" + dashes);
    }

    private void polyline(final String style, final String points)
    {
        svg.append("<polyline class=\"").append(style).append("\" points=\"").append(points).append("\"/>\n");
    }

    /** Returns the legend, once all curves are drawn. */
    private String legend()
    {
        final StringBuilder legend = new StringBuilder();
        final int columns = columns();
        for (int i = 0; i < names.size(); i++)
        {
            final double x = 0 == i % columns ? LEFT : (LEFT + RIGHT) / 2.0;
            final double y = LEGEND_TOP + LEGEND_LINE * (i / columns);
            legend.append(String.format(Locale.ROOT,
                "<line class=\"%s\" x1=\"%.1f\" y1=\"%.1f\" x2=\"%.1f\" y2=\"%.1f\"/>%n",
                style(i), x, y - 4, x + SAMPLE, y - 4));
            legend.append(text(x + SAMPLE + 8, y, "start", names.get(i), ""));
        }

        return legend.toString();
    }

    private int columns()
    {
        return names.stream().allMatch((name) -> name.length() <= LEGEND_CHARACTERS) ? 2 : 1;
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

    private static String text(
        final double x, final double y, final String anchor, final String text, final String attributes)
    {
        return String.format(Locale.ROOT, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"%s\"%s>%s</text>%n",
            x, y, anchor, attributes, escape(text));
    }

    /** Returns a text for XML and HTML. */
    static String escape(final String text)
    {
        return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;").replace("\"", "&quot;");
    }

    private int height()
    {
        final int columns = columns();
        return LEGEND_TOP + LEGEND_LINE * ((names.size() + columns - 1) / columns) + LEGEND_BOTTOM;
    }

    /** Returns the picture as an element or document. */
    String svg()
    {
        return begin(title, height(), "") + STYLE + svg + legend() + "</svg>\n";
    }

    /** Returns several pictures below each other as one element or document. */
    static String svg(final Iterable<PlotCanvas> pictures)
    {
        final StringBuilder body = new StringBuilder();
        final StringBuilder titles = new StringBuilder();
        int top = 0;
        for (final PlotCanvas picture : pictures)
        {
            body.append(begin(
                picture.title, picture.height(),
                " y=\"" + top + "\" width=\"" + WIDTH + "\" height=\"" + picture.height() + "\""));
            body.append(picture.svg).append(picture.legend()).append("</svg>\n");
            titles.append(0 == top ? "" : "; ").append(picture.title);
            top += picture.height();
        }

        return begin(titles.toString(), top, "") + STYLE + body + "</svg>\n";
    }

    private static String begin(final String title, final int height, final String attributes)
    {
        return "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"aeroshmem-plot\"" + attributes +
            " viewBox=\"0 0 " + WIDTH + " " + height + "\" role=\"img\" aria-label=\"" + escape(title) +
            "\">\n";
    }
}
