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

import io.aeroshmem.ThreadLevel;
import io.aeroshmem.nvtx.NvtxRanges;

import org.agrona.collections.ArrayUtil;

import java.util.Iterator;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/**
 * Checks that calls obey the {@link ThreadLevel}. The guard throws when a thread makes a call that the level does not
 * allow to this thread, or does not allow while another thread is inside a call.
 * <p>
 * A call that communicates or waits enters the guard at its start and leaves it at its end; such calls may nest. Any
 * other call, such as a query, is only checked when it begins.
 * <p>
 * <b>Ordering.</b> A thread enters by a compare-and-set of {@link #inside} from null to itself, and only that thread
 * resets it to null. So two threads are never inside together, and only the thread inside accesses the depth of nested
 * calls. The name of the call is for messages. It is written after {@link #inside}, so another thread may still read
 * the name of an earlier call.
 */
public class ThreadGuard
{
    /** The classes of the API whose methods name a call that is not entered; the guard is below them. */
    private static final Set<String> API = Set.of("io.aeroshmem.Shmem", "io.aeroshmem.Team");

    private final ThreadLevel level;
    private final Thread initial = Thread.currentThread();
    private final AtomicReference<Thread> inside = new AtomicReference<>();
    private volatile Thread[] exempt = new Thread[0];
    private volatile String call = "";
    private int depth;

    ThreadGuard(final ThreadLevel level)
    {
        this.level = level;
    }

    /** Returns a guard of a PE that checks its calls. */
    public static ThreadGuard of(final ThreadLevel level)
    {
        return NvtxRanges.isActive() ? new RangedGuard(level) : new ThreadGuard(level);
    }

    /**
     * Returns the guard that each call of a PE enters.
     *
     * @param guard of the PE, or null if the PE does not check its calls.
     * @return the guard, or null if calls need none.
     */
    public static ThreadGuard ofCalls(final ThreadGuard guard)
    {
        if (NvtxRanges.isActive())
        {
            return null == guard ? new RangedGuard(ThreadLevel.MULTIPLE) : guard;
        }

        return null != guard && guard.isCheckingCalls() ? guard : null;
    }

    /** Exempts a thread of the library, which performs calls that the program has made by threads of its own. */
    public synchronized void exempt(final Thread thread)
    {
        exempt = ArrayUtil.add(exempt, thread);
    }

    /** Ends what {@link #exempt} began. */
    public synchronized void include(final Thread thread)
    {
        exempt = ArrayUtil.remove(exempt, thread);
    }

    private boolean isExempt(final Thread thread)
    {
        for (final Thread one : exempt)
        {
            if (one == thread)
            {
                return true;
            }
        }

        return false;
    }

    /** Returns whether the level restricts any call besides close. */
    public boolean isCheckingCalls()
    {
        return level.compareTo(ThreadLevel.MULTIPLE) < 0;
    }

    /**
     * Checks a call of the current thread that is not entered.
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
        if (isExempt(thread))
        {
            return;
        }

        if (level.compareTo(ThreadLevel.FUNNELED) <= 0)
        {
            if (thread != initial)
            {
                throw new IllegalStateException("thread level " + level + ": thread '" + thread.getName() +
                    "' called " + nameOf(name) + ", but only thread '" + initial.getName() + "', which initialised" +
                    " the PE, may make calls (aeroshmem.thread.level)");
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
     * Checks whether the current thread may close the PE.
     *
     * @throws IllegalStateException if it did not initialise the PE, or another one is inside a call that the level
     *         does not allow then.
     */
    public void checkClose()
    {
        check("Shmem.close");
        final Thread thread = Thread.currentThread();
        if (thread != initial)
        {
            throw new IllegalStateException("thread level " + level + ": thread '" + thread.getName() +
                "' called Shmem.close, but only thread '" + initial.getName() + "', which initialised the PE, may");
        }
    }

    /**
     * Runs a call of the current thread and returns its result.
     *
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
     * Begins a call of the current thread, which will {@link #leave()} it.
     *
     * @throws IllegalStateException if the level does not allow it now.
     */
    public void enter(final String name)
    {
        check(name);
        final Thread thread = Thread.currentThread();
        if (isExempt(thread))
        {
            return;
        }

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

    /** Ends a call of the current thread. */
    public void leave()
    {
        if (!isExempt(Thread.currentThread()) && 0 == --depth)
        {
            inside.set(null);
        }
    }

    private IllegalStateException atOnce(final String name, final Thread other)
    {
        return new IllegalStateException("thread level " + level + ": thread '" + Thread.currentThread().getName() +
            "' called " + nameOf(name) + " while thread '" + other.getName() + "' was in " + call +
            ", but calls must be made one at a time (aeroshmem.thread.level)");
    }

    /** Returns the name of a call that is not entered: the API method that the program called, from the stack. */
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
        return API.contains(frame.getClassName());
    }

    private static String simpleName(final String className)
    {
        return className.substring(className.lastIndexOf('.') + 1);
    }
}
