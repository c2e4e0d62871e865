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

import io.aeroshmem.transport.job.RecoveryPhase;
import io.aeroshmem.transport.job.RecoveryTimes;
import jdk.jfr.Category;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Timespan;
import jdk.jfr.Timestamp;

/** A recovery of the job, as a PE sees it: emitted when its task begins, with the ends of all phases. */
@Name("io.aeroshmem.Recovery")
@Label("Recovery")
@Description("The task of a PE begins in a generation of the job that follows one that has failed")
@Category("AeroSHMEM")
@StackTrace(false)
final class RecoveryEvent extends Event
{
    @Label("Generation")
    private int generation;

    @Label("Failed PE")
    @Description("whose failure ended the generation before; -1 if no PE is known")
    private int failedPe;

    @Label("Cause")
    private String cause;

    @Label("Time Since the Failure")
    @Timespan(Timespan.MILLISECONDS)
    private long total;

    @Label("Detected")
    @Description("A process had reported the failure")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    private long detected;

    @Label("Members Known")
    @Description("The PEs of this generation were known")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    private long membersKnown;

    @Label("Started")
    @Description("The processes that were missing had been started")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    private long started;

    @Label("Joined")
    @Description("The PE was connected to all others")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    private long joined;

    @Label("Running")
    @Description("The task of the PE began")
    @Timestamp(Timestamp.MILLISECONDS_SINCE_EPOCH)
    private long running;

    void emit(final int ofGeneration, final int ofPe, final String why, final RecoveryTimes times)
    {
        generation = ofGeneration;
        failedPe = ofPe;
        cause = why;
        total = times.totalMs();
        detected = times.endMs(RecoveryPhase.DETECTED);
        membersKnown = times.endMs(RecoveryPhase.MEMBERS_KNOWN);
        started = times.endMs(RecoveryPhase.STARTED);
        joined = times.endMs(RecoveryPhase.JOINED);
        running = times.endMs(RecoveryPhase.RUNNING);
        commit();
    }
}
