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
 * Sample of kernels that pass blocks around a ring of all PEs, with signals for arrival and for flow control:
 * {@code device_ring} in {@code device_samples.cu}.
 * <pre>
 * aeroshmem run -n 4 io.aeroshmem.samples.DeviceRing [--device N] [--by-address]
 * </pre>
 */
public final class DeviceRing
{
    private static final int LENGTH = 500;
    private static final int ROUNDS = 24;

    private DeviceRing()
    {
    }

    /** Runs the sample, see the class comment. */
    public static void main(final String[] args) throws Exception
    {
        DeviceSample.main(DeviceRing::run, args);
    }

    static boolean run(final Shmem shmem, final Gpu gpu, final SampleKernels kernels, final GpuStream stream)
    {
        final int me = shmem.myPe();
        final SymmetricBuffer block = gpu.malloc(LENGTH * Long.BYTES);
        final SymmetricBuffer inboxes = gpu.malloc(2 * LENGTH * Long.BYTES);
        final SymmetricBuffer signals = gpu.calloc(2, Long.BYTES);
        final UnsafeBuffer elements = new UnsafeBuffer(new byte[LENGTH * Long.BYTES]);
        for (int i = 0; i < LENGTH; i++)
        {
            elements.putLong(i * Long.BYTES, initial(me, i));
        }

        shmem.defaultContext().put(block, 0, elements, 0, elements.capacity(), me);
        shmem.barrierAll();

        kernels.run("device_ring", stream, gpu.address(block, me), gpu.address(inboxes, me),
            gpu.address(signals, me), LENGTH, ROUNDS);

        shmem.defaultContext().get(elements, 0, block, 0, elements.capacity(), me);
        boolean isRight = true;
        for (int i = 0; i < LENGTH; i++)
        {
            isRight &= expected(shmem.nPes(), me, i) == elements.getLong(i * Long.BYTES);
        }

        shmem.free(signals);
        shmem.free(inboxes);
        shmem.free(block);
        return isRight;
    }

    private static long initial(final int pe, final int element)
    {
        return pe * 1_000_003L + element;
    }

    /**
     * Returns an element of the block that a PE has after all rounds: it began {@link #ROUNDS} PEs to the left, and
     * each PE that received it added its number.
     */
    private static long expected(final int nPes, final int pe, final int element)
    {
        int at = Math.floorMod(pe - ROUNDS, nPes);
        long value = initial(at, element);
        for (int round = 0; round < ROUNDS; round++)
        {
            at = (at + 1) % nPes;
            value += at;
        }

        return value;
    }
}
