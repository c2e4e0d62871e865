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

/**
 * Schedule of a measurement, which specifies when each call starts. In a closed loop, a call starts when the call
 * before it has ended. In an open loop, calls are due at a fixed rate, whether or not earlier calls have ended. The
 * loop is closed until {@link #open} is called.
 * <p>
 * In an open loop, the latency of a call counts from the time at which the call was due. So if a call starts late
 * because of an earlier one, its latency includes the delay. This avoids coordinated omission: a pause of the system
 * shows in all calls that were due during the pause, and not only in the call that it hit.
 */
final class Pace
{
    private boolean isOpen;
    private double intervalNs;
    private long startNs;

    /**
     * Begins an open loop, whose first call is due now.
     *
     * @param intervalNs nanoseconds from a call to the next.
     */
    void open(final double intervalNs)
    {
        isOpen = true;
        this.intervalNs = intervalNs;
        startNs = System.nanoTime();
    }

    /**
     * Returns when a call begins, on the clock of {@link System#nanoTime()}. Spins until then.
     *
     * @param call number of the call since the start of the loop, from 0.
     */
    long begin(final int call)
    {
        return isOpen ? await(call) : System.nanoTime();
    }

    private long await(final int call)
    {
        final long dueNs = startNs + (long)(call * intervalNs);
        while (System.nanoTime() - dueNs < 0)
        {
            Thread.onSpinWait();
        }

        return dueNs;
    }
}
