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
import io.aeroshmem.collective.task.TeamResources;

/**
 * The task of a reduction whose combined value is not the result yet. For example, an average is a sum that must still
 * be divided. Another task combines the values. Then every member turns the combined value in its own dest into the
 * result, piece by piece.
 * <p>
 * <b>Order of accesses.</b> When the combining task is done on this PE, the dest of this PE is complete, and no other
 * member accesses that dest any more. So this PE may change it.
 */
public final class FinishedReduction extends CollectiveTask
{
    private final PeerMailboxes mailboxes;
    private CollectiveTask combination;
    private CallArguments call;
    private boolean isCombined;
    private long bytes;
    private long doneBytes;

    public FinishedReduction(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
    }

    /** Sets the task that combines in the next call. */
    public CollectiveTask of(final CollectiveTask task)
    {
        combination = task;
        return this;
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        isCombined = false;
        bytes = call.resultBytes(mailboxes.myRank());
        doneBytes = 0;
        combination.start(call);
    }

    @Override
    public int poll()
    {
        if (!isCombined)
        {
            final int result = combination.poll();
            if (DONE != result)
            {
                return result;
            }

            isCombined = true;
        }

        final long length = Math.min(PIECE, bytes - doneBytes);
        call.reduction().finish(call.destAddress() + doneBytes, length / call.elementBytes(), mailboxes.size());
        doneBytes += length;
        return doneBytes == bytes ? DONE : MOVED;
    }
}
