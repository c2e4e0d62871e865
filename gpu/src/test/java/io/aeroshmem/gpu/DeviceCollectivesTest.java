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
import io.aeroshmem.ElementType;
import io.aeroshmem.MemoryKind;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.TransportKind;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.util.Random;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Collectives of the host on long blocks of device memory that all PEs reach by address: the device combines them, and
 * the results have the bits of the same call on host memory.
 */
@Tag("kernels")
@Tag("ci")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceCollectivesTest
{
    /** Elements of a block: more than fit the private memory for short blocks, and not a multiple of a window. */
    private static final int N = 66_000;
    private static final int BYTES = N * Double.BYTES;

    @BeforeAll
    static void requireDevice()
    {
        TestDevice.assumeAvailable();
    }

    private interface Call
    {
        void perform(SymmetricBuffer dest, SymmetricBuffer source);
    }

    private interface Task
    {
        void run(Shmem shmem, Gpu gpu, RecordingDriver driver);
    }

    private static void run(final int nPes, final Task task) throws Exception
    {
        final Shmem.Context template = new Shmem.Context()
            .heapSize(32 << 20)
            .transport(TransportKind.MAPPED)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
        Shmem.runLocal(nPes, template, (shmem) ->
        {
            final RecordingDriver driver = new RecordingDriver(JCudaBinding.load());
            try (Gpu gpu = new Gpu(shmem, new Gpu.Context().device(0).heapSize(32 << 20), driver::driver))
            {
                shmem.syncAll();
                final DeviceReach reach = gpu.reach((shmem.myPe() + 1) % nPes);
                assertEquals(DeviceReach.Way.ADDRESS, reach.way(), reach::toString);
                task.run(shmem, gpu, driver);
            }
        });
    }

    /**
     * Performs a call on the memory of the host and of the device, apart and in place, and compares the dests. The
     * operands in device memory are combined there: they are not copied to the host.
     */
    private static void compare(
        final Shmem shmem, final Gpu gpu, final RecordingDriver driver, final int sourceBlocks, final Call call)
    {
        final CommunicationContext ctx = shmem.defaultContext();
        final int me = shmem.myPe();
        final int sourceBytes = sourceBlocks * BYTES;
        final byte[] values = new byte[sourceBytes];
        final UnsafeBuffer elements = new UnsafeBuffer(values);
        final Random random = new Random(31L * shmem.nPes() + me);
        for (int i = 0; i < sourceBytes; i += Double.BYTES)
        {
            elements.putDouble(i, random.nextGaussian());
        }

        final SymmetricBuffer[] memories = {shmem.malloc(sourceBytes + BYTES), gpu.malloc(sourceBytes + BYTES)};
        final byte[][] dests = new byte[2 * memories.length][BYTES];
        for (int i = 0; i < dests.length; i++)
        {
            final SymmetricBuffer memory = memories[i / 2];
            final SymmetricBuffer source = memory.slice(0, sourceBytes);
            final SymmetricBuffer dest = 0 == i % 2 ? memory.slice(sourceBytes, BYTES) : memory.slice(0, BYTES);
            ctx.put(source, 0, elements, 0, sourceBytes, me);
            shmem.barrierAll();
            final long launches = driver.launches();
            final long bytesToHost = driver.bytesToHost();
            call.perform(dest, source);
            if (MemoryKind.DEVICE == memory.kind())
            {
                // in a scan PE 0 has nothing to combine
                assertTrue(0 == me || driver.launches() > launches, "the device combines nothing");
                assertEquals(bytesToHost, driver.bytesToHost(), "bytes copied to the host");
            }

            ctx.get(new UnsafeBuffer(dests[i]), 0, dest, 0, BYTES, me);
            shmem.barrierAll();
        }

        for (int i = 1; i < dests.length; i++)
        {
            assertArrayEquals(dests[0], dests[i]);
        }

        shmem.free(memories[1]);
        shmem.free(memories[0]);
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 5})
    void shouldReduce(final int nPes) throws Exception
    {
        run(nPes, (shmem, gpu, driver) ->
        {
            final Team world = shmem.world();
            compare(shmem, gpu, driver, 1, (dest, source) ->
                world.reduce(ReduceOp.SUM, ElementType.DOUBLE, dest, source, N));
            compare(shmem, gpu, driver, nPes, (dest, source) ->
                world.reduceScatter(ReduceOp.SUM, ElementType.DOUBLE, dest, source, N));
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 4})
    void shouldScan(final int nPes) throws Exception
    {
        run(nPes, (shmem, gpu, driver) ->
        {
            final Team world = shmem.world();
            compare(shmem, gpu, driver, 1, (dest, source) ->
                world.inclusiveScan(ReduceOp.PROD, ElementType.DOUBLE, dest, source, N));
            compare(shmem, gpu, driver, 1, (dest, source) ->
                world.exclusiveScan(ReduceOp.SUM, ElementType.COMPLEX_DOUBLE, dest, source, N / 2));
        });
    }

    /** The device combines what is stored in the memory of the host. */
    @ParameterizedTest
    @ValueSource(ints = {1, 3})
    void shouldReduceIntoTheHost(final int nPes) throws Exception
    {
        run(nPes, (shmem, gpu, driver) ->
        {
            final CommunicationContext ctx = shmem.defaultContext();
            final SymmetricBuffer source = gpu.malloc(BYTES);
            final SymmetricBuffer dest = shmem.malloc(BYTES);
            for (int i = 0; i < N; i += 1000)
            {
                ctx.putLong(source, 8L * i, (long)i << shmem.myPe(), shmem.myPe());
            }

            shmem.barrierAll();
            shmem.world().reduce(ReduceOp.XOR, ElementType.LONG, dest, source, N);
            for (long i = 0; i < N; i += 1000)
            {
                long expected = 0;
                for (int pe = 0; pe < nPes; pe++)
                {
                    expected ^= i << pe;
                }

                assertEquals(expected, dest.getLong(8 * i));
            }

            shmem.barrierAll();
        });
    }
}
