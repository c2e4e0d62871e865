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
package io.aeroshmem.tests.hostile;

import io.aeron.ExclusivePublication;
import io.aeroshmem.Comparison;
import io.aeroshmem.PeFailureException;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.codecs.AtomicRecordEncoder;
import io.aeroshmem.codecs.ElementRecordEncoder;
import io.aeroshmem.codecs.FetchAtomicRecordEncoder;
import io.aeroshmem.codecs.FetchReplyRecordEncoder;
import io.aeroshmem.codecs.FrameEncoder;
import io.aeroshmem.codecs.GetRecordEncoder;
import io.aeroshmem.codecs.GetReplyRecordEncoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.codecs.PutRecordEncoder;
import io.aeroshmem.codecs.SignalRecordEncoder;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestDriver;
import io.aeroshmem.tests.fixture.TestMemory;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeCounter;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.PrintStream;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Malformed frames, each sent as the next frame of a peer: the job fails, every PE reports the sender and the content,
 * and no record of it was performed. The test sends the frame with the state of that peer.
 */
@Timeout(value = 30, unit = TimeUnit.MINUTES)
class MalformedFrameTest
{
    private static final PrintStream OUT = System.out;
    private static final int HEAP = 1 << 20;
    private static final int RECORD = UnauthenticatedSender.HEAD + MessageHeaderEncoder.ENCODED_LENGTH;

    private static TestDriver driver;

    /**
     * The violations of the protocol.
     */
    private enum Violation
    {
        PUT_OUTSIDE("put of 8 bytes at region 0 offset 1048569", (sender, frame, header) ->
        {
            final PutRecordEncoder put =
                new PutRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(HEAP - 7).region(0).putData(new byte[8], 0, 8);
            return put.limit();
        }),

        PUT_LONGER_THAN_ITS_FRAME("put of -2147483648 bytes", (sender, frame, header) ->
        {
            final PutRecordEncoder put =
                new PutRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(0).region(0).putData(new byte[8], 0, 8);
            frame.putInt(RECORD + PutRecordEncoder.BLOCK_LENGTH, Integer.MIN_VALUE);
            return put.limit();
        }),

        ELEMENT_OF_THREE_BYTES("element of 3 bytes", (sender, frame, header) ->
            new ElementRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(0).value(-1).region(0).width(3).limit()),

        ELEMENT_IN_NO_REGION("region 7", (sender, frame, header) ->
            new ElementRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(0).value(-1).region(7).width(8).limit()),

        SIGNAL_BEFORE_THE_HEAP("signal of 8 bytes at region 0 offset -8", (sender, frame, header) ->
            new SignalRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(-8).value(-1).region(0).operation(0).limit()),

        ATOMIC_MISALIGNED("misaligned", (sender, frame, header) ->
            new AtomicRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(4).value(-1).region(0).operation(4).width(8).limit()),

        FETCH_FOR_NO_SLOT("for slot 64", (sender, frame, header) ->
            new FetchAtomicRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(0).value(-1).condition(0).region(0).operation(1).width(8).slot(64).generation(0).limit()),

        FETCH_REPLY_TO_NOTHING("fetch reply to slot -1", (sender, frame, header) ->
            new FetchReplyRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .value(-1).slot(-1).generation(0).limit()),

        GET_OF_TOO_MUCH("get of 9223372036854775807 bytes", (sender, frame, header) ->
            new GetRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .address(8).length(Long.MAX_VALUE).region(0).slot(0).generation(0).padding(0).limit()),

        GET_REPLY_TO_NOTHING("get reply to slot 64", (sender, frame, header) ->
            new GetReplyRecordEncoder().wrapAndApplyHeader(frame, UnauthenticatedSender.HEAD, header)
                .position(0).slot(64).generation(0).padding(0).putData(new byte[8], 0, 8).limit()),

        UNKNOWN_RECORD("unknown record header", (sender, frame, header) ->
        {
            header.wrap(frame, UnauthenticatedSender.HEAD).blockLength(24).templateId(77).schemaId(7446).version(0);
            return RECORD + 24;
        }),

        CUT("a frame ended inside a record", (sender, frame, header) -> UnauthenticatedSender.HEAD + 7),

        GAP("where", (sender, frame, header) ->
        {
            sender.head(1).firstSequence(sender.count(1, PeCounter.RECORDS_SENT) + 1);
            return sender.element(0, 0, -1);
        }),

        ACKNOWLEDGES_TOO_MUCH("records more", (sender, frame, header) ->
        {
            sender.head(1).acknowledged(sender.count(0, PeCounter.RECORDS_SENT) + 1);
            return sender.element(0, 0, -1);
        });

        private final String complaint;
        private final Writer writer;

        Violation(final String complaint, final Writer writer)
        {
            this.complaint = complaint;
            this.writer = writer;
        }
    }

    @FunctionalInterface
    private interface Writer
    {
        /**
         * @return the length of the frame.
         */
        int write(UnauthenticatedSender sender, UnsafeBuffer frame, MessageHeaderEncoder header);
    }

    @BeforeAll
    static void launch()
    {
        TestMemory.root();
        driver = TestDriver.launch();
    }

    @AfterAll
    static void close()
    {
        driver.close();
    }

