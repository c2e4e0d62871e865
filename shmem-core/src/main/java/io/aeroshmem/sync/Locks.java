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
import io.aeroshmem.ShmemException;
import io.aeroshmem.ShmemInterruptedException;
import io.aeroshmem.SymmetricBuffer;
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

import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadFactory;

/**
 * Distributed locks, first come, first served across PEs and threads.
 * <p>
 * The 8 bytes of a lock hold two 32-bit words: the next ticket to be issued, and the ticket that is being served. The
 * address of the lock determines its home PE, so that locks spread over the job. The words on the home PE are used; the
 * copies on other PEs are not.
 * <ul>
 *     <li>lock: take the next ticket by fetch-and-add, and wait until this ticket is served.</li>
 *     <li>test: read the served ticket {@code s}. By compare-and-swap, take the next ticket if its number is {@code s}
 *     too. This succeeds only when no thread holds the lock or waits for it: the served ticket only grows, and never
 *     exceeds the next ticket. So if the next ticket is {@code s}, the served ticket is still {@code s}.</li>
 *     <li>unlock: complete all operations that this PE has issued on its default context, then serve the next
 *     ticket.</li>
 * </ul>
 * <p>
 * <b>Ordering.</b> The words change by atomic operations only, on every transport. The holder's operations on the
 * default context are complete when it serves the next ticket. The next holder reads that ticket by an atomic fetch.
 * <p>
 * <b>Polling.</b> A poll of the served ticket by messages is a round trip, and costs the home PE time. So the more
 * tickets precede a waiter's own, the less often the waiter polls by messages.
 * <p>
 * <b>Interrupts.</b> Every ticket that was taken must be served, or the lock is blocked indefinitely. So the access to
 * the words is not interrupted, and has no time limit. If the wait for a ticket is interrupted or times out, a library
 * thread waits in place of the caller and passes the lock on.
 */
public class Locks
{
    private static final long SERVED = Integer.BYTES;
    private static final int MAX_PAUSES = 16;
    private static final String WHAT = "lock";
    /** Addresses of locks in device memory are its offsets plus this base. */
    private static final long DEVICE_BASE = 1L << 62;
    private static final BlockedCall LOCK = BlockedCall.ofAnyPe(WHAT);

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
     * Tickets that library threads pass on. Such a thread holds the monitor while it accesses a lock, so that none does
     * after the memory was freed.
     */
    private final Set<Ticket> passedOn = new HashSet<>();

    private volatile boolean isClosed;

    private record Ticket(int home, long address, int number)
    {
    }

    /**
     * Constructs the locks of a PE.
     *
     * @param context       that an unlock completes.
     * @param threadFactory makes the thread that waits in place of an interrupted one.
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
        if (timeoutNs < 0)
        {
            throw new IllegalArgumentException("timeoutNs must be >= 0: timeoutNs=" + timeoutNs);
        }

        if (0 == timeoutNs)
        {
            return test(buffer, offset);
        }

        return take(buffer, offset, BlockingWait.deadlineIn(timeoutNs));
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
        final int ticket = fetchAtomic(home, AtomicOp.ADD, address, 1, 0);
        boolean isTurn = false;
        try
        {
            isTurn = awaitTurn(home, address, ticket, deadlineNs);
        }
        catch (final ShmemInterruptedException ex)
        {
            passOnLater(new Ticket(home, address, ticket));
            throw ex;
        }

        if (isTurn)
        {
            hold(address);
        }
        else
        {
            passOnLater(new Ticket(home, address, ticket));
        }

        return isTurn;
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
        final int served = served(home, address);
        if (served != fetchAtomic(home, AtomicOp.COMPARE_SWAP, address, served + 1, served))
        {
            endpoint.progress();
            return false;
        }

        hold(address);
        return true;
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
     * Forgets the holders of locks in memory that was freed, and the tickets to pass on: the next allocation there has
     * locks of its own.
     *
     * @param offset in the buffer, from which on it was freed.
     */
    public void forget(final SymmetricBuffer buffer, final long offset)
    {
        final long start = HeapAccess.start(buffer) + base(buffer);
        final long begin = start + offset;
        final long end = start + HeapAccess.length(buffer);
        synchronized (holders)
        {
            holders.keySet().removeIfLong((lock) -> lock >= begin && lock < end);
        }
        synchronized (passedOn)
        {
            passedOn.removeIf((ticket) -> ticket.address >= begin && ticket.address < end);
        }
    }

