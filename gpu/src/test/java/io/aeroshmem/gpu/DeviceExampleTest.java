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

import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.DeviceApi.Way;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Files;
import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The example of docs/gpu-device.md. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class DeviceExampleTest
{
    private static final int THREADS = 40;
    private static final long COUNT = 100;

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldShiftAndSum(final Way way) throws Exception
    {
        TestDevice.assumeAvailable();
        final int nPes = 3;
        DeviceApi.run(nPes, way, "device_api_example", (api) ->
        {
            final SymmetricBuffer inbox = api.calloc(true, 4 * COUNT);
            final SymmetricBuffer outbox = api.calloc(true, 4 * COUNT);
            final SymmetricBuffer sums = api.calloc(true, 4 * COUNT);
            final SymmetricBuffer signal = api.calloc(true, 8);
            for (int i = 0; i < COUNT; i++)
            {
                api.shmem.defaultContext().putFloat(outbox, 4L * i, 1000 * api.me + i, api.me);
            }

            api.shmem.barrierAll();
            api.launch("shift_and_sum", THREADS, api.address(inbox), api.address(outbox), api.address(sums),
                api.address(signal), COUNT);
            api.synchronizeAll();
            for (int i = 0; i < COUNT; i++)
            {
                final int previous = (api.me + nPes - 1) % nPes;
                assertEquals(1000 * previous + i, api.shmem.defaultContext().getFloat(inbox, 4L * i, api.me));
                assertEquals(3000 + 3 * i, api.shmem.defaultContext().getFloat(sums, 4L * i, api.me));
            }

            api.shmem.barrierAll();
        });
    }

    @Test
    void shouldStandInTheDocumentation() throws Exception
    {
        final String source = Files.readString(Path.of("src/test/cuda/device_api_example.cu"));
        final String document = Files.readString(Path.of("../docs/gpu-device.md"));
        assertTrue(document.contains(source.substring(source.indexOf("// Sends"))), "the example differs");
        assertTrue(document.contains("#include \"aeroshmem_device.cuh\""));
    }
}
