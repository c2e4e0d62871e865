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
package io.aeroshmem.collective.selection;

import io.aeroshmem.collective.algorithm.DeviceExchange;
import io.aeroshmem.collective.algorithm.DeviceReduction;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.OperandPlaces;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * The task of a collective on symmetric memory while a device is attached. Routines that only synchronise, such as
 * barrier, have no operands and do not use this task. Gathers, scatters, and the routines in which sender and receiver
 * both specify a count use the {@link DeviceExchange} instead.
 */
public final class StagedTask extends CollectiveTask
{
    /** Approximate length of the private memory for one operand; more if a slot for each member takes more. */
    private static final long STAGED_BYTES = 4 * PIECE;

    private static final int ALIGNMENT = 64;

    private static final int LOCATING = 0;
    private static final int WHOLE = 1;
    private static final int IN_PIECES = 2;

    /*
     * Each operand of each member is in memory of the host or of the device, and a member knows only the kinds of its
     * own operands. If all operands of all members are in host memory, the call is performed just as when no device is
     * attached. Otherwise there are three ways:
     * - Routines that only move data use the DeviceExchange for long blocks without gaps: the blocks go straight from
     *   source to dest.
     * - Reductions and scans of long blocks use the DeviceReduction, which reads every source, and writes every dest,
     *   where it is.
     * - Other calls, on short blocks or elements with a stride, are performed in pieces. A piece is one range of
     *   elements, taken from every block. A member copies a piece of its source from the device to private memory. An
     *   algorithm that uses only slots of PeerMailboxes performs the call on the piece. Then the member copies the
     *   result to the device. An operand in host memory is not copied if it is one block, or if the piece is the whole
     *   call. Otherwise its piece is copied too. The length of a piece is bounded, and so is the private memory.
     *
     * Steps. All members take the same steps, whatever the kinds of their own operands are:
     * - If the algorithm that the AlgorithmTable selects for the call uses slots alone, and one piece is enough, all
     *   members perform it without exchanging anything first. A member passes its operands in host memory as they are,
     *   and private memory in place of those in device memory. Its peers notice no difference, because they see only
     *   slots.
     * - Otherwise the members first exchange, in slots, the places of their operands: the region and the offset of each
     *   (OperandPlaces). If no operand is in device memory, they perform the algorithm of the table. If any operand is
     *   in device memory, all members use the same one of the three ways. The length of a piece follows from arguments
     *   that are the same on all members.
     * The exchange of places, and the work on each piece, are separate steps of the call. Their signals carry the
     * signature of the call. So members that make other calls are detected just as when no device is attached.
     *
     * Results have the same bits as on the host: the elements of reductions do not depend on each other, and all
     * algorithms evaluate one CanonicalTree.
     *
     * Order of accesses. No peer accesses the operands of this PE while the call is performed in pieces. A piece of
     * dest is written after that piece of every block of source has been read. So dest may be source, or a block of
     * source. The tasks of the other two ways describe their own order.
     *
     * The private memory belongs to the team, so calls of several teams proceed independently.
     */
    private final TeamResources resources;
    private final PeerMailboxes mailboxes;
    private final TeamWorkspace workspace;
    private final AlgorithmSelection selection;
    private final int size;
    private final int myRank;
    private final OperandPlaces places;
    private final CallArguments piece = new CallArguments();
    /** Lengths and positions of the blocks of a piece, by rank. */
    private final long[] counts;
    private final long[] displacements;
    private final long[] ownCounts;
    private final long[] zeros;

    private DeviceReduction reduction;
    private DeviceMemory memory;
    private CallArguments call;
    private CollectiveTask task;
    private int phase;
    private boolean isSourceOfBlocks;
    private boolean isDestOfBlocks;
    private boolean isSourceOnDevice;
    private boolean isDestOnDevice;
    private boolean isDestStaged;
    private long maxPieceBytes;
    /** Position of the piece in each block, and the length that it has in the longest one. */
    private long begin;
    private long length;
    /** Length of all blocks of the piece. */
    private long total;

    StagedTask(final TeamResources resources, final AlgorithmSelection selection)
    {
        this.resources = resources;
        places = new OperandPlaces(resources);
        mailboxes = resources.mailboxes();
        workspace = resources.workspace();
        this.selection = selection;
        size = mailboxes.size();
        myRank = mailboxes.myRank();
        counts = new long[size];
        displacements = new long[size];
        ownCounts = new long[size];
        zeros = new long[size];
    }

