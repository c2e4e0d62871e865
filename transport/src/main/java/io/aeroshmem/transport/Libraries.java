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
package io.aeroshmem.transport;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.module.ModuleDescriptor;
import java.security.CodeSource;
import java.util.Properties;

/**
 * The versions of Agrona and Aeron that this JVM has. A program may bring older ones, which lack methods that are
 * called here. An older version is one before that with which this library was compiled.
 * <p>
 * Classes are loaded but not initialised. A library without a version, as in a jar that contains everything, is
 * accepted.
 */
final class Libraries
{
    private static final String REQUIRED = "libraries.properties";

    private Libraries()
    {
    }

    /** Returns which library is too old, or null. */
    static String problem()
    {
        final Properties required = required();
        final String agrona = required.getProperty("agrona");
        final String aeron = required.getProperty("aeron");
        // classes that every version has
        final String[] problems = {
            problem("Agrona", "org.agrona.DirectBuffer", agrona),
            problem("Aeron", "io.aeron.Aeron", aeron),
            problem("Aeron", "io.aeron.driver.MediaDriver", aeron)};
        for (final String problem : problems)
        {
            if (null != problem)
            {
                return problem;
            }
        }

        return null;
    }

    private static Properties required()
    {
        final Properties properties = new Properties();
        try (InputStream in = Libraries.class.getResourceAsStream(REQUIRED))
        {
            if (null == in)
            {
                throw new TransportException(
                    REQUIRED + " of this library cannot be read: its jar lacks that file, or " +
                    "the process has too many open files");
            }

            properties.load(in);
            return properties;
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static String problem(final String library, final String className, final String required)
    {
        try
        {
            final Class<?> type = Class.forName(className, false, Libraries.class.getClassLoader());
            final String found = version(library, type);
            return null == found || !isOlder(found, required) ? null :
                library + " must have version " + required + " or later: version " + found + " is in " + place(type);
        }
        catch (final ClassNotFoundException ex)
        {
            return null; // the call that needs it names it
        }
    }

    /** Returns the version in the manifest, or on the module path that of the module; null if there is none. */
    private static String version(final String library, final Class<?> type)
    {
        final Module module = type.getModule();
        if (module.isNamed())
        {
            return module.getName().contains(library.toLowerCase()) ?
                module.getDescriptor().rawVersion().orElse(null) : null;
        }

        final Package declaring = type.getPackage();
        return library.equals(declaring.getImplementationTitle()) ? declaring.getImplementationVersion() : null;
    }

    static boolean isOlder(final String found, final String required)
    {
        try
        {
            return ModuleDescriptor.Version.parse(found).compareTo(ModuleDescriptor.Version.parse(required)) < 0;
        }
        catch (final IllegalArgumentException ex)
        {
            return false; // not a version of a release
        }
    }

    private static String place(final Class<?> type)
    {
        final CodeSource source = type.getProtectionDomain().getCodeSource();
        return null == source ? "the program" : source.getLocation().getPath();
    }
}
