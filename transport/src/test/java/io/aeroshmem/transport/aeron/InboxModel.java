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
import io.aeroshmem.codecs.FrameDecoder;
import io.aeroshmem.codecs.GetRecordDecoder;
import io.aeroshmem.codecs.GetReplyRecordDecoder;
import io.aeroshmem.codecs.MembersRecordDecoder;
import io.aeroshmem.codecs.MessageHeaderDecoder;
import io.aeroshmem.codecs.PutRecordDecoder;
import io.aeroshmem.codecs.SignalRecordDecoder;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import org.agrona.concurrent.UnsafeBuffer;

import java.math.BigInteger;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;

/**
 * Second implementation of the handling of a frame: with the generated decoders, on arrays, by unlimited integers. Slow
 * and plain, and shares nothing with {@link Inbox}.
 */
final class InboxModel
{
    enum Outcome
    {
        REJECTED, FAILED, PERFORMED
    }

    enum Kind
    {
        NONE, FETCH, FETCH_INT_NBI, FETCH_LONG_NBI, GET, GET_ARRAY, GET_NBI, ABANDONED_FETCH, ABANDONED_GET
    }

    /**
     * A request of this PE.
     */
    static final class Request
    {
        Kind kind = Kind.NONE;
        boolean isUsed;
        boolean isDone;
        int generation;
        long result;
        int length;
        int position;
        byte[] array;

        void release()
        {
            kind = Kind.NONE;
            isUsed = false;
            isDone = false;
            generation++;
        }
    }

    /**
     * A reply that this PE owes.
     */
    record Answer(int slot, int generation, long value, int region, int offset, int length)
    {
    }

    /**
     * A run of fetches of this PE, whose values go to the words of its slot.
     */
    static final class Run
    {
        final long number;
        final int width;
        int count;
        int arrived;
        boolean isSent;

        Run(final long number, final int width)
        {
            this.number = number;
            this.width = width;
        }

        /** Offset in {@code dest} of the word of a fetch. */
        int offset(final int word)
        {
            return SLOTS * SLOT_LENGTH + ((int)(number % RUNS) * RUN_LENGTH + word) * Long.BYTES;
        }
    }

    /**
     * The previous values that this PE owes for a run of the peer.
     */
    record RunAnswer(long number, long[] values)
    {
    }

    static final int PES = 3;
    static final int SLOTS = 64;
    private static final int LAST_OPERATION = 12;
    static final int SLOT_LENGTH = 56;
    static final int RUNS = 32;
    static final int RUN_LENGTH = 20;
    static final int DEST_LENGTH = SLOTS * SLOT_LENGTH + RUNS * RUN_LENGTH * Long.BYTES;

    private static final int RUN_LENGTH_LIMIT = 512;

    final byte[] user;
    final byte[] system;
    final byte[] dest = new byte[DEST_LENGTH];
    final Request[] requests = new Request[SLOTS];
    final Deque<Answer> fetches = new ArrayDeque<>();
    final Deque<Answer> gets = new ArrayDeque<>();
    final Deque<Run> runs = new ArrayDeque<>();
    final Deque<RunAnswer> runAnswers = new ArrayDeque<>();
    /** A frame has added two NaNs: the sum may be either, as the JVM compiles the addition. */
    boolean hasAddedNans;
    long received;
    long acknowledged;
    long assigned;
    long lateReplies;
    boolean isAtFault;

    private boolean isNewer;
    private final boolean hasGroup;
    private final long token;
    private final int peer;
    private final int epoch;
    private final MessageHeaderDecoder header = new MessageHeaderDecoder();
    private final FrameDecoder frame = new FrameDecoder();
    private final PutRecordDecoder put = new PutRecordDecoder();
    private final ElementRecordDecoder element = new ElementRecordDecoder();
    private final SignalRecordDecoder signal = new SignalRecordDecoder();
    private final AtomicRecordDecoder atomic = new AtomicRecordDecoder();
    private final FetchAtomicRecordDecoder fetch = new FetchAtomicRecordDecoder();
    private final FetchReplyRecordDecoder fetchReply = new FetchReplyRecordDecoder();
    private final GetRecordDecoder get = new GetRecordDecoder();
    private final GetReplyRecordDecoder getReply = new GetReplyRecordDecoder();
    private final AtomicRunRecordDecoder atomicRun = new AtomicRunRecordDecoder();
    private final ElementRunRecordDecoder elementRun = new ElementRunRecordDecoder();
    private final FetchRunRecordDecoder fetchRun = new FetchRunRecordDecoder();
    private final FetchRunReplyRecordDecoder fetchRunReply = new FetchRunReplyRecordDecoder();

