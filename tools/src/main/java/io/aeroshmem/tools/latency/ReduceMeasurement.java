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
package io.aeroshmem.tools.latency;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Sum over all PEs, whose result is on every PE.
 */
final class ReduceMeasurement extends CollectiveMeasurement
{
    ReduceMeasurement(
        final Shmem shmem,
        final int peer,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final ElementType type,
        final long nelems)
    {
        super(shmem, peer, dest, source, type, nelems);
    }

    @Override
    long measure(final long[] samples, final int count)
    {
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            world.reduce(ReduceOp.SUM, type, dest, source, nelems);
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }
}
