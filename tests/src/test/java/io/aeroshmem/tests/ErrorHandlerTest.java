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
package io.aeroshmem.tests;

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.IdleStrategy;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.YieldingIdleStrategy;
import org.agrona.concurrent.status.AtomicCounter;
import org.junit.jupiter.api.Test;

import java.nio.ByteBuffer;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The errors that the error handler receives because no call of the program can throw them.
 */
class ErrorHandlerTest
{
    @Test
    void shouldReportAndCountErrorsOfTheBackgroundThreadAndContinue() throws Exception
    {
        TestMemory.root();
        final IllegalStateException error = new IllegalStateException("an idle strategy that fails once");
        final AtomicBoolean isThrown = new AtomicBoolean();
        final AtomicInteger reported = new AtomicInteger();
        final AtomicCounter counter = new AtomicCounter(new UnsafeBuffer(ByteBuffer.allocateDirect(1024)), 0);
        final Shmem.Context config = new Shmem.Context()
            .transport(TransportKind.IPC)
            .heapSize(1 << 20)
            .idleStrategySupplier(() -> new Failing(isThrown, error))
            .errorCounter(counter)
            .errorHandler((throwable) ->
            {
                if (error == throwable)
                {
                    reported.incrementAndGet();
                }
            });
        Shmem.runLocal(2, config, (shmem) ->
        {
            final SymmetricBuffer word = shmem.calloc(1, 8);
            Pe.await(() -> 1 == reported.get(), "the error handler");
            assertEquals(0, shmem.defaultContext().atomicFetchIncLong(word, 0, 1 - shmem.myPe()));
            shmem.barrierAll();
        });
        assertEquals(1, reported.get());
        assertTrue(counter.get() >= 1, "counted");
        assertTrue(TestMemory.jobs().isEmpty());
    }

    /**
     * Throws when the first instance idles for the first time.
     */
    private static final class Failing implements IdleStrategy
    {
        private final IdleStrategy delegate = YieldingIdleStrategy.INSTANCE;
        private final AtomicBoolean isThrown;
        private final IllegalStateException error;

        Failing(final AtomicBoolean isThrown, final IllegalStateException error)
        {
            this.isThrown = isThrown;
            this.error = error;
        }

        @Override
        public void idle(final int workCount)
        {
            if (isThrown.compareAndSet(false, true))
            {
                throw error;
            }

            delegate.idle(workCount);
        }

        @Override
        public void idle()
        {
            idle(0);
        }

        @Override
        public void reset()
        {
            delegate.reset();
        }
    }
}
