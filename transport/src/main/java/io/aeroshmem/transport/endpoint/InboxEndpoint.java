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
 * <p>
 * All subscriptions of a driver to one multicast group have the endpoint of the first of them, which may be that of
 * another job: the driver keeps the subscriptions of a killed process for a while. So the streams of other jobs pass;
 * Aeron drops those that nobody has subscribed to.
 */
final class InboxEndpoint extends ReceiveChannelEndpoint
{
    private final InboxSenders senders;
    private final boolean isGroup;
    private final int groupStreamId;
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
        final String stream = channel.channelUri().get(Channels.STREAM_PARAMETER);
        isGroup = null != stream;
        groupStreamId = isGroup ? Integer.parseInt(stream) : 0;
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
        final boolean isExpected = null == senders || length >= DataHeaderFlyweight.HEADER_LENGTH &&
            (senders.isSession(header.sessionId()) || isOfOthers(header.streamId()));
        return isCounted(isExpected) ? super.onDataPacket(header, buffer, length, source, transportIndex) : 0;
    }

    @Override
    public void onSetupMessage(
        final SetupFlyweight header,
        final UnsafeBuffer buffer,
        final int length,
        final InetSocketAddress source,
        final int transportIndex)
    {
        final boolean isExpected = null == senders || length >= SetupFlyweight.HEADER_LENGTH &&
            (senders.termLength() == header.termLength() && senders.isSession(header.sessionId()) ||
            isOfOthers(header.streamId()));
        if (isCounted(isExpected))
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
        final boolean isExpected = null == senders || length >= RttMeasurementFlyweight.HEADER_LENGTH &&
            (senders.isSession(header.sessionId()) || isOfOthers(header.streamId()));
        if (isCounted(isExpected))
        {
            super.onRttMeasurement(header, buffer, length, source, transportIndex);
        }
    }

    private boolean isOfOthers(final int streamId)
    {
        return isGroup && streamId != groupStreamId;
    }

    private boolean isCounted(final boolean isExpected)
    {
        if (!isExpected)
        {
            invalidPackets.increment();
        }

        return isExpected;
    }
}
