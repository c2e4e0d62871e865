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

import io.aeroshmem.collective.task.Routine;
import io.aeroshmem.latency.LatencyRecording;
import io.aeroshmem.latency.TeamLatency;
import io.aeroshmem.transport.job.PeLatencyFile;
import org.HdrHistogram.Recorder;
import org.HdrHistogram.SingleWriterRecorder;
import org.agrona.IoUtil;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;

/**
 * The cost of recording the latency of a collective, which here does almost nothing: compare the others with {@link
 * #call} when it is off, and with {@link #twoClockReads} when it is on.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Fork(value = 2)
@Warmup(iterations = 3, time = 1)
@Measurement(iterations = 5, time = 1)
public class LatencyRecordingBenchmark
{
    private static final Routine[] ROUTINES = Routine.values();
    private static final long HIGHEST_NS = TimeUnit.MINUTES.toNanos(1);

    private final SingleWriterRecorder singleWriterRecorder = new SingleWriterRecorder(HIGHEST_NS, 2);
    private final Recorder recorder = new Recorder(HIGHEST_NS, 2);

    private Path directory;
    private LatencyRecording offRecording;
    private LatencyRecording onRecording;
    private TeamLatency off;
    private TeamLatency on;
    private long calls;

    @Setup(Level.Trial)
    public void setUp() throws IOException
    {
        directory = Files.createTempDirectory("latency");
        offRecording = recording(0);
        onRecording = recording(1);
        onRecording.record(true);
        off = offRecording.team("WORLD");
        on = onRecording.team("WORLD");
    }

    private LatencyRecording recording(final int pe)
    {
        return new LatencyRecording(
            pe,
            2,
            ROUTINES,
            directory,
            TimeUnit.SECONDS.toNanos(1),
            new PeLatencyFile(directory, pe),
            Thread::new,
            Throwable::printStackTrace);
    }

    @TearDown(Level.Trial)
    public void tearDown()
    {
        offRecording.close();
        onRecording.close();
        IoUtil.delete(directory.toFile(), false);
    }

    /** The collective only. */
    @Benchmark
    public long call()
    {
        return collective();
    }

    @Benchmark
    public long off()
    {
        return recorded(off, Routine.SYNC, 0);
    }

    /** The collective between two clock reads: the minimum cost of a latency. */
    @Benchmark
    public long twoClockReads()
    {
        final long startNs = System.nanoTime();
        collective();
        return System.nanoTime() - startNs;
    }

    @Benchmark
    public long on()
    {
        return recorded(on, Routine.SYNC, 0);
    }

    /** Another histogram at each call. */
    @Benchmark
    public long onAllRoutines()
    {
        return recorded(on, ROUTINES[(int)(calls % ROUTINES.length)], 8);
    }

    /** The HdrHistogram recorder that recording uses, without the collective. */
    @Benchmark
    public long singleWriterRecorder()
    {
        final long startNs = System.nanoTime();
        collective();
        final long endNs = System.nanoTime();
        singleWriterRecorder.recordValue(endNs - startNs);
        return endNs;
    }

    /** HdrHistogram's recorder for several writers at once. */
    @Benchmark
    public long recorder()
    {
        final long startNs = System.nanoTime();
        collective();
        final long endNs = System.nanoTime();
        recorder.recordValue(endNs - startNs);
        return endNs;
    }

    /** As a team does it. */
    private long recorded(final TeamLatency latency, final Routine routine, final long bytes)
    {
        if (!latency.isOn())
        {
            return collective();
        }

        final long startNs = System.nanoTime();
        final long result = collective();
        latency.record(routine, bytes, startNs, System.nanoTime());
        return result;
    }

    private long collective()
    {
        return ++calls;
    }
}
