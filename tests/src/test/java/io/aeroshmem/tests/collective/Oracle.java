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
package io.aeroshmem.tests.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The expected source and dest of a member, computed one element after the other from the contributions of all
 * members.
 */
final class Oracle
{
    private final CollectiveCase test;
    private final int[] members;
    private final int myRank;
    private final long jobSeed;
    private final long seed;

    /**
     * @param members numbers in the world by rank.
     */
    Oracle(final CollectiveCase test, final int[] members, final int myRank, final long jobSeed)
    {
        this.test = test;
        this.members = members;
        this.myRank = myRank;
        this.jobSeed = jobSeed;
        this.seed = test.seed(jobSeed);
    }

    /**
     * Evenly spaced elements of dest or source, with their values.
     *
     * @param first    index of the first one, in elements.
     * @param stride   in elements.
     * @param elements number of elements.
     * @param ring     their values, repeated cyclically.
     */
    record Block(long first, int stride, long elements, byte[] ring)
    {
    }

    /**
     * Returns the contribution of this member.
     */
    Block source()
    {
        final long elements = Call.COLLECT == test.call() ? test.countOf(jobSeed, myRank) :
            test.call().isSourceOfBlocks() ? test.count() * members.length : test.count();
        return new Block(0, test.sourceStride(), elements, contribution(myRank, 0, elements));
    }

    /**
     * Returns the expected contents of this member's dest.
     */
    List<Block> dest()
    {
        final List<Block> blocks = new ArrayList<>();
        final long count = test.count();
        switch (test.call())
        {
            case BROADCAST -> blocks.add(block(0, count, test.root(jobSeed, members.length), 0));
            case COLLECT, FCOLLECT ->
            {
                long first = 0;
                for (int rank = 0; rank < members.length; rank++)
                {
                    final long elements = test.countOf(jobSeed, rank);
                    blocks.add(block(first, elements, rank, 0));
                    first += elements;
                }
            }
            case ALLTOALL, ALLTOALLS ->
            {
                for (int rank = 0; rank < members.length; rank++)
                {
                    blocks.add(block(rank * count * test.destStride(), count, rank, myRank * count));
                }
            }
            case REDUCE -> blocks.add(combined(members.length, 0));
            case REDUCE_SCATTER -> blocks.add(combined(members.length, myRank * count));
            case INCLUSIVE_SCAN -> blocks.add(combined(myRank + 1, 0));
            case EXCLUSIVE_SCAN -> blocks.add(combined(myRank, 0));
            default -> throw new IllegalArgumentException("no dest: " + test);
        }

        return blocks;
    }

    /**
     * Returns the combination of one element of each member.
     */
    static Value combined(final ReduceOp op, final ElementType type, final Value[] values)
    {
        return values.length > 0 ? tree(op, type, values, 0, values.length) : Arithmetic.identity(op, type);
    }

    /**
     * T(lo, n) = n == 1 ? leaf : combine(T(lo, p), T(lo + p, n - p)) with p the greatest power of two below n.
     */
    private static Value tree(
        final ReduceOp op, final ElementType type, final Value[] values, final int lo, final int n)
    {
        if (1 == n)
        {
            return values[lo];
        }

        final int left = Integer.highestOneBit(n - 1);
        return Arithmetic.combine(
            op, type, tree(op, type, values, lo, left), tree(op, type, values, lo + left, n - left));
    }

    private Block block(final long first, final long elements, final int rank, final long index)
    {
        return new Block(first, test.destStride(), elements, contribution(rank, index, elements));
    }

    private byte[] contribution(final int rank, final long first, final long elements)
    {
        final int length = (int)Math.min(elements, Inputs.PERIOD);
        final ByteBuffer ring = ring(length);
        for (int i = 0; i < length; i++)
        {
            element(rank, first + i).store(test.type(), ring, i * test.type().bytes());
        }

        return ring.array();
    }

    private Block combined(final int ranks, final long first)
    {
        final int length = (int)Math.min(test.count(), Inputs.PERIOD);
        final ByteBuffer ring = ring(length);
        final Value[] values = new Value[ranks];
        for (int i = 0; i < length; i++)
        {
            for (int rank = 0; rank < ranks; rank++)
            {
                values[rank] = element(rank, first + i);
            }

            combined(test.op(), test.type(), values).store(test.type(), ring, i * test.type().bytes());
        }

        return new Block(0, 1, test.count(), ring.array());
    }

    private Value element(final int rank, final long index)
    {
        return Inputs.at(test.type(), test.op(), seed, members[rank], index);
    }

    private ByteBuffer ring(final int elements)
    {
        return ByteBuffer.allocate(elements * test.type().bytes()).order(ByteOrder.LITTLE_ENDIAN);
    }
}
