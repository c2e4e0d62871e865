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

import io.aeron.Aeron;
import io.aeron.Subscription;
import io.aeron.logbuffer.FragmentHandler;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SessionOption;
import io.aeroshmem.Shmem;
import io.aeroshmem.SignalOp;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.codecs.JoinRecordDecoder;
import io.aeroshmem.tests.fixture.FreePort;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.job.JobDirectory;
import org.agrona.BitUtil;
import org.agrona.DirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import uk.co.real_logic.sbe.ir.Ir;
import uk.co.real_logic.sbe.ir.Token;
import uk.co.real_logic.sbe.otf.AbstractTokenListener;
import uk.co.real_logic.sbe.otf.OtfHeaderDecoder;
import uk.co.real_logic.sbe.otf.OtfMessageDecoder;
import uk.co.real_logic.sbe.otf.Types;
import uk.co.real_logic.sbe.xml.IrGenerator;
import uk.co.real_logic.sbe.xml.ParserOptions;
import uk.co.real_logic.sbe.xml.XmlSchemaParser;

import java.io.InputStream;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Decodes all frames of a job by the generic decoder of SBE, which knows nothing but the schema: it finds every record
 * where it is, and in the runs as many entries as the job has issued.
 */
class GenericDecoderTest
{
    private static final int ROUNDS = 40;
    private static final int MANY = 500;
    private static final int BLOCK = 100_000;

    private final List<byte[]> frames = Collections.synchronizedList(new ArrayList<>());
    private final Map<String, Integer> messages = new TreeMap<>();
    private final Map<String, Integer> entries = new TreeMap<>();
    /** Frames to a group that have no members. */
    private int announcements;
    private TestDriver driver;
    private Ir schema;
    private volatile boolean isOver;

    @BeforeEach
    void before() throws Exception
    {
        TestMemory.root();
        driver = TestDriver.launch();
        try (InputStream source = JoinRecordDecoder.class.getResourceAsStream("/aeroshmem-wire.xml"))
        {
            schema = new IrGenerator().generate(XmlSchemaParser.parse(source, ParserOptions.DEFAULT));
        }
    }

    @AfterEach
    void after()
    {
        driver.close();
    }

    @Test
    void shouldDecodeEveryFrame() throws Exception
    {
        final Shmem.Context config = new Shmem.Context().transport(TransportKind.IPC).heapSize(1 << 22)
            .aeronDirectoryName(driver.directory());
        Shmem.runLocal(2, config, this::exchange);
        frames.forEach((frame) -> decode(new UnsafeBuffer(frame)));

        final List<String> names = schema.messages().stream()
            .map((tokens) -> tokens.get(0).name())
            .filter((name) -> !"JoinRecord".equals(name) && !"MembersRecord".equals(name))
            .sorted()
            .collect(Collectors.toList());
        assertEquals(names, new ArrayList<>(messages.keySet()));
        final int issued = 2 * ROUNDS * MANY;
        assertEquals(2 * issued + 2 * ROUNDS, sum("AtomicRecord", "AtomicRunRecord"), messages::toString);
        assertEquals(issued, entries.get("FetchRunRecord"));
        assertEquals(issued, entries.get("FetchAtomicRunRecord"));
        assertEquals(2 * issued, entries.get("FetchRunReplyRecord"));
        assertTrue(sum("ElementRecord", "ElementRunRecord") >= 2 * issued, messages::toString);
        System.out.println(frames.size() + " frames with " + messages + " and entries " + entries);
    }

