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
package io.aeroshmem.collective.call;

import io.aeroshmem.ElementType;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CallSignature;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import org.agrona.UnsafeApi;

/**
 * The records that the members of a team exchange before a collect ({@link CallRecords}): the number of bytes that each
 * contributes, and the room in its dest. From them every member fills in the same fcollect of blocks of these lengths.
 */
public final class CollectCounts
{
    /** Length of a dest that is null. */
    public static final long NO_DEST = -1;

    private static final long DEST_LENGTH = 8;
    private static final long DEST_LIMIT = 16;

    private final TeamWorkspace workspace;
    private final PeerMailboxes mailboxes;
    private final int size;
    private long[] byteCounts;
    private long[] byteDisplacements;

    public CollectCounts(final TeamResources resources)
    {
        workspace = resources.workspace();
        mailboxes = resources.mailboxes();
        size = mailboxes.size();
    }

    /** Returns the signature of a collect, and of the exchange before it. */
    public static long signature(final ElementType type)
    {
        return CallSignature.of(Routine.COLLECT, false, type, null, 0, 0);
    }

    /**
     * Writes the record of this member.
     *
     * @param bytes      that it contributes.
     * @param destLength length of its dest in bytes, or {@link #NO_DEST}.
     * @param destLimit  length of the part of dest that precedes source.
     */
    public void put(final long bytes, final long destLength, final long destLimit)
    {
        final long record = record(mailboxes.myRank());
        UnsafeApi.putLong(record, bytes);
        UnsafeApi.putLong(record + DEST_LENGTH, destLength);
        UnsafeApi.putLong(record + DEST_LIMIT, destLimit);
    }

    /**
     * Fills in the call, but for its blocks, from the records of all members.
     *
     * @return the number of bytes that all members contribute.
     * @throws IllegalArgumentException  if a dest overlaps a source, or the sum is too large.
     * @throws IndexOutOfBoundsException if a dest lacks room.
     */
    public long fill(final CallArguments call, final ElementType type)
    {
        if (null == byteCounts)
        {
            byteCounts = new long[size];
            byteDisplacements = new long[size];
        }

        long total = 0;
        long longest = 0;
        for (int rank = 0; rank < size; rank++)
        {
            byteDisplacements[rank] = total;
            byteCounts[rank] = UnsafeApi.getLong(record(rank));
            longest = Math.max(longest, byteCounts[rank]);
            total += byteCounts[rank];
            if (total < 0)
            {
                throw new IllegalArgumentException(
                    "the nelems of all members together must be <= " + Long.MAX_VALUE + " bytes");
            }
        }

        checkDests(total);
        call.of(Routine.FCOLLECT, type, longest / type.bytes())
            .counts(byteCounts, byteDisplacements)
            .sign(signature(type));
        return total;
    }

    /**
     * Checks the room in dest of all members. The length of a collect is known only now, so a lack of room on one
     * member fails the call on all of them.
     */
    private void checkDests(final long total)
    {
        for (int rank = 0; rank < size; rank++)
        {
            final long length = UnsafeApi.getLong(record(rank) + DEST_LENGTH);
            if (total > Math.max(length, 0))
            {
                final String text = "dest must have >= " + total + " bytes, the sources of all members: dest of PE " +
                    mailboxes.worldPe(rank) + " ";
                throw NO_DEST == length ?
                    new IllegalArgumentException(text + "is null") :
                    new IndexOutOfBoundsException(text + "has " + length + " bytes");
            }

            final long limit = UnsafeApi.getLong(record(rank) + DEST_LIMIT);
            if (total > limit)
            {
                throw new IllegalArgumentException(
                    "dest and source must be disjoint: source of PE " + mailboxes.worldPe(rank) +
                    " begins at byte " + limit + " of the " + total + " bytes of dest");
            }
        }
    }

    private long record(final int rank)
    {
        return workspace.records() + (long)rank * TeamWorkspace.RECORD_LENGTH;
    }
}
