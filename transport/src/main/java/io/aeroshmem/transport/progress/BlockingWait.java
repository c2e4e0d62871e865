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
package io.aeroshmem.transport.progress;

import io.aeroshmem.transport.Pause;
import io.aeroshmem.transport.PerThread;
import io.aeroshmem.transport.flight.FlightRecording;
import io.aeroshmem.transport.flight.WaitSpan;
import io.aeroshmem.transport.job.ControlFile;
import io.aeroshmem.transport.job.PeActivities;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.IdleStrategy;

import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;

/**
 * Wait of a blocked caller. Each call of {@code idle} is one polling round, which drives progress and checks whether
 * the job has failed. Every 64th round also checks the interrupt flag and the deadline. After {@value #SPINS} rounds
 * the idle strategy decides how the caller backs off. The default strategy depends on the number of processors.
 * <pre>
 * int round = 0;
 * while (!condition)
 * {
 *     round = blockingWait.idle(round, deadlineNs, "barrier");
 * }
 * blockingWait.reset(round);
 * </pre>
 * The state of a wait is its round number, a local variable of the caller. So any number of threads may wait at once,
 * and nothing is allocated, except in two cases: each thread that waits for more than {@value #SPINS} rounds gets an
 * object with its idle strategy, once, and a long wait gets an event if a flight recording has enabled it.
 */
public final class BlockingWait
{
    /** Deadline that never expires. */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /** Rounds in which the caller only spins, about a microsecond. */
    static final int SPINS = 32;

    private static final int CLOCK_MASK = 63;
    /** After these rounds a wait is published and checked for the first time. */
    private static final int CHECK_ROUNDS = 1024;
    /** Then more often: callers that park in each round must do it several times a second. */
    private static final int CHECK_MASK = 255;
    private static final int FINAL_POLL = -1;
    private static final LongBinaryOperator LATER = (last, now) -> Math.max(last + 1, now);

    private final ControlFile control;
    /** Of the control file, one load nearer. */
    private long failureWordAddress;
    private final int pe;
    private final Progress progress;
    private final Progress others;
    private final ExceptionFactory exceptions;
    private final long operationTimeoutNs;
    private final Supplier<IdleStrategy> idleStrategySupplier;
    private final Pause pause;
    private final int spins;
    /** Distinguishes one published call from the next. */
    private final AtomicLong lastSinceMs = new AtomicLong();
    private final PerThread<BlockedThread> blockedThread = new PerThread<>(this::newBlockedThread);
    private Progress requests = Progress.NONE;
    private BooleanSupplier isWithoutRequests = () -> true;
    private volatile boolean isClosed;

    /**
     * State of a thread that is or was blocked: its idle strategy, the call that it publishes, and the event of its
     * wait.
     */
    private static final class BlockedThread
    {
        private final IdleStrategy idleStrategy;
        /** Null outside a call, or in one of which only the name is published. */
        private BlockedCall call;
        /** Event of the current wait, null for none; and what that waits for. */
        private WaitSpan span;
        private BlockedCall spanCall;
        private String spanName;
        private String spanPlace;
        private long sinceMs;
        private volatile long seenMs;
        private boolean isUnlimited;

        BlockedThread(final IdleStrategy idleStrategy)
        {
            this.idleStrategy = idleStrategy;
        }
    }

    /**
     * @param control              control file, in which a failure of the job appears and blocked calls are published.
     * @param progress             driven by a blocked thread.
     * @param others               progress of other PEs that only this thread drives, polled after {@value #SPINS}
     *                             rounds; does nothing on other threads.
     * @param operationTimeoutNs   limit of a blocking call; 0 for none.
     * @param idleStrategySupplier called once per blocked thread.
     * @param pause                of the process.
     */
    public BlockingWait(
        final ControlFile control,
        final int pe,
        final Progress progress,
        final Progress others,
        final ExceptionFactory exceptions,
        final long operationTimeoutNs,
        final Supplier<IdleStrategy> idleStrategySupplier,
        final Pause pause)
    {
        this.control = control;
        failureWordAddress = control.failureWordAddress();
        this.pe = pe;
        this.progress = progress;
        this.others = others;
        this.exceptions = exceptions;
        this.operationTimeoutNs = operationTimeoutNs;
        this.idleStrategySupplier = idleStrategySupplier;
        this.pause = pause;
        spins = pause.polls(SPINS);
    }

    /**
     * Adds the progress of nonblocking requests, which blocked threads drive too. Called once, before any thread waits.
     *
     * @param isIdle whether no request is under way.
     */
    public void requests(final Progress progress, final BooleanSupplier isIdle)
    {
        requests = progress;
        isWithoutRequests = isIdle;
    }

