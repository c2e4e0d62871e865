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
package io.aeroshmem.tests.init;

import io.aeroshmem.Info;
import io.aeroshmem.InitStatus;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.TestMemory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The library needs no device, and nothing of the modules above it.
 */
class HostOnlyTest
{
    /** Codecs, transport, core, and what they depend on. */
    private static final Pattern CORE = Pattern.compile(
        "(.*/)?((codecs|transport|shmem-core)/target/[^/]+" +
        "|(aeroshmem-(codecs|transport|core)|agrona|aeron-[a-z]+|HdrHistogram)-[^/]+\\.jar)");

    @Test
    void shouldInitAndCloseWithTheCoreAlone(@TempDir final Path folder) throws IOException
    {
        final String resource = Alone.class.getName().replace('.', '/') + ".class";
        final Path file = folder.resolve(resource);
        Files.createDirectories(file.getParent());
        try (InputStream in = HostOnlyTest.class.getClassLoader().getResourceAsStream(resource))
        {
            Files.copy(in, file);
        }

        final List<String> command = ChildJvm.briefCommand();
        final String classPath = Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter((entry) -> CORE.matcher(entry).matches())
            .collect(Collectors.joining(File.pathSeparator));
        command.set(command.indexOf("-cp") + 1, classPath + File.pathSeparator + folder);
        command.add("-Daeroshmem.shm.dir=" + TestMemory.root());
        command.add("-Daeroshmem.heap.size=1m");
        command.add(Alone.class.getName());
        final Process process = new ProcessBuilder(command).redirectErrorStream(true).start();
        final String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertEquals(0, process.onExit().join().exitValue(), output);
        assertEquals(Info.name() + " follows " + Info.specVersion() + "\n", output);
        assertTrue(TestMemory.jobs().isEmpty());
    }

    /**
     * A program that has the core and nothing else.
     */
    static final class Alone
    {
        private Alone()
        {
        }

        public static void main(final String[] args)
        {
            requireAbsent("io.aeroshmem.gpu.Gpu");
            requireAbsent("jcuda.driver.JCudaDriver");
            requireAbsent("io.aeroshmem.tools.AeroShmem");
            final Shmem shmem = Shmem.init();
            require(InitStatus.INITIALIZED == shmem.initStatus());
            final SymmetricBuffer word = shmem.calloc(1, 8);
            shmem.defaultContext().atomicIncLong(word, 0, 0);
            require(1 == word.getLong(0));
            require(1 == shmem.world().reduceLong(ReduceOp.SUM, 1));
            shmem.close();
            require(InitStatus.BOOTSTRAPPED == shmem.initStatus());
            System.out.println(Info.name() + " follows " + Info.specVersion());
        }

        private static void require(final boolean condition)
        {
            if (!condition)
            {
                throw new AssertionError();
            }
        }

        private static void requireAbsent(final String className)
        {
            try
            {
                Class.forName(className);
                throw new AssertionError(className + " is on the class path");
            }
            catch (final ClassNotFoundException ex)
            {
                require(ex.getMessage().contains(className));
            }
        }
    }

    @Test
    void shouldDescribeItself()
    {
        assertEquals(new Info.Version(1, 6, 0), Info.specVersion());
        assertTrue(Info.name().startsWith("AeroSHMEM " + Info.vendorVersion()), Info.name());
        assertTrue(Info.vendorVersion().major() >= 0);
    }
}
