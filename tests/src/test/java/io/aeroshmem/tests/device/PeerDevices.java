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
import io.aeroshmem.ElementType;
import io.aeroshmem.ReduceOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.gpu.DeviceReach;
import io.aeroshmem.gpu.Gpu;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.RoutineSet;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Operations and collectives on the device memory of PEs on other devices.
 */
public final class PeerDevices extends RoutineSet
{
    /** Property of a PE: how it reaches each PE. */
    static final String REACH = "aeroshmem.test.reach";

    private static final int ELEMENTS = 100_000;
    private static final int LENGTH = ELEMENTS * Long.BYTES;
    private static final int ROUNDS = 50;

    public PeerDevices()
    {
        add("peer devices: ways", PeerDevices::shouldReachEachPeAsTheJobSays);
        add("peer devices: operations", PeerDevices::shouldOperate);
        add("peer devices: collectives", PeerDevices::shouldReduce);
    }

    private static void shouldReachEachPeAsTheJobSays(final Pe pe)
    {
        final Gpu gpu = pe.memory().gpu();
        final SymmetricBuffer buffer = gpu.calloc(1, Long.BYTES);
        final String[] expected = System.getProperty(REACH).split("; ");
        for (int other = 0; other < pe.n(); other++)
        {
            final DeviceReach reach = gpu.reach(other);
            assertEquals(expected[other], reach.toString(), "PE " + other);
            assertEquals(DeviceReach.Way.ADDRESS == reach.way(), 0 != gpu.address(buffer, other));
        }

        pe.shmem().free(buffer);
    }

    private static void shouldOperate(final Pe pe)
    {
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer buffer = pe.memory().gpu().calloc(2, LENGTH);
        for (int i = 0; i < ROUNDS; i++)
        {
            for (int other = 0; other < pe.n(); other++)
            {
                assertTrue(ctx.atomicFetchAddLong(buffer, 0, 1, other) < (long)ROUNDS * pe.n());
                ctx.atomicIncInt(buffer, 8, other);
            }
        }

        pe.shmem().barrierAll();
        ctx.putLong(buffer, LENGTH - 8, 100 + pe.me(), pe.right());
        ctx.quiet();
        pe.shmem().barrierAll();
        ctx.put(buffer, LENGTH, buffer, 0, LENGTH, pe.right());
        pe.shmem().barrierAll();
        for (final int other : new int[]{pe.me(), pe.right()})
        {
            assertEquals((long)ROUNDS * pe.n(), ctx.getLong(buffer, LENGTH, other));
            assertEquals(ROUNDS * pe.n(), ctx.getInt(buffer, LENGTH + 8, other));
            assertEquals(100 + (other + 2 * pe.n() - 2) % pe.n(), ctx.getLong(buffer, 2 * LENGTH - 8, other));
        }

        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
    }

    private static void shouldReduce(final Pe pe)
    {
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer buffer = pe.memory().gpu().calloc(2, LENGTH);
        for (int i = 0; i < ELEMENTS; i += 1000)
        {
            ctx.putLong(buffer, 8L * i, (pe.me() + 1L) * i, pe.me());
        }

        ctx.quiet();
        pe.shmem().barrierAll();
        pe.shmem().world().reduce(
            ReduceOp.SUM, ElementType.LONG, buffer.slice(LENGTH, LENGTH), buffer.slice(0, LENGTH), ELEMENTS);
        for (int i = 0; i < ELEMENTS; i += 1000)
        {
            assertEquals(pe.n() * (pe.n() + 1L) / 2 * i, ctx.getLong(buffer, LENGTH + 8L * i, pe.me()));
        }

        pe.shmem().barrierAll();
        pe.shmem().free(buffer);
    }
}