    /** Returns whether this PE has nonblocking requests under way. */
    public boolean hasRequests()
    {
        return !isWithoutRequests.getAsBoolean();
    }

    /** Returns the clocks and pauses of the process. */
    public Pause pause()
    {
        return pause;
    }

    /**
     * Returns the deadline of a blocking call that starts now and obeys the operation timeout: a time on the clock of
     * {@link Pause#nanoTime()}, or {@link #NO_DEADLINE}.
     */
    public long operationDeadline()
    {
        return operationTimeoutNs > 0 ? deadlineIn(operationTimeoutNs) : NO_DEADLINE;
    }

    /** Returns the deadline of a call that starts now, on the clock of {@link Pause#nanoTime()}. */
    public long deadlineIn(final long timeoutNs)
    {
        final long deadlineNs = pause.nanoTime() + timeoutNs;
        return NO_DEADLINE == deadlineNs ? NO_DEADLINE - 1 : deadlineNs;
    }

    /**
     * Runs one round of waiting. When the job has failed, the caller polls its condition once more before the next call
     * throws.
     *
     * @param round    0 at first, then the last return value.
     * @param callName name of the call in an exception.
     * @return the next round.
     * @throws IllegalStateException if another thread has closed the PE.
     */
    public int idle(final int round, final long deadlineNs, final String callName)
    {
        return idle(round, deadlineNs, callName, null);
    }

    /**
     * Runs one round of waiting as {@link #idle(int, long, String)}, in a call of which more than its name is
     * published.
     */
    public int idle(final int round, final long deadlineNs, final BlockedCall call)
    {
        return idle(round, deadlineNs, null, call);
    }

    /**
     * Returns true after {@value #CHECK_ROUNDS} rounds, and then every {@value #CHECK_MASK} + 1, when the caller is to
     * check whether its condition can still become true. The call was published in the round before.
     */
    public static boolean isCheckDue(final int round)
    {
        return round >= CHECK_ROUNDS && 0 == (round & CHECK_MASK);
    }

    private int idle(final int round, final long deadlineNs, final String callName, final BlockedCall call)
    {
        final int workCount = progress.poll() + requests.poll();
        if (control.isFailed())
        {
            return onFailure(round);
        }

        if (CLOCK_MASK == (round & CLOCK_MASK))
        {
            checkThreadAndClock(round, deadlineNs, callName, call);
        }

        if (round < spins)
        {
            if (Progress.NONE == progress)
            {
                pause.spin();
            }
        }
        else
        {
            final int otherWork = others.pollNested();
            blockedThread.get().idleStrategy.idle(spins == round ? 1 : workCount + otherWork);
        }

        // a wait of so many rounds is published: it does not pass the round of its first publication again
        return Integer.MAX_VALUE == round ? CHECK_ROUNDS : round + 1;
    }

    /**
     * Ends the publication of a wait whose condition has become true.
     *
     * @param round last return value of {@code idle}, which was passed a name.
     */
    public void reset(final int round)
    {
        reset(round, null);
    }

    /**
     * Ends the publication of a wait in a call, as {@link #reset(int)} does.
     *
     * @param call as passed to {@code idle}; null for none.
     */
    public void reset(final int round, final BlockedCall call)
    {
        if (round > CLOCK_MASK)
        {
            endLongWait(round, call);
        }
    }

    private void endLongWait(final int round, final BlockedCall call)
    {
        if (FlightRecording.isWaitEnabled())
        {
            endSpan(call);
        }

        if (round >= CHECK_ROUNDS && blockedThread.get().call == call)
        {
            endActivity();
        }
    }

    /** Begins an event, unless this wait is part of one that has an event. */
    private void beginSpan(final String callName, final BlockedCall call)
    {
        final BlockedThread thread = blockedThread.get();
        if (null == thread.span)
        {
            thread.span = FlightRecording.beginWait();
            thread.spanCall = call;
            thread.spanName = null == call ? callName : call.name();
            thread.spanPlace = null == call ? "" : call.place();
        }
    }

    private void endSpan(final BlockedCall call)
    {
        final BlockedThread thread = blockedThread.get();
        final WaitSpan span = thread.span;
        if (null != span && thread.spanCall == call)
        {
            thread.span = null;
            span.end(pe, thread.spanName, thread.spanPlace);
        }
    }

    /** Ends the call that this thread publishes, if any: what is published may be the call of another thread. */
    private void endActivity()
    {
        final BlockedThread thread = blockedThread.get();
        thread.call = null;
        thread.span = null;
        if (0 != thread.seenMs)
        {
            thread.seenMs = 0;
            control.activities().end(pe, pause.time());
        }
    }

