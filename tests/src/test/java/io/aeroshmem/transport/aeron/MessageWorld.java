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

import io.aeroshmem.simulation.SimulatedNetwork;
import io.aeroshmem.simulation.Trace;
import io.aeroshmem.simulation.TracedTransport;
import io.aeroshmem.transport.MemorySpace;
import io.aeroshmem.transport.PathKind;
import io.aeroshmem.transport.Region;
import io.aeroshmem.transport.Transport;
import io.aeroshmem.transport.job.JobDirectory;
import io.aeroshmem.transport.job.JobFailure;

import java.util.Arrays;
import java.util.SplittableRandom;

/**
 * PEs that exchange messages over a {@link SimulatedNetwork}, all on one thread: {@link #step()} runs an actor of the
 * seed's choice. An actor is the network, the engine of a PE, or its {@link MessageProgram}. A program that waits runs
 * further steps inside its wait, of any other actor. So programs may wait for engines and for the network, but not for
 * one another.
 * <p>
 * In a third of the worlds each actor is as likely as any other, in a third one actor starves for a while, and in the
 * others the order of precedence of the actors changes from time to time.
 */
final class MessageWorld
{
    static final int TERM_LENGTH = 64 * 1024;
    private static final int EPOCH = 5;
    /**
     * Steps without any effect, for each pair of PEs, after which nothing more can happen: one step in some hundreds is
     * of a given stream, and fewer where others take precedence.
     */
    private static final int QUIET_STEPS = 25_000;
    private static final int STARVATION = 3_000;
    private static final int PRECEDENCE = 5_000;

    final long seed;
    final SplittableRandom random;
    final JobDirectory directory;
    final SimulatedNetwork network;
    final SimulatedPe[] pes;
    final SharedWords words;
    final int nProcesses;
    private final MessageFaults faults;
    private final int policy;
    private final int[] order;
    private int victim = -1;
    private long victimUntil;
    private long orderUntil;
    private long steps;
    private long lastEffect;
    private final Trace trace = new Trace();
    private JobFailure failure;
    private boolean isEnding;

    /**
     * Joins the PEs.
     *
     * @param directory of a job of as many PEs, which has not failed.
     */
    MessageWorld(final long seed, final JobDirectory directory, final MessageFaults faults)
    {
        this.seed = seed;
        this.directory = directory;
        this.faults = faults;
        random = new SplittableRandom(seed);
        final int nPes = directory.nPes();
        policy = random.nextInt(3);
        order = new int[2 * nPes + 1];
        final boolean isUdp = random.nextBoolean();
        nProcesses = 1 + random.nextInt(nPes);
        final int mtu = 1024 + 32 * random.nextInt(225);
        network = new SimulatedNetwork(random, TERM_LENGTH, mtu, random.nextInt(4) > 0 ? 5 : 60);
        pes = new SimulatedPe[nPes];
        words = new SharedWords(this);
        for (int i = 0; i < order.length; i++)
        {
            order[i] = i;
        }

        final int[] epochs = new int[nPes];
        final long[] userAddresses = new long[nPes];
        final long[] systemAddresses = new long[nPes];
        for (int pe = 0; pe < nPes; pe++)
        {
            pes[pe] = new SimulatedPe(this, pe);
            epochs[pe] = EPOCH;
            userAddresses[pe] = pes[pe].user.addressOffset();
            systemAddresses[pe] = pes[pe].system.addressOffset();
        }

        final Channels channels = new Channels(directory.token(), nPes, TERM_LENGTH, mtu, mtu, "127.0.0.1", null);
        for (final SimulatedPe pe : pes)
        {
            pe.open(network.process(pe.pe % nProcesses), channels, epochs, isUdp);
        }

        final PathKind[] paths = new PathKind[nPes];
        Arrays.fill(paths, PathKind.MAPPED);
        final MemorySpace[] spaces = new MemorySpace[2];
        spaces[Region.USER] = new MemorySpace(SimulatedPe.USER_LENGTH, userAddresses, paths);
        spaces[Region.SYSTEM] = new MemorySpace(SimulatedPe.SYSTEM_LENGTH, systemAddresses, paths);
        for (final SimulatedPe pe : pes)
        {
            pe.link(isUdp, spaces);
        }

        if (0 == random.nextInt(3))
        {
            AgedLinks.age(this);
        }
        while (!isConnected())
        {
            network.step();
        }

        for (final SimulatedPe pe : pes)
        {
            pe.engine.announce();
        }
    }

