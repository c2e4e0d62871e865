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
package io.aeroshmem.collective.call;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;

import java.util.Arrays;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * One PE's side of the calls, with its buffers. Element {@code i} of a PE's source is a function of both.
 */
final class RoutineChecks
{
    private static final long GAP = Long.MIN_VALUE;

    private final Team team;
    private final int size;
    private final int me;
    private final int maxStride;
    private final SymmetricBuffer source;
    private final SymmetricBuffer dest;
    /** What is stored or was loaded, as a whole: one element at a time takes most of the time of a test. */
    private long[] elements = {};

    /**
     * Allocate buffers, with the other PEs.
     *
     * @param shmem     this PE.
     * @param team      that makes the calls.
     * @param maxCount  most elements of a block.
     * @param maxStride most elements from one to the next in {@link #alltoall}.
     */
    RoutineChecks(final Shmem shmem, final Team team, final int maxCount, final int maxStride)
    {
        this(
            team,
            maxStride,
            shmem.malloc((long)team.nPes() * maxCount * maxStride * Long.BYTES),
            shmem.malloc((long)team.nPes() * maxCount * maxStride * Long.BYTES));
    }

    /**
     * Share buffers with other teams of the PE.
     *
     * @param team      that makes the calls.
     * @param maxStride most elements from one to the next in {@link #alltoall}.
     * @param source    of a block for each member, so far apart.
     * @param dest      of the same length.
     */
    RoutineChecks(final Team team, final int maxStride, final SymmetricBuffer source, final SymmetricBuffer dest)
    {
        this.team = team;
        this.maxStride = maxStride;
        this.source = source;
        this.dest = dest;
        size = team.nPes();
        me = team.myPe();
    }

    void broadcast(final int count)
    {
        for (int call = 0; call < 2 * size; call++)
        {
            final boolean isInPlace = call >= size;
            final int root = (call * 3 + 1) % size;
            final SymmetricBuffer from = isInPlace ? dest : source;
            fill(dest, count, -1);
            fill(from, count, isInPlace && me != root ? -1 : me);

            team.broadcast(ElementType.LONG, dest, from, count, root);

            load(dest, count);
            for (int i = 0; i < count; i++)
            {
                check(value(root, i), i, "broadcast");
            }
        }
    }

    void perform(final int routine, final int count)
    {
        switch (routine)
        {
            case 0:
                broadcast(count);
                break;
            case 1:
                alltoall(count, 1, 1);
                break;
            case 2:
                alltoall(count, maxStride, 2);
                break;
            case 3:
                collect(count);
                break;
            case 4:
                reduceScatter(count);
                break;
            case 5:
                scan(count);
                break;
            default:
                reduce(count);
                break;
        }
    }

    /**
     * Blocks of one length, and of lengths that differ: among them none, and one that has all elements.
     */
    void collect(final int count)
    {
        fill(source, count, me);
        team.fcollect(ElementType.LONG, dest, source, count);
        load(dest, size * count);
        for (int i = 0; i < size * count; i++)
        {
            check(value(i / count, i % count), i, "fcollect");
        }

        team.collect(ElementType.LONG, dest, source, count(count, me));
        load(dest, size * count);
        int at = 0;
        for (int pe = 0; pe < size; pe++)
        {
            for (int i = 0; i < count(count, pe); i++)
            {
                check(value(pe, i), at++, "collect");
            }
        }

        final int giver = count % size;
        team.collect(ElementType.LONG, dest, source, giver == me ? count : 0);
        load(dest, count);
        for (int i = 0; i < count; i++)
        {
            check(value(giver, i), i, "collect");
        }
    }

    private static int count(final int count, final int pe)
    {
        return count * ((5 * pe + 2) % 4) / 4;
    }

    void reduce(final int count)
    {
        for (int call = 0; call < 2; call++)
        {
            final SymmetricBuffer to = 0 == call ? dest : source;
            fill(source, count, me);
            team.reduce(ReduceOp.SUM, ElementType.DOUBLE, to, source, count);
            load(to, count);
            for (int i = 0; i < count; i++)
            {
                check(tree(0, size, i), i, "reduce");
            }

            fill(source, count, me);
            team.reduce(ReduceOp.SUM, ElementType.LONG, to, source, count);
            load(to, count);
            for (int i = 0; i < count; i++)
            {
                long expected = 0;
                for (int pe = 0; pe < size; pe++)
                {
                    expected += value(pe, i);
                }

                check(expected, i, "reduce");
            }
        }
    }

