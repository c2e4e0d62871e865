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
package io.aeroshmem;

import jdk.jfr.Recording;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.BiConsumer;

import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * A class loader that loaded the library, as that of a web application, is collected after its PEs are closed, although
 * the threads that called them, and a flight recording, go on.
 */
@Tag("jdk")
@Timeout(60)
@Tag("ci")
class ClassLoaderTest
{
    private static final long COLLECTION_NS = TimeUnit.SECONDS.toNanos(20);
    private static final int COUNT = 1_000;
    private static final long LATE_MS = 50;

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"MAPPED", "IPC", "UDP"})
    void shouldBeCollectedAfterClose(final TransportKind transport, @TempDir final Path folder) throws Exception
    {
        try (Recording recording = new Recording())
        {
            recording.enable("io.aeroshmem.Collective");
            recording.enable("io.aeroshmem.Wait");
            recording.start();
            final WeakReference<ClassLoader> loader = runInLoader(transport.name(), folder.toString());
            final long startNs = System.nanoTime();
            while (null != loader.get() && System.nanoTime() - startNs < COLLECTION_NS)
            {
                System.gc();
                Thread.sleep(1);
            }

            assertTrue(null == loader.get(), "the class loader is still reachable");
        }
    }

    private static WeakReference<ClassLoader> runInLoader(final String transport, final String folder) throws Exception
    {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : System.getProperty("java.class.path").split(":"))
        {
            urls.add(Path.of(entry).toUri().toURL());
        }

        try (URLClassLoader loader =
            new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader()))
        {
            final Object program = loader.loadClass(Program.class.getName()).getDeclaredConstructor().newInstance();
            @SuppressWarnings("unchecked")
            final BiConsumer<String, String> consumer = (BiConsumer<String, String>)program;
            consumer.accept(transport, folder);
            return new WeakReference<>(loader);
        }
    }

    /**
     * Uses what keeps state for each thread or for the process. The calling thread is one of the two PEs.
     */
    public static final class Program implements BiConsumer<String, String>
    {
        @Override
        public void accept(final String transport, final String folder)
        {
            final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
            final Shmem.Context config = LocalJobs.config()
                .transport(TransportKind.valueOf(transport)).latencyDirectoryName(folder).recordLatency(true);
            final Thread other = new Thread(() -> run(config.clone().bootstrap(bootstraps[1])));
            other.start();
            run(config.clone().bootstrap(bootstraps[0]));
            try
            {
                other.join();
            }
            catch (final InterruptedException ex)
            {
                throw new IllegalStateException(ex);
            }
        }

        private static void run(final Shmem.Context config)
        {
            try
            {
                Shmem.run(config, Program::use);
            }
            catch (final Exception ex)
            {
                throw new IllegalStateException(ex);
            }
        }

        private static void use(final Shmem shmem) throws InterruptedException
        {
            final SymmetricBuffer dest = shmem.calloc(COUNT, Long.BYTES);
            final SymmetricBuffer source = shmem.calloc(COUNT, Long.BYTES);
            final int peer = 1 - shmem.myPe();

            shmem.world().reduce(ReduceOp.SUM, ElementType.HALF, dest, source, COUNT);
            shmem.defaultContext().iget(dest, 0, source, 0, 2, 3, 20, Long.BYTES, peer);
            shmem.barrierAll();
            if (0 == shmem.myPe())
            {
                shmem.waitUntilLong(dest, 0, Comparison.EQ, COUNT);
            }
            else
            {
                Thread.sleep(LATE_MS);
                shmem.defaultContext().putLong(dest, 0, COUNT, peer);
            }

            shmem.barrierAll();
        }
    }
}
