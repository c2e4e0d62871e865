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
import io.aeroshmem.PeTask;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.stream.Collectors;

/**
 * A program of two PEs on one device that measures the device-side API: {@code device_benchmark.txt} names the rows,
 * {@code device_api_benchmark.cu} has the kernels, and {@code nvshmem_benchmark.cu} measures NVSHMEM in the same way.
 * Prints the medians as rows of a table. What the kernels have transferred is verified.
 * <p>
 * PE 0 alone launches kernels that no other PE has to take part in. With {@code aeroshmem.gpu.proxy=true} rows of
 * several blocks are left out, and words are also put to host memory; without it the program fails if the PEs do not
 * reach each other by address. With the argument {@code --threads} the PEs are
 * threads of this process, whose kernels run at the same time; those of processes take turns, unless they share the
 * device by MPS.
 */
final class DeviceBenchmark
{
    static final String KERNELS = "device_api_benchmark";
    private static final int N_PES = 2;
    private static final int WARMUP_ROUNDS = 3;
    private static final int TRIAL_CALLS = 8;
    private static final int CHECKED_CALLS = 5;
    private static final long MAX_CALLS = 100_000;
    private static final long HEAP_SIZE = 192L << 20;
    private static final int PERIOD = 61;

    /** How much is measured: rounds of each row, the nanoseconds of a round, and bounds of a row's grid and size. */
    record Effort(int rounds, long roundNs, int blocks, int threads, long size)
    {
        static final Effort FULL = new Effort(31, 2_000_000, 1024, 1024, 4 << 20);
        /** Of a simulation, whose times mean nothing. */
        static final Effort SHORT = new Effort(3, 100_000, 2, 8, 8192);
    }

    /** A row of the table. */
    private record Row(String name, String kernel, String unit, int blocks, int threads, long size, boolean isHost)
    {
        static Row parse(final String line, final Effort effort)
        {
            final String[] fields = line.split("\\|");
            return new Row(
                fields[0],
                fields[1],
                fields[2],
                Math.min(Integer.parseInt(fields[3]), effort.blocks),
                Math.min(Integer.parseInt(fields[4]), effort.threads),
                Math.min(Long.parseLong(fields[5]), effort.size),
                false);
        }

        Row toHost()
        {
            return new Row(name + ", host memory", kernel, unit, blocks, threads, size, true);
        }

        /** Whether the PEs call the routine together. */
        boolean isCollective()
        {
            return "barrier".equals(kernel) || "sum".equals(kernel);
        }

        boolean isOfWords()
        {
            return 1 == blocks * threads && !isCollective();
        }

        int allThreads()
        {
            return blocks * threads;
        }

        /** Returns the bytes of the object that is written, and of the one that is read. */
        long bytes()
        {
            return switch (kernel)
            {
                case "put_block" -> blocks * size;
                case "sum" -> Float.BYTES * size;
                case "add", "fetch_add" -> Long.BYTES * Math.max(1, size * allThreads());
                default -> Long.BYTES;
            };
        }

        String value(final double ns, final long calls)
        {
            return switch (unit)
            {
                case "us" -> String.format(Locale.ROOT, "%.3f us", ns / calls / 1000);
                case "GB/s" -> String.format(Locale.ROOT, "%.1f GB/s", blocks * size * calls / ns);
                default -> String.format(Locale.ROOT, "%.1f M/s", 1000.0 * allThreads() * calls / ns);
            };
        }
    }

    private final Shmem shmem;
    private final Gpu gpu;
    private final BenchmarkKernels kernels;
    private final Effort effort;
    private final CommunicationContext ctx;
    private final int me;

    private DeviceBenchmark(final Shmem shmem, final Gpu gpu, final BenchmarkKernels kernels, final Effort effort)
    {
        this.shmem = shmem;
        this.gpu = gpu;
        this.kernels = kernels;
        this.effort = effort;
        ctx = shmem.defaultContext();
        me = shmem.myPe();
    }

