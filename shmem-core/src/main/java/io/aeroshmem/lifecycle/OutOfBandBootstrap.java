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
package io.aeroshmem.lifecycle;

import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.channels.ClosedByInterruptException;
import java.util.concurrent.TimeUnit;

/**
 * A bootstrap by one allgather that the program supplies. Each PE contributes its rank and the number of ranks, so all
 * PEs detect inconsistent ranks. Rank 0 also contributes the id of the rendezvous.
 */
public final class OutOfBandBootstrap extends IdExchangeBootstrap
{
    private static final int RANK = 0;
    private static final int RANKS = Integer.BYTES;
    private static final int ID_LENGTH = 2 * Integer.BYTES;
    private static final int ID = 3 * Integer.BYTES;
    private static final int LENGTH = ID + 64;

    private final OobCollective collective;

    public OutOfBandBootstrap(final int pe, final int nPes, final OobCollective collective)
    {
        super(pe, nPes);
        this.collective = collective;
    }

    @Override
    byte[] exchange(final byte[] own, final Pause pause, final long timeoutNs)
    {
        final UnsafeBuffer source = new UnsafeBuffer(new byte[LENGTH]);
        source.putInt(RANK, pe());
        source.putInt(RANKS, nPes());
        source.putInt(ID_LENGTH, own.length);
        source.putBytes(ID, own);
        final UnsafeBuffer dest = new UnsafeBuffer(new byte[Math.multiplyExact(LENGTH, nPes())]);
        await(collective.allgather(source, dest, LENGTH), pause, timeoutNs);
        for (int rank = 0; rank < nPes(); rank++)
        {
            final int offset = rank * LENGTH;
            if (rank != dest.getInt(offset + RANK) || nPes() != dest.getInt(offset + RANKS))
            {
                throw new TransportException("out-of-band allgather: PE must equal its rank, and nPes must be equal" +
                    " on all: rank " + rank + " of " + nPes() + " is PE " + dest.getInt(offset + RANK) + " of " +
                    dest.getInt(offset + RANKS));
            }
        }

        final int length = dest.getInt(ID_LENGTH);
        if (length < 0 || length > LENGTH - ID)
        {
            throw new TransportException("out-of-band allgather: id of rank 0 must be <= " + (LENGTH - ID) +
                " bytes: length=" + length);
        }

        final byte[] id = new byte[length];
        dest.getBytes(ID, id);
        return id;
    }

    private void await(final OobRequest request, final Pause pause, final long timeoutNs)
    {
        final long deadlineNs = pause.nanoTime() + timeoutNs;
        while (!request.test())
        {
            if (Thread.currentThread().isInterrupted())
            {
                throw interrupted();
            }

            if (pause.nanoTime() - deadlineNs >= 0)
            {
                throw new TransportException("PE " + pe() + " waited " + TimeUnit.NANOSECONDS.toSeconds(timeoutNs) +
                    " s (aeroshmem.join.timeout) for the out-of-band allgather of " + nPes() + " ranks");
            }

            pause.yieldThread();
        }
    }

    private static TransportException interrupted()
    {
        return new TransportException(
            "interrupted during the out-of-band allgather", new ClosedByInterruptException());
    }
}