    /** Stops library threads that wait in place of an interrupted one. */
    public void close()
    {
        isClosed = true;
    }

    private long address(final SymmetricBuffer buffer, final long offset)
    {
        final long address = HeapAccess.alignedAddress(buffer, owner, offset, Long.BYTES, Operand.LOCK) + base(buffer);
        waiting.checkFailure();
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

    private int served(final int home, final long address)
    {
        return fetchAtomic(home, AtomicOp.FETCH, address + SERVED, 0, 0);
    }

    private void serveNext(final int home, final long address)
    {
        waiting.beginUnlimited();
        try
        {
            endpoint.transport(home).atomicInt(home, AtomicOp.ADD, region(address), offset(address) + SERVED, 1);
            endpoint.flush();
        }
        finally
        {
            waiting.endUnlimited();
        }
    }

    /** Returns false if the deadline has expired. */
    private boolean awaitTurn(final int home, final long address, final int ticket, final long deadlineNs)
    {
        final boolean isTimed = BlockingWait.NO_DEADLINE != deadlineNs;
        final boolean isMessaging = endpoint.transport(home).isMessaging();
        int round = 0;
        int before = ticket - served(home, address);
        while (0 != before && (!isTimed || System.nanoTime() - deadlineNs < 0))
        {
            final int pauses = isMessaging ? Math.min(before, MAX_PAUSES) : 1;
            for (int i = 0; i < pauses; i++)
            {
                round = isTimed ? waiting.idle(round, BlockingWait.NO_DEADLINE, WHAT) :
                    waiting.idle(round, BlockingWait.NO_DEADLINE, LOCK);
            }

            before = ticket - served(home, address);
        }

        if (isTimed)
        {
            waiting.end(round, null);
        }
        else
        {
            waiting.end(round, LOCK);
        }

        return 0 == before;
    }

    /** Performs an atomic operation whose result is not lost to an interrupt or a time limit. */
    private int fetchAtomic(final int home, final int op, final long address, final int value, final int cond)
    {
        waiting.beginUnlimited();
        try
        {
            return endpoint.transport(home).fetchAtomicInt(home, op, region(address), offset(address), value, cond);
        }
        finally
        {
            waiting.endUnlimited();
        }
    }

    private void passOnLater(final Ticket ticket)
    {
        synchronized (passedOn)
        {
            passedOn.add(ticket);
        }
        Threads.daemon(threadFactory.newThread(() -> passOn(ticket))).start();
    }

    private void passOn(final Ticket ticket)
    {
        try
        {
            int round = 0;
            while (!isClosed && !tryPassOn(ticket))
            {
                round = waiting.idle(round, BlockingWait.NO_DEADLINE, WHAT);
            }
            waiting.end(round, null);
        }
        catch (final ShmemException | IllegalStateException ex)
        {
            // After a failure of the job, or the close of this PE, the lock is not passed on.
            if (null == endpoint.failure() && !isClosed)
            {
                errorHandler.onError(ex);
            }
        }
    }

    /** Returns false if it is not the ticket's turn. */
    private boolean tryPassOn(final Ticket ticket)
    {
        synchronized (passedOn)
        {
            if (passedOn.contains(ticket))
            {
                if (ticket.number != served(ticket.home, ticket.address))
                {
                    return false;
                }

                serveNext(ticket.home, ticket.address);
                passedOn.remove(ticket);
            }
        }
        return true;
    }
}
