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
import io.aeroshmem.collective.task.SharedSlices;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.sync.Barrier;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * A reduction among members that map each other's memory. Every member owns a slice of the elements ({@link Slices})
 * and reduces it block by block. Then it takes over blocks of the others' slices ({@link SharedSlices}). To reduce a
 * block is to read it from all sources, combine it in the order of the {@link CanonicalTree}, and store the result in
 * every dest. So members that wait do the share of a slow member. A member is slow, for example, if its thread is not
 * running, or if its call is a pending request and the program computes meanwhile.
 */
public final class WorkStealingReduce extends MemberTask
{
    /** Length of a block in bytes: two inputs and a result in the level 1 cache. */
    private static final int BLOCK = 8 * 1024;

    /*
     * Order of accesses. No member accesses another's memory before the barrier at the start, which a member enters
     * when it makes the call. From then on, only the member that has claimed a block accesses that block, in any source
     * and dest. It reads the block from all sources before it stores the result, so dest may be the source. A member
     * returns when all blocks are finished: then its dest is complete, and no member reads its source.
     */
    private final TeamResources resources;
    private final Barrier barrier;
    private final SharedSlices shared;
    private final CanonicalTree tree = new CanonicalTree();
    private final long[] sources;
    private final long[] dests;
    private final long[] operands;
    /** Start of each member's slice in bytes, and the end of the last one. */
    private final long[] starts;

    private CallArguments call;
    private long partials;
    private boolean isEntered;
    /** Number of slices, from this PE's own one on, that have nothing left to claim. */
    private int claimedSlices;
    /** Number of slices, from that of rank 0 on, that are finished. */
    private int finishedSlices;

    public WorkStealingReduce(final TeamResources resources)
    {
        super(resources);
        this.resources = resources;
        barrier = resources.barrier();
        shared = new SharedSlices(resources);
        sources = new long[size];
        dests = new long[size];
        operands = new long[size];
        starts = new long[size + 1];
    }

    @Override
    public void start(final CallArguments call)
    {
        partials = resources.workspace().partials(CanonicalTree.workspaceLength(size, BLOCK));
        shared.open();
        barrier.start();
        this.call = call;
        isEntered = false;
        claimedSlices = 0;
        finishedSlices = 0;
        final long bytes = call.blockBytes();
        for (int rank = 0; rank < size; rank++)
        {
            final boolean isOwn = rank == myRank;
            sources[rank] =
                isOwn ? call.sourceAddress() : mailboxes.address(rank, call.sourceRegion(), call.sourceOffset());
            dests[rank] = isOwn ? call.destAddress() : mailboxes.address(rank, call.destRegion(), call.destOffset());
            starts[rank + 1] = Slices.start(bytes, size, rank + 1);
        }
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

        while (claimedSlices < size)
        {
            final int rank = (myRank + claimedSlices) % size;
            final long block = shared.tryClaim(rank, blocks(rank));
            if (SharedSlices.NONE != block)
            {
                perform(rank, block);
                return MOVED;
            }

            claimedSlices++;
        }

        while (finishedSlices < size && shared.isFinished(finishedSlices, blocks(finishedSlices)))
        {
            finishedSlices++;
        }

        return finishedSlices == size ? DONE : WAITING;
    }

    @Override
    public boolean isShared()
    {
        return isEntered && claimedSlices < size;
    }

    private long blocks(final int rank)
    {
        return (starts[rank + 1] - starts[rank] + BLOCK - 1) / BLOCK;
    }

    /** Performs a claimed block. Nobody else can: so if this PE cannot, it fails the job. */
    private void perform(final int slice, final long block)
    {
        try
        {
            reduce(slice, block);
        }
        catch (final RuntimeException | Error ex)
        {
            final Endpoint endpoint = resources.endpoint();
            final int pe = endpoint.pe();
            throw endpoint.failed(new JobFailure(
                JobFailure.Kind.PE_FAILED, pe, -1, "PE " + pe + " could not perform its part of a reduction: " + ex));
        }

        shared.finish(slice);
    }

    private void reduce(final int slice, final long block)
    {
        final long offset = starts[slice] + block * BLOCK;
        final long length = Math.min(BLOCK, starts[slice + 1] - offset);
        final long result = dests[myRank] + offset;
        for (int rank = 0; rank < size; rank++)
        {
            operands[rank] = sources[rank] + offset;
        }

        tree.combine(call.reduction(), operands, 0, size, length / call.elementBytes(), result, partials);
        for (int i = 1; i < size; i++)
        {
            MemoryOps.copy(null, result, null, dests[(myRank + i) % size] + offset, length);
        }
    }
}
