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

import io.aeron.Aeron;
import io.aeron.Publication;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.driver.MediaDriver;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.endpoint.EmbeddedDriver;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.CloseHelper;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

import static io.aeroshmem.transport.aeron.RecordDescriptor.ATOMIC_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.ELEMENT_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_HEADER;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_KIND;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_NUMBER;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_REPLY_HEADER;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_REPLY_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_REPLY_NUMBER;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_REPLY_POSITION;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_REPLY_SIZE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_REPLY_WORD;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_SIZE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FETCH_RUN_WORD;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_ACKNOWLEDGED;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_EPOCH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_FIRST_SEQUENCE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_FLAGS;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_RECORD_COUNT;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_SOURCE_PE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.FRAME_TOKEN;
import static io.aeroshmem.transport.aeron.RecordDescriptor.GET_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.MEMBERS_HEADER;
import static io.aeroshmem.transport.aeron.RecordDescriptor.MEMBERS_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.MEMBERS_SIZE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.MEMBER_FIRST_SEQUENCE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.MEMBER_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.MEMBER_PE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.PUT_ADDRESS;
import static io.aeroshmem.transport.aeron.RecordDescriptor.PUT_DATA;
import static io.aeroshmem.transport.aeron.RecordDescriptor.PUT_DATA_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.PUT_REGION;
import static io.aeroshmem.transport.aeron.RecordDescriptor.SIGNAL_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.TO_GROUP;
import static io.aeroshmem.transport.aeron.RecordDescriptor.UPDATE_RUN_LENGTH;
import static io.aeroshmem.transport.aeron.RecordDescriptor.UPDATE_RUN_PAIR;
import static io.aeroshmem.transport.aeron.RecordDescriptor.UPDATE_RUN_SIZE;
import static io.aeroshmem.transport.aeron.RecordDescriptor.align;
import static io.aeroshmem.transport.aeron.RecordDescriptor.atomicKind;
import static io.aeroshmem.transport.aeron.RecordDescriptor.elementKind;
import static io.aeroshmem.transport.aeron.RecordDescriptor.groupSize;
import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** PE 0's handling of frames that claim to be from PE 1: valid, malformed and malicious ones. */
@Tag("jdk")
@Timeout(60)
class InboxTest
{
    private static final int GUARD = 4096;
    private static final int HEAP = 4096;
    private static final int RESERVED = HEAP / 2;
    private static final int EPOCH = 3;
    private static final long GUARD_BYTES = 0xA5A5_A5A5_A5A5_A5A5L;

    @TempDir
    private static Path driverRoot;

    private static MediaDriver driver;
    private static Aeron aeron;
    private static int streams;

    @TempDir
    private Path root;

    private final UnsafeBuffer memory = new UnsafeBuffer(ByteBuffer.allocateDirect(3 * GUARD + 2 * HEAP));
    private final UnsafeBuffer frame = new UnsafeBuffer(ByteBuffer.allocateDirect(8192));
    private int frameLength;
    private JobDirectory directory;
    private Publication publication;
    private ProgressEngine engine;
    private PeerLink link;
    private Inbox inbox;
    private RejectedFrames rejectedFrames;
    private final List<Throwable> errors = new ArrayList<>();
    private RegionMemory local;

