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
package io.aeroshmem.transport.aeron;

import io.aeroshmem.transport.TransportException;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.Collections;

/**
 * Where UDP inboxes listen: an address, or the first address of this host in a subnet such as 10.0.0.0/24.
 */
final class UdpInterface
{
    private static final String PROPERTY = "aeroshmem.udp.interface";

    private final String host;
    private final boolean isLoopback;

    private UdpInterface(final String host, final boolean isLoopback)
    {
        this.host = host;
        this.isLoopback = isLoopback;
    }

    static UdpInterface parse(final String text)
    {
        try
        {
            final int slash = text.indexOf('/');
            if (slash < 0)
            {
                return new UdpInterface(bracketed(text), InetAddress.getByName(text).isLoopbackAddress());
            }

            final InetAddress address = find(text, text.substring(0, slash), text.substring(slash + 1));
            return new UdpInterface(bracketed(address.getHostAddress()), address.isLoopbackAddress());
        }
        catch (final UnknownHostException | SocketException ex)
        {
            throw new TransportException("interface " + text + " has no address (property " + PROPERTY + ")", ex);
        }
    }

    /**
     * As in an endpoint, where a colon comes before the port.
     */
    String host()
    {
        return host;
    }

    boolean isLoopback()
    {
        return isLoopback;
    }

    private static InetAddress find(final String text, final String network, final String prefix)
        throws UnknownHostException, SocketException
    {
        final byte[] bits = InetAddress.getByName(network).getAddress();
        final int length = prefixLength(text, network, prefix, bits.length * Byte.SIZE);
        for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces()))
        {
            for (final InetAddress address : Collections.list(each.getInetAddresses()))
            {
                if (isInside(address.getAddress(), bits, length))
                {
                    return address;
                }
            }
        }
        throw new TransportException("interface " + text + ": this host has no address in that subnet; set the " +
            "property " + PROPERTY + " to an address of this host or the subnet of one");
    }

    private static int prefixLength(final String text, final String network, final String prefix, final int max)
    {
        try
        {
            final int length = Integer.parseInt(prefix);
            if (length >= 0 && length <= max && !network.isEmpty())
            {
                return length;
            }
        }
        catch (final NumberFormatException ex)
        {
            throw noSubnet(text, max, ex);
        }
        throw noSubnet(text, max, null);
    }

    private static TransportException noSubnet(final String text, final int max, final Exception cause)
    {
        return new TransportException("interface " + text + ": a subnet is an address, a slash, and a prefix length " +
            "from 0 to " + max + " (property " + PROPERTY + ")", cause);
    }

    private static boolean isInside(final byte[] address, final byte[] network, final int prefixLength)
    {
        if (address.length != network.length)
        {
            return false;
        }

        for (int bit = 0; bit < prefixLength; bit++)
        {
            final int mask = 0x80 >>> (bit % Byte.SIZE);
            if (0 != ((address[bit / Byte.SIZE] ^ network[bit / Byte.SIZE]) & mask))
            {
                return false;
            }
        }
        return true;
    }

    private static String bracketed(final String address)
    {
        return address.indexOf(':') >= 0 && !address.startsWith("[") ? "[" + address + "]" : address;
    }
}
