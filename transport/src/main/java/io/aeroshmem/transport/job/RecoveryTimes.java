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

import java.util.List;
import java.util.stream.LongStream;
import java.util.stream.Stream;

/**
 * When the phases of the recovery that began a generation ended; of phases that each PE has, the last PE on this host.
 *
 * @param endsMs by ordinal of {@link RecoveryPhase}, in milliseconds since the epoch; 0 if not yet, or unknown here.
 */
public record RecoveryTimes(List<Long> endsMs)
{
    /** Returns the times of a generation that a recovery has begun; null for any other job. */
    public static RecoveryTimes of(final ControlFile control)
    {
        return 0 == control.phaseEnd(control.creatorCell(), RecoveryPhase.DETECTED) ? null :
            of(control, 0, control.nPes());
    }

    /** Returns those of one PE of this host, in a generation after the first. */
    public static RecoveryTimes ofPe(final ControlFile control, final int pe)
    {
        return of(control, pe, pe + 1);
    }

    private static RecoveryTimes of(final ControlFile control, final int firstPe, final int endPe)
    {
        return new RecoveryTimes(
            Stream.of(RecoveryPhase.values()).map((phase) -> end(control, phase, firstPe, endPe)).toList());
    }

    private static long end(final ControlFile control, final RecoveryPhase phase, final int firstPe, final int endPe)
    {
        if (!phase.isOfPe())
        {
            return control.phaseEnd(control.creatorCell(), phase);
        }

        long last = 0;
        for (int pe = firstPe; pe < endPe; pe++)
        {
            final long end = control.phaseEnd(pe, phase);
            if (0 == end && !control.isMirrored(pe))
            {
                return 0;
            }

            last = Math.max(last, end);
        }

        return last;
    }

    public long endMs(final RecoveryPhase phase)
    {
        return endsMs.get(phase.ordinal());
    }

    /** Returns whether the tasks of all PEs of this host have begun. */
    public boolean isComplete()
    {
        return 0 != endMs(RecoveryPhase.RUNNING);
    }

    /** Returns the time from the report of the failure until the tasks began; 0 if a time is not known. */
    public long totalMs()
    {
        return LongStream.of(endMs(RecoveryPhase.DETECTED), endMs(RecoveryPhase.RUNNING)).anyMatch((end) -> 0 == end) ?
            0 : endMs(RecoveryPhase.RUNNING) - endMs(RecoveryPhase.DETECTED);
    }

    /** Returns "99 ms after the failure (members known 5, started 7, joined 98 ms)". */
    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder();
        for (final RecoveryPhase phase :
            List.of(RecoveryPhase.MEMBERS_KNOWN, RecoveryPhase.STARTED, RecoveryPhase.JOINED))
        {
            text.append(text.isEmpty() ? "" : ", ").append(phase).append(' ')
                .append(0 == endMs(phase) ? "-" : endMs(phase) - endMs(RecoveryPhase.DETECTED));
        }

        return totalMs() + " ms after the failure (" + text + " ms)";
    }
}
