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

import io.aeron.Aeron;
import io.aeron.driver.status.SystemCounterDescriptor;
import io.aeron.logbuffer.LogBufferDescriptor;
import io.aeron.protocol.DataHeaderFlyweight;
import io.aeron.protocol.RttMeasurementFlyweight;
import io.aeron.protocol.SetupFlyweight;
import io.aeroshmem.CommunicationContext;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.TransportKind;
import io.aeroshmem.tests.fixture.Pe;
import io.aeroshmem.tests.fixture.TestMemory;
import org.agrona.concurrent.UnsafeBuffer;
import org.junit.jupiter.api.Test;

import java.io.File;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.DatagramPacket;
import java.net.DatagramSocket;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.file.Path;
import java.util.Random;
import java.util.function.LongConsumer;

import static org.junit.jupiter.api.Assertions.assertEquals;

/**
 * Datagrams to the inboxes of a running job from a process that knows the addresses and even the stream ids: they cost
 * no memory. One that also knows the sessions, as a reader of the traffic does, can take the memory of one log buffer
 * for each PE and inbox.
 */
class DatagramFloodTest
{
    private static final int PES = AttackedJob.PES;
    private static final int DATAGRAMS = Integer.getInteger("aeroshmem.test.hostile.datagrams", 40_000);
    private static final int KINDS = 5;
    private static final int TERM_LENGTH = 64 * 1024;
    private static final int PAGE_SIZE = 4096;

    @Test
    void shouldNotGrowByTheDatagramsOfOthers()
    {
        AttackedJob.run(
            (job) -> job.property("aeroshmem.term.length", "64k"),
            TransportKind.UDP,
            DatagramFloodTest::work,
            DatagramFloodTest::attack);
    }

    private static LongConsumer work(final Pe pe)
    {
        final CommunicationContext ctx = pe.ctx();
        final SymmetricBuffer words = pe.shmem().calloc(2, Long.BYTES);
        return (round) ->
        {
            ctx.putLong(words, 0, round, pe.right());
            assertEquals(round - 1, ctx.atomicFetchAddLong(words, Long.BYTES, 1, pe.right()));
            pe.shmem().barrierAll();
            assertEquals(round, words.getLong(0));
        };
    }

    private static void attack(final UnauthenticatedSender sender, final String driverDirectory, final Random random)
        throws IOException
    {
        try (DatagramSocket socket = new DatagramSocket())
        {
            final long before = bytes(driverDirectory);
            final long dropped = dropped(driverDirectory);
            final UnsafeBuffer frame = new UnsafeBuffer(new byte[64]);
            for (int i = 0; i < DATAGRAMS; i++)
            {
                final int target = i % PES;
                send(socket, sender.endpoint(target), frame, invented(sender, target, frame, random));
                if (0 == i % 1000)
                {
                    assertEquals(before, bytes(driverDirectory), "bytes of the driver after " + i + " datagrams");
                }
            }

            Pe.await(() -> dropped(driverDirectory) - dropped > DATAGRAMS / 10, "datagrams to be dropped");
            assertEquals(before, bytes(driverDirectory), "bytes of the driver");

            for (int i = 0; i < 10; i++)
            {
                sendSetups(socket, sender, frame);
            }

            // the PEs of this process share one of the sessions of each inbox
            final long oneMore = PES * (PES - 1) * LogBufferDescriptor.computeLogLength(TERM_LENGTH, PAGE_SIZE);
            Pe.await(() ->
            {
                // those before may have been lost, where the flood has filled the buffers of sockets
                sendSetups(socket, sender, frame);
                return bytes(driverDirectory) - before == oneMore;
            }, "a log buffer for each known session");
        }
    }

    /** Sends a setup of each session of the job to each inbox. */
    private static void sendSetups(
        final DatagramSocket socket, final UnauthenticatedSender sender, final UnsafeBuffer frame)
    {
        for (int i = 0; i < PES * PES; i++)
        {
            final int target = i % PES;
            setup(frame, sender.streamId(target), sender.sessionId(i / PES), TERM_LENGTH);
            send(socket, sender.endpoint(target), frame, SetupFlyweight.HEADER_LENGTH);
        }
    }

    /**
     * Writes a frame of a session that is not one of the job, or a setup of one that is, with another term length.
     *
     * @return length of the datagram.
     */
    private static int invented(
        final UnauthenticatedSender sender, final int target, final UnsafeBuffer frame, final Random random)
    {
        final int streamId = sender.streamId(target);
        final int session = sender.sessionId(PES + random.nextInt(Integer.MAX_VALUE));
        switch (random.nextInt(KINDS))
        {
            case 0:
                setup(frame, streamId, session, TERM_LENGTH);
                return SetupFlyweight.HEADER_LENGTH;
            case 1:
                setup(frame, streamId, session, TERM_LENGTH << random.nextInt(15));
                return SetupFlyweight.HEADER_LENGTH;
            case 2:
                setup(frame, streamId, sender.sessionId(random.nextInt(PES)), TERM_LENGTH << 1 + random.nextInt(14));
                return SetupFlyweight.HEADER_LENGTH;
            case 3:
                new DataHeaderFlyweight(frame).termOffset(0).termId(random.nextInt()).streamId(streamId)
                    .sessionId(session).flags(DataHeaderFlyweight.BEGIN_AND_END_FLAGS)
                    .headerType(DataHeaderFlyweight.HDR_TYPE_DATA).frameLength(DataHeaderFlyweight.HEADER_LENGTH);
                // a short one would be read together with what arrived before
                return random.nextBoolean() ? DataHeaderFlyweight.HEADER_LENGTH : 8 + random.nextInt(24);
            default:
                new RttMeasurementFlyweight(frame).sessionId(session).streamId(streamId)
                    .headerType(RttMeasurementFlyweight.HDR_TYPE_RTTM)
                    .frameLength(RttMeasurementFlyweight.HEADER_LENGTH);
                return RttMeasurementFlyweight.HEADER_LENGTH;
        }
    }

    private static void setup(
        final UnsafeBuffer frame, final int streamId, final int sessionId, final int termLength)
    {
        new SetupFlyweight(frame).termOffset(0).sessionId(sessionId).streamId(streamId).initialTermId(7)
            .activeTermId(7).termLength(termLength).mtuLength(1408).ttl(0)
            .headerType(SetupFlyweight.HDR_TYPE_SETUP).frameLength(SetupFlyweight.HEADER_LENGTH);
    }

    private static void send(
        final DatagramSocket socket, final String endpoint, final UnsafeBuffer frame, final int length)
    {
        final URI uri = URI.create("udp://" + endpoint);
        try
        {
            socket.send(new DatagramPacket(
                frame.byteArray(), length, new InetSocketAddress(uri.getHost(), uri.getPort())));
        }
        catch (final IOException ex)
        {
            throw new UncheckedIOException(ex);
        }
    }

    private static long bytes(final String driverDirectory)
    {
        return TestMemory.find(Path.of(driverDirectory), Integer.MAX_VALUE).stream()
            .map(Path::toFile)
            .filter(File::isFile)
            .mapToLong(File::length)
            .sum();
    }

    private static long dropped(final String driverDirectory)
    {
        try (Aeron aeron = Aeron.connect(new Aeron.Context().aeronDirectoryName(driverDirectory)))
        {
            return aeron.countersReader().getCounterValue(SystemCounterDescriptor.INVALID_PACKETS.id());
        }
    }
}
