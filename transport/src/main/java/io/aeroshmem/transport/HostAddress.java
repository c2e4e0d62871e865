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
package io.aeroshmem.transport;

import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.net.UnknownHostException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;

/**
 * Resolves the values of properties that specify a network interface. Such a value is an address of this host, a host
 * name (not the name of the interface), or a subnet such as 10.0.0.0/24. A subnet stands for the first address of this
 * host in that subnet, so that one setting serves all hosts.
 */
public final class HostAddress
{
    private HostAddress()
    {
    }

    /**
     * Returns the address that a text stands for.
     *
     * @throws TransportException if the text is malformed, or this host has no address in the subnet.
     */
    public static InetAddress of(final String text, final String property)
    {
        try
        {
            final int slash = text.indexOf('/');
            return slash < 0 ?
                InetAddress.getByName(text) :
                inSubnet(text, text.substring(0, slash), text.substring(slash + 1), property);
        }
        catch (final UnknownHostException | SocketException ex)
        {
            throw new TransportException(
                "interface must resolve to an address: interface=" + text + " (" + property + ')', ex);
        }
    }

    /** Returns the address that a text stands for, or {@link #reachable()} if the text is null. */
    public static InetAddress ofOrReachable(final String text, final String property)
    {
        return null == text ? reachable() : of(text, property);
    }

    /**
     * Returns the address by which other hosts most likely reach this one: the first that is neither loopback nor
     * link-local, IPv4 before IPv6, or the loopback address if there is no such address.
     */
    public static InetAddress reachable()
    {
        try
        {
            InetAddress best = InetAddress.getLoopbackAddress();
            for (final InetAddress address : addresses())
            {
                if (!address.isLoopbackAddress() && !address.isLinkLocalAddress() &&
                    (best.isLoopbackAddress() || address.getAddress().length < best.getAddress().length))
                {
                    best = address;
                }
            }

            return best;
        }
        catch (final SocketException ex)
        {
            throw new TransportException("cannot list the network interfaces of this host: " + ex, ex);
        }
    }

    /** Returns true if a network interface of this host has the address. */
    public static boolean isOwn(final InetAddress address)
    {
        try
        {
            return address.isLoopbackAddress() || null != NetworkInterface.getByInetAddress(address);
        }
        catch (final SocketException ex)
        {
            throw new TransportException("cannot query the network interfaces of this host: " + ex, ex);
        }
    }

    private static List<InetAddress> addresses() throws SocketException
    {
        final List<InetAddress> addresses = new ArrayList<>();
        for (final NetworkInterface each : Collections.list(NetworkInterface.getNetworkInterfaces()))
        {
            if (each.isUp())
            {
                addresses.addAll(Collections.list(each.getInetAddresses()));
            }
        }

        return addresses;
    }

    private static InetAddress inSubnet(
        final String text, final String network, final String prefix, final String property)
        throws UnknownHostException, SocketException
    {
        final byte[] bits = InetAddress.getByName(network).getAddress();
        final int length = prefixLength(text, network, prefix, bits.length * Byte.SIZE, property);
        for (final InetAddress address : addresses())
        {
            if (isInside(address.getAddress(), bits, length))
            {
                return address;
            }
        }

        throw new TransportException("interface must be an address of this host or its subnet: interface=" + text +
            " (" + property + ')');
    }

    private static int prefixLength(
        final String text, final String network, final String prefix, final int max, final String property)
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
            throw invalidSubnet(text, max, property, ex);
        }

        throw invalidSubnet(text, max, property, null);
    }

    private static TransportException invalidSubnet(
        final String text, final int max, final String property, final Exception cause)
    {
        return new TransportException("subnet must be an address, a slash, and a prefix length from 0 to " + max +
            ": interface=" + text + " (" + property + ')', cause);
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
}
