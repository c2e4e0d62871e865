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

import io.aeron.logbuffer.ControlledFragmentHandler;
import io.aeron.logbuffer.ControlledFragmentHandler.Action;
import io.aeron.logbuffer.FragmentHandler;
import io.aeron.logbuffer.Header;
import io.aeroshmem.codecs.AtomicRecordDecoder;
import io.aeroshmem.codecs.AtomicRunRecordDecoder;
import io.aeroshmem.codecs.ElementRecordDecoder;
import io.aeroshmem.codecs.ElementRunRecordDecoder;
import io.aeroshmem.codecs.FetchAtomicRecordDecoder;
import io.aeroshmem.codecs.FetchAtomicRunRecordDecoder;
import io.aeroshmem.codecs.FetchReplyRecordDecoder;
import io.aeroshmem.codecs.FetchRunRecordDecoder;
import io.aeroshmem.codecs.FetchRunReplyRecordDecoder;
import io.aeroshmem.codecs.GetRecordDecoder;
import io.aeroshmem.codecs.GetReplyRecordDecoder;
import io.aeroshmem.codecs.PutRecordDecoder;
import io.aeroshmem.codecs.SignalRecordDecoder;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.SignalOperation;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.mapped.MemoryOps;
import org.agrona.DirectBuffer;
import org.agrona.UnsafeApi;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Decodes frames, and performs the records in them on this PE's memory.
 */
final class Inbox implements FragmentHandler
{
    private static final int MALFORMED = -1;

    /*
     * Checks. No field of a frame is trusted. A record is checked completely before it touches memory:
     * - the eight bytes of its header, by one comparison;
     * - its length against the frame;
     * - its address against the region;
     * - its operands against their range.
     * The inbox reports a malformed record to the InboxListener, which fails the job and names the sender. No further
     * record of that sender is performed; the frames of other peers are not affected. A frame that is not from a peer
     * of this job is counted and dropped, see RejectedFrames.
     *
     * Groups. The records of one peer come on two streams if it also sends to a group. Their sequence numbers give the
     * order: a frame that comes before one that it follows is left in its stream, which is polled again later. Frames
     * of other peers behind it wait, too. Two streams do not wait for each other: each peer has offered what is waited
     * for before what waits, so that a circle would need a frame that was offered before itself.
     *
     * Replies. The inbox runs under the lock of the ProgressEngine, and never waits to reply: it puts a reply into the
     * ReplyQueue or the FetchRunReplies. These two always have room for a peer that has no more requests and runs
     * outstanding than the protocol permits.
     *
     * Ordering. Records are performed in the order in which they arrive: blocks by plain stores, and signals with
     * release. So a thread that loads a signal with acquire also sees the puts before the signal. The acknowledgement
     * of a record is sent in a later frame. The commit of that frame is a release, so a PE that has received the frame
     * sees the effects of the record.
     */
    private final InboxListener listener;
    private final MessageCounters messageCounters;
    private final RejectedFrames rejectedFrames;
    private final RegionMemory memory;
    private final WordOwnership ownership;
    private final NewerFrames newerFrames = new NewerFrames();
    private final PeerLink[] links;
    private final int[] epochs;
    private final long jobToken;
    private final ControlledFragmentHandler controlled = this::onControlledFragment;
    /** Number of this PE as a member of groups; -1: no frame to a group is expected. */
    private int memberPe = -1;
    /** Whether the last frame comes too early. */
    private boolean isEarly;
    private String complaint;
    private long lateReplies;
    private long puts;
    private long gets;
    private long atomics;
    private long signals;

    Inbox(
        final InboxListener listener,
        final MessageCounters messageCounters,
        final RejectedFrames rejectedFrames,
        final RegionMemory memory,
        final WordOwnership ownership,
        final PeerLink[] links,
        final int[] epochs,
        final long jobToken)
    {
        this.listener = listener;
        this.messageCounters = messageCounters;
        this.rejectedFrames = rejectedFrames;
        this.memory = memory;
        this.ownership = ownership;
        this.links = links;
        this.epochs = epochs;
        this.jobToken = jobToken;
    }

