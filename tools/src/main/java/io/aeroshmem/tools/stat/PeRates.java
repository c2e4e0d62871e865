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
package io.aeroshmem.tools.stat;

import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeCounter;

import java.util.List;

/** Calculates the changes per second of a PE's counters between two states of its job. */
final class PeRates
{
    private static final double MS_PER_S = 1000.0;

    private final JobView.Pe now;
    private final JobView.Pe before;
    private final double seconds;

    /**
     * @param job     of the PE.
     * @param earlier states of jobs; if this job is not among them, the rates are those since it was created.
     */
    PeRates(final JobView.Snapshot job, final List<JobView.Snapshot> earlier, final int pe)
    {
        final JobView.Snapshot then = earlier.stream()
            .filter((other) -> other.directory().equals(job.directory())).findFirst().orElse(null);
        now = job.pes().get(pe);
        before = null == then ? null : then.pes().get(pe);
        final long sinceMs = null == then ? job.createdMs() : then.takenMs();
        seconds = Math.max(1, job.takenMs() - sinceMs) / MS_PER_S;
    }

    /** Returns the change of the sum of counters per second. */
    double of(final PeCounter... counters)
    {
        long change = 0;
        for (final PeCounter counter : counters)
        {
            change += now.counter(counter) - (null == before ? 0 : before.counter(counter));
        }

        return Math.max(0, change) / seconds;
    }
}
