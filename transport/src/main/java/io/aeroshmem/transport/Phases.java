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
package io.aeroshmem.transport;

import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.PePhase;

import java.util.StringJoiner;
import java.util.concurrent.TimeUnit;

/**
 * The steps in which all PEs join and leave together: each announces in the control file that it has come to a phase,
 * and goes on when all others have.
 * <p>
 * What a PE wrote before it announced a phase is visible to those that saw it there: the phase is stored with release
 * and read with acquire.
 */
final class Phases
{
    private final Control control;
    private final int pe;
    private final long timeoutNs;

    Phases(final Control control, final int pe, final long timeoutNs)
    {
        this.control = control;
        this.pe = pe;
        this.timeoutNs = timeoutNs;
    }

    void announce(final int phase)
    {
        control.phase(pe, phase);
    }

    /**
     * Announce a phase and wait for the others, while the caller drives progress.
     */
    void announceAndAwait(final int phase, final Waiting waiting, final String what)
    {
        announce(phase);
        final long deadlineNs = Waiting.deadlineIn(timeoutNs);
        int round = 0;
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            while (control.phase(peer) < phase)
            {
                if (Waiting.isPast(round, deadlineNs))
                {
                    throw new TransportException("PE " + pe + " waited " + TimeUnit.NANOSECONDS.toSeconds(timeoutNs) +
                        " s in " + what + " for these PEs to be " + PePhase.name(phase) + ": " + missing(phase) +
                        " (property aeroshmem.join.timeout)");
                }
                round = waiting.idle(round, Waiting.NO_DEADLINE, what);
            }
            checkNotLeaving(peer, phase, waiting);
        }
        waiting.end(round);
    }

    /**
     * Announce a phase and wait for the others as long as the operation timeout allows: they come when they like.
     */
    void announceAndAwaitUnhurried(final int phase, final Waiting waiting, final String what)
    {
        announce(phase);
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            while (control.phase(peer) < phase)
            {
                round = waiting.idle(round, deadlineNs, what);
            }
            checkNotLeaving(peer, phase, waiting);
        }
        waiting.end(round);
    }

    /**
     * Announce that this PE, EXCHANGED, is leaving, and wait for the others, which must want the same.
     */
    void leaveUnconnected(final Waiting waiting, final String what)
    {
        announce(PePhase.CLOSING);
        final long deadlineNs = waiting.operationDeadline();
        int round = 0;
        for (int peer = 0; peer < control.nPes(); peer++)
        {
            int phase = control.phase(peer);
            while (phase < PePhase.CLOSING)
            {
                if (phase > PePhase.EXCHANGED)
                {
                    throw leavingAmidSetUp(pe, peer);
                }
                round = waiting.idle(round, deadlineNs, what);
                phase = control.phase(peer);
            }
        }
    }

    /**
     * A PE that is EXCHANGED may leave. From LISTENING on it needs this PE to be RUNNING first, so one that is leaving
     * before that was closed without being connected, or the job has failed.
     */
    private void checkNotLeaving(final int peer, final int phase, final Waiting waiting)
    {
        final boolean isConnecting = PePhase.LISTENING == phase || PePhase.CONNECTED == phase;
        if (isConnecting && control.phase(peer) >= PePhase.CLOSING)
        {
            waiting.checkFailure();
            throw leavingAmidSetUp(peer, pe);
        }
    }

    private static TransportException leavingAmidSetUp(final int closedPe, final int otherPe)
    {
        return new TransportException("PE " + closedPe + " was closed while it was only bootstrapped, and PE " +
            otherPe + " made a call that completes the set-up: allowed is the same call on all PEs");
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
