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
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.sync.Barrier;

/**
 * A combination of a range of all sources, which this member reads itself ({@link SourceBlocks}): it enters a barrier,
 * combines the range block by block in the order of the {@link CanonicalTree}, and leaves.
 */
abstract class DirectCombination extends MemberTask
{
    final SourceBlocks blocks;
    CallArguments call;
    private final Barrier barrier;
    private final CanonicalTree tree = new CanonicalTree();

    private int arrivedIndex;
    private boolean isEntered;
    private boolean isLeaving;

    DirectCombination(final TeamResources resources)
    {
        super(resources);
        barrier = resources.barrier();
        blocks = new SourceBlocks(resources);
    }

    @Override
    public void start(final CallArguments call)
    {
        barrier.start();
        this.call = call;
        arrivedIndex = 0;
        isEntered = false;
        isLeaving = false;
    }

    /** Starts the blocks of the slice of this member. */
    final void startSlice(final long stagingLength)
    {
        final long bytes = call.blockBytes();
        blocks.start(
            call, size, Slices.start(bytes, size, myRank), Slices.start(bytes, size, myRank + 1), stagingLength);
    }

    @Override
    public int poll()
    {
        if (!isEntered)
        {
            isEntered = barrier.poll();
            if (!isEntered)
            {
                return WAITING;
            }
        }

        if (!isCombined())
        {
            return tryCombine() ? MOVED : WAITING;
        }

        return leave();
    }

    /** Returns whether all blocks have been combined that can be before {@link #leave()}. */
    boolean isCombined()
    {
        return blocks.isAtEnd();
    }

    /** Combines the next block, if it is there; returns whether it is. */
    boolean tryCombine()
    {
        if (!blocks.isReady())
        {
            return false;
        }

        combineBlock();
        blocks.next();
        return true;
    }

    /** Combines the current block, and writes the result. */
    abstract void combineBlock();

    /** Combines the current block of the first members into a dest. */
    final void combine(final int operands, final long dest)
    {
        final long count = blocks.length() / call.elementBytes();
        tree.combine(call.reduction(), blocks.addresses(), 0, operands, count, dest, blocks.partials());
    }

    /** Proceeds after the combination, and returns {@link #WAITING}, {@link #MOVED} or {@link #DONE}. */
    abstract int leave();

    /** Enters another barrier after the combination, unless this member is in it. */
    final void enterLastBarrier()
    {
        if (!isLeaving)
        {
            isLeaving = true;
            barrier.start();
        }
    }

    /** Returns whether the barrier after the combination has ended, which another may follow. */
    final boolean pollLastBarrier()
    {
        final boolean isEnded = barrier.poll();
        isLeaving = !isEnded;
        return isEnded;
    }

    /** Returns whether all others have put all pieces that this member expects. */
    final boolean haveAllArrived()
    {
        while (arrivedIndex < size && (arrivedIndex == myRank || mailboxes.missing(arrivedIndex) <= 0))
        {
            arrivedIndex++;
        }

        return arrivedIndex == size;
    }
}