    /** @param hasGroup whether the peer may send frames to a group, too, of which this PE is number 0. */
    InboxModel(
        final int userLength,
        final int systemLength,
        final boolean hasGroup,
        final long token,
        final int peer,
        final int epoch)
    {
        this.hasGroup = hasGroup;
        user = new byte[userLength];
        system = new byte[systemLength];
        this.token = token;
        this.peer = peer;
        this.epoch = epoch;
        for (int slot = 0; slot < SLOTS; slot++)
        {
            requests[slot] = new Request();
        }
    }

    Outcome onFrame(final UnsafeBuffer bytes, final int length)
    {
        isNewer = true;
        if (length < 8 + FrameDecoder.BLOCK_LENGTH || !isHeader(
            bytes, 0, FrameDecoder.BLOCK_LENGTH, FrameDecoder.TEMPLATE_ID) || length < 8 + header.blockLength())
        {
            return Outcome.REJECTED;
        }

        isNewer = MessageHeaderDecoder.SCHEMA_VERSION != header.version();
        final int at = (8 + header.blockLength() + 7) / 8 * 8;

        frame.wrap(bytes, 8, FrameDecoder.BLOCK_LENGTH, 0);
        final boolean isToGroup = hasGroup && 0 != (frame.flags() & 2);
        if (token == frame.jobToken() && isToGroup && peer != frame.sourcePe() && frame.sourcePe() < PES)
        {
            return Outcome.PERFORMED;
        }

        if (token != frame.jobToken() || peer != frame.sourcePe() || epoch != frame.epoch() || isAtFault)
        {
            return Outcome.REJECTED;
        }

        if (isToGroup)
        {
            return onGroupFrame(bytes, at, length);
        }

        final int records = frame.recordCount();
        final boolean isAcknowledgement = hasGroup && 0 == records;
        if (!isAcknowledgement && isEarly(frame.firstSequence()))
        {
            return Outcome.PERFORMED;
        }

        final long newly = (frame.acknowledged() - acknowledged) & 0xFFFF_FFFFL;
        if (!isAcknowledgement && !isNext(frame.firstSequence()) || newly > assigned - acknowledged)
        {
            return fail();
        }

        final Outcome outcome = perform(bytes, at, length, records);
        acknowledged += Outcome.PERFORMED == outcome ? newly : 0;
        return outcome;
    }

    private Outcome onGroupFrame(final UnsafeBuffer bytes, final int at, final int length)
    {
        final int records = frame.recordCount() - 1;
        if (records < 0 || length - at < 8 ||
            !isHeader(bytes, at, MembersRecordDecoder.BLOCK_LENGTH, MembersRecordDecoder.TEMPLATE_ID))
        {
            return fail();
        }

        final int start = 8 + header.blockLength() + 4;
        if (length - at < start)
        {
            return fail();
        }

        final int members = entries(bytes, at);
        final int step = step(bytes, at, 8);
        if (!isRoom(members, step, length - at - start))
        {
            return fail();
        }

        for (int i = 0; i < members; i++)
        {
            final int member = at + start + i * step;
            if (0 == bytes.getInt(member, ByteOrder.LITTLE_ENDIAN))
            {
                final long first = bytes.getInt(member + 4, ByteOrder.LITTLE_ENDIAN) & 0xFFFF_FFFFL;
                return isEarly(first) ? Outcome.PERFORMED : !isNext(first) ? fail() :
                    perform(bytes, at + (start + members * step + 7) / 8 * 8, length, records);
            }
        }

        return Outcome.PERFORMED;
    }

    private boolean isNext(final long firstSequence)
    {
        return (received & 0xFFFF_FFFFL) == firstSequence;
    }

    /** Whether a frame is left where it is, for what it follows may still come. */
    private boolean isEarly(final long firstSequence)
    {
        final long missing = (firstSequence - received) & 0xFFFF_FFFFL;
        return hasGroup && 0 != missing && missing < 1L << 31;
    }

    private Outcome fail()
    {
        isAtFault = true;
        return Outcome.FAILED;
    }

    private Outcome perform(final UnsafeBuffer bytes, final int first, final int length, final int records)
    {
        int at = first;
        for (int i = 0; i < records; i++)
        {
            final int recordLength = length - at < 8 ? -1 : onRecord(bytes, at, length - at);
            if (recordLength < 0)
            {
                return fail();
            }

            at += (recordLength + 7) / 8 * 8;
        }

        received += records;
        return Outcome.PERFORMED;
    }

