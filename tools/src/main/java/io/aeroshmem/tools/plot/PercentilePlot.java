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
import org.HdrHistogram.Histogram;

import java.util.List;
import java.util.Map;

/**
 * Plot of the percentiles of several histograms. The horizontal axis has the percentiles: the step to each further nine
 * (90 %, 99 %, 99.9 %) has the same width. The vertical axis has the times, on a logarithmic scale.
 */
public final class PercentilePlot
{
    private static final int MOST_NINES = 6;
    private static final int STEPS_PER_NINE = 40;
    private static final List<String> PERCENTILES =
        List.of("0%", "90%", "99%", "99.9%", "99.99%", "99.999%", "99.9999%");

    private final PlotCanvas canvas;
    private final int nines;

    private PercentilePlot(final String title, final Map<?, Histogram> series)
    {
        long least = Long.MAX_VALUE;
        long most = 1;
        long count = 1;
        for (final Histogram histogram : series.values())
        {
            least = Math.min(least, histogram.getMinValue());
            most = Math.max(most, histogram.getMaxValue());
            count = Math.max(count, histogram.getTotalCount());
        }

        canvas = new PlotCanvas(title, Math.max(1, least), most);
        nines = (int)Math.max(2, Math.min(MOST_NINES, Math.floor(Math.log10(count))));
    }

    /** Returns a plot of one curve per entry, in nanoseconds, as an SVG document or element. */
    public static String svg(final String title, final Map<?, Histogram> series)
    {
        return picture(title, series).svg();
    }

    /** Returns a plot of one curve per entry, in nanoseconds. */
    static PlotCanvas picture(final String title, final Map<?, Histogram> series)
    {
        return new PercentilePlot(title, series).draw(series);
    }

    private PlotCanvas draw(final Map<?, Histogram> series)
    {
        for (int nine = 0; nine <= nines; nine++)
        {
            canvas.upright(x(nine), PERCENTILES.get(nine));
        }

        canvas.values(Figures::timeLabel);
        series.forEach((name, histogram) -> canvas.curve(name.toString(), points(histogram)));
        return canvas;
    }

    private String points(final Histogram histogram)
    {
        // twice the first point, so that a histogram of one value is a dot
        final StringBuilder points = new StringBuilder(canvas.point(x(0), histogram.getValueAtPercentile(0)));
        final double end = Math.min(nines, Math.log10(Math.max(1, histogram.getTotalCount())));
        for (int step = 0; step <= nines * STEPS_PER_NINE; step++)
        {
            final double nine = (double)step / STEPS_PER_NINE;
            if (nine > end)
            {
                break;
            }

            final double percentile = 100 * (1 - Math.pow(10, -nine));
            points.append(canvas.point(x(nine), histogram.getValueAtPercentile(percentile)));
        }

        return points.toString();
    }

    private double x(final double nine)
    {
        return PlotCanvas.LEFT + (PlotCanvas.RIGHT - PlotCanvas.LEFT) * nine / nines;
    }
}
