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

import io.aeroshmem.bootstrap.LauncherBootstrap;

import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;

/**
 * The detection of misspelt names of properties and environment variables, which would otherwise be ignored silently.
 * <p>
 * System properties with the library's prefix belong to the library: an unknown name is an error. The environment is
 * shared with other software: for example, the environment modules of a cluster may set {@code AEROSHMEM_HOME}, and
 * Kubernetes may set {@code AEROSHMEM_SERVICE_HOST}. So an unknown environment variable is an error only if it differs
 * from a known name by at most two characters (fewer if that name is short).
 */
public final class PropertyNameCheck
{
    private static final String PROPERTY_PREFIX = "aeroshmem.";
    private static final String VARIABLE_PREFIX = "AEROSHMEM_";

    /** Prefix of the project's own tests. */
    private static final String TEST_PREFIX = "aeroshmem.test.";

    /** Read by the command line. */
    private static final List<String> COMMAND_PROPERTIES = List.of("aeroshmem.script", "aeroshmem.ssh");

    /** Edits that still count as a typing error; fewer for short names. */
    private static final int MAX_EDITS = 2;

    private static final List<String> PROPERTIES = new ArrayList<>();
    private static final List<String> VARIABLES = new ArrayList<>(List.of(
        LauncherBootstrap.JOB_DIR_ENV,
        LauncherBootstrap.PE_ENV,
        LauncherBootstrap.NPES_ENV,
        LauncherBootstrap.SPARE_ENV,
        "AEROSHMEM_UNIQUE_ID",
        "AEROSHMEM_SSH"));

    static
    {
        for (final ShmemProperty property : ShmemProperty.values())
        {
            PROPERTIES.add(property.propertyName());
            VARIABLES.add(property.environmentName());
        }
    }

    private PropertyNameCheck()
    {
    }

    /** Checks the names of this process's system properties and environment variables. */
    public static void check()
    {
        check(System.getProperties().stringPropertyNames(), System.getenv().keySet());
    }

    static void check(final Collection<String> properties, final Collection<String> variables)
    {
        properties.forEach(PropertyNameCheck::checkProperty);
        variables.forEach(PropertyNameCheck::checkVariable);
    }

    /** Checks the name of a system property: with the library's prefix it must be known. */
    public static void checkProperty(final String name)
    {
        if (name.startsWith(PROPERTY_PREFIX) && !name.startsWith(TEST_PREFIX) && !PROPERTIES.contains(name) &&
            !COMMAND_PROPERTIES.contains(name))
        {
            throw new IllegalArgumentException(
                "unknown property " + name + ": the nearest is " + nearest(name, PROPERTIES) +
                ", 'aeroshmem info --properties' lists all");
        }
    }

    private static void checkVariable(final String name)
    {
        if (name.startsWith(VARIABLE_PREFIX) && !VARIABLES.contains(name))
        {
            final List<String> near = VARIABLES.stream().filter((known) -> isMisspelt(name, known)).toList();
            if (!near.isEmpty())
            {
                throw new IllegalArgumentException(
                    "unknown environment variable " + name + ": the nearest is " + nearest(name, near) +
                    ", 'aeroshmem info --properties' lists all; unset " + name + " if it is not meant for AeroSHMEM");
            }
        }
    }

    private static boolean isMisspelt(final String name, final String known)
    {
        return distance(name, known) <= Math.min(MAX_EDITS, (known.length() - VARIABLE_PREFIX.length()) / 3);
    }

    private static String nearest(final String name, final List<String> known)
    {
        String nearest = known.get(0);
        int least = Integer.MAX_VALUE;
        for (final String each : known)
        {
            final int distance = distance(name, each);
            if (distance < least)
            {
                least = distance;
                nearest = each;
            }
        }

        return nearest;
    }

    /** Returns Levenshtein's distance: the number of characters to insert, delete or replace. Case does not count. */
    private static int distance(final String left, final String right)
    {
        final String a = left.toUpperCase(Locale.ROOT);
        final String b = right.toUpperCase(Locale.ROOT);
        int[] previous = new int[b.length() + 1];
        int[] current = new int[b.length() + 1];
        for (int j = 0; j <= b.length(); j++)
        {
            previous[j] = j;
        }

        for (int i = 1; i <= a.length(); i++)
        {
            current[0] = i;
            for (int j = 1; j <= b.length(); j++)
            {
                final int replaced = previous[j - 1] + (a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1);
                current[j] = Math.min(replaced, 1 + Math.min(previous[j], current[j - 1]));
            }

            final int[] swap = previous;
            previous = current;
            current = swap;
        }

        return previous[b.length()];
    }
}