    /** Returns the number of dropped replies to abandoned or completed requests. */
    long lateReplies()
    {
        return lateReplies;
    }

    /** Expects frames to a group, too. */
    void expectGroup(final int pe)
    {
        memberPe = pe;
    }

    /** Returns the handler for streams on which frames may come too early. */
    ControlledFragmentHandler controlled()
    {
        return controlled;
    }

    private Action onControlledFragment(
        final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        isEarly = false;
        onFragment(buffer, offset, length, header);
        return isEarly ? Action.ABORT : Action.CONTINUE;
    }

    @Override
    public void onFragment(final DirectBuffer buffer, final int offset, final int length, final Header header)
    {
        if (length < FRAME_LENGTH)
        {
            rejectedFrames.onFrame(RejectedFrames.Reason.TOO_SHORT, header);
            return;
        }

        final long address = buffer.addressOffset() + offset;
        if (FRAME_HEADER == UnsafeApi.getLong(address))
        {
            onFrame(address, length, header);
        }
        else if (newerFrames.read(address, length))
        {
            onFrame(newerFrames.address(), newerFrames.length(), header);
        }
        else
        {
            rejectedFrames.onFrame(RejectedFrames.Reason.OTHER_SCHEMA, header);
        }
    }

    private void onFrame(final long address, final int length, final Header header)
    {
        if (jobToken != UnsafeApi.getLong(address + FRAME_TOKEN))
        {
            rejectedFrames.onFrame(RejectedFrames.Reason.OTHER_JOB, header);
            return;
        }

        final int sourcePe = Short.toUnsignedInt(UnsafeApi.getShort(address + FRAME_SOURCE_PE));
        final boolean isToGroup = memberPe >= 0 && 0 != (UnsafeApi.getShort(address + FRAME_FLAGS) & TO_GROUP);
        final boolean isPeer = sourcePe < links.length && null != links[sourcePe];
        if (isToGroup && !isPeer && sourcePe < links.length)
        {
            // of this PE, or of one that maps its memory
            return;
        }

        if (!isPeer)
        {
            rejectedFrames.onFrame(RejectedFrames.Reason.UNKNOWN_PE, header);
            return;
        }

        if (epochs[sourcePe] != Short.toUnsignedInt(UnsafeApi.getShort(address + FRAME_EPOCH)))
        {
            rejectedFrames.onFrame(RejectedFrames.Reason.OTHER_EPOCH, header);
            return;
        }

        final PeerLink link = links[sourcePe];
        if (link.isAtFault)
        {
            rejectedFrames.onFrame(RejectedFrames.Reason.AFTER_FAULT, header);
            return;
        }

        if (isToGroup)
        {
            onGroupFrame(link, address, length, header);
            return;
        }

        if (null != header && link.image != header.context())
        {
            link.image = header.context();
            listener.onPeerImage(link.image);
        }

        onFrame(link, address, length);
    }

    private void onGroupFrame(final PeerLink link, final long address, final int length, final Header header)
    {
        if (null != header && link.groupImage != header.context())
        {
            link.groupImage = header.context();
            listener.onPeerImage(link.groupImage);
        }

        final long members = address + FRAME_LENGTH;
        final int available = length - FRAME_LENGTH - MEMBERS_LENGTH;
        final int size = available < 0 ? 0 : UnsafeApi.getInt(members + MEMBERS_SIZE);
        final long membersLength = (long)entryCount(size) * MEMBER_LENGTH;
        final int recordCount = Short.toUnsignedInt(UnsafeApi.getShort(address + FRAME_RECORD_COUNT)) - 1;
        if (recordCount < 0 || available < membersLength || MEMBER_LENGTH != entryLength(size) ||
            MEMBERS_HEADER != UnsafeApi.getLong(members))
        {
            fail(link, "sent a malformed frame to a group of " + entryCount(size) + " PEs in " + length + " bytes");
            return;
        }

        final long records = members + MEMBERS_LENGTH + membersLength;
        for (long member = members + MEMBERS_LENGTH; member < records; member += MEMBER_LENGTH)
        {
            if (memberPe == UnsafeApi.getInt(member + MEMBER_PE))
            {
                if (isDue(link, UnsafeApi.getInt(member + MEMBER_FIRST_SEQUENCE)) &&
                    perform(link, records, address + length, recordCount))
                {
                    messageCounters.onFrameReceived(recordCount, length);
                    link.onReceived(recordCount, false);
                }

                return;
            }
        }
    }

