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
package io.aeroshmem.transport.mapped;

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.SignalOperation;
import org.agrona.UnsafeApi;

/**
 * Operations on symmetric memory at a raw address. The mapped transport calls them for operations of its own process.
 * The progress engine calls them for requests that arrive as messages. Both use the same CPU atomics, so an operation
 * is atomic whichever path it takes. For a word that nothing else updates, the engine may use a load and a store
 * instead ({@link #fetchUpdateInt}, {@link #fetchUpdateLong}). This class does not validate arguments.
 */
public final class MemoryOps
{
    /** Copies are cut into pieces of this many bytes: the JVM reaches no safepoint inside one. */
    static final long COPY_PIECE = 1L << 20;

    private MemoryOps()
    {
    }

    /** Copies bytes; the ranges may overlap. A base is null off the Java heap. */
    public static void copy(
        final Object sourceBase,
        final long sourceAddress,
        final Object destBase,
        final long destAddress,
        final long length)
    {
        if (length <= COPY_PIECE)
        {
            UnsafeApi.copyMemory(sourceBase, sourceAddress, destBase, destAddress, length);
        }
        else if (sourceBase == destBase && destAddress > sourceAddress && destAddress - sourceAddress < length)
        {
            copyBackwards(sourceBase, sourceAddress, destBase, destAddress, length);
        }
        else
        {
            copyForwards(sourceBase, sourceAddress, destBase, destAddress, length);
        }
    }

    /** Stores a byte everywhere. */
    public static void fill(final long address, final long length, final byte value)
    {
        for (long done = 0; done < length; done += COPY_PIECE)
        {
            UnsafeApi.setMemory(null, address + done, Math.min(COPY_PIECE, length - done), value);
        }
    }

    /** Returns the base of an address in memory that an object keeps: the object if it is an array, otherwise null. */
    public static Object baseOf(final Object memory)
    {
        return null != memory && memory.getClass().isArray() ? memory : null;
    }

    private static void copyForwards(
        final Object sourceBase,
        final long sourceAddress,
        final Object destBase,
        final long destAddress,
        final long length)
    {
        for (long done = 0; done < length; done += COPY_PIECE)
        {
            final long piece = Math.min(COPY_PIECE, length - done);
            UnsafeApi.copyMemory(sourceBase, sourceAddress + done, destBase, destAddress + done, piece);
        }
    }

    private static void copyBackwards(
        final Object sourceBase,
        final long sourceAddress,
        final Object destBase,
        final long destAddress,
        final long length)
    {
        long left = length;
        while (left > 0)
        {
            final long piece = Math.min(COPY_PIECE, left);
            left -= piece;
            UnsafeApi.copyMemory(sourceBase, sourceAddress + left, destBase, destAddress + left, piece);
        }
    }

    /** Updates an 8-byte aligned signal word with release ordering, see {@link SignalOperation}. */
    public static void signal(final long address, final long value, final int signalOperation)
    {
        if (SignalOperation.SET == signalOperation)
        {
            UnsafeApi.putLongRelease(null, address, value);
        }
        else
        {
            UnsafeApi.getAndAddLong(null, address, value);
        }
    }

    /** Updates a naturally aligned word: an operation of {@link AtomicOp#isUpdate}. */
    public static void atomicInt(final long address, final int op, final int value)
    {
        if (AtomicOp.SET == op)
        {
            UnsafeApi.putIntVolatile(null, address, value);
        }
        else
        {
            fetchAtomicInt(address, op, value, 0);
        }
    }

    /** Updates a naturally aligned word: an operation of {@link AtomicOp#isUpdate}. */
    public static void atomicLong(final long address, final int op, final long value)
    {
        if (AtomicOp.SET == op)
        {
            UnsafeApi.putLongVolatile(null, address, value);
        }
        else
        {
            fetchAtomicLong(address, op, value, 0);
        }
    }

    /** Updates a naturally aligned word and returns its previous value; COMPARE_SWAP compares with {@code cond}. */
    public static int fetchAtomicInt(final long address, final int op, final int value, final int cond)
    {
        switch (op)
        {
            case AtomicOp.FETCH:
                return UnsafeApi.getIntVolatile(null, address);
            case AtomicOp.SET:
            case AtomicOp.SWAP:
                return UnsafeApi.getAndSetInt(null, address, value);
            case AtomicOp.COMPARE_SWAP:
                return UnsafeApi.compareAndExchangeInt(null, address, cond, value);
            case AtomicOp.ADD:
                return UnsafeApi.getAndAddInt(null, address, value);
            case AtomicOp.AND:
                return UnsafeApi.getAndBitwiseAndInt(null, address, value);
            case AtomicOp.OR:
                return UnsafeApi.getAndBitwiseOrInt(null, address, value);
            case AtomicOp.XOR:
                return UnsafeApi.getAndBitwiseXorInt(null, address, value);
            default:
                return compareAndUpdateInt(address, op, value);
        }
    }

