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

import io.aeroshmem.codecs.rendezvous.AppointmentDecoder;
import io.aeroshmem.codecs.rendezvous.AppointmentEncoder;
import io.aeroshmem.codecs.rendezvous.BeatDecoder;
import io.aeroshmem.codecs.rendezvous.BeatEncoder;
import io.aeroshmem.codecs.rendezvous.ChallengeDecoder;
import io.aeroshmem.codecs.rendezvous.ChallengeEncoder;
import io.aeroshmem.codecs.rendezvous.DirectoryDecoder;
import io.aeroshmem.codecs.rendezvous.DirectoryEncoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.FailureEncoder;
import io.aeroshmem.codecs.rendezvous.FarewellDecoder;
import io.aeroshmem.codecs.rendezvous.FarewellEncoder;
import io.aeroshmem.codecs.rendezvous.HelloDecoder;
import io.aeroshmem.codecs.rendezvous.HelloEncoder;
import io.aeroshmem.codecs.rendezvous.LeftDecoder;
import io.aeroshmem.codecs.rendezvous.LeftEncoder;
import io.aeroshmem.codecs.rendezvous.MessageHeaderDecoder;
import io.aeroshmem.codecs.rendezvous.MessageHeaderEncoder;
import io.aeroshmem.codecs.rendezvous.PeActivityDecoder;
import io.aeroshmem.codecs.rendezvous.PeActivityEncoder;
import io.aeroshmem.codecs.rendezvous.PeStateDecoder;
import io.aeroshmem.codecs.rendezvous.PeStateEncoder;
import io.aeroshmem.codecs.rendezvous.RefusedDecoder;
import io.aeroshmem.codecs.rendezvous.RefusedEncoder;
import io.aeroshmem.codecs.rendezvous.WelcomeDecoder;
import io.aeroshmem.codecs.rendezvous.WelcomeEncoder;
import io.aeroshmem.transport.TransportException;
import io.aeroshmem.transport.job.BoundedText;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import org.agrona.ExpandableArrayBuffer;
import org.agrona.MutableDirectBuffer;
import org.agrona.concurrent.UnsafeBuffer;

import java.nio.ByteOrder;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.Arrays;

import static java.nio.charset.StandardCharsets.UTF_8;

/**
 * The only place where messages of the rendezvous become bytes and bytes become messages.
 * <p>
 * Encoding gives a frame: the length, then the message. Decoding takes a message without its length, and trusts
 * nothing: {@link #templateOf(byte[])} checks the whole shape (header, block, group, every length at the end, no byte
 * too few or too many) before a decoder is wrapped around it, and each decoding method checks the values. What does
 * not fit is a {@link ProtocolViolation}, never an index out of bounds, and nothing is allocated that the message has
 * not the bytes for, but the list of ranks, which has at most {@link Hello#MAX_PES}.
 */
final class RendezvousMessages
{
    /**
     * Raised with every change that older processes do not understand.
     */
    static final int PROTOCOL_VERSION = 1;

    /**
     * The most bytes of a message.
     */
    static final int MAX_LENGTH = 1 << 16;

    /**
     * The bytes before each message.
     */
    private static final int ENDED_FLAG = 4;
    static final int PREFIX_LENGTH = Integer.BYTES;

    static final int MAX_NODE_KEY = 512;
    static final int MAX_PATH = 4096;

    private static final int MAX_HOST = 255;
    private static final int MAX_LOG = 512;
    private static final int MAX_REASON = 2048;
    private static final int HEADER_LENGTH = MessageHeaderDecoder.ENCODED_LENGTH;
    private static final int RUN_LENGTH = 2 * Integer.BYTES;
    private static final int GROUP_HEADER_LENGTH = 4;
    private static final int HELLO_MAC_OFFSET = HEADER_LENGTH + HelloDecoder.macEncodingOffset();
    private static final int HELLO_PREFIX_LENGTH = HELLO_MAC_OFFSET + HelloDecoder.macEncodingLength();
    private static final int WELCOME_MAC_OFFSET = HEADER_LENGTH + WelcomeDecoder.macEncodingOffset();
    private static final byte[] NO_MAC = new byte[Authenticator.MAC_LENGTH];

    private RendezvousMessages()
    {
    }