    public static void main(final String[] args) throws Exception
    {
        final Gpu.Context config = new Gpu.Context()
            .device(Integer.getInteger("aeroshmem.gpu.device", 0))
            .heapSize(HEAP_SIZE);
        final PeTask task = (shmem) ->
        {
            try (Gpu gpu = Gpu.init(shmem, config.clone()))
            {
                shmem.syncAll();
                final DeviceReach reach = gpu.reach(1 - shmem.myPe());
                if (!config.proxyAllPeers() && DeviceReach.Way.ADDRESS != reach.way())
                {
                    throw new IllegalStateException("without aeroshmem.gpu.proxy=true, kernels must reach the other" +
                        " PE by address: " + reach);
                }

                print(shmem, "way", config.proxyAllPeers() ? "by requests" : reach.toString());
                final boolean isSimulated = CudaReport.isSimulated(gpu.deviceName());
                final String suffix = isSimulated ? " (simulated, smaller)" : "";
                print(shmem, "status", gpu.initStatus() + suffix);
                run(shmem, gpu, config.proxyAllPeers(), isSimulated ? Effort.SHORT : Effort.FULL, (row) ->
                    print(shmem, row[0], row[1] + suffix));
            }
        };
        if (List.of("--threads").equals(List.of(args)))
        {
            Shmem.runLocal(N_PES, new Shmem.Context(), task);
        }
        else
        {
            Shmem.run(new Shmem.Context(), task);
        }
    }

    private static void print(final Shmem shmem, final String name, final String value)
    {
        if (0 == shmem.myPe())
        {
            System.out.println("| " + name + " | " + value + " |");
        }
    }

    /** Measures all rows, and passes name and value of each to a consumer. Collective; the GPU is set up. */
    static void run(
        final Shmem shmem,
        final Gpu gpu,
        final boolean isByRequests,
        final Effort effort,
        final Consumer<String[]> consumer) throws IOException
    {
        if (N_PES != shmem.nPes())
        {
            throw new IllegalStateException("there must be 2 PEs: " + shmem.nPes());
        }

        // Not closed after a failure: the end of the job ends the kernels for which that would wait.
        final BenchmarkKernels kernels = new BenchmarkKernels(gpu, KERNELS);
        final DeviceBenchmark benchmark = new DeviceBenchmark(shmem, gpu, kernels, effort);
        for (final Row row : rows(effort))
        {
            if (1 == row.blocks || !isByRequests)
            {
                consumer.accept(new String[]{row.name, benchmark.measure(row)});
            }

            if (isByRequests && row.isOfWords())
            {
                final Row toHost = row.toHost();
                consumer.accept(new String[]{toHost.name, benchmark.measure(toHost)});
            }
        }

        shmem.barrierAll();
        kernels.close();
    }

    private static List<Row> rows(final Effort effort) throws IOException
    {
        try (BufferedReader reader = new BufferedReader(new InputStreamReader(
            DeviceBenchmark.class.getResourceAsStream("device_benchmark.txt"), StandardCharsets.UTF_8)))
        {
            return reader.lines()
                .filter((line) -> !line.startsWith("#"))
                .map((line) -> Row.parse(line, effort))
                .collect(Collectors.toList());
        }
    }

    /** Measures and verifies a row; returns its value. */
    private String measure(final Row row)
    {
        final SymmetricBuffer source = gpu.malloc(row.bytes());
        final SymmetricBuffer results = gpu.calloc(2L * row.blocks + row.allThreads(), Long.BYTES);
        write(source, row.bytes());
        final SymmetricBuffer dest = dest(row);
        final boolean isActive = 0 == me || row.isCollective();
        long calls = MAX_CALLS;
        if (isActive)
        {
            // The first launch may be slow, and so may its first call.
            launch(row, row.kernel, dest, source, results, 1);
            final long trialNs = launch(row, row.kernel, dest, source, results, TRIAL_CALLS);
            calls = Math.max(1, Math.min(MAX_CALLS, effort.roundNs * TRIAL_CALLS / trialNs));
        }

        calls = shmem.world().reduceLong(ReduceOp.MIN, calls);
        final long[] times = new long[effort.rounds];
        for (int round = -WARMUP_ROUNDS; isActive && round < times.length; round++)
        {
            times[Math.max(0, round)] = launch(row, row.kernel, dest, source, results, calls);
        }

        shmem.barrierAll();
        shmem.free(dest);
        verify(row, source, results, isActive);
        shmem.free(results);
        shmem.free(source);
        Arrays.sort(times);
        return row.value(times[times.length / 2], calls);
    }

    /** Returns an object of zeros that kernels write. */
    private SymmetricBuffer dest(final Row row)
    {
        return row.isHost ? shmem.calloc(row.bytes(), 1) : gpu.calloc(row.bytes(), 1);
    }

