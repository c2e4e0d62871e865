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
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

import javax.xml.parsers.DocumentBuilderFactory;
import java.io.StringReader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SizePlotTest
{
    private static final SortedMap<Long, Double> MEDIANS =
        new TreeMap<>(Map.of(8L, 100.0, 4096L, 200.0, 1L << 20, 2e6));
    private static final SortedMap<Long, Double> TAILS =
        new TreeMap<>(Map.of(8L, 150.0, 4096L, 900.0, 1L << 20, 3e6));

    @TempDir
    private Path directory;

    @Test
    void shouldDrawCurvesWithinThePlot() throws Exception
    {
        final Document document = parse(SizePlot.svg(
            new SizeChart("times", true, Map.of("<put>", MEDIANS), Map.of("<put>", TAILS))));
        final NodeList curves = document.getElementsByTagName("polyline");
        assertEquals(2, curves.getLength());
        assertTrue(((Element)curves.item(1)).getAttribute("class").contains("dashed"));
        double lastX = 89.95;
        for (final String point : ((Element)curves.item(0)).getAttribute("points").trim().split(" "))
        {
            final double x = Double.parseDouble(point.split(",")[0]);
            final double y = Double.parseDouble(point.split(",")[1]);
            assertTrue(x > lastX && x <= 930.05 && y >= 49.95 && y <= 440.05, point);
            lastX = x;
        }

        final String text = document.getDocumentElement().getTextContent();
        assertTrue(text.contains("8 B") && text.contains("4 KiB") && text.contains("1 MiB"), text);
        assertTrue(text.contains("<put>") && text.contains("1 ms"), text);
    }

    @Test
    void shouldPutAllPicturesIntoOneDocument() throws Exception
    {
        final Histogram histogram = new Histogram(3);
        histogram.recordValue(100);
        final List<SizeChart> charts = List.of(
            new SizeChart("times", true, Map.of("put", MEDIANS), Map.of()),
            new SizeChart("rates", false, Map.of("put_bw", MEDIANS), Map.of()));
        final Path svg = directory.resolve("all.svg");
        PlotFile.write(svg, "percentiles", Map.of("put", histogram), charts);
        final Document document = parse(Files.readString(svg));
        final NodeList pictures = document.getElementsByTagName("svg");
        assertEquals(4, pictures.getLength());
        final Element last = (Element)pictures.item(3);
        final String[] box = document.getDocumentElement().getAttribute("viewBox").split(" ");
        assertEquals(
            Integer.parseInt(box[3]),
            Integer.parseInt(last.getAttribute("y")) + Integer.parseInt(last.getAttribute("height")));

        final Path html = directory.resolve("all.html");
        PlotFile.write(html, "percentiles", Map.of("put", histogram), charts);
        final String page = Files.readString(html);
        assertEquals(3, page.split("<table>", -1).length - 1);
        assertTrue(page.contains("<td>put_bw</td><td>100 MB/s</td><td>200 MB/s</td><td>2000 GB/s</td>"), page);
    }

    private static Document parse(final String svg) throws Exception
    {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(svg)));
    }
}
