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
package io.aeroshmem.transport;

import io.aeroshmem.transport.job.Control;
import io.aeroshmem.transport.job.PeActivities;
import org.agrona.concurrent.IdleStrategy;

import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.LongBinaryOperator;
import java.util.function.Supplier;

/**
 * What a blocked caller does between two looks at its condition: it drives progress, watches the failure word, its
 * interrupt flag and its deadline, and backs off when the host has fewer processors than busy threads.
 * <pre>
 * int round = 0;
 * while (!condition)
 * {
 *     round = waiting.idle(round, deadlineNs, "barrier");
 * }
 * waiting.end(round);
 * </pre>
 * It keeps no state for the caller, whose round number is a local variable of its own, so that any number of threads
 * may wait at once and nothing is allocated. The one exception is an object per thread, with its idle strategy, made
 * after {@value #SPINS} rounds.
 */
public final class Waiting
{
    /**
     * A deadline that never comes.
     */
    public static final long NO_DEADLINE = Long.MAX_VALUE;

    /**
     * Rounds in which the caller only spins, about a microsecond.
     */
    static final int SPINS = 32;

    private static final int CLOCK_MASK = 63;
    private static final int CHECK_MASK = 1023;
    private static final int LAST_LOOK = -1;
    private static final LongBinaryOperator LATER = (last, now) -> Math.max(last + 1, now);

    private final Control control;
    private final int pe;
    private final Progress progress;
    private final ExceptionFactory exceptions;
    private final long operationTimeoutNs;
    private final Supplier<IdleStrategy> idleStrategySupplier;
    /** Tells one call that is published from the next. */
    private final AtomicLong lastSinceMs = new AtomicLong();
    private final List<BlockedThread> blockedThreads = new CopyOnWriteArrayList<>();
    private final ThreadLocal<BlockedThread> blockedThread = ThreadLocal.withInitial(this::newBlockedThread);
    private volatile boolean isClosed;

    /**
     * A thread that is or was blocked for more than a moment.
     */
    private static final class BlockedThread
    {
        private final WeakReference<Thread> thread = new WeakReference<>(Thread.currentThread());
        private final IdleStrategy idleStrategy;
        /** Null while it is in none, or in one that has just a name. */
        private BlockedCall call;
        private long sinceMs;
        private volatile long seenMs;

        BlockedThread(final IdleStrategy idleStrategy)
        {
            this.idleStrategy = idleStrategy;
        }

        boolean isDead()
        {
            final Thread thread = this.thread.get();
            return null == thread || !thread.isAlive();
        }
    }

    Waiting(
        final Control control,
        final int pe,
        final Progress progress,
        final ExceptionFactory exceptions,
        final long operationTimeoutNs,
        final Supplier<IdleStrategy> idleStrategySupplier)
    {
        this.control = control;
        this.pe = pe;
        this.progress = progress;
        this.exceptions = exceptions;
        this.operationTimeoutNs = operationTimeoutNs;
        this.idleStrategySupplier = idleStrategySupplier;
    }

    /**
     * The deadline for a blocking call that starts now and obeys the operation timeout.
     *
     * @return a time on the clock of {@link System#nanoTime()}, or {@link #NO_DEADLINE}.
     */
    public long operationDeadline()
    {
        return operationTimeoutNs > 0 ? deadlineIn(operationTimeoutNs) : NO_DEADLINE;
    }

    /**
     * The deadline for a call that starts now and may take so long.
     *
     * @param timeoutNs in nanoseconds.
     * @return a time on the clock of {@link System#nanoTime()}.
     */
    public static long deadlineIn(final long timeoutNs)
    {
        final long deadlineNs = System.nanoTime() + timeoutNs;
        return NO_DEADLINE == deadlineNs ? NO_DEADLINE - 1 : deadlineNs;
    }

    /**
     * Do one round of waiting.
     *
     * @param round      0 at first, then what the last call returned.
     * @param deadlineNs from {@link #operationDeadline()} or {@link #deadlineIn}, or {@link #NO_DEADLINE}.
     * @param what       names the call in an exception.
     * @return the next round. When the job has failed, the caller gets one more look at its condition before the next
     *         call throws.
     * @throws IllegalStateException if another thread has closed the PE.
     */
    public int idle(final int round, final long deadlineNs, final String what)
    {
        return idle(round, deadlineNs, what, null);
    }

    /**
     * Do one round of waiting in a call of which more than its name is published.
     *
     * @param round      as in {@link #idle(int, long, String)}.
     * @param deadlineNs as in {@link #idle(int, long, String)}.
     * @param call       that waits.
     * @return the next round.
     */
    public int idle(final int round, final long deadlineNs, final BlockedCall call)
    {
        return idle(round, deadlineNs, null, call);
    }

    /**
     * Is it time to find out whether what the caller waits for can still come? So every {@value #CHECK_MASK} rounds.
     *
     * @param round that {@link #idle(int, long, BlockedCall)} returned.
     * @return true if it is.
     */
    public static boolean isCheckDue(final int round)
    {
        return round > 0 && 0 == (round & CHECK_MASK);
    }

