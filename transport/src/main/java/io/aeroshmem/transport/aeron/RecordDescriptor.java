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

import io.aeroshmem.codecs.AtomicRecordEncoder;
import io.aeroshmem.codecs.AtomicRunRecordEncoder;
import io.aeroshmem.codecs.ElementRecordEncoder;
import io.aeroshmem.codecs.ElementRunRecordEncoder;
import io.aeroshmem.codecs.FetchAtomicRecordEncoder;
import io.aeroshmem.codecs.FetchAtomicRunRecordEncoder;
import io.aeroshmem.codecs.FetchReplyRecordEncoder;
import io.aeroshmem.codecs.FetchRunRecordEncoder;
import io.aeroshmem.codecs.FetchRunReplyRecordEncoder;
import io.aeroshmem.codecs.FrameEncoder;
import io.aeroshmem.codecs.GetRecordEncoder;
import io.aeroshmem.codecs.GetReplyRecordEncoder;
import io.aeroshmem.codecs.GroupSizeEncodingEncoder;
import io.aeroshmem.codecs.MembersRecordEncoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.codecs.PayloadEncoder;
import io.aeroshmem.codecs.PutRecordEncoder;
import io.aeroshmem.codecs.SignalRecordEncoder;
import org.agrona.BitUtil;
import org.agrona.MutableDirectBuffer;

/**
 * Layout of frames and records. The offsets are constants taken from the generated codecs. So hot paths read and write
 * fields without a flyweight, which several threads would have to share. The first diagram is a frame, the second a
 * record.
 * <pre>
 *   0                 8                                              32
 *  +-----------------+----------------------------------------------+----------+----------+--
 *  |  message header |  Frame: token, first sequence, acknowledged, |  record  |  record  | ...
 *  |  (8 bytes)      |  source PE, epoch, record count, flags       |          |          |
 *  +-----------------+----------------------------------------------+----------+----------+--
 *
 *   0                 8
 *  +-----------------+---------------+--------------------------------+
 *  |  message header |  fixed block  |  put, get reply: length, data  |  padded to 8 bytes
 *  |  (8 bytes)      |               |  run: group of entries         |
 *  |                 |               |  reply to a run: of values     |
 *  +-----------------+---------------+--------------------------------+
 * </pre>
 * An element is a put of 1, 2, 4 or 8 bytes; an update is an element or an atomic operation that returns nothing. A run
 * is one record for several updates, or several fetches, of one kind. The kind is an eight-byte value that combines the
 * region, the width and, except for elements, the operation code, see {@link #atomicKind} and {@link #elementKind}. The
 * entries of a run are an SBE group, whose dimension gives their length and number. In a run of updates, the first
 * entry is in the fixed block, as in a single update, and only the others are in the group.
 */
final class RecordDescriptor
{
    // integers are little-endian, as on every host that this library runs on (checked when a PE joins)
    static final int ALIGNMENT = 8;
    static final int HEADER_LENGTH = MessageHeaderEncoder.ENCODED_LENGTH;

    static final int LENGTH_PREFIX = PayloadEncoder.varDataEncodingOffset();
    static final int GROUP_SIZE_LENGTH = GroupSizeEncodingEncoder.ENCODED_LENGTH;

    static final int FRAME_LENGTH = HEADER_LENGTH + FrameEncoder.BLOCK_LENGTH;
    static final int FRAME_TOKEN = HEADER_LENGTH + FrameEncoder.jobTokenEncodingOffset();
    static final int FRAME_FIRST_SEQUENCE = HEADER_LENGTH + FrameEncoder.firstSequenceEncodingOffset();
    static final int FRAME_ACKNOWLEDGED = HEADER_LENGTH + FrameEncoder.acknowledgedEncodingOffset();
    static final int FRAME_SOURCE_PE = HEADER_LENGTH + FrameEncoder.sourcePeEncodingOffset();
    static final int FRAME_EPOCH = HEADER_LENGTH + FrameEncoder.epochEncodingOffset();
    static final int FRAME_RECORD_COUNT = HEADER_LENGTH + FrameEncoder.recordCountEncodingOffset();
    static final int FRAME_FLAGS = HEADER_LENGTH + FrameEncoder.flagsEncodingOffset();
    static final int ACKNOWLEDGE_NOW = 1;
    static final int TO_GROUP = 2;
    static final long FRAME_HEADER = header(FrameEncoder.BLOCK_LENGTH, FrameEncoder.TEMPLATE_ID);