    /** Returns whether it is the turn of a frame. If it comes too early it is to be left in its stream. */
    private boolean isDue(final PeerLink link, final int firstSequence)
    {
        final int missing = firstSequence - (int)link.received();
        if (0 == missing)
        {
            return true;
        }

        if (link.isInGroup && missing > 0)
        {
            isEarly = true;
            return false;
        }

        fail(link, "sent sequence " + Integer.toUnsignedString(firstSequence) + " where " +
            Integer.toUnsignedString((int)link.received()) + " was due");
        return false;
    }

    private void onFrame(final PeerLink link, final long address, final int length)
    {
        final int firstSequence = UnsafeApi.getInt(address + FRAME_FIRST_SEQUENCE);
        final int recordCount = Short.toUnsignedInt(UnsafeApi.getShort(address + FRAME_RECORD_COUNT));
        // an acknowledgement alone may come before or after a frame to the group
        if ((0 != recordCount || !link.isInGroup) && !isDue(link, firstSequence))
        {
            return;
        }

        // what travels is the low half of a count that only grows, and by less than its range between two frames
        final long acknowledged = link.outbox.acknowledged();
        final int newlyAcknowledged = UnsafeApi.getInt(address + FRAME_ACKNOWLEDGED) - (int)acknowledged;
        if (newlyAcknowledged < 0 || newlyAcknowledged > link.outbox.assigned() - acknowledged)
        {
            fail(link, "acknowledged " + newlyAcknowledged + " records more, of " +
                (link.outbox.assigned() - acknowledged) + " outstanding");
            return;
        }

        if (!perform(link, address + FRAME_LENGTH, address + length, recordCount))
        {
            return;
        }

        messageCounters.onFrameReceived(recordCount, length);
        if (0 != newlyAcknowledged)
        {
            link.outbox.onAcknowledged(acknowledged + newlyAcknowledged);
        }

        link.onReceived(recordCount, 0 != (UnsafeApi.getShort(address + FRAME_FLAGS) & ACKNOWLEDGE_NOW));
    }

    /** Performs the records of a frame; returns false, and fails the job, if one is malformed. */
    private boolean perform(final PeerLink link, final long records, final long end, final int recordCount)
    {
        long record = records;
        for (int i = 0; i < recordCount; i++)
        {
            final int recordLength = onRecord(link, record, end - record);
            if (recordLength < 0)
            {
                fail(link, complaint + ", record " + i + " of " + recordCount);
                return false;
            }

            record += recordLength;
        }

        return true;
    }

    long puts()
    {
        return puts;
    }

    long gets()
    {
        return gets;
    }

    long atomics()
    {
        return atomics;
    }

    long signals()
    {
        return signals;
    }

    private void fail(final PeerLink link, final String violation)
    {
        link.isAtFault = true;
        listener.onProtocolViolation(link.pe, violation);
    }

