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
 * The wavefront of the {@link ParallelKernels}. Each point outside the first row and the first column is the sum of the
 * points above it and to its left, less the point diagonally above it to the left.
 * <p>
 * Columns are divided between the PEs. Before a PE computes a row, it waits for the last point of that row on the PE to
 * the left. That PE sends the point by a put with signal. After an iteration, the first point of the grid becomes the
 * negated last point. This makes the last point grow by {@code 2 * (side - 1)} in each iteration.
 * <p>
 * A PE receives the point of a row in the same word in all iterations. The word is not overwritten too early: the first
 * PE begins the next iteration only when the last PE has computed its last row, after all have read all points.
 */
final class WavefrontKernel implements ParallelKernels.Kernel
{
    private final Shmem shmem;
    private final CommunicationContext ctx;
    private final int me;
    private final int last;
    private final int columns;
    private final int side;
    private final double[] grid;
    /** Points of the column to the left, and behind them the first point. */
    private final SymmetricBuffer left;
    private final SymmetricBuffer point;
    /** Rows of the PE to the left in all iterations, and iterations of the last PE. */
    private final SymmetricBuffer signals;

    /** @param columns of each PE. */
    WavefrontKernel(final Shmem shmem, final int columns)
    {
        if (columns < 2)
        {
            throw new IllegalArgumentException("a PE must have 2 columns or more: columns=" + columns);
        }

        this.shmem = shmem;
        this.columns = columns;
        ctx = shmem.defaultContext();
        me = shmem.myPe();
        last = shmem.nPes() - 1;
        side = columns * shmem.nPes();
        grid = new double[side * columns];
        for (int column = 0; column < columns; column++)
        {
            grid[column] = me * columns + column;
        }

        for (int row = 0; 0 == me && row < side; row++)
        {
            grid[row * columns] = row;
        }

        left = shmem.malloc((side + 1L) * Double.BYTES);
        left.putDouble(0, me * columns - 1);
        point = shmem.malloc(Double.BYTES);
        signals = shmem.calloc(2, Long.BYTES);
        shmem.barrierAll();
    }

    @Override
    public void iterate(final int iteration)
    {
        if (0 == me && iteration > 0)
        {
            shmem.signalWaitUntil(signals, Long.BYTES, Comparison.GE, iteration);
            grid[0] = left.getDouble((long)side * Double.BYTES);
        }

        for (int row = 1; row < side; row++)
        {
            final long number = (long)iteration * (side - 1) + row;
            if (me > 0)
            {
                shmem.signalWaitUntil(signals, 0, Comparison.GE, number);
                final double above = left.getDouble((row - 1L) * Double.BYTES);
                final int at = row * columns;
                grid[at] = grid[at - columns] + left.getDouble((long)row * Double.BYTES) - above;
            }

            computeRow(row * columns);
            if (me < last)
            {
                send(grid[row * columns + columns - 1], row, 0, number, me + 1);
            }
        }

        if (last == me)
        {
            send(-grid[side * columns - 1], side, Long.BYTES, iteration + 1, 0);
        }
    }

    private void computeRow(final int first)
    {
        for (int i = first + 1; i < first + columns; i++)
        {
            grid[i] = grid[i - columns] + grid[i - 1] - grid[i - columns - 1];
        }
    }

    private void send(final double value, final int index, final long signalOffset, final long number, final int pe)
    {
        point.putDouble(0, value);
        ctx.putSignal(
            left, (long)index * Double.BYTES, point, 0, Double.BYTES, signals, signalOffset, number, SignalOp.SET, pe);
    }

    @Override
    public double work()
    {
        return 2.0 * (side - 1) * (side - 1);
    }

    @Override
    public double error(final int iterations)
    {
        final double expected = iterations * 2.0 * (side - 1);
        return last == me ? Math.abs(grid[side * columns - 1] - expected) / expected : 0;
    }

    @Override
    public void free()
    {
        shmem.free(signals);
        shmem.free(point);
        shmem.free(left);
    }
}
