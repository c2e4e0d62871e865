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
import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.collective.task.TeamAreaDescriptor;
import io.aeroshmem.collective.task.TeamResources;
import io.aeroshmem.collective.task.TeamWorkspace;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.job.JobFailure;
import org.agrona.UnsafeApi;

/**
 * The exchange of blocks whose lengths or positions are not known to all members: gather, scatter, and the routines
 * alltoallv, allgatherv, gatherv and scatterv, which have a count for each block. A short block travels in a slot of
 * {@link PeerMailboxes}: one hop. For a long block, the receiver first sends a <i>grant</i>: a slot that holds the
 * position of the block in the receiver's dest, and its length. The sender then puts the block at that position, in
 * pieces: two hops.
 * <pre>
 *   slot: +0   length of the block that the sender of the slot sends, or -1
 *         +8   length of the block that the sender of the slot expects, or -1
 *         +16  position of the expected block in the memory of the sender of the slot: offset in a region
 *         +24  position of the expected block: number of the region ({@link io.aeroshmem.transport.Region})
 *         +32  the block that the sender of the slot sends, if it has up to {@value #SHORT_BYTES} bytes
 * </pre>
 */
public class FlatExchange extends MemberTask
{
    private static final int EXPECTED = 8;
    private static final int OFFSET = 16;
    private static final int REGION = 24;
    private static final int BLOCK = 32;
    /** Maximum length of a block that travels in a slot. */
    static final int SHORT_BYTES = TeamAreaDescriptor.SLOT_PAYLOAD - BLOCK;
    private static final long NONE = -1;

    /*
     * Up to two blocks pass between two members, one in each direction. A member that receives a slot compares the sent
     * and the expected length of each block before that block is moved. If the lengths differ, the member fails the
     * job. The receiver of a block always receives a slot, and the sender of a long block waits for the grant. So no
     * block is written outside its place.
     *
     * Slots. In routines in which all members exchange blocks, each member sends exactly one slot to each other member
     * in a step. That slot holds both the short block and the grant. A member begins a step only after it has consumed
     * all slots of the previous step. So a slot of a later step shows its receiver that the sender has consumed the
     * slots of earlier steps. In gathers and scatters, a short block is not answered by a slot. So slots are
     * acknowledged in these routines, and a slot is overwritten only when its reader has acknowledged it.
     *
     * Order of accesses. Other members write a member's dest only after its grant, which the member sends when it has
     * made the call. After each piece, the sender increments a count at the receiver, by a release store or by a
     * message that follows the piece. A member returns when it has consumed all slots, has put all pieces that it
     * sends, and has counted all pieces that are sent to it. So when a member has returned, nothing in flight can write
     * its memory, and nothing reads its source: no member reads another's source, and a put has read its piece when the
     * put returns.
     *
     * In place. In an alltoallv in place, a member copies its long blocks to private memory before it sends the grants
     * for their places. It sends a short block before it consumes the slot whose block replaces it in dest.
     *
     * Waiting. A member waits for slots and pieces of other members, and for room in the mailboxes to them. While it
     * waits, it continues to consume slots and to put pieces. There is one exception: in an alltoallv in place, a
     * member consumes no slot before it has sent all its own. These sends wait at most until the receivers have
     * consumed the slots of earlier calls. So a member waits only for members in the same call or an earlier one.
     */
    private final Endpoint endpoint;
    private final TeamWorkspace workspace;
    /** Members to which a slot has to be sent, of which one has to be consumed, and so on. */
    private final Ranks unsent;
    private final Ranks unreceived;
    private final Ranks granting;
    private final Ranks arriving;
    private final long[] putBytes;
    private final long[] grantOffsets;
    private final int[] grantRegions;
    /** Positions of the copies of long blocks of source, in place. */
    private final long[] copies;

    private CallArguments call;
    private boolean isRooted;
    private boolean isGather;
    private boolean isInPlace;
    private long slot;
    private int copyRank;
    private long copyBytes;
    private long ownBytes;

    public FlatExchange(final TeamResources resources)
    {
        super(resources);
        endpoint = resources.endpoint();
        workspace = resources.workspace();
        unsent = new Ranks(size);
        unreceived = new Ranks(size);
        granting = new Ranks(size);
        arriving = new Ranks(size);
        putBytes = new long[size];
        grantOffsets = new long[size];
        grantRegions = new int[size];
        copies = new long[size];
    }

