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

import io.aeron.ChannelUriStringBuilder;
import io.aeron.CommonContext;
import io.aeron.logbuffer.FrameDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeroshmem.transport.HostAddress;
import io.aeroshmem.transport.TransportException;

import java.net.InetAddress;
import java.util.regex.Pattern;

/**
 * Channel URIs and stream ids of a job. They are computed only here, for two reasons. A driver rejects publications of
 * one stream that disagree on MTU or term length. And two jobs on one driver must not share a stream, so a job's
 * stream ids start at a number derived from its token, a random number. (If two jobs share a stream nevertheless, the
 * token in each frame distinguishes them.)
 * <p>
 * An inbox is the subscription on which a PE receives messages. An IPC inbox is one stream of {@code aeron:ipc}. The
 * processes of one driver share one publication of it, so the number of log buffers is the number of PEs, not of pairs
 * of PEs. A UDP inbox is an endpoint of its own, with a port that the system chose, and its senders have the sessions
 * that its {@link InboxSenders} describe.
 */
public final class Channels
{
    /** Limit of PEs in a job whose PEs exchange messages: each has a stream id of the job's own. */
    public static final int MAX_PES = 4096;

    /**
     * Parameter of the channel of a UDP inbox, which the library's drivers read: its {@link InboxSenders}. Other
     * drivers ignore it.
     */
    public static final String SENDERS_PARAMETER = "aeroshmem-senders";

    /**
     * Parameter of the channel to a multicast group: the stream of the senders. All subscriptions of a driver to the
     * group share a socket, with the parameters of the first.
     */
    public static final String STREAM_PARAMETER = "aeroshmem-stream";

    private static final String MULTICAST_PROPERTY = "aeroshmem.udp.multicast";
    private static final int STREAM_MASK = Integer.MAX_VALUE & -MAX_PES;
    /** Mixes the bits of the token, so that a stream id does not disclose the sessions. */
    private static final long SESSION_FACTOR = 0x9E37_79B9_7F4A_7C15L;
    private static final int MIN_TERM_LENGTH = LogBufferDescriptor.TERM_MIN_LENGTH;
    private static final int MAX_TERM_LENGTH = LogBufferDescriptor.TERM_MAX_LENGTH;
    private static final int MIN_MTU = 1024;
    private static final int MAX_MTU = 65_504;
    private static final int LOOPBACK_MTU = 63 * 1024;
    private static final int ETHERNET_MTU = 1408;

    /** Syntax of a peer's endpoint, which becomes part of a URI. */
    private static final Pattern ENDPOINT = Pattern.compile("[0-9A-Za-z.:\\[\\]%_-]{1,128}:[0-9]{1,5}");

    private final int streamBase;
    private final InboxSenders senders;
    private final int termLength;
    private final int ipcMtu;
    private final int udpMtu;
    private final UdpInterface udpInterface;
    private final String udpMulticast;

    /**
     * All PEs of a job pass the same arguments but for the interface.
     *
     * @param nPes         number of PEs in the job.
     * @param termLength   of every stream, in bytes, a power of two from 64 KiB to 1 GiB.
     * @param ipcMtu       largest frame over IPC, in bytes; cut to what the term length allows.
     * @param udpMtu       largest datagram, in bytes; 0 for the default of the interface.
     * @param udpInterface address that UDP inboxes listen on, or a subnet that it is in.
     * @param udpMulticast address and port of the job's multicast group; null for none.
     */
    public Channels(
        final long jobToken,
        final int nPes,
        final int termLength,
        final int ipcMtu,
        final int udpMtu,
        final String udpInterface,
        final String udpMulticast)
    {
        if (termLength < MIN_TERM_LENGTH || termLength > MAX_TERM_LENGTH || 1 != Integer.bitCount(termLength))
        {
            throw new TransportException("termLength must be a power of two from " + MIN_TERM_LENGTH + " to " +
                MAX_TERM_LENGTH + ": termLength=" + termLength + " (aeroshmem.term.length)");
        }

        checkMtu(ipcMtu, "aeroshmem.ipc.mtu");
        this.udpInterface = UdpInterface.parse(udpInterface);
        this.udpMulticast = checkMulticast(udpMulticast);
        // The loopback interface carries such a datagram whole; elsewhere it must fit an Ethernet frame.
        final int defaultMtu = this.udpInterface.isLoopback() ? LOOPBACK_MTU : ETHERNET_MTU;
        final int mtu = 0 == udpMtu ? defaultMtu : udpMtu;
        checkMtu(mtu, "aeroshmem.udp.mtu");

        streamBase = (int)(jobToken ^ (jobToken >>> 32)) & STREAM_MASK;
        senders = new InboxSenders((int)((jobToken * SESSION_FACTOR) >>> 32), nPes, termLength);
        this.termLength = termLength;
        this.ipcMtu = Math.min(ipcMtu, termLength / 8);
        this.udpMtu = Math.min(mtu, termLength / 8);
    }

