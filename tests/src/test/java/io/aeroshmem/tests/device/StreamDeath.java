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
package io.aeroshmem.tests.device;

import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.gpu.GpuStream;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;

import static io.aeroshmem.tests.device.CudaCalls.newStream;

/**
 * The last PE is killed when the others have enqueued operations that wait for it, each on a stream of its own. The
 * synchronisations of all these streams end with the failure, and so does that of a stream on which a PE goes on to
 * enqueue operations on the memory of the dead one. The survivors' devices and JVMs end in an orderly way, with a
 * status of their own.
 */
public final class StreamDeath extends RoutineSet
{
    private static final int LENGTH = 96_000;
    private static final int SIGNAL = 8;
    private static final int COUNTER = 16;

    public StreamDeath()
    {
        add("death", StreamDeath::shouldEndStreamsOfSurvivors);
    }

    private static void shouldEndStreamsOfSurvivors(final Pe pe) throws Exception
    {
        final Shmem shmem = pe.shmem();
        final Gpu gpu = Gpu.init(shmem);
        final SymmetricBuffer words = gpu.calloc(8, 8);
        Survivor.checkWay(pe, gpu);
        final SymmetricBuffer source = gpu.calloc(LENGTH, 1);
        final SymmetricBuffer dest = gpu.calloc(LENGTH, 1);
        final SymmetricBuffer host = shmem.calloc(8, 8);
        final SymmetricBuffer killedAt = shmem.calloc(2, 8);
        final Map<String, Consumer<GpuStream>> calls = calls(shmem, words, source, dest, host);
        final int victim = pe.n() - 1;
        shmem.barrierAll();
        if (victim == pe.me())
        {
            Survivor.die(pe, killedAt);
        }

        final Survivor survivor = new Survivor();
        for (final Map.Entry<String, Consumer<GpuStream>> call : calls.entrySet())
        {
            final GpuStream stream = gpu.stream(newStream(gpu));
            survivor.start(call.getKey(), () ->
            {
                call.getValue().accept(stream);
                stream.synchronize();
            });
        }

        final GpuStream stream = gpu.stream(newStream(gpu));
        survivor.startRepeating("memory of the dead PE", () ->
        {
            stream.put(dest, 0, source, 0, LENGTH, victim);
            stream.atomicAddLong(words, COUNTER, 1, victim);
            stream.synchronize();
        });
        Survivor.begin(pe, killedAt);
        survivor.check(killedAt, victim);
        Survivor.end(shmem, gpu);
    }

    /** Returns calls that do not end without the victim, by their names. Each collective has a team of its own. */
    private static Map<String, Consumer<GpuStream>> calls(
        final Shmem shmem,
        final SymmetricBuffer words,
        final SymmetricBuffer source,
        final SymmetricBuffer dest,
        final SymmetricBuffer host)
    {
        final Team barrier = shmem.world().duplicate();
        final Team reduce = shmem.world().duplicate();
        final Team collect = shmem.world().duplicate();
        final Map<String, Consumer<GpuStream>> calls = new LinkedHashMap<>();
        calls.put("wait", (stream) -> stream.waitUntilLong(words, 0, Comparison.EQ, 1));
        calls.put("wait on the host", (stream) -> stream.waitUntilInt(host, 0, Comparison.EQ, 1));
        calls.put("wait for a signal", (stream) ->
        {
            stream.signalWaitUntil(words, SIGNAL, Comparison.EQ, 1);
            stream.get(dest, 0, source, 0, LENGTH, shmem.nPes() - 1);
        });
        calls.put("barrier of the world", GpuStream::barrierAll);
        calls.put("barrier of a team", (stream) -> stream.barrier(barrier));
        calls.put("reduce", (stream) ->
            stream.reduce(reduce, ReduceOp.SUM, ElementType.LONG, dest, source, LENGTH / Long.BYTES));
        calls.put("fcollect", (stream) ->
            stream.fcollect(collect, ElementType.LONG, dest, source, LENGTH / Long.BYTES / shmem.nPes()));
        return calls;
    }
}
