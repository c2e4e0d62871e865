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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sample of a stencil in two dimensions. The rows of the grid are divided between the PEs. The kernel
 * {@code device_halo} in {@code device_samples.cu} runs all iterations, and itself exchanges the border rows with the
 * neighbouring PEs. The host fills the grid, waits for the kernel, and compares the result with its own computation.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.DeviceHalo [--device N] [--by-address]
 * </pre>
 */
public final class DeviceHalo
{
    /** Rows of a PE. */
    private static final int ROWS = 12;
    private static final int COLUMNS = 40;
    private static final int ITERATIONS = 20;
    private static final int ROW_BYTES = COLUMNS * Double.BYTES;
    private static final int GRID_BYTES = (ROWS + 2) * ROW_BYTES;

    private DeviceHalo()
    {
    }

    /** Runs the sample, see the class comment. */
    public static void main(final String[] args) throws Exception
    {
        DeviceSample.main(DeviceHalo::run, args);
    }

    static boolean run(final Shmem shmem, final Gpu gpu, final SampleKernels kernels, final GpuStream stream)
    {
        final int me = shmem.myPe();
        final SymmetricBuffer grids = gpu.malloc(2 * GRID_BYTES);
        final SymmetricBuffer signals = gpu.calloc(2, Long.BYTES);
        double[][] field = initial(ROWS * shmem.nPes() + 2);
        final UnsafeBuffer rows = new UnsafeBuffer(new byte[GRID_BYTES]);
        for (int row = 0; row < ROWS + 2; row++)
        {
            for (int column = 0; column < COLUMNS; column++)
            {
                rows.putDouble(row * ROW_BYTES + column * Double.BYTES, field[me * ROWS + row][column]);
            }
        }

        shmem.defaultContext().put(grids, 0, rows, 0, GRID_BYTES, me);
        shmem.defaultContext().put(grids, GRID_BYTES, rows, 0, GRID_BYTES, me);
        shmem.barrierAll();

        kernels.run("device_halo", stream, gpu.address(grids, me), gpu.address(signals, me), ROWS, COLUMNS, ITERATIONS);

        shmem.defaultContext().get(rows, 0, grids, ITERATIONS % 2 * (long)GRID_BYTES, GRID_BYTES, me);
        for (int iteration = 0; iteration < ITERATIONS; iteration++)
        {
            field = relaxed(field);
        }

        boolean isRight = true;
        for (int row = 1; row <= ROWS; row++)
        {
            for (int column = 0; column < COLUMNS; column++)
            {
                final double value = rows.getDouble(row * ROW_BYTES + column * Double.BYTES);
                isRight &= field[me * ROWS + row][column] == value;
            }
        }

        shmem.free(signals);
        shmem.free(grids);
        return isRight;
    }

    /** Returns the field of all PEs between its boundaries. */
    private static double[][] initial(final int height)
    {
        final double[][] field = new double[height][COLUMNS];
        for (int row = 0; row < height; row++)
        {
            for (int column = 0; column < COLUMNS; column++)
            {
                field[row][column] = (row * 31 + column * 17) % 101 / 3.0;
            }
        }

        return field;
    }

    private static double[][] relaxed(final double[][] field)
    {
        final double[][] next = new double[field.length][];
        for (int row = 0; row < field.length; row++)
        {
            next[row] = field[row].clone();
        }

        for (int row = 1; row < field.length - 1; row++)
        {
            for (int column = 1; column < COLUMNS - 1; column++)
            {
                next[row][column] = ((field[row - 1][column] + field[row + 1][column]) +
                    (field[row][column - 1] + field[row][column + 1])) * 0.25;
            }
        }

        return next;
    }
}
