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

import org.junit.jupiter.api.Test;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.MatchResult;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Parses the commands in the blocks of the documentation, without those that have placeholders, and finds the samples
 * that they start.
 */
class DocumentedCommandsTest
{
    private static final Path ROOT = Path.of("..");
    private static final Pattern BLOCK = Pattern.compile("(?ms)^ *```[a-z]*\\n(.*?)^ *```$");
    private static final Pattern COMMAND = Pattern.compile("(?m)^ *(?:\\w+=\\S+ )*(?:\\./)?aeroshmem (.*)$");
    private static final Pattern WORD = Pattern.compile("'([^']*)'|(\\S+)");

    @Test
    void shouldParse() throws IOException
    {
        final List<String> failures = new ArrayList<>();
        int count = 0;
        for (final Path page : pages())
        {
            for (final MatchResult block : BLOCK.matcher(Files.readString(page)).results().toList())
            {
                for (final MatchResult command : COMMAND.matcher(block.group(1)).results().toList())
                {
                    final String arguments = withoutRemark(command.group(1));
                    if (!arguments.matches(".*[\\[<…|].*"))
                    {
                        count++;
                        parse(page + ": " + arguments, words(arguments), failures);
                    }
                }
            }
        }

        assertEquals(List.of(), failures);
        assertTrue(count >= 30, "count=" + count);
    }

    private static void parse(final String place, final String[] arguments, final List<String> failures)
    {
        try
        {
            final ParseResult command = AeroShmemCommand.commandLine().parseArgs(arguments).subcommand();
            for (final String word : arguments)
            {
                if (word.startsWith("io.aeroshmem.samples."))
                {
                    Class.forName(word, false, DocumentedCommandsTest.class.getClassLoader());
                }
            }

            assertTrue(null != command || arguments[0].startsWith("--"), place);
        }
        catch (final ParameterException | ClassNotFoundException ex)
        {
            failures.add(place + ": " + ex.getMessage());
        }
    }

    /** Cuts what follows three spaces, and redirections. */
    private static String withoutRemark(final String command)
    {
        return command.split(" +# | > | 2> | &$")[0].strip();
    }

    private static String[] words(final String arguments)
    {
        return WORD.matcher(arguments).results()
            .map((word) -> null == word.group(1) ? word.group(2) : word.group(1))
            .toArray(String[]::new);
    }

    private static List<Path> pages() throws IOException
    {
        try (Stream<Path> docs = Files.walk(ROOT.resolve("docs")))
        {
            return Stream.concat(
                Stream.of(ROOT.resolve("README.md"), ROOT.resolve("CONTRIBUTING.md")),
                docs.filter((path) -> path.toString().endsWith(".md")).sorted()).toList();
        }
    }
}
