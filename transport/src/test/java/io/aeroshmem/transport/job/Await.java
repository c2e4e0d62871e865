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
package io.aeroshmem.transport.job;

import java.util.concurrent.Callable;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;

/**
 * Waits for a condition, never longer than a deadline.
 */
public final class Await
{
    private static final long TIMEOUT_NS = TimeUnit.SECONDS.toNanos(30);

    private Await()
    {
    }

    /**
     * Waits for a condition.
     *
     * @param condition to become true.
     * @param otherwise message if it does not.
     * @throws Exception the condition throws.
     */
    public static void until(final Callable<Boolean> condition, final Supplier<String> otherwise) throws Exception
    {
        final long deadlineNs = System.nanoTime() + TIMEOUT_NS;
        while (!condition.call())
        {
            if (System.nanoTime() - deadlineNs >= 0)
            {
                throw new AssertionError("timed out: " + otherwise.get());
            }

            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
        }
    }
}
