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

import io.aeroshmem.tools.format.Json;
import io.aeroshmem.tools.histogram.HistogramKey;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.RecoveryPhase;
import io.aeroshmem.transport.job.RecoveryTimes;
import io.aeroshmem.transport.job.RetainedView;
import org.HdrHistogram.Histogram;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Writes one JSON document: an array of jobs with the values of all counters and the latencies. */
public final class StatJson implements StatWriter
{
    private static final double P50 = 50;
    private static final double P90 = 90;
    private static final double P99 = 99;
    private static final double P999 = 99.9;

    @Override
    public void write(
        final PrintWriter output, final List<JobView.Snapshot> jobs, final List<JobView.Snapshot> earlier)
    {
        output.println(Json.of(jobs.stream().map(StatJson::job).toList()));
    }

    private static Map<String, Object> job(final JobView.Snapshot job)
    {
        return Json.object(
            "job", job.id(),
            "directory", job.directory(),
            "creator_pid", job.creatorPid(),
            "created_ms", job.createdMs(),
            "taken_ms", job.takenMs(),
            "generation", job.generation(),
            "previous_failure", message(job.previousFailure()),
            "recovery_ms", recovery(job.recovery()),
            "retained", retained(job.retained()),
            "ended", job.hasEnded(),
            "failure", message(job.failure()),
            "pes", job.pes().stream().map(StatJson::pe).toList());
    }

    private static String message(final JobFailure failure)
    {
        return null == failure ? null : failure.message();
    }

    /** Returns the ends of the phases. */
    private static Map<String, Object> recovery(final RecoveryTimes times)
    {
        if (null == times)
        {
            return null;
        }

        final Map<String, Object> phases = Json.object();
        for (final RecoveryPhase phase : RecoveryPhase.values())
        {
            phases.put(phase.name().toLowerCase(Locale.ROOT), times.endMs(phase));
        }

        return phases;
    }

    private static Map<String, Object> retained(final RetainedView retained)
    {
        return null == retained ? null : Json.object(
            "directory", retained.directory(),
            "lease_end_ms", retained.leaseEndMs(),
            "spares", retained.spares().stream()
                .map((spare) -> Json.object("pid", spare.pid(), "ready", spare.isReady())).toList(),
            "allocations", retained.allocations().stream().map((allocation) -> Json.object(
                "name", allocation.name(), "bytes", allocation.bytes(), "layout_version", allocation.layoutVersion(),
                "states", allocation.states())).toList());
    }

    private static Map<String, Object> pe(final JobView.Pe pe)
    {
        final PeActivities.Activity activity = pe.blockedIn();
        final Map<String, Object> members = Json.object(
            "pe", pe.pe(),
            "pid", pe.pid(),
            "host", pe.host(),
            "phase", pe.phase(),
            "heartbeat_ms", pe.heartbeatMs(),
            "blocked_in", null == activity ? null : activity.text(),
            "blocked_since_ms", null == activity ? null : activity.sinceMs());
        for (final PeCounter counter : PeCounter.values())
        {
            members.put(counter.name().toLowerCase(Locale.ROOT),
                0 == pe.counters().length ? null : pe.counter(counter));
        }

        members.put("latencies", PublishedLatencies.of(pe).entrySet().stream().map(StatJson::latency).toList());
        return members;
    }

    private static Map<String, Object> latency(final Map.Entry<HistogramKey, Histogram> entry)
    {
        final Histogram histogram = entry.getValue();
        return Json.object(
            "team", entry.getKey().team(),
            "operation", entry.getKey().collective(),
            "size", entry.getKey().size(),
            "count", histogram.getTotalCount(),
            "p50_ns", histogram.getValueAtPercentile(P50),
            "p90_ns", histogram.getValueAtPercentile(P90),
            "p99_ns", histogram.getValueAtPercentile(P99),
            "p999_ns", histogram.getValueAtPercentile(P999),
            "max_ns", histogram.getMaxValue());
    }
}