    @ParameterizedTest
    @EnumSource(Violation.class)
    void shouldFailWithWhatThePeerSent(final Violation violation)
    {
        final TransportKind transport = 0 == violation.ordinal() % 2 ? TransportKind.IPC : TransportKind.UDP;
        final JobFailure failure = run(transport, (sender) ->
        {
            sender.head(1);
            return violation.writer.write(sender, sender.frame, new MessageHeaderEncoder());
        });
        assertNotNull(failure);
        assertEquals(JobFailure.Kind.PROTOCOL, failure.kind());
        assertEquals(1, failure.pe());
        assertTrue(failure.message().startsWith("PE 1 ") && failure.message().contains(violation.complaint) &&
            failure.message().contains("seen by PE 0"), failure::message);
    }

    @Test
    void shouldPerformOrRejectEveryFrameOfAPeer()
    {
        bearNoise(4);
    }

    @Test
    @Tag("exhaustive")
    void shouldPerformOrRejectEveryFrameOfAPeerForLong()
    {
        bearNoise(2_000);
    }

    private void bearNoise(final int jobs)
    {
        final long seed = Long.getLong("aeroshmem.test.seed", System.nanoTime() & 0xFFFF_FFFFFFFFL);
        final Random random = new Random(seed);
        int failed = 0;
        for (int i = 0; i < jobs; i++)
        {
            final JobFailure failure =
                run(0 == i % 2 ? TransportKind.IPC : TransportKind.UDP, (sender) -> noise(sender, random));
            if (null != failure)
            {
                failed++;
                assertEquals(JobFailure.Kind.PROTOCOL, failure.kind(), failure.message() + ", seed " + seed);
            }
        }

        OUT.println(jobs + " jobs got a frame of noise of a peer, " + failed +
            " failed by it, -Daeroshmem.test.seed=" + seed);
    }

    private static int noise(final UnauthenticatedSender sender, final Random random)
    {
        final FrameEncoder head = sender.head(1);
        final byte[] bytes = new byte[random.nextInt(1_000)];
        random.nextBytes(bytes);
        sender.frame.putBytes(UnauthenticatedSender.HEAD, bytes);
        final MessageHeaderEncoder header = new MessageHeaderEncoder();
        final Violation[] violations = Violation.values();
        if (bytes.length > 200 && 0 != random.nextInt(4))
        {
            violations[random.nextInt(Violation.CUT.ordinal())].writer.write(sender, sender.frame, header);
            final byte[] field = {(byte)random.nextInt(), (byte)random.nextInt(), 0, 0};
            sender.frame.putBytes(RECORD + random.nextInt(40), field, 0, 1 + random.nextInt(4));
        }

        head.recordCount(1 + random.nextInt(3));
        return UnauthenticatedSender.HEAD + bytes.length;
    }

    @FunctionalInterface
    private interface Attack
    {
        int write(UnauthenticatedSender sender);
    }

    /**
     * Runs a job of two PEs that wait, sends one frame to PE 0 in the name of PE 1, and ends the job if it has not
     * ended by that.
     *
     * @return the cause of its failure, or null.
     */
    private static JobFailure run(final TransportKind transport, final Attack attack)
    {
        final String before = System.setProperty(TestDriver.PROPERTY, driver.directory());
        final AtomicReference<JobFailure> failure = new AtomicReference<>();
        try
        {
            final Shmem.Context config = new Shmem.Context().transport(transport).heapSize(HEAP);
            final PeFailureException thrown = assertThrows(PeFailureException.class, () ->
                Shmem.runLocal(2, config, (shmem) -> endure(shmem, transport, attack, failure)));
            assertTrue(
                null == failure.get() || thrown.getMessage().contains(failure.get().message()), thrown::toString);
        }
        finally
        {
            if (null == before)
            {
                System.clearProperty(TestDriver.PROPERTY);
            }
        }

        assertTrue(TestMemory.jobs().isEmpty());
        return failure.get();
    }

    private static void endure(
        final Shmem shmem,
        final TransportKind transport,
        final Attack attack,
        final AtomicReference<JobFailure> failure)
    {
        final SymmetricBuffer never = shmem.calloc(1, Long.BYTES);
        shmem.barrierAll();
        Thread attacker = null;
        if (0 == shmem.myPe())
        {
            attacker = new Thread(() -> attack(shmem, transport, attack, failure), "attacker");
            attacker.start();
        }

        try
        {
            shmem.waitUntilLong(never, 0, Comparison.EQ, 0x1234_5678_9ABCL);
        }
        finally
        {
            join(attacker);
        }
    }

    private static void join(final Thread thread)
    {
        try
        {
            if (null != thread)
            {
                thread.join();
            }
        }
        catch (final InterruptedException ex)
        {
            Thread.currentThread().interrupt();
        }
    }

    private static void attack(
        final Shmem shmem,
        final TransportKind transport,
        final Attack attack,
        final AtomicReference<JobFailure> failure)
    {
        try (UnauthenticatedSender sender = new UnauthenticatedSender(driver.directory()))
        {
            try (ExclusivePublication publication = sender.open(transport, 0))
            {
                sender.awaitQuiet();
                final long frames = sender.count(0, PeCounter.FRAMES_SENT);
                UnauthenticatedSender.send(publication, sender.frame, attack.write(sender));
                // performed, it is acknowledged
                Pe.await(() -> sender.control().isFailed() ||
                    frames != sender.count(0, PeCounter.FRAMES_SENT), "an effect");
                final boolean isFailed = sender.control().isFailed();
                assertEquals(isFailed ? 1 : 0, sender.count(0, PeCounter.MALFORMED_FRAMES));
                failure.set(sender.control().failure());
            }
        }
        finally
        {
            shmem.fail(new IllegalStateException("the test has ended"));
        }
    }
}
