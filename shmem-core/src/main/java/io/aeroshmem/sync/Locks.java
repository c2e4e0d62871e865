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

import io.aeroshmem.CommunicationContext;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SymmetricBuffer;
import io.aeroshmem.config.Arguments;
import io.aeroshmem.memory.Allocation;
import io.aeroshmem.memory.HeapAccess;
import io.aeroshmem.memory.Operand;
import io.aeroshmem.transport.AtomicOp;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Threads;
import io.aeroshmem.transport.endpoint.Endpoint;
import io.aeroshmem.transport.progress.BlockedCall;
import io.aeroshmem.transport.progress.BlockingWait;
import io.aeroshmem.transport.progress.ExceptionFactory;
import org.agrona.ErrorHandler;
import org.agrona.collections.Long2ObjectHashMap;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;

/**
 * Distributed locks, first come, first served across PEs and threads.
 * <p>
 * The 8 bytes of a lock are a {@link LockWord}. The address of the lock determines its home PE, so that locks spread
 * over the job. The word on the home PE is used; the copies on other PEs are not.
 * <ul>
 *     <li>lock: take the next ticket by fetch-and-add, and wait until this ticket is served.</li>
 *     <li>test: take the next ticket by compare-and-swap, if none is issued.</li>
 *     <li>unlock: complete all operations that this PE has issued on its default context, then serve the next
 *     ticket.</li>
 *     <li>A wait that ends without the lock, by whatever exception, withdraws its ticket by compare-and-swap, and is
 *     done with the lock then: no thread has to act in its place. The waiters behind it move up.</li>
 * </ul>
 */
public final class Locks
{
    private static final int MAX_PAUSES = 16;
    /** How long a caller withdraws tickets for want of a thread. */
    private static final long CALLER_NS = TimeUnit.SECONDS.toNanos(1);
    /** Limit for the end of a withdrawal under way; a failure of the job ends its waits. */
    private static final long END_LIMIT_NS = TimeUnit.SECONDS.toNanos(5);
    private static final String WHAT = "lock";
    private static final String TIMED_LOCK = "a timed lock";
    /** Addresses of locks in device memory are its offsets plus this base. */
    private static final long DEVICE_BASE = 1L << 62;
    private static final BlockedCall LOCK = BlockedCall.ofAnyPe(WHAT);

    /*
     * Ordering. The word changes by atomic operations only, on every transport, so all PEs see one sequence of its
     * values. The holder's operations on the default context are complete when it serves the next ticket. The next
     * holder reads that it is served by an atomic fetch.
     *
     * Polling. A poll by messages is a round trip, and costs the home PE time. So the more tickets precede a waiter's
     * own, the less often the waiter polls by messages.
     *
     * Interrupts. A ticket that was taken has to be served or withdrawn, or the lock is blocked indefinitely. So the
     * access to the word is not interrupted, and has no time limit. Only the first LockWord.WINDOW tickets can be
     * withdrawn where they stand. A wait with a time limit therefore takes no ticket behind them. A ticket behind them,
     * whose owner was interrupted, is withdrawn as soon as it is one of them, by a thread that does so for all of this
     * PE. Where none can be started, the caller does so for a bounded time, and the later calls for locks of this PE go
     * on.
     */
    private final Object owner;
    private final Endpoint endpoint;
    private final CommunicationContext context;
    private final ExceptionFactory exceptions;
    private final ThreadFactory threadFactory;
    private final ErrorHandler errorHandler;
    private final BlockingWait waiting;
    private final int nPes;

    /** Threads of this PE that hold a lock, by the address of the lock. */
    private final Long2ObjectHashMap<Thread> holders = new Long2ObjectHashMap<>();

    /**
     * Tickets that cannot be withdrawn yet. The thread that withdraws them runs while there are any; it accesses a lock
     * only under the monitor, so not after the memory was freed.
     */
    private final List<Ticket> leftTickets = new ArrayList<>();
    /** Whether a thread withdraws them; guarded by their monitor. */
    private volatile boolean isWithdrawing;
    /** Whether there are some, and no thread withdraws them. */
    private volatile boolean isAbandoned;

    private volatile boolean isClosed;

    private record Ticket(int home, long address, int number)
    {
    }

