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
import io.aeroshmem.codecs.AtomicRecordEncoder;
import io.aeroshmem.codecs.AtomicRunRecordEncoder;
import io.aeroshmem.codecs.ElementRecordEncoder;
import io.aeroshmem.codecs.ElementRunRecordEncoder;
import io.aeroshmem.codecs.FetchAtomicRecordDecoder;
import io.aeroshmem.codecs.FetchAtomicRecordEncoder;
import io.aeroshmem.codecs.FetchAtomicRunRecordEncoder;
import io.aeroshmem.codecs.FetchReplyRecordEncoder;
import io.aeroshmem.codecs.FetchRunRecordEncoder;
import io.aeroshmem.codecs.FetchRunReplyRecordEncoder;
import io.aeroshmem.codecs.FrameEncoder;
import io.aeroshmem.codecs.GetRecordEncoder;
import io.aeroshmem.codecs.GetReplyRecordEncoder;
import io.aeroshmem.codecs.MembersRecordEncoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.codecs.PutRecordEncoder;
import io.aeroshmem.codecs.SignalRecordEncoder;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * Generator of a malicious peer's frames: sometimes valid, mostly valid except for one field, sometimes random bytes.
 */
final class HostileFrames
{
    static final int MAX_LENGTH = 8192;

    private static final int RECORD_KINDS = 12;
    /** Nearly one, as a double and as a float. What is added is mostly a number: the sum of two NaNs may be either. */
    private static final long ONE = 0x3FF0_0000_3F80_0000L;

    private final SplittableRandom random;
    private final InboxModel model;
    private final boolean hasGroup;
    private final long token;
    private final int peer;
    private final int epoch;
    private final byte[] bytes = new byte[MAX_LENGTH];
    private final UnsafeBuffer buffer = new UnsafeBuffer(bytes);
    private final MessageHeaderEncoder header = new MessageHeaderEncoder();
    private int length;
    private int lastRecord;
    private boolean isNewer;

    HostileFrames(
        final SplittableRandom random,
        final InboxModel model,
        final boolean hasGroup,
        final long token,
        final int peer,
        final int epoch)
    {
        this.hasGroup = hasGroup;
        this.random = random;
        this.model = model;
        this.token = token;
        this.peer = peer;
        this.epoch = epoch;
    }

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * Generates the next frame.
     *
     * @return its length.
     */
    int next()
    {
        Arrays.fill(bytes, 0, length, (byte)0);
        length = 0;
        final int form = random.nextInt(100);
        if (form < 3)
        {
            noise(random.nextInt(random.nextInt(10) > 0 ? 200 : MAX_LENGTH));
            return length;
        }

        final int records = 0 == random.nextInt(50) ? random.nextInt(150) : random.nextInt(5);
        final boolean isToGroup = hasGroup && 0 == random.nextInt(3);
        head(isToGroup ? 1 + records : records, isToGroup);
        if (isToGroup)
        {
            members();
        }

        if (form < 8)
        {
            noise(random.nextInt(200));
            return length;
        }

        for (int i = 0; i < records && length < MAX_LENGTH - 512; i++)
        {
            lastRecord = length;
            record();
        }

        if (form < 35)
        {
            mutate();
        }

        return length;
    }

    private void noise(final int more)
    {
        for (int i = 0; i < more && length < MAX_LENGTH; i++)
        {
            bytes[length++] = (byte)random.nextInt();
        }
    }

    private boolean rarely()
    {
        return 0 == random.nextInt(200);
    }

    /** Bytes that a newer version has appended to a block or to the entries of a group. */
    private int more()
    {
        return isNewer ? random.nextInt(3) * random.nextInt(10) : 0;
    }

    private int version()
    {
        return isNewer && 0 != random.nextInt(8) ? FrameEncoder.SCHEMA_VERSION + 1 : FrameEncoder.SCHEMA_VERSION;
    }

    private void members()
    {
        lastRecord = length;
        recordHeader(MembersRecordEncoder.BLOCK_LENGTH, MembersRecordEncoder.TEMPLATE_ID);
        final int count = rarely() ? 0 : 1 + random.nextInt(5);
        final int own = 0 == random.nextInt(10) ? -1 : random.nextInt(5);
        final int more = more();
        groupSize(8 + more, count);
        for (int i = 0; i < count; i++)
        {
            final long first = model.received + (0 == random.nextInt(20) ? random.nextInt(-2, 3) : 0);
            buffer.putInt(length, i == own % count ? 0 : 1 + random.nextInt(5));
            buffer.putInt(length + 4, rarely() ? wildInt() : (int)first);
            length += 8;
            noise(more);
        }

        length = (length + 7) & -8;
    }

