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
package io.aeroshmem.samples;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.AtomicBuffer;

import java.util.Arrays;

/**
 * The key exchange of an integer sort. Every PE owns a range of keys. A PE draws random keys, and sorts them into
 * buckets, one for each owner. For each bucket the PE reserves room at the owner by an atomic fetch-and-add, and puts
 * the bucket there.
 */
public final class KeyExchange
{
    private static final int KEY_BITS = 31;
    /** Room for keys that the owner of a range may receive, in times of its share. */
    private static final int ROOM = 3;
    /** More room, in keys: few keys spread over the ranges unevenly. */
    private static final int SPARE = 64;

    private final Shmem shmem;
    private final CommunicationContext context;
    private final int me;
    private final int nPes;
    private final long width;
    private final int[] keys;
    private final SymmetricBuffer bucketed;
    private final SymmetricBuffer received;
    private final SymmetricBuffer filled;
    private final int[] begin;
    private final int[] next;
    private int count;
    private long state;

    /**
     * @param most     keys of a PE in an exchange.
     * @param bucketed of 4 bytes for each of them.
     * @param received of {@link #receivedBytes(int)}.
     * @param filled   of 8 bytes: the number of keys that this PE has room reserved for.
     */
    public KeyExchange(
        final Shmem shmem,
        final int most,
        final SymmetricBuffer bucketed,
        final SymmetricBuffer received,
        final SymmetricBuffer filled)
    {
        this.shmem = shmem;
        this.bucketed = bucketed;
        this.received = received;
        this.filled = filled;
        context = shmem.defaultContext();
        me = shmem.myPe();
        nPes = shmem.nPes();
        width = ((1L << KEY_BITS) + nPes - 1) / nPes;
        keys = new int[most];
        begin = new int[nPes + 1];
        next = new int[nPes];
    }

    /** Returns the bytes for the keys that a PE receives where each draws this many. */
    public static long receivedBytes(final int most)
    {
        return ((long)ROOM * most + SPARE) * Integer.BYTES;
    }

    /** Draws the keys of a round, as many on each PE. */
    public void draw(final int round, final int count)
    {
        this.count = count;
        state = 0x9E3779B97F4A7C15L * (me + 1) + 0x2545F4914F6CDD1DL * (round + 1);
        for (int i = 0; i < count; i++)
        {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            keys[i] = (int)(state >>> 33);
        }
    }

    /**
     * Exchanges the keys that were drawn. Collective over the job.
     *
     * @return nanoseconds from barrier to barrier.
     */
    public long exchange()
    {
        filled.putLong(0, 0);
        shmem.barrierAll();
        final long startNs = System.nanoTime();
        sortIntoBuckets();
        for (int i = 0; i < nPes; i++)
        {
            final int owner = (me + i) % nPes;
            final long length = begin[owner + 1] - begin[owner];
            final long position = context.atomicFetchAddLong(filled, 0, length, owner);
            context.put(
                received,
                position * Integer.BYTES,
                bucketed,
                (long)begin[owner] * Integer.BYTES,
                length * Integer.BYTES,
                owner);
        }

        shmem.barrierAll();
        return System.nanoTime() - startNs;
    }

    private void sortIntoBuckets()
    {
        final int[] begin = this.begin;
        final int[] next = this.next;
        final AtomicBuffer bucketed = this.bucketed.local();
        Arrays.fill(begin, 0);
        for (int i = 0; i < count; i++)
        {
            begin[(int)(keys[i] / width) + 1]++;
        }

        for (int i = 0; i < nPes; i++)
        {
            begin[i + 1] += begin[i];
            next[i] = begin[i];
        }

        for (int i = 0; i < count; i++)
        {
            bucketed.putInt(next[(int)(keys[i] / width)]++ * Integer.BYTES, keys[i]);
        }
    }

    /** Returns the number of keys that this PE has received. */
    public long received()
    {
        return filled.getLong(0);
    }

    /** Returns whether all keys that this PE has received are in its range. */
    public boolean isInRange()
    {
        final long length = received();
        boolean isRight = true;
        for (long i = 0; i < length; i++)
        {
            isRight &= received.getInt(i * Integer.BYTES) / width == me;
        }

        return isRight;
    }
}
