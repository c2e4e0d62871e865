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
package io.aeroshmem.sync;

import io.aeroshmem.Comparison;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.lifecycle.PeIdentity;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.device.DeviceMemory;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.BlockedCall;
import io.aeroshmem.transport.progress.BlockingWait;
import org.agrona.UnsafeApi;

/**
 * The waits and tests on words of this PE's own symmetric memory.
 * <p>
 * A wait polls memory with acquire loads, so any change of the word can satisfy it: a put, an atomic operation, a
 * signal or a plain store. Writes that were released before the store that satisfied the wait, such as the payload of a
 * put-with-signal, are visible after the wait. If this PE exchanges no messages, {@link #untilLong} and
 * {@link #untilInt} first spin for a short time, which suffices when the peer has a core of its own. All other waiting
 * goes through {@link BlockingWait}. Only {@link #tryUntil} has a time limit.
 * <p>
 * <b>Failure of the job.</b> Each call of the program gets the address of its words from {@link #wordAddress},
 * {@link #signalAddress} or {@link #setAddress}. These check whether the job has failed: so a loop of tests, or of
 * waits that are satisfied at once, ends like a wait.
 * <p>
 * <b>Sets of words.</b> A set is specified by the address of the first word, the size of a word in bytes, and the
 * number of words. The caller may pass an array with a status for each word; a word whose status is not 0 is skipped.
 * The words are compared either with one value, or each with its own element of a vector. The vector is an
 * {@code int[]} for words of 4 bytes, and a {@code long[]} for words of 8 bytes. A vector parameter that is not used is
 * null.
 */
public class PointToPointSync
{
    /** Loads of a word before the first round of waiting, where no messages have to be driven. */
    private static final int SPINS = 100;

    private static final int NONE = -1;
    private static final BlockedCall WAIT = BlockedCall.ofAnyPe("a wait on memory");
    private static final String TIMED_WAIT = "a timed wait on memory";

    private final PeIdentity owner;
    private final Endpoint endpoint;
    private final BlockingWait waiting;
    private final int spins;

    /** State of the last search of {@link #findAny}. Plain: a lost update costs nothing. */
    private long lastSet;
    private int lastIndex;
    private long scatter;

    public PointToPointSync(final PeIdentity owner, final Endpoint endpoint)
    {
        this.owner = owner;
        this.endpoint = endpoint;
        waiting = endpoint.blockingWait();
        spins = endpoint.isMessaging() ? 1 : endpoint.pause().polls(SPINS);
    }

    /**
     * Checks one word and returns its address in this process.
     *
     * @param wordBytes 4 or 8.
     */
    public long wordAddress(final SymmetricBuffer buffer, final long offset, final int wordBytes)
    {
        final long address = HeapAccess.operandAddress(
            buffer, HeapAccess.alignedAddress(buffer, owner, offset, wordBytes, Operand.IVAR));
        waiting.checkFailure();
        return address;
    }

    /** Checks a signal and returns its address in this process. */
    public long signalAddress(final SymmetricBuffer signal, final long offset)
    {
        final long address = HeapAccess.operandAddress(
            signal, HeapAccess.alignedAddress(signal, owner, offset, Long.BYTES, Operand.SIGNAL));
        waiting.checkFailure();
        return address;
    }

    /**
     * Waits until a long satisfies a comparison, and returns the value that satisfied it.
     *
     * @param address of the long, from {@link #wordAddress}.
     */
    public long untilLong(final long address, final Comparison cmp, final long value)
    {
        Arguments.notNull(cmp, "cmp");
        for (int i = 0, spins = spins(address); i < spins; i++)
        {
            final long seen = UnsafeApi.getLongAcquire(null, address);
            if (cmp.test(seen, value))
            {
                return seen;
            }
        }

        return awaitWord(address, Long.BYTES, cmp, value);
    }

    /**
     * Waits until an int satisfies a comparison.
     *
     * @param address of the int, from {@link #wordAddress}.
     */
    public void untilInt(final long address, final Comparison cmp, final int value)
    {
        Arguments.notNull(cmp, "cmp");
        for (int i = 0, spins = spins(address); i < spins; i++)
        {
            if (cmp.test(UnsafeApi.getIntAcquire(null, address), value))
            {
                return;
            }
        }

        awaitWord(address, Integer.BYTES, cmp, value);
    }

