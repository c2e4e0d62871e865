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
package io.aeroshmem.tools.info;

import io.aeron.AeronVersion;
import io.aeroshmem.Info;
import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.launch.JvmCommand;

import java.io.IOException;
import java.io.InputStream;
import java.util.Map;
import java.util.Properties;
import java.util.TreeMap;

/**
 * Section of {@code aeroshmem info} on the build: the version and the commit of AeroSHMEM, the versions of the
 * OpenSHMEM specification, of the libraries that AeroSHMEM uses and of the JDK, and the JVM options that AeroSHMEM
 * requires.
 */
public final class BuildSection implements InfoSection
{
    private static final String BUILD = "build.properties";
    private static final String LIBRARIES = "libraries.properties";
    private static final String UNKNOWN = "unknown";

    private final Properties build = new Properties();
    private final Properties libraries = new Properties();

    /** Reads the facts. */
    public BuildSection() throws IOException
    {
        load(build, Info.class, BUILD);
        load(libraries, BuildSection.class, LIBRARIES);
    }

    private static void load(final Properties properties, final Class<?> type, final String resource)
        throws IOException
    {
        try (InputStream in = type.getResourceAsStream(resource))
        {
            properties.load(in);
        }
    }

    @Override
    public void print(final InfoText output)
    {
        line(output, "Version", Info.name());
        line(output, "Build", "commit " + built("commit") + " of " + built("date"));
        line(output, "Specification", "OpenSHMEM " + specification());
        libraries().forEach((name, version) -> line(output, name, version));
        line(output, "JDK", jdk());
        line(output, "JDK home", System.getProperty("java.home"));
        line(output, "JVM options", String.join(" ", JvmCommand.requiredOptions()));
    }

    @Override
    public Object facts()
    {
        return Json.object(
            "version", Info.name(),
            "commit", built("commit"),
            "commit_date", built("date"),
            "specification", specification(),
            "libraries", libraries(),
            "jdk", jdk(),
            "jdk_home", System.getProperty("java.home"),
            "jvm_options", JvmCommand.requiredOptions());
    }

    private static void line(final InfoText output, final String name, final String value)
    {
        output.line(name, value);
    }

    /** Returns a property that the build has filled in; "unknown" if it had no git repository. */
    private String built(final String property)
    {
        final String value = build.getProperty(property, "");
        return value.isBlank() || value.startsWith("$") ? UNKNOWN : value;
    }

    private static String specification()
    {
        return Info.specVersion().major() + "." + Info.specVersion().minor();
    }

    /** Returns the versions of the libraries, by name. */
    private Map<String, String> libraries()
    {
        final Map<String, String> versions = new TreeMap<>(String.CASE_INSENSITIVE_ORDER);
        versions.put("Aeron", AeronVersion.VERSION + " (" + AeronVersion.GIT_SHA + ")");
        libraries.forEach((name, version) -> versions.put(name.toString(), version.toString()));
        return versions;
    }

    private static String jdk()
    {
        return System.getProperty("java.vm.name") + " " + System.getProperty("java.runtime.version");
    }
}
