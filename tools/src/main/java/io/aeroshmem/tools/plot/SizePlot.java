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

import io.aeroshmem.tools.format.Figures;

import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeSet;

/** Plot of values by size, for two or more sizes, on logarithmic axes. */
public final class SizePlot
{
    private static final double LABEL_WIDTH = 45;
    private static final double LEAST = 1e-3;

    private final SizeChart chart;
    private final TreeSet<Long> sizes = new TreeSet<>();
    private final PlotCanvas canvas;

    private SizePlot(final SizeChart chart)
    {
        this.chart = chart;
        double least = Double.MAX_VALUE;
        double most = Double.MIN_VALUE;
        for (final Map<String, SortedMap<Long, Double>> curves : List.of(chart.series(), chart.dashed()))
        {
            for (final SortedMap<Long, Double> curve : curves.values())
            {
                sizes.addAll(curve.keySet());
                for (final double value : curve.values())
                {
                    least = Math.min(least, value);
                    most = Math.max(most, value);
                }
            }
        }

        canvas = new PlotCanvas(chart.title(), Math.max(LEAST, least), most);
    }

    /** Returns a plot as an SVG document or element. */
    public static String svg(final SizeChart chart)
    {
        return picture(chart).svg();
    }

    static PlotCanvas picture(final SizeChart chart)
    {
        return new SizePlot(chart).draw();
    }

    private PlotCanvas draw()
    {
        double lastX = -LABEL_WIDTH;
        for (final long size : sizes)
        {
            if (x(size) >= lastX + LABEL_WIDTH)
            {
                lastX = x(size);
                canvas.upright(lastX, Figures.sizeLabel(size));
            }
        }

        canvas.values(chart.isTime() ? Figures::timeLabel : Figures::rateLabel);
        chart.series().forEach((name, curve) ->
        {
            canvas.curve(name, points(curve));
            if (chart.dashed().containsKey(name))
            {
                canvas.dashed(points(chart.dashed().get(name)));
            }
        });
        return canvas;
    }

    private String points(final SortedMap<Long, Double> curve)
    {
        final StringBuilder points = new StringBuilder();
        curve.forEach((size, value) -> points.append(canvas.point(x(size), value)));
        return points.toString();
    }

    private double x(final long size)
    {
        final double share = Math.log((double)size / sizes.first()) / Math.log((double)sizes.last() / sizes.first());
        return PlotCanvas.LEFT + (PlotCanvas.RIGHT - PlotCanvas.LEFT) * share;
    }
}
