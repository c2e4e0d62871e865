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

import java.io.PrintWriter;

/**
 * Writes names with their values, in lines of at most 80 columns. A value that does not fit in the line continues on
 * the next one, aligned with its beginning. A line exceeds 80 columns only if a single word, such as a path, does not
 * fit.
 */
public final class InfoText
{
    private static final int NAME_WIDTH = 22;

    private final PrintWriter output;
    private boolean isEmpty = true;

    /** Creates a writer, which does not close the output. */
    public InfoText(final PrintWriter output)
    {
        this.output = output;
    }

    /** Begins a section. */
    void title(final String text)
    {
        if (!isEmpty)
        {
            output.println();
        }

        isEmpty = false;
        Table.wrap(text, Table.WIDTH, "").forEach(output::println);
    }

    /** Prints a name and its value. */
    void line(final String name, final String value)
    {
        line(name, NAME_WIDTH, value);
    }

    /** Prints a name in a column of some width, and its value, both of a program perhaps, such as those of a thread. */
    void line(final String nameOrEmpty, final int width, final String value)
    {
        final String name = Table.oneLine(nameOrEmpty);
        isEmpty = false;
        final int column = Math.max(width, name.length() + 1);
        String prefix = name + " ".repeat(column - name.length());
        for (final String part : Table.wrap(Table.oneLine(value), Table.WIDTH - column, ""))
        {
            output.println((prefix + part).stripTrailing());
            prefix = " ".repeat(column);
        }
    }
}
