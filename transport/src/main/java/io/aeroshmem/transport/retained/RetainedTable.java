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
package io.aeroshmem.transport.retained;

import org.agrona.concurrent.AtomicBuffer;

import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.zip.CRC32C;

/**
 * The table of a PE's {@link RetainedBlock}s, at the beginning of the file of its heap, and of each part of a snapshot.
 * <pre>
 *      0 +-------------------------------------------------------+
 *        | magic number, in the byte order of the host           |
 *     +8 | format version (int), PE (int)                        |
 *    +16 | number of PEs (int), reserved (int)                   |
 *    +24 | length of the heap                                    |
 *    +32 | token of the recoverable job, or of the snapshot      |
 *    +40 | CRC-32C of the words before                           |
 *    +48 | sequence: the number of writes; its lowest bit is the |
 *        | slot that counts                                      |
 *    +64 | begin and end of the memory that was never allocated  |
 *   4096 +-------------------------------------------------------+
 *        | slot 0: sequence, generation, number of blocks,       |
 *        |   CRC-32C of the slot                                 |
 *        |   +64 blocks                                          |
 *        +-------------------------------------------------------+
 *        | slot 1                                                |
 *        +-------------------------------------------------------+
 * </pre>
 * <b>Ordering.</b> Only the PE writes. It fills the slot that does not count, and then stores the sequence by release.
 * A fence keeps the stores to a slot behind the sequence that made the other one count. So whenever its process ends,
 * the slot of the sequence is whole, and the host keeps what was stored before. A slot of which the checksum is wrong
 * was altered by somebody else: the table then does not verify, and the older slot is not used in its place, because it
 * may name blocks that were released since.
 */
public final class RetainedTable
{
    /** Length of the table in bytes, a multiple of the page size. */
    public static final int LENGTH = RetainedTable.SLOTS + 2 * RetainedTable.SLOT_LENGTH;
    /** Length of an {@linkplain #copyTo image} in bytes. */
    public static final int IMAGE_LENGTH = RetainedTable.SLOT_LENGTH;
    /** Alignment of the blocks in bytes. */
    public static final int ALIGNMENT = 64;
    /** Greatest number of blocks. */
    public static final int MAX_BLOCKS = 1_023;
    /** Greatest length of a name, in bytes of UTF-8. */
    public static final int MAX_NAME_BYTES = 96;
    /** Generation of a new table, which says nothing about any block until a generation has written it. */
    public static final int NEW = -1;

    private static final long MAGIC = 0x4153_484D_4845_4150L;
    private static final int FORMAT = 2;

    private static final int FORMAT_VERSION = 8;
    private static final int PE = 12;
    private static final int N_PES = 16;
    private static final int HEAP_LENGTH = 24;
    private static final int TOKEN = 32;
    private static final int HEADER_CHECKSUM = 40;
    private static final int SEQUENCE = 48;
    private static final int UNTOUCHED_BEGIN = 64;
    private static final int UNTOUCHED_END = 72;
    private static final int SLOTS = 4_096;

    private static final int VIEW_ATTEMPTS = 10;

    private static final int SLOT_SEQUENCE = 0;
    private static final int SLOT_GENERATION = 8;
    private static final int SLOT_COUNT = 12;
    private static final int SLOT_CHECKSUM = 24;
    private static final int SLOT_BLOCKS = 64;

    private static final int BLOCK_OFFSET = 0;
    private static final int BLOCK_BYTES = 8;
    private static final int BLOCK_LAYOUT_VERSION = 16;
    private static final int BLOCK_STATE = 20;
    private static final int BLOCK_IS_ZEROED = 21;
    private static final int BLOCK_RESTORES = 24;
    private static final int BLOCK_NAME_LENGTH = 28;
    private static final int BLOCK_NAME = 32;
    private static final int BLOCK_LENGTH = BLOCK_NAME + MAX_NAME_BYTES;

    private static final int SLOT_LENGTH = 1 << 17;
    private static final RetainedBlock.State[] STATES = RetainedBlock.State.values();

