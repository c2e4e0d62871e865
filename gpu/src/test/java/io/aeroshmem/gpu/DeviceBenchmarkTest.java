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
import io.aeroshmem.gpu.DeviceApi.Way;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** The kernels of the benchmark transfer what they should; see {@link DeviceBenchmark}. */
@Tag("kernels")
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
@Tag("ci")
class DeviceBenchmarkTest
{
    private static final int ROWS = 11;
    private static final int ROWS_OF_SEVERAL_BLOCKS = 5;
    private static final int ROWS_OF_WORDS = 2;

    @ParameterizedTest
    @EnumSource(Way.class)
    void shouldMeasureAndVerifyEachRow(final Way way) throws Exception
    {
        TestDevice.assumeAvailable();
        try (InputStream in = DeviceBenchmark.class.getResourceAsStream(DeviceBenchmark.KERNELS + ".ptx"))
        {
            TestDevice.assumeCompiled(new String(in.readAllBytes(), StandardCharsets.ISO_8859_1));
        }

        final boolean isByRequests = Way.REQUESTS == way;
        final List<String[]> rows = new ArrayList<>();
        Shmem.runLocal(2, new Shmem.Context().heapSize(4 << 20), (shmem) ->
        {
            final Gpu.Context config = new Gpu.Context()
                .device(0)
                .heapSize(1 << 20)
                .proxyAllPeers(isByRequests);
            try (Gpu gpu = Gpu.init(shmem, config))
            {
                shmem.syncAll();
                DeviceBenchmark.run(shmem, gpu, isByRequests, DeviceBenchmark.Effort.SHORT, (row) ->
                {
                    if (0 == shmem.myPe())
                    {
                        rows.add(row);
                    }
                });
            }
        });
        assertEquals(isByRequests ? ROWS - ROWS_OF_SEVERAL_BLOCKS + ROWS_OF_WORDS : ROWS, rows.size());
        for (final String[] row : rows)
        {
            assertTrue(row[1].matches("[0-9.]+ (us|GB/s|M/s)"), row[0] + ": " + row[1]);
        }
    }
}
