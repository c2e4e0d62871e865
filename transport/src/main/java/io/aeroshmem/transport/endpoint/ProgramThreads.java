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
package io.aeroshmem.transport.endpoint;

import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.progress.BlockingWait;

import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Detects whether any thread of the program may act by itself, and so end a wait of a PE of this process. The following
 * threads cannot act by themselves:
 * <ul>
 * <li>threads that are blocked in a call of a PE of this process;</li>
 * <li>threads that wait without a time limit: only another thread can wake them, and that thread is examined too;</li>
 * <li>daemon threads that wait with a time limit and execute no code of the program, such as idle workers of a pool
 * (but not timers, whose tasks may be due);</li>
 * <li>daemon threads that run an agent of Aeron, or an idle agent of the program;</li>
 * <li>the threads of this library and of the JVM.</li>
 * </ul>
 * Any other thread counts as able to act, even a daemon.
 */
final class ProgramThreads
{
    private static final Set<String> GROUPS_OF_JVM = Set.of("InnocuousThreadGroup", "RMI Runtime");
    private static final String AGENT_RUNNER = "org.agrona.concurrent.AgentRunner";
    private static final Set<String> TIMERS = Set.of(
        "java.util.TimerThread",
        "java.util.concurrent.DelayScheduler",
        "java.util.concurrent.ScheduledThreadPoolExecutor$DelayedWorkQueue");

    /*
     * Virtual threads are not examined themselves. Only their carriers and, from JDK 25 on, their timer are examined.
     * So while a carrier runs a virtual thread, that thread counts as able to act, even if it polls in a blocking call
     * of a PE. A virtual thread that waits with a time limit counts only from JDK 25 on.
     *
     * A process with several PEs also runs the program that started them, such as a test framework. As long as the PEs
     * run, threads of that program wait for input, or wait with a time limit. So in such a process, a thread does not
     * count if it waits for input, for a scheduled task, or with a time limit for an event, although it may act. A
     * thread that sleeps counts.
     */
    private final boolean isProcessShared;
    private final List<BlockingWait> blockingWaits = new CopyOnWriteArrayList<>();

    /**
     * @param isProcessShared whether several PEs may live in this process.
     */
    ProgramThreads(final boolean isProcessShared)
    {
        this.isProcessShared = isProcessShared;
    }

    /** Adds a PE of this process. */
    void add(final BlockingWait blockingWait)
    {
        blockingWaits.add(blockingWait);
    }

    /** Returns whether a thread of the program may act by itself. */
    boolean isAnyFree(final long nowMs)
    {
        ThreadGroup root = Thread.currentThread().getThreadGroup();
        while (null != root.getParent())
        {
            root = root.getParent();
        }

        final Thread[] threads = new Thread[2 * root.activeCount() + 16];
        final int count = root.enumerate(threads, true);
        for (int i = 0; i < count; i++)
        {
            if (isFree(threads[i], nowMs))
            {
                return true;
            }
        }

        return false;
    }

    /** Returns whether one thread may act by itself. */
    boolean isFree(final Thread thread, final long nowMs)
    {
        final Thread.State state = thread.getState();
        if (Thread.State.WAITING == state || Thread.State.TERMINATED == state || isOfJvm(thread) ||
            Threads.isOfLibrary(thread) || isBlocked(thread, nowMs))
        {
            return false;
        }

        return !isProcessShared && !thread.isDaemon() || isFree(state, thread.getStackTrace());
    }

    /** Returns whether the JVM made a thread for itself; its carriers and the common pool run code of the program. */
    private static boolean isOfJvm(final Thread thread)
    {
        final ThreadGroup group = thread.getThreadGroup();
        return null == group || null == group.getParent() || GROUPS_OF_JVM.contains(group.getName()) ||
            "DestroyJavaVM".equals(thread.getName());
    }

    private boolean isBlocked(final Thread thread, final long nowMs)
    {
        for (final BlockingWait blockingWait : blockingWaits)
        {
            if (blockingWait.isBlocked(thread, nowMs))
            {
                return true;
            }
        }

        return false;
    }

    private boolean isFree(final Thread.State state, final StackTraceElement[] stack)
    {
        if (0 == stack.length || isAgentOfAeron(stack))
        {
            return false;
        }

        if (Thread.State.TIMED_WAITING == state)
        {
            return isProcessShared ? isSleep(stack) : isOfProgram(stack) || isTimer(stack);
        }

        return !isProcessShared || !isInput(stack[0]);
    }

    /** Returns whether the thread runs an agent that is idle, or is one of Aeron. */
    private static boolean isAgentOfAeron(final StackTraceElement[] stack)
    {
        for (final StackTraceElement frame : stack)
        {
            if (AGENT_RUNNER.equals(frame.getClassName()))
            {
                return !isOfProgram(stack);
            }
        }

        return false;
    }

    private static boolean isOfProgram(final StackTraceElement[] stack)
    {
        for (final StackTraceElement frame : stack)
        {
            final String name = frame.getClassName();
            if (!isOfJdk(frame) && !name.startsWith("org.agrona.") && !name.startsWith("io.aeron."))
            {
                return true;
            }
        }

        return false;
    }

    /** Returns whether the thread waits until a task of a schedule is due. */
    private static boolean isTimer(final StackTraceElement[] stack)
    {
        for (final StackTraceElement frame : stack)
        {
            if (TIMERS.contains(frame.getClassName()))
            {
                return true;
            }
        }

        return false;
    }

    /** Returns whether only time ends the wait: a sleep, or a park that no class of the JDK has begun. */
    private static boolean isSleep(final StackTraceElement[] stack)
    {
        for (final StackTraceElement frame : stack)
        {
            final String name = frame.getClassName();
            if (!isOfJdk(frame) || "java.lang.Thread".equals(name) && frame.getMethodName().startsWith("sleep"))
            {
                return true;
            }

            if (!name.endsWith(".Unsafe") && !"java.util.concurrent.locks.LockSupport".equals(name) &&
                !"java.lang.Thread".equals(name))
            {
                return false;
            }
        }

        return false;
    }

    private static boolean isInput(final StackTraceElement frame)
    {
        final String method = frame.getMethodName();
        return frame.isNativeMethod() && isOfJdk(frame) &&
            (method.startsWith("read") || method.startsWith("accept") || method.startsWith("receive") ||
            method.startsWith("poll") || method.startsWith("wait"));
    }

    private static boolean isOfJdk(final StackTraceElement frame)
    {
        final String module = frame.getModuleName();
        return null != module && (module.startsWith("java.") || module.startsWith("jdk."));
    }
}
