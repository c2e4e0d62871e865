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
package io.aeroshmem.tools.launch;

import java.util.Arrays;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.function.IntPredicate;

/**
 * The processes that a launcher has started. The end of each process is reported once. The processes are ended in
 * steps, see {@link EndSchedule}: they get time to detect a failure themselves, then they receive SIGTERM, and finally
 * SIGKILL.
 * <p>
 * One thread supervises: it alone calls {@link #awaitEnd}. Another thread may add processes, and end them all with
 * {@link #endAll}, at any time, also during supervision: it is harmless to signal a process twice or after its end.
 */
final class ChildProcesses
{
    /**
     * Milliseconds in which processes may detect a failure, print their last output and end before they receive
     * SIGTERM.
     */
    static final long NOTICE_MS = 500;

    /** Milliseconds in which a process may end after SIGTERM before it receives SIGKILL. */
    static final long GRACE_MS = 2_000;

    private final BlockingQueue<ChildProcess> ends = new LinkedBlockingQueue<>();
    private final List<ChildProcess> children = new CopyOnWriteArrayList<>();

    void add(final ChildProcess child)
    {
        children.removeIf(ChildProcess::isOver);
        children.add(child);
        child.onEnd(() -> ends.add(child));
    }

    /** Waits for the end of a process and returns it, or null after the timeout; each process is reported once. */
    ChildProcess awaitEnd(final long timeoutMs) throws InterruptedException
    {
        return ends.poll(timeoutMs, TimeUnit.MILLISECONDS);
    }

    boolean isAnyAlive()
    {
        return children.stream().anyMatch(ChildProcess::isAlive);
    }

    /** Numbers the processes of some numbers, in ascending order, from one on; all others have a negative number. */
    void renumber(final int first, final int... numbers)
    {
        for (final ChildProcess child : children)
        {
            final int index = Arrays.binarySearch(numbers, child.number());
            child.number(index < 0 ? index : first + index);
        }
    }

    /** Sends SIGKILL to the live process of a number. */
    void kill(final int number)
    {
        children.stream().filter((child) -> number == child.number() && child.isAlive())
            .forEach((child) -> child.signal(EndSchedule.Signal.KILL));
    }

    /** Gives the process of a number a negative one, as another process gets its number. */
    void abandon(final int number)
    {
        children.stream().filter((child) -> number == child.number()).forEach((child) -> child.number(-1));
    }

    /** Sends a signal to the live processes. */
    void signal(final EndSchedule.Signal signal)
    {
        signal(signal, (number) -> true);
    }

    /** Sends a signal to the live processes of some numbers. */
    void signal(final EndSchedule.Signal signal, final IntPredicate numbers)
    {
        if (EndSchedule.Signal.NONE != signal)
        {
            children.stream().filter((child) -> child.isAlive() && numbers.test(child.number()))
                .forEach((child) -> child.signal(signal));
        }
    }

    /** Ends the processes, by SIGTERM and after {@link #GRACE_MS} by SIGKILL, and waits for their end. */
    void endAll()
    {
        signal(EndSchedule.Signal.TERMINATE);
        awaitAll(GRACE_MS);
        signal(EndSchedule.Signal.KILL);
        awaitAll(GRACE_MS);
    }

    /** Waits for the end of all processes, with one timeout for all of them together. */
    void awaitAll(final long timeoutMs)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (final ChildProcess child : children)
        {
            child.awaitEnd(deadlineNs);
        }
    }

    /** Waits until the output of all processes has been copied. */
    void awaitOutput()
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MS);
        children.forEach((child) -> child.awaitOutput(deadlineNs));
    }
}