    static final int PUT_ADDRESS = HEADER_LENGTH + PutRecordEncoder.addressEncodingOffset();
    static final int PUT_REGION = HEADER_LENGTH + PutRecordEncoder.regionEncodingOffset();
    static final int PUT_DATA_LENGTH = HEADER_LENGTH + PutRecordEncoder.BLOCK_LENGTH;
    static final int PUT_DATA = PUT_DATA_LENGTH + LENGTH_PREFIX;
    static final long PUT_HEADER = header(PutRecordEncoder.BLOCK_LENGTH, PutRecordEncoder.TEMPLATE_ID);

    static final int ELEMENT_ADDRESS = HEADER_LENGTH + ElementRecordEncoder.addressEncodingOffset();
    static final int ELEMENT_VALUE = HEADER_LENGTH + ElementRecordEncoder.valueEncodingOffset();
    static final int ELEMENT_REGION = HEADER_LENGTH + ElementRecordEncoder.regionEncodingOffset();
    static final int ELEMENT_WIDTH = HEADER_LENGTH + ElementRecordEncoder.widthEncodingOffset();
    static final int ELEMENT_LENGTH = HEADER_LENGTH + ElementRecordEncoder.BLOCK_LENGTH;
    static final long ELEMENT_HEADER = header(ElementRecordEncoder.BLOCK_LENGTH, ElementRecordEncoder.TEMPLATE_ID);

    static final int SIGNAL_ADDRESS = HEADER_LENGTH + SignalRecordEncoder.addressEncodingOffset();
    static final int SIGNAL_VALUE = HEADER_LENGTH + SignalRecordEncoder.valueEncodingOffset();
    static final int SIGNAL_REGION = HEADER_LENGTH + SignalRecordEncoder.regionEncodingOffset();
    static final int SIGNAL_OPERATION = HEADER_LENGTH + SignalRecordEncoder.operationEncodingOffset();
    static final int SIGNAL_LENGTH = HEADER_LENGTH + SignalRecordEncoder.BLOCK_LENGTH;
    static final long SIGNAL_HEADER = header(SignalRecordEncoder.BLOCK_LENGTH, SignalRecordEncoder.TEMPLATE_ID);

    static final int ATOMIC_ADDRESS = HEADER_LENGTH + AtomicRecordEncoder.addressEncodingOffset();
    static final int ATOMIC_VALUE = HEADER_LENGTH + AtomicRecordEncoder.valueEncodingOffset();
    static final int ATOMIC_REGION = HEADER_LENGTH + AtomicRecordEncoder.regionEncodingOffset();
    static final int ATOMIC_OPERATION = HEADER_LENGTH + AtomicRecordEncoder.operationEncodingOffset();
    static final int ATOMIC_WIDTH = HEADER_LENGTH + AtomicRecordEncoder.widthEncodingOffset();
    static final int ATOMIC_LENGTH = HEADER_LENGTH + AtomicRecordEncoder.BLOCK_LENGTH;
    static final long ATOMIC_HEADER = header(AtomicRecordEncoder.BLOCK_LENGTH, AtomicRecordEncoder.TEMPLATE_ID);

    static final int FETCH_ADDRESS = HEADER_LENGTH + FetchAtomicRecordEncoder.addressEncodingOffset();
    static final int FETCH_VALUE = HEADER_LENGTH + FetchAtomicRecordEncoder.valueEncodingOffset();
    static final int FETCH_CONDITION = HEADER_LENGTH + FetchAtomicRecordEncoder.conditionEncodingOffset();
    static final int FETCH_REGION = HEADER_LENGTH + FetchAtomicRecordEncoder.regionEncodingOffset();
    static final int FETCH_OPERATION = HEADER_LENGTH + FetchAtomicRecordEncoder.operationEncodingOffset();
    static final int FETCH_WIDTH = HEADER_LENGTH + FetchAtomicRecordEncoder.widthEncodingOffset();
    static final int FETCH_SLOT = HEADER_LENGTH + FetchAtomicRecordEncoder.slotEncodingOffset();
    static final int FETCH_GENERATION = HEADER_LENGTH + FetchAtomicRecordEncoder.generationEncodingOffset();
    static final int FETCH_LENGTH = HEADER_LENGTH + FetchAtomicRecordEncoder.BLOCK_LENGTH;
    static final long FETCH_HEADER =
        header(FetchAtomicRecordEncoder.BLOCK_LENGTH, FetchAtomicRecordEncoder.TEMPLATE_ID);

    static final int FETCH_REPLY_VALUE = HEADER_LENGTH + FetchReplyRecordEncoder.valueEncodingOffset();
    static final int FETCH_REPLY_SLOT = HEADER_LENGTH + FetchReplyRecordEncoder.slotEncodingOffset();
    static final int FETCH_REPLY_GENERATION = HEADER_LENGTH + FetchReplyRecordEncoder.generationEncodingOffset();
    static final int FETCH_REPLY_LENGTH = HEADER_LENGTH + FetchReplyRecordEncoder.BLOCK_LENGTH;
    static final long FETCH_REPLY_HEADER =
        header(FetchReplyRecordEncoder.BLOCK_LENGTH, FetchReplyRecordEncoder.TEMPLATE_ID);

