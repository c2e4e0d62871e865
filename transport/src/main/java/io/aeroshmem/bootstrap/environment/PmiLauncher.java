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
package io.aeroshmem.bootstrap.environment;

import io.aeroshmem.transport.TransportException;

import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.function.Supplier;

/**
 * The exchange of the rendezvous id through a PMI launcher, once per process: PE 0 puts the id, the others get it.
 * <p>
 * If PE 0 cannot create an id, it puts the reason instead (shortened if it exceeds the length of a PMI value), so that
 * all PEs fail with this reason.
 */
final class PmiLauncher
{
    private static final String KEY = "aeroshmem";
    private static final char IS_ERROR = '!';

    private final PmiConnection connection;
    private final int pe;
    private final int nPes;
    private boolean isUsed;
    private byte[] id;

    PmiLauncher(final PmiConnection connection, final int pe, final int nPes)
    {
        this.connection = connection;
        this.pe = pe;
        this.nPes = nPes;
    }

    int pe()
    {
        return pe;
    }

    int nPes()
    {
        return nPes;
    }

    /**
     * Returns the id of the first job of this process; {@code maker} is called on PE 0 only. The first call is
     * collective.
     */
    synchronized byte[] id(final Supplier<byte[]> maker, final long deadlineNs)
    {
        if (isUsed && null == id)
        {
            throw new TransportException("an earlier exchange of the rendezvous id through the launcher failed");
        }

        if (!isUsed)
        {
            isUsed = true;
            id = 0 == pe ? publish(maker, deadlineNs) : receive(deadlineNs);
        }

        return id.clone();
    }

    /**
     * Makes the launcher end the job with this process, which will not join. No effect in a process that has joined.
     */
    synchronized void abandon(final long deadlineNs)
    {
        if (!isUsed)
        {
            isUsed = true;
            connection.abandon(deadlineNs);
        }
    }

    private byte[] publish(final Supplier<byte[]> maker, final long deadlineNs)
    {
        connection.start(deadlineNs);
        final byte[] made;
        try
        {
            made = maker.get();
        }
        catch (final RuntimeException ex)
        {
            publish(IS_ERROR + error(ex), deadlineNs);
            throw ex;
        }

        publish(hex(made), deadlineNs);
        return made;
    }

    private void publish(final String value, final long deadlineNs)
    {
        connection.put(KEY, value, deadlineNs);
        connection.barrier(deadlineNs);
        connection.end(deadlineNs);
    }

    private byte[] receive(final long deadlineNs)
    {
        connection.start(deadlineNs);
        connection.barrier(deadlineNs);
        final String value = connection.get(KEY, deadlineNs);
        connection.end(deadlineNs);
        try
        {
            if (!value.isEmpty() && IS_ERROR == value.charAt(0))
            {
                final byte[] message = HexFormat.of().parseHex(value.substring(1));
                throw new TransportException(new String(message, StandardCharsets.UTF_8));
            }

            return HexFormat.of().parseHex(value);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new TransportException("the launcher returned a malformed rendezvous id: '" + value + "'", ex);
        }
    }

    /** Values contain no spaces and have a limited length. */
    private static String error(final RuntimeException cause)
    {
        final String hex = hex(String.valueOf(cause.getMessage()).getBytes(StandardCharsets.UTF_8));
        final int longest = PmiConnection.MAX_VALUE_LENGTH - 2;
        return hex.length() <= longest ? hex : hex.substring(0, longest);
    }

    private static String hex(final byte[] bytes)
    {
        return HexFormat.of().formatHex(bytes);
    }
}