    /** Performs a record and returns its length, or {@link #MALFORMED} with the complaint set. */
    private int onRecord(final PeerLink link, final long record, final long available)
    {
        if (available < HEADER_LENGTH)
        {
            return malformed("a frame ended inside a record");
        }

        final long header = UnsafeApi.getLong(record);
        return switch ((int)(header >>> 16) & 0xFFFF)
        {
            case AtomicRecordDecoder.TEMPLATE_ID -> ATOMIC_HEADER == header && available >= ATOMIC_LENGTH ?
                onAtomic(record) : malformed("atomic", header, available);
            case FetchAtomicRecordDecoder.TEMPLATE_ID -> FETCH_HEADER == header && available >= FETCH_LENGTH ?
                onFetchAtomic(link, record) : malformed("fetching atomic", header, available);
            case FetchReplyRecordDecoder.TEMPLATE_ID ->
                FETCH_REPLY_HEADER == header && available >= FETCH_REPLY_LENGTH ?
                    onFetchReply(link, record) : malformed("fetch reply", header, available);
            case SignalRecordDecoder.TEMPLATE_ID -> SIGNAL_HEADER == header && available >= SIGNAL_LENGTH ?
                onSignal(record) : malformed("signal", header, available);
            case ElementRecordDecoder.TEMPLATE_ID -> ELEMENT_HEADER == header && available >= ELEMENT_LENGTH ?
                onElement(record) : malformed("element", header, available);
            case PutRecordDecoder.TEMPLATE_ID -> PUT_HEADER == header && available >= PUT_DATA ?
                onPut(record, available) : malformed("put", header, available);
            case GetRecordDecoder.TEMPLATE_ID -> GET_HEADER == header && available >= GET_LENGTH ?
                onGet(link, record) : malformed("get", header, available);
            case GetReplyRecordDecoder.TEMPLATE_ID -> GET_REPLY_HEADER == header && available >= GET_REPLY_DATA ?
                onGetReply(link, record, available) : malformed("get reply", header, available);
            case AtomicRunRecordDecoder.TEMPLATE_ID -> ATOMIC_RUN_HEADER == header && available >= UPDATE_RUN_LENGTH ?
                onAtomicRun(record, available) : malformed("run of atomics", header, available);
            case ElementRunRecordDecoder.TEMPLATE_ID -> ELEMENT_RUN_HEADER == header && available >= UPDATE_RUN_LENGTH ?
                onElementRun(record, available) : malformed("run of elements", header, available);
            case FetchRunRecordDecoder.TEMPLATE_ID -> FETCH_RUN_HEADER == header && available >= FETCH_RUN_LENGTH ?
                onFetchRun(link, record, available, FETCH_RUN_WORD) :
                malformed("run of fetches", header, available);
            case FetchAtomicRunRecordDecoder.TEMPLATE_ID ->
                FETCH_ATOMIC_RUN_HEADER == header && available >= FETCH_RUN_LENGTH ?
                    onFetchRun(link, record, available, FETCH_ATOMIC_RUN_PAIR) :
                    malformed("run of fetching atomics", header, available);
            case FetchRunReplyRecordDecoder.TEMPLATE_ID ->
                FETCH_RUN_REPLY_HEADER == header && available >= FETCH_RUN_REPLY_LENGTH ?
                    onFetchRunReply(link, record, available) : malformed("reply to a run", header, available);
            default -> malformed("unknown record header " + Long.toHexString(header));
        };
    }

    private int malformed(final String record, final long header, final long available)
    {
        return malformed(record + " with header " + Long.toHexString(header) + " and " + available + " bytes");
    }

    private int malformed(final String record, final int groupSize, final long available)
    {
        return malformed(record + " with a group of " + entryCount(groupSize) + " entries of " +
            entryLength(groupSize) + " bytes in " + available + " bytes");
    }

    private int malformed(final String record)
    {
        complaint = "sent a malformed record: " + record;
        return MALFORMED;
    }

    private int outside(final String record, final int region, final long offset, final long length)
    {
        complaint = "sent a " + record + " of " + length + " bytes at region " + region + " offset " + offset +
            ", which is outside the region or misaligned";
        return MALFORMED;
    }

