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
 * The packages of the JDK that this library needs, and the JVM options that open them: {@code jdk.internal.misc} to
 * Agrona for every access to memory, {@code sun.nio.ch} to this module for heaps beyond 2 GiB. Where a library is on
 * the class path its module is the unnamed one, and the option names {@code ALL-UNNAMED}.
 * <p>
 * The check loads classes of Agrona but initialises none of them: {@link UnsafeApi} would throw an error that cannot
 * be taken back.
 */
public final class JdkPackages
{
    private static final String MEMORY = "jdk.internal.misc";
    private static final String MAPPING = "sun.nio.ch";

    private JdkPackages()
    {
    }

    /**
     * Why no PE can run in this JVM.
     *
     * @return a message with the options to copy, or null where Agrona has access to memory.
     */
    public static String problem()
    {
        final Module agrona = UnsafeApi.class.getModule();
        return Object.class.getModule().isExported(MEMORY, agrona) ? null :
            "package " + MEMORY + " of module java.base must be open to " +
            (agrona.isNamed() ? "module " + agrona.getName() : "the class path") +
            ": start this JVM with the options " + memoryOption() + ' ' + mappingOption();
    }

    /**
     * The option that lets Agrona access memory.
     *
     * @return such as {@code --add-opens java.base/jdk.internal.misc=ALL-UNNAMED}.
     */
    public static String memoryOption()
    {
        return option(MEMORY, UnsafeApi.class.getModule());
    }

    /**
     * The option that lets this library map heaps beyond 2 GiB.
     *
     * @return such as {@code --add-opens java.base/sun.nio.ch=ALL-UNNAMED}.
     */
    public static String mappingOption()
    {
        return option(MAPPING, JdkPackages.class.getModule());
    }

    private static String option(final String packageName, final Module module)
    {
        return "--add-opens java.base/" + packageName + '=' + (module.isNamed() ? module.getName() : "ALL-UNNAMED");
    }
}