    /** Returns true if the deadline has expired, for a wait that ends with a result and not with an exception. */
    public boolean isPast(final int round, final long deadlineNs)
    {
        return 0 == (round & 15) && isPast(deadlineNs);
    }

    /** Returns true if the deadline has expired. */
    public boolean isPast(final long deadlineNs)
    {
        return NO_DEADLINE != deadlineNs && pause.nanoTime() - deadlineNs >= 0;
    }

    /**
     * Begins a part of a call of this thread whose result must not be lost. Until {@link #endUnlimited} only the
     * failure of the job and the close of the PE end its waits; an interrupt is left to the next wait.
     */
    public void beginUnlimited()
    {
        blockedThread.get().isUnlimited = true;
    }

    /** Ends what {@link #beginUnlimited} began. */
    public void endUnlimited()
    {
        blockedThread.get().isUnlimited = false;
    }

    /**
     * Throws if the job has failed. For calls that need not wait. An opaque load suffices: they read no memory because
     * of it.
     */
    public void checkFailure()
    {
        if (0 != UnsafeApi.getLongOpaque(null, failureWordAddress))
        {
            throw exceptions.failure(control.failure());
        }
    }

    /** Returns a new exception for the failure of the job. */
    public RuntimeException failure()
    {
        return exceptions.failure(control.failure());
    }

    /**
     * What a PE stored before it failed is visible to those that see the failure. The caller therefore polls its
     * condition once more, and a satisfied wait ends without an exception.
     */
    private int onFailure(final int round)
    {
        if (FINAL_POLL == round)
        {
            throw exceptions.failure(control.failure());
        }

        return FINAL_POLL;
    }

    /** Follows the failure word of a control file that has been unmapped. No thread is in a call. */
    public void onUnmapped()
    {
        failureWordAddress = control.failureWordAddress();
    }

    /** Closes the PE: its memory receives no more stores or replies. Calls in which other threads are blocked end. */
    public void close()
    {
        isClosed = true;
    }

    private void checkThreadAndClock(
        final int round, final long deadlineNs, final String callName, final BlockedCall call)
    {
        if (CLOCK_MASK == round && FlightRecording.isWaitEnabled())
        {
            beginSpan(callName, call);
        }

        if (isCheckDue(round + 1))
        {
            publish(CHECK_ROUNDS == round + 1, callName, call);
        }

        if (isClosed)
        {
            throw new IllegalStateException("the PE was closed by another thread during " + name(callName, call));
        }

        if (blockedThread.get().isUnlimited)
        {
            return;
        }

        if (Thread.currentThread().isInterrupted() && !requests.isInPoll())
        {
            endActivity();
            throw exceptions.interrupted(name(callName, call));
        }

        if (isPast(deadlineNs))
        {
            publish(round < CHECK_ROUNDS - 1, callName, call);
            final String explanation = explanation(call);
            endActivity();
            throw exceptions.timeout(name(callName, call), operationTimeoutNs, explanation);
        }
    }

    /**
     * Publishes the call that blocks this thread to other PEs and the launcher. A call that waits by repeating other
     * calls, which block in turn, stays published under its own name. Allocates nothing.
     */
    private void publish(final boolean isFirst, final String callName, final BlockedCall call)
    {
        final long nowMs = pause.time();
        final BlockedThread thread = blockedThread.get();
        final boolean isNested = null == call && null != thread.call;
        if (isFirst && !isNested)
        {
            thread.call = call;
            thread.sinceMs = lastSinceMs.accumulateAndGet(nowMs, LATER);
        }

        thread.seenMs = nowMs;
        final BlockedCall outer = thread.call;
        if (null == outer)
        {
            control.activities().publish(pe, callName, "", 0, 0, 0, thread.sinceMs, nowMs);
        }
        else
        {
            control.activities().publish(
                pe,
                outer.name(),
                outer.place(),
                outer.team(),
                outer.number(),
                outer.signature(),
                thread.sinceMs,
                nowMs);
        }
    }

    private BlockedThread newBlockedThread()
    {
        return new BlockedThread(idleStrategySupplier.get());
    }

    /** Returns true if a thread of this process is blocked in a call of this PE, and has polled recently. */
    public boolean isBlocked(final Thread thread, final long nowMs)
    {
        final BlockedThread blocked = blockedThread.of(thread);
        return null != blocked && nowMs - blocked.seenMs < PeActivities.FRESH_MS;
    }

    private String explanation(final BlockedCall call)
    {
        final String missing = null == call ? "" : call.missing();
        return (missing.isEmpty() ? "" : ", waiting for " + missing) + ". The PEs are:\n" + control.describeAll();
    }

    private static String name(final String callName, final BlockedCall call)
    {
        return null == call ? callName : call.name() + call.place();
    }
}