    private int onPut(final long record, final long available)
    {
        puts++;
        final int length = UnsafeApi.getInt(record + PUT_DATA_LENGTH);
        if (length < 0 || length > available - PUT_DATA)
        {
            return malformed("put of " + length + " bytes where " + (available - PUT_DATA) + " follow");
        }

        final int region = UnsafeApi.getInt(record + PUT_REGION);
        final long offset = UnsafeApi.getLong(record + PUT_ADDRESS);
        final long dest = memory.address(region, offset, length);
        if (0 == dest)
        {
            return outside("put", region, offset, length);
        }

        final DeviceMemory device = memory.device(region);
        if (null == device)
        {
            UnsafeApi.copyMemory(null, record + PUT_DATA, null, dest, length);
        }
        else
        {
            device.copy(record + PUT_DATA, dest, length);
        }

        return align(PUT_DATA + length);
    }

    private int onElement(final long record)
    {
        puts++;
        final int width = UnsafeApi.getInt(record + ELEMENT_WIDTH);
        final int region = UnsafeApi.getInt(record + ELEMENT_REGION);
        final long offset = UnsafeApi.getLong(record + ELEMENT_ADDRESS);
        if (!isElementWidth(width))
        {
            return malformed("element of " + width + " bytes");
        }

        if (0 == memory.address(region, offset, width))
        {
            return outside("put", region, offset, width);
        }

        putRun(region, record + ELEMENT_ADDRESS, 1, width);
        return ELEMENT_LENGTH;
    }

    private static boolean isElementWidth(final int width)
    {
        return width >= 1 && width <= Long.BYTES && 1 == Integer.bitCount(width);
    }

    private int onElementRun(final long record, final long available)
    {
        final int width = UnsafeApi.getInt(record + ELEMENT_WIDTH);
        final int region = UnsafeApi.getInt(record + ELEMENT_REGION);
        final int size = UnsafeApi.getInt(record + UPDATE_RUN_SIZE);
        final int more = entryCount(size);
        if (!isElementWidth(width))
        {
            return malformed("run of elements of " + width + " bytes");
        }

        final long pairs = record + UPDATE_RUN_LENGTH;
        if (isOutside(size, UPDATE_RUN_PAIR, available - UPDATE_RUN_LENGTH))
        {
            return malformed("run of elements", size, available);
        }

        final long first = UnsafeApi.getLong(record + ELEMENT_ADDRESS);
        if (0 == memory.address(region, first, width) ||
            !memory.areInside(region, width, false, pairs, more, UPDATE_RUN_PAIR))
        {
            return outside("run of puts", region, first, width);
        }

        puts += 1 + more;
        putRun(region, record + ELEMENT_ADDRESS, 1, width);
        putRun(region, pairs, more, width);
        return UPDATE_RUN_LENGTH + more * UPDATE_RUN_PAIR;
    }

    /** Returns whether a group is empty, has entries of another length, or ends after the frame. */
    private static boolean isOutside(final int groupSize, final int entryLength, final long available)
    {
        final int count = entryCount(groupSize);
        return entryLength != entryLength(groupSize) || 0 == count || (long)count * entryLength > available;
    }

    /** Stores the elements of pairs that {@link UpdateRuns} describes, and that have been checked. */
    private void putRun(final int region, final long pairs, final int count, final int width)
    {
        final DeviceMemory device = memory.device(region);
        final long base = memory.base(region);
        if (null == device)
        {
            UpdateRuns.put(base, pairs, count, width);
            return;
        }

        final long end = pairs + (long)count * UPDATE_RUN_PAIR;
        for (long pair = pairs; pair < end; pair += UPDATE_RUN_PAIR)
        {
            device.putElement(base + UnsafeApi.getLong(pair), width, UnsafeApi.getLong(pair + Long.BYTES));
        }
    }