    private void head(final int records, final boolean isToGroup)
    {
        isNewer = 0 == random.nextInt(4);
        final int more = more();
        header.wrap(buffer, 0)
            .blockLength(rarely() ? random.nextInt(0x10000) : FrameEncoder.BLOCK_LENGTH + more)
            .templateId(rarely() ? random.nextInt(0x10000) : FrameEncoder.TEMPLATE_ID)
            .schemaId(rarely() ? random.nextInt(0x10000) : FrameEncoder.SCHEMA_ID)
            .version(rarely() ? random.nextInt(0x10000) : version());
        final long outstanding = model.assigned - model.acknowledged;
        new FrameEncoder().wrap(buffer, 8)
            .jobToken(rarely() ? random.nextLong() : token)
            .sourcePe(rarely() ? wildInt() & 0xFFFF : peer)
            .epoch(rarely() ? wildInt() & 0xFFFF : epoch)
            .firstSequence((rarely() ? wildLong() : model.received) & 0xFFFF_FFFFL)
            .acknowledged((rarely() ? wildLong() : model.acknowledged + random.nextLong(outstanding + 1)) &
                0xFFFF_FFFFL)
            .recordCount(rarely() ? random.nextInt(0x10000) : records)
            .flags(random.nextInt(2) | (isToGroup || !hasGroup && random.nextBoolean() || rarely() ? 2 : 0));
        length = (8 + FrameEncoder.BLOCK_LENGTH + more + 7) & -8;
    }

    private void record()
    {
        final int region = rarely() ? wildInt() : random.nextInt(2);
        final int limit = 0 == region ? model.user.length : model.system.length;
        final int slot = rarely() ? wildInt() : random.nextInt(InboxModel.SLOTS);
        final int at = length + 8;
        switch (random.nextInt(RECORD_KINDS))
        {
            case 0:
                put(region, limit, at);
                break;

            case 1:
                final int width = rarely() ? wildInt() : 1 << random.nextInt(4);
                recordHeader(ElementRecordEncoder.BLOCK_LENGTH, ElementRecordEncoder.TEMPLATE_ID);
                new ElementRecordEncoder().wrap(buffer, at)
                    .address(offset(limit, width, 1)).value(random.nextLong()).region(region).width(width);
                break;

            case 2:
                recordHeader(SignalRecordEncoder.BLOCK_LENGTH, SignalRecordEncoder.TEMPLATE_ID);
                new SignalRecordEncoder().wrap(buffer, at)
                    .address(offset(limit, 8, 8)).value(random.nextLong()).region(region)
                    .operation(rarely() ? wildInt() : random.nextInt(2));
                break;

            case 3:
                final int atomicWidth = 4 << random.nextInt(2);
                recordHeader(AtomicRecordEncoder.BLOCK_LENGTH, AtomicRecordEncoder.TEMPLATE_ID);
                new AtomicRecordEncoder().wrap(buffer, at)
                    .address(offset(limit, atomicWidth, atomicWidth)).value(random.nextLong()).region(region)
                    .operation(rarely() ? random.nextInt(0x10000) : 3 + random.nextInt(10))
                    .width(rarely() ? random.nextInt(0x10000) : atomicWidth);
                if (8 == new AtomicRecordDecoder().wrap(buffer, at, AtomicRecordDecoder.BLOCK_LENGTH, 0).operation())
                {
                    new AtomicRecordEncoder().wrap(buffer, at).value(ONE);
                }

                if (3 == new AtomicRecordDecoder().wrap(buffer, at, AtomicRecordDecoder.BLOCK_LENGTH, 0).operation())
                {
                    new AtomicRecordEncoder().wrap(buffer, at).operation(1);
                }

                break;

            case 4:
                final int fetchWidth = 4 << random.nextInt(2);
                recordHeader(FetchAtomicRecordEncoder.BLOCK_LENGTH, FetchAtomicRecordEncoder.TEMPLATE_ID);
                new FetchAtomicRecordEncoder().wrap(buffer, at)
                    .address(offset(limit, fetchWidth, fetchWidth)).value(random.nextLong())
                    .condition(random.nextInt(2)).region(region)
                    .operation(rarely() ? random.nextInt(0x10000) : random.nextInt(13))
                    .width(rarely() ? random.nextInt(0x10000) : fetchWidth)
                    .slot(slot).generation(random.nextInt());
                if (8 == new FetchAtomicRecordDecoder()
                    .wrap(buffer, at, FetchAtomicRecordDecoder.BLOCK_LENGTH, 0).operation())
                {
                    new FetchAtomicRecordEncoder().wrap(buffer, at).value(ONE);
                }

                break;

            case 5:
                final long wanted = rarely() ? wildLong() : 1 + random.nextInt(100);
                recordHeader(GetRecordEncoder.BLOCK_LENGTH, GetRecordEncoder.TEMPLATE_ID);
                new GetRecordEncoder().wrap(buffer, at)
                    .address(offset(limit, wanted, 1)).length(wanted).region(region)
                    .slot(slot).generation(random.nextInt());
                break;

            case 6:
                recordHeader(FetchReplyRecordEncoder.BLOCK_LENGTH, FetchReplyRecordEncoder.TEMPLATE_ID);
                final int fetchSlot = request(slot, false);
                new FetchReplyRecordEncoder().wrap(buffer, at)
                    .value(random.nextLong()).slot(fetchSlot).generation(generation(fetchSlot));
                break;

            case 7:
                getReply(request(slot, true), at);
                break;

            case 8:
                atomicRun(region, limit, at);
                break;

            case 9:
                elementRun(region, limit, at);
                break;

            case 10:
                fetchRun(region, limit, at);
                break;

            default:
                fetchRunReply(at);
                break;
        }
    }

