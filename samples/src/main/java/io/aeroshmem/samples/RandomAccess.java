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

/**
 * Random updates and random reads of a table of longs that is spread over all PEs. The program accesses elements one by
 * one and aggregates nothing. Element i of the whole table is on PE i modulo the number of PEs.
 */
public final class RandomAccess
{
    /** Elements of the table of each PE. */
    private static final int TABLE = 1 << 17;

    /** Length of the table of each PE in bytes. */
    public static final int TABLE_BYTES = TABLE * Long.BYTES;

    private final CommunicationContext context;
    private final int me;
    private final int nPes;
    private final SymmetricBuffer table;
    private final int[] offsets;
    private final int[] owners;
    private long state;

    /**
     * @param table   of {@link #TABLE_BYTES} or more, in host memory.
     * @param updates number of elements that {@link #draw(int)} draws.
     */
    public RandomAccess(final Shmem shmem, final SymmetricBuffer table, final int updates)
    {
        this.table = table;
        context = shmem.defaultContext();
        me = shmem.myPe();
        nPes = shmem.nPes();
        offsets = new int[updates];
        owners = new int[updates];
    }

    /** Draws the elements of a round: other ones on each PE and in each round. */
    public void draw(final int round)
    {
        state = 0x9E3779B97F4A7C15L * (me + 1) + 0x2545F4914F6CDD1DL * (round + 1);
        nextRandom();
        for (int i = 0; i < offsets.length; i++)
        {
            final long index = Long.remainderUnsigned(nextRandom(), (long)TABLE * nPes);
            offsets[i] = (int)(index / nPes) * Long.BYTES;
            owners[i] = (int)(index % nPes);
        }
    }

    private long nextRandom()
    {
        state ^= state << 13;
        state ^= state >>> 7;
        state ^= state << 17;
        return state;
    }

    /** Zeroes this PE's part of the table. */
    public void clear()
    {
        table.view(0, TABLE_BYTES).setMemory(0, TABLE_BYTES, (byte)0);
    }

    /** Sets each element of this PE's part of the table to its index in the whole table. */
    public void fillWithIndices()
    {
        for (long i = 0; i < TABLE; i++)
        {
            table.putLong(i * Long.BYTES, i * nPes + me);
        }
    }

    /** Returns whether each element of this PE's part is its index. */
    public boolean isFilledWithIndices()
    {
        boolean isFilled = true;
        for (long i = 0; i < TABLE; i++)
        {
            isFilled &= i * nPes + me == table.getLong(i * Long.BYTES);
        }

        return isFilled;
    }

    /** Returns the sum of this PE's part of the table. */
    public long sum()
    {
        long sum = 0;
        for (long i = 0; i < TABLE; i++)
        {
            sum += table.getLong(i * Long.BYTES);
        }

        return sum;
    }

    /** Returns the exclusive or of this PE's part of the table. */
    public long xor()
    {
        long xor = 0;
        for (long i = 0; i < TABLE; i++)
        {
            xor ^= table.getLong(i * Long.BYTES);
        }

        return xor;
    }

    /** Increments the elements that were drawn, {@code from} to {@code to - 1}. */
    public void increment(final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            context.atomicIncLong(table, offsets[i], owners[i]);
        }
    }

    /** Combines the elements that were drawn, {@code from} to {@code to - 1}, with a value of each, by exclusive or. */
    public void combine(final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            context.atomicXorLong(table, offsets[i], value(i), owners[i]);
        }
    }

    /** Returns the exclusive or of the values with which {@link #combine(int, int)} combines. */
    public long combined(final int from, final int to)
    {
        long combined = 0;
        for (int i = from; i < to; i++)
        {
            combined ^= value(i);
        }

        return combined;
    }

    private long value(final int i)
    {
        return (long)offsets[i] * nPes + owners[i] + 1;
    }

    /** Reads the elements that were drawn, {@code from} to {@code to - 1}, to these places; quiet completes it. */
    public void gather(final SymmetricBuffer gathered, final int from, final int to)
    {
        for (int i = from; i < to; i++)
        {
            context.getNbi(gathered, (long)i * Long.BYTES, table, offsets[i], Long.BYTES, owners[i]);
        }
    }

    /** Returns whether {@link #gather(SymmetricBuffer, int, int)} has read indices. */
    public boolean isGathered(final SymmetricBuffer gathered, final int from, final int to)
    {
        boolean isRight = true;
        for (int i = from; i < to; i++)
        {
            isRight &= (long)offsets[i] / Long.BYTES * nPes + owners[i] == gathered.getLong((long)i * Long.BYTES);
        }

        return isRight;
    }
}