    @Test
    void shouldDecodeEveryFrameToAGroup() throws Exception
    {
        final Shmem.Context config = new Shmem.Context().transport(TransportKind.UDP).heapSize(1 << 22)
            .aeronDirectoryName(driver.directory()).udpMulticast("239.7.1.7:" + FreePort.next());
        Shmem.runLocal(3, config, (shmem) -> putToAll(shmem, config.udpMulticast()));
        frames.forEach((frame) -> decode(new UnsafeBuffer(frame)));

        final int puts = messages.get("PutRecord");
        assertEquals(2 * puts, entries.get("MembersRecord"), "two others");
        assertEquals(ROUNDS, messages.get("SignalRecord"));
        assertTrue(puts >= ROUNDS, messages::toString);
        assertEquals(puts + announcements, messages.get("MembersRecord"));
        assertEquals(puts + announcements, messages.get("Frame"), "a put each, also with a signal");
    }

    private void putToAll(final Shmem shmem, final String group)
    {
        final SymmetricBuffer block = shmem.calloc(BLOCK, 1);
        final SymmetricBuffer signal = shmem.calloc(1, Long.BYTES);
        shmem.barrierAll();
        if (0 == shmem.myPe())
        {
            final Channels channels = new Channels(token(), 3, 1 << 16, 1 << 12, 0, "127.0.0.1", group);
            final Thread listener = listen(new String[]{ channels.groupInbox() }, channels.groupStreamId());
            for (int round = 0; round < ROUNDS; round++)
            {
                shmem.defaultContext().putSignalAll(
                    block, 0, block, 0, BLOCK / ROUNDS * (1L + round), signal, 0, 1, SignalOp.ADD);
            }

            shmem.defaultContext().quiet();
            isOver = true;
            Pe.await(() -> !listener.isAlive(), "the listener");
        }

        shmem.barrierAll();
    }

    /** A run holds its first update in its block. */
    private int sum(final String single, final String run)
    {
        return messages.get(single) + messages.get(run) + entries.get(run);
    }

    private void exchange(final Shmem shmem)
    {
        final SymmetricBuffer words = shmem.calloc(MANY, Long.BYTES);
        final SymmetricBuffer fetched = shmem.calloc(MANY, Long.BYTES);
        final SymmetricBuffer block = shmem.calloc(BLOCK, 1);
        shmem.barrierAll();
        final Channels channels = new Channels(token(), 2, 1 << 16, 1 << 12, 0, "127.0.0.1", null);
        final String inbox = channels.ipcInbox();
        final Thread listener = 0 == shmem.myPe() ?
            listen(new String[]{ inbox, inbox }, channels.streamId(0), channels.streamId(1)) : null;
        shmem.barrierAll();

        final int peer = 1 - shmem.myPe();
        final CommunicationContext plain = shmem.createContext();
        for (int round = 0; round < ROUNDS; round++)
        {
            update(plain, words, peer);
            // alone, so not in a run
            plain.atomicAddLong(words, 0, 1, peer);
            plain.quiet();
            plain.putLong(words, 0, 1, peer);
            plain.quiet();
            plain.atomicFetchAddLong(words, 0, 1, peer);
            plain.signal(words, 0, 1, SignalOp.ADD, peer);
            plain.put(block, 0, block, 0, BLOCK, peer);
            plain.get(block, 0, block, 0, BLOCK, peer);
            plain.put(block, 0, block, 0, round, peer);
            plain.get(block, 0, block, 0, 1 + round, peer);

            final CommunicationContext session = shmem.createContext();
            session.sessionStart(SessionOption.BATCH);
            update(session, words, peer);
            for (int i = 0; i < MANY; i++)
            {
                session.atomicFetchLongNbi(fetched, i * 8L, words, i * 8L, peer);
            }

            for (int i = 0; i < MANY; i++)
            {
                session.atomicFetchAddLongNbi(fetched, i * 8L, words, i * 8L, i, peer);
            }

            session.quiet();
            session.sessionStop();
            session.close();
            shmem.barrierAll();
        }

        plain.close();
        if (null != listener)
        {
            isOver = true;
            Pe.await(() -> !listener.isAlive(), "the listener");
        }

        shmem.barrierAll();
    }

