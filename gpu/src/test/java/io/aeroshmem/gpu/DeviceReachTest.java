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

import io.aeroshmem.Shmem;
import io.aeroshmem.TransportKind;
import jcuda.driver.CUcontext;
import jcuda.driver.JCudaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.List;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.logging.Handler;
import java.util.logging.LogRecord;
import java.util.logging.Logger;

import static io.aeroshmem.gpu.sim.SimulatedDriver.check;
import static io.aeroshmem.gpu.sim.SimulatedDriver.device;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** How PEs of one JVM reach each other's device memory, why so, and of what a warning is logged. */
@Tag("kernels")
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceReachTest
{
    private static final int NPES = 3;
    private static final Logger LOGGER = Logger.getLogger("io.aeroshmem");

    private final Queue<String> warnings = new ConcurrentLinkedQueue<>();
    private final Handler handler = new Handler()
    {
        @Override
        public void publish(final LogRecord record)
        {
            warnings.add(record.getMessage());
        }

        @Override
        public void flush()
        {
        }

        @Override
        public void close()
        {
        }
    };

    @BeforeEach
    void listen()
    {
        TestDevice.assumeAvailable();
        LOGGER.addHandler(handler);
    }

    @AfterEach
    void endListening()
    {
        LOGGER.removeHandler(handler);
    }

    @ParameterizedTest
    @EnumSource(TransportKind.class)
    void shouldNameTheWayToEachPe(final TransportKind transport) throws Exception
    {
        Shmem.runLocal(NPES, new Shmem.Context().heapSize(8 << 20).transport(transport), (shmem) ->
        {
            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().device(0).heapSize(1 << 20)))
            {
                assertThrows(IllegalStateException.class, () -> gpu.reach(0));
                shmem.syncAll();
                final int me = shmem.myPe();
                assertEquals("by address (the PE's own memory)", gpu.reach(me).toString());
                final boolean isMapped = TransportKind.MAPPED == transport || TransportKind.AUTO == transport;
                assertEquals(
                    isMapped ? "by address (same process)" :
                    "by messages (aeroshmem.transport forbids to map its host memory)",
                    gpu.reach((me + 1) % NPES).toString());
                assertThrows(IllegalArgumentException.class, () -> gpu.reach(NPES));
                assertThrows(IllegalArgumentException.class, () -> gpu.reach(-1));
            }
        });
        assertEquals(List.of(), List.copyOf(warnings));
    }

    @Test
    void shouldWarnOnceOfPesThatHaveNoAddress() throws Exception
    {
        final CUcontext[] contexts = new CUcontext[NPES];
        Shmem.runLocal(NPES, new Shmem.Context().heapSize(8 << 20), (shmem) ->
        {
            final int me = shmem.myPe();
            contexts[me] = new CUcontext();
            try (Gpu gpu = Gpu.init(shmem, new Gpu.Context().heapSize(1 << 20)))
            {
                check(JCudaDriver.cuCtxCreate(contexts[me], 0, device(0)));
                shmem.syncAll();
                final DeviceReach reach = gpu.reach((me + 1) % NPES);
                assertEquals(DeviceReach.Way.OWNER, reach.way());
                assertTrue(reach.reason().startsWith("another CUDA context"), reach.reason());
                shmem.defaultContext().atomicAddLong(gpu.calloc(1, Long.BYTES), 0, 1, (me + 1) % NPES);
                shmem.barrierAll();
            }
        });
        for (final CUcontext context : contexts)
        {
            check(JCudaDriver.cuCtxDestroy(context));
        }

        final String way = " by its owner (another CUDA context, which has other addresses)";
        assertEquals(
            List.of(
                "PE 0 reaches the device memory of PE 1, 2" + way,
                "PE 1 reaches the device memory of PE 0, 2" + way,
                "PE 2 reaches the device memory of PE 0, 1" + way),
            warnings.stream().sorted().toList());
    }
}
