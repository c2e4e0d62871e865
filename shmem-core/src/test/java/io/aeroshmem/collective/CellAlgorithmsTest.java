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
package io.aeroshmem.collective;

import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * The algorithms that move blocks through cells, each by itself: teams of many sizes, blocks of less than a cell and
 * of many, in place where that is allowed.
 */
@Timeout(120)
class CellAlgorithmsTest
{
    private static final int[] COUNTS = {0, 1, 2, 7, 30, 31, 1000, 3001};
    private static final int MAX_COUNT = 3001;
    private static final int MAX_STRIDE = 3;

    @ParameterizedTest
    @CsvSource({
        "1, MAPPED", "2, MAPPED", "3, MAPPED", "4, MAPPED", "5, MAPPED", "6, MAPPED", "7, MAPPED", "8, MAPPED",
        "9, MAPPED", "16, MAPPED", "1, IPC", "2, IPC", "3, IPC", "5, IPC", "8, IPC"})
    void shouldPerformRoutinesFlat(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport)
            .algorithm("alltoall", "flat")
            .algorithm("alltoalls", "flat")
            .algorithm("collect", "flat")
            .algorithm("reduce", "flat")
            .algorithm("reduce_scatter", "flat")
            .algorithm("scan", "flat");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final Fixture fixture = new Fixture(shmem);
            for (final int count : COUNTS)
            {
                fixture.alltoall(count, 1, 1);
                fixture.alltoall(count, 2, MAX_STRIDE);
                fixture.collect(count);
                fixture.reduce(count);
                fixture.reduceScatter(count);
                fixture.scan(count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, MAPPED", "2, MAPPED", "3, MAPPED", "4, MAPPED", "5, MAPPED", "6, MAPPED", "7, MAPPED", "8, MAPPED",
        "9, MAPPED", "16, MAPPED", "1, IPC", "2, IPC", "3, IPC", "5, IPC", "8, IPC", "9, IPC"})
    void shouldPerformRoutinesInRounds(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport)
            .algorithm("alltoall", "bruck")
            .algorithm("alltoalls", "bruck")
            .algorithm("broadcast", "binomial")
            .algorithm("collect", "bruck")
            .algorithm("reduce", "recursive_doubling");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final Fixture fixture = new Fixture(shmem);
            for (final int count : COUNTS)
            {
                fixture.broadcast(count);
                fixture.alltoall(count, 1, 1);
                fixture.alltoall(count, 2, MAX_STRIDE);
                fixture.collect(count);
                fixture.reduce(count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "1, MAPPED", "2, MAPPED", "3, MAPPED", "4, MAPPED", "5, MAPPED", "6, MAPPED", "7, MAPPED", "8, MAPPED",
        "9, MAPPED", "16, MAPPED", "1, IPC", "2, IPC", "3, IPC", "5, IPC", "8, IPC", "9, IPC"})
    void shouldReduceUpAndDownTree(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport).algorithm("reduce", "binomial");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final Fixture fixture = new Fixture(shmem);
            for (final int count : COUNTS)
            {
                fixture.reduce(count);
                fixture.broadcast(count);
            }
        });
    }

    /**
     * Cells that are acknowledged and cells that are not follow each other on the same lanes.
     */
    @ParameterizedTest
    @CsvSource({"2, MAPPED", "3, MAPPED", "6, MAPPED", "8, MAPPED", "3, IPC", "6, IPC"})
    void shouldMixAlgorithms(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport)
            .algorithm("alltoall", "bruck")
            .algorithm("collect", "bruck")
            .algorithm("reduce", "recursive_doubling");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final Fixture fixture = new Fixture(shmem);
            final Random random = new Random(42);
            for (int i = 0; i < 2000; i++)
            {
                final int count = random.nextInt(10) == 0 ? random.nextInt(200) : 1 + random.nextInt(4);
                fixture.perform(random.nextInt(7), count);
            }
        });
    }

    @ParameterizedTest
    @CsvSource({"2, MAPPED", "5, MAPPED", "5, IPC"})
    void shouldLetFastRootBroadcastToSlowLeaf(final int nPes, final TransportKind transport) throws Exception
    {
        final Shmem.Context config = config(nPes, transport).algorithm("broadcast", "binomial");
        Shmem.runLocal(nPes, config, (shmem) ->
        {
            final SymmetricBuffer source = shmem.malloc(Long.BYTES);
            final SymmetricBuffer dest = shmem.malloc(Long.BYTES);
            for (int i = 1; i <= 10_000; i++)
            {
                source.putLong(0, i);
                shmem.world().broadcast(ElementType.LONG, dest, source, 1, 0);
                assertEquals(i, dest.getLong(0));
                if (shmem.myPe() == nPes - 1 && 0 == i % 1000)
                {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                }
            }
        });
    }

    private static Shmem.Context config(final int nPes, final TransportKind transport)
    {
        return new Shmem.Context()
            .transport(transport)
            .heapSize(3L * nPes * MAX_COUNT * MAX_STRIDE * Long.BYTES + (1 << 20))
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
    }

    /**
     * One PE's side of the calls, with its buffers. Element {@code i} of a PE's source is a function of both.
     */
    private static final class Fixture
    {
        private static final long GAP = Long.MIN_VALUE;

        private final Team team;
        private final int size;
        private final int me;
        private final SymmetricBuffer source;
        private final SymmetricBuffer dest;

        Fixture(final Shmem shmem)
        {
            team = shmem.world();
            size = team.nPes();
            me = team.myPe();
            source = shmem.malloc((long)size * MAX_COUNT * MAX_STRIDE * Long.BYTES);
            dest = shmem.malloc((long)size * MAX_COUNT * MAX_STRIDE * Long.BYTES);
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

                for (int i = 0; i < count; i++)
                {
                    assertEquals(value(root, i), dest.getLong(i * Long.BYTES), "broadcast");
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
                    alltoall(count, MAX_STRIDE, 2);
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
            for (int i = 0; i < size * count; i++)
            {
                assertEquals(value(i / count, i % count), dest.getLong(i * Long.BYTES), "fcollect");
            }

            team.collect(ElementType.LONG, dest, source, count(count, me));
            int at = 0;
            for (int pe = 0; pe < size; pe++)
            {
                for (int i = 0; i < count(count, pe); i++)
                {
                    assertEquals(value(pe, i), dest.getLong(at++ * Long.BYTES), "collect");
                }
            }

            final int giver = count % size;
            team.collect(ElementType.LONG, dest, source, giver == me ? count : 0);
            for (int i = 0; i < count; i++)
            {
                assertEquals(value(giver, i), dest.getLong(i * Long.BYTES), "collect");
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
                for (int i = 0; i < count; i++)
                {
                    assertEquals(tree(0, size, i), to.getDouble(i * Long.BYTES), 0, "reduce");
                }

                fill(source, count, me);
                team.reduce(ReduceOp.SUM, ElementType.LONG, to, source, count);
                for (int i = 0; i < count; i++)
                {
                    long expected = 0;
                    for (int pe = 0; pe < size; pe++)
                    {
                        expected += value(pe, i);
                    }
                    assertEquals(expected, to.getLong(i * Long.BYTES), "reduce");
                }
            }
        }

        void alltoall(final int count, final int destStride, final int sourceStride)
        {
            final int elements = size * count;
            for (int i = 0; i < elements * sourceStride; i++)
            {
                source.putLong(i * Long.BYTES, 0 == i % sourceStride ? value(me, i / sourceStride) : GAP);
            }
            for (int i = 0; i < elements * destStride; i++)
            {
                dest.putLong(i * Long.BYTES, GAP);
            }

            if (1 == destStride && 1 == sourceStride)
            {
                team.alltoall(ElementType.LONG, dest, source, count);
            }
            else
            {
                team.alltoalls(ElementType.LONG, dest, source, destStride, sourceStride, count);
            }

            for (int i = 0; i < elements * destStride; i++)
            {
                final int element = i / destStride;
                final long expected = 0 == i % destStride ?
                    value(element / count, me * count + element % count) : GAP;
                assertEquals(expected, dest.getLong(i * Long.BYTES), "alltoall");
            }
        }

        void reduceScatter(final int count)
        {
            for (int call = 0; call < 2; call++)
            {
                final SymmetricBuffer to = 0 == call ? dest : source;
                fill(source, size * count, me);

                team.reduceScatter(ReduceOp.SUM, ElementType.DOUBLE, to, source, count);

                for (int i = 0; i < count; i++)
                {
                    final double expected = tree(0, size, me * count + i);
                    assertEquals(expected, to.getDouble(i * Long.BYTES), 0, "reduceScatter");
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
                for (int i = 0; i < count; i++)
                {
                    final double expected = 0 == operands ? 0.0 : tree(0, operands, i);
                    assertEquals(expected, to.getDouble(i * Long.BYTES), 0, "scan");
                }
            }
        }

        private static void fill(final SymmetricBuffer buffer, final int count, final int pe)
        {
            for (int i = 0; i < count; i++)
            {
                buffer.putLong(i * Long.BYTES, value(pe, i));
            }
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
}
