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
package io.aeroshmem.transport.rendezvous;

import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;
import org.junit.jupiter.api.Test;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

import static org.junit.jupiter.api.Assertions.assertArrayEquals;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

class RendezvousMessagesTest
{
    private static final int N_PES = 8;
    private static final int ROUNDS = 5_000;
    private static final RendezvousId ID =
        RendezvousId.random(new InetSocketAddress("127.0.0.1", 4711));
    private static final RendezvousId OTHER_ID = RendezvousId.random(ID.address());

    private final Authenticator authenticator = new Authenticator(ID);
    private final byte[] serverNonce = authenticator.nonce();
    private final byte[] clientNonce = authenticator.nonce();
    private final JoinRequest request = new JoinRequest(
        new int[]{1, 2, 3, 7, 5}, N_PES, true, "höst", "boot id", 4711, 123, "/log", 60_000_000_000L, 10_000_000_000L,
        new PreviousGeneration(3, 2, new JobFailure(JobFailure.Kind.PE_DIED, 4, 137, "PE 4 died")));

    @Test
    void shouldComeBackFromBytes() throws Exception
    {
        assertArrayEquals(serverNonce, RendezvousMessages.decodeChallenge(message(
            RendezvousMessages.challenge(serverNonce))));

        final byte[] encoded = request("");
        assertArrayEquals(clientNonce, RendezvousMessages.authenticate(encoded, authenticator, serverNonce));
        assertEquals(RendezvousMessages.PROTOCOL_VERSION, RendezvousMessages.versionOf(encoded));
        assertEquals(request, RendezvousMessages.decodeJoinRequest(encoded));
        assertEquals("", RendezvousMessages.decodeWithdrawal(encoded));
        assertFalse(RendezvousMessages.isProbe(encoded));
        assertTrue(RendezvousMessages.isProbe(message(
            RendezvousMessages.probe(request, authenticator, serverNonce, clientNonce))));
        assertEquals("no memory", RendezvousMessages.decodeWithdrawal(request("no memory")));

        final JoinAccepted accepted = new JoinAccepted(1, 2, "here");
        assertEquals(accepted, RendezvousMessages.decodeJoinAccepted(
            message(RendezvousMessages.joinAccepted(accepted, authenticator, clientNonce, serverNonce)),
            authenticator, clientNonce, serverNonce));

        final byte[] refused = message(RendezvousMessages.joinRejected(true, "go away"));
        assertTrue(RendezvousMessages.isLate(refused));
        assertEquals("go away", RendezvousMessages.decodeJoinRejected(refused));

        final NodeAssignment assignment = RendezvousMessages.decodeNodeAssignment(
            message(RendezvousMessages.nodeAssignment(
                new NodeAssignment(
                    -5, true, 3, false, -1, new int[]{3, 4, 6}, request.previous(), new int[]{0, 2, 3}))),
            N_PES);
        assertEquals(request.previous(), assignment.previous());
        assertEquals(-5, assignment.token());
        assertTrue(assignment.isLeader());
        assertEquals(3, assignment.leaderPe());
        assertArrayEquals(new int[]{3, 4, 6}, assignment.nodePes());
        assertArrayEquals(new int[]{0, 2, 3}, assignment.members());

        assertEquals(Path.of("/dev/shm/x"),
            RendezvousMessages.decodeDirectory(message(RendezvousMessages.directory("/dev/shm/x"))));

        final byte[] record = new byte[ControlFile.RECORD_CAPACITY];
        final PeState state = RendezvousMessages.decodePeState(
            message(RendezvousMessages.peState(new PeState(7, PePhase.CLOSED, 9, 8, true, "h", "l", record))), N_PES);
        assertEquals(7, state.pe());
        assertEquals(PePhase.CLOSED, state.phase());
        assertTrue(state.isEnding());
        assertArrayEquals(record, state.record());

        final PeActivities.Activity activity =
            new PeActivities.Activity(900, 990, true, 5, 17, 0xFFFF_FFFFL, PeActivities.SENT_ARRIVED, "barrier");
        final byte[] activityMessage = message(RendezvousMessages.peActivity(7, activity, 1_000));
        assertEquals(7, RendezvousMessages.peOfActivity(activityMessage, N_PES));
        assertEquals(
            new PeActivities.Activity(1_900, 1_990, true, 5, 17, 0xFFFF_FFFFL, 1, "barrier"),
            RendezvousMessages.decodePeActivity(activityMessage, 2_000));
        assertArrayEquals(activityMessage, message(RendezvousMessages.framed(activityMessage)));

        final JobFailure failure = new JobFailure(JobFailure.Kind.GLOBAL_EXIT, -1, 255, "x".repeat(2048));
        assertEquals(failure, RendezvousMessages.decodeFailure(message(RendezvousMessages.failure(failure)), N_PES));
    }

