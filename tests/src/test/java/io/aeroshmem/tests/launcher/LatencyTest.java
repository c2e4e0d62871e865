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
package io.aeroshmem.tests.launcher;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Timeout(180)
class LatencyTest
{
    private static final String HEADER =
        "operation,transport,pes,bytes,samples,min_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,ops_per_s,mb_per_s";

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @TempDir
    private Path histograms;

    @Test
    void shouldMeasureEveryOperationOverEveryTransport() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(root.path(),
            "latency", "--transport", "all", "--sizes", "8,70000", "--iterations", "50", "--warmup", "10",
            "--format", "csv", "--histograms", histograms.toString());

        assertEquals(0, latency.exitCode(), latency::toString);
        final List<String> rows = new ArrayList<>(latency.output());
        assertEquals(HEADER, rows.remove(0));
        final List<String> expected = new ArrayList<>();
        for (final String transport : new String[]{ "mapped", "ipc", "udp" })
        {
            for (final String operation : new String[]{ "pingpong,8", "put,8", "put,70000", "get,8", "get,70000",
                "put_signal,8", "put_signal,70000", "atomic_fetch_add,8", "atomic_add,8", "atomic_compare_swap,8",
                "barrier,0", "sync,0", "reduce,8", "reduce,70000", "broadcast,8", "broadcast,70000", "collect,8",
                "collect,70000", "alltoall,8", "alltoall,70000", "reduce_scatter,8", "reduce_scatter,70000",
                "inclusive_scan,8", "inclusive_scan,70000", "fan_in,0", "fan_out,0", "reduce_to_root,8",
                "reduce_to_root,70000", "reduce_scatterv,8", "reduce_scatterv,70000", "gather,8", "gather,70000",
                "gatherv,8", "gatherv,70000", "scatter,8", "scatter,70000", "scatterv,8", "scatterv,70000",
                "allgatherv,8", "allgatherv,70000", "alltoallv,8", "alltoallv,70000", "sync_request,0",
                "reduce_request,8", "reduce_request,70000", "broadcast_request,8", "broadcast_request,70000",
                "collect_request,8", "collect_request,70000", "alltoall_request,8", "alltoall_request,70000",
                "reduce_scatter_request,8", "reduce_scatter_request,70000", "inclusive_scan_request,8",
                "inclusive_scan_request,70000", "put_rate,8", "atomic_add_rate,8", "get_rate,8", "fetch_rate,8",
                "put_bw,8", "put_bw,70000", "get_bw,8", "get_bw,70000", "put_bibw,8", "put_bibw,70000" })
            {
                final int comma = operation.indexOf(',');
                expected.add(
                    operation.substring(0, comma) + "," + transport + ",2" + operation.substring(comma) + ",50,");
            }
        }
        assertEquals(expected.size(), rows.size(), latency::toString);
        for (int i = 0; i < expected.size(); i++)
        {
            assertTrue(rows.get(i).startsWith(expected.get(i)), rows.get(i));
            assertEquals(14, rows.get(i).split(",", -1).length, rows.get(i));
        }
        assertTrue(Files.readString(histograms.resolve("get-udp-70000.hgrm")).contains("Percentile"));
        root.assertEmpty();
    }

    @Test
    void shouldMeasureBandwidths() throws Exception
    {
        final CommandProcess bandwidth = CommandProcess.run(
            root.path(), "bandwidth", "-n", "3", "--op", "fetch_rate,put_bibw", "--iterations", "5", "--warmup", "2",
            "--format", "csv");

        assertEquals(0, bandwidth.exitCode(), bandwidth::toString);
        final List<String> rows = bandwidth.output();
        assertEquals(HEADER, rows.get(0));
        assertTrue(rows.get(1).startsWith("fetch_rate,mapped,3,8,5,,,,,,,"), bandwidth::toString);
        assertTrue(rows.get(2).startsWith("put_bibw,mapped,3,64,5,,,,,,,"), bandwidth::toString);
        assertTrue(rows.get(8).startsWith("put_bibw,mapped,3,4194304,5,,,,,,,"), bandwidth::toString);
        assertEquals(9, rows.size(), bandwidth::toString);
        root.assertEmpty();
    }

    @Test
    void shouldPrintTheConditionsAsATable() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "-n", "3", "--op", "barrier", "--iterations", "50", "--warmup", "10", "-J-Xmx128m");

        assertEquals(0, latency.exitCode(), latency::toString);
        final String table = String.join("\n", latency.output());
        assertTrue(table.contains("3 PEs, transport mapped"), latency::toString);
        assertTrue(table.contains("-Xmx128m"), latency::toString);
        root.assertEmpty();
    }

    @Test
    void shouldLetThePesRecordTheirCollectivesToo() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "--op", "reduce", "--sizes", "8", "--iterations", "50", "--warmup", "10",
            "-J-Daeroshmem.latency.record=true", "-J-Daeroshmem.latency.dir=" + histograms);

        assertEquals(0, latency.exitCode(), latency::toString);
        for (int pe = 0; pe < 2; pe++)
        {
            final Path log = histograms.resolve("aeroshmem-pe" + pe + ".hlog");
            assertTrue(Files.readString(log).contains("\nTag=WORLD.reduce.to-8B,"), latency::toString);
            final Path distribution = histograms.resolve("aeroshmem-pe" + pe + ".WORLD.reduce.to-8B.hgrm");
            assertTrue(Files.readString(distribution).contains("Percentile"), latency::toString);
        }
    }
}
