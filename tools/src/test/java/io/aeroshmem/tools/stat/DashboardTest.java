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
package io.aeroshmem.tools.stat;

import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tools.format.JsonReader;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The queries of the Grafana dashboard in <code>deploy/grafana</code>, against what a running job offers to Prometheus:
 * each metric and label exists, each selector selects something, and rates are those of counters.
 */
@Timeout(120)
class DashboardTest
{
    private static final Path DASHBOARD = Path.of("..", "deploy", "grafana", "aeroshmem.json");
    private static final Set<String> FUNCTIONS = Set.of("sum", "max", "rate", "histogram_quantile");
    private static final Set<String> KEYWORDS = Set.of("by");
    private static final Pattern SAMPLE = Pattern.compile("([a-z_]+)(?:\\{(.*)\\})? (\\S+)");
    private static final Pattern LABEL = Pattern.compile("([a-z]+)=\"([^\"]*)\"");
    private static final Pattern MATCHER = Pattern.compile("\\s*([a-z_]+)\\s*(=~|!~|!=|=)\\s*\"([^\"]*)\"\\s*");
    /** A token, blanks aside; what none matches is not understood. */
    private static final Pattern TOKEN = Pattern.compile(
        "\\s*(?:([a-zA-Z_:][a-zA-Z0-9_:]*)|(\\{[^}]*\\})|(\\[[^\\]]*\\])|([0-9.]+)|([(),]))");
    private static final Pattern LEGEND_LABEL = Pattern.compile("\\{\\{([^}]*)\\}\\}");

    @TempDir
    private static Path folder;

    private static String metrics;
    /** The label sets of each metric. */
    private static final Map<String, List<Map<String, String>>> SAMPLES = new HashMap<>();

    @BeforeAll
    static void readMetricsOfAJob() throws Exception
    {
        final Shmem.Context config = new Shmem.Context()
            .heapSize(1 << 20)
            .shmDirectoryName(folder.toString())
            .recordLatency(true)
            .recordOperations(true)
            .latencyDirectoryName(folder.toString())
            .latencyIntervalNs(10_000_000);
        try (MetricsServer server = new MetricsServer(folder, 0))
        {
            Shmem.runLocal(2, config, (shmem) ->
            {
                final SymmetricBuffer words = shmem.calloc(2, Long.BYTES);
                final SymmetricBuffer sum = shmem.calloc(2, Long.BYTES);
                final int peer = 1 - shmem.myPe();
                shmem.world().reduce(ReduceOp.SUM, ElementType.LONG, sum, words, 1);
                shmem.defaultContext().putLong(sum, 0, 7, peer);
                shmem.defaultContext().getLong(sum, 0, peer);
                shmem.defaultContext().atomicFetchAddLong(words, 0, 1, peer);
                shmem.defaultContext().signal(words, Long.BYTES, 1, SignalOp.SET, peer);
                shmem.waitUntilLong(words, 0, Comparison.EQ, 1);
                shmem.barrierAll();
                if (0 == shmem.myPe())
                {
                    awaitMetrics(server.url());
                }

                shmem.barrierAll();
            });
        }

        metrics.lines().filter((line) -> !line.startsWith("#")).forEach(DashboardTest::addSample);
    }

    /** Until both PEs have written what they sample and publish. */
    private static void awaitMetrics(final String url) throws IOException
    {
        do
        {
            try (InputStream input = URI.create(url).toURL().openStream())
            {
                metrics = new String(input.readAllBytes(), StandardCharsets.UTF_8);
            }
        }
        while (metrics.lines().filter((line) ->
            line.matches("aeroshmem_(puts|gets|atomics|signals)_issued_total\\{.*} 1")).count() < 8 ||
            metrics.lines().filter((line) ->
                line.matches("aeroshmem_latency_seconds_count\\{.*operation=\"(barrier|wait)\".*")).count() < 4);
    }

    private static void addSample(final String line)
    {
        final Matcher sample = SAMPLE.matcher(line);
        assertTrue(sample.matches(), line);
        SAMPLES.computeIfAbsent(sample.group(1), (name) -> new ArrayList<>()).add(labels(sample.group(2)));
    }

    private static Map<String, String> labels(final String text)
    {
        final Map<String, String> labels = new HashMap<>();
        final Matcher label = LABEL.matcher(text);
        while (label.find())
        {
            labels.put(label.group(1), label.group(2));
        }

        return labels;
    }

    @Test
    void shouldFindWhatEveryQueryOfTheDashboardSelects() throws IOException
    {
        final Map<?, ?> dashboard = (Map<?, ?>)JsonReader.read(Files.readString(DASHBOARD));
        int queries = 0;
        for (final Object panel : (List<?>)dashboard.get("panels"))
        {
            final Object targets = ((Map<?, ?>)panel).get("targets");
            for (final Object target : null == targets ? List.of() : (List<?>)targets)
            {
                final Map<?, ?> query = (Map<?, ?>)target;
                final Set<String> labels = check((String)query.get("expr"));
                final Matcher legend = LEGEND_LABEL.matcher((String)query.get("legendFormat"));
                while (legend.find())
                {
                    assertTrue(labels.contains(legend.group(1)), query::toString);
                }

                queries++;
            }
        }

        assertTrue(queries > 30, "queries: " + queries);
        for (final Object variable : (List<?>)((Map<?, ?>)dashboard.get("templating")).get("list"))
        {
            final Matcher values = Pattern.compile("label_values\\((\\w+), (\\w+)\\)")
                .matcher((String)((Map<?, ?>)variable).get("query"));
            assertTrue(!"query".equals(((Map<?, ?>)variable).get("type")) || values.matches() &&
                SAMPLES.get(values.group(1)).stream().allMatch((labels) -> labels.containsKey(values.group(2))),
                variable::toString);
        }
    }

