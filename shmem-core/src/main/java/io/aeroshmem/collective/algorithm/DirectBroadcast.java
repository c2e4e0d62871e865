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

import io.aeroshmem.collective.CollectiveRequest;
import io.aeroshmem.collective.CollectiveTask;
import io.aeroshmem.collective.PeerMailboxes;
import io.aeroshmem.collective.TeamResources;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * A broadcast in which every member copies the root's source into its own dest: in place where it can load from the
 * root's memory; otherwise it gets pieces, a few at a time.
 * <p>
 * <b>Order of accesses.</b> A member reads the root's source after the root has granted access, and releases access
 * when its copy is complete; the root returns when all have done so. No member reads any other memory of another, and
 * none writes another's memory, so a member's dest is changed by itself only, and dest may be the source: the root's is
 * not written then. Members return as soon as they have released access. A fast one may find that the root of the next
 * call has granted access or not, by the number of the step.
 */
public final class DirectBroadcast extends CollectiveTask
{
    /** Gets under way. */
    private static final int DEPTH = 4;

    private final PeerMailboxes mailboxes;
    private final int size;
    private final int myRank;
    private final Pending[] pendings = new Pending[DEPTH];

    private CollectiveRequest call;
    private long bytes;
    private long doneBytes;
    private long askedBytes;
    private long sourceAddress;
    private boolean isRoot;
    private boolean isGranted;
    private int leftIndex;

    public DirectBroadcast(final TeamResources resources)
    {
        mailboxes = resources.mailboxes();
        size = mailboxes.size();
        myRank = mailboxes.myRank();
        for (int i = 0; i < DEPTH; i++)
        {
            pendings[i] = new Pending();
        }
    }

    @Override
    public void start(final CollectiveRequest call)
    {
        this.call = call;
        bytes = call.blockBytes();
        doneBytes = 0;
        askedBytes = 0;
        leftIndex = 0;
        isRoot = myRank == call.root();
        isGranted = isRoot;
        if (isRoot)
        {
            sourceAddress = call.sourceAddress();
            if (call.isInPlace())
            {
                doneBytes = bytes;
            }

            for (int i = 1; i < size; i++)
            {
                mailboxes.grantAccess((myRank + i) % size);
            }
        }
        else
        {
            sourceAddress = mailboxes.isMapped(call.root()) ?
                mailboxes.address(call.root(), call.sourceRegion(), call.sourceOffset()) : 0;
        }
    }

    @Override
    public int poll()
    {
        if (!isGranted)
        {
            isGranted = mailboxes.hasGrantedAccess(call.root());
            if (!isGranted)
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
            mailboxes.releaseAccess(call.root());
            return DONE;
        }

        while (leftIndex < size && (leftIndex == myRank || mailboxes.hasReleasedAccess(leftIndex)))
        {
            leftIndex++;
        }

        return leftIndex == size ? DONE : WAITING;
    }

    private boolean copy()
    {
        final long length = Math.min(PIECE, bytes - doneBytes);
        MemoryOps.copy(null, sourceAddress + doneBytes, null, call.destAddress() + doneBytes, length);
        doneBytes += length;
        return true;
    }

    private boolean get()
    {
        final int root = call.root();
        while (askedBytes < bytes && askedBytes - doneBytes < DEPTH * PIECE)
        {
            final long length = Math.min(PIECE, bytes - askedBytes);
            mailboxes.transport(root).getNbi(
                mailboxes.worldPe(root),
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
