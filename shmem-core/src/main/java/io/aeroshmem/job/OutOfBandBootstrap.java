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
package io.aeroshmem.job;

import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import io.aeroshmem.transport.TransportException;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeUnit;

/**
 * PEs that find each other by one allgather of the program's own. Each gives its rank, the number of ranks and, rank 0,
 * the id; so a mistake in ranks shows on all of them alike.
 */
public final class OutOfBandBootstrap extends ExchangedBootstrap
{
    private static final int RANK = 0;
    private static final int RANKS = Integer.BYTES;
    private static final int ID_LENGTH = 2 * Integer.BYTES;
    private static final int ID = 3 * Integer.BYTES;
    private static final int LENGTH = ID + 64;

    private final OobCollective collective;

    /**
     * Construct for one PE.
     *
     * @param pe         number of the PE, its rank in the allgather.
     * @param nPes       number of PEs, ranks of the allgather.
     * @param collective of the program.
     */
    public OutOfBandBootstrap(final int pe, final int nPes, final OobCollective collective)
    {
        super(pe, nPes);
        this.collective = collective;
    }

    @Override
    byte[] exchange(final byte[] own, final long timeoutNs)
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[LENGTH]);
        source.putInt(RANK, pe());
        source.putInt(RANKS, nPes());
        source.putInt(ID_LENGTH, own.length);
        source.putBytes(ID, own);
        final UnsafeBuffer dest = new UnsafeBuffer(new byte[Math.multiplyExact(LENGTH, nPes())]);
        await(collective.allgather(source, dest, LENGTH), timeoutNs);
        for (int rank = 0; rank < nPes(); rank++)
        {
            final int offset = rank * LENGTH;
            if (rank != dest.getInt(offset + RANK) || nPes() != dest.getInt(offset + RANKS))
            {
                throw new TransportException("out-of-band allgather: at rank " + rank + " of " + nPes() +
                    " stands PE " + dest.getInt(offset + RANK) + " of " + dest.getInt(offset + RANKS) +
                    ": each PE needs its rank in the allgather, and all the same number of ranks");
            }
        }

        final int length = dest.getInt(ID_LENGTH);
        if (length < 0 || length > LENGTH - ID)
        {
            throw new TransportException("out-of-band allgather: rank 0 gave an id of " + length + " bytes");
        }

        final byte[] id = new byte[length];
        dest.getBytes(ID, id);
        return id;
    }

    private void await(final OobRequest request, final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (!request.test())
        {
            if (Thread.currentThread().isInterrupted())
            {
                throw interrupted();
            }

            if (System.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException("PE " + pe() + " waited " + TimeUnit.NANOSECONDS.toSeconds(timeoutNs) +
                    " s for the out-of-band allgather of " + nPes() + " ranks (property aeroshmem.join.timeout)");
            }
            Thread.yield();
        }
    }

    private static TransportException interrupted()
    {
        return new TransportException(
            "interrupted during the out-of-band allgather", new ClosedByInterruptException());
    }
}
