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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.progress.BlockingWait;

import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/**
 * Barrier between the phases in which all PEs join and leave together. Each PE announces its phase in the control file,
 * and proceeds when all others have reached the same phase.
 * <p>
 * A PE stores its phase with release, and the others load it with acquire. So a PE that reads the phase of a PE on its
 * own node also sees everything that the other PE wrote before it announced the phase. Of a PE on another node, it sees
 * the join record.
 */
final class PhaseBarrier
{
    private final ControlFile control;
    private final int pe;
    private final long timeoutNs;

    PhaseBarrier(final ControlFile control, final int pe, final long timeoutNs)
    {
        this.control = control;
        this.pe = pe;
        this.timeoutNs = timeoutNs;
    }

    /**
     * Announces a phase and waits for the others, for the join timeout at most.
     */
    void announceAndAwait(final int phase, final BlockingWait blockingWait, final String operation)
    {
        announceAndAwait(
            phase, blockingWait, blockingWait.deadlineIn(timeoutNs), BlockingWait.NO_DEADLINE, operation);
    }

    /**
     * Announces a phase and waits for the others, for the operation timeout at most: PEs call this at different times.
     */
    void announceAndAwaitInCall(final int phase, final BlockingWait blockingWait, final String operation)
    {
        announceAndAwait(phase, blockingWait, BlockingWait.NO_DEADLINE, blockingWait.operationDeadline(), operation);
    }

    private void announceAndAwait(
        final int phase,
        final BlockingWait blockingWait,
        final long joinDeadlineNs,
        final long operationDeadlineNs,
        final String operation)
    {
        control.phase(pe, phase);
        int round = 0;
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            while (control.phase(peer) < phase)
            {
                if (blockingWait.isPast(round, joinDeadlineNs))
                {
                    throw new TransportException("PE " + pe + " waited " + TimeUnit.NANOSECONDS.toSeconds(timeoutNs) +
                        " s (aeroshmem.join.timeout) in " + operation + " for these PEs to be " + PePhase.name(phase) +
                        ": " + missing(phase));
                }

                round = blockingWait.idle(round, operationDeadlineNs, operation);
            }

            checkNotLeaving(peer, phase, blockingWait);
        }

        blockingWait.reset(round);
    }

    /**
     * Announces that this PE, which is EXCHANGED, leaves, and waits for the others to announce the same.
     */
    void leaveUnconnected(final BlockingWait blockingWait, final String operation)
    {
        control.phase(pe, PePhase.CLOSING);
        final long deadlineNs = blockingWait.operationDeadline();
        int round = 0;
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            int phase = control.phase(peer);
            while (phase < PePhase.CLOSING)
            {
                if (phase > PePhase.EXCHANGED)
                {
                    throw closedDuringSetUp(pe, peer);
                }

                round = blockingWait.idle(round, deadlineNs, operation);
                phase = control.phase(peer);
            }
        }

        blockingWait.reset(round);
    }

    /**
     * Throws if a peer leaves while this PE connects. A PE may leave from EXCHANGED; from LISTENING on it needs this PE
     * to be RUNNING first. So a peer that leaves earlier was closed unconnected, or the job has failed.
     */
    private void checkNotLeaving(final int peer, final int phase, final BlockingWait blockingWait)
    {
        final boolean isConnecting = PePhase.LISTENING == phase || PePhase.CONNECTED == phase;
        if (isConnecting && control.phase(peer) >= PePhase.CLOSING)
        {
            blockingWait.checkFailure();
            throw closedDuringSetUp(peer, pe);
        }
    }

    private static TransportException closedDuringSetUp(final int closedPe, final int otherPe)
    {
        return new TransportException("PEs must all close or all complete the set-up: PE " + closedPe +
            " was closed while it was only bootstrapped, PE " + otherPe + " called to complete the set-up");
    }

    private String missing(final int phase)
    {
        final StringJoiner missing = new StringJoiner(", ");
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            if (control.phase(peer) < phase)
            {
                missing.add(peer + " (" + PePhase.name(control.phase(peer)) + ")");
            }
        }

        return missing.toString();
    }
}
