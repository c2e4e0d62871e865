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
package io.aeroshmem.transport.aeron;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Frames to several peers at once, which travel on one stream to all PEs of a multicast group. A frame names its
 * members, and takes the next sequence numbers in the stream to each: it stands for a frame in each of these streams,
 * and is acknowledged there. Accessed only under the engine's lock.
 */
final class GroupOutbox
{
    private static final int PADDED_LENGTH = 64;
    /** So that a frame has room for data, however many the members are. */
    private static final int MEMBERS_SHARE = 2;

    private final FrameSink sink;
    private final MessageCounters messageCounters;
    private final int maxFrameLength;
    private final UnsafeBuffer frame;
    private final PeerLink[] members;
    private int memberCount;
    private boolean isAnnouncementDue;
    private long lastResult;

    GroupOutbox(
        final FrameSink sink,
        final MessageCounters messageCounters,
        final long jobToken,
        final int sourcePe,
        final int epoch)
    {
        this.sink = sink;
        this.messageCounters = messageCounters;
        maxFrameLength = sink.maxFrameLength() & -ALIGNMENT;
        frame = new UnsafeBuffer(BufferUtil.allocateDirectAligned(maxFrameLength, PADDED_LENGTH));
        members = new PeerLink[maxFrameLength / MEMBERS_SHARE / MEMBER_LENGTH];
        RecordDescriptor.frame(frame, jobToken, sourcePe, epoch);
        frame.putInt(FRAME_FIRST_SEQUENCE, 0);
        frame.putInt(FRAME_ACKNOWLEDGED, 0);
        frame.putShort(FRAME_FLAGS, (short)TO_GROUP);
        frame.putLong(FRAME_LENGTH, MEMBERS_HEADER);
        frame.putInt(FRAME_LENGTH + HEADER_LENGTH, 0);
    }

    /** Begins a frame without members. */
    void begin()
    {
        Arrays.fill(members, 0, memberCount, null);
        memberCount = 0;
    }

    /** Adds a member; returns false if there is no room. */
    boolean add(final PeerLink link)
    {
        if (members.length == memberCount)
        {
            return false;
        }

        members[memberCount++] = link;
        return true;
    }

    /**
     * Sends what was submitted to the members, so that the next frame may take their next sequence numbers. Returns
     * false if something stays.
     */
    boolean drainMembers()
    {
        for (int i = 0; i < memberCount; i++)
        {
            if (!members[i].drainTo(members[i].outbox.ringProducerPosition()))
            {
                return false;
            }
        }

        return true;
    }

    private int membersEnd()
    {
        return FRAME_LENGTH + MEMBERS_LENGTH + memberCount * MEMBER_LENGTH;
    }

    /** Returns the limit of the payload of a put in the frame, which has room for a signal too. */
    int maxPutChunk()
    {
        return maxFrameLength - membersEnd() - PUT_DATA - SIGNAL_LENGTH;
    }

    /**
     * Sends a put unless its length is 0, and a signal unless its operation is negative, to the members, which have
     * been drained.
     *
     * @return false if the publication did not take it.
     */
    boolean send(
        final int region,
        final long offset,
        final Object sourceBase,
        final long sourceAddress,
        final int length,
        final int signalRegion,
        final long signalOffset,
        final long value,
        final int signalOperation)
    {
        int index = membersEnd();
        int records = 0;
        if (length > 0)
        {
            RecordWriter.put(frame, index, region, offset, sourceBase, sourceAddress, length);
            index += align(PUT_DATA + length);
            records++;
        }

        if (signalOperation >= 0)
        {
            RecordWriter.signal(frame, index, signalRegion, signalOffset, value, signalOperation);
            index += SIGNAL_LENGTH;
            records++;
        }

        return send(index, records);
    }

    private boolean send(final int length, final int records)
    {
        frame.putInt(FRAME_LENGTH + MEMBERS_SIZE, groupSize(MEMBER_LENGTH, memberCount));
        for (int i = 0; i < memberCount; i++)
        {
            final int entry = FRAME_LENGTH + MEMBERS_LENGTH + i * MEMBER_LENGTH;
            frame.putInt(entry + MEMBER_PE, members[i].pe);
            frame.putInt(entry + MEMBER_FIRST_SEQUENCE, (int)members[i].outbox.assigned());
        }

        frame.putShort(FRAME_RECORD_COUNT, (short)(1 + records));
        lastResult = sink.offer(frame, length);
        if (!messageCounters.onOffer(lastResult, records, length))
        {
            return false;
        }

        isAnnouncementDue = false;
        for (int i = 0; i < memberCount; i++)
        {
            members[i].outbox.assign(records);
        }

        return true;
    }

    /** Has a frame sent soon even if it has no members, so that all associate the stream with this PE. */
    void announce()
    {
        isAnnouncementDue = true;
    }

    /** Sends the announcement if it is due; returns the number of frames. */
    int sendDue()
    {
        if (!isAnnouncementDue)
        {
            return 0;
        }

        begin();
        return send(membersEnd(), 0) ? 1 : 0;
    }

    /** Returns true if the publication can never take anything again. */
    boolean isBroken()
    {
        return FrameSink.isBroken(lastResult);
    }

    String describeBreak()
    {
        return sink.describeBreak(lastResult);
    }

    boolean isConnected()
    {
        return sink.isConnected();
    }
}