    static final int GET_ADDRESS = HEADER_LENGTH + GetRecordEncoder.addressEncodingOffset();
    static final int GET_DATA_LENGTH = HEADER_LENGTH + GetRecordEncoder.lengthEncodingOffset();
    static final int GET_REGION = HEADER_LENGTH + GetRecordEncoder.regionEncodingOffset();
    static final int GET_SLOT = HEADER_LENGTH + GetRecordEncoder.slotEncodingOffset();
    static final int GET_GENERATION = HEADER_LENGTH + GetRecordEncoder.generationEncodingOffset();
    static final int GET_LENGTH = HEADER_LENGTH + GetRecordEncoder.BLOCK_LENGTH;
    static final long GET_HEADER = header(GetRecordEncoder.BLOCK_LENGTH, GetRecordEncoder.TEMPLATE_ID);

    static final int GET_REPLY_POSITION = HEADER_LENGTH + GetReplyRecordEncoder.positionEncodingOffset();
    static final int GET_REPLY_SLOT = HEADER_LENGTH + GetReplyRecordEncoder.slotEncodingOffset();
    static final int GET_REPLY_GENERATION = HEADER_LENGTH + GetReplyRecordEncoder.generationEncodingOffset();
    static final int GET_REPLY_DATA_LENGTH = HEADER_LENGTH + GetReplyRecordEncoder.BLOCK_LENGTH;
    static final int GET_REPLY_DATA = GET_REPLY_DATA_LENGTH + LENGTH_PREFIX;
    static final long GET_REPLY_HEADER =
        header(GetReplyRecordEncoder.BLOCK_LENGTH, GetReplyRecordEncoder.TEMPLATE_ID);

    /** An element or an atomic: both have the address, the value, and eight bytes that specify what is done. */
    static final int UPDATE_ADDRESS = ATOMIC_ADDRESS;
    static final int UPDATE_VALUE = ATOMIC_VALUE;
    static final int UPDATE_KIND = ATOMIC_REGION;
    static final int UPDATE_LENGTH = ATOMIC_LENGTH;

    /** A run of updates begins as its first one does. */
    static final int UPDATE_RUN_PADDING = HEADER_LENGTH + AtomicRunRecordEncoder.paddingEncodingOffset();
    static final int UPDATE_RUN_SIZE = HEADER_LENGTH + AtomicRunRecordEncoder.BLOCK_LENGTH;
    static final int UPDATE_RUN_LENGTH = UPDATE_RUN_SIZE + GROUP_SIZE_LENGTH;
    static final int UPDATE_RUN_PAIR = AtomicRunRecordEncoder.UpdatesEncoder.sbeBlockLength();
    static final long ATOMIC_RUN_HEADER =
        header(AtomicRunRecordEncoder.BLOCK_LENGTH, AtomicRunRecordEncoder.TEMPLATE_ID);
    static final long ELEMENT_RUN_HEADER =
        header(ElementRunRecordEncoder.BLOCK_LENGTH, ElementRunRecordEncoder.TEMPLATE_ID);

    static final int FETCH_RUN_KIND = HEADER_LENGTH + FetchRunRecordEncoder.regionEncodingOffset();
    static final int FETCH_RUN_NUMBER = HEADER_LENGTH + FetchRunRecordEncoder.numberEncodingOffset();
    static final int FETCH_RUN_SIZE = HEADER_LENGTH + FetchRunRecordEncoder.BLOCK_LENGTH;
    static final int FETCH_RUN_LENGTH = FETCH_RUN_SIZE + GROUP_SIZE_LENGTH;
    static final int FETCH_RUN_WORD = FetchRunRecordEncoder.FetchesEncoder.sbeBlockLength();
    static final long FETCH_RUN_HEADER = header(FetchRunRecordEncoder.BLOCK_LENGTH, FetchRunRecordEncoder.TEMPLATE_ID);

    /** A run of fetches with operands begins as one without. */
    static final int FETCH_ATOMIC_RUN_PAIR = FetchAtomicRunRecordEncoder.FetchesEncoder.sbeBlockLength();
    static final long FETCH_ATOMIC_RUN_HEADER =
        header(FetchAtomicRunRecordEncoder.BLOCK_LENGTH, FetchAtomicRunRecordEncoder.TEMPLATE_ID);

