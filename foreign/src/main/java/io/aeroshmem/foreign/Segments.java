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
package io.aeroshmem.foreign;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.lang.ref.Reference;
import java.util.Objects;

/**
 * Symmetric memory as {@link MemorySegment}, and block transfers from and to any segment.
 * <p>
 * A transfer reads or writes native memory in place, and writable segments of {@code byte} arrays too. Other segments
 * on the Java heap pass through a copy, piece by piece.
 * <pre>{@code
 * try (Arena arena = Arena.ofConfined())
 * {
 *     final MemorySegment quote = arena.allocate(64);
 *     quote.set(ValueLayout.JAVA_LONG, 0, sequence);
 *     Segments.put(shmem.defaultContext(), buffer, 0, quote, peer);
 * }
 * }</pre>
 */
public final class Segments
{
    /** Bytes of a piece in place, so that offsets are of type int. */
    private static final int PIECE_IN_PLACE = 1 << 30;
    private static final int COPIED_PIECE = 16 << 10;

    private Segments()
    {
    }

    /**
     * Returns this PE's own memory of a buffer as a segment: {@code shmem_ptr} of this PE. No restricted method of the
     * JDK is called.
     * <p>
     * Like {@link SymmetricBuffer#local()} the segment is plain memory, independent of the allocation: discard it
     * before {@link Shmem#free} and {@link Shmem#realloc}. After {@link Shmem#close()} it stays readable, detached from
     * the job. Any thread may access it. Accesses are ordered with those of other PEs as those of
     * {@link SymmetricBuffer}.
     *
     * @param buffer in host memory, up to 2 GiB - 1; of a longer one {@linkplain SymmetricBuffer#slice a slice}.
     * @return the segment, of the length of the buffer.
     * @throws IllegalStateException if the buffer is longer, was freed, its job is closed, or it is the memory of a
     *                               device.
     */
    public static MemorySegment of(final SymmetricBuffer buffer)
    {
        return MemorySegment.ofBuffer(buffer.byteBuffer());
    }

    /**
     * Copies a segment to a PE: {@code shmem_putmem}, {@code nvshmem_putmem}. Returns when the segment may be written
     * again. Ordering and completion as those of
     * {@link CommunicationContext#put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}. Any length and
     * alignment.
     *
     * @param context    in which the operation is performed.
     * @param dest       symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source     segment that is read. Its arena must not be closed during the call.
     * @param pe         rank of the target in the team of the context.
     * @throws IndexOutOfBoundsException if the rest of {@code dest} is shorter than the segment.
     * @throws IllegalStateException     if the arena of the segment is closed, the buffer was freed, or its job is
     *                                   closed.
     * @throws WrongThreadException      if the segment is confined to another thread.
     */
    public static void put(
        final CommunicationContext context,
        final SymmetricBuffer dest,
        final long destOffset,
        final MemorySegment source,
        final int pe)
    {
        final long length = check(source, destOffset, dest);
        final UnsafeBuffer block = block(source);
        long done = 0;
        do
        {
            final int piece;
            if (isInPlace(source))
            {
                piece = wrap(block, source, done);
            }
            else
            {
                piece = (int)Math.min(length - done, block.capacity());
                MemorySegment.copy(source, ValueLayout.JAVA_BYTE, done, block.byteArray(), 0, piece);
            }

            context.put(dest, destOffset + done, block, 0, piece, pe);
            done += piece;
        }
        while (done < length);

        Reference.reachabilityFence(source);
    }

    /**
     * Copies a block from a PE to a segment: {@code shmem_getmem}, {@code nvshmem_getmem}. Returns when the data has
     * arrived. Any length and alignment.
     *
     * @param context      in which the operation is performed.
     * @param dest         segment that is written. Its arena must not be closed during the call.
     * @param source       symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param pe           rank of the target in the team of the context.
     * @throws IllegalArgumentException  if the segment is read-only.
     * @throws IndexOutOfBoundsException if the rest of {@code source} is shorter than the segment.
     * @throws IllegalStateException     if the arena of the segment is closed, the buffer was freed, or its job is
     *                                   closed.
     * @throws WrongThreadException      if the segment is confined to another thread.
     */
    public static void get(
        final CommunicationContext context,
        final MemorySegment dest,
        final SymmetricBuffer source,
        final long sourceOffset,
        final int pe)
    {
        final long length = check(dest, sourceOffset, source);
        if (dest.isReadOnly())
        {
            throw new IllegalArgumentException("dest is read-only");
        }

        final UnsafeBuffer block = block(dest);
        long done = 0;
        do
        {
            final boolean isInPlace = isInPlace(dest);
            final int piece = isInPlace ? wrap(block, dest, done) : (int)Math.min(length - done, block.capacity());
            context.get(block, 0, source, sourceOffset + done, piece, pe);
            if (!isInPlace)
            {
                MemorySegment.copy(block.byteArray(), 0, dest, ValueLayout.JAVA_BYTE, done, piece);
            }

            done += piece;
        }
        while (done < length);

        Reference.reachabilityFence(dest);
    }

    /** Returns the length of a segment after checking that the range of the buffer is as long, and what Java checks. */
    private static long check(final MemorySegment segment, final long offset, final SymmetricBuffer buffer)
    {
        if (!segment.scope().isAlive())
        {
            throw new IllegalStateException("the arena of the segment is closed");
        }

        if (!segment.isAccessibleBy(Thread.currentThread()))
        {
            throw new WrongThreadException("the segment is confined to another thread");
        }

        final long length = segment.byteSize();
        Objects.checkFromIndexSize(offset, length, buffer.length());
        return length;
    }

    private static boolean isInPlace(final MemorySegment segment)
    {
        // the array of a read-only segment is not accessible
        return segment.isNative() || segment.heapBase().orElse(null) instanceof byte[];
    }

    /** Returns the block that is the local operand: memory for the pieces, or nothing yet if they are in place. */
    private static UnsafeBuffer block(final MemorySegment segment)
    {
        return isInPlace(segment) ?
            new UnsafeBuffer(0, 0) : new UnsafeBuffer(new byte[(int)Math.min(segment.byteSize(), COPIED_PIECE)]);
    }

    /** Makes the next piece of a segment the local operand, and returns its length. */
    private static int wrap(final UnsafeBuffer block, final MemorySegment segment, final long offset)
    {
        final int length = (int)Math.min(segment.byteSize() - offset, PIECE_IN_PLACE);
        if (segment.isNative())
        {
            block.wrap(segment.address() + offset, length);
        }
        else
        {
            // of a segment of an array the address is an offset in it
            block.wrap((byte[])segment.heapBase().orElseThrow(), (int)(segment.address() + offset), length);
        }

        return length;
    }
}
