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
package io.aeroshmem.thread;

import io.aeroshmem.Shmem;
import io.aeroshmem.Team;
import io.aeroshmem.ThreadLevel;

import java.util.Iterator;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Knows which thread set a PE up, and which one is inside a call, and throws where the thread level allows no call.
 * <p>
 * Calls that communicate or wait are entered and left. Those that only look at something are checked when they begin.
 * A thread that is inside may enter again, as calls are made of calls.
 * <p>
 * Ordering: {@link #inside} is moved by compare-and-set from null to the thread that enters and is set back by that
 * thread alone, so two threads are never inside together; the depth belongs to the thread inside. The name of its call
 * is for messages and may be that of the call before.
 */
public final class ThreadGuard
{
    private final ThreadLevel level;
    private final Thread initial = Thread.currentThread();
    private final AtomicReference<Thread> inside = new AtomicReference<>();
    private volatile String call = "";
    private int depth;

    /**
     * Construct for a PE that the current thread sets up.
     *
     * @param level of the PE.
     */
    public ThreadGuard(final ThreadLevel level)
    {
        this.level = level;
    }

    /**
     * Does the level forbid anything but to close the PE by another thread?
     *
     * @return true if calls are to be checked.
     */
    public boolean isCheckingCalls()
    {
        return level.compareTo(ThreadLevel.MULTIPLE) < 0;
    }

    /**
     * Check a call of the current thread that is not entered.
     *
     * @throws IllegalStateException if the level does not allow it now.
     */
    public void check()
    {
        check(null);
    }

    private void check(final String name)
    {
        final Thread thread = Thread.currentThread();
        if (level.compareTo(ThreadLevel.FUNNELED) <= 0)
        {
            if (thread != initial)
            {
                throw new IllegalStateException("thread level " + level + ": thread '" + thread.getName() +
                    "' called " + nameOf(name) + ", allowed are calls by thread '" + initial.getName() +
                    "', which set up the PE (property aeroshmem.thread.level)");
            }
        }
        else if (isCheckingCalls())
        {
            final Thread other = inside.get();
            if (null != other && thread != other)
            {
                throw atOnce(name, other);
            }
        }
    }

    /**
     * Check whether the current thread may close the PE.
     *
     * @throws IllegalStateException if it did not set the PE up, or another one is inside a call that the level does
     *                               not allow then.
     */
    public void checkClose()
    {
        check("Shmem.close");
        final Thread thread = Thread.currentThread();
        if (thread != initial)
        {
            throw new IllegalStateException("thread level " + level + ": thread '" + thread.getName() +
                "' called Shmem.close, allowed is the one that set up the PE, '" + initial.getName() + "'");
        }
    }

    /**
     * Run a call of the current thread.
     *
     * @param name of the call.
     * @param task that performs it.
     * @throws IllegalStateException if the level does not allow it now.
     */
    public void run(final String name, final Runnable task)
    {
        enter(name);
        try
        {
            task.run();
        }
        finally
        {
            leave();
        }
    }

    /**
     * Run a call of the current thread.
     *
     * @param name of the call.
     * @param task that performs it.
     * @param <T>  what it returns.
     * @return its result.
     * @throws IllegalStateException if the level does not allow it now.
     */
    public <T> T call(final String name, final Supplier<T> task)
    {
        enter(name);
        try
        {
            return task.get();
        }
        finally
        {
            leave();
        }
    }

    /**
     * The current thread begins a call, and will {@link #leave()} it.
     *
     * @param name of the call.
     * @throws IllegalStateException if the level does not allow it now.
     */
    void enter(final String name)
    {
        check(name);
        final Thread thread = Thread.currentThread();
        if (thread != inside.get() && !inside.compareAndSet(null, thread))
        {
            final Thread other = inside.get();
            throw atOnce(name, null == other ? initial : other);
        }

        if (0 == depth++)
        {
            call = name;
        }
    }

    /**
     * The current thread ends a call.
     */
    void leave()
    {
        if (0 == --depth)
        {
            inside.set(null);
        }
    }

    private IllegalStateException atOnce(final String name, final Thread other)
    {
        return new IllegalStateException("thread level " + level + ": thread '" + Thread.currentThread().getName() +
            "' called " + nameOf(name) + " while thread '" + other.getName() + "' was in " + call +
            ", allowed is one call at a time (property aeroshmem.thread.level)");
    }

    /**
     * The call that is not entered: what the program called of the API, as the stack says.
     */
    private static String nameOf(final String name)
    {
        if (null != name)
        {
            return name;
        }

        return StackWalker.getInstance().walk((frames) ->
        {
            final Iterator<StackWalker.StackFrame> iterator =
                frames.dropWhile((frame) -> !isApi(frame)).takeWhile(ThreadGuard::isApi).iterator();
            String outermost = "the library";
            while (iterator.hasNext())
            {
                final StackWalker.StackFrame frame = iterator.next();
                outermost = simpleName(frame.getClassName()) + "." + frame.getMethodName();
            }

            return outermost;
        });
    }

    private static boolean isApi(final StackWalker.StackFrame frame)
    {
        final String name = frame.getClassName();
        return Shmem.class.getName().equals(name) || Team.class.getName().equals(name);
    }

    private static String simpleName(final String className)
    {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}
