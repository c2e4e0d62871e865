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

import io.aeroshmem.transport.Fields;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.util.concurrent.locks.LockSupport;

/**
 * Lock of a {@link ProgressEngine}, or of the {@link ApplicationAgentInvokers}, taken by compare-and-set. The holder
 * waits for nothing, but it may run the application's Aeron agents, or a copy to or from a device, which take any time.
 * So a thread that needs the lock spins briefly, and then lets others run. It has no time limit: without the lock it
 * would release memory that the holder still writes to. The lock is not re-entrant: a poll inside a poll would apply
 * frames twice, because an Aeron image publishes its position only when the outer poll returns.
 * <p>
 * Ordering: taking the lock is an acquire, and releasing it is a release. So state that is accessed only under the
 * lock needs no ordering of its own.
 */
class EngineLock extends EngineLockValue
{
    /** Attempts without a pause: longer than a poll takes that finds work. */
    private static final int SPINS = 1_000;
    /** Further attempts, which only let other threads run. */
    private static final int YIELDS = SPINS + 100;
    private static final long PARK_NS = 100_000;
    private static final VarHandle HELD =
        Fields.handle(MethodHandles.lookup(), EngineLockValue.class, "held", int.class);

    private volatile boolean isRetired;
    long p20, p21, p22, p23, p24, p25, p26, p27, p28, p29, p30, p31, p32, p33, p34;

    final boolean tryLock()
    {
        return 0 == (int)HELD.getOpaque(this) && HELD.compareAndSet(this, 0, 1);
    }

    /**
     * Waits until it has taken the lock. Returns false if the lock has retired, and is never free again.
     */
    final boolean lock()
    {
        int attempts = 0;
        while (!tryLock())
        {
            if (isRetired)
            {
                return false;
            }

            attempts++;
            if (attempts < SPINS)
            {
                Thread.onSpinWait();
            }
            else if (attempts < YIELDS)
            {
                Thread.yield();
            }
            else
            {
                LockSupport.parkNanos(PARK_NS);
                attempts = YIELDS;
            }
        }

        return true;
    }

    /**
     * Takes the lock and never releases it: when this returns no thread holds it, and none will again.
     */
    public final void retire()
    {
        lock();
        isRetired = true;
    }

    final void unlock()
    {
        HELD.setRelease(this, 0);
    }
}

/** Padding before the lock word. */
abstract class EngineLockPadding
{
    long p00, p01, p02, p03, p04, p05, p06, p07, p08, p09, p10, p11, p12, p13, p14;
}

/** Lock word, alone on its cache lines. */
abstract class EngineLockValue extends EngineLockPadding
{
    int held;
}