    private int onSignal(final long record)
    {
        signals++;
        final int region = UnsafeApi.getInt(record + SIGNAL_REGION);
        final int operation = UnsafeApi.getInt(record + SIGNAL_OPERATION);
        final long offset = UnsafeApi.getLong(record + SIGNAL_ADDRESS);
        final long word = memory.wordAddress(region, offset, Long.BYTES);
        if (operation < SignalOperation.SET || operation > SignalOperation.ADD)
        {
            return malformed("signal of operation " + operation);
        }

        if (0 == word)
        {
            return outside("signal", region, offset, Long.BYTES);
        }

        final long value = UnsafeApi.getLong(record + SIGNAL_VALUE);
        final DeviceMemory device = memory.device(region);
        if (null == device)
        {
            MemoryOps.signal(word, value, operation);
        }
        else
        {
            device.signal(word, value, operation);
        }

        return SIGNAL_LENGTH;
    }

    private int onAtomic(final long record)
    {
        atomics++;
        final int width = UnsafeApi.getShort(record + ATOMIC_WIDTH);
        final int operation = UnsafeApi.getShort(record + ATOMIC_OPERATION);
        final int region = UnsafeApi.getInt(record + ATOMIC_REGION);
        if (!isWordWidth(width) || !AtomicOp.isUpdate(operation))
        {
            return malformed("atomic of operation " + operation + " on " + width + " bytes");
        }

        final long offset = UnsafeApi.getLong(record + ATOMIC_ADDRESS);
        if (0 == memory.wordAddress(region, offset, width))
        {
            return outside("atomic", region, offset, width);
        }

        updateRun(region, record + ATOMIC_ADDRESS, 1, width, operation);
        return ATOMIC_LENGTH;
    }

    private static boolean isWordWidth(final int width)
    {
        return Long.BYTES == width || Integer.BYTES == width;
    }

    private int onAtomicRun(final long record, final long available)
    {
        final int width = UnsafeApi.getShort(record + ATOMIC_WIDTH);
        final int operation = UnsafeApi.getShort(record + ATOMIC_OPERATION);
        final int region = UnsafeApi.getInt(record + ATOMIC_REGION);
        final int size = UnsafeApi.getInt(record + UPDATE_RUN_SIZE);
        final int more = entryCount(size);
        if (!isWordWidth(width) || !AtomicOp.isUpdate(operation))
        {
            return malformed("run of atomics of operation " + operation + " on " + width + " bytes");
        }

        final long pairs = record + UPDATE_RUN_LENGTH;
        if (isOutside(size, UPDATE_RUN_PAIR, available - UPDATE_RUN_LENGTH))
        {
            return malformed("run of atomics", size, available);
        }

        final long first = UnsafeApi.getLong(record + ATOMIC_ADDRESS);
        if (0 == memory.wordAddress(region, first, width) ||
            !memory.areInside(region, width, true, pairs, more, UPDATE_RUN_PAIR))
        {
            return outside("run of atomics", region, first, width);
        }

        atomics += 1 + more;
        updateRun(region, record + ATOMIC_ADDRESS, 1, width, operation);
        updateRun(region, pairs, more, width, operation);
        return UPDATE_RUN_LENGTH + more * UPDATE_RUN_PAIR;
    }

    /** Updates the words of pairs that {@link UpdateRuns} describes, and that have been checked. */
    private void updateRun(
        final int region, final long pairs, final int count, final int width, final int operation)
    {
        final DeviceMemory device = memory.device(region);
        final long base = memory.base(region);
        if (null == device)
        {
            UpdateRuns.update(base, pairs, count, width, operation, isClaimed(region));
            return;
        }

        final long end = pairs + (long)count * UPDATE_RUN_PAIR;
        for (long pair = pairs; pair < end; pair += UPDATE_RUN_PAIR)
        {
            device.fetchAtomic(
                base + UnsafeApi.getLong(pair), width, operation, UnsafeApi.getLong(pair + Long.BYTES), 0);
        }
    }

