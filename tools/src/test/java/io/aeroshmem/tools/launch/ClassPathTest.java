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

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.jar.JarOutputStream;
import java.util.zip.ZipEntry;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class ClassPathTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldPutTheProgramFirst()
    {
        final String own = ClassPath.withLauncher(null);

        assertEquals("mine.jar" + File.pathSeparator + own, ClassPath.withLauncher("mine.jar"));
    }

    @Test
    void shouldFindAClassInADirectory() throws IOException
    {
        Files.createDirectories(directory.resolve("a/b"));
        Files.write(directory.resolve("a/b/C.class"), new byte[0]);

        assertTrue(ClassPath.contains(directory.toString(), "a.b.C"));
        assertFalse(ClassPath.contains(directory.toString(), "a.b.D"));
    }

    @Test
    void shouldFindAClassInAJarAndInADirectoryOfJars() throws IOException
    {
        final Path jar = directory.resolve("program.jar");
        try (JarOutputStream output = new JarOutputStream(Files.newOutputStream(jar)))
        {
            output.putNextEntry(new ZipEntry("a/b/C.class"));
            output.closeEntry();
        }

        assertTrue(ClassPath.contains(jar.toString(), "a.b.C"));
        assertTrue(ClassPath.contains(directory + "/*", "a.b.C"));
        assertFalse(ClassPath.contains(directory.toString(), "a.b.C"));
    }

    @Test
    void shouldSkipMissingEntries() throws IOException
    {
        assertFalse(ClassPath.contains(directory.resolve("missing.jar") + ":/missing/*", "a.b.C"));
    }
}
