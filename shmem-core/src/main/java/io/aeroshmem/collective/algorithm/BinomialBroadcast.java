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

import io.aeroshmem.collective.CollectiveCall;
import io.aeroshmem.collective.CollectiveMachine;
import io.aeroshmem.collective.Group;
import io.aeroshmem.collective.Lanes;
import io.aeroshmem.collective.TeamAreaDescriptor;
import io.aeroshmem.collective.TeamResources;

/**
 * A broadcast along a binomial tree, in cells: {@code log2(n)} hops, and at most {@code log2(n)} messages and as many
 * acknowledgements per member and segment. Counted from the root, member {@code v} hears from {@code v} without its
 * lowest bit, and tells {@code v + 2^k} for all {@code 2^k} below its lowest bit, the farthest first, since that one
 * has most to pass on. Longer blocks go in segments, which a member passes on as they arrive, so that all edges of the
 * tree are busy at once.
 * <p>
 * Members answer nothing, so cells are acknowledged, and one is written again only when its reader has said that it
 * has taken it. A root is done when its last cells are written; it may be some calls ahead of a slow member, until a
 * lane is full.
 * <p>
 * A member waits for cells of its parent and, with cells taken that it could not pass on, for room on the lanes to its
 * children. It takes cells whether or not it has room to pass them on, as they go to dest. So a leaf always makes room
 * for its parent, which then does for its own, up to the root. What a member waits for in one call depends only on
 * members that are in that call or an earlier one, and a call that some member has yet to leave does not depend on
 * later ones; so trees of different roots follow each other without deadlock. Cells of a lane are numbered, and all
 * members know how many go over it in a call, so what a lane carries for a later call waits for that.
 * <p>
 * It serves a group of the team too, as a phase of another machine, which then calls {@link #start(int, long, long,
 * long)}. It begins no step.
 */
public final class BinomialBroadcast extends CollectiveMachine
{
    private static final int NOBODY = -1;
    private static final int MAX_CHILDREN = 31;

    private final Lanes lanes;
    private final Group group;
    private final int size;
    private final int myIndex;
    private final int[] children = new int[MAX_CHILDREN];
    private final long[] sentBytes = new long[MAX_CHILDREN];

    private int rootIndex = NOBODY;
    private int parent;
    private int childCount;

    private long sourceAddress;
    private long destAddress;
    private long length;
    private boolean isAcknowledged;

    private boolean isOneCell;
    private boolean isReceived;
    private int nextChild;

