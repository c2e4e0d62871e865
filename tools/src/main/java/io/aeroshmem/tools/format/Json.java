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
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Formats values as JSON: a map as an object, a collection as an array, a number, boolean or null as it is, and
 * everything else as a string.
 */
public final class Json
{
    private Json()
    {
    }

    /** Returns an object of members: a name and a value in turn. */
    public static Map<String, Object> object(final Object... namesAndValues)
    {
        final Map<String, Object> members = new LinkedHashMap<>();
        for (int i = 0; i < namesAndValues.length; i += 2)
        {
            members.put((String)namesAndValues[i], namesAndValues[i + 1]);
        }

        return members;
    }

    /** Returns a value with a line for each member of an object, or for each object of an array. */
    public static String of(final Object value)
    {
        return of(value, "\n", false);
    }

    /** Returns an object without arrays of objects in one line. */
    public static String line(final Map<String, Object> object)
    {
        return of(object, "\n", true);
    }

    private static String of(final Object value, final String lineBreak, final boolean isInline)
    {
        final String inner = lineBreak + "  ";
        if (value instanceof final Map<?, ?> object)
        {
            final Stream<String> members = object.entrySet().stream().map((entry) ->
                quote(String.valueOf(entry.getKey())) + ": " + of(entry.getValue(), inner, isInline));
            return isInline ? members.collect(Collectors.joining(", ", "{", "}")) :
                members.collect(Collectors.joining("," + inner, "{" + inner, lineBreak + "}"));
        }

        if (value instanceof final Collection<?> array)
        {
            final Stream<String> items = array.stream().map((item) -> of(item, inner, true));
            return array.stream().noneMatch(Map.class::isInstance) ? items.collect(Collectors.joining(", ", "[", "]")) :
                items.collect(Collectors.joining("," + inner, "[" + inner, lineBreak + "]"));
        }

        return null == value || value instanceof Number || value instanceof Boolean ?
            String.valueOf(value) : quote(value.toString());
    }

    private static String quote(final String text)
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
