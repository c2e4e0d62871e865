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
package io.aeroshmem.tests.fault;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The state of one PE in a situation. The thread that runs the PE owns it; others poll {@link
 * #loops()} and {@link #isReady()}, and release it.
 */
final class Scene
{
    private static final long PAUSE_NS = TimeUnit.MILLISECONDS.toNanos(3);

    final Shmem shmem;
    final int idlePe;
    final long seed;
    final SymmetricBuffer buffer;
    long signals;
    private final Runnable onReady;
    private final CountDownLatch go;
    private volatile boolean isReady;
    private volatile long loops;

    Scene(
        final Shmem shmem, final int idlePe, final long seed, final CountDownLatch go, final Runnable onReady)
    {
        this.shmem = shmem;
        this.idlePe = idlePe;
        this.seed = seed;
        this.go = go;
        this.onReady = onReady;
        buffer = shmem.calloc(64, Long.BYTES);
        shmem.barrierAll();
    }

    boolean isIdle()
    {
        return idlePe == shmem.myPe();
    }

    /**
     * Keeps the idle PE outside the library until it is released.
     */
    void hold()
    {
        ready();
        if (isIdle())
        {
            try
            {
                go.await();
            }
            catch (final InterruptedException ex)
            {
                throw new IllegalStateException(ex);
            }
        }
    }

    void ready()
    {
        isReady = true;
        onReady.run();
    }

    boolean isReady()
    {
        return isReady;
    }

    /**
     * Counts a round of a loop of short calls, and yields the processor.
     */
    void loop()
    {
        loops++;
        LockSupport.parkNanos(PAUSE_NS);
    }

    long loops()
    {
        return loops;
    }

    void check(final long expected, final long actual)
    {
        if (expected != actual)
        {
            throw new AssertionError("expected " + expected + ", but was " + actual);
        }
    }
}
