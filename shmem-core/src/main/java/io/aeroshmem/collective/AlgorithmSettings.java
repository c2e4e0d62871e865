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
package io.aeroshmem.collective;

import io.aeroshmem.config.Arguments;
import io.aeroshmem.config.ShmemProperty;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.StringJoiner;

/**
 * The values of the properties {@code aeroshmem.algorithm.…}: for each routine, {@code auto} or an algorithm. For each
 * call, the {@link AlgorithmTable} determines which algorithms are eligible and which of them it prefers. An algorithm
 * that a property specifies is used for every call for which it is eligible, whatever the table prefers. The members of
 * a team must choose the same algorithm, so all PEs of a job need the same settings. The PEs compare their settings
 * during initialisation. Immutable.
 */
public final class AlgorithmSettings
{
    private static final String AUTO = "auto";
    private static final String PREFIX = "aeroshmem.algorithm.";
    private static final List<ShmemProperty> PROPERTIES =
        Arrays.stream(Routine.values()).map(Routine::algorithmProperty).distinct().toList();

    private final Algorithm[] forced;

    private AlgorithmSettings(final Algorithm[] forced)
    {
        this.forced = forced;
    }

    /**
     * Returns the settings specified by system properties and environment.
     *
     * @throws IllegalArgumentException if a routine does not have the specified algorithm.
     */
    public static AlgorithmSettings ofProperties()
    {
        final Algorithm[] forced = new Algorithm[PROPERTIES.size()];
        for (int i = 0; i < forced.length; i++)
        {
            final ShmemProperty property = PROPERTIES.get(i);
            forced[i] = algorithm(property.oneOf(names(property)));
        }

        return new AlgorithmSettings(forced);
    }

    /**
     * Returns a copy with another algorithm for one routine.
     *
     * @param routine as in the name of its property, such as {@code reduce_scatter}.
     * @param name    of the algorithm, in any case, or {@code auto}.
     * @throws IllegalArgumentException if the routine does not exist or does not have the algorithm.
     */
    public AlgorithmSettings with(final String routine, final String name)
    {
        final ShmemProperty property = property(routine);
        final Algorithm[] copy = forced.clone();
        copy[PROPERTIES.indexOf(property)] =
            algorithm(property.oneOf(names(property), Arguments.notNull(name, "algorithm")));
        return new AlgorithmSettings(copy);
    }

    /** Returns the name of the algorithm specified for a routine, or {@code auto}. */
    public String name(final String routine)
    {
        return name(forced[PROPERTIES.indexOf(property(routine))]);
    }

    Algorithm forced(final Routine routine)
    {
        return forced[PROPERTIES.indexOf(routine.algorithmProperty())];
    }

    /** Adds the settings by the names of their properties, in the order of routines. */
    public void addTo(final Map<String, String> values)
    {
        for (int i = 0; i < forced.length; i++)
        {
            values.put(PROPERTIES.get(i).propertyName(), name(forced[i]));
        }
    }

    /** Returns the settings other than {@code auto}, such as {@code aeroshmem.algorithm.reduce=flat}. */
    @Override
    public String toString()
    {
        final StringJoiner text = new StringJoiner(", ");
        text.setEmptyValue(PREFIX + "*=" + AUTO);
        for (int i = 0; i < forced.length; i++)
        {
            if (null != forced[i])
            {
                text.add(PROPERTIES.get(i).propertyName() + "=" + name(forced[i]));
            }
        }

        return text.toString();
    }

    private static ShmemProperty property(final String routine)
    {
        Arguments.notNull(routine, "routine");
        final List<String> routines = new ArrayList<>();
        for (final ShmemProperty property : PROPERTIES)
        {
            final String name = property.propertyName().substring(PREFIX.length());
            if (name.equalsIgnoreCase(routine))
            {
                return property;
            }
            routines.add(name);
        }

        throw new IllegalArgumentException(
            "routine must be one of " + String.join(", ", routines) + ": routine=" + routine);
    }

    private static List<String> names(final ShmemProperty property)
    {
        final List<String> names = new ArrayList<>();
        names.add(AUTO);
        for (final AlgorithmRow row : AlgorithmTable.rows())
        {
            final String name = row.algorithm().propertyValue();
            if (property == row.routine().algorithmProperty() && !names.contains(name))
            {
                names.add(name);
            }
        }

        return names;
    }

    private static Algorithm algorithm(final String name)
    {
        return AUTO.equals(name) ? null : Algorithm.valueOf(name.toUpperCase(Locale.ROOT));
    }

    private static String name(final Algorithm algorithm)
    {
        return null == algorithm ? AUTO : algorithm.propertyValue();
    }
}
