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
package io.aeroshmem.collective.task;

import io.aeroshmem.transport.Region;
import org.agrona.UnsafeApi;

/**
 * The division of a collective's work among members that map each other's memory. The work consists of blocks, and each
 * member owns a slice of them. Any member may claim a block of any slice, and then performs this block. So members that
 * wait take over work of a member that is busy with other work, or not running.
 * <p>
 * Each slice has two words, in the area of its owner ({@link TeamAreaDescriptor}): CLAIMED counts the blocks that
 * members have taken, FINISHED the blocks that they have finished. A call has one or more steps, which all members
 * count ({@link PeerMailboxes}). The upper half of each word is the number of the step in which the owner set the word,
 * and the lower half is the count.
 */
public final class SharedSlices
{
    /** Result of a claim: all blocks of the slice are claimed. */
    public static final long NONE = -1;

    /*
     * Ordering.
     * - The owner sets both words, with release, before it enters the barrier at the start of the call. A member makes
     *   its claims after that barrier, so it never sees values of an earlier step.
     * - A claim is a compare-and-set of the whole word CLAIMED, the number of the step included. So each block is
     *   performed by one member, and a claim never takes a block of another step.
     * - A member increases FINISHED, by an atomic addition, after it has stored the results of a block. The word is
     *   loaded with acquire. A member that loads the full count sees the stores of all blocks of the slice.
     * - The owner sets the words for a later call after it has seen all slices finished. If a slower member loads the
     *   number of a later step, it therefore sees all stores of its own call, and has nothing left to claim.
     * Only the member that claimed a block performs it. If that member dies, or throws, before it finishes the block,
     * the job fails. A member closes the team only when none of its threads is between a claim and the end of the
     * block.
     */
    private final PeerMailboxes mailboxes;
    private final long[] slices;

    /**
     * @param resources of a team whose members map each other's memory.
     */
    public SharedSlices(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
        final TeamAreaDescriptor descriptor = new TeamAreaDescriptor(mailboxes.size());
        slices = new long[mailboxes.size()];
        for (int rank = 0; rank < slices.length; rank++)
        {
            slices[rank] =
                mailboxes.address(rank, Region.SYSTEM, resources.areas()[rank] + descriptor.mailboxOffset(rank));
        }
    }

    /** Offers the slice of this PE to all members, before it enters the barrier at the start of the call. */
    public void open()
    {
        final long slice = slices[mailboxes.myRank()];
        final long none = mailboxes.step() << Integer.SIZE;
        UnsafeApi.putLongRelease(null, slice + TeamAreaDescriptor.FINISHED, none);
        UnsafeApi.putLongRelease(null, slice + TeamAreaDescriptor.CLAIMED, none);
    }

    /**
     * Claims a block of a member's slice, which this PE then performs.
     *
     * @param blocks number of blocks of the slice, less than 2^32.
     * @return its index, or {@link #NONE}.
     */
    public long tryClaim(final int rank, final long blocks)
    {
        final long word = slices[rank] + TeamAreaDescriptor.CLAIMED;
        final long none = mailboxes.step() << Integer.SIZE;
        while (true)
        {
            final long claimed = UnsafeApi.getLongAcquire(null, word);
            final long count = claimed - none;
            if (count < 0 || count >= blocks)
            {
                return NONE;
            }

            if (UnsafeApi.compareAndSetLong(null, word, claimed, claimed + 1))
            {
                return count;
            }
        }
    }

    /** Reports a claimed block as finished: its results are stored, and no source of it is read any more. */
    public void finish(final int rank)
    {
        UnsafeApi.getAndAddLong(null, slices[rank] + TeamAreaDescriptor.FINISHED, 1);
    }

    /** Returns whether all blocks of a member's slice are finished. */
    public boolean isFinished(final int rank, final long blocks)
    {
        final long finished = UnsafeApi.getLongAcquire(null, slices[rank] + TeamAreaDescriptor.FINISHED);
        return finished - (mailboxes.step() << Integer.SIZE) >= blocks;
    }
}
