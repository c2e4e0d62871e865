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

import io.aeroshmem.codecs.JoinRecordDecoder;
import io.aeroshmem.codecs.JoinRecordEncoder;
import io.aeroshmem.codecs.MessageHeaderDecoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.TransportMode;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.DriverDirectory;
import io.aeroshmem.transport.job.Node;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.Map;

/**
 * The record that a PE publishes in its cell of the control file when it joins. It states how other PEs can reach the
 * PE.
 *
 * @param pe              number of the PE.
 * @param epoch           16-bit number derived from the pid and the start time of the PE's process, by which messages
 *                        identify the process.
 * @param mode            configured transport of the PE.
 * @param heapSize        length of its user heap in bytes.
 * @param systemAreaSize  length in bytes that its system area has at most, wherever the PEs are.
 * @param host            name of its host or its configured node, for messages to users.
 * @param node            key of its node, see {@link Node#key}.
 * @param endpoint        address of its UDP inbox; empty until the inbox is open, and for a PE without one.
 * @param driver          key of its media driver, see {@link DriverDirectory#key}; empty if the endpoint is.
 * @param attributes      values of its {@link Attributes}, one per line.
 * @param firstGeneration number of the first generation of the job in which its process was set up: this one, or an
 *                        earlier one that the process has outlived.
 */
public record JoinRecord(
    int pe,
    int epoch,
    TransportMode mode,
    long heapSize,
    long systemAreaSize,
    String host,
    String node,
    String endpoint,
    String driver,
    String attributes,
    int firstGeneration)
{
    /** Raised with every incompatible change of the protocol. */
    static final int PROTOCOL_VERSION = 6;

    private static final TransportMode[] MODES = TransportMode.values();
    private static final int TEXTS = 5;

    void publish(final ControlFile control)
    {
        publish(control, PROTOCOL_VERSION);
    }

    /** For tests of other protocol versions. */
    void publish(final ControlFile control, final int protocolVersion)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);
        final JoinRecordEncoder encoder = new JoinRecordEncoder();
        encoder.wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder())
            .heapSize(heapSize)
            .systemAreaSize(systemAreaSize)
            .pe(pe)
            .epoch(epoch)
            .mode(mode.ordinal())
            .protocolVersion(protocolVersion)
            .firstGeneration(firstGeneration)
            .host(host)
            .node(node)
            .endpoint(endpoint)
            .driver(driver)
            .attributes(attributes);
        control.record(pe, buffer, 0, MessageHeaderEncoder.ENCODED_LENGTH + encoder.encodedLength());
    }

    static JoinRecord read(final ControlFile control, final int pe)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);
        final int length = control.record(pe, buffer, 0);
        final MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        if (length < MessageHeaderDecoder.ENCODED_LENGTH + JoinRecordDecoder.BLOCK_LENGTH ||
            header.blockLength() < JoinRecordDecoder.BLOCK_LENGTH ||
            JoinRecordDecoder.SCHEMA_ID != header.schemaId() ||
            JoinRecordDecoder.TEMPLATE_ID != header.templateId())
        {
            throw new TransportException("PE " + pe + " joined with a malformed record: " + header);
        }

        final JoinRecordDecoder decoder = new JoinRecordDecoder().wrapAndApplyHeader(buffer, 0, header);
        if (PROTOCOL_VERSION != decoder.protocolVersion())
        {
            throw new AttributeMismatchException("protocol version must be " + PROTOCOL_VERSION +
                " on all PEs (the same AeroSHMEM): PE " + pe + " has " + decoder.protocolVersion());
        }

        if (pe != decoder.pe() || decoder.mode() < 0 || decoder.mode() >= MODES.length)
        {
            throw new TransportException("PE " + pe + " joined with a malformed record: pe=" + decoder.pe() +
                ", mode=" + decoder.mode() + " (0 to " + (MODES.length - 1) + ")");
        }

        checkTexts(pe, buffer, MessageHeaderDecoder.ENCODED_LENGTH + header.blockLength(), length);

        return new JoinRecord(
            pe,
            decoder.epoch(),
            MODES[decoder.mode()],
            decoder.heapSize(),
            decoder.systemAreaSize(),
            decoder.host(),
            decoder.node(),
            decoder.endpoint(),
            decoder.driver(),
            decoder.attributes(),
            decoder.firstGeneration());
    }

    /**
     * Validates the lengths of the texts, which the decoder would allocate unchecked.
     */
    private static void checkTexts(final int pe, final DirectBuffer buffer, final int offset, final int length)
    {
        int at = offset;
        for (int text = 1; text <= TEXTS; text++)
        {
            final int textLength = at > length - Integer.BYTES ? -1 : buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
            if (textLength < 0 || textLength > length - Integer.BYTES - at)
            {
                throw new TransportException("PE " + pe + " joined with a malformed record: text " + text + " of " +
                    TEXTS + " exceeds the " + length + " bytes of the record");
            }

            at += Integer.BYTES + textLength;
        }
    }

    /**
     * Returns the kind of messages between two PEs, the same at both ends: UDP if either is configured for it, or if
     * they are on different nodes and neither is configured for IPC, otherwise IPC.
     */
    static PathKind messageKind(final JoinRecord one, final JoinRecord other)
    {
        if (TransportMode.UDP == one.mode || TransportMode.UDP == other.mode)
        {
            return PathKind.UDP;
        }

        final boolean isIpc =
            one.isSameHost(other) || TransportMode.IPC == one.mode || TransportMode.IPC == other.mode;

        return isIpc ? PathKind.IPC : PathKind.UDP;
    }

    /** Returns the path by which one PE reaches the memory of another. */
    static PathKind path(final JoinRecord one, final JoinRecord other)
    {
        return one.isMapping(other) ? PathKind.MAPPED : messageKind(one, other);
    }

    /** Returns the host of each PE, numbered from 0 in the order of the least PE on each. */
    public static int[] hosts(final JoinRecord[] records)
    {
        final Map<String, Integer> numbers = new HashMap<>();
        final int[] hosts = new int[records.length];
        for (int pe = 0; pe < hosts.length; pe++)
        {
            final Integer known = numbers.putIfAbsent(records[pe].node, numbers.size());
            hosts[pe] = null == known ? numbers.size() - 1 : known;
        }

        return hosts;
    }

    boolean isSameHost(final JoinRecord other)
    {
        return node.equals(other.node);
    }

    /** Returns whether both run on the same processors, even as different nodes. */
    boolean isSameMachine(final JoinRecord other)
    {
        return Node.isSameMachine(node, other.node);
    }

    /** Returns whether this PE reaches the other by loads and stores. */
    boolean isMapping(final JoinRecord other)
    {
        return pe == other.pe || isSameHost(other) && (TransportMode.AUTO == mode || TransportMode.MAPPED == mode);
    }

    boolean isMutuallyMapped(final JoinRecord other)
    {
        return isMapping(other) && other.isMapping(this);
    }
}
