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

import io.aeroshmem.ReduceOp;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CanonicalTree;
import io.aeroshmem.collective.task.OperandPlaces;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceMemory;

/**
 * A reduction or scan whose operands are in memory of the host or of devices. The kind of memory may differ between
 * operands and between members. {@code StagedTask} uses it for long blocks. A member combines a range of elements in
 * the order of the {@link CanonicalTree}:
 * <ul>
 * <li>in {@code reduce}, and in a reduction to a root, its slice ({@link Slices}) of all sources;</li>
 * <li>in {@code reduceScatter}, its block of all sources;</li>
 * <li>in a scan, all elements of the sources of the members before it and, if the scan is inclusive, of its own.</li>
 * </ul>
 */
public final class DeviceReduction extends MemberTask
{
    /** Length of the blocks that are combined at once, so that they stay in the cache. */
    private static final int BLOCK = 8 * 1024;
    private static final int MIN_WINDOW = 8 * 1024;
    /** Private memory for the windows of all members, unless there are very many. */
    private static final long FETCHED_LIMIT = 4 * 1024 * 1024;
    /** Length of a window that the device stores in a dest, so that a poll remains short. */
    private static final long DEVICE_WINDOW = 16 * 1024 * 1024;
    /** Length of the longest elements: complex numbers and pairs. */
    private static final int MAX_ELEMENT_BYTES = 16;
    private static final long NONE = 0;
    private static final int READING = 0;
    private static final int FETCHING = 1;
    private static final int SYNCHRONISING = 2;
    private static final int LEAVING = 3;

    /*
     * The member proceeds through its range in windows, in one of two ways:
     * - If all sources are in device memory that this PE's device reaches, and the device can combine them, the device
     *   combines a window. It stores the result in a dest that it reaches, or else in a piece of host memory.
     * - Otherwise the member reads the window from all sources, and combines it in private memory. It reads sources in
     *   the host memory of mapped members by loads. It fetches all others through the transports, which reach device
     *   heaps.
     * Then the member copies the result to each dest that needs it and does not have it yet. It reaches the dests of
     * other members through the transports. Both ways give the same bits, so each member chooses its way independently.
     *
     * Order of accesses. A member starts when it has received the places of the operands from all members. At that
     * time, all members have entered the call.
     * - In reduce, only the owner of a slice accesses that slice, in all sources and dests. The owner reads an element
     *   of all sources before it writes that element, so dests may be sources. When an owner has written its last
     *   window, it notifies the other members, by a store with release or by a message that follows its other messages.
     *   A member returns when all other owners have notified it. These notifications show that the other owners have
     *   read the source of this member, and have written their slices of its dest.
     * - In a reduction to a root, the owners notify the root only, and all members end with a barrier.
     * - In other routines a member writes its own dest only. If no member's dest overlaps its source, the members end
     *   with a barrier, which shows that all sources have been read. If a dest overlaps the source of its member, a
     *   write to the dest may change what other members have yet to read. In that case, every member performs a barrier
     *   before it writes a window. After this barrier, all members have read that window of all blocks. The members
     *   know the places of all operands, so they agree on whether to use these barriers, and on the number of windows.
     *
     * Waiting. Some device heaps can be reached only by their owner. A transfer from or to such a heap waits for the
     * owner within a poll, see DeviceExchange. A combination by the device also waits within a poll.
     */
    private final Barrier barrier;
    private final TeamWorkspace workspace;
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
    /** Whether windows are written after barriers. */
    private boolean isSynchronised;
    private boolean isByDevice;
    /** Start of the range in sources, its length, and the length of the longest range of all members. */
    private long start;
    private long length;
    private long longest;
    /** Length of a source. */
    private long sourceBytes;
    /** Position of the window in the range, and its length: the same on all members if they are synchronised. */
    private long begin;
    private long window;
    private long fetchedWindow;
    private long stagedWindow;
    /** Member in whose dest the device stores the result, and the address of the range there, or {@link #NONE}. */
    private int directRank;
    private long directDest;
    /** Piece of host memory for the result of the device, or {@link #NONE}. */
    private long staging;
    private long result;
    private long partials;
    private long fetched;
    private int arrivedRank;

    public DeviceReduction(final TeamResources resources)
    {
        super(resources);
        barrier = resources.barrier();
        workspace = resources.workspace();
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
        staging = NONE;
        fetched = NONE;
        locateRange(call.routine());
        fetchedWindow = PIECE;
        while (fetchedWindow > MIN_WINDOW && size * fetchedWindow > FETCHED_LIMIT)
        {
            fetchedWindow /= 2;
        }

        isByDevice = isReachable();
        directDest = isByDevice ? locateDirectDest() : NONE;
        stagedWindow = isSynchronised ? fetchedWindow : memory.stagingLength() & -MAX_ELEMENT_BYTES;
        isByDevice &= NONE != directDest || stagedWindow <= memory.stagingLength();
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
        isSynchronised = false;
        operands = size;
        start = 0;
        length = bytes;
        longest = bytes;
        sourceBytes = bytes;
        switch (routine)
        {
            case REDUCE_SCATTER, REDUCE_SCATTERV ->
            {
                start = call.sourceByteDisplacement(myRank);
                length = call.sourceByteCount(myRank);
                sourceBytes = lengthOfAllBlocks();
            }

            case INCLUSIVE_SCAN -> operands = myRank + 1;
            case EXCLUSIVE_SCAN -> operands = myRank;
            default ->
            {
                start = Slices.start(bytes, size, myRank);
                length = Slices.start(bytes, size, myRank + 1) - start;
            }
        }

        for (int rank = 0; rank < size && !isSliced && !isSynchronised; rank++)
        {
            isSynchronised = isOverlapping(rank);
        }

        longest = isSynchronised ? longest : length;
    }

