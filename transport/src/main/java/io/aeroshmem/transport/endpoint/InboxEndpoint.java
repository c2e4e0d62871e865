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

import io.aeron.driver.DataPacketDispatcher;
import io.aeron.driver.MediaDriver;
import io.aeron.driver.media.ReceiveChannelEndpoint;
import io.aeron.driver.media.UdpChannel;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.RttMeasurementFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.aeroshmem.transport.aeron.Channels;
import io.aeroshmem.transport.aeron.InboxSenders;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.concurrent.status.AtomicCounter;

import java.net.InetSocketAddress;

/**
 * The receiving side of a channel in the library's drivers. If the channel is the inbox of a PE, datagrams that no
 * sender of the job sends are dropped, and counted as Aeron's invalid packets. Other channels behave as in any driver.
 */
final class InboxEndpoint extends ReceiveChannelEndpoint
{
    private final InboxSenders senders;
    private final AtomicCounter invalidPackets;

    InboxEndpoint(
        final UdpChannel channel,
        final DataPacketDispatcher dispatcher,
        final AtomicCounter status,
        final MediaDriver.Context context)
    {
        super(channel, dispatcher, status, context);
        final String text = channel.channelUri().get(Channels.SENDERS_PARAMETER);
        senders = null == text ? null : InboxSenders.parse(text);
        invalidPackets = context.systemCounters().get(SystemCounterDescriptor.INVALID_PACKETS);
    }

    @Override
    public int onDataPacket(
        final DataHeaderFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress source,
        final int transportIndex)
    {
        return isExpected(length >= DataHeaderFlyweight.HEADER_LENGTH, header.sessionId()) ?
            super.onDataPacket(header, buffer, length, source, transportIndex) : 0;
    }

    @Override
    public void onSetupMessage(
        final SetupFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress source,
        final int transportIndex)
    {
        final boolean isWhole = length >= SetupFlyweight.HEADER_LENGTH;
        if (isExpected(isWhole && (null == senders || senders.termLength() == header.termLength()), header.sessionId()))
        {
            super.onSetupMessage(header, buffer, length, source, transportIndex);
        }
    }

    @Override
    public void onRttMeasurement(
        final RttMeasurementFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress source,
        final int transportIndex)
    {
        if (isExpected(length >= RttMeasurementFlyweight.HEADER_LENGTH, header.sessionId()))
        {
            super.onRttMeasurement(header, buffer, length, source, transportIndex);
        }
    }

    /** {@code isValid} is whether everything but the session is as in the frames of a sender. */
    private boolean isExpected(final boolean isValid, final int sessionId)
    {
        final boolean isExpected = null == senders || isValid && senders.isSession(sessionId);
        if (!isExpected)
        {
            invalidPackets.increment();
        }

        return isExpected;
    }
}
