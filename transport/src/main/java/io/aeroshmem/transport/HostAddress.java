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
 * Addresses of this host, as users name them: an address, or a subnet such as 10.0.0.0/24, which stands for the first
 * address of this host in it, so that one setting serves all hosts.
 */
public final class HostAddress
{
    private HostAddress()
    {
    }

    /**
     * The address that a text stands for.
     *
     * @param text     an address, a name, or a subnet.
     * @param property that holds the text, for messages.
     * @return the address.
     * @throws TransportException if it is malformed, or this host has no address in the subnet.
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
            throw new TransportException("interface " + text + " has no address (property " + property + ")", ex);
        }
    }

    /**
     * The address that a text stands for, or {@link #reachable()} where there is none.
     *
     * @param text     an address, a name, a subnet, or null.
     * @param property that holds the text, for messages.
     * @return the address.
     * @throws TransportException if it is malformed, or this host has no address in the subnet.
     */
    public static InetAddress ofOrReachable(final String text, final String property)
    {
        return null == text ? reachable() : of(text, property);
    }

    /**
     * The address by which other hosts are most likely to reach this one.
     *
     * @return the first that is not of the loopback interface, IPv4 before IPv6; that of the loopback interface where
     *         there is no other.
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

    /**
     * Is an address one of this host's own?
     *
     * @param address any.
     * @return true if a network interface of this host has it.
     */
    public static boolean isOwn(final InetAddress address)
    {
        try
        {
            return address.isLoopbackAddress() || null != NetworkInterface.getByInetAddress(address);
        }
        catch (final SocketException ex)
        {
            throw new TransportException("cannot look at the network interfaces of this host: " + ex, ex);
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
        throw new TransportException("interface " + text + ": this host has no address in that subnet; set the " +
            "property " + property + " to an address of this host or the subnet of one");
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
            throw noSubnet(text, max, property, ex);
        }
        throw noSubnet(text, max, property, null);
    }

    private static TransportException noSubnet(
        final String text, final int max, final String property, final Exception cause)
    {
        return new TransportException("interface " + text + ": a subnet is an address, a slash, and a prefix length " +
            "from 0 to " + max + " (property " + property + ")", cause);
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
