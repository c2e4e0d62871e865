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
package io.aeroshmem.tools.launch;

import io.aeroshmem.tools.exit.CommandException;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.List;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class DebuggedPeTest
{
    @Test
    void shouldGiveEachPeAPort()
    {
        assertEquals(
            List.of(new DebuggedPe(3, 5005), new DebuggedPe(1, 80), new DebuggedPe(0, 5007)),
            DebuggedPe.parse(List.of("3", "1:80", "0"), 4));
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', value =
        {
            "one | --debug-pe must be a PE such as 1 or 1:5005: --debug-pe=one",
            "-1 | --debug-pe must be a PE such as 1 or 1:5005: --debug-pe=-1",
            "1: | --debug-pe must be a PE such as 1 or 1:5005: --debug-pe=1:",
            "4 | --debug-pe must name a PE from 0 to 3: --debug-pe=4",
            "2:0 | port of --debug-pe must be 1 to 65535: --debug-pe=2:0",
            "2:65536 | port of --debug-pe must be 1 to 65535: --debug-pe=2:65536",
            "0:5009 | --debug-pe must name each PE, and each port, once: --debug-pe=0:5009",
            "2:5005 | --debug-pe must name each PE, and each port, once: --debug-pe=2:5005",
        })
    void shouldRejectMalformedValues(final String text, final String expected)
    {
        assertEquals(
            expected,
            assertThrows(CommandException.class, () -> DebuggedPe.parse(List.of("0", text), 4)).getMessage());
    }

    @Test
    void shouldReportAPortInUse() throws IOException
    {
        try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress()))
        {
            final DebuggedPe debugged = new DebuggedPe(1, socket.getLocalPort());
            final String message = assertThrows(CommandException.class, debugged::requireFreePort).getMessage();
            assertTrue(message.startsWith("port of --debug-pe must be free: --debug-pe=1:"), message);
        }
    }
}
