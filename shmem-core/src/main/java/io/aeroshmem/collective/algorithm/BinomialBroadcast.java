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
import io.aeroshmem.collective.task.CollectiveTask;
import io.aeroshmem.collective.task.Group;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;

/**
 * A broadcast along a binomial tree, in slots of {@link PeerMailboxes}. In a team of {@code n} members it takes
 * {@code log2(n)} hops. A block that is longer than a slot goes in segments. For each segment, a member sends at most
 * {@code log2(n)} messages, and receives at most as many acknowledgements.
 * <p>
 * Members are counted from the root. The parent of member {@code v} is {@code v} without its lowest set bit. The
 * children of {@code v} are {@code v + 2^k} for all {@code 2^k} below that bit; those of the root are all {@code 2^k}
 * below {@code n}. A member sends to the farthest child first, because that child has the largest subtree. A member
 * passes segments on as they arrive, so all edges of the tree are busy at once.
 */
public final class BinomialBroadcast extends CollectiveTask
{
    private static final int NO_RANK = -1;
    private static final int MAX_CHILDREN = 31;

    /*
     * Slots. A reader sends its parent no slot from which the parent could conclude that an earlier slot has been
     * consumed. So slots are acknowledged, and a slot is overwritten only when its reader has acknowledged it. (The
     * broadcast in BinomialReduce needs no acknowledgements if a block fits a slot: the slot that a child sends up in a
     * later step shows that the child has consumed the earlier slot.) The root is done when its last slots are written.
     * So the root may be some calls ahead of a slow member, until a mailbox is full.
     *
     * Waiting. A member waits for slots of its parent, and for room in the mailboxes to its children. It copies the
     * contents of slots to dest, so it consumes slots even while it has no room to pass them on. So every member in the
     * call makes room for its parent, and every wait ends once the members that are waited for have entered the call. A
     * member in one call waits only for members in that call or an earlier one. So calls with different roots follow
     * each other without deadlock. Slots of a mailbox are numbered, and all members know how many slots pass through it
     * in a call, so no call consumes a slot of a later call.
     *
     * The task can also be a phase of another task, and broadcast in a group of the team. The other task then calls a
     * start method that takes the root's index. The broadcast belongs to the step that the other task is in.
     */
    private final PeerMailboxes mailboxes;
    private final Group group;
    private final int size;
    private final int myIndex;
    private final int[] children = new int[MAX_CHILDREN];
    private final long[] sentBytes = new long[MAX_CHILDREN];

    private int rootIndex = NO_RANK;
    private int parent;
    private int childCount;

    private long sourceAddress;
    private long destAddress;
    private long length;
    private boolean isAcknowledged;

    private boolean isOneSlot;
    private boolean isReceived;
    private int nextChild;

    private long availableBytes;
    private long copiedBytes;
    private int pendingChildren;

    public BinomialBroadcast(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /** Constructs the task for a group of members that includes this PE. */
    public BinomialBroadcast(final TeamResources resources, final Group group)
    {
        mailboxes = resources.mailboxes();
        this.group = group;
        size = group.size();
        myIndex = group.myIndex();
    }

    @Override
    public void start(final CallArguments call)
    {
        final int root = call.root();
        start(
            size == mailboxes.size() ? root : group.index(root),
            call.sourceAddress(),
            call.destAddress(),
            call.blockBytes());
    }

    /**
     * Starts a broadcast in the group within the current step.
     *
     * @param sourceAddress of the root's block; ignored on others.
     * @param destAddress   of the block on this PE; on the root it may be the source.
     * @param length        of the block in bytes, the same on all members, 1 or more.
     */
    public void start(final int rootIndex, final long sourceAddress, final long destAddress, final long length)
    {
        start(rootIndex, sourceAddress, destAddress, length, true);
    }

    /**
     * Starts a broadcast in the group whose slots need no acknowledgement, because there is one slot, and each member
     * sends its parent a slot in the same step.
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
            buildTree(rootIndex);
        }

        this.destAddress = destAddress;
        this.length = length;
        isOneSlot = length <= TeamAreaDescriptor.SLOT_PAYLOAD;
        if (isOneSlot)
        {
            startSlot(sourceAddress);
            return;
        }

        pendingChildren = childCount;
        for (int i = 0; i < childCount; i++)
        {
            sentBytes[i] = 0;
        }

        if (NO_RANK == parent)
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

    private void startSlot(final long sourceAddress)
    {
        nextChild = 0;
        isReceived = NO_RANK == parent;
        if (isReceived)
        {
            this.sourceAddress = sourceAddress;
            passOnSlot();
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

    private void buildTree(final int rootIndex)
    {
        this.rootIndex = rootIndex;
        final int distance = (myIndex - rootIndex + size) % size;
        final int lowestBit = Integer.lowestOneBit(distance);
        parent = 0 == distance ? NO_RANK : rankAt(distance - lowestBit);
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
        return isOneSlot ? pollSlot() : pollSegments();
    }

    private int pollSlot()
    {
        if (!isReceived)
        {
            final long block = mailboxes.tryReceive(parent);
            if (0 == block)
            {
                return WAITING;
            }

            LocalCopy.copy(block, destAddress, length);
            mailboxes.consume(parent, isAcknowledged);
            isReceived = true;
        }

        return passOnSlot() ? DONE : WAITING;
    }

    private boolean passOnSlot()
    {
        while (nextChild < childCount)
        {
            if (!mailboxes.trySend(children[nextChild], null, sourceAddress, (int)length, isAcknowledged))
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

        if (pendingChildren > 0)
        {
            isMoved |= send();
        }

        if (copiedBytes < length)
        {
            isMoved = true;
            copy();
        }

        if (availableBytes == length && 0 == pendingChildren && copiedBytes == length)
        {
            return DONE;
        }

        return isMoved ? MOVED : WAITING;
    }

    private boolean receive()
    {
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && availableBytes < length; i++)
        {
            final long block = mailboxes.tryReceive(parent);
            if (0 == block)
            {
                break;
            }

            final int bytes = segmentBytes(availableBytes);
            LocalCopy.copy(block, destAddress + availableBytes, bytes);
            mailboxes.consume(parent, isAcknowledged);
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
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && sent < availableBytes; i++)
        {
            final int bytes = segmentBytes(sent);
            if (!mailboxes.trySend(children[child], null, sourceAddress + sent, bytes, isAcknowledged))
            {
                break;
            }

            sent += bytes;
        }

        sentBytes[child] = sent;
        if (sent == length)
        {
            pendingChildren--;
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
        return (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, length - begin);
    }
}
