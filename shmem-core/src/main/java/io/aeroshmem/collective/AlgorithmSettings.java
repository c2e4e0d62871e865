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

import io.aeroshmem.config.ShmemProperty;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Objects;

/**
 * Which algorithms the properties {@code aeroshmem.algorithm.…} ask for in place of those that the {@link
 * AlgorithmTable} prefers. It does not change. All PEs of a job need the same, as members of a team must not choose
 * differently; they compare their {@link #code()} at init.
 */
public final class AlgorithmSettings
{
    private static final String AUTO = "auto";
    private static final String PREFIX = "aeroshmem.algorithm.";
    private static final int CODE_BITS = 5;
    private static final Algorithm[] ALGORITHMS = Algorithm.values();
    private static final List<ShmemProperty> PROPERTIES =
        Arrays.stream(Routine.values()).map(Routine::algorithmProperty).distinct().toList();

    private final Algorithm[] forced;

    private AlgorithmSettings(final Algorithm[] forced)
    {
        this.forced = forced;
    }

    /**
     * What system properties and environment say.
     *
     * @return the settings.
     * @throws IllegalArgumentException if an algorithm is named that the routine does not have.
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
     * The same settings but for one routine.
     *
     * @param routine as in the name of its property, such as {@code reduce_scatter}.
     * @param name    of the algorithm, in any case, or {@code auto}.
     * @return other settings.
     * @throws IllegalArgumentException if there is no such routine, or the routine has no such algorithm.
     */
    public AlgorithmSettings with(final String routine, final String name)
    {
        final ShmemProperty property = property(routine);
        final Algorithm[] copy = forced.clone();
        copy[PROPERTIES.indexOf(property)] = algorithm(property.oneOf(names(property), name));
        return new AlgorithmSettings(copy);
    }

    /**
     * What is asked for.
     *
     * @param routine as in the name of its property, such as {@code reduce_scatter}.
     * @return the name of an algorithm, or {@code auto}.
     * @throws IllegalArgumentException if there is no such routine.
     */
    public String name(final String routine)
    {
        return name(forced[PROPERTIES.indexOf(property(routine))]);
    }

    Algorithm forced(final Routine routine)
    {
        return forced[PROPERTIES.indexOf(routine.algorithmProperty())];
    }

    /**
     * All settings in one number, different for different ones.
     *
     * @return a number of less than 63 bits, 0 if everything is left to the table.
     */
    public long code()
    {
        long code = 0;
        for (int i = 0; i < forced.length; i++)
        {
            final long digit = null == forced[i] ? 0 : 1 + forced[i].ordinal();
            code |= digit << (i * CODE_BITS);
        }

        return code;
    }

    /**
     * Tell what a PE asks for.
     *
     * @param code of its settings.
     * @return such as {@code aeroshmem.algorithm.reduce=ring}, or {@code aeroshmem.algorithm.*=auto}.
     */
    public static String describe(final long code)
    {
        final StringBuilder text = new StringBuilder();
        for (int i = 0; i < PROPERTIES.size(); i++)
        {
            final int digit = (int)(code >>> (i * CODE_BITS)) & ((1 << CODE_BITS) - 1);
            if (0 != digit)
            {
                text.append(text.isEmpty() ? "" : ", ").append(PROPERTIES.get(i).propertyName()).append('=')
                    .append(digit <= ALGORITHMS.length ? ALGORITHMS[digit - 1].propertyValue() : "unknown");
            }
        }

        return text.isEmpty() ? PREFIX + "*=" + AUTO : text.toString();
    }

    /**
     * The settings as {@link #describe} tells them.
     *
     * @return the settings.
     */
    @Override
    public String toString()
    {
        return describe(code());
    }

    private static ShmemProperty property(final String routine)
    {
        final List<String> routines = new ArrayList<>();
        for (final ShmemProperty property : PROPERTIES)
        {
            final String name = property.propertyName().substring(PREFIX.length());
            if (name.equalsIgnoreCase(Objects.requireNonNull(routine, "routine")))
            {
                return property;
            }
            routines.add(name);
        }

        throw new IllegalArgumentException(
            "routine: given '" + routine + "', allowed is " + String.join(", ", routines));
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
