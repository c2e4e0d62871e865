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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.Team;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The last PE is killed while the others access its device memory, and wait for it, in every way, each on a thread of
 * its own. All of these calls end with the failure, and the survivors' devices and JVMs end in an orderly way, with a
 * status of their own.
 */
public final class DeviceDeath extends RoutineSet
{
    private static final int LENGTH = 400_000;
    private static final int LOCK = 8;
    private static final int COUNTER = 16;
    private static final int SIGNAL = 24;

    public DeviceDeath()
    {
        add("death", DeviceDeath::shouldEndCallsOfSurvivors);
    }

    private static void shouldEndCallsOfSurvivors(final Pe pe) throws Exception
    {
        final Shmem shmem = pe.shmem();
        final Gpu gpu = Gpu.init(shmem);
        final SymmetricBuffer words = gpu.calloc(8, 8);
        Survivor.checkWay(pe, gpu);
        final SymmetricBuffer source = gpu.calloc(LENGTH, 1);
        final SymmetricBuffer dest = gpu.calloc(LENGTH, 1);
        final SymmetricBuffer host = shmem.calloc(LENGTH, 1);
        final SymmetricBuffer killedAt = shmem.calloc(2, 8);
        final Team team = shmem.world().duplicate();
        final int victim = pe.n() - 1;
        if (victim == pe.me())
        {
            shmem.lock(words, LOCK);
            shmem.barrierAll();
            Survivor.die(pe, killedAt);
        }

        shmem.barrierAll();
        final Survivor survivor = new Survivor();
        calls(pe, team, words, source, dest, host).forEach(survivor::startRepeating);
        Survivor.begin(pe, killedAt);
        survivor.perform("allocation", () -> gpu.malloc(64));
        survivor.check(killedAt, victim);
        Survivor.end(shmem, gpu);
    }

    private static Map<String, Runnable> calls(
        final Pe pe,
        final Team team,
        final SymmetricBuffer words,
        final SymmetricBuffer source,
        final SymmetricBuffer dest,
        final SymmetricBuffer host)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final CommunicationContext own = shmem.createContext();
        final int victim = pe.n() - 1;
        final Map<String, Runnable> calls = new LinkedHashMap<>();
        calls.put("put", () ->
        {
            ctx.put(dest, 0, source, 0, LENGTH, victim);
            ctx.put(dest, 0, host, 0, LENGTH, victim);
            ctx.quiet();
        });
        calls.put("putNbi", () ->
        {
            own.putNbi(dest, 0, source, 0, LENGTH, victim);
            own.quiet();
        });
        calls.put("get", () -> ctx.get(host, 0, source, 0, LENGTH, victim));
        calls.put("iget", () -> ctx.iget(dest, 0, source, 0, 3, 2, 100, 8, victim));
        calls.put("fetch", () -> ctx.atomicFetchAddLong(words, COUNTER, 1, victim));
        calls.put("signal", () ->
        {
            ctx.signal(words, SIGNAL, 1, SignalOp.ADD, victim);
            ctx.quiet();
        });
        calls.put("wait", () -> shmem.waitUntilLong(words, 0, Comparison.EQ, 1));
        calls.put("wait for signal", () -> shmem.signalWaitUntil(words, 32, Comparison.EQ, 1));
        calls.put("lock", () -> shmem.lock(words, LOCK));
        calls.put("reduce", () -> team.reduce(ReduceOp.SUM, ElementType.LONG, dest, source, LENGTH / 8));
        return calls;
    }
}
