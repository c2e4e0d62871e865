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

import io.aeroshmem.transport.Threads;
import org.agrona.ErrorHandler;

import java.io.IOException;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/**
 * Notices, within a fraction of a second, when another process of the job on this host ends without having left the
 * job: one library thread per process looks at the others' locks every {@value #INTERVAL_MS} ms, and reports what it
 * finds through the control file, so that every wait of every PE ends. It also keeps the heartbeats of this process's
 * PEs.
 * <p>
 * <b>Whom it watches.</b> PEs of other processes that have registered (their pid is there, so their process held its
 * lock by then) and are not CLOSED, and the creator unless it lives in this process. PEs that never registered here,
 * be it that they live on another node (whether mirrored or not) or are yet to come, are not watched: their own node,
 * their launcher and the timeouts of joining care for them.
 * <p>
 * <b>No false alarm.</b> A PE moves to CLOSED (release) before its process releases its lock. A look that finds the
 * lock free therefore reads the phase <em>again</em>: the kernel ordered the release of the lock before the look, so
 * a clean leave shows. The creator does the same with the phase of its own cell.
 * <p>
 * <b>Pauses.</b> With a kill deadline, a process whose heartbeat stands still for so long, while it holds its lock,
 * is killed (same pid and start time), and then found dead like any other; so it cannot wake up later and write into
 * the memory of PEs that have given it up. What counts is time in which this thread itself ran: a round that comes
 * late, because the whole host or this process was paused, counts as little more than one interval, so that all wake
 * up together in peace.
 */
public final class Liveness implements AutoCloseable
{
    /**
     * Time between two looks.
     */
    public static final long INTERVAL_MS = 200;

    private static final long INTERVAL_NS = TimeUnit.MILLISECONDS.toNanos(INTERVAL_MS);
    private static final long MAX_COUNTED_NS = 2 * INTERVAL_NS;
    private static final int MAX_ERRORS = 100;
    private static final long JOIN_TIMEOUT_MS = TimeUnit.SECONDS.toMillis(5);

    private final JobDirectory directory;
    private final Control control;
    private final int[] localPes;
    private final boolean[] isLocal;
    private final boolean isCreator;
    private final int reporter;
    private final long killDeadlineNs;
    private final ErrorHandler errorHandler;
    private final Thread thread;

    private final LockProbe creatorProbe;
    private final Map<String, LockProbe> probeByLockName = new HashMap<>();
    private final LockProbe[] probeByPe;
    private final long[] lastHeartbeat;
    private final long[] silentNs;
    private final boolean[] isKilled;
    private final List<Consumer<JobFailure>> failureListeners = new CopyOnWriteArrayList<>();
    private final List<Watch> watches = new CopyOnWriteArrayList<>();
    private final Set<String> errors = new HashSet<>();
    /** Guarded by this, as the next. */
    private JobFailure suspicion;
    private long suspicionGraceNs;
    private volatile boolean isRunning;

    /**
     * Something else to look at in every round.
     */
    @FunctionalInterface
    public interface Watch
    {
        /**
         * Look once.
         *
         * @param elapsedNs time since the last look in which the thread that looks ran, in nanoseconds.
         * @return what fails the job; null if all is well.
         */
        JobFailure check(long elapsedNs);
    }

    /**
     * A liveness thread that never kills a paused process.
     *
     * @param directory     of the job.
     * @param localPes      the world PEs of this process; may be empty for a creator.
     * @param isCreator     whether this process created the job.
     * @param threadFactory makes the one thread.
     * @param errorHandler  takes what goes wrong in looking; each different one is handed over once.
     */
    public Liveness(
        final JobDirectory directory,
        final int[] localPes,
        final boolean isCreator,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        this(directory, localPes, isCreator, 0, threadFactory, errorHandler);
    }

    /**
     * A liveness thread.
     *
     * @param directory      of the job.
     * @param localPes       the world PEs of this process; may be empty for a creator.
     * @param isCreator      whether this process created the job.
     * @param killDeadlineNs how long the heartbeat of a process may stand still before it is killed, 0 for ever.
     * @param threadFactory  makes the one thread.
     * @param errorHandler   takes what goes wrong in looking; each different one is handed over once.
     */
    public Liveness(
        final JobDirectory directory,
        final int[] localPes,
        final boolean isCreator,
        final long killDeadlineNs,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        if (!isCreator && 0 == localPes.length)
        {
            throw new IllegalArgumentException("a process that neither created the job nor runs a PE: nothing to do");
        }

        if (killDeadlineNs < 0)
        {
            throw new IllegalArgumentException("kill deadline " + killDeadlineNs + " ns: 0 (never) or more");
        }

        this.directory = directory;
        this.control = directory.control();
        this.localPes = localPes.clone();
        this.isCreator = isCreator;
        this.killDeadlineNs = killDeadlineNs;
        this.errorHandler = Objects.requireNonNull(errorHandler, "errorHandler");
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

        this.thread = threadFactory.newThread(this::run);
        thread.setDaemon(true);
        thread.setName("aeroshmem-liveness");
    }

