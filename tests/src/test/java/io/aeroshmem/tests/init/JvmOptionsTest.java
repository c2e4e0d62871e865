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

import io.aeron.Aeron;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.UniqueId;
import io.aeroshmem.tests.fixture.ChildJvm;
import io.aeroshmem.tests.fixture.Deadlines;
import org.agrona.DirectBuffer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * JVMs with and without the options that the library needs, on the class path and on the module path.
 */
@Tag("jdk")
class JvmOptionsTest
{
    private static final String CLASS_PATH_OPTIONS =
        "--add-opens java.base/jdk.internal.misc=ALL-UNNAMED --add-opens java.base/sun.nio.ch=ALL-UNNAMED";
    private static final String MODULE_PATH_OPTIONS =
        "--add-opens java.base/jdk.internal.misc=org.agrona --add-opens java.base/sun.nio.ch=io.aeroshmem.transport";
    private static final String ID = HexFormat.of().formatHex(UniqueId.create().toBytes());
    private static final long BEYOND_2_GIB = (1L << 31) + (1 << 20);

    @TempDir
    private Path root;

    @ParameterizedTest
    @EnumSource(ClosedJvm.Way.class)
    void shouldNameTheOptionsBeforeAnythingIsCreated(final ClosedJvm.Way way) throws Exception
    {
        final List<String> command = ChildJvm.commandWithoutOptions();
        command.addAll(List.of(ClosedJvm.class.getName(), way.name()));

        assertEquals(List.of(
            "refused: package jdk.internal.misc of module java.base must be open to the class path: start this JVM " +
            "with the options " + CLASS_PATH_OPTIONS,
            "threads: []"), output(command));
        assertEquals(List.of(), left());
    }

    @Test
    void shouldNameTheOptionsOfTheCommand() throws Exception
    {
        final List<String> command = ChildJvm.commandWithoutOptions();
        command.addAll(List.of(
            "io.aeroshmem.tools.AeroShmemCommand", "run", "-n", "1", "io.aeroshmem.samples.HelloPe"));

        assertEquals(List.of(
            "aeroshmem: package jdk.internal.misc of module java.base must be open to the class path: start this JVM " +
            "with the options " + CLASS_PATH_OPTIONS), output(command));
        assertEquals(List.of(), left());
    }

    @Test
    void shouldRunWithTheOptionsThatAreNamed() throws Exception
    {
        final List<String> command = ChildJvm.java();
        command.addAll(List.of(CLASS_PATH_OPTIONS.split(" ")));
        command.addAll(largeHeap());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.aeroshmem.samples.HelloPe"));

        assertEquals(List.of("PE 0 of 1: greeted by PE 0", "sum of all PE numbers: 0"), output(command));
        assertEquals(List.of(), left());
    }

