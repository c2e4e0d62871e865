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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * Put and quiet.
 */
final class PutMeasurement extends Measurement
{
    private final SymmetricBuffer dest;
    private final SymmetricBuffer source;
    private final long bytes;

    PutMeasurement(
        final Shmem shmem,
        final int peer,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final long bytes)
    {
        super(shmem, peer);
        this.dest = dest;
        this.source = source;
        this.bytes = bytes;
    }

    @Override
    long measure(final long[] samples, final int count)
    {
        final long start = System.nanoTime();
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            ctx.put(dest, 0, source, 0, bytes, peer);
            ctx.quiet();
            samples[i] = System.nanoTime() - begin;
        }
        return System.nanoTime() - start;
    }
}
