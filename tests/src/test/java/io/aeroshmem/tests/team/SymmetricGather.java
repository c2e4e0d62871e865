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
package io.aeroshmem.tests.team;

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Comparison;
import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.tests.fixture.Pe;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

/**
 * An allgather of some PEs through symmetric memory: the out-of-band exchange of tests, in one JVM and in several.
 */
final class SymmetricGather implements OobCollective
{
    private static final int CAPACITY = 1 << 10;
    private static final int SLOT = 64 + CAPACITY;

    private final Pe pe;
    private final SymmetricBuffer slots;
    private final int[] worldPes;
    private final int rank;
    private long count;

    private SymmetricGather(final Pe pe, final SymmetricBuffer slots, final int[] worldPes, final int rank)
    {
        this.pe = pe;
        this.slots = slots;
        this.worldPes = worldPes;
        this.rank = rank;
    }

    /**
     * Allocates the memory of an exchange on all PEs.
     */
    static SymmetricBuffer allocate(final Pe pe)
    {
        return pe.shmem().calloc(pe.n(), SLOT);
    }

    /**
     * Returns this PE's part in the exchange of PEs.
     */
    static SymmetricGather of(final Pe pe, final SymmetricBuffer slots, final int rank, final int... worldPes)
    {
        return new SymmetricGather(pe, slots, worldPes, rank);
    }

    @Override
    public OobRequest allgather(final DirectBuffer source, final MutableDirectBuffer dest, final int length)
    {
        final long round = ++count;
        final CommunicationContext ctx = pe.ctx();
        for (final int worldPe : worldPes)
        {
            ctx.putSignal(
                slots, (long)rank * SLOT + 64, source, 0, length, slots, (long)rank * SLOT, round, SignalOp.SET,
                worldPe);
        }

        return () -> isComplete(round, dest, length);
    }

    private boolean isComplete(final long round, final MutableDirectBuffer dest, final int length)
    {
        for (int i = 0; i < worldPes.length; i++)
        {
            if (!pe.shmem().testLong(slots, (long)i * SLOT, Comparison.GE, round))
            {
                return false;
            }
        }

        for (int i = 0; i < worldPes.length; i++)
        {
            dest.putBytes(i * length, slots.local(), i * SLOT + 64, length);
        }

        return true;
    }
}