    @Test
    void shouldCarryListsOfLargeJobs() throws Exception
    {
        final int[] odd = IntStream.range(0, 2048).map((i) -> 2 * i + 1).toArray();
        final JoinRequest large = new JoinRequest(odd, 4096, true, "h", "n", 1, 1, "l", 1, 1, PreviousGeneration.NONE);
        final byte[] encoded =
            message(RendezvousMessages.joinRequest(large, "", authenticator, serverNonce, clientNonce));
        assertEquals(large, RendezvousMessages.decodeJoinRequest(encoded));
        final int[] all = IntStream.range(0, JoinRequest.MAX_PES).toArray();
        final JoinRequest largest = new JoinRequest(all, JoinRequest.MAX_PES, true, "h", "n", 1, 1, "l", 1, 1,
            PreviousGeneration.NONE);
        assertEquals(largest, RendezvousMessages.decodeJoinRequest(
            message(RendezvousMessages.joinRequest(largest, "", authenticator, serverNonce, clientNonce))));
        final int[] scattered = IntStream.range(0, JoinRequest.MAX_PES / 2).map((i) -> 2 * i).toArray();
        assertThrows(TransportException.class, () -> RendezvousMessages.joinRequest(
            new JoinRequest(scattered, JoinRequest.MAX_PES, true, "h", "n", 1, 1, "l", 1, 1,
                PreviousGeneration.NONE), "", authenticator,
                serverNonce,
            clientNonce));
    }

    @Test
    void shouldTakeNoHelloOfOtherSecretJobOrNonce() throws Exception
    {
        final byte[] encoded = request("");
        assertNotNull(RendezvousMessages.authenticate(encoded, authenticator, serverNonce));
        assertNull(RendezvousMessages.authenticate(encoded, authenticator, authenticator.nonce()));
        assertNull(RendezvousMessages.authenticate(encoded, new Authenticator(OTHER_ID), serverNonce));
        final RendezvousId otherSecret = RendezvousId.of(ID.address(), ID.jobId(), OTHER_ID.secret());
        assertNull(RendezvousMessages.authenticate(encoded, new Authenticator(otherSecret), serverNonce));
        for (int bit = 8 * 8; bit < 8 * encoded.length; bit++)
        {
            final byte[] damaged = encoded.clone();
            damaged[bit / 8] ^= (byte)(1 << bit % 8);
            assertNull(RendezvousMessages.authenticate(damaged, authenticator, serverNonce));
        }
    }

    @Test
    void shouldTakeNoWelcomeOfOtherSecretOrReflection()
    {
        final JoinAccepted accepted = new JoinAccepted(1, 2, "here");
        final byte[] encoded = message(RendezvousMessages.joinAccepted(
            accepted, new Authenticator(OTHER_ID), clientNonce, serverNonce));
        assertThrows(ProtocolViolation.class,
            () -> RendezvousMessages.decodeJoinAccepted(encoded, authenticator, clientNonce, serverNonce));
        final byte[] own = message(RendezvousMessages.joinAccepted(accepted, authenticator, serverNonce, clientNonce));
        assertThrows(ProtocolViolation.class,
            () -> RendezvousMessages.decodeJoinAccepted(own, authenticator, clientNonce, serverNonce));
        assertThrows(ProtocolViolation.class,
            () -> RendezvousMessages.decodeJoinAccepted(request(""), authenticator, clientNonce, serverNonce));
    }