    /** Sets the memory of the device of the next call. */
    StagedTask of(final DeviceMemory memory)
    {
        this.memory = memory;
        return this;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        begin = 0;
        isSourceOnDevice = Region.DEVICE == call.sourceRegion();
        isDestOnDevice = Region.DEVICE == call.destRegion();
        locateBlocks(call.routine());
        if (!selection.isSlotsOnly(call) || call.blockBytes() > maxPieceBytes)
        {
            startExchangeOfPlaces();
        }
        else if (isSourceOnDevice || isDestOnDevice)
        {
            startPiece();
        }
        else
        {
            startOnHost();
        }
    }

    private void locateBlocks(final Routine routine)
    {
        isSourceOfBlocks = routine.source().isOfMembers();
        isDestOfBlocks = routine.dest().isOfMembers();
        final int blocks = isSourceOfBlocks || isDestOfBlocks ? size : 1;
        final long slots = STAGED_BYTES / blocks / TeamAreaDescriptor.SLOT_PAYLOAD;
        maxPieceBytes = Math.max(1, slots) * TeamAreaDescriptor.SLOT_PAYLOAD;
    }

    private void startExchangeOfPlaces()
    {
        phase = LOCATING;
        task = selection.task(places.exchange(piece, call));
        task.start(piece);
    }

    private void startOnHost()
    {
        phase = WHOLE;
        task = selection.task(call);
        task.start(call);
    }

    private void startExchange(final Routine routine)
    {
        phase = WHOLE;
        piece.of(routine, call.type(), call.nelems())
            .root(call.root())
            .dest(call.destRegion(), call.destOffset(), call.destAddress())
            .source(call.sourceRegion(), call.sourceOffset(), call.sourceAddress());
        if (Routine.ALLTOALLV != routine)
        {
            // the source is one block, and that of a broadcast is dest too
            for (int rank = 0; rank < size; rank++)
            {
                counts[rank] = call.destByteCount(rank);
                ownCounts[rank] = call.destByteCount(myRank);
                displacements[rank] = Routine.ALLGATHERV == routine ? call.destByteDisplacement(rank) : 0;
            }

            piece.counts(counts, displacements).sourceCounts(ownCounts, zeros);
        }

        task = selection.exchange(memory, call.routine());
        task.start(piece);
    }

    @Override
    public int poll()
    {
        final int result = task.poll();
        if (DONE != result || WHOLE == phase)
        {
            return result;
        }

        if (IN_PIECES == phase)
        {
            if (isDestStaged)
            {
                storeDest();
            }

            begin += length;
            if (begin == call.blockBytes())
            {
                return DONE;
            }
        }

        mailboxes.beginStep();
        if (IN_PIECES == phase)
        {
            startPiece();
        }
        else if (places.isAnyOnDevice())
        {
            startOnDevice();
        }
        else
        {
            startOnHost();
        }

        return MOVED;
    }

    private void startOnDevice()
    {
        switch (call.routine())
        {
            case BROADCAST -> startExchange(Routine.SCATTERV);
            case FCOLLECT -> startExchange(Routine.ALLGATHERV);
            case ALLTOALL -> startExchange(Routine.ALLTOALLV);
            case ALLTOALLS -> startPiece();
            default ->
            {
                phase = WHOLE;
                reduction = null == reduction ? new DeviceReduction(resources) : reduction;
                task = reduction.of(memory, places);
                task.start(call);
            }
        }
    }

    private void startPiece()
    {
        phase = IN_PIECES;
        length = Math.min(maxPieceBytes, call.blockBytes() - begin);
        computeBlocks();
        final boolean isPart = length < call.blockBytes();
        final boolean isSourceStaged = isSourceOnDevice && isSourceRead() || isPart && isSourceOfBlocks;
        isDestStaged = isDestOnDevice || isPart && isDestOfBlocks;

        final long sourceBytes = isSourceStaged ? isSourceOfBlocks ? total : sourceBytes() : 0;
        final long destOffset = (sourceBytes + ALIGNMENT - 1) & -ALIGNMENT;
        final long staging = isSourceStaged || isDestStaged ?
            workspace.pieces(destOffset + (isDestOfBlocks ? total : length)) : 0;
        final long source = isSourceStaged ? staging : call.sourceAddress() + begin;
        long dest = isDestStaged ? staging + destOffset : call.destAddress() + begin;
        if (isSourceStaged)
        {
            loadSource(source);
        }

        if (Routine.BROADCAST == call.routine() && myRank == call.root() && isDestStaged)
        {
            dest = source;
        }

        piece.of(call.routine(), call.reduction(), call.type(), length / call.elementBytes())
            .root(call.root())
            .finishNeeded(call.isFinishNeeded())
            .strides(isDestStaged ? 1 : call.destStride(), isSourceStaged ? 1 : call.sourceStride())
            .local(dest, isSourceRead() ? source : dest);
        if (Routine.FCOLLECT == call.routine())
        {
            piece.counts(counts, displacements);
        }

        if (Routine.REDUCE_SCATTERV == call.routine())
        {
            piece.sourceCounts(counts, displacements);
        }

        task = selection.task(piece);
        task.start(piece);
    }