    /*
     * Not thread-safe.
     */
    /**
     * What a table holds.
     *
     * @param generation of the job that wrote it; {@link #NEW} if none has.
     * @param blocks     in the order of their offsets; they do not overlap.
     */
    public record State(int generation, List<RetainedBlock> blocks)
    {
        public State
        {
            blocks = blocks.stream().sorted(Comparator.comparingLong(RetainedBlock::offset)).toList();
        }
    }

    /** Whose table it is: what must agree before a word of it is used. */
    public record Identity(long token, int pe, int nPes, long heapLength)
    {
    }

    private final AtomicBuffer buffer;
    private final long heapLength;

    private RetainedTable(final AtomicBuffer buffer, final long heapLength)
    {
        this.buffer = buffer;
        this.heapLength = heapLength;
    }

    /** Makes an empty table of generation {@link #NEW} in zeroed memory of {@link #LENGTH} bytes. */
    public static RetainedTable create(final AtomicBuffer buffer, final Identity identity)
    {
        buffer.putLong(0, MAGIC);
        buffer.putInt(FORMAT_VERSION, FORMAT);
        buffer.putInt(PE, identity.pe);
        buffer.putInt(N_PES, identity.nPes);
        buffer.putLong(HEAP_LENGTH, identity.heapLength);
        buffer.putLong(TOKEN, identity.token);
        buffer.putLong(HEADER_CHECKSUM, checksum(buffer, 0, HEADER_CHECKSUM));
        final RetainedTable table = new RetainedTable(buffer, identity.heapLength);
        table.untouched(0, identity.heapLength);
        table.write(new State(NEW, List.of()));
        return table;
    }

    /**
     * Opens a table of an earlier generation and verifies all of it.
     *
     * @throws RetainedTableException if it is not the table of that PE, or was altered.
     */
    public static RetainedTable open(final AtomicBuffer buffer, final Identity identity)
    {
        if (MAGIC != buffer.getLong(0))
        {
            throw new RetainedTableException(Long.reverseBytes(MAGIC) == buffer.getLong(0) ?
                "it was written by a host of the other byte order" : "it does not begin with a table");
        }

        verify("format version", FORMAT, buffer.getInt(FORMAT_VERSION));
        if (buffer.getLong(HEADER_CHECKSUM) != checksum(buffer, 0, HEADER_CHECKSUM))
        {
            throw new RetainedTableException("the checksum of its header is wrong");
        }

        verify("PE", identity.pe, buffer.getInt(PE));
        verify("number of PEs", identity.nPes, buffer.getInt(N_PES));
        verify("length of the heap", identity.heapLength, buffer.getLong(HEAP_LENGTH));
        if (identity.token != buffer.getLong(TOKEN))
        {
            throw new RetainedTableException("it is that of another job or snapshot");
        }

        final RetainedTable table = new RetainedTable(buffer, identity.heapLength);
        table.read();
        return table;
    }

    /**
     * Reads the slot that counts.
     *
     * @throws RetainedTableException if it was altered.
     */
    public State read()
    {
        final long sequence = buffer.getLongVolatile(SEQUENCE);
        final int slot = slot(sequence);
        if (sequence <= 0 || sequence != buffer.getLong(slot + SLOT_SEQUENCE))
        {
            throw new RetainedTableException("its slot " + (sequence & 1) + " was altered");
        }

        return read(buffer, slot, heapLength);
    }

    /**
     * Reads the table of a running job, for viewers: the PE may be writing it. Returns null if it is none of this
     * format, or was written to again and again meanwhile.
     */
    public static State view(final AtomicBuffer buffer)
    {
        if (MAGIC != buffer.getLong(0) || FORMAT != buffer.getInt(FORMAT_VERSION) ||
            buffer.getLong(HEADER_CHECKSUM) != checksum(buffer, 0, HEADER_CHECKSUM))
        {
            return null;
        }

        for (int i = 0; i < VIEW_ATTEMPTS; i++)
        {
            try
            {
                return read(buffer, slot(buffer.getLongVolatile(SEQUENCE)), buffer.getLong(HEAP_LENGTH));
            }
            catch (final RetainedTableException ex)
            {
                // the PE has begun the write after next
                Thread.yield();
            }
        }

        return null;
    }