    static final int FETCH_RUN_REPLY_NUMBER = HEADER_LENGTH + FetchRunReplyRecordEncoder.numberEncodingOffset();
    static final int FETCH_RUN_REPLY_POSITION = HEADER_LENGTH + FetchRunReplyRecordEncoder.positionEncodingOffset();
    static final int FETCH_RUN_REPLY_PADDING = HEADER_LENGTH + FetchRunReplyRecordEncoder.paddingEncodingOffset();
    static final int FETCH_RUN_REPLY_SIZE = HEADER_LENGTH + FetchRunReplyRecordEncoder.BLOCK_LENGTH;
    static final int FETCH_RUN_REPLY_LENGTH = FETCH_RUN_REPLY_SIZE + GROUP_SIZE_LENGTH;
    static final int FETCH_RUN_REPLY_WORD = FetchRunReplyRecordEncoder.ValuesEncoder.sbeBlockLength();
    static final long FETCH_RUN_REPLY_HEADER =
        header(FetchRunReplyRecordEncoder.BLOCK_LENGTH, FetchRunReplyRecordEncoder.TEMPLATE_ID);

    static final int MEMBERS_SIZE = HEADER_LENGTH + MembersRecordEncoder.BLOCK_LENGTH;
    static final int MEMBERS_LENGTH = MEMBERS_SIZE + GROUP_SIZE_LENGTH;
    static final int MEMBER_PE = MembersRecordEncoder.MembersEncoder.peEncodingOffset();
    static final int MEMBER_FIRST_SEQUENCE = MembersRecordEncoder.MembersEncoder.firstSequenceEncodingOffset();
    static final int MEMBER_LENGTH = MembersRecordEncoder.MembersEncoder.sbeBlockLength();
    static final long MEMBERS_HEADER = header(MembersRecordEncoder.BLOCK_LENGTH, MembersRecordEncoder.TEMPLATE_ID);

    private static final int OPERATION_SHIFT = Integer.SIZE;
    private static final int WIDTH_SHIFT = Integer.SIZE + Short.SIZE;
    private static final int NUM_IN_GROUP_SHIFT = Byte.SIZE * GroupSizeEncodingEncoder.numInGroupEncodingOffset();

    private RecordDescriptor()
    {
    }

    /** Returns the eight bytes of a message header, so that one store writes it and one comparison checks it. */
    private static long header(final int blockLength, final int templateId)
    {
        return (long)blockLength |
            ((long)templateId << 16) |
            ((long)MessageHeaderEncoder.SCHEMA_ID << 32) |
            ((long)MessageHeaderEncoder.SCHEMA_VERSION << 48);
    }

    /** Returns the four bytes of the dimension of a group, so that one store writes it. */
    static int groupSize(final int entryLength, final int count)
    {
        return entryLength | count << NUM_IN_GROUP_SHIFT;
    }

    static int entryLength(final int groupSize)
    {
        return groupSize & 0xFFFF;
    }

    static int entryCount(final int groupSize)
    {
        return groupSize >>> NUM_IN_GROUP_SHIFT;
    }

    /** Returns region, operation and width as an atomic and a run of fetches carry them, in eight bytes. */
    static long atomicKind(final int region, final int operation, final int width)
    {
        return region | (long)operation << OPERATION_SHIFT | (long)width << WIDTH_SHIFT;
    }

    /** Returns region and width as an element carries them, in eight bytes. */
    static long elementKind(final int region, final int width)
    {
        return region | (long)width << Integer.SIZE;
    }

    static int elementWidth(final long kind)
    {
        return (int)(kind >>> Integer.SIZE);
    }

    /** Returns true for what {@link #atomicKind} has returned: an element's width leaves these bits zero. */
    static boolean isAtomic(final long kind)
    {
        return 0 != kind >>> WIDTH_SHIFT;
    }

    static int kindRegion(final long kind)
    {
        return (int)kind;
    }

    static int kindOperation(final long kind)
    {
        return (int)(kind >>> OPERATION_SHIFT) & 0xFFFF;
    }

    static int kindWidth(final long kind)
    {
        return (int)(kind >>> WIDTH_SHIFT);
    }

    /** Returns whether a get is one of a naturally aligned word, which travels as a fetch. */
    static boolean isWord(final long offset, final long length)
    {
        return (Long.BYTES == length || Integer.BYTES == length) && 0 == (offset & (length - 1));
    }

    static int align(final int length)
    {
        return BitUtil.align(length, ALIGNMENT);
    }

    static void frame(
        final MutableDirectBuffer buffer, final long jobToken, final int sourcePe, final int epoch)
    {
        buffer.putLong(0, FRAME_HEADER);
        buffer.putLong(FRAME_TOKEN, jobToken);
        buffer.putShort(FRAME_SOURCE_PE, (short)sourcePe);
        buffer.putShort(FRAME_EPOCH, (short)epoch);
    }
}
