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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.JobDirectory;

import java.util.Map;
import java.util.concurrent.TimeUnit;

/** Settings of PEs that map each other's heaps. */
public final class TestSettings
{
    private TestSettings()
    {
    }

    public static EndpointContext context(final long heapSize)
    {
        return context(heapSize, Map.of());
    }

    static EndpointContext context(final long heapSize, final Map<String, String> attributes)
    {
        return new EndpointContext(new EndpointSettings(
            JobDirectory.defaultRoot(),
            null,
            heapSize,
            false,
            TransportMode.MAPPED,
            false,
            true,
            null,
            null,
            Threads::newDaemon,
            null,
            false,
            null,
            null,
            null,
            0,
            null,
            8192,
            1 << 20,
            null,
            TimeUnit.SECONDS.toNanos(60),
            TimeUnit.SECONDS.toNanos(10),
            0,
            false,
            0,
            attributes));
    }
}
