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

import io.aeroshmem.collective.selection.AlgorithmDocs;
import io.aeroshmem.config.ConfigurationDocs;
import io.aeroshmem.transport.JdkPackages;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Checks of the README and docs/ against the code.
 */
class DocumentationTest
{
    private static final Path ROOT = Path.of("..");
    private static final Path README = ROOT.resolve("README.md");

    @Test
    void shouldContainTheGeneratedTableOfProperties() throws IOException
    {
        final StringWriter output = new StringWriter();
        AeroShmemCommand.commandLine().setOut(new PrintWriter(output))
            .execute("info", "--properties", "--format", "markdown");

        assertEquals(ConfigurationDocs.markdown(), output.toString());
        assertTrue(output.toString().equals(Files.readString(ROOT.resolve("docs/configuration.md"))),
            "write it anew: ./aeroshmem info --properties --format markdown > docs/configuration.md");
    }

    @Test
    void shouldContainTheGeneratedTableOfAlgorithms() throws IOException
    {
        final StringWriter output = new StringWriter();
        AeroShmemCommand.commandLine().setOut(new PrintWriter(output))
            .execute("info", "--algorithms", "--format", "markdown");

        assertEquals(AlgorithmDocs.markdown(), output.toString());
        assertTrue(output.toString().equals(Files.readString(ROOT.resolve("docs/algorithms.md"))),
            "write it anew: ./aeroshmem info --algorithms --format markdown > docs/algorithms.md");
    }

    @Test
    void shouldShowTheHelloProgram() throws IOException
    {
        // the README omits the private constructor
        final String expected = withoutComments(ROOT.resolve("samples/src/main/java/io/aeroshmem/samples/HelloPe.java"))
            .replaceAll("(?s)    private HelloPe\\(\\)\n    \\{\n    \\}\n\n", "");

        assertEquals(expected, blocks("java").get(0));
    }

    @Test
    void shouldShowTheTestOfSeveralPes() throws IOException
    {
        final String expected = withoutComments(
            ROOT.resolve("samples/src/test/java/io/aeroshmem/samples/NeighbourTest.java"))
            .replace("package io.aeroshmem.samples;", "package com.example;");

        assertEquals(expected, blocks("java").get(1));
    }

    @Test
    void shouldShowTheBuild() throws IOException
    {
        final String pom = Files.readString(ROOT.resolve("pom.xml"));
        final String opens = first(pom, "<jvm[.]opens>(.*)</jvm[.]opens>");
        final String version = first(pom, "<version>(.*)</version>");

        assertEquals(opens, JdkPackages.memoryOption() + ' ' + JdkPackages.mappingOption());
        assertTrue(blocks("").contains(opens + '\n'), opens);
        final String maven = blocks("xml").get(0);
        assertEquals(opens, first(maven, "<argLine>(.*)</argLine>"));
        assertEquals(version, first(maven, "<version>(.*)</version>"));
        final String gradle = blocks("groovy").get(0);
        assertEquals(opens, first(gradle, "def opens = \\[(.*)\\]").replaceAll("[',]", ""));
        assertEquals(version, first(gradle, "aeroshmem-core:(.*)'"));
    }

    private static String withoutComments(final Path source) throws IOException
    {
        return Files.readString(source).replaceAll("(?s)[ ]*/\\*.*?\\*/\n", "");
    }

    /**
     * The blocks of one language that the README shows.
     */
    private static List<String> blocks(final String language) throws IOException
    {
        return Pattern.compile("(?s)```(\\w*)\n(.*?)```\n").matcher(Files.readString(README)).results()
            .filter((block) -> block.group(1).equals(language))
            .map((block) -> block.group(2))
            .toList();
    }

    private static String first(final String text, final String pattern)
    {
        final Matcher matcher = Pattern.compile(pattern).matcher(text);
        assertTrue(matcher.find(), pattern);
        return matcher.group(1);
    }

    @Test
    void shouldLinkToExistingFiles() throws IOException
    {
        final Pattern link = Pattern.compile("\\]\\(([^)#:]+)(#[^)]*)?\\)");
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs")))
        {
            for (final Path page : Stream.concat(
                Stream.of(README),
                docs.filter((file) -> file.toString().endsWith(".md"))).toArray(Path[]::new))
            {
                final Matcher matcher = link.matcher(Files.readString(page));
                while (matcher.find())
                {
                    final String target = matcher.group(1);
                    assertTrue(Files.exists(page.resolveSibling(target)), page + " links to " + target);
                }
            }
        }
    }
}
