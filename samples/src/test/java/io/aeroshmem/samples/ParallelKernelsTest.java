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
import io.aeroshmem.TransportKind;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.TimeUnit;

import static org.junit.jupiter.api.Assertions.assertTrue;

/** Small runs of the kernels, which check their results. */
@Timeout(60)
@Tag("ci")
class ParallelKernelsTest
{
    private static final int SIDE = 62;

    @ParameterizedTest
    @CsvSource({
        "stencil, MAPPED, 4, 64, MFlop/s", "stencil, IPC, 2, 62, MFlop/s", "stencil, UDP, 4, 64, MFlop/s",
        "wavefront, MAPPED, 2, 62, MFlop/s", "wavefront, IPC, 4, 64, MFlop/s", "wavefront, UDP, 2, 62, MFlop/s",
        "wavefront, MAPPED, 1, 62, MFlop/s",
        "transposition, MAPPED, 4, 64, MB/s", "transposition, IPC, 2, 62, MB/s", "transposition, UDP, 4, 64, MB/s"})
    void shouldHaveTheResultOfTheClosedForm(
        final String name, final TransportKind transport, final int nPes, final int side, final String unit)
        throws Exception
    {
        final ConcurrentSkipListMap<Integer, String> reports = new ConcurrentSkipListMap<>();
        final Shmem.Context config = new Shmem.Context()
            .transport(transport)
            .heapSize(ParallelKernels.heapSize(SIDE))
            .operationTimeoutNs(TimeUnit.SECONDS.toNanos(30));
        Shmem.runLocal(nPes, config, (shmem) ->
            reports.put(shmem.myPe(), ParallelKernels.run(shmem, name, 11, SIDE)));
        assertTrue(
            reports.get(0).matches(name + ": 11 iterations of " + side + " x " + side + " on " + nPes +
                " PEs, \\d+\\.\\d{3} ms each, \\d+\\.\\d " + unit),
            reports::toString);
    }
}
