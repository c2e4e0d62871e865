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
package io.aeroshmem.bootstrap;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.simulation.PeBootstraps;

import java.nio.file.Path;

/**
 * The bootstraps of PEs of several jobs in one JVM, successive or concurrent, each as if a launcher had started it:
 * arguments replace the launcher's environment variables.
 */
public final class DirectoryBootstraps
{
    private DirectoryBootstraps()
    {
    }

    /**
     * A PE that has its JVM to itself from the job's point of view; the JVM continues after the job.
     */
    public static Bootstrap of(final Path directory, final int pe, final int nPes)
    {
        return PeBootstraps.of(new LauncherBootstrap(directory, pe, nPes));
    }
}
