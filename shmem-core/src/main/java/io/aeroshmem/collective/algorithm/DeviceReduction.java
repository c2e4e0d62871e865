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

import io.aeroshmem.collective.CallArguments;
import io.aeroshmem.collective.CanonicalTree;
import io.aeroshmem.collective.CollectiveTask;
import io.aeroshmem.collective.OperandPlaces;
import io.aeroshmem.collective.PeerMailboxes;
import io.aeroshmem.collective.Routine;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.collective.TeamWorkspace;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceMemory;

/**
 * Reductions and scans on memory of any kind, which may differ between members. A member combines a range of elements
 * in the canonical order: of {@code reduce} its slice ({@link Slices}), of {@code reduceScatter} its block, of a scan
 * all elements of the members before it. It proceeds in windows: it reads a window of the range from all sources,
 * combines it in private memory, and writes the result to the dests. Sources in the memory of mapped hosts are read by
 * loads, all others are fetched by the transports, which reach device heaps; so are the dests.
 * <p>
 * <b>Order of accesses.</b> A member starts when it has the places of all operands, so all members have entered the
 * call.
 * <ul>
 * <li>In {@code reduce}, only its owner accesses a slice, in all sources and dests, and it reads a window of all
 * sources before it writes that window; so dests may be sources. When an owner has written its last window, it notifies
 * the other members, by a store with release or by a message that follows its other messages. A member returns when all
 * others have notified it: then they have read its source, and its dest is complete.</li>
 * <li>In a reduction to a root, the owners notify the root only, and all members end with a barrier.</li>
 * <li>In other routines a member writes its own dest only, and may write what others read if dest is source. So it
 * writes a window after a barrier, when all members have read that window of all blocks. The barrier of the last
 * window shows that its source is read.</li>
 * </ul>
 * Every member has the same number of windows where they end with a barrier.
 * <p>
 * <b>Waiting.</b> A transfer from or to a device heap that only its owner reaches waits within a poll; see {@link
 * DeviceExchange}.
 */
public final class DeviceReduction extends CollectiveTask
{
    /** Length of the blocks that are combined at once, so that they stay in the cache. */
    private static final int BLOCK = 8 * 1024;
    private static final int MIN_WINDOW = 8 * 1024;
    /** Private memory for the windows of all members, unless there are very many. */
    private static final long FETCHED_LIMIT = 4 * 1024 * 1024;
    private static final int READING = 0;
    private static final int FETCHING = 1;
    private static final int SYNCHRONISING = 2;
    private static final int LEAVING = 3;

    private final PeerMailboxes mailboxes;
    private final Barrier barrier;
    private final TeamWorkspace workspace;
    private final int size;
    private final int myRank;
    private final CanonicalTree tree = new CanonicalTree();
    private final Pending pending = new Pending();
    private final long[] sources;
    private final long[] blocks;

    private DeviceMemory memory;
    private OperandPlaces places;
    private CallArguments call;
    private int phase;
    private int operands;
    private boolean isSliced;
    private boolean isRooted;
    /** Start of the range in sources, its length, and the length of the longest range of all members. */
    private long start;
    private long length;
    private long longest;
    private long window;
    private long begin;
    private long result;
    private long partials;
    private long fetched;
    private int arrivedRank;

    public DeviceReduction(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
        barrier = resources.barrier();
        workspace = resources.workspace();
        size = mailboxes.size();
        myRank = mailboxes.myRank();
        sources = new long[size];
        blocks = new long[size];
    }

    /** Sets the memory of the device, and the places of the operands of the next call. */
    public DeviceReduction of(final DeviceMemory memory, final OperandPlaces places)
    {
        this.memory = memory;
        this.places = places;
        return this;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        begin = 0;
        arrivedRank = 0;
        phase = READING;
        locateRange(call.routine());
        window = PIECE;
        while (window > MIN_WINDOW && size * window > FETCHED_LIMIT)
        {
            window /= 2;
        }

        final long partialsLength = CanonicalTree.workspaceLength(size, BLOCK);
        result = workspace.partials(window + partialsLength + size * window);
        partials = result + window;
        fetched = partials + partialsLength;
        for (int rank = 0; rank < size; rank++)
        {
            if (isSliced && rank != myRank && (!isRooted || myRank == call.root()))
            {
                mailboxes.expect(rank, 1);
            }
        }
    }

