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
package io.aeroshmem.tools.launch;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Builder of the {@code java} command that starts a PE, or a node launcher on this host, with the JDK of the launcher
 * and the options that AeroSHMEM requires.
 */
public final class JvmCommand
{
    /**
     * The JVM options of a process that launches PEs, as the scripts pass them. It runs the media driver of the PEs,
     * too, while their compilers need the processors: its own optimising compiler is to leave out what runs only at the
     * start.
     */
    static final List<String> LAUNCHER_OPTIONS = List.of(
        "-XX:+IgnoreUnrecognizedVMOptions",
        "-XX:Tier4InvocationThreshold=50000",
        "-XX:Tier4MinInvocationThreshold=6000",
        "-XX:Tier4CompileThreshold=150000",
        "-XX:Tier4BackEdgeThreshold=400000");

    private static final int FIRST_JDK_WITH_NATIVE_ACCESS_WARNING = 24;

    private JvmCommand()
    {
    }

    /** Returns a new list with the command up to, and without, the user's options. */
    public static List<String> java()
    {
        final List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.addAll(requiredOptions());
        return command;
    }

    /**
     * Returns the JVM options that Agrona and heaps beyond 2 GiB require, and on JDK 24 and later those that prevent
     * warnings about native code and {@code sun.misc.Unsafe}.
     */
    public static List<String> requiredOptions()
    {
        final List<String> options = new ArrayList<>();
        options.add("--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED");
        options.add("--add-opens=java.base/sun.nio.ch=ALL-UNNAMED");
        if (Runtime.version().feature() >= FIRST_JDK_WITH_NATIVE_ACCESS_WARNING)
        {
            options.add("--enable-native-access=ALL-UNNAMED");
            options.add("--sun-misc-unsafe-memory-access=allow");
        }

        return options;
    }
}