    private boolean isClaimed(final int region)
    {
        return Region.USER == region && ownership.isClaimed();
    }

    private int onFetchAtomic(final PeerLink link, final long record)
    {
        atomics++;
        final int width = UnsafeApi.getShort(record + FETCH_WIDTH);
        final int operation = UnsafeApi.getShort(record + FETCH_OPERATION);
        final int slot = UnsafeApi.getInt(record + FETCH_SLOT);
        final int region = UnsafeApi.getInt(record + FETCH_REGION);
        if (!isWordWidth(width) || !AtomicOp.isValid(operation) ||
            slot < 0 || slot >= RequestTable.CAPACITY)
        {
            return malformed("fetching atomic of operation " + operation + " on " + width + " bytes for slot " + slot);
        }

        final long offset = UnsafeApi.getLong(record + FETCH_ADDRESS);
        final long word = memory.wordAddress(region, offset, width);
        if (0 == word)
        {
            return outside("fetching atomic", region, offset, width);
        }

        if (!link.replies.hasFetchRoom())
        {
            complaint = "has more than " + RequestTable.CAPACITY + " requests outstanding";
            return MALFORMED;
        }

        final long value = UnsafeApi.getLong(record + FETCH_VALUE);
        final long condition = UnsafeApi.getLong(record + FETCH_CONDITION);
        final DeviceMemory device = memory.device(region);
        final long before = null == device ?
            UpdateRuns.fetch(word, width, operation, value, condition, isClaimed(region)) :
            device.fetchAtomic(word, width, operation, value, condition);
        link.replies.addFetch(slot, UnsafeApi.getInt(record + FETCH_GENERATION), before);
        return FETCH_LENGTH;
    }

    private int onFetchRun(final PeerLink link, final long record, final long available, final int wordLength)
    {
        final long kind = UnsafeApi.getLong(record + FETCH_RUN_KIND);
        final int region = kindRegion(kind);
        final int operation = kindOperation(kind);
        final int width = kindWidth(kind);
        final int size = UnsafeApi.getInt(record + FETCH_RUN_SIZE);
        final int count = entryCount(size);
        if (!isWordWidth(width) || !AtomicOp.isValid(operation) || AtomicOp.COMPARE_SWAP == operation ||
            (AtomicOp.FETCH == operation) != (FETCH_RUN_WORD == wordLength))
        {
            return malformed("run of fetches of operation " + operation + " on " + width + " bytes");
        }

        if (count > FetchRuns.LENGTH_LIMIT || isOutside(size, wordLength, available - FETCH_RUN_LENGTH))
        {
            return malformed("run of fetches", size, available);
        }

        final long words = record + FETCH_RUN_LENGTH;
        if (!memory.areInside(region, width, true, words, count, wordLength))
        {
            return outside("run of fetches", region, UnsafeApi.getLong(words), width);
        }

        final FetchRunReplies replies = link.fetchRunReplies;
        final long values = replies.nextAddress();
        if (0 == values)
        {
            complaint = "has more than " + FetchRuns.CAPACITY + " runs of fetches outstanding";
            return MALFORMED;
        }

        atomics += count;
        final DeviceMemory device = memory.device(region);
        final long base = memory.base(region);
        if (null == device)
        {
            UpdateRuns.fetch(base, words, wordLength, count, width, operation, isClaimed(region), values);
        }
        else
        {
            fetch(device, base, words, wordLength, count, width, operation, values);
        }

        replies.add(UnsafeApi.getInt(record + FETCH_RUN_NUMBER), count);
        return FETCH_RUN_LENGTH + count * wordLength;
    }

    private static void fetch(
        final DeviceMemory device,
        final long base,
        final long fetches,
        final int stepLength,
        final int count,
        final int width,
        final int operation,
        final long values)
    {
        for (int i = 0; i < count; i++)
        {
            final long fetch = fetches + (long)i * stepLength;
            final long operand = AtomicOp.FETCH == operation ? 0 : UnsafeApi.getLong(fetch + Long.BYTES);
            UnsafeApi.putLong(
                values + (long)i * Long.BYTES,
                device.fetchAtomic(base + UnsafeApi.getLong(fetch), width, operation, operand, 0));
        }
    }

