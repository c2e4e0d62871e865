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
import io.aeroshmem.codecs.MembersRecordDecoder;
import io.aeroshmem.codecs.MessageHeaderDecoder;
import io.aeroshmem.codecs.PutRecordDecoder;
import io.aeroshmem.codecs.SignalRecordDecoder;
import org.agrona.BufferUtil;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.UnsafeBuffer;

import static io.aeroshmem.transport.aeron.RecordDescriptor.*;

/**
 * Copy of a frame of a newer version of the schema, without the fields that the version has appended to blocks and to
 * entries of groups. So the {@link Inbox} reads one layout. From the first record on that no version may send, the copy
 * is literal, and the inbox finds the fault. Accessed only under the engine's lock.
 */
final class NewerFrames
{
    /** Fields of a message header that are equal in all versions: template and schema. */
    private static final long SAME = 0x0000_FFFF_FFFF_0000L;

    private UnsafeBuffer frame = new UnsafeBuffer(0, 0);
    private int length;

    long address()
    {
        return frame.addressOffset();
    }

    int length()
    {
        return length;
    }

    /**
     * Copies a frame, of which the head is there at least in the length of this version.
     *
     * @return false if it is not a frame of a newer version.
     */
    boolean read(final long source, final int sourceLength)
    {
        final int headLength = headLength(source, sourceLength, FRAME_HEADER);
        if (0 == headLength)
        {
            return false;
        }

        // what is appended to a record never makes it shorter, so the copy is not longer
        if (frame.capacity() < sourceLength)
        {
            frame = new UnsafeBuffer(BufferUtil.allocateDirectAligned(align(sourceLength), ALIGNMENT));
        }

        length = 0;
        appendHead(source, FRAME_HEADER);

        final long end = source + sourceLength;
        long record = source + align(headLength);
        int recordLength = HEADER_LENGTH;
        while (recordLength > 0 && end - record >= HEADER_LENGTH)
        {
            recordLength = readRecord(record, (int)(end - record));
            length = align(length);
            record += align(recordLength);
        }

        append(record, (int)Math.max(0, end - record));
        return true;
    }

    /** Copies a record and returns its length in the source; 0 if no newer version sends it. */
    private int readRecord(final long record, final int available)
    {
        return switch ((int)(UnsafeApi.getLong(record) >>> 16) & 0xFFFF)
        {
            case AtomicRecordDecoder.TEMPLATE_ID -> readBlock(record, available, ATOMIC_HEADER);
            case FetchAtomicRecordDecoder.TEMPLATE_ID -> readBlock(record, available, FETCH_HEADER);
            case FetchReplyRecordDecoder.TEMPLATE_ID -> readBlock(record, available, FETCH_REPLY_HEADER);
            case SignalRecordDecoder.TEMPLATE_ID -> readBlock(record, available, SIGNAL_HEADER);
            case ElementRecordDecoder.TEMPLATE_ID -> readBlock(record, available, ELEMENT_HEADER);
            case GetRecordDecoder.TEMPLATE_ID -> readBlock(record, available, GET_HEADER);
            case PutRecordDecoder.TEMPLATE_ID -> readData(record, available, PUT_HEADER);
            case GetReplyRecordDecoder.TEMPLATE_ID -> readData(record, available, GET_REPLY_HEADER);
            case AtomicRunRecordDecoder.TEMPLATE_ID ->
                readGroup(record, available, ATOMIC_RUN_HEADER, UPDATE_RUN_PAIR);
            case ElementRunRecordDecoder.TEMPLATE_ID ->
                readGroup(record, available, ELEMENT_RUN_HEADER, UPDATE_RUN_PAIR);
            case FetchRunRecordDecoder.TEMPLATE_ID -> readGroup(record, available, FETCH_RUN_HEADER, FETCH_RUN_WORD);
            case FetchAtomicRunRecordDecoder.TEMPLATE_ID ->
                readGroup(record, available, FETCH_ATOMIC_RUN_HEADER, FETCH_ATOMIC_RUN_PAIR);
            case FetchRunReplyRecordDecoder.TEMPLATE_ID ->
                readGroup(record, available, FETCH_RUN_REPLY_HEADER, FETCH_RUN_REPLY_WORD);
            case MembersRecordDecoder.TEMPLATE_ID -> readGroup(record, available, MEMBERS_HEADER, MEMBER_LENGTH);
            default -> 0;
        };
    }

    private int readBlock(final long record, final int available, final long ownHeader)
    {
        final int headLength = headLength(record, available, ownHeader);
        if (0 != headLength)
        {
            appendHead(record, ownHeader);
        }

        return headLength;
    }

    private int readData(final long record, final int available, final long ownHeader)
    {
        final int headLength = headLength(record, available, ownHeader);
        final int room = available - headLength - LENGTH_PREFIX;
        if (0 == headLength || room < 0)
        {
            return 0;
        }

        final int dataLength = UnsafeApi.getInt(record + headLength);
        if (dataLength < 0 || dataLength > room)
        {
            return 0;
        }

        appendHead(record, ownHeader);
        append(record + headLength, LENGTH_PREFIX + dataLength);
        return headLength + LENGTH_PREFIX + dataLength;
    }

    private int readGroup(final long record, final int available, final long ownHeader, final int ownEntryLength)
    {
        final int headLength = headLength(record, available, ownHeader);
        final int room = available - headLength - GROUP_SIZE_LENGTH;
        if (0 == headLength || room < 0)
        {
            return 0;
        }

        final int size = UnsafeApi.getInt(record + headLength);
        final int entryLength = entryLength(size);
        final int count = entryCount(size);
        if (entryLength < ownEntryLength || (long)count * entryLength > room)
        {
            return 0;
        }

        appendHead(record, ownHeader);
        frame.putInt(length, groupSize(ownEntryLength, count));
        length += GROUP_SIZE_LENGTH;
        final int entries = headLength + GROUP_SIZE_LENGTH;
        for (int i = 0; i < count; i++)
        {
            append(record + entries + i * entryLength, ownEntryLength);
        }

        return entries + count * entryLength;
    }

    /** Returns the length of the header and the block of a message of this version or a newer one, 0 of another. */
    private static int headLength(final long message, final int available, final long ownHeader)
    {
        final long header = UnsafeApi.getLong(message);
        final int blockLength = (int)header & 0xFFFF;
        final boolean isNewer = (int)(header >>> 48) > MessageHeaderDecoder.SCHEMA_VERSION &&
            blockLength >= ((int)ownHeader & 0xFFFF) && 0 == ((header ^ ownHeader) & SAME);
        final int headLength = HEADER_LENGTH + blockLength;
        return (isNewer || ownHeader == header) && headLength <= available ? headLength : 0;
    }

    private void appendHead(final long message, final long ownHeader)
    {
        frame.putLong(length, ownHeader);
        length += HEADER_LENGTH;
        append(message + HEADER_LENGTH, (int)ownHeader & 0xFFFF);
    }

    private void append(final long source, final int bytes)
    {
        UnsafeApi.copyMemory(null, source, null, frame.addressOffset() + length, bytes);
        length += bytes;
    }
}