    /**
     * Waits until a word satisfies a comparison, for a limited time.
     *
     * @param timeoutNs the limit in nanoseconds; 0 polls once.
     * @return false if the time has expired.
     */
    public boolean tryUntil(
        final long address, final int wordBytes, final Comparison cmp, final long value, final long timeoutNs)
    {
        Arguments.notNull(cmp, "cmp");
        if (timeoutNs < 0)
        {
            throw new IllegalArgumentException("timeoutNs must be >= 0: timeoutNs=" + timeoutNs);
        }

        if (cmp.test(word(address, wordBytes), value))
        {
            return true;
        }

        final long deadlineNs = waiting.deadlineIn(timeoutNs);
        int round = 0;
        while (!cmp.test(word(address, wordBytes), value))
        {
            if (waiting.isPast(deadlineNs))
            {
                // A caller without time drives progress too, which in invoker mode no other thread does.
                endpoint.progress();
                waiting.end(round, null);
                return test(address, wordBytes, cmp, value);
            }

            owner.checkOpen();
            round = waiting.idle(round, BlockingWait.NO_DEADLINE, TIMED_WAIT);
        }

        waiting.end(round, null);
        return true;
    }

    /**
     * Returns whether a word satisfies a comparison. When it does not, progress is driven.
     */
    public boolean test(final long address, final int wordBytes, final Comparison cmp, final long value)
    {
        Arguments.notNull(cmp, "cmp");
        return cmp.test(word(address, wordBytes), value) || unsatisfied();
    }

    /** Loads a signal with acquire, after it has driven progress, so that a loop of loads sees what arrives. */
    public long signal(final SymmetricBuffer signal, final long offset)
    {
        final long address = signalAddress(signal, offset);
        endpoint.progress();
        return word(address, Long.BYTES);
    }

    private int spins(final long address)
    {
        return isDevice(address) ? 0 : spins;
    }

    private boolean isDevice(final long address)
    {
        final DeviceMemory device = endpoint.device();
        return null != device && device.isDevice(address);
    }

    /** Loads a word with acquire. */
    public long word(final long address, final int wordBytes)
    {
        if (isDevice(address))
        {
            final long bits = endpoint.device().getElement(address, wordBytes);
            return Long.BYTES == wordBytes ? bits : (int)bits;
        }

        return Long.BYTES == wordBytes ?
            UnsafeApi.getLongAcquire(null, address) : UnsafeApi.getIntAcquire(null, address);
    }

    /**
     * Checks a set of words and returns the address of the first in this process.
     *
     * @param status of each, or null.
     */
    public long setAddress(
        final SymmetricBuffer buffer, final long offset, final int n, final int wordBytes, final int[] status)
    {
        if (n < 0)
        {
            throw new IllegalArgumentException("n must be >= 0: n=" + n);
        }

        if (null != status)
        {
            checkArray("status", status, n);
        }

        final long address = rangeAddress(buffer, offset, n, wordBytes);
        waiting.checkFailure();
        return address;
    }

    private long rangeAddress(final SymmetricBuffer buffer, final long offset, final int n, final int wordBytes)
    {
        if (0 == n)
        {
            owner.checkOpen();
            return null == buffer ? 0 :
                HeapAccess.operandAddress(buffer, HeapAccess.address(buffer, owner, offset, 0, Operand.IVARS));
        }

        HeapAccess.address(buffer, owner, offset, (long)n * wordBytes, Operand.IVARS);
        return HeapAccess.operandAddress(
            buffer, HeapAccess.alignedAddress(buffer, owner, offset, wordBytes, Operand.IVARS));
    }

    /** Checks that an array has room for all elements of a set; for an empty set it may be null. */
    public static void checkArray(final String name, final int[] array, final int n)
    {
        if (n > 0 || null != array)
        {
            checkLength(name, Arguments.notNull(array, name).length, n);
        }
    }

    /** Checks that an array has room for all elements of a set; for an empty set it may be null. */
    public static void checkArray(final String name, final long[] array, final int n)
    {
        if (n > 0 || null != array)
        {
            checkLength(name, Arguments.notNull(array, name).length, n);
        }
    }

    private static void checkLength(final String name, final int length, final int n)
    {
        if (length < n)
        {
            throw new IllegalArgumentException(name + " must have >= " + n + " elements: it has " + length);
        }
    }

    /**
     * Waits until every element of a set has satisfied the comparison, one after another.
     *
     * @param address   of the first element, from {@link #setAddress}.
     * @param wordBytes 4 or 8.
     * @param n         number of elements.
     * @param status    of each, or null.
     * @param cmp       the comparison.
     * @param value     to compare with where both vectors are null.
     * @param longs     to compare with, or null.
     * @param ints      to compare with, or null.
     */
    public void untilAll(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        Arguments.notNull(cmp, "cmp");
        int round = 0;
        int index = findUnsatisfied(address, wordBytes, 0, n, status, cmp, value, longs, ints);
        while (NONE != index)
        {
            round = idle(round);
            index = findUnsatisfied(address, wordBytes, index, n, status, cmp, value, longs, ints);
        }

        waiting.end(round, WAIT);
    }

    /** Returns whether every element of a set satisfies the comparison; parameters as in {@link #untilAll}. */
    public boolean testAll(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        Arguments.notNull(cmp, "cmp");
        return NONE == findUnsatisfied(address, wordBytes, 0, n, status, cmp, value, longs, ints) || unsatisfied();
    }

