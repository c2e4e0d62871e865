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
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;
import org.agrona.concurrent.UnsafeBuffer;

/**
 * Sample of an all-reduce that is a step of a kernel: {@code device_sum} in {@code device_samples.cu} adds the vectors
 * of all PEs, and continues with the sum. The host's reductions give the same bits.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.DeviceSum [--device N] [--by-address]
 * </pre>
 */
public final class DeviceSum
{
    private static final int LENGTH = 500;
    private static final int STEPS = 4;
    private static final double SCALE = 0.75;

    private DeviceSum()
    {
    }

    /** Runs the sample, see the class comment. */
    public static void main(final String[] args) throws Exception
    {
        DeviceSample.main(DeviceSum::run, args);
    }

    static boolean run(final Shmem shmem, final Gpu gpu, final SampleKernels kernels, final GpuStream stream)
    {
        final int me = shmem.myPe();
        final SymmetricBuffer source = gpu.malloc(LENGTH * Double.BYTES);
        final SymmetricBuffer sum = gpu.malloc(LENGTH * Double.BYTES);
        final SymmetricBuffer hostSource = shmem.malloc(LENGTH * Double.BYTES);
        final SymmetricBuffer hostSum = shmem.malloc(LENGTH * Double.BYTES);
        for (int i = 0; i < LENGTH; i++)
        {
            hostSource.putDouble((long)i * Double.BYTES, Math.sqrt(1 + i + me * 1e5));
        }

        shmem.defaultContext().put(source, 0, hostSource, 0, source.length(), me);
        shmem.barrierAll();

        kernels.run("device_sum", stream, gpu.address(sum, me), gpu.address(source, me), LENGTH, STEPS,
            gpu.handle(shmem.world()));

        for (int step = 0; step < STEPS; step++)
        {
            shmem.world().reduce(ReduceOp.SUM, ElementType.DOUBLE, hostSum, hostSource, LENGTH);
            for (int i = 0; i < LENGTH; i++)
            {
                final long offset = (long)i * Double.BYTES;
                hostSource.putDouble(offset, hostSum.getDouble(offset) * SCALE + i);
            }
        }

        final UnsafeBuffer elements = new UnsafeBuffer(new byte[LENGTH * Double.BYTES]);
        shmem.defaultContext().get(elements, 0, sum, 0, elements.capacity(), me);
        boolean isRight = true;
        for (int i = 0; i < LENGTH; i++)
        {
            isRight &= elements.getLong(i * Long.BYTES) == hostSum.getLong((long)i * Long.BYTES);
        }

        for (final SymmetricBuffer buffer : new SymmetricBuffer[]{hostSum, hostSource, sum, source})
        {
            shmem.free(buffer);
        }

        return isRight;
    }
}
