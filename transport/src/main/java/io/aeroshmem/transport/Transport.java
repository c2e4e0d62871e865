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
 * How operations reach the memory of one peer. There are two implementations: loads and stores on mapped memory
 * ({@code mapped}) and messages ({@code aeron}); memory of a device will be a third.
 * <p>
 * An address is a region (see {@link Region}) and an offset in it. Callers have checked every argument: the transport
 * checks none. All methods may be called by any thread. {@code pe} is a PE of the world. Local memory that is not
 * symmetric is named as in {@code Unsafe}, by an object and an address; the object is null off the Java heap.
 * <p>
 * Memory ordering: single elements are opaque, blocks plain; {@link #signal} and the flag of {@link #putSignal} are
 * release; atomic operations are sequentially consistent on their word.
 */
public interface Transport
{
    /**
     * Do operations travel as messages, so that they need {@link #quiet} to complete? Otherwise a full fence completes
     * them.
     *
     * @return true for messages.
     */
    boolean isMessaging();

    /**
     * Put one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @param value  to be stored.
     */
    void putByte(int pe, int region, long offset, byte value);

    /**
     * Get one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @return the element.
     */
    byte getByte(int pe, int region, long offset);

    /**
     * Put one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @param value  to be stored.
     */
    void putShort(int pe, int region, long offset, short value);

    /**
     * Get one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @return the element.
     */
    short getShort(int pe, int region, long offset);

    /**
     * Put one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @param value  to be stored.
     */
    void putInt(int pe, int region, long offset, int value);

    /**
     * Get one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @return the element.
     */
    int getInt(int pe, int region, long offset);

    /**
     * Put one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @param value  to be stored.
     */
    void putLong(int pe, int region, long offset, long value);

    /**
     * Get one element.
     *
     * @param pe     the target.
     * @param region of the address.
     * @param offset of the address, in bytes.
     * @return the element.
     */
    long getLong(int pe, int region, long offset);

    /**
     * Put a block. The source may be reused on return.
     *
     * @param pe            the target.
     * @param region        of the destination.
     * @param offset        of the destination, in bytes.
     * @param sourceBase    object that holds the source, or null.
     * @param sourceAddress of the source.
     * @param length        in bytes.
     */
    void put(int pe, int region, long offset, Object sourceBase, long sourceAddress, long length);

    /**
     * Get a block. The data has arrived on return.
     *
     * @param pe          the target.
     * @param region      of the source.
     * @param offset      of the source, in bytes.
     * @param destBase    object that holds the destination, or null.
     * @param destAddress of the destination.
     * @param length      in bytes.
     */
    void get(int pe, int region, long offset, Object destBase, long destAddress, long length);

    /**
     * Put a block of this PE's symmetric memory; complete after {@link #quiet}.
     *
     * @param pe            the target.
     * @param region        of the destination.
     * @param offset        of the destination, in bytes.
     * @param sourceAddress of the source.
     * @param length        in bytes.
     */
    void putNbi(int pe, int region, long offset, long sourceAddress, long length);

    /**
     * Get a block into this PE's symmetric memory; complete when {@code pending} is idle.
     *
     * @param pe          the target.
     * @param region      of the source.
     * @param offset      of the source, in bytes.
     * @param destAddress of the destination.
     * @param length      in bytes.
     * @param pending     counts the operation until it is complete.
     */
    void getNbi(int pe, int region, long offset, long destAddress, long length, Pending pending);

    /**
     * Update a signal word, with release ordering.
     *
     * @param pe              the target.
     * @param region          of the signal.
     * @param offset          of the signal, in bytes.
     * @param value           operand.
     * @param signalOperation see {@link SignalOperation}.
     */
    void signal(int pe, int region, long offset, long value, int signalOperation);

    /**
     * Put a block and then update a signal word: the signal becomes visible after the block.
     *
     * @param pe              the target.
     * @param region          of the destination.
     * @param offset          of the destination, in bytes.
     * @param sourceBase      object that holds the source, or null.
     * @param sourceAddress   of the source.
     * @param length          in bytes.
     * @param signalRegion    of the signal.
     * @param signalOffset    of the signal, in bytes.
     * @param value           operand.
     * @param signalOperation see {@link SignalOperation}.
     */
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

    /**
     * Update a word atomically without fetching it: SET, ADD, AND, OR, XOR.
     *
     * @param pe     the target.
     * @param op     see {@link AtomicOp}.
     * @param region of the word.
     * @param offset of the word, in bytes, naturally aligned.
     * @param value  operand.
     */
    void atomicInt(int pe, int op, int region, long offset, int value);

    /**
     * Update a word atomically and fetch what it was: FETCH, SWAP, COMPARE_SWAP, ADD, AND, OR, XOR.
     *
     * @param pe     the target.
     * @param op     see {@link AtomicOp}.
     * @param region of the word.
     * @param offset of the word, in bytes, naturally aligned.
     * @param value  operand.
     * @param cond   what COMPARE_SWAP compares with.
     * @return the word before the operation.
     */
    int fetchAtomicInt(int pe, int op, int region, long offset, int value, int cond);

    /**
     * As {@link #fetchAtomicInt}, storing the fetched word in this PE's symmetric memory; complete when
     * {@code pending} is idle.
     *
     * @param pe           the target.
     * @param op           see {@link AtomicOp}.
     * @param region       of the word.
     * @param offset       of the word, in bytes, naturally aligned.
     * @param value        operand.
     * @param cond         what COMPARE_SWAP compares with.
     * @param fetchAddress where the fetched word is stored.
     * @param pending      counts the operation until it is complete.
     */
    void fetchAtomicIntNbi(
        int pe, int op, int region, long offset, int value, int cond, long fetchAddress, Pending pending);

    /**
     * Update a word atomically without fetching it: SET, ADD, AND, OR, XOR.
     *
     * @param pe     the target.
     * @param op     see {@link AtomicOp}.
     * @param region of the word.
     * @param offset of the word, in bytes, naturally aligned.
     * @param value  operand.
     */
    void atomicLong(int pe, int op, int region, long offset, long value);

    /**
     * Update a word atomically and fetch what it was: FETCH, SWAP, COMPARE_SWAP, ADD, AND, OR, XOR.
     *
     * @param pe     the target.
     * @param op     see {@link AtomicOp}.
     * @param region of the word.
     * @param offset of the word, in bytes, naturally aligned.
     * @param value  operand.
     * @param cond   what COMPARE_SWAP compares with.
     * @return the word before the operation.
     */
    long fetchAtomicLong(int pe, int op, int region, long offset, long value, long cond);

    /**
     * As {@link #fetchAtomicLong}, storing the fetched word in this PE's symmetric memory; complete when
     * {@code pending} is idle.
     *
     * @param pe           the target.
     * @param op           see {@link AtomicOp}.
     * @param region       of the word.
     * @param offset       of the word, in bytes, naturally aligned.
     * @param value        operand.
     * @param cond         what COMPARE_SWAP compares with.
     * @param fetchAddress where the fetched word is stored.
     * @param pending      counts the operation until it is complete.
     */
    void fetchAtomicLongNbi(
        int pe, int op, int region, long offset, long value, long cond, long fetchAddress, Pending pending);

    /**
     * Order what this thread has issued to the peer before what it issues next.
     *
     * @param pe the target.
     */
    void fence(int pe);

    /**
     * Complete every operation that any thread of this PE issued to the peer before the call. Nonblocking gets and
     * fetches complete by their {@link Pending}.
     *
     * @param pe the target.
     */
    void quiet(int pe);

    /**
     * Is everything that was issued to the peer complete? Does not block.
     *
     * @param pe the target.
     * @return true if {@link #quiet} would return at once.
     */
    boolean isQuiet(int pe);
}
