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

/** Formats the table of properties ({@link ShmemProperty}) as Markdown, for the documentation. */
public final class ConfigurationDocs
{
    private ConfigurationDocs()
    {
    }

    /** Returns the page: all properties, then the environment variables that a launcher sets for its PEs. */
    public static String markdown()
    {
        final StringBuilder page = new StringBuilder(8192);
        page.append("""
            # Configuration

            Each property is read as a Java system property, else as an environment variable, else it has its default. A
            setter of `Shmem.Context` or `Gpu.Context`, where there is one, overrides all three. This page is generated
            from `io.aeroshmem.config.ShmemProperty`.

            Properties marked *same* must have the same value on all PEs of a job; otherwise `init` fails and names the
            property. Those that begin with `aeroshmem.gpu` are compared when the devices are set up; then the set-up
            fails. The other properties may differ from PE to PE.

            | property | environment variable | default | allowed | on all PEs | meaning |
            |---|---|---|---|---|---|
            """);

        for (final ShmemProperty property : ShmemProperty.values())
        {
            page.append("| `").append(property.propertyName())
                .append("` | `").append(property.environmentName())
                .append("` | ").append(defaultOf(property))
                .append(" | ").append(property.allowed())
                .append(" | ").append(property.isCommon() ? "*same*" : "may differ")
                .append(" | ").append(property.description())
                .append(" |\n");
        }

        page.append("""

            Sizes are in bytes with an optional unit of `k`, `m`, `g` or `t`, powers of 1024 (`64k`, `64KB` and `64KiB`
            are the same). Durations have the unit `ns`, `us`, `ms`, `s`, `m` or `h`; without one they are nanoseconds.
            Values that are names, such as `auto`, are not case-sensitive.

            A system property that begins with `aeroshmem.` and is not in the table causes an IllegalArgumentException,
            except `aeroshmem.ssh`, an [option of the command](bootstraps/hosts.md). An environment variable causes one
            if its name is a misspelling of one in the table, such as `AEROSHMEM_HAEP_SIZE`.

            ## Set by the launcher

            `aeroshmem run` sets these for each PE that it starts. A program that is started without them, and not by
            [a scheduler](bootstraps/environment.md), is a job of one PE, unless it specifies a bootstrap.

            | environment variable | meaning |
            |---|---|
            """);
        launcherVariable(page, LauncherBootstrap.JOB_DIR_ENV, "directory of the job");
        launcherVariable(page, LauncherBootstrap.PE_ENV, "rank of this PE, from 0");
        launcherVariable(page, LauncherBootstrap.NPES_ENV, "number of PEs in the job");

        return page.toString();
    }

    private static void launcherVariable(final StringBuilder page, final String name, final String meaning)
    {
        page.append("| `").append(name).append("` | ").append(meaning).append(" |\n");
    }

    private static String defaultOf(final ShmemProperty property)
    {
        return property.type().isDefaultInWords() ? property.defaultText() : "`" + property.defaultText() + "`";
    }
}
