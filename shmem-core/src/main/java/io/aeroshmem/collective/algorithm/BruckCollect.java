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
import io.aeroshmem.collective.task.TeamWorkspace;
import org.agrona.UnsafeApi;

/**
 * A collection by dissemination (Bruck's algorithm), in slots of {@link PeerMailboxes}. In a team of {@code n} members
 * it takes {@code log2(n)} hops. If half of the blocks fit in one slot together, a member sends {@code log2(n)}
 * messages, instead of the {@code n - 1} of {@link FlatCollect}.
 * <p>
 * Before round {@code k} a member has its own block and those of the next {@code 2^k - 1} members. It sends them to the
 * member {@code 2^k} before it, and receives as many blocks from the member {@code 2^k} after it. The last round moves
 * only the missing blocks. Blocks are stored directly in dest, where they are contiguous in the order of ranks. So a
 * round sends a range of dest, which may wrap around; a slot whose contents wrap is assembled first. The blocks may
 * differ in length, and all members know the lengths.
 */
public final class BruckCollect extends CollectiveTask
{
    /*
     * Slots. A mailbox is used in one round only. In each round a member sends one or more slots. If a round takes a
     * single slot, this slot is not acknowledged, for the following reason. At the end of a step, a member has the
     * block of every other member. So all members have begun that step, and have consumed the slots of earlier steps.
     * Hence at most one such slot of a mailbox, that of the step just ended, may still be unconsumed when the next step
     * begins. A mailbox has several slots, so it has room for another. If a round takes several slots, these are
     * acknowledged, and each is overwritten only when its reader has acknowledged it.
     *
     * Waiting. Within a round, a member sends and consumes slots independently. So no deadlock is possible;
     * BruckAlltoall gives the proof, which holds here too.
     *
     * The task can also be a phase of another task, and collect within a group of the team. The other task then calls
     * start(long, long[], long), which begins no step. Each member of the group has one block. What is said above about
     * slots and waiting holds within the group.
     */
    private final PeerMailboxes mailboxes;
    private final TeamWorkspace workspace;
    private final Group group;
    private final int size;
    private final int myIndex;

    private CallArguments call;
    private long[] begins;
    private long destAddress;
    private long totalBytes;
    private long staging;

    private int distance;
    private int target;
    private int origin;
    private long sendBegin;
    private long sendBytes;
    private long sentBytes;
    private boolean isSent;
    private long receiveBegin;
    private long receiveBytes;
    private long receivedBytes;
    private boolean isReceived;

    public BruckCollect(final TeamResources resources)
    {
        this(resources, resources.everyone());
    }

    /** Constructs the task for a group of members that includes this PE. */
    BruckCollect(final TeamResources resources, final Group group)
    {
        mailboxes = resources.mailboxes();
        workspace = resources.workspace();
        this.group = group;
        size = group.size();
        myIndex = group.myIndex();
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        begins = null;
        destAddress = call.destAddress();
        totalBytes = begin(size - 1) + call.destByteCount(size - 1);
        staging = workspace.partials(TeamAreaDescriptor.SLOT_PAYLOAD);
        final long own = destAddress + begin(myIndex);
        if (own != call.sourceAddress())
        {
            LocalCopy.copy(call.sourceAddress(), own, call.destByteCount(myIndex));
        }

        startRound(1);
    }

    /**
     * Starts a collection in the group within the current step. The own block is in its place already.
     *
     * @param address of the blocks, which follow each other in the order of the group.
     * @param begins  position of each block in bytes, by index, then their total length; the same on all members, not
     *                to be changed until the task is done.
     * @param staging address of memory for one slot.
     */
    void start(final long address, final long[] begins, final long staging)
    {
        this.begins = begins;
        destAddress = address;
        totalBytes = begins[size];
        this.staging = staging;
        startRound(1);
    }

    @Override
    public int poll()
    {
        if (distance >= size)
        {
            return DONE;
        }

        final boolean isMoved = send() | receive();
        if (!isSent || !isReceived)
        {
            return isMoved ? MOVED : WAITING;
        }

        startRound(distance << 1);
        if (distance < size)
        {
            return MOVED;
        }

        for (int i = 1; i < size; i <<= 1)
        {
            mailboxes.onActivity(rankAt(myIndex - i + size));
        }

        return DONE;
    }

    private void startRound(final int distance)
    {
        this.distance = distance;
        if (distance >= size)
        {
            return;
        }

        target = rankAt(myIndex - distance + size);
        origin = rankAt(myIndex + distance);
        final int originIndex = (myIndex + distance) % size;
        final int blocks = Math.min(distance, size - distance);
        sendBegin = begin(myIndex);
        sendBytes = length(myIndex, blocks);
        sentBytes = 0;
        isSent = false;
        receiveBegin = begin(originIndex);
        receiveBytes = length(originIndex, blocks);
        receivedBytes = 0;
        isReceived = false;
        send();
    }

    private int rankAt(final int index)
    {
        return group.rank(index % size);
    }

    private long begin(final int index)
    {
        return null == begins ? call.destByteDisplacement(index) : begins[index];
    }

    /** Returns the length of the blocks of a number of members from an index on. */
    private long length(final int index, final int blocks)
    {
        final int end = index + blocks;
        if (end < size)
        {
            return begin(end) - begin(index);
        }

        return totalBytes - begin(index) + (end == size ? 0 : begin(end - size));
    }

    private boolean send()
    {
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && !isSent; i++)
        {
            final int bytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, sendBytes - sentBytes);
            final boolean isAcknowledged = sendBytes > TeamAreaDescriptor.SLOT_PAYLOAD;
            if (!mailboxes.trySend(target, null, contiguous(sendBegin + sentBytes, bytes), bytes, isAcknowledged))
            {
                break;
            }

            sentBytes += bytes;
            isSent = sentBytes == sendBytes;
            isMoved = true;
        }

        return isMoved;
    }

    private boolean receive()
    {
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && !isReceived; i++)
        {
            final long slot = mailboxes.tryReceive(origin);
            if (0 == slot)
            {
                break;
            }

            final int bytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, receiveBytes - receivedBytes);
            store(slot, receiveBegin + receivedBytes, bytes);
            mailboxes.consume(origin, receiveBytes > TeamAreaDescriptor.SLOT_PAYLOAD);
            receivedBytes += bytes;
            isReceived = receivedBytes == receiveBytes;
            isMoved = true;
        }

        return isMoved;
    }

    /** Returns the address of a range of dest, which is assembled in private memory if it wraps around. */
    private long contiguous(final long position, final int bytes)
    {
        final long begin = position < totalBytes ? position : position - totalBytes;
        final long first = totalBytes - begin;
        if (bytes <= first)
        {
            return destAddress + begin;
        }

        UnsafeApi.copyMemory(destAddress + begin, staging, first);
        UnsafeApi.copyMemory(destAddress, staging + first, bytes - first);
        return staging;
    }

    private void store(final long slot, final long position, final int bytes)
    {
        final long begin = position < totalBytes ? position : position - totalBytes;
        final long first = Math.min(bytes, totalBytes - begin);
        LocalCopy.copy(slot, destAddress + begin, first);
        if (first < bytes)
        {
            UnsafeApi.copyMemory(slot + first, destAddress, bytes - first);
        }
    }
}
