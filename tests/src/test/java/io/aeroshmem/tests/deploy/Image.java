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
package io.aeroshmem.tests.deploy;

import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tools.AeroShmemCommand;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * What <code>deploy/Dockerfile</code> adds to its base, made from the classes under test: a folder that other users can
 * read. The base is the file system of this machine.
 */
final class Image
{
    /** Where the folder is mounted in a container. */
    static final String HOME = "/opt/aeroshmem";

    /** Loaded classes, of class data sharing. */
    static final String ARCHIVE = HOME + "/lib/aeroshmem.jsa";

    private static final Path ROOT = Path.of(System.getProperty("user.dir")).resolve("..").normalize();

    private Image()
    {
    }

    /**
     * Returns the command of the image.
     */
    static List<String> entryPoint() throws IOException
    {
        final String prefix = "ENTRYPOINT [\"";
        final String line = Files.readAllLines(ROOT.resolve("deploy/Dockerfile")).stream()
            .filter((each) -> each.startsWith(prefix)).findFirst().orElseThrow();
        assertTrue(line.endsWith("\"]"), line);
        return List.of(line.substring(prefix.length(), line.length() - 2).split("\", *\""));
    }

    static String manifest(final String name) throws IOException
    {
        return Files.readString(ROOT.resolve("deploy/kubernetes").resolve(name));
    }

    static void make(final Path home) throws IOException
    {
        final Path lib = Files.createDirectories(home.resolve("lib"));
        final Path bin = Files.createDirectories(home.resolve("bin"));
        Files.copy(ROOT.resolve("distribution/src/main/bin/aeroshmem"), bin.resolve("aeroshmem"));
        final String[] entries = System.getProperty("java.class.path").split(File.pathSeparator);
        final List<Path> jars = ChildJvm.jars();
        final StringBuilder classPath = new StringBuilder();
        for (int i = 0; i < entries.length; i++)
        {
            final Path jar = jars.get(i);
            if (Files.exists(jar) && !Path.of(entries[i]).endsWith("test-classes"))
            {
                final String name = i + "-" + jar.getFileName();
                Files.copy(jar, lib.resolve(name));
                classPath.append(name).append(' ');
            }
        }

        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(Attributes.Name.MAIN_CLASS, AeroShmemCommand.class.getName());
        manifest.getMainAttributes().put(Attributes.Name.CLASS_PATH, classPath.toString().trim());
        try (OutputStream out = Files.newOutputStream(lib.resolve("aeroshmem.jar")))
        {
            new JarOutputStream(out, manifest).close();
        }

        permit(home);
        // a container adds the archive
        Files.setPosixFilePermissions(lib, PosixFilePermissions.fromString("rwxrwxrwx"));
    }

    private static void permit(final Path home) throws IOException
    {
        try (Stream<Path> files = Files.walk(home))
        {
            for (final Path file : files.toList())
            {
                Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        }
    }
}