    /**
     * Constructs the locks of a PE.
     *
     * @param context       that an unlock completes.
     * @param threadFactory makes the thread that withdraws tickets which cannot be withdrawn at once.
     * @param errorHandler  receives the failures of that thread.
     */
    public Locks(
        final Object owner,
        final Endpoint endpoint,
        final CommunicationContext context,
        final ExceptionFactory exceptions,
        final ThreadFactory threadFactory,
        final ErrorHandler errorHandler)
    {
        this.owner = owner;
        this.endpoint = endpoint;
        this.context = context;
        this.exceptions = exceptions;
        this.threadFactory = threadFactory;
        this.errorHandler = errorHandler;
        waiting = endpoint.blockingWait();
        nPes = endpoint.nPes();
    }

    /**
     * Waits until this thread holds a lock.
     *
     * @param offset of the lock, in bytes, 8-byte aligned.
     * @throws ShmemInterruptedException if the thread is interrupted; it does not hold the lock then.
     * @throws IllegalStateException if this thread holds it already.
     */
    public void lock(final SymmetricBuffer buffer, final long offset)
    {
        take(buffer, offset, BlockingWait.NO_DEADLINE);
    }

    /** Takes a lock as {@link #lock} does, within a time limit; returns false if the time has expired. */
    public boolean tryLock(final SymmetricBuffer buffer, final long offset, final long timeoutNs)
    {
        Arguments.notNegative(timeoutNs, "timeoutNs");
        if (0 == timeoutNs)
        {
            return test(buffer, offset);
        }

        return take(buffer, offset, waiting.deadlineIn(timeoutNs));
    }

    private boolean take(final SymmetricBuffer buffer, final long offset, final long deadlineNs)
    {
        final long address = address(buffer, offset);
        checkNotHeld(address);
        if (Thread.currentThread().isInterrupted())
        {
            throw exceptions.interrupted(WHAT);
        }

        final int home = home(address);
        if (BlockingWait.NO_DEADLINE != deadlineNs && !awaitRoom(home, address, deadlineNs))
        {
            return false;
        }

        return awaitTurn(home, address, deadlineNs);
    }

    /**
     * Takes a lock if it is free, and returns whether this thread holds it now. When it is not free, progress is
     * driven: the holder may need this PE to pass it on.
     *
     * @throws IllegalStateException if this thread holds it already.
     */
    public boolean test(final SymmetricBuffer buffer, final long offset)
    {
        final long address = address(buffer, offset);
        checkNotHeld(address);
        final int home = home(address);
        final long word = word(home, address);
        if (!LockWord.isFree(word) || word != compareAndSwap(home, address, word, word + LockWord.TAKE))
        {
            endpoint.progress();
            return false;
        }

        return holdOrPass(home, address);
    }

    /**
     * Completes what this PE has issued on its default context, and passes a lock on.
     *
     * @throws IllegalStateException if no thread of this PE holds the lock.
     */
    public void unlock(final SymmetricBuffer buffer, final long offset)
    {
        final long address = address(buffer, offset);
        synchronized (holders)
        {
            checkHeld(address, holders.get(address));
        }

        context.quiet();
        synchronized (holders)
        {
            checkHeld(address, holders.remove(address));
        }

        serveNext(home(address), address);
    }

    private void checkHeld(final long address, final Thread holder)
    {
        if (null == holder)
        {
            throw new IllegalStateException(
                "unlock must be called for a lock that " + owner + " holds: address=" + address);
        }
    }

    /**
     * Forgets the holders of locks in memory that was freed, and the tickets to withdraw: the next allocation there has
     * locks of its own.
     *
     * @param offset in the buffer, from which on it was freed.
     */
    public void forget(final SymmetricBuffer buffer, final long offset)
    {
        final long start = HeapAccess.start(buffer) + base(buffer);
        forget(start + offset, start + HeapAccess.length(buffer));
    }

    private void forget(final long begin, final long end)
    {
        synchronized (holders)
        {
            holders.keySet().removeIfLong((lock) -> lock >= begin && lock < end);
        }

        synchronized (leftTickets)
        {
            leftTickets.removeIf((ticket) -> ticket.address >= begin && ticket.address < end);
        }
    }

    /** Forgets the locks in an allocation that was freed. */
    public void forget(final Allocation allocation)
    {
        forget(allocation.address(), allocation.address() + allocation.length());
    }

    /** Throws if there can be no lock at a place. */
    public void check(final SymmetricBuffer buffer, final long offset)
    {
        address(buffer, offset);
    }

    /** Makes a lock free that no thread of any PE holds or waits for any more. */
    public void reset(final SymmetricBuffer buffer, final long offset)
    {
        final long address = address(buffer, offset);
        forget(address, address + Long.BYTES);
        final int home = home(address);
        if (home == endpoint.pe())
        {
            fetchAtomic(home, AtomicOp.SWAP, address, 0, 0);
        }
    }

