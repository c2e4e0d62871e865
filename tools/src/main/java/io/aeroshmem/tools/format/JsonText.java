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

import java.util.Collection;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** Formats values as JSON. */
public final class JsonText
{
    private JsonText()
    {
    }

    /**
     * Returns a value in JSON: a map as an object, a collection as an array, a number, boolean or null as it is, and
     * everything else as a string. Only maps are broken into lines.
     */
    public static String of(final Object value)
    {
        return of(value, "\n");
    }

    private static String of(final Object value, final String lineBreak)
    {
        final String inner = lineBreak + "  ";
        if (value instanceof Map)
        {
            return ((Map<?, ?>)value).entrySet().stream()
                .map((entry) -> quote(String.valueOf(entry.getKey())) + ": " + of(entry.getValue(), inner))
                .collect(Collectors.joining("," + inner, "{" + inner, lineBreak + "}"));
        }

        if (value instanceof Collection)
        {
            return ((Collection<?>)value).stream().map((item) -> of(item, lineBreak))
                .collect(Collectors.joining(", ", "[", "]"));
        }

        return null == value || value instanceof Number || value instanceof Boolean ?
            String.valueOf(value) : quote(value.toString());
    }

    /** Returns a text as a JSON string. */
    public static String quote(final String text)
    {
        final StringBuilder quoted = new StringBuilder("\"");
        for (int i = 0; i < text.length(); i++)
        {
            final char character = text.charAt(i);
            if ('"' == character || '\\' == character)
            {
                quoted.append('\\').append(character);
            }
            else if (character < ' ')
            {
                quoted.append(String.format(Locale.ROOT, "\\u%04x", (int)character));
            }
            else
            {
                quoted.append(character);
            }
        }

        return quoted.append('"').toString();
    }
}