    @Test
    void shouldRefuseValuesThatCannotBe()
    {
        assertRefused(message(RendezvousMessages.peState(new PeState(N_PES, 1, 1, 1, false, "", "", new byte[0]))));
        assertRefused(message(RendezvousMessages.peState(new PeState(-1, 1, 1, 1, false, "", "", new byte[0]))));
        assertRefused(message(RendezvousMessages.peState(new PeState(0, 0, 1, 1, false, "", "", new byte[0]))));
        assertRefused(
            message(RendezvousMessages.peState(new PeState(0, PePhase.CLOSED + 1, 1, 1, false, "", "", new byte[0]))));
        assertRefused(message(RendezvousMessages.peState(new PeState(0, 1, 0, 1, false, "", "", new byte[0]))));
        assertRefused(message(RendezvousMessages.peState(new PeState(0, 1, 1, 1, false, "", "", new byte[1025]))));
        assertRefused(message(RendezvousMessages.failure(new JobFailure(JobFailure.Kind.PE_DIED, N_PES, 0, ""))));
        assertRefused(message(RendezvousMessages.failure(new JobFailure(JobFailure.Kind.PE_DIED, -2, 0, ""))));
        final byte[] wildKind = message(RendezvousMessages.failure(new JobFailure(JobFailure.Kind.PE_DIED, 0, 0, "")));
        ByteBuffer.wrap(wildKind).order(ByteOrder.LITTLE_ENDIAN).putInt(8, JobFailure.Kind.values().length);
        assertRefused(wildKind);
        assertRefused(message(RendezvousMessages.directory("relative")));
        assertRefused(message(RendezvousMessages.directory("/with\0nul")));
        assertRefused(assignment(0, 0, 0));
        assertRefused(assignment(1, N_PES, 0));
        assertRefused(assignment(1, 0, N_PES));
        assertRefused(assignment(1, 0, 1, 0));
        assertRefused(assignment(1, 0));
    }

    private static byte[] assignment(final long token, final int leaderPe, final int... pes)
    {
        return message(RendezvousMessages.nodeAssignment(
            new NodeAssignment(token, true, leaderPe, true, -1, pes, PreviousGeneration.NONE, new int[0])));
    }

    @Test
    void shouldRefuseWildRunsOfRanksWithoutMemoryForThem()
    {
        final byte[] encoded = assignment(1, 0, 0);
        final ByteBuffer buffer = ByteBuffer.wrap(encoded).order(ByteOrder.LITTLE_ENDIAN);
        // an empty group and an empty text follow
        final int run = encoded.length - 14;
        for (final int[] wild : new int[][]{
            {0, Integer.MAX_VALUE}, {Integer.MIN_VALUE, Integer.MAX_VALUE}, {5, 4}, {0, -1}, {0, 65536}, {-1, -1}})
        {
            buffer.putInt(run, wild[0]).putInt(run + 4, wild[1]);
            assertRefused(encoded);
        }
    }

    /**
     * Every message, with random bytes changed and the end truncated or extended, is decoded as every message: if
     * rejected, with a violation and no other exception.
     */
    @Test
    void shouldTakeOrRefuseWhateverComes() throws Exception
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final List<byte[]> samples = samples();
        int refused = 0;
        for (int i = 0; i < ROUNDS; i++)
        {
            final byte[] sample = samples.get(random.nextInt(samples.size()));
            final int length = 0 == random.nextInt(3) ? random.nextInt(2 * sample.length) : sample.length;
            final byte[] wild = Arrays.copyOf(sample, length);
            for (int j = random.nextInt(4); j > 0 && length > 0; j--)
            {
                final int at = random.nextInt(0 == random.nextInt(2) ? length : Math.min(length, 64));
                wild[at] = (byte)(0 == random.nextInt(2) ? random.nextInt() : -random.nextInt(2));
            }

            try
            {
                decodeAll(wild);
            }
            catch (final ProtocolViolation ex)
            {
                assertTrue(ex.getMessage().length() < 300_000, ex::getMessage);
                refused++;
            }
            catch (final RuntimeException ex)
            {
                throw new AssertionError("seed " + seed + ": " + Arrays.toString(wild), ex);
            }
        }

