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
package io.aeroshmem.tools;

import io.aeroshmem.CollectiveRequest;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ElementType;
import io.aeroshmem.RmaRequest;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TeamCreation;
import io.aeroshmem.TeamDestruction;
import io.aeroshmem.config.ShmemProperty;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Modifier;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks of the names in the tables of docs/: those of the public API exist, and those of OpenSHMEM are complete.
 */
class DocumentedNamesTest
{
    private static final Path DOCS = Path.of("..", "docs");
    private static final Pattern CODE = Pattern.compile("`([^`]+)`");
    private static final Pattern MEMBER = Pattern.compile("(?<![\\w.])([A-Z]\\w*)((?:\\.[A-Za-z_]\\w*)+)");
    private static final Pattern PROPERTY = Pattern.compile("(?<![\\w.])aeroshmem(?:\\.[a-z_]+)+");
    private static final Pattern VARIABLE = Pattern.compile("(?<!\\w)AEROSHMEM_[A-Z_]+(?!\\w)");
    private static final List<String> PACKAGES = List.of("io.aeroshmem.", "io.aeroshmem.gpu.");
    private static final Set<String> TYPES_OF_THE_JDK = Set.of("Math", "System", "Thread");

    /** @param foreignColumns number of leading columns of the tables that name routines of others. */
    @ParameterizedTest
    @CsvSource({
        "openshmem.md, 1, 150", "migrate/openshmem.md, 1, 15", "migrate/nvshmem.md, 1, 60",
        "migrate/intel-shmem.md, 1, 40", "migrate/ucc.md, 1, 10", "migrate/mpi-java.md, 1, 60",
        "migrate/aeron.md, 1, 15", "migrate/ulfm.md, 1, 12", "reference.md, 0, 80", "deviations.md, 0, 15",
        "tuning.md, 0, 15",
        "troubleshooting.md, 1, 20", "features/setup.md, 0, 15", "features/memory.md, 0, 25",
        "features/teams.md, 0, 20", "features/contexts.md, 0, 5", "features/rma.md, 0, 15",
        "features/atomics.md, 0, 30", "features/signals.md, 0, 5", "features/waits.md, 0, 20",
        "features/ordering.md, 0, 5", "features/collectives.md, 0, 10", "features/requests.md, 0, 5",
        "features/locks.md, 0, 4", "features/index.md, 0, 2"
    })
    void shouldNameOnlyWhatExists(final String page, final int foreignColumns, final int least) throws IOException
    {
        final Set<String> unknown = new TreeSet<>();
        final Set<String> known = new TreeSet<>();
        for (final String line : prose(page))
        {
            final String ours = line.startsWith("|") ? withoutColumns(line, foreignColumns) : line;
            for (final String code : codes(ours).stream().flatMap((pattern) -> expanded(pattern).stream()).toList())
            {
                matches(MEMBER, code).forEach((name) -> (isMember(name) ? known : unknown).add(name));
                matches(PROPERTY, code).forEach((name) -> (isProperty(name) ? known : unknown).add(name));
                matches(VARIABLE, code).forEach((name) -> (isVariable(name) ? known : unknown).add(name));
            }
        }

        assertEquals(Set.of(), unknown, page);
        assertTrue(known.size() >= least, page + " names " + known.size() + ": " + known);
    }

    /** HotSpot ignores those that do not exist. */
    @Test
    void shouldNameMethodsInTheHintsForTheCompiler() throws Exception
    {
        final List<String> lines = Files.readAllLines(Path.of("..", "deploy", "compiler-hints"));
        assertEquals("quiet", lines.get(0), "else each JVM prints what it has read");
        for (final String line : lines.subList(1, lines.size()))
        {
            final String[] words = line.split(" |::");
            assertEquals(3, words.length, line);
            assertTrue(Stream.of(Class.forName(words[1]).getDeclaredMethods())
                .anyMatch((method) -> words[2].equals(method.getName())), line);
        }
    }

    @Test
    void shouldNameEverythingOfTheSpecification() throws IOException
    {
        assertEquals(names("openshmem-1.6.txt"), foreignNames("openshmem.md"));
    }

