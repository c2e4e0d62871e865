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
import io.aeroshmem.SimulatedCuda;
import io.aeroshmem.TransportKind;
import io.aeroshmem.gpu.Gpu;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

import static org.junit.jupiter.api.Assertions.assertEquals;

/** The samples whose kernels communicate, by address and by requests, against their references on the host. */
@Tag("kernels")
@Timeout(value = 100, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("ci")
class DeviceSamplesTest
{
    @ParameterizedTest
    @CsvSource({"1,MAPPED,false", "4,MAPPED,false", "2,MAPPED,true", "3,IPC,false"})
    void shouldComputeWhatTheHostComputes(
        final int nPes, final TransportKind transport, final boolean isProxy) throws Exception
    {
        SimulatedCuda.assumeAvailable();
        final AtomicInteger right = new AtomicInteger();
        final DeviceSample[] samples = {DeviceRing::run, DeviceHalo::run, DeviceSum::run};
        final Shmem.Context template = new Shmem.Context()
            .heapSize(4 << 20)
            .transport(transport)
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(60));
        Shmem.runLocal(nPes, template, (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context().device(0).heapSize(1 << 20).proxyAllPeers(isProxy);
            for (final DeviceSample sample : samples)
            {
                if (DeviceSample.run(
                    sample, shmem, config, TransportKind.MAPPED == transport && !isProxy))
                {
                    right.incrementAndGet();
                }
            }
        });
        assertEquals(nPes * samples.length, right.get());
    }
}
