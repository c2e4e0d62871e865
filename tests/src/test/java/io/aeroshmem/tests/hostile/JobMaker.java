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
package io.aeroshmem.tests.hostile;

import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.heap.Segment;
import io.aeroshmem.transport.job.JobDirectory;

import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * Main class of a process that creates and removes jobs in a loop, to be killed at any step. Its arguments
 * are the root, and whether a media driver is part of each job.
 */
final class JobMaker
{
    private static final int PES = 3;
    private static final long HEAP = 64 << 10;

    private JobMaker()
    {
    }

    public static void main(final String[] args)
    {
        final Path root = Path.of(args[0]);
        final boolean isDriven = Boolean.parseBoolean(args[1]);
        // class loading takes the most time
        JobDirectory.create(root, PES).delete();
        System.out.println("ready");
        while (true)
        {
            try (JobDirectory job = JobDirectory.create(root, PES))
            {
                job.lockProcess("pe-0");
                for (int pe = 0; pe < PES; pe++)
                {
                    Segment.create(job.heapFile(pe), HEAP, false).close();
                }

                if (isDriven)
                {
                    EmbeddedDriver.launch(EmbeddedDriver.context(TimeUnit.SECONDS.toNanos(10))
                        .aeronDirectoryName(job.aeronDirectory().toString())
                        .dirDeleteOnShutdown(false)).close();
                }

                job.delete();
            }
        }
    }
}
