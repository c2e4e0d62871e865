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
package io.aeroshmem.tests.benchmark;

import io.aeroshmem.Bootstrap;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.util.concurrent.TimeUnit;

/**
 * The cost of one operation for PE 0 of an in-JVM job of two, while PE 1 waits for the end of the job. Without clock
 * reads, unlike {@code aeroshmem latency}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 1, jvmArgsAppend = {
    "--add-opens=java.base/jdk.internal.misc=ALL-UNNAMED", "--add-opens=java.base/sun.nio.ch=ALL-UNNAMED"})
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class OperationsBenchmark
{
    private static final int END = 1024;

    @Param({"MAPPED", "IPC"})
    private TransportKind transport;

    private Thread peer;
    private Shmem shmem;
    private SymmetricBuffer buffer;
    private CommunicationContext ctx;

    @Setup(Level.Trial)
    public void setUp()
    {
        final Bootstrap[] bootstraps = Bootstrap.inProcess(2);
        final Shmem.Context template = new Shmem.Context().transport(transport).heapSize(1 << 20);
        peer = new Thread(() -> serve(template.clone().bootstrap(bootstraps[1])));
        peer.start();
        shmem = Shmem.init(template.clone().bootstrap(bootstraps[0]));
        buffer = shmem.calloc(1, 4096);
        ctx = shmem.defaultContext();
    }

    private static void serve(final Shmem.Context config)
    {
        try (Shmem shmem = Shmem.init(config))
        {
            final SymmetricBuffer buffer = shmem.calloc(1, 4096);
            shmem.waitUntilLong(buffer, END, Comparison.EQ, 1);
        }
    }

    @TearDown(Level.Trial)
    public void tearDown() throws InterruptedException
    {
        ctx.putLong(buffer, END, 1, 1);
        shmem.close();
        peer.join();
    }

    @Benchmark
    public void putLongAndQuiet()
    {
        ctx.putLong(buffer, 0, 1, 1);
        ctx.quiet();
    }

    @Benchmark
    public void putLong()
    {
        ctx.putLong(buffer, 0, 1, 1);
    }

    @Benchmark
    public long getLong()
    {
        return ctx.getLong(buffer, 0, 1);
    }

    @Benchmark
    public void put64Bytes()
    {
        ctx.put(buffer, 64, buffer, 128, 64, 1);
    }

    @Benchmark
    public void atomicAdd()
    {
        ctx.atomicAddLong(buffer, 256, 1, 1);
    }

    @Benchmark
    public long atomicFetchAdd()
    {
        return ctx.atomicFetchAddLong(buffer, 256, 1, 1);
    }

    @Benchmark
    public boolean test()
    {
        return shmem.testLong(buffer, 512, Comparison.EQ, 0);
    }
}