    @ParameterizedTest
    @CsvSource({
        "nvshmem-host.txt, migrate/nvshmem.md, 165", "ishmem.txt, migrate/intel-shmem.md, 119",
        "mpi-java.txt, migrate/mpi-java.md, 240"
    })
    void shouldNameEveryRoutine(final String list, final String page, final int count) throws IOException
    {
        final Set<String> missing = names(list);
        assertEquals(count, missing.size());
        missing.removeAll(foreignNames(page));
        assertEquals(Set.of(), missing);
    }

    /** The names of a resource of this test, one in a line. */
    private static Set<String> names(final String list) throws IOException
    {
        try (InputStream in = DocumentedNamesTest.class.getResourceAsStream(list))
        {
            return new TreeSet<>(new String(in.readAllBytes(), StandardCharsets.UTF_8).lines().toList());
        }
    }

    /** The names in the first columns of the tables of a page. */
    private static Set<String> foreignNames(final String page) throws IOException
    {
        final Set<String> names = new TreeSet<>();
        for (final String line : prose(page))
        {
            if (line.startsWith("| `"))
            {
                codes(line.split("\\|")[1]).forEach((pattern) -> names.addAll(expanded(pattern)));
            }
        }

        return names;
    }

    @ParameterizedTest
    @ValueSource(classes = {
        Shmem.class, Team.class, CommunicationContext.class, SymmetricBuffer.class, TeamCreation.class,
        TeamDestruction.class, CollectiveRequest.class, RmaRequest.class
    })
    void shouldDescribeEveryMethod(final Class<?> type) throws IOException
    {
        final Set<String> described = new TreeSet<>();
        try (Stream<Path> pages = Files.list(DOCS.resolve("features")))
        {
            for (final Path page : pages.toList())
            {
                for (final String line : prose("features/" + page.getFileName()))
                {
                    codes(line).forEach((pattern) -> described.addAll(expanded(pattern)));
                }
            }
        }

        final Set<String> methods = Stream.of(type.getDeclaredMethods())
            .filter((method) -> Modifier.isPublic(method.getModifiers()) && !method.isSynthetic())
            .map((method) -> type.getSimpleName() + '.' + method.getName())
            .filter((name) -> !name.endsWith(".toString"))
            .collect(Collectors.toCollection(TreeSet::new));
        assertTrue(methods.size() >= 2, methods.toString());
        methods.removeAll(described);
        assertEquals(Set.of(), methods);
    }

    /** Such as {@code shmem_[ctx_]put{8,mem}}: brackets enclose what may be absent, braces enclose alternatives. */
    private static List<String> expanded(final String pattern)
    {
        final Matcher matcher = Pattern.compile("\\[([^]]*)]|\\{([^}]*)}").matcher(pattern);
        if (!matcher.find())
        {
            return List.of(pattern);
        }

        final List<String> names = new ArrayList<>();
        final String[] choices = null == matcher.group(1) ?
            matcher.group(2).split(",") : new String[]{matcher.group(1), ""};
        for (final String choice : choices)
        {
            names.addAll(expanded(pattern.substring(0, matcher.start()) + choice + pattern.substring(matcher.end())));
        }

        return names;
    }

    @Test
    void shouldListTheConstantsOfEachEnum() throws IOException
    {
        int count = 0;
        for (final String line : prose("reference.md"))
        {
            final String[] cells = line.split("\\|");
            final Class<?> type = line.startsWith("| `") ? type(codes(cells[1]).get(0)) : null;
            if (null != type && type.isEnum() && !codes(cells[2]).isEmpty())
            {
                count++;
                assertEquals(
                    Stream.of(type.getEnumConstants()).map(Object::toString).toList(), codes(cells[2]), type.getName());
            }
        }

        assertEquals(15, count);
    }

    @Test
    void shouldListTheValuesOfConstants() throws Exception
    {
        int count = 0;
        for (final String line : prose("reference.md"))
        {
            final Matcher matcher = Pattern.compile("\\| `(\\w+)[.]([A-Z_]+)` \\| (\\d+) \\|.*").matcher(line);
            if (matcher.matches())
            {
                count++;
                final Number value = (Number)type(matcher.group(1)).getField(matcher.group(2)).get(null);
                assertEquals(Long.parseLong(matcher.group(3)), value.longValue(), line);
            }
        }

        assertEquals(5, count);
    }

