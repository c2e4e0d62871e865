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

import io.aeroshmem.Recovery;
import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import io.aeroshmem.bootstrap.LauncherBootstrap;
import io.aeroshmem.bootstrap.environment.EnvironmentBootstrap;
import io.aeroshmem.transport.job.SpareFile;

import java.io.InputStream;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Map;

/**
 * The process of a spare: a JVM that has loaded the library and the program's main class, and waits for the PE that it
 * is to run in place of one that was lost. Then it runs the program's {@code main}, in the environment of that PE.
 */
final class SparePe
{
    private static final long HEAP_SIZE = 1 << 16;

    private SparePe()
    {
    }

    /** Runs the class {@code args[0]} with the other arguments, once this process has a PE. */
    public static void main(final String[] args) throws Throwable
    {
        final Method main = Class.forName(args[0], false, SparePe.class.getClassLoader())
            .getMethod("main", String[].class);
        // that of a class which is not public
        main.setAccessible(true);
        final SpareFile file = SpareFile.open(Path.of(System.getenv(LauncherBootstrap.SPARE_ENV)));
        warmUp(file.path().getParent());
        if (!file.await(ProcessHandle.current().pid()))
        {
            return;
        }

        EnvironmentBootstrap.assume(Map.of(
            LauncherBootstrap.JOB_DIR_ENV, file.jobDirectory(),
            LauncherBootstrap.PE_ENV, Integer.toString(file.pe()),
            LauncherBootstrap.NPES_ENV, Integer.toString(file.nPes())));
        if (0 != file.pe())
        {
            System.setIn(InputStream.nullInputStream());
        }

        try
        {
            main.invoke(null, (Object)Arrays.copyOfRange(args, 1, args.length));
        }
        catch (final InvocationTargetException ex)
        {
            throw ex.getCause();
        }
    }

    /**
     * Loads what a PE needs until its task runs, by a small job within this JVM. Its files are in the directory of the
     * recoverable job, with which they are removed if this process is killed.
     */
    private static void warmUp(final Path directory) throws Exception
    {
        final Shmem.Context config = new Shmem.Context().recovery(Recovery.NONE).transport(TransportKind.MAPPED)
            .shmDirectoryName(directory.toString()).heapSize(HEAP_SIZE).aeronDirectoryName(null)
            .latencyDirectoryName(null).recordLatency(false);
        Shmem.runLocal(2, config, Shmem::barrierAll);
    }
}
