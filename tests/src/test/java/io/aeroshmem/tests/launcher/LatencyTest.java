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

import io.aeroshmem.tests.fixture.JobRoot;
import io.aeroshmem.tools.latency.CpuPinning;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

class LatencyTest
{
    private static final String HEADER =
        "operation,transport,pes,bytes,samples,min_ns,p50_ns,p90_ns,p99_ns,p999_ns,max_ns,mean_ns,ops_per_s,mb_per_s";

    private static final String[] TRANSPORTS = { "mapped", "ipc", "udp" };

    @RegisterExtension
    private final JobRoot root = new JobRoot();

    @TempDir
    private Path histograms;

    @Test
    @Tag("ci")
    void shouldMeasureEveryOperation() throws Exception
    {
        measureEveryOperation("ipc", "ipc");
    }

    @Test
    @Tag("nightly")
    void shouldMeasureEveryOperationOverEveryTransport() throws Exception
    {
        measureEveryOperation("all", TRANSPORTS);
    }

    private void measureEveryOperation(final String option, final String... transports) throws Exception
    {
        final CommandProcess latency = CommandProcess.run(root.path(),
            "latency", "--op", "all", "--transport", option, "--sizes", "8,70000", "--iterations", "4",
            "--warmup", "1", "--format", "csv", "--histograms", histograms.toString());

        assertEquals(0, latency.exitCode(), latency::toString);
        final List<String> rows = new ArrayList<>(latency.output());
        assertEquals(HEADER, rows.remove(0));
        final List<String> expected = new ArrayList<>();
        for (final String transport : transports)
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
                "inclusive_scan_request,70000",
                "put_long,8", "get_long,8", "put_nbi,8", "put_nbi,70000", "get_nbi,8", "get_nbi,70000",
                "put_all,8", "put_all,70000", "put_signal_all,8", "put_signal_all,70000",
                "put_each,8", "put_each,70000", "put_signal_each,8", "put_signal_each,70000",
                "put_request,8", "put_request,70000", "get_request,8", "get_request,70000",
                "put_array,8", "put_array,70000", "get_array,8", "get_array,70000", "iput,8", "iput,70000",
                "iget,8", "iget,70000", "ibput,8", "ibput,70000", "ibget,8", "ibget,70000", "put_signal_nbi,8",
                "put_signal_nbi,70000", "signal,8", "atomic_fetch,8", "atomic_set,8", "atomic_swap,8",
                "atomic_inc,8", "atomic_fetch_inc,8", "atomic_and,8", "atomic_fetch_and,8", "atomic_or,8",
                "atomic_fetch_or,8", "atomic_xor,8", "atomic_fetch_xor,8", "atomic_min,8",
                "atomic_fetch_min,8", "atomic_max,8", "atomic_fetch_max,8", "atomic_fetch_add_nbi,8", "fence,8",
                "quiet,0", "lock,8", "collect_unequal,8", "collect_unequal,70000", "alltoalls,8", "alltoalls,70000",
                "exclusive_scan,8", "exclusive_scan,70000", "reduce_long,8", "broadcast_long,8",
                "exclusive_scan_request,8", "exclusive_scan_request,70000", "reduce_exposed,8", "reduce_exposed,70000",
                "put_exposed,8", "put_exposed,70000", "get_exposed,8", "get_exposed,70000",
                "malloc,0", "split,0",
                "put_rate,8", "atomic_add_rate,8", "get_rate,8", "fetch_rate,8",
                "put_bw,8", "put_bw,70000", "get_bw,8", "get_bw,70000", "put_bibw,8", "put_bibw,70000" })
            {
                final int comma = operation.indexOf(',');
                expected.add(
                    operation.substring(0, comma) + "," + transport + ",2" + operation.substring(comma) + ",4,");
            }
        }

        assertEquals(expected.size(), rows.size(), latency::toString);
        for (int i = 0; i < expected.size(); i++)
        {
            assertTrue(rows.get(i).startsWith(expected.get(i)), rows.get(i));
            assertEquals(14, rows.get(i).split(",", -1).length, rows.get(i));
        }

        final List<String> recorded = Files.readAllLines(histograms.resolve("results.csv"));
        recorded.removeIf((line) -> line.startsWith("#"));
        assertEquals(latency.output(), recorded);
        assertFalse(latency.toString().contains("\u001b"), "there is no terminal to show progress on");
        assertTrue(
            Files.readString(histograms.resolve("get_ipc_pes=2_bytes=70000-report.hgrm")).contains("Percentile"));
        root.assertEmpty();
    }

    @Test
    @Tag("ci")
    void shouldMeasureBandwidths() throws Exception
    {
        final CommandProcess bandwidth = CommandProcess.run(
            root.path(), "bandwidth", "-n", "3", "--op", "fetch_rate,put_bibw", "--iterations", "5", "--warmup", "2",
            "--format", "csv", "--plot", histograms.resolve("plot.svg").toString());

        assertEquals(0, bandwidth.exitCode(), bandwidth::toString);
        final List<String> rows = bandwidth.output();
        assertEquals(HEADER, rows.get(0));
        assertTrue(rows.get(1).startsWith("fetch_rate,mapped,3,8,5,,,,,,,"), bandwidth::toString);
        assertTrue(rows.get(2).startsWith("put_bibw,mapped,3,64,5,,,,,,,"), bandwidth::toString);
        assertTrue(rows.get(8).startsWith("put_bibw,mapped,3,4194304,5,,,,,,,"), bandwidth::toString);
        assertEquals(9, rows.size(), bandwidth::toString);
        assertTrue(Files.readString(histograms.resolve("plot.svg")).contains("put_bibw, mapped, 3 PEs"));
        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMeasureTheCallsOfManyThreadsOfManyPes() throws Exception
    {
        final Path matrix = Files.writeString(histograms.resolve("matrix"), "0 2 1\n0 0 0\n1 0 0\n");
        final CommandProcess bandwidth = CommandProcess.run(
            root.path(), "bandwidth", "-n", "3", "--transport", "ipc", "--traffic", matrix.toString(), "--threads", "2",
            "--window", "8", "--op", "atomic_add_rate,put_bw", "--sizes", "osu", "--iterations", "5", "--warmup", "1",
            "--format", "csv");

        assertEquals(0, bandwidth.exitCode(), bandwidth::toString);
        final List<String> rows = bandwidth.output();
        assertEquals(1 + 1 + 21, rows.size(), bandwidth::toString);
        // two PEs call, each by two threads
        assertTrue(
            rows.get(1).startsWith("atomic_add_rate_matrix_window_8_threads_2,ipc,3,8,20,,"), bandwidth::toString);
        assertTrue(rows.get(2).startsWith("put_bw_matrix_window_8_threads_2,ipc,3,1,20,,"), bandwidth::toString);
        assertTrue(rows.get(22).startsWith("put_bw_matrix_window_8_threads_2,ipc,3,1048576,20,,"), bandwidth::toString);
        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMeasureReductionsOfAllTypesByAllOperations() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "--op", "put,reduce", "--type", "all", "--reduce-op", "all", "--sizes", "8,16",
            "--iterations", "2", "--warmup", "1", "--format", "csv");

        assertEquals(0, latency.exitCode(), latency::toString);
        final List<String> names = latency.output().stream().skip(1)
            .map((row) -> row.substring(0, row.indexOf(',')) + row.split(",")[3]).toList();
        // of 16 bytes all, of 8 bytes not those of two doubles
        assertEquals(2 + 76 + 74, names.size(), latency::toString);
        assertTrue(names.containsAll(List.of("put8", "reduce_and_byte8", "reduce_max_bfloat168",
            "reduce_sum_complex_double16", "reduce_prod_half16")), latency::toString);
        assertFalse(names.contains("reduce_sum_complex_double8"), latency::toString);
        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMeasureAndCheckWorkloads() throws Exception
    {
        measureAndCheckWorkloads("ipc", "ipc");
    }

    @Tag("nightly")
    @Test
    void shouldMeasureAndCheckWorkloadsOverEveryTransport() throws Exception
    {
        measureAndCheckWorkloads("all", TRANSPORTS);
    }

    private void measureAndCheckWorkloads(final String option, final String... transports) throws Exception
    {
        final CommandProcess bandwidth = CommandProcess.run(
            root.path(), "bandwidth", "-n", "3", "--transport", option, "--all-pes", "--op",
            "put_rate,histo,gups,indexgather,intsort", "--iterations", "100", "--warmup", "10", "--format", "csv");

        assertEquals(0, bandwidth.exitCode(), bandwidth::toString);
        final List<String> rows = new ArrayList<>(bandwidth.output());
        assertEquals(HEADER, rows.remove(0));
        assertEquals(5 * transports.length, rows.size(), bandwidth::toString);
        for (final String transport : transports)
        {
            for (final String operation : new String[]{ "put_rate_all_pes", "histo", "gups", "indexgather", "intsort" })
            {
                final String bytes = "intsort".equals(operation) ? "4" : "8";
                assertTrue(
                    rows.remove(0).startsWith(operation + "," + transport + ",3," + bytes + ",100,,,,,,,"),
                    bandwidth::toString);
            }
        }

        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMeasureEachOperationFromTheStartInAJobOfItsOwn() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "--from-start=1s", "--op", "put,histo", "--sizes", "8", "--transport",
            "ipc", "--format", "csv");

        assertEquals(0, latency.exitCode(), latency::toString);
        final List<String> rows = new ArrayList<>(latency.output());
        assertEquals(
            "operation,transport,pes,bytes,init_ms,first_ns,start_per_s,peak_per_s,to_50_ms,to_90_ms,to_peak_ms",
            rows.remove(0));
        assertEquals(List.of("put,ipc,2,8", "histo,ipc,2,8"),
            rows.stream().map((row) -> String.join(",", List.of(row.split(",")).subList(0, 4))).toList());
        int settled = 0;
        for (final String row : rows)
        {
            final List<Long> figures =
                Stream.of(row.split(",")).skip(4).filter((figure) -> !figure.isEmpty()).map(Long::valueOf).toList();
            assertTrue(figures.stream().limit(3).allMatch((figure) -> figure > 0), row);
            if (3 == figures.size())
            {
                // on a busy machine no call ended in the second half of the second
                continue;
            }

            settled++;
            assertTrue(0 < figures.get(3) && 0 <= figures.get(4) && figures.get(4) <= figures.get(5) &&
                figures.get(5) <= figures.get(6) && figures.get(6) <= 800, row);
        }

        assertTrue(settled > 0, latency::toString);

        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMeasureOpenLoopsBesideTheClosedOne() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "--op", "pingpong,barrier", "--rate", "2000,1000", "--iterations", "50", "--warmup",
            "10", "--format", "csv", "--histograms", histograms.toString());

        assertEquals(0, latency.exitCode(), latency::toString);
        final List<String[]> rows = latency.output().stream().skip(1).map((row) -> row.split(",")).toList();
        assertEquals(
            List.of("pingpong", "pingpong_at_2000", "pingpong_at_1000", "barrier", "barrier_at_2000",
            "barrier_at_1000"),
            rows.stream().map((row) -> row[0]).toList(), latency::toString);
        for (final int open : new int[]{1, 2, 4, 5})
        {
            // 49 intervals are from the first call to the last
            final double due = 1 == open % 3 ? 2000 : 1000;
            assertTrue(Double.parseDouble(rows.get(open)[12]) <= due * 50 / 49 + 1, latency::toString);
        }

        assertTrue(Files.exists(histograms.resolve("barrier_mapped_pes=2_rate=1000_bytes=0.hlog")), latency::toString);
        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMeasureEachPairOfPes() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "--npes", "2,3", "--op", "pingpong,put,put_rate", "--sizes", "64", "--matrix",
            "--iterations", "20", "--warmup", "5", "--format", "csv");

        assertEquals(0, latency.exitCode(), latency::toString);
        final List<String> expected = new ArrayList<>();
        for (final int pes : new int[]{2, 3})
        {
            for (final String operation : List.of("pingpong %d,8", "put %d,64", "put_rate %d,8"))
            {
                for (int pair = 0; pair < pes * pes; pair++)
                {
                    if (pair / pes != pair % pes)
                    {
                        expected.add(String.format(
                            operation.replace(" ", "_" + pair / pes + "_to_" + pair % pes + ",mapped,"), pes) + ",20,");
                    }
                }
            }
        }

        final List<String> rows = latency.output();
        assertEquals(1 + expected.size(), rows.size(), latency::toString);
        for (int i = 0; i < expected.size(); i++)
        {
            assertTrue(rows.get(i + 1).startsWith(expected.get(i)), latency::toString);
        }

        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldMoveTheRootFromCallToCall() throws Exception
    {
        final List<Integer> cpus = CpuPinning.allowedCpus();
        final String list = cpus.get(0) + "," + cpus.get(1 % cpus.size()) + "," + cpus.get(2 % cpus.size());
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "-n", "3", "--op", "all", "--sizes", "8", "--root-shift", "--pin", list,
            "--iterations", "5", "--warmup", "1", "--plot", histograms.resolve("plot.html").toString());

        assertEquals(0, latency.exitCode(), latency::toString);
        final String table = String.join("\n", latency.output());
        assertTrue(table.contains("PEs 0.. on cpus " + list.replace(",", ", ")), latency::toString);
        for (final String operation : new String[]{ "broadcast", "fan_in", "fan_out", "reduce_to_root", "gather",
            "gatherv", "scatter", "scatterv", "broadcast_request" })
        {
            assertTrue(table.contains("\n" + operation + "_root_shift"), latency::toString);
        }

        assertFalse(table.contains("\nsync_root_shift"), latency::toString);
        assertTrue(Files.readString(histograms.resolve("plot.html")).contains("fan_in_root_shift"));
        root.assertEmpty();
    }

    @Test
    void shouldPrintTheConditionsAsATable() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "-n", "3", "--op", "barrier", "--iterations", "50", "--warmup", "10", "-J-Xmx128m",
            "--no-pin");

        assertEquals(0, latency.exitCode(), latency::toString);
        final String table = String.join("\n", latency.output());
        assertTrue(table.contains("3 PEs, transport mapped"), latency::toString);
        assertTrue(table.contains("-Xmx128m"), latency::toString);
        for (final String part : List.of("CPU: ", "NUMA nodes ", "governor ", "Huge pages: ", "Aeron ", "driver: "))
        {
            assertTrue(table.contains(part), part);
        }

        assertTrue(table.contains("garbage collections of"), latency::toString);
        assertEquals(1, latency.launcherLines().size(), latency::toString);
        final String warning = latency.launcherLines().get(0);
        assertTrue(warning.startsWith("aeroshmem: warning: ") && warning.contains("threads are not pinned"), warning);
        root.assertEmpty();
    }

    @Tag("ci")
    @Test
    void shouldReportOnceThatJvmsRefuseAnOption() throws Exception
    {
        final CommandProcess latency =
            CommandProcess.run(root.path(), "latency", "-n", "2", "--op", "barrier", "-J-XX:Foo");

        assertEquals(1, latency.exitCode(), latency::toString);
        assertEquals(1, latency.error().size(), latency::toString);
        final String line = latency.launcherLines().get(0);
        assertTrue(line.contains(" did not start: Unrecognized VM option 'Foo' ("), line);
        assertTrue(line.contains("-J-XX:Foo"), line);
        assertFalse(latency.output().toString().contains("rror"), latency::toString);
        root.assertEmpty();
    }

    /** The modules of the runtime that gpu/pack-for-gpu.sh makes. */
    @Tag("ci")
    @Test
    void shouldMeasureOnARuntimeWithoutFlightRecorderAndLetThePesRecordTheirCollectives() throws Exception
    {
        final CommandProcess latency = CommandProcess.run(
            root.path(), "latency", "--op", "reduce", "--sizes", "8", "--iterations", "50", "--warmup", "10",
            "--format", "csv", "-J-Daeroshmem.latency.record=true", "-J-Daeroshmem.latency.dir=" + histograms,
            "-J--limit-modules=java.base,java.management,jdk.unsupported,java.logging,jdk.management");

        assertEquals(0, latency.exitCode(), latency::toString);
        assertTrue(latency.output().get(1).startsWith("reduce,mapped,2,8,50,"), latency::toString);
        for (int pe = 0; pe < 2; pe++)
        {
            final Path log = histograms.resolve("aeroshmem-pe" + pe + ".hlog");
            assertTrue(Files.readString(log).contains("\nTag=WORLD.reduce.to-8B,"), latency::toString);
            final Path distribution = histograms.resolve("aeroshmem-pe" + pe + ".WORLD.reduce.to-8B.hgrm");
            assertTrue(Files.readString(distribution).contains("Percentile"), latency::toString);
        }

        root.assertEmpty();
    }
}
