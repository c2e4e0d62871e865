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
package io.aeroshmem.transport.job;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.RateLimitedErrorHandler;
import io.aeroshmem.transport.Threads;
import org.agrona.ErrorHandler;

import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.function.LongPredicate;

/**
 * Failure detector of one process: it detects, within a fraction of a second, that another process of the job on this
 * host has ended without leaving the job. A library thread polls the locks of the other processes every
 * {@value #INTERVAL_MS} ms. It reports a death through the control file, so that every wait of every PE ends. It also
 * writes the heartbeats of this process's PEs.
 */
public final class Liveness implements AutoCloseable
{
    /** Interval between polls in milliseconds. */
    public static final long INTERVAL_MS = 200;

    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS);
    private static final long MAX_COUNTED_NS = 2 * INTERVAL_NS;
    /** Silence of a PE after which its process may be ending, although it holds its lock. */
    private static final long EXIT_CHECK_NS = 2 * INTERVAL_NS;
    /** Time after SIGKILL in which a process ends, unless it waits for a device, or is frozen. */
    private static final long UNKILLED_NS = TimeUnit.SECONDS.toNanos(10);
    private static final long JOIN_TIMEOUT_MS = TimeUnit.SECONDS.toMillis(5);

    /*
     * Scope. The thread monitors the creator, the process that created the job's directory, unless this process is the
     * creator. It also monitors the PEs of other processes that have registered in this node's control file and are not
     * CLOSED. (A PE is registered when its process has written its pid to the PE's cell of the control file. The
     * process acquires its own lock before that.) A PE that has not registered here has not joined yet, or lives on
     * another node and has a cell that ControlFile.mirror writes. Such PEs are left to their own node, their launcher
     * and the join timeouts.
     *
     * No false alarm. A PE enters the phase CLOSED, by a store with release, before its process releases its lock. A
     * poll that finds the lock free therefore reads the phase again. The kernel orders the release of the lock before
     * the poll, so the poll sees the phase CLOSED of an orderly leave. Likewise, the creator sets the phase in its own
     * cell of the control file to CLOSED before it releases its lock, job.lock.
     *
     * Slow ends. The kernel releases the lock of a killed process only after it has freed the memory of the process,
     * which may take seconds. So a PE whose heartbeat has stopped also counts as dead if no thread of its process will
     * run again (ProcessProbe.isExiting). This check raises no false alarm either: in an orderly leave, the store of
     * the phase CLOSED precedes the end of the threads too.
     *
     * Pauses. If a process holds its lock, but a heartbeat of its PEs stops for longer than the kill deadline (1.2
     * times the property aeroshmem.liveness.timeout), this thread kills the process. A later poll finds the lock of
     * that process free, and reports the death like any other. So the process cannot resume later and write into the
     * memory of PEs that consider it dead. If this thread cannot kill the process, it reports the process dead when the
     * deadline expires. If the process has not ended a while after it was killed, it is reported too: it runs no
     * instruction of its program again.
     *
     * Only time in which this thread ran counts towards the deadline. A round that is late, because the host or this
     * process was paused, counts as two intervals at most. So after a common pause all processes continue.
     *
     * Pid namespaces. The pid of a process in another namespace may denote another process here: this one, another PE,
     * or a program that has no part in the job. None of them is killed. This thread kills a process only if it has the
     * registered pid and start time, has mapped the control file, and is neither this process nor the process of
     * another PE.
     */
    private final JobDirectory directory;
    private final ControlFile control;
    private final Path controlPath;
    private final int[] localPes;
    private final boolean[] isLocal;
    private final boolean isCreator;
    private final int reporter;
    private final long killDeadlineNs;
    private final ErrorHandler errorHandler;
    private final Pause pause;
    private final LongPredicate isExiting;
    private final Thread thread;

    private final LockProbe creatorProbe;
    private final Map<String, LockProbe> probeByLockName = new HashMap<>();
    private final LockProbe[] probeByPe;
    private final long[] lastHeartbeat;
    private final long[] silentNs;
    private final boolean[] isKilled;
    private final List<Consumer<JobFailure>> failureListeners = new CopyOnWriteArrayList<>();
    private final List<Watch> watches = new CopyOnWriteArrayList<>();
    /** Guarded by this, like the next field. */
    private JobFailure suspicion;
    private long suspicionGraceNs;
    private long lastPollNs;
    private volatile boolean isRunning;

    /** A further check in every round of the liveness thread. */
    @FunctionalInterface
    public interface Watch
    {
        /**
         * Checks once. Returns what fails the job, or null; {@code elapsedNs} is the time since the previous check in
         * which the liveness thread ran.
         */
        JobFailure check(long elapsedNs);
    }

    /**
     * Creates the thread.
     *
     * @param directory      of the job.
     * @param localPes       the world PEs of this process; may be empty for a creator.
     * @param isCreator      whether this process created the job.
     * @param killDeadlineNs age of a heartbeat at which its process is killed; 0 disables it.
     * @param threadFactory  makes the one thread.
     * @param errorHandler   receives the errors of polling, see {@link RateLimitedErrorHandler}.
     * @param pause          of the process.
     */
    public Liveness(
        final JobDirectory directory,
        final int[] localPes,
        final boolean isCreator,
        final long killDeadlineNs,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler,
        final Pause pause)
    {
        this(
            directory,
            localPes,
            isCreator,
            killDeadlineNs,
            threadFactory,
            errorHandler,
            pause,
            ProcessProbe::isExiting);
    }

    Liveness(
        final JobDirectory directory,
        final int[] localPes,
        final boolean isCreator,
        final long killDeadlineNs,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler,
        final Pause pause,
        final LongPredicate isExiting)
    {
        if (!isCreator && 0 == localPes.length)
        {
            throw new IllegalArgumentException("localPes must not be empty unless the process created the job");
        }

        if (killDeadlineNs < 0)
        {
            throw new IllegalArgumentException("killDeadlineNs must be >= 0 (0 disables it): killDeadlineNs=" +
                killDeadlineNs);
        }

        this.directory = directory;
        this.control = directory.control();
        this.controlPath = directory.path().resolve(JobDirectory.CONTROL);
        this.localPes = localPes.clone();
        this.isCreator = isCreator;
        this.killDeadlineNs = killDeadlineNs;
        this.errorHandler = new RateLimitedErrorHandler(
            Objects.requireNonNull(errorHandler, "errorHandler"), pause);
        this.pause = pause;
        this.isExiting = isExiting;
        this.reporter = 0 == localPes.length ? control.creatorCell() : localPes[0];
        this.creatorProbe = new LockProbe(directory.path().resolve(JobDirectory.JOB_LOCK));

        final int nPes = control.nPes();
        this.isLocal = new boolean[nPes];
        this.probeByPe = new LockProbe[nPes];
        this.lastHeartbeat = new long[nPes];
        this.silentNs = new long[nPes];
        this.isKilled = new boolean[nPes];
        for (final int pe : this.localPes)
        {
            isLocal[pe] = true;
        }

        this.thread = Threads.daemon(threadFactory.newThread(this::run));
        thread.setName("aeroshmem-liveness");
    }

    /**
     * Registers a listener that is notified once of the failure of the job, from any reporter: on the liveness
     * thread, in the round that detects it (within {@value #INTERVAL_MS} ms), or in the next round if it is registered
     * later.
     */
    public void onFailure(final Consumer<JobFailure> listener)
    {
        failureListeners.add(listener);
    }

    /** Adds a check that runs on the liveness thread in every round while the job is healthy. */
    public void watch(final Watch watch)
    {
        watches.add(watch);
    }

    /**
     * Fails the job after a grace period, in nanoseconds in which the thread runs, unless it has failed by then: an
     * observation that is usually the consequence of a failure which this thread is about to detect and whose cause
     * should be reported. The first suspicion is kept.
     */
    public synchronized void suspect(final JobFailure failure, final long graceNs)
    {
        if (null == suspicion)
        {
            suspicion = failure;
            suspicionGraceNs = graceNs;
        }
    }

    public void start()
    {
        isRunning = true;
        lastPollNs = pause.nanoTime();
        thread.start();
    }

    /** Ends the thread and waits up to a few seconds for it. Idempotent; may be called from the thread itself. */
    @Override
    public void close()
    {
        isRunning = false;
        pause.unpark(thread);
        if (Thread.currentThread() == thread)
        {
            return;
        }

        pause.join(thread, JOIN_TIMEOUT_MS);
    }

    @Override
    public String toString()
    {
        return "Liveness{" + directory + ", localPes=" + Arrays.toString(localPes) + ", isRunning=" + isRunning + '}';
    }

    private void run()
    {
        while (isRunning)
        {
            poll();
            pause.park(this, INTERVAL_NS);
        }

        closeProbes();
    }

    /** Runs one round. */
    void poll()
    {
        final long nowNs = pause.nanoTime();
        try
        {
            round(Math.min(nowNs - lastPollNs, MAX_COUNTED_NS));
        }
        catch (final RuntimeException ex)
        {
            report(ex);
        }
        catch (final Error ex)
        {
            fail(new JobFailure(JobFailure.Kind.PE_FAILED, localPe(), -1, reporterName() +
                " cannot monitor the other processes of the job: " + ex));
            throw ex;
        }

        lastPollNs = nowNs;
    }

    private void round(final long elapsedNs)
    {
        updateHeartbeats();
        if (!control.isFailed())
        {
            checkOthers(elapsedNs);
        }

        if (control.isFailed())
        {
            notifyListeners();
        }
    }

    /** An exception in one check does not prevent the next. */
    private void checkOthers(final long elapsedNs)
    {
        try
        {
            checkCreator();
        }
        catch (final IOException | RuntimeException ex)
        {
            report(ex);
        }

        for (int pe = 0; pe < isLocal.length; pe++)
        {
            try
            {
                if (!isLocal[pe] && isWatched(pe))
                {
                    checkPe(pe, elapsedNs);
                }
            }
            catch (final IOException | RuntimeException ex)
            {
                report(ex);
            }
        }

        for (final Watch watch : watches)
        {
            try
            {
                fail(watch.check(elapsedNs));
            }
            catch (final RuntimeException ex)
            {
                report(ex);
            }
        }

        fail(overdueSuspicion(elapsedNs));
    }

    private void fail(final JobFailure failure)
    {
        if (null != failure)
        {
            control.fail(reporter, failure);
        }
    }

    private synchronized JobFailure overdueSuspicion(final long elapsedNs)
    {
        suspicionGraceNs -= null == suspicion ? 0 : elapsedNs;
        return suspicionGraceNs > 0 ? null : suspicion;
    }

    private void notifyListeners()
    {
        final JobFailure failure = control.failure();
        while (!failureListeners.isEmpty())
        {
            failureListeners.remove(0).accept(failure);
        }
    }

    private void updateHeartbeats()
    {
        final long nowMs = pause.time();
        for (final int pe : localPes)
        {
            control.heartbeat(pe, nowMs);
        }

        if (isCreator)
        {
            control.heartbeat(control.creatorCell(), nowMs);
        }
    }

    private void checkCreator() throws IOException
    {
        if (isCreator || isCreatorClosed() || creatorProbe.isHeld() || isCreatorClosed())
        {
            return;
        }

        final int creatorPe = control.creatorPe();
        if (creatorPe >= 0)
        {
            reportDeath(creatorPe, lockLost(creatorProbe, "held"));
            return;
        }

        control.fail(reporter, new JobFailure(
            JobFailure.Kind.LAUNCHER_DIED,
            -1,
            -1,
            "the creator of the job (pid " + control.creatorPid() + ", host " + HostName.local() + ") died: " +
            lockLost(creatorProbe, "held")));
    }

    private boolean isCreatorClosed()
    {
        return PePhase.CLOSED == control.phase(control.creatorCell());
    }

    private boolean isWatched(final int pe)
    {
        return 0 != control.pid(pe) && !control.isMirrored(pe) && !PePhase.hasLeft(control.phase(pe));
    }

    private void checkPe(final int pe, final long elapsedNs) throws IOException
    {
        final LockProbe probe = probe(pe);
        if (!probe.isHeld())
        {
            reportEnd(pe, lockLost(probe, PePhase.name(control.phase(pe))));
            return;
        }

        checkHeartbeat(pe, elapsedNs);
    }

    private void reportEnd(final int pe, final String how)
    {
        if (isWatched(pe))
        {
            reportDeath(pe, how + (isKilled[pe] ? "; it was silent and was killed by " + reporterName() : ""));
        }
    }

    private void checkHeartbeat(final int pe, final long elapsedNs)
    {
        final long heartbeat = control.heartbeat(pe);
        if (heartbeat != lastHeartbeat[pe])
        {
            lastHeartbeat[pe] = heartbeat;
            silentNs[pe] = 0;
            return;
        }

        silentNs[pe] += elapsedNs;
        if (silentNs[pe] >= EXIT_CHECK_NS && isExiting(pe))
        {
            reportEnd(pe, "its threads have ended while it was " + PePhase.name(control.phase(pe)) + ", detected by " +
                reporterName() + "; the kernel has not yet released " + control.lockName(pe));
            return;
        }

        if (0 == killDeadlineNs || silentNs[pe] < killDeadlineNs)
        {
            return;
        }

        if (isKilled[pe])
        {
            if (silentNs[pe] >= killDeadlineNs + UNKILLED_NS)
            {
                reportEnd(pe, "it has not ended within " + TimeUnit.NANOSECONDS.toMillis(UNKILLED_NS) +
                    " ms after SIGKILL");
            }

            return;
        }

        if (kill(pe))
        {
            isKilled[pe] = true;
            return;
        }

        reportDeath(pe, "its heartbeat stood still for " + TimeUnit.NANOSECONDS.toMillis(silentNs[pe]) +
            " ms (aeroshmem.liveness.timeout), and it cannot be killed from this process");
    }

    private boolean kill(final int pe)
    {
        final long pid = control.pid(pe);
        try
        {
            return !isPidOfAnother(pe) && null != ProcessProbe.ofMapping(pid, controlPath) &&
                new ProcessIdentity(pid, control.startTime(pe)).kill();
        }
        catch (final RuntimeException ex)
        {
            report(ex);
            return false;
        }
    }

    /** Returns whether the process that has the registered pid and start time of a PE is ending. */
    private boolean isExiting(final int pe)
    {
        final long pid = control.pid(pe);
        return !isPidOfAnother(pe) && isExiting.test(pid) &&
            new ProcessIdentity(pid, control.startTime(pe)).isAlive();
    }

    /** Returns whether another process of the job on this host has registered with the pid of a PE. */
    private boolean isPidOfAnother(final int pe)
    {
        final long pid = control.pid(pe);
        final String lockName = control.lockName(pe);
        for (int other = 0; other < isLocal.length; other++)
        {
            if (pid == control.pid(other) && !control.isMirrored(other) && !lockName.equals(control.lockName(other)))
            {
                return true;
            }
        }

        return false;
    }

    private void reportDeath(final int pe, final String how)
    {
        control.fail(reporter, JobFailure.peDied(control, pe, -1, how));
    }

    private String lockLost(final LockProbe probe, final String state)
    {
        return "its lock " + probe.path.getFileName() + " was released while it was " + state + ", detected by " +
            reporterName();
    }

    private String reporterName()
    {
        return 0 == localPes.length ? "the creator" : "PE " + reporter;
    }

    private int localPe()
    {
        return 0 == localPes.length ? -1 : reporter;
    }

    private LockProbe probe(final int pe)
    {
        LockProbe probe = probeByPe[pe];
        if (null == probe)
        {
            final String name = control.lockName(pe);
            if (!JobDirectory.isProcessLock(name))
            {
                throw new IllegalStateException("lock name of PE " + pe + " must be proc-<id>.lock: '" + name +
                    "'; the control file is damaged");
            }

            probe = probeByLockName.computeIfAbsent(name, (key) -> new LockProbe(directory.path().resolve(key)));
            probeByPe[pe] = probe;
        }

        return probe;
    }

    /** An error handler that throws must not end this thread: without its heartbeat the process is killed. */
    private void report(final Exception ex)
    {
        try
        {
            errorHandler.onError(ex);
        }
        catch (final RuntimeException thrown)
        {
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }

    private void closeProbes()
    {
        closeProbe(creatorProbe);
        for (final LockProbe probe : probeByLockName.values())
        {
            closeProbe(probe);
        }
    }

    private void closeProbe(final LockProbe probe)
    {
        try
        {
            probe.close();
        }
        catch (final IOException ex)
        {
            report(ex);
        }
    }
}