    @Override
    public final void start(final CallArguments call)
    {
        this.call = call;
        final Routine routine = call.routine();
        isGather = Routine.GATHER == routine || Routine.GATHERV == routine;
        isRooted = isGather || Routine.SCATTER == routine || Routine.SCATTERV == routine;
        isInPlace = Routine.ALLTOALLV == routine && call.isInPlace();
        ownBytes = sendsTo(myRank) && receivesFrom(myRank) && ownSource() != ownDest() ? 0 : ownLength();
        copyRank = isInPlace ? 0 : size;
        copyBytes = 0;
        slot = workspace.partials(TeamAreaDescriptor.SLOT_PAYLOAD + (isInPlace ? locateCopies() : 0));
        locatePeers();
        if (copyRank == size)
        {
            send();
        }
    }

    private void locatePeers()
    {
        unsent.clear();
        unreceived.clear();
        granting.clear();
        arriving.clear();
        for (int i = 1; i < size; i++)
        {
            final int rank = (myRank + i) % size;
            final boolean isSender = receivesFrom(rank);
            final boolean isLong = isSender && call.destByteCount(rank) > SHORT_BYTES;
            if (sendsTo(rank) || isLong)
            {
                unsent.add(rank);
            }

            if (isSender || sendsTo(rank) && call.sourceByteCount(rank) > SHORT_BYTES)
            {
                unreceived.add(rank);
            }

            if (isLong)
            {
                mailboxes.expect(rank, (call.destByteCount(rank) + pieceLength() - 1) / pieceLength());
                arriving.add(rank);
            }
        }
    }

    /** Computes the positions of the copies of long blocks; returns their length. */
    private long locateCopies()
    {
        long length = 0;
        for (int rank = 0; rank < size; rank++)
        {
            copies[rank] = length;
            length += isCopied(rank) ? call.sourceByteCount(rank) : 0;
        }

        return length;
    }

    private boolean isCopied(final int rank)
    {
        return isInPlace && rank != myRank && call.sourceByteCount(rank) > SHORT_BYTES;
    }

    private boolean sendsTo(final int rank)
    {
        return call.isSentTo(rank, myRank);
    }

    private boolean receivesFrom(final int rank)
    {
        return call.isSentTo(myRank, rank);
    }

    @Override
    public final int poll()
    {
        if (copyRank < size)
        {
            copySource();
            return MOVED;
        }

        boolean isMoved = unsent.count > 0 && send();
        isMoved |= unreceived.count > 0 && !(isInPlace && unsent.count > 0) && receive();
        isMoved |= granting.count > 0 && put();
        isMoved |= ownBytes < ownLength() && copyOwn();
        while (arriving.count > 0 && mailboxes.missing(arriving.last()) <= 0)
        {
            arriving.remove(arriving.count - 1);
        }

        if (0 == unsent.count + unreceived.count + granting.count + arriving.count && ownBytes >= ownLength())
        {
            return DONE;
        }

        return isMoved ? MOVED : WAITING;
    }

    private void copySource()
    {
        while (copyRank < size && !isCopied(copyRank))
        {
            copyRank++;
        }

        if (copyRank < size)
        {
            final long length = Math.min(pieceLength(), call.sourceByteCount(copyRank) - copyBytes);
            final long from = call.sourceAddress() + call.sourceByteDisplacement(copyRank) + copyBytes;
            copy(from, copyOf(copyRank) + copyBytes, length);
            copyBytes += length;
            if (copyBytes == call.sourceByteCount(copyRank))
            {
                copyBytes = 0;
                copyRank++;
            }
        }
    }

    private long copyOf(final int rank)
    {
        return slot + TeamAreaDescriptor.SLOT_PAYLOAD + copies[rank];
    }

    private boolean send()
    {
        final int before = unsent.count;
        for (int i = before - 1; i >= 0; i--)
        {
            final int rank = unsent.ranks[i];
            if (mailboxes.trySend(rank, null, slot, encode(rank), isRooted))
            {
                unsent.remove(i);
            }
        }

        return unsent.count < before;
    }

    /** Writes the slot for a member; returns its length. */
    private int encode(final int rank)
    {
        final boolean isSource = sendsTo(rank);
        final boolean isDest = receivesFrom(rank);
        final long sentBytes = isSource ? call.sourceByteCount(rank) : NONE;
        UnsafeApi.putLong(slot, sentBytes);
        UnsafeApi.putLong(slot + EXPECTED, isDest ? call.destByteCount(rank) : NONE);
        UnsafeApi.putLong(slot + OFFSET, isDest ? call.destOffset() + call.destByteDisplacement(rank) : 0);
        UnsafeApi.putLong(slot + REGION, isDest ? call.destRegion() : 0);
        if (sentBytes <= 0 || sentBytes > SHORT_BYTES)
        {
            return BLOCK;
        }

        copy(call.sourceAddress() + call.sourceByteDisplacement(rank), slot + BLOCK, sentBytes);
        return BLOCK + (int)sentBytes;
    }

