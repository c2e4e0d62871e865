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
package io.aeroshmem.tests.collective;

import io.aeroshmem.Team;
import org.agrona.UnsafeApi;

import static io.aeroshmem.simulation.PrivateFields.get;
import static io.aeroshmem.simulation.PrivateFields.set;

/**
 * The counters of a team's calls, which a program would need an hour to bring to where they wrap.
 */
final class CallCounters
{
    /** Fewer than from one renewal of the members' stamps to the next; even, and a multiple of the number of slots. */
    private static final long ADVANCE = (1L << 30) - 8;

    /** Offset of the acknowledgement in a mailbox. */
    private static final long CONSUMED = 24;

    private CallCounters()
    {
    }

    /**
     * Advances the numbers of steps, slots, calls and barriers on this PE. Every member does, between the same calls.
     */
    static void advance(final Team team)
    {
        final Object engine = get(get(team, "collectives"), "engine");
        advanceResources(get(engine, "resources"));
        final Object requests = get(engine, "requests");
        if (null != requests)
        {
            advanceResources(get(requests, "resources"));
        }
    }

    private static void advanceResources(final Object resources)
    {
        final Object mailboxes = get(resources, "mailboxes");
        for (final String counter : new String[]{"step", "calls"})
        {
            set(mailboxes, counter, (long)get(mailboxes, counter) + ADVANCE);
        }

        final long[] addresses = (long[])get(mailboxes, "ownMailboxes");
        final long[] knownConsumed = (long[])get(mailboxes, "knownConsumed");
        for (int rank = 0; rank < addresses.length; rank++)
        {
            // what a peer has acknowledged stays acknowledged
            knownConsumed[rank] =
                Math.max(knownConsumed[rank], UnsafeApi.getLongAcquire(null, addresses[rank] + CONSUMED));
        }

        for (final String slots : new String[]{"sent", "sentBeforeStep", "knownConsumed", "consumed"})
        {
            final long[] numbers = (long[])get(mailboxes, slots);
            for (int rank = 0; rank < numbers.length; rank++)
            {
                numbers[rank] += ADVANCE;
            }
        }

        final Object barrier = get(resources, "barrier");
        set(barrier, "sequence", (long)get(barrier, "sequence") + ADVANCE);
    }
}
