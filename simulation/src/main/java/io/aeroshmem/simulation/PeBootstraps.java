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

import io.aeroshmem.Bootstrap;
import io.aeroshmem.transport.endpoint.PeBootstrap;
import io.aeroshmem.transport.job.RetainedHeaps;

import java.lang.reflect.Constructor;

/**
 * The bootstraps of PEs that enter their job in a way of their own. To the job, each has its JVM to itself; the JVM
 * continues after the job. The constructor that it calls is not part of the API.
 */
public final class PeBootstraps
{
    private PeBootstraps()
    {
    }

    /** Returns the bootstrap of a PE of a job that is not recoverable. */
    public static Bootstrap of(final PeBootstrap bootstrap)
    {
        return of(bootstrap, null);
    }

    /**
     * Returns the bootstrap of a PE.
     *
     * @param heaps of the job; null for one that is not recoverable.
     */
    public static Bootstrap of(final PeBootstrap bootstrap, final RetainedHeaps heaps)
    {
        try
        {
            final Constructor<Bootstrap> constructor =
                Bootstrap.class.getDeclaredConstructor(
                    PeBootstrap.class, boolean.class, boolean.class, RetainedHeaps.class);
            constructor.setAccessible(true);
            return constructor.newInstance(bootstrap, true, null != heaps, heaps);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new IllegalStateException(ex);
        }
    }
}