    private long lengthOfAllBlocks()
    {
        long end = 0;
        for (int rank = 0; rank < size; rank++)
        {
            end = Math.max(end, call.sourceByteDisplacement(rank) + call.sourceByteCount(rank));
        }

        return end;
    }

    /** Returns whether dest and source of a member have bytes in common, or may have. */
    private boolean isOverlapping(final int rank)
    {
        final long distance = places.destOffset(rank) - places.sourceOffset(rank);
        return places.destRegion(rank) == places.sourceRegion(rank) &&
            distance < sourceBytes && -distance < call.blockBytes();
    }

    /** Returns whether the device reaches all sources by address, and its kernels combine that many of them. */
    private boolean isReachable()
    {
        // a kernel finishes what it combines: of fewer elements than there are members only where that changes nothing
        boolean isReachable =
            operands == size || operands > 0 && call.reduction().op().compareTo(ReduceOp.PROD) <= 0;
        for (int rank = 0; rank < operands && isReachable; rank++)
        {
            isReachable = Region.DEVICE == places.sourceRegion(rank) && mailboxes.hasDeviceAddress(rank);
        }

        return isReachable;
    }

    /** Returns the address of the range in a dest that the device may write when it reads the sources. */
    private long locateDirectDest()
    {
        directRank = isRooted ? call.root() : myRank;
        if (Region.DEVICE != places.destRegion(directRank) || !mailboxes.hasDeviceAddress(directRank) ||
            isSynchronised && isOverlapping(myRank))
        {
            return NONE;
        }

        return mailboxes.deviceAddress(directRank, places.destOffset(directRank)) + (isSliced ? start : 0);
    }

    @Override
    public int poll()
    {
        switch (phase)
        {
            case READING:
                readWindow();
                return MOVED;

            case FETCHING:
                if (!pending.isIdle())
                {
                    return WAITING;
                }

                combineWindow();
                writeWindow();
                return MOVED;

            case SYNCHRONISING:
                if (!barrier.poll())
                {
                    return WAITING;
                }

                writeOwnDest();
                endWindow();
                return begin < longest ? MOVED : DONE;

            default:
                return pollLeave() ? DONE : WAITING;
        }
    }

    private void readWindow()
    {
        if (begin >= longest)
        {
            leave();
            return;
        }

        window = isSynchronised || !isByDevice ? fetchedWindow : NONE == directDest ? stagedWindow : DEVICE_WINDOW;
        if (isByDevice && combineByDevice())
        {
            writeWindow();
            return;
        }

        isByDevice = false;
        directDest = NONE;
        window = fetchedWindow;
        fetchWindow();
        phase = FETCHING;
    }

    private long windowLength()
    {
        return Math.max(0, Math.min(window, length - begin));
    }

    /** Has the device combine the window; returns whether it can. */
    private boolean combineByDevice()
    {
        for (int rank = 0; rank < operands; rank++)
        {
            blocks[rank] = mailboxes.deviceAddress(rank, places.sourceOffset(rank) + start + begin);
        }

        staging = NONE == directDest ? memory.acquireStaging() : NONE;
        result = NONE == directDest ? staging : directDest + begin;
        final boolean isCombined = memory.reduce(
            call.reduction().op().ordinal(),
            call.type().ordinal(),
            result,
            blocks,
            operands,
            windowLength() / call.elementBytes());
        if (!isCombined)
        {
            releaseStaging();
        }

        return isCombined;
    }

    private void releaseStaging()
    {
        if (NONE != staging)
        {
            memory.releaseStaging(staging);
            staging = NONE;
        }
    }

    private void fetchWindow()
    {
        if (NONE == fetched)
        {
            final long partialsLength = CanonicalTree.workspaceLength(size, BLOCK);
            result = workspace.partials(window + partialsLength + size * window);
            partials = result + window;
            fetched = partials + partialsLength;
        }

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
    }

    private void writeWindow()
    {
        if (isSynchronised)
        {
            phase = SYNCHRONISING;
            barrier.start();
            return;
        }

        if (isSliced)
        {
            writeSlices();
        }
        else
        {
            writeOwnDest();
        }

        endWindow();
    }

    private void endWindow()
    {
        releaseStaging();
        begin += window;
        phase = READING;
    }

    private void writeSlices()
    {
        final long bytes = windowLength();
        for (int i = 0; i < size && bytes > 0; i++)
        {
            final int rank = (myRank + i) % size;
            if (isRooted && rank != call.root() || NONE != directDest && rank == directRank)
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
        if (bytes > 0 && NONE == directDest)
        {
            mailboxes.copy(result, call.destAddress() + begin, bytes);
        }
    }

    /** Notifies the members whose dests this member has written, or begins the barrier that the call ends with. */
    private void leave()
    {
        for (int i = 1; i < size && isSliced; i++)
        {
            final int rank = (myRank + i) % size;
            if (!isRooted || rank == call.root())
            {
                mailboxes.putPiece(rank, Region.USER, 0, NONE, 0);
            }
        }

        phase = LEAVING;
        if (isRooted || !isSliced)
        {
            barrier.start();
        }
    }

    private boolean pollLeave()
    {
        while (arrivedRank < size && (arrivedRank == myRank || mailboxes.missing(arrivedRank) <= 0))
        {
            arrivedRank++;
        }

        return arrivedRank == size && (isSliced && !isRooted || barrier.poll());
    }
}
