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
package io.aeroshmem;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The version of this library and of the specification that it follows. Available before any PE is initialised. */
public final class Info
{
    private static final String RESOURCE = "build.properties";
    private static final Version SPECIFICATION = new Version(1, 6, 0);
    private static final String BUILD = readBuildVersion();
    private static final Version VENDOR = parse(BUILD);

    private Info()
    {
    }

    /**
     * Returns the version of OpenSHMEM that the library follows: {@code shmem_info_get_version},
     * {@code nvshmem_info_get_version}.
     *
     * @return the version; its patch is 0.
     */
    public static Version specVersion()
    {
        return SPECIFICATION;
    }

    /**
     * Returns the version of this library: {@code nvshmemx_vendor_get_version_info}.
     *
     * @return the version.
     */
    public static Version vendorVersion()
    {
        return VENDOR;
    }

    /**
     * Returns the name of this library with its full version: {@code shmem_info_get_name},
     * {@code nvshmem_info_get_name}.
     *
     * @return such as {@code AeroSHMEM 1.2.3}.
     */
    public static String name()
    {
        return "AeroSHMEM " + BUILD;
    }

    static Version parse(final String version)
    {
        final Matcher matcher = Pattern.compile("(\\d+)\\.(\\d+)(?:\\.(\\d+))?(?:-.+)?").matcher(version);
        if (!matcher.matches())
        {
            throw new IllegalStateException(
                "version must be major.minor.patch: version=" + version + " (" + RESOURCE + ", built by Maven)");
        }

        final String patch = matcher.group(3);
        return new Version(
            Integer.parseInt(matcher.group(1)),
            Integer.parseInt(matcher.group(2)),
            null == patch ? 0 : Integer.parseInt(patch));
    }

    private static String readBuildVersion()
    {
        try (InputStream in = Info.class.getResourceAsStream(RESOURCE))
        {
            if (null == in)
            {
                throw new IllegalStateException(RESOURCE + " is missing beside " + Info.class.getName());
            }

            final Properties properties = new Properties();
            properties.load(in);
            return properties.getProperty("version", "");
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    /**
     * A version.
     *
     * @param major number.
     * @param minor number.
     * @param patch number.
     */
    public record Version(int major, int minor, int patch)
    {
        /**
         * Returns the version as text.
         *
         * @return such as {@code 1.6.0}.
         */
        @Override
        public String toString()
        {
            return major + "." + minor + "." + patch;
        }
    }
}
