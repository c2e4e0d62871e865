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
import io.aeroshmem.collective.task.Group;
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.collective.task.Topology;

/**
 * A collect over the hosts of a team, in slots of {@link PeerMailboxes}. The leader of a host is its member of the
 * lowest rank. There are three phases:
 * <ol>
 * <li>upwards: the members of a host send their blocks to its leader;</li>
 * <li>across: the leaders exchange the blocks of their hosts by {@link BruckCollect};</li>
 * <li>downwards: each leader sends all blocks to the members of its host by {@link BinomialBroadcast}.</li>
 * </ol>
 * Only leaders send to another host: each sends to about {@code log2(h)} leaders, for {@code h} hosts.
 * <p>
 * A leader arranges the blocks by host. If this is also the order of ranks, it collects the blocks in dest. Otherwise
 * it collects them in private memory, and copies them to dest in the order of ranks before it sends them down. So hosts
 * may have any number of members, of any ranks, and blocks may differ in length.
 */
public final class TwoLevelCollect extends MemberTask
{
    private static final int UP = 0;
    private static final int ACROSS = 1;
    private static final int DOWN = 2;
    private static final long COMPLETE = -1;

    /*
     * Slots. All phases belong to one step of the mailboxes. A mailbox is used in one phase only: upwards from a member
     * to its leader, across between leaders, and downwards from a member to its children, in a tree whose root is the
     * leader. Upwards, a member sends at least one slot. A single slot is not acknowledged: the blocks that come down
     * show that the leader has begun this step, and so has consumed the slots of earlier steps. If a block takes
     * several slots, they are acknowledged. So are the slots downwards. Across, a slot is acknowledged if a round takes
     * several slots. A single slot need not be, for the reason that BruckCollect gives, with leaders as the members.
     *
     * Waiting. The phases follow each other in the same order on all members. A member leaves a phase only when it has
     * sent all its slots of that phase. So no member waits for a slot from a member that is in a later phase. Upwards,
     * a leader consumes the slots of its members as they come, in any order, so every member eventually has room in its
     * mailbox at the leader. Across, only leaders wait for leaders, as in BruckCollect. Downwards, members wait as in
     * BinomialBroadcast.
     */
    private final TeamWorkspace workspace;
    private final Group locals;
    private final int leader;
    private final boolean isLeader;
    private final BruckCollect across;
    private final BinomialBroadcast down;

    /** Ranks of the members in the order of hosts, and on a host ascending. */
    private final int[] order;
    private final boolean isOrderOfRanks;
    private final int[] hostOf;
    /** Position of the block of each member, by rank, and of the blocks of each host, in the order of hosts. */
    private final long[] positions;
    private final long[] hostBegins;
    /** Bytes received of the block of each member of the host, by index, or {@link #COMPLETE}. */
    private final long[] receivedBytes;

    private CallArguments call;
    private int phase;
    private long totalBytes;
    private long blocks;
    private long staging;
    private long sentBytes;
    private int pending;

    public TwoLevelCollect(final TeamResources resources)
    {
        super(resources);
        workspace = resources.workspace();
        final Topology topology = resources.topology();
        locals = topology.localsOf(myRank);
        leader = locals.rank(0);
        isLeader = leader == myRank;
        across = isLeader ? new BruckCollect(resources, topology.leadersFor(myRank)) : null;
        down = new BinomialBroadcast(resources, locals);

        order = new int[size];
        hostOf = new int[size];
        int length = 0;
        for (int host = 0; host < topology.hosts(); host++)
        {
            for (final int rank : topology.membersOf(host))
            {
                hostOf[rank] = host;
                order[length++] = rank;
            }
        }

        isOrderOfRanks = isAscending(order);
        positions = new long[size];
        hostBegins = new long[topology.hosts() + 1];
        receivedBytes = new long[locals.size()];
    }

    private static boolean isAscending(final int[] ranks)
    {
        for (int i = 0; i < ranks.length; i++)
        {
            if (i != ranks[i])
            {
                return false;
            }
        }

        return true;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        totalBytes = call.destByteDisplacement(size - 1) + call.destByteCount(size - 1);
        phase = UP;
        if (isLeader)
        {
            startLeader();
        }
        else
        {
            sentBytes = 0;
            pending = 1;
            send();
        }
    }

