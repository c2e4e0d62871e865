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

import io.aeroshmem.collective.reduction.Reduction;
import io.aeroshmem.collective.task.CallArguments;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;

/**
 * A reduction in which every member sends its block to every other member, in slots, and combines all blocks itself. It
 * takes one hop, and {@code n - 1} messages per member. {@link FlatCombination} describes the slots and the order of
 * accesses.
 * <p>
 * In a team of two, blocks that fit a slot take a shortcut without loops, because each nanosecond counts there.
 */
public final class FlatReduce extends FlatCombination
{
    /** The other one of two members, or -1. */
    private final int peer;

    private Reduction reduction;
    private boolean isPair;
    private boolean isSent;

    public FlatReduce(final TeamResources resources)
    {
        super(resources);
        peer = 2 == size ? 1 - myRank : -1;
    }

    @Override
    long block(final int rank)
    {
        return call.sourceAddress();
    }

    @Override
    long length(final int rank)
    {
        return call.blockBytes();
    }

    @Override
    public void start(final CallArguments call)
    {
        isPair = peer >= 0 && call.blockBytes() <= TeamAreaDescriptor.SLOT_PAYLOAD;
        if (isPair)
        {
            this.call = call;
            reduction = call.reduction();
            isSent = sendToPeer();
        }
        else
        {
            super.start(call);
        }
    }

    @Override
    public int poll()
    {
        return isPair ? pollPair() : super.poll();
    }

    private int pollPair()
    {
        isSent = isSent || sendToPeer();
        final long block = isSent ? mailboxes.tryReceive(peer) : 0;
        if (0 == block)
        {
            return WAITING;
        }

        final CallArguments call = this.call;
        final long own = call.sourceAddress();
        final long dest = call.destAddress();
        if (0 == myRank)
        {
            reduction.combine(null, dest, null, own, null, block, call.nelems());
        }
        else
        {
            reduction.combine(null, dest, null, block, null, own, call.nelems());
        }

        mailboxes.consume(peer, false);
        return DONE;
    }

    private boolean sendToPeer()
    {
        return mailboxes.trySend(peer, null, call.sourceAddress(), (int)call.blockBytes(), false);
    }
}