    /**
     * Notes the range of the heap that no allocation has covered since the file was made, before one covers more. Each
     * store narrows the range, so wherever the process ends, the words are those of a range that is zero.
     */
    public void untouched(final long begin, final long end)
    {
        buffer.putLongRelease(UNTOUCHED_BEGIN, begin);
        buffer.putLongRelease(UNTOUCHED_END, end);
    }

    /** Returns the begin of the range of the heap that no allocation has covered; 0 if there is none. */
    public long untouchedBegin()
    {
        return hasUntouched() ? buffer.getLong(UNTOUCHED_BEGIN) : 0;
    }

    /** Returns the end of the range; 0 if there is none. */
    public long untouchedEnd()
    {
        return hasUntouched() ? buffer.getLong(UNTOUCHED_END) : 0;
    }

    private boolean hasUntouched()
    {
        final long begin = buffer.getLong(UNTOUCHED_BEGIN);
        final long end = buffer.getLong(UNTOUCHED_END);
        return 0 <= begin && begin < end && end <= heapLength;
    }

    /** Copies what the table holds, for other PEs to {@linkplain #read(AtomicBuffer, long) read}. */
    public void copyTo(final AtomicBuffer image)
    {
        image.putBytes(0, buffer, slot(buffer.getLong(SEQUENCE)), IMAGE_LENGTH);
    }

    /**
     * Reads an image of another PE's table.
     *
     * @throws RetainedTableException if it was altered.
     */
    public static State read(final AtomicBuffer image, final long heapLength)
    {
        return read(image, 0, heapLength);
    }

    private static State read(final AtomicBuffer buffer, final int slot, final long heapLength)
    {
        final int count = buffer.getInt(slot + SLOT_COUNT);
        if (count < 0 || count > MAX_BLOCKS ||
            buffer.getLong(slot + SLOT_CHECKSUM) != slotChecksum(buffer, slot, count))
        {
            throw new RetainedTableException("its list of blocks was altered");
        }

        final List<RetainedBlock> blocks = new ArrayList<>(count);
        for (int i = 0; i < count; i++)
        {
            blocks.add(block(buffer, slot + SLOT_BLOCKS + i * BLOCK_LENGTH));
        }

        final State state = new State(buffer.getInt(slot + SLOT_GENERATION), blocks);
        verifyBlocks(state.blocks, heapLength);
        return state;
    }

    /** Replaces what the table holds; whenever the process ends, the table holds the one or the other. */
    public void write(final State state)
    {
        if (state.blocks.size() > MAX_BLOCKS)
        {
            throw new IllegalArgumentException("retained blocks must be <= " + MAX_BLOCKS + ": " + state.blocks.size());
        }

        final long sequence = buffer.getLong(SEQUENCE) + 1;
        final int slot = slot(sequence);
        VarHandle.releaseFence();
        buffer.putLong(slot + SLOT_SEQUENCE, sequence);
        buffer.putInt(slot + SLOT_GENERATION, state.generation);
        buffer.putInt(slot + SLOT_COUNT, state.blocks.size());
        for (int i = 0; i < state.blocks.size(); i++)
        {
            put(slot + SLOT_BLOCKS + i * BLOCK_LENGTH, state.blocks.get(i));
        }

        buffer.putLong(slot + SLOT_CHECKSUM, slotChecksum(buffer, slot, state.blocks.size()));
        buffer.putLongRelease(SEQUENCE, sequence);
    }

