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
 * Ownership of those words of this PE's user heap that atomic operations update. A session can claim the words. While
 * they are claimed, only the holder of the lock of the {@link ProgressEngine} performs these updates: by a load and a
 * store, or by a CPU atomic for a compare-and-swap. While the words are not claimed, every update is a CPU atomic,
 * which takes several times as long.
 */
final class WordOwnership
{
    /** Stands for more than one thread, or for users outside this process. */
    private static final Object MANY = new Object();

    /*
     * The thread of a session claims the words if the session has the options BATCH and SAME_AMO. By the latter the
     * program promises to update the words only by operations of the library. The thread's own updates of the words are
     * gathered, and the holder of the lock performs them, as it performs the updates of peers. An atomic update or a
     * signal of this PE that is not gathered ends the claim first, see OwnTransport. A heap that other processes or
     * kernels may update is never claimed.
     *
     * Ordering. isClaimed changes under the lock only. So it is constant during a pass over updates, and each pass sees
     * the stores of earlier passes. A thread that performs atomic updates outside the lock is a user of the words. The
     * field user holds the user if there is only one so far. If there are several, or if other processes may update the
     * words, the field holds MANY, and every thread counts as a user. No atomic update outside the lock overlaps a
     * claim:
     * - Before an atomic update, a thread calls beforeAtomic. This method returns at once if nothing is claimed and the
     *   thread is a user already. Otherwise, under the lock, it ends the claim, if there is one, and makes the thread a
     *   user.
     * - A user remains one. A thread claims, under the lock, only while no other thread is a user.
     * - So no thread claims while another thread may be performing an atomic update. The claimant is not inside one
     *   itself, since it is inside claim.
     */
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
    void useAtomics()
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
