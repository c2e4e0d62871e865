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
package io.aeroshmem;

import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * A communication context of a PE, {@code shmem_ctx_t}: an independent stream of puts, gets, atomics and signals, with
 * an ordering of its own. The default context, {@link Shmem#defaultContext()}, is {@code SHMEM_CTX_DEFAULT}.
 * {@code pe} is a rank in {@link #team()}, which is the world for the default context. Units, errors and the memory
 * ordering of each operation are those of the {@linkplain io.aeroshmem package}.
 * <p>
 * Without a fence between them, two operations to one PE may take effect in either order. A blocking get or fetching
 * atomic, however, is complete when it returns.
 * <p>
 * <b>Threads.</b> Several threads may use a context at once, unless it was made with {@link ContextOption#SERIALIZED}
 * or {@link ContextOption#PRIVATE}. {@link #quiet()} completes what any thread issued on this context before the call,
 * and nothing of other contexts.
 * <p>
 * After the first calls to a peer, calls to it allocate no Java objects.
 */
public interface CommunicationContext extends AutoCloseable
{
    /**
     * Writes one {@code byte} to a PE: {@code shmem_char_p}, {@code nvshmem_char_p}. Opaque; never tears. Complete at
     * the target after {@link #quiet()}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param offset in bytes from the start of {@code dest}.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void putByte(SymmetricBuffer dest, long offset, byte value, int pe);

    /**
     * Writes one {@code short} to a PE: {@code shmem_short_p}, {@code nvshmem_short_p}. Opaque; never tears where the
     * address is a multiple of 2. Complete at the target after {@link #quiet()}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param offset in bytes from the start of {@code dest}.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void putShort(SymmetricBuffer dest, long offset, short value, int pe);

    /**
     * Writes one {@code int} to a PE: {@code shmem_int_p}, {@code nvshmem_int_p}. Opaque; never tears where the address
     * is a multiple of 4. Complete at the target after {@link #quiet()}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param offset in bytes from the start of {@code dest}.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void putInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Writes one {@code long} to a PE: {@code shmem_long_p}, {@code nvshmem_long_p}. Opaque; never tears where the
     * address is a multiple of 8. Complete at the target after {@link #quiet()}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param offset in bytes from the start of {@code dest}.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void putLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Writes one {@code float} to a PE, bit for bit: {@code shmem_float_p}, {@code nvshmem_float_p}. Ordering and
     * alignment as {@link #putInt putInt}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param offset in bytes from the start of {@code dest}.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    default void putFloat(final SymmetricBuffer dest, final long offset, final float value, final int pe)
    {
        putInt(dest, offset, Float.floatToRawIntBits(value), pe);
    }

    /**
     * Writes one {@code double} to a PE, bit for bit: {@code shmem_double_p}, {@code nvshmem_double_p}. Ordering and
     * alignment as {@link #putLong putLong}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param offset in bytes from the start of {@code dest}.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    default void putDouble(final SymmetricBuffer dest, final long offset, final double value, final int pe)
    {
        putLong(dest, offset, Double.doubleToRawLongBits(value), pe);
    }

    /**
     * Reads one {@code byte} from a PE: {@code shmem_char_g}, {@code nvshmem_char_g}. Opaque; never tears.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}.
     * @param pe rank of the target in {@link #team()}.
     * @return the value read.
     */
    byte getByte(SymmetricBuffer source, long offset, int pe);

    /**
     * Reads one {@code short} from a PE: {@code shmem_short_g}, {@code nvshmem_short_g}. Opaque; never tears where the
     * address is a multiple of 2.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}.
     * @param pe rank of the target in {@link #team()}.
     * @return the value read.
     */
    short getShort(SymmetricBuffer source, long offset, int pe);

    /**
     * Reads one {@code int} from a PE: {@code shmem_int_g}, {@code nvshmem_int_g}. Opaque; never tears where the
     * address is a multiple of 4.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}.
     * @param pe rank of the target in {@link #team()}.
     * @return the value read.
     */
    int getInt(SymmetricBuffer source, long offset, int pe);

    /**
     * Reads one {@code long} from a PE: {@code shmem_long_g}, {@code nvshmem_long_g}. Opaque; never tears where the
     * address is a multiple of 8.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}.
     * @param pe rank of the target in {@link #team()}.
     * @return the value read.
     */
    long getLong(SymmetricBuffer source, long offset, int pe);

    /**
     * Reads one {@code float} from a PE, bit for bit: {@code shmem_float_g}, {@code nvshmem_float_g}. Ordering and
     * alignment as {@link #getInt getInt}.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}.
     * @param pe rank of the target in {@link #team()}.
     * @return the value read.
     */
    default float getFloat(final SymmetricBuffer source, final long offset, final int pe)
    {
        return Float.intBitsToFloat(getInt(source, offset, pe));
    }

    /**
     * Reads one {@code double} from a PE, bit for bit: {@code shmem_double_g}, {@code nvshmem_double_g}. Ordering and
     * alignment as {@link #getLong getLong}.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}.
     * @param pe rank of the target in {@link #team()}.
     * @return the value read.
     */
    default double getDouble(final SymmetricBuffer source, final long offset, final int pe)
    {
        return Double.longBitsToDouble(getLong(source, offset, pe));
    }

    /**
     * Copies a block to a PE: {@code shmem_putmem}, {@code nvshmem_putmem}. Returns when the source may be reused;
     * complete at the target after {@link #quiet()}. Any length and alignment. On a PE's own memory source and
     * destination may overlap, as in {@code memmove}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /**
     * Copies a block from any local buffer to a PE: {@code shmem_putmem}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source any local buffer; it may wrap an array.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, DirectBuffer source, int sourceOffset, int length, int pe);

    /**
     * Copies a block from a PE: {@code shmem_getmem}, {@code nvshmem_getmem}. Returns when the data has arrived. Any
     * length and alignment.
     *
     * @param dest symmetric buffer whose local copy is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /**
     * Copies a block from a PE to any local buffer: {@code shmem_getmem}. Returns when the data has arrived.
     *
     * @param dest any local buffer; it may wrap an array.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(MutableDirectBuffer dest, int destOffset, SymmetricBuffer source, long sourceOffset, int length, int pe);

    /**
     * Copies elements of an array to a PE: {@code shmem_char_put}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, byte[] source, int from, int n, int pe);

    /**
     * Copies elements of an array to a PE: {@code shmem_short_put}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, short[] source, int from, int n, int pe);

    /**
     * Copies elements of an array to a PE: {@code shmem_int_put}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, int[] source, int from, int n, int pe);

    /**
     * Copies elements of an array to a PE: {@code shmem_long_put}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, long[] source, int from, int n, int pe);

    /**
     * Copies elements of an array to a PE: {@code shmem_float_put}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, float[] source, int from, int n, int pe);

    /**
     * Copies elements of an array to a PE: {@code shmem_double_put}. Ordering and completion as
     * {@link #put(SymmetricBuffer, long, SymmetricBuffer, long, long, int)}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void put(SymmetricBuffer dest, long destOffset, double[] source, int from, int n, int pe);

    /**
     * Copies elements from a PE to an array: {@code shmem_char_get}. Returns when the data has arrived.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(byte[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Copies elements from a PE to an array: {@code shmem_short_get}. Returns when the data has arrived.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(short[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Copies elements from a PE to an array: {@code shmem_int_get}. Returns when the data has arrived.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(int[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Copies elements from a PE to an array: {@code shmem_long_get}. Returns when the data has arrived.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(long[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Copies elements from a PE to an array: {@code shmem_float_get}. Returns when the data has arrived.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(float[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Copies elements from a PE to an array: {@code shmem_double_get}. Returns when the data has arrived.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void get(double[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy a block to a PE: {@code shmem_putmem_nbi}, {@code nvshmem_putmem_nbi}. The source must not change
     * before {@link #quiet()}, which completes the copy at the target.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void putNbi(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /**
     * Starts to copy a block from a PE: {@code shmem_getmem_nbi}, {@code nvshmem_getmem_nbi}. The destination is
     * undefined before {@link #quiet()}.
     *
     * @param dest symmetric buffer whose local copy is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /**
     * Starts to copy a block from a PE to any local buffer: {@code shmem_getmem_nbi}. The destination is undefined
     * before {@link #quiet()}.
     *
     * @param dest any local buffer; it may wrap an array, and must not wrap other memory before then.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(
        MutableDirectBuffer dest, int destOffset, SymmetricBuffer source, long sourceOffset, int length, int pe);

    /**
     * Starts to copy elements from a PE to an array: {@code shmem_char_get_nbi}. The destination is undefined
     * before {@link #quiet()}. Allocates nothing.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(byte[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array: {@code shmem_short_get_nbi}. The destination is undefined
     * before {@link #quiet()}. Allocates nothing.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(short[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array: {@code shmem_int_get_nbi}. The destination is undefined
     * before {@link #quiet()}. Allocates nothing.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(int[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array: {@code shmem_long_get_nbi}. The destination is undefined
     * before {@link #quiet()}. Allocates nothing.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(long[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array: {@code shmem_float_get_nbi}. The destination is undefined
     * before {@link #quiet()}. Allocates nothing.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(float[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array: {@code shmem_double_get_nbi}. The destination is undefined
     * before {@link #quiet()}. Allocates nothing.
     *
     * @param dest array that is written.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     */
    void getNbi(double[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy a block to a PE, and returns a request for its completion. No counterpart in C.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read; it must not change before the request is complete.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest putRequest(
        SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /**
     * Starts to copy a block from a PE, and returns a request for its completion. No counterpart in C.
     *
     * @param dest symmetric buffer whose local copy is written; undefined before the request is complete.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(
        SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length, int pe);

    /**
     * Starts to copy a block from a PE to any local buffer, and returns a request for its completion. No counterpart in
     * C.
     *
     * @param dest any local buffer; it may wrap an array. Before the request is complete, it is undefined, and must not
     *             be made to wrap other memory.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(
        MutableDirectBuffer dest, int destOffset, SymmetricBuffer source, long sourceOffset, int length, int pe);

    /**
     * Starts to copy elements from a PE to an array, and returns a request for its completion. No counterpart in C.
     *
     * @param dest array that is written; undefined before the request is complete.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(byte[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array, and returns a request for its completion. No counterpart in C.
     *
     * @param dest array that is written; undefined before the request is complete.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(short[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array, and returns a request for its completion. No counterpart in C.
     *
     * @param dest array that is written; undefined before the request is complete.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(int[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array, and returns a request for its completion. No counterpart in C.
     *
     * @param dest array that is written; undefined before the request is complete.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(long[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array, and returns a request for its completion. No counterpart in C.
     *
     * @param dest array that is written; undefined before the request is complete.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(float[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Starts to copy elements from a PE to an array, and returns a request for its completion. No counterpart in C.
     *
     * @param dest array that is written; undefined before the request is complete.
     * @param from index of the first element in {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param n number of elements, 0 or more.
     * @param pe rank of the target in {@link #team()}.
     * @return the request, which {@link RmaRequest#close} gives back.
     */
    RmaRequest getRequest(double[] dest, int from, SymmetricBuffer source, long sourceOffset, int n, int pe);

    /**
     * Copies strided elements to a PE: {@code shmem_iput} by element size, {@code nvshmem_iput}. Completion as put.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param destStride from one element to the next in {@code dest}, in elements, 1 or more.
     * @param sourceStride from one element to the next in {@code source}, in elements, 1 or more.
     * @param nelems number of elements, 0 or more.
     * @param elementBytes size of an element: 1, 2, 4, 8 or 16; both starts must be multiples of it.
     * @param pe rank of the target in {@link #team()}.
     */
    void iput(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long destStride,
        long sourceStride,
        long nelems,
        int elementBytes,
        int pe);

    /**
     * Copies strided elements from a PE: {@code shmem_iget} by element size, {@code nvshmem_iget}. Returns when the
     * data has arrived.
     *
     * @param dest symmetric buffer whose local copy is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param destStride from one element to the next in {@code dest}, in elements, 1 or more.
     * @param sourceStride from one element to the next in {@code source}, in elements, 1 or more.
     * @param nelems number of elements, 0 or more.
     * @param elementBytes size of an element: 1, 2, 4, 8 or 16; both starts must be multiples of it.
     * @param pe rank of the target in {@link #team()}.
     */
    void iget(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long destStride,
        long sourceStride,
        long nelems,
        int elementBytes,
        int pe);

    /**
     * Copies strided blocks of elements to a PE: {@code shmem_ibput} by element size. Completion as put.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param destStride from one block to the next in {@code dest}, in elements, {@code blockSize} or more.
     * @param sourceStride from one block to the next in {@code source}, in elements, {@code blockSize} or more.
     * @param blockSize elements in a block, 0 or more.
     * @param nblocks number of blocks, 0 or more.
     * @param elementBytes size of an element: 1, 2, 4, 8 or 16; both starts must be multiples of it.
     * @param pe rank of the target in {@link #team()}.
     */
    void ibput(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long destStride,
        long sourceStride,
        long blockSize,
        long nblocks,
        int elementBytes,
        int pe);

    /**
     * Copies strided blocks of elements from a PE: {@code shmem_ibget} by element size. Returns when the
     * data has arrived.
     *
     * @param dest symmetric buffer whose local copy is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param destStride from one block to the next in {@code dest}, in elements, {@code blockSize} or more.
     * @param sourceStride from one block to the next in {@code source}, in elements, {@code blockSize} or more.
     * @param blockSize elements in a block, 0 or more.
     * @param nblocks number of blocks, 0 or more.
     * @param elementBytes size of an element: 1, 2, 4, 8 or 16; both starts must be multiples of it.
     * @param pe rank of the target in {@link #team()}.
     */
    void ibget(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long destStride,
        long sourceStride,
        long blockSize,
        long nblocks,
        int elementBytes,
        int pe);

    /**
     * Copies a block to a PE and then updates a signal there: {@code shmem_putmem_signal},
     * {@code nvshmem_putmem_signal}. The signal is visible only after its own payload (release); it promises nothing
     * about earlier puts without a {@link #fence()}. Returns when the source may be reused.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param signal symmetric buffer that holds the 8-byte signal on {@code pe}.
     * @param signalOffset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     * @param pe rank of the target in {@link #team()}.
     */
    void putSignal(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long length,
        SymmetricBuffer signal,
        long signalOffset,
        long value,
        SignalOp op,
        int pe);

    /**
     * Copies a block from any local buffer to a PE and then updates a signal there: {@code shmem_putmem_signal}.
     * Ordering and completion as {@code putSignal} from symmetric memory.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source any local buffer; it may wrap an array.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param signal symmetric buffer that holds the 8-byte signal on {@code pe}.
     * @param signalOffset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     * @param pe rank of the target in {@link #team()}.
     */
    void putSignal(
        SymmetricBuffer dest,
        long destOffset,
        DirectBuffer source,
        int sourceOffset,
        int length,
        SymmetricBuffer signal,
        long signalOffset,
        long value,
        SignalOp op,
        int pe);

    /**
     * Starts to copy a block to a PE and to update a signal there after it: {@code shmem_putmem_signal_nbi}. The source
     * must not change before {@link #quiet()}; the signal is visible only after its own payload.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param signal symmetric buffer that holds the 8-byte signal on {@code pe}.
     * @param signalOffset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     * @param pe rank of the target in {@link #team()}.
     */
    void putSignalNbi(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long length,
        SymmetricBuffer signal,
        long signalOffset,
        long value,
        SignalOp op,
        int pe);

    /**
     * Puts a block to every other PE of {@link #team()}, in no particular order. No counterpart in C but a loop of
     * {@code shmem_putmem}. The source may be reused on return; {@link #quiet()} completes the puts. A long block is
     * read from memory once, however many PEs it is for, so a part of it may arrive before a part for another PE.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, SymmetricBuffer source, long sourceOffset, long length);

    /**
     * Puts a block from any local buffer to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_putmem}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source any local buffer; it may wrap an array.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, DirectBuffer source, int sourceOffset, int length);

    /**
     * Puts elements of an array to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_char_put}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, byte[] source, int from, int n);

    /**
     * Puts elements of an array to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_short_put}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, short[] source, int from, int n);

    /**
     * Puts elements of an array to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_int_put}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, int[] source, int from, int n);

    /**
     * Puts elements of an array to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_long_put}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, long[] source, int from, int n);

    /**
     * Puts elements of an array to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_float_put}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, float[] source, int from, int n);

    /**
     * Puts elements of an array to every other PE of {@link #team()}. No counterpart in C but a loop of
     * {@code shmem_double_put}. As the form for a symmetric source.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source array that is read.
     * @param from index of the first element in {@code source}.
     * @param n number of elements, 0 or more.
     */
    void putAll(SymmetricBuffer dest, long destOffset, double[] source, int from, int n);

    /**
     * Executes {@code putSignal} to every other PE of {@link #team()}, in no particular order. No counterpart in C but
     * a loop of {@code shmem_putmem_signal}.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source symmetric buffer whose local copy is read.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param signal symmetric buffer that holds the 8-byte signal on each PE.
     * @param signalOffset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     */
    void putSignalAll(
        SymmetricBuffer dest,
        long destOffset,
        SymmetricBuffer source,
        long sourceOffset,
        long length,
        SymmetricBuffer signal,
        long signalOffset,
        long value,
        SignalOp op);

    /**
     * Executes {@code putSignal} from any local buffer to every other PE of {@link #team()}, in no particular order. No
     * counterpart in C but a loop of {@code shmem_putmem_signal}.
     *
     * @param dest symmetric buffer whose copy on each PE is written.
     * @param destOffset in bytes from the start of {@code dest}.
     * @param source any local buffer; it may wrap an array.
     * @param sourceOffset in bytes from the start of {@code source}.
     * @param length in bytes, 0 or more.
     * @param signal symmetric buffer that holds the 8-byte signal on each PE.
     * @param signalOffset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     */
    void putSignalAll(
        SymmetricBuffer dest,
        long destOffset,
        DirectBuffer source,
        int sourceOffset,
        int length,
        SymmetricBuffer signal,
        long signalOffset,
        long value,
        SignalOp op);

    /**
     * Updates a signal on a PE: {@code nvshmemx_signal_op}, {@code shmem_signal_set} and {@code shmem_signal_add}.
     * Release; promises nothing about earlier puts without a {@link #fence()}.
     *
     * @param signal symmetric buffer that holds the 8-byte signal on {@code pe}.
     * @param offset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     * @param pe rank of the target in {@link #team()}.
     */
    void signal(SymmetricBuffer signal, long offset, long value, SignalOp op, int pe);

    /**
     * Updates a signal on every other PE of {@link #team()}, in no particular order. No counterpart in C but a loop of
     * {@code nvshmemx_signal_op}.
     *
     * @param signal symmetric buffer that holds the 8-byte signal on each PE.
     * @param offset in bytes from the start of {@code signal}; the address must be a multiple of 8.
     * @param value to set or add.
     * @param op update of the signal.
     */
    void signalAll(SymmetricBuffer signal, long offset, long value, SignalOp op);

    /**
     * Reads a word of a PE atomically: {@code shmem_int_atomic_fetch}.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     * @return the value.
     */
    int atomicFetchInt(SymmetricBuffer source, long offset, int pe);

    /**
     * Writes a word of a PE atomically: {@code shmem_int_atomic_set}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicSetInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Exchanges a word of a PE atomically: {@code shmem_int_atomic_swap}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicSwapInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Writes a word of a PE atomically if it equals {@code cond}: {@code shmem_int_atomic_compare_swap}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param cond value that the word must have.
     * @param value to write if it does.
     * @param pe rank of the target in {@link #team()}.
     * @return the value before: {@code cond} if it was written.
     */
    int atomicCompareSwapInt(SymmetricBuffer dest, long offset, int cond, int value, int pe);

    /**
     * Adds to a word of a PE atomically and returns the previous value: {@code shmem_int_atomic_fetch_add}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to add, wrapping around.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchAddInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Adds to a word of a PE atomically: {@code shmem_int_atomic_add}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to add, wrapping around.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicAddInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Adds 1 to a word of a PE atomically and returns the previous value: {@code shmem_int_atomic_fetch_inc}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchIncInt(SymmetricBuffer dest, long offset, int pe);

    /**
     * Adds 1 to a word of a PE atomically: {@code shmem_int_atomic_inc}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicIncInt(SymmetricBuffer dest, long offset, int pe);

    /**
     * Performs an atomic bitwise AND on a word of a PE and returns the previous value:
     * {@code shmem_int_atomic_fetch_and}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchAndInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Performs an atomic bitwise AND on a word of a PE: {@code shmem_int_atomic_and}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicAndInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Performs an atomic bitwise OR on a word of a PE and returns the previous value:
     * {@code shmem_int_atomic_fetch_or}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchOrInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Performs an atomic bitwise OR on a word of a PE: {@code shmem_int_atomic_or}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicOrInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Performs an atomic bitwise XOR on a word of a PE and returns the previous value:
     * {@code shmem_int_atomic_fetch_xor}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchXorInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Performs an atomic bitwise XOR on a word of a PE: {@code shmem_int_atomic_xor}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicXorInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Starts to read a word of a PE atomically: {@code shmem_int_atomic_fetch_nbi}. The result is undefined before
     * {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchIntNbi(SymmetricBuffer fetch, long fetchOffset, SymmetricBuffer source, long offset, int pe);

    /**
     * Starts to exchange a word of a PE atomically: {@code shmem_int_atomic_swap_nbi}. The result is undefined before
     * {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicSwapIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Starts to write a word of a PE atomically if it equals {@code cond}: {@code shmem_int_atomic_compare_swap_nbi}.
     * The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param cond value that the word must have.
     * @param value to write if it does.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicCompareSwapIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int cond,
        int value,
        int pe);

    /**
     * Starts to add to a word of a PE atomically and to fetch the previous value:
     * {@code shmem_int_atomic_fetch_add_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to add, wrapping around.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchAddIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Starts to add 1 to a word of a PE atomically and to fetch the previous value:
     * {@code shmem_int_atomic_fetch_inc_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchIncIntNbi(SymmetricBuffer fetch, long fetchOffset, SymmetricBuffer dest, long offset, int pe);

    /**
     * Starts an atomic bitwise AND on a word of a PE that fetches the previous value:
     * {@code shmem_int_atomic_fetch_and_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchAndIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Starts an atomic bitwise OR on a word of a PE that fetches the previous value:
     * {@code shmem_int_atomic_fetch_or_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchOrIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Starts an atomic bitwise XOR on a word of a PE that fetches the previous value:
     * {@code shmem_int_atomic_fetch_xor_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchXorIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Reads a word of a PE atomically: {@code shmem_long_atomic_fetch}.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     * @return the value.
     */
    long atomicFetchLong(SymmetricBuffer source, long offset, int pe);

    /**
     * Writes a word of a PE atomically: {@code shmem_long_atomic_set}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicSetLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Exchanges a word of a PE atomically: {@code shmem_long_atomic_swap}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicSwapLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Writes a word of a PE atomically if it equals {@code cond}: {@code shmem_long_atomic_compare_swap}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param cond value that the word must have.
     * @param value to write if it does.
     * @param pe rank of the target in {@link #team()}.
     * @return the value before: {@code cond} if it was written.
     */
    long atomicCompareSwapLong(SymmetricBuffer dest, long offset, long cond, long value, int pe);

    /**
     * Adds to a word of a PE atomically and returns the previous value: {@code shmem_long_atomic_fetch_add}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to add, wrapping around.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchAddLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Adds to a word of a PE atomically: {@code shmem_long_atomic_add}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to add, wrapping around.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicAddLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Adds 1 to a word of a PE atomically and returns the previous value: {@code shmem_long_atomic_fetch_inc}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchIncLong(SymmetricBuffer dest, long offset, int pe);

    /**
     * Adds 1 to a word of a PE atomically: {@code shmem_long_atomic_inc}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicIncLong(SymmetricBuffer dest, long offset, int pe);

    /**
     * Performs an atomic bitwise AND on a word of a PE and returns the previous value:
     * {@code shmem_long_atomic_fetch_and}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchAndLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Performs an atomic bitwise AND on a word of a PE: {@code shmem_long_atomic_and}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicAndLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Performs an atomic bitwise OR on a word of a PE and returns the previous value:
     * {@code shmem_long_atomic_fetch_or}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchOrLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Performs an atomic bitwise OR on a word of a PE: {@code shmem_long_atomic_or}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicOrLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Performs an atomic bitwise XOR on a word of a PE and returns the previous value:
     * {@code shmem_long_atomic_fetch_xor}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchXorLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Performs an atomic bitwise XOR on a word of a PE: {@code shmem_long_atomic_xor}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicXorLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Starts to read a word of a PE atomically: {@code shmem_long_atomic_fetch_nbi}. The result is undefined before
     * {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchLongNbi(SymmetricBuffer fetch, long fetchOffset, SymmetricBuffer source, long offset, int pe);

    /**
     * Starts to exchange a word of a PE atomically: {@code shmem_long_atomic_swap_nbi}. The result is undefined before
     * {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicSwapLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Starts to write a word of a PE atomically if it equals {@code cond}: {@code shmem_long_atomic_compare_swap_nbi}.
     * The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param cond value that the word must have.
     * @param value to write if it does.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicCompareSwapLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long cond,
        long value,
        int pe);

    /**
     * Starts to add to a word of a PE atomically and to fetch the previous value:
     * {@code shmem_long_atomic_fetch_add_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to add, wrapping around.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchAddLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Starts to add 1 to a word of a PE atomically and to fetch the previous value:
     * {@code shmem_long_atomic_fetch_inc_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchIncLongNbi(SymmetricBuffer fetch, long fetchOffset, SymmetricBuffer dest, long offset, int pe);

    /**
     * Starts an atomic bitwise AND on a word of a PE that fetches the previous value:
     * {@code shmem_long_atomic_fetch_and_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchAndLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Starts an atomic bitwise OR on a word of a PE that fetches the previous value:
     * {@code shmem_long_atomic_fetch_or_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchOrLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Starts an atomic bitwise XOR on a word of a PE that fetches the previous value:
     * {@code shmem_long_atomic_fetch_xor_nbi}. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value mask.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchXorLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Adds to a floating-point number of a PE atomically and returns the previous value:
     * {@code shmem_float_atomic_fetch_add}. A sum to which several PEs add depends on their order. Atomic against the
     * other atomics on the word.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to add.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    float atomicFetchAddFloat(SymmetricBuffer dest, long offset, float value, int pe);

    /**
     * Adds to a floating-point number of a PE atomically: {@code shmem_float_atomic_add}. As
     * {@link #atomicFetchAddFloat atomicFetchAddFloat}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to add.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicAddFloat(SymmetricBuffer dest, long offset, float value, int pe);

    /**
     * Starts to add to a floating-point number of a PE atomically: {@code shmem_float_atomic_fetch_add_nbi}. The
     * result is undefined before {@link #quiet()}. As {@link #atomicFetchAddFloat atomicFetchAddFloat}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to add.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchAddFloatNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        float value,
        int pe);

    /**
     * Adds to a floating-point number of a PE atomically and returns the previous value:
     * {@code shmem_double_atomic_fetch_add}. A sum to which several PEs add depends on their order. Atomic against the
     * other atomics on the word.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to add.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    double atomicFetchAddDouble(SymmetricBuffer dest, long offset, double value, int pe);

    /**
     * Adds to a floating-point number of a PE atomically: {@code shmem_double_atomic_add}. As
     * {@link #atomicFetchAddDouble atomicFetchAddDouble}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to add.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicAddDouble(SymmetricBuffer dest, long offset, double value, int pe);

    /**
     * Starts to add to a floating-point number of a PE atomically: {@code shmem_double_atomic_fetch_add_nbi}. The
     * result is undefined before {@link #quiet()}. As {@link #atomicFetchAddDouble atomicFetchAddDouble}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to add.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchAddDoubleNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        double value,
        int pe);

    /**
     * Replaces a word of a PE by the lesser of itself and a value, atomically, and returns the previous value:
     * {@code shmemx_int_atomic_fetch_min}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchMinInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Replaces a word of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_int_atomic_min}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMinInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Starts to replace a word of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_int_atomic_fetch_min_nbi}, an extension. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMinIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Replaces a word of a PE by the greater of itself and a value, atomically, and returns the previous value:
     * {@code shmemx_int_atomic_fetch_max}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    int atomicFetchMaxInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Replaces a word of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_int_atomic_max}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMaxInt(SymmetricBuffer dest, long offset, int value, int pe);

    /**
     * Starts to replace a word of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_int_atomic_fetch_max_nbi}, an extension. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMaxIntNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        int value,
        int pe);

    /**
     * Replaces a word of a PE by the lesser of itself and a value, atomically, and returns the previous value:
     * {@code shmemx_long_atomic_fetch_min}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchMinLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Replaces a word of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_long_atomic_min}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMinLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Starts to replace a word of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_long_atomic_fetch_min_nbi}, an extension. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMinLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Replaces a word of a PE by the greater of itself and a value, atomically, and returns the previous value:
     * {@code shmemx_long_atomic_fetch_max}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    long atomicFetchMaxLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Replaces a word of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_long_atomic_max}, an extension.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMaxLong(SymmetricBuffer dest, long offset, long value, int pe);

    /**
     * Starts to replace a word of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_long_atomic_fetch_max_nbi}, an extension. The result is undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMaxLongNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        long value,
        int pe);

    /**
     * Replaces a number of a PE by {@link Math#min(float, float)} of itself and a value, atomically, and returns
     * the previous value: {@code shmemx_float_atomic_fetch_min}, an extension. NaN if either is NaN, bit for bit
     * {@link Float#NaN}; -0.0 is less than 0.0.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    float atomicFetchMinFloat(SymmetricBuffer dest, long offset, float value, int pe);

    /**
     * Replaces a number of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_float_atomic_min}, an extension. As {@link #atomicFetchMinFloat}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMinFloat(SymmetricBuffer dest, long offset, float value, int pe);

    /**
     * Starts to replace a number of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_float_atomic_fetch_min_nbi}, an extension. The result is undefined before {@link #quiet()}. As
     * {@link #atomicFetchMinFloat}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMinFloatNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        float value,
        int pe);

    /**
     * Replaces a number of a PE by {@link Math#max(float, float)} of itself and a value, atomically, and returns
     * the previous value: {@code shmemx_float_atomic_fetch_max}, an extension. NaN if either is NaN, bit for bit
     * {@link Float#NaN}; -0.0 is less than 0.0.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    float atomicFetchMaxFloat(SymmetricBuffer dest, long offset, float value, int pe);

    /**
     * Replaces a number of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_float_atomic_max}, an extension. As {@link #atomicFetchMaxFloat}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMaxFloat(SymmetricBuffer dest, long offset, float value, int pe);

    /**
     * Starts to replace a number of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_float_atomic_fetch_max_nbi}, an extension. The result is undefined before {@link #quiet()}. As
     * {@link #atomicFetchMaxFloat}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMaxFloatNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        float value,
        int pe);

    /**
     * Replaces a number of a PE by {@link Math#min(double, double)} of itself and a value, atomically, and returns
     * the previous value: {@code shmemx_double_atomic_fetch_min}, an extension. NaN if either is NaN, bit for bit
     * {@link Double#NaN}; -0.0 is less than 0.0.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    double atomicFetchMinDouble(SymmetricBuffer dest, long offset, double value, int pe);

    /**
     * Replaces a number of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_double_atomic_min}, an extension. As {@link #atomicFetchMinDouble}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMinDouble(SymmetricBuffer dest, long offset, double value, int pe);

    /**
     * Starts to replace a number of a PE by the lesser of itself and a value, atomically:
     * {@code shmemx_double_atomic_fetch_min_nbi}, an extension. The result is undefined before {@link #quiet()}. As
     * {@link #atomicFetchMinDouble}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMinDoubleNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        double value,
        int pe);

    /**
     * Replaces a number of a PE by {@link Math#max(double, double)} of itself and a value, atomically, and returns
     * the previous value: {@code shmemx_double_atomic_fetch_max}, an extension. NaN if either is NaN, bit for bit
     * {@link Double#NaN}; -0.0 is less than 0.0.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    double atomicFetchMaxDouble(SymmetricBuffer dest, long offset, double value, int pe);

    /**
     * Replaces a number of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_double_atomic_max}, an extension. As {@link #atomicFetchMaxDouble}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicMaxDouble(SymmetricBuffer dest, long offset, double value, int pe);

    /**
     * Starts to replace a number of a PE by the greater of itself and a value, atomically:
     * {@code shmemx_double_atomic_fetch_max_nbi}, an extension. The result is undefined before {@link #quiet()}. As
     * {@link #atomicFetchMaxDouble}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to compare with.
     * @param pe rank of the target in {@link #team()}.
     */
    void atomicFetchMaxDoubleNbi(
        SymmetricBuffer fetch,
        long fetchOffset,
        SymmetricBuffer dest,
        long offset,
        double value,
        int pe);

    /**
     * Reads a word of a PE atomically, bit for bit: {@code shmem_float_atomic_fetch}.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     * @return the value.
     */
    default float atomicFetchFloat(final SymmetricBuffer source, final long offset, final int pe)
    {
        return Float.intBitsToFloat(atomicFetchInt(source, offset, pe));
    }

    /**
     * Writes a word of a PE atomically, bit for bit: {@code shmem_float_atomic_set}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    default void atomicSetFloat(final SymmetricBuffer dest, final long offset, final float value, final int pe)
    {
        atomicSetInt(dest, offset, Float.floatToRawIntBits(value), pe);
    }

    /**
     * Exchanges a word of a PE atomically, bit for bit: {@code shmem_float_atomic_swap}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    default float atomicSwapFloat(final SymmetricBuffer dest, final long offset, final float value, final int pe)
    {
        return Float.intBitsToFloat(atomicSwapInt(dest, offset, Float.floatToRawIntBits(value), pe));
    }

    /**
     * Starts to read a word of a PE atomically, bit for bit: {@code shmem_float_atomic_fetch_nbi}. The result is
     * undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 4.
     * @param pe rank of the target in {@link #team()}.
     */
    default void atomicFetchFloatNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer source,
        final long offset,
        final int pe)
    {
        atomicFetchIntNbi(fetch, fetchOffset, source, offset, pe);
    }

    /**
     * Starts to exchange a word of a PE atomically, bit for bit: {@code shmem_float_atomic_swap_nbi}. The result is
     * undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 4.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 4.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    default void atomicSwapFloatNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final float value,
        final int pe)
    {
        atomicSwapIntNbi(fetch, fetchOffset, dest, offset, Float.floatToRawIntBits(value), pe);
    }

    /**
     * Reads a word of a PE atomically, bit for bit: {@code shmem_double_atomic_fetch}.
     *
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     * @return the value.
     */
    default double atomicFetchDouble(final SymmetricBuffer source, final long offset, final int pe)
    {
        return Double.longBitsToDouble(atomicFetchLong(source, offset, pe));
    }

    /**
     * Writes a word of a PE atomically, bit for bit: {@code shmem_double_atomic_set}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    default void atomicSetDouble(final SymmetricBuffer dest, final long offset, final double value, final int pe)
    {
        atomicSetLong(dest, offset, Double.doubleToRawLongBits(value), pe);
    }

    /**
     * Exchanges a word of a PE atomically, bit for bit: {@code shmem_double_atomic_swap}.
     *
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     * @return the previous value.
     */
    default double atomicSwapDouble(final SymmetricBuffer dest, final long offset, final double value, final int pe)
    {
        return Double.longBitsToDouble(atomicSwapLong(dest, offset, Double.doubleToRawLongBits(value), pe));
    }

    /**
     * Starts to read a word of a PE atomically, bit for bit: {@code shmem_double_atomic_fetch_nbi}. The result is
     * undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param source symmetric buffer whose copy on {@code pe} is read.
     * @param offset in bytes from the start of {@code source}; the address must be a multiple of 8.
     * @param pe rank of the target in {@link #team()}.
     */
    default void atomicFetchDoubleNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer source,
        final long offset,
        final int pe)
    {
        atomicFetchLongNbi(fetch, fetchOffset, source, offset, pe);
    }

    /**
     * Starts to exchange a word of a PE atomically, bit for bit: {@code shmem_double_atomic_swap_nbi}. The result is
     * undefined before {@link #quiet()}.
     *
     * @param fetch symmetric buffer whose local copy receives the fetched value.
     * @param fetchOffset in bytes from the start of {@code fetch}; the address must be a multiple of 8.
     * @param dest symmetric buffer whose copy on {@code pe} is updated.
     * @param offset in bytes from the start of {@code dest}; the address must be a multiple of 8.
     * @param value to write.
     * @param pe rank of the target in {@link #team()}.
     */
    default void atomicSwapDoubleNbi(
        final SymmetricBuffer fetch,
        final long fetchOffset,
        final SymmetricBuffer dest,
        final long offset,
        final double value,
        final int pe)
    {
        atomicSwapLongNbi(fetch, fetchOffset, dest, offset, Double.doubleToRawLongBits(value), pe);
    }

    /**
     * Begins a session: {@code shmem_ctx_session_start}. Until {@link #sessionStop()}, the library may gather more
     * operations before it sends them, as the options permit. What fence and quiet order and complete is unchanged, and
     * they do not end a session. {@link SessionOption#BATCH} gathers the operations of the calling thread only; other
     * threads may use the context meanwhile.
     *
     * @param options hints; a session without any has no effect.
     * @throws IllegalStateException    if a session is open on this context.
     * @throws IllegalArgumentException if an option is null.
     */
    void sessionStart(SessionOption... options);

    /**
     * Ends the session, {@code shmem_ctx_session_stop}, and sends what it has gathered. Completes nothing: quiet does.
     *
     * @throws IllegalStateException if no session is open on this context.
     */
    void sessionStop();

    /**
     * Orders the operations that this context has issued to each PE before those that it issues to the same PE later:
     * {@code shmem_fence}. It covers puts, atomics, signals and stores; not gets, and nothing between different PEs.
     * Blocks only while the transport applies back pressure.
     */
    void fence();

    /**
     * Orders as {@link #fence()} does, for one PE only: a part of {@code shmem_fence}.
     *
     * @param pe rank of the target in {@link #team()}.
     */
    void fence(int pe);

    /**
     * Waits until everything that was issued on this context is complete and visible to all PEs, nonblocking gets and
     * fetches included: {@code shmem_quiet}. A full fence.
     */
    void quiet();

    /**
     * Waits as {@link #quiet()} does for everything that was issued to one PE: {@code shmem_pe_quiet}.
     *
     * @param pe rank of the target in {@link #team()}.
     */
    void quiet(int pe);

    /**
     * Drives progress and tests, without waiting, whether {@link #quiet()} would return at once. If it returns true, it
     * has had the effect of {@link #quiet()}. No counterpart in C.
     *
     * @return whether everything that was issued on this context is complete.
     */
    boolean testQuiet();

    /**
     * Returns the team whose ranks this context addresses: {@code shmem_ctx_get_team}.
     *
     * @return the team, the world for the default context.
     */
    Team team();

    /**
     * Completes what was issued on this context as {@link #quiet()} does, and closes it: {@code shmem_ctx_destroy}.
     * Local; repeatable. After a failure of the job it is prompt and throws nothing.
     *
     * @throws IllegalStateException if this is the default context, which closes with its PE, or if a team is open that
     *                               was created with this context, see {@link TeamParams#contexts}.
     */
    @Override
    void close();
}
