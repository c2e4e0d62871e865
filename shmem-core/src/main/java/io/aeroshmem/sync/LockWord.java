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

/**
 * The state of a lock: a queue of tickets, in 8 bytes that are 0 at first.
 * <pre>
 *  63            48 47            32 31                             0
 * +----------------+----------------+--------------------------------+
 * |     served     |     issued     |           withdrawn            |
 * +----------------+----------------+--------------------------------+
 * </pre>
 * The tickets {@code served} to {@code served + issued - 1} are outstanding, modulo 2<sup>16</sup>. The first is the
 * holder's. Bit {@code t % 32} of the last field is set if ticket {@code t} was withdrawn, which is possible for the
 * first {@value #WINDOW} tickets. The owner of the ticket right behind a withdrawn one takes that in exchange for its
 * own. So a withdrawn ticket moves back, past the waiters that do not withdraw and in steps of theirs, until it is the
 * last one and no longer issued.
 */
final class LockWord
{
    /** Number of tickets, from the served one on, that can be withdrawn where they stand. */
    static final int WINDOW = Integer.SIZE;

    /** Addend that issues a ticket, whose number is {@link #next} of the word before. */
    static final long TAKE = 1L << 32;
    /** Addend that passes the lock on: the served ticket is no longer outstanding, and the next one is served. */
    static final long PASS = (1L << 48) - TAKE;

    private static final int MASK = 0xFFFF;

    /*
     * A waiter can always move up to the served ticket. Never are all of the first WINDOW tickets withdrawn: a ticket
     * is withdrawn only if its predecessor is not, or has just been exchanged, and ticket served is passed by its
     * owner, so it was not withdrawn, nor was the one that the window then gains. So the first owner behind withdrawn
     * tickets is within the window. The last ticket is never a withdrawn one, so a lock is free if and only if no
     * ticket is issued.
     */
    private LockWord()
    {
    }

    static boolean isFree(final long word)
    {
        return 0 == issued(word);
    }

    /** Returns whether the next ticket to be issued could be withdrawn at once. */
    static boolean hasRoom(final long word)
    {
        return issued(word) < WINDOW;
    }

    /** Returns the number of the next ticket to be issued. */
    static int next(final long word)
    {
        return (served(word) + issued(word)) & MASK;
    }

    /** Returns the number of the ticket that was issued before another. */
    static int predecessor(final int ticket)
    {
        return (ticket - 1) & MASK;
    }

    /** Returns how many tickets precede an outstanding one; 0 if it is served. */
    static int preceding(final long word, final int ticket)
    {
        return (ticket - served(word)) & MASK;
    }

    /** Returns whether the predecessor of an outstanding ticket is withdrawn, and can be exchanged for it. */
    static boolean canMoveUp(final long word, final int ticket)
    {
        final int preceding = preceding(word, ticket);
        return preceding > 0 && preceding <= WINDOW && 0 != (word & bit(ticket - 1)) && canWithdraw(word, ticket);
    }

    /** Withdraws a ticket in exchange for its predecessor; only if {@link #canMoveUp}. */
    static long movedUp(final long word, final int ticket)
    {
        return withdrawn(word & ~bit(ticket - 1), ticket);
    }

    /** Returns whether an outstanding ticket is the last or within the window. */
    static boolean canWithdraw(final long word, final int ticket)
    {
        return preceding(word, ticket) < WINDOW || isLast(word, ticket);
    }

    /** Withdraws a ticket whose predecessor is not withdrawn; only if {@link #canWithdraw}. */
    static long withdrawn(final long word, final int ticket)
    {
        if (0 == preceding(word, ticket))
        {
            return word + PASS;
        }

        return isLast(word, ticket) ? word - TAKE : word | bit(ticket);
    }

    private static boolean isLast(final long word, final int ticket)
    {
        return preceding(word, ticket) == issued(word) - 1;
    }

    private static int served(final long word)
    {
        return (int)(word >>> 48);
    }

    private static int issued(final long word)
    {
        return (int)(word >>> 32) & MASK;
    }

    private static long bit(final int ticket)
    {
        return 1L << (ticket & (WINDOW - 1));
    }
}
