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
package io.aeroshmem.tools.latency;

import io.aeroshmem.ReduceOp;
import io.aeroshmem.samples.KeyExchange;
import io.aeroshmem.samples.RandomAccess;

/**
 * Measuring loops of the workloads of the sample {@code Workloads}. All PEs take part, and the time is measured from
 * one barrier to the next. The results, including those of the warm-up calls, are checked outside the measured time.
 */
final class WorkloadLoops
{
    /** Number of elements that a PE draws at random; a longer loop repeats them. */
    private static final int ELEMENTS = 1 << 20;
    /** Keys that a PE exchanges at once. */
    private static final int KEYS = 1 << 21;

    /** Length of the buffers of random access: for the table, and for the elements that are read. */
    static final long ACCESS_BYTES = Math.max(RandomAccess.TABLE_BYTES, (long)ELEMENTS * Long.BYTES);

    /** Length of the buffers of the exchange of keys. */
    static final long EXCHANGE_BYTES = KeyExchange.receivedBytes(KEYS);

    private WorkloadLoops()
    {
    }

    static long histo(final MeasurementTarget target, final long[] samples, final int count)
    {
        return measure(target, count, Histo::new);
    }

    static long gups(final MeasurementTarget target, final long[] samples, final int count)
    {
        return measure(target, count, Gups::new);
    }

    static long indexGather(final MeasurementTarget target, final long[] samples, final int count)
    {
        return measure(target, count, IndexGather::new);
    }

    static long intSort(final MeasurementTarget target, final long[] samples, final int count)
    {
        return measure(target, count, IntSort::new);
    }

    private static long measure(final MeasurementTarget target, final int count, final Factory factory)
    {
        if (null == target.workload)
        {
            target.workload = factory.newWorkload(target);
            target.shmem.barrierAll();
        }

        return target.workload.perform(count);
    }

    /** Creates a workload in the buffers of a {@link MeasurementTarget}. */
    @FunctionalInterface
    private interface Factory
    {
        Workload newWorkload(MeasurementTarget target);
    }

    /** Base of the workloads that access a table. The table is in the buffer {@link MeasurementTarget#dest}. */
    private abstract static class Access implements Workload
    {
        final MeasurementTarget target;
        final RandomAccess access;
        private int position;

        Access(final MeasurementTarget target)
        {
            this.target = target;
            access = new RandomAccess(target.shmem, target.dest, ELEMENTS);
            access.draw(0);
        }

        @Override
        public final long perform(final int count)
        {
            final int first = position;
            target.shmem.barrierAll();
            final long startNs = System.nanoTime();
            int left = count;
            while (left > 0)
            {
                final int length = Math.min(left, ELEMENTS - position);
                perform(position, position + length);
                position = (position + length) % ELEMENTS;
                left -= length;
            }

            target.ctx.quiet();
            target.shmem.barrierAll();
            final long ns = System.nanoTime() - startNs;
            performed(first, count);
            return ns;
        }

        abstract void perform(int from, int to);

        abstract void performed(int first, int count);
    }

    /** Increments of random elements. The sum of the table must be the number of increments. */
    private static final class Histo extends Access
    {
        private long performed;

        Histo(final MeasurementTarget target)
        {
            super(target);
            access.clear();
        }

        @Override
        void perform(final int from, final int to)
        {
            access.increment(from, to);
        }

        @Override
        void performed(final int first, final int count)
        {
            performed += count;
        }

        @Override
        public boolean isRight()
        {
            return 0 == target.shmem.world().reduceLong(ReduceOp.SUM, access.sum() - performed);
        }
    }

    /**
     * Updates that combine random elements with values by exclusive or. In the end, the exclusive or of all elements
     * must be that of all initial elements and all values.
     */
    private static final class Gups extends Access
    {
        private long expected;

        Gups(final MeasurementTarget target)
        {
            super(target);
            access.fillWithIndices();
            expected = access.xor();
        }

        @Override
        void perform(final int from, final int to)
        {
            access.combine(from, to);
        }

        @Override
        void performed(final int first, final int count)
        {
            int position = first;
            int left = count;
            while (left > 0)
            {
                final int length = Math.min(left, ELEMENTS - position);
                expected ^= access.combined(position, position + length);
                position = (position + length) % ELEMENTS;
                left -= length;
            }
        }

        @Override
        public boolean isRight()
        {
            return 0 == target.shmem.world().reduceLong(ReduceOp.XOR, access.xor() ^ expected);
        }
    }

    /** Reads of random elements. The value of each element must be its index. */
    private static final class IndexGather extends Access
    {
        private boolean isRight = true;

        IndexGather(final MeasurementTarget target)
        {
            super(target);
            access.fillWithIndices();
        }

        @Override
        void perform(final int from, final int to)
        {
            access.gather(target.source, from, to);
        }

        @Override
        void performed(final int first, final int count)
        {
            final int end = first + Math.min(count, ELEMENTS);
            isRight &= access.isGathered(target.source, first, Math.min(end, ELEMENTS)) &&
                access.isGathered(target.source, 0, Math.max(0, end - ELEMENTS));
        }

        @Override
        public boolean isRight()
        {
            return 0 == target.shmem.world().reduceLong(ReduceOp.SUM, isRight ? 0 : 1);
        }
    }

    /** Exchanges of keys. Each key must arrive at the PE that owns its range. */
    private static final class IntSort implements Workload
    {
        private final MeasurementTarget target;
        private final KeyExchange exchange;
        private long missing;
        private boolean isInRange = true;
        private int round;

        IntSort(final MeasurementTarget target)
        {
            this.target = target;
            exchange = new KeyExchange(target.shmem, KEYS, target.source, target.dest, target.signal);
        }

        @Override
        public long perform(final int count)
        {
            long ns = 0;
            for (int left = count; left > 0; left -= KEYS)
            {
                final int length = Math.min(left, KEYS);
                exchange.draw(round++, length);
                ns += exchange.exchange();
                missing += length - exchange.received();
                isInRange &= exchange.isInRange();
            }

            target.shmem.barrierAll();
            return ns;
        }

        @Override
        public boolean isRight()
        {
            return 0 == target.shmem.world().reduceLong(ReduceOp.SUM, missing) &&
                0 == target.shmem.world().reduceLong(ReduceOp.SUM, isInRange ? 0 : 1);
        }
    }
}
