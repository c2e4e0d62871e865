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

import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Class path of the PEs: the user's entries, followed by the entries of the launcher. So a user need not specify the
 * jars of AeroSHMEM and of the samples, but may specify other versions of these jars.
 */
final class ClassPath
{
    private ClassPath()
    {
    }

    /** Returns the user's class path, which may be null, followed by that of the launcher. */
    static String withLauncher(final String userClassPath)
    {
        final StringBuilder builder = new StringBuilder();
        if (null != userClassPath && !userClassPath.isEmpty())
        {
            builder.append(userClassPath);
        }

        for (final String entry : System.getProperty("java.class.path").split(File.pathSeparator))
        {
            builder.append(builder.length() == 0 ? "" : File.pathSeparator).append(Path.of(entry).toAbsolutePath());
        }

        return builder.toString();
    }

    /** Returns the class path with absolute entries; null for none. */
    static String absolute(final String classPath)
    {
        return null == classPath || classPath.isEmpty() ? null :
            Arrays.stream(classPath.split(File.pathSeparator))
                .map((entry) -> new File(entry).getAbsolutePath())
                .collect(Collectors.joining(File.pathSeparator));
    }

    /**
     * Returns whether a class is on the class path or in the JDK's own modules, without loading it. As in the
     * {@code java} command, {@code dir/*} stands for the jars of a directory.
     */
    static boolean contains(final String classPath, final String className) throws IOException
    {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : classPath.split(File.pathSeparator))
        {
            if ("*".equals(entry) || entry.endsWith("/*"))
            {
                addJars(Path.of(entry.substring(0, entry.length() - 1)), urls);
            }
            else
            {
                urls.add(Path.of(entry).toUri().toURL());
            }
        }

        final URL[] locations = urls.toArray(new URL[0]);
        try (URLClassLoader loader = new URLClassLoader(locations, ClassLoader.getPlatformClassLoader()))
        {
            return null != loader.getResource(className.replace('.', '/') + ".class");
        }
    }

    private static void addJars(final Path directory, final List<URL> urls) throws IOException
    {
        if (Files.isDirectory(directory))
        {
            try (DirectoryStream<Path> jars = Files.newDirectoryStream(directory, "*.{jar,JAR}"))
            {
                for (final Path jar : jars)
                {
                    urls.add(jar.toUri().toURL());
                }
            }
        }
    }
}
