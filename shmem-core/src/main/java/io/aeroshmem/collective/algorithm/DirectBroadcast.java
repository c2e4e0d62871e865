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

import io.aeroshmem.collective.CollectiveCall;
import io.aeroshmem.collective.CollectiveMachine;
import io.aeroshmem.collective.Lanes;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.mapped.Memory;

/**
 * A broadcast in which every member copies the root's source into its own dest: where it can load from the root's
 * memory, in place; otherwise it gets pieces, a few at a time.
 * <p>
 * <b>Who touches what when.</b> A member reads the root's source after the root has said that it entered, and says that
 * it left when its copy is complete; the root returns when all have. Nobody else reads anything of another, and nobody
 * writes another's memory, so a member's dest changes by itself alone, and dest may be the source: the root's is not
 * written then. Members return as soon as they have left. A fast one finds the root of the next call entered or not,
 * by the number of the step.
 */
public final class DirectBroadcast extends CollectiveMachine
{
    /**
     * Gets under way.
     */
    private static final int DEPTH = 4;

    private final Lanes lanes;
    private final int size;
    private final int myRank;
    private final Pending[] pendings = new Pending[DEPTH];

    private CollectiveCall call;
    private long bytes;
    private long doneBytes;
    private long askedBytes;
    private long sourceAddress;
    private boolean isRoot;
    private boolean isEntered;
    private int leftIndex;

    /**
     * Construct the machine of a team.
     *
     * @param resources of the team.
     */
    public DirectBroadcast(final TeamResources resources)
    {
        lanes = resources.lanes();
        size = lanes.size();
        myRank = lanes.myRank();
        for (int i = 0; i < DEPTH; i++)
        {
            pendings[i] = new Pending();
        }
    }

    @Override
    public void start(final CollectiveCall call)
    {
        this.call = call;
        bytes = call.blockBytes();
        doneBytes = 0;
        askedBytes = 0;
        leftIndex = 0;
        isRoot = myRank == call.root();
        isEntered = isRoot;
        if (isRoot)
        {
            sourceAddress = call.sourceAddress();
            if (call.isInPlace())
            {
                doneBytes = bytes;
            }

            for (int i = 1; i < size; i++)
            {
                lanes.enter((myRank + i) % size);
            }
        }
        else
        {
            sourceAddress = lanes.isMapped(call.root()) ?
                lanes.address(call.root(), call.sourceRegion(), call.sourceOffset()) : 0;
        }
    }

    @Override
    public int poll()
    {
        if (!isEntered)
        {
            isEntered = lanes.hasEntered(call.root());
            if (!isEntered)
            {
                return WAITING;
            }
        }

        if (doneBytes < bytes)
        {
            return (0 == sourceAddress ? get() : copy()) ? MOVED : WAITING;
        }

        if (!isRoot)
        {
            lanes.leave(call.root());
            return DONE;
        }

        while (leftIndex < size && (leftIndex == myRank || lanes.hasLeft(leftIndex)))
        {
            leftIndex++;
        }

        return leftIndex == size ? DONE : WAITING;
    }

    private boolean copy()
    {
        final long length = Math.min(PIECE, bytes - doneBytes);
        Memory.copy(null, sourceAddress + doneBytes, null, call.destAddress() + doneBytes, length);
        doneBytes += length;
        return true;
    }

    private boolean get()
    {
        final int root = call.root();
        while (askedBytes < bytes && askedBytes - doneBytes < DEPTH * PIECE)
        {
            final long length = Math.min(PIECE, bytes - askedBytes);
            lanes.transport(root).getNbi(
                lanes.worldPe(root),
                call.sourceRegion(),
                call.sourceOffset() + askedBytes,
                call.destAddress() + askedBytes,
                length,
                pending(askedBytes));
            askedBytes += length;
        }

        if (!pending(doneBytes).isIdle())
        {
            return false;
        }

        doneBytes = Math.min(bytes, doneBytes + PIECE);
        return true;
    }

    private Pending pending(final long offset)
    {
        return pendings[(int)(offset / PIECE % DEPTH)];
    }
}
