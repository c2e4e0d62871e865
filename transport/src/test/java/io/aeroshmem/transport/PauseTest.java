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
package io.aeroshmem.transport;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(60)
class PauseTest
{
    private int polls;

    @Test
    void shouldReturnAsSoonAsTheConditionHolds()
    {
        assertTrue(Pause.SYSTEM.await(this, () -> 3 == ++polls, TimeUnit.HOURS.toNanos(1)));
        assertTrue(Pause.SYSTEM.await(this, () -> true, 0));
    }

    @Test
    void shouldGiveUpAfterTheTimeout()
    {
        final long startNs = System.nanoTime();
        assertFalse(Pause.SYSTEM.await(this, () -> false, TimeUnit.MILLISECONDS.toNanos(20)));
        assertTrue(System.nanoTime() - startNs >= TimeUnit.MILLISECONDS.toNanos(20));
    }

    @Test
    void shouldNeitherEndNorSpinWhenItIsInterrupted()
    {
        Thread.currentThread().interrupt();
        Pause.SYSTEM.await(this, () -> ++polls < 0, TimeUnit.MILLISECONDS.toNanos(100));

        assertTrue(Thread.interrupted(), "the flag is kept");
        assertTrue(polls > 1 && polls < 1_000, () -> polls + " polls");
    }
}
