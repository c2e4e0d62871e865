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
import io.aeroshmem.thread.ThreadGuard;
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
 * put-with-signal, are visible after the wait. If this PE exchanges no messages, {@link #until} first spins for a short
 * time, which suffices when the peer has a core of its own. All other waiting goes through {@link BlockingWait}. Only
 * {@link #tryUntil} and, if the program passes one, {@link #await} have a time limit.
 */
public class PointToPointSync
{
    /*
     * Failure of the job. Each call of the program gets the address of its words from wordAddress, signalAddress or
     * setAddress. They check whether the job has failed: so a loop of tests, or of waits that are satisfied at once,
     * ends like a wait.
     *
     * Sets of words. The caller may pass an array with a status for each word; a word whose status is not 0 is skipped.
     * The words are compared either with one value, or each with its own element of a vector.
     *
     * Threads. The ThreadGuard checks the thread when the call gets the address of its words. A wait then stays inside
     * the guard until it returns, so that the guard rejects calls of other threads meanwhile.
     */
    /** Which words of a set have to satisfy the comparison. */
    public enum Quantifier
    {
        /** Every word, one after another. */
        ALL("Shmem.waitUntilAll", "Shmem.tryWaitUntilAll", 0),
        /** At least one; its index is found. */
        ANY("Shmem.waitUntilAny", "Shmem.tryWaitUntilAny", 0),
        /** At least one; the indices of all that do are found. */
        SOME("Shmem.waitUntilSome", "Shmem.tryWaitUntilSome", 1);

        private final String wait;
        private final String timedWait;
        /** Least result of a search that has succeeded. */
        private final int least;

        Quantifier(final String wait, final String timedWait, final int least)
        {
            this.wait = wait;
            this.timedWait = timedWait;
            this.least = least;
        }
    }

    /** Limit of a wait that ends only when it is satisfied. */
    public static final long NO_LIMIT = Long.MAX_VALUE;

    /** Loads of a word before the first round of waiting, where no messages have to be driven. */
    private static final int SPINS = 100;

    private static final int NONE = -1;
    private static final BlockedCall WAIT = BlockedCall.ofAnyPe("a wait on memory");
    private static final String TIMED_WAIT = "a timed wait on memory";

    private final PeIdentity owner;
    private final ThreadGuard guard;
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
        guard = owner.guard();
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
        owner.checkCaller();
        final long address = HeapAccess.operandAddress(
            buffer, HeapAccess.alignedAddress(buffer, owner, offset, wordBytes, Operand.IVAR));
        waiting.checkFailure();
        return address;
    }

    /** Checks a signal and returns its address in this process. */
    public long signalAddress(final SymmetricBuffer signal, final long offset)
    {
        owner.checkCaller();
        final long address = HeapAccess.operandAddress(
            signal, HeapAccess.alignedAddress(signal, owner, offset, Long.BYTES, Operand.SIGNAL));
        waiting.checkFailure();
        return address;
    }

    /**
     * Waits until a word satisfies a comparison, and returns the value that satisfied it.
     *
     * @param call    that the program made.
     * @param address of the word, from {@link #wordAddress}.
     */
    public long until(
        final String call, final long address, final int wordBytes, final Comparison cmp, final long value)
    {
        Arguments.notNull(cmp, "cmp");
        return null == guard ? awaitWord(address, wordBytes, cmp, value) :
            guard.call(call, () -> awaitWord(address, wordBytes, cmp, value));
    }

    /**
     * Waits until a word satisfies a comparison, for a limited time.
     *
     * @param call      that the program made.
     * @param timeoutNs the limit in nanoseconds; 0 polls once.
     * @return false if the time has expired.
     */
    public boolean tryUntil(
        final String call,
        final long address,
        final int wordBytes,
        final Comparison cmp,
        final long value,
        final long timeoutNs)
    {
        Arguments.notNull(cmp, "cmp");
        Arguments.notNegative(timeoutNs, "timeoutNs");
        return null == guard ? isSatisfiedIn(timeoutNs, address, wordBytes, cmp, value) :
            guard.call(call, () -> isSatisfiedIn(timeoutNs, address, wordBytes, cmp, value));
    }

    private boolean isSatisfiedIn(
        final long timeoutNs, final long address, final int wordBytes, final Comparison cmp, final long value)
    {
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
                waiting.reset(round);
                return test(address, wordBytes, cmp, value);
            }

            round = idle(round, true);
        }

        waiting.reset(round);
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

        return hostWord(address, wordBytes);
    }

    private static long hostWord(final long address, final int wordBytes)
    {
        return Long.BYTES == wordBytes ?
            UnsafeApi.getLongAcquire(null, address) : UnsafeApi.getIntAcquire(null, address);
    }

    /** Checks a set of words and returns the address of the first in this process. */
    private long setAddress(
        final Quantifier quantifier,
        final SymmetricBuffer buffer,
        final long offset,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status)
    {
        owner.checkCaller();
        Arguments.notNegative(n, "n");
        if (null != status)
        {
            checkArray("status", status, n);
        }

        final long address = rangeAddress(buffer, offset, n, wordBytes);
        waiting.checkFailure();
        if (Quantifier.SOME == quantifier)
        {
            checkArray("indices", indices, n);
        }

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
     * Waits until as many words of a set as the quantifier requires satisfy the comparison.
     *
     * @param offset    of the first, in bytes.
     * @param wordBytes 4 or 8.
     * @param n         number of words.
     * @param indices   receives the indices of {@link Quantifier#SOME} in ascending order; otherwise null.
     * @param status    of each, or null.
     * @param value     to compare with if there are no values.
     * @param values    {@code long[]} or {@code int[]}, as the words are, to compare with; or null.
     * @param timeoutNs the limit in nanoseconds, or {@link #NO_LIMIT}; 0 polls once.
     * @return the index that {@link Quantifier#ANY} has found, or the number of words found; for a set without words,
     *         -1 or 0. If the time has expired: 0 for {@link Quantifier#SOME}, less than 0 for the others.
     */
    public int await(
        final Quantifier quantifier,
        final SymmetricBuffer ivars,
        final long offset,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final Object values,
        final long timeoutNs)
    {
        final long address = setAddress(quantifier, ivars, offset, wordBytes, n, indices, status);
        Arguments.notNull(cmp, "cmp");
        Arguments.notNegative(timeoutNs, "timeoutNs");
        final boolean isTimed = NO_LIMIT != timeoutNs;
        owner.enterCall(isTimed ? quantifier.timedWait : quantifier.wait);
        try
        {
            int found = find(quantifier, address, wordBytes, 0, n, indices, status, cmp, value, values);
            if (found >= quantifier.least || isEmpty(n, status))
            {
                return found;
            }

            final long deadlineNs = isTimed ? waiting.deadlineIn(timeoutNs) : BlockingWait.NO_DEADLINE;
            int round = 0;
            boolean isPast = false;
            while (found < quantifier.least && !isPast)
            {
                isPast = waiting.isPast(deadlineNs);
                if (isPast)
                {
                    // A caller without time drives progress too, which in invoker mode no other thread does.
                    endpoint.progress();
                }
                else
                {
                    round = idle(round, isTimed);
                }

                found = find(quantifier, address, wordBytes, ~found, n, indices, status, cmp, value, values);
            }

            waiting.reset(round, isTimed ? null : WAIT);
            return found;
        }
        finally
        {
            owner.leaveCall();
        }
    }

    /**
     * Tests the words of a set as {@link #await} does, and drives progress if they are not as the quantifier requires.
     *
     * @return as that method; a negative number if a word of {@link Quantifier#ALL} does not satisfy the comparison, or
     *         none of {@link Quantifier#ANY} does.
     */
    public int test(
        final Quantifier quantifier,
        final SymmetricBuffer ivars,
        final long offset,
        final int wordBytes,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final Object values)
    {
        final long address = setAddress(quantifier, ivars, offset, wordBytes, n, indices, status);
        Arguments.notNull(cmp, "cmp");
        final int found = find(quantifier, address, wordBytes, 0, n, indices, status, cmp, value, values);
        if (found < quantifier.least)
        {
            unsatisfied();
        }

        return found;
    }

    private long awaitWord(final long address, final int wordBytes, final Comparison cmp, final long value)
    {
        for (int i = 0, spins = spins(address); i < spins; i++)
        {
            final long seen = hostWord(address, wordBytes);
            if (cmp.test(seen, value))
            {
                return seen;
            }
        }

        int round = 0;
        while (true)
        {
            final long seen = word(address, wordBytes);
            if (cmp.test(seen, value))
            {
                waiting.reset(round, WAIT);
                return seen;
            }

            round = idle(round, false);
        }
    }

    /**
     * Performs one round of waiting. Throws when another thread has closed the PE: its memory is no longer written
     * then.
     */
    private int idle(final int round, final boolean isTimed)
    {
        owner.checkOpen();
        return isTimed ? waiting.idle(round, BlockingWait.NO_DEADLINE, TIMED_WAIT) :
            waiting.idle(round, BlockingWait.NO_DEADLINE, WAIT);
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
        final Object values)
    {
        final long right = null == values ? value :
            Long.BYTES == wordBytes ? ((long[])values)[index] : ((int[])values)[index];
        return cmp.test(word(address + (long)index * wordBytes, wordBytes), right);
    }

    /**
     * Searches a set.
     *
     * @param from where {@link Quantifier#ALL} continues: the words before it have been satisfied.
     * @return less than {@link Quantifier#least} if the search has failed; for {@link Quantifier#ALL}, {@code ~index}
     *         of the word that is not satisfied.
     */
    private int find(
        final Quantifier quantifier,
        final long address,
        final int wordBytes,
        final int from,
        final int n,
        final int[] indices,
        final int[] status,
        final Comparison cmp,
        final long value,
        final Object values)
    {
        if (Quantifier.ANY == quantifier)
        {
            return findAny(address, wordBytes, n, status, cmp, value, values);
        }

        final boolean isAll = Quantifier.ALL == quantifier;
        int count = 0;
        for (int i = isAll ? from : 0; i < n; i++)
        {
            if (null == status || 0 == status[i])
            {
                if (isSatisfied(address, wordBytes, i, cmp, value, values))
                {
                    if (!isAll)
                    {
                        indices[count] = i;
                    }

                    count++;
                }
                else if (isAll)
                {
                    return ~i;
                }
            }
        }

        return count;
    }

    /**
     * Finds a satisfied word, or returns {@link #NONE}. The search continues behind the word found last, so that
     * repeated calls report every satisfied word. It remembers that for one set; for another it begins at a
     * pseudo-random index, so that calls for several sets in turn are fair as well.
     */
    private int findAny(
        final long address,
        final int wordBytes,
        final int n,
        final int[] status,
        final Comparison cmp,
        final long value,
        final Object values)
    {
        final long set = address * 31 + n;
        int index = set == lastSet ? lastIndex : nextIndex(n);
        for (int i = 0; i < n; i++)
        {
            index = index + 1 < n ? index + 1 : 0;
            if ((null == status || 0 == status[index]) &&
                isSatisfied(address, wordBytes, index, cmp, value, values))
            {
                lastSet = set;
                lastIndex = index;
                return index;
            }
        }

        return NONE;
    }

    private int nextIndex(final int n)
    {
        scatter = scatter * 6364136223846793005L + 1442695040888963407L;
        return (int)((scatter >>> 33) % Math.max(1, n));
    }
}
