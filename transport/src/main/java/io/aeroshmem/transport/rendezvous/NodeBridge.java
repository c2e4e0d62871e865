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

import io.aeroshmem.transport.Threads;
import io.aeroshmem.codecs.rendezvous.BeatDecoder;
import io.aeroshmem.codecs.rendezvous.FailureDecoder;
import io.aeroshmem.codecs.rendezvous.FarewellDecoder;
import io.aeroshmem.codecs.rendezvous.PeActivityDecoder;
import io.aeroshmem.codecs.rendezvous.PeStateDecoder;
import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.JobFailure;
import io.aeroshmem.transport.job.PeActivities;
import io.aeroshmem.transport.job.PePhase;
import org.agrona.ErrorHandler;
import org.agrona.concurrent.UnsafeBuffer;

import java.io.IOException;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Keeps the control file of one node like those of the others: the one thread of a node's leader that tells the server
 * how the PEs of this node are, and writes here how those of the other nodes are.
 * <pre>
 *   MIRRORING -- close(), all PEs of this node CLOSING --&gt; LEFT -- Farewell, or 5 s --&gt; ended
 *       |                                                    |
 *       | Failure from the server; the connection is lost;   |
 *       | a failure of this node was told and echoed         |
 *       v                                                    v
 *   CUT OFF: the connection is closed, only the duty runs -- close() --&gt; ended
 * </pre>
 * <b>Who writes what.</b> In the control file of this node, the cell of a PE of this node is written by its process and
 * only read here; the cell of a PE of another node is written here alone. Of the creator's cell, this thread writes the
 * cause of a failure, by {@link Control#fail}, which allows for others.
 * <p>
 * <b>Ordering.</b> This thread loads a local PE's phase with acquire, and then reads its record; TCP and the one
 * thread of the server keep the order; the bridge there stores the record, and then the phase with release. So who
 * sees a phase there sees what the PE wrote before it announced it. A record is read once before the PE is LISTENING,
 * and once from then on: the PE rewrites it only in between, when all PEs are EXCHANGED, which they cannot be before
 * its record was sent and mirrored everywhere. Phases may be skipped, as they only grow and each implies those before.
 * <p>
 * <b>Failures.</b> A PE that fails reports the failure before it moves to CLOSING; so the failure word is looked at
 * after a phase was loaded and before it is sent, and no state goes out after a failure. The word is looked at in every
 * round, which {@link #flushFailure} and input from the server bring about at once. What the server answers, its own
 * failure or this node's, is the end of the exchange: {@link #settled} is counted down then, or when the connection is
 * closed for whatever reason.
 * <p>
 * <b>Silence.</b> Only time in which this thread ran counts, as in {@link ServerJob}. After a cut of the network TCP
 * tries again later and later, up to as long after its end as it lasted; so in silence a probe asks for a sign of life
 * over a fresh connection, one at a time, on a thread of its own that ends within a second. What it finds out comes to
 * this thread by one volatile word. The answer counts on both sides, but not for longer than {@link
 * ServerJob#MAX_STALL} liveness timeouts: a connection that stands still after that is lost.
 */
final class NodeBridge
{
    private static final long FAST_ROUND_MS = 1;
    private static final long WAITING_ROUND_MS = 5;
    private static final long SLOW_ROUND_MS = 20;
    private static final long FAST_NS = TimeUnit.SECONDS.toNanos(2);
    private static final long LEAVE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(5);
    /** At a global exit there is no more than 800 ms for everything, and files are removed after this. */
    private static final long FLUSH_TIMEOUT_NS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long PROBE_TIMEOUT_NS = TimeUnit.SECONDS.toNanos(1);
    private static final long JOIN_MARGIN_MS = 1_000;
    private static final int NO_PROBE = 0;
    private static final int PROBING = 1;
    private static final int ANSWERED = 2;
    private static final byte[] NO_RECORD = new byte[0];

    private final RendezvousId id;
    private final MessagePipe pipe;
    private final Hello hello;
    private final Welcome server;
    private final Appointment appointment;
    private final Control control;
    private final Runnable duty;
    private final ErrorHandler errorHandler;
    private final ThreadFactory threadFactory;
    private final Thread thread;
    private final boolean[] isLocal;
    private final int[] phases;
    private final PeActivities.Activity[] activities;
    private final boolean[] isRecordSent;
    private final boolean[] isListeningSent;
    private final UnsafeBuffer record = new UnsafeBuffer(new byte[Control.RECORD_CAPACITY]);
    private final CountDownLatch settled = new CountDownLatch(1);
    private volatile boolean isLeaving;
    private volatile int probeState = NO_PROBE;
    private boolean isFailureSent;
    private boolean isLeftSent;
    private boolean isOver;
    private boolean hasLeaveDeadline;
    private long leaveDeadlineNs;
    private long lastChangeNs;
    private long lastBeatNs;
    private long lastRoundNs;
    private long silentNs;
    private long stalledNs;
    private long lastHeardNs;
    private long beats;
    private Throwable lastDutyError;

    NodeBridge(
        final RendezvousId id,
        final MessagePipe pipe,
        final Hello hello,
        final Welcome server,
        final Appointment appointment,
        final Control control,
        final Runnable duty,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        this.id = id;
        this.pipe = pipe;
        this.threadFactory = threadFactory;
        this.hello = hello;
        this.server = server;
        this.appointment = appointment;
        this.control = control;
        this.duty = duty;
        this.errorHandler = errorHandler;
        final int nPes = control.nPes();
        isLocal = new boolean[nPes];
        phases = new int[nPes];
        activities = new PeActivities.Activity[nPes];
        isRecordSent = new boolean[nPes];
        isListeningSent = new boolean[nPes];
        for (final int pe : appointment.nodePes())
        {
            isLocal[pe] = true;
        }
        thread = threadFactory.newThread(this::run);
        thread.setDaemon(true);
        thread.setName("aeroshmem-bridge");
    }

    void start()
    {
        thread.start();
    }

    /**
     * Waits until the server has the failure of this node, if there is one and a server.
     */
    void flushFailure(final long timeoutNs)
    {
        if (!control.isFailed())
        {
            return;
        }

        pipe.selector().wakeup();
        if (Thread.currentThread() == thread)
        {
            return;
        }

        boolean isInterrupted = false;
        final long deadlineNs = System.nanoTime() + timeoutNs;
        while (true)
        {
            try
            {
                settled.await(deadlineNs - System.nanoTime(), TimeUnit.NANOSECONDS);
                break;
            }
            catch (final InterruptedException ex)
            {
                isInterrupted = true;
            }
        }

        if (isInterrupted)
        {
            Thread.currentThread().interrupt();
        }
    }

    /**
     * Leaves the job and ends the thread, see {@link RendezvousClient#close()}.
     */
    void close()
    {
        isLeaving = true;
        pipe.selector().wakeup();
        if (Thread.currentThread() != thread)
        {
            Threads.join(thread, TimeUnit.NANOSECONDS.toMillis(LEAVE_TIMEOUT_NS) + JOIN_MARGIN_MS);
        }
    }

    private void run()
    {
        final long startNs = System.nanoTime();
        lastRoundNs = startNs;
        lastHeardNs = startNs;
        lastChangeNs = startNs;
        lastBeatNs = startNs - ServerJob.BEAT_INTERVAL_NS;
        try
        {
            while (!isOver)
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
            cutOff();
            Threads.closeAll(new IOException("closing"), pipe);
        }
    }

    private void round()
    {
        // Before the phases are looked at: what was announced before close() is seen.
        final boolean isToLeave = isLeaving;
        try
        {
            exchange();
        }
        catch (final IOException ex)
        {
            lost("broke (" + ex.getMessage() + ')');
        }
        catch (final ProtocolViolation ex)
        {
            onViolation(ex);
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
     * Fails the job because of an exception or error of this thread, and ends the exchange. The server gets the reason
     * if that can still be sent, otherwise the end of the connection.
     */
    private void failAfter(final Throwable cause)
    {
        control.fail(control.creatorCell(), new JobFailure(JobFailure.Kind.PE_FAILED, hello.firstPe(), -1,
            hello.who() + " could not keep its node in touch with the others: " + cause));
        try
        {
            if (pipe.connection().isOpen())
            {
                sendFailure();
                pipe.connection().flush();
            }
        }
        catch (final IOException | RuntimeException | Error ex)
        {
            cause.addSuppressed(ex);
        }

        cutOff();
        report(cause);
    }

    private void exchange() throws IOException, ProtocolViolation
    {
        for (byte[] message = pipe.poll(); null != message; message = pipe.poll())
        {
            onMessage(message);
        }

        pipe.selector().select(roundMs());
        pipe.selector().selectedKeys().clear();
        // An interrupt says nothing to this thread, and would let it spin.
        Thread.interrupted();

        final long nowNs = System.nanoTime();
        final long elapsedNs = Math.min(nowNs - lastRoundNs, ServerJob.MAX_COUNTED_NS);
        lastRoundNs = nowNs;
        final Connection connection = pipe.connection();
        if (!connection.isOpen())
        {
            return;
        }

        if (connection.read(this::onMessage) > 0)
        {
            silentNs = 0;
            stalledNs = 0;
            lastHeardNs = nowNs;
        }
        if (ANSWERED == probeState)
        {
            probeState = NO_PROBE;
            silentNs = 0;
            lastHeardNs = nowNs;
        }

        if (!connection.isOpen())
        {
            return;
        }

        if (connection.isEnded())
        {
            lost("ended");
            return;
        }

        sendStates(nowNs);
        sendFailure();
        sendBeat(nowNs);
        connection.flush();
        checkSilence(elapsedNs);
    }

    private void onMessage(final byte[] message) throws ProtocolViolation
    {
        if (!pipe.connection().isOpen())
        {
            return;
        }

        final int templateId = RendezvousMessages.templateOf(message);
        switch (templateId)
        {
            case BeatDecoder.TEMPLATE_ID:
                break;

            case PeStateDecoder.TEMPLATE_ID:
                onPeState(RendezvousMessages.decodePeState(message, control.nPes()));
                break;

            case PeActivityDecoder.TEMPLATE_ID:
                onPeActivity(message);
                break;

            case FailureDecoder.TEMPLATE_ID:
                control.fail(control.creatorCell(), RendezvousMessages.decodeFailure(message, control.nPes()));
                cutOff();
                break;

            case FarewellDecoder.TEMPLATE_ID:
                if (!isLeftSent)
                {
                    throw new ProtocolViolation("a Farewell before this node has left");
                }
                cutOff();
                break;

            default:
                throw new ProtocolViolation("a message with template id " + templateId + ", which is not for a " +
                    "leader that runs");
        }
    }

    private void onPeState(final PeState state) throws ProtocolViolation
    {
        final int pe = state.pe();
        if (isLocal[pe] || state.phase() < phases[pe])
        {
            throw new ProtocolViolation("a PeState of PE " + pe + ' ' + PePhase.name(state.phase()) + ", which is " +
                (isLocal[pe] ? "of this node" : PePhase.name(phases[pe])));
        }

        record.putBytes(0, state.record());
        control.mirror(pe, state.pid(), state.startTime(), state.host(), state.log(), state.phase(), record, 0,
            state.record().length);
        phases[pe] = state.phase();
        lastChangeNs = System.nanoTime();
    }

    private void onPeActivity(final byte[] message) throws ProtocolViolation
    {
        final int pe = RendezvousMessages.peOfActivity(message, control.nPes());
        if (isLocal[pe])
        {
            throw new ProtocolViolation("a PeActivity of PE " + pe + ", which is of this node");
        }

        control.activities().mirror(pe, RendezvousMessages.decodePeActivity(message, System.currentTimeMillis()));
    }

    /**
     * With every beat: a call that is blocked for less does not concern others.
     */
    private void sendActivities() throws IOException
    {
        final long nowMs = System.currentTimeMillis();
        for (final int pe : appointment.nodePes())
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
        for (final int pe : appointment.nodePes())
        {
            final int phase = control.phase(pe);
            if (phase == phases[pe])
            {
                continue;
            }

            // A PE closes after a failure was reported: who hears that it closed must have heard why.
            sendFailure();
            if (isFailureSent)
            {
                return;
            }

            phases[pe] = phase;
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

    private void sendBeat(final long nowNs) throws IOException
    {
        if (nowNs - lastBeatNs >= ServerJob.BEAT_INTERVAL_NS)
        {
            lastBeatNs = nowNs;
            if (!appointment.isSingleNode())
            {
                sendActivities();
            }
            send(RendezvousMessages.beat(++beats));
        }
    }

    private void send(final byte[] frame) throws IOException
    {
        if (!pipe.connection().send(frame))
        {
            throw new IOException("it does not read, " + Connection.MAX_OUTGOING + " bytes wait for it");
        }
    }

    private void checkSilence(final long elapsedNs)
    {
        silentNs += elapsedNs;
        stalledNs += elapsedNs;
        final boolean isStalled = stalledNs >= ServerJob.MAX_STALL * hello.livenessTimeoutNs();
        if (isStalled || silentNs >= hello.livenessTimeoutNs() / 5 * 4)
        {
            lost("gives no sign of life for " + TimeUnit.NANOSECONDS.toMillis(isStalled ? stalledNs : silentNs) +
                " ms (property aeroshmem.liveness.timeout)");
        }
        else if (NO_PROBE == probeState &&
            silentNs >= Math.max(2 * ServerJob.BEAT_INTERVAL_NS, hello.livenessTimeoutNs() / 5))
        {
            probe();
        }
    }

    private void probe()
    {
        probeState = PROBING;
        final Thread prober = threadFactory.newThread(() -> probeState =
            new Handshake(id, hello, "").probe(PROBE_TIMEOUT_NS) ? ANSWERED : NO_PROBE);
        prober.setDaemon(true);
        prober.setName("aeroshmem-probe");
        prober.start();
    }

    /**
     * Without the server the job cannot go on, unless it is about to end, or has failed, anyway. Only jobs that
     * launchers started end with their launcher; others have lost a process, whose PE is not known to all.
     */
    private void lost(final String how)
    {
        if (!isLeftSent && !control.isFailed() && !isClosing())
        {
            final int pe = appointment.serverPe();
            final String log = pe < 0 ? "" : "; log " + control.log(pe);
            control.fail(control.creatorCell(), new JobFailure(
                pe < 0 && hello.isLauncher() ? JobFailure.Kind.LAUNCHER_DIED : JobFailure.Kind.PE_DIED,
                pe,
                -1,
                (pe < 0 ? "the process of the rendezvous" : "PE " + pe) + " (pid " + server.pid() + ", host " +
                server.host() + ") " + (pe >= 0 && control.isEnding(pe) ? "ended without closing" : "died") +
                ": the connection to its rendezvous " + how + "; last heard " +
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - lastHeardNs) + " ms ago" + log));
        }
        cutOff();
    }

    private void onViolation(final ProtocolViolation ex)
    {
        final String message = "the rendezvous (pid " + server.pid() + ", host " + server.host() + ") sent " +
            ex.getMessage();
        control.fail(control.creatorCell(), new JobFailure(JobFailure.Kind.PROTOCOL, -1, -1, message));
        cutOff();
    }

    private boolean isClosing()
    {
        return Arrays.stream(phases).allMatch((phase) -> phase >= PePhase.CLOSING);
    }

    private void leave()
    {
        final long nowNs = System.nanoTime();
        if (!hasLeaveDeadline)
        {
            hasLeaveDeadline = true;
            leaveDeadlineNs = nowNs + (control.isFailed() ? FLUSH_TIMEOUT_NS : LEAVE_TIMEOUT_NS);
        }

        if (!pipe.connection().isOpen() || nowNs - leaveDeadlineNs >= 0)
        {
            isOver = true;
            return;
        }

        if (isLeftSent || control.isFailed())
        {
            return;
        }

        final int busyPe = busyPe();
        if (busyPe < 0)
        {
            isLeftSent = true;
            pipe.connection().send(RendezvousMessages.left());
        }
        else
        {
            control.fail(control.creatorCell(), new JobFailure(JobFailure.Kind.PE_FAILED,
                hello.isLauncher() ? -1 : hello.firstPe(), -1, hello.who() + " left the job while PE " + busyPe +
                " of its node was " + PePhase.name(phases[busyPe])));
            leaveDeadlineNs = nowNs + FLUSH_TIMEOUT_NS;
        }
        pipe.selector().wakeup();
    }

    /**
     * A PE of this node for which the server would not let this node leave; what is not told yet counts as not there.
     */
    private int busyPe()
    {
        for (final int pe : appointment.nodePes())
        {
            if (phases[pe] < PePhase.CLOSING && !appointment.isSingleNode())
            {
                return pe;
            }
        }

        return -1;
    }

    private void cutOff()
    {
        try
        {
            pipe.connection().close();
        }
        catch (final IOException ex)
        {
            report(ex);
        }
        finally
        {
            settled.countDown();
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
            if (isOtherDutyError(ex))
            {
                report(ex);
            }
        }
        catch (final Error ex)
        {
            if (isOtherDutyError(ex))
            {
                failAfter(ex);
            }
        }
    }

    private boolean isOtherDutyError(final Throwable ex)
    {
        final boolean isOther = null == lastDutyError || !ex.toString().equals(lastDutyError.toString());
        lastDutyError = ex;

        return isOther;
    }

    /**
     * A handler that throws must not end this thread, whose silence would be taken for the death of the node.
     */
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

    /**
     * Fast while phases change, slow while the application runs.
     */
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

        return System.nanoTime() - lastChangeNs < FAST_NS ? FAST_ROUND_MS : WAITING_ROUND_MS;
    }
}
