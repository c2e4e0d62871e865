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
import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;

/**
 * The stencil of the {@link ParallelKernels}. Each iteration adds to each inner point of the output a weighted sum of
 * the input points around it. Then it adds 1 to each point of the input. The input is linear, so the weighted sum is
 * the same at every point and in every iteration: the sum of the slopes in the two directions.
 * <p>
 * The rows of the grid are divided between the PEs. A PE puts its outermost rows into memory of its neighbours,
 * followed by a signal. Even and odd iterations use separate halves of this memory, so rows are overwritten only by the
 * rows of two iterations later. The sender sends these later rows only when it has received the receiver's rows of the
 * iteration in between. The receiver sent its rows of that iteration after it had read the old rows, so no row is
 * overwritten too early.
 */
final class StencilKernel implements ParallelKernels.Kernel
{
    private static final int RADIUS = 2;
    private static final double SLOPE = 1;
    private static final int ABOVE = 0;
    private static final int BELOW = 1;

    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final int rows;
    private final int side;
    private final int firstRow;
    /** The PE's rows, with the neighbours' outermost ones before and after them. */
    private final double[] in;
    private final double[] out;
    private final double[] weights = new double[RADIUS + 1];
    private final SymmetricBuffer halo;
    private final SymmetricBuffer signals;

    /** @param rows of each PE. */
    StencilKernel(final Shmem shmem, final int rows)
    {
        if (rows < RADIUS)
        {
            throw new IllegalArgumentException("a PE must have " + RADIUS + " rows or more: rows=" + rows);
        }

        this.shmem = shmem;
        this.rows = rows;
        ctx = shmem.defaultContext();
        side = rows * shmem.nPes();
        firstRow = rows * shmem.myPe();
        in = new double[(rows + 2 * RADIUS) * side];
        out = new double[rows * side];
        for (int i = 1; i <= RADIUS; i++)
        {
            weights[i] = 1.0 / (2 * i * RADIUS);
        }

        for (int row = 0; row < rows; row++)
        {
            for (int column = 0; column < side; column++)
            {
                in[at(row, column)] = SLOPE * (firstRow + row) + SLOPE * column;
            }
        }

        halo = shmem.malloc(4L * haloBytes());
        signals = shmem.calloc(2, Long.BYTES);
    }

    private int at(final int row, final int column)
    {
        return (row + RADIUS) * side + column;
    }

    private long haloBytes()
    {
        return (long)RADIUS * side * Double.BYTES;
    }

    @Override
    public void iterate(final int iteration)
    {
        final int me = shmem.myPe();
        final long copy = (iteration & 1) * 2 * haloBytes();
        final boolean hasAbove = me > 0;
        final boolean hasBelow = me < shmem.nPes() - 1;
        if (hasAbove)
        {
            send(at(0, 0), copy, BELOW, iteration, me - 1);
        }

        if (hasBelow)
        {
            send(at(rows - RADIUS, 0), copy, ABOVE, iteration, me + 1);
        }

        if (hasAbove)
        {
            receive(at(-RADIUS, 0), copy, ABOVE, iteration);
        }

        if (hasBelow)
        {
            receive(at(rows, 0), copy, BELOW, iteration);
        }

        compute();
    }

    private void send(final int from, final long copy, final int place, final int iteration, final int pe)
    {
        ctx.put(halo, copy + place * haloBytes(), in, from, RADIUS * side, pe);
        ctx.fence(pe);
        ctx.signal(signals, (long)place * Long.BYTES, iteration + 1, SignalOp.SET, pe);
    }

    private void receive(final int to, final long copy, final int place, final int iteration)
    {
        shmem.signalWaitUntil(signals, (long)place * Long.BYTES, Comparison.GE, iteration + 1);
        halo.getDoubles(copy + place * haloBytes(), in, to, RADIUS * side);
    }

    private void compute()
    {
        final int end = Math.min(rows, side - RADIUS - firstRow);
        for (int row = Math.max(0, RADIUS - firstRow); row < end; row++)
        {
            for (int column = RADIUS; column < side - RADIUS; column++)
            {
                final int centre = at(row, column);
                double sum = 0;
                for (int i = 1; i <= RADIUS; i++)
                {
                    sum += weights[i] * (in[centre + i] - in[centre - i] +
                        in[centre + i * side] - in[centre - i * side]);
                }

                out[row * side + column] += sum;
            }
        }

        for (int i = at(0, 0); i < at(rows, 0); i++)
        {
            in[i]++;
        }
    }

    @Override
    public double work()
    {
        final int points = 4 * RADIUS + 1;
        return (2.0 * points + 1) * (side - 2 * RADIUS) * (side - 2 * RADIUS);
    }

    @Override
    public double error(final int iterations)
    {
        final double expected = iterations * 2 * SLOPE;
        double error = 0;
        for (int row = 0; row < rows; row++)
        {
            final boolean isInside = firstRow + row >= RADIUS && firstRow + row < side - RADIUS;
            for (int column = 0; column < side; column++)
            {
                final boolean isActive = isInside && column >= RADIUS && column < side - RADIUS;
                error = Math.max(error, Math.abs(out[row * side + column] - (isActive ? expected : 0)));
            }
        }

        return error / expected;
    }

    @Override
    public void free()
    {
        shmem.free(signals);
        shmem.free(halo);
    }
}
