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
package io.aeroshmem.simulation;

import io.aeroshmem.OobCollective;
import io.aeroshmem.OobRequest;
import org.agrona.DirectBuffer;
import org.agrona.MutableDirectBuffer;

import java.util.ArrayList;
import java.util.List;

/**
 * An exchange between ranks outside the library, such as an application has.
 */
final class Exchange
{
    private final int size;
    /** By exchange and rank. */
    private final List<byte[][]> exchanges = new ArrayList<>();
    private final int[] begun;

    Exchange(final int size)
    {
        this.size = size;
        begun = new int[size];
    }

    OobCollective of(final int rank)
    {
        return (source, dest, length) -> begin(rank, source, dest, length);
    }

    private OobRequest begin(
        final int rank, final DirectBuffer source, final MutableDirectBuffer dest, final int length)
    {
        final int number = begun[rank]++;
        if (number == exchanges.size())
        {
            exchanges.add(new byte[size][]);
        }

        final byte[][] contributions = exchanges.get(number);
        contributions[rank] = new byte[length];
        source.getBytes(0, contributions[rank]);
        return () ->
        {
            for (int other = 0; other < size; other++)
            {
                if (null == contributions[other])
                {
                    return false;
                }

                dest.putBytes(other * length, contributions[other]);
            }

            return true;
        };
    }
}
