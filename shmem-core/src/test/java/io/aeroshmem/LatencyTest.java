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
package io.aeroshmem;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Latency recording of whole PEs; what it records and writes is tested beside it.
 */
@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class LatencyTest
{
    @TempDir
    private Path directory;

    @Test
    void shouldWriteNothingUnlessSwitchedOn() throws Exception
    {
        Shmem.runLocal(2, config(), (shmem) -> shmem.world().barrier());
        assertEquals(List.of(), files());
    }

    @Test
    void shouldRecordFromTheStartWhereTheContextSaysSo() throws Exception
    {
        Shmem.runLocal(2, config().recordLatency(true), (shmem) -> shmem.world().barrier());
        assertTrue(files().containsAll(List.of("aeroshmem-pe0.hlog", "aeroshmem-pe1.hlog")), files().toString());
    }

    @Test
    void shouldBeSwitchedPerPeWhileItRuns() throws Exception
    {
        final Shmem[] left = new Shmem[1];
        Shmem.runLocal(2, config(), (shmem) ->
        {
            shmem.world().barrier();
            if (1 == shmem.myPe())
            {
                left[0] = shmem;
                shmem.recordLatency(true);
            }

            shmem.world().barrier();
            shmem.recordLatency(false);
        });

        assertTrue(files().contains("aeroshmem-pe1.hlog"), files().toString());
        assertTrue(files().stream().noneMatch((name) -> name.startsWith("aeroshmem-pe0")), files().toString());
        assertThrows(IllegalStateException.class, () -> left[0].recordLatency(true));
    }

    @Test
    void shouldWriteWhatThereIsAfterAFailure() throws IOException
    {
        assertThrows(
            ArithmeticException.class,
            () -> Shmem.runLocal(2, config().recordLatency(true), (shmem) ->
            {
                shmem.world().barrier();
                if (1 == shmem.myPe())
                {
                    throw new ArithmeticException("by zero");
                }

                shmem.world().barrier();
            }));
        assertTrue(files().containsAll(List.of("aeroshmem-pe0.hlog", "aeroshmem-pe1.hlog")), files().toString());
    }

    private Shmem.Context config()
    {
        return LocalJobs.config()
            .latencyDirectoryName(directory.toString())
            .latencyIntervalNs(TimeUnit.MINUTES.toNanos(10));
    }

    private List<String> files() throws IOException
    {
        try (Stream<Path> files = Files.list(directory))
        {
            return files.map((file) -> file.getFileName().toString()).sorted().toList();
        }
    }
}
