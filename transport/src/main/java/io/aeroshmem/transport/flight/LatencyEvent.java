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
package io.aeroshmem.transport.flight;

import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;

/** The latencies of one routine in an interval, while they are recorded. */
@Name("io.aeroshmem.Latency")
@Label("Latency")
@Description("The latencies recorded for one routine in an interval")
@Category("AeroSHMEM")
@StackTrace(false)
final class LatencyEvent extends Event
{
    @Label("PE")
    private int pe;

    @Label("Team")
    private String team;

    @Label("Routine")
    private String routine;

    @Label("Size Class")
    private String size;

    @Label("Interval")
    @Timespan
    private long interval;

    @Label("Count")
    private long count;

    @Label("Median")
    @Timespan
    private long p50;

    @Label("90th Percentile")
    @Timespan
    private long p90;

    @Label("99th Percentile")
    @Timespan
    private long p99;

    @Label("99.9th Percentile")
    @Timespan
    private long p999;

    @Label("Maximum")
    @Timespan
    private long max;

    void emit(
        final int ofPe,
        final String ofTeam,
        final String ofRoutine,
        final String ofSize,
        final long intervalNs,
        final LatencyQuantiles quantiles)
    {
        pe = ofPe;
        team = ofTeam;
        routine = ofRoutine;
        size = ofSize;
        interval = intervalNs;
        count = quantiles.count();
        p50 = quantiles.p50Ns();
        p90 = quantiles.p90Ns();
        p99 = quantiles.p99Ns();
        p999 = quantiles.p999Ns();
        max = quantiles.maxNs();
        commit();
    }
}
