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
package io.aeroshmem.team;

import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import io.aeroshmem.config.Arguments;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * Exchanges the records of a team creation through the program's {@link OobCollective}. The buffers stay in use until
 * the exchange is complete, even if the creation ends earlier.
 */
final class OutOfBandExchange
{
    private static final int LENGTH = CreationRecord.WORDS * Long.BYTES;

    private final OobRequest request;
    private final UnsafeBuffer dest;
    private final int ranks;

    /** Starts the exchange. An exception of the program's collective is thrown to the caller. */
    OutOfBandExchange(final OobCollective collective, final int ranks, final long[] record)
    {
        this.ranks = ranks;
        final UnsafeBuffer source = new UnsafeBuffer(new byte[LENGTH]);
        for (int i = 0; i < CreationRecord.WORDS; i++)
        {
            source.putLong(i * Long.BYTES, record[i], ByteOrder.LITTLE_ENDIAN);
        }

        dest = new UnsafeBuffer(new byte[Math.multiplyExact(ranks, LENGTH)]);
        request = Arguments.notNull(collective.allgather(source, dest, LENGTH), "the request of the exchange");
    }

    boolean isComplete()
    {
        return request.test();
    }

    /** Returns the records of a complete exchange, by rank. */
    long[][] records()
    {
        final long[][] records = new long[ranks][CreationRecord.WORDS];
        for (int rank = 0; rank < ranks; rank++)
        {
            for (int i = 0; i < CreationRecord.WORDS; i++)
            {
                records[rank][i] = dest.getLong(rank * LENGTH + i * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
            }
        }

        return records;
    }
}
