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

import java.util.Arrays;

/**
 * Snapshot of one PE's outstanding messages. {@code endpoint.StallWatch} takes it to check later whether the peers have
 * performed and answered them. Used by one thread, without the lock of the {@link ProgressEngine}.
 */
public final class Traffic
{
    private static final long UNKNOWN = Long.MAX_VALUE;

    private final PeerLink[] links;
    private final long[] ringPositions;
    private final BatchRing[][] batches;
    private final long[][] batchTails;
    /**
     * Number of the last record, and of the last run of fetches. What is in a ring gets its number when it leaves the
     * ring; until then {@link #UNKNOWN}.
     */
    private final long[] sequences;
    private final long[] fetchRuns;
    private final long[] slots;
    private final int[][] generations;

    private Traffic(final PeerLink[] links)
    {
        this.links = links;
        ringPositions = new long[links.length];
        batches = new BatchRing[links.length][];
        batchTails = new long[links.length][];
        sequences = new long[links.length];
        fetchRuns = new long[links.length];
        slots = new long[links.length];
        generations = new int[links.length][Long.SIZE];
        for (int i = 0; i < links.length; i++)
        {
            final PeerLink link = links[i];
            ringPositions[i] = link.outbox.ringProducerPosition();
            batches[i] = link.batches();
            batchTails[i] = Arrays.stream(batches[i]).mapToLong(BatchRing::tail).toArray();
            sequences[i] = UNKNOWN;
            fetchRuns[i] = UNKNOWN;
            slots[i] = link.requests.inUse();
            for (long left = slots[i]; 0 != left; left &= left - 1)
            {
                final int slot = Long.numberOfTrailingZeros(left);
                generations[i][slot] = link.requests.currentGeneration(slot);
            }
        }
    }

    /** Returns the traffic that is under way now; {@code engine} is null if the PE exchanges no messages. */
    public static Traffic of(final ProgressEngine engine)
    {
        return new Traffic(null == engine ? new PeerLink[0] : engine.links());
    }

    /** Returns true if the peers have performed and answered all of it. */
    public boolean hasArrived()
    {
        for (int i = 0; i < links.length; i++)
        {
            final PeerLink link = links[i];
            if (UNKNOWN == sequences[i] && hasLeftRings(i))
            {
                sequences[i] = link.outbox.assigned();
                fetchRuns[i] = link.fetchRuns.opened();
            }

            if (link.outbox.acknowledged() < sequences[i] ||
                link.fetchRuns.completed() < fetchRuns[i] ||
                !isAnswered(link, slots[i], generations[i]))
            {
                return false;
            }
        }

        return true;
    }

    private boolean hasLeftRings(final int i)
    {
        for (int j = 0; j < batches[i].length; j++)
        {
            if (batches[i][j].head() < batchTails[i][j])
            {
                return false;
            }
        }

        return links[i].outbox.ringConsumerPosition() >= ringPositions[i];
    }

    private static boolean isAnswered(final PeerLink link, final long slots, final int[] generations)
    {
        for (long left = slots; 0 != left; left &= left - 1)
        {
            final int slot = Long.numberOfTrailingZeros(left);
            if (!link.requests.hasEnded(slot, generations[slot]))
            {
                return false;
            }
        }

        return true;
    }
}
