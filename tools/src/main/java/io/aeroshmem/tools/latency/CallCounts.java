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
 * Calculates the number of calls to make: the specified number or, if none is specified, as many as fit into a time
 * budget, between a minimum and a maximum. All PEs must make the same number of calls, so the PE that times the calls
 * chooses the number and distributes it.
 */
final class CallCounts
{
    private static final int TRIAL_SMALL = 200;
    private static final int TRIAL_LARGE = 5;
    private static final int WARMUP_MIN = 20_000;
    private static final int WARMUP_RATE = 2_000_000;
    private static final int MEASURED_MIN = 20;
    private static final int MEASURED_SMALL = 100_000;
    private static final int MEASURED_MEDIUM = 20_000;
    private static final int MEASURED_LARGE = 1_000;
    private static final int MEASURED_RATE = 10_000_000;
    private static final long SMALL_LIMIT = 1024;
    private static final long MEDIUM_LIMIT = 64 * 1024;
    private static final double WARMUP_BUDGET_NS = 2e9;
    /** Minimum duration of a warm-up: the optimizing compiler needs this time, even if the calls take less. */
    private static final long WARMUP_MIN_NS = 1_000_000_000;
    private static final double MEASURED_BUDGET_NS = 3e9;

    private final Shmem shmem;
    private final SymmetricBuffer word;
    private final LatencyPlan plan;
    private int caller;

    CallCounts(final Shmem shmem, final SymmetricBuffer word, final LatencyPlan plan)
    {
        this.shmem = shmem;
        this.word = word;
        this.plan = plan;
    }

    /** Sets the PE that times the calls of the next measurement; called by every PE. */
    void caller(final int pe)
    {
        caller = pe;
    }

    /** Returns the number of trial calls, which determine how long one takes. */
    int trial(final long bytes)
    {
        final int wanted = bytes > MEDIUM_LIMIT ? TRIAL_LARGE : TRIAL_SMALL;
        return LatencyPlan.AUTOMATIC == plan.warmup() ? wanted : Math.max(1, Math.min(wanted, plan.warmup()));
    }

    /**
     * Returns the number of warm-up calls, the same on all PEs: as many as the JIT compiler needs and a tenth of the
     * measured ones, within a time budget. {@code callNs}, the time of one call, is read on the PE that times them.
     */
    int warmup(final LatencyOperation operation, final long bytes, final double callNs)
    {
        if (LatencyPlan.AUTOMATIC != plan.warmup())
        {
            return plan.warmup();
        }

        final int wanted = operation.isRate() && bytes <= SMALL_LIMIT ?
            WARMUP_RATE : Math.max(WARMUP_MIN, wanted(operation, bytes) / 10 + 1);
        return agree(within(wanted, WARMUP_BUDGET_NS, callNs));
    }

    /**
     * Returns whether the warm-up has lasted long enough, the same on all PEs, or has to be repeated.
     *
     * @param elapsedNs time since its start, read on the PE that times.
     */
    boolean isWarm(final long elapsedNs)
    {
        return LatencyPlan.AUTOMATIC != plan.warmup() || 0 != agree(elapsedNs >= WARMUP_MIN_NS ? 1 : 0);
    }

    /**
     * Returns the number of measured calls, the same on all PEs. {@code callNs}, the time from a call to the next, is
     * read on the PE that times them.
     */
    int measured(final LatencyOperation operation, final long bytes, final double callNs)
    {
        if (LatencyPlan.AUTOMATIC != plan.iterations())
        {
            return plan.iterations();
        }

        return agree(within(wanted(operation, bytes), MEASURED_BUDGET_NS, callNs));
    }

    private static int wanted(final LatencyOperation operation, final long bytes)
    {
        if (bytes <= SMALL_LIMIT)
        {
            return operation.isRate() ? MEASURED_RATE : MEASURED_SMALL;
        }

        return bytes <= MEDIUM_LIMIT ? MEASURED_MEDIUM : MEASURED_LARGE;
    }

    private static int within(final int wanted, final double budgetNs, final double callNs)
    {
        return (int)Math.max(Math.min(wanted, MEASURED_MIN), Math.min(wanted, budgetNs / Math.max(1, callNs)));
    }

    /** Returns the number that the PE which times the calls has passed; called by every PE. */
    int agree(final int count)
    {
        if (caller == shmem.myPe())
        {
            for (int pe = 0; pe < shmem.nPes(); pe++)
            {
                shmem.defaultContext().putLong(word, 0, count, pe);
            }
        }

        shmem.barrierAll();
        final int agreed = (int)word.getLong(0);
        shmem.syncAll();
        return agreed;
    }
}
