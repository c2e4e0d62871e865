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

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/**
 * The guard that admits one thread at a time to the collective calls of a team, and throws in a second thread. The
 * state of a call, its arguments and the counts of steps and slots, exists once per team. So two threads inside would
 * write to memory that belongs to neither call.
 * <p>
 * <b>Ordering.</b> The guard is biased towards its owner, the thread that called last. The owner needs no atomic
 * operation: it stores its depth, then loads the owner field once more, and is inside if it is still the owner. Another
 * thread first revokes the ownership by a volatile store, waits {@value #GRACE_NS} ns, and then loads the depth.
 * <p>
 * <b>Why the wait is long enough.</b> The stores of a processor become visible to others within tens of nanoseconds,
 * and at once when the kernel deschedules the thread. So either the owner has found the ownership revoked, and backs
 * out, or the other thread finds the owner's depth, and throws.
 * <p>
 * A handover costs the new owner a microsecond, and only occurs when the thread changes. A thread leaves with a release
 * store of the depth, which its successor loads with acquire.
 */
public final class CallerGuard
{
    private static final long GRACE_NS = 1_000;
    private static final VarHandle OWNER;
    private static final VarHandle DEPTH;

    static
    {
        try
        {
            final MethodHandles.Lookup lookup = MethodHandles.lookup();
            OWNER = lookup.findVarHandle(CallerGuard.class, "owner", Thread.class);
            DEPTH = lookup.findVarHandle(CallerGuard.class, "depth", int.class);
        }
        catch (final ReflectiveOperationException ex)
        {
            throw new ExceptionInInitializerError(ex);
        }
    }

    private final String teamName;
    private Thread owner;
    private int depth;
    private boolean isClosed;

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
        if ((Thread)OWNER.getOpaque(this) == thread)
        {
            final int depth = this.depth;
            DEPTH.setOpaque(this, depth + 1);
            if ((Thread)OWNER.getOpaque(this) == thread)
            {
                return;
            }

            DEPTH.setOpaque(this, depth);
        }

        enterAsNewOwner(thread);
    }

    /** Ends a call of the current thread. */
    public void leave()
    {
        DEPTH.setRelease(this, depth - 1);
    }

    /**
     * Admits no further thread.
     *
     * @throws IllegalStateException if a thread is inside; then the guard is unchanged.
     */
    public synchronized void close()
    {
        final Thread previous = disown();
        if (0 != (int)DEPTH.getAcquire(this))
        {
            OWNER.setVolatile(this, previous);
            throw new IllegalStateException("team " + teamName + " must not be closed during a call on it: thread '" +
                previous.getName() + "' is in one");
        }

        isClosed = true;
    }

    private synchronized void enterAsNewOwner(final Thread thread)
    {
        if (isClosed)
        {
            throw new IllegalStateException("team must be open: team " + teamName + " is closed");
        }

        final Thread previous = disown();
        if (0 != (int)DEPTH.getAcquire(this))
        {
            OWNER.setVolatile(this, previous);
            throw new IllegalStateException("team " + teamName + " must be called by one thread of a PE at a time:" +
                " thread '" + thread.getName() + "' called while thread '" + previous.getName() + "' is in a call");
        }

        DEPTH.setOpaque(this, 1);
        OWNER.setVolatile(this, thread);
    }

    /** Revokes the ownership, and waits until the owner must have noticed. */
    private Thread disown()
    {
        final Thread previous = owner;
        if (null != previous)
        {
            OWNER.setVolatile(this, null);
            if (previous != Thread.currentThread())
            {
                final long startNs = System.nanoTime();
                while (System.nanoTime() - startNs < GRACE_NS)
                {
                    Thread.onSpinWait();
                }
            }
        }

        return previous;
    }
}