    private static void checkMtu(final int mtu, final String property)
    {
        if (mtu < MIN_MTU || mtu > MAX_MTU || 0 != mtu % FrameDescriptor.FRAME_ALIGNMENT)
        {
            throw new TransportException("mtu must be a multiple of " + FrameDescriptor.FRAME_ALIGNMENT + " from " +
                MIN_MTU + " to " + MAX_MTU + ": mtu=" + mtu + " (" + property + ')');
        }
    }

    private static String checkMulticast(final String endpoint)
    {
        if (null == endpoint)
        {
            return null;
        }

        // Aeron needs the brackets of an address with colons
        final String host = endpoint.substring(0, Math.max(0, endpoint.lastIndexOf(':')));
        final InetAddress address =
            ENDPOINT.matcher(endpoint).matches() && (host.indexOf(':') < 0 || host.startsWith("[")) ?
            HostAddress.of(host, MULTICAST_PROPERTY) : null;
        if (null == address || !address.isMulticastAddress() || !isOdd(address.getAddress()))
        {
            throw new TransportException("multicast must be address:port of a group whose address is odd: multicast=" +
                endpoint + " (" + MULTICAST_PROPERTY + ')');
        }

        return endpoint;
    }

    /** Receivers answer to the next, even address. */
    private static boolean isOdd(final byte[] address)
    {
        return 0 != (address[address.length - 1] & 1);
    }

    /** Returns the address and port of the group; null for none. */
    String group()
    {
        return udpMulticast;
    }

    int groupStreamId()
    {
        return streamBase;
    }

    /**
     * Returns the channel to the group; {@code sender} as in {@link #udp}. It is connected when a number of drivers
     * have joined, and waits for all, for one that is silent as long as the timeout.
     */
    String group(final int sender, final int drivers, final long receiverTimeoutNs)
    {
        return new ChannelUriStringBuilder()
            .media(CommonContext.UDP_MEDIA)
            .endpoint(udpMulticast)
            .networkInterface(udpInterface.host())
            .flowControl("min,g:/" + drivers + ",t:" + receiverTimeoutNs + "ns")
            .termLength(termLength)
            .mtu(udpMtu)
            .sessionId(senders.session(sender))
            .linger(0L)
            .sparse(false)
            .build();
    }

    String groupInbox()
    {
        return new ChannelUriStringBuilder()
            .media(CommonContext.UDP_MEDIA)
            .endpoint(udpMulticast)
            .networkInterface(udpInterface.host())
            .rejoin(false)
            .build() + '|' + SENDERS_PARAMETER + '=' + senders + '|' + STREAM_PARAMETER + '=' + groupStreamId();
    }

    int streamId(final int pe)
    {
        return streamBase + pe;
    }

    String ipc()
    {
        return new ChannelUriStringBuilder()
            .media(CommonContext.IPC_MEDIA)
            .termLength(termLength)
            .mtu(ipcMtu)
            .sparse(false)
            .build();
    }

    String ipcInbox()
    {
        return new ChannelUriStringBuilder().media(CommonContext.IPC_MEDIA).build();
    }

    /** Returns the channel to an inbox; each driver that sends to it has another number from 0 to nPes - 1. */
    String udp(final String endpoint, final int sender)
    {
        if (!ENDPOINT.matcher(endpoint).matches())
        {
            throw new TransportException("endpoint must be address:port: endpoint=" + endpoint);
        }

        return new ChannelUriStringBuilder()
            .media(CommonContext.UDP_MEDIA)
            .endpoint(endpoint)
            .termLength(termLength)
            .mtu(udpMtu)
            .sessionId(senders.session(sender))
            .linger(0L)
            .sparse(false)
            .build();
    }

    String udpInbox()
    {
        return new ChannelUriStringBuilder()
            .media(CommonContext.UDP_MEDIA)
            .endpoint(udpInterface.host() + ":0")
            .rejoin(false)
            .build() + '|' + SENDERS_PARAMETER + '=' + senders;
    }
}
