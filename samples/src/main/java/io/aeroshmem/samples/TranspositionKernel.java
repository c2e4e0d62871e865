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

import io.aeroshmem.ElementType;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

/**
 * The transposition of the {@link ParallelKernels}. Each iteration adds the transpose of one matrix to another, and
 * then increments each element of the first matrix. The columns of both matrices are divided between the PEs. The PEs
 * exchange blocks by alltoall.
 * <p>
 * Two destination buffers alternate, so that no block is overwritten before it has been read: another PE writes to a
 * buffer of this PE again only two iterations later. Before that, the other PE waits for this PE's blocks of the
 * iteration in between. This PE sends these blocks only after it has read the buffer.
 */
final class TranspositionKernel implements ParallelKernels.Kernel
{
    private final Shmem shmem;
    private final int columns;
    private final int side;
    private final int firstColumn;
    /** Column by column. */
    private final double[] matrix;
    /** Row by row. */
    private final double[] transposed;
    private final double[] moved;
    private final SymmetricBuffer source;
    private final SymmetricBuffer[] dests = new SymmetricBuffer[2];

    /** @param columns of each PE. */
    TranspositionKernel(final Shmem shmem, final int columns)
    {
        this.shmem = shmem;
        this.columns = columns;
        side = columns * shmem.nPes();
        firstColumn = columns * shmem.myPe();
        matrix = new double[side * columns];
        transposed = new double[side * columns];
        moved = new double[side * columns];
        for (int column = 0; column < columns; column++)
        {
            for (int row = 0; row < side; row++)
            {
                matrix[column * side + row] = initial(row, firstColumn + column);
            }
        }

        source = shmem.malloc((long)side * columns * Double.BYTES);
        dests[0] = shmem.malloc((long)side * columns * Double.BYTES);
        dests[1] = shmem.malloc((long)side * columns * Double.BYTES);
    }

    private double initial(final int row, final int column)
    {
        return (double)side * column + row;
    }

    @Override
    public void iterate(final int iteration)
    {
        final int block = columns * columns;
        for (int pe = 0; pe < shmem.nPes(); pe++)
        {
            for (int column = 0; column < columns; column++)
            {
                System.arraycopy(
                    matrix, column * side + pe * columns, moved, pe * block + column * columns, columns);
            }
        }

        source.putDoubles(0, moved, 0, moved.length);
        final SymmetricBuffer dest = dests[iteration & 1];
        shmem.world().alltoall(ElementType.DOUBLE, dest, source, block);
        dest.getDoubles(0, moved, 0, moved.length);
        for (int i = 0; i < moved.length; i++)
        {
            transposed[i] += moved[i];
            matrix[i]++;
        }
    }

    @Override
    public double work()
    {
        return 2.0 * Double.BYTES * side * side;
    }

    @Override
    public double error(final int iterations)
    {
        double error = 0;
        for (int row = 0; row < side; row++)
        {
            for (int column = 0; column < columns; column++)
            {
                final double expected = iterations * initial(firstColumn + column, row) +
                    iterations * (iterations - 1) / 2.0;
                error = Math.max(error, Math.abs(transposed[row * columns + column] - expected));
            }
        }

        return error / iterations;
    }

    @Override
    public void free()
    {
        shmem.free(dests[1]);
        shmem.free(dests[0]);
        shmem.free(source);
    }
}
