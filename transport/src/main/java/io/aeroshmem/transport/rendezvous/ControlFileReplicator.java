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

import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.HeartbeatDecoder;
import io.aeroshmem.codecs.rendezvous.LeaveAckDecoder;
import io.aeroshmem.codecs.rendezvous.PeActivityDecoder;
import io.aeroshmem.codecs.rendezvous.PeStateDecoder;
import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.RateLimitedErrorHandler;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * Replicates a node's control file. The replicator runs on a thread of the node's leader, the process that created the
 * file. It sends the states of this node's PEs to the rendezvous server, and stores the states of the other nodes' PEs
 * in the control file. It works in rounds. Each round also runs a duty of the process, such as starting the media
 * driver on request.
 * <pre>
 *   REPLICATING -- close(), all PEs of this node CLOSING --&gt; LEAVING -- LeaveAck, or 5 s --&gt; ended
 *       |                                                      |
 *       | Failure from the server, also as the echo of a       |
 *       | failure of this node; the connection is lost; a      |
 *       | protocol violation; an exception of this thread      |
 *       v                                                      v
 *   DISCONNECTED: the connection is closed, only the duty runs -- close() --&gt; ended
 * </pre>
 * In a job of one node, {@link #close()} does not require that the PEs are CLOSING.
 */
final class ControlFileReplicator
{
    private static final long FAST_ROUND_MS = 1;
    private static final long WAITING_ROUND_MS = 5;
    private static final long SLOW_ROUND_MS = 20;
    private static final long FAST_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LEAVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** A global exit has 800 ms in total, and files are removed after this. */
    private static final long FLUSH_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PROBE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOIN_MARGIN_MS = 1_000;
    private static final int NO_PROBE = 0;
    private static final int PROBING = 1;
    private static final int ANSWERED = 2;
    private static final byte[] NO_RECORD = new byte[0];

    /*
     * Writers. The process of a PE of this node writes the PE's cell, and this thread only reads it. The cell of a PE
     * of another node is written only by this thread. This thread also writes the cause of a failure to the cell of the
     * leader. It does so by ControlFile.fail, which allows several threads to report failures concurrently.
     *
     * Ordering. A reader on another node that sees a phase also sees the join record that the PE wrote before it
     * announced the phase:
     * - This thread loads the phase of a local PE with acquire, and then reads the record.
     * - TCP and the one thread of the server keep the order.
     * - The replicator of the other node stores the record, and then the phase with release.
     * This thread reads the record of a local PE once before the PE is LISTENING, and once afterwards. The PE rewrites
     * its record only between these reads, when all PEs are EXCHANGED. A PE is EXCHANGED only after it has read the
     * first version of every record, so at that time all nodes have these versions. Phases may be skipped, because
     * phases only grow and each phase implies the earlier ones.
     *
     * Failures. A PE that fails reports the failure before it moves to CLOSING. So this thread loads a phase, then
     * loads the failure word, and sends the phase only if there is no failure. Otherwise other nodes could take the
     * CLOSING of a failed PE for a regular close. This thread sends no state after a failure. It polls the failure word
     * in every round; flushFailure and input from the server trigger a round at once. The exchange ends when the server
     * replies with the failure of the job, which is the failure of this node or an earlier one. isSettled is set when
     * the exchange ends, or when the connection is closed for any other reason.
     *
     * Silence. A connection without input for four fifths of the liveness timeout is lost. Time during which this
     * thread did not get to run does not count, as in RendezvousStateMachine.
     *
     * After a network outage TCP may remain silent for as long again as the outage lasted, because its retransmission
     * timer backs off. So this thread probes a silent server over a new connection. Probes run on a separate thread,
     * one at a time, end within a second, and report through one volatile word. A successful probe restarts the silence
     * interval of both this node and the server. It does not restart a longer limit: a connection without input for
     * RendezvousStateMachine.MAX_STALLED_TIMEOUTS liveness timeouts is lost in any case.
     */
    private final RendezvousId id;
    private final BlockingMessageChannel channel;
    private final JoinRequest request;
    private final JoinAccepted server;
    private final NodeAssignment assignment;
    private final ControlFile control;
    private final Runnable duty;
    private final ErrorHandler errorHandler;
    private final ThreadFactory threadFactory;
    private final Pause pause;
    private final Thread thread;
    private final boolean[] isLocal;
    private final int[] phases;
    private final PeActivities.Activity[] activities;
    private final boolean[] isRecordSent;
    private final boolean[] isListeningSent;
    private final boolean[] isEndingSent;
    private final UnsafeBuffer record = new UnsafeBuffer(new byte[ControlFile.RECORD_CAPACITY]);
    private volatile boolean isSettled;
    private volatile boolean isEndingEchoed;
    private volatile boolean isLeaving;
    private volatile int probeState = NO_PROBE;
    private boolean isFailureSent;
    private boolean isLeaveSent;
    private boolean isEnded;
    private boolean hasLeaveDeadline;
    private long leaveDeadlineNs;
    private long lastChangeNs;
    private long lastHeartbeatNs;
    private long lastRoundNs;
    private long silentNs;
    private long stalledNs;
    private long lastActivityNs;
    private long heartbeats;

    ControlFileReplicator(
        final RendezvousId id,
        final BlockingMessageChannel channel,
        final JoinRequest request,
        final JoinAccepted server,
        final NodeAssignment assignment,
        final ControlFile control,
        final Runnable duty,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler,
        final Pause pause)
    {
        this.id = id;
        this.channel = channel;
        this.threadFactory = threadFactory;
        this.request = request;
        this.server = server;
        this.assignment = assignment;
        this.control = control;
        this.duty = duty;
        this.errorHandler = new RateLimitedErrorHandler(errorHandler, pause);
        this.pause = pause;
        final int nPes = control.nPes();
        isLocal = new boolean[nPes];
        phases = new int[nPes];
        activities = new PeActivities.Activity[nPes];
        isRecordSent = new boolean[nPes];
        isListeningSent = new boolean[nPes];
        isEndingSent = new boolean[nPes];
        for (final int pe : assignment.nodePes())
        {
            isLocal[pe] = true;
        }

        thread = Threads.daemon(threadFactory.newThread(this::run));
        thread.setName("aeroshmem-replicator");
    }

    void start()
    {
        thread.start();
    }

    /** Waits until the server has the failure of this node, if there is one and a server. */
    void flushFailure(final long timeoutNs)
    {
        if (control.isFailed())
        {
            await(() -> isSettled, timeoutNs);
        }
    }

    /**
     * Waits until all nodes have received that PEs of this process are ending, if there is a server. A PE that has
     * announced no phase is unknown to them.
     */
    void flushEnding(final long timeoutNs)
    {
        if (Arrays.stream(assignment.nodePes())
            .anyMatch((pe) -> control.isEnding(pe) && PePhase.ABSENT != control.phase(pe)))
        {
            await(() -> isEndingEchoed, timeoutNs);
        }
    }

    private void await(final BooleanSupplier condition, final long timeoutNs)
    {
        channel.selector().wakeup();
        if (Thread.currentThread() != thread)
        {
            pause.await(this, condition, timeoutNs);
        }
    }

    /** Leaves the job and ends the thread, see {@link RendezvousClient#close()}. */
    void close()
    {
        isLeaving = true;
        channel.selector().wakeup();
        if (Thread.currentThread() != thread)
        {
            pause.join(thread, TimeUnit.NANOSECONDS.toMillis(LEAVE_TIMEOUT_NS) + JOIN_MARGIN_MS);
        }
    }

    private void run()
    {
        final long startNs = pause.nanoTime();
        lastRoundNs = startNs;
        lastActivityNs = startNs;
        lastChangeNs = startNs;
        lastHeartbeatNs = startNs - RendezvousStateMachine.HEARTBEAT_INTERVAL_NS;
        try
        {
            while (!isEnded)
            {
                round();
            }
        }
        catch (final RuntimeException | Error ex)
        {
            failAfter(ex);
        }
        finally
        {
            disconnect();
            Threads.closeAll(new IOException("closing"), channel);
        }
    }

    private void round()
    {
        // Loaded before the phases, so that those announced before close() are seen.
        final boolean isToLeave = isLeaving;
        try
        {
            exchange();
        }
        catch (final IOException ex)
        {
            onConnectionLost("broke (" + ex.getMessage() + ')');
        }
        catch (final ProtocolViolation ex)
        {
            onProtocolViolation(ex);
        }
        catch (final RuntimeException | Error ex)
        {
            failAfter(ex);
        }

        runDuty();
        if (isToLeave)
        {
            leave();
        }
    }

    /**
     * Fails the job because of an exception or error of this thread, and ends the exchange. The server receives the
     * reason if it can still be sent, otherwise the end of the connection.
     */
    private void failAfter(final Throwable cause)
    {
        control.fail(control.creatorCell(), new JobFailure(JobFailure.Kind.PE_FAILED, request.failedPe(), -1,
            request.processName() + " could not replicate the control file of its node: " + cause));
        try
        {
            if (channel.connection().isOpen())
            {
                sendFailure();
                channel.connection().flush();
            }
        }
        catch (final IOException | RuntimeException | Error ex)
        {
            cause.addSuppressed(ex);
        }

        disconnect();
        report(cause);
    }

    private void exchange() throws IOException, ProtocolViolation
    {
        for (byte[] message = channel.poll(); null != message; message = channel.poll())
        {
            onMessage(message);
        }

        pause.select(channel.selector(), roundMs());
        channel.selector().selectedKeys().clear();
        // An interrupt has no meaning for this thread, and would make it spin.
        Thread.interrupted();

        final long nowNs = pause.nanoTime();
        final long elapsedNs = Math.min(nowNs - lastRoundNs, RendezvousStateMachine.MAX_COUNTED_NS);
        lastRoundNs = nowNs;
        final Connection connection = channel.connection();
        if (!connection.isOpen())
        {
            return;
        }

        if (connection.read(this::onMessage) > 0)
        {
            silentNs = 0;
            stalledNs = 0;
            lastActivityNs = nowNs;
        }

        if (ANSWERED == probeState)
        {
            probeState = NO_PROBE;
            silentNs = 0;
            lastActivityNs = nowNs;
        }

        if (!connection.isOpen())
        {
            return;
        }

        if (connection.isEnded())
        {
            onConnectionLost("ended");
            return;
        }

        sendStates(nowNs);
        sendFailure();
        sendHeartbeat(nowNs);
        connection.flush();
        checkSilence(elapsedNs);
    }

    private void onMessage(final byte[] message) throws ProtocolViolation
    {
        if (!channel.connection().isOpen())
        {
            return;
        }

        final int templateId = RendezvousMessages.templateOf(message);
        switch (templateId)
        {
            case HeartbeatDecoder.TEMPLATE_ID:
                break;

            case PeStateDecoder.TEMPLATE_ID:
                onPeState(RendezvousMessages.decodePeState(message, control.nPes()));
                break;

            case PeActivityDecoder.TEMPLATE_ID:
                onPeActivity(message);
                break;

            case FailureDecoder.TEMPLATE_ID:
                control.fail(control.creatorCell(), RendezvousMessages.decodeFailure(message, control.nPes()));
                disconnect();
                break;

            case LeaveAckDecoder.TEMPLATE_ID:
                if (!isLeaveSent)
                {
                    throw new ProtocolViolation("a LeaveAck before the Leave of this node");
                }

                disconnect();
                break;

            default:
                throw new ProtocolViolation("an unexpected message: templateId=" + templateId);
        }
    }

    private void onPeState(final PeState state) throws ProtocolViolation
    {
        final int pe = state.pe();
        if (isLocal[pe] && state.isEnding() && isEndingSent[pe])
        {
            isEndingEchoed = true;
            return;
        }

        if (isLocal[pe] || state.phase() < phases[pe])
        {
            throw new ProtocolViolation("a PeState " + PePhase.name(state.phase()) + " of PE " + pe + ", which is " +
                (isLocal[pe] ? "of this node" : "already " + PePhase.name(phases[pe])));
        }

        record.putBytes(0, state.record());
        control.mirror(pe, state.pid(), state.startTime(), state.host(), state.log(), state.phase(), record, 0,
            state.record().length);
        if (state.isEnding())
        {
            control.ending(pe);
        }

        phases[pe] = state.phase();
        lastChangeNs = pause.nanoTime();
    }

    private void onPeActivity(final byte[] message) throws ProtocolViolation
    {
        final int pe = RendezvousMessages.peOfActivity(message, control.nPes());
        if (isLocal[pe])
        {
            throw new ProtocolViolation("a PeActivity of PE " + pe + ", which is of this node");
        }

        control.activities().mirror(pe, RendezvousMessages.decodePeActivity(message, pause.time()));
    }

    /** Called with every Heartbeat: a call that is blocked for less time is of no interest to other nodes. */
    private void sendActivities() throws IOException
    {
        final long nowMs = pause.time();
        for (final int pe : assignment.nodePes())
        {
            final PeActivities.Activity activity = control.activities().get(pe);
            if (null != activity && !activity.equals(activities[pe]))
            {
                activities[pe] = activity;
                send(RendezvousMessages.peActivity(pe, activity, nowMs));
            }
        }
    }

    private void sendStates(final long nowNs) throws IOException
    {
        for (final int pe : assignment.nodePes())
        {
            final boolean isEnding = control.isEnding(pe);
            final int phase = control.phase(pe);
            // The end of a JVM before its PE has announced a phase is not a state of the PE.
            if (PePhase.ABSENT == phase || phase == phases[pe] && isEnding == isEndingSent[pe])
            {
                continue;
            }

            // A PE closes after it has reported a failure: the failure must arrive before the phase.
            sendFailure();
            if (isFailureSent)
            {
                return;
            }

            phases[pe] = phase;
            isEndingSent[pe] = isEnding;
            lastChangeNs = nowNs;
            byte[] bytes = NO_RECORD;
            if (!isRecordSent[pe] || phase >= PePhase.LISTENING && !isListeningSent[pe])
            {
                bytes = new byte[control.record(pe, record, 0)];
                record.getBytes(0, bytes);
                isRecordSent[pe] = true;
                isListeningSent[pe] = phase >= PePhase.LISTENING;
            }

            send(RendezvousMessages.peState(new PeState(
                pe,
                phase,
                control.pid(pe),
                control.startTime(pe),
                isEnding,
                control.hostName(pe),
                control.log(pe),
                bytes)));
        }
    }

    private void sendFailure() throws IOException
    {
        if (!isFailureSent && control.isFailed())
        {
            isFailureSent = true;
            send(RendezvousMessages.failure(control.failure()));
        }
    }

    private void sendHeartbeat(final long nowNs) throws IOException
    {
        if (nowNs - lastHeartbeatNs >= RendezvousStateMachine.HEARTBEAT_INTERVAL_NS)
        {
            lastHeartbeatNs = nowNs;
            if (!assignment.isSingleNode())
            {
                sendActivities();
            }

            send(RendezvousMessages.heartbeat(++heartbeats));
        }
    }

    private void send(final byte[] frame) throws IOException
    {
        if (!channel.connection().send(frame))
        {
            throw new IOException("it does not read: " + Connection.MAX_OUTGOING + " bytes queued");
        }
    }

    private void checkSilence(final long elapsedNs)
    {
        silentNs += elapsedNs;
        stalledNs += elapsedNs;
        final long timeoutNs = request.livenessTimeoutNs();
        final boolean isStalled = stalledNs >= RendezvousStateMachine.MAX_STALLED_TIMEOUTS * timeoutNs;
        if (isStalled || silentNs >= timeoutNs / 5 * 4)
        {
            onConnectionLost("was silent for " + TimeUnit.NANOSECONDS.toMillis(isStalled ? stalledNs : silentNs) +
                " ms (aeroshmem.liveness.timeout)");
        }
        else if (NO_PROBE == probeState &&
            silentNs >= Math.max(2 * RendezvousStateMachine.HEARTBEAT_INTERVAL_NS, timeoutNs / 5))
        {
            probe();
        }
    }

    private void probe()
    {
        probeState = PROBING;
        final Thread prober = Threads.daemon(threadFactory.newThread(() -> probeState =
            new Handshake(id, request, "", false, pause).probe(PROBE_TIMEOUT_NS) ? ANSWERED : NO_PROBE));
        prober.setName("aeroshmem-probe");
        prober.start();
    }

    /**
     * Fails the job, which cannot continue without the server unless it is ending or has failed. Only a job that
     * launchers started ends with LAUNCHER_DIED; another one has lost a process, whose PE may be unknown here.
     */
    private void onConnectionLost(final String how)
    {
        if (!isLeaveSent && !control.isFailed() && !isClosing())
        {
            final int pe = assignment.serverPe();
            final String log = pe < 0 ? "" : "; log " + control.log(pe);
            control.fail(control.creatorCell(), new JobFailure(
                pe < 0 && request.isLauncher() ? JobFailure.Kind.LAUNCHER_DIED : JobFailure.Kind.PE_DIED,
                pe,
                -1,
                (pe < 0 ? "the process of the rendezvous" : "PE " + pe) + " (pid " + server.pid() + ", host " +
                server.host() + ") " + (pe >= 0 && control.isEnding(pe) ? "ended without closing" : "died") +
                ": the connection to its rendezvous " + how + "; last activity " +
                TimeUnit.NANOSECONDS.toMillis(pause.nanoTime() - lastActivityNs) + " ms ago" + log));
        }

        disconnect();
    }

    private void onProtocolViolation(final ProtocolViolation ex)
    {
        final String message = "the rendezvous (pid " + server.pid() + ", host " + server.host() + ") sent " +
            ex.getMessage();
        control.fail(control.creatorCell(), new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, message));
        disconnect();
    }

    private boolean isClosing()
    {
        return Arrays.stream(phases).allMatch((phase) -> phase >= PePhase.CLOSING);
    }

    private void leave()
    {
        final long nowNs = pause.nanoTime();
        if (!hasLeaveDeadline)
        {
            hasLeaveDeadline = true;
            leaveDeadlineNs = nowNs + (control.isFailed() ? FLUSH_TIMEOUT_NS : LEAVE_TIMEOUT_NS);
        }

        if (!channel.connection().isOpen() || nowNs - leaveDeadlineNs >= 0)
        {
            isEnded = true;
            return;
        }

        if (isLeaveSent || control.isFailed())
        {
            return;
        }

        final int busyPe = busyPe();
        if (busyPe < 0)
        {
            isLeaveSent = true;
            channel.connection().send(RendezvousMessages.leave());
        }
        else
        {
            control.fail(control.creatorCell(), new JobFailure(JobFailure.Kind.PE_FAILED,
                request.failedPe(), -1, request.processName() +
                " left the job while PE " + busyPe + " of its node was " + PePhase.name(phases[busyPe])));
            leaveDeadlineNs = nowNs + FLUSH_TIMEOUT_NS;
        }

        channel.selector().wakeup();
    }

    /**
     * Returns a PE of this node for which the server would reject a Leave, or -1; what has not been sent counts as
     * absent.
     */
    private int busyPe()
    {
        for (final int pe : assignment.nodePes())
        {
            if (phases[pe] < PePhase.CLOSING && !assignment.isSingleNode())
            {
                return pe;
            }
        }

        return -1;
    }

    private void disconnect()
    {
        try
        {
            channel.connection().close();
        }
        catch (final IOException ex)
        {
            report(ex);
        }
        finally
        {
            isSettled = true;
            isEndingEchoed = true;
        }
    }

    private void runDuty()
    {
        try
        {
            duty.run();
        }
        catch (final RuntimeException ex)
        {
            report(ex);
        }
        catch (final Error ex)
        {
            failAfter(ex);
        }
    }

    /** A handler that throws must not end this thread, whose silence would be taken for the death of the node. */
    private void report(final Throwable ex)
    {
        try
        {
            errorHandler.onError(ex);
        }
        catch (final RuntimeException | Error thrown)
        {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }

    /** Short rounds while phases change, long ones while the application runs. */
    private long roundMs()
    {
        if (isLeaving)
        {
            return FAST_ROUND_MS;
        }

        if (Arrays.stream(phases).allMatch((phase) -> PePhase.RUNNING == phase))
        {
            return SLOW_ROUND_MS;
        }

        return pause.nanoTime() - lastChangeNs < FAST_NS ? FAST_ROUND_MS : WAITING_ROUND_MS;
    }
}
