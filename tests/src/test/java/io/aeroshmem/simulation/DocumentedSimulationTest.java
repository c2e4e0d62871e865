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
package io.aeroshmem.simulation;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import javax.tools.JavaCompiler;
import javax.tools.JavaFileObject;
import javax.tools.StandardJavaFileManager;
import javax.tools.ToolProvider;
import java.lang.reflect.Constructor;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

import static org.junit.jupiter.api.Assertions.assertInstanceOf;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The examples of docs/simulation.md, as they are, and the first with the mistakes that the page names. */
@Timeout(120)
class DocumentedSimulationTest
{
    private static final Path PAGE = Path.of("../docs/simulation.md");
    private static final String ORDER = "OrderTest";
    private static final String STEPS = "StepsTest";

    @TempDir
    Path directory;

    @Test
    @Tag("ci")
    void shouldPassAsTheyAre() throws Exception
    {
        for (final String test : List.of("HandOverARecord", "PublishARecord", "WakeUp", "Move"))
        {
            assertNull(failure(ORDER, text(ORDER), test), test);
        }

        assertNull(failure(STEPS, text(STEPS), "GoOnAtTheSameStep"));
    }

    @Test
    void shouldFindAMissingFence() throws Exception
    {
        assertFound("HandOverARecord", "puts.fence();", "", "the record is not there");
    }

    @Test
    void shouldFindAMissingQuiet() throws Exception
    {
        assertFound("PublishARecord", "puts.quiet();", "", "the record is not there");
        assertFound("PublishARecord", "puts.quiet();", "puts.fence();", "the record is not there");
    }

    @Test
    void shouldFindALostWakeUp() throws Exception
    {
        assertFound(
            "WakeUp",
            "atomicAddLong(awake, 0, 1, 0)",
            "putLong(awake, 0, 1 + shmem.defaultContext().getLong(awake, 0, 0), 0)",
            "all PEs wait for each other");
    }

    @Test
    void shouldFindADeadlockOfTwoLocks() throws Exception
    {
        assertFound("Move", "first = 0;", "first = 0 == shmem.myPe() ? 0 : Long.BYTES;", "all PEs wait for each other");
    }

    private void assertFound(final String test, final String line, final String mistake, final String what)
        throws Exception
    {
        final String text = AlteredLibrary.replaceOnce(PAGE.toString(), text(ORDER), line, mistake);
        final Throwable failure = failure(ORDER, text, test);
        assertInstanceOf(SimulationFailure.class, failure, test);
        assertTrue(failure.getMessage().contains(what), failure.getMessage());
    }

    /** Returns the text of the class of this name on the page. */
    private static String text(final String name)
    {
        final Matcher block = Pattern.compile("(?s)```java\n(.*?)```").matcher(AlteredLibrary.read(PAGE));
        while (block.find())
        {
            if (block.group(1).contains("class " + name))
            {
                return block.group(1);
            }
        }

        throw new AssertionError(PAGE + " has no " + name);
    }

    /** Returns what a test of a source file throws, or null. */
    private Throwable failure(final String name, final String text, final String test) throws Exception
    {
        final Path classes = Files.createTempDirectory(directory, "classes");
        final Path source = Files.writeString(classes.resolve(name + JavaFileObject.Kind.SOURCE.extension), text);
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        try (StandardJavaFileManager files = compiler.getStandardFileManager(null, null, null))
        {
            assertTrue(compiler.getTask(
                null,
                files,
                null,
                List.of("-d", classes.toString(), "-cp", System.getProperty("java.class.path"), "-proc:none"),
                null,
                files.getJavaFileObjects(source)).call());
        }

        try (URLClassLoader loader = new URLClassLoader(new URL[] {classes.toUri().toURL()}))
        {
            final Constructor<?> constructor = loader.loadClass(name).getDeclaredConstructor();
            constructor.setAccessible(true);
            final Method method = constructor.getDeclaringClass().getDeclaredMethod("should" + test);
            method.setAccessible(true);
            method.invoke(constructor.newInstance());
            return null;
        }
        catch (final InvocationTargetException ex)
        {
            return ex.getCause();
        }
    }
}
