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
import io.aeroshmem.collective.task.CanonicalTree;
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * A scan, inclusive or exclusive. Every member reads the sources of the members before it ({@link SourceBlocks}), and
 * combines them in the order of the {@link CanonicalTree}, in pieces that stay in the cache. The first member of an
 * exclusive scan reads nothing, and gets the identity.
 */
public final class DirectScan extends DirectCombination
{
    /*
     * Order of accesses. A member enters the barrier at the start when it makes the call, and the barrier at the end
     * when it has read all it needs. No member reads the source of another before the first barrier has ended, and no
     * member returns before the second has ended. No member writes another's memory.
     *
     * In place. If dest is the source, a member may overwrite a part of it only after the higher ranks have read that
     * part. So the call proceeds in windows of PIECE bytes. A member computes a window of its result in private memory.
     * Then it enters a barrier, which ends when all members have read that window of the sources. After this barrier,
     * the member copies its result to dest. The barrier of the last window is the barrier at the end. A member may
     * fetch parts of later windows early, because they are still unchanged.
     */
    private int operands;
    private long bytes;
    private long windowStart;
    private long windowEnd;

    public DirectScan(final TeamResources resources)
    {
        super(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        super.start(call);
        bytes = call.blockBytes();
        operands = Routine.INCLUSIVE_SCAN == call.routine() ? myRank + 1 : myRank;
        windowStart = 0;
        windowEnd = call.isInPlace() ? Math.min(PIECE, bytes) : bytes;
        blocks.start(call, operands, 0, bytes, call.isInPlace() ? PIECE : 0);
    }

    @Override
    boolean isCombined()
    {
        return blocks.offset() >= windowEnd;
    }

    @Override
    void combineBlock()
    {
        final long offset = blocks.offset();
        final long dest = call.isInPlace() ? blocks.staging() + offset - windowStart : call.destAddress() + offset;
        if (0 == operands)
        {
            call.reduction().identity(null, dest, blocks.length() / call.elementBytes());
        }
        else
        {
            combine(operands, dest);
        }
    }

    @Override
    int leave()
    {
        enterLastBarrier();
        if (!pollLastBarrier())
        {
            return WAITING;
        }

        if (call.isInPlace())
        {
            MemoryOps.copy(
                null, blocks.staging(), null, call.destAddress() + windowStart, windowEnd - windowStart);
        }

        windowStart = windowEnd;
        windowEnd = Math.min(bytes, windowEnd + PIECE);
        return windowStart == bytes ? DONE : MOVED;
    }
}
