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

import io.aeroshmem.tools.format.Figures;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeCounter;

import java.util.Arrays;
import java.util.List;

/** Formats the counters of a PE, and their changes per second between two states of its job. */
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

    /** Returns the change of the sum of counters per second; a dash if the counters are not known here. */
    String rate(final PeCounter... counters)
    {
        return text(Math.max(0, sum(now, counters) - (null == before ? 0 : sum(before, counters))) / seconds);
    }

    /** Returns the sum of counters; a dash if they are not known here. */
    String count(final PeCounter... counters)
    {
        return text(sum(now, counters));
    }

    private String text(final double value)
    {
        return 0 == now.counters().length ? Figures.NONE : Figures.shortNumber(value);
    }

    private static long sum(final JobView.Pe pe, final PeCounter... counters)
    {
        return Arrays.stream(counters).mapToLong(pe::counter).sum();
    }
}