    private static void update(final CommunicationContext context, final SymmetricBuffer words, final int peer)
    {
        for (int i = 0; i < MANY; i++)
        {
            context.atomicAddLong(words, i * 8L, i, peer);
        }

        for (int i = 0; i < MANY; i++)
        {
            context.putLong(words, i * 8L, i, peer);
        }

        context.quiet();
    }

    private static long token()
    {
        try (JobDirectory job = JobDirectory.open(TestMemory.jobs().get(0)))
        {
            return job.control().token();
        }
    }

    /** Starts to copy the frames of streams, from now on. */
    private Thread listen(final String[] channels, final int... streamIds)
    {
        final Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driver.directory()));
        final Subscription[] inboxes = new Subscription[channels.length];
        for (int i = 0; i < channels.length; i++)
        {
            inboxes[i] = aeron.addSubscription(channels[i], streamIds[i]);
            Pe.await(inboxes[i]::isConnected, channels[i]);
        }

        final Thread thread = new Thread(() -> poll(aeron, inboxes), "listener");
        thread.start();
        return thread;
    }

    private void poll(final Aeron aeron, final Subscription[] inboxes)
    {
        final FragmentHandler copier = (buffer, offset, length, header) ->
        {
            final byte[] frame = new byte[length];
            buffer.getBytes(offset, frame);
            frames.add(frame);
        };
        boolean isLast;
        do
        {
            isLast = isOver;
            int polled;
            do
            {
                polled = 0;
                for (final Subscription inbox : inboxes)
                {
                    polled += inbox.poll(copier, 64);
                }
            }
            while (polled > 0);
        }
        while (!isLast);
        aeron.close();
    }

    private void decode(final UnsafeBuffer frame)
    {
        final MessageListener head = new MessageListener();
        int at = decode(frame, 0, head);
        assertEquals("Frame", head.name);
        for (int i = 0; i < head.recordCount; i++)
        {
            at = BitUtil.align(at, RecordDescriptor.ALIGNMENT);
            final MessageListener record = new MessageListener();
            at = decode(frame, at, record);
            entries.merge(record.name, record.count, Integer::sum);
            if (1 == head.recordCount && "MembersRecord".equals(record.name))
            {
                assertEquals(0, record.count);
                announcements++;
            }
        }

        assertEquals(
            BitUtil.align(frame.capacity(), RecordDescriptor.ALIGNMENT), BitUtil.align(at, RecordDescriptor.ALIGNMENT));
    }

    private int decode(final UnsafeBuffer frame, final int at, final MessageListener listener)
    {
        final OtfHeaderDecoder header = new OtfHeaderDecoder(schema.headerStructure());
        assertEquals(schema.id(), header.getSchemaId(frame, at));
        final List<Token> tokens = schema.getMessage(header.getTemplateId(frame, at));
        final int end = OtfMessageDecoder.decode(
            frame,
            at + header.encodedLength(),
            header.getSchemaVersion(frame, at),
            header.getBlockLength(frame, at),
            tokens,
            listener);
        messages.merge(listener.name, 1, Integer::sum);
        return end;
    }

    /** What the test needs of a message. */
    private static final class MessageListener extends AbstractTokenListener
    {
        private String name;
        private int recordCount;
        private int count;

        @Override
        public void onBeginMessage(final Token token)
        {
            name = token.name();
        }

        @Override
        public void onEncoding(
            final Token fieldToken,
            final DirectBuffer buffer,
            final int bufferIndex,
            final Token typeToken,
            final int actingVersion)
        {
            final long value = Types.getLong(buffer, bufferIndex, typeToken.encoding());
            if ("recordCount".equals(fieldToken.name()))
            {
                recordCount = (int)value;
            }
            else if ("operation".equals(fieldToken.name()) && name.startsWith("Atomic"))
            {
                assertEquals(AtomicOp.ADD, value);
            }
        }

        @Override
        public void onGroupHeader(final Token token, final int numInGroup)
        {
            count = numInGroup;
        }
    }
}
