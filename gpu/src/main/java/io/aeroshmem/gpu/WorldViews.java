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

import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteBuffer;

/**
 * The exchange of addresses for {@link WorldCollectives}. Each PE sends the addresses at which it reaches the device
 * heaps and host heaps of all PEs. So each PE learns the addresses at which the others reach its own two heaps.
 */
final class WorldViews
{
    private static final int DEVICE = 0;
    private static final int HOST = 1;
    private static final int KINDS = 2;

    private WorldViews()
    {
    }

    /** Returns the length of the memory for the exchange; 0 if a world of this size makes none. */
    static long length(final int nPes)
    {
        return nPes > WorldCollectives.MAX_PES ? 0 : nPes * rowLength(nPes);
    }

    private static long rowLength(final int nPes)
    {
        return (long)KINDS * nPes * Long.BYTES;
    }

    /** Exchanges addresses, and returns the collectives that use them. Collective. */
    static WorldCollectives exchange(final Shmem shmem, final SymmetricBuffer exchange, final LocalDevice own)
    {
        final int nPes = shmem.nPes();
        final int me = shmem.myPe();
        final long at = exchange.length() - length(nPes);
        final UnsafeBuffer row = new UnsafeBuffer(ByteBuffer.allocateDirect((int)rowLength(nPes)));
        for (int pe = 0; pe < nPes; pe++)
        {
            row.putLong(index(DEVICE, pe, nPes), own.heap().addresses()[pe]);
            row.putLong(index(HOST, pe, nPes), own.hostHeaps().deviceAddress(pe));
        }

        for (int pe = 0; pe < nPes; pe++)
        {
            shmem.defaultContext().put(exchange, at + me * rowLength(nPes), row, 0, row.capacity(), pe);
        }

        shmem.world().barrier();

        final long[] deviceBases = new long[nPes];
        final long[] hostBases = new long[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            deviceBases[pe] = exchange.getLong(at + pe * rowLength(nPes) + index(DEVICE, me, nPes));
            hostBases[pe] = exchange.getLong(at + pe * rowLength(nPes) + index(HOST, me, nPes));
        }

        return own.heap().worldCollectives(me, deviceBases, hostBases);
    }

    private static int index(final int kind, final int pe, final int nPes)
    {
        return (kind * nPes + pe) * Long.BYTES;
    }
}
