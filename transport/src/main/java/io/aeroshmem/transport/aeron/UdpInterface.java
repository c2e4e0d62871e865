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

import io.aeroshmem.transport.HostAddress;

import java.net.InetAddress;

/** Local address on which UDP inboxes listen. */
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
        final InetAddress address = HostAddress.of(text, PROPERTY);
        final boolean isSubnet = text.indexOf('/') >= 0;
        return new UdpInterface(bracketed(isSubnet ? address.getHostAddress() : text), address.isLoopbackAddress());
    }

    /** Returns the address as an endpoint spells it, in brackets if it contains colons. */
    String host()
    {
        return host;
    }

    boolean isLoopback()
    {
        return isLoopback;
    }

    private static String bracketed(final String address)
    {
        return address.indexOf(':') >= 0 && !address.startsWith("[") ? "[" + address + "]" : address;
    }
}
