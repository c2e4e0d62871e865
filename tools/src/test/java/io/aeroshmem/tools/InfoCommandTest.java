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
import io.aeroshmem.config.ShmemProperty;
import io.aeroshmem.tools.exit.ExitCode;
import io.aeroshmem.tools.format.JsonReader;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Map;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class InfoCommandTest
{
    private static final int WIDTH = 80;
    private static final int LONG_WORD = 40;

    @Test
    void shouldFitATerminalWithAllSections()
    {
        final String text = info("-a", "-n", "3", "--hosts", "a:2,b");
        for (final String line : text.lines().toList())
        {
            assertTrue(line.length() <= WIDTH ||
                List.of(line.split(" ")).stream().anyMatch((word) -> word.length() > LONG_WORD), line);
        }

        assertFalse(text.contains("\u001b"), text);
        for (final String expected : List.of(
            "Version  ", "Build  ", "Processors  ", "Cores  ", "Job root  ", "GPU  ", "* aeroshmem.heap.size  ",
            "  aeroshmem.transport  ", "  aeroshmem-progress  ", "  aeron-client  ", "  aeroshmem-rendezvous  ",
            "  aeroshmem-replicator  ", "  aeroshmem-gpu-stream-N  ", "  dissemination  ", "  PE 2    uu."))
        {
            assertTrue(text.contains("\n" + expected) || text.startsWith(expected), expected + " in " + text);
        }
    }

    @ParameterizedTest
    @CsvSource({ "--versions, Version", "--topology, Host", "--devices, GPU", "--threads, Threads", "-n2, Placement" })
    void shouldPrintOneSection(final String option, final String first)
    {
        final String text = info(option);
        assertTrue(text.startsWith(first), text);
        assertEquals(1, List.of("Version ", "Host ", "GPU ", "Threads ", "Placement ").stream()
            .filter((title) -> text.startsWith(title) || text.contains("\n" + title)).count(), text);
    }

    @Test
    void shouldShowWhereAValueIsFrom()
    {
        final String name = ShmemProperty.MAX_TEAMS.propertyName();
        System.setProperty(name, "77");
        try
        {
            final String text = info("--properties");
            assertTrue(text.contains(
                "* " + name + " ".repeat(38 - name.length()) + "77\n" + " ".repeat(40) + "(set by a system property;"),
                text);
            final Map<?, ?> teams = property(name);
            assertEquals("77", teams.get("value"));
            assertEquals("4096", teams.get("default"));
            assertEquals(name, teams.get("source"));
            assertEquals(true, teams.get("same_on_all_pes"));
        }
        finally
        {
            System.clearProperty(name);
        }

        assertEquals("default", property(name).get("source"));
    }

    @Test
    void shouldPrintJson()
    {
        final Map<?, ?> facts = json("-a", "-n", "3", "--hosts", "a:2,b");
        assertEquals(
            List.of("build", "host", "devices", "properties", "threads", "algorithms", "placement"),
            List.copyOf(facts.keySet()));
        assertEquals(ShmemProperty.values().length, ((Collection<?>)facts.get("properties")).size());
        assertEquals(AlgorithmDocs.rows().size(), ((Collection<?>)facts.get("algorithms")).size());
        assertEquals(
            List.of(
                List.of("mapped", "mapped", "udp"),
                List.of("mapped", "mapped", "udp"),
                List.of("udp", "udp", "mapped")),
            ((Map<?, ?>)facts.get("placement")).get("paths"));
        assertTrue(((Map<?, ?>)facts.get("build")).get("version").toString().startsWith("AeroSHMEM "));
    }

    @Test
    void shouldCountPathsThatDoNotFitALine()
    {
        final String text = info("-n", "100");
        assertTrue(text.contains("\n  mapped  9900 pairs\n"), text);
    }

    @Test
    void shouldFailWithoutSuchAJob()
    {
        final StringWriter error = new StringWriter();
        assertEquals(ExitCode.FAILURE, execute(new StringWriter(), error, "info", "--job", "nothing"));
        final String text = error.toString();
        assertTrue(text.startsWith("aeroshmem: no running job whose id begins with nothing in "), text);
        assertEquals(1, text.lines().count(), text);
    }

    private static Map<?, ?> property(final String name)
    {
        return ((Collection<?>)json("--properties").get("properties")).stream().map((each) -> (Map<?, ?>)each)
            .filter((each) -> name.equals(each.get("property"))).findFirst().orElseThrow();
    }

    private static Map<?, ?> json(final String... arguments)
    {
        final String[] all = Arrays.copyOf(arguments, arguments.length + 2);
        all[arguments.length] = "--format";
        all[arguments.length + 1] = "json";
        return (Map<?, ?>)JsonReader.read(info(all));
    }

    private static String info(final String... arguments)
    {
        final String[] all = new String[arguments.length + 1];
        all[0] = "info";
        System.arraycopy(arguments, 0, all, 1, arguments.length);
        final StringWriter output = new StringWriter();
        final StringWriter error = new StringWriter();
        assertEquals(ExitCode.OK, execute(output, error, all), error::toString);
        assertEquals("", error.toString());
        return output.toString();
    }

    private static int execute(final StringWriter output, final StringWriter error, final String... arguments)
    {
        final CommandLine commandLine = AeroShmemCommand.commandLine();
        commandLine.setOut(new PrintWriter(output));
        commandLine.setErr(new PrintWriter(error));
        return commandLine.execute(arguments);
    }
}