    private boolean isHeader(final UnsafeBuffer bytes, final int at, final int blockLength, final int templateId)
    {
        header.wrap(bytes, at);
        final boolean isAppended = isNewer && header.version() > MessageHeaderDecoder.SCHEMA_VERSION &&
            header.blockLength() >= blockLength;
        return templateId == header.templateId() && MessageHeaderDecoder.SCHEMA_ID == header.schemaId() &&
            (isAppended || blockLength == header.blockLength() &&
            MessageHeaderDecoder.SCHEMA_VERSION == header.version());
    }

    private int onRecord(final UnsafeBuffer bytes, final int at, final int available)
    {
        header.wrap(bytes, at);
        switch (header.templateId())
        {
            case PutRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, PutRecordDecoder.BLOCK_LENGTH, 4) ?
                    onPut(bytes, at, available) : -1;
            case ElementRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, ElementRecordDecoder.BLOCK_LENGTH, 0) ? onElement(bytes, at) : -1;
            case SignalRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, SignalRecordDecoder.BLOCK_LENGTH, 0) ? onSignal(bytes, at) : -1;
            case AtomicRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, AtomicRecordDecoder.BLOCK_LENGTH, 0) ? onAtomic(bytes, at) : -1;
            case FetchAtomicRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, FetchAtomicRecordDecoder.BLOCK_LENGTH, 0) ?
                    onFetch(bytes, at) : -1;
            case FetchReplyRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, FetchReplyRecordDecoder.BLOCK_LENGTH, 0) ?
                    onFetchReply(bytes, at) : -1;
            case GetRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, GetRecordDecoder.BLOCK_LENGTH, 0) ? onGet(bytes, at) : -1;
            case GetReplyRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, GetReplyRecordDecoder.BLOCK_LENGTH, 4) ?
                    onGetReply(bytes, at, available) : -1;
            case AtomicRunRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, AtomicRunRecordDecoder.BLOCK_LENGTH, 4) ?
                    onAtomicRun(bytes, at, available) : -1;
            case ElementRunRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, ElementRunRecordDecoder.BLOCK_LENGTH, 4) ?
                    onElementRun(bytes, at, available) : -1;
            case FetchRunRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, FetchRunRecordDecoder.BLOCK_LENGTH, 4) ?
                    onFetchRun(bytes, at, available, 8) : -1;
            case FetchAtomicRunRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, FetchAtomicRunRecordDecoder.BLOCK_LENGTH, 4) ?
                    onFetchRun(bytes, at, available, 16) : -1;
            case FetchRunReplyRecordDecoder.TEMPLATE_ID:
                return isWhole(bytes, at, available, FetchRunReplyRecordDecoder.BLOCK_LENGTH, 4) ?
                    onFetchRunReply(bytes, at, available) : -1;
            default:
                return -1;
        }
    }

    private boolean isWhole(
        final UnsafeBuffer bytes, final int at, final int available, final int blockLength, final int more)
    {
        return isHeader(bytes, at, blockLength, header.templateId()) && available >= 8 + header.blockLength() + more;
    }

    private int onPut(final UnsafeBuffer bytes, final int at, final int available)
    {
        put.wrap(bytes, at + 8, header.blockLength(), 0);
        final int start = 8 + header.blockLength() + 4;
        final int length = put.dataLength();
        final byte[] region = region(put.region());
        if (length < 0 || length > available - start || !isInside(region, put.address(), length))
        {
            return -1;
        }

        bytes.getBytes(at + start, region, (int)put.address(), length);
        return start + length;
    }

    private int onElement(final UnsafeBuffer bytes, final int at)
    {
        element.wrap(bytes, at + 8, header.blockLength(), 0);
        final int width = element.width();
        final byte[] region = region(element.region());
        if (1 != width && 2 != width && 4 != width && 8 != width || !isInside(region, element.address(), width))
        {
            return -1;
        }

        store(region, element.address(), width, element.value());
        return 8 + header.blockLength();
    }

    private int onSignal(final UnsafeBuffer bytes, final int at)
    {
        signal.wrap(bytes, at + 8, header.blockLength(), 0);
        final byte[] region = region(signal.region());
        final int operation = signal.operation();
        if (0 != operation && 1 != operation || !isWord(region, signal.address(), 8))
        {
            return -1;
        }

        final long before = load(region, signal.address(), 8);
        store(region, signal.address(), 8, 0 == operation ? signal.value() : before + signal.value());
        return 8 + header.blockLength();
    }

    private int onAtomic(final UnsafeBuffer bytes, final int at)
    {
        atomic.wrap(bytes, at + 8, header.blockLength(), 0);
        final byte[] region = region(atomic.region());
        final int operation = atomic.operation();
        final int width = atomic.width();
        final boolean isKnown = isUpdate(operation);
        if (!isKnown || 4 != width && 8 != width || !isWord(region, atomic.address(), width))
        {
            return -1;
        }

        final long before = load(region, atomic.address(), width);
        store(region, atomic.address(), width, update(operation, before, atomic.value(), 0, width));
        return 8 + header.blockLength();
    }

    /** Reads longs, of which the step is the distance. */
    private static long[] longs(final UnsafeBuffer bytes, final int at, final int count, final int step)
    {
        final long[] values = new long[count];
        for (int i = 0; i < count; i++)
        {
            values[i] = bytes.getLong(at + i * step, ByteOrder.LITTLE_ENDIAN);
        }

        return values;
    }

    private static boolean isUpdate(final int operation)
    {
        return AtomicOp.SET == operation || operation >= AtomicOp.ADD && operation <= LAST_OPERATION;
    }

    /** Length of the entries of the group that follows the block; -1 if it is not what the version permits. */
    private int step(final UnsafeBuffer bytes, final int at, final int known)
    {
        final int step = bytes.getShort(at + 8 + header.blockLength(), ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
        return known == step || isNewer && step > known ? step : -1;
    }

    private int entries(final UnsafeBuffer bytes, final int at)
    {
        return bytes.getShort(at + 8 + header.blockLength() + 2, ByteOrder.LITTLE_ENDIAN) & 0xFFFF;
    }

    private static boolean isRoom(final long count, final long length, final int available)
    {
        return count >= 0 && length >= 0 && count * length <= available;
    }

    private int onAtomicRun(final UnsafeBuffer bytes, final int at, final int available)
    {
        atomicRun.wrap(bytes, at + 8, header.blockLength(), 0);
        final int start = 8 + header.blockLength() + 4;
        final byte[] region = region(atomicRun.region());
        final int operation = atomicRun.operation();
        final int width = atomicRun.width();
        final int more = entries(bytes, at);
        final int step = step(bytes, at, 16);
        final boolean isKnown = isUpdate(operation);
        if (!isKnown || 4 != width && 8 != width || more < 1 || !isRoom(more, step, available - start))
        {
            return -1;
        }

        final long[] offsets = longs(bytes, at + start, more, step);
        final long[] values = longs(bytes, at + start + 8, more, step);
        if (!isWord(region, atomicRun.address(), width) ||
            !Arrays.stream(offsets).allMatch((offset) -> isWord(region, offset, width)))
        {
            return -1;
        }

        replace(region, atomicRun.address(), operation, atomicRun.value(), width);
        for (int i = 0; i < more; i++)
        {
            replace(region, offsets[i], operation, values[i], width);
        }

        return start + more * step;
    }

    private long replace(
        final byte[] region, final long offset, final int operation, final long value, final int width)
    {
        final long before = load(region, offset, width);
        store(region, offset, width, update(operation, before, value, 0, width));
        return before;
    }

    private int onElementRun(final UnsafeBuffer bytes, final int at, final int available)
    {
        elementRun.wrap(bytes, at + 8, header.blockLength(), 0);
        final int start = 8 + header.blockLength() + 4;
        final byte[] region = region(elementRun.region());
        final int width = elementRun.width();
        final int more = entries(bytes, at);
        final int step = step(bytes, at, 16);
        if (1 != width && 2 != width && 4 != width && 8 != width || more < 1 ||
            !isRoom(more, step, available - start))
        {
            return -1;
        }

        final long[] offsets = longs(bytes, at + start, more, step);
        final long[] values = longs(bytes, at + start + 8, more, step);
        if (!isInside(region, elementRun.address(), width) ||
            !Arrays.stream(offsets).allMatch((offset) -> isInside(region, offset, width)))
        {
            return -1;
        }

        store(region, elementRun.address(), width, elementRun.value());
        for (int i = 0; i < more; i++)
        {
            store(region, offsets[i], width, values[i]);
        }

        return start + more * step;
    }

    private int onFetchRun(final UnsafeBuffer bytes, final int at, final int available, final int known)
    {
        fetchRun.wrap(bytes, at + 8, header.blockLength(), 0);
        final int start = 8 + header.blockLength() + 4;
        final byte[] region = region(fetchRun.region());
        final int operation = fetchRun.operation();
        final int width = fetchRun.width();
        final int count = entries(bytes, at);
        final int step = step(bytes, at, known);
        if (operation > LAST_OPERATION || AtomicOp.COMPARE_SWAP == operation ||
            (8 == known) != (AtomicOp.FETCH == operation) || 4 != width && 8 != width || count < 1 ||
            count > RUN_LENGTH_LIMIT || !isRoom(count, step, available - start) || RUNS == runAnswers.size())
        {
            return -1;
        }

        final long[] offsets = longs(bytes, at + start, count, step);
        if (!Arrays.stream(offsets).allMatch((offset) -> isWord(region, offset, width)))
        {
            return -1;
        }

        final long[] before = new long[count];
        for (int i = 0; i < count; i++)
        {
            before[i] = replace(region, offsets[i], operation, bytes.getLong(
                Math.min(at + start + i * step + 8, bytes.capacity() - 8), ByteOrder.LITTLE_ENDIAN), width);
        }

        runAnswers.add(new RunAnswer(fetchRun.number(), before));
        return start + count * step;
    }

    private int onFetchRunReply(final UnsafeBuffer bytes, final int at, final int available)
    {
        fetchRunReply.wrap(bytes, at + 8, header.blockLength(), 0);
        final int start = 8 + header.blockLength() + 4;
        final int count = entries(bytes, at);
        final int step = step(bytes, at, 8);
        final Run run = runs.peek();
        if (null == run || !run.isSent || (run.number & 0xFFFF_FFFFL) != fetchRunReply.number() ||
            run.arrived != fetchRunReply.position() || count < 1 || count > run.count - run.arrived ||
            !isRoom(count, step, available - start))
        {
            return -1;
        }

        final long[] values = longs(bytes, at + start, count, step);
        for (final long value : values)
        {
            store(dest, run.offset(run.arrived++), run.width, value);
        }

        if (run.count == run.arrived)
        {
            runs.remove();
        }

        return start + count * step;
    }

    private int onFetch(final UnsafeBuffer bytes, final int at)
    {
        fetch.wrap(bytes, at + 8, header.blockLength(), 0);
        final byte[] region = region(fetch.region());
        final int operation = fetch.operation();
        final int width = fetch.width();
        final int slot = fetch.slot();
        if (operation > LAST_OPERATION || 4 != width && 8 != width || slot < 0 || slot >= SLOTS ||
            !isWord(region, fetch.address(), width) || SLOTS == fetches.size())
        {
            return -1;
        }

        final long before = load(region, fetch.address(), width);
        store(region, fetch.address(), width, update(operation, before, fetch.value(), fetch.condition(), width));
        fetches.add(new Answer(slot, fetch.generation(), before, 0, 0, 0));
        return 8 + header.blockLength();
    }

    private int onGet(final UnsafeBuffer bytes, final int at)
    {
        get.wrap(bytes, at + 8, header.blockLength(), 0);
        final byte[] region = region(get.region());
        final int slot = get.slot();
        if (get.length() < 1 || slot < 0 || slot >= SLOTS || !isInside(region, get.address(), get.length()) ||
            SLOTS == gets.size())
        {
            return -1;
        }

        gets.add(new Answer(
            slot, get.generation(), 0, get.region(), (int)get.address(), (int)get.length()));
        return 8 + header.blockLength();
    }

    private int onFetchReply(final UnsafeBuffer bytes, final int at)
    {
        fetchReply.wrap(bytes, at + 8, header.blockLength(), 0);
        final int slot = fetchReply.slot();
        if (slot < 0 || slot >= SLOTS)
        {
            return -1;
        }

        final Request request = requests[slot];
        if (!request.isUsed || request.generation != fetchReply.generation())
        {
            lateReplies++;
            return 8 + header.blockLength();
        }

        switch (request.kind)
        {
            case FETCH:
                if (request.isDone)
                {
                    return -1;
                }

                request.result = fetchReply.value();
                request.isDone = true;
                break;
            case FETCH_INT_NBI:
                store(dest, (long)slot * SLOT_LENGTH, 4, fetchReply.value());
                request.release();
                break;
            case FETCH_LONG_NBI:
                store(dest, (long)slot * SLOT_LENGTH, 8, fetchReply.value());
                request.release();
                break;
            case ABANDONED_FETCH:
                request.release();
                break;
            default:
                return -1;
        }

        return 8 + header.blockLength();
    }

    private int onGetReply(final UnsafeBuffer bytes, final int at, final int available)
    {
        getReply.wrap(bytes, at + 8, header.blockLength(), 0);
        final int start = 8 + header.blockLength() + 4;
        final int slot = getReply.slot();
        final int length = getReply.dataLength();
        if (length < 1 || length > available - start || slot < 0 || slot >= SLOTS)
        {
            return -1;
        }

        final Request request = requests[slot];
        if (!request.isUsed || request.generation != getReply.generation())
        {
            lateReplies++;
            return start + length;
        }

        if (!isGet(request.kind) || request.position != getReply.position() ||
            length > request.length - request.position)
        {
            return -1;
        }

        if (Kind.GET_ARRAY == request.kind)
        {
            bytes.getBytes(at + start, request.array, request.position, length);
        }
        else if (Kind.ABANDONED_GET != request.kind)
        {
            bytes.getBytes(at + start, dest, slot * SLOT_LENGTH + request.position, length);
        }

        request.position += length;
        if (request.position == request.length)
        {
            if (Kind.GET == request.kind || Kind.GET_ARRAY == request.kind)
            {
                request.isDone = true;
            }
            else
            {
                request.release();
            }
        }

        return start + length;
    }

    private static boolean isGet(final Kind kind)
    {
        return Kind.GET == kind || Kind.GET_ARRAY == kind || Kind.GET_NBI == kind || Kind.ABANDONED_GET == kind;
    }

    private byte[] region(final int region)
    {
        return Region.USER == region ? user : Region.SYSTEM == region ? system : null;
    }

    private static boolean isInside(final byte[] region, final long offset, final long length)
    {
        return null != region && offset >= 0 && length >= 0 && BigInteger.valueOf(offset)
            .add(BigInteger.valueOf(length)).compareTo(BigInteger.valueOf(region.length)) <= 0;
    }

    private static boolean isWord(final byte[] region, final long offset, final int width)
    {
        return isInside(region, offset, width) && 0 == offset % width;
    }

    private static long load(final byte[] region, final long offset, final int width)
    {
        final ByteBuffer buffer = ByteBuffer.wrap(region).order(ByteOrder.LITTLE_ENDIAN);
        return 8 == width ? buffer.getLong((int)offset) : buffer.getInt((int)offset);
    }

    private static void store(final byte[] region, final long offset, final int width, final long value)
    {
        for (int i = 0; i < width; i++)
        {
            region[(int)offset + i] = (byte)(value >>> (8 * i));
        }
    }

    private long update(
        final int operation, final long before, final long value, final long condition, final int width)
    {
        switch (operation)
        {
            case AtomicOp.FETCH:
                return before;
            case AtomicOp.SET:
            case AtomicOp.SWAP:
                return value;
            case AtomicOp.COMPARE_SWAP:
                return before == (4 == width ? (int)condition : condition) ? value : before;
            case AtomicOp.ADD:
                return before + value;
            case AtomicOp.AND:
                return before & value;
            case AtomicOp.OR:
                return before | value;
            case AtomicOp.XOR:
                return before ^ value;
            case AtomicOp.MIN:
                return 4 == width ? Math.min((int)before, (int)value) : Math.min(before, value);
            case AtomicOp.MAX:
                return 4 == width ? Math.max((int)before, (int)value) : Math.max(before, value);
            default:
                return 4 == width ?
                    updateFloat(operation, Float.intBitsToFloat((int)before), Float.intBitsToFloat((int)value)) :
                    updateDouble(operation, Double.longBitsToDouble(before), Double.longBitsToDouble(value));
        }
    }

    private int updateFloat(final int operation, final float before, final float value)
    {
        hasAddedNans |= AtomicOp.ADD_FLOATING == operation && Float.isNaN(before) && Float.isNaN(value);
        return AtomicOp.ADD_FLOATING == operation ? Float.floatToRawIntBits(before + value) :
            Float.floatToIntBits(
                AtomicOp.MIN_FLOATING == operation ? Math.min(before, value) : Math.max(before, value));
    }

    private long updateDouble(final int operation, final double before, final double value)
    {
        hasAddedNans |= AtomicOp.ADD_FLOATING == operation && Double.isNaN(before) && Double.isNaN(value);
        return AtomicOp.ADD_FLOATING == operation ? Double.doubleToRawLongBits(before + value) :
            Double.doubleToLongBits(
                AtomicOp.MIN_FLOATING == operation ? Math.min(before, value) : Math.max(before, value));
    }
}