    private void atomicRun(final int region, final int limit, final int at)
    {
        final int width = 4 << random.nextInt(2);
        final int count = 2 + random.nextInt(10);
        final int[] operations = {1, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        recordHeader(AtomicRunRecordEncoder.BLOCK_LENGTH, AtomicRunRecordEncoder.TEMPLATE_ID);
        final int operation = rarely() ? random.nextInt(0x10000) : operations[random.nextInt(operations.length)];
        new AtomicRunRecordEncoder().wrap(buffer, at)
            .address(offset(limit, width, width)).value(8 == operation ? ONE : random.nextLong()).region(region)
            .operation(operation)
            .width(rarely() ? random.nextInt(0x10000) : width);
        words(limit, width, width, count - 1, 8 == operation ? ONE : random.nextLong(), true);
    }

    private void elementRun(final int region, final int limit, final int at)
    {
        final int width = 1 << random.nextInt(4);
        final int count = 2 + random.nextInt(10);
        recordHeader(ElementRunRecordEncoder.BLOCK_LENGTH, ElementRunRecordEncoder.TEMPLATE_ID);
        new ElementRunRecordEncoder().wrap(buffer, at)
            .address(offset(limit, width, 1)).value(random.nextLong()).region(region)
            .width(rarely() ? wildInt() : width);
        words(limit, width, 1, count - 1, random.nextLong(), true);
    }

    private void fetchRun(final int region, final int limit, final int at)
    {
        final int width = 4 << random.nextInt(2);
        final int count = 1 + random.nextInt(10);
        final int[] operations = {0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 12};
        final int operation = rarely() ? random.nextInt(0x10000) : operations[random.nextInt(operations.length)];
        final boolean hasValues = rarely() ? random.nextBoolean() : 0 != operation;
        recordHeader(FetchRunRecordEncoder.BLOCK_LENGTH,
            hasValues ? FetchAtomicRunRecordEncoder.TEMPLATE_ID : FetchRunRecordEncoder.TEMPLATE_ID);
        new FetchRunRecordEncoder().wrap(buffer, at)
            .region(region).operation(operation)
            .width(rarely() ? random.nextInt(0x10000) : width)
            .number(random.nextInt() & 0xFFFF_FFFFL);
        words(limit, width, width, count, 8 == operation ? ONE : random.nextLong(), hasValues);
    }

    private void words(
        final int limit,
        final int width,
        final int alignment,
        final int count,
        final long value,
        final boolean hasValues)
    {
        final int more = more();
        groupSize((hasValues ? 16 : 8) + more, count);
        for (int i = 0; i < count; i++)
        {
            buffer.putLong(length, offset(limit, width, alignment));
            length += Long.BYTES;
            if (hasValues)
            {
                buffer.putLong(length, value);
                length += Long.BYTES;
            }

            length += more;
        }

        length = (length + 7) & -8;
    }

    private void groupSize(final int entryLength, final int count)
    {
        buffer.putShort(length, (short)(rarely() ? wildInt() : entryLength));
        buffer.putShort(length + 2, (short)(rarely() ? wildInt() : count));
        length += 4;
    }

    private void fetchRunReply(final int at)
    {
        final InboxModel.Run run = model.runs.peek();
        final int left = null == run ? 0 : run.count - run.arrived;
        final int count = rarely() || left < 1 ? random.nextInt(10) : 1 + random.nextInt(left);
        recordHeader(FetchRunReplyRecordEncoder.BLOCK_LENGTH, FetchRunReplyRecordEncoder.TEMPLATE_ID);
        new FetchRunReplyRecordEncoder().wrap(buffer, at)
            .number((null == run || rarely() ? random.nextInt() : run.number) & 0xFFFF_FFFFL)
            .position(null == run || rarely() ? wildInt() : run.arrived);
        final int entryLength = Long.BYTES + more();
        groupSize(entryLength, count);
        noise(count * entryLength);
        length = Math.min(MAX_LENGTH, (length + 7) & -8);
    }

    private void recordHeader(final int blockLength, final int templateId)
    {
        final int version = version();
        final int more = version > FrameEncoder.SCHEMA_VERSION ? more() : 0;
        header.wrap(buffer, length)
            .blockLength(blockLength + more).templateId(templateId)
            .schemaId(FrameEncoder.SCHEMA_ID).version(version);
        length += 8 + blockLength + more;
    }

    private void put(final int region, final int limit, final int at)
    {
        final int size = random.nextInt(random.nextInt(10) > 0 ? 40 : 300);
        recordHeader(PutRecordEncoder.BLOCK_LENGTH, PutRecordEncoder.TEMPLATE_ID);
        new PutRecordEncoder().wrap(buffer, at).address(offset(limit, size, 1)).region(region);
        payload(size);
    }

    private void getReply(final int slot, final int at)
    {
        final InboxModel.Request request = known(slot);
        final int left = null == request ? 0 : request.length - request.position;
        final int size = rarely() || left < 1 ? random.nextInt(80) : 1 + random.nextInt(left);
        recordHeader(GetReplyRecordEncoder.BLOCK_LENGTH, GetReplyRecordEncoder.TEMPLATE_ID);
        new GetReplyRecordEncoder().wrap(buffer, at)
            .position(null == request || rarely() ? wildLong() : request.position)
            .slot(slot).generation(generation(slot));
        payload(size);
    }

    private void payload(final int size)
    {
        buffer.putInt(length, rarely() ? wildInt() : size);
        length += 4;
        final int end = length + size;
        noise(size);
        length = Math.min(MAX_LENGTH, (end + 7) & -8);
    }

    /**
     * Returns the slot of a request, mostly of that kind: a reply to any other is a violation by the peer.
     */
    private int request(final int slot, final boolean isGet)
    {
        if (rarely())
        {
            return slot;
        }

        for (int i = 0; i < InboxModel.SLOTS; i++)
        {
            final int candidate = (slot + i) & (InboxModel.SLOTS - 1);
            final InboxModel.Request request = model.requests[candidate];
            final boolean isOfKind = isGet == (request.kind.name().contains("GET"));
            if (request.isUsed && !request.isDone && isOfKind && InboxModel.Kind.NONE != request.kind)
            {
                return candidate;
            }
        }

        return slot;
    }

    private InboxModel.Request known(final int slot)
    {
        return slot < 0 || slot >= InboxModel.SLOTS ? null : model.requests[slot];
    }

    private int generation(final int slot)
    {
        final InboxModel.Request request = known(slot);
        return null == request ? random.nextInt() :
            0 == random.nextInt(20) || !request.isUsed ? request.generation - 1 : request.generation;
    }

    private long offset(final int limit, final long size, final int alignment)
    {
        if (rarely())
        {
            return wildLong();
        }

        if (0 == random.nextInt(100))
        {
            return limit - size + random.nextInt(-16, 17);
        }

        return random.nextInt((int)Math.max(1, limit - Math.min(limit, Math.max(0, size)) + 1)) & -alignment;
    }

    private int wildInt()
    {
        final int[] wild = {0, -1, 1, 2, 63, 64, 65, 255, 256, 0x7FFF, 0x8000, 0xFFFF, 0x10000, Integer.MAX_VALUE,
            Integer.MAX_VALUE - 7, Integer.MIN_VALUE, Integer.MIN_VALUE + 8, model.user.length, model.system.length};
        return 0 == random.nextInt(3) ? random.nextInt() : wild[random.nextInt(wild.length)];
    }

    private long wildLong()
    {
        final long[] wild = {0, -1, -8, 1L << 31, (1L << 31) - 1, 1L << 32, (1L << 32) - 8, 1L << 47, 1L << 63,
            Long.MAX_VALUE, Long.MAX_VALUE - 7, Long.MIN_VALUE + 8, model.user.length, model.user.length - 7,
            model.system.length, -model.user.length, model.received + 1, model.received - 1};
        return 0 == random.nextInt(3) ? random.nextLong() : wild[random.nextInt(wild.length)];
    }

    private void mutate()
    {
        switch (random.nextInt(6))
        {
            case 0:
                length = random.nextInt(length + 1);
                break;

            case 1:
                length = Math.max(0, length - 1 - random.nextInt(Math.min(length, 48)));
                break;

            case 2:
                for (int flips = random.nextInt(1, 5); flips > 0; flips--)
                {
                    bytes[random.nextInt(length)] ^= (byte)(1 << random.nextInt(8));
                }

                break;

            case 3:
                buffer.putInt(Math.min(length - 4, lastRecord + 4 * random.nextInt(12)), wildInt());
                break;

            case 4:
                buffer.putLong(Math.min(length - 8, lastRecord + 8 * random.nextInt(6)), wildLong());
                break;

            default:
                bytes[random.nextInt(length)] = (byte)random.nextInt();
                break;
        }
    }
}
