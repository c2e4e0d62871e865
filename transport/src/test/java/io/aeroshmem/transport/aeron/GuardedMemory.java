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

import java.io.IOException;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;

import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Memory with a page of known bytes before it, and no page after it: its last byte is the last of a truncated mapped
 * file, so that a load or a store one byte further is an InternalError.
 */
final class GuardedMemory
{
    private static final int PAGE = 4096;
    private static final byte GUARD = (byte)0xA5;

    private final MappedByteBuffer mapped;
    private final UnsafeBuffer buffer;
    private final UnsafeBuffer all;
    private final byte[] copy;
    private final int offset;

    private GuardedMemory(final MappedByteBuffer mapped, final int offset, final int length)
    {
        this.mapped = mapped;
        this.offset = offset;
        buffer = new UnsafeBuffer(BufferUtil.address(mapped) + offset, length);
        all = new UnsafeBuffer(BufferUtil.address(mapped), offset + length);
        copy = new byte[offset];
    }

    /**
     * Creates zeroed memory.
     *
     * @param file   to create.
     * @param length of the memory in bytes.
     */
    static GuardedMemory map(final Path file, final int length) throws IOException
    {
        final int end = PAGE + (length + PAGE - 1) / PAGE * PAGE;
        try (FileChannel channel = FileChannel.open(
            file, StandardOpenOption.CREATE_NEW, StandardOpenOption.READ, StandardOpenOption.WRITE))
        {
            final MappedByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, end + 16L * PAGE);
            channel.truncate(end);
            final GuardedMemory memory = new GuardedMemory(mapped, end - length, length);
            memory.all.setMemory(0, memory.offset, GUARD);
            return memory;
        }
    }

    long address()
    {
        return buffer.addressOffset();
    }

    UnsafeBuffer buffer()
    {
        return buffer;
    }

    /**
     * Returns the end of the memory.
     *
     * @param length of the end.
     */
    UnsafeBuffer end(final int length)
    {
        return new UnsafeBuffer(address() + buffer.capacity() - length, length);
    }

    void copyTo(final byte[] bytes)
    {
        buffer.getBytes(0, bytes);
    }

    void assertIs(final byte[] expected, final String message)
    {
        final byte[] bytes = new byte[expected.length];
        buffer.getBytes(0, bytes);
        assertEquals(-1, Arrays.mismatch(expected, bytes), message);
        all.getBytes(0, copy);
        for (final byte guard : copy)
        {
            if (GUARD != guard)
            {
                throw new AssertionError("the guard was written to: " + message);
            }
        }
    }

    @Override
    public String toString()
    {
        return mapped.toString();
    }
}
