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

/**
 * The host and port of PE 0, as parsed from the property {@value RendezvousSettings#RENDEZVOUS_PROP_NAME}.
 *
 * @param host name or address; an IPv6 address has no brackets here.
 * @param port from 1 to 65535, or 0 if none is given.
 */
record HostAndPort(String host, int port)
{
    private static final int MAX_PORT = 65535;

    /**
     * Parses {@code host}, {@code host:port}, {@code [address]:port}, or a bare IPv6 address.
     */
    static HostAndPort parse(final String text)
    {
        final boolean isBracketed = text.startsWith("[");
        final int end = isBracketed ? text.indexOf(']') : text.indexOf(':');
        if (end < 0 && !isBracketed || !isBracketed && text.indexOf(':', end + 1) >= 0)
        {
            return new HostAndPort(checked(text, text), 0);
        }

        final String host = checked(text, end < 0 ? "" : text.substring(isBracketed ? 1 : 0, end));
        final String rest = text.substring(isBracketed ? end + 1 : end);
        if (rest.isEmpty())
        {
            return new HostAndPort(host, 0);
        }

        if (!rest.startsWith(":"))
        {
            throw malformed(text, null);
        }

        return new HostAndPort(host, port(text, rest.substring(1)));
    }

    private static String checked(final String text, final String host)
    {
        if (host.isBlank() || host.chars().anyMatch((character) -> character <= ' ' || '/' == character))
        {
            throw malformed(text, null);
        }

        return host;
    }

    private static int port(final String text, final String digits)
    {
        try
        {
            final int port = Integer.parseInt(digits);
            if (port > 0 && port <= MAX_PORT)
            {
                return port;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw malformed(text, ex);
        }

        throw malformed(text, null);
    }

    private static TransportException malformed(final String text, final Exception cause)
    {
        return new TransportException(
            "rendezvous must be host, host:port or [IPv6 address]:port, with a port from 1 to " +
            MAX_PORT + ": '" + text + "' (" + RendezvousSettings.RENDEZVOUS_PROP_NAME + ')', cause);
    }
}
