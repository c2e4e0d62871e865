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
package io.aeroshmem.tools.info;

import io.aeroshmem.tools.format.Table;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class InfoTextTest
{
    private static final int COLUMN = 10;

    private final StringWriter output = new StringWriter();
    private final InfoText text = new InfoText(new PrintWriter(output));

    @Test
    void shouldContinueALongValueBelowItsBeginning()
    {
        text.line("name", COLUMN, "x".repeat(60) + " y y y y y y");
        assertEquals(List.of("name      " + "x".repeat(60) + " y y y y y", "          y"), lines());
    }

    @ParameterizedTest
    @ValueSource(ints = {COLUMN - 1, COLUMN, COLUMN + 1, 3 * COLUMN})
    void shouldFitALineWhateverTheLengthOfTheName(final int length)
    {
        text.line("n".repeat(length), COLUMN, "word ".repeat(40));
        for (final String line : lines())
        {
            assertTrue(line.length() <= Table.WIDTH, line);
            assertEquals(Math.max(COLUMN, length + 1), line.indexOf("word"), line);
        }
    }

    /** Names of threads and hosts are those of programs. */
    @Test
    void shouldPassNoControlCharacterToTheTerminal()
    {
        text.line("a\u001b[2Jb", COLUMN, "c\u001b]0;d\u0007e\nf\u009bg");
        assertEquals(List.of("a [2Jb    c ]0;d e f g"), lines());
        assertEquals("at f(x)\n\tat g [31m", Table.lines("at f(x)\n\tat g\u001b[31m"));
    }

    private List<String> lines()
    {
        return output.toString().lines().toList();
    }
}