    /** The check itself. */
    @Test
    void shouldNotAcceptWhatDoesNotExist()
    {
        assertEquals(Set.of("pe"), check("sum by (pe) (rate(aeroshmem_puts_total{job=~\"$job\"}[1m]))"));
        for (final String wrong : List.of(
            "sum by (pe) (rate(aeroshmem_put_total[1m]))",
            "sum by (rank) (rate(aeroshmem_puts_total[1m]))",
            "sum by (pe) (aeroshmem_puts_total)",
            "sum by (pe) (rate(aeroshmem_heap_used[1m]))",
            "sum by (pe) (rate(aeroshmem_latency_seconds_bucket{team=\"none\"}[1m]))",
            "sum by (pe) (rate(aeroshmem_latency_seconds_bucket{teams=\"WORLD\"}[1m]))",
            "histogram_quantile(0.5, sum by (pe) (rate(aeroshmem_latency_seconds_bucket[1m])))",
            "total by (pe) (aeroshmem_heap_used)",
            "sum by (pe) (aeroshmem_heap_used) / 2"))
        {
            assertThrows(AssertionError.class, () -> check(wrong), wrong);
        }
    }

    /** Each bucket counts what those below it count, and the last counts all. */
    @Test
    void shouldHaveCumulativeBuckets()
    {
        long last = 0;
        for (final String line : metrics.lines().filter((text) ->
            text.startsWith("aeroshmem_latency_seconds_")).toList())
        {
            final Matcher sample = SAMPLE.matcher(line);
            assertTrue(sample.matches(), line);
            if (line.contains("_bucket"))
            {
                final long count = Long.parseLong(sample.group(3));
                assertTrue(count >= last, line);
                last = count;
            }
            else if (line.contains("_count"))
            {
                assertEquals(last, Long.parseLong(sample.group(3)), line);
                last = 0;
            }
        }
    }

    /** Checks an expression, and returns the labels of its result. */
    private static Set<String> check(final String expression)
    {
        final Set<String> grouped = new HashSet<>();
        final Set<String> labels = new HashSet<>();
        final List<String> names = new ArrayList<>();
        final Matcher token = TOKEN.matcher(expression);
        String metric = null;
        boolean isGrouping = false;
        int end = 0;
        while (token.find(end) && token.start() == end)
        {
            end = token.end();
            final String name = token.group(1);
            if (null != name && isGrouping)
            {
                grouped.add(name);
            }
            else if (null != name && !FUNCTIONS.contains(name) && !KEYWORDS.contains(name))
            {
                assertTrue(SAMPLES.containsKey(name), () -> name + " does not exist: " + expression);
                SAMPLES.get(name).forEach((sample) -> labels.addAll(sample.keySet()));
                metric = name;
                final boolean isCounter = name.endsWith("_total") || name.endsWith("_bucket");
                assertEquals(isCounter, "rate".equals(names.get(names.size() - 1)), expression);
            }
            else if (null != token.group(2))
            {
                checkSelector(metric, token.group(2), expression);
            }

            if (null != name)
            {
                names.add(name);
            }

            isGrouping = isGrouping ? !")".equals(token.group(5)) : "(".equals(token.group(5)) &&
                !names.isEmpty() && "by".equals(names.get(names.size() - 1)) && grouped.isEmpty();
        }

        assertEquals(expression.length(), end, () -> "not understood: " + expression);
        assertTrue(labels.containsAll(grouped), () -> grouped + " are not labels: " + expression);
        assertEquals(names.contains("histogram_quantile"), grouped.remove("le"), expression);
        assertFalse(grouped.isEmpty(), expression);
        return grouped;
    }

    private static void checkSelector(final String metric, final String selector, final String expression)
    {
        List<Map<String, String>> selected = SAMPLES.get(metric);
        for (final String part : selector.substring(1, selector.length() - 1).split(","))
        {
            final Matcher matcher = MATCHER.matcher(part);
            assertTrue(matcher.matches(), expression);
            final String label = matcher.group(1);
            assertTrue(selected.stream().allMatch((sample) -> sample.containsKey(label)), expression);
            final String value = "$job".equals(matcher.group(3)) ? ".+" : matcher.group(3);
            final boolean isNegated = matcher.group(2).startsWith("!");
            final String pattern = matcher.group(2).endsWith("~") ? value : Pattern.quote(value);
            selected = selected.stream().filter((sample) -> sample.get(label).matches(pattern) != isNegated).toList();
        }

        assertFalse(selected.isEmpty(), () -> "selects nothing: " + expression);
    }
}
