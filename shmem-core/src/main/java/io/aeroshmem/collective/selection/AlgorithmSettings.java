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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.task.Algorithm;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.config.Settings;
import io.aeroshmem.config.ShmemProperty;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

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

    /** Takes the algorithms from settings that {@link #read} or {@link #set} has checked. */
    public AlgorithmSettings(final Settings settings)
    {
        forced = PROPERTIES.stream().map((property) -> algorithm(settings.text(property))).toArray(Algorithm[]::new);
    }

    /**
     * Checks the properties, and notes their values as they are listed.
     *
     * @throws IllegalArgumentException if a routine does not have the specified algorithm.
     */
    public static void read(final Settings settings)
    {
        PROPERTIES.forEach((property) -> settings.set(property, property.oneOf(names(property))));
    }

    /**
     * Sets the algorithm of one routine.
     *
     * @param routine as in the name of its property, such as {@code reduce_scatter}.
     * @param name    of the algorithm, in any case, or {@code auto}.
     * @throws IllegalArgumentException if the routine does not exist or does not have the algorithm.
     */
    public static void set(final Settings settings, final String routine, final String name)
    {
        final ShmemProperty property = property(routine);
        settings.set(property, property.oneOf(names(property), Arguments.notNull(name, "algorithm")));
    }

    /** Returns the name of the algorithm specified for a routine, or {@code auto}. */
    public static String name(final Settings settings, final String routine)
    {
        return settings.text(property(routine));
    }

    public Algorithm forced(final Routine routine)
    {
        return forced[PROPERTIES.indexOf(routine.algorithmProperty())];
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
}
