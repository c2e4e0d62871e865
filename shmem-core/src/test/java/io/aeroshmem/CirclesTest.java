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
package io.aeroshmem;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Classes that name each other in a circle can be understood and changed only together: there are few. */
class CirclesTest
{
    private static final Path ROOT = Path.of("src/main/java");
    private static final int MOST = 10;
    private static final Pattern UNREAD = Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|\"(\\\\.|[^\"\\\\\n])*\"");
    private static final Pattern IMPORT = Pattern.compile("(?m)^import (?:static )?([\\w.]+);");
    private static final Pattern NAME = Pattern.compile("(?<![\\w.])[A-Z]\\w*");

    private final Map<String, String> sources = new HashMap<>();

    @Test
    void shouldHaveNoCircleByImport() throws IOException
    {
        assertEquals(Set.of(), largest(false));
    }

    @Test
    void shouldHaveSmallCirclesOnly() throws IOException
    {
        final Set<String> circle = largest(true);
        assertTrue(circle.size() <= MOST, () -> circle.size() + " classes: " + circle);
    }

    private Set<String> largest(final boolean isWithinPackages) throws IOException
    {
        try (Stream<Path> paths = Files.walk(ROOT))
        {
            for (final Path path : paths.filter((one) -> one.toString().endsWith(".java")).toList())
            {
                final String name = ROOT.relativize(path).toString().replace('/', '.').replace(".java", "");
                sources.put(name, UNREAD.matcher(Files.readString(path)).replaceAll(""));
            }
        }

        assertTrue(sources.size() > 100, "the sources must be read");

        final Map<String, Set<String>> uses = new HashMap<>();
        sources.keySet().forEach((name) -> uses.put(name, uses(name, isWithinPackages)));
        final Map<String, Set<String>> reached = new HashMap<>();
        uses.keySet().forEach((name) -> reached.put(name, reached(name, uses)));
        Set<String> largest = Set.of();
        for (final String name : uses.keySet())
        {
            final Set<String> circle = new TreeSet<>(reached.get(name));
            circle.removeIf((other) -> !reached.get(other).contains(name));
            largest = circle.size() > largest.size() ? circle : largest;
        }

        return largest;
    }

    private Set<String> uses(final String name, final boolean isWithinPackages)
    {
        final Set<String> uses = new TreeSet<>();
        final List<String> imported = new ArrayList<>();
        IMPORT.matcher(sources.get(name)).results().forEach((match) -> imported.add(match.group(1)));
        for (final String one : imported)
        {
            sources.keySet().stream().filter((other) -> (one + ".").startsWith(other + ".")).forEach(uses::add);
        }

        final Matcher names = NAME.matcher(sources.get(name));
        while (isWithinPackages && names.find())
        {
            final String other = name.substring(0, name.lastIndexOf('.') + 1) + names.group();
            if (sources.containsKey(other))
            {
                uses.add(other);
            }
        }

        uses.remove(name);
        return uses;
    }

    private static Set<String> reached(final String name, final Map<String, Set<String>> uses)
    {
        final Set<String> reached = new TreeSet<>();
        final Deque<String> open = new ArrayDeque<>(uses.get(name));
        while (!open.isEmpty())
        {
            final String next = open.pop();
            if (reached.add(next))
            {
                open.addAll(uses.get(next));
            }
        }

        return reached;
    }
}