    /**
     * Have a listener told when the job has failed, whoever reported it: once, on the liveness thread, in the round
     * that sees the failure (so within {@value #INTERVAL_MS} ms). One that comes after the failure is told in the
     * next round.
     *
     * @param listener to be told the failure that the job failed with.
     */
    public void onFailure(final Consumer<JobFailure> listener)
    {
        failureListeners.add(listener);
    }

    /**
     * Have something else looked at in every round while the job is well.
     *
     * @param watch looked at on the liveness thread.
     */
    public void watch(final Watch watch)
    {
        watches.add(watch);
    }

    /**
     * Fail the job a little later, unless it has failed by then: what was seen is as a rule but the consequence of
     * something that this thread is about to find, and whose name the failure should bear. The first suspicion stays.
     *
     * @param failure to fail the job with.
     * @param graceNs how long to wait, in nanoseconds in which the thread runs.
     */
    public synchronized void suspect(final JobFailure failure, final long graceNs)
    {
        if (null == suspicion)
        {
            suspicion = failure;
            suspicionGraceNs = graceNs;
        }
    }

    /**
     * Starts the thread.
     */
    public void start()
    {
        isRunning = true;
        thread.start();
    }

    /**
     * Ends the thread and waits for it, a few seconds at most. May be called again, and from the thread itself.
     */
    @Override
    public void close()
    {
        isRunning = false;
        LockSupport.unpark(thread);
        if (Thread.currentThread() == thread)
        {
            return;
        }

        Threads.join(thread, JOIN_TIMEOUT_MS);
    }

    @Override
    public String toString()
    {
        return "Liveness{" + directory + ", localPes=" + Arrays.toString(localPes) + ", isRunning=" + isRunning + '}';
    }

    private void run()
    {
        long lastNs = System.nanoTime();
        while (isRunning)
        {
            final long nowNs = System.nanoTime();
            try
            {
                round(Math.min(nowNs - lastNs, MAX_COUNTED_NS));
            }
            catch (final RuntimeException ex)
            {
                onError(ex);
            }
            catch (final Error ex)
            {
                fail(new JobFailure(JobFailure.Kind.PE_FAILED, localPe(), -1, reporterName() +
                    " cannot watch the other processes of the job any more: " + ex));
                throw ex;
            }

            lastNs = nowNs;
            LockSupport.parkNanos(this, INTERVAL_NS);
        }

        closeProbes();
    }

    private void round(final long elapsedNs)
    {
        beat();
        if (!control.isFailed())
        {
            checkOthers(elapsedNs);
        }

        if (control.isFailed())
        {
            tellFailure();
        }
    }

    /**
     * What goes wrong in looking at one does not keep this thread from looking at the next.
     */
    private void checkOthers(final long elapsedNs)
    {
        try
        {
            checkCreator();
        }
        catch (final IOException | RuntimeException ex)
        {
            onError(ex);
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
                onError(ex);
            }
        }

        for (final Watch watch : watches)
        {
            fail(watch.check(elapsedNs));
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

    private void tellFailure()
    {
        final JobFailure failure = control.failure();
        while (!failureListeners.isEmpty())
        {
            failureListeners.remove(0).accept(failure);
        }
    }

    private void beat()
    {
        final long nowMs = System.currentTimeMillis();
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
        return 0 != control.pid(pe) && !control.isMirrored(pe) && PePhase.CLOSED != control.phase(pe);
    }

    private void checkPe(final int pe, final long elapsedNs) throws IOException
    {
        final LockProbe probe = probe(pe);
        if (probe.isHeld())
        {
            if (killDeadlineNs > 0)
            {
                checkHeartbeat(pe, elapsedNs);
            }

            return;
        }

        if (isWatched(pe))
        {
            reportDeath(pe, lockLost(probe, PePhase.name(control.phase(pe))) +
                (isKilled[pe] ? "; it had been silent and was killed by " + reporterName() : ""));
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
        if (silentNs[pe] < killDeadlineNs || isKilled[pe])
        {
            return;
        }

        if (new ProcessIdentity(control.pid(pe), control.startTime(pe)).kill())
        {
            isKilled[pe] = true;
            return;
        }

        reportDeath(pe, "it gave no sign of life for " + TimeUnit.NANOSECONDS.toMillis(silentNs[pe]) +
            " ms (aeroshmem.liveness.timeout sets the bound), and cannot be killed from here");
    }

    private void reportDeath(final int pe, final String how)
    {
        control.fail(reporter, JobFailure.peDied(control, pe, -1, how));
    }

    private String lockLost(final LockProbe probe, final String state)
    {
        return "its lock " + probe.path.getFileName() + " was released while it was " + state + ", noticed by " +
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
                throw new IllegalStateException("PE " + pe + " registered with the lock '" + name +
                    "': the control file is damaged");
            }

            probe = probeByLockName.computeIfAbsent(name, (key) -> new LockProbe(directory.path().resolve(key)));
            probeByPe[pe] = probe;
        }

        return probe;
    }

    private void onError(final Exception ex)
    {
        if (errors.size() < MAX_ERRORS && errors.add(ex.toString()))
        {
            report(ex);
        }
    }

    /**
     * A handler that throws must not end this thread: without its heartbeat the process is killed.
     */
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
