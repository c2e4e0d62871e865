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

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.endpoint.EndpointContext;
import org.agrona.concurrent.UnsafeBuffer;

import java.net.InetAddress;
import java.util.function.LongUnaryOperator;

/**
 * A bootstrap of a separate job whose PEs are the members of a team: rank 0 of the team broadcasts the id of the
 * rendezvous.
 */
public final class TeamBootstrap extends IdExchangeBootstrap
{
    private static final int WORDS = 8;

    private final LongUnaryOperator broadcast;
    private final boolean isOneNode;

    /**
     * @param broadcast returns the value that rank 0 of the team gives.
     * @param isOneNode whether all members are on one node.
     */
    public TeamBootstrap(
        final int myRank, final int size, final LongUnaryOperator broadcast, final boolean isOneNode)
    {
        super(myRank, size);
        this.broadcast = broadcast;
        this.isOneNode = isOneNode;
    }

    @Override
    InetAddress address(final EndpointContext context)
    {
        return isOneNode ? InetAddress.getLoopbackAddress() : super.address(context);
    }

    @Override
    byte[] exchange(final byte[] own, final Pause pause, final long timeoutNs)
    {
        final UnsafeBuffer words = new UnsafeBuffer(new byte[WORDS * Long.BYTES]);
        words.putBytes(0, own);
        final int length = (int)broadcast.applyAsLong(own.length);
        for (int word = 0; word < WORDS; word++)
        {
            final int index = word * Long.BYTES;
            words.putLong(index, broadcast.applyAsLong(words.getLong(index)));
        }

        if (length < 0 || length > WORDS * Long.BYTES)
        {
            throw new TransportException("id of the team's rank 0 must be <= " + WORDS * Long.BYTES +
                " bytes: length=" + length);
        }

        final byte[] id = new byte[length];
        words.getBytes(0, id);
        return id;
    }
}