    /** Stops the library thread that withdraws tickets. */
    public void close()
    {
        isClosed = true;
        // what is stored later may reach a lock in the retained memory of the next generation
        endpoint.pause().await(this, () -> !isWithdrawing, END_LIMIT_NS);
    }

    private long address(final SymmetricBuffer buffer, final long offset)
    {
        final long address = HeapAccess.alignedAddress(buffer, owner, offset, Long.BYTES, Operand.LOCK) + base(buffer);
        waiting.checkFailure();
        endpoint.pause().step();
        if (isAbandoned)
        {
            resumeWithdrawals();
        }

        return address;
    }

    private static long base(final SymmetricBuffer buffer)
    {
        return Region.DEVICE == HeapAccess.region(buffer) ? DEVICE_BASE : 0;
    }

    private static int region(final long address)
    {
        return address < DEVICE_BASE ? Region.USER : Region.DEVICE;
    }

    private static long offset(final long address)
    {
        return address & (DEVICE_BASE - 1);
    }

    private int home(final long address)
    {
        final long scattered = (address >>> 3) * 0x9E3779B97F4A7C15L;
        return (int)((scattered >>> 33) % nPes);
    }

    private void checkNotHeld(final long address)
    {
        synchronized (holders)
        {
            if (Thread.currentThread() == holders.get(address))
            {
                throw new IllegalStateException(
                    "a lock must not be taken twice by a thread: address=" + address + ", held by this thread of " +
                    owner);
            }
        }
    }

    private void hold(final long address)
    {
        synchronized (holders)
        {
            holders.put(address, Thread.currentThread());
        }
    }

    /** Notes this thread as the holder of a lock whose ticket it has; if it cannot, it passes the lock on. */
    private boolean holdOrPass(final int home, final long address)
    {
        try
        {
            hold(address);
        }
        catch (final RuntimeException | Error ex)
        {
            serveNext(home, address);
            throw ex;
        }

        return true;
    }

    private void serveNext(final int home, final long address)
    {
        waiting.beginUnlimited();
        try
        {
            endpoint.transport(home).atomicLong(home, AtomicOp.ADD, region(address), offset(address), LockWord.PASS);
            endpoint.flush();
        }
        finally
        {
            waiting.endUnlimited();
        }
    }

    /**
     * Waits until a ticket that is taken can be withdrawn at any time; returns false if the deadline has expired. By
     * messages it costs a round trip: no atomic operation issues a ticket on this condition, whatever others issue.
     */
    private boolean awaitRoom(final int home, final long address, final long deadlineNs)
    {
        int round = 0;
        while (!LockWord.hasRoom(word(home, address)))
        {
            if (waiting.isPast(deadlineNs))
            {
                waiting.reset(round);
                return false;
            }

            round = waiting.idle(round, BlockingWait.NO_DEADLINE, WHAT);
        }

        waiting.reset(round);
        return true;
    }

    /** Takes a ticket and waits for the lock; returns false, without the ticket, if the deadline has expired. */
    private boolean awaitTurn(final int home, final long address, final long deadlineNs)
    {
        final boolean isTimed = BlockingWait.NO_DEADLINE != deadlineNs;
        final boolean isMessaging = endpoint.transport(home).isMessaging();
        boolean isHeld = false;
        int round = 0;
        long word = fetchAtomic(home, AtomicOp.ADD, address, LockWord.TAKE, 0);
        int ticket = LockWord.next(word);
        int preceding = LockWord.preceding(word, ticket);
        try
        {
            while (0 != preceding && !waiting.isPast(deadlineNs))
            {
                final int pauses = isMessaging ? Math.min(preceding, MAX_PAUSES) : 1;
                for (int i = 0; i < pauses; i++)
                {
                    round = isTimed ? waiting.idle(round, BlockingWait.NO_DEADLINE, TIMED_LOCK) :
                        waiting.idle(round, BlockingWait.NO_DEADLINE, LOCK);
                }

                word = word(home, address);
                while (LockWord.canMoveUp(word, ticket))
                {
                    final long moved = LockWord.movedUp(word, ticket);
                    final long seen = compareAndSwap(home, address, word, moved);
                    ticket = seen == word ? LockWord.predecessor(ticket) : ticket;
                    word = seen == word ? moved : seen;
                }

                preceding = LockWord.preceding(word, ticket);
            }

            waiting.reset(round, isTimed ? null : LOCK);
            if (0 == preceding)
            {
                hold(address);
                isHeld = true;
            }
        }
        finally
        {
            if (!isHeld)
            {
                withdraw(home, address, ticket);
            }
        }

        return isHeld;
    }

