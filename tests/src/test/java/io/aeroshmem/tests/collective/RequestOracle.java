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

import io.aeroshmem.Collective;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * The expected memory of a member around a request, computed one element after the other from the contributions of all
 * members.
 */
final class RequestOracle
{
    /** Distance of the first elements of two blocks of a source in the sequence of a member's inputs. */
    private static final long BLOCK_DISTANCE = 100_003;

    private final RequestCase test;
    private final int[] members;
    private final int size;
    private final int me;
    private final int root;
    private final long jobSeed;
    private final long seed;

    /**
     * @param members numbers in the world by rank.
     */
    RequestOracle(final RequestCase test, final int[] members, final int me, final long jobSeed)
    {
        this.test = test;
        this.members = members;
        this.me = me;
        this.jobSeed = jobSeed;
        size = members.length;
        root = test.root(jobSeed, size);
        seed = test.seed(jobSeed);
    }

    /**
     * Returns the counts of the blocks of this member's source.
     */
    long[] sourceCounts()
    {
        if (!test.isSourceOfBlocks())
        {
            return new long[]{test.countOf(jobSeed, me, root)};
        }

        final long[] counts = new long[size];
        for (int rank = 0; rank < size; rank++)
        {
            counts[rank] = test.countOf(jobSeed, me, rank);
        }

        return counts;
    }

    /**
     * Returns the counts of the blocks of this member's dest; of REDUCE_SCATTERV those of all results.
     */
    long[] destCounts()
    {
        if (!test.isDestOfBlocks())
        {
            return new long[]{test.countOf(jobSeed, root, me)};
        }

        final long[] counts = new long[size];
        for (int rank = 0; rank < size; rank++)
        {
            counts[rank] = test.countOf(jobSeed, rank, me);
        }

        return counts;
    }

    long[] sourcePositions()
    {
        return test.isSourceOfBlocks() ? test.positions(sourceCounts(), me) : new long[1];
    }

    long[] destPositions()
    {
        return test.isDestOfBlocks() ? test.positions(destCounts(), test.isInPlace() ? me : me + 1) : new long[1];
    }

    /**
     * Returns whether the source of this member is a block of its dest.
     */
    boolean isSourceInDest()
    {
        return test.isInPlace() && test.isDestOfBlocks() && !test.isSourceOfBlocks() && test.hasDest(me == root);
    }

    /**
     * Returns whether the dest of this member is a block of its source.
     */
    boolean isDestInSource()
    {
        return test.isInPlace() && test.isSourceOfBlocks() && !test.isDestOfBlocks() && test.hasSource(me == root);
    }

    /**
     * Returns the contents of this member's source before the call, in place as blocks of the memory of both.
     */
    List<Oracle.Block> source()
    {
        final List<Oracle.Block> blocks = new ArrayList<>();
        final long[] counts = sourceCounts();
        final long[] positions = isSourceInDest() ? new long[]{destPositions()[me]} : sourcePositions();
        for (int i = 0; i < counts.length && test.hasSource(me == root); i++)
        {
            blocks.add(block(positions[i], counts[i], me, i));
        }

        return blocks;
    }

    /**
     * Returns what the call leaves in this member's dest, in place as blocks of the memory of both.
     */
    List<Oracle.Block> dest()
    {
        final List<Oracle.Block> blocks = new ArrayList<>();
        if (!test.hasDest(me == root))
        {
            return blocks;
        }

        final long[] counts = destCounts();
        final long[] positions = isDestInSource() ? new long[]{sourcePositions()[me]} : destPositions();
        for (int i = 0; i < counts.length; i++)
        {
            blocks.add(switch (test.collective())
            {
                case BROADCAST -> block(positions[i], counts[i], root, 0);
                case SCATTER, SCATTERV -> block(positions[i], counts[i], root, me);
                case ALLGATHER, ALLGATHERV, GATHER, GATHERV -> block(positions[i], counts[i], i, 0);
                case ALLTOALL, ALLTOALLV -> block(positions[i], counts[i], i, me);
                case REDUCE_SCATTER, REDUCE_SCATTERV -> combined(positions[i], counts[i], size, me);
                case INCLUSIVE_SCAN -> combined(positions[i], counts[i], me + 1, 0);
                case EXCLUSIVE_SCAN -> combined(positions[i], counts[i], me, 0);
                default -> combined(positions[i], counts[i], size, 0);
            });
        }

        return blocks;
    }

    private int period()
    {
        return test.isOfPairs() ? 2 * Inputs.PERIOD : Inputs.PERIOD;
    }

    private Oracle.Block block(final long first, final long elements, final int rank, final int block)
    {
        final int length = (int)Math.min(elements, period());
        final ByteBuffer ring = ring(length);
        for (int i = 0; i < length; i++)
        {
            element(rank, block, i).store(test.type(), ring, i * test.type().bytes());
        }

        return new Oracle.Block(first, 1, elements, ring.array());
    }

    private Oracle.Block combined(final long first, final long elements, final int ranks, final int block)
    {
        final int length = (int)Math.min(elements, period());
        final ByteBuffer ring = ring(length);
        final int bytes = test.type().bytes();
        for (int i = 0; i < length; i += test.isOfPairs() ? 2 : 1)
        {
            if (test.isOfPairs())
            {
                final Value[] best = best(ranks, block, i);
                best[0].store(test.type(), ring, i * bytes);
                best[1].store(test.type(), ring, (i + 1) * bytes);
                continue;
            }

            final Value[] values = new Value[ranks];
            for (int rank = 0; rank < ranks; rank++)
            {
                values[rank] = element(rank, block, i);
            }

            Value value = Oracle.combined(test.op(), test.type(), values);
            if (Collective.INCLUSIVE_SCAN != test.collective() && Collective.EXCLUSIVE_SCAN != test.collective())
            {
                value = Arithmetic.finish(test.op(), test.type(), value, size);
            }

            value.store(test.type(), ring, i * bytes);
        }

        return new Oracle.Block(first, 1, elements, ring.array());
    }

    /** Returns value and place of the best pair of all members. */
    private Value[] best(final int ranks, final int block, final int i)
    {
        Value[] best = {element(0, block, i), element(0, block, i + 1)};
        for (int rank = 1; rank < ranks; rank++)
        {
            final Value[] next = {element(rank, block, i), element(rank, block, i + 1)};
            final int order = Arithmetic.compare(test.op(), test.type(), next[0], best[0]);
            if (order > 0 || 0 == order && Arithmetic.compare(test.type(), next[1], best[1]) < 0)
            {
                best = next;
            }
        }

        return best;
    }

    private Value element(final int rank, final int block, final int i)
    {
        return Inputs.at(test.type(), test.op(), seed, members[rank], block * BLOCK_DISTANCE + i);
    }

    private ByteBuffer ring(final int elements)
    {
        return ByteBuffer.allocate(elements * test.type().bytes()).order(ByteOrder.LITTLE_ENDIAN);
    }
}
