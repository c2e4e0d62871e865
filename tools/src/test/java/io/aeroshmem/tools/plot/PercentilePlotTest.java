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
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import javax.xml.parsers.DocumentBuilderFactory;
import java.io.StringReader;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class PercentilePlotTest
{
    @Test
    void shouldDrawACurvePerHistogramWithinThePlot() throws Exception
    {
        final Map<String, Histogram> series = new LinkedHashMap<>();
        for (int i = 1; i <= 10; i++)
        {
            final Histogram histogram = new Histogram(3);
            for (int value = 1; value <= 20_000; value++)
            {
                histogram.recordValue((long)value * i);
            }

            series.put("<series> & " + i, histogram);
        }

        final Document document = parse(PercentilePlot.svg("a \"title\"", series));
        final NodeList curves = document.getElementsByTagName("polyline");
        assertEquals(10, curves.getLength());
        final Set<String> styles = new HashSet<>();
        for (int i = 0; i < curves.getLength(); i++)
        {
            assertTrue(styles.add(((Element)curves.item(i)).getAttribute("class")), styles::toString);
            checkCurve((Element)curves.item(i));
        }

        assertTrue(document.getDocumentElement().getTextContent().contains("<series> & 10"));
        assertTrue(document.getDocumentElement().getTextContent().contains("99.99%"));
    }

    /** Values grow to the right, and upwards. */
    private static void checkCurve(final Element curve)
    {
        double lastX = 90;
        double lastY = 440;
        for (final String point : curve.getAttribute("points").trim().split(" "))
        {
            final double x = Double.parseDouble(point.split(",")[0]);
            final double y = Double.parseDouble(point.split(",")[1]);
            assertTrue(x >= lastX && x <= 930.05 && y <= lastY && y >= 49.95, point);
            lastX = x;
            lastY = y;
        }
    }

    @Test
    void shouldPlaceLongNamesBelowEachOther() throws Exception
    {
        assertEquals(2, legendColumns("b".repeat(52)));
        assertEquals(1, legendColumns("b".repeat(53)));
    }

    private static long legendColumns(final String name) throws Exception
    {
        final Map<String, Histogram> series = new LinkedHashMap<>();
        final Histogram histogram = new Histogram(3);
        histogram.recordValue(100);
        series.put("a", histogram);
        series.put(name, histogram);
        final NodeList texts = parse(PercentilePlot.svg("two", series)).getElementsByTagName("text");
        return IntStream.range(0, texts.getLength()).mapToObj((i) -> (Element)texts.item(i))
            .filter((text) -> series.containsKey(text.getTextContent()))
            .map((text) -> text.getAttribute("x")).distinct().count();
    }

    @Test
    void shouldDrawAHistogramOfOneValue() throws Exception
    {
        final Histogram histogram = new Histogram(3);
        histogram.recordValue(0);
        assertEquals(
            1, parse(PercentilePlot.svg("one", Map.of("one", histogram))).getElementsByTagName("polyline").getLength());
    }

    private static Document parse(final String svg) throws Exception
    {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }
}
