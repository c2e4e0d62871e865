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
package io.aeroshmem.tests.hosts;

import io.aeron.driver.Configuration;
import io.aeron.driver.ext.DebugChannelEndpointConfiguration;
import io.aeron.driver.ext.DebugSendChannelEndpointSupplier;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.collective.CollectiveMatrix;
import io.aeroshmem.tests.conformance.AllRoutines;
import io.aeroshmem.tests.conformance.OrderRoutines;
import io.aeroshmem.tests.fixture.Deadlines;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Every routine between PEs on two hosts, over networks with and without losses.
 */
@Tag("ci")
class HostsConformanceTest extends OnTwoHosts
{

    @Test
    void shouldConform()
    {
        conform(TransportKind.AUTO);
    }

    @Test
    @Tag("nightly")
    void shouldConformOverUdpAlone()
    {
        conform(TransportKind.UDP);
    }

    private static void conform(final TransportKind transport)
    {
        try (HostsJob job = new HostsJob(hosts, AllRoutines.class).transport(transport).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"AUTO", "UDP"})
    @Tag("nightly")
    void shouldConformWithADriverOfEachHostsOwn(final TransportKind transport)
    {
        try (HostsJob job = new HostsJob(hosts, AllRoutines.class).transport(transport).drivers().start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    @Test
    @Tag("nightly")
    void shouldProvideTheTeamsOfEachHost()
    {
        try (HostsJob job = new HostsJob(hosts, NodeTeams.class).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    @Test
    @Tag("nightly")
    void shouldDistinguishHostsOfTheSameName()
    {
        try (TwoHosts twins = TwoHosts.start("aero", "aero");
            HostsJob job = new HostsJob(twins, NodeTeams.class).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    @Test
    @Tag("nightly")
    void shouldProvideTheTeamsOfEachHostWhereNothingIsMapped()
    {
        try (HostsJob job = new HostsJob(hosts, NodeTeams.class).transport(TransportKind.UDP).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    @Test
    @Tag("nightly")
    void shouldConformOverTheAddressesOfSix()
    {
        final String[] addresses = hosts.addressesOfSix();
        try (HostsJob job = new HostsJob(hosts, AllRoutines.class).rendezvous("[" + addresses[0] + "]").start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    @ParameterizedTest
    @CsvSource({"AUTO, 3", "UDP, 4", "AUTO, 11"})
    @Tag("nightly")
    void shouldDoInCollectivesWhatTheOracleDoes(final TransportKind transport, final int number)
    {
        try (HostsJob job = new HostsJob(hosts, CollectiveMatrix.class).transport(transport)
            .properties(CollectiveMatrix.propertiesOfCoveringJob(number)).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    /**
     * Options of drivers that lose this share of the frames they send and of the replies.
     */
    private static String[] losing(final double rate)
    {
        return new String[]{
            "-D" + Configuration.SEND_CHANNEL_ENDPOINT_SUPPLIER_PROP_NAME + "=" +
                DebugSendChannelEndpointSupplier.class.getName(),
            "-D" + DebugChannelEndpointConfiguration.SEND_DATA_LOSS_RATE_PROP_NAME + "=" + rate,
            "-D" + DebugChannelEndpointConfiguration.SEND_CONTROL_LOSS_RATE_PROP_NAME + "=" + rate
        };
    }

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"AUTO", "UDP"})
    @Tag("nightly")
    void shouldKeepOrderOverANetworkThatLoses(final TransportKind transport)
    {
        try (HostsJob job = new HostsJob(hosts, OrderRoutines.class).transport(transport)
            .drivers(losing(0.01)).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }

    /** The group is that of one network: that of the cable. */
    @Test
    @Tag("nightly")
    void shouldKeepOrderOfMulticastsOverANetworkThatLoses()
    {
        try (HostsJob job = new HostsJob(hosts, OrderRoutines.class).transport(TransportKind.UDP)
            .property("aeroshmem.udp.multicast", "239.7.1.5:40500").drivers(losing(0.01)).start())
        {
            job.awaitEnd(Deadlines.WAIT);
        }
    }
}