    /** Launches a kernel and returns how long its calls have taken, in nanoseconds. */
    private long launch(
        final Row row,
        final String kernel,
        final SymmetricBuffer dest,
        final SymmetricBuffer source,
        final SymmetricBuffer results,
        final long calls)
    {
        kernels.run(
            "benchmark_" + kernel,
            row.blocks,
            row.threads,
            gpu.address(dest, me),
            gpu.address(source, me),
            row.size,
            gpu.address(results, me),
            calls,
            (me + 1) % N_PES);
        final UnsafeBuffer times = read(results, 2L * row.blocks * Long.BYTES);
        long begin = Long.MAX_VALUE;
        long end = 0;
        for (int block = 0; block < row.blocks; block++)
        {
            begin = Math.min(begin, times.getLong(2 * block * Long.BYTES));
            end = Math.max(end, times.getLong((2 * block + 1) * Long.BYTES));
        }

        return Math.max(1, end - begin);
    }

    /** Calls the routine a few times more, and throws if the result is not right. */
    private void verify(
        final Row row, final SymmetricBuffer source, final SymmetricBuffer results, final boolean isActive)
    {
        final SymmetricBuffer dest = dest(row);
        if (isActive)
        {
            final String kernel = "barrier".equals(row.kernel) ? "barrier_check" : row.kernel;
            launch(row, kernel, dest, source, results, CHECKED_CALLS);
        }

        shmem.barrierAll();
        final boolean isRight = 0 == me ? isSenderRight(row, dest, results) : isReceiverRight(row, dest, results);
        final boolean areRight = 0 != shmem.world().reduceLong(ReduceOp.MIN, isRight ? 1 : 0);
        shmem.free(dest);
        if (!areRight)
        {
            throw new IllegalStateException("kernels have transferred other values than they should: " + row.name);
        }
    }

    private boolean isSenderRight(final Row row, final SymmetricBuffer dest, final SymmetricBuffer results)
    {
        return switch (row.kernel)
        {
            case "fetch_add" -> fetched(row) == sumOfThreads(row, results);
            case "barrier", "sum" -> isReceiverRight(row, dest, results);
            default -> true;
        };
    }

    /** Returns the sum of what the threads must have fetched. */
    private static long fetched(final Row row)
    {
        final long ofWord = CHECKED_CALLS * (0 == row.size ? (long)row.allThreads() : 1L);
        return ofWord * (ofWord - 1) / 2 * (0 == row.size ? 1 : row.allThreads());
    }

    private long sumOfThreads(final Row row, final SymmetricBuffer results)
    {
        final int length = (2 * row.blocks + row.allThreads()) * Long.BYTES;
        return sum(read(results, length), 2 * row.blocks * Long.BYTES);
    }

    private static long sum(final UnsafeBuffer words, final int from)
    {
        long sum = 0;
        for (int at = from; at < words.capacity(); at += Long.BYTES)
        {
            sum += words.getLong(at);
        }

        return sum;
    }

    private boolean isReceiverRight(final Row row, final SymmetricBuffer dest, final SymmetricBuffer results)
    {
        return switch (row.kernel)
        {
            case "put_word" -> CHECKED_CALLS == read(dest, Long.BYTES).getLong(0);
            case "put_block" -> holds(dest, row.bytes(), 1, 0);
            case "add", "fetch_add" -> (long)CHECKED_CALLS * row.allThreads() == sum(read(dest, row.bytes()), 0);
            case "barrier" -> 0 == sumOfThreads(row, results);
            default -> holds(dest, row.bytes(), N_PES, 1);
        };
    }

    /** An element of what a PE sends: small integers, whose sums are exact. */
    private static float element(final int index, final int pe)
    {
        return index % PERIOD + pe;
    }

    private void write(final SymmetricBuffer source, final long bytes)
    {
        final UnsafeBuffer elements = new UnsafeBuffer(new byte[(int)bytes]);
        for (int i = 0; i < bytes / Float.BYTES; i++)
        {
            elements.putFloat(i * Float.BYTES, element(i, me));
        }

        ctx.put(source, 0, elements, 0, elements.capacity(), me);
        ctx.quiet();
    }

    /** Returns whether elements are those of PE 0, times a factor, plus an addend. */
    private boolean holds(final SymmetricBuffer dest, final long bytes, final int factor, final int addend)
    {
        final UnsafeBuffer elements = read(dest, bytes);
        for (int i = 0; i < bytes / Float.BYTES; i++)
        {
            if (elements.getFloat(i * Float.BYTES) != factor * element(i, 0) + addend)
            {
                return false;
            }
        }

        return true;
    }

    private UnsafeBuffer read(final SymmetricBuffer buffer, final long bytes)
    {
        final UnsafeBuffer image = new UnsafeBuffer(new byte[(int)bytes]);
        ctx.get(image, 0, buffer, 0, image.capacity(), me);
        return image;
    }
}
