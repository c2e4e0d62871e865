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
package io.aeroshmem.sync;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertTrue;

@Tag("jdk")
class LockWordTest
{
    private static final int CALLERS = 50;
    private static final int STEPS = 400_000;

    /** A caller in the queue. */
    private static final class Caller
    {
        private int ticket;
        private boolean isLeaving;
    }

    /** All numbers of tickets occur, and more callers than fit the window. */
    @Test
    void shouldServeInOrderThoseWhoDoNotWithdraw()
    {
        final long seed = System.nanoTime();
        final Random random = new Random(seed);
        final List<Caller> queue = new ArrayList<>();
        long word = 0;
        int target = CALLERS;
        for (int step = 0; step < STEPS; step++)
        {
            final String state = "seed=" + seed + " step=" + step + " word=" + Long.toHexString(word);
            if (0 == step % 1000)
            {
                target = 1 + random.nextInt(CALLERS);
            }

            if (queue.size() < target && random.nextBoolean())
            {
                assertEquals(queue.isEmpty(), LockWord.isFree(word), state);
                final Caller caller = new Caller();
                caller.ticket = LockWord.next(word);
                queue.add(caller);
                word += LockWord.TAKE;
            }
            else if (!queue.isEmpty())
            {
                word = step(word, queue, random, state);
            }
        }

        while (!queue.isEmpty())
        {
            word = step(word, queue, random, "seed=" + seed + " at the end");
        }

        assertTrue(LockWord.isFree(word), "seed=" + seed);
        assertEquals(0, (int)word, "seed=" + seed);
    }

    /** Performs a step of a caller: it moves up, withdraws, or passes the lock on; the first can always do one. */
    private static long step(final long word, final List<Caller> queue, final Random random, final String state)
    {
        final Caller caller = queue.get(0 == random.nextInt(3) ? 0 : random.nextInt(queue.size()));
        final boolean isFirst = caller == queue.get(0);
        if (LockWord.canMoveUp(word, caller.ticket))
        {
            final long moved = LockWord.movedUp(word, caller.ticket);
            caller.ticket = LockWord.predecessor(caller.ticket);
            return moved;
        }

        if (0 == LockWord.preceding(word, caller.ticket))
        {
            assertSame(queue.get(0), caller, state);
            queue.remove(caller);
            return caller.isLeaving ? LockWord.withdrawn(word, caller.ticket) : word + LockWord.PASS;
        }

        assertTrue(!isFirst, "the first has neither the lock nor a place to move up to: " + state);
        caller.isLeaving |= random.nextBoolean();
        if (caller.isLeaving && LockWord.canWithdraw(word, caller.ticket))
        {
            queue.remove(caller);
            return LockWord.withdrawn(word, caller.ticket);
        }

        return word;
    }

    /** Two callers that take turns in giving up leave nothing behind but their own tickets. */
    @Test
    void shouldNotAccumulateWithdrawnTickets()
    {
        long word = LockWord.TAKE;
        int waiting = LockWord.next(word);
        word += LockWord.TAKE;
        for (int i = 0; i < 1_000_000; i++)
        {
            final int next = LockWord.next(word);
            word += LockWord.TAKE;
            word = LockWord.withdrawn(word, waiting);
            assertTrue(LockWord.canMoveUp(word, next));
            word = LockWord.movedUp(word, next);
            waiting = LockWord.predecessor(next);
            assertEquals(1, LockWord.preceding(word, waiting));
        }
    }
}