    @BeforeAll
    static void connect()
    {
        driver = MediaDriver.launch(EmbeddedDriver.context(TimeUnit.SECONDS.toNanos(10))
            .aeronDirectoryName(driverRoot.resolve("aeron").toString()));
        aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.aeronDirectoryName()));
    }

    @AfterAll
    static void disconnect()
    {
        CloseHelper.closeAll(aeron, driver);
    }

    @BeforeEach
    void before()
    {
        for (int i = 0; i < memory.capacity(); i += Long.BYTES)
        {
            memory.putLong(i, GUARD_BYTES);
        }

        memory.setMemory(GUARD, HEAP, (byte)0);
        memory.setMemory(2 * GUARD + HEAP, HEAP, (byte)0);

        directory = JobDirectory.create(root, 2);
        publication = aeron.addPublication("aeron:ipc?term-length=128k", ++streams);

        final long address = memory.addressOffset();
        local = new RegionMemory(address + GUARD, HEAP, address + 2 * GUARD + HEAP, RESERVED);
        final int[] epochs = {EPOCH, EPOCH};
        engine = new ProgressEngine(0, directory.control(), local, epochs, directory.token(), errors::add);
        link = new PeerLink(1, new Outbox(
            new PublicationSink(publication),
            engine.messageCounters(),
            directory.token(),
            0,
            EPOCH,
            Outbox.ringCapacity(2)));
        engine.addLink(link);
        rejectedFrames = new RejectedFrames(0, engine.messageCounters());
        inbox = new Inbox(
            engine,
            engine.messageCounters(),
            rejectedFrames,
            local,
            engine.ownership(),
            new PeerLink[]{null, link},
            epochs,
            directory.token());
        begin();
    }

    @AfterEach
    void after()
    {
        publication.close();
        directory.delete();
        directory.close();
        assertGuards();
    }

    @Test
    void shouldPerformEveryKindOfRecordInOrder()
    {
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), 0, 0x0102030405060708L);
        add(ELEMENT_LENGTH);
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 2), 8, 0xFF7F);
        add(ELEMENT_LENGTH);
        final byte[] block = {1, 2, 3};
        final UnsafeBuffer source = new UnsafeBuffer(block);
        RecordWriter.put(frame, frameLength, Region.USER, 4093, source.byteArray(), source.addressOffset(), 3);
        add(align(PUT_DATA + 3));
        RecordWriter.signal(frame, frameLength, Region.SYSTEM, 128, 5, SignalOperation.ADD);
        add(SIGNAL_LENGTH);
        RecordWriter.update(frame, frameLength, atomicKind(Region.USER, AtomicOp.ADD, 4), 16, -1);
        add(ATOMIC_LENGTH);
        RecordWriter.fetchAtomic(frame, frameLength, AtomicOp.SWAP, 8, Region.USER, 0, 9, 0, 5, 77);
        add(FETCH_LENGTH);
        RecordWriter.get(frame, frameLength, Region.USER, 0, 100, 6, 78);
        add(GET_LENGTH);
        receive();

        assertFalse(directory.control().isFailed());
        assertEquals(7, link.received());
        assertEquals(1, count(PeCounter.FRAMES_RECEIVED));
        assertEquals(7, count(PeCounter.RECORDS_RECEIVED));
        assertEquals(frameLength, count(PeCounter.BYTES_RECEIVED));
        assertEquals(9, memory.getLong(GUARD));
        assertEquals((short)0xFF7F, memory.getShort(GUARD + 8));
        assertEquals(0, memory.getShort(GUARD + 10));
        assertEquals(3, memory.getByte(GUARD + 4095));
        assertEquals(5, memory.getLong(2 * GUARD + HEAP + 128));
        assertEquals(-1, memory.getInt(GUARD + 16));
        assertEquals(0x0102030405060708L, link.replies.fetchValue());
        assertEquals(5, link.replies.fetchSlot());
        assertEquals(77, link.replies.fetchGeneration());
        assertTrue(link.replies.hasGet());
        assertEquals(6, link.replies.getSlot());
        assertEquals(100, link.replies.getRemaining());
    }

    /** A newer version has appended 4 bytes to each block, and 8 to each entry of a group. */
    @Test
    void shouldSkipWhatANewerVersionAppends()
    {
        final long newer = (1L << 48) + 4;
        frame.putLong(0, RecordDescriptor.FRAME_HEADER + newer);
        frameLength += 8;

        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 2), 8, 0xFF7F);
        frame.putLong(frameLength, RecordDescriptor.ELEMENT_HEADER + newer);
        frame.putInt(frameLength + ELEMENT_LENGTH, -1);
        add(ELEMENT_LENGTH + 8);

        RecordWriter.update(frame, frameLength, atomicKind(Region.USER, AtomicOp.ADD, 8), 16, 1);
        frame.putLong(frameLength, RecordDescriptor.ATOMIC_RUN_HEADER + newer);
        final int group = frameLength + UPDATE_RUN_SIZE + 4;
        frame.putInt(group - 4, -1);
        frame.putInt(group, groupSize(UPDATE_RUN_PAIR + 8, 2));
        frame.putLong(group + 4, 24);
        frame.putLong(group + 12, 2);
        frame.putLong(group + 20, -1);
        frame.putLong(group + 28, 32);
        frame.putLong(group + 36, 3);
        frame.putLong(group + 44, -1);
        add(UPDATE_RUN_LENGTH + 8 + 2 * (UPDATE_RUN_PAIR + 8));

        frame.putLong(frameLength, RecordDescriptor.PUT_HEADER + newer);
        frame.putLong(frameLength + PUT_ADDRESS, 4095);
        frame.putInt(frameLength + PUT_REGION, Region.USER);
        frame.putInt(frameLength + PUT_DATA_LENGTH, -1);
        frame.putInt(frameLength + PUT_DATA_LENGTH + 4, 1);
        frame.putByte(frameLength + PUT_DATA + 4, (byte)3);
        add(PUT_DATA + 8);
        receive();

        assertFalse(directory.control().isFailed());
        assertEquals(3, link.received());
        assertEquals((short)0xFF7F, memory.getShort(GUARD + 8));
        assertEquals(0, memory.getShort(GUARD + 10));
        assertEquals(1, memory.getLong(GUARD + 16));
        assertEquals(2, memory.getLong(GUARD + 24));
        assertEquals(3, memory.getLong(GUARD + 32));
        assertEquals(3, memory.getByte(GUARD + 4095));
    }

    @Test
    void shouldDropFramesOfAnotherJobWithoutFailingThisOne()
    {
        frame.putLong(FRAME_TOKEN, directory.token() + 1);
        receive();
        begin();
        frame.putShort(FRAME_SOURCE_PE, (short)2);
        receive();
        begin();
        frame.putShort(FRAME_SOURCE_PE, (short)-1);
        receive();
        begin();
        frame.putShort(FRAME_SOURCE_PE, (short)0);
        receive();
        inbox.onFragment(frame, 0, 3, null);

        begin();
        frame.putLong(0, RecordDescriptor.FRAME_HEADER + (1L << 32));
        receive();
        begin();
        frame.putShort(FRAME_EPOCH, (short)(EPOCH + 1));
        receive();

        assertEquals(7, count(PeCounter.REJECTED_FRAMES));
        assertEquals(0, count(PeCounter.FRAMES_RECEIVED));
        assertEquals(3, rejectedFrames.count(RejectedFrames.Reason.UNKNOWN_PE));
        assertFalse(directory.control().isFailed());
        assertEquals(List.of(), errors);
        rejectedFrames.report(errors::add);
        rejectedFrames.report(errors::add);
        assertEquals(5, errors.size(), errors::toString);
        assertTrue(errors.get(0).getMessage().contains("token of another job"), errors::toString);
    }

    @Test
    void shouldFailASenderWhoseSequenceHasAGap()
    {
        frame.putInt(FRAME_FIRST_SEQUENCE, 1);
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), 0, 1);
        add(ELEMENT_LENGTH);
        receive();
        assertFailed("sequence 1 where 0");
        assertEquals(0, memory.getLong(GUARD));
    }

    @Test
    void shouldPerformFramesToAGroupInTheOrderOfTheSequence()
    {
        expectGroup(0);
        receiveToGroup(1, 2, Action.ABORT);
        frame.putInt(FRAME_ACKNOWLEDGED, 0);
        frame.putInt(FRAME_FIRST_SEQUENCE, 7);
        assertEquals(Action.CONTINUE, receiveControlled(), "an acknowledgement alone has no place in the order");

        begin();
        frame.putInt(FRAME_FIRST_SEQUENCE, 3);
        addElement(4);
        assertEquals(Action.ABORT, receiveControlled());
        assertEquals(0, memory.getLong(GUARD));

        begin();
        addElement(1);
        assertEquals(Action.CONTINUE, receiveControlled());
        receiveToGroup(1, 2, Action.CONTINUE);
        assertEquals(2, memory.getLong(GUARD));
        assertEquals(5, memory.getLong(GUARD + 8));
        assertEquals(3, link.received());
        frame.putInt(FRAME_FIRST_SEQUENCE, 3);
        addElement(4);
        assertEquals(Action.CONTINUE, receiveControlled());
        assertEquals(4, memory.getLong(GUARD));
        assertNull(directory.control().failure());

        receiveToGroup(3, 9, Action.CONTINUE);
        assertFailed("sequence 3 where 4");
        assertEquals(4, memory.getLong(GUARD));
    }

    /** The stream of a peer by IPC is the only one. */
    @Test
    void shouldFailASenderOfAGapWhomTheGroupDoesNotReach()
    {
        expectGroup(0);
        link.isInGroup = false;
        frame.putInt(FRAME_FIRST_SEQUENCE, 1);
        addElement(1);
        assertEquals(Action.CONTINUE, receiveControlled());
        assertFailed("sequence 1 where 0");
        assertEquals(0, memory.getLong(GUARD));
    }

    /** Those of PEs that this one does not exchange messages with, and its own, which come back. */
    @Test
    void shouldIgnoreFramesToAGroupOfOthersThanPeers()
    {
        expectGroup(0);
        beginToGroup(0);
        frame.putShort(FRAME_SOURCE_PE, (short)0);
        assertEquals(Action.CONTINUE, receiveControlled());
        frame.putShort(FRAME_SOURCE_PE, (short)2);
        assertEquals(Action.CONTINUE, receiveControlled());
        rejectedFrames.report(errors::add);
        assertEquals(1, errors.size());
        assertTrue(errors.get(0).getMessage().contains("not a peer"), errors.toString());
    }

    @Test
    void shouldLeaveFramesToOthersOfAGroup()
    {
        expectGroup(2);
        receiveToGroup(0, 2, Action.CONTINUE);
        expectGroup(1);
        receiveToGroup(0, 2, Action.CONTINUE);
        assertEquals(0, memory.getLong(GUARD));
        assertEquals(0, link.received());
        assertNull(directory.control().failure());
    }

    @ParameterizedTest
    @CsvSource({ "40, 8, 2, 1", "48, 8, 3, 1", "200, 16, 1, 2", "200, 8, 1, 0", "200, 8, 65535, 1" })
    void shouldFailASenderOfAMalformedFrameToAGroup(
        final int length, final int entryLength, final int members, final int records)
    {
        expectGroup(0);
        begin();
        frame.putShort(FRAME_FLAGS, (short)TO_GROUP);
        frame.putLong(FRAME_LENGTH, MEMBERS_HEADER);
        frame.putInt(FRAME_LENGTH + MEMBERS_SIZE, groupSize(entryLength, members));
        frame.putShort(FRAME_RECORD_COUNT, (short)records);
        frameLength = length;
        assertEquals(Action.CONTINUE, receiveControlled());
        assertFailed("a malformed frame to a group");
    }

    @Test
    void shouldFailASenderOfAMalformedRecordToAGroup()
    {
        expectGroup(0);
        beginToGroup(0);
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), HEAP, 1);
        add(ELEMENT_LENGTH);
        assertEquals(Action.CONTINUE, receiveControlled());
        assertFailed("record 0 of 1");
        assertEquals(0, link.received());
    }

    private void expectGroup(final int pe)
    {
        inbox.expectGroup(pe);
        link.isInGroup = true;
    }

    /** Of PE 1, with an element of PE 0, and one at offset 8. */
    private void receiveToGroup(final int firstSequence, final long value, final Action expected)
    {
        beginToGroup(firstSequence);
        addElement(value);
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), 8, value + 3);
        add(ELEMENT_LENGTH);
        assertEquals(expected, receiveControlled());
        begin();
    }

    private void beginToGroup(final int firstSequence)
    {
        begin();
        frame.putShort(FRAME_FLAGS, (short)TO_GROUP);
        frame.putLong(frameLength, MEMBERS_HEADER);
        frame.putInt(frameLength + MEMBERS_SIZE, groupSize(MEMBER_LENGTH, 2));
        final int members = frameLength + MEMBERS_LENGTH;
        frame.putInt(members + MEMBER_PE, 77);
        frame.putInt(members + MEMBER_FIRST_SEQUENCE, 12345);
        frame.putInt(members + MEMBER_LENGTH + MEMBER_PE, 0);
        frame.putInt(members + MEMBER_LENGTH + MEMBER_FIRST_SEQUENCE, firstSequence);
        add(MEMBERS_LENGTH + 2 * MEMBER_LENGTH);
    }

    private void addElement(final long value)
    {
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), 0, value);
        add(ELEMENT_LENGTH);
    }

    private Action receiveControlled()
    {
        try
        {
            return inbox.controlled().onFragment(frame, 0, frameLength, null);
        }
        catch (final Exception ex)
        {
            throw new AssertionError(ex);
        }
    }

    @Test
    void shouldFailASenderThatAcknowledgesWhatWasNeverSent()
    {
        frame.putInt(FRAME_ACKNOWLEDGED, 1);
        receive();
        assertFailed("acknowledged 1 records more, of 0");
    }

    @Test
    void shouldPerformNothingMoreOfASenderThatFailed()
    {
        frame.putInt(FRAME_ACKNOWLEDGED, 1);
        receive();
        begin();
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), 0, 1);
        add(ELEMENT_LENGTH);
        receive();
        assertEquals(0, memory.getLong(GUARD));
        assertEquals(1, rejectedFrames.count(RejectedFrames.Reason.AFTER_FAULT));
        assertEquals(1, count(PeCounter.MALFORMED_FRAMES));
    }

    @Test
    void shouldFailASenderThatAddressesOutsideTheHeap()
    {
        RecordWriter.update(frame, frameLength, elementKind(Region.USER, 8), HEAP - 7, 1);
        add(ELEMENT_LENGTH);
        receive();
        assertFailed("offset 4089");
    }

    @Test
    void shouldFailASenderThatAddressesSystemMemoryThatIsNotReserved()
    {
        local.growSystem(RESERVED - 8);
        RecordWriter.signal(frame, frameLength, Region.SYSTEM, RESERVED - 8, 1, SignalOperation.SET);
        add(SIGNAL_LENGTH);
        RecordWriter.signal(frame, frameLength, Region.SYSTEM, RESERVED, 1, SignalOperation.SET);
        add(SIGNAL_LENGTH);
        receive();
        assertFailed("offset " + RESERVED);
        assertEquals(1, memory.getLong(2 * GUARD + HEAP + RESERVED - 8));
        assertEquals(0, memory.getLong(2 * GUARD + HEAP + RESERVED));
    }

    @Test
    void shouldLetSendersReachSystemMemoryReservedSince()
    {
        local.growSystem(HEAP);
        RecordWriter.signal(frame, frameLength, Region.SYSTEM, HEAP - 8, 1, SignalOperation.SET);
        add(SIGNAL_LENGTH);
        receive();
        assertFalse(directory.control().isFailed());
        assertEquals(1, memory.getLong(2 * GUARD + 2 * HEAP - 8));
    }

    @Test
    void shouldFailASenderWithANegativeOffset()
    {
        RecordWriter.signal(frame, frameLength, Region.USER, -8, 1, SignalOperation.SET);
        add(SIGNAL_LENGTH);
        receive();
        assertFailed("offset -8");
    }

    @Test
    void shouldFailASenderOfAMisalignedAtomic()
    {
        RecordWriter.update(frame, frameLength, atomicKind(Region.USER, AtomicOp.ADD, 8), 4, 1);
        add(ATOMIC_LENGTH);
        receive();
        assertFailed("misaligned");
    }

    @Test
    void shouldFailASenderWhosePutIsLongerThanItsFrame()
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[8]);
        RecordWriter.put(frame, frameLength, Region.USER, 0, source.byteArray(), source.addressOffset(), 8);
        frame.putInt(frameLength + PUT_DATA_LENGTH, 9);
        add(PUT_DATA + 8);
        receive();
        assertFailed("malformed record: put");
    }

    @Test
    void shouldFailASenderThatAnnouncesMoreRecordsThanItSends()
    {
        frame.putShort(FRAME_RECORD_COUNT, (short)-1);
        inbox.onFragment(frame, 0, frameLength, null);
        assertFailed("record 0 of 65535");
    }

    @Test
    void shouldFailASenderThatExceedsItsRequests()
    {
        for (int i = 0; i <= RequestTable.CAPACITY; i++)
        {
            RecordWriter.get(frame, frameLength, Region.USER, 0, 8, i % RequestTable.CAPACITY, 0);
            add(GET_LENGTH);
        }

        receive();
        assertFailed("more than 64 requests");
    }

    @Test
    void shouldFailASenderThatExceedsItsRunsOfFetches()
    {
        for (int i = 0; i <= FetchRuns.CAPACITY; i++)
        {
            frame.putLong(frameLength, FETCH_RUN_HEADER);
            frame.putLong(frameLength + FETCH_RUN_KIND, atomicKind(Region.USER, AtomicOp.FETCH, 8));
            frame.putInt(frameLength + FETCH_RUN_SIZE, groupSize(FETCH_RUN_WORD, 1));
            frame.putInt(frameLength + FETCH_RUN_NUMBER, i);
            frame.putLong(frameLength + FETCH_RUN_LENGTH, 0);
            add(FETCH_RUN_LENGTH + Long.BYTES);
        }

        receive();
        assertFailed("more than 32 runs of fetches");
    }

    /** Two runs, of different widths, gather in the open frame. */
    @Test
    void shouldFailASenderThatRepliesToARunThatHasNotBeenSent()
    {
        final Pending pending = new Pending();
        final long[] dest = {-1, -1};
        final long base = UnsafeApi.arrayBaseOffset(long[].class);
        assertTrue(link.fetchRuns.append(
            link.outbox, atomicKind(Region.USER, AtomicOp.FETCH, 8), 0, 0, dest, base, pending));
        assertTrue(link.fetchRuns.append(
            link.outbox, atomicKind(Region.USER, AtomicOp.FETCH, 4), 0, 0, dest, base + 8, pending));

        frame.putLong(frameLength, FETCH_RUN_REPLY_HEADER);
        frame.putInt(frameLength + FETCH_RUN_REPLY_NUMBER, 0);
        frame.putInt(frameLength + FETCH_RUN_REPLY_POSITION, 0);
        frame.putInt(frameLength + FETCH_RUN_REPLY_SIZE, groupSize(FETCH_RUN_REPLY_WORD, 1));
        frame.putLong(frameLength + FETCH_RUN_REPLY_LENGTH, 7);
        add(FETCH_RUN_REPLY_LENGTH + Long.BYTES);
        receive();
        assertFailed("matches no request");
        assertEquals(0, link.fetchRuns.completed());
        assertArrayEquals(new long[]{-1, -1}, dest);
    }

    private void begin()
    {
        frame.setMemory(0, frame.capacity(), (byte)0);
        RecordDescriptor.frame(frame, directory.token(), 1, EPOCH);
        frameLength = FRAME_LENGTH;
    }

    private void add(final int recordLength)
    {
        frameLength += recordLength;
        frame.putShort(FRAME_RECORD_COUNT, (short)(frame.getShort(FRAME_RECORD_COUNT) + 1));
    }

    private void receive()
    {
        inbox.onFragment(frame, 0, frameLength, null);
    }

    private long count(final PeCounter counter)
    {
        return directory.control().counter(0, counter).get();
    }

    private void assertFailed(final String complaint)
    {
        final JobFailure failure = directory.control().failure();
        assertEquals(JobFailure.Kind.PROTOCOL, failure.kind());
        assertEquals(1, failure.pe());
        assertEquals(-1, failure.status());
        assertTrue(failure.message().contains(complaint), failure.message());
    }

    private void assertGuards()
    {
        assertGuards("");
    }

    private void assertGuards(final String message)
    {
        for (int i = 0; i < GUARD; i += Long.BYTES)
        {
            assertEquals(GUARD_BYTES, memory.getLong(i), message);
            assertEquals(GUARD_BYTES, memory.getLong(GUARD + HEAP + i), message);
            assertEquals(GUARD_BYTES, memory.getLong(2 * GUARD + 2 * HEAP + i), message);
        }
    }
}