    /** Updates a naturally aligned word and returns its previous value; COMPARE_SWAP compares with {@code cond}. */
    public static long fetchAtomicLong(final long address, final int op, final long value, final long cond)
    {
        switch (op)
        {
            case AtomicOp.FETCH:
                return UnsafeApi.getLongVolatile(null, address);
            case AtomicOp.SET:
            case AtomicOp.SWAP:
                return UnsafeApi.getAndSetLong(null, address, value);
            case AtomicOp.COMPARE_SWAP:
                return UnsafeApi.compareAndExchangeLong(null, address, cond, value);
            case AtomicOp.ADD:
                return UnsafeApi.getAndAddLong(null, address, value);
            case AtomicOp.AND:
                return UnsafeApi.getAndBitwiseAndLong(null, address, value);
            case AtomicOp.OR:
                return UnsafeApi.getAndBitwiseOrLong(null, address, value);
            case AtomicOp.XOR:
                return UnsafeApi.getAndBitwiseXorLong(null, address, value);
            default:
                return compareAndUpdateLong(address, op, value);
        }
    }

    /**
     * Updates a naturally aligned word that nothing else updates meanwhile, by a plain load and a store with release;
     * returns its previous value. SWAP, or an operation of {@link AtomicOp#isUpdate}.
     */
    public static int fetchUpdateInt(final long address, final int op, final int value)
    {
        final int before = UnsafeApi.getIntOpaque(null, address);
        UnsafeApi.putIntRelease(null, address, updated(before, op, value));
        return before;
    }

    /** As {@link #fetchUpdateInt}, of a word of 8 bytes. */
    public static long fetchUpdateLong(final long address, final int op, final long value)
    {
        final long before = UnsafeApi.getLongOpaque(null, address);
        UnsafeApi.putLongRelease(null, address, updated(before, op, value));
        return before;
    }

    /*
     * The updates for which processors have no instruction. Each takes effect at the compare-and-exchange that succeeds
     * or, if it leaves the word as it is, at the load that it found the word by: then it stores nothing, so that a
     * maximum that has been reached stays in the caches of all that only confirm it.
     */
    private static int compareAndUpdateInt(final long address, final int op, final int value)
    {
        int before = UnsafeApi.getIntVolatile(null, address);
        while (true)
        {
            final int after = updated(before, op, value);
            final int witness =
                before == after ? before : UnsafeApi.compareAndExchangeInt(null, address, before, after);
            if (witness == before)
            {
                return before;
            }

            before = witness;
        }
    }

    private static long compareAndUpdateLong(final long address, final int op, final long value)
    {
        long before = UnsafeApi.getLongVolatile(null, address);
        while (true)
        {
            final long after = updated(before, op, value);
            final long witness =
                before == after ? before : UnsafeApi.compareAndExchangeLong(null, address, before, after);
            if (witness == before)
            {
                return before;
            }

            before = witness;
        }
    }

    private static int updated(final int word, final int op, final int value)
    {
        return switch (op)
        {
            case AtomicOp.SET, AtomicOp.SWAP -> value;
            case AtomicOp.ADD -> word + value;
            case AtomicOp.AND -> word & value;
            case AtomicOp.OR -> word | value;
            case AtomicOp.XOR -> word ^ value;
            case AtomicOp.ADD_FLOATING ->
                Float.floatToRawIntBits(Float.intBitsToFloat(word) + Float.intBitsToFloat(value));
            case AtomicOp.MIN -> Math.min(word, value);
            case AtomicOp.MAX -> Math.max(word, value);
            case AtomicOp.MIN_FLOATING ->
                Float.floatToIntBits(Math.min(Float.intBitsToFloat(word), Float.intBitsToFloat(value)));
            case AtomicOp.MAX_FLOATING ->
                Float.floatToIntBits(Math.max(Float.intBitsToFloat(word), Float.intBitsToFloat(value)));
            default -> throw unknown(op);
        };
    }

    private static long updated(final long word, final int op, final long value)
    {
        return switch (op)
        {
            case AtomicOp.SET, AtomicOp.SWAP -> value;
            case AtomicOp.ADD -> word + value;
            case AtomicOp.AND -> word & value;
            case AtomicOp.OR -> word | value;
            case AtomicOp.XOR -> word ^ value;
            case AtomicOp.ADD_FLOATING ->
                Double.doubleToRawLongBits(Double.longBitsToDouble(word) + Double.longBitsToDouble(value));
            case AtomicOp.MIN -> Math.min(word, value);
            case AtomicOp.MAX -> Math.max(word, value);
            case AtomicOp.MIN_FLOATING ->
                Double.doubleToLongBits(Math.min(Double.longBitsToDouble(word), Double.longBitsToDouble(value)));
            case AtomicOp.MAX_FLOATING ->
                Double.doubleToLongBits(Math.max(Double.longBitsToDouble(word), Double.longBitsToDouble(value)));
            default -> throw unknown(op);
        };
    }

    private static IllegalArgumentException unknown(final int op)
    {
        return new IllegalArgumentException("op must be from 0 to " + AtomicOp.MAX_FLOATING + ": op=" + op);
    }
}
