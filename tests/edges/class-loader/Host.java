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

import jdk.jfr.Recording;

import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * Loads the library and {@code Work} in a class loader of their own, runs {@code Work} on this thread, which lives on,
 * and checks that the loader is collected. Arguments: the class path of that loader, then the modes of {@code Work}.
 */
public final class Host
{
    private static final int ATTEMPTS = 50;
    private static final long PAUSE_MS = 100;

    private Host()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        for (int i = 1; i < args.length; i++)
        {
            final WeakReference<ClassLoader> loader = runRecorded(args[0], args[i]);
            for (int attempt = 0; attempt < ATTEMPTS && null != loader.get(); attempt++)
            {
                System.gc();
                Thread.sleep(PAUSE_MS);
            }

            if (null != loader.get())
            {
                System.out.println("the class loader of " + args[i] + " is not collected; threads: " +
                    Thread.getAllStackTraces().keySet());
                System.exit(1);
            }

            System.out.println(args[i] + ": the class loader was collected");
        }
    }

    private static WeakReference<ClassLoader> runRecorded(final String classPath, final String mode) throws Exception
    {
        try (Recording recording = new Recording())
        {
            recording.enable("io.aeroshmem.Collective").withoutThreshold();
            recording.enable("io.aeroshmem.Wait").withoutThreshold();
            recording.start();
            return run(classPath, mode);
        }
    }

    private static WeakReference<ClassLoader> run(final String classPath, final String mode) throws Exception
    {
        final List<URL> urls = new ArrayList<>();
        for (final String entry : classPath.split(":"))
        {
            urls.add(Path.of(entry).toUri().toURL());
        }

        final Thread thread = Thread.currentThread();
        final ClassLoader context = thread.getContextClassLoader();
        final URLClassLoader loader =
            new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
        thread.setContextClassLoader(loader);
        try
        {
            loader.loadClass("Work").getMethod("run", String.class).invoke(null, mode);
        }
        finally
        {
            thread.setContextClassLoader(context);
            loader.close();
        }

        return new WeakReference<>(loader);
    }
}
