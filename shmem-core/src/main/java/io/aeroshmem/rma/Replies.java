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
package io.aeroshmem.rma;

import io.aeroshmem.transport.Pending;
import io.aeroshmem.transport.progress.BlockingWait;

import java.util.concurrent.atomic.AtomicBoolean;

/**
 * The outstanding replies to the nonblocking gets and fetches of one context. A quiet of the context waits for them.
 * <p>
 * One count is not enough: while another thread keeps issuing operations on the same context, a quiet might never
 * observe the count at zero. So there are two counts, one of which is current. An operation adds to the current count.
 * A quiet waits until the count that is not current is zero, and makes it the current one. Then it waits until the
 * previously current count is zero.
 */
final class Replies
{
    /*
     * Why each wait ends. A quiet always waits for a count that is not current. A thread can still add to this count if
     * it read the field current before the field last changed. It can do so only once, because it reads current again
     * for its next operation.
     *
     * Why nothing is missed. An operation issued before a quiet is in one of the two counts. The quiet observes each
     * count at zero after the quiet has begun.
     *
     * Turns. Quiets of several threads take turns. Otherwise one quiet could change current during the second wait of
     * another quiet, and operations would add again to the count for which that quiet waits.
     */
    private final Pending even = new Pending();
    private final Pending odd = new Pending();
    private final AtomicBoolean isDraining = new AtomicBoolean();
    private volatile Pending current = even;

    /** Returns the count for an operation that is issued now. */
    Pending current()
    {
        return current;
    }

    /** Sets whether the context is in a batch. */
    void batch(final boolean isBatch)
    {
        even.batch(isBatch);
        odd.batch(isBatch);
    }

    boolean isIdle()
    {
        return even.isIdle() && odd.isIdle();
    }

    void await(final BlockingWait wait, final long deadlineNs, final String callName)
    {
        if (isIdle())
        {
            return;
        }

        int round = 0;
        while (!isDraining.compareAndSet(false, true))
        {
            round = wait.idle(round, deadlineNs, callName);
        }

        wait.reset(round);

        try
        {
            final Pending former = current;
            final Pending next = even == former ? odd : even;
            await(next, wait, deadlineNs, callName);
            current = next;
            await(former, wait, deadlineNs, callName);
        }
        finally
        {
            isDraining.set(false);
        }
    }

    static void await(final Pending pending, final BlockingWait wait, final long deadlineNs, final String callName)
    {
        int round = 0;
        while (!pending.isIdle())
        {
            round = wait.idle(round, deadlineNs, callName);
        }

        wait.reset(round);
    }
}
