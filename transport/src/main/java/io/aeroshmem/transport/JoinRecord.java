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
package io.aeroshmem.transport;

import io.aeroshmem.codecs.JoinRecordDecoder;
import io.aeroshmem.codecs.JoinRecordEncoder;
import io.aeroshmem.codecs.MessageHeaderDecoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.Node;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;

/**
 * What one PE tells the others when it joins.
 *
 * @param pe             number of the PE.
 * @param epoch          which life of the PE.
 * @param mode           what it was told to use towards its peers.
 * @param heapSize       of its user heap, in bytes.
 * @param systemAreaSize of its system area, in bytes.
 * @param host           name of its host, or of the node that it counts itself to instead, for people.
 * @param node           see {@link Node#key}.
 * @param endpoint       where its UDP inbox listens, empty before it does.
 * @param attributes     values of what has to be equal on all PEs, see {@link Attributes}; a line each.
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
    String attributes)
{
    /**
     * Raised with every change of the protocol that older PEs do not understand.
     */
    static final int PROTOCOL_VERSION = 2;

    private static final TransportMode[] MODES = TransportMode.values();
    private static final int TEXTS = 4;

    void publish(final Control control)
    {
        publish(control, PROTOCOL_VERSION);
    }

    /**
     * As a PE of that version would, for tests.
     */
    void publish(final Control control, final int protocolVersion)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Control.RECORD_CAPACITY]);
        final JoinRecordEncoder encoder = new JoinRecordEncoder();
        encoder.wrapAndApplyHeader(buffer, 0, new MessageHeaderEncoder())
            .heapSize(heapSize)
            .systemAreaSize(systemAreaSize)
            .pe(pe)
            .epoch(epoch)
            .mode(mode.ordinal())
            .protocolVersion(protocolVersion)
            .host(host)
            .node(node)
            .endpoint(endpoint)
            .attributes(attributes);
        control.record(pe, buffer, 0, MessageHeaderEncoder.ENCODED_LENGTH + encoder.encodedLength());
    }

    /**
     * Do any PEs exchange messages by UDP? For a process that reads the records of PEs that have exchanged them.
     *
     * @param control of the job.
     * @return true if some do.
     */
    public static boolean isUdpUsed(final Control control)
    {
        final JoinRecord first = read(control, 0);
        for (int pe = 0; pe < control.nPes(); pe++)
        {
            final JoinRecord record = read(control, pe);
            if (TransportMode.UDP == record.mode || !record.isSameHost(first))
            {
                return true;
            }
        }
        return false;
    }

    static JoinRecord read(final Control control, final int pe)
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(new byte[Control.RECORD_CAPACITY]);
        final int length = control.record(pe, buffer, 0);
        final MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        if (length < MessageHeaderDecoder.ENCODED_LENGTH + JoinRecordDecoder.BLOCK_LENGTH ||
            header.blockLength() < JoinRecordDecoder.BLOCK_LENGTH ||
            JoinRecordDecoder.SCHEMA_ID != header.schemaId() ||
            JoinRecordDecoder.TEMPLATE_ID != header.templateId())
        {
            throw new TransportException("PE " + pe + " joined with a record that is none: " + header);
        }

        final JoinRecordDecoder decoder = new JoinRecordDecoder().wrapAndApplyHeader(buffer, 0, header);
        if (PROTOCOL_VERSION != decoder.protocolVersion())
        {
            throw new AttributeMismatchException("PE " + pe + " speaks protocol version " + decoder.protocolVersion() +
                ", others " + PROTOCOL_VERSION + ": all PEs of a job need the same AeroSHMEM");
        }

        if (pe != decoder.pe() || decoder.mode() < 0 || decoder.mode() >= MODES.length)
        {
            throw new TransportException("PE " + pe + " joined with the record of PE " + decoder.pe() +
                " and transport mode " + decoder.mode() + ", allowed is its own and 0 to " + (MODES.length - 1));
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
            decoder.attributes());
    }

    /**
     * The decoder would believe any length and make an array of it.
     */
    private static void checkTexts(final int pe, final DirectBuffer buffer, final int offset, final int length)
    {
        int at = offset;
        for (int text = 1; text <= TEXTS; text++)
        {
            final int textLength = at > length - Integer.BYTES ? -1 : buffer.getInt(at, ByteOrder.LITTLE_ENDIAN);
            if (textLength < 0 || textLength > length - Integer.BYTES - at)
            {
                throw new TransportException("PE " + pe + " joined with a record of " + length + " bytes whose text " +
                    text + " of " + TEXTS + " does not fit in it");
            }
            at += Integer.BYTES + textLength;
        }
    }

    /**
     * How a pair of PEs exchanges messages, if it does: both ends use the same kind. UDP if either was told so, or if
     * they are on different hosts and neither was told to use IPC, otherwise IPC.
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

    boolean isSameHost(final JoinRecord other)
    {
        return node.equals(other.node);
    }

    /**
     * Do both run on the same processors, be it on different nodes?
     */
    boolean isSameMachine(final JoinRecord other)
    {
        return Node.isSameMachine(node, other.node);
    }

    /**
     * Does this PE reach that one by loads and stores?
     */
    boolean isMapping(final JoinRecord other)
    {
        return pe == other.pe || isSameHost(other) && (TransportMode.AUTO == mode || TransportMode.MAPPED == mode);
    }
}