    /** Computes the lengths of the blocks of the piece, which follow each other without gaps. */
    private void computeBlocks()
    {
        total = 0;
        for (int rank = 0; rank < size; rank++)
        {
            counts[rank] = part(
                Routine.FCOLLECT == call.routine() ? call.destByteCount(rank) : call.sourceByteCount(rank));
            displacements[rank] = total;
            total += counts[rank];
        }
    }

    /** Returns the length of the piece in a block. */
    private long part(final long blockBytes)
    {
        return Math.max(0, Math.min(length, blockBytes - begin));
    }

    private boolean isSourceRead()
    {
        return Routine.BROADCAST != call.routine() || myRank == call.root();
    }

    /** Returns the length of the piece of a source of one block. */
    private long sourceBytes()
    {
        return Routine.FCOLLECT == call.routine() ? counts[myRank] : length;
    }

    /** Returns the length of the piece of a dest of one block. */
    private long destBytes()
    {
        return call.routine().dest().isAtRoot() && myRank != call.root() ? 0 :
            Routine.REDUCE_SCATTERV == call.routine() ? counts[myRank] : length;
    }

    private void loadSource(final long staging)
    {
        if (!isSourceOfBlocks)
        {
            copy(isSourceOnDevice, call.sourceAddress() + begin, staging, sourceBytes());
        }
        else if (length == call.blockBytes() && 1 == call.sourceStride())
        {
            copy(isSourceOnDevice, call.sourceAddress(), staging, total);
        }
        else
        {
            final long step = call.sourceStride() * call.elementBytes();
            for (int rank = 0; rank < size; rank++)
            {
                final long from = call.sourceAddress() +
                    (call.sourceByteDisplacement(rank) + begin) * call.sourceStride();
                copyElements(
                    isSourceOnDevice, from, step, staging + displacements[rank], call.elementBytes(), counts[rank]);
            }
        }
    }

    private void storeDest()
    {
        final long staging = piece.destAddress();
        if (!isDestOfBlocks)
        {
            if (Routine.BROADCAST != call.routine() || myRank != call.root() || !call.isInPlace())
            {
                copy(isDestOnDevice, staging, call.destAddress() + begin, destBytes());
            }
        }
        else if (length == call.blockBytes() && 1 == call.destStride())
        {
            copy(isDestOnDevice, staging, call.destAddress(), total);
        }
        else
        {
            final long step = call.destStride() * call.elementBytes();
            for (int rank = 0; rank < size; rank++)
            {
                final long to = call.destAddress() +
                    (call.destByteDisplacement(rank) + begin) * call.destStride();
                copyElements(
                    isDestOnDevice, staging + displacements[rank], call.elementBytes(), to, step, counts[rank]);
            }
        }
    }

    /** Copies elements with a distance; what is between them is neither read nor written. */
    private void copyElements(
        final boolean isOnDevice,
        final long from,
        final long fromStep,
        final long to,
        final long toStep,
        final long bytes)
    {
        final int elementBytes = call.elementBytes();
        if (fromStep == toStep)
        {
            copy(isOnDevice, from, to, bytes);
            return;
        }

        final long elements = bytes / elementBytes;
        if (isOnDevice)
        {
            memory.copyStrided(from, fromStep, to, toStep, elementBytes, elements);
            return;
        }

        for (long i = 0; i < elements; i++)
        {
            MemoryOps.copy(null, from + i * fromStep, null, to + i * toStep, elementBytes);
        }
    }

    private void copy(final boolean isOnDevice, final long from, final long to, final long bytes)
    {
        if (0 == bytes)
        {
            return;
        }

        if (isOnDevice)
        {
            memory.copy(from, to, bytes);
        }
        else
        {
            MemoryOps.copy(null, from, null, to, bytes);
        }
    }
}