    private int onFetchRunReply(final PeerLink link, final long record, final long available)
    {
        final int number = UnsafeApi.getInt(record + FETCH_RUN_REPLY_NUMBER);
        final int position = UnsafeApi.getInt(record + FETCH_RUN_REPLY_POSITION);
        final int size = UnsafeApi.getInt(record + FETCH_RUN_REPLY_SIZE);
        final int count = entryCount(size);
        if (isOutside(size, FETCH_RUN_REPLY_WORD, available - FETCH_RUN_REPLY_LENGTH) ||
            !link.fetchRuns.onReply(number, position, count, record + FETCH_RUN_REPLY_LENGTH))
        {
            return malformed("reply to run " + Integer.toUnsignedString(number) + " of " + count + " words at " +
                position + ", which matches no request");
        }

        return FETCH_RUN_REPLY_LENGTH + count * FETCH_RUN_REPLY_WORD;
    }

    private int onFetchReply(final PeerLink link, final long record)
    {
        final int slot = UnsafeApi.getInt(record + FETCH_REPLY_SLOT);
        final int generation = UnsafeApi.getInt(record + FETCH_REPLY_GENERATION);
        switch (link.requests.onFetchReply(slot, generation, UnsafeApi.getLong(record + FETCH_REPLY_VALUE)))
        {
            case RequestTable.INVALID:
                return malformed("fetch reply to slot " + slot + " generation " + generation +
                    ", which matches no request");

            case RequestTable.LATE:
                lateReplies++;
                return FETCH_REPLY_LENGTH;

            default:
                return FETCH_REPLY_LENGTH;
        }
    }

    private int onGet(final PeerLink link, final long record)
    {
        gets++;
        final long length = UnsafeApi.getLong(record + GET_DATA_LENGTH);
        final int slot = UnsafeApi.getInt(record + GET_SLOT);
        if (length < 1 || slot < 0 || slot >= RequestTable.CAPACITY)
        {
            return malformed("get of " + length + " bytes for slot " + slot);
        }

        final int region = UnsafeApi.getInt(record + GET_REGION);
        final long offset = UnsafeApi.getLong(record + GET_ADDRESS);
        final long source = memory.address(region, offset, length);
        if (0 == source)
        {
            return outside("get", region, offset, length);
        }

        if (!link.replies.addGet(
            slot, UnsafeApi.getInt(record + GET_GENERATION), memory.device(region), source, length))
        {
            complaint = "has more than " + RequestTable.CAPACITY + " requests outstanding";
            return MALFORMED;
        }

        return GET_LENGTH;
    }

    private int onGetReply(final PeerLink link, final long record, final long available)
    {
        final int length = UnsafeApi.getInt(record + GET_REPLY_DATA_LENGTH);
        if (length < 1 || length > available - GET_REPLY_DATA)
        {
            return malformed("get reply of " + length + " bytes where " + (available - GET_REPLY_DATA) + " follow");
        }

        final int slot = UnsafeApi.getInt(record + GET_REPLY_SLOT);
        final int generation = UnsafeApi.getInt(record + GET_REPLY_GENERATION);
        final long position = UnsafeApi.getLong(record + GET_REPLY_POSITION);
        switch (link.requests.onGetReply(slot, generation, position, record + GET_REPLY_DATA, length))
        {
            case RequestTable.INVALID:
                return malformed("get reply to slot " + slot + " generation " + generation + " of " + length +
                    " bytes at " + position + ", which matches no request");

            case RequestTable.LATE:
                lateReplies++;
                return align(GET_REPLY_DATA + length);

            default:
                return align(GET_REPLY_DATA + length);
        }
    }
}
