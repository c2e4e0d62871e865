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
package io.aeroshmem.tests.deploy;

import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A field of a manifest. It knows which of its fields were asked for, so that a manifest with a field that the test
 * does not run fails.
 */
final class Field
{
    private final String path;
    private final Object value;
    private final Set<String> read = new HashSet<>();
    private final List<Field> children = new ArrayList<>();

    private Field(final String path, final Object value)
    {
        this.path = path;
        this.value = value;
    }

    /**
     * Returns the documents of a manifest.
     */
    static List<Field> documents(final String name, final String text)
    {
        final List<Field> documents = new ArrayList<>();
        for (final Object document : new Yaml(new SafeConstructor(new LoaderOptions())).loadAll(text))
        {
            documents.add(new Field(name + " document " + documents.size(), document));
        }

        return documents;
    }

    boolean has(final String key)
    {
        return map().containsKey(key);
    }

    Field get(final String key)
    {
        assertTrue(has(key), () -> path + " lacks " + key);
        read.add(key);
        return child(path + "." + key, map().get(key));
    }

    String text(final String key, final String absent)
    {
        return has(key) ? get(key).text() : absent;
    }

    String text()
    {
        return String.valueOf(value);
    }

    int number()
    {
        return ((Integer)value).intValue();
    }

    /**
     * Returns the elements of a list; none if there is no list.
     */
    List<Field> items(final String key)
    {
        final List<Field> items = new ArrayList<>();
        if (has(key))
        {
            final Field list = get(key);
            for (final Object item : (List<?>)list.value)
            {
                items.add(list.child(list.path + "[" + items.size() + "]", item));
            }
        }

        return items;
    }

    List<String> texts(final String key)
    {
        return items(key).stream().map(Field::text).toList();
    }

    /**
     * Returns its keys.
     */
    Set<String> keys()
    {
        final Set<String> keys = new HashSet<>();
        map().keySet().forEach((key) -> keys.add((String)key));
        return keys;
    }

    void requireAllRead()
    {
        if (value instanceof Map)
        {
            assertEquals(keys(), read, () -> "fields of " + path + ", and those that the test runs");
        }

        children.forEach(Field::requireAllRead);
    }

    private Field child(final String pathOfChild, final Object valueOfChild)
    {
        for (final Field child : children)
        {
            if (child.path.equals(pathOfChild))
            {
                return child;
            }
        }

        final Field child = new Field(pathOfChild, valueOfChild);
        children.add(child);
        return child;
    }

    private Map<?, ?> map()
    {
        assertTrue(value instanceof Map, () -> path + " is no map: " + value);
        return (Map<?, ?>)value;
    }

    @Override
    public String toString()
    {
        return path + ": " + value;
    }
}
