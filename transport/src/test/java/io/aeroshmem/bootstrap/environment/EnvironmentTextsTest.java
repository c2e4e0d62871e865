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
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * The texts in which schedulers and users specify the host of PE 0.
 */
class EnvironmentTextsTest
{
    @ParameterizedTest
    @CsvSource({
        "'node[01-04,07],x9',     node01",
        "'x9,node[01-04]',        x9",
        "node7,                   node7",
        "'rack[1-2]n[008-16]',    rack1n008",
        "'a[3,5-9]b,c',           a3b",
        "'node-gpu-[0010].site',  node-gpu-0010.site"})
    void shouldFindTheFirstHostOfAList(final String list, final String host)
    {
        assertEquals(host, SlurmNodeList.first("NODES", list));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", ",a", "a[", "a[1-2", "a[]", "a[-2]", "a[x]", "a[1x]", "a]1", "a b", "[a-b]"})
    void shouldRefuseWhatIsNoListOfHosts(final String list)
    {
        final Exception exception =
            assertThrows(TransportException.class, () -> SlurmNodeList.first("NODES", list));
        assertTrue(exception.getMessage().startsWith("environment variable NODES=" + list + ":"));
    }

    @ParameterizedTest
    @CsvSource({
        "'1986396160.0;tcp://192.0.2.2:46653;tcp6://[fd00::2]:34743',     192.0.2.2|fd00::2",
        "'1986396160.0;tcp://192.0.2.2,10.0.0.1:46653',                   192.0.2.2|10.0.0.1",
        "'1.0;tcp6://[fd00::2,fd00::3]:34743;tcp://192.0.2.2:46653',      fd00::2|fd00::3|192.0.2.2",
        "'1.0;tcp6://[fd00::2],[fd00::3]:34743',                          fd00::2|fd00::3",
        "'1.0;udp://10.0.0.9:1;tcp://192.0.2.2',                          192.0.2.2"})
    void shouldFindTheAddressesOfAnOpenMpiUri(final String uri, final String addresses)
    {
        assertEquals(addresses, String.join("|", OpenMpiUri.addresses("URI", uri)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "1.0", "tcp:", "1.0;tcp://:5", "file:/tmp/uri", ";;", "1.0;tcp6://[]:5"})
    void shouldRefuseWhatIsNoOpenMpiUri(final String uri)
    {
        final Exception exception =
            assertThrows(TransportException.class, () -> OpenMpiUri.addresses("URI", uri));
        assertTrue(exception.getMessage().endsWith(": URI=" + uri));
    }

    @ParameterizedTest
    @CsvSource({
        "node1,             node1,     0",
        "node1:7000,        node1,     7000",
        "10.1.2.3:1,        10.1.2.3,  1",
        "[fd00::2]:65535,   fd00::2,   65535",
        "[fd00::2],         fd00::2,   0",
        "fd00::2,           fd00::2,   0",
        "a-0.b.svc:7000,    a-0.b.svc, 7000"})
    void shouldReadHostAndPort(final String text, final String host, final int port)
    {
        assertEquals(new HostAndPort(host, port), HostAndPort.parse(text));
    }

    @ParameterizedTest
    @ValueSource(strings = {":7000", "a:0", "a:65536", "a:-1", "a:b", "a:", "[fd00::2", "[]:5", "[fd00::2]5", "a b:5",
        "http://a:5", "10.0.0.0/8"})
    void shouldRefuseWhatIsNoHostAndPort(final String text)
    {
        final Exception exception = assertThrows(TransportException.class, () -> HostAndPort.parse(text));
        assertTrue(exception.getMessage().contains("'" + text + "' (aeroshmem.rendezvous)"));
    }

    @Test
    void shouldTakePortsBelowThoseOfTheKernel()
    {
        int lowest = Integer.MAX_VALUE;
        int highest = 0;
        for (int job = 0; job < 200_000; job++)
        {
            final int port = RendezvousPoint.port("slurm " + job);
            lowest = Math.min(lowest, port);
            highest = Math.max(highest, port);
        }

        assertEquals(20_000, lowest);
        assertEquals(31_999, highest);
    }

    @Test
    void shouldGiveEachJobOfASequenceItsPort()
    {
        assertEquals(RendezvousPoint.port("a"), RendezvousPoint.port(0, "a", 2));
        assertEquals(7000, RendezvousPoint.port(7000, "a", 1));
        assertEquals(7001, RendezvousPoint.port(7000, "a", 2));
        assertEquals(65535, RendezvousPoint.port(65535, "a", 1));
        assertEquals(1, RendezvousPoint.port(65535, "a", 2));
    }
}
