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
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** A strict reader of JSON: maps, lists, strings, longs or doubles, booleans and null. */
public final class JsonReader
{
    private final String text;
    private int at;

    private JsonReader(final String text)
    {
        this.text = text;
    }

    /** Returns the one value that a text consists of. */
    public static Object read(final String text)
    {
        final JsonReader reader = new JsonReader(text);
        final Object value = reader.value();
        reader.skip();
        reader.require(reader.at == text.length());
        return value;
    }

    private Object value()
    {
        skip();
        switch (text.charAt(at))
        {
            case '{':
                return object();

            case '[':
                return array();

            case '"':
                return string();

            default:
                return literal();
        }
    }

    private Map<String, Object> object()
    {
        final Map<String, Object> members = new LinkedHashMap<>();
        at++;
        while (!isNext('}'))
        {
            if (!members.isEmpty())
            {
                require(isNext(','));
            }

            skip();
            final String name = string();
            require(isNext(':'));
            require(!members.containsKey(name));
            members.put(name, value());
        }

        return members;
    }

    private List<Object> array()
    {
        final List<Object> items = new ArrayList<>();
        at++;
        while (!isNext(']'))
        {
            if (!items.isEmpty())
            {
                require(isNext(','));
            }

            items.add(value());
        }

        return items;
    }

    private String string()
    {
        require('"' == text.charAt(at++));
        final StringBuilder result = new StringBuilder();
        while ('"' != text.charAt(at))
        {
            char character = text.charAt(at++);
            require(character >= ' ');
            if ('\\' == character)
            {
                character = text.charAt(at++);
                if ('u' == character)
                {
                    character = (char)Integer.parseInt(text.substring(at, at + 4), 16);
                    at += 4;
                }
                else
                {
                    require('"' == character || '\\' == character);
                }
            }

            result.append(character);
        }

        at++;
        return result.toString();
    }

    private Object literal()
    {
        final int begin = at;
        while (at < text.length() && ",]} \n\r".indexOf(text.charAt(at)) < 0)
        {
            at++;
        }

        final String word = text.substring(begin, at);
        switch (word)
        {
            case "true":
                return true;

            case "false":
                return false;

            case "null":
                return null;

            default:
                require(word.matches("-?\\d+(\\.\\d+)?([eE][-+]?\\d+)?"));
                if (word.matches("-?\\d+"))
                {
                    return Long.parseLong(word);
                }

                return Double.parseDouble(word);
        }
    }

    private boolean isNext(final char character)
    {
        skip();
        final boolean isNext = character == text.charAt(at);
        at += isNext ? 1 : 0;
        return isNext;
    }

    private void skip()
    {
        while (at < text.length() && Character.isWhitespace(text.charAt(at)))
        {
            at++;
        }
    }

    private void require(final boolean isValid)
    {
        if (!isValid)
        {
            throw new AssertionError("malformed JSON at " + at + ": " +
                text.substring(Math.max(0, at - 40), Math.min(text.length(), at + 40)));
        }
    }
}
