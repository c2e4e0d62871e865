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
package io.aeroshmem.tools.format;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.stream.Collectors;

/** Fits text into the columns of a terminal, and values into a row of CSV. */
public final class Table
{
    /** Columns of a terminal. */
    public static final int WIDTH = 80;

    private Table()
    {
    }

    /**
     * Returns a text, of a program perhaps, as a line of at most {@code width} characters, the last of which says
     * whether some are missing.
     */
    public static String cut(final String text, final int width)
    {
        final String line = oneLine(text);
        return line.length() <= width ? line : line.substring(0, width - 1) + "…";
    }

    /** Returns a text, of a program perhaps, without the control characters that a terminal would obey. */
    public static String oneLine(final String text)
    {
        return text.replaceAll("\\p{Cc}+", " ");
    }

    /** As {@link #oneLine}, but the text keeps its lines and tabs. */
    public static String lines(final String text)
    {
        return text.replaceAll("[\\p{Cc}&&[^\n\t]]+", " ");
    }

    /**
     * Breaks a text between words into lines of at most {@code width} characters, except for longer words. All lines
     * but the first begin with {@code indent}.
     */
    public static List<String> wrap(final String text, final int width, final String indent)
    {
        final List<String> lines = new ArrayList<>();
        final StringBuilder line = new StringBuilder();
        String separator = "";
        for (final String word : text.split(" "))
        {
            if (!separator.isEmpty() && line.length() + 1 + word.length() > width)
            {
                lines.add(line.toString());
                line.setLength(0);
                line.append(indent);
                separator = "";
            }

            line.append(separator).append(word);
            separator = " ";
        }

        lines.add(line.toString());
        return lines;
    }

    /** Returns a row of CSV, without its end; null becomes an empty cell. */
    public static String csv(final Collection<?> cells)
    {
        return cells.stream().map((cell) -> Objects.toString(cell, "")).collect(Collectors.joining(","));
    }
}
