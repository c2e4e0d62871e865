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

import io.aeroshmem.transport.retained.RetainedTable.Identity;
import io.aeroshmem.transport.retained.RetainedTable.State;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.channels.FileChannel;
import java.util.function.ToLongFunction;
import java.util.zip.CRC32C;

/**
 * The file of a PE's retained memory in a snapshot.
 * <pre>
 *   0 +------------------------------------------------------------+
 *     | a {@link RetainedTable}, whose token is the snapshot's id            |
 *     +------------------------------------------------------------+
 *     | the bytes of each block, in the order of the table, each   |
 *     | followed by their CRC-32C (long, in the host's byte order) |
 *     +------------------------------------------------------------+
 * </pre>
 * Memory passes through a small buffer, so what the checksum covers is what the file contains, even if the program
 * stores to the memory meanwhile.
 */
public final class SnapshotPart
{
    private static final int PIECE = 1 << 20;

    /** The memory of the heap. */
    @FunctionalInterface
    public interface Memory
    {
        /** Returns a view at an offset in the heap. */
        ByteBuffer view(long offset, int length);
    }

    private SnapshotPart()
    {
    }

    /** Writes the blocks and has them reach the disk. */
    public static void write(
        final FileChannel channel, final Identity identity, final State state, final Memory memory) throws IOException
    {
        final ByteBuffer header = ByteBuffer.allocateDirect(RetainedTable.LENGTH);
        RetainedTable.create(new UnsafeBuffer(header), identity).write(state);
        writeFully(channel, header);
        final ByteBuffer piece = piece();
        for (final RetainedBlock block : state.blocks())
        {
            final CRC32C crc = new CRC32C();
            for (long done = 0; done < block.length(); done += PIECE)
            {
                final int length = (int)Math.min(PIECE, block.length() - done);
                piece.clear().put(memory.view(block.offset() + done, length)).flip();
                crc.update(piece.duplicate());
                writeFully(channel, piece);
            }

            writeFully(channel, piece.clear().putLong(crc.getValue()).flip());
        }

        channel.force(true);
    }

    /**
     * Reads all of the file and verifies it.
     *
     * @return its table.
     * @throws RetainedTableException if it is not that part, or was altered or truncated.
     */
    public static State verify(final FileChannel channel, final Identity identity) throws IOException
    {
        final ByteBuffer header = ByteBuffer.allocateDirect(RetainedTable.LENGTH);
        readFully(channel, header, 0);
        final State state = RetainedTable.open(new UnsafeBuffer(header), identity).read();
        long length = RetainedTable.LENGTH;
        for (final RetainedBlock block : state.blocks())
        {
            length += block.length() + Long.BYTES;
        }

        if (length != channel.size())
        {
            throw new RetainedTableException("it has " + channel.size() + " bytes instead of " + length);
        }

        transfer(channel, state, null, null);
        return state;
    }

    /**
     * Reads the blocks into memory.
     *
     * @param offset returns the offset of a block in the heap.
     * @throws RetainedTableException if the file has changed since it was verified; memory has changed then.
     */
    public static void read(
        final FileChannel channel, final State state, final ToLongFunction<RetainedBlock> offset, final Memory memory)
        throws IOException
    {
        transfer(channel, state, offset, memory);
    }

    private static void transfer(
        final FileChannel channel, final State state, final ToLongFunction<RetainedBlock> offset, final Memory memory)
        throws IOException
    {
        final ByteBuffer piece = piece();
        long position = RetainedTable.LENGTH;
        for (final RetainedBlock block : state.blocks())
        {
            final CRC32C crc = new CRC32C();
            final long begin = null == memory ? 0 : offset.applyAsLong(block);
            for (long done = 0; done < block.length(); done += PIECE)
            {
                final int length = (int)Math.min(PIECE, block.length() - done);
                readFully(channel, piece.clear().limit(length), position);
                position += length;
                crc.update(piece.duplicate());
                if (null != memory)
                {
                    memory.view(begin + done, length).put(piece);
                }
            }

            readFully(channel, piece.clear().limit(Long.BYTES), position);
            position += Long.BYTES;
            if (piece.getLong(0) != crc.getValue())
            {
                throw new RetainedTableException("the checksum of its block " + block.name() + " is wrong");
            }
        }
    }

    private static ByteBuffer piece()
    {
        return ByteBuffer.allocateDirect(PIECE).order(ByteOrder.nativeOrder());
    }

    private static void writeFully(final FileChannel channel, final ByteBuffer bytes) throws IOException
    {
        while (bytes.hasRemaining())
        {
            channel.write(bytes);
        }
    }

    /** Fills the buffer up to its limit, and makes it ready to be read. */
    private static void readFully(final FileChannel channel, final ByteBuffer bytes, final long position)
        throws IOException
    {
        while (bytes.hasRemaining())
        {
            if (channel.read(bytes, position + bytes.position()) < 0)
            {
                throw new RetainedTableException("it ends after " + channel.size() + " bytes");
            }
        }

        bytes.flip();
    }
}
