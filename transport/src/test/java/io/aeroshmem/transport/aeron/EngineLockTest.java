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
package io.aeroshmem.transport.aeron;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
@Timeout(30)
class EngineLockTest
{
    private final EngineLock lock = new EngineLock();

    /** The holder may run an agent of the application, which takes any time. */
    @Test
    void shouldLeaveTheProcessorToALongHolder() throws Exception
    {
        assertTrue(lock.tryLock());
        final Thread waiting = new Thread(lock::retire);
        waiting.setDaemon(true);
        waiting.start();
        while (Thread.State.TIMED_WAITING != waiting.getState())
        {
            Thread.onSpinWait();
        }

        lock.unlock();
        waiting.join();
        assertFalse(lock.lock());
    }
}
