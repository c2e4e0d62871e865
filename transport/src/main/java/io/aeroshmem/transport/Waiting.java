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
import org.agrona.concurrent.IdleStrategy;

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
 * </pre>
 * It keeps no state for the caller, whose round number is a local variable of its own, so that any number of threads
 * may wait at once and nothing is allocated. The one exception is the idle strategy, an object per thread, first used
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
    private static final int LAST_LOOK = -1;

    private final Control control;
    private final Progress progress;
    private final ExceptionFactory exceptions;
    private final long operationTimeoutNs;
    private final ThreadLocal<IdleStrategy> idleStrategies;
    private volatile boolean isClosed;

    Waiting(
        final Control control,
        final Progress progress,
        final ExceptionFactory exceptions,
        final long operationTimeoutNs,
        final Supplier<IdleStrategy> idleStrategySupplier)
    {
        this.control = control;
        this.progress = progress;
        this.exceptions = exceptions;
        this.operationTimeoutNs = operationTimeoutNs;
        this.idleStrategies = ThreadLocal.withInitial(idleStrategySupplier);
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
        final int workCount = progress.poll();
        if (control.isFailed())
        {
            return onFailure(round);
        }

        if (CLOCK_MASK == (round & CLOCK_MASK))
        {
            checkThreadAndClock(deadlineNs, what);
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
            idleStrategies.get().idle(SPINS == round ? 1 : workCount);
        }

        return Integer.MAX_VALUE == round ? SPINS + 1 : round + 1;
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

    private void checkThreadAndClock(final long deadlineNs, final String what)
    {
        if (isClosed)
        {
            throw new IllegalStateException("the PE was closed by another thread during " + what);
        }

        if (Thread.currentThread().isInterrupted())
        {
            throw exceptions.interrupted(what);
        }

        if (NO_DEADLINE != deadlineNs && System.nanoTime() - deadlineNs >= 0)
        {
            throw exceptions.timeout(what, operationTimeoutNs);
        }
    }
}
