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

import io.aeroshmem.tools.format.JsonText;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.JobView;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PeCounter;
import io.aeroshmem.transport.job.RecoveryPhase;
import io.aeroshmem.transport.job.RecoveryTimes;
import io.aeroshmem.transport.job.RetainedView;

import java.io.PrintWriter;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Writes one JSON document: an array of jobs with the values of all counters. */
public final class StatJson implements StatWriter
{
    @Override
    public void write(
        final PrintWriter output, final List<JobView.Snapshot> jobs, final List<JobView.Snapshot> earlier)
    {
        output.println(jobs.stream().map(StatJson::job).collect(Collectors.joining(",\n", "[\n", "\n]")));
    }

    private static String job(final JobView.Snapshot job)
    {
        return "  {\"job\": " + JsonText.quote(job.id()) +
            ", \"directory\": " + JsonText.quote(job.directory().toString()) +
            ", \"creator_pid\": " + job.creatorPid() +
            ", \"created_ms\": " + job.createdMs() +
            ", \"taken_ms\": " + job.takenMs() +
            ", \"generation\": " + job.generation() +
            ", \"previous_failure\": " + message(job.previousFailure()) +
            ", \"recovery_ms\": " + recovery(job.recovery()) +
            ", \"retained\": " + retained(job.retained()) +
            ", \"ended\": " + job.hasEnded() +
            ", \"failure\": " + message(job.failure()) +
            ", \"pes\": " +
            job.pes().stream().map(StatJson::pe).collect(Collectors.joining(",\n", "[\n", "\n  ]}"));
    }

    private static String message(final JobFailure failure)
    {
        return null == failure ? "null" : JsonText.quote(failure.message());
    }

    /** Returns the ends of the phases. */
    private static String recovery(final RecoveryTimes times)
    {
        return null == times ? "null" : Stream.of(RecoveryPhase.values())
            .map((phase) -> "\"" + phase.name().toLowerCase(Locale.ROOT) + "\": " + times.endMs(phase))
            .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String retained(final RetainedView retained)
    {
        return null == retained ? "null" : "{\"directory\": " + JsonText.quote(retained.directory().toString()) +
            ", \"lease_end_ms\": " + retained.leaseEndMs() + ", \"spares\": " +
            retained.spares().stream().map((spare) ->
                "{\"pid\": " + spare.pid() + ", \"ready\": " + spare.isReady() + "}")
                .collect(Collectors.joining(", ", "[", "]")) + ", \"allocations\": " +
            retained.allocations().stream().map((allocation) ->
                "{\"name\": " + JsonText.quote(allocation.name()) + ", \"bytes\": " + allocation.bytes() +
                ", \"layout_version\": " + allocation.layoutVersion() + ", \"states\": " +
                allocation.states().stream().map(JsonText::quote).collect(Collectors.joining(", ", "[", "]")) + "}")
                .collect(Collectors.joining(", ", "[", "]")) + "}";
    }

    private static String pe(final JobView.Pe pe)
    {
        final PeActivities.Activity activity = pe.blockedIn();
        final StringBuilder text = new StringBuilder("    {\"pe\": ").append(pe.pe())
            .append(", \"pid\": ").append(pe.pid())
            .append(", \"host\": ").append(JsonText.quote(pe.host()))
            .append(", \"phase\": ").append(JsonText.quote(pe.phase()))
            .append(", \"heartbeat_ms\": ").append(pe.heartbeatMs())
            .append(", \"blocked_in\": ").append(null == activity ? "null" : JsonText.quote(activity.text()))
            .append(", \"blocked_since_ms\": ").append(null == activity ? "null" : activity.sinceMs());
        for (final PeCounter counter : PeCounter.values())
        {
            text.append(", \"").append(counter.name().toLowerCase(Locale.ROOT)).append("\": ")
                .append(0 == pe.counters().length ? "null" : pe.counter(counter));
        }

        return text.append('}').toString();
    }
}
