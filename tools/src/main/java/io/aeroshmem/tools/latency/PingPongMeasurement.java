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

import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * 8-byte put and wait, there and back, between PE 0 and its peer. Both time the round trip; the others do nothing.
 */
final class PingPongMeasurement extends Measurement
{
    private final SymmetricBuffer word;
    private final int echo;
    private long sequence;

    PingPongMeasurement(final Shmem shmem, final int peer, final SymmetricBuffer word)
    {
        super(shmem, peer);
        this.word = word;
        this.echo = 1 % shmem.nPes();
    }

    @Override
    long measure(final long[] samples, final int count)
    {
        final long start = System.nanoTime();
        if (0 == me)
        {
            ping(samples, count);
        }
        else if (echo == me)
        {
            pong(samples, count);
        }
        return System.nanoTime() - start;
    }

    private void ping(final long[] samples, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            sequence++;
            ctx.putLong(word, 0, sequence, echo);
            shmem.waitUntilLong(word, 0, Comparison.EQ, sequence);
            samples[i] = System.nanoTime() - begin;
        }
    }

    private void pong(final long[] samples, final int count)
    {
        for (int i = 0; i < count; i++)
        {
            final long begin = System.nanoTime();
            sequence++;
            shmem.waitUntilLong(word, 0, Comparison.EQ, sequence);
            ctx.putLong(word, 0, sequence, 0);
            samples[i] = System.nanoTime() - begin;
        }
    }
}
