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
package io.aeroshmem.config;

import org.agrona.concurrent.IdleStrategy;

import java.util.EnumMap;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.function.Supplier;

/**
 * The settings of one PE: the values that the properties had when this was made, until the program sets others. It
 * holds values as {@link ShmemProperty#value()} returns them. {@link io.aeroshmem.Shmem.Context} has a method for each
 * that a program can set.
 */
public final class Settings implements Cloneable
{
    private final Map<ShmemProperty, Object> values;
    private final Set<ShmemProperty> given;

    /**
     * Reads all properties.
     *
     * @throws IllegalArgumentException if a value cannot be parsed, or is out of range.
     */
    public Settings()
    {
        values = new EnumMap<>(ShmemProperty.class);
        given = EnumSet.noneOf(ShmemProperty.class);
        for (final ShmemProperty property : ShmemProperty.values())
        {
            values.put(property, property.value());
            if (property.isGiven())
            {
                given.add(property);
            }
        }
    }

    private Settings(final Settings other)
    {
        values = new EnumMap<>(other.values);
        given = EnumSet.copyOf(other.given);
    }

    @Override
    public Settings clone()
    {
        return new Settings(this);
    }

    /** Sets a value, which {@link #check()} checks later. */
    public void set(final ShmemProperty property, final Object value)
    {
        values.put(property, value);
        given.add(property);
    }

    /** Sets a value unless it {@link #isGiven}. */
    public void setDefault(final ShmemProperty property, final Object value)
    {
        if (!isGiven(property))
        {
            values.put(property, value);
        }
    }

    /** Returns whether a system property, an environment variable or the program has set a value. */
    public boolean isGiven(final ShmemProperty property)
    {
        return given.contains(property);
    }

    /**
     * Checks all values.
     *
     * @throws IllegalArgumentException if one is not allowed; the message states the rule.
     */
    public void check()
    {
        values.forEach(ShmemProperty::check);
    }

    public long longValue(final ShmemProperty property)
    {
        return (long)values.get(property);
    }

    public int intValue(final ShmemProperty property)
    {
        return Math.toIntExact(longValue(property));
    }

    public boolean booleanValue(final ShmemProperty property)
    {
        return (boolean)values.get(property);
    }

    public String text(final ShmemProperty property)
    {
        return (String)values.get(property);
    }

    public <E extends Enum<E>> E choice(final ShmemProperty property, final Class<E> choices)
    {
        return choices.cast(values.get(property));
    }

    @SuppressWarnings("unchecked")
    public Supplier<IdleStrategy> idleStrategy(final ShmemProperty property)
    {
        return (Supplier<IdleStrategy>)values.get(property);
    }

    /** Returns the values that init compares across PEs, by the names of their properties, in the table's order. */
    public Map<String, String> compared()
    {
        final Map<String, String> texts = new LinkedHashMap<>();
        values.forEach((property, value) ->
        {
            if (property.isComparedByInit())
            {
                final String unit = ShmemProperty.Type.DURATION == property.type() ? "ns" : "";
                texts.put(property.propertyName(), value + unit);
            }
        });
        return texts;
    }

    /** Lists all values but secrets, one per line. */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        values.forEach((property, value) ->
        {
            if (ShmemProperty.Type.SECRET != property.type())
            {
                text.append("\n    ").append(property.propertyName()).append('=').append(value);
            }
        });
        return text.toString();
    }
}
