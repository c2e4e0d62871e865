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
package io.aeroshmem.transport.aeron;

/**
 * Whether the words of this PE's user heap are updated by the holder of the engine's lock only. Plain loads and stores
 * then update them; otherwise CPU atomics do, which take several times as long.
 * <p>
 * The thread of a session claims the words: its own updates of them gather, and are performed under the lock as those
 * of peers are. An atomic operation that this PE performs on its heap without gathering it ends the claim first, see
 * {@link OwnTransport}. A heap that other processes or kernels may update is never claimed.
 * <p>
 * <b>Ordering.</b> {@link #isClaimed} changes under the lock only: it is constant during a pass over updates, and each
 * pass sees the plain stores of those before it. A thread performs a CPU atomic only after {@link #beforeAtomic} has
 * found no claim, and itself as {@link #user} or {@link #MANY}; otherwise it makes that so under the lock. A thread
 * claims only while no other is a user, and a user remains one. So a thread that is about to perform a CPU atomic is a
 * user whom a claimant finds under the lock, unless it is the claimant, which is not inside an atomic of its own then.
 */
final class WordOwnership
{
    /** Stands for more than one thread, or for users outside this process. */
    private static final Object MANY = new Object();

    private final EngineLock engine;
    private volatile boolean isClaimed;
    /** The thread that performs CPU atomics on the words, {@link #MANY}, or null. */
    private volatile Object user;

    WordOwnership(final EngineLock engine)
    {
        this.engine = engine;
    }

    /** Returns true if plain loads and stores update the words. Under the engine's lock; the others are not. */
    boolean isClaimed()
    {
        return isClaimed;
    }

    /** Claims the words for updates under the lock, unless another thread performs CPU atomics on them. */
    void claim()
    {
        if (!isClaimed && !hasOtherUser() && engine.lock())
        {
            isClaimed = !hasOtherUser();
            engine.unlock();
        }
    }

    /** Ends a claim, whichever thread's it is. */
    void release()
    {
        if (isClaimed && engine.lock())
        {
            isClaimed = false;
            engine.unlock();
        }
    }

    /** Permits the calling thread a CPU atomic. */
    void beforeAtomic()
    {
        final Object thread = Thread.currentThread();
        if (isClaimed || thread != user && MANY != user)
        {
            share(thread);
        }
    }

    /** Permits CPU atomics to all that reach the heap, indefinitely. */
    void bar()
    {
        share(MANY);
    }

    private boolean hasOtherUser()
    {
        final Object current = user;
        return null != current && Thread.currentThread() != current;
    }

    private void share(final Object nextUser)
    {
        // a retired engine makes no pass
        final boolean isLocked = engine.lock();
        isClaimed = false;
        user = null == user || nextUser == user ? nextUser : MANY;
        if (isLocked)
        {
            engine.unlock();
        }
    }
}
