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

import java.util.ArrayList;
import java.util.List;

/**
 * Parses the URI that Open MPI's {@code mpirun} passes to the processes that it starts. It has an address for each
 * network of the host of {@code mpirun}:
 * {@code 1986396160.0;tcp://192.0.2.2,10.0.0.1:46653;tcp6://[fd00::2,fd00::3]:34743}.
 */
final class OpenMpiUri
{
    private static final String SCHEME_END = "://";

    private OpenMpiUri()
    {
    }

    /** Returns all addresses of a URI, in its order. */
    static List<String> addresses(final String variable, final String uri)
    {
        final List<String> addresses = new ArrayList<>();
        for (final String part : uri.split(";"))
        {
            final int schemeEnd = part.indexOf(SCHEME_END);
            if (schemeEnd > 0 && part.startsWith("tcp"))
            {
                addAddresses(part.substring(schemeEnd + SCHEME_END.length()), addresses);
            }
        }

        if (addresses.isEmpty())
        {
            throw new TransportException(variable + " must contain an address such as tcp://192.0.2.2:46653: " +
                variable + "=" + uri);
        }

        return addresses;
    }

    private static void addAddresses(final String hostsAndPort, final List<String> addresses)
    {
        final int portAt = hostsAndPort.lastIndexOf(':');
        final String hosts = portAt > hostsAndPort.lastIndexOf(']') ? hostsAndPort.substring(0, portAt) : hostsAndPort;
        for (final String host : hosts.replace("[", "").replace("]", "").split(","))
        {
            if (!host.isBlank())
            {
                addresses.add(host);
            }
        }
    }
}