    /** Returns the name as the table stores it, after a check that it fits and is the same when it is read. */
    public static byte[] encode(final String name)
    {
        if (!StandardCharsets.UTF_8.newEncoder().canEncode(name))
        {
            throw new IllegalArgumentException("name must have no surrogate without the other one: " + name);
        }

        final byte[] bytes = name.getBytes(StandardCharsets.UTF_8);
        if (0 == bytes.length || bytes.length > MAX_NAME_BYTES)
        {
            throw new IllegalArgumentException(
                "name must have 1 to " + MAX_NAME_BYTES + " bytes of UTF-8: " + bytes.length);
        }

        return bytes;
    }

    private void put(final int at, final RetainedBlock block)
    {
        final byte[] name = encode(block.name());
        buffer.putLong(at + BLOCK_OFFSET, block.offset());
        buffer.putLong(at + BLOCK_BYTES, block.length());
        buffer.putInt(at + BLOCK_LAYOUT_VERSION, block.layoutVersion());
        buffer.putByte(at + BLOCK_STATE, (byte)block.state().ordinal());
        buffer.putByte(at + BLOCK_IS_ZEROED, (byte)(block.isZeroed() ? 1 : 0));
        buffer.putInt(at + BLOCK_RESTORES, block.restores());
        buffer.putInt(at + BLOCK_NAME_LENGTH, name.length);
        buffer.setMemory(at + BLOCK_NAME, MAX_NAME_BYTES, (byte)0);
        buffer.putBytes(at + BLOCK_NAME, name);
    }

    private static RetainedBlock block(final AtomicBuffer buffer, final int at)
    {
        final int state = buffer.getByte(at + BLOCK_STATE);
        final int nameLength = buffer.getInt(at + BLOCK_NAME_LENGTH);
        if (state < 0 || state >= STATES.length || nameLength < 1 || nameLength > MAX_NAME_BYTES)
        {
            throw new RetainedTableException("it has a block with state " + state + " and a name of " + nameLength +
                " bytes");
        }

        final byte[] name = new byte[nameLength];
        buffer.getBytes(at + BLOCK_NAME, name);
        return new RetainedBlock(
            new String(name, StandardCharsets.UTF_8),
            buffer.getLong(at + BLOCK_OFFSET),
            buffer.getLong(at + BLOCK_BYTES),
            buffer.getInt(at + BLOCK_LAYOUT_VERSION),
            0 != buffer.getByte(at + BLOCK_IS_ZEROED),
            buffer.getInt(at + BLOCK_RESTORES),
            STATES[state]);
    }

    private static void verifyBlocks(final List<RetainedBlock> blocks, final long heapLength)
    {
        final Set<String> names = new HashSet<>();
        long end = 0;
        for (final RetainedBlock block : blocks)
        {
            if (block.offset() < end || 0 != block.offset() % ALIGNMENT || block.length() < 1 ||
                block.length() > heapLength - block.offset() || !names.add(block.name()))
            {
                throw new RetainedTableException("it has a block that is outside the heap, misaligned, overlaps" +
                    " another or has the name of another: " + block);
            }

            end = block.offset() + block.length();
        }
    }

    private static long slotChecksum(final AtomicBuffer buffer, final int slot, final int count)
    {
        final CRC32C crc = new CRC32C();
        update(crc, buffer, slot, SLOT_CHECKSUM);
        update(crc, buffer, slot + SLOT_BLOCKS, count * BLOCK_LENGTH);
        return crc.getValue();
    }

    private static long checksum(final AtomicBuffer buffer, final int offset, final int length)
    {
        final CRC32C crc = new CRC32C();
        update(crc, buffer, offset, length);
        return crc.getValue();
    }

    private static void update(final CRC32C crc, final AtomicBuffer buffer, final int offset, final int length)
    {
        final byte[] bytes = new byte[length];
        buffer.getBytes(offset, bytes);
        crc.update(ByteBuffer.wrap(bytes));
    }

    private static int slot(final long sequence)
    {
        return SLOTS + (int)(sequence & 1) * SLOT_LENGTH;
    }

    private static void verify(final String field, final long expected, final long actual)
    {
        if (expected != actual)
        {
            throw new RetainedTableException("its " + field + " is " + actual + ", not " + expected);
        }
    }
}
