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
package io.aeroshmem.collective.task;

import io.aeroshmem.ElementType;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;

/**
 * The part of a {@code CheckedTask} that compares, for each block, the length that the sender specifies with the length
 * that the receiver specifies. Each member sends two words to every other member: the length of the block that it sends
 * to that member, and the length of the block that it expects from that member. A length of -1 stands for no block.
 * Then each member compares, for every sender, the length that the sender has specified with the length that it expects
 * itself, and writes a finding. The finding describes the first difference, if there is one:
 * <pre>
 *   0   1 if a length differs, otherwise 0
 *   8   rank of the sender
 *   16  length that the sender specifies
 *   24  rank of the receiver
 *   32  length that the receiver specifies
 * </pre>
 */
public final class BlockLengths
{
    private static final int WORDS = 2;
    private static final int PAIR = WORDS * Long.BYTES;
    private static final long NONE = -1;
    private static final int SENDER = 8;
    private static final int SENT = 16;
    private static final int RECEIVER = 24;
    private static final int EXPECTED = 32;

    private final int size;
    private final int myRank;
    private ByteBuffer buffer;
    private long own;
    private long received;

    public BlockLengths(final int size, final int myRank)
    {
        this.size = size;
        this.myRank = myRank;
    }

    /** Returns the arguments of the exchange of the lengths of a call. */
    public CallArguments exchange(final CallArguments arguments, final CallArguments call)
    {
        if (null == buffer)
        {
            buffer = BufferUtil.allocateDirectAligned(2 * size * PAIR, PAIR).order(ByteOrder.nativeOrder());
            own = BufferUtil.address(buffer);
            received = own + (long)size * PAIR;
        }

        for (int rank = 0; rank < size; rank++)
        {
            final long pair = own + (long)rank * PAIR;
            UnsafeApi.putLong(pair, call.isSentTo(rank, myRank) ? call.sourceByteCount(rank) : NONE);
            UnsafeApi.putLong(pair + Long.BYTES, call.isSentTo(myRank, rank) ? call.destByteCount(rank) : NONE);
        }

        return arguments.of(Routine.ALLTOALL, ElementType.LONG, WORDS).local(received, own);
    }

    /** Compares the exchanged lengths, and writes the finding. */
    public void compare(final CallArguments call, final long finding)
    {
        UnsafeApi.setMemory(finding, CallRecord.LENGTH, (byte)0);
        for (int rank = 0; rank < size; rank++)
        {
            final long sent = UnsafeApi.getLong(received + (long)rank * PAIR);
            final long expected = UnsafeApi.getLong(own + (long)rank * PAIR + Long.BYTES);
            if (call.isSentTo(myRank, rank) && sent != expected)
            {
                UnsafeApi.putLong(finding, 1);
                UnsafeApi.putLong(finding + SENDER, rank);
                UnsafeApi.putLong(finding + SENT, sent);
                UnsafeApi.putLong(finding + RECEIVER, myRank);
                UnsafeApi.putLong(finding + EXPECTED, expected);
                return;
            }
        }
    }

    /** Returns a finding as text, or null if no length differs. */
    public static String describe(final long finding, final CallArguments call, final PeerMailboxes mailboxes)
    {
        if (0 == UnsafeApi.getLong(finding))
        {
            return null;
        }

        final int elementBytes = call.elementBytes();
        return "PE " + mailboxes.worldPe((int)UnsafeApi.getLong(finding + SENDER)) + " sends " +
            UnsafeApi.getLong(finding + SENT) / elementBytes + " elements of " + call.type() + " to PE " +
            mailboxes.worldPe((int)UnsafeApi.getLong(finding + RECEIVER)) + ", which expects " +
            UnsafeApi.getLong(finding + EXPECTED) / elementBytes;
    }
}
