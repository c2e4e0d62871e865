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
package io.aeroshmem.transport.aeron;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import javax.tools.JavaCompiler;
import javax.tools.ToolProvider;
import java.io.IOException;
import java.io.InputStream;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Plants each {@link PlantedMessageError} into the sources of the message engine, and counts the seeds of
 * {@link MessageSeeds} that find it.
 */
@Tag("ci")
@Timeout(value = 300, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class PlantedMessageErrorsTest
{
    private static final String PACKAGE = PlantedMessageErrorsTest.class.getPackageName() + '.';
    private static final Path SOURCES = Path.of("../transport/src/main/java", PACKAGE.replace('.', '/'));
    /** In a nightly run the median of some searches shows how hard an error is to find. */
    private static final int SEARCHES = Integer.getInteger("aeroshmem.test.volume", 1) > 1 ? 5 : 1;
    private static final int LIMIT = 2_000;

    @TempDir
    private Path root;

    @ParameterizedTest
    @EnumSource
    void shouldFindThePlantedError(final PlantedMessageError error) throws Exception
    {
        final Path classes = Files.createDirectory(root.resolve("classes"));
        compile(error, classes);
        final Method search = new EngineLoader(classes).loadClass(MessageSeeds.class.getName())
            .getDeclaredMethod("search", Path.class, long.class, int.class);
        search.setAccessible(true);

        final long first = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFL);
        final int[] seeds = new int[SEARCHES];
        for (int i = 0; i < SEARCHES; i++)
        {
            seeds[i] = (int)search.invoke(null, root, first + (long)i * LIMIT, LIMIT);
        }
        Arrays.sort(seeds);
        System.out.println(error + ": seeds " + Arrays.toString(seeds) + "; -Daeroshmem.test.seed=" + first);
        assertTrue(seeds[0] <= LIMIT, () -> error + " was not found");
    }

    private void compile(final PlantedMessageError error, final Path classes) throws IOException
    {
        final Path changed = Files.createDirectory(root.resolve("changed"));
        for (final String name : error.files())
        {
            Files.writeString(changed.resolve(name), error.plant(name, Files.readString(SOURCES.resolve(name))));
        }
        final JavaCompiler compiler = ToolProvider.getSystemJavaCompiler();
        final List<String> arguments = new ArrayList<>(List.of(
            "-nowarn", "-proc:none", "-cp", System.getProperty("java.class.path"), "-d", classes.toString()));
        error.files().forEach((name) -> arguments.add(changed.resolve(name).toString()));
        assertEquals(0, compiler.run(null, null, null, arguments.toArray(new String[0])));
    }

    /** Loads the package of the engine anew: the changed classes, and all others as they are. */
    private static final class EngineLoader extends ClassLoader
    {
        private final Path changed;

        EngineLoader(final Path changed)
        {
            super(PlantedMessageErrorsTest.class.getClassLoader());
            this.changed = changed;
        }

        @Override
        protected Class<?> loadClass(final String name, final boolean isResolved) throws ClassNotFoundException
        {
            if (!name.startsWith(PACKAGE))
            {
                return super.loadClass(name, isResolved);
            }

            synchronized (getClassLoadingLock(name))
            {
                final Class<?> loaded = findLoadedClass(name);
                return null == loaded ? define(name) : loaded;
            }
        }

        private Class<?> define(final String name) throws ClassNotFoundException
        {
            final String file = name.replace('.', '/') + ".class";
            final Path path = changed.resolve(file);
            try (InputStream in = Files.exists(path) ? Files.newInputStream(path) : getResourceAsStream(file))
            {
                if (null == in)
                {
                    throw new ClassNotFoundException(name);
                }
                final byte[] bytes = in.readAllBytes();
                return defineClass(name, bytes, 0, bytes.length);
            }
            catch (final IOException ex)
            {
                throw new ClassNotFoundException(name, ex);
            }
        }
    }
}