    static byte[] challenge(final byte[] nonce)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final ChallengeEncoder encoder = new ChallengeEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .protocolVersion(PROTOCOL_VERSION)
            .putNonce(nonce, 0, nonce.length);

        return frame(buffer, encoder.encodedLength());
    }

    /**
     * A Hello.
     *
     * @param givesUp why the process will not come; empty if it does.
     */
    static byte[] hello(
        final Hello hello,
        final String givesUp,
        final Authenticator authenticator,
        final byte[] serverNonce,
        final byte[] clientNonce)
    {
        return hello(hello, givesUp, false, authenticator, serverNonce, clientNonce);
    }

    /**
     * The Hello of a leader that has come, and only wants to know whether the server lives.
     */
    static byte[] probe(
        final Hello hello, final Authenticator authenticator, final byte[] serverNonce, final byte[] clientNonce)
    {
        return hello(hello, "", true, authenticator, serverNonce, clientNonce);
    }

    private static byte[] hello(
        final Hello hello,
        final String givesUp,
        final boolean isProbe,
        final Authenticator authenticator,
        final byte[] serverNonce,
        final byte[] clientNonce)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final HelloEncoder encoder = new HelloEncoder();
        final byte[] jobId = authenticator.jobId();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .protocolVersion(PROTOCOL_VERSION)
            .putJobId(jobId, 0, jobId.length)
            .putNonce(clientNonce, 0, clientNonce.length)
            .putMac(NO_MAC, 0, NO_MAC.length)
            .isLauncher((short)(hello.isLauncher() ? 1 : 0))
            .isProbe((short)(isProbe ? 1 : 0))
            .nPes(hello.nPes())
            .pid(hello.pid())
            .startTime(hello.startTime())
            .joinTimeoutNs(hello.joinTimeoutNs())
            .livenessTimeoutNs(hello.livenessTimeoutNs());
        final int[] runs = boundedRuns(hello.pes());
        final HelloEncoder.RanksEncoder ranks = encoder.ranksCount(runs.length / 2);
        for (int i = 0; i < runs.length; i += 2)
        {
            ranks.next().first(runs[i]).last(runs[i + 1]);
        }
        encoder
            .host(BoundedText.cut(hello.host(), MAX_HOST))
            .nodeKey(hello.nodeKey())
            .log(BoundedText.cut(hello.log(), MAX_LOG))
            .givesUp(BoundedText.cut(givesUp, MAX_REASON));

        final byte[] frame = frame(buffer, encoder.encodedLength());
        putMac(frame, HELLO_MAC_OFFSET, authenticator.ofHello(serverNonce, clientNonce, messageOf(frame)));

        return frame;
    }

    static byte[] welcome(
        final Welcome welcome, final Authenticator authenticator, final byte[] clientNonce, final byte[] serverNonce)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final WelcomeEncoder encoder = new WelcomeEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .putMac(NO_MAC, 0, NO_MAC.length)
            .pid(welcome.pid())
            .startTime(welcome.startTime())
            .host(BoundedText.cut(welcome.host(), MAX_HOST));

        final byte[] frame = frame(buffer, encoder.encodedLength());
        putMac(frame, WELCOME_MAC_OFFSET, authenticator.ofWelcome(clientNonce, serverNonce, messageOf(frame)));

        return frame;
    }

    static byte[] refused(final boolean isLate, final String reason)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final RefusedEncoder encoder = new RefusedEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .isLate((short)(isLate ? 1 : 0))
            .reason(BoundedText.cut(reason, MAX_REASON));

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] appointment(final Appointment appointment)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final AppointmentEncoder encoder = new AppointmentEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .token(appointment.token())
            .leaderPe(appointment.leaderPe())
            .serverPe(appointment.serverPe())
            .isLeader((short)(appointment.isLeader() ? 1 : 0))
            .isSingleNode((short)(appointment.isSingleNode() ? 1 : 0));
        final int[] runs = boundedRuns(appointment.nodePes());
        final AppointmentEncoder.RanksEncoder ranks = encoder.ranksCount(runs.length / 2);
        for (int i = 0; i < runs.length; i += 2)
        {
            ranks.next().first(runs[i]).last(runs[i + 1]);
        }

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] directory(final String path)
    {
        if (path.getBytes(UTF_8).length > MAX_PATH)
        {
            throw new TransportException("the path of the job directory has more than " + MAX_PATH +
                " bytes (property aeroshmem.shm.dir): " + path);
        }

        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final DirectoryEncoder encoder = new DirectoryEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder()).path(path);

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] peState(final PeState state)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer(1024);
        final PeStateEncoder encoder = new PeStateEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .pe(state.pe())
            .phase(state.phase())
            .pid(state.pid())
            .startTime(state.startTime())
            .host(BoundedText.cut(state.host(), MAX_HOST))
            .log(BoundedText.cut(state.log(), MAX_LOG))
            .putRecord(state.record(), 0, state.record().length);

        return frame(buffer, encoder.encodedLength());
    }

    /**
     * A PeActivity; clocks of hosts differ, so it carries times that have passed.
     */
    static byte[] peActivity(final int pe, final PeActivities.Activity activity, final long nowMs)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final PeActivityEncoder encoder = new PeActivityEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .pe(pe)
            .flags(activity.flags() | (activity.isEnded() ? ENDED_FLAG : 0))
            .sinceAgo(Math.max(0, nowMs - activity.sinceMs()))
            .seenAgo(Math.max(0, nowMs - activity.seenMs()))
            .team(activity.team())
            .number(activity.number())
            .signature(activity.signature())
            .text(BoundedText.cut(activity.text(), PeActivities.MAX_TEXT));

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] beat(final long number)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final BeatEncoder encoder = new BeatEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder()).number(number);

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] failure(final JobFailure failure)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final FailureEncoder encoder = new FailureEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder())
            .kind(failure.kind().code())
            .pe(failure.pe())
            .status(failure.status())
            .message(failure.message());

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] left()
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final LeftEncoder encoder = new LeftEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder()).reserved(0);

        return frame(buffer, encoder.encodedLength());
    }

    static byte[] farewell()
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer();
        final FarewellEncoder encoder = new FarewellEncoder();
        encoder.wrapAndApplyHeader(buffer, PREFIX_LENGTH, new MessageHeaderEncoder()).reserved(0);

        return frame(buffer, encoder.encodedLength());
    }

    /**
     * Which message it is, after its whole shape was checked: the decoding method of that message can be called.
     *
     * @return the template id.
     * @throws ProtocolViolation if it is no message of this schema and version.
     */
    static int templateOf(final byte[] message) throws ProtocolViolation
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(message);
        final int templateId = headerOf(buffer).templateId();
        switch (templateId)
        {
            case ChallengeDecoder.TEMPLATE_ID:
                checkShape(buffer, "Challenge", ChallengeDecoder.BLOCK_LENGTH, false);
                break;

            case HelloDecoder.TEMPLATE_ID:
                checkShape(buffer, "Hello", HelloDecoder.BLOCK_LENGTH, true, MAX_HOST, MAX_NODE_KEY, MAX_LOG,
                    MAX_REASON);
                break;

            case WelcomeDecoder.TEMPLATE_ID:
                checkShape(buffer, "Welcome", WelcomeDecoder.BLOCK_LENGTH, false, MAX_HOST);
                break;

            case RefusedDecoder.TEMPLATE_ID:
                checkShape(buffer, "Refused", RefusedDecoder.BLOCK_LENGTH, false, MAX_REASON);
                break;

            case AppointmentDecoder.TEMPLATE_ID:
                checkShape(buffer, "Appointment", AppointmentDecoder.BLOCK_LENGTH, true);
                break;

            case DirectoryDecoder.TEMPLATE_ID:
                checkShape(buffer, "Directory", DirectoryDecoder.BLOCK_LENGTH, false, MAX_PATH);
                break;

            case PeStateDecoder.TEMPLATE_ID:
                checkShape(
                    buffer, "PeState", PeStateDecoder.BLOCK_LENGTH, false, MAX_HOST, MAX_LOG, Control.RECORD_CAPACITY);
                break;

            case PeActivityDecoder.TEMPLATE_ID:
                checkShape(buffer, "PeActivity", PeActivityDecoder.BLOCK_LENGTH, false, PeActivities.MAX_TEXT);
                break;

            case BeatDecoder.TEMPLATE_ID:
                checkShape(buffer, "Beat", BeatDecoder.BLOCK_LENGTH, false);
                break;

            case FailureDecoder.TEMPLATE_ID:
                checkShape(buffer, "Failure", FailureDecoder.BLOCK_LENGTH, false, JobFailure.MAX_MESSAGE_LENGTH);
                break;

            case LeftDecoder.TEMPLATE_ID:
                checkShape(buffer, "Left", LeftDecoder.BLOCK_LENGTH, false);
                break;

            case FarewellDecoder.TEMPLATE_ID:
                checkShape(buffer, "Farewell", FarewellDecoder.BLOCK_LENGTH, false);
                break;

            default:
                throw new ProtocolViolation("a message with template id " + templateId + ", which there is not");
        }

        return templateId;
    }

    /**
     * The server's nonce in a Challenge.
     *
     * @throws ProtocolViolation if it is none.
     */
    static byte[] decodeChallenge(final byte[] message) throws ProtocolViolation
    {
        require(ChallengeDecoder.TEMPLATE_ID, message, "Challenge");
        final ChallengeDecoder decoder = new ChallengeDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
        final byte[] nonce = new byte[Authenticator.NONCE_LENGTH];
        decoder.getNonce(nonce, 0, nonce.length);

        return nonce;
    }

    /**
     * Whether a message is the Hello of a process that knows the job and its secret, whatever else its version has in
     * it.
     *
     * @return the client's nonce; null if the job or the secret is another.
     * @throws ProtocolViolation if it is no Hello.
     */
    static byte[] authenticateHello(
        final byte[] message, final Authenticator authenticator, final byte[] serverNonce) throws ProtocolViolation
    {
        final UnsafeBuffer buffer = new UnsafeBuffer(message);
        final int templateId = headerOf(buffer).templateId();
        if (HelloDecoder.TEMPLATE_ID != templateId || message.length < HELLO_PREFIX_LENGTH)
        {
            throw new ProtocolViolation("no Hello but " + message.length + " bytes with template id " + templateId);
        }

        final byte[] jobId = new byte[RendezvousId.JOB_ID_LENGTH];
        final byte[] nonce = new byte[Authenticator.NONCE_LENGTH];
        final HelloDecoder decoder = new HelloDecoder().wrap(buffer, HEADER_LENGTH, HelloDecoder.BLOCK_LENGTH, 0);
        decoder.getJobId(jobId, 0, jobId.length);
        decoder.getNonce(nonce, 0, nonce.length);
        final byte[] mac = Arrays.copyOfRange(message, HELLO_MAC_OFFSET, HELLO_PREFIX_LENGTH);
        final byte[] unsigned = message.clone();
        System.arraycopy(NO_MAC, 0, unsigned, HELLO_MAC_OFFSET, NO_MAC.length);
        final byte[] expected = authenticator.ofHello(serverNonce, nonce, unsigned);

        return authenticator.isJob(jobId) && MessageDigest.isEqual(expected, mac) ? nonce : null;
    }

    /**
     * The version that an authenticated Hello is of.
     */
    static int versionOf(final byte[] hello)
    {
        return new HelloDecoder()
            .wrap(new UnsafeBuffer(hello), HEADER_LENGTH, HelloDecoder.BLOCK_LENGTH, 0)
            .protocolVersion();
    }

    /**
     * What an authenticated Hello of this version says. Ranks and number of PEs are as they were sent.
     *
     * @throws ProtocolViolation if it cannot be.
     */
    static Hello decodeHello(final byte[] message) throws ProtocolViolation
    {
        require(HelloDecoder.TEMPLATE_ID, message, "Hello");
        final HelloDecoder decoder = new HelloDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
        final boolean isLauncher = 0 != decoder.isLauncher();
        final int nPes = decoder.nPes();
        final long pid = decoder.pid();
        final long startTime = decoder.startTime();
        final long joinTimeoutNs = decoder.joinTimeoutNs();
        final long livenessTimeoutNs = decoder.livenessTimeoutNs();
        final HelloDecoder.RanksDecoder ranks = decoder.ranks();
        final int[] runs = new int[2 * ranks.count()];
        for (int i = 0; ranks.hasNext(); i += 2)
        {
            ranks.next();
            runs[i] = ranks.first();
            runs[i + 1] = ranks.last();
        }
        final int[] pes = expand(runs);
        try
        {
            return new Hello(
                pes,
                nPes,
                isLauncher,
                decoder.host(),
                decoder.nodeKey(),
                pid,
                startTime,
                decoder.log(),
                joinTimeoutNs,
                livenessTimeoutNs);
        }
        catch (final IllegalArgumentException ex)
        {
            throw new ProtocolViolation(ex.getMessage());
        }
    }

    /**
     * Whether an authenticated Hello of this version only asks for a sign of life.
     *
     * @throws ProtocolViolation if it is no Hello.
     */
    static boolean isProbe(final byte[] message) throws ProtocolViolation
    {
        require(HelloDecoder.TEMPLATE_ID, message, "Hello");

        return 0 != new HelloDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder()).isProbe();
    }

    /**
     * Why the process of an authenticated Hello of this version will not come.
     *
     * @return empty if it does.
     * @throws ProtocolViolation if it is no Hello.
     */
    static String decodeGivesUp(final byte[] message) throws ProtocolViolation
    {
        require(HelloDecoder.TEMPLATE_ID, message, "Hello");
        final HelloDecoder decoder = new HelloDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
        for (final HelloDecoder.RanksDecoder ranks = decoder.ranks(); ranks.hasNext();)
        {
            ranks.next();
        }
        decoder.skipHost();
        decoder.skipNodeKey();
        decoder.skipLog();

        return decoder.givesUp();
    }

    /**
     * A Welcome of a server that knows the secret.
     *
     * @throws ProtocolViolation if it is none, or the server does not know the secret.
     */
    static Welcome decodeWelcome(
        final byte[] message, final Authenticator authenticator, final byte[] clientNonce, final byte[] serverNonce)
        throws ProtocolViolation
    {
        require(WelcomeDecoder.TEMPLATE_ID, message, "Welcome");
        final byte[] mac =
            Arrays.copyOfRange(message, WELCOME_MAC_OFFSET, WELCOME_MAC_OFFSET + Authenticator.MAC_LENGTH);
        final byte[] unsigned = message.clone();
        System.arraycopy(NO_MAC, 0, unsigned, WELCOME_MAC_OFFSET, NO_MAC.length);
        if (!MessageDigest.isEqual(authenticator.ofWelcome(clientNonce, serverNonce, unsigned), mac))
        {
            throw new ProtocolViolation("a Welcome that was not made with the secret of the job");
        }

        final WelcomeDecoder decoder = new WelcomeDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());

        return new Welcome(decoder.pid(), decoder.startTime(), decoder.host());
    }

    /**
     * Whether a Refused comes from a job that has ended, so that it is worth to try again.
     *
     * @throws ProtocolViolation if it is no Refused.
     */
    static boolean isLate(final byte[] message) throws ProtocolViolation
    {
        require(RefusedDecoder.TEMPLATE_ID, message, "Refused");

        return 0 != new RefusedDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder()).isLate();
    }

    /**
     * The text of a Refused.
     *
     * @throws ProtocolViolation if it is no Refused.
     */
    static String decodeRefused(final byte[] message) throws ProtocolViolation
    {
        require(RefusedDecoder.TEMPLATE_ID, message, "Refused");

        return new RefusedDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder()).reason();
    }

    /**
     * An Appointment for a process of a job with so many PEs.
     *
     * @throws ProtocolViolation if it cannot be.
     */
    static Appointment decodeAppointment(final byte[] message, final int nPes) throws ProtocolViolation
    {
        require(AppointmentDecoder.TEMPLATE_ID, message, "Appointment");
        final AppointmentDecoder decoder = new AppointmentDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
        final long token = decoder.token();
        final int leaderPe = decoder.leaderPe();
        final int serverPe = decoder.serverPe();
        final boolean isLeader = 0 != decoder.isLeader();
        final boolean isSingleNode = 0 != decoder.isSingleNode();
        final AppointmentDecoder.RanksDecoder ranks = decoder.ranks();
        final int[] runs = new int[2 * ranks.count()];
        for (int i = 0; ranks.hasNext(); i += 2)
        {
            ranks.next();
            runs[i] = ranks.first();
            runs[i + 1] = ranks.last();
        }

        final int[] nodePes = expand(runs);
        int previous = -1;
        for (final int pe : nodePes)
        {
            if (pe <= previous || pe >= nPes)
            {
                throw new ProtocolViolation("an Appointment with " + PeList.text(nodePes) + " in a job of " + nPes);
            }
            previous = pe;
        }

        if (0 == token || leaderPe < Appointment.NO_PE || leaderPe >= nPes || serverPe < Appointment.NO_PE ||
            serverPe >= nPes || 0 == nodePes.length)
        {
            throw new ProtocolViolation("an Appointment with token " + token + ", leader " + leaderPe + ", server " +
                serverPe + " and " + nodePes.length + " PEs in a job of " + nPes);
        }

        return new Appointment(token, isLeader, leaderPe, isSingleNode, serverPe, nodePes);
    }

    /**
     * The path in a Directory.
     *
     * @throws ProtocolViolation if it is no absolute path.
     */
    static Path decodeDirectory(final byte[] message) throws ProtocolViolation
    {
        require(DirectoryDecoder.TEMPLATE_ID, message, "Directory");
        final String path = new DirectoryDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder()).path();
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
            throw new ProtocolViolation("a Directory that is no path: " + ex.getMessage());
        }

        throw new ProtocolViolation("a Directory whose path is not absolute: '" + path + "'");
    }

    /**
     * A PeState in a job with so many PEs.
     *
     * @throws ProtocolViolation if it cannot be.
     */
    static PeState decodePeState(final byte[] message, final int nPes) throws ProtocolViolation
    {
        require(PeStateDecoder.TEMPLATE_ID, message, "PeState");
        final PeStateDecoder decoder = new PeStateDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
        final int pe = decoder.pe();
        final int phase = decoder.phase();
        final long pid = decoder.pid();
        final long startTime = decoder.startTime();
        if (pe < 0 || pe >= nPes || phase <= PePhase.ABSENT || phase > PePhase.CLOSED || pid <= 0)
        {
            throw new ProtocolViolation("a PeState of PE " + pe + " of " + nPes + " with pid " + pid + " in phase " +
                phase);
        }

        final String host = decoder.host();
        final String log = decoder.log();
        final byte[] record = new byte[decoder.recordLength()];
        decoder.getRecord(record, 0, record.length);

        return new PeState(pe, phase, pid, startTime, host, log, record);
    }

    /**
     * The PE of a PeActivity in a job with so many PEs.
     *
     * @throws ProtocolViolation if it cannot be.
     */
    static int peOfActivity(final byte[] message, final int nPes) throws ProtocolViolation
    {
        require(PeActivityDecoder.TEMPLATE_ID, message, "PeActivity");
        final int pe = new PeActivityDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder()).pe();
        if (pe < 0 || pe >= nPes)
        {
            throw new ProtocolViolation("a PeActivity of PE " + pe + " of " + nPes);
        }

        return pe;
    }

    /**
     * The activity of a PeActivity that {@link #peOfActivity} has checked, in the time of this host.
     */
    static PeActivities.Activity decodePeActivity(final byte[] message, final long nowMs)
    {
        final PeActivityDecoder decoder = new PeActivityDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
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

    /**
     * A Failure of a job with so many PEs.
     *
     * @throws ProtocolViolation if it cannot be.
     */
    static JobFailure decodeFailure(final byte[] message, final int nPes) throws ProtocolViolation
    {
        require(FailureDecoder.TEMPLATE_ID, message, "Failure");
        final FailureDecoder decoder = new FailureDecoder()
            .wrapAndApplyHeader(new UnsafeBuffer(message), 0, new MessageHeaderDecoder());
        final int kind = decoder.kind();
        final int pe = decoder.pe();
        if (kind < 0 || kind >= JobFailure.Kind.values().length || pe < -1 || pe >= nPes)
        {
            throw new ProtocolViolation("a Failure of kind " + kind + " of PE " + pe + " of " + nPes);
        }

        return new JobFailure(JobFailure.Kind.ofCode(kind), pe, decoder.status(), decoder.message());
    }

    private static int[] boundedRuns(final int[] pes)
    {
        final int[] runs = PeList.runs(pes);
        if (runs.length / 2 * RUN_LENGTH > MAX_LENGTH / 2)
        {
            throw new TransportException("the PEs of one node are scattered over " + runs.length / 2 +
                " runs of ranks, at most " + MAX_LENGTH / 2 / RUN_LENGTH +
                " are possible: give neighbouring ranks to the processes of a host");
        }

        return runs;
    }

    private static int[] expand(final int[] runs) throws ProtocolViolation
    {
        int[] pes = new int[Math.min(runs.length, Hello.MAX_PES)];
        int count = 0;
        for (int i = 0; i < runs.length; i += 2)
        {
            final long length = (long)runs[i + 1] - runs[i] + 1;
            if (length < 1 || count + length > Hello.MAX_PES)
            {
                throw new ProtocolViolation("ranks from " + runs[i] + " to " + runs[i + 1] + " after " + count +
                    " others, and a job has at most " + Hello.MAX_PES);
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

    /**
     * A message that was received, to be passed on.
     */
    static byte[] framed(final byte[] message)
    {
        final MutableDirectBuffer buffer = new ExpandableArrayBuffer(PREFIX_LENGTH + message.length);
        buffer.putBytes(PREFIX_LENGTH, message);

        return frame(buffer, message.length - HEADER_LENGTH);
    }

    private static byte[] frame(final MutableDirectBuffer buffer, final int encodedLength)
    {
        final int length = HEADER_LENGTH + encodedLength;
        if (length > MAX_LENGTH)
        {
            throw new TransportException("a message of " + length + " bytes: at most " + MAX_LENGTH);
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
            throw new ProtocolViolation(buffer.capacity() + " bytes, fewer than the head of a message has");
        }

        final MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        if (HelloDecoder.SCHEMA_ID != header.schemaId())
        {
            throw new ProtocolViolation("a message of schema " + header.schemaId() + ", not of " +
                HelloDecoder.SCHEMA_ID);
        }

        return header;
    }

    private static void require(final int templateId, final byte[] message, final String name) throws ProtocolViolation
    {
        final int found = templateOf(message);
        if (templateId != found)
        {
            throw new ProtocolViolation("a message with template id " + found + " where a " + name + " is due");
        }
    }

    private static void checkShape(
        final UnsafeBuffer buffer,
        final String name,
        final int blockLength,
        final boolean hasRanks,
        final int... maxLengths) throws ProtocolViolation
    {
        final MessageHeaderDecoder header = new MessageHeaderDecoder().wrap(buffer, 0);
        final int end = buffer.capacity();
        if (blockLength != header.blockLength() || HelloDecoder.SCHEMA_VERSION != header.version() ||
            HEADER_LENGTH + blockLength > end)
        {
            throw new ProtocolViolation("a " + name + " of version " + header.version() + " with a block of " +
                header.blockLength() + " bytes in " + end + ", not of version " + HelloDecoder.SCHEMA_VERSION +
                " with " + blockLength);
        }

        int limit = HEADER_LENGTH + blockLength;
        if (hasRanks)
        {
            if (limit + GROUP_HEADER_LENGTH > end)
            {
                throw new ProtocolViolation("a " + name + " that ends at byte " + end + ", before its ranks");
            }

            final int runLength = lengthAt(buffer, limit);
            limit += GROUP_HEADER_LENGTH + RUN_LENGTH * lengthAt(buffer, limit + Short.BYTES);
            if (RUN_LENGTH != runLength || limit > end)
            {
                throw new ProtocolViolation("a " + name + " with ranks of " + runLength + " bytes up to byte " +
                    limit + " of " + end);
            }
        }

        for (final int maxLength : maxLengths)
        {
            final int length = limit + Short.BYTES > end ? -1 : lengthAt(buffer, limit);
            limit += Short.BYTES + length;
            if (length < 0 || length > maxLength || limit > end)
            {
                throw new ProtocolViolation("a " + name + " with a field of " + length + " bytes up to byte " + limit +
                    " of " + end + ", where at most " + maxLength + " are possible");
            }
        }

        if (limit != end)
        {
            throw new ProtocolViolation("a " + name + " of " + limit + " bytes in a message of " + end);
        }
    }

    private static int lengthAt(final UnsafeBuffer buffer, final int offset)
    {
        return Short.toUnsignedInt(buffer.getShort(offset, ByteOrder.LITTLE_ENDIAN));
    }
}
