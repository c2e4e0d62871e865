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

import io.aeroshmem.codecs.rendezvous.ChallengeDecoder;
import io.aeroshmem.codecs.rendezvous.ChallengeEncoder;
import io.aeroshmem.codecs.rendezvous.DirectoryDecoder;
import io.aeroshmem.codecs.rendezvous.DirectoryEncoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.FailureEncoder;
import io.aeroshmem.codecs.rendezvous.GenerationDecoder;
import io.aeroshmem.codecs.rendezvous.GenerationEncoder;
import io.aeroshmem.codecs.rendezvous.HeartbeatDecoder;
import io.aeroshmem.codecs.rendezvous.HeartbeatEncoder;
import io.aeroshmem.codecs.rendezvous.JoinAcceptedDecoder;
import io.aeroshmem.codecs.rendezvous.JoinAcceptedEncoder;
import io.aeroshmem.codecs.rendezvous.JoinRejectedDecoder;
import io.aeroshmem.codecs.rendezvous.JoinRejectedEncoder;
import io.aeroshmem.codecs.rendezvous.JoinRequestDecoder;
import io.aeroshmem.codecs.rendezvous.JoinRequestEncoder;
import io.aeroshmem.codecs.rendezvous.LeaveAckDecoder;
import io.aeroshmem.codecs.rendezvous.LeaveAckEncoder;
import io.aeroshmem.codecs.rendezvous.LeaveDecoder;
import io.aeroshmem.codecs.rendezvous.LeaveEncoder;
import io.aeroshmem.codecs.rendezvous.MessageHeaderDecoder;
import io.aeroshmem.codecs.rendezvous.MessageHeaderEncoder;
import io.aeroshmem.codecs.rendezvous.NodeAssignmentDecoder;
import io.aeroshmem.codecs.rendezvous.NodeAssignmentEncoder;
import io.aeroshmem.codecs.rendezvous.PeActivityDecoder;
import io.aeroshmem.codecs.rendezvous.PeActivityEncoder;
import io.aeroshmem.codecs.rendezvous.PeStateDecoder;
import io.aeroshmem.codecs.rendezvous.PeStateEncoder;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.BoundedText;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import io.aeroshmem.transport.job.PreviousGeneration;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;
import org.agrona.sbe.MessageDecoderFlyweight;
import org.agrona.sbe.MessageEncoderFlyweight;

