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
package io.aeroshmem.gpu;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.InitStatus;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;

import java.util.Arrays;
import java.util.Locale;

/**
 * A program of two PEs on one device that compares put and get between their device heaps with a plain copy on the
 * device, all three in turn in the same run. Prints the medians as rows of a table; the exit code is 1 if the other
 * PE is not reached by address, or if put or get is slower than the goal on a real device.
 */
final class CopyBenchmark
{
    private static final long LENGTH = 64L << 20;
    /** On a simulated device, whose rates say nothing. */
    private static final long SIMULATED_LENGTH = 1L << 20;
    private static final long HEAP_SIZE = 3 * LENGTH;
    private static final int ROUNDS = 30;
    private static final int WARMUP_ROUNDS = 5;
    private static final double GOAL = 0.8;

    private CopyBenchmark()
    {
    }

    public static void main(final String[] args) throws Exception
    {
        final boolean[] isFast = {true};
        Shmem.run(new Shmem.Context(), (shmem) ->
        {
            final Gpu gpu = Gpu.init(shmem, new Gpu.Context()
                .device(Integer.getInteger("aeroshmem.gpu.device", 0))
                .heapSize(HEAP_SIZE));
            final SymmetricBuffer source = gpu.calloc(1, LENGTH);
            final SymmetricBuffer dest = gpu.calloc(1, LENGTH);
            if (0 == shmem.myPe())
            {
                isFast[0] = measure(shmem, gpu, source, dest);
            }

            shmem.barrierAll();
            shmem.free(dest);
            shmem.free(source);
            gpu.close();
        });
        if (!isFast[0])
        {
            System.exit(1);
        }
    }

    private static boolean measure(
        final Shmem shmem, final Gpu gpu, final SymmetricBuffer source, final SymmetricBuffer dest)
    {
        final int peer = 1 % shmem.nPes();
        final boolean isSimulated = CudaReport.isSimulated(gpu.deviceName());
        final long length = isSimulated ? SIMULATED_LENGTH : LENGTH;
        final CommunicationContext ctx = shmem.defaultContext();
        final double plain;
        final double put;
        final double get;
        try (PlainCopy copy = new PlainCopy(gpu, gpu.address(dest, 0), gpu.address(source, 0), length))
        {
            final long[][] times = new long[3][ROUNDS];
            for (int round = -WARMUP_ROUNDS; round < ROUNDS; round++)
            {
                final int index = Math.max(0, round);
                times[0][index] = time(copy::run);
                times[1][index] = time(() ->
                {
                    ctx.put(dest, 0, source, 0, length, peer);
                    ctx.quiet();
                });
                times[2][index] = time(() -> ctx.get(dest, 0, source, 0, length, peer));
            }

            plain = gigabytesPerSecond(length, times[0]);
            put = gigabytesPerSecond(length, times[1]);
            get = gigabytesPerSecond(length, times[2]);
        }

        final DeviceReach reach = gpu.reach(peer);
        row(length, "plain copy on the device", plain, plain);
        row(length, "put between device heaps, " + reach, put, plain);
        row(length, "get between device heaps, " + reach, get, plain);
        // a copy within the device is no measure for one to another device
        final boolean isComparable = InitStatus.INITIALIZED != gpu.initStatus() && !isSimulated;
        return DeviceReach.Way.ADDRESS == reach.way() && (Math.min(put, get) >= GOAL * plain || !isComparable);
    }

    private static long time(final Runnable operation)
    {
        final long begin = System.nanoTime();
        operation.run();
        return System.nanoTime() - begin;
    }

    private static double gigabytesPerSecond(final long length, final long[] times)
    {
        Arrays.sort(times);
        return (double)length / times[times.length / 2];
    }

    private static void row(final long length, final String name, final double rate, final double plain)
    {
        System.out.printf(
            Locale.ROOT, "| %d MiB, %s | %.1f GB/s, %.0f %% of the plain copy |%n",
            length >> 20, name, rate, 100 * rate / plain);
    }

    /** A copy on the device, without the library, on a stream of its own. */
    private static final class PlainCopy implements AutoCloseable
    {
        private final CudaDriver driver = JCudaBinding.load();
        private final long stream;
        private final long dest;
        private final long source;
        private final long length;

        PlainCopy(final Gpu gpu, final long dest, final long source, final long length)
        {
            this.dest = dest;
            this.source = source;
            this.length = length;
            driver.ctxPushCurrent(JCudaHandles.handleOf(gpu.cuContext()));
            stream = driver.streamCreate(CudaConstants.STREAM_NON_BLOCKING);
        }

        void run()
        {
            driver.memcpyAsync(dest, source, length, stream);
            driver.streamSynchronize(stream);
        }

        @Override
        public void close()
        {
            driver.streamDestroy(stream);
            driver.ctxPopCurrent();
        }
    }
}
