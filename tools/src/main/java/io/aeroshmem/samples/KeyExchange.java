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
 * The key exchange of an integer sort: every PE draws keys, sorts them into a bucket per PE, and puts each bucket into
 * the room that it reserved at its owner by a fetching addition.
 */
final class KeyExchange
{
    private static final int KEY_BITS = 31;
    /** Room for keys that the owner of a range may receive, in times of its share. */
    private static final int ROOM = 3;

    /** Consumer of the times of all rounds. */
    interface Result
    {
        void print(String name, int bytes, int count, double[] roundNs);
    }

    private final Shmem shmem;
    private final CommunicationContext context;
    private final int me;
    private final int nPes;
    private final int count;
    private final long width;
    private final int[] keys;
    private final SymmetricBuffer bucketed;
    private final SymmetricBuffer received;
    /** Number of keys that this PE has room reserved for. */
    private final SymmetricBuffer filled;
    private final int[] begin;
    private final int[] next;
    private long state;

    KeyExchange(final Shmem shmem, final int count)
    {
        this.shmem = shmem;
        this.count = count;
        context = shmem.defaultContext();
        me = shmem.myPe();
        nPes = shmem.nPes();
        width = ((1L << KEY_BITS) + nPes - 1) / nPes;
        keys = new int[count];
        bucketed = shmem.malloc((long)count * Integer.BYTES);
        received = shmem.malloc((long)ROOM * count * Integer.BYTES);
        filled = shmem.calloc(1, Long.BYTES);
        begin = new int[nPes + 1];
        next = new int[nPes];
    }

    void run(final int rounds, final Result result)
    {
        final double[] roundNs = new double[rounds];
        for (int round = 0; round < rounds; round++)
        {
            draw(round);
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
            roundNs[round] = System.nanoTime() - startNs;
            verify();
        }

        shmem.free(filled);
        shmem.free(received);
        shmem.free(bucketed);
        result.print("intsort_exchange", Integer.BYTES, count, roundNs);
    }

    private void sortIntoBuckets()
    {
        final int[] begin = this.begin;
        final int[] next = this.next;
        final AtomicBuffer bucketed = this.bucketed.local();
        Arrays.fill(begin, 0);
        for (final int key : keys)
        {
            begin[(int)(key / width) + 1]++;
        }
        for (int i = 0; i < nPes; i++)
        {
            begin[i + 1] += begin[i];
            next[i] = begin[i];
        }
        for (final int key : keys)
        {
            bucketed.putInt(next[(int)(key / width)]++ * Integer.BYTES, key);
        }
    }

    private void verify()
    {
        final long length = filled.getLong(0);
        boolean isRight = true;
        for (long i = 0; i < length; i++)
        {
            isRight &= received.getInt(i * Integer.BYTES) / width == me;
        }
        Workloads.check(isRight, "intsort");
    }

    private void draw(final int round)
    {
        state = 0x9E3779B97F4A7C15L * (me + 1) + 0x2545F4914F6CDD1DL * (round + 1);
        for (int i = 0; i < count; i++)
        {
            state ^= state << 13;
            state ^= state >>> 7;
            state ^= state << 17;
            keys[i] = (int)(state >>> 33);
        }
    }
}