import java.nio.ByteOrder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The codec of the rendezvous messages, and the only class that reads and writes their bytes. The messages are encoded
 * by SBE.
 * <p>
 * An encoding method returns a frame: the length, then the message. A decoding method takes a message without its
 * length and validates everything, in two steps. First {@link #templateOf(byte[])} checks the whole shape: the header,
 * the block, the group, the length of every variable-length field, and that no byte is missing or surplus. Then the
 * method wraps a decoder around the message, and checks the values.
 * <p>
 * Only {@link #authenticate} and {@link #versionOf} read a message before its shape is checked. They read the leading
 * fields of a JoinRequest, which are the same in all versions.
 */
final class RendezvousMessages
{
    /** Incremented with every incompatible change. */
    static final int PROTOCOL_VERSION = 4;

    /** Maximum length of a message in bytes. */
    static final int MAX_LENGTH = 1 << 16;

    static final int PREFIX_LENGTH = Integer.BYTES;

    static final int MAX_NODE_KEY = 512;
    static final int MAX_PATH = 4096;

    private static final int MAX_HOST = 255;
    private static final int MAX_LOG = 512;
    private static final int MAX_REASON = 2048;
    private static final int HEADER_LENGTH = MessageHeaderDecoder.ENCODED_LENGTH;
    private static final int RUN_LENGTH = 2 * Integer.BYTES;
    private static final int GROUP_HEADER_LENGTH = 4;
    private static final int ENDED_FLAG = 4;
    private static final int JOIN_REQUEST_MAC_OFFSET = HEADER_LENGTH + JoinRequestDecoder.macEncodingOffset();
    private static final int JOIN_REQUEST_PREFIX_LENGTH =
        JOIN_REQUEST_MAC_OFFSET + JoinRequestDecoder.macEncodingLength();
    private static final int JOIN_ACCEPTED_MAC_OFFSET = HEADER_LENGTH + JoinAcceptedDecoder.macEncodingOffset();
    private static final byte[] NO_MAC = new byte[Authenticator.MAC_LENGTH];

    /** The shapes of the messages, by template id. */
    private static final Map<Integer, Shape> SHAPES = Stream.of(
        new Shape("Challenge", new ChallengeDecoder(), 0),
        new Shape("JoinRequest", new JoinRequestDecoder(), 1,
            MAX_HOST, MAX_NODE_KEY, MAX_LOG, MAX_REASON, JobFailure.MAX_MESSAGE_LENGTH),
        new Shape("JoinAccepted", new JoinAcceptedDecoder(), 0, MAX_HOST),
        new Shape("JoinRejected", new JoinRejectedDecoder(), 0, MAX_REASON),
        new Shape("NodeAssignment", new NodeAssignmentDecoder(), 2, JobFailure.MAX_MESSAGE_LENGTH),
        new Shape("Directory", new DirectoryDecoder(), 0, MAX_PATH),
        new Shape("PeState", new PeStateDecoder(), 0, MAX_HOST, MAX_LOG, ControlFile.RECORD_CAPACITY),
        new Shape("PeActivity", new PeActivityDecoder(), 0, PeActivities.MAX_TEXT),
        new Shape("Heartbeat", new HeartbeatDecoder(), 0),
        new Shape("Failure", new FailureDecoder(), 0, JobFailure.MAX_MESSAGE_LENGTH),
        new Shape("Leave", new LeaveDecoder(), 0),
        new Shape("LeaveAck", new LeaveAckDecoder(), 0))
        .collect(Collectors.toMap((shape) -> shape.message.sbeTemplateId(), (shape) -> shape));

    /*
     * An invalid message is reported as a ProtocolViolation, never as an index out of bounds. No memory is allocated
     * beyond the bytes of the message, except for the list of ranks, which has at most JoinRequest.MAX_PES entries.
     */
    private RendezvousMessages()
    {
    }

    static byte[] challenge(final byte[] nonce)
    {
        return frame(begin(new ChallengeEncoder())
            .protocolVersion(PROTOCOL_VERSION)
            .putNonce(nonce, 0, nonce.length));
    }

    /** Encodes a JoinRequest; {@code withdrawal} is the reason why the process does not join, or empty. */
    static byte[] joinRequest(
        final JoinRequest request,
        final String withdrawal,
        final Authenticator authenticator,
        final byte[] serverNonce,
        final byte[] clientNonce)
    {
        return joinRequest(request, withdrawal, false, authenticator, serverNonce, clientNonce);
    }

    /** Encodes the JoinRequest of a leader that has joined and only checks whether the server is alive. */
    static byte[] probe(
        final JoinRequest request,
        final Authenticator authenticator,
        final byte[] serverNonce,
        final byte[] clientNonce)
    {
        return joinRequest(request, "", true, authenticator, serverNonce, clientNonce);
    }

    private static byte[] joinRequest(
        final JoinRequest request,
        final String withdrawal,
        final boolean isProbe,
        final Authenticator authenticator,
        final byte[] serverNonce,
        final byte[] clientNonce)
    {
        final byte[] jobId = authenticator.jobId();
        final JoinRequestEncoder encoder = begin(new JoinRequestEncoder())
            .protocolVersion(PROTOCOL_VERSION)
            .putJobId(jobId, 0, jobId.length)
            .putNonce(clientNonce, 0, clientNonce.length)
            .putMac(NO_MAC, 0, NO_MAC.length)
            .isLauncher((short)(request.isLauncher() ? 1 : 0))
            .isProbe((short)(isProbe ? 1 : 0))
            .nPes(request.nPes())
            .pid(request.pid())
            .startTime(request.startTime())
            .joinTimeoutNs(request.joinTimeoutNs())
            .livenessTimeoutNs(request.livenessTimeoutNs());
        put(encoder.previous(), request.previous());
        final int[] runs = boundedRuns(request.pes());
        final JoinRequestEncoder.RanksEncoder ranks = encoder.ranksCount(runs.length / 2);
        for (int i = 0; i < runs.length; i += 2)
        {
            ranks.next().first(runs[i]).last(runs[i + 1]);
        }

        encoder
            .host(BoundedText.cut(request.host(), MAX_HOST))
            .nodeKey(request.nodeKey())
            .log(BoundedText.cut(request.log(), MAX_LOG))
            .withdrawal(BoundedText.cut(withdrawal, MAX_REASON))
            .failure(messageOf(request.previous()));

        final byte[] frame = frame(encoder);
        putMac(
            frame,
            JOIN_REQUEST_MAC_OFFSET,
            authenticator.macOfJoinRequest(serverNonce, clientNonce, messageOf(frame)));

        return frame;
    }

    static byte[] joinAccepted(
        final JoinAccepted accepted,
        final Authenticator authenticator,
        final byte[] clientNonce,
        final byte[] serverNonce)
    {
        final JoinAcceptedEncoder encoder = begin(new JoinAcceptedEncoder())
            .putMac(NO_MAC, 0, NO_MAC.length)
            .pid(accepted.pid())
            .startTime(accepted.startTime())
            .host(BoundedText.cut(accepted.host(), MAX_HOST));

        final byte[] frame = frame(encoder);
        putMac(
            frame,
            JOIN_ACCEPTED_MAC_OFFSET,
            authenticator.macOfJoinAccepted(clientNonce, serverNonce, messageOf(frame)));

        return frame;
    }

    static byte[] joinRejected(final boolean isLate, final String reason)
    {
        return frame(begin(new JoinRejectedEncoder())
            .isLate((short)(isLate ? 1 : 0))
            .reason(BoundedText.cut(reason, MAX_REASON)));
    }

    static byte[] nodeAssignment(final NodeAssignment assignment)
    {
        final NodeAssignmentEncoder encoder = begin(new NodeAssignmentEncoder())
            .token(assignment.token())
            .leaderPe(assignment.leaderPe())
            .serverPe(assignment.serverPe())
            .isLeader((short)(assignment.isLeader() ? 1 : 0))
            .isSingleNode((short)(assignment.isSingleNode() ? 1 : 0));
        put(encoder.previous(), assignment.previous());
        final int[] runs = boundedRuns(assignment.nodePes());
        final NodeAssignmentEncoder.RanksEncoder ranks = encoder.ranksCount(runs.length / 2);
        for (int i = 0; i < runs.length; i += 2)
        {
            ranks.next().first(runs[i]).last(runs[i + 1]);
        }

        final int[] memberRuns = boundedRuns(assignment.members());
        final NodeAssignmentEncoder.MembersEncoder members = encoder.membersCount(memberRuns.length / 2);
        for (int i = 0; i < memberRuns.length; i += 2)
        {
            members.next().first(memberRuns[i]).last(memberRuns[i + 1]);
        }

        encoder.failure(messageOf(assignment.previous()));

        return frame(encoder);
    }

    static byte[] directory(final String path)
    {
        if (path.getBytes(UTF_8).length > MAX_PATH)
        {
            throw new TransportException("path of the job directory must be <= " + MAX_PATH +
                " bytes: " + path + " (aeroshmem.shm.dir)");
        }

        return frame(begin(new DirectoryEncoder()).path(path));
    }

    static byte[] peState(final PeState state)
    {
        return frame(begin(new PeStateEncoder())
            .pe(state.pe())
            .phase(state.phase())
            .pid(state.pid())
            .startTime(state.startTime())
            .isEnding((short)(state.isEnding() ? 1 : 0))
            .host(BoundedText.cut(state.host(), MAX_HOST))
            .log(BoundedText.cut(state.log(), MAX_LOG))
            .putRecord(state.record(), 0, state.record().length));
    }

    /** Encodes a PeActivity. Clocks of hosts differ, so it carries elapsed times. */
    static byte[] peActivity(final int pe, final PeActivities.Activity activity, final long nowMs)
    {
        return frame(begin(new PeActivityEncoder())
            .pe(pe)
            .flags(activity.flags() | (activity.isEnded() ? ENDED_FLAG : 0))
            .sinceAgo(Math.max(0, nowMs - activity.sinceMs()))
            .seenAgo(Math.max(0, nowMs - activity.seenMs()))
            .team(activity.team())
            .number(activity.number())
            .signature(activity.signature())
            .text(BoundedText.cut(activity.text(), PeActivities.MAX_TEXT)));
    }

    static byte[] heartbeat(final long number)
    {
        return frame(begin(new HeartbeatEncoder()).number(number));
    }

    static byte[] failure(final JobFailure failure)
    {
        return frame(begin(new FailureEncoder())
            .kind(failure.kind().code())
            .pe(failure.pe())
            .status(failure.status())
            .message(failure.message()));
    }

    static byte[] leave()
    {
        return frame(begin(new LeaveEncoder()).reserved(0));
    }

    static byte[] leaveAck()
    {
        return frame(begin(new LeaveAckEncoder()).reserved(0));
    }

    /**
     * Returns the template id of a message, after its whole shape has been checked: the decoding method of that message
     * can be called.
     */
    static int templateOf(final byte[] message) throws ProtocolViolation
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(message);
        final int templateId = headerOf(buffer).templateId();
        final Shape shape = SHAPES.get(templateId);
        if (null == shape)
        {
            throw new ProtocolViolation("an unknown message: templateId=" + templateId);
        }

        checkShape(buffer, shape);

        return templateId;
    }

    /** Returns the server's nonce in a Challenge. */
    static byte[] decodeChallenge(final byte[] message) throws ProtocolViolation
    {
        final ChallengeDecoder decoder = decode(message, new ChallengeDecoder());
        final byte[] nonce = new byte[Authenticator.NONCE_LENGTH];
        decoder.getNonce(nonce, 0, nonce.length);

        return nonce;
    }

    /**
     * Authenticates a JoinRequest of any version. Returns the client's nonce, or null if the job id or the secret
     * differs.
     */
    static byte[] authenticate(
        final byte[] message, final Authenticator authenticator, final byte[] serverNonce) throws ProtocolViolation
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(message);
        final int templateId = headerOf(buffer).templateId();
        if (JoinRequestDecoder.TEMPLATE_ID != templateId || message.length < JOIN_REQUEST_PREFIX_LENGTH)
        {
            throw new ProtocolViolation("a message other than JoinRequest: length=" + message.length +
                " templateId=" + templateId);
        }

        final byte[] jobId = new byte[RendezvousId.JOB_ID_LENGTH];
        final byte[] nonce = new byte[Authenticator.NONCE_LENGTH];
        final JoinRequestDecoder decoder =
            new JoinRequestDecoder().wrap(buffer, HEADER_LENGTH, JoinRequestDecoder.BLOCK_LENGTH, 0);
        decoder.getJobId(jobId, 0, jobId.length);
        decoder.getNonce(nonce, 0, nonce.length);
        final byte[] mac = Arrays.copyOfRange(message, JOIN_REQUEST_MAC_OFFSET, JOIN_REQUEST_PREFIX_LENGTH);
        final byte[] unsigned = message.clone();
        System.arraycopy(NO_MAC, 0, unsigned, JOIN_REQUEST_MAC_OFFSET, NO_MAC.length);
        final byte[] expected = authenticator.macOfJoinRequest(serverNonce, nonce, unsigned);

        return authenticator.isJob(jobId) && MessageDigest.isEqual(expected, mac) ? nonce : null;
    }

    /** Returns the protocol version of an authenticated JoinRequest. */
    static int versionOf(final byte[] request)
    {
        return new JoinRequestDecoder()
            .wrap(new UnsafeBuffer(request), HEADER_LENGTH, JoinRequestDecoder.BLOCK_LENGTH, 0)
            .protocolVersion();
    }

    /** Decodes an authenticated JoinRequest of this version. Ranks and number of PEs are not validated. */
    static JoinRequest decodeJoinRequest(final byte[] message) throws ProtocolViolation
    {
        final JoinRequestDecoder decoder = decode(message, new JoinRequestDecoder());
        final boolean isLauncher = 0 != decoder.isLauncher();
        final int nPes = decoder.nPes();
        final long pid = decoder.pid();
        final long startTime = decoder.startTime();
        final long joinTimeoutNs = decoder.joinTimeoutNs();
        final long livenessTimeoutNs = decoder.livenessTimeoutNs();
        final GenerationDecoder generation = decoder.previous();
        final JoinRequestDecoder.RanksDecoder ranks = decoder.ranks();
        final int[] runs = new int[2 * ranks.count()];
        for (int i = 0; ranks.hasNext(); i += 2)
        {
            ranks.next();
            runs[i] = ranks.first();
            runs[i + 1] = ranks.last();
        }

        final int[] pes = expand(runs);
        final String host = decoder.host();
        final String nodeKey = decoder.nodeKey();
        final String log = decoder.log();
        decoder.skipWithdrawal();
        final PreviousGeneration previous = decode(generation, decoder.failure());
        try
        {
            return new JoinRequest(
                pes,
                nPes,
                isLauncher,
                host,
                nodeKey,
                pid,
                startTime,
                log,
                joinTimeoutNs,
                livenessTimeoutNs,
                previous);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ProtocolViolation(ex.getMessage());
        }
    }

    /** Returns whether an authenticated JoinRequest of this version is a probe. */
    static boolean isProbe(final byte[] message) throws ProtocolViolation
    {
        return 0 != decode(message, new JoinRequestDecoder()).isProbe();
    }

    /** Returns why the sender of an authenticated JoinRequest of this version does not join; empty if it does. */
    static String decodeWithdrawal(final byte[] message) throws ProtocolViolation
    {
        final JoinRequestDecoder decoder = decode(message, new JoinRequestDecoder());
        for (final JoinRequestDecoder.RanksDecoder ranks = decoder.ranks(); ranks.hasNext();)
        {
            ranks.next();
        }

        decoder.skipHost();
        decoder.skipNodeKey();
        decoder.skipLog();

        return decoder.withdrawal();
    }

    /** Decodes a JoinAccepted, which must prove that the server knows the secret. */
    static JoinAccepted decodeJoinAccepted(
        final byte[] message, final Authenticator authenticator, final byte[] clientNonce, final byte[] serverNonce)
        throws ProtocolViolation
    {
        final JoinAcceptedDecoder decoder =
            decode(message, new JoinAcceptedDecoder());
        final byte[] mac =
            Arrays.copyOfRange(message, JOIN_ACCEPTED_MAC_OFFSET, JOIN_ACCEPTED_MAC_OFFSET + Authenticator.MAC_LENGTH);
        final byte[] unsigned = message.clone();
        System.arraycopy(NO_MAC, 0, unsigned, JOIN_ACCEPTED_MAC_OFFSET, NO_MAC.length);
        if (!MessageDigest.isEqual(authenticator.macOfJoinAccepted(clientNonce, serverNonce, unsigned), mac))
        {
            throw new ProtocolViolation("a JoinAccepted that was not signed with the secret of the job");
        }

        return new JoinAccepted(decoder.pid(), decoder.startTime(), decoder.host());
    }

    /** Returns whether a JoinRejected is from an ended job, so that the client should retry. */
    static boolean isLate(final byte[] message) throws ProtocolViolation
    {
        return 0 != decode(message, new JoinRejectedDecoder()).isLate();
    }

    /** Returns the reason in a JoinRejected. */
    static String decodeJoinRejected(final byte[] message) throws ProtocolViolation
    {
        return decode(message, new JoinRejectedDecoder()).reason();
    }

    /** Decodes a NodeAssignment of a job with this number of PEs. */
    static NodeAssignment decodeNodeAssignment(final byte[] message, final int nPes) throws ProtocolViolation
    {
        final NodeAssignmentDecoder decoder = decode(message, new NodeAssignmentDecoder());
        final long token = decoder.token();
        final int leaderPe = decoder.leaderPe();
        final int serverPe = decoder.serverPe();
        final boolean isLeader = 0 != decoder.isLeader();
        final boolean isSingleNode = 0 != decoder.isSingleNode();
        final GenerationDecoder generation = decoder.previous();
        final NodeAssignmentDecoder.RanksDecoder ranks = decoder.ranks();
        final int[] runs = new int[2 * ranks.count()];
        for (int i = 0; ranks.hasNext(); i += 2)
        {
            ranks.next();
            runs[i] = ranks.first();
            runs[i + 1] = ranks.last();
        }

        final NodeAssignmentDecoder.MembersDecoder memberRanges = decoder.members();
        final int[] memberRuns = new int[2 * memberRanges.count()];
        for (int i = 0; memberRanges.hasNext(); i += 2)
        {
            memberRanges.next();
            memberRuns[i] = memberRanges.first();
            memberRuns[i + 1] = memberRanges.last();
        }

        final int[] nodePes = ascending(expand(runs), nPes);
        final int[] members = ascending(expand(memberRuns), nPes);
        if (0 == token || leaderPe < NodeAssignment.NO_PE || leaderPe >= nPes || serverPe < NodeAssignment.NO_PE ||
            serverPe >= nPes || 0 == nodePes.length)
        {
            throw new ProtocolViolation("a NodeAssignment with token " + token + ", leader " + leaderPe + ", server " +
                serverPe + " and " + nodePes.length + " PEs in a job of " + nPes);
        }

        return new NodeAssignment(
            token,
            isLeader,
            leaderPe,
            isSingleNode,
            serverPe,
            nodePes,
            decode(generation, decoder.failure()),
            members);
    }

    private static int[] ascending(final int[] pes, final int nPes) throws ProtocolViolation
    {
        int previous = -1;
        for (final int pe : pes)
        {
            if (pe <= previous || pe >= nPes)
            {
                throw new ProtocolViolation("a NodeAssignment with " + PeRanges.text(pes) + " in a job of " + nPes);
            }

            previous = pe;
        }

        return pes;
    }

    /** Returns the path in a Directory, which must be absolute. */
    static Path decodeDirectory(final byte[] message) throws ProtocolViolation
    {
        final String path = decode(message, new DirectoryDecoder()).path();
        try
        {
            final Path directory = Path.of(path);
            if (directory.isAbsolute())
            {
                return directory;
            }
        }
        catch (final InvalidPathException ex)
        {
            throw new ProtocolViolation("a Directory with an invalid path: " + ex.getMessage());
        }

        throw new ProtocolViolation("a Directory whose path is not absolute: '" + path + "'");
    }

    /** Decodes a PeState of a job with this number of PEs. */
    static PeState decodePeState(final byte[] message, final int nPes) throws ProtocolViolation
    {
        final PeStateDecoder decoder = decode(message, new PeStateDecoder());
        final int pe = decoder.pe();
        final int phase = decoder.phase();
        final long pid = decoder.pid();
        final long startTime = decoder.startTime();
        final boolean isEnding = 0 != decoder.isEnding();
        if (pe < 0 || pe >= nPes || phase <= PePhase.ABSENT || phase > PePhase.CLOSED || pid <= 0)
        {
            throw new ProtocolViolation("a PeState of PE " + pe + " of " + nPes + " with pid " + pid + " in phase " +
                phase);
        }

        final String host = decoder.host();
        final String log = decoder.log();
        final byte[] record = new byte[decoder.recordLength()];
        decoder.getRecord(record, 0, record.length);

        return new PeState(pe, phase, pid, startTime, isEnding, host, log, record);
    }

    /** Returns the PE of a PeActivity of a job with this number of PEs. */
    static int peOfActivity(final byte[] message, final int nPes) throws ProtocolViolation
    {
        final int pe = decode(message, new PeActivityDecoder()).pe();
        if (pe < 0 || pe >= nPes)
        {
            throw new ProtocolViolation("a PeActivity of PE " + pe + " of " + nPes);
        }

        return pe;
    }

    /** Decodes a PeActivity that {@link #peOfActivity} has checked, in the time of this host. */
    static PeActivities.Activity decodePeActivity(final byte[] message, final long nowMs)
    {
        final PeActivityDecoder decoder = wrap(message, new PeActivityDecoder());
        final int flags = decoder.flags();
        return new PeActivities.Activity(
            nowMs - Math.max(0, decoder.sinceAgo()),
            nowMs - Math.max(0, decoder.seenAgo()),
            0 != (flags & ENDED_FLAG),
            decoder.team(),
            decoder.number(),
            decoder.signature(),
            flags & ~ENDED_FLAG,
            decoder.text());
    }

    /** Decodes a Failure of a job with this number of PEs. */
    static JobFailure decodeFailure(final byte[] message, final int nPes) throws ProtocolViolation
    {
        final FailureDecoder decoder = decode(message, new FailureDecoder());
        final int kind = decoder.kind();
        final int pe = decoder.pe();
        if (kind < 0 || kind >= JobFailure.Kind.values().length || pe < -1 || pe >= nPes)
        {
            throw new ProtocolViolation("a Failure of kind " + kind + " of PE " + pe + " of " + nPes);
        }

        return new JobFailure(JobFailure.Kind.ofCode(kind), pe, decoder.status(), decoder.message());
    }

    private static void put(final GenerationEncoder encoder, final PreviousGeneration previous)
    {
        final JobFailure failure = previous.failure();
        encoder
            .number(previous.number())
            .running(previous.running())
            .kind(null == failure ? -1 : failure.kind().code())
            .pe(null == failure ? -1 : failure.pe())
            .status(null == failure ? -1 : failure.status());
    }

    private static String messageOf(final PreviousGeneration previous)
    {
        return null == previous.failure() ? "" : previous.failure().message();
    }

    private static PreviousGeneration decode(final GenerationDecoder decoder, final String message)
        throws ProtocolViolation
    {
        final int kind = decoder.kind();
        try
        {
            if (kind < JobFailure.Kind.values().length && decoder.pe() < JoinRequest.MAX_PES)
            {
                return new PreviousGeneration(decoder.number(), decoder.running(), kind < 0 ? null :
                    new JobFailure(JobFailure.Kind.ofCode(kind), decoder.pe(), decoder.status(), message));
            }
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ProtocolViolation(ex.getMessage());
        }

        throw new ProtocolViolation(
            "a generation that failed with kind " + kind + " of PE " + decoder.pe());
    }

    private static int[] boundedRuns(final int[] pes)
    {
        final int[] runs = PeRanges.runs(pes);
        if (runs.length / 2 * RUN_LENGTH > MAX_LENGTH / 2)
        {
            throw new TransportException("the PEs of one node must form <= " + MAX_LENGTH / 2 / RUN_LENGTH +
                " ranges: ranges=" + runs.length / 2 + "; assign neighbouring ranks to the processes of a host");
        }

        return runs;
    }

    private static int[] expand(final int[] runs) throws ProtocolViolation
    {
        int[] pes = new int[Math.min(runs.length, JoinRequest.MAX_PES)];
        int count = 0;
        for (int i = 0; i < runs.length; i += 2)
        {
            final long length = (long)runs[i + 1] - runs[i] + 1;
            if (length < 1 || count + length > JoinRequest.MAX_PES)
            {
                throw new ProtocolViolation("an invalid range of ranks: first=" + runs[i] + " last=" + runs[i + 1] +
                    " preceding=" + count + " max=" + JoinRequest.MAX_PES);
            }

            pes = count + length > pes.length ? Arrays.copyOf(pes, count + (int)length + pes.length) : pes;
            for (int j = 0; j < length; j++)
            {
                pes[count++] = runs[i] + j;
            }
        }

        return Arrays.copyOf(pes, count);
    }

    private static void putMac(final byte[] frame, final int offset, final byte[] mac)
    {
        System.arraycopy(mac, 0, frame, PREFIX_LENGTH + offset, mac.length);
    }

    private static byte[] messageOf(final byte[] frame)
    {
        return Arrays.copyOfRange(frame, PREFIX_LENGTH, frame.length);
    }

    /** Returns the frame of a received message, for relaying. */
    static byte[] framed(final byte[] message)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer(PREFIX_LENGTH + message.length);
        buffer.putBytes(PREFIX_LENGTH, message);

        return frame(buffer, message.length - HEADER_LENGTH);
    }

    /** Returns the encoder of a message in a new buffer, after its header. */
    private static <E extends MessageEncoderFlyweight> E begin(final E encoder)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer(1024);
        new MessageHeaderEncoder().wrap(buffer, PREFIX_LENGTH)
            .blockLength(encoder.sbeBlockLength())
            .templateId(encoder.sbeTemplateId())
            .schemaId(encoder.sbeSchemaId())
            .version(encoder.sbeSchemaVersion());
        encoder.wrap(buffer, PREFIX_LENGTH + HEADER_LENGTH);
        return encoder;
    }

    private static byte[] frame(final MessageEncoderFlyweight encoder)
    {
        return frame(encoder.buffer(), encoder.encodedLength());
    }

    private static byte[] frame(final MutableDirectBuffer buffer, final int encodedLength)
    {
        final int length = HEADER_LENGTH + encodedLength;
        if (length > MAX_LENGTH)
        {
            throw new TransportException("message length must be <= " + MAX_LENGTH + ": length=" + length);
        }

        final byte[] frame = new byte[PREFIX_LENGTH + length];
        buffer.putInt(0, length, ByteOrder.LITTLE_ENDIAN);
        buffer.getBytes(0, frame);

        return frame;
    }

    private static MessageHeaderDecoder headerOf(final UnsafeBuffer buffer) throws ProtocolViolation
    {
        if (buffer.capacity() < HEADER_LENGTH)
        {
            throw new ProtocolViolation("a truncated message header: length=" + buffer.capacity());
        }

        final MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        if (JoinRequestDecoder.SCHEMA_ID != header.schemaId())
        {
            throw new ProtocolViolation("a message of another schema: schemaId=" + header.schemaId());
        }

        return header;
    }

    /** Wraps a decoder around a message, which must be of its template and have its shape. */
    private static <D extends MessageDecoderFlyweight> D decode(final byte[] message, final D decoder)
        throws ProtocolViolation
    {
        final int templateId = decoder.sbeTemplateId();
        final int found = templateOf(message);
        if (templateId != found)
        {
            throw new ProtocolViolation(
                "an unexpected message: templateId=" + found + " expected=" + SHAPES.get(templateId).name);
        }

        return wrap(message, decoder);
    }

    private static <D extends MessageDecoderFlyweight> D wrap(final byte[] message, final D decoder)
    {
        decoder.wrap(
            new UnsafeBuffer(message), HEADER_LENGTH, decoder.sbeBlockLength(), decoder.sbeSchemaVersion());
        return decoder;
    }

    private static void checkShape(final UnsafeBuffer buffer, final Shape shape) throws ProtocolViolation
    {
        final String name = shape.name;
        final int blockLength = shape.message.sbeBlockLength();
        final MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        final int end = buffer.capacity();
        if (blockLength != header.blockLength() || JoinRequestDecoder.SCHEMA_VERSION != header.version() ||
            HEADER_LENGTH + blockLength > end)
        {
            throw new ProtocolViolation("a malformed " + name + ": version=" + header.version() + " blockLength=" +
                header.blockLength() + " length=" + end + ", expected version=" + JoinRequestDecoder.SCHEMA_VERSION +
                " blockLength=" + blockLength);
        }

        int limit = HEADER_LENGTH + blockLength;
        for (int i = 0; i < shape.groups; i++)
        {
            if (limit + GROUP_HEADER_LENGTH > end)
            {
                throw new ProtocolViolation("a truncated " + name + ": length=" + end + ", ranks expected");
            }

            final int runLength = lengthAt(buffer, limit);
            limit += GROUP_HEADER_LENGTH + RUN_LENGTH * lengthAt(buffer, limit + Short.BYTES);
            if (RUN_LENGTH != runLength || limit > end)
            {
                throw new ProtocolViolation("a malformed " + name + ": ranks entry length=" + runLength +
                    " end=" + limit + " length=" + end);
            }
        }

        for (final int maxLength : shape.maxLengths)
        {
            final int length = limit + Short.BYTES > end ? -1 : lengthAt(buffer, limit);
            limit += Short.BYTES + length;
            if (length < 0 || length > maxLength || limit > end)
            {
                throw new ProtocolViolation("a malformed " + name + ": field length=" + length + " max=" + maxLength +
                    " end=" + limit + " length=" + end);
            }
        }

        if (limit != end)
        {
            throw new ProtocolViolation("a malformed " + name + ": end=" + limit + " length=" + end);
        }
    }

    private static int lengthAt(final UnsafeBuffer buffer, final int offset)
    {
        return Short.toUnsignedInt(buffer.getShort(offset, ByteOrder.LITTLE_ENDIAN));
    }

    /**
     * What follows the header of a message.
     *
     * @param message    has the template id and the length of the block.
     * @param groups     number of groups of ranks.
     * @param maxLengths of the fields of variable length, in bytes.
     */
    private record Shape(String name, MessageDecoderFlyweight message, int groups, int... maxLengths)
    {
    }
}
