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

import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import org.agrona.BufferUtil;
import org.agrona.concurrent.UnsafeBuffer;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;

/**
 * Words in the heap of each PE that all PEs of a {@link MessageWorld} update atomically, and what is known of them:
 * every sum has been counted once, and every value is fetched by one PE at most.
 */
final class SharedWords
{
    /** Sums of 64 and of 32 bits, whose additions are of one. */
    private static final int SUMS = 4;
    private static final int SWAPPED = SUMS;
    private static final int COMPARED = SUMS + 1;
    private static final int WORDS = SUMS + 2;
    static final int LENGTH = WORDS * Long.BYTES;

    private final MessageWorld world;
    private final long[][] added;
    private final List<Set<Long>> fetched = new ArrayList<>();
    private final List<Set<Long>> swappedIn = new ArrayList<>();
    private final long[] lastCompared;
    private final long[] exchanges;
    private long lastSwapped;

    SharedWords(final MessageWorld world)
    {
        this.world = world;
        final int nPes = world.pes.length;
        added = new long[nPes][SUMS];
        lastCompared = new long[nPes];
        exchanges = new long[nPes];
        for (int i = 0; i < nPes * WORDS; i++)
        {
            fetched.add(new HashSet<>());
        }

        for (int pe = 0; pe < nPes; pe++)
        {
            swappedIn.add(new HashSet<>());
            swappedIn.get(pe).add(0L);
        }
    }

    private static int offset(final int word)
    {
        return MessageProgram.WORDS + word * Long.BYTES;
    }

    /** The words of odd numbers have 32 bits. */
    private static boolean isInt(final int word)
    {
        return 1 == (word & 1);
    }

    void add(final Transport transport, final int pe, final SplittableRandom random)
    {
        final int word = random.nextInt(SUMS);
        added[pe][word]++;
        if (isInt(word))
        {
            transport.atomicInt(pe, AtomicOp.ADD, Region.USER, offset(word), 1);
        }
        else
        {
            transport.atomicLong(pe, AtomicOp.ADD, Region.USER, offset(word), 1);
        }
    }

    void fetchAdd(final Transport transport, final int pe, final SplittableRandom random)
    {
        final int word = random.nextInt(SUMS);
        added[pe][word]++;
        onFetched(pe, word, isInt(word) ?
            transport.fetchAtomicInt(pe, AtomicOp.ADD, Region.USER, offset(word), 1, 0) :
            transport.fetchAtomicLong(pe, AtomicOp.ADD, Region.USER, offset(word), 1, 0));
    }

    /** Starts a fetch, and returns the check of its value for when it is complete. */
    Runnable fetchNbi(
        final Transport transport, final int pe, final SplittableRandom random, final int caller, final Pending pending)
    {
        final UnsafeBuffer dest = new UnsafeBuffer(BufferUtil.allocateDirectAligned(Long.BYTES, Long.BYTES));
        switch (random.nextInt(4))
        {
            case 0:
                final long value = nextSwapped(pe, caller);
                transport.fetchAtomicLongNbi(
                    pe, AtomicOp.SWAP, Region.USER, offset(SWAPPED), value, 0, dest.addressOffset(), pending);
                return () -> onFetched(pe, SWAPPED, dest.getLong(0));

            case 1:
                final long last = lastCompared[pe];
                transport.fetchAtomicLongNbi(
                    pe,
                    AtomicOp.COMPARE_SWAP,
                    Region.USER,
                    offset(COMPARED),
                    last + 1,
                    last,
                    dest.addressOffset(),
                    pending);
                return () -> onCompared(pe, last, dest.getLong(0));

            default:
                final int word = random.nextInt(SUMS);
                added[pe][word]++;
                if (isInt(word))
                {
                    transport.fetchAtomicIntNbi(
                        pe, AtomicOp.ADD, Region.USER, offset(word), 1, 0, dest.addressOffset(), pending);
                    return () -> onFetched(pe, word, dest.getInt(0));
                }

                transport.fetchAtomicLongNbi(
                    pe, AtomicOp.ADD, Region.USER, offset(word), 1, 0, dest.addressOffset(), pending);
                return () -> onFetched(pe, word, dest.getLong(0));
        }
    }

    void swap(final Transport transport, final int pe, final int caller)
    {
        final long value = nextSwapped(pe, caller);
        onFetched(pe, SWAPPED, transport.fetchAtomicLong(pe, AtomicOp.SWAP, Region.USER, offset(SWAPPED), value, 0));
    }

    private long nextSwapped(final int pe, final int caller)
    {
        final long value = ++lastSwapped << 8 | caller;
        swappedIn.get(pe).add(value);
        return value;
    }

    void compareSwap(final Transport transport, final int pe, final SplittableRandom random)
    {
        final long last = random.nextInt(4) > 0 ? lastCompared[pe] : 0;
        onCompared(pe, last, transport.fetchAtomicLong(
            pe, AtomicOp.COMPARE_SWAP, Region.USER, offset(COMPARED), last + 1, last));
    }

    private void onCompared(final int pe, final long expected, final long found)
    {
        lastCompared[pe] = Math.max(lastCompared[pe], found);
        if (expected == found)
        {
            exchanges[pe]++;
            onFetched(pe, COMPARED, found);
        }
    }

    private void onFetched(final int pe, final int word, final long value)
    {
        if (!fetched.get(pe * WORDS + word).add(value))
        {
            throw world.wrong("value " + value + " of word " + word + " of PE " + pe + " was fetched twice");
        }

        if (word < SUMS && (value < 0 || value >= added[pe][word]))
        {
            throw world.wrong("value " + value + " was fetched from word " + word + " of PE " + pe +
                " when the sum was " + added[pe][word]);
        }

        if (SWAPPED == word && !swappedIn.get(pe).contains(value))
        {
            throw world.wrong("value " + value + " was fetched from word " + word + " of PE " + pe + ", never stored");
        }
    }

    /** Checks the words when all programs have ended. */
    void checkLast()
    {
        for (int pe = 0; pe < added.length; pe++)
        {
            final UnsafeBuffer user = world.pes[pe].user;
            for (int word = 0; word < SUMS; word++)
            {
                equal(added[pe][word], user.getLong(offset(word)), pe, "the sum in word " + word);
            }

            equal(exchanges[pe], user.getLong(offset(COMPARED)), pe, "the number of exchanges");
            onFetched(pe, SWAPPED, user.getLong(offset(SWAPPED)));
            equal(
                swappedIn.get(pe).size(), fetched.get(pe * WORDS + SWAPPED).size(), pe, "the number of swapped values");
        }
    }

    private void equal(final long expected, final long found, final int pe, final String what)
    {
        if (expected != found)
        {
            throw world.wrong(what + " of PE " + pe + " is " + found + " and not " + expected);
        }
    }
}