    private boolean receive()
    {
        final int before = unreceived.count;
        for (int i = before - 1; i >= 0; i--)
        {
            final int rank = unreceived.ranks[i];
            final long received = mailboxes.tryReceive(rank);
            if (0 != received)
            {
                decode(rank, received);
                mailboxes.consume(rank, isRooted);
                unreceived.remove(i);
            }
        }

        return unreceived.count < before;
    }

    private void decode(final int rank, final long received)
    {
        final long sentBytes = UnsafeApi.getLong(received);
        final long expectedBytes = UnsafeApi.getLong(received + EXPECTED);
        if (receivesFrom(rank))
        {
            final long bytes = call.destByteCount(rank);
            checkLengths(rank, sentBytes, rank, bytes, myRank);
            if (bytes <= SHORT_BYTES)
            {
                copy(received + BLOCK, call.destAddress() + call.destByteDisplacement(rank), bytes);
            }
        }

        if (sendsTo(rank))
        {
            final long bytes = call.sourceByteCount(rank);
            checkLengths(rank, bytes, myRank, expectedBytes, rank);
            if (bytes > SHORT_BYTES)
            {
                grantOffsets[rank] = UnsafeApi.getLong(received + OFFSET);
                grantRegions[rank] = (int)UnsafeApi.getLong(received + REGION);
                putBytes[rank] = 0;
                granting.add(rank);
            }
        }
    }

    private void checkLengths(
        final int otherRank, final long sentBytes, final int sender, final long expectedBytes, final int receiver)
    {
        if (sentBytes != expectedBytes)
        {
            final int elementBytes = call.elementBytes();
            final int senderPe = mailboxes.worldPe(sender);
            final int receiverPe = mailboxes.worldPe(receiver);
            throw endpoint.failed(new JobFailure(
                JobFailure.Kind.MISMATCH, mailboxes.worldPe(otherRank), -1,
                "the counts of a block must be equal on sender and receiver: in " + routine(call).methodName() +
                " PE " + senderPe + " sends " + sentBytes / elementBytes + " elements of " + call.type() +
                " to PE " + receiverPe + ", which expects " + expectedBytes / elementBytes));
        }
    }

    /** Puts a piece to each member that has sent a grant. */
    private boolean put()
    {
        for (int i = granting.count - 1; i >= 0; i--)
        {
            final int rank = granting.ranks[i];
            final long at = putBytes[rank];
            final long bytes = call.sourceByteCount(rank);
            final long length = Math.min(pieceLength(), bytes - at);
            final long source = isInPlace ? copyOf(rank) : call.sourceAddress() + call.sourceByteDisplacement(rank);
            putPiece(rank, grantRegions[rank], grantOffsets[rank] + at, source + at, length);
            putBytes[rank] = at + length;
            if (at + length == bytes)
            {
                granting.remove(i);
            }
        }

        return true;
    }

    /** Returns the routine that the caller has called. */
    Routine routine(final CallArguments call)
    {
        return call.routine();
    }

    /** Returns the length of the pieces in which long blocks are put, the same on all members. */
    long pieceLength()
    {
        return PIECE;
    }

    /** Copies between source or dest and other memory of this process. */
    void copy(final long from, final long to, final long length)
    {
        LocalCopy.copy(from, to, length);
    }

    /** Puts a piece of source into the dest of a member, and counts it there. */
    void putPiece(final int rank, final int region, final long offset, final long address, final long length)
    {
        mailboxes.putPiece(rank, region, offset, address, length);
    }

    private long ownSource()
    {
        return call.sourceAddress() + call.sourceByteDisplacement(myRank);
    }

    private long ownDest()
    {
        return call.destAddress() + call.destByteDisplacement(myRank);
    }

    private long ownLength()
    {
        return sendsTo(myRank) ? call.sourceByteCount(myRank) : 0;
    }

    private boolean copyOwn()
    {
        final long length = Math.min(pieceLength(), ownLength() - ownBytes);
        copy(ownSource() + ownBytes, ownDest() + ownBytes, length);
        ownBytes += length;
        return true;
    }

    /** A set of ranks, from which any rank can be removed. */
    private static final class Ranks
    {
        private final int[] ranks;
        private int count;

        Ranks(final int size)
        {
            ranks = new int[size];
        }

        void clear()
        {
            count = 0;
        }

        void add(final int rank)
        {
            ranks[count++] = rank;
        }

        int last()
        {
            return ranks[count - 1];
        }

        void remove(final int index)
        {
            ranks[index] = ranks[--count];
        }
    }
}