    /**
     * Waits until an element of a set satisfies the comparison, and returns its index, or -1 if the set is empty;
     * parameters as in {@link #untilAll}.
     */
    public int untilAny(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        Arguments.notNull(cmp, "cmp");
        if (isEmpty(n, status))
        {
            return NONE;
        }

        int round = 0;
        while (true)
        {
            final int index = findAny(address, wordBytes, n, status, cmp, value, longs, ints);
            if (NONE != index)
            {
                waiting.end(round, WAIT);
                return index;
            }

            round = idle(round);
        }
    }

    /**
     * Returns the index of an element of a set that satisfies the comparison, or -1; parameters as in
     * {@link #untilAll}.
     */
    public int testAny(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        Arguments.notNull(cmp, "cmp");
        final int index = findAny(address, wordBytes, n, status, cmp, value, longs, ints);
        if (NONE == index)
        {
            unsatisfied();
        }

        return index;
    }

    /**
     * Waits until at least one element of a set satisfies the comparison, and returns how many do, or 0 if the set is
     * empty; parameters as in {@link #untilAll}.
     *
     * @param indices receives the indices of all elements that do, in ascending order.
     */
    public int untilSome(
        final long address,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        Arguments.notNull(cmp, "cmp");
        if (isEmpty(n, status))
        {
            return 0;
        }

        int round = 0;
        while (true)
        {
            final int count = findSome(address, wordBytes, n, indices, status, cmp, value, longs, ints);
            if (count > 0)
            {
                waiting.end(round, WAIT);
                return count;
            }

            round = idle(round);
        }
    }

    /** Returns how many elements of a set satisfy the comparison; parameters as in {@link #untilSome}. */
    public int testSome(
        final long address,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        Arguments.notNull(cmp, "cmp");
        final int count = findSome(address, wordBytes, n, indices, status, cmp, value, longs, ints);
        if (0 == count)
        {
            unsatisfied();
        }

        return count;
    }

    private long awaitWord(final long address, final int wordBytes, final Comparison cmp, final long value)
    {
        int round = 0;
        while (true)
        {
            final long seen = word(address, wordBytes);
            if (cmp.test(seen, value))
            {
                waiting.end(round, WAIT);
                return seen;
            }

            round = idle(round);
        }
    }

    /**
     * Performs one round of waiting. Throws when another thread has closed the PE: its memory is no longer written
     * then.
     */
    private int idle(final int round)
    {
        owner.checkOpen();
        return waiting.idle(round, BlockingWait.NO_DEADLINE, WAIT);
    }

    private boolean unsatisfied()
    {
        endpoint.progress();
        return false;
    }

    private static boolean isEmpty(final int n, final int[] status)
    {
        for (int i = 0; i < n; i++)
        {
            if (null == status || 0 == status[i])
            {
                return false;
            }
        }

        return true;
    }

    private boolean isSatisfied(
        final long address,
        final int wordBytes,
        final int index,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        final long right = null != longs ? longs[index] : null != ints ? ints[index] : value;
        return cmp.test(word(address + (long)index * wordBytes, wordBytes), right);
    }

    private int findUnsatisfied(
        final long address,
        final int wordBytes,
        final int from,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        for (int i = from; i < n; i++)
        {
            if ((null == status || 0 == status[i]) && !isSatisfied(address, wordBytes, i, cmp, value, longs, ints))
            {
                return i;
            }
        }

        return NONE;
    }

    /**
     * Finds a satisfied element. The search continues behind the element found last, so that repeated calls report
     * every satisfied element. It remembers that for one set; for another it begins at a pseudo-random index, so that
     * calls for several sets in turn are fair as well.
     */
    private int findAny(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        final long set = address * 31 + n;
        int index = set == lastSet ? lastIndex : scatteredIndex(n);
        for (int i = 0; i < n; i++)
        {
            index = index + 1 < n ? index + 1 : 0;
            if ((null == status || 0 == status[index]) &&
                isSatisfied(address, wordBytes, index, cmp, value, longs, ints))
            {
                lastSet = set;
                lastIndex = index;
                return index;
            }
        }

        return NONE;
    }

    private int scatteredIndex(final int n)
    {
        scatter = scatter * 6364136223846793005L + 1442695040888963407L;
        return (int)((scatter >>> 33) % Math.max(1, n));
    }

    private int findSome(
        final long address,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final long[] longs,
        final int[] ints)
    {
        int count = 0;
        for (int i = 0; i < n; i++)
        {
            if ((null == status || 0 == status[i]) && isSatisfied(address, wordBytes, i, cmp, value, longs, ints))
            {
                indices[count++] = i;
            }
        }

        return count;
    }
}