        assertTrue(refused > ROUNDS / 10);
    }

    @Test
    void shouldRefuseRandomBytes()
    {
        final Random random = new Random(7);
        for (int i = 0; i < ROUNDS; i++)
        {
            final byte[] wild = new byte[random.nextInt(300)];
            random.nextBytes(wild);
            assertThrows(ProtocolViolation.class, () -> RendezvousMessages.templateOf(wild));
        }
    }

    @Test
    void shouldShowRanksAsRuns()
    {
        assertEquals("PE 3", PeRanges.text(new int[]{3}));
        assertEquals("PEs 0, 2, 3, 5-9", PeRanges.text(new int[]{9, 8, 7, 6, 5, 3, 2, 0}));
        assertTrue(PeRanges.text(IntStream.range(0, 4096).map((i) -> 2 * i).toArray()).length() < 400);
        assertArrayEquals(new int[]{1, 1, 1, 2}, PeRanges.runs(new int[]{1, 1, 2}));
    }

    private List<byte[]> samples()
    {
        final List<byte[]> samples = new ArrayList<>();
        samples.add(message(RendezvousMessages.challenge(serverNonce)));
        samples.add(request(""));
        samples.add(request("because"));
        samples.add(message(RendezvousMessages.joinAccepted(new JoinAccepted(1, 2, "h"), authenticator, clientNonce,
            serverNonce)));
        samples.add(message(RendezvousMessages.joinRejected(false, "reason")));
        samples.add(message(
            RendezvousMessages.nodeAssignment(new NodeAssignment(1, true, 0, true, -1, new int[]{0, 2, 3},
                PreviousGeneration.NONE, new int[]{0, 2, 3, 5}))));
        samples.add(message(RendezvousMessages.directory("/dev/shm/aeroshmem-0/x")));
        samples.add(message(RendezvousMessages.peState(new PeState(1, 2, 3, 4, false, "host", "log", new byte[77]))));
        samples.add(message(RendezvousMessages.heartbeat(3)));
        samples.add(message(RendezvousMessages.failure(new JobFailure(JobFailure.Kind.PE_DIED, 1, 2, "dead"))));
        samples.add(message(RendezvousMessages.leave()));
        samples.add(message(RendezvousMessages.leaveAck()));

        return samples;
    }

    private void decodeAll(final byte[] wild) throws ProtocolViolation
    {
        final int templateId = RendezvousMessages.templateOf(wild);
        switch (templateId)
        {
            case 1:
                RendezvousMessages.decodeChallenge(wild);
                break;

            case 2:
                RendezvousMessages.authenticate(wild, authenticator, serverNonce);
                RendezvousMessages.decodeJoinRequest(wild);
                RendezvousMessages.decodeWithdrawal(wild);
                RendezvousMessages.isProbe(wild);
                break;

            case 3:
                RendezvousMessages.decodeJoinAccepted(wild, authenticator, clientNonce, serverNonce);
                break;

            case 4:
                RendezvousMessages.decodeJoinRejected(wild);
                RendezvousMessages.isLate(wild);
                break;

            case 5:
                RendezvousMessages.decodeNodeAssignment(wild, N_PES);
                break;

            case 6:
                RendezvousMessages.decodeDirectory(wild);
                break;

            case 7:
                RendezvousMessages.decodePeState(wild, N_PES);
                break;

            case 9:
                RendezvousMessages.decodeFailure(wild, N_PES);
                break;

            default:
                break;
        }
    }

    private byte[] request(final String withdrawal)
    {
        return message(RendezvousMessages.joinRequest(request, withdrawal, authenticator, serverNonce, clientNonce));
    }

    private void assertRefused(final byte[] message)
    {
        assertThrows(ProtocolViolation.class, () -> decodeAll(message));
    }

    private static byte[] message(final byte[] frame)
    {
        assertEquals(frame.length - 4, ByteBuffer.wrap(frame).order(ByteOrder.LITTLE_ENDIAN).getInt());

        return Arrays.copyOfRange(frame, 4, frame.length);
    }
}
