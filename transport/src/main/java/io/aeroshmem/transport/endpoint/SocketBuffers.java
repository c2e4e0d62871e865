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

import java.io.IOException;
import java.net.SocketOption;
import java.net.StandardSocketOptions;
import java.nio.channels.DatagramChannel;

/**
 * Lengths of the socket buffers and of the initial receiver window of a media driver. If the operating system permits,
 * they are as large as streams at full rate require. The receiver window has to hold the data that arrives while the
 * driver's thread waits for a processor. Values that the user sets by Aeron's properties remain in effect.
 */
final class SocketBuffers
{
    /** Room for the windows of several senders. */
    private static final int BUFFER_LENGTH = 4 * 1024 * 1024;
    /** That of a term of 1 MiB: half of it. */
    private static final int WINDOW_LENGTH = 512 * 1024;

    private SocketBuffers()
    {
    }

    static MediaDriver.Context configure(final MediaDriver.Context context)
    {
        final int receiveLength = permitted(StandardSocketOptions.SO_RCVBUF);
        final int sendLength = permitted(StandardSocketOptions.SO_SNDBUF);
        if (isUnset(Configuration.SOCKET_SNDBUF_LENGTH_PROP_NAME))
        {
            context.socketSndbufLength(sendLength);
        }

        if (isUnset(Configuration.SOCKET_RCVBUF_LENGTH_PROP_NAME) &&
            isUnset(Configuration.INITIAL_WINDOW_LENGTH_PROP_NAME))
        {
            context
                .socketRcvbufLength(receiveLength)
                .initialWindowLength(Math.max(
                    Configuration.INITIAL_WINDOW_LENGTH_DEFAULT, Math.min(WINDOW_LENGTH, receiveLength)));
        }

        return context;
    }

    private static boolean isUnset(final String property)
    {
        return null == System.getProperty(property);
    }

    /** Returns the length that the operating system sets where {@link #BUFFER_LENGTH} is requested; 0 if unknown. */
    private static int permitted(final SocketOption<Integer> option)
    {
        try (DatagramChannel channel = DatagramChannel.open())
        {
            channel.setOption(option, BUFFER_LENGTH);
            return Math.min(BUFFER_LENGTH, channel.getOption(option));
        }
        catch (final IOException ex)
        {
            // the driver reports what it cannot open
            return 0;
        }
    }
}