    void alltoall(final int count, final int destStride, final int sourceStride)
    {
        final int all = size * count;
        Arrays.fill(room(all * Math.max(sourceStride, destStride)), GAP);
        store(dest, all * destStride);
        for (int i = 0; i < all; i++)
        {
            elements[i * sourceStride] = value(me, i);
        }

        store(source, all * sourceStride);

        if (1 == destStride && 1 == sourceStride)
        {
            team.alltoall(ElementType.LONG, dest, source, count);
        }
        else
        {
            team.alltoalls(ElementType.LONG, dest, source, destStride, sourceStride, count);
        }

        load(dest, all * destStride);
        for (int i = 0; i < all * destStride; i++)
        {
            final int element = i / destStride;
            final long expected = 0 == i % destStride ?
                value(element / count, me * count + element % count) : GAP;
            check(expected, i, "alltoall");
        }
    }

    void reduceScatter(final int count)
    {
        for (int call = 0; call < 2; call++)
        {
            final SymmetricBuffer to = 0 == call ? dest : source;
            fill(source, size * count, me);

            team.reduceScatter(ReduceOp.SUM, ElementType.DOUBLE, to, source, count);

            load(to, count);
            for (int i = 0; i < count; i++)
            {
                check(tree(0, size, me * count + i), i, "reduceScatter");
            }
        }
    }

    void scan(final int count)
    {
        for (int call = 0; call < 4; call++)
        {
            final SymmetricBuffer to = call < 2 ? dest : source;
            final boolean isInclusive = 0 == call % 2;
            fill(source, count, me);

            if (isInclusive)
            {
                team.inclusiveScan(ReduceOp.SUM, ElementType.DOUBLE, to, source, count);
            }
            else
            {
                team.exclusiveScan(ReduceOp.SUM, ElementType.DOUBLE, to, source, count);
            }

            final int operands = isInclusive ? me + 1 : me;
            load(to, count);
            for (int i = 0; i < count; i++)
            {
                check(0 == operands ? 0.0 : tree(0, operands, i), i, "scan");
            }
        }
    }

    private void fill(final SymmetricBuffer buffer, final int count, final int pe)
    {
        final long[] values = room(count);
        for (int i = 0; i < count; i++)
        {
            values[i] = value(pe, i);
        }

        store(buffer, count);
    }

    private void store(final SymmetricBuffer buffer, final int count)
    {
        buffer.byteBuffer().asLongBuffer().put(elements, 0, count);
    }

    private void load(final SymmetricBuffer buffer, final int count)
    {
        buffer.byteBuffer().asLongBuffer().get(room(count), 0, count);
    }

    private long[] room(final int count)
    {
        if (elements.length < count)
        {
            elements = new long[count];
        }

        return elements;
    }

    /** Checks a loaded element. */
    private void check(final long expected, final int i, final String routine)
    {
        if (expected != elements[i])
        {
            assertEquals(expected, elements[i], () -> routine + ", element " + i);
        }
    }

    /** Checks a loaded element, whose zero has a sign. */
    private void check(final double expected, final int i, final String routine)
    {
        check(Double.doubleToRawLongBits(expected), i, routine);
    }

    /**
     * The bits of a double between 1 and 2, so that sums are rounded.
     */
    private static long value(final int pe, final int i)
    {
        final long mixed = (31L * pe + i + 1) * 0x9E3779B97F4A7C15L;
        return 0x3FF0000000000000L | (mixed >>> 12);
    }

    /**
     * The canonical tree, by its definition.
     */
    private static double tree(final int first, final int operands, final int i)
    {
        if (1 == operands)
        {
            return Double.longBitsToDouble(value(first, i));
        }

        final int left = Integer.highestOneBit(operands - 1);
        return tree(first, left, i) + tree(first + left, operands - left, i);
    }
}
