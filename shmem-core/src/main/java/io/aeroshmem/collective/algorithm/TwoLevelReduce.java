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
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.Topology;

/**
 * A reduction over the hosts of a team, in slots of {@link io.aeroshmem.collective.task.PeerMailboxes}: up a tree to
 * the leader of each host, among the leaders, and down the tree of each host. The leader of a host is its member of the
 * lowest rank. Only leaders send to another host, about {@code log2(h)} messages each, for {@code h} hosts.
 * <p>
 * The order of combination is that of the {@link io.aeroshmem.collective.task.CanonicalTree} if the ranks of each host
 * are adjacent, and all hosts have the same number of members, a power of two. (The last host may have fewer members.)
 * Each subtree of the canonical tree then lies within one host, or consists of whole hosts. The phase within a host and
 * the phase among leaders both evaluate the canonical tree of their inputs.
 */
public final class TwoLevelReduce extends CollectiveTask
{
    private static final int UP = 0;
    private static final int ACROSS = 1;
    private static final int DOWN = 2;

    /*
     * Slots. Two members of a host that are neighbours in its tree send each other slots only within that tree, on the
     * way up and on the way down. Two leaders send each other slots only in the phase among leaders. So the phases do
     * not mix on any pair of members, and each pair uses its slots as BinomialReduce, BinomialBroadcast or
     * RecursiveDoubling describes: either each member of the pair sends one slot to the other in a step, or slots are
     * acknowledged.
     */
    private final BinomialReduce up;
    private final BinomialBroadcast down;
    private final RecursiveDoubling exchange;
    private final BinomialReduce tree;
    private final boolean isLeader;

    private CallArguments call;
    private int phase;

    public TwoLevelReduce(final TeamResources resources)
    {
        final Topology topology = resources.topology();
        final Group locals = topology.localsOf(resources.mailboxes().myRank());
        final Group leaders = topology.leadersFor(resources.mailboxes().myRank());
        isLeader = 0 == locals.myIndex();
        up = new BinomialReduce(resources, locals);
        down = new BinomialBroadcast(resources, locals);
        final boolean isPowerOfTwo = 1 == Integer.bitCount(leaders.size());
        exchange = isLeader && isPowerOfTwo ? new RecursiveDoubling(resources, leaders) : null;
        tree = isLeader && !isPowerOfTwo ? new BinomialReduce(resources, leaders) : null;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        phase = UP;
        up.startUp(call, call.sourceAddress(), call.destAddress());
    }

    @Override
    public int poll()
    {
        if (UP == phase)
        {
            final int result = up.pollUp();
            if (DONE != result)
            {
                return result;
            }

            startAcross();
        }

        if (ACROSS == phase)
        {
            final int result = null != exchange ? exchange.poll() : tree.poll();
            if (DONE != result)
            {
                return result;
            }

            startDown();
        }

        return down.poll();
    }

    private void startAcross()
    {
        if (!isLeader)
        {
            startDown();
            return;
        }

        phase = ACROSS;
        final long result = call.destAddress();
        if (null != exchange)
        {
            exchange.start(call, result, result);
        }
        else
        {
            tree.start(call, result, result);
        }
    }

    private void startDown()
    {
        phase = DOWN;
        up.startDown(down);
    }
}
