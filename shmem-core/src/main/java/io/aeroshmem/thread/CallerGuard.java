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

import io.aeroshmem.transport.Fields;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The guard that admits one thread at a time to the collective calls of a team, and throws in a second thread. Shared
 * calls ({@link #enterShared()}), which only a close excludes, are admitted from any number of threads. The
 * state of a call (its arguments, and the counts of steps and slots) exists once per team. Two threads inside would
 * overwrite each other's state, and could then write to memory that belongs to neither call.
 */
public final class CallerGuard
{
    private static final long GRACE_NS = 1_000;
    private static final VarHandle OWNERSHIP = Fields.handle(MethodHandles.lookup(), "ownership", Ownership.class);
    private static final VarHandle DEPTH = Fields.handle(MethodHandles.lookup(), Ownership.class, "depth", int.class);
    private static final VarHandle IS_REVOKED =
        Fields.handle(MethodHandles.lookup(), Ownership.class, "isRevoked", boolean.class);
    private static final VarHandle SHARING = Fields.handle(MethodHandles.lookup(), "sharing", int.class);

    /*
     * Ordering. The guard is biased towards its owner, the thread that called last. The owner needs no atomic
     * operation. It stores the depth of its calls, then checks whether its ownership is revoked. If it is not revoked,
     * the owner is inside. Another thread first revokes the ownership by a volatile store, waits GRACE_NS ns, and then
     * loads the depth. If the depth is 0, this thread becomes the new owner. Otherwise the thread undoes the revocation
     * and throws.
     *
     * Why the wait is long enough. The stores of a processor become visible to others within tens of nanoseconds, and
     * at once when the kernel deschedules the thread. So either the owner finds the ownership revoked, and backs out,
     * or the other thread finds a depth other than 0, and throws.
     *
     * The memory model of Java promises less: it lets the owner's load overtake its store. HotSpot keeps opaque
     * accesses in order in the code that it makes, so only the processor's store buffer delays the store. On a JVM that
     * moved the load, two threads could both be inside, if the owner lost its processor between the two for longer than
     * the wait. A full fence in the owner would exclude that, but add some nanoseconds to every collective call of
     * correct programs, while the guard only detects incorrect ones.
     *
     * An owner that is descheduled before it stores its depth may store it, and then back out, long after another
     * thread has entered. So each ownership is an object with a depth of its own, which only its thread writes. A late
     * store changes no other ownership. An ownership that another thread has ended stays revoked.
     *
     * A handover costs the new owner a microsecond and a small object, and only occurs when the thread changes. A
     * thread leaves with a release store of the depth. The next owner loads the depth with acquire.
     */
    private final String teamName;
    /** Replaced under the monitor of this object, while no thread is inside. */
    private Ownership ownership = new Ownership(null, 0);
    /** Written under the monitor of this object; also set while a close is being decided. */
    private volatile boolean isClosed;
    /** Number of shared calls that have begun and not ended. */
    private int sharing;

    public CallerGuard(final String teamName)
    {
        this.teamName = teamName;
    }

    /**
     * Begins a call of the current thread, which will {@link #leave()} it. Reentrant.
     *
     * @throws IllegalStateException if another thread is inside, or the team is closed.
     */
    public void enter()
    {
        final Thread thread = Thread.currentThread();
        final Ownership current = (Ownership)OWNERSHIP.getOpaque(this);
        if (current.thread == thread)
        {
            final int depth = current.depth;
            DEPTH.setOpaque(current, depth + 1);
            if (!(boolean)IS_REVOKED.getOpaque(current))
            {
                return;
            }

            DEPTH.setRelease(current, depth);
        }

        enterUnowned(thread);
    }

    /**
     * Begins a call that may run beside calls of other threads. The current thread will {@link #leaveShared()} it. The
     * call is counted before the close is looked at, and a close looks at the count after it has announced itself: one
     * of the two finds the other.
     *
     * @throws IllegalStateException if the team is closed.
     */
    public void enterShared()
    {
        SHARING.getAndAdd(this, 1);
        if (isClosed)
        {
            SHARING.getAndAdd(this, -1);
            synchronized (this)
            {
                checkOpen();
                SHARING.getAndAdd(this, 1);
            }
        }
    }

    /** Ends a shared call. */
    public void leaveShared()
    {
        SHARING.getAndAdd(this, -1);
    }

    /** Ends a call of the current thread. */
    public void leave()
    {
        final Ownership current = ownership;
        DEPTH.setRelease(current, current.depth - 1);
    }

    /**
     * Admits no further thread.
     *
     * @param check that throws if the team must stay open. A thread that calls meanwhile waits for the result.
     * @throws IllegalStateException if a thread is inside; then, and if the check throws, the guard is unchanged.
     */
    public synchronized void close(final Runnable check)
    {
        final Ownership current = ownership;
        if (!revoke(current))
        {
            throw new IllegalStateException("team " + teamName + " must not be closed during a call on it: thread '" +
                current.thread.getName() + "' is in one");
        }

        try
        {
            isClosed = true;
            if (0 != (int)SHARING.getVolatile(this))
            {
                throw new IllegalStateException(
                    "team " + teamName + " must not be closed during a call on it: a thread posts a request");
            }

            check.run();
        }
        catch (final Throwable ex)
        {
            isClosed = false;
            IS_REVOKED.setVolatile(current, false);
            throw ex;
        }
    }

    private synchronized void enterUnowned(final Thread thread)
    {
        checkOpen();
        final Ownership current = ownership;
        if (current.thread == thread)
        {
            // Another thread had revoked the ownership for a moment.
            DEPTH.setOpaque(current, current.depth + 1);
            return;
        }

        if (!revoke(current))
        {
            throw new IllegalStateException("team " + teamName + " must be called by one thread of a PE at a time:" +
                " thread '" + thread.getName() + "' called while thread '" + current.thread.getName() +
                "' is in a call");
        }

        OWNERSHIP.setVolatile(this, new Ownership(thread, 1));
    }

    private void checkOpen()
    {
        if (isClosed)
        {
            throw new IllegalStateException("team must be open: team " + teamName + " is closed");
        }
    }

    /** Revokes an ownership, unless its thread is inside: then it returns false, and the ownership is unchanged. */
    private static boolean revoke(final Ownership current)
    {
        IS_REVOKED.setVolatile(current, true);
        if (null != current.thread && Thread.currentThread() != current.thread)
        {
            final long startNs = System.nanoTime();
            while (System.nanoTime() - startNs < GRACE_NS)
            {
                Thread.onSpinWait();
            }
        }

        if (0 != (int)DEPTH.getAcquire(current))
        {
            IS_REVOKED.setVolatile(current, false);
            return false;
        }

        return true;
    }

    /** The time in which one thread is the owner, from its first call to the first call of another thread. */
    private static final class Ownership
    {
        private final Thread thread;
        private int depth;
        private boolean isRevoked;

        private Ownership(final Thread thread, final int depth)
        {
            this.thread = thread;
            this.depth = depth;
        }
    }
}
