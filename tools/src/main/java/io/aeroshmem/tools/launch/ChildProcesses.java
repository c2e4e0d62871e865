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

import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * The processes that a launcher started: tells which have ended, and ends the others in steps: they get some time to
 * notice by themselves, then SIGTERM, then SIGKILL.
 * <p>
 * One thread supervises: it alone calls {@link #awaitEnd}, {@link #endAfter} and {@link #pressOn}. Another may add
 * processes and end them all with {@link #endAll} at any time, also while the first supervises; to signal a process
 * twice, or after its end, does no harm.
 */
final class ChildProcesses
{
    /**
     * How long, in milliseconds, processes may take to notice a failure and end by themselves before they get SIGTERM:
     * long enough to print what they have to say.
     */
    static final long NOTICE_MS = 500;

    /**
     * How long, in milliseconds, a process may take to end after SIGTERM before it gets SIGKILL.
     */
    static final long GRACE_MS = 2_000;

    private static final long NEVER = Long.MAX_VALUE;

    private final BlockingQueue<ChildProcess> ends = new LinkedBlockingQueue<>();
    private final List<ChildProcess> children = new CopyOnWriteArrayList<>();
    private long terminateAtNs = NEVER;
    private long killAtNs = NEVER;
    private boolean isTerminated;

    void add(final ChildProcess child)
    {
        children.add(child);
        child.onEnd(() -> ends.add(child));
    }

    /**
     * Waits for the end of one of them; each is told of once.
     *
     * @param timeoutMs to wait at most.
     * @return one that has ended, or null.
     * @throws InterruptedException if the calling thread was interrupted.
     */
    ChildProcess awaitEnd(final long timeoutMs) throws InterruptedException
    {
        return ends.poll(timeoutMs, TimeUnit.MILLISECONDS);
    }

    int aliveCount()
    {
        return (int)children.stream().filter(ChildProcess::isAlive).count();
    }

    /**
     * Whether it is settled when those that live get their SIGTERM.
     *
     * @return true after {@link #endAfter}.
     */
    boolean isEnding()
    {
        return NEVER != terminateAtNs;
    }

    /**
     * Whether those that lived got their SIGTERM.
     *
     * @return true once {@link #pressOn} has sent it.
     */
    boolean isTerminated()
    {
        return isTerminated;
    }

    /**
     * Settles when those that live then get SIGTERM and SIGKILL. An earlier time that was settled before stays.
     *
     * @param noticeMs from now to SIGTERM.
     * @param graceMs  from SIGTERM to SIGKILL.
     */
    void endAfter(final long noticeMs, final long graceMs)
    {
        final long nowNs = System.nanoTime();
        final long terminateNs = nowNs + TimeUnit.MILLISECONDS.toNanos(noticeMs);
        final long killNs = terminateNs + TimeUnit.MILLISECONDS.toNanos(graceMs);
        terminateAtNs = isEnding() && terminateAtNs - terminateNs < 0 ? terminateAtNs : terminateNs;
        killAtNs = NEVER != killAtNs && killAtNs - killNs < 0 ? killAtNs : killNs;
    }

    /**
     * Sends the signals that are due.
     */
    void pressOn()
    {
        final long nowNs = System.nanoTime();
        if (NEVER != killAtNs && nowNs - killAtNs >= 0)
        {
            children.stream().filter(ChildProcess::isAlive).forEach(ChildProcess::kill);
        }
        else if (!isTerminated && NEVER != terminateAtNs && nowNs - terminateAtNs >= 0)
        {
            isTerminated = true;
            children.stream().filter(ChildProcess::isAlive).forEach(ChildProcess::terminate);
        }
    }

    /**
     * Ends them now, and waits for their end: SIGTERM, after {@link #GRACE_MS} SIGKILL.
     */
    void endAll()
    {
        children.stream().filter(ChildProcess::isAlive).forEach(ChildProcess::terminate);
        awaitAll(GRACE_MS);
        children.forEach(ChildProcess::kill);
        awaitAll(GRACE_MS);
    }

    /**
     * Waits for the end of all.
     *
     * @param timeoutMs to wait at most, for all of them together.
     */
    void awaitAll(final long timeoutMs)
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(timeoutMs);
        for (final ChildProcess child : children)
        {
            child.awaitEnd(deadlineNs);
        }
    }

    /**
     * Waits until what they printed has been copied.
     */
    void awaitOutput()
    {
        final long deadlineNs = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(GRACE_MS);
        children.forEach((child) -> child.awaitOutput(deadlineNs));
    }
}