    private void startLeader()
    {
        final int room = TeamAreaDescriptor.SLOT_PAYLOAD;
        staging = workspace.partials(isOrderOfRanks ? room : room + totalBytes);
        blocks = isOrderOfRanks ? call.destAddress() : staging + room;
        place();

        pending = locals.size() - 1;
        for (int i = 1; i <= pending; i++)
        {
            receivedBytes[i] = 0;
        }

        final long own = blocks + positions[myRank];
        if (own != call.sourceAddress())
        {
            LocalCopy.copy(call.sourceAddress(), own, call.destByteCount(myRank));
        }
    }

    /** Determines the places of the blocks in the order of hosts. */
    private void place()
    {
        long position = 0;
        int next = 0;
        for (final int rank : order)
        {
            if (hostOf[rank] == next)
            {
                hostBegins[next++] = position;
            }

            positions[rank] = position;
            position += call.destByteCount(rank);
        }

        hostBegins[next] = position;
    }

    @Override
    public int poll()
    {
        if (UP == phase)
        {
            final boolean isMoved = isLeader ? receive() : send();
            if (pending > 0)
            {
                return isMoved ? MOVED : WAITING;
            }

            startAcross();
        }

        if (ACROSS == phase)
        {
            final int result = across.poll();
            if (DONE != result)
            {
                return result;
            }

            startDown();
        }

        final int result = down.poll();
        if (DONE == result && !isLeader)
        {
            mailboxes.onActivity(leader);
        }

        return result;
    }

    /** Sends this PE's block to the leader. */
    private boolean send()
    {
        final long length = call.destByteCount(myRank);
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && pending > 0; i++)
        {
            final int bytes = slotBytes(length, sentBytes);
            if (!mailboxes.trySend(leader, null, call.sourceAddress() + sentBytes, bytes, isAcknowledged(length)))
            {
                break;
            }

            sentBytes += bytes;
            pending = sentBytes == length ? 0 : 1;
            isMoved = true;
        }

        return isMoved;
    }

    /** Receives the blocks of the host. */
    private boolean receive()
    {
        boolean isMoved = false;
        for (int i = 1; i < receivedBytes.length && pending > 0; i++)
        {
            if (COMPLETE != receivedBytes[i])
            {
                isMoved |= receive(i);
            }
        }

        return isMoved;
    }

    private boolean receive(final int index)
    {
        final int rank = locals.rank(index);
        final long length = call.destByteCount(rank);
        final long block = blocks + positions[rank];
        boolean isMoved = false;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && COMPLETE != receivedBytes[index]; i++)
        {
            final long slot = mailboxes.tryReceive(rank);
            if (0 == slot)
            {
                break;
            }

            final int bytes = slotBytes(length, receivedBytes[index]);
            LocalCopy.copy(slot, block + receivedBytes[index], bytes);
            mailboxes.consume(rank, isAcknowledged(length));
            receivedBytes[index] += bytes;
            if (receivedBytes[index] == length)
            {
                receivedBytes[index] = COMPLETE;
                pending--;
            }

            isMoved = true;
        }

        return isMoved;
    }

    private void startAcross()
    {
        if (isLeader)
        {
            phase = ACROSS;
            across.start(blocks, hostBegins, staging);
        }
        else
        {
            startDown();
        }
    }

    private void startDown()
    {
        phase = DOWN;
        final long dest = call.destAddress();
        if (isLeader && !isOrderOfRanks)
        {
            for (int rank = 0; rank < size; rank++)
            {
                LocalCopy.copy(
                    blocks + positions[rank], dest + call.destByteDisplacement(rank), call.destByteCount(rank));
            }
        }

        down.start(0, dest, dest, totalBytes);
    }

    private static int slotBytes(final long length, final long movedBytes)
    {
        return (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, length - movedBytes);
    }

    private static boolean isAcknowledged(final long length)
    {
        return length > TeamAreaDescriptor.SLOT_PAYLOAD;
    }
}
