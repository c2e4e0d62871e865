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

import org.agrona.UnsafeApi;

/**
 * JDK packages that the library accesses, and the JVM options that open them:
 * <ul>
 * <li>{@code jdk.internal.misc}, opened to Agrona, for every memory access;</li>
 * <li>{@code sun.nio.ch}, opened to this module, for heaps beyond 2 GiB.</li>
 * </ul>
 * If Agrona or this library is on the class path, it has no module name, and the option names {@code ALL-UNNAMED}.
 * <p>
 * {@link #problem()} loads classes of Agrona but initialises none of them. Without the option for
 * {@code jdk.internal.misc}, the initialisation of {@link UnsafeApi} throws an error, and from then on the JVM cannot
 * use that class.
 */
public final class JdkPackages
{
    private static final String MEMORY = "jdk.internal.misc";
    private static final String MAPPING = "sun.nio.ch";

    private JdkPackages()
    {
    }

    /**
     * Returns why no PE can run in this JVM, or null: Agrona or Aeron are too old, or the options to copy are missing,
     * without which Agrona cannot access memory.
     */
    public static String problem()
    {
        final String tooOld = Libraries.problem();
        return null == tooOld ? closedPackage() : tooOld;
    }

    private static String closedPackage()
    {
        final Module agrona = UnsafeApi.class.getModule();
        return Object.class.getModule().isExported(MEMORY, agrona) ? null :
            "package " + MEMORY + " of module java.base must be open to " +
            (agrona.isNamed() ? "module " + agrona.getName() : "the class path") +
            ": start this JVM with the options " + memoryOption() + ' ' + mappingOption();
    }

    /** Returns the option that lets Agrona access memory. */
    public static String memoryOption()
    {
        return option(MEMORY, UnsafeApi.class.getModule());
    }

    /** Returns the option that lets this library map heaps beyond 2 GiB. */
    public static String mappingOption()
    {
        return option(MAPPING, JdkPackages.class.getModule());
    }

    private static String option(final String packageName, final Module module)
    {
        return "--add-opens java.base/" + packageName + '=' + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
}
