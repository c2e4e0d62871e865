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
package io.aeroshmem.simulation;

import io.aeroshmem.transport.SimulatedThread;
import io.aeroshmem.transport.aeron.ProgressAgent;
import org.agrona.UnsafeApi;
import org.agrona.concurrent.AgentRunner;

import java.util.concurrent.locks.LockSupport;

/**
 * What goes on by itself in a world: the program of a PE, or a thread that the library started for it.
 * <ul>
 * <li><b>Gated:</b> a thread that runs only while it has the baton of its world. It passes the baton on wherever it
 * pauses.</li>
 * <li><b>Polled:</b> an agent of the library. Its thread never starts: the actor that has the baton runs its duty
 * cycles.</li>
 * </ul>
 */
final class Actor extends SimulatedThread
{
    private static final long NEVER = Long.MAX_VALUE;
    private static final int WORDS = 8;
    /** Reads in vain of the same words after which a program that polls by itself waits for others. */
    private static final int POLLS = 1 << 17;

    final int pe;
    final int number;
    /** Whether it only serves others at intervals: what it does is no sign that the job proceeds. */
    final boolean isService;

    private final World world;
    private final Runnable task;
    /** Of an actor that is polled, else null. */
    private final AgentRunner runner;
    private volatile boolean isStarted;
    /** Time until which it is parked, or 0. */
    private long wakeNs;
    private boolean hasPermit;
    private boolean isHeld;
    private long idleSince = -1;
    private volatile boolean isEnded;

    /** Pauses in vain since the event of that number. */
    long event;
    int pausesInVain;
    /** The words that it has read last, by which it is known that it polls them. */
    private final long[] keys = new long[WORDS];
    private final long[] values = new long[WORDS];
    private int lastWord;
    private boolean isPolling;

    /** Of the schedules that have priorities. */
    long priority;

    Actor(final World world, final int pe, final int number, final boolean isService, final Runnable task)
    {
        super("simulated-pe-" + pe + "-" + number);
        this.world = world;
        this.pe = pe;
        this.number = number;
        this.isService = isService;
        this.task = task;
        runner = task instanceof final AgentRunner agentRunner ? agentRunner : null;
        setDaemon(true);
    }

    @Override
    public void start()
    {
        isStarted = true;
        if (isPolled())
        {
            runner.agent().onStart();
        }
        else
        {
            super.start();
        }
    }

    boolean isPolled()
    {
        return null != runner;
    }

    /** Runs a duty cycle of an actor that is polled, and returns whether there was anything to do. */
    boolean poll() throws Exception
    {
        return runner.agent().doWork() > 0;
    }

    /** Drives the engines of an actor that is polled, and nothing that may wait. */
    void pollEngines()
    {
        ((ProgressAgent)runner.agent()).pollEngines();
    }

    @Override
    public void run()
    {
        try
        {
            awaitBaton();
            task.run();
        }
        catch (final World.Ended ex)
        {
            // the world has ended while this thread was in the middle of something
        }
        finally
        {
            isEnded = true;
            world.onEnd(this);
        }
    }

    /** An access of the program: a poll if it was at the address before, and finds the same there. */
    @Override
    protected void step(final long address)
    {
        world.onAccess(this, address, UnsafeApi.getLong(address & -Long.BYTES));
    }

    /** Returns whether it has read this word lately, and found the same value. */
    boolean hasSeen(final long key, final long value)
    {
        for (int i = 0; i < WORDS; i++)
        {
            if (keys[i] == key)
            {
                isPolling = values[i] == value;
                values[i] = value;
                return isPolling;
            }
        }

        lastWord = (lastWord + 1) % WORDS;
        keys[lastWord] = key;
        values[lastWord] = value;
        isPolling = false;
        return false;
    }

    /** It polls by calls of the library that do not wait, or waits in one. */
    void polling(final boolean isPolling)
    {
        this.isPolling = isPolling;
    }

    /** Returns after how many pauses in vain it waits for others: more in a loop that may end by itself. */
    int patience()
    {
        return isPolling ? POLLS : World.QUIET;
    }

    void awaitBaton()
    {
        while (world.holder() != this)
        {
            LockSupport.park(world);
        }
    }

    boolean isAtWork()
    {
        return isStarted && !isEnded && (null == runner || !runner.isClosed());
    }

    boolean isEnded()
    {
        return isEnded;
    }

    /** Returns whether it would go on if it got the baton at this time. */
    boolean isRunnable(final long nowNs)
    {
        return !isHeld && (hasPermit || wakeNs <= nowNs) && isAtWork();
    }

    /** Returns when it goes on by itself. */
    long wakeNs()
    {
        return isAtWork() && !isHeld ? wakeNs : NEVER;
    }

    boolean isParked()
    {
        return 0 != wakeNs;
    }

    void parkUntil(final long timeNs)
    {
        wakeNs = timeNs;
    }

    /** It goes on, or would if it got the baton. */
    void goOn()
    {
        wakeNs = 0;
        hasPermit = false;
    }

    void unpark()
    {
        hasPermit = true;
    }

    /** It has polled in vain after the change of this number, or has not since it could. */
    void idleSince(final long change)
    {
        idleSince = change;
    }

    /** Returns whether it would poll in vain again, if nothing has changed since the change of this number. */
    boolean isIdleSince(final long change)
    {
        return change == idleSince;
    }

    /** It gets the baton no more, until it is released. */
    void hold(final boolean value)
    {
        isHeld = value;
    }

    boolean isHeld()
    {
        return isHeld;
    }
}
