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
package io.aeroshmem.transport.aeron;

import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.SplittableRandom;

import static io.aeroshmem.simulation.PrivateFields.get;
import static io.aeroshmem.simulation.PrivateFields.set;

/**
 * Moves the counts of all links of a {@link MessageWorld} to where they are after years, shortly before a power of two
 * at which a number of the protocol, or an index into a table, wraps.
 */
final class AgedLinks
{
    private static final int DISTANCE = 64;
    private static final int ASSIGNED = 128;
    private static final int ACKNOWLEDGED = 256;
    private static final int AWAITED = 384;

    private AgedLinks()
    {
    }

    static void age(final MessageWorld world)
    {
        for (final SimulatedPe pe : world.pes)
        {
            for (final PeerLink link : pe.engine.links())
            {
                age(link, world.pes[link.pe].engine.link(pe.pe), world.random);
            }
        }
    }

    private static void age(final PeerLink sender, final PeerLink receiver, final SplittableRandom random)
    {
        final long records = beforeWrap(random);
        final UnsafeBuffer counters = (UnsafeBuffer)get(sender.outbox, "counters");
        counters.putLong(ASSIGNED, records);
        counters.putLong(ACKNOWLEDGED, records);
        counters.putLong(AWAITED, records);
        set(receiver, "received", records);
        set(receiver, "receivedReported", records);

        final long runs = beforeWrap(random);
        set(sender.fetchRuns, "opened", runs);
        set(sender.fetchRuns, "sent", runs);
        set(sender.fetchRuns, "completed", runs);
        set(receiver.fetchRunReplies, "head", (int)runs);
        set(receiver.fetchRunReplies, "tail", (int)runs);

        Arrays.fill((int[])get(sender.requests, "generation"), (int)beforeWrap(random));
        final int gets = (int)beforeWrap(random);
        set(receiver.replies, "getHead", gets);
        set(receiver.replies, "getTail", gets);
        set(receiver.replies, "fetchHead", gets);
        set(receiver.replies, "fetchTail", gets);
    }

    private static long beforeWrap(final SplittableRandom random)
    {
        return (1L << 31 + random.nextInt(2)) - random.nextInt(DISTANCE);
    }
}
