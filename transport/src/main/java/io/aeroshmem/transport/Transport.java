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
package io.aeroshmem.transport;

/**
 * Operations on the memory of peers. {@code endpoint.TransportSelector} chooses an implementation for each peer:
 * package {@code mapped} loads and stores mapped memory, package {@code aeron} sends messages.
 * While a device heap is attached, a transport of package {@code device} stands in front of each of them. If a
 * communication context reaches some PE by messages, a {@link Batch} stands in front of its transports to all PEs
 * during a session with the option {@code BATCH} ({@code shmem_ctx_session_start}).
 * <p>
 * An address is a region (see {@link Region}) and an offset in it, in bytes. {@code pe} is a PE of the world. Local
 * memory is given as in {@code Unsafe}, by an object and an address; the object is null for memory outside the Java
 * heap. Operations that take only an address need local memory outside the Java heap. Callers have validated every
 * argument; the transport validates none. Any thread may call a transport.
 */
public interface Transport
{
    /**
     * Returns true if operations travel as messages, and {@link #quiet} completes them. Otherwise a full fence does.
     */
    boolean isMessaging();

    /*
     * Memory ordering:
     * - loads and stores of single elements are opaque, those of blocks plain;
     * - updates of signal words, by signal and putSignal, are release;
     * - atomic operations are sequentially consistent on their word.
     */
    /** Returns the transport that performs the operations: another one if this one only observes them. */
    default Transport performer()
    {
        return this;
    }

    void putByte(int pe, int region, long offset, byte value);

    byte getByte(int pe, int region, long offset);

    void putShort(int pe, int region, long offset, short value);

    short getShort(int pe, int region, long offset);

    void putInt(int pe, int region, long offset, int value);

    int getInt(int pe, int region, long offset);

    void putLong(int pe, int region, long offset, long value);

    long getLong(int pe, int region, long offset);

    /** Puts a block. The source may be reused on return. */
    void put(int pe, int region, long offset, Object sourceBase, long sourceAddress, long length);

    /** Gets a block. The data has arrived on return. */
    void get(int pe, int region, long offset, Object destBase, long destAddress, long length);

    /** Puts a block of this PE's symmetric memory; complete after {@link #quiet}. */
    void putNbi(int pe, int region, long offset, long sourceAddress, long length);

    /**
     * Gets a block; complete when {@code pending} is idle.
     *
     * @param dest array that receives the block, or another object, which keeps the memory off the Java heap allocated
     *             until then, or null if nothing has to.
     */
    void getNbi(int pe, int region, long offset, Object dest, long destAddress, long length, Pending pending);

    /** Puts blocks whose starts are strides apart, in bytes: as many puts. */
    default void putStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long sourceAddress,
        final long sourceStride,
        final long count,
        final long blockBytes)
    {
        for (long i = 0; i < count; i++)
        {
            put(pe, region, offset + i * stride, null, sourceAddress + i * sourceStride, blockBytes);
        }
    }

    /** Gets blocks whose starts are strides apart, in bytes: as many gets. */
    default void getStrided(
        final int pe,
        final int region,
        final long offset,
        final long stride,
        final long destAddress,
        final long destStride,
        final long count,
        final long blockBytes)
    {
        for (long i = 0; i < count; i++)
        {
            get(pe, region, offset + i * stride, null, destAddress + i * destStride, blockBytes);
        }
    }

    /** Updates a signal word with release ordering, see {@link SignalOperation}. */
    void signal(int pe, int region, long offset, long value, int signalOperation);

    /** Puts a block and then updates a signal word: the signal becomes visible after the block. */
    void putSignal(
        int pe,
        int region,
        long offset,
        Object sourceBase,
        long sourceAddress,
        long length,
        int signalRegion,
        long signalOffset,
        long value,
        int signalOperation);

    /** Updates a naturally aligned word atomically, by an operation of {@link AtomicOp#isUpdate}. */
    void atomicInt(int pe, int op, int region, long offset, int value);

    /**
     * Updates a naturally aligned word atomically and returns its previous value, by an operation of {@link AtomicOp}
     * other than SET. COMPARE_SWAP compares with {@code cond}.
     */
    int fetchAtomicInt(int pe, int op, int region, long offset, int value, int cond);

    /**
     * As {@link #fetchAtomicInt}, storing the previous value at an address of this PE's symmetric memory; complete when
     * {@code pending} is idle.
     */
    void fetchAtomicIntNbi(
        int pe, int op, int region, long offset, int value, int cond, long fetchAddress, Pending pending);

    /** As {@link #atomicInt} on 64 bits. */
    void atomicLong(int pe, int op, int region, long offset, long value);

    /** As {@link #fetchAtomicInt} on 64 bits. */
    long fetchAtomicLong(int pe, int op, int region, long offset, long value, long cond);

    /** As {@link #fetchAtomicIntNbi} on 64 bits. */
    void fetchAtomicLongNbi(
        int pe, int op, int region, long offset, long value, long cond, long fetchAddress, Pending pending);

    /** Orders the operations that this thread has issued to the peer before those it issues next. */
    void fence(int pe);

    /**
     * Completes every operation that any thread of this PE issued to the peer before the call. Nonblocking gets and
     * fetches complete by their {@link Pending}.
     */
    void quiet(int pe);

    /** Returns true if everything that was issued to the peer is complete. Never blocks. */
    boolean isQuiet(int pe);
}
