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
 * A broadcast over the hosts of a team, in slots of {@link io.aeroshmem.collective.task.PeerMailboxes}. The leader of a
 * host is its member of the lowest rank. The root sends to the members of its own host. The leader of that host sends
 * to the other leaders, and each of these sends to the members of its own host. Only leaders send to another host. Long
 * blocks go in sections, so that all levels are busy at once.
 */
public final class TwoLevelBroadcast extends CollectiveTask
{
    private static final int SECTION = 8 * 1024;

    /*
     * Waiting. Sections follow each other without deadlock, as successive calls of BinomialBroadcast do: a member in
     * one section waits only for members in that section or an earlier one. For each section, a leader takes part in
     * two trees, one after the other. All leaders keep to one order: first the tree of the root's host, then the tree
     * of the leaders, then the trees of the other hosts. So they do not wait for each other in a circle.
     */
    private final Topology topology;
    private final Group locals;
    private final BinomialBroadcast local;
    private final BinomialBroadcast across;
    private final int myHost;

    private CallArguments call;
    private int rootHost;
    private long sectionBegin;
    private long sectionBytes;
    private boolean isLocal;
    private boolean isSecondPhase;

    public TwoLevelBroadcast(final TeamResources resources)
    {
        topology = resources.topology();
        final int myRank = resources.mailboxes().myRank();
        myHost = topology.hostOf(myRank);
        locals = topology.localsOf(myRank);
        local = new BinomialBroadcast(resources, locals);
        across = 0 == locals.myIndex() ? new BinomialBroadcast(resources, topology.leadersFor(myRank)) : null;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        rootHost = topology.hostOf(call.root());
        sectionBegin = 0;
        startSection();
    }

    @Override
    public int poll()
    {
        final int result = isLocal ? local.poll() : across.poll();
        if (DONE != result)
        {
            return result;
        }

        if (!isSecondPhase && null != across)
        {
            isSecondPhase = true;
            isLocal = !isLocal;
            startPhase();
            return MOVED;
        }

        sectionBegin += sectionBytes;
        if (sectionBegin == call.blockBytes())
        {
            return DONE;
        }

        startSection();
        return MOVED;
    }

    private void startSection()
    {
        sectionBytes = Math.min(SECTION, call.blockBytes() - sectionBegin);
        isSecondPhase = false;
        isLocal = myHost == rootHost || null == across;
        startPhase();
    }

    private void startPhase()
    {
        final long dest = call.destAddress() + sectionBegin;
        if (isLocal)
        {
            final int root = myHost == rootHost ? locals.index(call.root()) : 0;
            local.start(root, source(locals.rank(root), dest), dest, sectionBytes);
        }
        else
        {
            across.start(rootHost, dest, dest, sectionBytes);
        }
    }

    /** Returns the address that a member sends from: source on the root, dest on members that pass the block on. */
    private long source(final int rank, final long dest)
    {
        return rank == call.root() ? call.sourceAddress() + sectionBegin : dest;
    }
}
