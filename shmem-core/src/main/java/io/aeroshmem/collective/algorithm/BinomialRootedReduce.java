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
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;

/**
 * A reduction to a root, in slots of {@link PeerMailboxes}. {@link BinomialReduce} combines the blocks up a binomial
 * tree to rank 0, in the order of the {@link io.aeroshmem.collective.task.CanonicalTree}. Rank 0 then sends the result
 * to the root. Only the root has a dest; the other members keep partial results in private memory.
 */
public final class BinomialRootedReduce extends CollectiveTask
{
    private static final int FIRST = 0;

    /*
     * Slots. The reader of a slot sends no slot back. Instead, it acknowledges the slot by the counter CONSUMED, and
     * only after that is the slot overwritten. Each mailbox is used either on the way up, towards rank 0, or
     * afterwards, from rank 0 to the root. All members know how many slots pass through a mailbox in a call, so no call
     * consumes a slot of a later call.
     *
     * Waiting. On the way up, members wait as in BinomialReduce. When rank 0 and the root have done their parts of the
     * way up, rank 0 waits for room in the mailbox to the root, and the root waits for slots of rank 0. Members wait
     * only for members in the same call or an earlier one, so calls follow each other without deadlock.
     */
    private final PeerMailboxes mailboxes;
    private final TeamWorkspace workspace;
    private final BinomialReduce up;
    private final int myRank;

    private int root;
    private long result;
    private long length;
    private long doneBytes;
    private boolean isUp;

    public BinomialRootedReduce(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
        workspace = resources.workspace();
        up = new BinomialReduce(resources);
        myRank = mailboxes.myRank();
    }

    @Override
    public void start(final CallArguments call)
    {
        root = call.root();
        length = call.blockBytes();
        doneBytes = 0;
        isUp = false;
        result = myRank == root ? call.destAddress() : workspace.partials(length);
        up.startAcknowledgedUp(call, call.sourceAddress(), result);
    }

    @Override
    public int poll()
    {
        if (!isUp)
        {
            final int state = up.pollUp();
            if (DONE != state)
            {
                return state;
            }

            isUp = true;
        }

        if (FIRST == root || FIRST != myRank && myRank != root)
        {
            return DONE;
        }

        final long before = doneBytes;
        for (int i = 0; i < TeamAreaDescriptor.SLOTS && doneBytes < length; i++)
        {
            final int bytes = (int)Math.min(TeamAreaDescriptor.SLOT_PAYLOAD, length - doneBytes);
            if (!(myRank == root ? receive(bytes) : send(bytes)))
            {
                break;
            }

            doneBytes += bytes;
        }

        return doneBytes == length ? DONE : doneBytes == before ? WAITING : MOVED;
    }

    private boolean send(final int bytes)
    {
        return mailboxes.trySend(root, null, result + doneBytes, bytes, true);
    }

    private boolean receive(final int bytes)
    {
        final long block = mailboxes.tryReceive(FIRST);
        if (0 == block)
        {
            return false;
        }

        LocalCopy.copy(block, result + doneBytes, bytes);
        mailboxes.consume(FIRST, true);
        return true;
    }
}