    /** Withdraws a ticket, now or as soon as it can be withdrawn. */
    private void withdraw(final int home, final long address, final int ticket)
    {
        if (!tryWithdraw(home, address, ticket))
        {
            final boolean isIdle;
            synchronized (leftTickets)
            {
                isIdle = !isWithdrawing;
                isWithdrawing = true;
                leftTickets.add(new Ticket(home, address, ticket));
            }

            if (isIdle)
            {
                startWithdrawals(CALLER_NS);
            }
        }
    }

    /** Attempts again to start the thread that withdraws what is left. */
    private void resumeWithdrawals()
    {
        final boolean isDue;
        synchronized (leftTickets)
        {
            isAbandoned = false;
            isDue = !isWithdrawing && !leftTickets.isEmpty();
            isWithdrawing |= isDue;
        }

        if (isDue)
        {
            startWithdrawals(0);
        }
    }

    /** Withdraws a ticket, after it has moved up; returns false if it is not among those that can be withdrawn. */
    private boolean tryWithdraw(final int home, final long address, final int ticket)
    {
        int number = ticket;
        long word = word(home, address);
        while (LockWord.canWithdraw(word, number))
        {
            final boolean isMove = LockWord.canMoveUp(word, number);
            final long changed = isMove ? LockWord.movedUp(word, number) : LockWord.withdrawn(word, number);
            final long seen = compareAndSwap(home, address, word, changed);
            if (seen != word)
            {
                word = seen;
            }
            else if (isMove)
            {
                // It is within the window then, and stays there.
                word = changed;
                number = LockWord.predecessor(number);
            }
            else
            {
                return true;
            }
        }

        return false;
    }

    /** Starts the thread that withdraws what is left; where none can be started, the caller does this for a time. */
    private void startWithdrawals(final long callerNs)
    {
        try
        {
            Threads.daemon(threadFactory.newThread(() -> withdrawLeft(BlockingWait.NO_DEADLINE))).start();
        }
        catch (final RuntimeException | Error ex)
        {
            Threads.report(errorHandler, ex);
            withdrawLeft(waiting.deadlineIn(callerNs));
        }
    }

    /** Goes on after any exception, until the job or the PE has ended: a ticket that is left would block its lock. */
    private void withdrawLeft(final long deadlineNs)
    {
        int round = 0;
        while (tryWithdrawLeft(deadlineNs))
        {
            try
            {
                waiting.beginUnlimited();
                round = waiting.idle(round, BlockingWait.NO_DEADLINE, WHAT);
            }
            catch (final Throwable ex)
            {
                Threads.report(errorHandler, ex);
            }
            finally
            {
                waiting.endUnlimited();
            }
        }

        waiting.reset(round);
    }

    /** Withdraws what it can. Returns false if nothing is left to do, or the time for it has passed. */
    private boolean tryWithdrawLeft(final long deadlineNs)
    {
        synchronized (leftTickets)
        {
            try
            {
                final Iterator<Ticket> tickets = leftTickets.iterator();
                while (isInJob() && tickets.hasNext())
                {
                    final Ticket ticket = tickets.next();
                    if (tryWithdraw(ticket.home, ticket.address, ticket.number))
                    {
                        tickets.remove();
                    }
                }
            }
            catch (final Throwable ex)
            {
                if (isInJob())
                {
                    Threads.report(errorHandler, ex);
                }
            }

            final boolean isLeft = isInJob() && !leftTickets.isEmpty();
            isWithdrawing = isLeft && !waiting.isPast(deadlineNs);
            isAbandoned = isLeft && !isWithdrawing;
            return isWithdrawing;
        }
    }

    /** After a failure of the job, or the close of this PE, no ticket is of use. */
    private boolean isInJob()
    {
        return !isClosed && null == endpoint.failure();
    }

    private long word(final int home, final long address)
    {
        return fetchAtomic(home, AtomicOp.FETCH, address, 0, 0);
    }

    /** Returns the previous word, which is the expected one if it was replaced. */
    private long compareAndSwap(final int home, final long address, final long expected, final long word)
    {
        return fetchAtomic(home, AtomicOp.COMPARE_SWAP, address, word, expected);
    }

    /** Performs an atomic operation whose result is not lost to an interrupt or a time limit. */
    private long fetchAtomic(final int home, final int op, final long address, final long value, final long cond)
    {
        waiting.beginUnlimited();
        try
        {
            return endpoint.transport(home).fetchAtomicLong(home, op, region(address), offset(address), value, cond);
        }
        finally
        {
            waiting.endUnlimited();
        }
    }
}
