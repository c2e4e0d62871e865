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

import io.aeron.ChannelUri;
import io.aeroshmem.transport.TransportException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/** Conversion of addresses, MTUs and term lengths to channels. */
class ChannelsTest
{
    private static final int TERM_LENGTH = 1 << 20;
    private static final int IPC_MTU = 8192;

    @ParameterizedTest
    @CsvSource({
        "127.0.0.1, 127.0.0.1:0", "127.0.0.0/8, 127.0.0.1:0", "127.0.0.1/32, 127.0.0.1:0", "127.0.0.2, 127.0.0.2:0",
        "::1, [::1]:0", "[::1], [::1]:0", "localhost, localhost:0"})
    void shouldListenOnAnAddressOrInASubnet(final String udpInterface, final String endpoint)
    {
        final ChannelUri inbox = ChannelUri.parse(channels(TERM_LENGTH, 0, udpInterface).udpInbox());
        assertEquals(endpoint, inbox.get("endpoint"));
        assertEquals("63k", ChannelUri.parse(channels(TERM_LENGTH, 0, udpInterface).udp("h:1", 0)).get("mtu"));
    }

    @ParameterizedTest
    @ValueSource(strings = {"127.0.0.0/33", "127.0.0.0/-1", "127.0.0.0/x", "203.0.113.0/24", "not an address", "/8"})
    void shouldRejectAMalformedInterface(final String udpInterface)
    {
        final TransportException ex =
            assertThrows(TransportException.class, () -> channels(TERM_LENGTH, 0, udpInterface));
        assertTrue(ex.getMessage().contains("aeroshmem.udp.interface"), ex.getMessage());
        assertTrue(ex.getMessage().contains(udpInterface), ex.getMessage());
    }

    @Test
    void shouldSendToAGroup()
    {
        final Channels channels = new Channels(5, 2, TERM_LENGTH, IPC_MTU, 0, "127.0.0.1", "239.1.2.3:40500");
        assertEquals("239.1.2.3:40500", channels.group());
        final ChannelUri group = ChannelUri.parse(channels.group(1, 3, 7));
        assertEquals("239.1.2.3:40500", group.get("endpoint"));
        assertEquals("127.0.0.1", group.get("interface"));
        assertEquals("min,g:/3,t:7ns", group.get("fc"));
        assertEquals("239.1.2.3:40500", ChannelUri.parse(channels.groupInbox()).get("endpoint"));
        assertEquals(
            "[ff15::5]:40500", new Channels(5, 2, TERM_LENGTH, IPC_MTU, 0, "::1", "[ff15::5]:40500").group());
        assertNull(channels(TERM_LENGTH, 0, "127.0.0.1").group());
    }

    @ParameterizedTest
    @ValueSource(strings = {
        "239.1.2.3", "239.1.2.4:40500", "10.1.2.3:40500", "239.1.2.3:x", "[::1]:40500", "ff15::5:40500",
        "239.1.2.3:40500|mtu=1", "" })
    void shouldRejectWhatIsNoGroup(final String group)
    {
        final TransportException ex = assertThrows(TransportException.class,
            () -> new Channels(5, 2, TERM_LENGTH, IPC_MTU, 0, "127.0.0.1", group));
        assertTrue(ex.getMessage().contains("aeroshmem.udp.multicast"), ex.getMessage());
    }

    @Test
    void shouldCutTheMtuToWhatTheTermLengthAllows()
    {
        assertEquals("8k", ChannelUri.parse(channels(64 * 1024, 65_504, "127.0.0.1").udp("h:1", 0)).get("mtu"));
    }

    private static Channels channels(final int termLength, final int udpMtu, final String udpInterface)
    {
        return new Channels(0x0123_4567_89AB_CDEFL, 2, termLength, IPC_MTU, udpMtu, udpInterface, null);
    }
}
