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
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.Shmem;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.codecs.FrameEncoder;
import io.aeroshmem.codecs.MessageHeaderEncoder;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.PeCounter;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.io.IOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetAddress;
import java.net.URI;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.LongConsumer;
import java.util.stream.Collectors;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

/**
 * Frames of a sender without the token, to the inboxes of a running job: they neither disturb the PEs nor end the
 * job.
 */
class UnauthenticatedSenderTest
{
    private static final int WORDS = 1000;
    private static final int FRAMES = Integer.getInteger("aeroshmem.test.hostile.frames", 20_000);
    private static final int STREAMS = 8;

    private final List<Throwable> errors = new CopyOnWriteArrayList<>();

    @ParameterizedTest
    @EnumSource(value = TransportKind.class, names = {"IPC", "UDP"})
    void shouldNotBeDisturbedByUnauthenticatedSenders(final TransportKind transport)
    {
        AttackedJob.run(
            (job) -> job.setup((config) -> config.errorHandler(errors::add)),
            transport,
            UnauthenticatedSenderTest::work,
            (sender, driverDirectory, random) -> attack(transport, sender, random));
        assertReported();
    }

    /**
     * Checks that each kind is reported once, whatever the number of frames, and nothing else.
     */
    private void assertReported()
    {
        final List<String> refusals = errors.stream()
            .filter(TransportException.class::isInstance)
            .map(Throwable::getMessage)
            .collect(Collectors.toList());
        assertEquals(refusals.size(), errors.size(), errors::toString);
        for (final String reason : List.of(
            "too short", "schema or version", "token of another job", "not a peer", "another epoch"))
        {
            assertEquals(1, refusals.stream().filter((text) -> text.contains(reason)).count(), refusals::toString);
        }

        assertEquals(5, refusals.size(), refusals::toString);
        assertTrue(refusals.get(0).contains("session"), refusals::toString);
    }

    private static LongConsumer work(final Pe pe)
    {
        final Shmem shmem = pe.shmem();
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer block = shmem.calloc(WORDS, Long.BYTES);
        final SymmetricBuffer count = shmem.calloc(1, Long.BYTES);
        return (round) ->
        {
            for (int i = 0; i < WORDS; i++)
            {
                ctx.putLong(block, 8L * i, round * WORDS + i, pe.right());
            }

            assertEquals(round - 1, ctx.atomicFetchAddLong(count, 0, 1, pe.right()));
            shmem.barrierAll();
            for (int i = 0; i < WORDS; i++)
            {
                assertEquals(round * WORDS + i, block.getLong(8L * i));
            }

            assertEquals(round * WORDS + 7, ctx.getLong(block, 56, pe.right()));
        };
    }

    private static void attack(final TransportKind transport, final UnauthenticatedSender sender, final Random random)
        throws IOException
    {
        // over UDP the job leaves one session, which cannot be opened again at once
        final int streams = TransportKind.UDP == transport ? 1 : STREAMS;
        for (int i = 0; i < streams; i++)
        {
            // an end of a stream is an event too
            try (ExclusivePublication publication = sender.open(transport, 0))
            {
                for (int j = 0; j < FRAMES / streams; j++)
                {
                    UnauthenticatedSender.send(publication, sender.frame, hostile(sender, random));
                }

                UnauthenticatedSender.send(publication, sender.frame, 1);
            }
        }

        if (TransportKind.UDP == transport)
        {
            datagrams(sender.endpoint(0), random);
        }

        Pe.await(() -> sender.count(0, PeCounter.REJECTED_FRAMES) > FRAMES / 2,
            "the rejection of " + FRAMES + " frames");
    }

    /**
     * A frame that is valid except for one field; its record would overwrite the counters of the PEs.
     */
    private static int hostile(final UnauthenticatedSender sender, final Random random)
    {
        final FrameEncoder head = sender.head(1);
        final int length = sender.element(0, 8L * random.nextInt(WORDS), -1);
        switch (random.nextInt(7))
        {
            case 0:
                return random.nextInt(UnauthenticatedSender.HEAD);
            case 1:
                head.jobToken(random.nextLong());
                return length;
            case 2:
                head.sourcePe(0 == random.nextInt(2) ? 0 : 2 + random.nextInt(60_000));
                return length;
            case 3:
                new MessageHeaderEncoder().wrap(sender.frame, 0).schemaId(random.nextInt(7000));
                return length;
            case 4:
                // a version appends to a block and never cuts it
                new MessageHeaderEncoder().wrap(sender.frame, 0)
                    .version(1 + random.nextInt(100)).blockLength(random.nextInt(FrameEncoder.BLOCK_LENGTH));
                return length;
            case 5:
                wrongEpoch(sender, random);
                return length;
            default:
                final byte[] noise = new byte[random.nextInt(1000)];
                random.nextBytes(noise);
                sender.frame.putBytes(0, noise);
                return noise.length;
        }
    }

    private static void wrongEpoch(final UnauthenticatedSender sender, final Random random)
    {
        final int at = MessageHeaderEncoder.ENCODED_LENGTH + FrameEncoder.epochEncodingOffset();
        sender.frame.putShort(at, (short)(sender.frame.getShort(at) + 1 + random.nextInt(60_000)));
    }

    /**
     * Sends datagrams that are not Aeron's, and some with a header like Aeron's.
     */
    private static void datagrams(final String endpoint, final Random random) throws IOException
    {
        final URI uri = URI.create("udp://" + endpoint);
        try (DatagramSocket socket = new DatagramSocket())
        {
            for (int i = 0; i < 2_000; i++)
            {
                final byte[] bytes = new byte[random.nextInt(1400)];
                random.nextBytes(bytes);
                if (bytes.length > 8 && 0 != random.nextInt(4))
                {
                    // a frame length, version 0, and one of Aeron's frame types
                    bytes[0] = (byte)bytes.length;
                    bytes[1] = (byte)(bytes.length >> 8);
                    bytes[2] = 0;
                    bytes[3] = 0;
                    bytes[4] = 0;
                    bytes[6] = (byte)random.nextInt(12);
                    bytes[7] = 0;
                }

                socket.send(new DatagramPacket(
                    bytes, bytes.length, InetAddress.getByName(uri.getHost()), uri.getPort()));
            }
        }
    }
}
