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
import io.aeroshmem.collective.task.PeerMailboxes;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.mapped.MemoryOps;

/**
 * A broadcast in which every member copies the root's source into its own dest: by loads if the root is mapped,
 * otherwise by gets of pieces, a few at a time.
 * <p>
 * <b>Order of accesses.</b> A member reads the root's source after the root has granted access. The member releases
 * access when its copy is complete, and then returns. The root returns when all members have released access. The only
 * memory of another member that a member accesses is the root's source. So no member writes the dest of another member.
 * If the root's dest is its source, the root copies nothing. A grant holds the number of the step
 * ({@link PeerMailboxes}), so it is not taken for the grant of another call.
 */
public final class DirectBroadcast extends MemberTask
{
    /** Gets under way. */
    private static final int DEPTH = 4;

    private final Pending[] pendings = new Pending[DEPTH];

    private CallArguments call;
    private long bytes;
    private long doneBytes;
    private long requestedBytes;
    private long sourceAddress;
    private boolean isRoot;
    private boolean isGranted;
    private int releasedIndex;

    public DirectBroadcast(final TeamResources resources)
    {
        super(resources);
        for (int i = 0; i < DEPTH; i++)
        {
            pendings[i] = new Pending();
        }
    }

    @Override
    public void start(final CallArguments call)
    {
        this.call = call;
        bytes = call.blockBytes();
        doneBytes = 0;
        requestedBytes = 0;
        releasedIndex = 0;
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

        while (releasedIndex < size && (releasedIndex == myRank || mailboxes.hasReleasedAccess(releasedIndex)))
        {
            releasedIndex++;
        }

        return releasedIndex == size ? DONE : WAITING;
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
        while (requestedBytes < bytes && requestedBytes - doneBytes < DEPTH * PIECE)
        {
            final long length = Math.min(PIECE, bytes - requestedBytes);
            mailboxes.transport(root).getNbi(
                mailboxes.worldPe(root),
                call.sourceRegion(),
                call.sourceOffset() + requestedBytes,
                null,
                call.destAddress() + requestedBytes,
                length,
                pending(requestedBytes));
            requestedBytes += length;
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