    private int idle(final int round, final long deadlineNs, final String what, final BlockedCall call)
    {
        final int workCount = progress.poll();
        if (control.isFailed())
        {
            return onFailure(round);
        }

        if (CLOCK_MASK == (round & CLOCK_MASK))
        {
            checkThreadAndClock(round, deadlineNs, what, call);
        }

        if (round < SPINS)
        {
            if (Progress.NONE == progress)
            {
                Thread.onSpinWait();
            }
        }
        else
        {
            blockedThread.get().idleStrategy.idle(SPINS == round ? 1 : workCount);
        }

        return Integer.MAX_VALUE == round ? SPINS + 1 : round + 1;
    }

    /**
     * The caller waits no more, and not because of an exception that this object has thrown.
     *
     * @param round that {@link #idle(int, long, String)} returned last.
     */
    public void end(final int round)
    {
        if (round > CHECK_MASK && null == blockedThread.get().call)
        {
            end();
        }
    }

    /**
     * The caller waits no more, and not because of an exception that this object has thrown.
     *
     * @param round that {@link #idle(int, long, BlockedCall)} returned last.
     * @param call  that waited.
     */
    public void end(final int round, final BlockedCall call)
    {
        if (round > CHECK_MASK && blockedThread.get().call == call)
        {
            end();
        }
    }

    private void end()
    {
        blockedThread.get().call = null;
        control.activities().end(pe, System.currentTimeMillis());
    }

    /**
     * Has the deadline passed? For a wait that ends with a result, not with an exception.
     *
     * @param round      as in {@link #idle}.
     * @param deadlineNs as in {@link #idle}.
     * @return true if it has.
     */
    public static boolean isPast(final int round, final long deadlineNs)
    {
        return NO_DEADLINE != deadlineNs && 0 == (round & 15) && System.nanoTime() - deadlineNs >= 0;
    }

    /**
     * Throw if the job has failed.
     */
    public void checkFailure()
    {
        if (control.isFailed())
        {
            throw exceptions.failure(control.failure());
        }
    }

    RuntimeException failure()
    {
        return exceptions.failure(control.failure());
    }

    /**
     * What a PE stored before it failed is visible to those that see the failure. So the caller looks at its condition
     * once more, and a wait that was satisfied ends well.
     */
    private int onFailure(final int round)
    {
        if (LAST_LOOK == round)
        {
            throw exceptions.failure(control.failure());
        }
        return LAST_LOOK;
    }

    /**
     * The PE is closed: nobody stores in its memory or answers it any more. Calls that other threads left blocked end.
     */
    void close()
    {
        isClosed = true;
    }

    private void checkThreadAndClock(
        final int round, final long deadlineNs, final String what, final BlockedCall call)
    {
        if (CHECK_MASK == (round & CHECK_MASK))
        {
            publish(CHECK_MASK == round, what, call);
        }

        if (isClosed)
        {
            throw new IllegalStateException("the PE was closed by another thread during " + name(what, call));
        }

        if (Thread.currentThread().isInterrupted())
        {
            end();
            throw exceptions.interrupted(name(what, call));
        }

        if (NO_DEADLINE != deadlineNs && System.nanoTime() - deadlineNs >= 0)
        {
            publish(round < CHECK_MASK, what, call);
            final String explanation = explanation(call);
            end();
            throw exceptions.timeout(name(what, call), operationTimeoutNs, explanation);
        }
    }

    /**
     * Let other PEs, and the launcher, see what this thread is blocked in. A call that waits by repeating others, which
     * wait for their answers, stays what it is. Nothing is allocated.
     */
    private void publish(final boolean isFirst, final String what, final BlockedCall call)
    {
        final long nowMs = System.currentTimeMillis();
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
            control.activities().publish(pe, what, "", 0, 0, 0, thread.sinceMs, nowMs);
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
        blockedThreads.removeIf(BlockedThread::isDead);
        final BlockedThread thread = new BlockedThread(idleStrategySupplier.get());
        blockedThreads.add(thread);
        return thread;
    }

    /**
     * Is a thread blocked in a call of this PE?
     *
     * @param thread of this process.
     * @param nowMs  milliseconds since the epoch.
     * @return true if it has polled lately.
     */
    boolean isBlocked(final Thread thread, final long nowMs)
    {
        for (final BlockedThread blocked : blockedThreads)
        {
            if (blocked.thread.get() == thread)
            {
                return nowMs - blocked.seenMs < PeActivities.FRESH_MS;
            }
        }

        return false;
    }

    private String explanation(final BlockedCall call)
    {
        final String missing = null == call ? "" : call.missing();
        return (missing.isEmpty() ? "" : ", waiting for " + missing) + ". The PEs are:\n" + control.describeAll();
    }

    private static String name(final String what, final BlockedCall call)
    {
        return null == call ? what : call.name() + call.place();
    }
}