    @Test
    void shouldNameTheOptionOfALargeHeapAndLeaveNothing() throws Exception
    {
        final List<String> command = ChildJvm.java();
        command.addAll(List.of(CLASS_PATH_OPTIONS.split(" ")).subList(0, 2));
        command.addAll(largeHeap());
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), "io.aeroshmem.samples.HelloPe"));

        final String output = String.join("\n", output(command));
        assertTrue(output.contains("--add-opens java.base/sun.nio.ch=ALL-UNNAMED"), output);
        assertEquals(List.of(), left());
    }

    @Test
    void shouldNameTheOptionsOfTheModulePath() throws Exception
    {
        final List<String> command = ChildJvm.java();
        command.addAll(modulePath());

        final List<String> output = output(command);
        assertTrue(output.get(0).endsWith(
            "package jdk.internal.misc of module java.base must be open to module org.agrona: start this JVM with " +
            "the options " + MODULE_PATH_OPTIONS), output::toString);
        assertEquals(List.of(), left());
    }

    @Test
    void shouldRunOnTheModulePathWithTheOptionsThatAreNamed() throws Exception
    {
        final List<String> command = ChildJvm.java();
        command.addAll(List.of(MODULE_PATH_OPTIONS.split(" ")));
        command.addAll(largeHeap());
        command.addAll(modulePath());

        assertEquals(List.of("PE 0 of 1: greeted by PE 0", "sum of all PE numbers: 0"), output(command));
        assertEquals(List.of(), left());
    }

    @ParameterizedTest
    @EnumSource(ClosedJvm.Way.class)
    @Tag("ci")
    void shouldNameAnAgronaThatIsTooOldBeforeAnythingIsCreated(final ClosedJvm.Way way) throws Exception
    {
        shouldNameALibraryThatIsTooOld(way, DirectBuffer.class);
    }

    @Test
    void shouldNameAnAeronThatIsTooOld() throws Exception
    {
        shouldNameALibraryThatIsTooOld(ClosedJvm.Way.INIT, Aeron.class);
        shouldNameALibraryThatIsTooOld(ClosedJvm.Way.INIT, MediaDriver.class);
    }

    private void shouldNameALibraryThatIsTooOld(final ClosedJvm.Way way, final Class<?> type) throws Exception
    {
        final Package library = type.getPackage();
        final Path jar = oldJar(type);
        final List<String> command = ChildJvm.java();
        command.addAll(List.of(CLASS_PATH_OPTIONS.split(" ")));
        command.addAll(List.of(
            "-cp", jar + ":" + System.getProperty("java.class.path"), ClosedJvm.class.getName(), way.name()));

        assertEquals(List.of(
            "refused: " + library.getImplementationTitle() + " must have version " +
            library.getImplementationVersion() + " or later: version 0.9.12 is in " + jar,
            "threads: []"), output(command));
        assertEquals(List.of(), left());
    }

    /** Returns the jar of a class, with the manifest of an old version. */
    private Path oldJar(final Class<?> type) throws Exception
    {
        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(
            Attributes.Name.IMPLEMENTATION_TITLE, type.getPackage().getImplementationTitle());
        manifest.getMainAttributes().put(Attributes.Name.IMPLEMENTATION_VERSION, "0.9.12");
        final Path jar = root.resolve("old.jar");
        try (JarFile current = new JarFile(Path.of(
            type.getProtectionDomain().getCodeSource().getLocation().toURI()).toFile());
            OutputStream file = Files.newOutputStream(jar);
            JarOutputStream output = new JarOutputStream(file, manifest))
        {
            for (final JarEntry entry : current.stream().toList())
            {
                if (entry.getName().endsWith(".class"))
                {
                    output.putNextEntry(new JarEntry(entry.getName()));
                    current.getInputStream(entry).transferTo(output);
                }
            }
        }

        return jar;
    }

    private static List<String> largeHeap()
    {
        return List.of("-Daeroshmem.heap.size=" + BEYOND_2_GIB, "-Daeroshmem.heap.sparse=true");
    }

    private List<String> output(final List<String> command) throws Exception
    {
        final ProcessBuilder builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("AEROSHMEM_SHM_DIR", shm().toString());
        builder.environment().put("ID", ID);
        final Process process = builder.start();
        try
        {
            process.getOutputStream().close();
            final List<String> lines = process.inputReader().lines().toList();
            assertTrue(process.waitFor(Deadlines.WAIT_S, TimeUnit.SECONDS));
            return lines;
        }
        finally
        {
            process.destroyForcibly();
        }
    }

    private Path shm() throws IOException
    {
        return Files.createDirectories(root.resolve("shm"));
    }

    private List<Path> left() throws IOException
    {
        try (Stream<Path> files = Files.walk(shm()))
        {
            return files.filter(Files::isRegularFile).toList();
        }
    }

    /**
     * The sample on the module path. Modules that Maven has not packaged yet are packaged here, with the manifest that
     * Maven writes.
     */
    private List<String> modulePath() throws IOException
    {
        final List<String> jars = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(":"))
        {
            final Path path = Path.of(entry);
            if (path.endsWith("target/classes") && Files.isDirectory(path))
            {
                jars.add(jar(path).toString());
            }
            else if (Files.isRegularFile(path) && path.toString().matches(
                ".*/(aeroshmem-[a-z]+|agrona|aeron-[a-z]+|HdrHistogram|picocli)-[^/]*[.]jar"))
            {
                jars.add(path.toString());
            }
        }

        return List.of("-p", String.join(":", jars), "-m", "io.aeroshmem.samples/io.aeroshmem.samples.HelloPe");
    }

    private Path jar(final Path classes) throws IOException
    {
        final Path module = classes.getParent().getParent();
        final Matcher name = Pattern.compile("<module[.]name>(.*)</module[.]name>")
            .matcher(Files.readString(module.resolve("pom.xml")));
        assertTrue(name.find(), module::toString);

        final Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        manifest.getMainAttributes().put(new Attributes.Name("Automatic-Module-Name"), name.group(1));
        final Path jar = root.resolve(module.getFileName() + ".jar");
        try (OutputStream file = Files.newOutputStream(jar);
            JarOutputStream output = new JarOutputStream(file, manifest);
            Stream<Path> files = Files.walk(classes))
        {
            for (final Path source : files.filter(Files::isRegularFile).toArray(Path[]::new))
            {
                output.putNextEntry(new JarEntry(classes.relativize(source).toString()));
                Files.copy(source, output);
            }
        }

        return jar;
    }
}