    private void locateRange(final Routine routine)
    {
        final long bytes = call.blockBytes();
        isRooted = Routine.ROOTED_REDUCE == routine;
        isSliced = isRooted || Routine.REDUCE == routine;
        operands = size;
        start = 0;
        length = bytes;
        longest = bytes;
        switch (routine)
        {
            case REDUCE_SCATTER:
            case REDUCE_SCATTERV:
                start = call.sourceByteDisplacement(myRank);
                length = call.sourceByteCount(myRank);
                break;

            case INCLUSIVE_SCAN:
                operands = myRank + 1;
                break;

            case EXCLUSIVE_SCAN:
                operands = myRank;
                break;

            default:
                start = Slices.start(bytes, size, myRank);
                length = Slices.start(bytes, size, myRank + 1) - start;
                longest = length;
                break;
        }
    }

    @Override
    public int poll()
    {
        switch (phase)
        {
            case READING:
                if (begin >= longest)
                {
                    leave();
                }
                else
                {
                    readWindow();
                    phase = FETCHING;
                }
                return MOVED;

            case FETCHING:
                if (!pending.isIdle())
                {
                    return WAITING;
                }
                combineWindow();
                return MOVED;

            case SYNCHRONISING:
                if (!barrier.poll())
                {
                    return WAITING;
                }
                writeOwnDest();
                begin += window;
                phase = READING;
                return begin < longest ? MOVED : DONE;

            default:
                return hasLeft() ? DONE : WAITING;
        }
    }

    private long windowLength()
    {
        return Math.max(0, Math.min(window, length - begin));
    }

    private void readWindow()
    {
        final long bytes = windowLength();
        for (int rank = 0; rank < operands && bytes > 0; rank++)
        {
            final int region = places.sourceRegion(rank);
            final long offset = places.sourceOffset(rank) + start + begin;
            final long copy = fetched + rank * window;
            if (Region.DEVICE != region && (rank == myRank || mailboxes.isMapped(rank)))
            {
                sources[rank] = rank == myRank ? call.sourceAddress() + start + begin :
                    mailboxes.address(rank, region, offset);
            }
            else
            {
                sources[rank] = copy;
                if (rank == myRank)
                {
                    memory.copy(call.sourceAddress() + start + begin, copy, bytes);
                }
                else
                {
                    mailboxes.getFromAny(rank, region, offset, copy, bytes, pending);
                }
            }
        }
    }

    private void combineWindow()
    {
        final long bytes = windowLength();
        for (long at = 0; at < bytes; at += BLOCK)
        {
            final long count = Math.min(BLOCK, bytes - at) / call.elementBytes();
            if (0 == operands)
            {
                call.reduction().identity(null, result + at, count);
                continue;
            }

            for (int rank = 0; rank < operands; rank++)
            {
                blocks[rank] = sources[rank] + at;
            }
            tree.combine(call.reduction(), blocks, 0, operands, count, result + at, partials);
        }

        if (call.isFinishNeeded())
        {
            call.reduction().finish(result, bytes / call.elementBytes(), size);
        }

        if (isSliced)
        {
            writeSlices(bytes);
            begin += window;
            phase = READING;
        }
        else
        {
            phase = SYNCHRONISING;
            barrier.start();
        }
    }

    private void writeSlices(final long bytes)
    {
        for (int i = 0; i < size && bytes > 0; i++)
        {
            final int rank = (myRank + i) % size;
            if (isRooted && rank != call.root())
            {
                continue;
            }

            if (rank == myRank)
            {
                mailboxes.copy(result, call.destAddress() + start + begin, bytes);
            }
            else
            {
                mailboxes.put(
                    rank, places.destRegion(rank), places.destOffset(rank) + start + begin, result, bytes);
            }
        }
    }

    private void writeOwnDest()
    {
        final long bytes = windowLength();
        if (bytes > 0)
        {
            mailboxes.copy(result, call.destAddress() + begin, bytes);
        }
    }

    /** Notifies the members whose dests this member has written. */
    private void leave()
    {
        for (int i = 1; i < size; i++)
        {
            final int rank = (myRank + i) % size;
            if (!isRooted || rank == call.root())
            {
                mailboxes.putPiece(rank, Region.USER, 0, result, 0);
            }
        }

        phase = LEAVING;
        if (isRooted)
        {
            barrier.start();
        }
    }

    private boolean hasLeft()
    {
        while (arrivedRank < size && (arrivedRank == myRank || mailboxes.missing(arrivedRank) <= 0))
        {
            arrivedRank++;
        }

        return arrivedRank == size && (!isRooted || barrier.poll());
    }
}