    private long availableBytes;
    private long copiedBytes;
    private int unsatisfied;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public BinomialBroadcast(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /**
     * Construct the machine of a group.
     *
     * @param resources of the team.
     * @param group     of members; this PE is one.
     */
    public BinomialBroadcast(final TeamResources resources, final Group group)
    {
        lanes = resources.lanes();
        this.group = group;
        size = group.size();
        myIndex = group.myIndex();
    }

    @Override
    public void start(final CollectiveCall call)
    {
        final int root = call.root();
        start(
            size == lanes.size() ? root : group.index(root),
            call.sourceAddress(),
            call.destAddress(),
            call.blockBytes());
    }

    /**
     * Begin a broadcast in the group, within a step that has begun.
     *
     * @param rootIndex     index of the root in the group.
     * @param sourceAddress of the root's block; of no meaning on others.
     * @param destAddress   where the block goes on this PE; on the root it may be the source.
     * @param length        of the block, in bytes, the same on all members, 1 or more.
     */
    public void start(final int rootIndex, final long sourceAddress, final long destAddress, final long length)
    {
        start(rootIndex, sourceAddress, destAddress, length, true);
    }

    /**
     * Begin a broadcast in the group, of which the machine that it is a phase of knows that cells need no
     * acknowledgement: there is one, and each member sends its parent a cell in the same step.
     */
    void start(
        final int rootIndex,
        final long sourceAddress,
        final long destAddress,
        final long length,
        final boolean isAcknowledged)
    {
        this.isAcknowledged = isAcknowledged;
        if (this.rootIndex != rootIndex)
        {
            plantTree(rootIndex);
        }

        this.destAddress = destAddress;
        this.length = length;
        isOneCell = length <= TeamAreaDescriptor.CELL_PAYLOAD;
        if (isOneCell)
        {
            startCell(sourceAddress);
            return;
        }

        unsatisfied = childCount;
        for (int i = 0; i < childCount; i++)
        {
            sentBytes[i] = 0;
        }

        if (NOBODY == parent)
        {
            this.sourceAddress = sourceAddress;
            availableBytes = length;
            copiedBytes = sourceAddress == destAddress ? length : 0;
            send();
        }
        else
        {
            this.sourceAddress = destAddress;
            availableBytes = 0;
            copiedBytes = length;
        }
    }

    private void startCell(final long sourceAddress)
    {
        nextChild = 0;
        isReceived = NOBODY == parent;
        if (isReceived)
        {
            this.sourceAddress = sourceAddress;
            passOnCell();
            if (sourceAddress != destAddress)
            {
                LocalCopy.copy(sourceAddress, destAddress, length);
            }
        }
        else
        {
            this.sourceAddress = destAddress;
        }
    }

    private void plantTree(final int rootIndex)
    {
        this.rootIndex = rootIndex;
        final int distance = (myIndex - rootIndex + size) % size;
        final int lowestBit = Integer.lowestOneBit(distance);
        parent = 0 == distance ? NOBODY : rankAt(distance - lowestBit);
        childCount = 0;
        int reach = 0 == distance ? Integer.highestOneBit(size) : lowestBit >> 1;
        for (; reach > 0; reach >>= 1)
        {
            if (distance + reach < size)
            {
                children[childCount++] = rankAt(distance + reach);
            }
        }
    }

    private int rankAt(final int distance)
    {
        return group.rank((rootIndex + distance) % size);
    }

    @Override
    public int poll()
    {
        return isOneCell ? pollCell() : pollSegments();
    }

    private int pollCell()
    {
        if (!isReceived)
        {
            final long block = lanes.tryReceive(parent);
            if (0 == block)
            {
                return WAITING;
            }

            LocalCopy.copy(block, destAddress, length);
            lanes.take(parent, isAcknowledged);
            isReceived = true;
        }

        return passOnCell() ? DONE : WAITING;
    }

    private boolean passOnCell()
    {
        while (nextChild < childCount)
        {
            if (!lanes.trySend(children[nextChild], null, sourceAddress, (int)length, isAcknowledged))
            {
                return false;
            }

            nextChild++;
        }

        return true;
    }

    private int pollSegments()
    {
        boolean isMoved = false;
        if (availableBytes < length)
        {
            isMoved = receive();
        }

        if (unsatisfied > 0)
        {
            isMoved |= send();
        }

        if (copiedBytes < length)
        {
            isMoved = true;
            copy();
        }

        if (availableBytes == length && 0 == unsatisfied && copiedBytes == length)
        {
            return DONE;
        }

        return isMoved ? MOVED : WAITING;
    }

    private boolean receive()
    {
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.CELLS && availableBytes < length; i++)
        {
            final long block = lanes.tryReceive(parent);
            if (0 == block)
            {
                break;
            }

            final int bytes = segmentBytes(availableBytes);
            LocalCopy.copy(block, destAddress + availableBytes, bytes);
            lanes.take(parent, isAcknowledged);
            availableBytes += bytes;
            isMoved = true;
        }

        return isMoved;
    }

    private boolean send()
    {
        boolean isMoved = false;
        for (int i = 0; i < childCount; i++)
        {
            if (sentBytes[i] < availableBytes)
            {
                isMoved |= send(i);
            }
        }

        return isMoved;
    }

    private boolean send(final int child)
    {
        final long before = sentBytes[child];
        long sent = before;
        for (int i = 0; i < TeamAreaDescriptor.CELLS && sent < availableBytes; i++)
        {
            final int bytes = segmentBytes(sent);
            if (!lanes.trySend(children[child], null, sourceAddress + sent, bytes, isAcknowledged))
            {
                break;
            }

            sent += bytes;
        }

        sentBytes[child] = sent;
        if (sent == length)
        {
            unsatisfied--;
        }

        return sent != before;
    }

    private void copy()
    {
        final long bytes = Math.min(PIECE, length - copiedBytes);
        LocalCopy.copy(sourceAddress + copiedBytes, destAddress + copiedBytes, bytes);
        copiedBytes += bytes;
    }

    private int segmentBytes(final long begin)
    {
        return (int)Math.min(TeamAreaDescriptor.CELL_PAYLOAD, length - begin);
    }
}