    @Test
    void shouldListTheOperationsOfEachType() throws IOException
    {
        final List<String> rows = new ArrayList<>();
        for (final ElementType type : ElementType.values())
        {
            rows.add(Stream.of(
                    Integer.toString(type.bytes()), yes(type.isInteger()), yes(!type.isComplex()), yes(true),
                    yes(true), yes(type.isInteger()), yes(!type.isComplex()))
                .collect(Collectors.joining("|", type + "|", "")));
        }

        Collections.sort(rows);

        final Set<String> names = Stream.of(ElementType.values()).map(Enum::name).collect(Collectors.toSet());
        assertEquals(rows, prose("reference.md").stream()
            .filter((line) -> line.startsWith("| `") && names.contains(codes(line).get(0)))
            .map((line) -> line.substring(1, line.length() - 1).replaceAll("[` ]", ""))
            .sorted()
            .toList());
    }

    private static String yes(final boolean isAllowed)
    {
        return isAllowed ? "yes" : "";
    }

    @Test
    void shouldQuoteMessagesOfTheSources() throws IOException
    {
        final String sources = sources();
        int count = 0;
        boolean isMessage = false;
        for (final String line : prose("troubleshooting.md"))
        {
            isMessage = line.startsWith("| message |") || isMessage && line.startsWith("|");
            if (isMessage && line.startsWith("| `"))
            {
                for (final String part : codes(line).get(0).split("…"))
                {
                    count++;
                    assertTrue(sources.contains(part.strip()), part);
                }
            }
        }

        assertTrue(count >= 40, "count=" + count);
    }

    /** All main sources, with the literals of a concatenation joined. */
    private static String sources() throws IOException
    {
        final StringBuilder sources = new StringBuilder();
        for (final String module : List.of("transport", "shmem-core", "gpu", "tools"))
        {
            try (Stream<Path> files = Files.walk(Path.of("..", module, "src", "main", "java")))
            {
                for (final Path file : files.filter((path) -> path.toString().endsWith(".java")).toList())
                {
                    sources.append(Files.readString(file).replaceAll("\"\\s*\\+\\s*\"", ""));
                }
            }
        }

        return sources.toString();
    }

    /** The lines of a page that are not in a block of code. */
    private static List<String> prose(final String page) throws IOException
    {
        return Files.readString(DOCS.resolve(page)).replaceAll("(?s)```.*?```", "").lines().toList();
    }

    private static String withoutColumns(final String line, final int count)
    {
        final String[] cells = line.split("\\|");
        return String.join("|", Arrays.asList(cells).subList(Math.min(cells.length, 1 + count), cells.length));
    }

    private static List<String> codes(final String text)
    {
        return CODE.matcher(text).results().map((code) -> code.group(1)).toList();
    }

    private static List<String> matches(final Pattern pattern, final String text)
    {
        return pattern.matcher(text).results().map(MatchResult::group).toList();
    }

    private static boolean isProperty(final String name)
    {
        return Stream.of(ShmemProperty.values()).anyMatch((property) ->
            property.propertyName().equals(name) || property.propertyName().startsWith(name + '.'));
    }

    private static boolean isVariable(final String name)
    {
        return Stream.of(ShmemProperty.values()).anyMatch((property) -> property.environmentName().equals(name));
    }

    private static boolean isMember(final String name)
    {
        final String[] parts = name.split("\\.");
        if (TYPES_OF_THE_JDK.contains(parts[0]))
        {
            return true;
        }

        Class<?> type = type(parts[0]);
        for (int i = 1; i < parts.length && null != type; i++)
        {
            final String part = parts[i];
            final Class<?> nested = Stream.of(type.getClasses())
                .filter((candidate) -> candidate.getSimpleName().equals(part)).findFirst().orElse(null);
            if (null == nested && i == parts.length - 1)
            {
                return Stream.of(type.getMethods()).anyMatch((method) -> method.getName().equals(part)) ||
                    Stream.of(type.getFields()).anyMatch((field) -> field.getName().equals(part));
            }

            type = nested;
        }

        return null != type;
    }

    /** Returns a type of the public API, or null. */
    private static Class<?> type(final String simpleName)
    {
        final ClassLoader loader = DocumentedNamesTest.class.getClassLoader();
        for (final String name : PACKAGES)
        {
            try
            {
                final Class<?> type = Class.forName(name + simpleName, false, loader);
                if (Modifier.isPublic(type.getModifiers()))
                {
                    return type;
                }
            }
            catch (final ClassNotFoundException ignored)
            {
                continue;
            }
        }

        return null;
    }
}
