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
import java.util.Arrays;

/**
 * Exchanges the records of a team creation through the program's {@link OobCollective}. Each record travels with its
 * place in the exchange and a checksum, as nothing is known of what the program does with it. The buffers stay in use
 * until the exchange is complete, even if the creation ends earlier.
 */
final class OutOfBandExchange
{
    private static final int LENGTH = CreationRecord.EXCHANGED_WORDS * Long.BYTES;

    private final OobRequest request;
    private final long[] own;
    private final byte[] received;

    /** Starts the exchange. An exception of the program's collective is thrown to the caller. */
    OutOfBandExchange(final OobCollective collective, final int ranks, final int rank, final long[] record)
    {
        record[CreationRecord.PLACE] = CreationRecord.place(rank, ranks);
        own = Arrays.copyOf(record, CreationRecord.EXCHANGED_WORDS);
        own[CreationRecord.CHECKSUM] = checksum(own);
        final UnsafeBuffer source = new UnsafeBuffer(new byte[LENGTH]);
        for (int i = 0; i < own.length; i++)
        {
            source.putLong(i * Long.BYTES, own[i], ByteOrder.LITTLE_ENDIAN);
        }

        received = new byte[Math.multiplyExact(ranks, LENGTH)];
        request = Arguments.notNull(
            collective.allgather(source, new UnsafeBuffer(received), LENGTH), "the request of the exchange");
    }

    boolean isComplete()
    {
        return request.test();
    }

    /**
     * Returns a copy of the record and the place that a complete exchange has delivered for a rank; or null if they are
     * not what a participant has sent.
     */
    long[] record(final int rank)
    {
        final UnsafeBuffer dest = new UnsafeBuffer(received, rank * LENGTH, LENGTH);
        final long[] words = new long[CreationRecord.EXCHANGED_WORDS];
        for (int i = 0; i < words.length; i++)
        {
            words[i] = dest.getLong(i * Long.BYTES, ByteOrder.LITTLE_ENDIAN);
        }

        return words[CreationRecord.CHECKSUM] == checksum(words) && CreationRecord.isInRange(words) ? words : null;
    }

    /** Returns whether words of the exchange are those that this PE has sent. */
    boolean isOwn(final long[] words)
    {
        return Arrays.equals(own, words);
    }

    static long checksum(final long[] words)
    {
        return CreationCellDescriptor.checksum(CreationRecord.EXCHANGED_WORDS, words, 0, CreationRecord.CHECKSUM);
    }
}
