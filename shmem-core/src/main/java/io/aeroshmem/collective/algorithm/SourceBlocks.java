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
package io.aeroshmem.collective.algorithm;

import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CanonicalTree;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.transport.Pending;

/**
 * Reads the same range of several members' sources, block by block. The sources of members whose memory this PE maps
 * are read by loads. Those of other members are fetched into private memory, a few blocks ahead of the current one.
 * Blocks are so small that the current block of each member stays in the cache, together with the partial results of
 * combining them.
 * <p>
 * The caller ensures that the members have entered the call before the first {@link #isReady()}, and that no member
 * returns before this PE has read that member's source. After {@link #next()} this PE does not read earlier blocks
 * again.
 */
final class SourceBlocks
{
    /** Length of blocks that are read by loads: two inputs and a result in the level 1 cache. */
    private static final int MAPPED_BLOCK = 4 * 1024;

    /** Length of blocks that are fetched, unless there are many members. */
    private static final int FETCHED_BLOCK = 32 * 1024;

    private static final int MIN_BLOCK = 4 * 1024;

    /** Blocks of a member that are in flight or current. */
    private static final int DEPTH = 4;

    /** Private memory for fetched blocks, unless there are very many members. */
    private static final long FETCHED_LIMIT = 4 * 1024 * 1024;

    private final PeerMailboxes mailboxes;
    private final TeamWorkspace workspace;
    private final int myRank;
    private final long[] addresses;
    private final long[] bases;
    private final Pending[] pendings = new Pending[DEPTH];

    private CallArguments call;
    private int members;
    private int fetchedMembers;
    private long blockLength;
    private long offset;
    private long end;
    private long fetchOffset;
    private long staging;
    private long partials;
    private long fetched;
    private int slot;
    private int fetchSlot;

    SourceBlocks(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
        workspace = resources.workspace();
        myRank = mailboxes.myRank();
        addresses = new long[mailboxes.size()];
        bases = new long[mailboxes.size()];
        for (int i = 0; i < DEPTH; i++)
        {
            pendings[i] = new Pending();
        }
    }

    /**
     * Begins a call. Nothing is read before {@link #isReady()}.
     *
     * @param members       number of sources, from rank 0.
     * @param start         of the range in each source, in bytes.
     * @param end           of the range, in bytes.
     * @param stagingLength private memory in bytes that the caller needs.
     */
    void start(
        final CallArguments call, final int members, final long start, final long end, final long stagingLength)
    {
        this.call = call;
        this.members = members;
        this.end = end;
        offset = start;
        fetchOffset = start;
        slot = 0;
        fetchSlot = 0;
        locate();

        blockLength = blockLength();
        final long partialsLength = CanonicalTree.workspaceLength(members, blockLength);
        staging = workspace.partials(stagingLength + partialsLength + fetchedMembers * DEPTH * blockLength);
        partials = staging + stagingLength;
        fetched = partials + partialsLength;
    }

    private void locate()
    {
        fetchedMembers = 0;
        for (int rank = 0; rank < members; rank++)
        {
            if (rank == myRank)
            {
                bases[rank] = call.sourceAddress();
            }
            else if (mailboxes.isMapped(rank))
            {
                bases[rank] = mailboxes.address(rank, call.sourceRegion(), call.sourceOffset());
            }
            else
            {
                bases[rank] = 0;
                fetchedMembers++;
            }
        }
    }

    private long blockLength()
    {
        if (0 == fetchedMembers)
        {
            return MAPPED_BLOCK;
        }

        long length = FETCHED_BLOCK;
        while (length > MIN_BLOCK && fetchedMembers * DEPTH * length > FETCHED_LIMIT)
        {
            length /= 2;
        }

        return length;
    }

    /** Returns whether every block has been read. */
    boolean isAtEnd()
    {
        return offset == end;
    }

    /** Requests the blocks that may be fetched now, and returns whether the next block is at {@link #addresses()}. */
    boolean isReady()
    {
        if (0 != fetchedMembers)
        {
            while (fetchOffset < end && fetchOffset - offset < DEPTH * blockLength)
            {
                fetch();
            }

            if (!pendings[slot].isIdle())
            {
                return false;
            }
        }

        long at = fetched + slot * fetchedMembers * blockLength;
        for (int rank = 0; rank < members; rank++)
        {
            if (0 != bases[rank])
            {
                addresses[rank] = bases[rank] + offset;
            }
            else
            {
                addresses[rank] = at;
                at += blockLength;
            }
        }

        return true;
    }

    private void fetch()
    {
        final long length = Math.min(blockLength, end - fetchOffset);
        long at = fetched + fetchSlot * fetchedMembers * blockLength;
        for (int rank = 0; rank < members; rank++)
        {
            if (0 == bases[rank])
            {
                mailboxes.transport(rank).getNbi(
                    mailboxes.worldPe(rank),
                    call.sourceRegion(),
                    call.sourceOffset() + fetchOffset,
                    null,
                    at,
                    length,
                    pendings[fetchSlot]);
                at += blockLength;
            }
        }

        fetchOffset += length;
        fetchSlot = (fetchSlot + 1) % DEPTH;
    }

    /** Ends the current block. */
    void next()
    {
        offset += length();
        slot = (slot + 1) % DEPTH;
    }

    /** Returns the offset of the current block in the sources. */
    long offset()
    {
        return offset;
    }

    /** Returns the length of the current block in bytes. */
    long length()
    {
        return Math.min(blockLength, end - offset);
    }

    /** Returns the addresses of the current block of each member, by rank. */
    long[] addresses()
    {
        return addresses;
    }

    /** Returns the address of memory for partial results of combining a block. */
    long partials()
    {
        return partials;
    }

    /** Returns the address of memory for the caller. */
    long staging()
    {
        return staging;
    }
}