    /** Runs until every program has ended and nothing is on its way, and checks what must hold then. */
    void run()
    {
        while (!isDone())
        {
            step();
        }

        freeLocks();
        failure = directory.control().failure();
        boolean isAnyKilled = false;
        for (final SimulatedPe pe : pes)
        {
            isAnyKilled |= pe.isKilled();
            if (!pe.isKilled())
            {
                pe.program.checkLast(hasFailed());
            }
        }

        // what a dead PE has updated is not known
        if (!hasFailed() && !isAnyKilled)
        {
            words.checkLast();
        }
    }

    /** Returns true if the world has ended by a failure of the job. */
    boolean hasFailed()
    {
        return null != failure;
    }

    /** Returns the failure by which the world has ended, or null. */
    JobFailure failure()
    {
        return failure;
    }

    private boolean isConnected()
    {
        for (final SimulatedPe pe : pes)
        {
            if (!pe.engine.isConnected())
            {
                return false;
            }
        }

        return true;
    }

    private boolean isDone()
    {
        for (final SimulatedPe pe : pes)
        {
            if (!pe.isKilled() && !pe.program.hasEnded())
            {
                return false;
            }
        }

        return directory.control().isFailed() || isDrained();
    }

    private boolean isDrained()
    {
        for (final SimulatedPe pe : pes)
        {
            if (!pe.engine.isDrained())
            {
                return false;
            }
        }

        return network.isEmpty();
    }

    /** Returns true after an error: no lock is to be held any more. */
    boolean isEnding()
    {
        return isEnding;
    }

    /** Frees the locks that are held by no program. */
    void freeLocks()
    {
        for (final SimulatedPe pe : pes)
        {
            pe.freeLock();
        }
    }

    /** Runs one step of one actor. */
    void step()
    {
        steps++;
        final int actor = next();
        final boolean hasEffect;
        try
        {
            hasEffect = act(actor);
        }
        catch (final Throwable ex)
        {
            // what ends the waits that the error passes takes locks
            isEnding = true;
            freeLocks();
            throw ex;
        }

        trace.mix(actor << 1 | (hasEffect ? 1 : 0));
        if (hasEffect)
        {
            lastEffect = steps;
        }
        else if (steps - lastEffect > (long)QUIET_STEPS * pes.length * pes.length)
        {
            failure = directory.control().failure();
            throw wrong("nothing moves any more");
        }
    }

    private int next()
    {
        final int count = order.length;
        switch (policy)
        {
            case 0:
                return random.nextInt(count);

            case 1:
                if (steps > victimUntil)
                {
                    victim = random.nextInt(count);
                    victimUntil = steps + random.nextInt(STARVATION);
                }

                final int chosen = random.nextInt(count);
                return chosen == victim ? random.nextInt(count) : chosen;

            default:
                if (steps > orderUntil)
                {
                    shuffle();
                    orderUntil = steps + random.nextInt(PRECEDENCE);
                }

                // the first in the order runs half of the time, the second a quarter, ...
                return order[Math.min(count - 1, Integer.numberOfTrailingZeros(random.nextInt() | 1 << 20))];
        }
    }

    private void shuffle()
    {
        for (int i = 0; i < order.length; i++)
        {
            final int other = random.nextInt(i + 1);
            order[i] = order[other];
            order[other] = i;
        }
    }

    private boolean act(final int actor)
    {
        if (actor == 2 * pes.length)
        {
            final boolean hasChanged = faults.step(this);
            return network.step() || hasChanged;
        }

        final SimulatedPe pe = pes[actor >> 1];
        return !pe.isKilled() && (0 == (actor & 1) ? pe.drive() : pe.program.step());
    }

    /** Returns a transport of a PE whose operations are traced. */
    Transport traced(final int pe, final Transport transport)
    {
        return new TracedTransport(transport, (operation, peer, region, offset, length, payload) ->
            trace.add(steps, pe, operation, peer, region, offset, length, payload));
    }

    /** Returns what has happened, with steps for times. */
    Trace trace()
    {
        return trace;
    }

    long steps()
    {
        return steps;
    }

    /** Returns the error to throw. No lock stays held: what the error passes may wait for one. */
    AssertionError wrong(final String what)
    {
        isEnding = true;
        freeLocks();
        return new AssertionError(what + ": " + this);
    }

    @Override
    public String toString()
    {
        final StringBuilder text = new StringBuilder("seed " + seed + ", step " + steps);
        for (final SimulatedPe pe : pes)
        {
            text.append('\n').append(pe);
        }

        return text.append(network).append(null == failure ? "" : "\nfailed: " + failure.message())
            .append('\n').append(trace).toString();
    }
}
