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

import io.aeron.Publication;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The frames of PE 0, and the numbers that they take in the streams to their members. */
class GroupOutboxTest
{
    private static final int MAX_LENGTH = 512;
    private static final int MAX_MEMBERS = MAX_LENGTH / 2 / MEMBER_LENGTH;

    @TempDir
    private Path root;

    private final FakeSink groupSink = new FakeSink();
    private final List<FakeSink> sinks = new ArrayList<>();
    private JobDirectory directory;
    private MessageCounters counters;
    private GroupOutbox outbox;

    @BeforeEach
    void before()
    {
        directory = JobDirectory.create(root, 64);
        counters = new MessageCounters(directory.control(), 0);
        outbox = new GroupOutbox(groupSink, counters, directory.token(), 0, 3);
    }

    @AfterEach
    void after()
    {
        directory.delete();
        directory.close();
    }

    @Test
    void shouldTakeTheNextNumberOfEachMember()
    {
        final PeerLink first = link(5);
        final PeerLink second = link(63);
        RecordWriter.update(first.outbox.frame(), first.outbox.appendIndex(), elementKind(Region.USER, 8), 0, 1);
        first.outbox.append(ELEMENT_LENGTH, true);

        outbox.begin();
        assertTrue(outbox.add(first) && outbox.add(second));
        assertTrue(outbox.drainMembers());
        assertEquals(1, sinks.get(0).frames.size(), "what was there before leaves before");
        assertEquals(0, sinks.get(1).frames.size());
        assertTrue(send(8, SignalOperation.ADD));

        final UnsafeBuffer frame = groupSink.frames.get(0);
        assertEquals(3, frame.getShort(FRAME_RECORD_COUNT));
        assertEquals(TO_GROUP, frame.getShort(FRAME_FLAGS));
        final int members = FRAME_LENGTH + MEMBERS_LENGTH;
        assertEquals(groupSize(MEMBER_LENGTH, 2), frame.getInt(FRAME_LENGTH + MEMBERS_SIZE));
        assertEquals(5, frame.getInt(members + MEMBER_PE));
        assertEquals(1, frame.getInt(members + MEMBER_FIRST_SEQUENCE));
        assertEquals(63, frame.getInt(members + MEMBER_LENGTH + MEMBER_PE));
        assertEquals(0, frame.getInt(members + MEMBER_LENGTH + MEMBER_FIRST_SEQUENCE));
        assertEquals(3, first.outbox.assigned());
        assertEquals(3, first.outbox.awaited(), "a quiet waits for it");
        assertEquals(2, second.outbox.awaited());
    }

    @Test
    void shouldTakeNoNumberWhenPushedBack()
    {
        final PeerLink link = link(5);
        outbox.begin();
        outbox.add(link);
        groupSink.result = Publication.BACK_PRESSURED;
        assertFalse(send(8, -1));
        assertEquals(0, link.outbox.assigned());
        assertFalse(outbox.isBroken());

        groupSink.result = 1;
        assertTrue(send(8, -1));
        assertEquals(1, link.outbox.assigned());
        groupSink.result = Publication.CLOSED;
        assertFalse(send(8, -1));
        assertTrue(outbox.isBroken());
        assertTrue(outbox.describeBreak().startsWith("the group: "));
    }

    @Test
    void shouldNotBeDrainedBeforeAMemberIs()
    {
        final PeerLink link = link(5);
        RecordWriter.update(link.outbox.frame(), link.outbox.appendIndex(), elementKind(Region.USER, 8), 0, 1);
        link.outbox.append(ELEMENT_LENGTH, true);
        sinks.get(0).result = Publication.BACK_PRESSURED;
        outbox.begin();
        outbox.add(link);
        assertFalse(outbox.drainMembers());
    }

    /** A frame has room for data beside them. */
    @Test
    void shouldLimitTheMembersOfAFrame()
    {
        outbox.begin();
        for (int pe = 1; pe <= MAX_MEMBERS; pe++)
        {
            assertTrue(outbox.add(link(pe)));
        }

        assertFalse(outbox.add(link(MAX_MEMBERS + 1)));
        assertTrue(outbox.maxPutChunk() > 0);
        assertTrue(send(outbox.maxPutChunk(), SignalOperation.SET));
        assertTrue(groupSink.frames.get(0).capacity() <= MAX_LENGTH);
        outbox.begin();
        assertTrue(outbox.add(link(1)));
    }

    @Test
    void shouldAnnounceWithoutMembers()
    {
        assertEquals(0, outbox.sendDue());
        outbox.announce();
        groupSink.result = Publication.NOT_CONNECTED;
        assertEquals(0, outbox.sendDue());
        groupSink.result = 1;
        assertEquals(1, outbox.sendDue());
        assertEquals(0, outbox.sendDue());
        assertEquals(FRAME_LENGTH + MEMBERS_LENGTH, groupSink.frames.get(0).capacity());
        assertEquals(1, groupSink.frames.get(0).getShort(FRAME_RECORD_COUNT));
    }

    private boolean send(final int length, final int signalOperation)
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[MAX_LENGTH]);
        return outbox.send(
            Region.USER,
            0,
            source.byteArray(),
            source.addressOffset(),
            length,
            Region.USER,
            64,
            1,
            signalOperation);
    }

    private PeerLink link(final int pe)
    {
        final FakeSink sink = new FakeSink();
        sinks.add(sink);
        return new PeerLink(pe, new Outbox(sink, counters, directory.token(), 0, 3, Outbox.ringCapacity(64)));
    }

    private static final class FakeSink extends FrameSink
    {
        private final List<UnsafeBuffer> frames = new ArrayList<>();
        private long result = 1;

        @Override
        public int maxFrameLength()
        {
            return MAX_LENGTH;
        }

        @Override
        public long offer(final DirectBuffer frame, final int length)
        {
            if (result > 0)
            {
                final byte[] bytes = new byte[length];
                frame.getBytes(0, bytes);
                frames.add(new UnsafeBuffer(bytes));
            }

            return result;
        }

        @Override
        public long offer(
            final DirectBuffer head, final int headLength, final DirectBuffer payload, final int payloadLength)
        {
            throw new UnsupportedOperationException();
        }

        @Override
        public boolean isConnected()
        {
            return true;
        }

        @Override
        public String describe()
        {
            return "the group";
        }
    }
}
