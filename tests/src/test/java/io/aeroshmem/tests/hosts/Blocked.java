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
package io.aeroshmem.tests.hosts;

import io.aeroshmem.Comparison;
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.ShmemException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import java.io.PrintStream;

/**
 * A routine in which each PE blocks in a different call, which would not return, then reports how it ended, closes and
 * exits.
 */
final class Blocked extends RoutineSet
{
    /**
     * The calls of the PEs, in their order, separated by commas.
     */
    static final String CALLS_PROPERTY = "aeroshmem.test.calls";
    static final String STATUS_PROPERTY = "aeroshmem.test.status";
    static final String BLOCKED = "blocked, pid ";
    static final String ENDED = "ended at ";
    static final String CLOSED = "closed at ";

    private static final PrintStream OUT = System.out;
    private static final int LENGTH = 1 << 20;
    private static final int FLAG = 0;
    private static final int LOCK = 64;
    private static final int COUNT = 128;

    private final Call[] calls;

    /**
     * The calls that PEs block in.
     */
    enum Call
    {
        WAIT, BARRIER, REDUCE, ALLTOALL, MALLOC, SPLIT, CLOSE, GET, FETCH, QUIET, LOCK, COMPUTE, EXIT
    }

    Blocked()
    {
        final String[] names = System.getProperty(CALLS_PROPERTY).split(",");
        calls = new Call[names.length];
        for (int i = 0; i < names.length; i++)
        {
            calls[i] = Call.valueOf(names[i]);
        }

        add("blocked", this::run);
    }

    private void run(final Pe pe)
    {
        final SymmetricBuffer words = pe.shmem().calloc(1, LENGTH);
        final SymmetricBuffer bulk = pe.shmem().calloc(2, LENGTH);
        final int peer = (pe.me() + pe.n() / 2) % pe.n();
        if (0 == pe.me())
        {
            pe.shmem().lock(words, LOCK);
        }

        pe.shmem().barrierAll();
        OUT.println(BLOCKED + ProcessHandle.current().pid());
        try
        {
            call(pe, calls[pe.me()], words, bulk, peer);
            if (Call.CLOSE == calls[pe.me()])
            {
                OUT.println(ENDED + System.currentTimeMillis() + " by none");
            }
        }
        catch (final ShmemException ex)
        {
            OUT.println(ENDED + System.currentTimeMillis() + " by " + ex.getClass().getSimpleName() + ": " +
                ex.getMessage());
        }

        pe.shmem().close();
        OUT.println(CLOSED + System.currentTimeMillis());
        System.exit(0);
    }

    private static void call(
        final Pe pe, final Call call, final SymmetricBuffer words, final SymmetricBuffer bulk, final int peer)
    {
        switch (call)
        {
            case WAIT -> pe.shmem().waitUntilLong(words, FLAG, Comparison.EQ, 1);
            case BARRIER -> pe.shmem().barrierAll();
            case REDUCE -> pe.shmem().world().reduceLong(ReduceOp.SUM, 1);
            case ALLTOALL -> pe.shmem().world().alltoall(ElementType.LONG, bulk, words, 1_000);
            case MALLOC -> pe.shmem().malloc(8);
            case SPLIT -> pe.shmem().world().splitStrided(0, 1, pe.n());
            case CLOSE -> pe.shmem().close();
            case LOCK -> pe.shmem().lock(words, LOCK);
            case EXIT -> pe.shmem().globalExit(Integer.getInteger(STATUS_PROPERTY));
            default -> repeat(pe, call, words, bulk, peer);
        }
    }

    /**
     * Repeats a call that completes.
     */
    private static void repeat(
        final Pe pe, final Call call, final SymmetricBuffer words, final SymmetricBuffer bulk, final int peer)
    {
        while (true)
        {
            switch (call)
            {
                case GET -> pe.ctx().get(bulk, LENGTH, bulk, 0, LENGTH, peer);
                case FETCH -> pe.ctx().atomicFetchAddLong(words, COUNT, 1, peer);
                case QUIET ->
                {
                    pe.ctx().put(bulk, 0, bulk, LENGTH, LENGTH, peer);
                    pe.ctx().quiet();
                }
                case COMPUTE ->
                {
                    if (pe.shmem().isClosed())
                    {
                        return;
                    }

                    Thread.onSpinWait();
                }
                default -> throw new IllegalArgumentException("unknown: " + call);
            }
        }
    }
}
