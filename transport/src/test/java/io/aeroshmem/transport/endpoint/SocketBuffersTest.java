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
package io.aeroshmem.transport.endpoint;

import io.aeron.driver.Configuration;
import io.aeron.driver.MediaDriver;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

class SocketBuffersTest
{
    private static final String[] PROPERTIES = {
        Configuration.SOCKET_RCVBUF_LENGTH_PROP_NAME,
        Configuration.SOCKET_SNDBUF_LENGTH_PROP_NAME,
        Configuration.INITIAL_WINDOW_LENGTH_PROP_NAME};

    @TempDir
    private Path root;

    @AfterEach
    void after()
    {
        for (final String property : PROPERTIES)
        {
            System.clearProperty(property);
        }
    }

    /** A driver refuses a window that the receive buffer does not hold, or a buffer that the system does not permit. */
    @Test
    void shouldBeAcceptedByADriver()
    {
        final MediaDriver.Context context = EmbeddedDriver.context(10_000_000_000L)
            .aeronDirectoryName(root.resolve("aeron").toString());
        try (MediaDriver driver = MediaDriver.launch(context))
        {
            assertTrue(driver.context().initialWindowLength() >= Configuration.INITIAL_WINDOW_LENGTH_DEFAULT);
            assertTrue(driver.context().socketRcvbufLength() >= driver.context().initialWindowLength());
        }
    }

    @Test
    void shouldLeaveWhatTheUserHasSet()
    {
        System.setProperty(Configuration.SOCKET_SNDBUF_LENGTH_PROP_NAME, "128k");
        System.setProperty(Configuration.INITIAL_WINDOW_LENGTH_PROP_NAME, "64k");
        final MediaDriver.Context context = SocketBuffers.configure(new MediaDriver.Context());
        assertEquals(128 * 1024, context.socketSndbufLength());
        assertEquals(64 * 1024, context.initialWindowLength());
        assertEquals(new MediaDriver.Context().socketRcvbufLength(), context.socketRcvbufLength());
    }
}
